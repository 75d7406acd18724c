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
from paimon_ksy.messages.log import LOG
from paimon_ksy.predicates.tree import Predicate
from paimon_ksy.table.engine import Engine, job_engine, settle
from paimon_ksy.table.index.build import IndexJob, IndexResult, WantedIndexes, index_file
from paimon_ksy.table.index.options import (
    INDEXABLE_FORMATS,
    Refusal,
    file_options,
    is_replaced,
    wanted_options,
)
from paimon_ksy.table.index.since import Since, added_since, properties_of
from paimon_ksy.table.index.summary import RewriteSummary, Tally
from paimon_ksy.table.model.files import DataFile, Snapshot
from paimon_ksy.table.model.readers import Written, unread
from paimon_ksy.table.query.prune import partition_filter
from paimon_ksy.table.query.run import time_zone_of
from paimon_ksy.table.store import Table, TableOrPath
from paimon_ksy.table.store.alter import set_options
from paimon_ksy.table.store.commits import Attempts, check_committable, sweep, until_committed
from paimon_ksy.table.store.index_commit import NewIndex, commit_indexes

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
    since: Since = None,
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
        since: Only files that later snapshots added (see `index_new_files`).

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
    table = Table.of(table)
    check_committable(table)
    engine = job_engine(engine, spark, "rewrite_index", table.location)
    selected = partition_filter(table.schema, partitions, time_zone_of(table, engine))
    changed = set or {}
    options, refused = wanted_options(table.schema, changed)
    for each in unread_indexes(table, options):
        LOG.warning("%s: %s", table.location, each.note(table.words))
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
    start = table.snapshot()
    added = added_since(table, start, since, options)
    if added.note is not None:
        LOG.warning("%s: %s", table.location, added.note)
    is_whole = selected is None and only is None and since in (None, "last")
    until = start.id if is_whole and start is not None else None

    def files(snapshot: Snapshot | None, batch: Batch) -> Iterator[DataFile]:
        """Yield the data files of a batch to index."""
        keep = selected if batch is _ALL else batch.keeps
        new = added if snapshot == start else added_since(table, snapshot, since, options)
        if new.since is None:
            every = table.data_files.of(snapshot, keep, bare=True)
        else:
            every = (
                file
                for file in new.files(table.data_files)
                if keep is None or keep(file.partition, file.bucket)
            )
        return (file for file in filter(only, every) if batch.contains(file))

    batches = [_ALL]
    if not dry_run and table.manifests.num_files(start) > batch_files:
        batches = [*batches_of(files(start, _ALL), batch_files)] or batches
    tally = Tally()
    done = 0
    failed: list[PaimonKsyError] = []
    for batch in batches:
        is_last = batch is batches[-1] and not failed
        rewrite = _Rewrite(
            table,
            options,
            refused,
            tally,
            partial(files, batch=batch),
            properties_of(options, until if is_last else None),
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
        remedy = "the indexes are complete; run the command again to save the options"
        set_options(table, saved, remedy=remedy)
    seconds = time.perf_counter() - started
    return tally.summary(seconds, refused, saved, added, dry_run=dry_run)


def unread_indexes(table: Table, options: FileIndexOptions) -> Iterator[Written]:
    """Yield what some other readers cannot read if a rewrite builds these indexes."""
    return unread({spec.index_type for spec in options.indexes}, [table.file_format])


def index_new_files(table: TableOrPath, since: Since = "last", **given: Any) -> RewriteSummary:
    """Build the indexes of data files that commits added lately, like `rewrite_index`.

    It returns at once if there are none. Several may run at once. The snapshot of an index commit
    has properties that name its options, and the snapshot up to which all files were indexed. If
    none is left with the same options, or if a snapshot since then has expired, all files are
    checked; `RewriteSummary.note` names the reason.

    Args:
        table: The table, or its folder.
        since: The id of a snapshot: only files of later ones count. `last` is the snapshot where
            the last run began that was one of this function, or of the whole table, with the same
            options.
        given: Other arguments of `rewrite_index`.

    Raises:
        OptionError: There is no such snapshot yet, or an option does not fit the table.
        PaimonKsyError: See `rewrite_index`.
    """
    return rewrite_index(table, since=since, **given)


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


@dataclass
class _Rewrite:
    """A rewrite of a batch, with its results so far, across all attempts to commit it.

    A dry run keeps counts only. Otherwise, each data file that changes is kept by its digest.
    """

    table: Table
    options: FileIndexOptions
    refused: tuple[Refusal, ...]
    tally: Tally
    files: Callable[[Snapshot | None], Iterator[DataFile]]
    properties: Mapping[str, str]
    dry_run: bool
    rebuild: bool
    drop_unlisted: bool

    def __post_init__(self) -> None:
        self._id = uuid.uuid4().hex[:8]
        self._done: dict[bytes, IndexResult] = {}
        self._folders: set[str] = set()
        self._shared: dict[Any, Any] = {}
        # Of one attempt: files, and indexes that cannot be built, of files that keep theirs.
        self._counts, self._refusals = Counter[str](), Counter[Refusal]()
        self._attempts = Attempts()

    def run(self, engine: Engine, progress: IndexProgress | None) -> None:
        """Build the indexes, and commit; after a conflict, continue with the remaining work."""

        def attempt(number: int) -> None:
            with self.tally.step("build"):
                self._build(engine, progress)
            snapshot = None
            if not self.dry_run:
                with self.tally.step("commit"):
                    how = engine, self._attempts, self.properties
                    snapshot = commit_indexes(self.table, self._new_indexes(), *how)
                self._sweep({index.file_name or "" for index in self._new_indexes().values()})
            counts = self._counts, self._refusals
            self.tally.end_batch(snapshot, number, *counts, self._done.values())

        def clean_up() -> None:
            if not self.dry_run:
                settle(engine)
                self._sweep(frozenset())

        until_committed(attempt, self._attempts, clean_up)

    def _build(self, engine: Engine, progress: IndexProgress | None) -> None:
        """Compute a result for each live file that gets a new index, and for no other file."""
        gone = set(self._done)
        snapshot = self.table.snapshot()
        job = self._job()  # loaded after the snapshot, so that it has all schemas of its files
        self._counts, self._refusals = Counter(), Counter()
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
        latest = self.table.schema
        schemas = [self.table.schema_at(number) for number in self.table.schemas.ids()]
        wanted = {}
        for schema in schemas:
            options, refused = file_options(self.options, latest, schema)
            wanted[schema.id] = WantedIndexes(schema, options, self.refused + refused)
        how = self.dry_run, self.rebuild, self.drop_unlisted
        return IndexJob(self.table.storage, wanted, self._id, *how)

    def _files_to_index(self, snapshot: Any, gone: set[bytes]) -> Iterator[DataFile]:
        """Yield the live files without a result, or whose index has changed since.

        Results of other live files stay valid, so their digests are removed from `gone`.
        """
        for file in self.files(snapshot):
            self._counts["files"] += 1
            if file.external_path is not None:
                self.table.storage.roots.check_change(file.path)
            if file.format not in INDEXABLE_FORMATS:
                self._counts["unsupported"] += 1
                continue
            if not self.options.indexes and not file.has_index:
                continue
            digest = file.digest
            if digest in gone:
                gone.remove(digest)
                continue
            self._folders.add(file.folder)
            # Statistics take most of a file's memory, and of its bytes on the way to workers.
            yield replace(file.without_statistics(), deletion_vector=None)

    def _keep(self, file: DataFile, result: IndexResult) -> None:
        """Keep the result of a file, unless nothing was done."""
        self.tally.add_work(result)
        refused = self._same(result.refused)
        if result.reason is None:
            self._refusals.update(refused)
            return
        if self.dry_run:
            self.tally.add(result)
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

    def _new_indexes(self) -> dict[bytes, NewIndex]:
        """Return the index that each changed data file gets."""
        return {digest: done.index or NewIndex() for digest, done in self._done.items()}

    def _sweep(self, kept: Set[str]) -> None:
        def is_own(name: str) -> bool:
            return f"-{self._id}" in name and name.endswith(".index")

        sweep(self.table.storage, self._folders, is_own, kept)
