"""Tables whose schema changed between commits: each question gives the rows that SQL gives."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from pypaimon import CatalogFactory
from pypaimon.schema.data_types import AtomicType
from pypaimon.schema.schema_change import SchemaChange

from kit_support.examples import examples
from paimon_ksy.evaluation.top_n import Order, TopN
from paimon_ksy.predicates.tree import In, Predicate, col
from paimon_ksy.table.engine import local_engine, spark_engine
from paimon_ksy.table.index.rewrite import rewrite_index
from paimon_ksy.table.query.read import count, query
from paimon_ksy.table.store import Table
from paimon_ksy.types.schema import Field, Schema
from tests.support.brute_force import matching_rows
from tests.support.golden_tables import Row, ordered, rows_of
from tests.support.strategies import predicates
from tools.tables import append, by_pypaimon, make_table

LOCAL = local_engine(1)

COLUMNS: dict[str, pa.DataType] = {
    "id": pa.int64(),
    "c": pa.int32(),
    "r": pa.int32(),
    "s": pa.string(),
    "m": pa.map_(pa.string(), pa.string()),
    "gone": pa.int32(),
}
STEPS: Sequence[SchemaChange] = (
    SchemaChange.add_column("n", AtomicType("STRING")),
    SchemaChange.rename_column("s", "t"),
    SchemaChange.drop_column("gone"),
    SchemaChange.add_column("s", AtomicType("INT")),
    SchemaChange.update_column_type("r", AtomicType("BIGINT")),
)
"""Changes of the table's schema; the last column has the name that another one had."""

INDEXES = {
    "file-index.bsi.columns": "c",
    "file-index.range-bitmap.columns": "r",
    "file-index.bitmap.columns": "m[k]",
    "file-index.bloom-filter.columns": "m[l]",
    "file-index.in-manifest-threshold": "1 mb",
}
OPTIONS = {"metadata.stats-mode": "full"}


def rows_for(columns: Mapping[str, pa.DataType], first: int, count: int) -> pa.Table:
    """So many rows with nulls, values that come again, and keys that maps lack."""
    ids = range(first, first + count)
    maps: list[Any] = [None, [], [("k", "1")], [("k", "2"), ("l", "1")], [("l", None)]]
    made: dict[str, Callable[[int], Any]] = {
        "id": lambda at: at,
        "c": lambda at: [None, 5, -5, 0, 5][at % 5],
        "r": lambda at: [7, None, 7, -(2**31), 3, 2**31 - 1][at % 6],
        "t": lambda at: ["a", "b", None, ""][at % 4],
        "m": lambda at: maps[at * 7 % 11 % 5],
        "gone": lambda at: at % 3,
        "n": lambda at: ["x", "y", None][at * 5 % 7 % 3],
        "s": lambda at: [1, None, -1][at % 3] if columns["s"] == pa.int32() else "ab"[at % 2],
    }
    found = {name: [made[name](at) for at in ids] for name in columns}
    return pa.table({name: pa.array(found[name], kind) for name, kind in columns.items()})


@pytest.fixture(scope="module")
def changed(tmp_path_factory: pytest.TempPathFactory) -> tuple[Table, list[Row]]:
    """A table with a file of each version of its schema, and its rows."""
    folder = tmp_path_factory.mktemp("versions")
    path = make_table(folder, "changed", [rows_for(COLUMNS, 0, 12)], OPTIONS)
    catalog = CatalogFactory.create({"warehouse": str(folder)})
    for number, change in enumerate(STEPS, 1):
        catalog.alter_table("default.changed", [change], False)
        arrow = Table.at(path).schema.columns.to_arrow()
        columns = dict(zip(arrow.names, arrow.types, strict=True))
        append(catalog.get_table("default.changed"), rows_for(columns, number * 100, 12))
    rewrite_index(path, set=INDEXES, engine=LOCAL)
    table = Table.at(path)
    files = list(table.data_files.of(table.snapshot()))
    assert {file.schema_id for file in files} == set(range(len(STEPS) + 1))
    assert all(file.index is not None for file in files)
    names = table.schema.columns.names
    return table, rows_of(by_pypaimon(path).select(names))


ASKED = Schema.parse("id BIGINT, c INT, r BIGINT, t STRING, n STRING, s INT")
KEYS = ("k", "l", "nowhere")
ORDERED = [*ASKED.names]


def wheres(rows: Sequence[Row], names: Sequence[str]) -> st.SearchStrategy[Predicate]:
    keys = tuple(Field(f"m[{key}]", ASKED["t"]) for key in KEYS)
    schema = Schema((*ASKED, *keys))
    return predicates(schema, columns_of(rows, names), max_leaves=4)


