"""The data source of Spark gives the rows that Java reads, in each way that Spark asks for them."""

import contextlib
import datetime
import io
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyspark
import pytest

from paimon_ksy.table.query.read import query
from tests import ROOT
from tests.support.golden_tables import Row, expected, golden_table, golden_table_names, same_rows
from tests.support.newer_tables import newer_table
from tests.support.row_id_tables import row_id_table
from tests.support.tables import catalog_at
from tools.made_manifests import table_of_manifests
from tools.tables import append

pytestmark = pytest.mark.java


@pytest.fixture(scope="module")
def registered(spark: Any) -> Any:
    """A session that knows the data source, and has no views and tables of other tests."""
    from paimon_ksy.spark import register

    register(spark)
    return spark


def load(spark: Any, path: str, **options: str) -> Any:
    named = {name.replace("_", "-"): value for name, value in options.items()}
    return spark.read.format("paimon_ksy").options(**named).load(path)


def in_spark(rows: list[Row] | Any, types: list[Any]) -> list[Row]:
    """Rows as Spark can hold them: timestamps in microseconds."""
    return [
        tuple(
            value // 1000 * 1000 if kind.is_timestamp and value is not None else value
            for value, kind in zip(row, types, strict=True)
        )
        for row in rows
    ]


# Rows --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", golden_table_names())
def test_rows_of_golden_tables(registered: Any, name: str, tmp_path: Path) -> None:
    table = expected(name)
    path = golden_table(name, tmp_path)
    types = [field.type for field in table.schema]
    names, options = list(table.schema.names), {}
    if not hasattr(pyspark.sql.types, "TimeType") and any(kind.root == "TIME" for kind in types):
        with pytest.raises(Exception, match=r"TIME.* from 4\.1 on.*option columns"):
            load(registered, path)
        kept = [at for at, kind in enumerate(types) if kind.root != "TIME"]
        names, types = [names[at] for at in kept], [types[at] for at in kept]
        options = {"columns": json.dumps(names)}
    else:
        kept = list(range(len(types)))

    def rows(every: Any) -> list[Row]:
        return in_spark([tuple(row[at] for at in kept) for row in every], types)

    found = load(registered, path, **options).toArrow()
    assert found.column_names == names
    assert same_rows(found, rows(table.rows))
    for case in table.cases[:: max(1, len(table.cases) // 2)]:
        found = load(registered, path, where=repr(case.predicate), **options).toArrow()
        assert same_rows(found, rows(case.rows)), case.predicate


def test_rows_updated_after_an_index(registered: Any, tmp_path: Path) -> None:
    found = load(registered, newer_table(tmp_path, "btree_stale"))
    assert found.count() == 2000
    assert [row.id for row in found.filter("name = 'new'").orderBy("id").collect()] == [1, 2]


@pytest.mark.parametrize("seed", [4, 7])
def test_columns_of_row_tracking(registered: Any, seed: int, tmp_path: Path) -> None:
    """Rows with BLOBs, some deleted: by 64 bits, with an added column; updated and indexed."""
    made = row_id_table(tmp_path, seed)
    assert load(registered, made.path).columns == list(made.columns)
    least, most = made.row_ids[10], made.row_ids[300]
    names, where = ["*", "_ROW_ID", "_SEQUENCE_NUMBER"], f"_ROW_ID BETWEEN {least} AND {most}"
    loaded = load(registered, made.path, columns=", ".join(names), where=where)
    found = query(made.path, where, names)
    assert loaded.columns == found.schema.names
    # Spark 4.0 has a bytearray for a BINARY.
    rows = [tuple(map(_plain, row)) for row in loaded.collect()]
    assert same_rows(rows, [tuple(row.values()) for row in found.to_pylist()])
    by_spark = load(registered, made.path, columns="_ROW_ID").filter(where)
    assert sorted(by_spark.toArrow()["_ROW_ID"].to_pylist()) == sorted(found["_ROW_ID"].to_pylist())


def _plain(value: Any) -> Any:
    return bytes(value) if isinstance(value, bytearray) else value


NESTED = pa.schema(
    [
        ("id", pa.int64()),
        ("list", pa.list_(pa.int32())),
        ("map", pa.map_(pa.string(), pa.timestamp("us"))),
        (
            "row",
            pa.struct([("a", pa.string()), ("b", pa.list_(pa.struct([("c", pa.float64())])))]),
        ),
        ("zoned", pa.timestamp("us", tz="UTC")),
        ("bytes", pa.binary()),
        ("amount", pa.decimal128(38, 18)),
    ]
)


@pytest.fixture
def catalog(tmp_path: Path) -> Any:
    return catalog_at(tmp_path)


def create(catalog: Any, name: str, schema: pa.Schema, options: dict[str, str]) -> Any:
    from pypaimon import Schema

    catalog.create_table(name, Schema.from_pyarrow_schema(schema, options=options), False)
    return catalog.get_table(name)


def test_nested_types(registered: Any, catalog: Any, tmp_path: Path) -> None:
    moment = datetime.datetime(1969, 12, 31, 23, 59, 59, 999_999)
    rows: list[dict[str, Any]] = [
        {
            "id": 1,
            "list": [1, None, 3],
            "map": {"a": moment, "b": None},
            "row": {"a": "x", "b": [{"c": 1.5}, None]},
            "zoned": moment.replace(tzinfo=datetime.UTC),
            "bytes": b"\x00\xff",
            "amount": Decimal("12345678901234567890.123456789012345678"),
        },
        {"id": 2, "list": [], "map": {}, "row": {"a": None, "b": None}},
        {"id": 3},
    ]
    rows = [{name: row.get(name) for name in NESTED.names} for row in rows]
    table = create(catalog, "default.nested", NESTED, {"file.format": "parquet"})
    pairs = [{**r, "map": r["map"] and list(r["map"].items())} for r in rows]
    append(table, pa.Table.from_pylist(pairs, schema=NESTED))
    frame = load(registered, str(tmp_path / "default.db" / "nested"))
    assert [field.dataType.simpleString() for field in frame.schema.fields] == [
        "bigint",
        "array<int>",
        "map<string,timestamp_ntz>",
        "struct<a:string,b:array<struct<c:double>>>",
        "timestamp",
        "binary",
        "decimal(38,18)",
    ]
    found = [row.asDict(recursive=True) for row in frame.orderBy("id").drop("zoned").collect()]
    assert found == [{k: v for k, v in row.items() if k != "zoned"} for row in rows]
    zoned = frame.orderBy("id").toArrow()["zoned"].to_pylist()
    assert [None if v is None else v.astimezone(datetime.UTC) for v in zoned] == [
        row["zoned"] for row in rows
    ]


def test_a_multiset(registered: Any, catalog: Any, tmp_path: Path) -> None:
    """A map from its elements to how often they are in it, as Java's writers store it."""
    from paimon_ksy import Table, local_engine, query, rewrite_index

    schema = pa.schema([("id", pa.int32()), ("bag", pa.map_(pa.string(), pa.int32()))])
    table = create(catalog, "default.bags", schema, {"file.format": "parquet"})
    bags: list[Any] = [[("a", 2), ("b", 1)], None, []]
    stored_rows = [{"id": at, "bag": bag} for at, bag in enumerate(bags)]
    append(table, pa.Table.from_pylist(stored_rows, schema=schema))
    path = tmp_path / "default.db" / "bags"
    file = path / "schema" / "schema-0"
    stored = json.loads(file.read_text())  # pypaimon cannot make such a column
    stored["fields"][1]["type"] = {"type": "MULTISET", "element": "STRING"}
    file.write_text(json.dumps(stored))
    options = {"file-index.bitmap.columns": "id"}
    assert rewrite_index(str(path), set=options, engine=local_engine(1)).rewritten == 1
    assert query(Table.at(str(path)), "bag IS NOT NULL")["bag"].to_pylist() == [bags[0], bags[2]]
    frame = load(registered, str(path), where="id < 2")
    assert frame.schema["bag"].dataType.simpleString() == "map<string,int>"
    assert [row.bag for row in frame.orderBy("id").collect()] == [{"a": 2, "b": 1}, None]


# What is asked for -------------------------------------------------------------------------------


def test_columns_of_the_schema_that_spark_asks_for(registered: Any, tmp_path: Path) -> None:
    path = golden_table("append_dv32", tmp_path)
    rows = expected("append_dv32").rows
    reader = registered.read.format("paimon_ksy")
    found = reader.schema("s STRING, ID INT").load(path).toArrow()
    assert found.column_names == ["s", "ID"]
    assert same_rows(found, [(row[1], row[0]) for row in rows])
    with pytest.raises(Exception, match="column 'id' is INT: ask for int, not bigint"):
        reader.schema("id BIGINT").load(path).collect()
    with pytest.raises(Exception, match="nope"):
        reader.schema("nope BIGINT").load(path).collect()
    assert load(registered, path, columns="v, id").columns == ["v", "id"]
    assert load(registered, path, columns='["V"]').columns == ["v"]


def test_an_earlier_state_has_its_schema(registered: Any, tmp_path: Path) -> None:
    path = golden_table("evolution", tmp_path)
    frame = load(registered, path, snapshot_id="1")
    assert frame.columns == ["id", "a", "s", "x"]
    assert sorted(row.id for row in frame.collect()) == list(range(20))
    assert load(registered, path, snapshot_id="2", where="s2 = 's1' AND id < 30").count() == 8
    from pypaimon.table.file_store_table import FileStoreTable

    FileStoreTable.from_path(path).create_tag("second", snapshot_id=2)
    tagged = load(registered, path, tag="second")
    assert tagged.columns == ["id", "a", "s2", "x"]
    assert tagged.count() == 40
    assert load(registered, path).count() == 60


def test_a_catalog(registered: Any, tmp_path: Path) -> None:
    Path(tmp_path, "default.db").mkdir()
    golden_table("evolution", tmp_path / "default.db")
    reader = registered.read.format("paimon_ksy").option("catalog.warehouse", str(tmp_path))
    assert reader.option("table", "default.evolution").option("limit", "7").load().count() == 7


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"were": "id = 1"}, r"no option 'were' \(did you mean 'where'\?\): there are table"),
        ({"limit": "-1"}, "option limit: '-1' is not a whole number"),
        ({"snapshot-id": "1", "tag": "x"}, "exclude each other"),
        ({"tag": "x"}, "no tag 'x'"),
        ({"where": "nope = 1"}, "nope"),
        ({"columns": "[1]"}, "write the names of columns"),
        ({"columns": "[]"}, "write the names of columns"),
    ],
)
def test_what_is_asked_wrongly(
    registered: Any, options: dict[str, str], message: str, tmp_path: Path
) -> None:
    path = golden_table("evolution", tmp_path)
    with pytest.raises(Exception, match=message):
        registered.read.format("paimon_ksy").options(**options).load(path).collect()


