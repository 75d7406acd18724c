"""What an audit does with single files: data files, their indexes and vectors, bucket indexes.

Workers do it, each for itself: a `Task` is small and can be pickled, and so is a `Finding`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from functools import cache, partial
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from paimon_ksy.data_files.orc.shifted import is_shifted, may_be_stored_as_others
from paimon_ksy.errors import (
    AccessError,
    OutsideError,
    PaimonKsyError,
    SchemaError,
    UnsupportedError,
)
from paimon_ksy.file_index.check import ShiftedError, check_index
from paimon_ksy.file_index.container import FileIndex
from paimon_ksy.file_index.options import FileIndexOptions
from paimon_ksy.file_index.share import Share, alone, shared
from paimon_ksy.messages.commands import table_command
from paimon_ksy.messages.findings import ERROR, NOTE, REMEDY_ACCESS, WARNING, Finding, corrupt
from paimon_ksy.rows.binary_row import key_hashes
from paimon_ksy.table.audit.read_ahead import ReadAhead
from paimon_ksy.table.engine import LOST
from paimon_ksy.table.index.earlier import own_indexes
from paimon_ksy.table.index.rewrite import FORMATS, read_rows, why_rewrite
from paimon_ksy.table.io.storage import Storage
from paimon_ksy.table.model.files import DataFile, VectorPlace
from paimon_ksy.table.query.buckets import default_buckets
from paimon_ksy.table_index.bucket_index import HARMLESS, BucketIndex, problems, read_bucket_index
from paimon_ksy.table_index.deletion_vector import check_rows_of, read_vector
from paimon_ksy.types.arrow import TICK_NANOS
from paimon_ksy.types.schema import Schema

# Remedies.
REMEDY_MANIFEST = (
    "restore the file from a backup; to see which snapshots can be read, run: "
    "paimon-ksy table inspect TABLE"
)
REMEDY_DATA = "restore the file from a backup: nothing else holds its rows"
REMEDY_LOST = (
    "restore the file from a backup; if memory was short, run: "
    "paimon-ksy table audit TABLE --master 'local[1]'"
)
REMEDY_INDEX = "to rebuild it, run: paimon-ksy table audit TABLE --repair"
REMEDY_UNKNOWN = (
    "its indexes are unknown, and the table's options list none; to have queries ignore it, "
    "run: paimon-ksy table audit TABLE --repair"
)
REMEDY_LEAVE = "nothing needs repair: queries use them, and rewrites keep them"
REMEDY_BUCKETS = "restore the file from a backup, or rescale the table, which reassigns all buckets"

_FEWEST_ROWS = 1 << 18  # of a data file whose columns are worth a thread each
_COLUMNAR = {"parquet", "orc"}

_FEW = 3  # of those that name a file, listed; one more is listed, too

_STALE = {
    "new": ("it has no index, but the table's options ask for one", WARNING),
    "several": ("it has several indexes, but only one is allowed", ERROR),
    "beside": ("it has both an embedded index and an index file, which readers ignore", WARNING),
    "stale": ("it has indexes that the table's options do not list, so new files lack them", NOTE),
    "incomplete": ("it lacks indexes that the table's options ask for", WARNING),
    "threshold": ("its index is not stored where file-index.in-manifest-threshold asks for", NOTE),
    "version": ("its bitmap indexes have another version than the options ask for", NOTE),
}

LACKS = {_STALE["new"][0], _STALE["incomplete"][0]}
"""Messages about files that lack an index which the options list."""


@dataclass(frozen=True)
class Named:
    """A file that something names: it has to be there, with its size if that is told.

    `of` is what names it: its kind and, in one word, its name or number. `snapshot` is the one that
    needs it, if it is one.
    """

    path: str
    size: int | None
    check: str
    of: str
    remedy: str = REMEDY_MANIFEST
    snapshot: int | None = None
    severity: str = ERROR


@dataclass(frozen=True)
class Wrong:
    """A named file that is not there, or has another `size` than it is named with.

    With a `reason` nobody knows: it cannot be looked at.
    """

    named: Named
    size: int | None
    reason: str | None = None

    @property
    def file(self) -> tuple[Any, ...]:
        """The same of all that are wrong with one file in one way, whoever names it."""
        named = self.named
        told = named.path, named.size, named.check, named.remedy, named.severity
        return *told, self.size, self.reason


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


Task = tuple[Named, ...] | DataFile | Buckets


@dataclass(frozen=True)
class Job:
    """What workers know: by schema id the columns of files, their indexes, and the bucket key.

    `snapshot` is the one whose data files are looked at. `table` names the table in commands.
    `listed` are the indexes that its options list, by type, and `names` the columns of files by
    schema id, each with the name that it has by now. `ahead` may have read columns of theirs,
    if all that is done in one process.
    """

    storage: Storage
    schemas: Mapping[int, tuple[Schema, FileIndexOptions, Schema | None]]
    snapshot: int | None
    deep: bool
    fixed: bool
    ahead: ReadAhead | None = None
    table: str = "TABLE"
    listed: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    names: Mapping[int, Mapping[str, str]] = field(default_factory=dict)


_ROWS_A_SECOND = 12_000_000
_NEAR_SECONDS, _AFAR_SECONDS = 0.001, 0.1  # to open a file on this machine, or another one


def seconds_of(job: Job, task: Task) -> float:
    """About what it takes to look at the files of a task."""
    files = [task] if isinstance(task, DataFile) else getattr(task, "files", ())
    rows = sum(file.num_rows for file in files)
    return (_NEAR_SECONDS if job.storage.is_local else _AFAR_SECONDS) + rows / _ROWS_A_SECOND


@dataclass(frozen=True)
class Checks:
    """`check`, as an engine takes it; of a task that ended its process it is told so."""

    job: Job

    def __call__(self, task: Task) -> list[Finding | Wrong]:
        found = check(self.job, task)
        return [one.on(self.job.table) if isinstance(one, Finding) else one for one in found]

    def lost(self, task: Task) -> list[Finding | Wrong]:
        """What to say of a task whose process ended."""
        if isinstance(task, DataFile):
            kind, path = "data-file", task.path
        elif isinstance(task, Buckets):
            kind, path = "bucket-index", task.place
        else:
            kind, path = "data-file", task[0].path
        lost = Finding(ERROR, kind, path, None, None, LOST, REMEDY_LOST)
        return [lost.on(self.job.table)]


def check(job: Job, task: Task) -> list[Finding | Wrong]:
    """What is wrong with the files of a task."""
    if isinstance(task, tuple):
        size_of = cache(partial(_size_of, job))  # several snapshots name the same file
        return [wrong for named in task for wrong in _check_named(named, size_of)]
    if isinstance(task, Buckets):
        return list(_check_buckets(job, task))
    return list(_check_file(job, task))


_Size = int | PaimonKsyError | None
"""Bytes of a file, None if it is not there, or why that cannot be told."""


def _check_named(named: Named, size_of: Callable[[str], _Size]) -> Iterator[Wrong]:
    size = size_of(named.path)
    if isinstance(size, OutsideError):
        named = replace(named, check="path", remedy=size.remedy or named.remedy)
    if isinstance(size, PaimonKsyError):
        yield Wrong(named, None, str(size).removeprefix(f"{named.path}: "))
    elif size is None or named.size not in (None, size):
        yield Wrong(named, size)


def _size_of(job: Job, path: str) -> _Size:
    try:
        return job.storage.size(path)
    except PaimonKsyError as error:
        return None if isinstance(error.__cause__, FileNotFoundError) else error


def told(wrong: Sequence[Wrong]) -> Finding:
    """One finding of a file that is wrong in one way, with some of those that name it."""
    named, size = wrong[0].named, wrong[0].size
    of: dict[str, list[str]] = {}
    for kind, _, name in (one.named.of.rpartition(" ") for one in wrong):
        names = of.setdefault(kind, [])
        if name not in names:
            names.append(name)
    who = " and ".join(map(_listed, of, of.values()))
    s = "s" if sum(map(len, of.values())) == 1 else ""
    if (reason := wrong[0].reason) is not None:
        message = f"{reason}; {who} name{s} it"
        remedy = named.remedy if named.check == "path" else REMEDY_ACCESS
        return Finding(ERROR, named.check, named.path, None, None, message, remedy)
    if size is None:
        message = f"it does not exist, but {who} name{s} it"
    else:
        message = f"it has {size} bytes, but should have {named.size} according to {who}"
    severity = named.severity if size is None else ERROR
    return Finding(severity, named.check, named.path, None, None, message, named.remedy)


def _listed(kind: str, names: list[str]) -> str:
    if len(names) == 1:
        return f"{kind} {names[0]}"
    names = sorted(names, key=lambda name: (name.isdecimal(), int(name) if name.isdecimal() else 0))
    first, last = names[:_FEW], names[_FEW:]
    if not last:
        *first, end = first
    else:
        end = f"{len(last)} more" if len(last) > 1 else last[0]
    return f"{kind}s {', '.join(first)} and {end}"


def _check_file(job: Job, file: DataFile) -> Iterator[Finding | Wrong]:
    of = f"snapshot {job.snapshot}"
    named = Named(file.path, file.size, "data-file", of, REMEDY_DATA, job.snapshot)
    size_of = partial(_size_of, job)
    wrong = list(_check_named(named, size_of))
    yield from wrong
    for name in file.extra_files:
        if not name.endswith(".index"):
            path = f"{file.path.rpartition('/')[0]}/{name}"
            yield from _check_named(replace(named, path=path, size=None), size_of)
    if file.deletion_vector is not None:
        yield from _check_vector(job, file, file.deletion_vector)
    if file.format in FORMATS:
        yield from _check_index(job, file, deep=job.deep and not wrong)
        if job.deep and job.fixed and not wrong:
            yield from _check_fixed_bucket(job, file)
    elif file.index_files or file.embedded_index is not None:
        message = (
            f"its index is not checked: the file format {file.format!r} is unsupported; "
            f"supported are {', '.join(sorted(FORMATS))}"
        )
        yield Finding(NOTE, "index", file.path, None, None, message, "query it with Java")


def _check_index(job: Job, file: DataFile, *, deep: bool) -> Iterator[Finding]:
    columns, options = asked_of(job, file)
    try:
        place = file.index
    except PaimonKsyError:
        yield _stale(job, file, "several")
        return
    if place is not None:
        path = place if isinstance(place, str) else file.path
        which = "" if isinstance(place, str) else "embedded index: "
        try:
            missing = isinstance(place, str) and not job.storage.exists(place)
        except (AccessError, OutsideError) as refused:
            yield corrupt("index", path, refused)
            return
        if missing:
            message = f"it does not exist, but it is the index of {file.name}"
            yield Finding(ERROR, "index", path, None, None, message, _remedy(job, file))
            return
        broken, shifted = False, set[str | None]()
        for error in _index_errors(job, file, place, columns, options, deep=deep):
            if isinstance(error, ShiftedError):
                if error.column in shifted:
                    continue
                shifted.add(error.column)
                yield error.finding(path, which)
                continue
            broken = True
            if isinstance(error, _DataError):
                yield corrupt("data-file", file.path, error.cause, "", REMEDY_DATA)
            else:
                yield corrupt("index", path, error, which, _remedy(job, file))
        if broken:
            return
    why = why_rewrite(job.storage, file, options, drop_unlisted=True)
    if why is not None:
        # Of several one is embedded here: readers take that one. Java's rewrite leaves both.
        yield _stale(job, file, "beside" if why == "several" else why)


def asked_of(job: Job, file: DataFile) -> tuple[Schema, FileIndexOptions]:
    """The columns of a data file, and the indexes that the table's options ask for of it."""
    columns, options, _ = job.schemas[file.schema_id]
    if file.write_columns is not None:
        there = [spec for spec in options.indexes if spec.column in file.write_columns]
        options = replace(options, indexes=tuple(there))
    return columns, options


