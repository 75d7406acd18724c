"""What Paimon's Java library requires of the options of a table, as one table of rules.

Java validates a schema when it stores options and when it opens a table: an option that breaks a
rule makes the table unreadable for Java, Spark and Flink. `option_types.txt` lists the options
that are not texts by type, with the values of enums.

Source: Paimon 1.4, `SchemaValidation.validateTableSchema` and `validateFallbackBranch`, the
constructors of `TableSchema` and `FileStorePathFactory`, `OptionsUtils`, `TimeUtils`, `MemorySize`.
"""

from __future__ import annotations

import pkgutil
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from functools import cache

from paimon_ksy.table.model.files import TableSchema

_LONG = 2**63
_UNITS = {  # seconds, rounded down to 0
    unit: seconds
    for units, seconds in (
        ("d day days", 86_400),
        ("h hour hours", 3_600),
        ("min m minute minutes", 60),
        ("s sec secs second seconds", 1),
        ("ms milli millis millisecond milliseconds", 0),
        ("µs micro micros microsecond microseconds", 0),
        ("ns nano nanos nanosecond nanoseconds", 0),
    )
    for unit in units.split()
} | {"": 0}
_BYTES = {
    unit: 1024**power
    for power, units in enumerate(
        ("b bytes", "k kb kibibytes", "m mb mebibytes", "g gb gibibytes", "t tb tebibytes")
    )
    for unit in units.split()
} | {"": 1}
_CONTROLS = "".join(map(chr, range(33)))  # that Java's trim() removes
_REAL = re.compile(
    r"[+-]?(NaN|Infinity|(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?[fFdD]?"
    r"|0[xX]([0-9a-fA-F]+\.?|[0-9a-fA-F]*\.[0-9a-fA-F]+)[pP][+-]?\d+[fFdD]?)",
    re.ASCII,
)


def _is_integer(text: str, bits: int) -> bool:
    if len(text) > 40 or not re.fullmatch(r"[+-]?\d+", text):
        return False
    return -(1 << bits - 1) <= int(text) < 1 << bits - 1


def _is_amount(text: str, units: Mapping[str, int]) -> bool:
    trimmed = text.strip(_CONTROLS)
    unit = trimmed.lstrip("0123456789")
    number = trimmed[: len(trimmed) - len(unit)]
    factor = units.get(unit.strip(_CONTROLS).lower())
    if factor is None or not number or len(number.lstrip("0")) > 19:
        return False
    amount = int(number)
    return amount < _LONG and amount * factor < _LONG


def _is_map(text: str) -> bool:
    pairs = [pair.split(":") for pair in text.split(",") if pair]
    return all(len(pair) == 2 and _is_integer(pair[0], 32) for pair in pairs)


_TYPES: Mapping[str, tuple[str, Callable[[str], bool]]] = {
    "boolean": ("true or false", lambda text: text.upper() in ("TRUE", "FALSE")),
    "int": ("a whole number of 32 bits", lambda text: _is_integer(text, 32)),
    "long": ("a whole number of 64 bits", lambda text: _is_integer(text, 64)),
    "float": ("a number", lambda text: bool(_REAL.fullmatch(text.strip(_CONTROLS)))),
    "double": ("a number", lambda text: bool(_REAL.fullmatch(text.strip(_CONTROLS)))),
    "size": ("a size such as 128 mb", lambda text: _is_amount(text, _BYTES)),
    "duration": ("a duration such as 1 h", lambda text: _is_amount(text, _UNITS)),
    "map": ("a list such as 0:lz4,1:zstd, by level", _is_map),
}


@cache
def option_types() -> Mapping[str, str]:
    """Return the types of options by name: a key of the types above, or `a|b` for an enum."""
    text = (pkgutil.get_data(__name__, "option_types.txt") or b"").decode()
    return {
        name: kind
        for section in text.removeprefix("[").split("\n[")
        for kind, _, names in (section.partition("]\n"),)
        for name in names.split()
    }


_OF_FIELDS = {"ignore-retract": "boolean", "distinct": "boolean", "count-limit": "int"}
"""The types of `fields.NAME.*`."""