def columns_of(rows: Sequence[Row], names: Sequence[str]) -> dict[str, list[Any]]:
    data = {name: [row[at] for row in rows] for at, name in enumerate(names)}
    for key in KEYS:
        data[f"m[{key}]"] = [None if m is None else m.get(key) for m in data["m"]]
    return data


def matching(table: Table, rows: Sequence[Row], where: Predicate | None) -> list[Row]:
    if where is None:
        return list(rows)
    schema = table.schema.columns
    data = columns_of(rows, schema.names)
    return [rows[at] for at in matching_rows(where, data, schema, "UTC", len(rows))]


HAZARDS: Sequence[Predicate] = (
    col("m")["k"] == "1",
    col("m")["k"].equals_null_safe("1"),
    col("m")["k"].equals_null_safe(None),
    In("m[k]", ("1",)),
    (col("m")["k"] == "1") & (col("c") == 5),
    (col("m")["l"] == "1") & (col("t") == "b"),
    col("s") == 1,
    (col("r") == 7) & (col("n") == "x"),
)
"""A key of a map for `=`; a column that has the old name of another; one that files lack."""


@pytest.mark.parametrize("where", HAZARDS, ids=repr)
def test_known_hazards(changed: tuple[Table, list[Row]], where: Predicate) -> None:
    check_predicate(changed, where, None)


@pytest.mark.java
def test_known_hazards_on_spark(changed: tuple[Table, list[Row]], spark: Any) -> None:
    table, rows = changed
    engine = spark_engine(spark)
    for where in HAZARDS[::3]:
        wanted = matching(table, rows, where)
        assert ordered(rows_of(query(table, where, engine=engine))) == ordered(wanted)
        assert count(table, where, engine=engine).count == len(wanted)


@examples(100)
@given(data=st.data())
def test_any_predicate(changed: tuple[Table, list[Row]], data: st.DataObject) -> None:
    table, rows = changed
    where = data.draw(wheres(rows, table.schema.columns.names))
    names = data.draw(st.lists(st.sampled_from(table.schema.columns.names), unique=True))
    check_predicate(changed, where, names or None)


def check_predicate(
    changed: tuple[Table, list[Row]], where: Predicate, names: Sequence[str] | None
) -> None:
    table, rows = changed
    wanted = matching(table, rows, where)
    places = [table.schema.columns.names.index(name) for name in names or ()]
    shown = [tuple(row[at] for at in places) for row in wanted] if names else wanted
    assert ordered(rows_of(query(table, where, names, engine=LOCAL))) == ordered(shown)
    assert count(table, where, engine=LOCAL).count == len(wanted)


ORDERS = st.lists(
    st.builds(Order, st.sampled_from(ORDERED), st.booleans(), st.sampled_from([None, True, False])),
    min_size=1,
    max_size=3,
    unique_by=lambda order: order.column,
)


@examples(100)
@given(orders=ORDERS, limit=st.integers(1, 80), key=st.sampled_from([None, "1", "2"]))
@example(orders=[Order("c"), Order("n")], limit=1, key=None)
@example(orders=[Order("c"), Order("n")], limit=1, key="1")
@example(orders=[Order("r", True), Order("n", True)], limit=3, key=None)
@example(orders=[Order("c", nulls_first=False), Order("t"), Order("s")], limit=5, key="2")
def test_any_order(
    changed: tuple[Table, list[Row]], orders: list[Order], limit: int, key: str | None
) -> None:
    """The column that comes first may have an index, and the next ones be missing in its file."""
    table, rows = changed
    where = None if key is None else col("m")["k"] == key
    wanted = matching(table, rows, where)
    places = [table.schema.columns.names.index(order.column) for order in orders]
    for order, at in reversed([*zip(orders, places, strict=True)]):
        nulls = [row for row in wanted if row[at] is None]
        others = sorted(
            (row for row in wanted if row[at] is not None),
            key=lambda row: row[at],
            reverse=order.descending,
        )
        wanted = nulls + others if order.has_nulls_first else others + nulls
    top = TopN.by(orders, limit)
    found = rows_of(query(table, where, order_by=top, limit=limit, engine=LOCAL))

    def keys(some: Sequence[Row]) -> list[list[Any]]:
        return [[row[at] for at in places] for row in some]

    assert keys(found) == keys(wanted[:limit])
    assert set(ordered(found)) <= set(ordered(wanted))
