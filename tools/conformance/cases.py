"""Random tables with predicates, and what the library may answer otherwise."""

from __future__ import annotations

import random
import struct
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa

import paimon_ksy as pk
from paimon_ksy.columns.postings import hashes_of, postings
from paimon_ksy.file_index.registry import INDEX_TYPES
from paimon_ksy.testing.columns import arrow_column
from paimon_ksy.types.data_type import DataType
from paimon_ksy.types.parse import parse_type
from tests.support.brute_force import key_of, matching_rows
from tests.support.golden_json import internal_values, nodes, predicate_from_json

# A value as in the requests to tools/java/: see Values.java.
Value = Any

TYPES = [
    "BOOLEAN", "TINYINT", "SMALLINT", "INT", "BIGINT", "FLOAT", "DOUBLE",
    "CHAR(5)", "VARCHAR(20)", "STRING", "DATE", "TIME(0)", "TIME(3)",
    "TIMESTAMP(0)", "TIMESTAMP(3)", "TIMESTAMP(6)", "TIMESTAMP(9)",
    "TIMESTAMP(0) WITH LOCAL TIME ZONE", "TIMESTAMP(3) WITH LOCAL TIME ZONE",
    "TIMESTAMP(6) WITH LOCAL TIME ZONE", "TIMESTAMP(9) WITH LOCAL TIME ZONE",
    "MAP<STRING, INT>", "MAP<STRING, STRING>",
    "DECIMAL(10, 2)", "DECIMAL(18, 0)", "DECIMAL(25, 3)", "BYTES",
]  # fmt: skip
NAMES = ["a", "b", "status", "größe", "日本", "😀", "UPPER", "with space"]
ROW_COUNTS = [0, 1, 2, 3, 10, 100, 100, 1000, 1000, 5000]
MAP_KEYS = ["k1", "k2", "schlüssel", "absent"]


@dataclass(frozen=True)
class Column:
    """A column of a case; `type` is Paimon's text, `values` one for each row."""

    name: str
    type: str
    values: list[Value]

    @cached_property
    def kind(self) -> DataType:
        """The type."""
        return parse_type(self.type)

    @cached_property
    def internal(self) -> list[Any]:
        """The values as internal ones."""
        return internal_values(self.kind, self.values)


@dataclass(frozen=True)
class Case:
    """A table with its index options, and the predicates to ask."""

    number: int
    columns: list[Column]
    options: dict[str, str]
    predicates: list[dict[str, Any]]
    layout: str  # how the Arrow columns are stored: plain, chunked or dictionary

    @classmethod
    def of(
        cls,
        columns: Sequence[Mapping[str, str]],
        rows: Sequence[Sequence[Value]] = (),
        options: Mapping[str, str] | None = None,
    ) -> Case:
        """The columns and rows of a request to tools/java/, or of a case of the kit."""
        values = zip(*rows, strict=True) if rows else ([] for _ in columns)
        named = [
            Column(column["name"], column["type"].removesuffix(" NOT NULL"), list(listed))
            for column, listed in zip(columns, values, strict=True)
        ]
        return cls(0, named, dict(options or {}), [], "plain")

    @property
    def num_rows(self) -> int:
        """The length of the columns."""
        return len(self.columns[0].values)

    def request_columns(self) -> list[dict[str, str]]:
        """The columns as in the requests to tools/java/."""
        return [{"name": column.name, "type": column.type} for column in self.columns]

    def rows(self) -> list[tuple[Value, ...]]:
        """The rows as in the requests to tools/java/."""
        return list(zip(*(column.values for column in self.columns), strict=True))

    @cached_property
    def schema(self) -> pk.Schema:
        """The columns as ours."""
        return pk.Schema.parse(", ".join(f"`{c.name}` {c.type}" for c in self.columns))

    def table(self) -> pa.Table:
        """The rows in Arrow."""
        arrays = []
        for column in self.columns:
            values = column.internal
            if column.kind.root == "MAP":
                values = [None if row is None else list(row.items()) for row in values]
            array = arrow_column(column.kind, values)
            if self.layout == "chunked":
                middle = len(array) // 3
                array = pa.chunked_array([array[:middle], array[middle:]], type=array.type)
            elif self.layout == "dictionary" and column.type in ("INT", "BIGINT", "STRING"):
                array = array.dictionary_encode()
            arrays.append(array)
        return pa.Table.from_arrays(arrays, names=[column.name for column in self.columns])

    def predicate(self, node: Mapping[str, Any]) -> pk.Predicate:
        """A predicate of the case as ours."""
        return predicate_from_json(node, self.schema)

    def indexed(self, name: str) -> Column:
        """An indexed column, or for a name such as m[key] the values of that key."""
        return _indexed(self.columns, name)

    def compared(self, node: Mapping[str, Any]) -> Iterator[Column]:
        """The columns that a predicate compares."""
        yield from (self.indexed(leaf["col"]) for leaf in nodes(node) if "col" in leaf)

    def has(self, kind: str, name: str) -> bool:
        """Whether a column has an index of that type."""
        return name in self.options.get(f"file-index.{kind}.columns", "").split(",")

    def declared(self, name: str) -> str:
        """The type of an indexed column, or of the map that it is a key of."""
        by_name = {column.name: column.type for column in self.columns}
        return by_name.get(name) or by_name[name.partition("[")[0]]


