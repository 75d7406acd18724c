"""Builds the file indexes of a table's data files as its options ask for, in one commit.

What is built is what Java's `FileIndexProcessor` builds: of each data file the columns that it has
under the schema it was written with, by field id, under the names and types of that schema, since
readers ask in these. Other than there, nothing of an earlier index is kept: what the options no
longer ask for is gone.
"""

from __future__ import annotations

import sys
import time
import uuid
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Any

from paimon_ksy import bitmap
from paimon_ksy.build import check_options, index_parts
from paimon_ksy.data_file import RESTORE, columns_of, open_data_file, read_columns
from paimon_ksy.decimals import raw_decimals as raw_decimals_of
from paimon_ksy.errors import (
    AccessError,
    CorruptFileError,
    OptionError,
    PaimonKsyError,
    PredicateError,
    UnsupportedError,
)
from paimon_ksy.file_index import CorruptErrors, FileIndex
from paimon_ksy.filter import holds
from paimon_ksy.index_check import spec_named
from paimon_ksy.options import FileIndexOptions, IndexSpec, parse_options
from paimon_ksy.predicate import Predicate, bind
from paimon_ksy.schema import Field, Schema
from paimon_ksy.table.engine import Engine, spark_engine
from paimon_ksy.table.storage import Storage
from paimon_ksy.table.store import (
    ConflictError,
    DataFile,
    NewIndex,
    Statistics,
    Table,
    TableOrPath,
    TableSchema,
    UncertainError,
    commit_indexes,
    with_raw_decimals,
)

if TYPE_CHECKING:
    import pyarrow as pa

FORMATS = {"parquet", "orc", "avro"}
"""Of the data files that can be indexed; others, such as blobs, are left as they are."""

_ATTEMPTS = 20
_VALUES_A_SECOND = 3e7  # about, to know how many files are worth a job
NO_STATISTICS = Statistics((), (), (), ())


@dataclass(frozen=True)
class Outcome:
    """What was done, or in a dry run would be, with a data file.

    `reason` says why it gets another index: `new` if it has none; None if it is left. `index` is
    None then, and in a dry run. `columns` are how many have an index of each type, `sizes` the
    bytes of these and `seconds` those of building them.
    """

    reason: str | None
    index: NewIndex | None = None
    rows: int = 0
    columns: Mapping[str, int] = field(default_factory=dict)
    bytes_read: int = 0
    bytes_written: int = 0
    sizes: Mapping[str, int] = field(default_factory=dict)
    seconds: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class Built:
    """What was built of an index type: for `files` with `rows`, of which `values` are indexed, a
    value of each row and column. `bytes` and `seconds` are of all work, also of what had to be
    built again, seconds summed over the workers; in a dry run there are none."""

    files: int
    rows: int
    values: int
    bytes: int
    seconds: float


@dataclass(frozen=True)
class RewriteSummary:
    """What a rewrite did, or in a dry run would do.

    `files` are those of the partitions asked for. They are rewritten for `reasons`, left since
    their indexes match, or unsupported. Of those rewritten, `embedded` and `index_files` got an
    index there, and `dropped` have none any more. `values` are indexed values: rows of each index.
    `indexes` are by index type. `seconds` are all that passed; bytes are of all work, also of what
    had to be built again. `attempts` are the commits tried. `snapshot` is None if there was nothing
    to commit.
    """

    snapshot: int | None
    files: int
    rewritten: int
    left: int
    unsupported: int
    reasons: Mapping[str, int]
    embedded: int
    index_files: int
    dropped: int
    rows: int
    values: int
    bytes_read: int
    bytes_written: int
    seconds: float
    indexes: Mapping[str, Built]
    attempts: int
    dry_run: bool

    def to_json(self) -> dict[str, Any]:
        """All of it as a JSON object."""
        return {
            **self.__dict__,
            "reasons": dict(self.reasons),
            "seconds": round(self.seconds, 3),
            "indexes": {
                kind: {**built.__dict__, "seconds": round(built.seconds, 3)}
                for kind, built in self.indexes.items()
            },
        }