def test_columns_that_are_not_those_of_the_schema(registered: Any, tmp_path: Path) -> None:
    """They were passed over."""
    reader = registered.read.format("paimon_ksy").schema("ID INT, s STRING")
    path = golden_table("append_dv32", tmp_path)
    assert reader.option("columns", "id, s").load(path).limit(1).columns == ["ID", "s"]
    with pytest.raises(Exception, match="does not list the columns of the schema"):
        reader.option("columns", "s").load(path).collect()


def test_no_table(registered: Any, tmp_path: Path) -> None:
    with pytest.raises(Exception, match="no table is named"):
        registered.read.format("paimon_ksy").load()
    with pytest.raises(Exception, match=r"no such folder|not a table of Paimon"):
        load(registered, str(tmp_path))
    with pytest.raises(Exception, match="several paths are given"):
        registered.read.format("paimon_ksy").load([str(tmp_path), str(tmp_path)])


def test_it_only_reads(registered: Any, tmp_path: Path) -> None:
    path = golden_table("evolution", tmp_path)
    with pytest.raises(Exception, match="paimon_ksy only reads: write with Paimon's own"):
        load(registered, path).write.format("paimon_ksy").mode("append").save(path)
    assert load(registered, path).count() == 60


# Time zones --------------------------------------------------------------------------------------

