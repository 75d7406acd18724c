"""Tools that query a pyarrow dataset get the rows that a table has, and files are skipped."""

import re
import subprocess
import sys
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.dataset as ds
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import paimon_ksy as pk
from kit_support.examples import examples
from paimon_ksy.table.dataset.dataset import TableDataset
from paimon_ksy.table.index.rewrite import rewrite_index
from paimon_ksy.table.query.read import query
from paimon_ksy.table.store import Table
from tests.support.golden_tables import expected, golden_table, golden_table_names, ordered, rows_of
from tests.support.query_tables import KEYED, LOCAL, TABLES, Made, versions
from tests.support.tool_filters import arrow_filters
from tools.tables import append, delete_rows, make_table


def dataset_of(table: Table, where: Any = None, **options: Any) -> TableDataset:
    return pk.Table.at(table.location).to_dataset(where, engine=LOCAL, **options)


@cache
def all_rows(path: str) -> pa.Table:
    """The rows of a table that no test changes."""
    return query(path, engine=LOCAL)


def by_duckdb(orders: Any, sql: str) -> list[str]:
    """The rows of a query of `orders`, in no order."""
    with duckdb.connect() as connection:
        connection.register("orders", orders)
        return selected(connection, sql)


def selected(connection: duckdb.DuckDBPyConnection, sql: str) -> list[str]:
    """The rows of a query, in no order."""
    return sorted(map(repr, connection.sql(sql).fetchall()))


@pytest.fixture(scope="module")
def keyed(tmp_path_factory: pytest.TempPathFactory) -> Made:
    """A table with a primary key whose files have to be merged, in partitions."""
    commits = [versions(seed, 60, 40) for seed in (1, 2)]
    commits.append(pa.table({"k": [100, 102], "p": ["x"] * 2, "a": [7, 8], "b": ["n"] * 2}, KEYED))
    path = make_table(
        tmp_path_factory.mktemp("keyed"),
        "t",
        commits,
        {"metadata.stats-mode": "full", "bucket": "1"},
        primary_keys=["k", "p"],
        partition_keys=["p"],
    )
    kept = {row["k"]: tuple(row.values()) for commit in commits for row in commit.to_pylist()}
    return Table.at(path), list(kept.values())


@pytest.mark.parametrize("name", golden_table_names())
def test_golden_tables(name: str, tmp_path: Path) -> None:
    """Java's tables: keys, deletion vectors, evolution; all of its predicates."""
    table, golden = Table.at(golden_table(name, tmp_path)), expected(name)
    assert ordered(rows_of(dataset_of(table).to_table())) == ordered(golden.rows)
    for case in golden.cases[::5]:
        stats = pk.QueryStats()
        read = dataset_of(table, case.predicate, stats=stats).to_table()
        assert ordered(rows_of(read)) == ordered(case.rows), case.node
        assert stats.files_read <= case.files


@pytest.mark.parametrize("name", [*TABLES, "keyed"])
@examples(40)
@given(data=st.data())
def test_any_filter(made: Mapping[str, Made], keyed: Made, name: str, data: st.DataObject) -> None:
    """The same rows as Arrow's own filter leaves of all of them."""
    table, _ = keyed if name == "keyed" else made[name]
    everything = all_rows(table.location)
    plain = everything.drop_columns([n for n in ("m",) if n in everything.schema.names])
    expression = data.draw(arrow_filters(plain))
    try:
        wanted = everything.filter(expression)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        assume(False)  # Arrow, which is to judge, cannot evaluate it itself
    found = dataset_of(table)
    assert ordered(rows_of(found.to_table(filter=expression))) == ordered(rows_of(wanted))
    assert found.count_rows(filter=expression) == len(wanted)
    columns = plain.schema.names[: data.draw(st.integers(0, 2))]
    some = found.to_table(columns=columns, filter=expression)
    assert some.num_rows == len(wanted) and some.schema.names == columns