def rewrite_index(
    table: TableOrPath,
    where: Predicate | str | None = None,
    *,
    set: Mapping[str, str] | None = None,
    dry_run: bool = False,
    force: bool = False,
    engine: Engine | None = None,
    spark: Any = None,
    progress: Callable[[DataFile, Outcome], None] | None = None,
    only: Callable[[DataFile], bool] | None = None,
    keep_unasked: bool = False,
) -> RewriteSummary:
    """Give each data file the indexes that the table's options ask for, in one commit.

    `where` is a predicate on partition columns. `set` changes options for this time; an empty
    value takes one away. Files whose index has the columns and types already are left, unless
    `force`. It runs on `engine`; else on Spark, in the session `spark`, or the active one, or a new
    local one. If others change the same files meanwhile, what is left is planned again; if anything
    fails nothing is committed, and the new index files are deleted. `progress` is told of each data
    file that is done. Data files that are not `only` are passed over.

    Raises OptionError, UnsupportedError and SchemaError before any work, PredicateError,
    CorruptFileError, ConflictError if others were always first; UncertainError if it cannot be
    told whether the commit was made.
    """
    if not isinstance(table, Table):
        table = Table.at(table)
    keep = partitions_where(table.schema, where)
    options = wanted_options(table.schema, set or {})
    run = _Run(table, options, keep, dry_run, force, only, keep_unasked)
    return run.rewrite(engine or spark_engine(spark), progress)


# What is wanted ---------------------------------------------------------------------------------


def wanted_options(schema: TableSchema, changed: Mapping[str, str]) -> FileIndexOptions:
    """The indexes that the table's options ask for, with some changed, checked against its columns.

    Raises OptionError, UnsupportedError.
    """
    for key in changed:
        parts = key.split(".")
        is_known = parts[1:] == [_THRESHOLD] or len(parts) == 4 or parts[2:] == ["columns"]
        if parts[0] != "file-index" or not is_known:
            raise OptionError(
                f"{key!r} is no option of file indexes: set file-index.TYPE.columns, "
                f"file-index.TYPE.COLUMN.OPTION or file-index.{_THRESHOLD}"
            )
    own = {key: value for key, value in schema.options.items() if not _replaced(key, changed)}
    merged = {**own, **changed}
    options = parse_options({key: value for key, value in merged.items() if value.strip()})
    try:
        check_options(schema.columns, options)
    except OptionError as error:
        raise OptionError(
            f"{error}; change the table's option, or set it for this time: "
            "--set file-index.TYPE.columns=COLUMNS"
        ) from None
    return options


def usable_options(schema: TableSchema) -> tuple[FileIndexOptions, list[str]]:
    """What `wanted_options` gives of the table's own, and what is wrong with the others.

    Java lets a column be dropped that an option names, after which it cannot write.
    """
    try:
        options = parse_options({k: value for k, value in schema.options.items() if value.strip()})
    except OptionError as error:
        return FileIndexOptions(), [str(error)]
    found, wrong = [], []
    for spec in options.indexes:
        try:
            check_options(schema.columns, FileIndexOptions((spec,)))
            found.append(spec)
        except (OptionError, UnsupportedError) as error:
            wrong.append(str(error))
    return replace(options, indexes=tuple(found)), wrong


_THRESHOLD = "in-manifest-threshold"


def _replaced(key: str, changed: Mapping[str, str]) -> bool:
    """Whether the option is of a column of an index type whose columns are set anew."""
    parts = key.split(".")
    return (
        len(parts) == 4
        and parts[0] == "file-index"
        and (columns := changed.get(f"file-index.{parts[1]}.columns")) is not None
        and parts[2] not in {name.strip().partition("[")[0] for name in columns.split(",")}
    )


def file_options(
    options: FileIndexOptions, table: TableSchema, file: TableSchema
) -> FileIndexOptions:
    """The options for data files of a schema: its names, without what cannot be indexed there.

    A column that it lacks has no index, and none of a type that an index refuses, though it takes
    the type that the column has by now.
    """
    names = {field_id: name for name, field_id in file.ids.items()}
    found = []
    for spec in options.indexes:
        name = names.get(table.ids[spec.column])
        if name is None:
            continue
        own = IndexSpec(spec.index_type, name, spec.key, spec.options)
        with suppress(UnsupportedError, OptionError):
            check_options(file.columns, FileIndexOptions((own,)))
            found.append(own)
    return FileIndexOptions(tuple(found), options.in_manifest_threshold)


