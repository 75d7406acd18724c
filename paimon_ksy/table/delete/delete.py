"""Delete rows of a table with deletion vectors, or with whole partitions, in one commit.

It writes the same files as Java's DELETE in Spark. If all rows of a partition match, it drops their
data files, as Spark does.

Each worker searches some data files of a bucket, and writes their vectors, as in Spark. If the
vector files are small, or vectors of replaced files stay, workers then join them to full files. The
driver makes the tasks while it plans. It keeps the entries of changed data files, and the digests
of others.
"""

from __future__ import annotations

import gc
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from paimon_ksy.data_files.data_file import ReadStats
from paimon_ksy.errors import PredicateError, UnsupportedError, counted, naming
from paimon_ksy.file_index.container import bound_predicate
from paimon_ksy.file_index.options import parse_memory_size
from paimon_ksy.messages.answers import Work, keyed
from paimon_ksy.messages.log import LOG
from paimon_ksy.table.delete.vector_files import (
    Bucket,
    Change,
    Changes,
    NewFiles,
    VectorFolder,
    VectorWriter,
    bucket_of,
    join_files,
    places_in,
)
from paimon_ksy.table.engine import Engine, job_engine, settle
from paimon_ksy.table.model.digests import DigestSet, of_bytes
from paimon_ksy.table.model.files import DataFile, VectorPlace, digest_of
from paimon_ksy.table.model.readers import VECTORS, Written, unread
from paimon_ksy.table.query.file_task import FileTask
from paimon_ksy.table.query.plan import Plan, plan_query
from paimon_ksy.table.query.query import Query, selectable
from paimon_ksy.table.query.splits import Reading
from paimon_ksy.table.store import Table, TableOrPath
from paimon_ksy.table.store.alter import ENABLE_VECTORS
from paimon_ksy.table.store.commits import Attempts, check_committable, until_committed
from paimon_ksy.table.store.options import is_on
from paimon_ksy.table.store.vector_commit import Deletion, FilesOfRows, NewVectors, commit_vectors
from paimon_ksy.table_index.deletion_vector import DeletionVector
from paimon_ksy.table_index.deletion_vector_file import TARGET_SIZE, VectorFile
from paimon_ksy.table_index.vector_bytes import Bits

_MOST_FILES = 64
"""Maximum data files in a group; the driver holds those of the running groups."""

_FIRST_BYTES, _MOST_BYTES = 1 << 20, 128 << 20
"""Bytes of the data files in a group. The first groups are small, so small tables have several."""

_GROWTH = 16
"""Number of groups after which the maximum bytes of a group grow by `_FIRST_BYTES`."""

_MOST_HELD = 8192
"""Maximum data files that wait for others of their buckets."""


@dataclass(frozen=True)
class Group:
    """Data files of one bucket to search.

    `folder` is that of their new vectors; None in a dry run.
    """

    bucket: Bucket
    tasks: tuple[FileTask, ...]
    folder: VectorFolder | None

    @property
    def files(self) -> tuple[DataFile, ...]:
        """The data files."""
        return tuple(task.file for task in self.tasks)

    @property
    def path(self) -> str:
        """The path that an error names if its data file is unknown."""
        first = self.tasks[0].file.path
        others = len(self.tasks) - 1
        return first if not others else f"{first} or {others} others"


