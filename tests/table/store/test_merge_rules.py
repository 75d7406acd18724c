"""Merge engines: what pypaimon merges for us is what the Java library merges, or it is refused."""

from __future__ import annotations

import json
import math
import random
from collections.abc import Callable, Sequence
from decimal import Decimal
from functools import reduce
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from paimon_ksy.errors import UnsupportedError
from paimon_ksy.table.engine import local_engine
from paimon_ksy.table.query.read import count, query
from paimon_ksy.table.store import merge_rules
from paimon_ksy.table.store.errors import REMEDY_UNSUPPORTED
from tests.support.strategies import examples
from tools import jvm
from tools.tables import by_pypaimon, make_table

ENGINE = local_engine(1)
NAN, INF = math.nan, math.inf
Commits = list[dict[int, Any]]
"""Of each commit the value of each key."""


# A model of `org.apache.paimon.mergetree.compact`, for values that Java gives as they are.


def order(value: Any) -> Any:
    """What `Double.compare` orders by."""
    if not isinstance(value, float | np.floating):
        return value
    return (1, 0.0, 0) if math.isnan(value) else (0, value, 0 if math.copysign(1, value) < 0 else 1)


def skipping_nulls(fold: Callable[[Any, Any], Any]) -> Callable[[list[Any]], Any]:
    return lambda values: reduce(fold, [v for v in values if v is not None] or [None])


def first_of(values: Sequence[Any]) -> Any:
    return next((value for value in values if value is not None), None)


def listagg(so_far: str, value: str) -> str:
    return so_far + "," + value if so_far and value else so_far or value


MODEL: dict[str, Callable[[list[Any]], Any]] = {
    "max": skipping_nulls(lambda a, b: max(a, b, key=order)),
    "min": skipping_nulls(lambda a, b: min(a, b, key=order)),
    "sum": skipping_nulls(lambda a, b: a + b),
    "product": skipping_nulls(lambda a, b: a * b),
    "bool_or": skipping_nulls(lambda a, b: a or b),
    "bool_and": skipping_nulls(lambda a, b: a and b),
    "listagg": skipping_nulls(listagg),
    "first_value": lambda values: values[0],
    "last_value": lambda values: values[-1],
    "first_non_null_value": first_of,
    "last_non_null_value": lambda values: first_of(values[::-1]),
}
DOUBLES = [NAN, -0.0, 0.0, 1.0, -1.5, 0.1, 1e308, INF, -INF, None]
FLOATS = [np.float32(value) for value in (NAN, -0.0, 0.0, 0.1, 16777216, 1, 3, INF)] + [None]
TEXTS = ["", "a", " ", "b,a", "\uffff", "\U0001f600", None]
COLUMNS: list[tuple[pa.DataType, list[Any], tuple[str, ...]]] = [
    (pa.float64(), DOUBLES, ("max", "min", "sum", "product")),
    (pa.float32(), FLOATS, ("max", "min", "sum", "product")),
    (pa.int64(), [0, 1, -7, 2**40, None], ("max", "min", "sum")),
    (pa.string(), TEXTS, ("max", "min", "listagg")),
    (pa.bool_(), [True, False, None], ("bool_or", "bool_and")),
    (pa.timestamp("ns"), [0, -1, 1, 1_600_000_000_123_456_789, None], ("max", "min")),
    (pa.decimal128(7, 2), [Decimal("0.01"), Decimal("-2.50"), None], ("max", "min", "sum")),
]
ANY = ("first_value", "last_value", "first_non_null_value", "last_non_null_value")


@st.composite
def _merges(draw: st.DrawFn) -> tuple[str, str, pa.DataType, list[dict[int, Any]]]:
    engine = draw(st.sampled_from(["deduplicate", "partial-update", "aggregation", "aggregation"]))
    kind, values, functions = draw(st.sampled_from(COLUMNS))
    if engine == "aggregation":
        function = draw(st.sampled_from(functions + ANY))
    else:
        function = {"deduplicate": "last_value"}.get(engine, "last_non_null_value")
    commit = st.dictionaries(st.integers(0, 5), st.sampled_from(values), min_size=1)
    return engine, function, kind, draw(st.lists(commit, min_size=2, max_size=4))


def merged_table(folder: Path, data: Sequence[pa.Table], options: dict[str, str]) -> str:
    """A table of this data as it is: pypaimon aggregates already what it writes."""
    path = make_table(folder, "t", data, {"bucket": "1"}, primary_keys=["id"])
    set_options(Path(path), options)
    return path