def partitions_where(
    schema: TableSchema, where: Predicate | str | None
) -> Callable[[tuple[Any, ...], int], bool] | None:
    """Whether files of a partition are asked for."""
    if where is None:
        return None
    keys = ", ".join(schema.partition_keys)
    try:
        if isinstance(where, str):
            from paimon_ksy.sql import parse_predicate

            where = parse_predicate(where, schema.columns)
        bind(where, schema.columns)
        bound = bind(where, schema.partition_schema)
    except PredicateError as error:
        if not keys:
            raise PredicateError("the table has no partitions to choose by a predicate") from None
        raise PredicateError(f"only partition columns ({keys}) choose files: {error}") from None
    return lambda partition, _: (
        holds(bound, dict(zip(schema.partition_keys, partition, strict=True))) is True
    )


# One data file ----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Job:
    """What workers know of a run: by schema id the columns of data files and their indexes."""

    storage: Storage
    wanted: Mapping[int, tuple[Schema, FileIndexOptions]]
    run: str
    dry_run: bool
    force: bool
    keep_unasked: bool = False


def index_file(job: Job, file: DataFile) -> Outcome:
    """Build the indexes of a data file that are asked for, unless it has them.

    Raises PaimonKsyError that names the file.
    """
    columns, options = job.wanted[file.schema_id]
    if file.write_columns is not None:
        there = [spec for spec in options.indexes if spec.column in file.write_columns]
        options = replace(options, indexes=tuple(there))
    if job.keep_unasked and not options.indexes:
        options = replace(options, indexes=own_indexes(job.storage, file, columns))
    reason = why_rewrite(job.storage, file, options)
    if reason is None and options.indexes and job.force:
        reason = "forced"
    if reason is None:
        return Outcome(None)
    if not options.indexes:
        return Outcome(reason, NewIndex())
    if job.dry_run:
        return Outcome(reason, rows=file.num_rows, columns=_columns_by_type(options))
    return _built(job, file, columns, options, reason)


def _columns_by_type(options: FileIndexOptions) -> Mapping[str, int]:
    return Counter(spec.index_type for spec in options.indexes)


def _built(
    job: Job, file: DataFile, columns: Schema, options: FileIndexOptions, reason: str
) -> Outcome:
    names = list(dict.fromkeys(spec.column for spec in options.indexes))
    started = time.perf_counter()
    seconds: defaultdict[str, float] = defaultdict(float)

    def built(rows: int, _: int) -> None:
        nonlocal started
        done = rows // file.num_rows if file.num_rows else 0
        now = time.perf_counter()
        if done:
            seconds[options.indexes[done - 1].index_type] += now - started
        started = now

    try:
        rows, bytes_read = read_rows(job.storage, file, columns, names, raw_decimals=True)
        started = time.perf_counter()
        parts, sizes = index_parts(rows, columns, options, on_progress=built)
    except CorruptFileError as error:
        error.path = error.path or file.path
        raise
    except PaimonKsyError as error:
        if file.path in str(error):
            raise
        raise type(error)(f"{file.path}: {error}") from error
    outcome = Outcome(
        reason,
        rows=file.num_rows,
        columns=_columns_by_type(options),
        bytes_read=bytes_read,
        bytes_written=sum(map(len, parts)),
        sizes=sizes,
        seconds=dict(seconds),
    )
    if outcome.bytes_written <= options.in_manifest_threshold:
        return replace(outcome, index=NewIndex(embedded=b"".join(parts)))
    # A name for each time, since Spark may run a task twice, and one file may be in use by then.
    name = f"{file.name}-{job.run}{uuid.uuid4().hex[:8]}.index"
    job.storage.write(f"{_folder(file)}/{name}", *parts)
    return replace(outcome, index=NewIndex(file_name=name))


