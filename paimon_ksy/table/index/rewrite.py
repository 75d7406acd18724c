"""Builds the file indexes of a table's data files as its options ask for, in one commit.

What is built is what Java's `FileIndexProcessor` builds: of each data file the columns that it has
under the schema it was written with, by field id, under the names and types of that schema, since
readers ask in these. Indexes that the options do not ask for are kept (`earlier.py`), unless the
caller drops them. A column that cannot be indexed is reported, and the others are indexed.
"""

from __future__ import annotations

import sys
import time
import uuid
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any

from paimon_ksy.data_files.open import RESTORE, columns_of, open_data_file, read_columns
from paimon_ksy.errors import (
    AccessError,
    ConflictError,
    CorruptFileError,
    OptionError,
    OutsideError,
    PaimonKsyError,
    PredicateError,
    UncertainError,
    UnsupportedError,
)
from paimon_ksy.file_index.bitmap import reader as bitmap
from paimon_ksy.file_index.builder import Kept, check_options, index_parts
from paimon_ksy.file_index.container import CorruptErrors, FileIndex
from paimon_ksy.file_index.options import FileIndexOptions, IndexSpec, parse_options
from paimon_ksy.messages.commands import table_command
from paimon_ksy.predicates.bind import bind
from paimon_ksy.predicates.row_filter import holds
from paimon_ksy.predicates.tree import Predicate
from paimon_ksy.table.engine import Engine, spark_engine
from paimon_ksy.table.index.earlier import Lost, Unlisted, names_of, sound_index, unlisted
from paimon_ksy.table.io.storage import Storage
from paimon_ksy.table.model.files import DataFile, Statistics, TableSchema
from paimon_ksy.table.store import (
    NewIndex,
    Table,
    TableOrPath,
    commit_indexes,
    saved_options,
    with_raw_decimals,
)
from paimon_ksy.types.decimals import raw_decimals as raw_decimals_of
from paimon_ksy.types.schema import Field, Schema

if TYPE_CHECKING:
    import pyarrow as pa

FORMATS = {"parquet", "orc", "avro"}
"""Of the data files that can be indexed; others, such as blobs, are left as they are."""

_ATTEMPTS = 20
_VALUES_A_SECOND = 3e7  # about, to know how many files are worth a job
NO_STATISTICS = Statistics((), (), (), ())


@dataclass(frozen=True)
class Refusal:
    """An index that is asked for and cannot be built, of a type and a column, and the `reason`."""

    index_type: str
    column: str
    reason: str


@dataclass(frozen=True)
class Refused(Refusal):
    """A refusal, and the number of data `files` that it is of."""

    files: int


