"""Queries on the bucket key of a table with fixed buckets read few buckets, and miss no row."""

import datetime as dt
import json
from collections.abc import Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pypaimon import CatalogFactory
from pypaimon.schema.data_types import AtomicType
from pypaimon.schema.schema_change import SchemaChange

from kit_support.examples import examples
from paimon_ksy.predicates.tree import Predicate, col
from paimon_ksy.table.engine import local_engine
from paimon_ksy.table.query.explain import explain
from paimon_ksy.table.query.plan import plan_query
from paimon_ksy.table.query.query import Query
from paimon_ksy.table.query.read import count, query
from paimon_ksy.table.store import Table
from paimon_ksy.types.arrow import to_arrow
from paimon_ksy.types.parse import parse_type
from paimon_ksy.types.schema import Schema
from tests.support.brute_force import matching_rows
from tests.support.golden_tables import ordered, rows_of
from tests.support.strategies import trees
from tools.tables import append, by_pypaimon, make_table

LOCAL = local_engine(1)
UTC = dt.UTC


def buckets_read(table: Table, where: Any) -> set[tuple[tuple[Any, ...], int]]:
    return {(f.partition, f.bucket) for task in plan_query(table, Query(where)) for f in task.files}


EXACT: dict[str, Sequence[Any]] = {
    "BOOLEAN": [True, False],
    "TINYINT": [0, -1, 127, -128, 5],
    "INT": [0, -1, 7, -(2**31), 2**31 - 1],
    "BIGINT": [-5, 2**40, -(2**63), 0],
    "STRING": ["", "a", "abcdefg", "abcdefgh", "é中😀" * 5, "a ", "a\0"],
    "BYTES": [b"", b"abc", b"abcdefghij", b"abc\0"],
    "DECIMAL(5, 2)": [Decimal("1.10"), Decimal("-3.00"), Decimal("0.00"), Decimal("999.99")],
    "DECIMAL(38, 3)": [Decimal("1.100"), Decimal(10**34), Decimal("-0.129"), Decimal("0.128")],
    "DATE": [dt.date(2020, 1, 1), dt.date(1960, 1, 1), dt.date(1970, 1, 1)],
    "TIMESTAMP(3)": [dt.datetime(2020, 1, 1, 1, 2, 3, 456000), dt.datetime(1960, 1, 1)],
    "TIMESTAMP(6)": [dt.datetime(2020, 1, 1, 1, 2, 3, 456789), dt.datetime(1960, 1, 1, 0, 0, 0, 1)],
    "TIMESTAMP(6) WITH LOCAL TIME ZONE": [
        dt.datetime(2020, 1, 1, 1, 2, 3, 456789, UTC),
        dt.datetime(1960, 1, 1, tzinfo=UTC),
    ],
}
INEXACT: dict[str, Sequence[Any]] = {
    "FLOAT": [0.0, -0.0, 1.5],
    "DOUBLE": [-0.0, 0.0, 1.5],
}


@pytest.mark.parametrize("kind", [*EXACT, *INEXACT])
def test_a_key_is_in_one_bucket(kind: str, tmp_path: Path) -> None:
    values = EXACT.get(kind) or INEXACT[kind]
    data = pa.table({"k": pa.array([*values, None], to_arrow(parse_type(kind)))})
    path = make_table(tmp_path, "keyed", [data, data], {"bucket": "3", "bucket-key": "k"})
    table = Table.at(path)
    many = len({file.bucket for file in table.data_files.of(table.snapshot())})
    for value in values:
        found = query(table, col("k") == value, engine=LOCAL)
        assert found["k"].to_pylist() == [v for v in values if v == value] * 2
        most = 1 if kind in EXACT else many
        assert len(buckets_read(table, col("k") == value)) <= most
    assert query(table, col("k").is_null(), engine=LOCAL).num_rows == 2
    if kind in EXACT:
        assert query(table, col("k").is_in(values), engine=LOCAL).num_rows == 2 * len(values)
    else:
        [note] = next(s for s in explain(table, "k = 1.5") if s.step == "buckets").notes
        assert note == f"k: equal values of {kind} may be in several buckets"


