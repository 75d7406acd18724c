"""Build the file indexes that a table's options list, in one commit or in batches.

Indexes that the options do not list are kept (see `existing`), unless the caller drops them. A
column that cannot be indexed is reported, and the others are indexed.
"""

from __future__ import annotations

import sys
import time
import uuid
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Set
from contextlib import closing
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, TypeVar
from zlib import crc32

from paimon_ksy.errors import (
    ConflictError,
    CorruptFileError,
    OptionError,
    PaimonKsyError,
    UnsupportedError,
)
from paimon_ksy.file_index.options import FileIndexOptions
from paimon_ksy.predicates.tree import Predicate
from paimon_ksy.table.engine import Engine, job_engine, settle
from paimon_ksy.table.index.build import (
    IndexJob,
    IndexResult,
    WantedIndexes,
    folder_of,
    index_file,
)
from paimon_ksy.table.index.existing import has_index
from paimon_ksy.table.index.options import (
    INDEXABLE_FORMATS,
    Refusal,
    file_options,
    is_replaced,
    wanted_options,
)
from paimon_ksy.table.index.summary import AttemptCounts, RewriteSummary, Tally
from paimon_ksy.table.model.files import DataFile
from paimon_ksy.table.query.prune import PartitionFilter, partition_filter
from paimon_ksy.table.query.run import time_zone_of
from paimon_ksy.table.store import (
    Attempts,
    NewIndex,
    Table,
    TableOrPath,
    check_committable,
    commit_indexes,
    save_options_of,
    sweep,
    until_committed,
)

BATCH_FILES = 100_000
"""Data files in a commit: the driver remembers those that are not committed yet."""

IndexProgress = Callable[[DataFile, IndexResult], None]
"""A function that is called with each finished data file."""

_Value = TypeVar("_Value")
_NONE: Mapping[str, Any] = {}


def rewrite_index(
    table: TableOrPath,
    partitions: Predicate | str | None = None,
    *,
    set: Mapping[str, str] | None = None,
    dry_run: bool = False,
    rebuild: bool = False,
    engine: Engine | None = None,
    spark: Any = None,
    progress: IndexProgress | None = None,
    only: Callable[[DataFile], bool] | None = None,
    drop_unlisted: bool = False,
    save_options: bool = False,
    batch_files: int = BATCH_FILES,
) -> RewriteSummary:
    """Build the indexes that the table's options list for each data file, in one commit.

    Files whose indexes already match the options stay unchanged, unless `rebuild` is true. If other
    writers change the same files first, the remaining work is planned again. If anything fails,
    nothing is committed, and the new index files are deleted. A column that cannot be indexed is
    reported in the summary.

    A table of more than `batch_files` is indexed in batches, with one commit each. A batch with a
    corrupt file, or with a persistent conflict, is skipped, and its error is raised at the end. Any
    other error ends the rewrite. Committed batches stay, and another rewrite without `rebuild`
    continues after them.

    Args:
        table: The table, or its folder.
        partitions: A predicate on partition columns that selects data files.
        set: Table options for this run; an empty value removes an option.
        dry_run: Write nothing, and return what would be done.
        rebuild: Rebuild all indexes, even those that match the options.
        engine: The engine to run on; the default is this machine.
        spark: A SparkSession to run on, instead of `engine`.
        progress: Called for each data file that is done.
        only: The data files to index; others are skipped.
        drop_unlisted: Drop the indexes that the options do not list. By default, they are copied
            unchanged, or rebuilt if they are corrupt or `rebuild` is true.
        save_options: After the last commit, store the changes of `set` in the table's schema, so
            that later writers build the same indexes.
        batch_files: The approximate number of data files in a commit. A dry run has one batch.

    Raises:
        OptionError, SchemaError: An option does not fit the table; raised before any work.
        UnsupportedError: None of the indexes can be built.
        PredicateError: The predicate does not fit the table.
        CorruptFileError: A file is malformed.
        ConflictError: Other writers always committed first.
        UncertainError: It is unknown whether the commit was made.
    """
    if batch_files < 1:
        raise OptionError(f"batch_files is {batch_files}: a commit has at least 1 data file")
    if not isinstance(table, Table):
        table = Table.at(table)
    check_committable(table)
    engine = job_engine(engine, spark, "rewrite_index", table.location)
    selected = partition_filter(table.schema, partitions, time_zone_of(table, engine))
    changed = set or {}
    options, refused = wanted_options(table.schema, changed)
    saved: Mapping[str, str | None] = {}
    if save_options:
        if refused:
            raise UnsupportedError(
                f"{refused[0].reason}. The options were not saved, because Java cannot write "
                "to a table with such an index; leave the column out"
            )
        removed = {key: None for key in table.schema.options if is_replaced(key, changed)}
        saved = removed | {key: value.strip() or None for key, value in changed.items()}
    started = time.perf_counter()
    batches = [_ALL] if dry_run else _batches(table, selected, only, batch_files)
    tally = Tally()
    done = 0
    failed: list[PaimonKsyError] = []
    for batch in batches:
        rewrite = _Rewrite(
            table,
            options,
            refused,
            tally,
            partitions=selected if batch is _ALL else batch.keeps,
            only=only if batch is _ALL else partial(_both, batch.contains, only),
            dry_run=dry_run,
            rebuild=rebuild,
            drop_unlisted=drop_unlisted,
        )
        try:
            rewrite.run(engine, progress)
            done += 1
        except PaimonKsyError as error:
            failed.append(error)
            # Other errors are not about the files of one batch, so the next batches would fail too.
            if not isinstance(error, ConflictError | CorruptFileError):
                break
    if failed:
        if len(batches) > 1:
            finished = f"{done} of {len(batches)} batches are done"
            finished += "" if rebuild else ", and the next run skips them"
            known = failed[0].remedy
            failed[0].remedy = finished if known is None else f"{known}; {finished}"
        raise failed[0]
    if not dry_run:
        save_options_of(table, saved)
    return tally.summary(time.perf_counter() - started, refused, saved, dry_run=dry_run)