@dataclass(frozen=True)
class Outcome:
    """What was done, or in a dry run would be, with a data file.

    `reason` says why it gets another index: `new` if it has none; None if it is left. `index` is
    None then, and in a dry run. `columns` are how many have an index of each type that was built,
    `sizes` the bytes of these and `seconds` those of building them. `kept` is how many indexes were
    kept that the options do not ask for, `lost` those that could not be, `refused` what could not
    be built.
    """

    reason: str | None
    index: NewIndex | None = None
    rows: int = 0
    columns: Mapping[str, int] = field(default_factory=dict)
    bytes_read: int = 0
    bytes_written: int = 0
    sizes: Mapping[str, int] = field(default_factory=dict)
    seconds: Mapping[str, float] = field(default_factory=dict)
    kept: int = 0
    lost: tuple[Lost, ...] = ()
    refused: tuple[Refusal, ...] = ()


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
    `indexes` are by index type. Those files keep `kept` indexes that the options do not ask for,
    and `lost` could not be kept. `refused` could not be built. `saved` options are in the table's
    schema now, None of one that was removed. `seconds` are all that passed; bytes are of all work,
    also of what had to be built again. `attempts` are the commits tried. `snapshot` is None if
    there was nothing to commit.
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
    kept: int = 0
    lost: tuple[Lost, ...] = ()
    refused: tuple[Refused, ...] = ()
    saved: Mapping[str, str | None] = field(default_factory=dict)

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
            "lost": [asdict(one) for one in self.lost],
            "refused": [asdict(one) for one in self.refused],
            "saved": dict(self.saved),
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
    drop_unlisted: bool = False,
    save_options: bool = False,
) -> RewriteSummary:
    """Give each data file the indexes that the table's options ask for, in one commit.

    Files whose index has these columns and types stay unchanged, unless `force`. If others change
    the same files first, the remaining work is planned again. If anything fails, nothing is
    committed, and the new index files are deleted. A column that cannot be indexed is reported in
    the summary.

    Args:
        where: A predicate on partition columns.
        set: Table options for this run; an empty value removes one.
        save_options: Store the changes of `set` in the table's schema first, so that later writers
            build the same indexes.
        drop_unlisted: Drop the indexes that the options do not list. They are kept otherwise:
            carried over as they are, or built again if they are damaged, or by `force`.
        force: Build all indexes again.
        engine: Where to run; by default Spark.
        spark: The session; by default the active one, or a new local one.
        progress: Called for each data file that is done.
        only: The data files to index; others are skipped.

    Raises:
        OptionError, SchemaError: Before any work.
        UnsupportedError: None of the indexes can be built.
        PredicateError: The predicate does not fit the table.
        CorruptFileError: A file is malformed.
        ConflictError: Others always committed first.
        UncertainError: It is unknown whether the commit was made.
    """
    if not isinstance(table, Table):
        table = Table.at(table)
    keep = partitions_where(table.schema, where)
    options, refused = wanted_options(table.schema, set or {})
    saved: Mapping[str, str | None] = {}
    if save_options:
        if refused:
            raise UnsupportedError(
                f"{refused[0].reason}. The options were not saved, because Java cannot write "
                "to a table with such an index; leave the column out"
            )
        replaced = {key: None for key in table.schema.options if _replaced(key, set or {})}
        saved = replaced | {key: value.strip() or None for key, value in (set or {}).items()}
        if saved and not dry_run:
            table = saved_options(table, saved)
    run = _Run(table, options, refused, keep, dry_run, force, only, drop_unlisted)
    summary = run.rewrite(engine or spark_engine(spark), progress)
    return replace(summary, saved=saved)


# What is wanted ---------------------------------------------------------------------------------


def wanted_options(
    schema: TableSchema, changed: Mapping[str, str]
) -> tuple[FileIndexOptions, tuple[Refusal, ...]]:
    """The indexes that the table's options ask for, with some changed, checked against its columns.

    And those that cannot be built of such a column. Raises OptionError, and UnsupportedError if
    that is all of them.
    """
    for key in changed:
        parts = key.split(".")
        is_known = parts[1:] == [_THRESHOLD] or len(parts) == 4 or parts[2:] == ["columns"]
        if parts[0] != "file-index" or not is_known:
            raise OptionError(
                f"{key!r} is not an option of file indexes: set file-index.TYPE.columns, "
                f"file-index.TYPE.COLUMN.OPTION or file-index.{_THRESHOLD}"
            )
    own = {key: value for key, value in schema.options.items() if not _replaced(key, changed)}
    merged = {**own, **changed}
    options = parse_options({key: value for key, value in merged.items() if value.strip()})
    found: list[IndexSpec] = []
    refused: list[Refusal] = []
    for spec in options.indexes:
        try:
            check_options(schema.columns, FileIndexOptions((spec,)))
        except UnsupportedError as error:
            refused.append(Refusal(spec.index_type, spec.name, str(error)))
        except OptionError as error:
            raised = OptionError(str(error))
            if spec.name not in (changed.get(f"file-index.{spec.index_type}.columns") or ""):
                raised.remedy = usable_command(schema, "TABLE")
            raise raised from None
        else:
            found.append(spec)
    if refused and not found:
        raise UnsupportedError(refused[0].reason)
    return replace(options, indexes=tuple(found)), tuple(refused)


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


def listed_columns(options: FileIndexOptions) -> dict[str, tuple[str, ...]]:
    """The columns that options list, by index type."""
    found: dict[str, tuple[str, ...]] = {}
    for spec in options.indexes:
        found[spec.index_type] = (*found.get(spec.index_type, ()), spec.name)
    return found


def usable_command(schema: TableSchema, table: str) -> str | None:
    """The command that takes out of a table's options what cannot be indexed; None if none does.

    `table` names the table, as `commands.table_words` does.
    """
    usable, wrong = usable_options(schema)
    listed = listed_columns(usable)
    words = []
    for key, value in schema.options.items():
        parts = key.split(".")
        if parts[0] == "file-index" and parts[2:] == ["columns"] and value.strip():
            names = listed.get(parts[1], ())
            if set(names) != {name.strip() for name in value.split(",")}:
                words += ["--set", f"{key}={','.join(names)}"]
    if not wrong or not words:
        return None
    return table_command("rewrite-index", *words, "--save-options", table=table)


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
    return _fitted(options, table, file)[0]


