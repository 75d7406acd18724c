"""What an audit does with single files: data files, their indexes and vectors, bucket indexes.

Workers do it, each for itself: a `Task` is small and can be pickled, and so is a `Finding`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, replace
from functools import cache, partial
from typing import Any

import numpy as np
import pyarrow as pa

from paimon_ksy.binary_row import key_hashes
from paimon_ksy.bucket_index import BucketIndex, read_bucket_index
from paimon_ksy.deletion_vector import read_vector
from paimon_ksy.errors import (
    AccessError,
    CorruptFileError,
    PaimonKsyError,
    SchemaError,
    UnsupportedError,
)
from paimon_ksy.file_index import FileIndex
from paimon_ksy.index_check import check_index
from paimon_ksy.options import FileIndexOptions, IndexSpec
from paimon_ksy.schema import Schema
from paimon_ksy.share import Share, alone, shared
from paimon_ksy.table.buckets import default_buckets
from paimon_ksy.table.engine import LOST
from paimon_ksy.table.read_ahead import ReadAhead
from paimon_ksy.table.rewrite import FORMATS, own_indexes, read_rows, why_rewrite
from paimon_ksy.table.storage import Storage
from paimon_ksy.table.store import DataFile, VectorPlace

ERROR, WARNING, NOTE = "error", "warning", "note"

# Remedies.
REMEDY_MANIFEST = "restore the file from a backup, or roll the table back to a sound snapshot"
REMEDY_ACCESS = "see to it that the file can be reached, and audit again"
REMEDY_DATA = "restore the file from a backup: it cannot be made again"
REMEDY_LOST = (
    "restore the file from a backup; if memory was short, audit again with fewer tasks at a time"
)
REMEDY_INDEX = "build it again: audit --repair, or rewrite-index"
REMEDY_OWN = "build it again: audit --repair; rewrite-index would drop it: no option asks for it"
REMEDY_UNASKED = (
    "ask for them in the table's options, so that new files get them too; or drop them: "
    "rewrite-index; audit --repair leaves them"
)
REMEDY_BUCKETS = "rescale the table, which assigns buckets anew, or restore the file from a backup"

_FEWEST_ROWS = 1 << 18  # of a data file whose columns are worth a thread each
_COLUMNAR = {"parquet", "orc"}

_FEW = 3  # of those that name a file, listed; one more is listed, too

_STALE = {
    "new": ("it has no index, and the table's options ask for one", WARNING),
    "several": ("it has several indexes where one is allowed", ERROR),
    "beside": ("it has an index file beside its embedded index, which alone is used", WARNING),
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

    `snapshot` is the one whose data files are looked at. `ahead` may have read columns of theirs,
    if all that is done in one process.
    """

    storage: Storage
    schemas: Mapping[int, tuple[Schema, FileIndexOptions, Schema | None]]
    snapshot: int | None
    deep: bool
    fixed: bool
    ahead: ReadAhead | None = None


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
        return check(self.job, task)

    def lost(self, task: Task) -> list[Finding | Wrong]:
        """What to say of a task whose process ended."""
        if isinstance(task, DataFile):
            kind, path = "data-file", task.path
        elif isinstance(task, Buckets):
            kind, path = "bucket-index", task.place
        else:
            kind, path = "data-file", task[0].path
        return [Finding(ERROR, kind, path, None, None, LOST, REMEDY_LOST)]


def check(job: Job, task: Task) -> list[Finding | Wrong]:
    """What is wrong with the files of a task."""
    if isinstance(task, tuple):
        size_of = cache(partial(_size_of, job))  # several snapshots name the same file
        return [wrong for named in task for wrong in _check_named(named, size_of)]
    if isinstance(task, Buckets):
        return list(_check_buckets(job, task))
    return list(_check_file(job, task))


def _check_named(named: Named, size_of: Callable[[str], int | str | None]) -> Iterator[Wrong]:
    size = size_of(named.path)
    if isinstance(size, str):
        yield Wrong(named, None, size)
    elif size is None or named.size not in (None, size):
        yield Wrong(named, size)