def _remedy(job: Job, file: DataFile) -> str:
    """What mends a file's index: the indexes that the options list, and those that it had."""
    columns, options = asked_of(job, file)
    if options.indexes or own_indexes(job.storage, file, columns):
        return REMEDY_INDEX
    return REMEDY_UNKNOWN


def _remedy_unlisted(job: Job, file: DataFile) -> str:
    """The command that has later writers build what the file has, too."""
    columns, options = asked_of(job, file)
    asked = {(spec.name, spec.index_type) for spec in options.indexes}
    names = job.names.get(file.schema_id, {})
    listed = {kind: list(columns) for kind, columns in job.listed.items()}
    more: set[str] = set()
    for spec in own_indexes(job.storage, file, columns):
        column = names.get(spec.column)
        name = replace(spec, column=column or "").name
        if (spec.name, spec.index_type) in asked or column is None or "," in name:
            continue
        if name not in listed.setdefault(spec.index_type, []):
            listed[spec.index_type].append(name)
            more.add(spec.index_type)
    if not more:
        return REMEDY_LEAVE
    words = [
        word
        for kind in sorted(more)
        for word in ("--set", f"file-index.{kind}.columns={','.join(listed[kind])}")
    ]
    command = table_command("rewrite-index", *words, "--save-options", table=job.table)
    return f"to have later writers build them too, run: {command}"