LITERALS = {
    "id": ["1003", "2007", "4050", "NULL"],
    "region": ["'EU'", "'US'", "'nowhere'"],
    "status": ["'PENDING'", "'only 2'", "''", "'ÄÖ'", "NULL"],
    "amount": ["9.95", "0.00", "1", "-999999.99"],
    "score": ["0.0", "1.5", "'NaN'::DOUBLE", "'inf'::DOUBLE", "-2"],
    "day": ["DATE '2024-01-03'", "DATE '1969-12-31'"],
    '"at"': ["TIMESTAMP '2024-01-01 00:00:00.000001'", "DATE '2024-01-02'"],
    "flag": ["true", "false"],
    "code": ["'ab'::BLOB", "'\\xFF\\xFF'::BLOB"],
}


@st.composite
def conditions(draw: st.DrawFn, room: int = 5) -> str:
    """Conditions in DuckDB's SQL."""
    shape = draw(st.sampled_from(["leaf", "leaf", "AND", "OR", "NOT"])) if room > 1 else "leaf"
    if shape == "NOT":
        return f"NOT ({draw(conditions(room - 1))})"
    if shape != "leaf":
        return f"({draw(conditions(room // 2))} {shape} {draw(conditions(room - room // 2))})"
    column = draw(st.sampled_from(sorted(LITERALS)))
    one = st.sampled_from(LITERALS[column])
    test = draw(st.sampled_from(["compare", "compare", "in", "null", "between", "odd"]))
    if test == "compare":
        return f"{column} {draw(st.sampled_from(['=', '<>', '<', '<=', '>', '>=']))} {draw(one)}"
    if test == "in":
        listed = ", ".join(draw(st.lists(one, min_size=1, max_size=3)))
        return f"{column} {draw(st.sampled_from(['IN', 'NOT IN']))} ({listed})"
    if test == "null":
        return f"{column} IS {draw(st.sampled_from(['NULL', 'NOT NULL']))}"
    if test == "between":
        return f"{column} BETWEEN {draw(one)} AND {draw(one)}"
    odd = ["status LIKE 'P%'", "id % 2 = 0", "isnan(score)", "flag", "lower(region) = 'eu'"]
    return draw(st.sampled_from([*odd, "status IS DISTINCT FROM 'DONE'", "m['k'] = 2"]))


@pytest.mark.parametrize("name", TABLES)
def test_any_condition_in_duckdb(made: Mapping[str, Made], name: str) -> None:
    """The same rows as of a table of DuckDB's own."""
    table, _ = made[name]
    with duckdb.connect() as connection:
        connection.register("arrow", all_rows(table.location))
        connection.sql("CREATE TABLE own AS FROM arrow")

        @examples(40)
        @given(where=conditions())
        def check(where: str) -> None:
            connection.register("orders", dataset_of(table))
            found = selected(connection, f"SELECT * FROM orders WHERE {where}")
            assert found == selected(connection, f"SELECT * FROM own WHERE {where}")

        check()


@pytest.mark.parametrize(
    ("name", "where", "files"),
    [
        ("plain", "status = 'PENDING'", 4),  # it has no indexes and no statistics
        ("statistics", "id < 2000", 1),
        ("embedded", "status = 'only 2'", 1),
        ("embedded", "status IN ('only 2', 'only 4')", 2),
        ("orc", "status = 'only 2' AND region <> 'x'", 1),
        ("embedded", "status = 'only 2' OR id = 4003", 2),
        ("embedded", "status = 'nowhere'", 0),
        ("vectors", "status = 'only 2'", 1),
        ("vectors", "status IN ('nowhere', 'no')", 0),
    ],
)
def test_files_are_skipped(made: Mapping[str, Made], name: str, where: str, files: int) -> None:
    table, _ = made[name]
    stats = pk.QueryStats()
    found = by_duckdb(dataset_of(table, stats=stats), f"SELECT id FROM orders WHERE {where}")
    assert len(found) == query(table, where, engine=LOCAL).num_rows
    assert (stats.files_read, stats.files_total) == (files, 4)


def test_files_of_keys_are_skipped(keyed: Made) -> None:
    """Of keys, statistics skip files; what has to be merged is merged."""
    table, rows = keyed
    stats = pk.QueryStats()
    found = by_duckdb(dataset_of(table, stats=stats), "SELECT * FROM orders WHERE k >= 100")
    assert found == sorted(repr(row) for row in rows if row[0] >= 100)
    assert stats.files_read == 1 < stats.files_total
    found = by_duckdb(dataset_of(table), "SELECT * FROM orders WHERE a = 1 AND k < 50")
    assert found == sorted(repr(row) for row in rows if row[2] == 1 and row[0] < 50)


