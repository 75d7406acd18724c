"""The cases of file indexes: what is in them, and what the library makes of it.

The right rows of each predicate come from a scan of the rows. The library's answers have to be the
same, but for the differences that `explain` knows: those are in the case, with their names.
"""

from __future__ import annotations

import base64
import random
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from conformance.run import pack, repeated
from paimon_ksy.file_index.registry import INDEX_TYPES
from paimon_ksy.types.parse import parse_type
from tools import jvm
from tools.conformance import cases
from tools.conformance.cases import Case, Collisions, Column, explain, scan
from tools.conformance.kit.draft import SEED, Draft, UnknownDifferenceError, fields_of

KIND = "file_index"

DEVIATIONS = {
    cases.NULL_ROWS: "null-rows",
    cases.ZEROS: "two-zeros",
    cases.PADDING: "char-padding",
    cases.NANOSECONDS: "nanoseconds",
    cases.RANGES: "no-ranges",
    cases.NO_VALUES: "all-null",
    cases.LEAST: "least-bigint",
}
"""The names in deviations.json of what `explain` returns."""

# A right answer may have more rows than a scan then: SQL and the index have other values.
_LOOSE = {cases.PADDING, cases.NANOSECONDS}

_ROWS = 24


@dataclass(frozen=True)
class Plan:
    """A file index to be made.

    `repeats` describes how the rows are made, where there are too many to list: see `repeated` in
    conformance/run.py.
    """

    name: str
    about: str
    columns: Sequence[Column]
    options: Mapping[str, str]
    repeats: Sequence[Any] | None = None
    predicates: Sequence[Mapping[str, Any]] | None = None
    first: Sequence[Mapping[str, Any]] = ()
    """Questions for the first rows, each with `predicate`, `order` and `limit`."""

    @property
    def case(self) -> Case:
        """The same for what compares random files."""
        return Case(0, list(self.columns), dict(self.options), [], "plain")


# What is made -----------------------------------------------------------------------------------


def plans(collisions: Collisions) -> Iterator[Plan]:
    """All file indexes of the kit."""
    yield from _each_type(collisions)
    yield from _layouts()
    yield from _rows()
    yield from _shapes(collisions)
    yield from _top_n()


def _rng(name: str) -> random.Random:
    return random.Random(f"{SEED}:{KIND}/{name}")


def _slug(text: str) -> str:
    kept = "".join(
        c if c.isalnum() else "_" for c in text.lower().replace("with local time zone", "ltz")
    )
    return "_".join(filter(None, kept.split("_")))


_VERSIONS: dict[str, tuple[str, dict[str, str]]] = {
    "bitmap_v1": ("bitmap", {"version": "1"}),
    "bitmap_v2": ("bitmap", {"version": "2"}),
    "bloom_filter": ("bloom-filter", {"items": "50", "fpp": "0.05"}),
    "bsi": ("bsi", {}),
    "range_bitmap": ("range-bitmap", {}),
}
"""Index types with the options that each case of them gets."""


def _options(*indexes: tuple[str, str]) -> dict[str, str]:
    """Options for indexes, each a key of `_VERSIONS` and the name of a column or of a map's key."""
    names: dict[str, list[str]] = {}
    options = {}
    for version, column in indexes:
        kind, settings = _VERSIONS[version]
        names.setdefault(kind, []).append(column)
        for option, value in settings.items():
            options[f"file-index.{kind}.{column}.{option}"] = value
    return {f"file-index.{k}.columns": ",".join(found) for k, found in names.items()} | options


def _each_type(collisions: Collisions) -> Iterator[Plan]:
    for version, (kind, _) in _VERSIONS.items():
        for text in cases.TYPES:
            if text.startswith("MAP") or not INDEX_TYPES[kind].takes(parse_type(text)):
                continue
            name = f"{version}_{_slug(text)}"
            column = _column(_rng(name), "c", text, collisions)
            about = f"A {kind} index of {text}, with nulls and repeated values."
            yield Plan(name, about, [column], _options((version, "c")))


def _column(rng: random.Random, name: str, text: str, collisions: Collisions) -> Column:
    """A column with some values that repeat, and nulls."""
    while True:
        values = cases.random_values(rng, text, _ROWS, collisions)
        if text == "BIGINT" and -(2**63) in values:
            continue  # no BSI has it
        distinct = {str(value) for value in values}
        if 2 < len(distinct) < _ROWS * 3 // 4 and None in values:
            return Column(name, text, values)
        if text == "BOOLEAN" and len(distinct) == 3:
            return Column(name, text, values)