def set_options(path: Path, options: dict[str, str]) -> None:
    schema = path / "schema" / "schema-0"
    document = json.loads(schema.read_text())
    document["options"].update(options)
    schema.write_text(json.dumps(document))


def shown(values: Sequence[Any], kind: pa.DataType) -> list[str]:
    """So that NaN is NaN, and -0.0 is not 0.0."""
    if pa.types.is_timestamp(kind):
        return list(map(repr, pa.array(values, kind).cast(pa.int64()).to_pylist()))
    return [repr(None if value is None else pa.scalar(value, kind).as_py()) for value in values]


@examples(60)
@given(_merges())
@example(("aggregation", "max", pa.float64(), [{1: 1.0, 2: NAN}, {1: NAN, 2: 1.0}]))
@example(("aggregation", "min", pa.float64(), [{1: 1.0, 2: NAN}, {1: NAN, 2: 1.0}]))
@example(("aggregation", "max", pa.float64(), [{1: -0.0, 2: 0.0}, {1: 0.0, 2: -0.0}]))
@example(("aggregation", "min", pa.float64(), [{1: -0.0, 2: 0.0}, {1: 0.0, 2: -0.0}]))
@example(("aggregation", "listagg", pa.string(), [{1: "", 2: None}, {1: None, 2: ""}]))
@example(("aggregation", "listagg", pa.string(), [{1: "a"}, {1: " "}]))
@example(("aggregation", "sum", pa.float32(), [{1: np.float32(2**24)}, {1: np.float32(1)}] * 2))
@example(("deduplicate", "last_value", pa.timestamp("ns"), [{1: 1}, {1: 123_456_789}]))
def test_merged_rows_are_those_of_the_model(
    tmp_path_factory: pytest.TempPathFactory,
    case: tuple[str, str, pa.DataType, list[dict[int, Any]]],
) -> None:
    engine, function, kind, commits = case
    keyed = pa.schema([pa.field("id", pa.int64(), nullable=False), ("c", kind)])
    data = [
        pa.table([list(rows), pa.array(list(rows.values()), kind)], schema=keyed)
        for rows in commits
    ]
    options = {"merge-engine": engine}
    if engine == "aggregation":
        options["fields.c.aggregate-function"] = function
    path = merged_table(tmp_path_factory.mktemp("merged"), data, options)
    expected = {}
    for key in {key for rows in commits for key in rows}:
        with np.errstate(all="ignore"):
            expected[key] = MODEL[function]([rows[key] for rows in commits if key in rows])
    found = query(path, engine=ENGINE).sort_by("id")
    assert found["id"].to_pylist() == sorted(expected)
    own = found["c"].cast(pa.int64()) if pa.types.is_timestamp(kind) else found["c"]
    assert list(map(repr, own.to_pylist())) == shown(
        [expected[key] for key in sorted(expected)], kind
    )
    nulls = sum(value is None for value in expected.values())
    assert count(path, engine=ENGINE).count == len(expected)
    assert count(path, "c IS NULL", engine=ENGINE).count == nulls


@pytest.mark.parametrize(
    ("kind", "function", "values"),
    [
        (pa.int8(), "sum", [127, 1]),
        (pa.int16(), "product", [-32768, -1]),
        (pa.int32(), "sum", [2**31 - 1, 1]),
        (pa.int64(), "product", [2**62, 2]),
        (pa.decimal128(5, 2), "sum", [Decimal("999.99"), Decimal("0.01")]),
        (pa.decimal128(38, 0), "product", [Decimal(10**37), Decimal(10)]),
        (pa.list_(pa.int64()), "max", [[1], [2]]),
    ],
    ids=str,
)
def test_what_cannot_be_aggregated_is_refused_by_column_and_function(
    kind: pa.DataType, function: str, values: list[Any], tmp_path: Path, caplog: Any
) -> None:
    """Java 1.4.2 wraps integers around, and takes decimals beyond their precision or as null."""
    options = {"merge-engine": "aggregation", "fields.c.aggregate-function": function}
    options["read.native.enabled"] = "true"  # pypaimon's native reader has its own rules
    keyed = pa.schema([pa.field("id", pa.int64(), nullable=False), ("c", kind), ("d", pa.int64())])
    data = [pa.table([[1], [value], [7]], schema=keyed) for value in values]
    path = merged_table(tmp_path, data, options)
    file = rf"^{tmp_path}\S+/bucket-0/data-\S+ and 1 more"
    with pytest.raises(
        UnsupportedError, match=f"{file}: column 'c', aggregated by {function}: "
    ) as raised:
        query(path, engine=ENGINE)
    assert raised.value.remedy == REMEDY_UNSUPPORTED
    assert query(path, columns=["id", "d"], engine=ENGINE).to_pylist() == [{"id": 1, "d": 7}]
    assert caplog.records == []


