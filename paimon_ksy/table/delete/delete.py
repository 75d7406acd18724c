"""Deletes rows of a table by deletion vectors, or with whole partitions, in one commit.

What is written is what Java's Spark delete writes (`BaseAppendDeleteFileMaintainer` and its two
kinds). In a table without buckets, files of vectors roll at the target size; one of them that has a
vector which changes is replaced, and its other vectors are copied. In a bucket there is one file of
all vectors. Data files of a partition of which all rows match are taken out, as Spark does.

Workers find the rows of a data file and answer with the bytes of its new vector; the driver writes
the files, and holds no more than what a file takes and what is under way.
"""

from __future__ import annotations

import time
import uuid
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import chain
from typing import Any

from paimon_ksy.errors import (
    ConflictError,
    CorruptFileError,
    OptionError,
    PaimonKsyError,
    PredicateError,
    UncertainError,
    UnsupportedError,
)
from paimon_ksy.file_index.container import bound_predicate
from paimon_ksy.file_index.options import parse_memory_size
from paimon_ksy.table.engine import Engine, spark_engine
from paimon_ksy.table.model.files import DataFile, VectorPlace
from paimon_ksy.table.model.statements import alter_table, sql_name
from paimon_ksy.table.query.plan import Plan, plan
from paimon_ksy.table.query.splits import Reading
from paimon_ksy.table.query.tasks import FileTask
from paimon_ksy.table.store import NewVectors, Table, TableOrPath, commit_vectors, new_vectors_path
from paimon_ksy.table_index.deletion_vector import (
    TARGET_SIZE,
    Bits,
    DeletionVector,
    VectorBytes,
    join_vectors,
    read_stored,
    read_version,
)

_ATTEMPTS = 20
_TARGET = "deletion-vector.index-file.target-size"

Bucket = tuple[tuple[Any, ...], int]
"""A partition and a bucket of it."""

Progress = Callable[[DataFile, "Outcome"], None]


@dataclass(frozen=True)
class Outcome:
    """What is done with a data file: so many of its rows are deleted, which gives it this vector.

    There is none if no row is deleted, or in a dry run.
    """

    rows: int
    vector: VectorBytes | None = None
    bytes_read: int = 0


@dataclass(frozen=True)
class DeleteSummary:
    """What a delete did, or in a dry run would do.

    `rows` are deleted, in `files_changed` by a deletion vector each, and with `files_dropped`, of
    `files` that the table has. `vector_files` are new, for `vector_files_replaced`. Bytes are of
    all work, also of what had to be done again. `attempts` are the commits tried. `snapshot` is
    None if there was nothing to commit.
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
        """All of it as a JSON object."""
        return {**self.__dict__, "seconds": round(self.seconds, 3)}


def delete(
    table: TableOrPath,
    where: Any,
    *,
    dry_run: bool = False,
    engine: Engine | None = None,
    spark: Any = None,
    progress: Progress | None = None,
) -> DeleteSummary:
    """Delete the rows for which a condition is true, in one commit.

    The table must not have a primary key, and needs deletion vectors enabled. Rows that others
    append at the same time stay. If others delete rows of the same files first, or replace them,
    the remaining work is planned again. If anything fails, nothing is committed, and the new files
    are deleted.

    Args:
        where: SQL text, a predicate tree or a pyarrow.compute expression; 'true' deletes all rows.
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
    job = check(table, where, dry_run=dry_run)
    return _Run(table, where, job).delete(engine or spark_engine(spark), progress)


# What is asked ----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Job:
    """How a table keeps its deletion vectors: of `bits`, in files that roll at `target` bytes.

    `target` is None where each bucket has one file. `drops` says that data files may be dropped.
    """

    bits: Bits
    target: int | None
    drops: bool
    dry_run: bool