def read_rows(
    storage: Storage,
    file: DataFile,
    columns: Schema,
    names: Sequence[str],
    most: int | None = None,
    *,
    raw_decimals: bool = False,
) -> tuple[pa.Table, int]:
    """These columns of a data file as they are stored, and the bytes read for it.

    `columns` are those of the schema that the file was written with. With `most` the first rows, no
    more than these. With `raw_decimals`, decimals may be the bytes that Parquet has, which indexes
    are built from, too. Raises CorruptFileError, also if it has more or fewer rows than the
    manifest says, and PaimonKsyError.
    """
    own = [field for field in columns if field.name in names]
    change = partial(_with_raw_decimals, own) if raw_decimals else None
    with storage.open(file.path) as source:
        data_file = open_data_file(source, dictionaries=True, metadata=change)
        part = columns_of(data_file, file.path, names, columns)
        rows = read_columns(data_file, file.path, part, most=most, types=columns)
        wanted = file.num_rows if most is None else min(most, file.num_rows)
        if names and rows.num_rows != wanted:
            raise CorruptFileError(
                f"has {rows.num_rows} rows, and the manifest says {file.num_rows}", remedy=RESTORE
            )
        return rows, source.bytes_read


def _with_raw_decimals(columns: Sequence[Field], metadata: Any, schema: pa.Schema) -> Any:
    raw = raw_decimals_of(metadata, schema, columns)
    return with_raw_decimals(metadata, raw) if raw else metadata


def _folder(file: DataFile) -> str:
    return file.path.rpartition("/")[0]


def why_rewrite(storage: Storage, file: DataFile, options: FileIndexOptions) -> str | None:
    """Why the file needs another index; None if it has what is asked for.

    Of an index the head is read; of bitmaps the version, if the options say which.
    """
    has = (file.embedded_index is not None) + len(file.index_files)
    if not has:
        return "new" if options.indexes else None
    if has > 1:
        return "several"
    if file.embedded_index is None and not options.indexes:
        return "stale"
    try:
        index = file.embedded_index
        source = storage.open(file.index_files[0]) if index is None else index
        with FileIndex.open(source) as opened:
            return _why_not(opened, options, embedded=index is not None)
    except AccessError:
        raise
    except PaimonKsyError:
        return "broken"


@lru_cache(maxsize=256)
def _can_be_built(columns: Schema, kind: str, name: str) -> bool:
    try:
        check_options(columns, FileIndexOptions((spec_named(kind, name),)))
    except PaimonKsyError:
        return False
    return True


def own_indexes(storage: Storage, file: DataFile, columns: Schema) -> tuple[IndexSpec, ...]:
    """The indexes that a data file's own index names, as far as its head can be read.

    Of columns and types that can be indexed, bitmaps in the version that they have; with the
    options that there are if none are given, for an index does not tell its others.
    """
    found: dict[tuple[str, str], IndexSpec] = {}
    indexes = [file.embedded_index, *file.index_files]
    for index in indexes:
        if index is None:
            continue
        with (
            suppress(PaimonKsyError),
            FileIndex.open(storage.open(index) if isinstance(index, str) else index) as opened,
        ):
            for name, entries in opened.indexes.items():
                for kind, entry in entries.items():
                    spec = spec_named(kind, name)
                    if kind == "bitmap" and not entry.is_empty:
                        with suppress(PaimonKsyError), CorruptErrors(opened.source):
                            version = bitmap.version(opened.source, entry.ofs_body)
                            spec = replace(spec, options={"version": str(version)})
                    if _can_be_built(columns, kind, name):
                        found[name, kind] = spec
    return FileIndexOptions.of(found.values()).indexes


def _why_not(opened: FileIndex, options: FileIndexOptions, *, embedded: bool) -> str | None:
    wanted = {(spec.name, spec.index_type): spec for spec in options.indexes}
    there = {
        (name, kind): entry
        for name, entries in opened.indexes.items()
        for kind, entry in entries.items()
    }
    if wanted.keys() != there.keys():
        return "incomplete" if wanted.keys() - there.keys() else "stale"
    # What `store` may put into the head does not count; Kaitai leaves it out if it is not there.
    size = opened.source.size - len(getattr(opened.head.head, "redundant", b""))
    if wanted and embedded != (size <= options.in_manifest_threshold):
        return "threshold"
    for key, spec in wanted.items():
        version = spec.options.get("version")
        if spec.index_type == "bitmap" and version is not None and not there[key].is_empty:
            with CorruptErrors(opened.source, spec.name):
                if str(bitmap.version(opened.source, there[key].ofs_body)) != version.strip():
                    return "version"
    return None