class _DataError(PaimonKsyError):
    """The data file itself cannot be read."""

    def __init__(self, cause: PaimonKsyError) -> None:
        super().__init__(str(cause))
        self.cause = cause


def _index_errors(
    job: Job,
    file: DataFile,
    place: bytes | str,
    columns: Schema,
    options: FileIndexOptions,
    *,
    deep: bool,
) -> Iterator[PaimonKsyError]:
    def errors(
        opened: FileIndex, names: Sequence[str], share: Share = alone
    ) -> Iterator[PaimonKsyError]:
        @cache
        def data() -> pa.Table:
            wanted = dict.fromkeys(map(column_of, names))
            there = [name for name in wanted if name in known]
            found = job.ahead and job.ahead.table(file.path, file.num_rows, there)
            if found is not None:
                return found
            try:
                found = read_rows(job.storage, file, columns, there, raw_decimals=True)[0]
            except PaimonKsyError as error:
                raise _DataError(error) from error
            if job.ahead is not None:
                job.ahead.start(file.path, found.schema, columns)
            return found

        check = partial(
            check_index, opened, file.num_rows, columns, options, file_format=file.format
        )
        try:
            yield from check(data if deep else None, names=names, share=share)
        except _DataError as error:
            yield error
            yield from check(None, names=names)

    def errors_apart(names: Sequence[str], share: Share) -> list[PaimonKsyError]:
        try:
            with _opened(job, place) as opened:
                return list(errors(opened, names, share))
        except PaimonKsyError as error:
            return [error]

    def column_of(name: str) -> str:
        return name if name in known else name.partition("[")[0]

    known = {column.name for column in columns}
    try:
        with _opened(job, place) as opened:
            sizes: dict[str, int] = {}
            of_column: dict[str, list[str]] = {}
            for name, entries in opened.places.items():
                column = column_of(name)
                of_column.setdefault(column, []).append(name)
                sizes[column] = sizes.get(column, 0) + sum(_size(e) for e in entries.values())
            if not (deep and _worth_threads(file, len(of_column))):
                yield from errors(opened, opened.columns)
                return
        with ThreadPoolExecutor(min(len(of_column), pa.cpu_count())) as pool:
            # The longest at once; and at the end another long one, as parts of it are shared.
            *others, longest = sorted(of_column, key=sizes.__getitem__)
            found = {
                column: pool.submit(errors_apart, of_column[column], shared(pool))
                for column in (longest, *others)
            }
            told = set()
            for column in of_column:
                for error in found[column].result():
                    if (text := (type(error), str(error))) not in told:
                        told.add(text)
                        yield error
    except PaimonKsyError as error:
        yield error