@pytest.mark.parametrize("value", [NAN, -0.0])
@pytest.mark.parametrize("column", ["id", "c"])
def test_rows_that_versions_of_paimon_order_differently_are_refused(
    column: str, value: float, tmp_path: Path
) -> None:
    """By 1.4.2, NaN equals everything, and -0.0 is 0.0; later versions order them."""
    keyed = pa.schema([pa.field("id", pa.float64(), nullable=False), ("c", pa.float64())])
    odd = {"id": 1.0, "c": 2.0, column: value}
    data = [pa.Table.from_pylist([odd, {"id": 3.0, "c": n}], keyed) for n in (1.0, 2.0)]
    options = {"bucket": "1", "sequence.field": "c"}
    path = make_table(tmp_path, "t", data, options, primary_keys=["id"])
    with pytest.raises(UnsupportedError, match=f"column '{column}', which orders rows to merge"):
        query(path, engine=ENGINE)


def test_others_who_use_pypaimon_get_its_own_values(tmp_path: Path) -> None:
    keyed = pa.schema([pa.field("id", pa.int64(), nullable=False), ("c", pa.timestamp("ns"))])
    data = [pa.table([[1], [n]], schema=keyed) for n in (1, 2_000)]
    path = make_table(tmp_path, "t", data, {"bucket": "1"}, primary_keys=["id"])
    before = by_pypaimon(path)
    assert query(path, engine=ENGINE)["c"].cast(pa.int64()).to_pylist() == [2_000]
    assert by_pypaimon(path).equals(before)


# The same of the library itself.

ROW = {
    "type": "ROW",
    "fields": [{"id": 10, "name": "a", "type": "INT"}, {"id": 11, "name": "b", "type": "STRING"}],
}
LIST_OF_ROWS = json.dumps({"type": "ARRAY", "element": ROW})
TEXT_LIST = json.dumps({"type": "ARRAY", "element": "STRING"})
DOUBLE_LIST = json.dumps({"type": "ARRAY", "element": "DOUBLE"})
MAP = json.dumps({"type": "MAP", "key": "STRING NOT NULL", "value": "INT"})
TIMED_MAP = json.dumps({"type": "MAP", "key": "STRING NOT NULL", "value": ROW})
SIMPLE: dict[str, list[Any]] = {
    "TINYINT": [0, 1, -1, 5],
    "SMALLINT": [0, 1, -1, 5],
    "INT": [0, 1, -1, 40],
    "BIGINT": [0, 1, -1, 2**20],
    "FLOAT": ["NaN", "-0.0", 0.0, 0.1, 16777216.0, 3e38, "Infinity", "-Infinity"],
    "DOUBLE": ["NaN", "-0.0", 0.0, 0.1, 1e308, "Infinity", "-Infinity"],
    "DECIMAL(9, 2)": ["1.00", "-0.01", "12.35"],
    "DECIMAL(38, 4)": ["1.0000", "-0.0001", "123456789.1234"],
    "STRING": ["", "a", " ", "b,a", "a,", "\uffff", "\U0001f600"],
    "VARBINARY(5)": ["", "00", "ff", "00ff"],
    "DATE": [0, -1, 20000],
    "TIME(3)": [1, 86399999],
    "TIMESTAMP(3)": [0, -1, 1600000000123],
    "TIMESTAMP(6)": [0, -1, 1600000000123456],
    "TIMESTAMP(9)": [0, -1, 1, 1600000000123456789],
    "BOOLEAN": [True, False],
}
MORE = {
    **dict.fromkeys([kind for kind in SIMPLE if kind != "BOOLEAN"], ("max", "min")),
    **dict.fromkeys(list(SIMPLE)[:8], ("max", "min", "sum", "product")),
    "STRING": ("max", "min", "listagg"),
    "BOOLEAN": ("bool_or", "bool_and"),
}


def _rows(rng: random.Random) -> Any:
    def row() -> Any:
        return rng.choice([None, [rng.choice([1, 2, None]), rng.choice(["x", "y", None])]])

    return rng.choice([None, [], [row() for _ in range(3)]])


def _list(values: list[Any]) -> Callable[[random.Random], Any]:
    return lambda rng: rng.choice([None, [], rng.choices(values, k=3)])