def value_problem(name: str, value: str) -> str | None:
    """Return why Java cannot parse the value of an option; None if it can."""
    kind = option_types().get(name)
    if name.startswith("fields."):
        kind = _OF_FIELDS.get(name.rpartition(".")[2])
    if kind is None:
        return None
    words, parses = _TYPES.get(kind, ("", None))
    if parses is None:
        values = kind.split("|")
        parses = {each.upper() for each in values}.__contains__
        value, shown = value.upper(), value
        words = f"one of {', '.join(values)}"
    else:
        shown = value
    return None if parses(value) else f"{shown!r} is not {words}"


# The schema ---------------------------------------------------------------------------------------

_FALLBACKS = {
    "ignore-delete": (
        "first-row.ignore-delete",
        "deduplicate.ignore-delete",
        "partial-update.ignore-delete",
    ),
    "scan.mode": ("log.scan",),
    "scan.timestamp-millis": ("log.scan.timestamp-millis",),
    "clustering.columns": ("sink.clustering.by-columns",),
    "blob-descriptor-field": ("blob.stored-descriptor-fields",),
}
_NESTED = "ARRAY", "MAP", "ROW", "MULTISET"


def _split(text: str) -> list[str]:
    """Split at commas like Java's `String.split`: without empty parts at the end."""
    if not text:
        return [""]
    parts = text.split(",")
    while parts and not parts[-1]:
        parts.pop()
    return parts


@dataclass(frozen=True)
class Given:
    """The options of a table beside its columns and keys, read as Java reads them.

    Attributes:
        options: The options, whose values are valid.
        columns: The roots of the columns' types, by name.
        keys: The primary key.
        partitions: The partition columns.
    """

    options: Mapping[str, str]
    columns: Mapping[str, str]
    keys: tuple[str, ...]
    partitions: tuple[str, ...]

    def text(self, name: str, default: str | None = None) -> str | None:
        """Return an option, or the first of its older names that is set."""
        names = (name, *_FALLBACKS.get(name, ()))
        return next((self.options[each] for each in names if each in self.options), default)

    def is_on(self, name: str, *, default: bool = False) -> bool:
        """Return a boolean option."""
        return (self.text(name) or str(default)).upper() == "TRUE"

    def number(self, name: str, default: int) -> int:
        """Return an option that is a whole number."""
        text = self.text(name)
        return default if text is None else int(text)

    def choice(self, name: str, default: str) -> str:
        """Return an option that is an enum."""
        return (self.text(name) or default).lower()

    def names(self, name: str) -> list[str]:
        """Return a list of names."""
        text = self.text(name)
        return [] if text is None else [each.strip(_CONTROLS) for each in _split(text)]

    @property
    def bucket(self) -> int:
        """The number of buckets."""
        return self.number("bucket", -1)

    @property
    def producer(self) -> str:
        """What makes changelogs."""
        return self.choice("changelog-producer", "none")

    @property
    def engine(self) -> str:
        """How rows of one key are merged; nothing without keys."""
        return self.choice("merge-engine", "deduplicate")

    @property
    def bucket_keys(self) -> list[str]:
        """The columns of the option `bucket-key`."""
        text = self.options.get("bucket-key", "")
        return _split(text) if text.strip() else []

    @property
    def mode(self) -> str:
        """Where reads start."""
        mode = self.choice("scan.mode", "default")
        if mode != "default":
            return "latest-full" if mode == "full" else mode
        starts = (
            ("from-timestamp", ("scan.timestamp-millis", "scan.timestamp")),
            ("from-snapshot", (*_SNAPSHOTS, "scan.version")),
            ("from-file-creation-time", ("scan.file-creation-time-millis",)),
            ("from-creation-timestamp", ("scan.creation-time-millis",)),
            ("incremental", ("incremental-between", "incremental-between-timestamp")),
        )
        return next((name for name, each in starts if self.given(each)), "latest-full")

    def given(self, names: tuple[str, ...]) -> list[str]:
        """Return which of some options are set."""
        return [name for name in names if self.text(name) is not None]

    def not_columns(self, listed: Mapping[str, Iterable[str]]) -> Iterator[str]:
        """Yield which options name what is not a column."""
        for option, names in listed.items():
            for name in names:
                if name not in self.columns:
                    yield f"{option} names {name!r}, which is not a column"

    def aggregate(self, column: str) -> str | None:
        """Return the aggregate function of a column."""
        default = self.options.get("fields.default-aggregate-function")
        return self.options.get(f"fields.{column}.aggregate-function", default)