def test_rows_of_other_files_are_not_read(many: Table) -> None:
    """Five files: an index has the one with the value, and which of its rows have it."""
    stats = pk.QueryStats()
    orders = dataset_of(many, stats=stats)
    sql = "SELECT count(*), min(id) FROM orders WHERE status = 'PENDING'"
    assert by_duckdb(orders, sql) == ["(400, 65000)"]
    assert (stats.files_read, stats.rows) == (1, 400)
    condition = pc.field("status") == "PENDING"
    stats = pk.QueryStats()
    orders = dataset_of(many, stats=stats)
    assert orders.count_rows(filter=condition) == 400
    assert orders.to_table(columns=["status"], filter=condition).num_rows == 400
    assert stats.files_read == 0  # an index has the rows, and the filter their value
    assert orders.head(5, filter=condition & (pc.field("id") + 1 > 0)).num_rows == 5
    assert stats.files_read == 1


def test_where_and_filters_all_hold(made: Mapping[str, Made]) -> None:
    table, rows = made["embedded"]
    orders = dataset_of(table, "status = 'PENDING'", columns=["id", "region", "status"])
    orders = orders.filter(pc.field("region") == "EU").filter(pc.field("id") > 1010)
    assert orders.schema.names == ["id", "region", "status"]
    wanted = [row[0] for row in rows if row[2] == "PENDING" and row[1] == "EU" and row[0]]
    found = orders.to_table(["id"], filter=pc.field("id") < 4020)["id"].to_pylist()
    assert sorted(found) == sorted(number for number in wanted if 1010 < number < 4020)
    with pytest.raises(pa.ArrowInvalid, match="No match for FieldRef"):
        orders.scanner(filter=pc.field("score") > 1)


def test_columns_and_expressions(made: Mapping[str, Made]) -> None:
    table, rows = made["embedded"]
    orders = dataset_of(table)
    everything = query(table, engine=LOCAL)
    both = {"next": pc.field("id") + 1, "region": pc.field("region")}
    found = orders.scanner(both, filter=pc.field("status") == "DONE")
    assert found.projected_schema.names == ["next", "region"]
    wanted = ds.dataset(everything).scanner(both, filter=pc.field("status") == "DONE")
    assert found.projected_schema == wanted.projected_schema
    assert ordered(rows_of(found.to_table())) == ordered(rows_of(wanted.to_table()))
    assert orders.to_table(["id", "id"]).schema.names == ["id", "id"]
    assert orders.to_table([]).num_rows == len(rows)
    with pytest.raises(pa.ArrowInvalid, match="No match for FieldRef"):
        orders.scanner(["nope"])
    with pytest.raises(pa.ArrowNotImplementedError, match="no kernel matching"):
        orders.scanner(filter=pc.field("id") == "x")


def test_first_rows(made: Mapping[str, Made]) -> None:
    table, _ = made["embedded"]
    orders = dataset_of(table)
    everything = orders.to_table()
    assert rows_of(orders.head(7).drop("score")) == rows_of(everything.drop("score"))[:7]
    assert orders.head(10_000).num_rows == len(everything)
    odd = pc.field("id").cast(pa.string()) > "1"
    assert orders.head(3, ["id"], odd).equals(orders.to_table(["id"], odd).slice(0, 3))
    assert orders.take([70, 3], columns=["id"]).equals(everything.select(["id"]).take([70, 3]))
    assert orders.take([]).num_rows == 0
    with pytest.raises(pa.ArrowIndexError):
        orders.take([10_000])
    assert {batch.num_rows for batch in orders.to_batches(batch_size=20)} <= set(range(1, 21))