# A whole table ----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Done:
    """What is kept of a data file that gets another index: there may be very many."""

    reason: str
    index: NewIndex
    folder: str
    rows: int
    columns: tuple[tuple[str, int], ...]
    drops: bool


class _Run:
    """A rewrite: what is done already, through all attempts to commit it.

    A dry run keeps counts alone, and any other of each file that changes what `_Done` has, by the
    file's digest.
    """

    def __init__(
        self,
        table: Table,
        options: FileIndexOptions,
        keep: Callable[[tuple[Any, ...], int], bool] | None,
        dry_run: bool,
        force: bool,
        only: Callable[[DataFile], bool] | None = None,
        keep_unasked: bool = False,
    ) -> None:
        self._table, self._options, self._keep, self._only = table, options, keep, only
        self._keep_unasked = keep_unasked
        self._dry_run, self._force = dry_run, force
        self._id = uuid.uuid4().hex[:8]
        self._done: dict[bytes, _Done] = {}
        self._total: Counter[str] = Counter()
        self._reasons: Counter[str] = Counter()
        # Columns by index type, each of which many files share.
        self._columns: dict[tuple[tuple[str, int], ...], tuple[tuple[str, int], ...]] = {}
        self._by_type: defaultdict[str, Counter[str]] = defaultdict(Counter)
        self._seconds: defaultdict[str, float] = defaultdict(float)
        self._pending: dict[bytes, str] = {}
        self._files = self._unsupported = 0
        self._may_be_committed = False

    def rewrite(
        self, engine: Engine, progress: Callable[[DataFile, Outcome], None] | None
    ) -> RewriteSummary:
        """Build, and commit; again what is left if others were first."""
        started = time.perf_counter()
        try:
            for attempt in range(1, _ATTEMPTS + 1):
                self._build(engine, progress)
                if self._dry_run:
                    return self._summary(None, attempt, started)
                try:
                    snapshot = self._commit()
                except ConflictError:
                    if attempt == _ATTEMPTS:
                        raise
                    time.sleep(0.05 * attempt)
                else:
                    return self._summary(snapshot, attempt, started)
            raise AssertionError("the last attempt returns or raises")
        except BaseException:  # Ctrl+C too
            if not self._may_be_committed:
                self._clean_up()
            raise

    def _commit(self) -> int | None:
        planned = {digest: done.index for digest, done in self._done.items()}
        self._may_be_committed = True
        try:
            return commit_indexes(self._table, planned)
        except UncertainError:
            raise
        except PaimonKsyError:  # of anything else, such as Ctrl+C, it is not sure
            self._may_be_committed = False
            raise

    def _build(self, engine: Engine, progress: Callable[[DataFile, Outcome], None] | None) -> None:
        """Have an outcome of each live file that gets another index, and of no other."""
        gone = set(self._done)
        snapshot = self._table.snapshot()
        job = self._job()  # later than the snapshot: it knows all schemas of its files
        tasks = self._tasks(snapshot, gone)
        for file, outcome in engine.map(partial(index_file, job), tasks, seconds=self._seconds_of):
            self._keep_outcome(file, outcome)
            if progress is not None:
                progress(file, outcome)
        for digest in gone:
            self._drop(digest)

    def _seconds_of(self, file: DataFile) -> float:
        """About what it takes to build the indexes of a file."""
        values = 0 if self._dry_run else file.num_rows * len(self._options.indexes)
        return 0.01 + values / _VALUES_A_SECOND

    def _keep_outcome(self, file: DataFile, outcome: Outcome) -> None:
        digest = file.digest
        folder = self._pending.pop(digest, None) or _folder(file)
        if outcome.reason is None:
            return
        reason = sys.intern(outcome.reason)
        index = outcome.index or NewIndex()
        drops = outcome.index == NewIndex()
        columns = tuple(sorted(outcome.columns.items()))
        columns = self._columns.setdefault(columns, columns)
        done = _Done(reason, index, folder, outcome.rows, columns, drops)
        if not self._dry_run:
            self._done[digest] = done
        self._count(done, 1)
        # Work is work, though its index may have to be dropped later.
        self._total["bytes_read"] += outcome.bytes_read
        self._total["bytes_written"] += outcome.bytes_written
        for kind, size in outcome.sizes.items():
            self._by_type[kind]["bytes"] += size
        for kind, passed in outcome.seconds.items():
            self._seconds[kind] += passed

    def _count(self, done: _Done, times: int) -> None:
        self._reasons[done.reason] += times
        self._total["embedded"] += times * (done.index.embedded is not None)
        self._total["index_files"] += times * (done.index.file_name is not None)
        self._total["dropped"] += times * done.drops
        self._total["rows"] += times * done.rows
        for kind, columns in done.columns:
            self._total["values"] += times * columns * done.rows
            counts = {"files": 1, "rows": done.rows, "values": columns * done.rows}
            self._by_type[kind].update({what: times * n for what, n in counts.items()})

    def _tasks(self, snapshot: Any, gone: set[bytes]) -> Iterator[DataFile]:
        """The live files that have no outcome yet, or had another index then.

        What was done with others of them stays, so they are taken from those that are `gone`.
        """
        self._files = self._unsupported = 0
        folder = ""
        for found in self._table.files(snapshot, self._keep):
            if self._only is not None and not self._only(found):
                continue
            self._files += 1
            if found.format not in FORMATS:
                self._unsupported += 1
                continue
            if not self._options.indexes and not (found.embedded_index or found.index_files):
                continue
            digest = found.digest
            if digest in gone:
                gone.remove(digest)
                continue
            if folder != (here := _folder(found)):
                folder = here  # one string for all of its files, if they come together
            self._pending[digest] = folder
            # Statistics are most of what a file takes in memory, and on the way to workers.
            yield replace(found, statistics=NO_STATISTICS, key_range=((), ()), deletion_vector=None)

    def _job(self) -> Job:
        now = self._table.schema
        schemas = [self._table.schema_at(number) for number in self._table.schema_ids()]
        wanted = {
            schema.id: (schema.columns, file_options(self._options, now, schema))
            for schema in schemas
        }
        return Job(
            self._table.storage,
            wanted,
            self._id,
            self._dry_run,
            self._force,
            self._keep_unasked,
        )

    def _drop(self, digest: bytes) -> None:
        done = self._done.pop(digest)
        self._count(done, -1)
        if done.index.file_name is not None:
            self._table.storage.delete(f"{done.folder}/{done.index.file_name}")

    def _clean_up(self) -> None:
        """Delete the index files of this run, of tasks too whose outcome was never told."""
        for digest in list(self._done):
            self._drop(digest)
        for folder in {*self._pending.values()}:
            with suppress(PaimonKsyError):  # what failed before matters more
                for name in self._table.storage.names(folder):
                    if f"-{self._id}" in name and name.endswith(".index"):
                        self._table.storage.delete(f"{folder}/{name}")

    def _summary(self, snapshot: int | None, attempts: int, started: float) -> RewriteSummary:
        rewritten = self._reasons.total()
        return RewriteSummary(
            snapshot=snapshot,
            files=self._files,
            rewritten=rewritten,
            left=self._files - self._unsupported - rewritten,
            unsupported=self._unsupported,
            reasons=dict(+self._reasons),
            embedded=self._total["embedded"],
            index_files=self._total["index_files"],
            dropped=self._total["dropped"],
            rows=self._total["rows"],
            values=self._total["values"],
            bytes_read=self._total["bytes_read"],
            bytes_written=self._total["bytes_written"],
            seconds=time.perf_counter() - started,
            indexes={
                kind: Built(
                    counts["files"],
                    counts["rows"],
                    counts["values"],
                    counts["bytes"],
                    self._seconds[kind],
                )
                for kind, counts in sorted(self._by_type.items())
            },
            attempts=attempts,
            dry_run=self._dry_run,
        )