ZONED = (
    "ltz < TIMESTAMP '2023-11-05 01:30:00'",  # an hour that there is twice
    "ltz < TIMESTAMP_NTZ '2023-03-12 02:30:00'",  # one that there is not
    "ltz >= TIMESTAMP_LTZ '2023-11-05 01:00:00'",
    "ltz BETWEEN '2023-03-12' AND TIMESTAMP '2023-03-12 03:00:00'",
    "ltz NOT IN ('2023-03-12 02:00:00', '2023-11-05 01:00:00')",
    "ltz >= CAST('2023-11-05 12:00:00' AS TIMESTAMP)",
    "ltz >= DATE '2023-11-05'",
    "ltz < TIMESTAMP '2023-11-05 03:00:00Z'",
    "ntz < TIMESTAMP '2023-11-05 12:00:00'",
    "ntz < TIMESTAMP_NTZ '2023-11-05 03:00:00'",
    "ntz < '2023-11-05 12:00:00'",
    "d < TIMESTAMP '2023-11-05 12:00:00'",
)


@pytest.fixture
def in_zone(registered: Any) -> Iterator[Any]:
    """A session whose time zone may be set."""
    yield registered
    registered.conf.set("spark.sql.session.timeZone", "UTC")


def hourly(catalog: Any, tmp_path: Path) -> str:
    """A table of the hours around the days on which the clocks of New York change."""
    starts = (datetime.datetime(2023, 3, 11), datetime.datetime(2023, 11, 4))
    hours = [start + datetime.timedelta(hours=hour) for start in starts for hour in range(72)]
    stamps = pa.array(hours, pa.timestamp("us"))
    columns = {"ltz": stamps.cast(pa.timestamp("us", "UTC")), "ntz": stamps}
    data = pa.table({**columns, "d": stamps.cast(pa.date32())})
    options = {"deletion-vectors.enabled": "true"}
    append(create(catalog, "default.hourly", data.schema, options), data)
    return str(tmp_path / "default.db" / "hourly")