def _indexed(columns: Sequence[Column], name: str) -> Column:
    for column in columns:
        if column.name == name:
            return column
        if column.kind.root == "MAP" and name.startswith(column.name + "["):
            key = name[len(column.name) + 1 : -1]
            value_type = column.type.partition(", ")[2].removesuffix(">")
            values = [None if row is None else row.get(key) for row in column.values]
            return Column(name, value_type, values)
    raise KeyError(name)


# Random cases -----------------------------------------------------------------------------------


def random_case(seed: int, number: int) -> Case:
    """The case of that number; the same one for the same seed."""
    rng = random.Random(f"{seed}:{number}")
    # Rows of two Roaring containers, and distinct values by the ten thousand, now and then.
    num_rows = 70_000 if number % 25 == 24 else rng.choice(ROW_COUNTS)
    # Number by number through the types, so that few cases already cover each.
    types = [TYPES[number % len(TYPES)], *rng.choices(TYPES, k=rng.randrange(3))]
    names = rng.sample(NAMES, len(types))
    columns = [
        Column(name, text, random_values(rng, text, num_rows))
        for name, text in zip(names, types, strict=True)
    ]
    options, indexed = _options(rng, columns)
    case = Case(number, columns, options, [], rng.choice(["plain", "chunked", "dictionary"]))
    for name in indexed:
        case.predicates.extend(leaves_of(rng, case.indexed(name)))
    case.predicates.extend(combined(rng, case.predicates, 6))
    return case


def _options(rng: random.Random, columns: list[Column]) -> tuple[dict[str, str], list[str]]:
    options: dict[str, str] = {}
    indexed: dict[str, list[str]] = {kind: [] for kind in INDEX_TYPES}
    for column in columns:
        names = [column.name]
        if column.kind.root == "MAP":
            names = [f"{column.name}[{key}]" for key in rng.sample(MAP_KEYS, rng.randint(1, 3))]
        for name in names:
            for kind in _kinds(rng, _indexed(columns, name)):
                indexed[kind].append(name)
                for option, value in _settings(rng, kind, column).items():
                    options[f"file-index.{kind}.{name}.{option}"] = value
    for kind, chosen in indexed.items():
        if chosen:
            options[f"file-index.{kind}.columns"] = ",".join(chosen)
    return options, list(dict.fromkeys(name for chosen in indexed.values() for name in chosen))


def _kinds(rng: random.Random, column: Column) -> list[str]:
    """Index types for a column: a bitmap index if it can have one, and some of the others."""
    possible = [kind for kind in INDEX_TYPES if _takes(kind, column)]
    chosen = rng.sample(possible, rng.randint(1, len(possible)))
    return sorted({*chosen, "bitmap"} & {*possible})


def _takes(kind: str, column: Column) -> bool:
    if kind == "bsi" and -(2**63) in column.values:
        return False  # which neither can write
    return INDEX_TYPES[kind].takes(column.kind)


def _settings(rng: random.Random, kind: str, column: Column) -> dict[str, str]:
    settings: dict[str, str | None] = {}
    if kind == "bitmap":
        settings["version"] = rng.choice(["1", "2", None])
        settings["index-block-size"] = rng.choice(
            [None, "120b", "128 b", "1kb", _least_block(column)]
        )
    elif kind == "bloom-filter":
        settings["items"] = rng.choice(["0", "1", "7", "100", "5000"])
        settings["fpp"] = rng.choice([None, "0.5", "0.01", "1e-9", "1"])
    elif kind == "range-bitmap":
        settings["chunk-size"] = rng.choice([None, "0b", "1b", "9b", "100 b", "1kb"])
    return {option: value for option, value in settings.items() if value is not None}


def _least_block(column: Column) -> str:
    """A block for one to three entries; too small for some values of some types."""
    wide = column.kind.is_string or column.kind.root == "MAP"
    return "30b" if wide else "24b"