def _map(rng: random.Random) -> Any:
    return rng.choice([None, {}, {rng.choice("abc"): rng.choice([1, 2, None]) for _ in range(3)}])


def _timed(rng: random.Random) -> Any:
    made = {rng.choice("abc"): [1, rng.choice(["x", "y", None])] for _ in range(3)}
    return rng.choice([None, {}, made, {**made, "a": None}])


NESTED: list[tuple[str, str, Callable[[random.Random], Any], dict[str, str]]] = [
    (TEXT_LIST, "collect", _list(["", "a", "b", None]), {}),
    (TEXT_LIST, "collect", _list(["", "a", "b", None]), {"distinct": "true"}),
    (DOUBLE_LIST, "collect", _list(["NaN", "-0.0", 0.0, 1.0, None]), {"distinct": "true"}),
    (LIST_OF_ROWS, "nested_update", _rows, {}),
    (LIST_OF_ROWS, "nested_update", _rows, {"nested-key": "a"}),
    (LIST_OF_ROWS, "nested_update", _rows, {"nested-key": "a", "count-limit": "2"}),
    (LIST_OF_ROWS, "nested_partial_update", _rows, {"nested-key": "a"}),
    (MAP, "merge_map", _map, {}),
    (TIMED_MAP, "merge_map_with_keytime", _timed, {}),
    ("STRING", "listagg", lambda rng: rng.choice(SIMPLE["STRING"]), {"distinct": "true"}),
    ("STRING", "listagg", lambda rng: rng.choice(["a b", " ", "b"]), {"list-agg-delimiter": ""}),
]


def written(
    java: jvm.Session,
    path: Path,
    columns: dict[str, str],
    options: dict[str, str],
    commits: Sequence[tuple[list[list[Any]], list[str]]],
) -> tuple[list[Any], list[Any]]:
    """The rows of a table that the library has written, as it reads them and as we do."""
    typed = [{"name": name, "type": kind} for name, kind in columns.items()]
    options = {"bucket": "1", "write-only": "true", **options}
    java.ask(
        {"op": "create", "path": str(path), "columns": typed, "keys": ["k"], "options": options}
    )
    for rows, kinds in commits:
        java.ask({"op": "write", "rows": rows, "kinds": kinds, "compact": False})
    return read(java, path, columns)


def read(java: jvm.Session, path: Path, columns: dict[str, str]) -> tuple[list[Any], list[Any]]:
    """The rows of the table that the library has open, as it reads them and as we do."""
    theirs = java.ask({"op": "read", "predicate": None})["rows"]
    table = query(str(path), engine=ENGINE)
    assert count(str(path), engine=ENGINE).count == table.num_rows
    ours = zip(*(_column(table[name], kind) for name, kind in columns.items()), strict=True)
    return sorted(theirs, key=repr), sorted(map(list, ours), key=repr)


def _column(column: Any, kind: str) -> list[Any]:
    """The values as `tools/java/Values.java` has them."""
    if kind.startswith(("DATE", "TIME")):
        column = column.combine_chunks()
        width = pa.int32() if column.type.bit_width == 32 else pa.int64()
        return list(column.view(width).to_pylist())
    parsed = json.loads(kind) if kind.startswith("{") else kind
    return [_value(value, parsed) for value in column.to_pylist()]


def _value(value: Any, kind: Any) -> Any:
    if value is None:
        return None
    if isinstance(kind, dict):
        if kind["type"] == "ARRAY":
            return [_value(item, kind["element"]) for item in value]
        if kind["type"] == "ROW":
            return [_value(value[part["name"]], part["type"]) for part in kind["fields"]]
        return {key: _value(item, kind["value"]) for key, item in value}
    if isinstance(value, bytes):
        return value.hex()
    if isinstance(value, float):
        is_plain = math.isfinite(value) and repr(value) != "-0.0"
        names = {"nan": "NaN", "inf": "Infinity", "-inf": "-Infinity"}
        return value if is_plain else names.get(repr(value), repr(value))
    return str(value) if isinstance(value, Decimal) else value


def _commits(
    rng: random.Random, draw: Callable[[], list[Any]]
) -> list[tuple[list[list[Any]], list[str]]]:
    return [([[key, *draw()] for key in rng.sample(range(60), 40)], []) for _ in range(3)]