def _both(
    one: Callable[[DataFile], bool], other: Callable[[DataFile], bool] | None, file: DataFile
) -> bool:
    return one(file) and (other is None or other(file))


# Batches ------------------------------------------------------------------------------------------

Group = tuple[tuple[Any, ...], int]
"""A partition and a bucket."""


@dataclass(frozen=True)
class Batch:
    """Some buckets of a table, or one of `parts` equal parts of a large one.

    A batch consists of whole buckets where that is possible, and neighbouring partitions share one.
    So the manifests that a commit writes contain few partitions each, and readers can skip them. A
    file stays in its batch, whatever other writers commit meanwhile.
    """

    groups: frozenset[Group] = frozenset()
    part: int = 0
    parts: int = 1

    def keeps(self, partition: tuple[Any, ...], bucket: int) -> bool:
        """Return whether the batch can have files of a bucket."""
        return (partition, bucket) in self.groups

    def contains(self, file: DataFile) -> bool:
        """Return whether a file of these buckets is in the batch."""
        return self.parts == 1 or crc32(file.name.encode()) % self.parts == self.part


_ALL = Batch()
"""The batch of all files."""


def _batches(
    table: Table,
    partitions: PartitionFilter | None,
    only: Callable[[DataFile], bool] | None,
    most: int,
) -> list[Batch]:
    snapshot = table.snapshot()
    if table.manifests.num_files(snapshot) <= most:
        return [_ALL]
    return [*batches_of(filter(only, table.files(snapshot, partitions)), most)] or [_ALL]