def _layouts() -> Iterator[Plan]:
    ints = Column("c", "INT", [7, None, -3, 7, 0, 2**31 - 1, -(2**31), 12, 12, None])
    yield Plan(
        "four_indexes",
        "A column with an index of each type.",
        [ints],
        _options(*((version, "c") for version in _VERSIONS if version != "bitmap_v1")),
    )
    two = _options(("bitmap_v2", "c"), ("bsi", "c"))
    yield Plan("two_indexes", "A column with a bitmap index and a BSI.", [ints], two)
    rng, rows = _rng("several_columns"), range(40)
    states = ["NEW", "DONE", "PENDING", None]
    columns = [
        Column("id", "BIGINT", [100 + row for row in rows]),
        Column("status", "STRING", [rng.choice(states) for _ in rows]),
        Column("amount", "DECIMAL(10, 2)", [f"{rng.randrange(-900, 900) / 100:.2f}" for _ in rows]),
        Column("day", "DATE", [19_000 + rng.randrange(5) for _ in rows]),
        Column("plain", "INT", list(rows)),
    ]
    indexes = [("bloom_filter", "id"), ("range_bitmap", "id"), ("bitmap_v2", "status")]
    indexes += [("bsi", "amount"), ("bitmap_v1", "day"), ("bsi", "day")]
    yield Plan("several_columns", "Five columns; one has no index.", columns, _options(*indexes))
    names = ["größe", "日本", "😀", "with space", "UPPER", "a\0b"]
    columns = [Column(name, "INT", [at, None, at + 1]) for at, name in enumerate(names)]
    yield Plan(
        "names",
        "Names of columns in modified UTF-8: two, three and six bytes a character, and NUL.",
        columns,
        _options(*(("bitmap_v2", name) for name in names)),
    )
    maps = [{"k1": 1, "k2": 5}, None, {"k1": 1}, {}, {"k2": None, "k1": 3}, {"k2": 5}]
    texts = [{"schlüssel": "a"}, {"schlüssel": "é"}, None, {}, {"schlüssel": "a"}, {"other": "b"}]
    yield Plan(
        "map_keys",
        "Keys of MAP columns, among them one that no row has. A row without the key is null.",
        [Column("m", "MAP<STRING, INT>", maps), Column("t", "MAP<STRING, STRING>", texts)],
        _options(
            *[("bitmap_v2", "m[k1]"), ("bsi", "m[k2]"), ("bitmap_v1", "m[absent]")],
            *[("bloom_filter", "t[schlüssel]"), ("range_bitmap", "t[schlüssel]")],
        ),
    )
    yield Plan(
        "map_keys_empty",
        "Keys of a MAP column, and no row: EMPTY indexes, which start at -1 and have no bytes.",
        [Column("m", "MAP<STRING, INT>", [])],
        _options(*((version, f"m[{version}]") for version in _VERSIONS)),
        predicates=[
            {"op": op, "col": f"m[{version}]"} | ({"value": 1} if op == "eq" else {})
            for version in _VERSIONS
            for op in ("eq", "isnull", "isnotnull")
        ],
    )


def _rows() -> Iterator[Plan]:
    """Few rows, or one kind of them: layouts leave out what is not there."""
    shapes: dict[str, tuple[str, list[Any]]] = {
        "no_row": ("no row", []),
        "one_row": ("one row", [5]),
        "one_null": ("one row, which is null", [None]),
        "all_null": ("three null rows", [None, None, None]),
        "single_null": ("a single null row", [1, 2, None, 2, 1]),
        "no_null": ("no null row", [1, 2, 3, 2, 1]),
        "one_value": ("one value in all rows", [4] * 6),
        "distinct": ("no value twice", [30, -10, 20, 0, -40]),
    }
    for version, (kind, _) in _VERSIONS.items():
        for name, (about, values) in shapes.items():
            yield Plan(
                f"{version}_{name}",
                f"A {kind} index of INT: {about}.",
                [Column("c", "INT", values)],
                _options((version, "c")),
            )


