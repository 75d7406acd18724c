"""Queries of whole tables give the rows that SQL gives, and read no more than they have to."""

import datetime as dt
import json
import math
import pickle
import random
from collections.abc import Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyroaring import BitMap

from paimon_ksy.cli.app import run
from paimon_ksy.errors import (
    CorruptFileError,
    PaimonKsyError,
    PredicateError,
    SchemaError,
    UnsupportedError,
)
from paimon_ksy.evaluation.top_n import Order, TopN
from paimon_ksy.file_index.builder import build_file_index
from paimon_ksy.file_index.container import FileIndex
from paimon_ksy.predicates.sql import parse_predicate
from paimon_ksy.predicates.tree import Predicate, col
from paimon_ksy.table.delete.delete import delete
from paimon_ksy.table.engine import local_engine, spark_engine
from paimon_ksy.table.index.rewrite import rewrite_index
from paimon_ksy.table.model.columns import arrow_values
from paimon_ksy.table.query import explain as explain_module
from paimon_ksy.table.query import file_rows as file_rows_module
from paimon_ksy.table.query import read as scan_module
from paimon_ksy.table.query.explain import explain
from paimon_ksy.table.query.merge_task import MergeTask
from paimon_ksy.table.query.plan import plan
from paimon_ksy.table.query.read import QueryStats, batches, count, query
from paimon_ksy.table.query.tasks import FileTask
from paimon_ksy.table.store import Table
from paimon_ksy.types.parse import parse_type
from paimon_ksy.types.schema import Field, Schema
from tests.support.brute_force import matching_rows
from tests.support.golden_tables import (
    Row,
    expected,
    golden_table,
    golden_table_names,
    ordered,
    rows_of,
)
from tests.support.strategies import arrow_column, columns, examples, predicates
from tests.support.worked_examples import (
    EVENTS,
    EVENTS_OPTIONS,
    EVENTS_SCHEMA,
    ORDERS,
    ORDERS_OPTIONS,
    ORDERS_SCHEMA,
    table_of,
)
from tools.tables import by_pypaimon, delete_rows, make_table

LOCAL = local_engine(workers=2)


def found_rows(table: Table, where: Any = None, **more: Any) -> list[str]:
    return ordered(rows_of(query(table, where, engine=LOCAL, **more)))


def brute(schema: Schema, rows: Sequence[Row], where: Predicate) -> list[Row]:
    """The rows that match, by the reference."""
    data = {name: [row[at] for row in rows] for at, name in enumerate(schema.names)}
    for key in "kl":
        data[f"m[{key}]"] = [None if m is None else m.get(key) for m in data.get("m", ())]
    return [rows[at] for at in matching_rows(where, data, schema, "UTC", len(rows))]


# The Java library's tables ------------------------------------------------------------------------


@pytest.mark.parametrize("name", golden_table_names())
def test_golden_tables(name: str, tmp_path: Path) -> None:
    """All of Java's predicates: the same rows, as many, and never more files than Java reads."""
    table = Table.at(golden_table(name, tmp_path))
    golden = expected(name)
    assert found_rows(table) == ordered(golden.rows)
    assert count(table, engine=LOCAL).count == len(golden.rows)
    for case in golden.cases:
        planned = plan(table, case.predicate)
        left = [task.pruned()[0] for task in planned]
        assert sum(len(task.files) for task in left if task) <= case.files, case.node
        read = pa.Table.from_batches(batches(planned, LOCAL), planned.arrow_schema)
        assert ordered(rows_of(read)) == ordered(case.rows), case.node
        assert count(table, case.predicate, engine=LOCAL).count == len(case.rows), case.node


@pytest.mark.java
@pytest.mark.parametrize("name", ["append_dv64", "evolution", "pk_plain_no_dv"])
def test_golden_tables_on_spark(name: str, tmp_path: Path, spark: Any) -> None:
    table = Table.at(golden_table(name, tmp_path))
    golden = expected(name)
    engine = spark_engine(spark)
    assert ordered(rows_of(query(table, engine=engine))) == ordered(golden.rows)
    for case in golden.cases[1 :: len(golden.cases) // 2]:
        read = query(table, case.predicate, engine=engine)
        assert ordered(rows_of(read)) == ordered(case.rows), case.node
        assert count(table, case.predicate, engine=engine).count == len(case.rows)
    column = "id" if "id" in golden.schema else golden.schema.names[0]
    order = f"{column} DESC"
    on_spark = query(table, columns=[column], order_by=order, limit=3, engine=engine)
    here = query(table, columns=[column], order_by=order, limit=3, engine=LOCAL)
    assert rows_of(on_spark) == rows_of(here)


# Tables of pypaimon -------------------------------------------------------------------------------

SCHEMA = Schema.parse(
    "id BIGINT, region STRING, status STRING, amount DECIMAL(10, 2), score DOUBLE, "
    "day DATE, at TIMESTAMP(6), flag BOOLEAN, code BINARY(2), m MAP<STRING, INT>"
)
INDEXES = {
    "file-index.bitmap.columns": "status,flag,m[k]",
    "file-index.bsi.columns": "id,day",
    "file-index.range-bitmap.columns": "amount,score,at",
    "file-index.bloom-filter.columns": "status,id",
}


def orders(seed: int, num_rows: int) -> pa.Table:
    """Rows of `SCHEMA`, with nulls, NaN and values that come again."""
    chosen = random.Random(seed)

    def some(values: Sequence[Any]) -> list[Any]:
        return [chosen.choice([*values, values[0], None]) for _ in range(num_rows)]

    start = dt.datetime(2024, 1, 1)
    maps: list[dict[str, int | None]] = [{}, {"k": 1}, {"k": 2, "l": 3}, {"l": 4}, {"k": None}]
    data = {
        "id": [seed * 1000 + at if chosen.random() < 0.95 else None for at in range(num_rows)],
        "region": [chosen.choice(["EU", "US", "ASIA"]) for _ in range(num_rows)],
        "status": some(["PENDING", "DONE", "", "CANCELLED", "ÄÖ", f"only {seed}"]),
        "amount": some([Decimal(n).scaleb(-2) for n in (0, 1, -1, 995, 123_456, -99_999_999)]),
        "score": some([0.0, -0.0, 1.5, -2.25, math.nan, math.inf, -math.inf, 1e300]),
        "day": some([dt.date(2024, 1, n) for n in range(1, 9)] + [dt.date(1969, 12, 31)]),
        "at": some([start + dt.timedelta(microseconds=n) for n in (0, 1, 999_999, 86_400_000_000)]),
        "flag": some([True, False]),
        "code": some([b"ab", b"\0\0", b"\xff\xff"]),
        "m": [
            None if chosen.random() < 0.2 else list(chosen.choice(maps).items())
            for _ in range(num_rows)
        ],
    }
    arrow = SCHEMA.to_arrow()
    return pa.table([pa.array(data[f.name], f.type) for f in arrow], schema=arrow)


Made = tuple[Table, list[Row]]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, Made]:
    """Append tables of the same rows: plain, indexed in three ways, partitioned, with vectors."""
    folder = tmp_path_factory.mktemp("tables")
    commits = [orders(seed, rows) for seed, rows in ((1, 60), (2, 40), (3, 1), (4, 90))]
    beside = {"file-index.in-manifest-threshold": "1 b"}
    within = {"file-index.in-manifest-threshold": "1 mb"}
    tables: dict[str, Made] = {}
    for name, options, partitions, indexes in (
        ("plain", {}, (), None),
        ("orc", {"file.format": "orc"}, (), beside),
        ("embedded", {}, (), within),
        ("statistics", {"metadata.stats-mode": "full"}, (), beside),
        ("regions", {}, ("region",), beside),
        ("vectors", {"deletion-vectors.enabled": "true"}, (), within),
    ):
        path = make_table(folder, name, commits, options, partition_keys=partitions)
        if indexes is not None:
            rewrite_index(path, set={**INDEXES, **indexes}, engine=LOCAL)
        rows = [row for commit in commits for row in rows_of(commit)]
        if name == "vectors":
            gone = {}
            for file in Table.at(path).files(Table.at(path).snapshot()):
                gone[file.name] = [at for at in range(file.num_rows) if at % 3 == 0]
            delete_rows(path, gone)
            rows = [row for commit in commits for at, row in enumerate(rows_of(commit)) if at % 3]
        tables[name] = Table.at(path), rows
    return tables