def test_who_stops_early_leaves_files_unread(tmp_path: Path) -> None:
    path = make_table(tmp_path, "t", [pa.table({"id": [n]}) for n in range(30)], {})
    stats = pk.QueryStats()
    orders = pk.Table.at(path).to_dataset(engine=pk.local_engine(1), stats=stats)
    found: Iterator[pa.RecordBatch] = orders.to_batches()
    assert next(found).num_rows == 1
    found.close()  # type: ignore[attr-defined]
    assert stats.files_read < 10
    assert orders.head(2).num_rows == 2
    assert stats.files_read < 20


def test_a_dataset_keeps_its_snapshot(tmp_path: Path) -> None:
    path = make_table(tmp_path, "t", [pa.table({"id": [1]})], {"deletion-vectors.enabled": "true"})
    table = pk.Table.at(path)
    first, empty = table.to_dataset(), table.to_dataset("id > 5")
    append(table.pypaimon, pa.table({"id": [7]}))
    [file] = table.data_files.of(table.snapshot(1))
    delete_rows(path, {file.name: [0]})
    rewrite_index(path, set={"file-index.bitmap.columns": "id"}, engine=LOCAL)
    assert first.to_table()["id"].to_pylist() == [1]
    assert empty.count_rows() == 0
    assert table.to_dataset().to_table()["id"].to_pylist() == [7]
    assert table.to_dataset(snapshot_id=2).count_rows() == 2


def test_an_empty_table(tmp_path: Path) -> None:
    path = make_table(tmp_path, "t", [pa.table({"id": [1]}).slice(1)], {})
    orders = pk.Table.at(path).to_dataset()
    assert orders.to_table().num_rows == orders.count_rows() == 0
    assert by_duckdb(orders, "SELECT count(*) FROM orders WHERE id = 1") == ["(0,)"]


def test_errors_name_the_file(tmp_path: Path) -> None:
    path = make_table(tmp_path, "t", [pa.table({"id": [1]})], {})
    [file] = Path(path).rglob("*.parquet")
    file.unlink()
    orders = pk.Table.at(path).to_dataset()
    with pytest.raises(pk.PaimonKsyError, match=file.name):
        orders.to_table()
    with pytest.raises(duckdb.Error, match=file.name):
        by_duckdb(orders, "SELECT * FROM orders")


NOT_POSSIBLE = {
    "orders.join(orders, 'id')": "UnsupportedError: .*join: .* use to_table",
    "orders.join_asof(orders, 'id', 'id', 1)": "UnsupportedError: .*join_asof: ",
    "orders.sort_by('id')": "UnsupportedError: .*sort_by: .* use to_table",
    "orders.replace_schema(orders.schema)": "UnsupportedError: .*replace_schema: .* to_table",
    "orders.get_fragments()": "UnsupportedError: .*get_fragments: .* use to_table",
    "orders.scanner(fragment_scan_options=1)": "UnsupportedError: .*fragment_scan_options",
    "pickle.dumps(orders)": "UnsupportedError: .*a dataset cannot be pickled",
    "ds.dataset([orders, orders]).to_table()": "no files that pyarrow can read: use to_table",
    "ds.dataset(orders.to_table()).join(orders, 'id')": "no files that pyarrow can read",
    "ds.Scanner.from_dataset(orders).to_table()": "no files that pyarrow can read",
    "ds.write_dataset(orders, 'x', format='parquet')": "TypeError: .*TableScanner",
}


def test_what_is_not_possible_raises(tmp_path: Path) -> None:
    """In a process of its own, for C++ code that gets a dataset without its own crashes."""
    path = make_table(tmp_path, "t", [pa.table({"id": [1]})], {})
    program = (
        "import pickle, sys, paimon_ksy as pk, pyarrow.dataset as ds\n"
        "orders = pk.Table.at(sys.argv[1]).to_dataset()\n"
        "for operation in sys.argv[2:]:\n"
        "    try:\n"
        "        exec(operation)\n"
        "    except Exception as error:\n"
        "        print(type(error).__name__, repr(str(error)), sep=': ')\n"
        "    else:\n"
        "        print('nothing')\n"
    )
    command = [sys.executable, "-c", program, path, *NOT_POSSIBLE]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=600)
    lines = done.stdout.splitlines()
    for (operation, says), line in zip(NOT_POSSIBLE.items(), lines, strict=True):
        assert re.search(says, line), operation