def _shapes(collisions: Collisions) -> Iterator[Plan]:
    rng = _rng("blocks")
    texts = [f"{'x' * rng.randrange(12)}{rng.randrange(60)}" for _ in range(90)]
    blocks = _options(("bitmap_v2", "c")) | {"file-index.bitmap.c.index-block-size": "128b"}
    column = Column("c", "STRING", [*texts, None, None])
    yield Plan("bitmap_v2_blocks", "A dictionary of many blocks of 128 bytes.", [column], blocks)
    for size in ("0b", "100b"):
        options = _options(("range_bitmap", "c")) | {"file-index.range-bitmap.c.chunk-size": size}
        yield Plan(
            f"range_bitmap_chunks_{size}",
            f"A dictionary in chunks of {size} of further values.",
            [column],
            options,
        )
        numbers = Column("c", "INT", [rng.randrange(-500, 500) for _ in range(60)])
        yield Plan(
            f"range_bitmap_int_chunks_{size}",
            f"Values of a fixed size in chunks of {size} of further values.",
            [numbers],
            options,
        )
    few_bins = collisions.texts[0][:40]
    for version in ("bitmap_v1", "bitmap_v2"):
        yield Plan(
            f"{version}_collisions",
            "Texts that share bins of Java's HashMap, which orders the bitmaps: bins are trees.",
            [Column("c", "STRING", [*few_bins, *collisions.texts[1][:9], *few_bins[:5], None])],
            _options((version, "c")),
        )
    # 76,700 rows: containers of all three kinds, and rows of a second one.
    repeats = [
        {"times": 20_000, "rows": [["a"], ["b"]]},
        {"times": 10_000, "rows": [["c"]]},
        {"times": 100, "rows": [["d"], ["a"], ["e"], ["a"], ["a"], [None], ["a"]]},
        {"times": 26_000, "rows": [["c"]]},
    ]
    values = [row[0] for row in repeated(repeats)]
    for version in ("bitmap_v1", "bitmap_v2", "range_bitmap"):
        yield Plan(
            f"{version}_containers",
            "76,700 rows, so that bitmaps have arrays, bitsets and runs in two containers.",
            [Column("c", "STRING", values)],
            _options((version, "c")),
            repeats=repeats,
        )
    limits = [2**63 - 1, -(2**63) + 1, 0, -1, 1, None, 2**62, -(2**62)]
    yield Plan(
        "bsi_limits",
        "The largest numbers that a BSI can have; literals are below and above them.",
        [Column("c", "BIGINT", limits)],
        _options(("bsi", "c")),
        predicates=[
            {"op": op, "col": "c", "value": value}
            for value in (2**63 - 1, -(2**63) + 1, -(2**63), 0)
            for op in ("eq", "ne", "lt", "le", "gt", "ge")
        ],
    )
    for fpp, items in (("0.5", "10"), ("1e-6", "40"), ("0.1", "1")):
        rng = _rng(f"bloom {fpp}")
        yield Plan(
            f"bloom_filter_fpp_{fpp.replace('.', '_')}_items_{items}",
            "Another number of hash functions and bits; a filter may be too small for its values.",
            [Column("c", "STRING", [f"key-{rng.randrange(1000)}" for _ in range(30)])],
            {
                "file-index.bloom-filter.columns": "c",
                "file-index.bloom-filter.c.items": items,
                "file-index.bloom-filter.c.fpp": fpp,
            },
        )


def _top_n() -> Iterator[Plan]:
    numbers = [4, None, -7, 12, 4, 0, 4, None, 12, -7, 3, 12, 90]
    texts = [None if number is None else f"t{number % 5}" for number in numbers]
    for version, text, values in (
        ("range_bitmap", "INT", numbers),
        ("range_bitmap", "STRING", texts),
        ("bsi", "INT", numbers),
    ):
        yield Plan(
            f"{version}_top_n_{_slug(text)}",
            "ORDER BY with LIMIT: rows that tie for the last place are as good as each other.",
            [Column("c", text, values)],
            _options((version, "c")),
            predicates=[],
            first=[
                {
                    "predicate": predicate,
                    "order": {"col": "c", "descending": descending, "nulls_first": nulls_first},
                    "limit": limit,
                }
                for predicate in (None, {"op": "ne", "col": "c", "value": values[0]})
                for descending in (False, True)
                for nulls_first in (False, True)
                for limit in (1, 4, 12, 50)
            ],
        )


# Predicates -------------------------------------------------------------------------------------


def _asked(plan: Plan, rng: random.Random) -> list[Mapping[str, Any]]:
    if plan.predicates is not None:
        return list(plan.predicates)
    leaves = [leaf for name in _indexed(plan) for leaf in _leaves(rng, plan.case.indexed(name))]
    trees = [
        {"op": op, "args": rng.sample(leaves, 3)} for op in ("and", "or") for _ in range(1)
    ]  # fmt: skip
    return [*leaves, *trees]


def _indexed(plan: Plan) -> list[str]:
    found = (v.split(",") for k, v in plan.options.items() if k.endswith(".columns"))
    return list(dict.fromkeys(name for names in found for name in names))