@pytest.mark.parametrize(
    ("written", "kind", "literal"),
    [
        ("STRING", "CHAR(5)", "'a'"),
        ("BYTES", "BINARY(2)", "X'61'"),
        ("TIMESTAMP(6)", "TIMESTAMP(9)", "TIMESTAMP '2020-01-01 00:00:00'"),
    ],
)
def test_keys_that_do_not_tell_their_bucket(
    written: str, kind: str, literal: str, tmp_path: Path
) -> None:
    data = pa.table({"k": pa.array([None], to_arrow(parse_type(written)))})
    path = make_table(tmp_path, "keyed", [data], {"bucket": "3", "bucket-key": "k"})
    schema = Path(path, "schema", "schema-0")
    document = json.loads(schema.read_text())
    document["fields"][0]["type"] = kind
    schema.write_text(json.dumps(document))
    [note] = next(s for s in explain(path, f"k = {literal}") if s.step == "buckets").notes
    assert note == f"k: equal values of {kind} may be in several buckets"


# Brute force ------------------------------------------------------------------------------------

KEYED = "p STRING, a STRING, b DECIMAL(20, 2), v INT"
TEXTS = ["x", "y", "long enough not to be in the word", "", None]
NUMBERS = [Decimal("1.00"), Decimal("-2.50"), Decimal("3.25"), None]


def keyed_rows() -> pa.Table:
    rows = [(p, a, b) for p in ("p", "q") for a in TEXTS for b in NUMBERS]
    columns = [*map(list, zip(*rows, strict=True)), list(range(len(rows)))]
    schema = Schema.parse(KEYED).to_arrow()
    return pa.table(columns, schema=schema)


@pytest.fixture(scope="module")
def keyed(tmp_path_factory: pytest.TempPathFactory) -> Table:
    """Two columns in the key, partitions; another number of buckets in a third partition."""
    folder = tmp_path_factory.mktemp("keyed")
    options = {"bucket": "7", "bucket-key": "a,b"}
    path = make_table(folder, "keyed", [keyed_rows()], options, partition_keys=["p"])
    catalog = CatalogFactory.create({"warehouse": str(folder)})
    catalog.alter_table("default.keyed", [SchemaChange.set_option("bucket", "4")])
    other = keyed_rows().set_column(0, "p", pa.array(["r"] * keyed_rows().num_rows))
    append(catalog.get_table("default.keyed"), other)
    table = Table.at(path)
    totals = {
        (file.partition, file.total_buckets) for file in table.data_files.of(table.snapshot())
    }
    assert totals == {(("p",), 7), (("q",), 7), (("r",), 4)}
    return table


def of_column(name: str, values: Sequence[Any]) -> st.SearchStrategy[Predicate]:
    some = st.sampled_from([value for value in values if value is not None])
    equal = some.map(lambda value: col(name) == value)
    among = st.lists(some, min_size=1, max_size=3).map(col(name).is_in)
    return equal | equal | among | some.map(lambda value: col(name) != value)


LEAVES = st.one_of(
    of_column("a", TEXTS),
    of_column("b", NUMBERS),
    of_column("p", ["p", "q", "r"]),
    st.integers(0, 40).map(lambda value: col("v") > value),
    st.just(col("a").is_null()),
)
TREES = trees(LEAVES, 6)
KEYS = st.tuples(of_column("a", TEXTS), of_column("b", NUMBERS)).map(lambda ab: ab[0] & ab[1])


@examples(60)
@given(where=TREES | st.tuples(KEYS, TREES).map(lambda two: two[0] & two[1]))
def test_against_all_rows(keyed: Table, where: Predicate) -> None:
    schema = keyed.schema.columns
    rows = rows_of(by_pypaimon(keyed.location))
    data = {name: [row[at] for row in rows] for at, name in enumerate(schema.names)}
    wanted = [rows[at] for at in matching_rows(where, data, schema, "UTC", len(rows))]
    assert ordered(rows_of(query(keyed, where, engine=LOCAL))) == ordered(wanted)
    assert count(keyed, where, engine=LOCAL).count == len(wanted)