def _size_of(job: Job, path: str) -> int | str | None:
    """Bytes of a file, None if it is not there, or why that cannot be told."""
    try:
        return job.storage.size(path)
    except PaimonKsyError as error:
        missing = isinstance(error.__cause__, FileNotFoundError)
        return None if missing else str(error).removeprefix(f"{path}: ")


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
        return Finding(ERROR, named.check, named.path, None, None, message, REMEDY_ACCESS)
    if size is None:
        message = f"it is not there, and {who} name{s} it"
    else:
        message = f"it has {size} bytes, and {who} say{s} {named.size}"
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
            f"its index is not looked at: files of the format {file.format!r} are not read here, "
            f"but {', '.join(sorted(FORMATS))}"
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
        except AccessError as denied:
            yield corrupt("index", path, denied)
            return
        if missing:
            message = f"it is not there, and {file.name} has it as its index"
            yield Finding(ERROR, "index", path, None, None, message, _remedy(job, file))
            return
        broken = False
        for error in _index_errors(job, file, place, columns, options, deep=deep):
            broken = True
            if isinstance(error, _DataError):
                yield corrupt("data-file", file.path, error.cause, "", REMEDY_DATA)
            else:
                yield corrupt("index", path, error, which, _remedy(job, file))
        if broken:
            return
    why = why_rewrite(job.storage, file, options)
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
    """What mends a file's index: that which the options ask for is built, else what it had."""
    columns, options = asked_of(job, file)
    own = own_indexes(job.storage, file, columns)
    if not options.indexes:
        if own:
            return (
                f"build {_named(own)} again: audit --repair; rewrite-index would drop it, as the "
                "table's options ask for no index"
            )
        return (
            "drop it: audit --repair, or rewrite-index; what was in it is not known, and the "
            "table's options ask for no index"
        )
    wanted = {(spec.name, spec.index_type) for spec in options.indexes}
    lost = [spec for spec in own if (spec.name, spec.index_type) not in wanted]
    if not lost:
        return REMEDY_INDEX
    return f"{REMEDY_INDEX}; {_named(lost)} is dropped, as the table's options do not ask for it"


def _named(specs: Sequence[IndexSpec]) -> str:
    """As `bitmap of a, b and bsi of c`."""
    columns: dict[str, list[str]] = {}
    for spec in specs:
        columns.setdefault(spec.index_type, []).append(spec.name)
    return " and ".join(f"{kind} of {', '.join(names)}" for kind, names in columns.items())


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

        check = partial(check_index, opened, file.num_rows, columns, options)
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
    if why == "stale" and not asked_of(job, file)[1].indexes:
        severity, remedy = NOTE, REMEDY_UNASKED
    elif why in ("new", "threshold", "version"):
        remedy = REMEDY_INDEX
    else:
        remedy = _remedy(job, file)
    return Finding(severity, "index-options", file.path, None, None, message, remedy)


def corrupt(
    kind: str, path: str, error: PaimonKsyError, which: str = "", remedy: str = ""
) -> Finding:
    """An error over the file at `path` as a finding; `which` says what part of it."""
    if isinstance(error, AccessError):  # an index that may be sound is not built again
        kind, remedy = ("index-file" if kind == "index" else kind), REMEDY_ACCESS
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
        if index.trailing:
            message = f"{len(index.trailing)} bytes follow the last hash code"
            yield found(hashed.size - len(index.trailing), message, REMEDY_BUCKETS)
        if len(index) != hashed.count:
            message = f"it has {len(index)} hash codes, and the manifest says {hashed.count}"
            yield found(None, message, REMEDY_BUCKETS)
        if index.distinct != len(index):
            message = f"{len(index) - index.distinct} hash codes stand in it twice"
            yield Finding(
                WARNING, "bucket-index", hashed.path, None, None, message, "it does no harm"
            )
        if hashed.bucket in read:
            message = f"a second index of bucket {hashed.bucket}"
            yield found(None, message, REMEDY_BUCKETS)
        for bucket, (_, other) in read.items():
            both = np.flatnonzero(other.contains(index.hashes))
            if len(both) and bucket != hashed.bucket:
                at = int(both[0])
                message = (
                    f"{len(both)} hash codes are in bucket {bucket} too, the first is "
                    f"{index.hashes[at]}"
                )
                yield found(at * index.hashes.itemsize, message, REMEDY_BUCKETS)
        read[hashed.bucket] = hashed, index
    if task.indexes:
        known = {hashed.bucket for hashed in task.indexes}
        for bucket in sorted(task.with_files - known):
            message = f"bucket {bucket} has data files and no index of its keys"
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
        hashes = _key_hashes(job, file)
    except PaimonKsyError as error:
        yield corrupt("data-file", file.path, error, "", REMEDY_DATA)
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
    yield Finding(ERROR, "bucket", hashed.path, None, None, message, REMEDY_BUCKETS)


def _check_fixed_bucket(job: Job, file: DataFile) -> Iterator[Finding]:
    if file.total_buckets < 1 or file.bucket < 0:
        return
    try:
        hashes = _key_hashes(job, file)
    except (UnsupportedError, SchemaError):  # null in a bucket key; columns written elsewhere
        return
    except PaimonKsyError as error:
        yield corrupt("data-file", file.path, error, "", REMEDY_DATA)
        return
    buckets = default_buckets(hashes, file.total_buckets)
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
