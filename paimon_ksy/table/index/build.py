"""Build the file index of one data file; workers of an engine do this.

The result is what Java's `FileIndexProcessor` builds. It has the columns that the options list and
that the file has, with names and types of the schema that the file was written with.
"""

from __future__ import annotations

import uuid
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from time import perf_counter

from paimon_ksy.data_files.data_file import ReadStats
from paimon_ksy.errors import PaimonKsyError, naming
from paimon_ksy.file_index.builder import Kept, index_parts
from paimon_ksy.file_index.options import FileIndexOptions, IndexSpec
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
from paimon_ksy.table.index.options import Refusal, options_of_written
from paimon_ksy.table.io.storage import Storage
from paimon_ksy.table.model.files import DataFile, TableSchema
from paimon_ksy.table.store.index_commit import NewIndex

_LACKING = {"new", "incomplete"}
"""Reasons to index a file only because it lacks indexes."""


@dataclass(frozen=True)
class WantedIndexes:
    """The indexes that data files of one schema get.

    `options` are in terms of the schema, and `refused` what they list, but cannot be built.
    """

    schema: TableSchema
    options: FileIndexOptions
    refused: tuple[Refusal, ...] = ()


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
    drop_unlisted: bool = False


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
    wanted = job.wanted[file.schema_id]
    wanted = replace(wanted, options=options_of_written(wanted.options, file.write_columns))
    listed = keys_of(wanted.options)
    reason = rewrite_reason(job.storage, file, wanted.options, drop_unlisted=job.drop_unlisted)
    if reason is None and job.rebuild and (listed or file.has_index):
        reason = "forced"
    if reason is None:
        return IndexResult(None, refused=wanted.refused)
    keeps = UnlistedIndexes()
    if not job.drop_unlisted:
        rebuild = job.rebuild or reason == "several"  # one of which may belong to another file
        keeps = unlisted_indexes(job.storage, file, wanted.schema.columns, listed, rebuild=rebuild)
    if not listed and not len(keeps):
        index = None if job.dry_run else NewIndex()
        return IndexResult(reason, index, lost=keeps.lost, refused=wanted.refused)
    options = replace(wanted.options, indexes=wanted.options.indexes + keeps.built)
    if job.dry_run:
        return IndexResult(
            reason,
            rows=file.num_rows,
            columns=_count_by_type(options.indexes),
            kept=len(keeps),
            lost=keeps.lost,
            refused=wanted.refused,
        )
    return _build(job, file, replace(wanted, options=options), keeps, reason)


def _build(
    job: IndexJob, file: DataFile, wanted: WantedIndexes, keeps: UnlistedIndexes, reason: str
) -> IndexResult:
    columns, indexes = wanted.schema.columns, wanted.options.indexes
    names = list(dict.fromkeys(spec.column for spec in indexes))
    refused, lost = list(wanted.refused), list(keeps.lost)
    failed: list[IndexSpec] = []
    rebuilt = {(spec.name, spec.index_type) for spec in keeps.built}

    def refuse(spec: IndexSpec, error: PaimonKsyError) -> Kept:
        failed.append(spec)
        instead = sound_index(job.storage, file, columns, spec)
        if (spec.name, spec.index_type) not in rebuilt:
            refused.append(Refusal(spec.index_type, spec.name, str(error)))
        elif not instead:
            lost.append(LostIndex(file.path, spec.name, spec.index_type, str(error)))
        return instead

    stats = ReadStats()
    with naming(file.path):
        rows = read_table(ReadRequest.of_indexes(job.storage, file, wanted.schema, names), stats)
        parts, sizes = index_parts(rows, columns, wanted.options, kept=keeps.carried, refuse=refuse)
    done = [spec for spec in indexes if spec not in failed]
    result = IndexResult(
        reason,
        rows=file.num_rows,
        columns=_count_by_type(done),
        bytes_read=stats.bytes_read,
        bytes_written=sum(map(len, parts)),
        sizes=sizes,
        kept=len(keeps) - len(lost) + len(keeps.lost),
        lost=tuple(lost),
        refused=tuple(refused),
    )
    if failed and reason in _LACKING:
        there = existing_keys(job.storage, file)
        if not any((spec.name, spec.index_type) not in there for spec in done):
            # The indexes that it lacks cannot be built.
            return IndexResult(None, bytes_read=stats.bytes_read, refused=result.refused)
    if len(parts) == 1 and not done and not keeps.carried:  # a head without indexes
        return replace(result, index=NewIndex(), bytes_written=0)
    if result.bytes_written <= wanted.options.in_manifest_threshold:
        return replace(result, index=NewIndex(embedded=b"".join(parts)))
    # Each attempt gets its own name: Spark may run a task twice, when one file may be in use.
    name = f"{file.name}-{job.run}{uuid.uuid4().hex[:8]}.index"
    job.storage.write(f"{file.folder}/{name}", *parts)
    return replace(result, index=NewIndex(file_name=name))


def _count_by_type(indexes: Iterable[IndexSpec]) -> tuple[tuple[str, int], ...]:
    return tuple(sorted(Counter(spec.index_type for spec in indexes).items()))
