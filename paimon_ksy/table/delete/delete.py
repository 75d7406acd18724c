"""Delete rows of a table by deletion vectors, or with whole partitions, in one commit.

It writes what Java's Spark delete writes. Data files of a partition of which all rows match are
dropped, as Spark does.

Workers find the rows of a data file and return the bytes of its new vector. The driver writes the
files, and holds no more than the vectors of one file and those of the tasks that are under way.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from itertools import chain
from typing import Any

from paimon_ksy.errors import (
    OptionError,
    PaimonKsyError,
    PredicateError,
    UncertainError,
    UnsupportedError,
)
from paimon_ksy.file_index.container import bound_predicate
from paimon_ksy.file_index.options import parse_memory_size
from paimon_ksy.table.delete.vector_files import (
    Bucket,
    BucketChanges,
    FileInBucket,
    NewVectorFiles,
    bucket_of,
)
from paimon_ksy.table.engine import Engine, spark_engine
from paimon_ksy.table.model.files import DataFile, VectorPlace
from paimon_ksy.table.model.statements import alter_table, sql_name
from paimon_ksy.table.query.plan import plan
from paimon_ksy.table.query.splits import Reading
from paimon_ksy.table.query.tasks import FileTask
from paimon_ksy.table.store import (
    Table,
    TableOrPath,
    check_committable,
    commit_vectors,
    until_committed,
)
from paimon_ksy.table_index.deletion_vector import Bits, DeletionVector, VectorBytes
from paimon_ksy.table_index.deletion_vector_file import TARGET_SIZE

_ATTEMPTS = 20
_TARGET = "deletion-vector.index-file.target-size"


@dataclass(frozen=True)
class DeleteResult:
    """What a worker found in a data file.

    Attributes:
        rows: The number of its rows that are deleted.
        vector: The new deletion vector; None if no row is deleted, and in a dry run.
        bytes_read: Bytes read for it.
    """

    rows: int
    vector: VectorBytes | None = None
    bytes_read: int = 0


DeleteProgress = Callable[[DataFile, DeleteResult], None]
"""Receives each data file that is done."""


@dataclass(frozen=True)
class DeleteSummary:
    """The work of a delete, or in a dry run the work that it would do.

    Bytes are of all work, also of what had to be done again.

    Attributes:
        snapshot: The new snapshot; None if there was nothing to commit.
        rows: Rows deleted.
        files: Data files that the table has.
        files_changed: Data files that got a deletion vector.
        files_dropped: Data files dropped with all their rows.
        vector_files: New files of vectors.
        vector_files_replaced: Files of vectors that these replace.
        bytes_read: Bytes read.
        bytes_written: Bytes of files of vectors.
        seconds: Seconds of the whole delete.
        attempts: The number of commits tried.
        dry_run: Whether nothing was written.
    """

    snapshot: int | None
    rows: int
    files: int
    files_changed: int
    files_dropped: int
    vector_files: int
    vector_files_replaced: int
    bytes_read: int
    bytes_written: int
    seconds: float
    attempts: int
    dry_run: bool

    def to_json(self) -> dict[str, Any]:
        """Return the summary as a JSON object."""
        return {**self.__dict__, "seconds": round(self.seconds, 3)}


def delete(
    table: TableOrPath,
    where: Any,
    *,
    dry_run: bool = False,
    engine: Engine | None = None,
    spark: Any = None,
    progress: DeleteProgress | None = None,
) -> DeleteSummary:
    """Delete the rows for which a condition is true, in one commit.

    The table must not have a primary key, and needs deletion vectors enabled. Rows that others
    append at the same time stay. If others delete rows of the same files first, or replace them,
    the remaining work is planned again. If anything fails, nothing is committed, and the new files
    are deleted.

    Args:
        table: The table, or its folder.
        where: SQL text, a predicate tree or a pyarrow.compute expression; 'true' deletes all rows.
        dry_run: Write nothing, and return what would be done.
        engine: Where to find the rows; by default Spark.
        spark: The session; by default the active one, or a new local one.
        progress: Called for each data file that is done.

    Raises:
        UnsupportedError, OptionError, PredicateError: Before any work.
        CorruptFileError: A file is malformed.
        ConflictError: Others always committed first.
        UncertainError: It is unknown whether the commit was made.
    """
    if not isinstance(table, Table):
        table = Table.at(table)
    check_committable(table)
    job = checked_job(table, where, dry_run=dry_run)
    return _Delete(table, where, job).run(engine or spark_engine(spark), progress)


@dataclass(frozen=True)
class DeleteJob:
    """How a table stores its deletion vectors.

    Attributes:
        bits: The width of the vectors' row numbers.
        target: Bytes at which a file of vectors is full; None if each bucket has one file.
        drops: Whether data files may be dropped.
        dry_run: Write nothing.
    """

    bits: Bits
    target: int | None
    drops: bool
    dry_run: bool


def checked_job(table: Table, where: Any, *, dry_run: bool = False) -> DeleteJob:
    """Check that rows of a table can be deleted, and return how; this reads no file.

    Raises:
        UnsupportedError: Rows of this table cannot be deleted.
        OptionError: An option of the table is malformed.
        PredicateError: The condition does not fit the table.
    """
    if where is None:
        raise PredicateError("name the rows to delete: give a condition, or 'true' for all rows")
    bound_predicate(where, table.schema.columns)
    options, reading = table.options, Reading.of(table.schema)
    if reading.has_keys:
        raise UnsupportedError(
            "has a primary key, so deleting a row means writing its key again: use Spark's "
            "or Flink's DELETE",
            path=table.location,
        )
    if reading.data_evolution:
        raise UnsupportedError(
            "has data evolution, so a row's columns are in several files: use pypaimon's "
            "new_update().delete_by_predicate",
            path=table.location,
        )
    if not reading.deletion_vectors:
        name = sql_name(table.location)
        modify, enable = (
            " ".join(alter_table(name, {f"deletion-vectors.{option}": "true"}).split())
            for option in ("modifiable", "enabled")
        )
        raise UnsupportedError(
            f"deletion vectors are not enabled: to enable them, run in Spark: {modify} {enable}",
            path=table.location,
        )
    rolls = {"BUCKET_UNAWARE": True, "HASH_FIXED": False}.get(table.bucket_mode)
    if rolls is None:
        raise UnsupportedError(
            f"deleting rows is unsupported for the bucket mode {table.bucket_mode}",
            path=table.location,
        )
    target = parse_memory_size(options.get(_TARGET, str(TARGET_SIZE)), _TARGET)
    return DeleteJob(
        bits=64 if _is_on(options, "deletion-vectors.bitmap64") else 32,
        target=target if rolls else None,
        drops=not _is_on(options, "delete.force-produce-changelog"),
        dry_run=dry_run,
    )


def _is_on(options: Mapping[str, str], name: str) -> bool:
    text = options.get(name, "false").strip().lower()
    if text not in ("true", "false"):
        raise OptionError(f"option {name!r}: {text!r} is not a BOOLEAN: set true or false")
    return text == "true"


def delete_rows(job: DeleteJob, task: FileTask) -> DeleteResult:
    """Find the live rows of a data file that match, and add them to its deletion vector.

    Raises:
        PaimonKsyError: With the name of the file.
    """
    found = task.matching()
    count = len(found.rows)
    if not count or job.dry_run:
        return DeleteResult(count, None, found.bytes_read)
    try:
        vector = DeletionVector.of_rows(found.rows, job.bits)
        if found.vector is not None:
            vector |= found.vector.to_bits(job.bits)
        return DeleteResult(count, vector.stored(), found.bytes_read)
    except PaimonKsyError as error:
        raise type(error)(f"{task.file.path}: {error}") from error


_FileState = tuple[tuple[Any, ...], int, str, VectorPlace | None]
"""Partition, bucket and name of a data file, and its deletion vector."""


def _state(file: DataFile) -> _FileState:
    return *bucket_of(file), file.name, file.deletion_vector


class _Delete:
    """A delete: what is found already, through all attempts to commit it.

    The rows found of a data file stay valid as long as it is live and has the same vector. Its new
    vector is then in a file of the attempt before.
    """

    def __init__(self, table: Table, where: Any, job: DeleteJob) -> None:
        self._table, self._where, self._job = table, where, job
        self._found: dict[_FileState, int] = {}
        self._files = NewVectorFiles(table, job.target)
        self._files_before: NewVectorFiles | None = None
        self._places_before: Mapping[_FileState, VectorPlace] = {}
        # The state of each data file that its new vector adds to, which may differ by attempt.
        self._added_to: dict[FileInBucket, _FileState] = {}
        self._bytes_read = self._bytes_written = 0
        self._may_be_committed = False

    def run(self, engine: Engine, progress: DeleteProgress | None) -> DeleteSummary:
        """Find the rows, and commit; if others were first, again what is left."""
        started = time.perf_counter()

        def attempt(number: int) -> DeleteSummary:
            if number > 1:
                self._begin_again()
            changes = BucketChanges(
                self._table,
                plan(self._table, self._where, (), engine=engine),
                one_file=self._job.target is None,
                drops=self._job.drops,
            )
            self._find(changes, engine, progress)
            snapshot = None if self._job.dry_run else self._commit(changes)
            return self._summary(changes, snapshot, number, started)

        try:
            return until_committed(attempt, _ATTEMPTS)
        except BaseException:  # Ctrl+C too
            if not self._may_be_committed:
                self._files.delete()
                if self._files_before is not None:
                    self._files_before.delete()
            raise

    def _begin_again(self) -> None:
        """Keep the vectors of the last attempt, from which this one copies."""
        places = self._files.places()
        self._files_before = self._files
        self._places_before = {
            state: places[file] for file, state in self._added_to.items() if file in places
        }
        self._added_to.clear()
        self._files = NewVectorFiles(self._table, self._job.target)

    def _find(
        self, changes: BucketChanges, engine: Engine, progress: DeleteProgress | None
    ) -> None:
        """Find the rows of each data file, and write the vectors, bucket by bucket."""
        left = {bucket: len(tasks) for bucket, tasks in changes.tasks.items()}

        def done(file: DataFile, rows: int) -> None:
            bucket = bucket_of(file)
            if rows:
                changes.rows += rows
                changes.changed[bucket].add(file.name)
            left[bucket] -= 1
            if not left[bucket] and not self._job.dry_run:
                self._finish(changes, bucket)

        if not self._job.dry_run:
            for bucket in changes.without_tasks():
                self._finish(changes, bucket)
        todo = []
        for task in chain.from_iterable(changes.tasks.values()):
            file, state = task.file, _state(task.file)
            rows, place = self._found.get(state), self._places_before.get(state)
            if rows is None or (rows and place is None):
                todo.append(task)
                continue
            if rows and place is not None:
                self._copy(bucket_of(file), place.path, {file.name: place})
                self._note_vector(file)
            done(file, rows)
        for task, result in engine.map(partial(delete_rows, self._job), todo):
            self._bytes_read += result.bytes_read
            self._found[_state(task.file)] = result.rows
            if result.vector is not None:
                self._files.add(bucket_of(task.file), task.file.name, result.vector)
                self._note_vector(task.file)
            done(task.file, result.rows)
            if progress is not None:
                progress(task.file, result)

    def _note_vector(self, file: DataFile) -> None:
        self._added_to[*bucket_of(file), file.name] = _state(file)

    def _finish(self, changes: BucketChanges, bucket: Bucket) -> None:
        """Write the last vectors of a bucket, and those that stay of files that are replaced."""
        for path, vectors in changes.replaced_files(bucket):
            self._copy(bucket, path, vectors)
        self._files.write(bucket)

    def _copy(self, bucket: Bucket, path: str, vectors: Mapping[str, VectorPlace]) -> None:
        self._bytes_read += self._files.copy(bucket, path, vectors)

    def _commit(self, changes: BucketChanges) -> int | None:
        if self._files_before is not None:  # what was needed of them is in the new ones
            self._files_before.delete()
            self._files_before = None
        self._bytes_written += sum(new.file.size for new in self._files.made)
        if not self._files.made and not changes.dropped:
            return None
        assert changes.snapshot is not None
        self._may_be_committed = True
        try:
            return commit_vectors(
                self._table,
                changes.snapshot,
                self._files.made,
                changes.replaced,
                changes.dropped.keys(),
            )
        except UncertainError:
            raise
        except PaimonKsyError:  # of anything else, such as Ctrl+C, it is not sure
            self._may_be_committed = False
            raise

    def _summary(
        self, changes: BucketChanges, snapshot: int | None, attempts: int, started: float
    ) -> DeleteSummary:
        return DeleteSummary(
            snapshot=snapshot,
            rows=changes.rows,
            files=changes.files,
            files_changed=sum(map(len, changes.changed.values())),
            files_dropped=len(changes.dropped),
            vector_files=len(self._files.made),
            vector_files_replaced=len(changes.replaced),
            bytes_read=self._bytes_read,
            bytes_written=self._bytes_written,
            seconds=time.perf_counter() - started,
            attempts=attempts,
            dry_run=self._job.dry_run,
        )