@pytest.mark.parametrize("zone", ["America/New_York", "+05:30"])
def test_literals_are_in_the_zone_of_the_session(
    in_zone: Any, zone: str, catalog: Any, tmp_path: Path
) -> None:
    """Spark, our functions with it, and the data source find the same rows."""
    from paimon_ksy import Table, count, delete, explain, query
    from paimon_ksy.spark import PaimonTable
    from paimon_ksy.table.engine import spark_engine

    path = hourly(catalog, tmp_path)
    in_zone.conf.set("spark.sql.session.timeZone", zone)
    counts = [f"count_if({condition})" for condition in ZONED]
    wanted = list(load(in_zone, path).selectExpr(*counts).first())
    table = Table.at(path).with_time_zone(zone)
    assert [count(table, condition).count for condition in ZONED] == wanted
    where, rows = ZONED[0], wanted[0]
    assert query(path, where, spark=in_zone).num_rows == rows
    assert count(path, where, engine=spark_engine(in_zone)).count == rows
    assert delete(path, where, dry_run=True, spark=in_zone).rows == rows
    assert explain(path, where, spark=in_zone)[-1].rows_kept >= rows
    assert PaimonTable.forPath(in_zone, path).toDF(where).count() == rows
    assert load(in_zone, path, where=where, time_zone=zone).count() == rows
    in_zone.conf.set("spark.sql.session.timeZone", "UTC")
    assert query(table, where, spark=in_zone).num_rows == rows


def test_a_data_source_needs_the_zone(registered: Any, catalog: Any, tmp_path: Path) -> None:
    """Spark does not pass that of its session."""
    path, where = hourly(catalog, tmp_path), "ltz >= DATE '2023-11-05'"
    with pytest.raises(Exception, match="the literal has no time zone: write TIMESTAMP"):
        load(registered, path, where=where).count()
    assert load(registered, path, where=where, time_zone="+00:00").count() == 48
    assert load(registered, path, where="ntz >= DATE '2023-11-05'").count() == 48


# Plans -------------------------------------------------------------------------------------------


def planned(path: str, **options: str) -> list[list[str]]:
    """The names of the data files in each partition."""
    from paimon_ksy.spark.data_source import PaimonDataSource

    named = {name.replace("_", "-"): value for name, value in options.items()}
    source = PaimonDataSource({"path": path, **named})
    partitions: Any = source.reader(source.schema()).partitions()
    return [[file.name for task in part.tasks for file in task.files] for part in partitions]