_SNAPSHOTS = "scan.snapshot-id", "scan.tag-name", "scan.watermark"
_INCREMENTAL = "incremental-between", "incremental-between-timestamp", "incremental-to-auto-tag"
_TIMES = "scan.timestamp-millis", "scan.timestamp"
_CREATION = ("scan.file-creation-time-millis",)
_MODES = {  # mode: exactly one of these, and none of those
    "from-timestamp": (_TIMES, ("scan.snapshot-id", "scan.tag-name", *_CREATION, *_INCREMENTAL)),
    "from-snapshot": (_SNAPSHOTS, (*_TIMES, *_CREATION, *_INCREMENTAL)),
    "incremental": (_INCREMENTAL, ("scan.snapshot-id", "scan.tag-name", *_TIMES, *_CREATION)),
    "from-snapshot-full": (
        ("scan.snapshot-id",),
        ("scan.tag-name", *_TIMES, *_CREATION, *_INCREMENTAL),
    ),
    "from-file-creation-time": (
        _CREATION,
        ("scan.snapshot-id", "scan.timestamp-millis", "scan.tag-name", *_INCREMENTAL),
    ),
}
_NO_STATE = (*_TIMES, *_CREATION, "scan.snapshot-id", "scan.tag-name", *_INCREMENTAL)
_FORMATS = ("avro", "orc", "parquet", "csv", "text", "json", "blob")
AGGREGATES = frozenset(
    (
        *("bool_and", "bool_or", "collect", "first_non_null_value", "first_not_null_value"),
        *("first_value", "hll_sketch", "last_non_null_value", "last_value", "listagg", "max"),
        *("merge_map", "merge_map_with_keytime", "min", "nested_partial_update", "nested_update"),
        *("primary-key", "product", "rbm32", "rbm64", "sum", "theta_sketch"),
    )
)
"""The aggregate functions of Java 1.4."""


def _startup(it: Given) -> Iterator[str]:
    yield from _states(it)
    if version := it.options.get("scan.version"):  # Java replaces it when it opens the table
        name = "scan.snapshot-id" if version.isdigit() else "scan.tag-name"
        rest = {key: value for key, value in it.options.items() if key != "scan.version"}
        yield from _states(replace(it, options={**rest, name: version}))


def _states(it: Given) -> Iterator[str]:
    one_of, none_of = _MODES.get(it.mode, ((), _NO_STATE))
    if one_of and len(it.given(one_of)) != 1:
        yield f"reads that start {it.mode} need exactly one of {', '.join(one_of)}"
    if refused := it.given(none_of):
        yield f"{refused[0]} cannot be set for reads that start {it.mode} (scan.mode)"


def _unknown(it: Given) -> Iterator[str]:
    single = ("rowkind.field", "record-level.time-field")
    listed: dict[str, Iterable[str]] = {
        "sequence.field": it.names("sequence.field"),
        **{name: [it.options[name]] for name in single if name in it.options},
        "upsert-key": _split(it.options["upsert-key"]) if it.options.get("upsert-key") else [],
        "bucket-key": it.bucket_keys,
        "vector-field": filter(None, it.names("vector-field")),
    }
    for key in it.options:
        if key.startswith("fields"):
            names = _split((*key.split("."), "")[1])
            listed[key] = (name for name in names if name != "default-aggregate-function")
    yield from it.not_columns(listed)


def _buckets(it: Given) -> Iterator[str]:
    if it.bucket == -1:
        if "bucket-key" in it.options:
            yield "bucket-key needs a number of buckets: set bucket, too"
        if not it.keys and "full-compaction.delta-commits" in it.options:
            yield "full-compaction.delta-commits needs a primary key or a number of buckets"
    elif it.bucket < 1 and not (it.keys and it.bucket == -2):
        yield f"bucket = {it.bucket} is not a number of buckets"
    elif not it.keys and not it.bucket_keys:
        yield "buckets of a table without a primary key need a bucket-key"
    yield from _bucket_key(it)