MADE = ["plain", "orc", "embedded", "statistics", "regions", "vectors"]


@pytest.mark.parametrize("name", MADE)
@pytest.mark.parametrize(
    ("where", "exact"),
    [
        ("status = 'PENDING'", True),
        ("status = 'PENDING' AND region = 'EU'", False),
        ("status IN ('DONE', 'only 2') OR id > 4050", True),
        ("amount >= 9.95 AND score < 'NaN'", True),
        ("score = 0.0", True),
        ("score > 1.5", True),
        ("day < DATE '2024-01-03' AND at IS NOT NULL", True),
        ("m['k'] = 2", True),
        ("m['k'] IS NULL", True),
        ("code = X'6162'", False),
        ("status LIKE 'P%G' AND NOT flag", False),
        ("status = 'nowhere'", True),
        ("region = 'nowhere'", False),
    ],
)
def test_made_tables(made: Mapping[str, Made], name: str, where: str, exact: bool) -> None:
    """Rows and counts are those of SQL; where indexes answer exactly no data file is read."""
    table, rows = made[name]
    wanted = brute(SCHEMA, rows, parse_predicate(where, SCHEMA))
    assert found_rows(table, where) == ordered(wanted)
    counted = count(table, where, engine=LOCAL)
    assert counted.count == len(wanted)
    assert counted.origin == ("data" if counted.files_read else "index")
    if exact and name != "plain":
        assert counted.files_read == 0