def test_one_partition_for_a_group_of_files(registered: Any, tmp_path: Path) -> None:
    path = golden_table("append_dv32_partitioned", tmp_path)
    assert [len(part) for part in planned(path)] == [2]
    assert [len(part) for part in planned(path, split_size="1 kb")] == [1, 1]
    assert load(registered, path, split_size="1 kb").rdd.getNumPartitions() == 2
    assert [len(part) for part in planned(path, split_size="1 kb", limit="1000")] == [2]


def test_each_core_gets_a_part_of_a_small_scan(registered: Any, tmp_path: Path) -> None:
    """Spark passes no number of cores. Opening a file costs 4 MB."""
    path = table_of_manifests(tmp_path, "t", partitions=4, files=16)
    assert [len(part) for part in planned(path)] == [32, 32]
    assert [len(part) for part in planned(path, parallelism="4")] == [16] * 4
    assert [len(part) for part in planned(path, parallelism="100")] == [1] * 64
    assert [len(part) for part in planned(path, parallelism="2", split_size="4 mb")] == [1] * 64
    assert load(registered, path, parallelism="4").rdd.getNumPartitions() == 4


def test_a_limit_plans_no_more_files_than_surely_have_the_rows(tmp_path: Path) -> None:
    path = table_of_manifests(tmp_path, "t", partitions=4, files=500)
    [some] = planned(path, limit="2500")
    assert len(some) == 3  # of 1,000 rows each
    [every] = planned(path, limit="2500", where="id >= 0 AND c00 <> -1")
    assert len(every) == 2000


def test_tasks_of_a_partition_share_what_is_the_same(tmp_path: Path) -> None:
    """Columns and predicates are longer than what is of one file."""
    from paimon_ksy.spark.data_source import PaimonDataSource

    path = table_of_manifests(tmp_path, "t", partitions=2, files=1000)
    options = {"path": path, "where": "id >= 0 AND c00 <> -1", "split-size": "128 mb"}
    source = PaimonDataSource(options)
    partitions: Any = source.reader(source.schema()).partitions()
    tasks = [len(part.tasks) for part in partitions]
    assert sum(tasks) == 2000 and max(tasks) == 32
    assert sum(len(part.pickled) for part in partitions) < 2000 * 700
    first, second, *_ = partitions[0].tasks
    assert first.schema is second.schema and first.predicate is second.predicate


@pytest.mark.parametrize(
    ("where", "files"),
    [
        ("p = 'p1'", 1),  # by the partition
        ("id = 5000", 0),  # by statistics
        ("s = 's1' AND p = 'p0'", 1),
        ("s = 's0s'", 0),  # by the index, as it is within the statistics
    ],
)
def test_files_that_cannot_match_are_not_read(where: str, files: int, tmp_path: Path) -> None:
    path = golden_table("append_dv32_partitioned", tmp_path)
    assert sum(map(len, planned(path, where=where))) == files


def test_files_with_no_live_row_that_matches_are_not_read(tmp_path: Path) -> None:
    """The rows that the index finds are all deleted."""
    table = expected("append_dv32")
    path = golden_table("append_dv32", tmp_path)
    live = {row[0] for row in table.rows}
    deleted = [n for n in range(min(live), max(live)) if n not in live]
    assert deleted
    assert planned(path, where=f"id = {deleted[0]}") == []


def test_when_no_file_is_left(registered: Any, tmp_path: Path) -> None:
    frame = load(registered, golden_table("evolution", tmp_path), where="id = 5000")
    assert frame.collect() == []


# SQL ---------------------------------------------------------------------------------------------


@pytest.fixture
def view(registered: Any, tmp_path: Path) -> Iterator[Any]:
    path = golden_table("append_dv32", tmp_path)
    registered.sql(
        f"CREATE OR REPLACE TEMPORARY VIEW golden USING paimon_ksy OPTIONS (path '{path}')"
    )
    yield registered
    registered.catalog.dropTempView("golden")