def _fitted(
    options: FileIndexOptions, table: TableSchema, file: TableSchema
) -> tuple[FileIndexOptions, tuple[Refusal, ...]]:
    """`file_options`, and what is refused in files of that schema."""
    names = {field_id: name for name, field_id in file.ids.items()}
    found: list[IndexSpec] = []
    refused: list[Refusal] = []
    for spec in options.indexes:
        name = names.get(table.ids[spec.column])
        if name is None:
            continue
        own = IndexSpec(spec.index_type, name, spec.key, spec.options)
        try:
            check_options(file.columns, FileIndexOptions((own,)))
            found.append(own)
        except (UnsupportedError, OptionError) as error:
            refused.append(Refusal(own.index_type, own.name, str(error)))
    return FileIndexOptions(tuple(found), options.in_manifest_threshold), tuple(refused)


def partitions_where(
    schema: TableSchema, where: Predicate | str | None
) -> Callable[[tuple[Any, ...], int], bool] | None:
    """Whether files of a partition are asked for."""
    if where is None:
        return None
    keys = ", ".join(schema.partition_keys)
    try:
        if isinstance(where, str):
            from paimon_ksy.predicates.sql import parse_predicate

            where = parse_predicate(where, schema.columns)
        bind(where, schema.columns)
        bound = bind(where, schema.partition_schema)
    except PredicateError as error:
        if not keys:
            raise PredicateError(
                "the predicate selects partitions, but the table is not partitioned"
            ) from None
        raise PredicateError(
            f"the predicate can test only partition columns ({keys}): {error}"
        ) from None
    return lambda partition, _: (
        holds(bound, dict(zip(schema.partition_keys, partition, strict=True))) is True
    )


# One data file ----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Wanted:
    """What data files of one schema get: its `columns`, the indexes that are asked for, and those
    of them that cannot be built."""

    columns: Schema
    options: FileIndexOptions
    refused: tuple[Refusal, ...] = ()

    def of(self, file: DataFile) -> Wanted:
        """The same of the columns that a data file has: with data evolution they may be fewer."""
        if file.write_columns is None:
            return self
        there = [spec for spec in self.options.indexes if spec.column in file.write_columns]
        return replace(self, options=replace(self.options, indexes=tuple(there)))


@dataclass(frozen=True)
class Job:
    """What workers know of a run: by schema id what data files are to get."""

    storage: Storage
    wanted: Mapping[int, Wanted]
    run: str
    dry_run: bool
    force: bool
    drop_unlisted: bool = False


def index_file(job: Job, file: DataFile) -> Outcome:
    """Build the indexes of a data file that are asked for, unless it has them.

    Raises PaimonKsyError that names the file.
    """
    wanted = job.wanted[file.schema_id].of(file)
    asked = {(spec.name, spec.index_type) for spec in wanted.options.indexes}
    reason = why_rewrite(job.storage, file, wanted.options, drop_unlisted=job.drop_unlisted)
    if reason is None and job.force and (asked or _has_index(file)):
        reason = "forced"
    if reason is None:
        return Outcome(None, refused=wanted.refused)
    keeps = Unlisted()
    if not job.drop_unlisted:
        rebuild = job.force or reason == "several"  # of which one may be of another file
        keeps = unlisted(job.storage, file, wanted.columns, asked, rebuild=rebuild)
    if not asked and not len(keeps):
        index = None if job.dry_run else NewIndex()
        return Outcome(reason, index, lost=keeps.lost, refused=wanted.refused)
    built = replace(wanted.options, indexes=wanted.options.indexes + keeps.built)
    if job.dry_run:
        return Outcome(
            reason,
            rows=file.num_rows,
            columns=_columns_by_type(built.indexes),
            kept=len(keeps),
            lost=keeps.lost,
            refused=wanted.refused,
        )
    return _built(job, file, replace(wanted, options=built), keeps, reason)


def _has_index(file: DataFile) -> bool:
    return file.embedded_index is not None or bool(file.index_files)