def test_combinations_of_keys(keyed: Table) -> None:
    """Each leaves a bucket of a partition at most."""
    for where, most in (
        ("a = 'x' AND b = 1", 3),
        ("b = -2.5 AND v >= 0 AND a IN ('x', 'y') AND p <> 'r'", 4),
        ("(a = 'x' OR a = 'y') AND (b = 1 OR b IN (3.25)) AND p = 'p'", 4),
        ("a = 'x' AND b = 1 OR a = 'y' AND b = 1 AND v = 3", 6),
        ("p = 'p' AND a = 'x' AND b = 1 OR p = 'q' AND a = 'y' AND b = 3.25", 2),
        ("a = 'x' AND a = 'y' AND b = 1", 0),
        (f"a = 'x' AND b IN ({10**18}, {-(10**20)})", 0),  # more digits than the type has
    ):
        assert len(buckets_read(keyed, where)) <= most, where
    everything = buckets_read(keyed, None)
    assert len(everything) > 12
    for where in (
        "a = 'x'",
        "a = 'x' AND b >= 1",
        "a = 'x' AND b = 1 OR v = 3",
        "a <> 'x' AND b = 1",
    ):
        step = next(step for step in explain(keyed, where) if step.step == "buckets")
        assert step.files_skipped == 0, where
        assert step.notes == (
            "no predicate compares the bucket key a, b by = or IN with at most 1,000 keys",
        )


def test_a_key_whose_type_changed(tmp_path: Path) -> None:
    """Of an append table it may: rows then stay in the bucket of their older type."""
    data = pa.table({"k": pa.array(range(-20, 20), pa.int32())})
    path = make_table(tmp_path, "keyed", [data], {"bucket": "5", "bucket-key": "k"})
    catalog = CatalogFactory.create({"warehouse": str(tmp_path)})
    change = SchemaChange.update_column_type("k", AtomicType("BIGINT"))
    catalog.alter_table("default.keyed", [change])
    append(catalog.get_table("default.keyed"), pa.table({"k": pa.array(range(-20, 20))}))
    table = Table.at(path)
    for key in range(-20, 20):
        assert query(table, col("k") == key, engine=LOCAL).num_rows == 2
    step = next(step for step in explain(table, "k = -7") if step.step == "buckets")
    assert (step.files_skipped, step.notes) == (
        0,
        ("the bucket key had other types in an older schema",),
    )
    # As it was before, it is told.
    before = plan_query(table, Query("k = -7", snapshot_id=1))
    assert len({file.bucket for task in before for file in task.files}) == 1


def test_files_of_a_newer_schema_than_the_one_to_read_in(tmp_path: Path) -> None:
    """A snapshot may be committed in an older schema than its files: by a job that writes on while
    its writers have the new schema. Their rows are in the buckets of the newer type."""
    options = {"bucket": "5", "bucket-key": "k"}
    data = pa.table({"k": pa.array(range(-20, 20), pa.int32())})
    path = make_table(tmp_path, "keyed", [data], options)
    catalog = CatalogFactory.create({"warehouse": str(tmp_path)})
    catalog.alter_table(
        "default.keyed", [SchemaChange.update_column_type("k", AtomicType("BIGINT"))]
    )
    append(catalog.get_table("default.keyed"), pa.table({"k": pa.array(range(-20, 20))}))
    snapshot = Path(path, "snapshot", "snapshot-2")
    document = json.loads(snapshot.read_text())
    assert document["schemaId"] == 1
    snapshot.write_text(json.dumps({**document, "schemaId": 0}))
    table = Table.at(path)
    assert {file.schema_id for file in table.data_files.of(table.snapshot(2))} == {0, 1}
    moved = 0
    for key in range(-20, 20):
        where = col("k") == key
        assert query(table, where, snapshot_id=2, engine=LOCAL)["k"].to_pylist() == [key] * 2
        assert count(table, where, snapshot_id=2, engine=LOCAL).count == 2
        files = [
            file for task in plan_query(table, Query(where, snapshot_id=2)) for file in task.files
        ]
        assert len({file.bucket for file in files if file.schema_id == 0}) == 1
        moved += len({file.bucket for file in files if file.schema_id == 1}) > 1
    assert moved == 40


@pytest.mark.parametrize("function", ["mod", "hive"])
def test_other_functions(function: str, tmp_path: Path) -> None:
    """pypaimon takes the hash code whatever the function is, Java does not."""
    data = pa.table({"k": list(range(-20, 20))})
    options = {"bucket": "5", "bucket-key": "k", "bucket-function.type": function}
    table = Table.at(make_table(tmp_path, "keyed", [data], options))
    for key in (-3, 17):
        assert query(table, col("k") == key, engine=LOCAL).num_rows == 1
        read = {bucket for _, bucket in buckets_read(table, col("k") == key)}
        if function == "mod":
            assert key % 5 in read  # as Java's Math.floorMod
            assert len(read) <= 2
        else:
            assert len(read) == 5
            step = next(step for step in explain(table, "k = 1") if step.step == "buckets")
            assert step.notes == ("bucket-function.type = hive is unsupported",)
