"""Whether a table is sound: what it refers to, its file indexes, vectors and bucket indexes.

What names other files (snapshots, manifests) is read here; all files that are named are looked at
by an engine's workers, which tell findings and nothing else. With `deep`, indexes and buckets are
made up again from the data.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cache, partial
from typing import TYPE_CHECKING, Any

import numpy as np

from paimon_ksy.binary_row import key_hashes
from paimon_ksy.bucket_index import BucketIndex, read_bucket_index
from paimon_ksy.deletion_vector import DeletionVector, read_vector
from paimon_ksy.errors import CorruptFileError, PaimonKsyError, SchemaError, UnsupportedError
from paimon_ksy.file_index import FileIndex
from paimon_ksy.index_check import check_index
from paimon_ksy.options import FileIndexOptions
from paimon_ksy.predicate import Predicate
from paimon_ksy.schema import Schema
from paimon_ksy.table.engine import Engine, spark_engine
from paimon_ksy.table.orphans import orphans
from paimon_ksy.table.rewrite import (
    FORMATS,
    NO_STATISTICS,
    RewriteSummary,
    file_options,
    partitions_where,
    read_rows,
    rewrite_index,
    wanted_options,
    why_rewrite,
)
from paimon_ksy.table.storage import Storage
from paimon_ksy.table.store import DataFile, Table, TableSchema, VectorPlace

if TYPE_CHECKING:
    import pyarrow as pa

ERROR, WARNING, NOTE = "error", "warning", "note"

_MANIFEST = "restore the file from a backup, or roll the table back to a sound snapshot"
_DATA = "restore the file from a backup: it cannot be made again"
_INDEX = "build it again: audit --repair, or rewrite-index"
_OLD_INDEX = "queries of that snapshot may fail; the latest one does not need it"
_BUCKETS = "rescale the table, which assigns buckets anew, or restore the file from a backup"

_REPAIRED = {"index", "index-options"}

_STALE = {
    "new": ("it has no index, and the table's options ask for one", WARNING),
    "several": ("it has several indexes where one is allowed", ERROR),
    "stale": ("it has indexes that the table's options do not ask for", WARNING),
    "incomplete": ("it lacks indexes that the table's options ask for", WARNING),
    "threshold": ("its place is not what file-index.in-manifest-threshold asks for", NOTE),
    "version": ("its bitmaps are of another version than the options ask for", NOTE),
}


@dataclass(frozen=True)
class Finding:
    """Something that is not as it should be.

    `severity` is `error` (rows are lost, wrong, or cannot be read), `warning` (answers are right,
    but not as the table's options ask for) or `note`. `file` is the one to look at, `column` and
    `byte` (in it, or in the embedded index) where that is known.
    """

    severity: str
    check: str
    file: str
    column: str | None
    byte: int | None
    message: str
    remedy: str

    def to_json(self) -> dict[str, Any]:
        """All of it as a JSON object."""
        return asdict(self)


@dataclass(frozen=True)
class Repaired:
    """What a repair found, and the rewrite of the indexes that it could build again, if any.

    `left` are the findings that are as they were; in a dry run those that would be.
    """

    findings: tuple[Finding, ...]
    left: tuple[Finding, ...]
    summary: RewriteSummary | None


def audit(
    table: Table | str,
    where: Predicate | str | None = None,
    *,
    deep: bool = False,
    engine: Engine | None = None,
    spark: Any = None,
) -> Iterator[Finding]:
    """What is not as it should be in a table, in its latest snapshot and what others refer to.

    `where` is a predicate on partition columns: of which data files. `deep` compares indexes with
    the data, row by row, and buckets with the keys. `engine` and `spark` are as `rewrite_index`
    takes them. Findings come as they are made. Raises PredicateError.
    """
    if isinstance(table, str):
        table = Table.at(table)
    return _Audit(table, where, deep).run(engine or spark_engine(spark))


def repair(
    table: Table | str,
    where: Predicate | str | None = None,
    *,
    deep: bool = False,
    dry_run: bool = False,
    engine: Engine | None = None,
    spark: Any = None,
) -> Repaired:
    """`audit`, and build again the file indexes that are broken, missing or not as the options ask.

    All in one commit, as `rewrite_index` does, of data files that are there themselves. Nothing
    else is changed: rows that a broken deletion vector deletes are never guessed. Raises what
    `rewrite_index` does.
    """
    if isinstance(table, str):
        table = Table.at(table)
    engine = engine or spark_engine(spark)
    run = _Audit(table, where, deep)
    findings = tuple(run.run(engine))
    left = tuple(found for found in findings if found not in run.mended)
    if not run.repairable:
        return Repaired(findings, left, None)
    summary = rewrite_index(
        table,
        where,
        force=True,
        dry_run=dry_run,
        engine=engine,
        only=lambda file: file.key in run.repairable,
    )
    return Repaired(findings, left, summary)


def to_dataframe(findings: Iterable[Finding], spark: Any) -> Any:
    """Findings as a DataFrame of a SparkSession, with the fields of Finding as its columns."""
    return spark.createDataFrame(
        [tuple(asdict(finding).values()) for finding in findings],
        "severity STRING, check STRING, file STRING, column STRING, byte BIGINT, "
        "message STRING, remedy STRING",
    )


# What workers do --------------------------------------------------------------------------------


@dataclass(frozen=True)
class Named:
    """A file that something names: it has to be there, with its size if that is told."""

    path: str
    size: int | None
    check: str
    of: str
    remedy: str = _MANIFEST
    snapshot: int | None = None
    severity: str = ERROR


@dataclass(frozen=True)
class Hashed:
    """The index of a dynamic bucket: where it is, its bytes, and how many hash codes it has."""

    bucket: int
    path: str
    size: int
    count: int


@dataclass(frozen=True)
class Buckets:
    """The dynamic buckets of a partition; `files` are its data files if keys are looked at."""

    indexes: tuple[Hashed, ...]
    files: tuple[DataFile, ...]
    with_files: frozenset[int]
    place: str


Task = Named | DataFile | Buckets


@dataclass(frozen=True)
class Job:
    """What workers know: by schema id the columns of files, their indexes, and the bucket key."""

    storage: Storage
    schemas: Mapping[int, tuple[Schema, FileIndexOptions, Schema | None]]
    deep: bool
    fixed: bool


def check(job: Job, task: Task) -> list[Finding]:
    """What is wrong with the files of a task."""
    if isinstance(task, Named):
        return list(_check_named(job, task))
    if isinstance(task, Buckets):
        return list(_check_buckets(job, task))
    return list(_check_file(job, task))


def _check_named(job: Job, named: Named) -> Iterator[Finding]:
    try:
        size = job.storage.size(named.path)
    except PaimonKsyError:
        message = f"it is not there, and {named.of} names it"
        yield Finding(named.severity, named.check, named.path, None, None, message, named.remedy)
        return
    if named.size is not None and size != named.size:
        message = f"it has {size} bytes, and {named.of} says {named.size}"
        yield Finding(ERROR, named.check, named.path, None, None, message, named.remedy)


def _check_file(job: Job, file: DataFile) -> Iterator[Finding]:
    named = Named(file.path, file.size, "data-file", "the manifest", _DATA)
    wrong = list(_check_named(job, named))
    yield from wrong
    for name in file.extra_files:
        if not name.endswith(".index"):
            path = f"{file.path.rpartition('/')[0]}/{name}"
            yield from _check_named(job, replace(named, path=path, size=None))
    if file.deletion_vector is not None:
        yield from _check_vector(job, file, file.deletion_vector)
    if file.format in FORMATS:
        yield from _check_index(job, file, deep=job.deep and not wrong)
        if job.deep and job.fixed and not wrong:
            yield from _check_fixed_bucket(job, file)


def _check_index(job: Job, file: DataFile, *, deep: bool) -> Iterator[Finding]:
    columns, options, _ = job.schemas[file.schema_id]
    if file.write_columns is not None:
        there = [spec for spec in options.indexes if spec.column in file.write_columns]
        options = replace(options, indexes=tuple(there))
    try:
        place = file.index
    except PaimonKsyError:
        yield _stale(file, "several")
        return
    if place is not None:
        path = place if isinstance(place, str) else file.path
        which = "" if isinstance(place, str) else "embedded index: "
        if isinstance(place, str) and not job.storage.exists(place):
            message = f"it is not there, and {file.name} has it as its index"
            yield Finding(ERROR, "index", path, None, None, message, _INDEX)
            return
        broken = False
        for error in _index_errors(job, file, place, columns, options, deep=deep):
            broken = True
            yield _corrupt("index", path, error, which, _INDEX)
        if broken:
            return
    why = why_rewrite(job.storage, file, options)
    if why is not None:
        yield _stale(file, why)


def _index_errors(
    job: Job,
    file: DataFile,
    place: bytes | str,
    columns: Schema,
    options: FileIndexOptions,
    *,
    deep: bool,
) -> Iterator[PaimonKsyError]:
    @cache
    def data() -> pa.Table:
        names = [name if name in known else name.partition("[")[0] for name in opened.columns]
        wanted = list(dict.fromkeys(name for name in names if name in known))
        return read_rows(job.storage, file, columns, wanted)[0]

    known = {column.name for column in columns}
    try:
        with FileIndex.open(job.storage.open(place) if isinstance(place, str) else place) as opened:
            yield from check_index(opened, file.num_rows, columns, options, data if deep else None)
    except PaimonKsyError as error:
        yield error


def _stale(file: DataFile, why: str) -> Finding:
    message, severity = _STALE.get(why, ("it cannot be read", ERROR))
    return Finding(severity, "index-options", file.path, None, None, message, _INDEX)


def _corrupt(
    kind: str, path: str, error: PaimonKsyError, which: str = "", remedy: str = ""
) -> Finding:
    if isinstance(error, CorruptFileError):
        own = path if error.path in (None, "", "<bytes>") or which else error.path
        message = which + error.message
        return Finding(ERROR, kind, own or path, error.column, error.offset, message, remedy)
    text = str(error).removeprefix(f"{path}: ")
    return Finding(ERROR, kind, path, None, None, which + text, remedy)


def _check_vector(job: Job, file: DataFile, place: VectorPlace) -> Iterator[Finding]:
    told = "" if place.cardinality is None else "; the manifest says that it deletes {} of them"
    remedy = (
        f"which of the {file.num_rows} rows of {file.name} are deleted cannot be known"
        + told.format(place.cardinality)
        + "; restore the file from a backup"
    )
    try:
        with job.storage.open(place.path) as source:
            vector = read_vector(source, place.offset, place.length, place.cardinality)
            if vector.max is not None and vector.max >= file.num_rows:
                raise CorruptFileError(
                    f"it deletes row {vector.max} of {file.name}, which has {file.num_rows} rows",
                    offset=place.offset,
                )
    except PaimonKsyError as error:
        yield _corrupt("deletion-vector", place.path, error, "", remedy)


# Buckets ----------------------------------------------------------------------------------------


def _check_buckets(job: Job, task: Buckets) -> Iterator[Finding]:
    """Dynamic buckets: a key belongs to one, and its hash code is in that one's index."""
    read: dict[int, tuple[Hashed, BucketIndex]] = {}
    for hashed in task.indexes:
        named = Named(hashed.path, hashed.size, "bucket-index", "the index manifest", _BUCKETS)
        wrong = list(_check_named(job, named))
        yield from wrong
        if wrong:
            continue
        found = partial(Finding, ERROR, "bucket-index", hashed.path, None)
        with job.storage.open(hashed.path) as source:
            index = read_bucket_index(source)
        if index.trailing:
            message = f"{len(index.trailing)} bytes follow the last hash code"
            yield found(hashed.size - len(index.trailing), message, _BUCKETS)
        if len(index) != hashed.count:
            message = f"it has {len(index)} hash codes, and the manifest says {hashed.count}"
            yield found(None, message, _BUCKETS)
        if index.distinct != len(index):
            message = f"{len(index) - index.distinct} hash codes stand in it twice"
            yield Finding(
                WARNING, "bucket-index", hashed.path, None, None, message, "it does no harm"
            )
        if hashed.bucket in read:
            message = f"a second index of bucket {hashed.bucket}"
            yield found(None, message, _BUCKETS)
        for bucket, (_, other) in read.items():
            both = np.flatnonzero(other.contains(index.hashes))
            if len(both) and bucket != hashed.bucket:
                at = int(both[0])
                message = (
                    f"{len(both)} hash codes are in bucket {bucket} too, the first is "
                    f"{index.hashes[at]}"
                )
                yield found(at * index.hashes.itemsize, message, _BUCKETS)
        read[hashed.bucket] = hashed, index
    if task.indexes:
        known = {hashed.bucket for hashed in task.indexes}
        for bucket in sorted(task.with_files - known):
            message = f"bucket {bucket} has data files and no index of its keys"
            yield Finding(ERROR, "bucket-index", task.place, None, None, message, _BUCKETS)
    for file in task.files:
        yield from _check_keys(job, file, read)


def _check_keys(
    job: Job, file: DataFile, read: Mapping[int, tuple[Hashed, BucketIndex]]
) -> Iterator[Finding]:
    if file.bucket not in read:
        return
    hashed, index = read[file.bucket]
    try:
        hashes = _key_hashes(job, file)
    except PaimonKsyError as error:
        yield _corrupt("data-file", file.path, error, "", _DATA)
        return
    lost = np.flatnonzero(~index.contains(hashes))
    if not len(lost):
        return
    row = int(lost[0])
    others = [
        bucket for bucket, (_, other) in read.items() if other.contains(hashes[row : row + 1])[0]
    ]
    where = f"; bucket {others[0]} has it" if others else ""
    message = (
        f"it lacks the hash codes of {len(lost)} keys of {file.name} in bucket {file.bucket}, the "
        f"first is {hashes[row]} in row {row}{where}"
    )
    yield Finding(ERROR, "bucket", hashed.path, None, None, message, _BUCKETS)


def _check_fixed_bucket(job: Job, file: DataFile) -> Iterator[Finding]:
    """`DefaultBucketFunction`: the absolute value of what is left of hash / buckets."""
    if file.total_buckets < 1 or file.bucket < 0:
        return
    try:
        hashes = _key_hashes(job, file)
    except (UnsupportedError, SchemaError):  # null in a bucket key; columns written elsewhere
        return
    except PaimonKsyError as error:
        yield _corrupt("data-file", file.path, error, "", _DATA)
        return
    buckets = np.abs(np.fmod(hashes.astype(np.int64), file.total_buckets))
    wrong = np.flatnonzero(buckets != file.bucket)
    if len(wrong):
        row = int(wrong[0])
        message = (
            f"{len(wrong)} rows in bucket {file.bucket} belong to others, the first is row {row}: "
            f"bucket {buckets[row]} of {file.total_buckets}"
        )
        remedy = "write the rows of this file again"
        yield Finding(ERROR, "bucket", file.path, None, None, message, remedy)


def _key_hashes(job: Job, file: DataFile) -> Any:
    columns, _, key = job.schemas[file.schema_id]
    if key is None:
        return np.empty(0, np.int32)
    rows, _ = read_rows(job.storage, file, columns, key.names)
    decoded = rows.combine_chunks()
    return key_hashes(decoded, key)


# What names files -------------------------------------------------------------------------------


class _Audit:
    """One audit: the findings that are made here, and the tasks for the workers."""

    def __init__(self, table: Table, where: Predicate | str | None, deep: bool) -> None:
        self._table, self._deep = table, deep
        self._storage = table.storage
        self._keep = partitions_where(table.schema, where)
        self._whole = where is None
        self._found: list[Finding] = []
        self._told: set[Finding] = set()
        self._folder = table.metadata_path
        self._snapshots: dict[int, Any] = {}
        self._unread = 0  # manifests: what they hold cannot be counted
        self.repairable: set[tuple[Any, ...]] = set()
        """Keys of data files whose indexes can be built again."""
        self.mended: set[Finding] = set()
        """The findings that building them again does away with."""

    def run(self, engine: Engine) -> Iterator[Finding]:
        """All findings, each once."""
        self._history()
        latest = self._snapshots.get(max(self._snapshots, default=0))
        job = self._job()
        for task, findings in engine.map(partial(check, job), self._tasks(latest)):
            yield from self._new(self._drain())
            if findings and isinstance(task, Named) and not self._is_needed(task):
                continue
            if isinstance(task, DataFile):
                self._note_repair(task, findings)
                findings = [self._with_older(task, found) for found in findings]
            yield from self._new(findings)
        if self._whole:
            self._unreferenced()
        yield from self._new(self._drain())

    def _drain(self) -> list[Finding]:
        found, self._found = self._found, []
        return found

    def _new(self, findings: Iterable[Finding]) -> Iterator[Finding]:
        for finding in findings:
            if finding not in self._told:
                self._told.add(finding)
                yield finding

    def _add(
        self, check: str, path: str, message: str, remedy: str = _MANIFEST, severity: str = ERROR
    ) -> None:
        text = message.removeprefix(f"{path}: ")
        self._found.append(Finding(severity, check, path, None, None, text, remedy))

    def _is_needed(self, named: Named) -> bool:
        """Whether the snapshot that names the file has not expired since."""
        if named.snapshot is None:
            return True
        return self._storage.exists(f"{self._folder}/snapshot/snapshot-{named.snapshot}")

    def _note_repair(self, file: DataFile, findings: Sequence[Finding]) -> None:
        kinds = {found.check for found in findings}
        if kinds & _REPAIRED and "data-file" not in kinds:
            self.repairable.add(file.key)
            self.mended.update(found for found in findings if found.check in _REPAIRED)

    def _job(self) -> Job:
        table, now = self._table, self._table.schema
        options = wanted_options(now, {})
        schemas = {}
        for number in table.schema_ids():
            schema = table.schema_at(number)
            schemas[number] = (
                schema.columns,
                file_options(options, now, schema),
                _bucket_key(table, schema),
            )
        fixed = (
            table.bucket_mode == "HASH_FIXED"
            and table.options.get("bucket-function.type", "default") == "default"
        )
        return Job(self._storage, schemas, self._deep, fixed)

    # Snapshots, schemas, hints --

    def _history(self) -> None:
        schemas = self._ids("schema", "schema-")
        for number in schemas:
            path = f"{self._folder}/schema/schema-{number}"
            try:
                found = TableSchema.parse(self._storage.read(path))
            except PaimonKsyError as error:
                self._add("schema", path, str(error))
            else:
                if found.id != number:
                    self._add("schema", path, f"it is schema {found.id}, its name says {number}")
        ids = self._ids("snapshot", "snapshot-")
        for number in range(ids[0], ids[-1] + 1) if ids else ():
            path = f"{self._folder}/snapshot/snapshot-{number}"
            try:
                snapshot: Any = self._table.snapshot(number)
            except PaimonKsyError as error:
                missing = number not in ids
                text = "it is not there, and later and earlier ones are" if missing else str(error)
                self._add("snapshot", path, text)
                continue
            self._snapshots[number] = snapshot
            if snapshot.id != number:
                self._add("snapshot", path, f"it is snapshot {snapshot.id}")
            if snapshot.schema_id not in schemas:
                self._add("schema", path, f"its schema {snapshot.schema_id} is not there")
            before = self._snapshots.get(number - 1)
            if before is not None:
                due = before.total_record_count + snapshot.delta_record_count
                if snapshot.total_record_count != due:
                    self._add(
                        "record-count",
                        path,
                        f"it has {snapshot.total_record_count} records, and {due} are due: "
                        f"{before.total_record_count} before and a change of "
                        f"{snapshot.delta_record_count}",
                    )
        self._hints(ids)

    def _hints(self, ids: list[int]) -> None:
        for name in ("EARLIEST", "LATEST"):
            path = f"{self._folder}/snapshot/{name}"
            if not self._storage.exists(path):
                continue
            try:
                text = self._storage.read(path).decode("ascii", "replace").strip()
            except PaimonKsyError as error:
                self._add("hint", path, str(error), "delete it: it is only a hint", WARNING)
                continue
            if not text.isdecimal() or (ids and int(text) > ids[-1]):
                message = f"it says {text[:20]!r}, and the last snapshot is {max(ids, default=0)}"
                self._add("hint", path, message, "delete it: it is only a hint", WARNING)

    def _ids(self, folder: str, prefix: str) -> list[int]:
        names = self._storage.names(f"{self._folder}/{folder}")
        numbers = [name.removeprefix(prefix) for name in names if name.startswith(prefix)]
        return sorted(int(number) for number in numbers if number.isdecimal())

    # Files --

    def _tasks(self, latest: Any | None) -> Iterator[Task]:
        if self._whole:
            for number in sorted(self._snapshots):
                yield from self._history_files(self._snapshots[number], number)
            yield from self._tags()
            yield from self._changelogs()
        if latest is not None:
            yield from self._live(latest)

    def _history_files(
        self, snapshot: Any, number: int | None, *, whole: bool = False
    ) -> Iterator[Task]:
        """The manifests of a snapshot, and the data files that the next one does not have.

        What the delta of a snapshot deletes was live in the one before. Tags have none after them:
        `whole`.
        """
        of = "a tag" if number is None else f"snapshot {number}"
        path = f"{self._table.location}/manifest"
        sizes = {
            "base": snapshot.base_manifest_list_size,
            "delta": snapshot.delta_manifest_list_size,
            "changelog": snapshot.changelog_manifest_list_size,
        }
        manifests: dict[str, list[Any]] = {}
        for role, size in sizes.items():
            name = getattr(snapshot, f"{role}_manifest_list")
            if not name:
                continue
            yield Named(f"{path}/{name}", size, "manifest", of, snapshot=number)
            manifests[role] = self._manifest_list(name, number)
            for manifest in manifests[role]:
                yield Named(
                    f"{path}/{manifest.file_name}",
                    manifest.file_size,
                    "manifest",
                    f"manifest list {name}",
                    snapshot=number,
                )
        for entry in self._entries_of(manifests.get("changelog", ())):
            yield from self._named(entry, of, number)
        delta = manifests.get("delta", [])
        if whole:
            live = self._table.live_entries([*manifests.get("base", ()), *delta], self._entries)
            for entry in live:
                yield from self._named(entry, of, number)
        elif number is not None:
            change, unread = 0, self._unread
            counted = True
            for entry in self._entries_of(delta):
                change += -entry.file.row_count if entry.kind else entry.file.row_count
                counted = counted and entry.file.write_cols is None
                if entry.kind and number - 1 in self._snapshots:
                    yield from self._named(entry, f"snapshot {number - 1}", number - 1)
            counted = counted and self._unread == unread
            if counted and change != snapshot.delta_record_count:
                self._add(
                    "record-count",
                    f"{self._folder}/snapshot/snapshot-{number}",
                    f"it changes the records by {snapshot.delta_record_count}, and its manifests "
                    f"by {change}",
                )
        if snapshot.index_manifest:
            yield Named(f"{path}/{snapshot.index_manifest}", None, "manifest", of, snapshot=number)
            for entry in self._index_entries(snapshot, number):
                yield Named(
                    self._table.index_file_path(entry),
                    entry.index_file.file_size,
                    "index-file",
                    of,
                    snapshot=number,
                )

    def _named(self, entry: Any, of: str, number: int | None) -> Iterator[Task]:
        file = self._data_file(entry)
        if file is None:
            return
        yield Named(file.path, file.size, "data-file", of, _DATA, number)
        for name in file.extra_files:
            path = f"{file.path.rpartition('/')[0]}/{name}"
            if name.endswith(".index"):
                yield Named(path, None, "index", of, _OLD_INDEX, number, WARNING)
            else:
                yield Named(path, None, "data-file", of, _DATA, number)

    def _tags(self) -> Iterator[Task]:
        for name in self._storage.names(f"{self._folder}/tag"):
            if not name.startswith("tag-"):
                continue
            path = f"{self._folder}/tag/{name}"
            try:
                snapshot: Any = self._table.snapshot(tag=name.removeprefix("tag-"))
            except Exception as error:  # pypaimon's own, of each kind
                self._add("tag", path, _line(error))
                continue
            if snapshot.id not in self._snapshots:
                yield from self._history_files(snapshot, None, whole=True)

    def _changelogs(self) -> Iterator[Task]:
        manager = self._table.pypaimon.changelog_manager()
        for number in self._ids("changelog", "changelog-"):
            path = f"{self._folder}/changelog/changelog-{number}"
            try:
                found = manager.long_lived_changelog(number)
            except Exception as error:  # as above
                self._add("changelog", path, _line(error))
                continue
            name = found.changelog_manifest_list
            if name:
                entries = self._entries_of(self._manifest_list(name, None))
                for entry in entries:
                    yield from self._named(entry, f"changelog {number}", None)

    def _live(self, latest: Any) -> Iterator[Task]:
        vectors = self._vectors(latest)
        manifests = [
            manifest
            for role in ("base", "delta")
            for manifest in self._manifest_list(getattr(latest, f"{role}_manifest_list"), latest.id)
        ]
        unread = self._unread
        schemas = set(self._table.schema_ids())
        records = 0
        partial_rows = False
        indexes: dict[str, str] = {}
        buckets: defaultdict[tuple[Any, ...], list[DataFile]] = defaultdict(list)
        dynamic = self._table.bucket_mode == "HASH_DYNAMIC"
        with_files: defaultdict[tuple[Any, ...], set[int]] = defaultdict(set)
        for entry in self._table.live_entries(manifests, self._entries):
            records += entry.file.row_count
            partial_rows = partial_rows or entry.file.write_cols is not None
            if entry.file.schema_id not in schemas:
                message = f"schema {entry.file.schema_id} of {entry.file.file_name} is not there"
                self._add("schema", f"{self._folder}/schema", message)
                continue
            file = self._data_file(entry)
            if file is None:
                continue
            place = vectors.pop((file.partition, file.bucket, file.name), None)
            if self._keep is not None and not self._keep(file.partition, file.bucket):
                continue
            for path in file.index_files:
                if path in indexes:
                    message = f"it is the index of {indexes[path]} and of {file.name}"
                    double = Finding(ERROR, "index", path, None, None, message, _INDEX)
                    self._found.append(double)
                    self.repairable.add(file.key)
                    self.mended.add(double)
                indexes[path] = file.name
            slim = replace(file, statistics=NO_STATISTICS, key_range=((), ()))
            if dynamic:
                with_files[file.partition].add(file.bucket)
                if self._deep:
                    buckets[file.partition].append(replace(slim, embedded_index=None))
            yield replace(slim, deletion_vector=place)
        for (partition, _, name), place in vectors.items():
            if self._keep is None or self._keep(partition, 0):
                message = f"the vector at byte {place.offset} is of {name}, which is no live file"
                remedy = "it deletes no row; the next compaction of its bucket drops it"
                self._found.append(
                    Finding(
                        ERROR, "deletion-vector", place.path, None, place.offset, message, remedy
                    )
                )
        complete = self._unread == unread and not partial_rows
        if complete and records != latest.total_record_count:
            self._add(
                "record-count",
                f"{self._folder}/snapshot/snapshot-{latest.id}",
                f"it says {latest.total_record_count} records, and its data files have {records}",
            )
        if dynamic:
            yield from self._buckets(latest, buckets, with_files)

    def _buckets(
        self,
        latest: Any,
        files: Mapping[tuple[Any, ...], list[DataFile]],
        with_files: Mapping[tuple[Any, ...], set[int]],
    ) -> Iterator[Task]:
        hashed: defaultdict[tuple[Any, ...], list[Hashed]] = defaultdict(list)
        for entry in self._index_entries(latest, latest.id):
            meta = entry.index_file
            if meta.index_type == "HASH":
                partition = self._table.partition_of(entry)
                path = self._table.index_file_path(entry)
                hashed[partition].append(Hashed(entry.bucket, path, meta.file_size, meta.row_count))
        for partition in {*hashed, *with_files}:
            if self._keep is None or self._keep(partition, 0):
                yield Buckets(
                    tuple(hashed.get(partition, ())),
                    tuple(files.get(partition, ())),
                    frozenset(with_files.get(partition, ())),
                    f"{self._table.location}/manifest/{latest.index_manifest}",
                )

    def _vectors(self, latest: Any) -> dict[tuple[Any, ...], VectorPlace]:
        places: dict[tuple[Any, ...], VectorPlace] = {}
        for key, place in _vector_places(self._table, self._index_entries(latest, latest.id)):
            if key in places:
                other = places[key]
                message = (
                    f"a second vector of {key[2]}; the first is at byte {other.offset} of "
                    f"{other.path}"
                )
                remedy = f"which rows of {key[2]} are deleted cannot be known; roll back to a "
                self._found.append(
                    Finding(
                        ERROR,
                        "deletion-vector",
                        place.path,
                        None,
                        place.offset,
                        message,
                        remedy + "sound snapshot",
                    )
                )
            places[key] = place
        return places

    def _index_entries(self, snapshot: Any, number: int | None) -> list[Any]:
        try:
            return self._table.index_entries(snapshot)
        except PaimonKsyError as error:
            path = f"{self._table.location}/manifest/{snapshot.index_manifest}"
            if number is None or self._is_needed(Named(path, None, "", "", snapshot=number)):
                self._add("manifest", path, str(error))
            return []

    def _manifest_list(self, name: str, number: int | None) -> list[Any]:
        try:
            return self._table.manifest_list(name)
        except PaimonKsyError as error:
            path = f"{self._table.location}/manifest/{name}"
            if number is None or self._is_needed(Named(path, None, "", "", snapshot=number)):
                self._add("manifest", path, str(error))
            self._unread += 1
            return []

    def _entries_of(self, manifests: Iterable[Any]) -> Iterator[Any]:
        for manifest in manifests:
            yield from self._entries(manifest)

    def _entries(self, manifest: Any) -> list[Any]:
        path = f"{self._table.location}/manifest/{manifest.file_name}"
        try:
            entries = self._table.entries(manifest)
        except PaimonKsyError as error:
            self._add("manifest", path, str(error))
            self._unread += 1
            return []
        deleted = sum(1 for entry in entries if entry.kind)
        added = len(entries) - deleted
        if (added, deleted) != (manifest.num_added_files, manifest.num_deleted_files):
            self._add(
                "manifest",
                path,
                f"it adds {added} and deletes {deleted} files, and its list says "
                f"{manifest.num_added_files} and {manifest.num_deleted_files}",
            )
        return entries

    def _data_file(self, entry: Any) -> DataFile | None:
        try:
            return self._table.data_file(entry)
        except PaimonKsyError as error:
            self._add("manifest", entry.file.file_name, str(error))
            return None

    # After the work --

    def _with_older(self, file: DataFile, found: Finding) -> Finding:
        """A broken vector with what older snapshots still hold for its data file."""
        place = file.deletion_vector
        if found.check != "deletion-vector" or place is None:
            return found
        for number in sorted(self._snapshots, reverse=True):
            for key, older in _vector_places(
                self._table, self._index_entries(self._snapshots[number], number)
            ):
                if key != (file.partition, file.bucket, file.name) or older == place:
                    continue
                vector = self._read_vector(older)
                if vector is not None and (vector.max or 0) < file.num_rows:
                    text = f"snapshot {number} holds a sound one that deletes {len(vector)} rows"
                    return replace(found, remedy=f"{found.remedy}; {text}, maybe not all")
        return replace(found, remedy=f"{found.remedy}; no older snapshot holds a sound one")

    def _read_vector(self, place: VectorPlace) -> DeletionVector | None:
        try:
            with self._storage.open(place.path) as source:
                return read_vector(source, place.offset, place.length, place.cardinality)
        except PaimonKsyError:
            return None

    def _unreferenced(self) -> None:
        try:
            found = orphans(self._table)
        except PaimonKsyError:
            return  # what cannot be read is told already, and of it nothing can be said
        for orphan in found:
            self._add(
                "orphan",
                orphan.path,
                "no snapshot, tag, branch or changelog refers to it",
                "delete it: clean-orphans",
                NOTE,
            )


def _vector_places(
    table: Table, entries: Iterable[Any]
) -> Iterator[tuple[tuple[Any, ...], VectorPlace]]:
    """Partition, bucket and name of the data file, and where its vector is."""
    for entry in entries:
        if entry.index_file.index_type == "DELETION_VECTORS":
            partition, path = table.partition_of(entry), table.index_file_path(entry)
            for name, meta in (entry.index_file.dv_ranges or {}).items():
                place = VectorPlace(path, meta.offset, meta.length, meta.cardinality)
                yield (partition, entry.bucket, name), place


def _bucket_key(table: Table, schema: TableSchema) -> Schema | None:
    """What chooses the bucket: the option bucket-key, else the primary key without partitions."""
    given = table.options.get("bucket-key", "")
    names = [name.strip() for name in given.split(",") if name.strip()] or [
        name for name in schema.primary_keys if name not in schema.partition_keys
    ]
    if not names or any(name not in schema.columns for name in names):
        return None
    return Schema(tuple(schema.columns.column(name) for name in names))


def _line(error: BaseException) -> str:
    text = str(error)
    return text.splitlines()[0] if text else type(error).__name__