def _columns_by_type(indexes: Iterable[IndexSpec]) -> Mapping[str, int]:
    return Counter(spec.index_type for spec in indexes)


def _built(job: Job, file: DataFile, wanted: Wanted, keeps: Unlisted, reason: str) -> Outcome:
    columns, indexes = wanted.columns, wanted.options.indexes
    names = list(dict.fromkeys(spec.column for spec in indexes))
    started = time.perf_counter()
    seconds: defaultdict[str, float] = defaultdict(float)
    refused, lost = list(wanted.refused), list(keeps.lost)
    failed: list[IndexSpec] = []
    own = {(spec.name, spec.index_type) for spec in keeps.built}

    def built(rows: int, _: int) -> None:
        nonlocal started
        done = rows // file.num_rows if file.num_rows else 0
        now = time.perf_counter()
        if done:
            seconds[indexes[done - 1].index_type] += now - started
        started = now

    def refuse(spec: IndexSpec, error: PaimonKsyError) -> Kept:
        failed.append(spec)
        instead = sound_index(job.storage, file, columns, spec)
        if (spec.name, spec.index_type) not in own:
            refused.append(Refusal(spec.index_type, spec.name, str(error)))
        elif not instead:
            lost.append(Lost(file.path, spec.name, spec.index_type, str(error)))
        return instead

    try:
        rows, bytes_read = read_rows(job.storage, file, columns, names, raw_decimals=True)
        started = time.perf_counter()
        parts, sizes = index_parts(
            rows, columns, wanted.options, on_progress=built, kept=keeps.carried, refuse=refuse
        )
    except CorruptFileError as error:
        error.path = error.path or file.path
        raise
    except PaimonKsyError as error:
        if file.path in str(error):
            raise
        raise type(error)(f"{file.path}: {error}") from error
    done = [spec for spec in indexes if spec not in failed]
    outcome = Outcome(
        reason,
        rows=file.num_rows,
        columns=_columns_by_type(done),
        bytes_read=bytes_read,
        bytes_written=sum(map(len, parts)),
        sizes=sizes,
        seconds=dict(seconds),
        kept=len(keeps) - len(lost) + len(keeps.lost),
        lost=tuple(lost),
        refused=tuple(refused),
    )
    if failed and reason in _LACKING:
        there = names_of(job.storage, file)
        if not any((spec.name, spec.index_type) not in there for spec in done):
            # What it lacks cannot be built.
            return Outcome(None, bytes_read=bytes_read, refused=outcome.refused)
    if len(parts) == 1 and not done and not keeps.carried:  # a head of no index
        return replace(outcome, index=NewIndex(), bytes_written=0)
    if outcome.bytes_written <= wanted.options.in_manifest_threshold:
        return replace(outcome, index=NewIndex(embedded=b"".join(parts)))
    # A name for each time, since Spark may run a task twice, and one file may be in use by then.
    name = f"{file.name}-{job.run}{uuid.uuid4().hex[:8]}.index"
    job.storage.write(f"{_folder(file)}/{name}", *parts)
    return replace(outcome, index=NewIndex(file_name=name))


_LACKING = {"new", "incomplete"}
"""Reasons to rewrite the index of a file for what it lacks alone."""


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
                f"has {rows.num_rows} rows, but {file.num_rows} according to the manifest",
                remedy=RESTORE,
            )
        return rows, source.bytes_read


def _with_raw_decimals(columns: Sequence[Field], metadata: Any, schema: pa.Schema) -> Any:
    raw = raw_decimals_of(metadata, schema, columns)
    return with_raw_decimals(metadata, raw) if raw else metadata


def _folder(file: DataFile) -> str:
    return file.path.rpartition("/")[0]


def why_rewrite(
    storage: Storage, file: DataFile, options: FileIndexOptions, *, drop_unlisted: bool
) -> str | None:
    """Why the file needs another index; None if it has what is asked for.

    Of an index the head is read; of bitmaps the version, if the options say which. Indexes that
    the options do not ask for are a reason with `drop_unlisted`.
    """
    has = (file.embedded_index is not None) + len(file.index_files)
    if not has:
        return "new" if options.indexes else None
    if has > 1:
        return "several"
    try:
        index = file.embedded_index
        source = storage.open(file.index_files[0]) if index is None else index
        with FileIndex.open(source) as opened:
            why = _why_not(opened, options, embedded=index is not None)
            there = {(name, kind) for name, kinds in opened.places.items() for kind in kinds}
    except (AccessError, OutsideError):
        raise
    except PaimonKsyError:
        return "broken"
    if why is None and drop_unlisted and there - _keys(options):
        return "stale"
    return why