def _bucket_key(it: Given) -> Iterator[str]:
    for name in it.bucket_keys:
        if name in it.partitions or (it.keys and name not in it.keys):
            yield f"bucket-key names {name!r}, which must be part of the key, not of the partition"
        if it.columns.get(name) in _NESTED:
            yield f"bucket-key names {name!r}, which is nested"
    if it.keys and len(set(it.bucket_keys)) < len(it.bucket_keys):
        yield "bucket-key names a column twice"


def _sequence(it: Given) -> Iterator[str]:
    fields = it.names("sequence.field")
    if fields and it.engine == "first-row":
        yield "sequence.field has no meaning for merge-engine = first-row"
    if fields and it.keys and not set(it.partitions) <= set(it.keys):
        yield "sequence.field needs a primary key that includes the partition"
    for name, times in Counter(fields).items():
        if times > 1:
            yield f"sequence.field names {name!r} twice"
        if f"fields.{name}.aggregate-function" in it.options:
            yield f"sequence.field names {name!r}, which has an aggregate function"


def _partial_update(it: Given) -> Iterator[str]:
    if it.keys and it.engine == "partial-update":
        start, end = "fields.", ".sequence-group"
        groups = {
            key: (_split(key[len(start) : -len(end)]), _split(value))
            for key, value in it.options.items()
            if key.startswith("fields") and key.endswith("sequence-group")
        }
        yield from it.not_columns({key: [*a, *b] for key, (a, b) in groups.items()})
        leaders = {name for leading, _ in groups.values() for name in leading}
        protected = Counter(name for _, members in groups.values() for name in members)
        yield from _in_two_groups(it, leaders, protected)
        yield from _without_group(it, leaders.union(protected))
        yield from _removals(it, leaders)


def _in_two_groups(it: Given, leaders: AbstractSet[str], protected: Counter[str]) -> Iterator[str]:
    twice = [name for name, times in protected.items() if times > 1]
    for name in twice or sorted((protected.keys() & leaders).difference(it.keys)):
        if name in twice or it.options.get(f"fields.{name}.sequence-group") != name:
            yield f"sequence-group names {name!r} in two groups"


def _without_group(it: Given, grouped: AbstractSet[str]) -> Iterator[str]:
    for name in it.columns:
        has_own = it.aggregate(name) not in (None, "last_non_null_value")
        if has_own and name not in it.keys and name not in grouped:
            yield f"the aggregate function of {name!r} needs a sequence-group for it"


def _removals(it: Given, leaders: AbstractSet[str]) -> Iterator[str]:
    removes = it.is_on("partial-update.remove-record-on-delete")
    by_group = it.options.get("partial-update.remove-record-on-sequence-group")
    if it.is_on("ignore-delete") and (removes or by_group is not None):
        yield "ignore-delete and partial-update.remove-record-on-* exclude each other"
    if removes and leaders:
        yield "partial-update.remove-record-on-delete and sequence-group exclude each other"
    if by_group is not None and not leaders >= set(_split(by_group)):
        yield "partial-update.remove-record-on-sequence-group names no sequence field"


def _aggregates(it: Given) -> Iterator[str]:
    if it.keys and it.engine in ("aggregation", "partial-update"):
        for function in {it.aggregate(name) for name in it.columns} - {None} - AGGREGATES:
            yield f"{function!r} is not an aggregate function of Java"


