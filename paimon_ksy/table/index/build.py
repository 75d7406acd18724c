"""Build the file index of one data file; workers of an engine do this.

The result is what Java's `FileIndexProcessor` builds. It has the columns that the options list and
that the file has, with names and types of the schema that the file was written with.
"""

from __future__ import annotations

import uuid
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from time import perf_counter

from ksykit.runtime.arrays import Buffer

from paimon_ksy.data_files.data_file import ReadStats
from paimon_ksy.errors import PaimonKsyError, naming
from paimon_ksy.file_index.builder import Kept, index_parts
from paimon_ksy.file_index.options import IndexSpec
from paimon_ksy.table.formats import ReadRequest, read_table
from paimon_ksy.table.index.existing import (
    LostIndex,
    UnlistedIndexes,
    existing_keys,
    keys_of,
    rewrite_reason,
    sound_index,
    unlisted_indexes,
)
from paimon_ksy.table.index.options import Refusal, WantedIndexes
from paimon_ksy.table.io.storage import Storage
from paimon_ksy.table.model.files import DataFile
from paimon_ksy.table.store.index_commit import NewIndex

_LACKING = {"new", "incomplete"}
"""Reasons to index a file only because it lacks indexes."""


@dataclass(frozen=True)
class IndexJob:
    """The parameters of a rewrite that its workers need.

    `wanted` is by schema id. `run` is an id of the rewrite, which is part of the names of its index
    files. The others are arguments of `rewrite_index`.
    """

    storage: Storage
    wanted: Mapping[int, WantedIndexes]
    run: str
    dry_run: bool
    rebuild: bool
    drop_unlisted: bool


@dataclass(frozen=True, slots=True)
class IndexResult:
    """The result of a rewrite for a data file; in a dry run, the result that it would have.

    A rewrite keeps those of very many files, without `sizes`.

    Attributes:
        reason: Why the file gets another index (see `rewrite_reason`, or `forced`); None if its
            index stays.
        index: The new index; None in a dry run, or if the file keeps its index.
        rows: Rows of the file.
        columns: The index types that were built, each with the number of indexes.
        bytes_read: Bytes read of the data file.
        bytes_written: Bytes of the new index.
        sizes: Bytes of the indexes built, by type.
        kept: The number of indexes kept that the options do not list.
        lost: The indexes that could not be kept.
        refused: The indexes that could not be built.
        seconds: The duration of the work.
    """

    reason: str | None
    index: NewIndex | None = None
    rows: int = 0
    columns: tuple[tuple[str, int], ...] = ()
    bytes_read: int = 0
    bytes_written: int = 0
    sizes: Mapping[str, int] = field(default_factory=dict)
    kept: int = 0
    lost: tuple[LostIndex, ...] = ()
    refused: tuple[Refusal, ...] = ()
    seconds: float = 0.0


def index_file(job: IndexJob, file: DataFile) -> IndexResult:
    """Build the indexes that the options list for a data file, unless it has them.

    Raises:
        PaimonKsyError: The indexes cannot be built; the error names the file.
    """
    started = perf_counter()
    result = _indexed(job, file)
    return replace(result, seconds=perf_counter() - started)


def _indexed(job: IndexJob, file: DataFile) -> IndexResult:
    wanted = job.wanted[file.schema_id].of_written(file.write_columns)
    listed = keys_of(wanted.options.indexes)
    reason = rewrite_reason(job.storage, file, wanted.options, drop_unlisted=job.drop_unlisted)
    if reason is None and not (job.rebuild and (listed or file.has_index)):
        return IndexResult(None, refused=wanted.refused)
    keeps = UnlistedIndexes()
    if not job.drop_unlisted:
        rebuild = job.rebuild or reason == "several"  # one of which may belong to another file
        keeps = unlisted_indexes(job.storage, file, wanted.schema.columns, listed, rebuild=rebuild)
    result = IndexResult(reason or "forced", lost=keeps.lost, refused=wanted.refused)
    if not listed and not len(keeps):
        return replace(result, index=None if job.dry_run else NewIndex())
    indexes = wanted.options.indexes + keeps.built
    columns = _count_by_type(indexes)
    result = replace(result, rows=file.num_rows, columns=columns, kept=len(keeps))
    if job.dry_run:
        return result
    wanted = replace(wanted, options=replace(wanted.options, indexes=indexes))
    return _Build(job, file, wanted, keeps).run(result)


@dataclass
class _Build:
    """The build of an index: `wanted` are also the indexes of `keeps` that are built again."""

    job: IndexJob
    file: DataFile
    wanted: WantedIndexes
    keeps: UnlistedIndexes
    failed: list[IndexSpec] = field(default_factory=list)
    refused: list[Refusal] = field(default_factory=list)
    lost: list[LostIndex] = field(default_factory=list)

    def run(self, planned: IndexResult) -> IndexResult:
        """Build and store the index, and return the result: the planned one, and what was done."""
        schema, options, file = self.wanted.schema, self.wanted.options, self.file
        names = list(dict.fromkeys(spec.column for spec in options.indexes))
        stats = ReadStats()
        with naming(file.path):
            request = ReadRequest.of_indexes(self.job.storage, file, schema, names)
            rows = read_table(request, stats)
            kept = self.keeps.carried
            parts, sizes = index_parts(
                rows, schema.columns, options, kept=kept, refuse=self._refuse
            )
        done = [spec for spec in options.indexes if spec not in self.failed]
        refused = planned.refused + tuple(self.refused)
        is_lacking = self.failed and planned.reason in _LACKING
        if is_lacking and keys_of(done) <= existing_keys(self.job.storage, file):
            # The indexes that it lacks cannot be built.
            return IndexResult(None, bytes_read=stats.bytes_read, refused=refused)
        is_empty = len(parts) == 1 and not done and not kept  # a head without indexes
        return replace(
            planned,
            index=NewIndex() if is_empty else self._stored(parts),
            columns=_count_by_type(done),
            bytes_read=stats.bytes_read,
            bytes_written=0 if is_empty else sum(map(len, parts)),
            sizes=sizes,
            kept=planned.kept - len(self.lost),
            lost=planned.lost + tuple(self.lost),
            refused=refused,
        )

    def _refuse(self, spec: IndexSpec, error: PaimonKsyError) -> Kept:
        """Note an index that cannot be built, and return the sound one that stays instead."""
        self.failed.append(spec)
        instead = sound_index(self.job.storage, self.file, self.wanted.schema.columns, spec)
        if not keys_of([spec]) <= keys_of(self.keeps.built):
            self.refused.append(Refusal(spec.index_type, spec.name, str(error)))
        elif not instead:
            self.lost.append(LostIndex(self.file.path, spec.name, spec.index_type, str(error)))
        return instead

    def _stored(self, parts: Sequence[Buffer]) -> NewIndex:
        """Embed a small index; write a large one to a file beside the data file."""
        if sum(map(len, parts)) <= self.wanted.options.in_manifest_threshold:
            return NewIndex(embedded=b"".join(parts))
        # Each attempt gets its own name: Spark may run a task twice, when one file may be in use.
        name = f"{self.file.name}-{self.job.run}{uuid.uuid4().hex[:8]}.index"
        self.job.storage.write(f"{self.file.folder}/{name}", *parts)
        return NewIndex(file_name=name)


def _count_by_type(indexes: Iterable[IndexSpec]) -> tuple[tuple[str, int], ...]:
    return tuple(sorted(Counter(spec.index_type for spec in indexes).items()))