def _keys(options: FileIndexOptions) -> set[tuple[str, str]]:
    return {(spec.name, spec.index_type) for spec in options.indexes}


def _why_not(opened: FileIndex, options: FileIndexOptions, *, embedded: bool) -> str | None:
    there = {
        (name, kind): entry
        for name, entries in opened.indexes.items()
        for kind, entry in entries.items()
    }
    if _keys(options) - there.keys():
        return "incomplete"
    # What `store` may put into the head does not count; Kaitai leaves it out if it is not there.
    size = opened.source.size - len(getattr(opened.head.head, "redundant", b""))
    if options.indexes and embedded != (size <= options.in_manifest_threshold):
        return "threshold"
    for spec in options.indexes:
        entry, version = there[spec.name, spec.index_type], spec.options.get("version")
        if spec.index_type == "bitmap" and version is not None and not entry.is_empty:
            with CorruptErrors(opened.source, spec.name):
                if str(bitmap.version(opened.source, entry.ofs_body)) != version.strip():
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
    kept: int
    lost: tuple[Lost, ...]
    refused: tuple[Refusal, ...]


class _Run:
    """A rewrite: what is done already, through all attempts to commit it.

    A dry run keeps counts alone, and any other of each file that changes what `_Done` has, by the
    file's digest.
    """

    def __init__(
        self,
        table: Table,
        options: FileIndexOptions,
        refused: tuple[Refusal, ...],
        keep: Callable[[tuple[Any, ...], int], bool] | None,
        dry_run: bool,
        force: bool,
        only: Callable[[DataFile], bool] | None = None,
        drop_unlisted: bool = False,
    ) -> None:
        self._table, self._options, self._keep, self._only = table, options, keep, only
        self._refused, self._drop_unlisted = refused, drop_unlisted
        # Of files that get another index, and of those that are left in the latest attempt.
        self._refusals: Counter[Refusal] = Counter()
        self._refusals_left: Counter[Refusal] = Counter()
        self._same_refusals: dict[tuple[Refusal, ...], tuple[Refusal, ...]] = {}
        self._lost: Counter[Lost] = Counter()
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
        self._refusals_left.clear()
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
        refused = self._same_refusals.setdefault(outcome.refused, outcome.refused)
        if outcome.reason is None:
            self._refusals_left.update(refused)
            return
        reason = sys.intern(outcome.reason)
        index = outcome.index or NewIndex()
        drops = outcome.index == NewIndex()
        columns = tuple(sorted(outcome.columns.items()))
        columns = self._columns.setdefault(columns, columns)
        done = _Done(
            reason, index, folder, outcome.rows, columns, drops, outcome.kept, outcome.lost, refused
        )
        if not self._dry_run:
            if digest in self._done:  # a manifest lists the file twice, which is an error later
                self._drop(digest)
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
        self._total["kept"] += times * done.kept
        for lost in done.lost:
            self._lost[lost] += times
        for one in done.refused:
            self._refusals[one] += times
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
            if not self._options.indexes and not _has_index(found):
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
        wanted = {}
        for schema in schemas:
            options, refused = _fitted(self._options, now, schema)
            wanted[schema.id] = Wanted(schema.columns, options, self._refused + refused)
        return Job(
            self._table.storage,
            wanted,
            self._id,
            self._dry_run,
            self._force,
            self._drop_unlisted,
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
            kept=self._total["kept"],
            lost=tuple(sorted((+self._lost).elements(), key=lambda one: (one.file, str(one)))),
            refused=self._all_refused(),
        )

    def _all_refused(self) -> tuple[Refused, ...]:
        """What is refused, each column and index type once."""
        files = self._refusals + self._refusals_left
        if not self._files:  # refused whatever files there may be
            files = Counter(dict.fromkeys(self._refused, 0))
        found: dict[tuple[str, str], Refused] = {}
        for one, count in files.items():
            key = one.index_type, one.column
            before = found.get(key, Refused(*key, one.reason, 0))
            found[key] = replace(before, files=before.files + count)
        return tuple(found[key] for key in sorted(found))
