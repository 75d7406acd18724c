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
from typing import Any, TypedDict, TypeVar, Unpack
from zlib import crc32

from paimon_ksy.errors import (
    ConflictError,
    CorruptFileError,
    OptionError,
    PaimonKsyError,
    UnsupportedError,
)
from paimon_ksy.messages.log import LOG
from paimon_ksy.predicates.tree import Predicate
from paimon_ksy.table.engine import Engine, job_engine, settle, titled
from paimon_ksy.table.index.build import IndexJob, IndexResult, index_file
from paimon_ksy.table.index.options import (
    INDEXABLE_FORMATS,
    Refusal,
    WantedIndexes,
    is_replaced,
    wanted_indexes,
)
from paimon_ksy.table.index.since import Added, Since, added_since, properties_of
from paimon_ksy.table.index.summary import RewriteSummary, Tally
from paimon_ksy.table.model.files import DataFile, Snapshot
from paimon_ksy.table.model.readers import unread
from paimon_ksy.table.query.prune import PartitionFilter, partition_filter
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


class RewriteArguments(TypedDict, total=False):
    """Keyword arguments of a rewrite.

    Attributes:
        set: Table options for this run; an empty value removes an option.
        dry_run: Write nothing, and return what would be done.
        rebuild: Rebuild all indexes, even those that match the options.
        only: The data files to index; others are skipped.
        drop_unlisted: Drop the indexes that the options do not list. By default, they are copied
            unchanged, or rebuilt if they are corrupt or `rebuild` is true.
        save_options: After the last commit, store the changes of `set` in the table's schema, so
            that later writers build the same indexes.
        since: Only files that later snapshots added (see `index_new_files`).
    """

    set: Mapping[str, str] | None
    dry_run: bool
    rebuild: bool
    only: Callable[[DataFile], bool] | None
    drop_unlisted: bool
    save_options: bool
    since: Since