def batches_of(files: Iterable[DataFile], most: int) -> Iterator[Batch]:
    """Yield batches that contain all files, about `most` of them each, in order of partitions."""
    counts = Counter((file.partition, file.bucket) for file in files)
    groups: list[Group] = []
    size = 0
    for group in sorted(counts, key=_order):
        if groups and size + counts[group] > most:
            yield Batch(frozenset(groups))
            groups, size = [], 0
        if counts[group] > most:
            parts = -(-counts[group] // most)
            for part in range(parts):
                yield Batch(frozenset([group]), part, parts)
        else:
            groups.append(group)
            size += counts[group]
    if groups:
        yield Batch(frozenset(groups))


def _order(group: Group) -> tuple[Any, ...]:
    partition, bucket = group
    return tuple((value is not None, value) for value in partition), bucket


# One batch ----------------------------------------------------------------------------------------


class _Rewrite:
    """A rewrite of a batch, with its results so far, across all attempts to commit it.

    A dry run keeps counts only. Otherwise, each data file that changes is kept by its digest.
    """

    def __init__(
        self,
        table: Table,
        options: FileIndexOptions,
        refused: tuple[Refusal, ...],
        tally: Tally,
        *,
        partitions: PartitionFilter | None,
        only: Callable[[DataFile], bool] | None,
        dry_run: bool,
        rebuild: bool,
        drop_unlisted: bool,
    ) -> None:
        self._table, self._options, self._refused = table, options, refused
        self._partitions, self._only = partitions, only
        self._dry_run, self._rebuild, self._drop_unlisted = dry_run, rebuild, drop_unlisted
        self._id = uuid.uuid4().hex[:8]
        self._done: dict[bytes, IndexResult] = {}
        self._folders: set[str] = set()
        self._tally = tally
        self._shared: dict[Any, Any] = {}
        self._attempt = AttemptCounts()
        self._attempts = Attempts()

    def run(self, engine: Engine, progress: IndexProgress | None) -> None:
        """Build the indexes, and commit; after a conflict, continue with the remaining work."""

        def attempt(number: int) -> None:
            self._build(engine, progress)
            snapshot = None
            if not self._dry_run:
                snapshot = self._commit(engine)
                self._sweep({index.file_name or "" for index in self._new_indexes().values()})
            self._tally.end_batch(snapshot, number, self._attempt, self._done.values())

        def clean_up() -> None:
            if not self._dry_run:
                settle(engine)
                self._sweep(frozenset())

        until_committed(attempt, self._attempts, clean_up)

    def _build(self, engine: Engine, progress: IndexProgress | None) -> None:
        """Compute a result for each live file that gets a new index, and for no other file."""
        gone = set(self._done)
        snapshot = self._table.snapshot()
        job = self._job()  # loaded after the snapshot, so that it has all schemas of its files
        self._attempt = AttemptCounts()
        todo = self._files_to_index(snapshot, gone)
        work = partial(index_file, job)
        with closing(engine.map(work, todo)) as indexed:
            for file, result in indexed:
                self._keep(file, result)
                if progress is not None:
                    progress(file, result)
        for digest in gone:
            del self._done[digest]

    def _job(self) -> IndexJob:
        latest = self._table.schema
        schemas = [self._table.schema_at(number) for number in self._table.schemas.ids()]
        wanted = {}
        for schema in schemas:
            options, refused = file_options(self._options, latest, schema)
            wanted[schema.id] = WantedIndexes(schema, options, self._refused + refused)
        return IndexJob(
            self._table.storage,
            wanted,
            self._id,
            self._dry_run,
            self._rebuild,
            self._drop_unlisted,
        )

    def _files_to_index(self, snapshot: Any, gone: set[bytes]) -> Iterator[DataFile]:
        """Yield the live files without a result, or whose index has changed since.

        Results of other live files stay valid, so their digests are removed from `gone`.
        """
        for file in filter(self._only, self._table.files(snapshot, self._partitions)):
            self._attempt.files += 1
            if file.external_path is not None:
                self._table.storage.roots.check_change(file.path)
            if file.format not in INDEXABLE_FORMATS:
                self._attempt.unsupported += 1
                continue
            if not self._options.indexes and not has_index(file):
                continue
            digest = file.digest
            if digest in gone:
                gone.remove(digest)
                continue
            self._folders.add(folder_of(file))
            # Statistics take most of a file's memory, and of its bytes on the way to workers.
            yield replace(file.without_statistics(), deletion_vector=None)

    def _keep(self, file: DataFile, result: IndexResult) -> None:
        """Keep the result of a file, unless nothing was done."""
        self._tally.add_work(result)
        refused = self._same(result.refused)
        if result.reason is None:
            self._attempt.refused.update(refused)
            return
        if self._dry_run:
            self._tally.add(result)
            return
        self._done[file.digest] = replace(
            result,
            reason=sys.intern(result.reason),
            columns=self._same(result.columns),
            sizes=_NONE,
            refused=refused,
        )

    def _same(self, value: _Value) -> _Value:
        """Return an equal value that many files share, so that they take less memory."""
        same: _Value = self._shared.setdefault(value, value)
        return same

    def _commit(self, engine: Engine) -> int | None:
        return commit_indexes(self._table, self._new_indexes(), engine, self._attempts)

    def _new_indexes(self) -> dict[bytes, NewIndex]:
        """Return the index that each changed data file gets."""
        return {digest: done.index or NewIndex() for digest, done in self._done.items()}

    def _sweep(self, kept: Set[str]) -> None:
        def is_own(name: str) -> bool:
            return f"-{self._id}" in name and name.endswith(".index")

        sweep(self._table.storage, self._folders, is_own, kept)