def grouped(
    tasks: Iterable[FileTask], folder_of: Callable[[Bucket], VectorFolder | None]
) -> Iterator[Group]:
    """Yield the tasks in groups, each task in one group.

    `folder_of` returns the folder of a bucket's new vectors.
    """
    pending = defaultdict[Bucket, list[FileTask]](list)
    held = made = 0

    def group(bucket: Bucket) -> Group:
        return Group(bucket, tuple(pending.pop(bucket)), folder_of(bucket))

    for task in tasks:
        bucket = bucket_of(task.file)
        some = pending[bucket]
        # Statistics take most of a file's memory, and of its bytes on the way to workers.
        some.append(replace(task, data=task.data.without_statistics()))
        held += 1
        most = min(_MOST_BYTES, _FIRST_BYTES * (1 + made // _GROWTH))
        full = len(some) >= _MOST_FILES or sum(each.file.size for each in some) >= most
        for one in [bucket] if full else list(pending) if held >= _MOST_HELD else ():
            held -= len(pending[one])
            made += 1
            yield group(one)
    yield from map(group, list(pending))


_TARGET = "deletion-vector.index-file.target-size"


@dataclass(frozen=True)
class DeleteResult:
    """The result of a worker for a data file."""

    rows: int
    bytes_read: int = 0


@dataclass(frozen=True)
class GroupResult:
    """The results of a worker for the data files of a group, and the vector files it wrote."""

    results: tuple[DeleteResult, ...]
    files: tuple[VectorFile, ...]


DeleteProgress = Callable[[DataFile, DeleteResult], None]
"""A function that is called with each finished data file."""


@dataclass(frozen=True)
class DeleteSummary(Work):
    """The work of a delete, or of a dry run the work that it would do.

    Bytes include work that had to be repeated.

    Attributes:
        snapshot: The new snapshot; None if there was nothing to commit.
        rows: The number of rows deleted.
        files: The number of data files in the table.
        files_changed: The number of data files with a new deletion vector.
        files_dropped: The number of data files dropped with all their rows.
        vector_files: The number of new vector files.
        vector_files_replaced: The number of vector files that they replace.
        bytes_read: The number of bytes read.
        bytes_written: The number of bytes written to vector files.
        seconds: The duration of the whole delete in seconds.
        attempts: The number of commits tried.
        dry_run: Whether this was a dry run, which writes nothing.
    """

    snapshot: int | None = field(metadata=keyed(text=False, title=True))
    rows: int = field(metadata=keyed(text=False))
    files: int = field(metadata=keyed(text=False))
    files_changed: int = field(metadata=keyed(text=False))
    files_dropped: int
    vector_files: int
    vector_files_replaced: int
    bytes_read: int = field(metadata=keyed(text=False))
    bytes_written: int = field(metadata=keyed(text=False))
    seconds: float = field(metadata=keyed(text=False))
    attempts: int = field(metadata=keyed(text=False))
    dry_run: bool = field(metadata=keyed(text=False))

    @property
    def would(self) -> str:
        """The work that a dry run leaves out, after the word `would`."""
        return f"delete {self._rows}"

    @property
    def did(self) -> str:
        """The work that a delete did."""
        return f"deleted {self._rows}"

    @property
    def _rows(self) -> str:
        some = f"{self.files_changed + self.files_dropped:,} of {counted(self.files, 'file')}"
        return f"{counted(self.rows, 'row')} from {some}"


def delete(
    table: TableOrPath,
    where: Any,
    *,
    dry_run: bool = False,
    engine: Engine | None = None,
    spark: Any = None,
    progress: DeleteProgress | None = None,
) -> DeleteSummary:
    """Delete the rows that match a predicate, in one commit.

    The table must have no primary key, and deletion vectors must be enabled. Rows that others
    append at the same time stay. If others change the same files first, the remaining work is
    planned again. If anything fails, nothing is committed, and the new files are deleted.

    Args:
        table: The table, or its folder.
        where: SQL text, a predicate tree or a pyarrow.compute expression; 'true' deletes all rows.
        dry_run: Write nothing, and return what would be done.
        engine: The engine to run on; the default is this machine.
        spark: A SparkSession to run on, instead of `engine`.
        progress: Called for each data file that is done.

    Raises:
        UnsupportedError, OptionError, PredicateError: The table or an argument does not allow a
            delete; raised before any work.
        CorruptFileError: A file is malformed.
        ConflictError: Other writers always committed first.
        UncertainError: It is unknown whether the commit was made.
    """
    table = Table.of(table)
    engine = job_engine(engine, spark, "delete", table.location)
    job = checked_job(table, where, table.time_zone or engine.time_zone, dry_run=dry_run)
    for each in job.unread:
        LOG.warning("%s: %s", table.location, each.note(table.words))
    return _Delete(table, where, job).run(engine, progress)


@dataclass(frozen=True)
class DeleteJob:
    """How a table stores its deletion vectors.

    Attributes:
        bits: The width of the vectors' row numbers in bits.
        target: The bytes at which a vector file is full; None if each bucket has one file.
        drops: Whether data files may be dropped.
        dry_run: Write nothing.
        unread: What it writes that some other readers cannot read.
    """

    bits: Bits
    target: int | None
    drops: bool
    dry_run: bool
    unread: tuple[Written, ...]


def checked_job(
    table: Table, where: Any, time_zone: str | None, *, dry_run: bool = False
) -> DeleteJob:
    """Check that rows of a table can be deleted, and return how; this reads no data file.

    Without a time zone, literals that need one are an error.

    Raises:
        UnsupportedError: Rows of this table cannot be deleted.
        OptionError: An option of the table is malformed.
        PredicateError: The condition does not fit the table.
    """
    if where is None:
        raise PredicateError("name the rows to delete: pass a predicate, or 'true' for all rows")
    check_committable(table)
    table.check_options("delete")
    bound_predicate(where, selectable(table.schema).columns, time_zone)
    options, reading = table.options, Reading.of(table.schema)
    if reading.has_keys:
        raise UnsupportedError(
            "has a primary key, so deleting a row means writing its key again: use Spark's "
            "or Flink's DELETE",
            path=table.location,
        )
    if not reading.deletion_vectors:
        message = "deletion vectors are not enabled"
        raise UnsupportedError(message, path=table.location, remedy=ENABLE_VECTORS)
    target = parse_memory_size(options.get(_TARGET, str(TARGET_SIZE)), _TARGET)
    bits: Bits = 64 if is_on(options, "deletion-vectors.bitmap64") else 32
    return DeleteJob(
        bits=bits,
        target=target if table.bucket_mode == "BUCKET_UNAWARE" else None,
        drops=not is_on(options, "delete.force-produce-changelog"),
        dry_run=dry_run,
        unread=(*unread([VECTORS[bits]], [table.file_format]),),
    )


def delete_rows(job: DeleteJob, group: Group) -> GroupResult:
    """Find the live rows that match in data files, and write new deletion vectors with them."""
    writer = None if group.folder is None else VectorWriter(group.folder, job.target)
    results = []
    for task in group.tasks:
        stats = ReadStats()
        rows, before = task.matching(stats)
        results.append(DeleteResult(len(rows), stats.bytes_read))
        if not rows or writer is None:
            continue
        with naming(task.file.path):
            vector = DeletionVector.of_rows(rows, job.bits)
            if before is not None:
                vector |= before.to_bits(job.bits)
            writer.add(task.file.name, vector.stored())
    # pyarrow's metadata of a file is a reference cycle of 30 KB. Since tasks are freed at the same
    # time, Python counts too few new objects to collect cycles itself.
    gc.collect(0)
    return GroupResult(tuple(results), () if writer is None else writer.finish())


def _digest(task: FileTask) -> bytes:
    """Return 16 bytes that identify the data files of a task and their deletion vector."""
    file, *others = task.files
    names = tuple(other.name for other in others)
    return digest_of((*bucket_of(file), file.name), (file.deletion_vector, *names))


class _Delete:
    """A delete, with its results so far, across all attempts to commit it.

    The rows found in a data file stay valid as long as it is live and has the same vector. Its new
    vector is then in a file of the previous attempt. For data files without matching rows, only a
    digest is kept; for others, their part of the commit.
    """

    def __init__(self, table: Table, where: Any, job: DeleteJob) -> None:
        self._table, self._where, self._job = table, where, job
        self._files = NewFiles(table, job.target)
        # Digests of data files without matching rows, of earlier attempts and of this one.
        self._unchanged, self._searched = DigestSet(), bytearray()
        # The changes that the last attempt wanted to commit, also by the digest of their data file.
        self._last: tuple[Changes, list[NewVectors]] = Changes(), []
        self._found: dict[bytes, tuple[Change, VectorPlace]] = {}
        self._bytes_read = self._bytes_written = 0
        self._attempts = Attempts()

    def run(self, engine: Engine, progress: DeleteProgress | None) -> DeleteSummary:
        """Find the rows, and commit; after a conflict, continue with the remaining work."""
        started = time.perf_counter()

        def attempt(number: int) -> DeleteSummary:
            self._begin()
            planned = plan_query(self._table, Query(self._where, ()), engine=engine)
            changes, made = Changes(), list[NewVectors]()
            self._find(planned, changes, engine, progress)
            snapshot = None
            if not self._job.dry_run:
                made = self._written(planned, changes, engine)
                snapshot = self._commit(planned, changes, made, engine)
            return DeleteSummary(
                snapshot=snapshot,
                rows=changes.rows,
                files=planned.files_total,
                files_changed=changes.files_changed,
                files_dropped=len(changes.dropped),
                vector_files=len(made),
                vector_files_replaced=len(changes.replaced),
                bytes_read=self._bytes_read,
                bytes_written=self._bytes_written,
                seconds=time.perf_counter() - started,
                attempts=number,
                dry_run=self._job.dry_run,
            )

        def clean_up() -> None:
            settle(engine)
            self._files.sweep(failed=True)

        return until_committed(attempt, self._attempts, clean_up)

    def _begin(self) -> None:
        """Keep the vectors of the last attempt, if any, so that this attempt can copy them."""
        self._unchanged.add(of_bytes(self._searched))
        self._searched.clear()
        changes, made = self._last
        self._found = {
            change.digest: (change, place)
            for new in made
            for name, place in places_in(new).items()
            if (change := changes.changed[new.partition, new.bucket].get(name)) is not None
        }

    def _find(
        self, planned: Plan, changes: Changes, engine: Engine, progress: DeleteProgress | None
    ) -> None:
        """Find the rows of each data file, and have workers write their vectors."""
        folder = (lambda bucket: None) if self._job.dry_run else self._files.folder
        groups = grouped(self._to_search(planned, changes), folder)
        with closing(engine.map(partial(delete_rows, self._job), groups)) as searched:
            for group, done in searched:
                for task, result in zip(group.tasks, done.results, strict=True):
                    self._bytes_read += result.bytes_read
                    if self._job.dry_run:
                        changes.note(result.rows)
                    elif result.rows:
                        changes.change(task.files, Change(result.rows, _digest(task)))
                    else:
                        self._searched += _digest(task)
                    if progress is not None:
                        progress(task.file, result)
                for file in done.files:
                    changes.parts[group.bucket].append(self._new(group.bucket, file))

    def _to_search(self, planned: Plan, changes: Changes) -> Iterator[FileTask]:
        """Yield the data files to search; note those whose results are already known.

        Raises:
            UnsupportedError: Two partitions are equal in SQL.
        """
        folders: dict[Bucket, str] = {}
        for task in planned:
            assert isinstance(task, FileTask)
            file = task.file
            bucket, folder = bucket_of(file), file.folder
            if file.external_path is None and folders.setdefault(bucket, folder) != folder:
                raise UnsupportedError(
                    f"equals the partition {folders[bucket]} in SQL, but not in Paimon "
                    "(-0.0 and 0.0, or CHAR with other trailing spaces): its rows cannot be "
                    "deleted",
                    path=folder,
                )
            if self._job.drops and task.predicate is None:
                rows = task.known_count
                changes.drop(task.files, task.count(ReadStats()) if rows is None else rows)
                continue
            changes.kept.add(file.partition)
            if self._found or self._unchanged:
                digest = _digest(task)
                if digest in self._unchanged:
                    continue
                if (known := self._found.get(digest)) is not None:
                    changes.carry(task.files, *known)
                    continue
            yield task

    def _new(self, bucket: Bucket, file: VectorFile) -> NewVectors:
        self._bytes_written += file.size
        return self._files.new(bucket, file)

    def _written(self, planned: Plan, changes: Changes, engine: Engine) -> list[NewVectors]:
        """Write the remaining vector files, return all of them, and delete any others."""
        one_file = self._job.target is None
        kept = changes.replace(self._table, planned.state.snapshot, engine, one_file=one_file)
        made, joins = self._files.joins(changes, kept)
        with closing(engine.map(join_files, joins)) as joining:
            for join, (file, bytes_read) in joining:
                self._bytes_read += bytes_read
                made.append(self._new(join.bucket, file))
        self._last = changes, made
        self._files.sweep(made)
        return made

    def _commit(
        self, planned: Plan, changes: Changes, made: list[NewVectors], engine: Engine
    ) -> int | None:
        if not made and not changes.dropped:
            return None
        assert planned.state.snapshot is not None
        emptied = {key[0] for key in changes.dropped} - changes.kept
        rows = FilesOfRows.of(changes.row_files)
        deletion = Deletion(made, changes.replaced, changes.dropped, emptied, rows)
        snapshot = planned.state.snapshot
        return commit_vectors(self._table, snapshot, deletion, engine, self._attempts)