def _opened(job: Job, place: bytes | str) -> FileIndex:
    return FileIndex.open(job.storage.open(place) if isinstance(place, str) else place)


def _size(entry: Any) -> int:
    """Bytes of an index."""
    return 0 if entry.is_empty else int(entry.len_body)


def _worth_threads(file: DataFile, columns: int) -> bool:
    """Whether columns are looked at by a thread each; not of Avro, which has them together."""
    few = columns < 2 or file.num_rows < _FEWEST_ROWS or file.format not in _COLUMNAR
    return not few and pa.cpu_count() > 1


def _stale(job: Job, file: DataFile, why: str) -> Finding:
    message, severity = _STALE.get(why, ("it cannot be read", ERROR))
    check, remedy = "index-options", REMEDY_INDEX
    if why == "stale":
        check, remedy = "index-unlisted", _remedy_unlisted(job, file)
    elif why not in ("new", "threshold", "version"):
        remedy = _remedy(job, file)
    return Finding(severity, check, file.path, None, None, message, remedy)


def _check_vector(job: Job, file: DataFile, place: VectorPlace) -> Iterator[Finding]:
    told = (
        ""
        if place.cardinality is None
        else "; according to the manifest, {} of {} rows are deleted"
    )
    remedy = (
        f"the deleted rows of {file.name} are unknown"
        + told.format(place.cardinality, file.num_rows)
        + "; restore the file from a backup"
    )
    try:
        with job.storage.open(place.path) as source:
            vector = read_vector(source, place.offset, place.length, place.cardinality)
            check_rows_of(vector, file.name, file.num_rows, place.offset)
    except PaimonKsyError as error:
        yield corrupt("deletion-vector", place.path, error, "", remedy)


# Buckets ----------------------------------------------------------------------------------------