def _leaves(rng: random.Random, column: Column) -> Iterator[dict[str, Any]]:
    """Predicates of each kind, with values that are there and that are not."""
    present = [v for v in dict.fromkeys(map(str, column.values)) if v != "None"]
    by_text = {str(value): value for value in column.values}
    absent = cases.random_value(rng, column.type)
    values = [by_text[text] for text in rng.sample(present, min(len(present), 4))]
    first, second, third = (*values, absent, absent, absent)[:3]
    yield {"op": "isnull", "col": column.name}
    yield {"op": "isnotnull", "col": column.name}
    yield {"op": "eq", "col": column.name, "value": first}
    yield {"op": "eq", "col": column.name, "value": absent}
    yield {"op": "ne", "col": column.name, "value": second}
    yield {"op": "in", "col": column.name, "values": [first, third, absent]}
    yield {"op": "notin", "col": column.name, "values": [first, second]}
    if column.root in ("BOOLEAN", "BYTES", "BINARY", "VARBINARY"):
        return
    for op, value in (("lt", first), ("le", second), ("gt", third), ("ge", absent)):
        yield {"op": op, "col": column.name, "value": value}
    yield {"op": "between", "col": column.name, "values": [first, second]}
    if column.root in ("CHAR", "VARCHAR", "STRING"):
        yield {"op": "startswith", "col": column.name, "value": str(first)[:1]}


# Making -----------------------------------------------------------------------------------------


def make(plan: Plan, java: jvm.Session) -> Draft:
    """The case, with the library's bytes."""
    case = plan.case
    columns = case.request_columns()
    rows: list[Any] = [list(row) for row in case.rows()]
    request = {"columns": columns, "options": dict(plan.options), "rows": rows}
    data = base64.b64decode(java.ask({"op": "build_file_index", **request})["bytes"])
    made = Made(KIND, plan.name, data, columns, case, java)
    document: dict[str, Any] = {
        "file": made.file,
        "columns": columns,
        "options": dict(plan.options),
        "num_rows": case.num_rows,
        "rows": plan.repeats or rows,
        "predicates": [
            *(made.answered(asked) for asked in _asked(plan, _rng(plan.name + " asked"))),
            *(made.first(asked) for asked in plan.first),
        ],
    }
    fields = fields_of(data, case.schema())
    return Draft(KIND, plan.name, plan.about, document, {made.file: data}, fields)


@dataclass(frozen=True)
class Made:
    """The bytes of a file index, and the library that answers predicates on it."""

    kind: str
    name: str
    data: bytes
    columns: Sequence[Mapping[str, str]]
    case: Case
    java: jvm.Session
    file: str = "file.index"
    errors: Sequence[str] = field(default=())
    """The names of deviations by which the library may fail on all of it."""

    def answered(self, asked: Mapping[str, Any]) -> dict[str, Any]:
        """A predicate with its right answer, and Java's if that is another one.

        Raises:
            UnknownDifferenceError: Java's is wrong for an unknown reason.
        """
        node = dict(asked)
        right = scan(self.case, node)
        reasons = explain(self.case, node)
        theirs = self._library({"predicate": node})
        exact = not reasons & _LOOSE and (theirs == right or _has_all(self.case, node))
        found = {
            "predicate": node,
            "rows": pack(right),
            "answer": "exact" if exact else "superset",
        }
        sound = isinstance(theirs, set) and (theirs == right if exact else theirs >= right)
        if not sound:
            names = sorted(DEVIATIONS[reason] for reason in reasons)
            if isinstance(theirs, str):
                names = list(self.errors)
            if not names:
                raise UnknownDifferenceError(f"{self.name}: {node}: {theirs}, not {sorted(right)}")
            answer = {"error": theirs} if isinstance(theirs, str) else {"rows": pack(theirs)}
            found["java"] = {**answer, "because": names}
        return found

    def first(self, asked: Mapping[str, Any]) -> dict[str, Any]:
        """The same for the first rows in an order."""
        rows, ties, least = cases.first(self.case, asked)
        found = {**asked, "rows": pack(rows), "ties": pack(ties), "least": least}
        found["answer"] = "exact"
        theirs = self._library(asked)
        assert isinstance(theirs, set)
        if not rows <= theirs <= rows | ties or len(theirs & ties) < least:
            if not self.case.has("bsi", asked["order"]["col"]):
                raise UnknownDifferenceError(f"{self.name}: {asked}: {theirs}, not {found}")
            found["java"] = {"rows": pack(theirs), "because": ["no-top-n"]}
        return found

    def _library(self, asked: Mapping[str, Any]) -> set[int] | str:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, self.file)
            path.write_bytes(self.data)
            request = {"op": "evaluate", "file": str(path), "columns": self.columns}
            try:
                rows = self.java.ask({**request, **asked})["rows"]
            except jvm.JavaError as error:
                return str(error)
        return set(range(self.case.num_rows)) if rows == "all" else set(rows)


def _has_all(case: Case, node: Mapping[str, Any]) -> bool:
    """Whether the indexes contain what an exact answer takes: bloom filters do not."""
    if "args" in node:
        return all(_has_all(case, child) for child in node["args"])
    return any(case.has(kind, node["col"]) for kind in INDEX_TYPES if kind != "bloom-filter")
