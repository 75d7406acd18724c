"""The steps of a query, and the files that each of them keeps and skips."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from operator import add
from typing import Any

from paimon_ksy.errors import amount, counted
from paimon_ksy.messages.answers import Answer
from paimon_ksy.pages.text import Line, Span, columns
from paimon_ksy.table.model.files import DataFile


@dataclass(frozen=True)
class Size:
    """A number of data files, their rows (including deleted ones) and bytes."""

    files: int = 0
    rows: int = 0
    bytes: int = 0

    @classmethod
    def of(cls, files: Iterable[DataFile]) -> Size:
        """Return the total size of these files."""
        files = list(files)
        return cls(len(files), sum(f.num_rows for f in files), sum(f.size for f in files))

    def __str__(self) -> str:
        rows = counted(self.rows, "row")
        return f"{counted(self.files, 'file')} ({rows}, {amount(self.bytes)})"

    def __add__(self, other: Size) -> Size:
        return Size(self.files + other.files, self.rows + other.rows, self.bytes + other.bytes)

    def __sub__(self, other: Size) -> Size:
        return Size(self.files - other.files, self.rows - other.rows, self.bytes - other.bytes)


HIDDEN, PARTITIONS, BUCKETS, STATISTICS, KEPT = range(5)
"""What skips a file: readers do not see it; or the step of a plan; or nothing."""


@dataclass(frozen=True)
class Sizes:
    """The data files that each step of a plan keeps; the sizes of several groups add up.

    Attributes:
        skipped: By what skips them, the files of all manifests that were read.
        listed: If partitions rule out manifests, the number of files in all manifests; else None.
        by_statistics: The files that statistics keep.
        left: Those that global indexes and row ids keep, too.
        indexes: Notes about global indexes, and the bytes read from them; None if there are none.
        alone: The number of files that statistics keep and that need no merge.
        without_statistics: For each column that the query tests, how many of these lack statistics.
        shared: By what skips files, the rows that were counted before, in other files of the same
            rows (data evolution).
        bucket_notes: Why the predicates rule out no bucket, if so; None if their number is not
            fixed.
    """

    skipped: tuple[Size, ...] = (Size(),) * (KEPT + 1)
    listed: int | None = None
    by_statistics: Size = Size()
    left: Size = Size()
    indexes: tuple[tuple[str, ...], int] | None = None
    alone: int = 0
    without_statistics: Mapping[str, int] = field(default_factory=dict)
    shared: tuple[int, ...] = (0,) * (KEPT + 1)
    bucket_notes: tuple[str, ...] | None = None

    def __add__(self, other: Sizes) -> Sizes:
        names = dict.fromkeys((*self.without_statistics, *other.without_statistics))
        without = self.without_statistics, other.without_statistics
        notes = other.bucket_notes, self.bucket_notes
        return Sizes(
            tuple(map(add, self.skipped, other.skipped)),
            other.listed if self.listed is None else self.listed,
            self.by_statistics + other.by_statistics,
            self.left + other.left,
            other.indexes if self.indexes is None else self.indexes,
            self.alone + other.alone,
            {name: sum(counts.get(name, 0) for counts in without) for name in names},
            tuple(map(add, self.shared, other.shared)),
            min((note for note in notes if note is not None), key=len, default=None),
        )

    @property
    def files_total(self) -> int:
        """The number of data files that readers see; from manifest lists if any are ruled out."""
        if self.listed is not None:
            return self.listed - self.skipped[HIDDEN].files
        return sum(self.skipped[PARTITIONS:], Size()).files

    @property
    def total(self) -> Size | None:
        """All data files that readers see; None if partitions ruled out manifests."""
        return None if self.listed is not None else self._since(PARTITIONS)

    @property
    def in_partitions(self) -> Size:
        """The files in partitions that can match."""
        return self._since(BUCKETS)

    @property
    def in_buckets(self) -> Size:
        """Those in buckets that can match, too."""
        return self._since(STATISTICS)

    def _since(self, step: int) -> Size:
        """Return the files that no step before this one skips."""
        return sum(self.skipped[step:], Size()) - Size(rows=sum(self.shared[step:]))


@dataclass(frozen=True)
class Cause(Answer):
    """The effect of a single condition with its index, in the files that statistics keep.

    `index` contains the index types, such as `bitmap`, separated by commas; None without an index.
    `condition` is None for the rows that a `deletion vector` deletes.
    """

    condition: str | None
    index: str | None
    files: int
    files_skipped: int
    rows_skipped: int

    @property
    def name(self) -> str:
        """The condition and its index, or `deletion vectors`."""
        if self.condition is None:
            return f"{self.index}s"
        return f"{self.condition} ({'no index' if self.index is None else f'index {self.index}'})"


@dataclass(frozen=True)
class Step(Answer):
    """A step of a query: what it keeps and skips of the data that the previous step kept.

    Row groups are None except in the step `rows`, for Parquet files. Rows and bytes are None in
    `plan` if partitions rule out whole manifests. `bytes` are those of data files; in the step
    `rows`, those of the pages to read. `bytes_read` is the cost of the step itself: bytes of
    indexes, deletion vectors and file footers.
    """

    step: str
    files_kept: int
    files_skipped: int
    row_groups_kept: int | None
    row_groups_skipped: int | None
    rows_kept: int
    rows_skipped: int | None
    bytes_kept: int
    bytes_skipped: int | None
    bytes_read: int = 0
    by: tuple[Cause, ...] = ()
    notes: tuple[str, ...] = ()


def step_of(
    name: str, before: Size | int, after: Size, notes: Iterable[str] = (), **more: Any
) -> Step:
    """Return a step that skips files; `before` is their number if no more is known."""
    if isinstance(before, int):
        files, rows, size = before - after.files, None, None
    else:
        gone = before - after
        files, rows, size = gone.files, gone.rows, gone.bytes
    return Step(
        name,
        *(after.files, files, None, None, after.rows, rows, after.bytes, size),
        notes=tuple(notes),
        **more,
    )


def some_of(count: int, total: int) -> str:
    """Return words for some of a number of files."""
    if count == total:
        return "the one file" if total == 1 else f"all {total:,} files"
    return f"{count:,} of {total:,} files"


_HEAD = ("step", "files", "skipped", "row groups", "skipped", "rows", "skipped", "bytes", "skipped")


def step_lines(steps: Sequence[Step]) -> list[Line]:
    """Return a table of what each step keeps and skips, then the causes and notes."""
    rows: list[list[Span]] = [[(text, "bold") for text in _HEAD]]
    for step in steps:
        amounts = (
            (step.files_kept, step.files_skipped),
            (step.row_groups_kept, step.row_groups_skipped),
            (step.rows_kept, step.rows_skipped),
            (step.bytes_kept, step.bytes_skipped),
        )
        row: list[Span] = [(step.step, "bold cyan")]
        for kept, skipped in amounts:
            row.append(("" if kept is None else f"{kept:,}", ""))
            row.append(("" if skipped is None else f"{skipped:,}", "green" if skipped else "dim"))
        rows.append(row)
    lines = columns(rows, right=range(1, len(_HEAD)))
    for step in steps:
        for cause in step.by:
            facts = f": {cause.files_skipped:,} of {counted(cause.files, 'file')} and "
            facts += f"{counted(cause.rows_skipped, 'row')} skipped"
            lines.append([(f"{step.step}: ", "dim"), (cause.name, "bold"), (facts, "")])
        if step.bytes_read:
            lines.append(
                [(f"{step.step}: {counted(step.bytes_read, 'byte')} read for this step", "dim")]
            )
        lines += [[(f"{step.step}: {note}", "yellow")] for note in step.notes]
    return lines