def _check_buckets(job: Job, task: Buckets) -> Iterator[Finding]:
    """Dynamic buckets: a key belongs to one, and its hash code is in that one's index."""
    read: dict[int, tuple[Hashed, BucketIndex]] = {}
    for hashed in task.indexes:
        named = Named(
            hashed.path, hashed.size, "bucket-index", "the index manifest", REMEDY_BUCKETS
        )
        wrong = list(_check_named(named, partial(_size_of, job)))
        if wrong:
            yield told(wrong)
        if wrong:
            continue
        found = partial(Finding, ERROR, "bucket-index", hashed.path, None)
        with job.storage.open(hashed.path) as source:
            index = read_bucket_index(source)
        for severity, byte, message in problems(index, hashed.count):
            remedy = REMEDY_BUCKETS if severity == ERROR else HARMLESS
            yield Finding(severity, "bucket-index", hashed.path, None, byte, message, remedy)
        if hashed.bucket in read:
            message = f"it is a second index of bucket {hashed.bucket}"
            yield found(None, message, REMEDY_BUCKETS)
        for bucket, (_, other) in read.items():
            both = np.flatnonzero(other.contains(index.hashes))
            if len(both) and bucket != hashed.bucket:
                at = int(both[0])
                message = (
                    f"bucket {bucket} also contains {len(both)} of its hash codes; the first "
                    f"is {index.hashes[at]}"
                )
                yield found(at * index.hashes.itemsize, message, REMEDY_BUCKETS)
        read[hashed.bucket] = hashed, index
    if task.indexes:
        known = {hashed.bucket for hashed in task.indexes}
        for bucket in sorted(task.with_files - known):
            message = f"bucket {bucket} has data files, but no bucket index"
            yield Finding(ERROR, "bucket-index", task.place, None, None, message, REMEDY_BUCKETS)
    for file in task.files:
        yield from _check_keys(job, file, read)


def _check_keys(
    job: Job, file: DataFile, read: Mapping[int, tuple[Hashed, BucketIndex]]
) -> Iterator[Finding]:
    if file.bucket not in read:
        return
    hashed, index = read[file.bucket]
    try:
        hashes, is_sure = _key_hashes(job, file)
    except PaimonKsyError as error:
        yield corrupt("data-file", file.path, error, "", REMEDY_DATA)
        return
    lost = np.flatnonzero(~index.contains(hashes) & is_sure)
    if not len(lost):
        return
    row = int(lost[0])
    others = [
        bucket for bucket, (_, other) in read.items() if other.contains(hashes[row : row + 1])[0]
    ]
    where = f", which bucket {others[0]} contains" if others else ""
    message = (
        f"it lacks the hash codes of {len(lost)} keys of {file.name} in bucket {file.bucket}; "
        f"the first is {hashes[row]} in row {row}{where}"
    )
    yield Finding(ERROR, "bucket", hashed.path, None, None, message, REMEDY_BUCKETS)


def _check_fixed_bucket(job: Job, file: DataFile) -> Iterator[Finding]:
    if file.total_buckets < 1 or file.bucket < 0:
        return
    try:
        hashes, is_sure = _key_hashes(job, file)
    except (UnsupportedError, SchemaError):  # null in a bucket key; columns written elsewhere
        return
    except PaimonKsyError as error:
        yield corrupt("data-file", file.path, error, "", REMEDY_DATA)
        return
    buckets = default_buckets(hashes, file.total_buckets)
    wrong = np.flatnonzero((buckets != file.bucket) & is_sure)
    if len(wrong):
        row = int(wrong[0])
        message = (
            f"{len(wrong)} rows in bucket {file.bucket} belong to other buckets; the first is "
            f"row {row}, which belongs to bucket {buckets[row]} of {file.total_buckets}"
        )
        remedy = "write the rows of this file again"
        yield Finding(ERROR, "bucket", file.path, None, None, message, remedy)


def _key_hashes(job: Job, file: DataFile) -> tuple[NDArray[np.int32], NDArray[np.bool_]]:
    """The hash codes of the keys, and whether the keys surely are those that were written."""
    columns, _, key = job.schemas[file.schema_id]
    if key is None:
        return np.empty(0, np.int32), np.empty(0, np.bool_)
    rows, _ = read_rows(job.storage, file, columns, key.names)
    decoded = rows.combine_chunks()
    is_sure = np.ones(decoded.num_rows, np.bool_)
    for column in key:
        if is_shifted(column.type, file.format):
            values = decoded[column.name].combine_chunks()
            per_second = 10**9 // TICK_NANOS[values.type.unit]
            ticks = pc.fill_null(values.view(pa.int64()), 0).to_numpy()
            is_sure &= ~may_be_stored_as_others(ticks, per_second)
    return key_hashes(decoded, key), is_sure