def test_a_view(view: Any, tmp_path: Path) -> None:
    rows = expected("append_dv32").rows
    [counted] = view.sql("SELECT count(*) AS n, max(id) AS m FROM golden WHERE s = 's1'").collect()
    ids = [row[0] for row in rows if row[1] == "s1"]
    assert (counted.n, counted.m) == (len(ids), max(ids))
    path = str(tmp_path / "append_dv32")
    view.sql(
        "CREATE OR REPLACE TEMPORARY VIEW some USING paimon_ksy "
        f"OPTIONS (path '{path}', where \"s = 's1'\", columns 'id')"
    )
    assert sorted(row.id for row in view.sql("SELECT * FROM some").collect()) == sorted(ids)
    view.catalog.dropTempView("some")


def test_filtered_and_unfiltered_in_one_query(view: Any) -> None:
    """What goes wrong with pushed filters (see below) is right without."""
    rows = expected("append_dv32").rows
    few = sum(row[0] < 5 for row in rows)
    both = "SELECT id FROM golden WHERE id < 5 UNION ALL SELECT id FROM golden"
    assert view.sql(both).count() == few + len(rows)
    assert view.sql("SELECT * FROM golden WHERE id < 5").count() == few
    assert view.sql("SELECT * FROM golden").count() == len(rows)


@pytest.mark.parametrize("how", ["OPTIONS (path '{}')", "LOCATION '{}'", "OPTIONS (table '{}')"])
def test_a_table_of_the_session_catalog(
    registered: Any, how: str, catalog: Any, tmp_path: Path
) -> None:
    schema = pa.schema([("id", pa.int32()), ("name", pa.string())])
    table = create(catalog, "default.grows", schema, {})
    append(table, pa.Table.from_pylist([{"id": 1, "name": "a"}], schema=schema))
    path = str(tmp_path / "default.db" / "grows")
    registered.sql("DROP TABLE IF EXISTS grows")
    registered.sql(f"CREATE TABLE grows USING paimon_ksy {how.format(path)}")
    try:
        query = "SELECT * FROM grows WHERE id >= 1 ORDER BY id"
        assert [tuple(row) for row in registered.sql(query).collect()] == [(1, "a")]
        append(table, pa.Table.from_pylist([{"id": 2, "name": "b"}], schema=schema))
        assert [tuple(row) for row in registered.sql(query).collect()] == [(1, "a"), (2, "b")]
        both = "SELECT id FROM grows WHERE id = 2 UNION ALL SELECT id FROM grows"
        assert sorted(row.id for row in registered.sql(both).collect()) == [1, 2, 2]
        some = registered.read.option("where", "id = 2").table("grows")
        assert [tuple(row) for row in some.collect()] == [(2, "b")]
    finally:
        registered.sql("DROP TABLE grows")
    assert Path(path, "snapshot").is_dir()


@pytest.mark.spark_filters
@pytest.mark.parametrize("case", ["filtered, then whole", "union", "self-join", "option off"])
def test_spark_still_leaks_pushed_filters(registered: Any, case: str) -> None:
    """A data source that takes filters gives wrong rows to the next scan of the same relation."""
    from pyspark.sql.datasource import DataSource, DataSourceReader, EqualTo, InputPartition

    class LeakyReader(DataSourceReader):
        only = None

        def pushFilters(self, filters: Any) -> Any:
            for found in filters:
                if isinstance(found, EqualTo):
                    self.only = found.value
                yield found

        def partitions(self) -> Any:
            return [InputPartition(self.only)]

        def read(self, partition: Any) -> Any:
            numbers = range(10) if partition.value is None else [partition.value]
            return ((number,) for number in numbers)

    class Leaky(DataSource):
        @classmethod
        def name(cls) -> str:
            return "leaky_paimon_ksy_test"

        def schema(self) -> str:
            return "n INT"

        def reader(self, schema: Any) -> Any:
            return LeakyReader()

    remedy = (
        "Spark keeps filters apart now: PaimonReader may define pushFilters and take them as "
        "`where`, for versions from this one on, and this test shows that it stays so"
    )
    assert not hasattr(DataSourceReader, "pushLimit"), remedy
    option = "spark.sql.python.filterPushdown.enabled"
    before = registered.conf.get(option)
    registered.dataSource.register(Leaky)
    registered.conf.set(option, "false" if case == "option off" else "true")
    try:
        frame = registered.read.format("leaky_paimon_ksy_test").load()
        some = frame.filter("n = 3")
        if case == "option off":
            with pytest.raises(Exception, match=option):
                frame.count()
            return
        if case == "filtered, then whole":
            assert some.count() == 1
            rows, right = frame.count(), 10
        elif case == "union":
            rows, right = some.union(frame).count(), 11
        else:
            rows, right = some.alias("a").join(frame.alias("b"), "n", "right").count(), 10
    finally:
        registered.conf.set(option, before)
    assert rows != right, remedy