def _columns(it: Given) -> Iterator[str]:
    time = it.columns.get(it.options.get("record-level.time-field", ""), "INT")
    if time not in ("INT", "BIGINT", "TIMESTAMP", "TIMESTAMP_LTZ"):
        yield f"record-level.time-field is a {time}: name a column of INT, BIGINT or TIMESTAMP"
    for name in _split(it.options.get("upsert-key", "")):
        if it.columns.get(name) in _NESTED:
            yield f"upsert-key names {name!r}, which is nested"
    for name in filter(None, it.names("vector-field")):
        if it.columns.get(name, "VECTOR") != "VECTOR":
            yield f"vector-field names {name!r}, which is not a VECTOR"
    described = set(filter(None, it.names("blob-descriptor-field")))
    external = set(filter(None, it.names("blob-external-storage-field")))
    for name in sorted(described | external):
        if it.columns.get(name) != "BLOB":
            yield f"blob-descriptor-field or blob-external-storage-field names {name!r}: not a BLOB"
    if external - described:
        yield "the columns of blob-external-storage-field must be in blob-descriptor-field"
    if external and not it.options.get("blob-external-storage-path"):
        yield "blob-external-storage-field needs blob-external-storage-path"


def _row_ids(it: Given) -> Iterator[str]:
    tracked, evolves = it.is_on("row-tracking.enabled"), it.is_on("data-evolution.enabled")
    if tracked and (it.keys or it.bucket != -1):
        yield "row-tracking.enabled needs bucket = -1 and no primary key"
    if evolves and not tracked:
        yield "data-evolution.enabled needs row-tracking.enabled"
    if evolves and it.is_on("clustering.incremental"):
        yield "data-evolution.enabled and clustering.incremental exclude each other"
    if "BLOB" in it.columns.values() and not evolves:
        yield "columns of BLOB need data-evolution.enabled"
    if "vector.file.format" in it.options and not evolves:
        yield "vector.file.format needs data-evolution.enabled"


def _formats(it: Given) -> Iterator[str]:
    for name in ("file.format", "manifest.format", "vector.file.format"):
        if (value := it.options.get(name)) is not None and value.lower() not in _FORMATS:
            yield f"{name}: {value!r} is not one of {', '.join(_FORMATS)}"


def _paths(it: Given) -> Iterator[str]:
    weights = it.options.get("data-file.external-paths.weights", "1").split(",")
    trimmed = [each.strip(_CONTROLS) for each in _split(",".join(weights))]
    if not all(_is_integer(each, 32) and int(each) > 0 for each in trimmed):
        yield "data-file.external-paths.weights are not whole numbers above 0"
    external = it.options.get("global-index.external-path", "")
    if external and not re.match(r"[^/:]+:/", external):
        yield "global-index.external-path needs a scheme, such as file:"


def _clustering(it: Given) -> Iterator[str]:
    if it.is_on("clustering.incremental"):
        if it.keys:
            yield "clustering.incremental is for tables without a primary key"
        if it.bucket != -1 and it.is_on("bucket-append-ordered", default=True):
            yield "clustering.incremental with buckets needs bucket-append-ordered = false"
        if it.bucket != -1 and it.is_on("deletion-vectors.enabled"):
            yield "clustering.incremental with buckets and deletion vectors exclude each other"
    if not it.is_on("pk-clustering-override"):
        return
    for wrong, need in (
        (not it.text("clustering.columns"), "clustering.columns"),
        (not it.is_on("deletion-vectors.enabled"), "deletion-vectors.enabled"),
        ("record-level.expire-time" in it.options, "no record-level.expire-time"),
        (it.engine not in ("deduplicate", "first-row"), "merge-engine = deduplicate or first-row"),
        (bool(it.names("sequence.field")), "no sequence.field"),
        (it.producer not in ("none", "input"), "changelog-producer = none or input"),
    ):
        if wrong:
            yield f"pk-clustering-override needs {need}"


def _chain(it: Given) -> Iterator[str]:
    if not it.is_on("chain-table.enabled"):
        return
    chain = it.names("chain-table.chain-partition-keys")
    for wrong, need in (
        (it.choice("type", "table") != "table", "type = table"),
        (not it.keys, "a primary key"),
        (not it.partitions, "partitions"),
        (it.bucket < 1, "a number of buckets"),
        (it.producer not in ("none", "input"), "changelog-producer = none or input"),
        (it.is_on("deletion-vectors.enabled"), "deletion-vectors.enabled = false"),
        ("partition.timestamp-pattern" not in it.options, "partition.timestamp-pattern"),
        ("partition.timestamp-formatter" not in it.options, "partition.timestamp-formatter"),
        (
            bool(chain) and [*it.partitions][-len(chain) :] != chain,
            "chain-table.chain-partition-keys at the end of the partition keys",
        ),
    ):
        if wrong:
            yield f"chain-table.enabled needs {need}"