def may_have_trees(case: Case) -> bool:
    """Whether 8 values of a bitmap index ever share one of at least 64 bins of a HashMap.

    Java then stores the bitmaps of version 1 in another order than we do.
    """
    names = case.options.get("file-index.bitmap.columns", "")
    for column in map(case.indexed, names.split(",") if names else ()):
        values = postings(arrow_column(column.kind, column.internal), column.kind)
        codes = hashes_of(values.keys)[values.first_rows.argsort()]
        codes ^= codes >> np.uint32(16)
        for size in (1 << bits for bits in range(6, 32)):
            bins = np.bincount(codes[: size * 3 // 4 + 1] & np.uint32(size - 1))
            if bins.max(initial=0) >= 8:
                return True
            if len(codes) <= size // 2:
                break
    return False


def random_values(rng: random.Random, text: str, num_rows: int) -> list[Value]:
    """Values of a column: few distinct ones or many, some of them null, in runs or not."""
    if text.startswith("MAP"):
        value_type = text.partition(", ")[2].removesuffix(">")
        by_key = [random_values(rng, value_type, num_rows) for _ in MAP_KEYS[:-1]]
        return [
            None
            if rng.random() < 0.05
            else {k: v for k, v in zip(MAP_KEYS, row, strict=False) if rng.random() < 0.8}
            for row in zip(*by_key, strict=True)
        ]
    shape = rng.choice(["few", "few", "many", "many", "once", "runs", "nulls"])
    if shape == "nulls":
        return [None] * num_rows
    if text == "INT" and shape == "many":  # of few bins of a HashMap: eight make one a tree
        pool: list[Value] = [number << 22 for number in rng.sample(range(200), rng.randint(6, 70))]
        pool += [random_value(rng, text) for _ in range(rng.choice([0, 40, 300]))]
    else:
        distinct = {"few": 8, "runs": 5, "many": max(num_rows // 3, 1), "once": num_rows}[shape]
        pool = [random_value(rng, text) for _ in range(distinct)]
    if shape == "once":
        values = pool
    elif shape == "runs":
        values = [pool[row * len(pool) // max(num_rows, 1)] for row in range(num_rows)]
    else:
        rng.shuffle(pool)  # keys enter the map in this order, then repeat
        values = [*pool[:num_rows], *rng.choices(pool, k=max(num_rows - len(pool), 0))]
    share = rng.choice([0, 0, 0.02, 0.4])
    values = [None if rng.random() < share else value for value in values]
    if values and rng.random() < 0.1:
        values[rng.randrange(num_rows)] = None  # maybe the only null, which is stored otherwise
    return values


_ALPHABET = "ab cZ0é日😀"
_INTEGER_BITS = {"TINYINT": 8, "SMALLINT": 16, "INT": 32, "BIGINT": 64}


def random_value(rng: random.Random, text: str) -> Value:
    root = text.partition("(")[0]
    if root == "BOOLEAN":
        return rng.random() < 0.5
    if root in _INTEGER_BITS:
        half = 1 << _INTEGER_BITS[root] - 1
        return rng.choice([rng.randrange(-half, half), rng.randrange(-100, 100), -half, half - 1])
    if root in ("FLOAT", "DOUBLE"):
        number = rng.choice([rng.uniform(-10, 10), rng.randrange(-4, 4), rng.gauss(0, 1e30)])
        if root == "FLOAT":
            (number,) = struct.unpack("f", struct.pack("f", number))
        return rng.choice([number, number, number, "NaN", "Infinity", "-Infinity", "-0.0", 0.0])
    if root in ("CHAR", "VARCHAR", "STRING"):
        length = {"CHAR": 5, "VARCHAR": 20, "STRING": 20}[root]
        return "".join(rng.choices(_ALPHABET, k=rng.randint(0, length)))
    if root == "BYTES":
        return rng.randbytes(rng.randrange(20)).hex()
    if root == "DECIMAL":
        precision, scale = map(int, text[len("DECIMAL(") : -1].split(", "))
        limit = 10 ** min(precision, 18)  # more than 64 bits take none of the indexes
        number = rng.choice([rng.randrange(1 - limit, limit), rng.randrange(-50, 50), limit - 1])
        return str(Decimal(number).scaleb(-scale))
    if root == "DATE":
        return rng.randrange(-30_000, 60_000)
    if root == "TIME":
        return rng.randrange(86_400) * 1000 + (rng.randrange(1000) if text == "TIME(3)" else 0)
    precision = int(text[text.index("(") + 1])
    per_second = {0: 1, 3: 10**3, 6: 10**6, 9: 10**9}[precision]
    moment = rng.randrange(-(10**9) * per_second, 2 * 10**9 * per_second)
    if precision == 9:
        moment = rng.choice([moment, moment // 1000 * 1000, rng.randrange(-5000, 5000)])
    return moment * 1000 if precision == 0 else moment


def leaves_of(rng: random.Random, column: Column) -> list[dict[str, Any]]:
    """Predicates on one column, of each kind, with values that are there and that are not."""
    present = [value for value in dict.fromkeys(column.values) if value is not None]
    values = rng.sample(present, min(len(present), 12))
    values += [random_value(rng, column.type) for _ in range(3)]
    leaves: list[dict[str, Any]] = [
        {"op": "isnull", "col": column.name},
        {"op": "isnotnull", "col": column.name},
    ]
    for value in [values[0], values[-1]]:
        leaves += [{"op": op, "col": column.name, "value": value} for op in ("eq", "ne", "lt")]
    for op in ("in", "notin"):
        chosen = rng.sample(values, rng.randint(1, len(values)))
        leaves.append({"op": op, "col": column.name, "values": chosen})
    return leaves


def combined(
    rng: random.Random, leaves: Sequence[dict[str, Any]], count: int
) -> list[dict[str, Any]]:
    """AND and OR of some of these predicates."""
    return [
        {"op": rng.choice(["and", "or"]), "args": rng.sample(leaves, rng.randint(2, 3))}
        for _ in range(count)
    ]


# The scan ---------------------------------------------------------------------------------------


def scan(case: Case, node: Mapping[str, Any]) -> set[int]:
    """The rows for which a predicate is true, by SQL's rules."""
    columns = {column.name: column.internal for column in case.compared(node)}
    predicate = case.predicate(node)
    return set(matching_rows(predicate, columns, case.schema, num_rows=case.num_rows))


def first(case: Case, asked: Mapping[str, Any]) -> tuple[set[int], set[int], int]:
    """The first rows that match, of `limit` and of `order`, if there is one.

    Returns:
        The rows that have to be among them, those that tie for the last place, and how many of
        these are needed.
    """
    rows = scan(case, asked["predicate"]) if asked["predicate"] else set(range(case.num_rows))
    order, limit = asked.get("order"), asked["limit"]
    if len(rows) <= limit:
        return rows, set(), 0
    if order is None:
        return set(), rows, limit
    column = case.indexed(order["col"])
    nulls = {row for row in rows if column.values[row] is None}
    ties_of: defaultdict[Any, set[int]] = defaultdict(set)
    for row in rows - nulls:
        ties_of[key_of(column.internal[row], column.kind)].add(row)
    groups = [ties_of[key] for key in sorted(ties_of, reverse=order["descending"])]
    groups.insert(0 if order["nulls_first"] else len(groups), nulls)
    rows_before: set[int] = set()
    for ties in groups:
        if len(rows_before) + len(ties) >= limit:
            return rows_before, ties, limit - len(rows_before)
        rows_before |= ties
    raise AssertionError("there are more rows than the limit")


# Differences that are meant ---------------------------------------------------------------------

NULL_ROWS = "the library's <> and NOT IN return null rows"
ZEROS = "-0.0 and 0.0 are one value in SQL, two in the library"
PADDING = "CHAR is padded in SQL, not in the library"
NANOSECONDS = "the library cuts TIMESTAMP(7..9) to microseconds"
RANGES = "the library does not answer ranges from a bitmap"
NO_VALUES = "IS NULL without any value: the library's range bitmap has the first and the last row"
LEAST = "the library's BSI takes the absolute value of -9223372036854775808"

RANGE_OPS = {"lt", "le", "gt", "ge", "between", "startswith"}


def explain(case: Case, node: Mapping[str, Any]) -> set[str]:
    """Why the library's answer to a predicate may differ from ours."""
    leaves = [leaf for leaf in nodes(node) if "col" in leaf]
    return set().union(*(_explain(case, leaf) for leaf in leaves))


def _explain(case: Case, leaf: Mapping[str, Any]) -> set[str]:
    column, op = case.indexed(leaf["col"]), leaf["op"]
    literals = leaf.get("values", [leaf.get("value")])
    kind, compares = column.kind, op not in ("isnull", "isnotnull")
    all_null = all(value is None for value in column.values)
    may_differ = {
        NULL_ROWS: op in ("ne", "notin") and None in column.values,
        RANGES: op in RANGE_OPS,
        NO_VALUES: op == "isnull" and all_null and case.has("range-bitmap", leaf["col"]),
        LEAST: -(2**63) in literals and case.has("bsi", leaf["col"]),
        ZEROS: compares
        and kind.root in ("FLOAT", "DOUBLE")
        and any(value in (0, "-0.0") for value in literals),
        PADDING: compares and kind.root == "CHAR",
        NANOSECONDS: compares and kind.is_timestamp and (kind.precision or 0) > 6,
    }
    return {reason for reason, holds in may_differ.items() if holds}


# For messages -----------------------------------------------------------------------------------


def short(value: object) -> str:
    text = f"{len(value)} bytes" if isinstance(value, bytes) else str(value)
    return text if len(text) <= 200 else text[:197] + "..."


def some_rows(rows: set[int]) -> str:
    return f"{len(rows)} rows {sorted(rows)[:8]}"