def rewrite_index(
    table: TableOrPath,
    partitions: Predicate | str | None = None,
    *,
    engine: Engine | None = None,
    spark: Any = None,
    progress: IndexProgress | None = None,
    batch_files: int = BATCH_FILES,
    **asked: Unpack[RewriteArguments],
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
        engine: The engine to run on; the default is this machine.
        spark: A SparkSession to run on, instead of `engine`.
        progress: Called for each data file that is done.
        batch_files: The approximate number of data files in a commit. A dry run has one batch.
        asked: What to do with which files (see `RewriteArguments`).

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
    wanted = wanted_indexes(table.schema, asked.get("set") or {})
    selected = partition_filter(table.schema, partitions, time_zone_of(table, engine))
    request = Request(table, wanted, selected, **asked)
    saved = request.saved()
    rewrite = _Rewrite(request)
    rewrite.warn()
    rewrite.run(batch_files, engine, progress)
    if not request.dry_run:
        remedy = "the indexes are complete; run the command again to save the options"
        set_options(table, saved, remedy=remedy)
    return rewrite.summary(saved)


@dataclass(frozen=True)
class Request:
    """What a rewrite is to do, which all batches and attempts share.

    The other attributes are the arguments of the caller (see `RewriteArguments`).

    Attributes:
        table: The table.
        wanted: The indexes that its options ask for, in terms of its latest schema.
        partitions: Returns whether the files of a partition and bucket are selected; None for all.
    """

    table: Table
    wanted: WantedIndexes
    partitions: PartitionFilter | None
    set: Mapping[str, str] | None = None
    dry_run: bool = False
    rebuild: bool = False
    only: Callable[[DataFile], bool] | None = None
    drop_unlisted: bool = False
    save_options: bool = False
    since: Since = None

    @property
    def is_whole(self) -> bool:
        """Whether all files of the table are indexed afterwards."""
        return self.partitions is None and self.only is None and self.since in (None, "last")

    def added(self, snapshot: Snapshot | None) -> Added:
        """Return what the snapshots up to this one added that `since` does not leave out."""
        return added_since(self.table, snapshot, self.since, self.wanted.options)

    def saved(self) -> dict[str, str | None]:
        """Return the changes of the schema's options that save those of this run.

        Raises:
            UnsupportedError: Java could not write to the table afterwards.
        """
        if not self.save_options:
            return {}
        if self.wanted.refused:
            raise UnsupportedError(
                f"{self.wanted.refused[0].reason}. The options were not saved, because Java cannot "
                "write to a table with such an index; leave the column out"
            )
        changed = self.set or {}
        removed = {key: None for key in self.table.schema.options if is_replaced(key, changed)}
        return removed | {key: value.strip() or None for key, value in changed.items()}


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


# The job ------------------------------------------------------------------------------------------


class _Rewrite:
    """A rewrite of all batches, and what it counts."""

    def __init__(self, request: Request) -> None:
        self.request, self.tally = request, Tally()
        self._started = time.perf_counter()
        self._start = request.table.snapshot()
        self._added = request.added(self._start)

    def warn(self) -> None:
        """Log what other readers cannot read, and why all files are checked."""
        table = self.request.table
        kinds = {spec.index_type for spec in self.request.wanted.options.indexes}
        notes = [written.note(table.words) for written in unread(kinds, [table.file_format])]
        for note in (*notes, self._added.note):
            if note is not None:
                LOG.warning("%s: %s", table.location, note)

    def run(self, batch_files: int, engine: Engine, progress: IndexProgress | None) -> None:
        """Index and commit batch after batch. Raises the first error, at the end if possible."""
        batches = self._batches(batch_files)
        failed: list[PaimonKsyError] = []
        for number, batch in enumerate(batches, 1):
            is_whole = number == len(batches) and not failed
            try:
                _BatchRewrite(self, batch, self._properties(is_whole)).run(engine, progress)
            except PaimonKsyError as error:
                failed.append(error)
                # Others are not about the files of one batch, so the next batches would fail too.
                if not isinstance(error, ConflictError | CorruptFileError):
                    break
        if failed:
            if len(batches) > 1:
                finished = f"{self.tally.num_batches} of {len(batches)} batches are done"
                finished += "" if self.request.rebuild else ", and the next run skips them"
                known = failed[0].remedy
                failed[0].remedy = finished if known is None else f"{known}; {finished}"
            raise failed[0]

    def _batches(self, most: int) -> list[Batch]:
        """Return the batches, each of about `most` files; one if nothing is written."""
        is_dry = self.request.dry_run
        if is_dry or self.request.table.manifests.num_files(self._start) <= most:
            return [_ALL]
        return [*batches_of(self.files(self._start, _ALL), most)] or [_ALL]

    def _properties(self, is_last: bool) -> dict[str, str]:
        """Return the properties of a commit, by which later runs know the files that are new."""
        is_done = is_last and self.request.is_whole and self._start is not None
        until = self._start.id if is_done and self._start is not None else None
        return properties_of(self.request.wanted.options, until)

    def has_all(self, batch: Batch) -> bool:
        """Return whether a batch has all files of the table."""
        return batch is _ALL and self.request.is_whole and self._added.since is None

    def files(self, snapshot: Snapshot | None, batch: Batch) -> Iterator[DataFile]:
        """Yield the data files of a batch to index."""
        keep = self.request.partitions if batch is _ALL else batch.keeps
        files = self.request.table.data_files
        added = self._added if snapshot == self._start else self.request.added(snapshot)
        if added.since is None:
            found = files.of(snapshot, keep, bare=True)
        else:
            new = added.files(files)
            found = (file for file in new if keep is None or keep(file.partition, file.bucket))
        return (file for file in filter(self.request.only, found) if batch.contains(file))

    def summary(self, saved: Mapping[str, str | None]) -> RewriteSummary:
        """Return the summary of all batches."""
        return self.tally.summary(
            seconds=time.perf_counter() - self._started,
            dry_run=self.request.dry_run,
            saved=saved,
            since=self._added.since,
            note=self._added.note,
            without_files=self.request.wanted.refused,
        )


class _BatchRewrite:
    """A rewrite of a batch, with its results so far, across all attempts to commit it.

    A dry run keeps counts only. Otherwise, each data file that changes is kept by its digest.
    """

    def __init__(self, rewrite: _Rewrite, batch: Batch, properties: Mapping[str, str]) -> None:
        self._files = partial(rewrite.files, batch=batch)
        self._is_all = rewrite.has_all(batch)
        self._tally, self._properties = rewrite.tally, properties
        self._request, self._table = rewrite.request, rewrite.request.table
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
            with self._tally.step("build"):
                self._build(engine, progress)
            snapshot = None if self._request.dry_run else self._commit(engine)
            counts = self._counts, self._refusals
            self._tally.end_batch(snapshot, number, *counts, self._done.values())

        def clean_up() -> None:
            if not self._request.dry_run:
                settle(engine)
                self._sweep(frozenset())

        until_committed(attempt, self._attempts, clean_up)

    def _build(self, engine: Engine, progress: IndexProgress | None) -> None:
        """Compute a result for each live file that gets a new index, and for no other file."""
        gone = {*self._done}
        snapshot = self._table.snapshot()
        job = self._job()  # loaded after the snapshot, so that it has all schemas of its files
        self._counts, self._refusals = Counter(), Counter()
        todo = self._files_to_index(snapshot, gone)
        total = self._table.manifests.num_files(snapshot) if self._is_all else None
        engine = titled(engine, "rewrite_index", self._table.location, total)
        with closing(engine.map(partial(index_file, job), todo)) as indexed:
            for file, result in indexed:
                self._keep(file, result)
                if progress is not None:
                    progress(file, result)
        for digest in gone:
            del self._done[digest]

    def _commit(self, engine: Engine) -> int | None:
        """Commit the results, and return the snapshot; None if there are none."""
        indexes = {digest: done.index or NewIndex() for digest, done in self._done.items()}
        with self._tally.step("commit"):
            how = engine, self._attempts, self._properties
            snapshot = commit_indexes(self._table, indexes, *how)
        self._sweep({index.file_name or "" for index in indexes.values()})
        return snapshot

    def _job(self) -> IndexJob:
        schemas = map(self._table.schema_at, self._table.schemas.ids())
        wanted = {schema.id: self._request.wanted.at(schema) for schema in schemas}
        asked = self._request
        flags = asked.dry_run, asked.rebuild, asked.drop_unlisted
        return IndexJob(self._table.storage, wanted, self._id, *flags)

    def _files_to_index(self, snapshot: Any, gone: set[bytes]) -> Iterator[DataFile]:
        """Yield the live files without a result, or whose index has changed since.

        Results of other live files stay valid, so their digests are removed from `gone`.
        """
        for file in self._files(snapshot):
            self._counts["files"] += 1
            if file.external_path is not None:
                self._table.storage.roots.check_change(file.path)
            if file.format not in INDEXABLE_FORMATS:
                self._counts["unsupported"] += 1
                continue
            if not self._request.wanted.options.indexes and not file.has_index:
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
        self._tally.add_work(result)
        refused = self._same(result.refused)
        if result.reason is None:
            self._refusals.update(refused)
            return
        if self._request.dry_run:
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

    def _sweep(self, kept: Set[str]) -> None:
        def is_own(name: str) -> bool:
            return f"-{self._id}" in name and name.endswith(".index")

        sweep(self._table.storage, self._folders, is_own, kept)
