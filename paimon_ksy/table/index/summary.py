"""Summaries of rewrites, counted while a rewrite runs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from time import perf_counter
from typing import Any

from paimon_ksy.errors import counted
from paimon_ksy.messages.answers import Answer, Work, keyed
from paimon_ksy.table.index.build import IndexResult
from paimon_ksy.table.index.existing import LostIndex
from paimon_ksy.table.index.options import Refusal
from paimon_ksy.table.store.index_commit import NewIndex


@dataclass(frozen=True)
class CountedRefusal(Refusal):
    """A refusal, and the number of data `files` that it affects."""

    files: int


@dataclass(frozen=True)
class BuiltIndexes(Answer):
    """The indexes of one type that were built.

    Attributes:
        files: The number of data files with such a new index.
        bytes: The bytes of the indexes, including work that had to be repeated; None in a dry run.
    """

    files: int
    bytes: int | None


REASONS = {
    "new": "had no index",
    "several": "had several indexes",
    "broken": "had a corrupt index",
    "incomplete": "lacked some indexes",
    "threshold": "had its index at another place",
    "version": "had another version",
    "stale": "had other indexes",
    "forced": "was to be rebuilt",
}
"""What people see for the reasons of `rewrite_reason`."""


@dataclass(frozen=True)
class RewriteSummary(Work):
    """The work of a rewrite, or of a dry run the work that it would do.

    Attributes:
        snapshot: The new snapshot, the last one of several; None if there was nothing to commit.
        files: The number of data files in the selected partitions.
        rewritten: The number of files with a new index, or with fewer indexes.
        left: The number of files whose index is unchanged.
        unsupported: The number of files in formats that cannot be indexed.
        reasons: The number of rewritten files, by reason.
        embedded: The number of files whose new index is embedded in the manifest.
        index_files: The number of files whose new index is in an index file.
        dropped: The number of files that no longer have an index.
        rows: The number of rows in the rewritten files.
        values: The number of indexed values: the rows of each index.
        bytes_read: The bytes read from data files, including work that had to be repeated.
        bytes_written: The bytes of indexes written, including work that had to be repeated.
        seconds: The duration of the whole rewrite in seconds.
        indexes: The indexes that were built, by type.
        attempts: The number of commits tried.
        dry_run: Whether this was a dry run, which writes nothing.
        kept: The number of indexes kept that the options do not list.
        lost: Indexes that could not be kept.
        refused: Indexes that could not be built.
        saved: The options saved in the table's schema; None for an option that was removed.
        batches: The number of batches, each of which is a commit unless nothing changed.
        since: The snapshot whose files, and those of earlier ones, were left out; None if none.
        steps: The seconds of the steps `build`, which plans, too, and `commit`.
        note: Why all files were checked, although the caller requested only new ones.
    """

    snapshot: int | None = field(metadata=keyed(text=False, title=True))
    files: int = field(metadata=keyed(text=False))
    rewritten: int = field(metadata=keyed(text=False))
    left: int
    unsupported: int
    reasons: Mapping[str, int] = field(metadata=keyed(text=False))
    embedded: int
    index_files: int
    dropped: int
    rows: int = field(metadata=keyed(text=False))
    values: int = field(metadata=keyed(text=False))
    bytes_read: int = field(metadata=keyed(text=False))
    bytes_written: int = field(metadata=keyed(text=False))
    seconds: float = field(metadata=keyed(text=False))
    indexes: Mapping[str, BuiltIndexes]
    attempts: int = field(metadata=keyed(text=False))
    dry_run: bool = field(metadata=keyed(text=False))
    kept: int = 0
    lost: tuple[LostIndex, ...] = ()
    refused: tuple[CountedRefusal, ...] = ()
    saved: Mapping[str, str | None] = field(default_factory=dict)
    batches: int = field(default=1, metadata=keyed(text=False))
    since: int | None = None
    note: str | None = None
    steps: Mapping[str, float] = field(default_factory=dict, metadata=keyed(text=False))

    @property
    def would(self) -> str:
        """The work that a dry run leaves out, after the word `would`."""
        return f"rebuild the indexes of {counted(self.rewritten, 'file')}{self._why}"

    @property
    def did(self) -> str:
        """The share of files that were indexed, and why."""
        return f"{self.rewritten:,} of {counted(self.files, 'file')} indexed{self._why}"

    @property
    def _why(self) -> str:
        [*reasons] = self.reasons.items()
        each = "each " if len(reasons) == 1 and self.rewritten > 1 else ""
        texts = (f"{each or f'{n:,} '}{REASONS[reason]}" for reason, n in reasons)
        return "; " + ", ".join(texts) if reasons else ""


_TOTALS = (
    *("files", "unsupported", "embedded", "index_files", "dropped", "rows", "values"),
    *("bytes_read", "bytes_written", "attempts", "kept", "batches"),
)
"""The numbers of a summary that a rewrite adds up."""


class Tally:
    """Counts the work of a rewrite, across all batches, and all attempts to commit them.

    Files with a new index count once it is committed, or planned; work always counts.
    """

    def __init__(self) -> None:
        self._total: Counter[str] = Counter()
        self._snapshots: list[int] = []
        self._reasons: Counter[str] = Counter()
        self._files: Counter[str] = Counter()  # by index type
        self._bytes: Counter[str] = Counter()
        self._lost: list[LostIndex] = []
        self._refusals: Counter[Refusal] = Counter()
        self._seconds: dict[str, float] = {}

    @contextmanager
    def step(self, name: str) -> Iterator[None]:
        """Add the time that passes in the context to that of a step."""
        started = perf_counter()
        try:
            yield
        finally:
            self._seconds[name] = self._seconds.get(name, 0.0) + perf_counter() - started

    def end_batch(
        self,
        snapshot: int | None,
        attempts: int,
        counts: Counter[str],
        refused: Counter[Refusal],
        committed: Iterable[IndexResult],
    ) -> None:
        """Count a batch.

        `committed` are the files with a new index. Counts are those of the last attempt: `files`
        and `unsupported` ones, and the refused indexes of files that keep theirs.
        """
        self._total.update(counts, attempts=attempts, batches=1)
        self._snapshots += [] if snapshot is None else [snapshot]
        self._refusals.update(refused)
        for file in committed:
            self.add(file)

    def add(self, file: IndexResult) -> None:
        """Count a file with a new index."""
        index = file.index or NewIndex()
        self._reasons[file.reason or ""] += 1
        self._total.update(
            embedded=index.embedded is not None,
            index_files=index.file_name is not None,
            dropped=file.index == NewIndex(),
            rows=file.rows,
            values=file.rows * sum(columns for _, columns in file.columns),
            kept=file.kept,
        )
        self._lost += file.lost
        self._refusals.update(file.refused)
        self._files.update(kind for kind, _ in file.columns)

    def add_work(self, result: IndexResult) -> None:
        """Count the bytes of work, even if its index has to be dropped later."""
        self._total.update(bytes_read=result.bytes_read, bytes_written=result.bytes_written)
        self._bytes.update(result.sizes)

    @property
    def num_batches(self) -> int:
        """The number of batches that were counted."""
        return self._total["batches"]

    def summary(self, without_files: Iterable[Refusal], **others: Any) -> RewriteSummary:
        """Return the summary of all batches, with the values of `others`.

        `without_files` is what is refused if there is no data file at all.
        """
        total, rewritten = self._total, self._reasons.total()
        others |= {name: total[name] for name in _TOTALS}
        return RewriteSummary(
            **others,
            snapshot=max(self._snapshots, default=None),
            rewritten=rewritten,
            left=total["files"] - total["unsupported"] - rewritten,
            reasons=dict(self._reasons),
            indexes={
                kind: BuiltIndexes(
                    self._files[kind], None if others["dry_run"] else self._bytes[kind]
                )
                for kind in sorted({*self._files, *self._bytes})
            },
            lost=tuple(sorted(self._lost, key=lambda index: (index.file, str(index)))),
            refused=self._counted_refusals(without_files),
            steps={name: round(seconds, 3) for name, seconds in self._seconds.items()},
        )

    def _counted_refusals(self, without_files: Iterable[Refusal]) -> tuple[CountedRefusal, ...]:
        """Return the refusals, one for each column and index type."""
        refusals = self._refusals
        if not self._total["files"]:
            refusals = Counter(dict.fromkeys(without_files, 0))
        by_key: dict[tuple[str, str], CountedRefusal] = {}
        for refusal, files in refusals.items():
            key = refusal.index_type, refusal.column
            before = by_key.get(key, CountedRefusal(*key, refusal.reason, 0))
            by_key[key] = replace(before, files=before.files + files)
        return tuple(by_key[key] for key in sorted(by_key))
