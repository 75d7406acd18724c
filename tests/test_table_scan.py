"""Queries of whole tables give the rows that SQL gives, and read no more than they have to."""

import datetime as dt
import json
import math
import random
from collections.abc import Mapping, Sequence
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

from paimon_ksy.cli.app import run
from paimon_ksy.errors import CorruptFileError, PaimonKsyError, PredicateError, SchemaError
from paimon_ksy.live import TopN
from paimon_ksy.predicate import Predicate, col
from paimon_ksy.schema import Schema
from paimon_ksy.sql import parse_predicate
from paimon_ksy.table.engine import local_engine, spark_engine
from paimon_ksy.table.explain import explain
from paimon_ksy.table.rewrite import rewrite_index
from paimon_ksy.table.scan import batches, count, plan, query
from paimon_ksy.table.store import Table
from paimon_ksy.table.tasks import FileTask, MergeTask
from tests.brute_force import matching_rows
from tests.golden_tables import Row, expected, golden_table, golden_table_names, ordered, rows_of
from tests.strategies import examples, predicates
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
@pytest.mark.parametrize("name", ["append_dv64", "evolution", "pk_plain_no_dv", "types_bsi"])
def test_golden_tables_on_spark(name: str, tmp_path: Path, spark: Any) -> None:
    table = Table.at(golden_table(name, tmp_path))
    golden = expected(name)
    engine = spark_engine(spark)
    assert ordered(rows_of(query(table, engine=engine))) == ordered(golden.rows)
    for case in golden.cases[:: len(golden.cases) // 3]:
        read = query(table, case.predicate, engine=engine)
        assert ordered(rows_of(read)) == ordered(case.rows), case.node
        assert count(table, case.predicate, engine=engine).count == len(case.rows)
    column = "id" if "id" in golden.schema else golden.schema.names[0]
    for limit in (3, 1000):
        top = {"order_by": f"{column} DESC", "limit": limit}
        on_spark = query(table, columns=[column], engine=engine, **top)
        assert rows_of(on_spark) == rows_of(query(table, columns=[column], engine=LOCAL, **top))


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
    maps = [{}, {"k": 1}, {"k": 2, "l": 3}, {"l": 4}, {"k": None}]
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


def sort_key(value: Any) -> Any:
    if isinstance(value, float):
        return (1, 0.0) if math.isnan(value) else (0, value + 0.0)
    return value


@pytest.mark.parametrize("name", MADE)
@examples(30)
@given(data=st.data())
def test_any_order(made: Mapping[str, Made], name: str, data: st.DataObject) -> None:
    """The values of the column are the first ones in order, and the rows are rows of the table."""
    table, rows = made[name]
    column = data.draw(st.sampled_from([name for name in SCHEMA.names if name != "m"]))
    top = TopN(
        column,
        data.draw(st.integers(0, 250)),
        data.draw(st.booleans()),
        data.draw(st.sampled_from([None, True, False])),
    )
    where = data.draw(st.sampled_from([None, "status = 'PENDING'", "NOT flag", "code = X'6162'"]))
    at = SCHEMA.names.index(column)
    if where is not None:
        rows = brute(SCHEMA, rows, parse_predicate(where, SCHEMA))
    nulls = [row[at] for row in rows if row[at] is None]
    values = sorted((row[at] for row in rows if row[at] is not None), key=sort_key)
    in_order = values[::-1] if top.descending else values
    wanted = (nulls + in_order if top.has_nulls_first else in_order + nulls)[: top.k]
    found = rows_of(query(table, where, order_by=top, limit=top.k, engine=LOCAL))
    keys = [None if value is None else sort_key(value) for value in wanted]
    assert [None if row[at] is None else sort_key(row[at]) for row in found] == keys
    assert not set(ordered(found)) - set(ordered(rows))
    names = query(table, where, ["status"], order_by=top, limit=top.k, engine=LOCAL)
    assert names.schema.names == ["status"]
    assert names.num_rows == len(wanted)


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