# The guide ---------------------------------------------------------------------------------------


def test_the_guide(registered: Any, tmp_path: Path) -> None:
    """Python in the pages about Spark runs and prints what they show."""
    shutil.copytree(ROOT / "examples/warehouse/default.db", tmp_path / "default.db")
    pages = ("tutorials/spark.md", "howto/clusters.md")
    guide = "".join((ROOT / "docs" / page).read_text() for page in pages)
    blocks = re.findall(r"^```py\n(.*?)^```$", guide, re.MULTILINE | re.DOTALL)
    assert len(blocks) == 7
    names = {"spark": registered}
    for block in blocks:
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(block.replace("warehouse/default.db", str(tmp_path / "default.db")), names)
        wanted = re.findall(r"^print\(.*\)  # (.*)$", block, re.MULTILINE)
        assert printed.getvalue().splitlines()[: len(wanted)] == wanted
    registered.sql("DROP TABLE orders")
    registered.catalog.dropTempView("pending")


# Other sessions ----------------------------------------------------------------------------------


def in_another_process(script: str, *arguments: str, **environment: str) -> Any:
    """What a script prints as its last line, as JSON; run where nothing else can be imported."""
    done = subprocess.run(
        [sys.executable, "-c", script, *arguments],
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
        cwd=arguments[0],
        env={
            **os.environ,
            "PYSPARK_PYTHON": sys.executable,
            "SPARK_LOCAL_IP": "127.0.0.1",
            **environment,
        },
    )
    told = [line for line in done.stderr.splitlines() if not line.startswith("\tat ")]
    assert done.returncode == 0, "\n".join(told)[-3000:]
    return json.loads(done.stdout.splitlines()[-1])


@pytest.mark.slow
def test_spark_finds_it_by_itself(tmp_path: Path) -> None:
    """Where `pyspark_paimon_ksy` is installed: here where the project's folder is searched."""
    golden_table("evolution", tmp_path)
    script = """
import json, sys
from pyspark.sql import SparkSession
spark = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false").getOrCreate()
frame = spark.read.format("paimon_ksy").option("where", "id < 5").load("evolution")
frame.createTempView("v")
print()
print(json.dumps([row.id for row in spark.sql("SELECT id FROM v ORDER BY id").collect()]))
"""
    found = in_another_process(script, str(tmp_path), PYTHONPATH=str(ROOT))
    assert found == [0, 1, 2, 3, 4]


@pytest.mark.slow
def test_spark_connect(tmp_path: Path) -> None:
    """The data source, and a job of ours on the same server."""
    golden_table("evolution", tmp_path)
    script = """
import json, sys
from pyspark.sql import SparkSession
from paimon_ksy.spark import register
from paimon_ksy.table.engine import spark_engine
from paimon_ksy.table.query.read import count
from paimon_ksy.table.store import Table
spark = SparkSession.builder.remote("local[2]").getOrCreate()
path = sys.argv[1] + "/evolution"
register(spark)
reader = spark.read.format("paimon_ksy").option("where", "id < 5").option("columns", "id")
rows = reader.load(path).orderBy("id").collect()
counted = count(Table.at(path), "s2 = 's1'", engine=spark_engine(spark))
print()
print(json.dumps([[row.id for row in rows], counted.count, type(spark).__module__]))
"""
    # With SPARK_TESTING, Spark takes a free port: another run of the tests may have the usual one.
    found = in_another_process(script, str(tmp_path), PYTHONPATH=str(ROOT), SPARK_TESTING="1")
    assert found == [[0, 1, 2, 3, 4], 15, "pyspark.sql.connect.session"]