@dataclass(frozen=True)
class Rule:
    """A rule of which one sentence describes each break."""

    breaks: Callable[[Given], bool]
    message: str

    def __call__(self, it: Given) -> Iterator[str]:
        """Yield the sentence if the options break the rule."""
        if self.breaks(it):
            yield self.message


def _retained(it: Given) -> Iterator[str]:
    least, most = 10, 2**31 - 1
    for kind in ("snapshot", "changelog"):  # for changelogs, those of snapshots are the default
        names = f"{kind}.num-retained.min", f"{kind}.num-retained.max"
        least, most = it.number(names[0], least), it.number(names[1], most)
        if it.given(names) and not 0 < least <= most:
            yield f"{names[0]} ({least}) must be at least 1, and at most {names[1]} ({most})"


_MERGED = "full-compaction", "lookup"
RULES: tuple[Callable[[Given], Iterator[str]], ...] = (
    _unknown,
    Rule(
        lambda it: bool(it.options.get("upsert-key")) and bool(it.keys),
        "upsert-key is for tables without a primary key",
    ),
    _buckets,
    _startup,
    _sequence,
    _partial_update,
    Rule(
        lambda it: not it.keys and it.producer != "none",
        "changelog-producer is for tables with a primary key",
    ),
    Rule(
        lambda it: it.is_on("streaming-read-overwrite") and (not it.keys or it.producer in _MERGED),
        "streaming-read-overwrite needs a primary key, and changelog-producer = none or input",
    ),
    _retained,
    _formats,
    _columns,
    Rule(
        lambda it: "partition.expiration-time" in it.options and not it.partitions,
        "partition.expiration-time is for tables with partitions",
    ),
    Rule(
        lambda it: it.engine == "first-row" and it.producer not in ("none", "lookup"),
        "merge-engine = first-row needs changelog-producer = none or lookup",
    ),
    Rule(
        lambda it: it.is_on("deletion-vectors.enabled") and it.producer == "full-compaction",
        "deletion vectors and changelog-producer = full-compaction exclude each other",
    ),
    Rule(
        lambda it: (
            it.is_on("deletion-vectors.enabled")
            and it.engine == "first-row"
            and not it.is_on("pk-clustering-override")
        ),
        "deletion vectors and merge-engine = first-row exclude each other",
    ),
    _aggregates,
    _row_ids,
    _clustering,
    _chain,
    Rule(
        lambda it: it.is_on("table-read.sequence-number.enabled") and not it.keys,
        "table-read.sequence-number.enabled is for tables with a primary key",
    ),
    _paths,
    Rule(
        lambda it: all(
            it.options.get(f"scan.{kind}-branch", "").strip() for kind in ("fallback", "primary")
        ),
        "scan.fallback-branch and scan.primary-branch exclude each other",
    ),
)
"""The rules of Java for the options of a table, beside the types of their values."""


def java_problems(schema: TableSchema, options: Mapping[str, str]) -> list[str]:
    """Return why Java refuses options of a table, a sentence each; none if it opens the table."""
    values = ((name, value_problem(name, value)) for name, value in options.items())
    if wrong := [f"option {name!r}: {problem}" for name, problem in values if problem]:
        return wrong
    columns = {name: schema.columns.column(name).type.root for name in schema.ids}
    given = Given(options, columns, schema.primary_keys, schema.partition_keys)
    return [*dict.fromkeys(message for rule in RULES for message in rule(given))]


LATER = {
    "global-index.column-update-action": ("ignore",),
    "file.format": ("lance", "mosaic", "row", "vortex"),
    "vector.file.format": ("lance", "vortex"),
}
"""Values that releases after 1.4 know."""


def is_later(schema: TableSchema, options: Mapping[str, str], problem: str) -> bool:
    """Return whether Java refuses options only because of a value that later releases know."""
    known = {
        name: value for name, value in options.items() if value.lower() not in LATER.get(name, ())
    }
    return problem not in java_problems(schema, known)
