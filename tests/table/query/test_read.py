"""Queries of whole tables give the rows that SQL gives, and read no more than they have to."""

from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime
from pathlib import Path
from time import sleep
from typing import Any

import polars as pl
import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kit_support.examples import examples
from paimon_ksy.data_files.data_file import ReadStats
from paimon_ksy.errors import PaimonKsyError, PredicateError, UnsupportedError
from paimon_ksy.inspection.verify import verify
from paimon_ksy.predicates.sql import parse_predicate
from paimon_ksy.predicates.tree import col
from paimon_ksy.table.advise.advise import advise
from paimon_ksy.table.audit.audit import audit
from paimon_ksy.table.dataset.polars import scan_polars
from paimon_ksy.table.dataset.table import Table as RowTable
from paimon_ksy.table.delete.delete import delete
from paimon_ksy.table.engine import spark_engine
from paimon_ksy.table.index.rewrite import rewrite_index
from paimon_ksy.table.query.explain import explain
from paimon_ksy.table.query.plan import plan, plan_query
from paimon_ksy.table.query.query import Query
from paimon_ksy.table.query.read import QueryStats, batches, count, query
from paimon_ksy.table.store import Table
from paimon_ksy.types.literals import TIMESTAMP, TIMESTAMP_LTZ, TypedLiteral
from paimon_ksy.types.schema import Schema
from tests.support.golden_tables import expected, golden_table, golden_table_names, ordered, rows_of
from tests.support.query_tables import LOCAL, SCHEMA, TABLES, Made, brute, found_rows
from tests.support.strategies import predicates
from tools import jvm
from tools.tables import make_table


@pytest.mark.parametrize("name", golden_table_names())
def test_golden_tables(name: str, tmp_path: Path) -> None:
    """All of Java's predicates: the same rows, as many, and never more files than Java reads."""
    table = Table.at(golden_table(name, tmp_path))
    golden = expected(name)
    assert found_rows(table) == ordered(golden.rows)
    assert count(table, engine=LOCAL).count == len(golden.rows)
    for case in golden.cases:
        planned = plan_query(table, Query(case.predicate))
        left = [task.pruned(ReadStats()) for task in planned]
        assert sum(len(task.files) for task in left if task) <= case.files, case.node
        read = pa.Table.from_batches(batches(planned, LOCAL), planned.query.arrow_schema)
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
        stats, here = QueryStats(), QueryStats()
        read = query(table, case.predicate, engine=engine, stats=stats)
        assert ordered(rows_of(read)) == ordered(case.rows), case.node
        query(table, case.predicate, engine=LOCAL, stats=here)
        assert (stats.rows, stats.effort) == (here.rows, here.effort)
        assert count(table, case.predicate, engine=engine).count == len(case.rows)
    column = "id" if "id" in golden.schema else golden.schema.names[0]
    order = f"{column} DESC"
    on_spark = query(table, columns=[column], order_by=order, limit=3, engine=engine)
    here = query(table, columns=[column], order_by=order, limit=3, engine=LOCAL)
    assert rows_of(on_spark) == rows_of(here)


@pytest.mark.parametrize("name", TABLES)
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


@pytest.mark.parametrize("name", TABLES)
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
    with pytest.raises(PredicateError, match="pass one"):
        plan_query(table, Query(snapshot_id=1, tag="first"))


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
        "rows": 0,
        "from": "index",
        "files_total": 0,
        "files_read": 0,
        "bytes_read": 0,
        "notes": [],
    }
    assert [step.files_kept for step in explain(table, "a = 1", engine=LOCAL)] == [0, 0, 0, 0]
    planned = plan(table, "a = 1")
    assert (planned.snapshot, planned.files) == (None, ())


class Slow:
    """One of everything; other threads run while it is read."""

    def __getattr__(self, name: str) -> Any:
        sleep(0.001)
        return {name} if name == "files" else 1