def check(table: Table, where: Any, *, dry_run: bool = False) -> Job:
    """What a delete has to know of a table. Raises UnsupportedError, OptionError, PredicateError.

    Nothing is read for it.
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
    return Job(
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


# One data file ----------------------------------------------------------------------------------


def delete_rows(job: Job, task: FileTask) -> Outcome:
    """Find the live rows of a data file that match, and add them to its deletion vector.

    Raises PaimonKsyError that names the file.
    """
    found = task.matching()
    count = len(found.rows)
    if not count or job.dry_run:
        return Outcome(count, None, found.bytes_read)
    try:
        vector = DeletionVector.of_rows(found.rows, job.bits)
        if found.vector is not None:
            vector |= found.vector.to_bits(job.bits)
        return Outcome(count, vector.stored(), found.bytes_read)
    except PaimonKsyError as error:
        raise type(error)(f"{task.file.path}: {error}") from error


# Files of vectors -------------------------------------------------------------------------------


class _Files:
    """The new files of vectors of one attempt."""

    def __init__(self, table: Table, target: int | None) -> None:
        self._table, self._target = table, target
        self._id = uuid.uuid4()
        self._pending: defaultdict[Bucket, dict[str, VectorBytes]] = defaultdict(dict)
        self._sizes: Counter[Bucket] = Counter()
        self._paths: list[str] = []
        self.made: list[NewVectors] = []

    def add(self, bucket: Bucket, data_file: str, vector: VectorBytes) -> None:
        """The vector that a data file gets."""
        self._pending[bucket][data_file] = vector
        self._sizes[bucket] += len(vector.data)
        if self._target is not None and self._sizes[bucket] >= self._target:
            self.write(bucket)

    def write(self, bucket: Bucket) -> None:
        """Write what is there of a bucket, if anything."""
        vectors = self._pending.pop(bucket, None)
        self._sizes.pop(bucket, None)
        if not vectors:
            return
        name = f"index-{self._id}-{len(self._paths)}"
        path, external = new_vectors_path(self._table, *bucket, name)
        file, data = join_vectors(name, vectors)
        self._paths.append(path)  # first, so that it is deleted whatever happens
        self._table.storage.write(path, data)
        self.made.append(NewVectors(*bucket, file, path, external))

    def places(self) -> dict[tuple[Any, ...], VectorPlace]:
        """Where vectors are, by partition, bucket and name of the data file."""
        return {
            (new.partition, new.bucket, meta.data_file): VectorPlace(
                new.path, meta.offset, meta.length, meta.cardinality
            )
            for new in self.made
            for meta in new.file.vectors
        }

    def delete(self) -> None:
        """Delete all of them."""
        for path in self._paths:
            self._table.storage.delete(path)


# A whole table ----------------------------------------------------------------------------------


class _Run:
    """A delete: what is found already, through all attempts to commit it.

    What is found of a data file holds as long as it is live and has the same vector. Its new vector
    is then in a file of the attempt before.
    """

    def __init__(self, table: Table, where: Any, job: Job) -> None:
        self._table, self._where, self._job = table, where, job
        self._found: dict[tuple[Any, ...], int] = {}
        self._files = _Files(table, job.target)
        self._before: _Files | None = None
        self._kept: Mapping[tuple[Any, ...], VectorPlace] = {}
        # By bucket and name of a data file: what its new vector adds to, which may be another
        # vector in each attempt.
        self._added_to: dict[tuple[Any, ...], tuple[Any, ...]] = {}
        self._bytes_read = self._bytes_written = 0
        self._may_be_committed = False

    def delete(self, engine: Engine, progress: Progress | None) -> DeleteSummary:
        """Find the rows, and commit; again what is left if others were first."""
        started = time.perf_counter()
        try:
            for attempt in range(1, _ATTEMPTS + 1):
                change = _Change(self._table, self._job, plan(self._table, self._where, ()))
                self._find(change, engine, progress)
                if self._job.dry_run:
                    return self._summary(change, None, attempt, started)
                try:
                    snapshot = self._commit(change)
                except ConflictError:
                    if attempt == _ATTEMPTS:
                        raise
                    self._begin_again()
                    time.sleep(0.05 * attempt)
                else:
                    return self._summary(change, snapshot, attempt, started)
            raise AssertionError("the last attempt returns or raises")
        except BaseException:  # Ctrl+C too
            if not self._may_be_committed:
                self._files.delete()
                if self._before is not None:
                    self._before.delete()
            raise

    def _begin_again(self) -> None:
        places = self._files.places()
        self._before = self._files
        self._kept = {key: places[at] for at, key in self._added_to.items() if at in places}
        self._added_to.clear()
        self._files = _Files(self._table, self._job.target)

    def _find(self, change: _Change, engine: Engine, progress: Progress | None) -> None:
        """Have the rows of each data file, and the vectors written."""
        left = {bucket: len(tasks) for bucket, tasks in change.tasks.items()}

        def done(task: FileTask, rows: int) -> None:
            bucket = _bucket(task.file)
            if rows:
                change.rows += rows
                change.changed[bucket].add(task.file.name)
            left[bucket] -= 1
            if not left[bucket] and not self._job.dry_run:
                self._finish(change, bucket)

        if not self._job.dry_run:
            for bucket in change.without_tasks():
                self._finish(change, bucket)
        todo = []
        for task in chain.from_iterable(change.tasks.values()):
            rows = self._found.get(_key(task.file))
            place = self._kept.get(_key(task.file))
            if rows is None or (rows and place is None):
                todo.append(task)
                continue
            if rows and place is not None:
                self._copy(_bucket(task.file), place.path, {task.file.name: place})
                self._note(task.file)
            done(task, rows)
        for task, outcome in engine.map(partial(delete_rows, self._job), todo):
            self._bytes_read += outcome.bytes_read
            self._found[_key(task.file)] = outcome.rows
            if outcome.vector is not None:
                self._files.add(_bucket(task.file), task.file.name, outcome.vector)
                self._note(task.file)
            done(task, outcome.rows)
            if progress is not None:
                progress(task.file, outcome)

    def _note(self, file: DataFile) -> None:
        self._added_to[*_bucket(file), file.name] = _key(file)

    def _finish(self, change: _Change, bucket: Bucket) -> None:
        """Write the last vectors of a bucket, with those that stay of files that are replaced."""
        for path, vectors in change.replaced_files(bucket):
            self._copy(bucket, path, vectors)
        self._files.write(bucket)

    def _copy(self, bucket: Bucket, path: str, vectors: Mapping[str, VectorPlace]) -> None:
        """Take over vectors of data files that are in a file. Raises CorruptFileError."""
        if not vectors:
            return
        with self._table.storage.open(path) as source:
            try:
                read_version(source)
                for name, place in sorted(vectors.items(), key=lambda item: item[1].offset):
                    found = read_stored(source, place.offset, place.length, place.cardinality)
                    self._files.add(bucket, name, found.vector.stored())
            except CorruptFileError as error:
                error.path = error.path or path
                raise
            finally:
                self._bytes_read += source.bytes_read

    def _commit(self, change: _Change) -> int | None:
        if self._before is not None:  # what was needed of them is in the new ones
            self._before.delete()
            self._before = None
        self._bytes_written += sum(new.file.size for new in self._files.made)
        if not self._files.made and not change.dropped:
            return None
        self._may_be_committed = True
        try:
            return commit_vectors(
                self._table,
                change.snapshot,
                self._files.made,
                change.replaced,
                change.dropped.keys(),
            )
        except UncertainError:
            raise
        except PaimonKsyError:  # of anything else, such as Ctrl+C, it is not sure
            self._may_be_committed = False
            raise

    def _summary(
        self, change: _Change, snapshot: int | None, attempts: int, started: float
    ) -> DeleteSummary:
        return DeleteSummary(
            snapshot=snapshot,
            rows=change.rows,
            files=change.files,
            files_changed=sum(map(len, change.changed.values())),
            files_dropped=len(change.dropped),
            vector_files=len(self._files.made),
            vector_files_replaced=len(change.replaced),
            bytes_read=self._bytes_read,
            bytes_written=self._bytes_written,
            seconds=time.perf_counter() - started,
            attempts=attempts,
            dry_run=self._job.dry_run,
        )


class _Change:
    """What is planned on one snapshot, and found so far: `rows` that go, data files by bucket that
    get a vector, data files that are dropped, and the files of vectors that are replaced."""

    def __init__(self, table: Table, job: Job, asked: Plan) -> None:
        self._table, self._job = table, job
        self.snapshot = asked.snapshot
        self.files = asked.total.files
        self.rows = 0
        self.changed: defaultdict[Bucket, set[str]] = defaultdict(set)
        self.dropped: dict[tuple[Any, ...], DataFile] = {}
        self.replaced: set[str] = set()
        self.tasks: defaultdict[Bucket, list[FileTask]] = defaultdict(list)
        """By bucket, so that one is done after the other."""
        self._gone: defaultdict[Bucket, set[str]] = defaultdict(set)
        folders: dict[Bucket, str] = {}
        for task in asked.tasks:
            assert isinstance(task, FileTask)
            file = task.file
            folder = file.path.rpartition("/")[0]
            if file.external_path is None and folders.setdefault(_bucket(file), folder) != folder:
                raise UnsupportedError(
                    f"equals the partition {folders[_bucket(file)]} in SQL, but not in Paimon "
                    "(-0.0 and 0.0, or CHAR with other trailing spaces): its rows cannot be "
                    "deleted",
                    path=folder,
                )
            known = task.known_count if job.drops and task.predicate is None else None
            if known is None:
                self.tasks[_bucket(file)].append(task)
            else:
                self.rows += known
                self.dropped[file.key] = file
                self._gone[_bucket(file)].add(file.name)

    def without_tasks(self) -> Iterable[Bucket]:
        """Buckets of which files are dropped, and nothing else has to be found."""
        return [bucket for bucket in self._gone if bucket not in self.tasks]

    def replaced_files(self, bucket: Bucket) -> Iterator[tuple[str, dict[str, VectorPlace]]]:
        """The paths of files of vectors of a bucket that are replaced, each with its vectors of
        data files that are live and stay as they are."""
        changed, gone = self.changed.get(bucket, set()), self._gone.get(bucket, set())
        files = self._vector_files.get(bucket, {})
        touched = [path for path, vectors in files.items() if vectors.keys() & (changed | gone)]
        if self._job.target is None and (changed or touched):
            touched = list(files)  # one file takes the place of all
        for path in touched:
            self.replaced.add(path)
            yield (
                path,
                {
                    name: place
                    for name, place in files[path].items()
                    if name not in changed | gone and (*bucket, name) in self._live
                },
            )

    @cached_property
    def _vector_files(self) -> dict[Bucket, dict[str, Mapping[str, VectorPlace]]]:
        found: defaultdict[Bucket, dict[str, Mapping[str, VectorPlace]]] = defaultdict(dict)
        for bucket, path, vectors in self._table.vector_files(self.snapshot):
            found[bucket][path] = vectors
        return found

    @cached_property
    def _live(self) -> set[tuple[Any, ...]]:
        """Data files with a vector that are live, by partition, bucket and name."""
        files = self._table.known_files(self.snapshot)
        return {(*_bucket(file), file.name) for file in files if file.deletion_vector is not None}


def _bucket(file: DataFile) -> Bucket:
    return file.partition, file.bucket


def _key(file: DataFile) -> tuple[Any, ...]:
    """What was found of a data file is of it with this vector."""
    return file.partition, file.bucket, file.name, file.deletion_vector