@pytest.mark.java
@pytest.mark.parametrize("kind", SIMPLE)
def test_aggregation_is_that_of_the_library(
    kind: str, java_tables: jvm.Session, tmp_path: Path
) -> None:
    rng = random.Random(kind)
    functions = (*MORE[kind], *ANY)
    columns = {"k": "INT NOT NULL", **{f"c{at}": kind for at in range(len(functions))}}
    options = {f"fields.c{at}.aggregate-function": name for at, name in enumerate(functions)}
    options["merge-engine"] = "aggregation"
    values = [*SIMPLE[kind], None]
    commits = _commits(rng, lambda: rng.choices(values, k=len(functions)))
    theirs, ours = written(java_tables, tmp_path / "t", columns, options, commits)
    assert ours == theirs
    assert len(ours) > 40


@pytest.mark.java
@pytest.mark.parametrize(
    ("kind", "function", "draw", "more"),
    NESTED,
    ids=[f"{function}-{','.join(more)}" for _, function, _, more in NESTED],
)
def test_nested_aggregation_is_that_of_the_library(
    kind: str,
    function: str,
    draw: Callable[[random.Random], Any],
    more: dict[str, str],
    java_tables: jvm.Session,
    tmp_path: Path,
) -> None:
    """In Java, what is a set by its values or keys is in the order of hash codes."""
    rng = random.Random(kind)
    options = {f"fields.c.{name}": value for name, value in more.items()}
    options |= {"merge-engine": "aggregation", "fields.c.aggregate-function": function}
    columns = {"k": "INT NOT NULL", "c": kind}
    theirs, ours = written(
        java_tables, tmp_path / "t", columns, options, _commits(rng, lambda: [draw(rng)])
    )
    if "distinct" in more or "nested-key" in more:
        for _, value in (*theirs, *ours):
            if isinstance(value, list):
                value.sort(key=repr)
    assert ours == theirs
    assert any(value for _, value in ours)


DESCENDING = {"sequence.field": "b,a", "sequence.field.sort-order": "descending"}
WITH_SEQUENCE: tuple[dict[str, str], ...] = (
    {},
    {"ignore-delete": "true"},
    {"sequence.field": "a"},
    DESCENDING,
)
ENGINES = [
    *(("deduplicate", options) for options in WITH_SEQUENCE),
    *(("partial-update", options) for options in WITH_SEQUENCE),
    *(("aggregation", options) for options in WITH_SEQUENCE),
    *(("first-row", options) for options in WITH_SEQUENCE[:2]),
]


@pytest.mark.java
@pytest.mark.parametrize(("engine", "options"), ENGINES, ids=str)
def test_rows_and_deletions_are_merged_as_by_the_library(
    engine: str, options: dict[str, str], java_tables: jvm.Session, tmp_path: Path
) -> None:
    """Files of `ignore-delete` may have deletions: 0.7 wrote them, and the option may be new."""
    rng = random.Random(repr(options))
    columns = {"k": "INT NOT NULL", "a": "INT", "b": "DOUBLE", "c": "STRING"}
    pools = [SIMPLE["INT"], [0.5, 1.0, 2.0, "Infinity"], SIMPLE["STRING"]]
    commits = []
    for rows, _ in _commits(rng, lambda: [rng.choice([*pool, None]) for pool in pools]):
        kinds = [rng.choice(["+I", "+I", "-D"]) for _ in rows]
        commits.append((rows, kinds if engine == "deduplicate" else []))
    options = {**options, "merge-engine": engine}
    refuses = engine == "partial-update" and "ignore-delete" in options
    late: dict[str, str] = {}
    if engine == "deduplicate" and "ignore-delete" in options:
        late["ignore-delete"] = options.pop("ignore-delete")
    path = tmp_path / "t"
    if refuses:
        with pytest.raises(UnsupportedError, match="not yet implement: ignore-delete"):
            written(java_tables, path, columns, options, commits)
        return
    theirs, ours = written(java_tables, path, columns, options, commits)
    assert ours == theirs
    if late:
        set_options(path, late)
        java_tables.ask({"op": "open", "path": str(path)})
        theirs, kept = read(java_tables, path, columns)
        assert kept == theirs
        assert len(kept) > len(ours)


@pytest.mark.parametrize(
    ("so_far", "values", "merged"),
    [
        (None, None, None),
        (None, ["a", "a"], ["a"]),
        (["a", "a"], None, ["a"]),
        (["b"], ["a", "b"], ["b", "a"]),
    ],
)
def test_distinct_values_where_one_side_is_null(
    so_far: list[str] | None, values: list[str] | None, merged: list[str] | None
) -> None:
    assert merge_rules._collect_distinct(so_far, values) == merged