@pytest.mark.parametrize("name", ["plain", "vectors"])
def test_columns_that_are_too_long_to_keep(
    made: Mapping[str, Made], name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They are read a second time."""
    monkeypatch.setattr("paimon_ksy.table.query.file_rows._KEPT_BYTES", 0)
    table, rows = made[name]
    for where in ("code = X'6162'", "code = X'6162' AND region = 'EU'", "code = X'ffff' OR id = 3"):
        wanted = brute(SCHEMA, rows, parse_predicate(where, SCHEMA))
        assert found_rows(table, where) == ordered(wanted)
        some = query(table, where, ["id", "code"], limit=2, engine=LOCAL)
        assert some.num_rows == min(2, len(wanted))


@pytest.mark.parametrize("name", MADE)
@examples(30)
@given(data=st.data())
def test_any_predicate(made: Mapping[str, Made], name: str, data: st.DataObject) -> None:
    table, rows = made[name]
    asked = Schema(tuple(field for field in SCHEMA if field.type.root != "MAP"))
    values = {name: [row[at] for row in rows] for at, name in enumerate(SCHEMA.names)}
    where = data.draw(predicates(asked, values))
    wanted = brute(SCHEMA, rows, where)
    assert found_rows(table, where) == ordered(wanted)
    assert count(table, where, engine=LOCAL).count == len(wanted)
    limit = data.draw(st.integers(0, 200))
    some = rows_of(query(table, where, limit=limit, engine=LOCAL))
    assert len(some) == min(limit, len(wanted))
    assert set(ordered(some)) <= set(ordered(wanted))


@pytest.mark.parametrize("index", ["bsi", "range-bitmap"])
@examples(60)
@given(data=st.data())
def test_values_from_an_index(index: str, data: st.DataObject) -> None:
    """What orders by a column needs no data file: its index has the values as they are."""
    names = ["INT", "BIGINT", "DECIMAL(10, 2)", "DATE", "TIME(3)", "TIMESTAMP(3)", "TIMESTAMP(6)"]
    if index == "range-bitmap":
        names.append("STRING")
    kind = parse_type(data.draw(st.sampled_from(names)))
    column = data.draw(columns(kind, min_size=1, max_size=30))
    column = [None if value == -(2**63) else value for value in column]
    schema = Schema((Field("c", kind),))
    table = pa.table([arrow_column(kind, column)], schema=schema.to_arrow())
    built = build_file_index(table, schema, {f"file-index.{index}.columns": "c"})
    rows = data.draw(st.sets(st.integers(0, len(column) - 1)))
    with FileIndex.open(built, schema) as opened:
        found = opened.values("c", BitMap(rows))
    wanted = [column[row] for row in sorted(rows)]
    assert found in (wanted, None)
    assert found is not None or all(value is None for value in column)
    if found is not None:
        arrow = arrow_values(found, table.schema.field(0).type)
        assert arrow.equals(
            table.column(0).combine_chunks().take(pa.array(sorted(rows), pa.int64()))
        )


def sort_key(value: Any) -> Any:
    if isinstance(value, float):
        return (1, 0.0) if math.isnan(value) else (0, value + 0.0)
    return value


def sort_keys(row: Any, places: Sequence[int]) -> list[Any]:
    return [None if row[at] is None else sort_key(row[at]) for at in places]


def in_order(rows: Sequence[Any], order: Order) -> list[Any]:
    """The rows in this order; those that tie stay in the order they have."""
    at = SCHEMA.names.index(order.column)
    nulls = [row for row in rows if row[at] is None]
    others = [row for row in rows if row[at] is not None]
    others.sort(key=lambda row: sort_key(row[at]), reverse=order.descending)
    return nulls + others if order.has_nulls_first else others + nulls


def as_text(order: Order) -> str:
    nulls = {None: "", True: " NULLS FIRST", False: " NULLS LAST"}[order.nulls_first]
    return f"{order.column}{' DESC' if order.descending else ''}{nulls}"


@pytest.mark.parametrize("name", MADE)
@examples(30)
@given(data=st.data())
def test_any_order(made: Mapping[str, Made], name: str, data: st.DataObject) -> None:
    """The values that order are those of the first rows, and the rows are rows of the table."""
    table, rows = made[name]
    nulls_first = st.sampled_from([None, True, False])
    column = st.sampled_from([name for name in SCHEMA.names if name != "m"])
    orders = data.draw(
        st.lists(st.builds(Order, column, st.booleans(), nulls_first), min_size=1, max_size=3)
    )
    top = TopN.by(orders, data.draw(st.integers(0, 250)))
    where = data.draw(st.sampled_from([None, "status = 'PENDING'", "NOT flag", "code = X'6162'"]))
    if where is not None:
        rows = brute(SCHEMA, rows, parse_predicate(where, SCHEMA))
    wanted = list(rows)
    for order in reversed(orders):
        wanted = in_order(wanted, order)
    found = rows_of(query(table, where, order_by=top, limit=top.k, engine=LOCAL))
    places = [SCHEMA.names.index(order.column) for order in orders]
    assert [sort_keys(row, places) for row in found] == [
        sort_keys(row, places) for row in wanted[: top.k]
    ]
    assert not set(ordered(found)) - set(ordered(rows))
    text = ", ".join(as_text(order) for order in orders)
    found = rows_of(query(table, where, order_by=text, engine=LOCAL))
    assert [sort_keys(row, places) for row in found] == [sort_keys(row, places) for row in wanted]
    assert ordered(found) == ordered(wanted)
    names = query(table, where, ["status"], order_by=top, limit=top.k, engine=LOCAL)
    assert names.schema.names == ["status"]
    assert names.num_rows == min(len(wanted), top.k)


# What cannot be pruned ----------------------------------------------------------------------------

KEYED = pa.schema(
    [pa.field("k", pa.int64(), False), ("p", pa.string()), ("a", pa.int32()), ("b", pa.string())]
)


def versions(seed: int, keys: int, rows: int) -> pa.Table:
    """Rows of keys below `keys`, each at most once."""
    chosen = random.Random(seed)
    data = [
        {
            "k": key,
            "p": "xy"[key % 2],
            "a": chosen.choice([None, seed, 1, 2]),
            "b": chosen.choice([None, f"b{seed}", "b"]),
        }
        for key in chosen.sample(range(keys), rows)
    ]
    return pa.Table.from_pylist(data, KEYED)


ENGINES = {
    "deduplicate": {},
    "partial-update": {"merge-engine": "partial-update"},
    "aggregation": {
        "merge-engine": "aggregation",
        "fields.a.aggregate-function": "sum",
        "fields.b.aggregate-function": "max",
    },
}


@pytest.mark.parametrize("partitions", [(), ("p",)])
@pytest.mark.parametrize("merge", ENGINES)
def test_merge_engines(merge: str, partitions: Sequence[str], tmp_path: Path) -> None:
    """Files that have to be merged are left to pypaimon, others are not; rows are as it reads."""
    keys = ["k", *partitions]
    schema = pa.schema([field.with_nullable(field.name not in keys) for field in KEYED])
    commits = [versions(seed, 60, 25).cast(schema) for seed in range(3)]
    late = versions(9, 10, 5)
    commits.append(
        pa.table([pc.add(late["k"], 1000), *late.columns[1:]], names=KEYED.names).cast(schema)
    )
    path = make_table(
        tmp_path,
        "keyed",
        commits,
        {"bucket": "2", **ENGINES[merge]},
        partition_keys=partitions,
        primary_keys=keys,
    )
    indexes = {"file-index.bitmap.columns": "a,b", "file-index.bloom-filter.columns": "k"}
    rewrite_index(path, set=indexes, engine=LOCAL)
    table = Table.at(path)
    rows = rows_of(by_pypaimon(path))
    assert found_rows(table) == ordered(rows)
    kinds = {type(task) for task in plan(table)}
    assert kinds == {FileTask, MergeTask}
    columns = table.schema.columns
    for where in (
        col("k") == 7,
        col("k") >= 1000,
        col("a") == 1,
        col("a").is_null() | (col("b") == "b"),
        (col("b") == "b1") & (col("p") == "x"),
        col("b") == "nowhere",
    ):
        wanted = brute(columns, rows, where)
        assert found_rows(table, where) == ordered(wanted), where
        assert count(table, where, engine=LOCAL).count == len(wanted), where
        for order in ("k DESC", "a NULLS LAST", "b DESC NULLS FIRST"):
            at = columns.names.index(order.split()[0])
            top = query(table, where, order_by=order, limit=4, engine=LOCAL)
            assert set(ordered(rows_of(top))) <= set(ordered(wanted))
            assert top.num_rows == min(4, len(wanted))
            nulls = sum(row[at] is None for row in wanted)
            last = order.endswith("LAST") or (order == "k DESC")
            shown = max(0, top.num_rows - len(wanted) + nulls) if last else min(4, nulls)
            assert top.column(at).null_count == shown
    # Where merging cannot make a row out of several, what no file holds is nowhere.
    left = [task.pruned()[0] for task in plan(table, col("b") == "nowhere")]
    assert any(left) == (merge != "deduplicate")
    assert not plan(table, col("k") == 5000).tasks
    notes = [note for step in explain(table, engine=LOCAL) for note in step.notes]
    assert any("merge pending" in note for note in notes)


def test_deletions_of_keys(tmp_path: Path) -> None:
    """A file with deletions is not read by itself, though nothing overlaps it."""
    path = golden_table("pk_plain_no_dv", tmp_path)
    table = Table.at(path)
    snapshot = table.snapshot(2)
    files = [file for file in table.files(snapshot) if file.delete_row_count]
    assert files
    for task in plan(table, snapshot_id=2):
        assert isinstance(task, MergeTask)


def test_postponed_buckets_are_not_seen(tmp_path: Path) -> None:
    data = versions(1, 30, 20).cast(pa.schema([KEYED.field(0), *list(KEYED)[1:]]))
    path = make_table(tmp_path, "later", [data], {"bucket": "-2"}, primary_keys=["k"])
    table = Table.at(path)
    assert len(list(table.files(table.snapshot()))) > 0
    assert query(table, engine=LOCAL).num_rows == by_pypaimon(path).num_rows == 0
    assert count(table, engine=LOCAL).count == 0


@pytest.mark.parametrize("engine", ["deduplicate", "first-row"])
def test_files_that_wait_for_a_compaction(engine: str, tmp_path: Path) -> None:
    """With deletion vectors, and of first-row tables, level 0 is not read: by nobody."""
    options = {"bucket": "1", "merge-engine": engine}
    if engine == "deduplicate":
        options["deletion-vectors.enabled"] = "true"
    data = versions(1, 30, 20)
    path = make_table(tmp_path, "new", [data], options, primary_keys=["k"])
    assert query(Table.at(path), engine=LOCAL).num_rows == by_pypaimon(path).num_rows


def test_data_evolution(tmp_path: Path) -> None:
    """Columns of a row in several files: read by pypaimon, and the predicate tested on its rows."""
    from pypaimon import CatalogFactory
    from pypaimon import Schema as PaimonSchema

    made = CatalogFactory.create({"warehouse": str(tmp_path)})
    made.create_database("default", False)
    columns = pa.schema([("a", pa.int32()), ("b", pa.string())])
    options = {"row-tracking.enabled": "true", "data-evolution.enabled": "true"}
    made.create_table(
        "default.wide", PaimonSchema.from_pyarrow_schema(columns, options=options), False
    )
    paimon = made.get_table("default.wide")
    for names, values in ((["a"], {"a": [1, 2, 3]}), (["b"], {"b": ["x", None, "z"]})):
        builder = paimon.new_batch_write_builder()
        write, commit = builder.new_write().with_write_type(names), builder.new_commit()
        write.write_arrow(pa.table(values, pa.schema([columns.field(name) for name in names])))
        messages = write.prepare_commit()
        for message in messages:
            for file in message.new_files:
                file.first_row_id = 0
        commit.commit(messages)
        write.close()
        commit.close()
    table = Table.at(str(tmp_path / "default.db" / "wide"))
    assert found_rows(table) == ordered([(1, "x"), (2, None), (3, "z")])
    assert found_rows(table, "b IS NULL OR a = 3") == ordered([(2, None), (3, "z")])
    assert count(table, "a > 1 AND b = 'z'", engine=LOCAL).count == 1
    notes = [note for step in explain(table, "a = 1", engine=LOCAL) for note in step.notes]
    assert any("data evolution" in note for note in notes)


# Reading as little as it takes --------------------------------------------------------------------


@pytest.fixture(scope="module")
def many(tmp_path_factory: pytest.TempPathFactory) -> Table:
    """100,000 rows in 5 files: one value on 2% of the rows of one file, the rest at random."""
    chosen = np.random.default_rng(5)
    commits = []
    for number in range(5):
        status = np.array(["DONE", "SHIPPED", "CANCELLED"])[chosen.integers(0, 3, 20_000)]
        if number == 3:
            status[5_000:5_400] = "PENDING"
        commits.append(
            pa.table(
                {
                    "id": np.arange(20_000) + number * 20_000,
                    "status": status,
                    "amount": chosen.integers(0, 1_000_000, 20_000),
                }
            )
        )
    path = make_table(
        tmp_path_factory.mktemp("many"), "orders", commits, {"metadata.stats-mode": "full"}
    )
    set_ = {"file-index.bitmap.columns": "status", "file-index.range-bitmap.columns": "amount"}
    rewrite_index(path, set={**set_, "file-index.in-manifest-threshold": "1 b"}, engine=LOCAL)
    return Table.at(path)


def test_an_absent_value_costs_little(many: Table) -> None:
    """The head and a block of each index, and no data file."""
    found = count(many, "status = 'LOST'", engine=LOCAL)
    assert (found.count, found.files_read, found.files_total) == (0, 0, 5)
    assert found.bytes_read < 5 * 10_000
    assert query(many, "status = 'LOST'", engine=LOCAL).num_rows == 0


def test_statistics_leave_out_files_before_their_indexes_are_read(many: Table) -> None:
    planned = plan(many, "id BETWEEN 30000 AND 30009 AND status <> 'LOST'")
    assert len(planned) == 1
    assert (planned.total.files, planned.total.rows, planned.left.files) == (5, 100_000, 1)
    assert query(many, "id BETWEEN 30000 AND 30009", ["id"], engine=LOCAL)["id"].to_pylist() == [
        *range(30_000, 30_010)
    ]


def test_an_order_opens_few_files(many: Table) -> None:
    """Statistics say where the greatest are; the others are not even asked."""
    asked: list[Any] = []
    top = query(
        many, order_by="id DESC", limit=3, engine=LOCAL, progress=lambda task: asked.append(task)
    )
    assert top["id"].to_pylist() == [99_999, 99_998, 99_997]
    assert len(asked) == 1
    everything = query(many, columns=["amount"], engine=LOCAL)["amount"].to_pylist()
    best = query(many, columns=["amount"], order_by="amount DESC", limit=5, engine=LOCAL)
    assert best["amount"].to_pylist() == sorted(everything)[:-6:-1]


def test_an_order_by_many_columns(many: Table) -> None:
    """Of files whose values of the first column tie with the last one none is left out."""
    rows = query(many, columns=["status", "id"], engine=LOCAL).to_pylist()
    wanted = sorted(rows, key=lambda row: (row["status"], -row["id"]))[:20_010]
    for limit in (3, 20_010):
        found = query(many, None, ["id"], order_by="status, id DESC", limit=limit, engine=LOCAL)
        assert found["id"].to_pylist() == [row["id"] for row in wanted[:limit]]


def test_an_order_of_all_rows(many: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = query(many, columns=["status", "id"], engine=LOCAL).to_pylist()
    wanted = [row["id"] for row in sorted(rows, key=lambda row: (row["status"], -row["id"]))]
    for engine in (None, LOCAL):
        stats = QueryStats()
        found = query(many, None, ["id"], order_by="status, id DESC", engine=engine, stats=stats)
        assert found.schema.names == ["id"]
        assert found["id"].to_pylist() == wanted
        assert stats.rows == len(wanted)
    assert query(many, "id < 0", order_by="status", engine=LOCAL).num_rows == 0
    assert sum(batch.num_rows for batch in batches(plan(many, order_by="id"), LOCAL)) == 100_000
    monkeypatch.setattr(scan_module, "MOST_SORTED", 1 << 16)
    with pytest.raises(PaimonKsyError, match="more than 65,536 bytes: give a limit"):
        query(many, order_by="id", engine=LOCAL)


def test_an_order_that_has_a_limit_itself(many: Table) -> None:
    """The smaller limit holds."""
    for limit, count_of_rows in ((None, 3), (2, 2), (5, 3), (0, 0)):
        found = query(many, columns=["id"], order_by=TopN("id", 3, True), limit=limit, engine=LOCAL)
        assert found.num_rows == count_of_rows


def test_columns_are_a_list(many: Table) -> None:
    """Not a text, whose letters may be names."""
    with pytest.raises(SchemaError, match=r"columns must be a list of names such as \['id'\]"):
        query(many, columns="id")


def test_a_tag_without_a_name(many: Table) -> None:
    with pytest.raises(PaimonKsyError, match="has no tag ''"):
        query(many, tag="")


def test_a_limit_stops_early(many: Table) -> None:
    asked: list[Any] = []
    some = query(many, limit=10, engine=LOCAL, progress=lambda task: asked.append(task))
    assert some.num_rows == 10
    assert len(asked) <= 1


def test_files_without_rows_are_done_as_well(many: Table) -> None:
    """Without an engine, indexes of local files are asked one by one."""
    asked: list[Any] = []
    found = query(many, "status = 'PENDING'", progress=asked.append)
    assert found["id"].to_pylist() == [*range(65_000, 65_400)]
    assert sorted(task.files[0].name for task in asked) == sorted(
        file.name for file in many.files(many.snapshot())
    )


@pytest.mark.parametrize("engine", [None, LOCAL, local_engine(1)])
def test_what_a_query_took(many: Table, engine: Any) -> None:
    """Files whose rows were read, rows, and bytes of them and of indexes; asked in any way."""

    def taken(where: str | None = None, **more: Any) -> QueryStats:
        stats = QueryStats()
        found = query(many, where, engine=engine, stats=stats, **more)
        assert (stats.rows, stats.files_total) == (found.num_rows, 5)
        assert 0 < stats.seconds < 60
        return stats

    absent = taken("status = 'LOST'")
    assert absent.files_read == 0
    assert absent.bytes_read == count(many, "status = 'LOST'", engine=LOCAL).bytes_read > 0
    some = taken("status = 'PENDING'")
    [file] = plan(many, "id BETWEEN 65000 AND 65399").tasks[0].files
    assert some.effort.files == {file.path}
    assert absent.bytes_read < some.bytes_read < absent.bytes_read + 3 * file.size
    everything = taken()
    assert everything.files_read == 5
    assert everything.bytes_read >= 0.9 * many_size(many)
    top = taken(order_by="id DESC", limit=3)
    assert 0 < top.files_read <= 2
    assert taken(limit=0).bytes_read == 0
    assert 1 <= taken(limit=10).files_read <= 2


def many_size(table: Table) -> int:
    return sum(file.size for file in table.files(table.snapshot()))


EQUAL: dict[str, tuple[pa.DataType, list[Any]]] = {
    "text": (pa.string(), ["a", "b\u00e9", ""]),
    "flag": (pa.bool_(), [True, False]),
    "tiny": (pa.int8(), [-128, 127]),
    "small": (pa.int16(), [-1, 32767]),
    "number": (pa.int32(), [0, -(2**31)]),
    "long": (pa.int64(), [2**63 - 1, 0]),
    "day": (pa.date32(), [dt.date(1, 1, 1), dt.date(2024, 2, 29)]),
    "real": (pa.float64(), [0.0, -0.0, 1.5]),
    "at": (pa.timestamp("us"), [dt.datetime(2024, 1, 1), dt.datetime(1969, 1, 1)]),
}


@pytest.fixture(scope="module")
def equal(tmp_path_factory: pytest.TempPathFactory) -> tuple[Table, pa.Table]:
    columns = {
        name: pa.array(([*values, None] * 400)[:1000], kind)
        for name, (kind, values) in EQUAL.items()
    }
    rows = pa.table({"id": np.arange(1000), **columns})
    bitmaps = ",".join([*EQUAL][:-2])
    options = {"file-index.bitmap.columns": bitmaps, "file-index.range-bitmap.columns": "real,at"}
    folder = tmp_path_factory.mktemp("equal")
    table = Table.at(make_table(folder, "equal", [rows.slice(0, 600), rows.slice(600)]))
    rewrite_index(table, set=options, engine=LOCAL)
    return table, rows


@pytest.mark.parametrize("name", EQUAL)
def test_columns_that_are_known_are_not_read(equal: tuple[Table, pa.Table], name: str) -> None:
    """All rows that an index knows to match `=` have that value, where equal values are the same
    ones, as two zeros are not."""
    table, rows = equal
    for value in EQUAL[name][1]:
        where = (col(name) == value) & (col("text") == "a")
        wanted = rows.filter(
            pc.and_(pc.equal(rows[name], value), pc.equal(rows["text"], "a"))
        ).sort_by("id")
        for names in (rows.column_names[::-1], [name, "id"], [name], [*{"text": 0, name: 1}]):
            stats = QueryStats()
            found = query(table, where, names, engine=LOCAL, stats=stats)
            assert found.column_names == names
            by_id = found.sort_by("id") if "id" in names else found
            shown = by_id.select(names).cast(wanted.select(names).schema)
            assert [*map(repr, shown.to_pylist())] == [*map(repr, wanted.select(names).to_pylist())]
            known = name not in ("real", "at") and not {*names} - {name, "text"}
            assert stats.files_read == (0 if known or not len(wanted) else 2)


def test_known_columns_are_not_those_of_other_types_in_a_file(tmp_path: Path) -> None:
    from pypaimon import CatalogFactory
    from pypaimon.schema.data_types import AtomicType
    from pypaimon.schema.schema_change import SchemaChange

    path = make_table(
        tmp_path, "grown", [pa.table({"id": [1, 2, 3], "n": pa.array([7, 8, 7], pa.int32())})]
    )
    rewrite_index(Table.at(path), set={"file-index.bitmap.columns": "n"}, engine=LOCAL)
    catalog = CatalogFactory.create({"warehouse": str(tmp_path)})
    change = SchemaChange.update_column_type("n", AtomicType("BIGINT"))
    catalog.alter_table("default.grown", [change], False)
    found = query(Table.at(path), "n = 7", ["n", "id"], engine=LOCAL)
    assert found.to_pydict() == {"n": [7, 7], "id": [1, 3]}
    assert found.schema.field("n").type == pa.int64()


def test_a_known_column_of_many_rows_comes_in_parts(equal: tuple[Table, pa.Table]) -> None:
    table, rows = equal
    asked = plan(table, "tiny = 127", ["tiny"])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(file_rows_module, "_BATCH_ROWS", 64)
        found = list(batches(asked, LOCAL))
    assert max(batch.num_rows for batch in found) == 64
    count = pc.sum(pc.equal(rows["tiny"], 127)).as_py()
    assert sum(batch.num_rows for batch in found) == count > 200


def test_what_a_query_took_that_nobody_reads_on(many: Table) -> None:
    for engine in (None, LOCAL):
        stats = QueryStats()
        found = batches(plan(many), engine, None, stats)
        first = next(found)
        found.close()
        assert stats.rows == first.num_rows
        assert 0 < stats.files_read <= 5
        assert 0 < stats.bytes_read <= 2 * many_size(many)


@pytest.mark.parametrize("first", [0, 7, 15_000, 39_940])
def test_rows_of_pages_beside_those_of_a_column_of_one_page(tmp_path: Path, first: int) -> None:
    size = 40_000
    kind = np.full(size, "MANY")
    kind[first : first + 50] = "FEW"
    kind[first + 3] = "MANY"
    notes = [f"{n:0100}" for n in range(size)]
    rows = pa.table({"id": np.arange(size, dtype=np.int32), "note": notes, "kind": kind})
    table = Table.at(make_table(tmp_path, "notes", [rows]))
    rewrite_index(table, set={"file-index.bitmap.columns": "kind"}, engine=LOCAL)
    found = query(Table.at(table.location), "kind = 'FEW'")
    wanted = [n for n in range(first, first + 50) if n != first + 3]
    assert found["id"].to_pylist() == wanted
    assert found["note"].to_pylist() == [notes[n] for n in wanted]
    assert set(found["kind"].to_pylist()) == {"FEW"}


def test_explain(many: Table) -> None:
    steps = {step.step: step for step in explain(many, "status = 'PENDING'", engine=LOCAL)}
    assert list(steps) == ["partitions", "statistics", "index", "rows"]
    assert steps["partitions"].files_kept == 5
    assert steps["partitions"].notes == ("the table has no partitions",)
    # 'CANCELLED' to 'SHIPPED': PENDING is within the bounds of each file.
    assert (steps["statistics"].files_kept, steps["statistics"].files_skipped) == (5, 0)
    index = steps["index"]
    assert (index.files_kept, index.files_skipped) == (1, 4)
    assert (index.rows_kept, index.rows_skipped) == (20_000, 80_000)
    assert index.bytes_read > 0
    [cause] = index.by
    assert (cause.condition, cause.index) == ("status = 'PENDING'", "bitmap")
    assert (cause.files, cause.files_skipped, cause.rows_skipped) == (5, 4, 99_600)
    rows = steps["rows"]
    assert (rows.rows_kept, rows.rows_skipped) == (400, 19_600)
    assert (rows.row_groups_kept, rows.row_groups_skipped) == (1, 0)
    assert rows.bytes_kept + rows.bytes_skipped == index.bytes_kept
    assert rows.notes == ("every row group of the one file contains a row to read",)


def test_explain_sends_small_answers_only(many: Table) -> None:
    """Not which rows they are: they come together where it is asked."""
    task = plan(many, "status <> 'PENDING'").tasks[0]
    look = explain_module._look(explain_module._Asked(task, ()))
    assert look.kept is not None
    assert look.kept > 1000
    assert len(pickle.dumps(look)) < 500


@pytest.mark.java
def test_explain_on_spark(many: Table, spark: Any) -> None:
    where = "status = 'PENDING' AND id > 100"
    assert explain(many, where, spark=spark) == explain(many, where, engine=LOCAL)


def test_explain_is_honest(many: Table) -> None:
    """About conditions without an index, and indexes that do not help."""
    steps = explain(many, "id <> 7 AND status <> 'LOST'", engine=LOCAL)
    notes = [note for step in steps for note in step.notes]
    assert "id <> 7: no index for it in all 5 files" in notes
    assert "status <> 'LOST': the index bitmap skips no row of all 5 files" in notes
    assert any("tested on the rows read" in note for note in notes)
    top = explain(many, order_by="amount", limit=2, engine=LOCAL)
    assert "the index of amount determines the first rows of all 5 files" in top[-1].notes
    top = explain(many, order_by="id", limit=2, engine=LOCAL)
    assert "no index determines the first rows by id: the column is read" in top[-1].notes


# Damage, time travel, wrong questions -------------------------------------------------------------


@pytest.mark.parametrize("embedded", [False, True])
def test_a_broken_index_is_an_error_that_names_the_file(embedded: bool, tmp_path: Path) -> None:
    path = make_table(tmp_path, "orders", [orders(1, 50), orders(2, 50)])
    threshold = "1 mb" if embedded else "1 b"
    options = {"file-index.bitmap.columns": "status", "file-index.in-manifest-threshold": threshold}
    rewrite_index(path, set=options, engine=LOCAL)
    table = Table.at(path)
    planned = plan(table, "status = 'DONE'")
    if embedded:
        task = planned.tasks[0]
        assert isinstance(task, FileTask)
        file = task.file
        assert isinstance(file.index, bytes)
        broken = replace(file, embedded_index=b"x" * len(file.index))
        planned = replace(planned, tasks=(replace(task, file=broken),))
    else:
        file = planned.tasks[1].files[0]
        assert isinstance(file.index, str)
        index = Path(file.index.removeprefix("file:"))
        index.write_bytes(index.read_bytes()[:40] + bytes(30))
    with pytest.raises(CorruptFileError, match=file.name):
        list(batches(planned, LOCAL))
    if not embedded:
        index.unlink()
        with pytest.raises(PaimonKsyError, match=f"{file.name}.*no such file"):
            count(table, "status = 'DONE'", engine=LOCAL)
    # What needs no index is read.
    assert query(table, engine=LOCAL).num_rows == 100


def test_many_keys_are_tested_on_the_column(tmp_path: Path) -> None:
    """In a file with few rows for each of them; texts that are filtered may be dictionaries."""
    numbers = np.random.default_rng(1).integers(0, 5000, 31_000)
    texts = pa.array(["a", "b", None, "ä"]).take(pa.array(numbers % 4))
    data = pa.table({"n": pa.array(numbers, pa.int32()), "s": texts})
    path = make_table(tmp_path, "numbers", [data.slice(0, 10_000), data.slice(10_000)])
    rewrite_index(path, set={"file-index.bitmap.columns": "n,s"}, engine=LOCAL)
    table = Table.at(path)
    keys = range(3, 5000, 49)
    listed = f"n IN ({', '.join(map(str, keys))})"
    wanted = {0: data.filter(pa.array(np.isin(numbers, keys)))}
    wanted[1] = wanted[0].filter(pc.equal(wanted[0]["s"], "ä"))
    for at, where in enumerate((listed, f"{listed} AND s = 'ä'")):
        small, large = (task.pruned()[1].selection for task in plan(table, where))
        assert (small.exact, large.exact) == (False, True)
        assert (small.rows is None) == (at == 0)
        for engine in (None, LOCAL):
            found = query(table, where, engine=engine)
            assert found.equals(wanted[at].combine_chunks().cast(found.schema))
            assert count(table, where, engine=engine).count == found.num_rows
        _, _, index, _ = explain(table, where, engine=LOCAL)
        assert index.files_kept == 2
    either = query(table, f"{listed} OR s = 'a'", ["s"], engine=LOCAL)
    assert either.num_rows == int(np.sum(np.isin(numbers, keys) | (numbers % 4 == 0)))


def test_a_vector_of_another_file_is_an_error(tmp_path: Path) -> None:
    options = {"deletion-vectors.enabled": "true"}
    path = make_table(tmp_path, "orders", [orders(1, 50)], options)
    table = Table.at(path)
    name = next(iter(table.files(table.snapshot()))).name
    delete_rows(path, {name: [3, 70]})
    with pytest.raises(PaimonKsyError, match=f"{name}.*deletes row 70"):
        query(Table.at(path), engine=LOCAL)


def test_time_travel(tmp_path: Path) -> None:
    """In the schema of the snapshot, by its id or by a tag."""
    path = golden_table("evolution", tmp_path)
    table = Table.at(path)
    table.pypaimon.create_tag("first", 1)
    assert query(table, snapshot_id=1, engine=LOCAL).schema.names == ["id", "a", "s", "x"]
    for where in ({"snapshot_id": 1}, {"tag": "first"}):
        assert found_rows(table, "x = 7", **where) == ordered([(7, 2, "s3", 7)])
        assert count(table, engine=LOCAL, **where).count == 20
    assert count(table, snapshot_id=2, engine=LOCAL).count == 40
    with pytest.raises(PredicateError, match="no column 'x'"):
        query(table, "x = 7", engine=LOCAL)
    with pytest.raises(PaimonKsyError, match="no snapshot 99"):
        query(table, snapshot_id=99, engine=LOCAL)
    with pytest.raises(PaimonKsyError, match="no tag 'nope'"):
        count(table, tag="nope", engine=LOCAL)
    with pytest.raises(PredicateError, match="give one"):
        plan(table, snapshot_id=1, tag="first")


@pytest.mark.parametrize("name", ["scan.snapshot-id", "scan.timestamp-millis"])
def test_a_table_whose_options_say_that_another_state_is_read(name: str, tmp_path: Path) -> None:
    """Java reads that state: the latest one would be other rows."""
    data = [pa.table({"id": [1]}), pa.table({"id": [2]})]
    path = make_table(tmp_path, "t", data, {name: "1", "deletion-vectors.enabled": "true"})
    for ask in (query, count, explain, delete):
        with pytest.raises(UnsupportedError, match=f"option {name} = 1, so Java"):
            ask(path, "id > 0", engine=LOCAL)
    assert count(path, snapshot_id=1, engine=LOCAL).count == 1
    assert count(path, snapshot_id=2, engine=LOCAL).count == 2


def test_a_key_that_has_the_old_name_of_another_column(tmp_path: Path) -> None:
    """The bounds of a file's keys are of the column that was the key when it was written."""
    from pypaimon import CatalogFactory
    from pypaimon.schema.schema_change import SchemaChange

    fields = [pa.field("id", pa.int32(), nullable=False), pa.field("k", pa.int32())]
    data = pa.table([[1, 2], [100, 200]], schema=pa.schema(fields))
    path = make_table(tmp_path, "t", [data], {"bucket": "1"}, primary_keys=["id"])
    catalog = CatalogFactory.create({"warehouse": str(tmp_path)})
    for old, new in (("k", "v"), ("id", "k")):
        catalog.alter_table("default.t", [SchemaChange.rename_column(old, new)], False)
    for where, rows in (("v = 200", [(2, 200)]), ("k = 1", [(1, 100)]), ("k = 200", [])):
        assert rows_of(query(path, where, engine=LOCAL)) == rows


def test_time_travel_of_keys(tmp_path: Path) -> None:
    path = golden_table("pk_plain_no_dv", tmp_path)
    for snapshot in (1, 2, 3):
        table = Table.at(path)
        builder = table.pypaimon.copy({"scan.snapshot-id": str(snapshot)}).new_read_builder()
        paimon = builder.new_read().to_arrow(builder.new_scan().plan().splits())
        assert found_rows(table, snapshot_id=snapshot) == ordered(rows_of(paimon))


def test_an_empty_table(tmp_path: Path) -> None:
    from pypaimon import CatalogFactory
    from pypaimon import Schema as PaimonSchema

    made = CatalogFactory.create({"warehouse": str(tmp_path)})
    made.create_database("default", False)
    schema = PaimonSchema.from_pyarrow_schema(pa.schema([("a", pa.int32())]))
    made.create_table("default.empty", schema, False)
    table = Table.at(str(tmp_path / "default.db" / "empty"))
    assert query(table, "a = 1", engine=LOCAL).num_rows == 0
    assert query(table, order_by="a", limit=3, engine=LOCAL).num_rows == 0
    assert count(table, engine=LOCAL).to_json() == {
        "count": 0,
        "from": "index",
        "files_total": 0,
        "files_read": 0,
        "bytes_read": 0,
    }
    assert [step.files_kept for step in explain(table, "a = 1", engine=LOCAL)] == [0, 0, 0, 0]


def test_wrong_questions(many: Table) -> None:
    for error, more in (
        (PredicateError, {"where": "nope = 1"}),
        (PredicateError, {"where": "id ="}),
        (SchemaError, {"columns": ["id", "nope"]}),
        (SchemaError, {"columns": ["id", "ID"]}),
        (PredicateError, {"order_by": "id DOWN"}),
        (PredicateError, {"order_by": "nope", "limit": 1}),
        (PredicateError, {"limit": -1}),
    ):
        with pytest.raises(error):
            query(many, **more)


# On the command line ------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def path(made: Mapping[str, Made]) -> str:
    return made["regions"][0].location


def lines(text: str) -> list[Any]:
    return [json.loads(line) for line in text.splitlines()]


def test_query_as_json(path: str, capsys: pytest.CaptureFixture[str]) -> None:
    """One object a row: times in ISO, decimals as strings, binary as hex."""
    where = "id = 1009 OR status = 'only 4' AND amount > 0 AND m['k'] = 2 AND score IS NULL"
    assert run(["table", "query", path, "--where", where, "--json"]) == 0
    rows = lines(capsys.readouterr().out)
    assert rows
    table = query(Table.at(path), where, engine=LOCAL)
    for row, wanted in zip(rows, table.to_pylist(), strict=True):
        assert list(row) == list(SCHEMA.names)
        assert row["id"] == wanted["id"]
        assert row["status"] == wanted["status"]
        assert row["flag"] == wanted["flag"]
        for name, text in (("amount", str), ("day", str), ("at", dt.datetime.isoformat)):
            assert row[name] == (None if wanted[name] is None else text(wanted[name]))
        assert row["code"] == (None if wanted["code"] is None else wanted["code"].hex())
        assert row["m"] == (None if wanted["m"] is None else dict(wanted["m"]))


def test_query_tells_what_it_took(path: str, capsys: pytest.CaptureFixture[str]) -> None:
    """On stderr: what is on stdout stays one object a row."""
    arguments = ["table", "query", path, "--where", "status = 'DONE'"]
    assert run([*arguments, "--json"]) == 0
    rows, nothing = capsys.readouterr()
    assert nothing == ""
    assert run([*arguments, "--json", "--stats"]) == 0
    out, err = capsys.readouterr()
    assert out == rows
    told = json.loads(err)
    stats = QueryStats()
    query(path, "status = 'DONE'", stats=stats)
    assert told.pop("seconds") > 0
    assert told == {key: value for key, value in stats.to_json().items() if key != "seconds"}
    assert told["rows"] == len(lines(rows)) > 0
    assert run([*arguments, "--stats"]) == 0
    err = capsys.readouterr().err
    assert f"{told['files_read']} of {told['files_total']} data files read" in err
    assert f", {told['rows']} rows, {told['bytes_read']:,} bytes, 0." in err


def test_query_in_order(path: str, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["--select", "id, `amount`", "--order-by", "amount DESC NULLS LAST", "--limit", "2"]
    assert run(["table", "query", path, *arguments, "--json"]) == 0
    rows = lines(capsys.readouterr().out)
    assert [list(row) for row in rows] == [["id", "amount"]] * 2
    assert [row["amount"] for row in rows] == ["1234.56", "1234.56"]
    assert run(["table", "query", path, *arguments]) == 0
    out = capsys.readouterr().out.splitlines()
    assert out[0].split() == ["id", "amount"]
    assert out[1].split()[1] == "1234.56"
    assert out[-1] == "2 rows"


def test_query_to_a_file(path: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    output = tmp_path / "found.parquet"
    arguments = ["table", "query", path, "-w", "status = 'DONE'", "-o", str(output)]
    assert run(arguments) == 0
    found = pq.read_table(output)
    assert ordered(rows_of(found)) == found_rows(Table.at(path), "status = 'DONE'")
    assert run(arguments) == 2
    assert "--force" in capsys.readouterr().err
    assert run([*arguments, "--force"]) == 0


def test_tables_by_their_folder(path: str) -> None:
    table = Table.at(path)
    assert ordered(rows_of(query(path, "status = 'PENDING'"))) == found_rows(
        table, "status = 'PENDING'"
    )
    assert count(path, "status = 'PENDING'") == count(table, "status = 'PENDING'")
    assert count(Path(path), "status = 'PENDING'") == count(table, "status = 'PENDING'")
    assert rewrite_index(Path(path), dry_run=True, engine=LOCAL).files > 0
    assert explain(path, "status = 'PENDING'") == explain(table, "status = 'PENDING'")
    with pytest.raises(PaimonKsyError, match="cannot open a Paimon table there"):
        plan(f"{path}/bucket-0")
    with pytest.raises(PaimonKsyError, match=r"URI: http; pypaimon reads tables of local folders"):
        Table.at("http://host.example/t")


@pytest.mark.parametrize("file", ["schema/schema-0", "schema/schema-2", "tag/tag-kept"])
def test_a_damaged_schema_or_tag_is_named(file: str, tmp_path: Path) -> None:
    """The one that is damaged, not what needs it; it is not for lack of a table there."""
    path = golden_table("evolution", tmp_path)
    damaged = Path(path, file)
    damaged.parent.mkdir(exist_ok=True)
    damaged.write_text("{")
    with pytest.raises(PaimonKsyError) as raised:
        query(path, tag="kept" if "tag" in file else None)
    assert str(raised.value).startswith(f"{damaged}: cannot be read: Expecting property name")
    assert "restore the file from a backup" in str(raised.value.remedy)


def test_count_as_json(path: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["table", "count", path, "--json"]) == 0
    [found] = lines(capsys.readouterr().out)
    assert found == {
        "count": 191,
        "from": "index",
        "files_total": 10,
        "files_read": 0,
        "bytes_read": 0,
    }
    assert run(["table", "count", path, "-w", "code = X'6162' AND region = 'EU'", "--json"]) == 0
    [found] = lines(capsys.readouterr().out)
    assert list(found) == ["count", "from", "files_total", "files_read", "bytes_read"]
    assert found["from"] == "data"
    assert 0 < found["files_read"] < found["files_total"] == 10
    assert run(["table", "count", path, "-w", "status = 'DONE'"]) == 0
    assert "from the index: 0 of 10 data files opened" in capsys.readouterr().out


def test_explain_as_json(path: str, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["table", "explain", path, "-w", "region = 'EU' AND status = 'DONE' AND id > 0"]
    assert run([*arguments, "--json"]) == 0
    steps = lines(capsys.readouterr().out)
    assert [step["step"] for step in steps] == ["partitions", "statistics", "index", "rows"]
    for name in ("files", "row_groups", "rows", "bytes"):
        for step in steps:
            assert {f"{name}_kept", f"{name}_skipped"} <= set(step)
    assert steps[0]["files_skipped"] > 0
    assert [cause["index"] for cause in steps[2]["by"]] == [
        "bitmap, bloom-filter",
        "bloom-filter, bsi",
    ]
    assert run([*arguments, "--engine", "flink"]) == 2
    assert "no engine 'flink'" in capsys.readouterr().err
    assert run(arguments) == 0
    out = capsys.readouterr().out
    assert "status = 'DONE' (index bitmap, bloom-filter)" in out


@pytest.mark.parametrize(
    ("arguments", "message", "code"),
    [
        (["count", "{path}", "-w", "nope = 1"], "no column 'nope'", 2),
        (["query", "{path}", "-w", "status ="], "cannot parse SQL", 2),
        (["query", "{path}", "--order-by", "id DOWN"], "is not an ORDER BY list", 2),
        (["query", "{path}", "--select", "id,,`x"], "--select", 2),
        (["query", "{path}", "--engine", "flink"], "no engine 'flink': there are local, spark", 2),
        (["query", "{path}", "-s", "statsu"], "no column 'statsu' (did you mean 'status'?)", 2),
        (["query", "{path}", "--snapshot", "99"], "no snapshot 99", 1),
        (["explain", "{path}", "--tag", "none"], "no tag 'none'", 1),
        (["count", "{path}/nowhere"], "cannot open a Paimon table there: the folder does not", 1),
        (["count", "{path}/../region"], "(did you mean 'regions'?): beside it are the tables", 1),
        (["count", "{path}/.."], "it contains no schema: the tables in it are", 1),
        (["count", "{path}/bucket-0"], "give the folder that contains schema/", 1),
        (["count", "default.regions"], "--catalog warehouse=FOLDER", 1),
        (["count", "default.region", "-c", "warehouse={path}/../.."], "no table 'region' (did", 1),
        (["count", "defalt.x", "-c", "warehouse={path}/../.."], "(did you mean 'default'?)", 1),
        (["count", "default.x", "-c", "warehouse=a", "-c", "warehouse=b"], "is given twice", 2),
        (["count", "{path}", "--catalog", "warehouse={path}"], "write DATABASE.TABLE", 1),
    ],
)
def test_wrong_commands(
    path: str,
    arguments: list[str],
    message: str,
    code: int,
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert run(["table", *(text.format(path=path) for text in arguments)]) == code
    error = capsys.readouterr().err
    assert message in error
    assert error.count("\n") == 1


# The examples of Paimon's file-index document, sections 4.2, 5.2 and 6.1 --------------------------


@pytest.mark.java
def test_the_examples_of_the_document(tmp_path: Path, spark: Any) -> None:
    """Made, indexed and queried on Spark; `test_worked_examples.py` has them on files."""
    engine = spark_engine(spark)
    events = make_table(tmp_path, "user_events", [table_of(EVENTS_SCHEMA, EVENTS)], EVENTS_OPTIONS)
    rewritten = rewrite_index(events, engine=engine)
    assert rewritten.embedded == 1  # it is smaller than 10 kB
    table = Table.at(events)
    for where, ids in (
        ("event_type = 'login'", [1, 3, 6]),
        ("event_type IN ('login', 'purchase')", [1, 3, 4, 6]),
        ("event_type NOT IN ('login')", [2, 4, 5]),
        ("region IS NULL", []),
        ("region IS NOT NULL", [1, 2, 3, 4, 5, 6]),
        ("event_type = 'login' AND region = 'US'", [1, 3]),
        ("event_type = 'login' OR region = 'US'", [1, 3, 5, 6]),
    ):
        assert query(table, where, spark=spark)["user_id"].to_pylist() == ids
        counted = count(table, where, engine=engine)
        assert (counted.count, counted.origin) == (len(ids), "index")

    # Paimon asks for a key where an append table has buckets.
    options = {**ORDERS_OPTIONS, "bucket-key": "order_id"}
    orders = make_table(tmp_path, "orders", [table_of(ORDERS_SCHEMA, ORDERS)], options)
    rewrite_index(orders, engine=engine)
    table = Table.at(orders)
    columns = ["order_id", "user_id", "region", "amount"]
    stats = QueryStats()
    found = query(table, "status = 'PENDING'", columns, engine=engine, stats=stats)
    here = QueryStats()
    query(table, "status = 'PENDING'", columns, engine=LOCAL, stats=here)
    assert replace(stats, seconds=0) == replace(here, seconds=0)
    assert stats.effort == here.effort
    assert sorted(rows_of(found)) == [
        (1001, 1, "US", Decimal("100.00")),
        (1003, 3, "ASIA", Decimal("150.00")),
        (1006, 6, "US", Decimal("120.00")),
        (1009, 9, "ASIA", Decimal("180.00")),
    ]
    steps = {step.step: step for step in explain(table, "status = 'PENDING'", columns)}
    assert steps["rows"].rows_kept == 4
    assert steps["index"].rows_kept + steps["index"].rows_skipped == 10
    assert [cause.index for cause in steps["index"].by] == ["bitmap"]