def test_readings_in_threads_count_into_one() -> None:
    """As a tool may scan a dataset several times at once."""
    stats = QueryStats()

    def read(_: int) -> None:
        slow: Any = Slow()
        stats.count(slow)
        stats.effort.add(slow)

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(read, range(80)))
    assert (stats.rows, stats.bytes_read, stats.effort.groups_read) == (80, 80, 80)
    assert stats.effort.files == {"files"}


@pytest.mark.java
def test_delta_encodings(
    java_tables: jvm.Session, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Which the library misreads where an index has it skip rows of a page."""
    write = pq.write_table

    def with_deltas(data: pa.Table, where: Any, **options: Any) -> None:
        encodings = {"s": "DELTA_LENGTH_BYTE_ARRAY"}
        options |= {"use_dictionary": False, "column_encoding": encodings, "data_page_size": 1000}
        write(data, where, **options)

    monkeypatch.setattr(pq, "write_table", with_deltas)
    texts = [f"v{number % 1000}" for number in range(6_000)]
    path = make_table(
        *(tmp_path, "t", [pa.table({"id": range(6_000), "s": texts})]),
        {"file-index.bitmap.columns": "s"},
    )
    rewrite_index(path, engine=LOCAL)
    ours = query(path, "s = 'v7'", engine=LOCAL)
    assert ours.to_pydict() == {"id": list(range(7, 6_000, 1000)), "s": ["v7"] * 6}
    java_tables.ask({"op": "open", "path": path})
    theirs = java_tables.ask({"op": "read", "predicate": {"op": "eq", "col": "s", "value": "v7"}})
    assert [7, "v7"] in theirs["rows"] and [5_007, "v7"] not in theirs["rows"]


# Timestamps that nanoseconds of 64 bits lack ------------------------------------------------------

SECOND = 10**9
TIMED = {"t": "TIMESTAMP(9)", "z": "TIMESTAMP(7) WITH LOCAL TIME ZONE", "u": "TIMESTAMP(6)"}
TIMES = [253_402_300_799 * SECOND + 999_999_999, 253_402_214_400 * SECOND, -62_135_596_800 * SECOND]
TIMES += [-4_852_116_231 * SECOND + 933_722_623, -2_208_988_800 * SECOND + 1, -1, 0, 1]
TIMES += [1_700_000_000_123_456_789, *(end + by for end in (-(2**63), 2**63) for by in (-1, 0))]
UNITS = {"t": 1, "z": 1, "u": 1000}


def timed_table(
    java: jvm.Session, path: Path, kind: str, keys: list[str], commits: int
) -> list[list[Any]]:
    """Make a table of the library; return the rows that it reads, in nanoseconds."""
    columns = [{"name": "id", "type": "INT NOT NULL"}]
    columns += [{"name": name, "type": text} for name, text in TIMED.items()]
    options = {"file.format": kind, "bucket": "1"}
    if not keys:
        options |= {"bucket": "-1", "deletion-vectors.enabled": "true"}
    rows: list[list[Any]] = [[at, n, n // 100 * 100, n // 1000] for at, n in enumerate(TIMES)]
    rows.append([len(rows), None, None, None])
    asked = {"columns": columns, "keys": keys, "options": options}
    java.ask({"op": "create", "path": str(path), **asked})
    for _ in range(commits):
        java.ask({"op": "write", "rows": rows, "compact": False})
    read = java.ask({"op": "read", "predicate": None})["rows"]
    return [[*row[:3], None if row[3] is None else row[3] * 1000] for row in read]


@pytest.mark.library
@pytest.mark.parametrize("kind", ["parquet", "orc"])
@pytest.mark.parametrize("keys", [[], ["id"]], ids=["append", "merged"])
def test_years_of_any_timestamp(
    kind: str, keys: list[str], java_tables: jvm.Session, tmp_path: Path
) -> None:
    """Arrow reads such files as nanoseconds that overflow, so the year 9999 becomes 1816."""
    path = str(tmp_path / "t")
    theirs = timed_table(java_tables, tmp_path / "t", kind, keys, 2)
    for at, name in enumerate(TIMED, 1):
        there = [row[at] for row in theirs if row[at] is not None]
        with_zone = TIMESTAMP_LTZ if name == "z" else TIMESTAMP
        for value in (*there[:4], there[-1], 0):
            literal = TypedLiteral(value, with_zone)
            before = sum(time < value for time in there)
            same = sum(time == value for time in there)
            assert count(path, col(name) < literal, engine=LOCAL).count == before
            assert count(path, col(name) == literal, engine=LOCAL).count == same
            assert count(path, col(name) != literal, engine=LOCAL).count == len(there) - same
        if name == "u":
            found = query(path, None, ["u"], engine=LOCAL)["u"].cast(pa.int64()).to_pylist()
            assert sorted(map(repr, found)) == sorted(
                repr(row[3] and row[3] // 1000) for row in theirs
            )
            continue
        year = rf"\.{kind}.*column '{name}': contains timestamps before 1677-09-21 or after"
        with pytest.raises(UnsupportedError, match=year):
            query(path, None, [name], engine=LOCAL)
    recent = "t > TIMESTAMP_NTZ '1900-01-02' AND t < TIMESTAMP_NTZ '2200-01-01'"
    due = [row[1] for row in theirs if row[1] is not None and -2208 * 10**15 < row[1] < 7 * 10**18]
    found = query(path, recent, ["t"], engine=LOCAL)["t"].cast(pa.int64()).to_pylist()
    assert sorted(found) == sorted(due)
    late = ds.field("u") > datetime(9999, 12, 30)
    assert RowTable.at(path).to_dataset().count_rows(filter=late) == 2 * (2 - len(keys))
    assert scan_polars(path).select(pl.len()).collect().item() == len(theirs)


@pytest.mark.library
@pytest.mark.parametrize("kind", ["parquet", "orc"])
def test_jobs_on_years_of_any_timestamp(
    kind: str, java_tables: jvm.Session, tmp_path: Path
) -> None:
    path, location = str(tmp_path / "t"), tmp_path / "t"
    theirs = timed_table(java_tables, location, kind, [], 1)
    schema = Table.at(path).schema.columns
    for index in ("bitmap", "bsi", "bloom-filter"):
        options = {
            f"file-index.{index}.columns": "t,z,u",
            "file-index.in-manifest-threshold": "1 b",
        }
        rewrite_index(path, set=options, drop_unlisted=True, engine=LOCAL)
        severities = {finding.severity for finding in audit(path, deep=True, engine=LOCAL)}
        assert severities <= {"note"}
        [data], [built] = location.rglob(f"*.{kind}"), [*location.rglob("*.index")][-1:]
        assert {f.severity for f in verify(str(built), schema, data=str(data))} <= {"note"}
        java_tables.ask({"op": "open", "path": path})
        for at, name in enumerate(TIMED, 1):
            for row in (*theirs[:2], theirs[3]):  # that ORC stores as they were written
                value = {"op": "eq", "col": name, "value": row[at] // UNITS[name]}
                rows = java_tables.ask({"op": "read", "predicate": value})["rows"]
                assert row[0] in [found[0] for found in rows]
    assert [str(c.type) for c in advise(path, engine=LOCAL).columns][1:] == [*TIMED.values()]
    done = delete(path, "t < TIMESTAMP_NTZ '1900-01-01 00:00:00'", engine=LOCAL)
    left = [row[0] for row in theirs if row[1] is None or row[1] >= -2_208_988_800 * SECOND]
    assert done.rows == len(theirs) - len(left)
    java_tables.ask({"op": "open", "path": path})
    rows = java_tables.ask({"op": "read", "predicate": None})["rows"]
    assert sorted(row[0] for row in rows) == left
