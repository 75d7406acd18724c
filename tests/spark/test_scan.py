"""`PaimonTable.toDF` has the rows of `query`, whether Spark's readers or ours return them."""

import datetime
import json
import os
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql import functions as F
from pyspark.sql.functions import col as pick

from paimon_ksy.errors import OutsideError, PaimonKsyError
from paimon_ksy.spark import PaimonTable
from paimon_ksy.spark import scan as scanning
from paimon_ksy.table.query import plain_files
from paimon_ksy.table.query.read import query
from paimon_ksy.table.store import Table
from tests.spark.test_data_source import in_spark
from tests.spark.test_table import rows as values
from tests.support.golden_tables import (
    expected,
    golden_table,
    golden_table_names,
    rows_of,
    same_rows,
)
from tools.tables import delete_rows, make_table

pytestmark = pytest.mark.java


@pytest.fixture
def session(spark: Any) -> Iterator[Any]:
    """A session whose time zone may be set."""
    yield spark
    spark.conf.set("spark.sql.session.timeZone", "UTC")


def plan_of(frame: Any) -> str:
    """The physical plan of a DataFrame."""
    return str(frame._jdf.queryExecution().executedPlan().toString())


def is_of_spark(frame: Any) -> bool:
    """Whether no row passes a Python worker."""
    plan = plan_of(frame)
    return "FileScan parquet" in plan and "InArrow" not in plan and "paimon_ksy" not in plan


def data_files(path: str) -> list[Path]:
    return sorted(Path(path).rglob("data-*.parquet"))


def assert_same(spark: Any, path: str, where: str | None = None) -> Any:
    """Compare the rows of a table with those of `query`, and return the DataFrame."""
    table = PaimonTable.forPath(spark, path)
    kinds = [column.type for column in table.table.schema.columns]
    frame, wanted = table.toDF(where), query(table.table, where)
    found = frame.toArrow()
    assert found.column_names == wanted.column_names
    assert same_rows(found, in_spark(rows_of(wanted), kinds)), where
    return frame


@pytest.mark.parametrize("name", golden_table_names())
def test_golden_tables(spark: Any, name: str, tmp_path: Path) -> None:
    table, path = expected(name), golden_table(name, tmp_path)
    kinds = [field.type for field in table.schema]
    front = PaimonTable.forPath(spark, path)
    names = [f.name for f in table.schema if f.type.root != "TIME"]
    kept = [table.schema.names.index(name) for name in names]
    wanted = in_spark(([row[at] for at in kept] for row in table.rows), [kinds[at] for at in kept])
    assert same_rows(front.toDF(columns=names).toArrow(), wanted)
    for case in table.cases[:: max(1, len(table.cases) // 4)]:
        rows = in_spark(([r[at] for at in kept] for r in case.rows), [kinds[at] for at in kept])
        assert same_rows(front.toDF(case.predicate, columns=names).toArrow(), rows), case.predicate


@pytest.mark.parametrize("zone", ["UTC", "America/New_York", "+05:30", "Asia/Kolkata"])
def test_types_in_time_zones(session: Any, zone: str, tmp_path: Path) -> None:
    path = make_table(tmp_path, "t", [values()], {"bucket": "-1"})
    session.conf.set("spark.sql.session.timeZone", zone)
    assert is_of_spark(assert_same(session, path))
    for where in ("ts < TIMESTAMP '2023-11-05 01:30:00'", "dt = DATE '2023-11-05' OR x = X'61'"):
        assert_same(session, path, where)
    frame = PaimonTable.forPath(session, path).toDF()
    assert "PushedFilters: [IsNotNull(i), EqualTo(i,5)" in plan_of(frame.filter("i = 5"))


@pytest.mark.parametrize("zone", ["UTC", "America/New_York"])
def test_timestamps_of_int96(session: Any, zone: str, tmp_path: Path) -> None:
    """Which Hive and older writers of Parquet store; Spark reads them like Java, in any zone."""
    moments = [datetime.datetime(*at) for at in ((2024, 3, 10, 2, 30, 0, 123456), (1500, 1, 1))]
    columns = {
        name: pa.array([*moments, None], pa.timestamp("us", tz))
        for name, tz in (("ts", None), ("z", "UTC"))
    }
    path = make_table(tmp_path, "t", [pa.table({"id": [1, 2, 3], **columns})], {})
    [file] = data_files(path)
    pq.write_table(pq.read_table(file), file, use_deprecated_int96_timestamps=True)
    session.conf.set("spark.sql.session.timeZone", zone)
    assert is_of_spark(assert_same(session, path))
    assert_same(session, path, "ts > '2000-01-01'")
    assert_same(session, path, "z < '1900-01-01'")


def test_filters_find_nan(spark: Any, tmp_path: Path) -> None:
    """Statistics of Parquet leave out NaN, which Spark orders above all numbers."""
    nan = float("nan")
    data = pa.table({"f": pa.array([1.0, nan], pa.float32()), "d": [1.0, nan]})
    nested = pa.array([{"f": 1.0}, {"f": nan}], pa.struct([("f", pa.float64())]))
    path = make_table(tmp_path, "t", [data.append_column("r", nested)], {"bucket": "-1"})
    frame = PaimonTable.forPath(spark, path).toDF()
    for where in ("f > 5", "d > 5", "d = 'NaN'", "r.f > 5"):
        assert frame.filter(where).count() == 1, where
    assert is_of_spark(PaimonTable.forPath(spark, path).toDF(columns=["f", "d"]))


# Schemas ------------------------------------------------------------------------------------------

_CASTS: dict[str, tuple[str, list[Any], str, bool]] = {
    "b": ("TINYINT", [-128, 127, None], "SMALLINT", True),
    "i": ("INT", [-(2**31), 5, None], "BIGINT", True),
    "il": ("BIGINT", [2**40, -1, None], "INT", False),
    "id": ("INT", [2**31 - 1, 0, None], "DOUBLE", True),
    "sf": ("SMALLINT", [-(2**15), 7, None], "FLOAT", True),
    "fd": ("FLOAT", [0.1, float("nan"), None], "DOUBLE", True),
    "df": ("DOUBLE", [0.1, float("nan"), None], "FLOAT", False),
    "in": ("INT", [-(2**31), 5, None], "DECIMAL(12, 2)", True),
    "nn": ("DECIMAL(10, 2)", [Decimal("-1.25"), Decimal("9.99"), None], "DECIMAL(20, 4)", True),
    "cut": ("DECIMAL(10, 2)", [Decimal("-1.25"), Decimal("9.99"), None], "DECIMAL(8, 1)", False),
    "is": ("INT", [1, -1, None], "STRING", False),
    "ds": ("DOUBLE", [1e10, 0.1, None], "STRING", False),
    "day": (
        "DATE",
        [datetime.date(1969, 12, 31), datetime.date(2024, 3, 31), None],
        "TIMESTAMP(6)",
        True,
    ),
    "text": ("STRING", ["12", "7", None], "INT", False),
    "bool": ("BOOLEAN", [True, False, None], "INT", False),
}
"""Columns: the type before, values, the type after, and whether Spark casts them alike."""

_ARROW = {
    **{"TINYINT": pa.int8(), "SMALLINT": pa.int16(), "INT": pa.int32(), "BIGINT": pa.int64()},
    **{"FLOAT": pa.float32(), "DOUBLE": pa.float64(), "DECIMAL(10, 2)": pa.decimal128(10, 2)},
    **{"DATE": pa.date32(), "STRING": pa.string(), "BOOLEAN": pa.bool_()},
}


def changed(path: str, change: Any) -> None:
    """Write the next schema of a table, whose fields a function changes."""
    file = Path(path, "schema", "schema-0")
    document = json.loads(file.read_text())
    document["id"] = 1
    document["fields"] = change(document["fields"])
    document["highestFieldId"] = 99
    file.with_name("schema-1").write_text(json.dumps(document))


@pytest.mark.parametrize("name", _CASTS)
def test_casts_between_schemas(spark: Any, name: str, tmp_path: Path) -> None:
    before, items, after, by_spark = _CASTS[name]
    data = pa.table({"key": pa.array(range(3)), "v": pa.array(items, _ARROW[before])})
    path = make_table(tmp_path, "t", [data], {"bucket": "-1"})
    changed(path, lambda fields: [fields[0], {**fields[1], "type": after}])
    assert is_of_spark(assert_same(spark, path)) == by_spark
    assert_same(spark, path, "v IS NOT NULL AND key < 2")


def test_columns_added_renamed_and_moved(spark: Any, tmp_path: Path) -> None:
    data = pa.table({"a": [1, 2], "b.c": ["x", "y"], "row": [{"p": 1}, None]})
    path = make_table(tmp_path, "t", [data], {"bucket": "-1"})
    changed(
        path,
        lambda fields: [
            {**fields[1], "name": "a"},
            {"id": 50, "name": "new `q`", "type": "CHAR(3)"},
            {**fields[0], "name": "b.c"},
        ],
    )
    assert is_of_spark(assert_same(spark, path))
    table = PaimonTable.forPath(spark, path)
    assert table.toDF("`b.c` = 2").collect()[0].a == "y"
    assert table.toDF(columns=["new `q`"]).collect() == [(None,), (None,)]


# Deleted rows -------------------------------------------------------------------------------------


def test_deleted_rows(spark: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    options = {"bucket": "-1", "deletion-vectors.enabled": "true"}
    parts = [pa.table({"id": range(at, at + 100)}) for at in range(0, 300, 100)]
    path = make_table(tmp_path, "t", parts, options)
    first, second, _ = (file.name for file in data_files(path))
    delete_rows(path, {first: [0, 5, 99], second: range(100)})
    frame = assert_same(spark, path)
    assert is_of_spark(frame) and "BroadcastHashJoin" in plan_of(frame)
    assert frame.count() == 197 and frame.columns == ["id"]
    assert frame.filter("id % 100 = 5").count() == query(path, "id IN (5, 105, 205)").num_rows
    monkeypatch.setattr(plain_files, "_MOST_DELETED", 50)
    assert not is_of_spark(assert_same(spark, path))


# Partitions ---------------------------------------------------------------------------------------

_ODD = ["a", "b-1.x", "a%20b", "c=d", "", None, "__HIVE_DEFAULT_PARTITION__", "7", "007", "ä b"]


def test_texts_of_partitions(spark: Any, tmp_path: Path) -> None:
    data = pa.table({"id": range(len(_ODD)), "p": pa.array(_ODD, pa.string())})
    path = make_table(tmp_path, "t", [data], {"bucket": "-1"}, partition_keys=["p"])
    frame = assert_same(spark, path)
    for text in _ODD:
        where = "p IS NULL" if text is None else f"p = '{text}'"
        assert frame.filter(where).count() == query(path, where).num_rows, where
    some = PaimonTable.forPath(spark, path).toDF("p IN ('a', '7', '007')")
    assert is_of_spark(some) and "PartitionFilters: [p" in plan_of(some)
    assert is_of_spark(PaimonTable.forPath(spark, path).toDF(columns=["id"]))


def test_types_of_partitions(spark: Any, tmp_path: Path) -> None:
    """Paimon names the folder of a DATE by its days since 1970."""
    days = [datetime.date(1969, 12, 31), datetime.date(2024, 2, 29)]
    data = pa.table(
        {
            "id": range(4),
            "day": pa.array([*days, *days], pa.date32()),
            "n": pa.array([1, -2, None, 3], pa.int32()),
            "f": pa.array([0.5, 0.5, 1.5, None], pa.float64()),
        }
    )
    path = make_table(tmp_path, "a", [data], {"bucket": "-1"}, partition_keys=["day"])
    assert is_of_spark(assert_same(spark, path))
    assert_same(spark, path, "day = DATE '2024-02-29'")
    for number, keys in enumerate((["day", "n"], ["f"])):
        made = make_table(tmp_path, f"b{number}", [data], {"bucket": "-1"}, partition_keys=keys)
        assert_same(spark, made)


# Files --------------------------------------------------------------------------------------------


def test_missing_and_corrupt_files(spark: Any, tmp_path: Path) -> None:
    parts = [pa.table({"id": range(100)}), pa.table({"id": range(100)})]
    path = make_table(tmp_path, "t", parts, {"bucket": "-1"})
    frame, [first, second] = PaimonTable.forPath(spark, path).toDF(), data_files(path)
    data = first.read_bytes()
    for setting in ("spark.sql.files.ignoreMissingFiles", "spark.sql.files.ignoreCorruptFiles"):
        spark.conf.set(setting, "true")
    try:
        first.write_bytes(data[:-20] + bytes(20))
        with pytest.raises(Exception, match=first.name):
            PaimonTable.forPath(spark, path).toDF().collect()
        first.write_bytes(data)
        second.unlink()
        with pytest.raises(Exception, match=second.name):
            frame.collect()
        with pytest.raises(Exception, match=second.name):
            PaimonTable.forPath(spark, path).toDF()
    finally:
        for setting in ("spark.sql.files.ignoreMissingFiles", "spark.sql.files.ignoreCorruptFiles"):
            spark.conf.unset(setting)


@pytest.mark.posix
def test_links_to_files_elsewhere(spark: Any, tmp_path: Path) -> None:
    path = make_table(tmp_path, "t", [pa.table({"id": range(3)})], {"bucket": "-1"})
    [file] = data_files(path)
    file.rename(tmp_path / "other.parquet")
    os.symlink(tmp_path / "other.parquet", file)  # noqa: PTH211
    with pytest.raises(OutsideError):
        PaimonTable.forPath(spark, path).toDF()


@pytest.mark.parametrize("folder", ["a b", "a%20b", "day=3", "x[1]", "ä", "_x"])
def test_folders_of_any_name(spark: Any, folder: str, tmp_path: Path) -> None:
    Path(tmp_path, folder).mkdir()
    path = make_table(tmp_path / folder, "t", [pa.table({"id": range(3)})], {"bucket": "-1"})
    assert is_of_spark(assert_same(spark, path)) == (folder != "x[1]")


def files_read(frame: Any) -> int:
    """The number of files that Spark's reader reads for a DataFrame."""
    frame.toArrow()
    leaves = frame._jdf.queryExecution().executedPlan().collectLeaves()
    metrics = [leaves.apply(n).metrics() for n in range(leaves.size())]
    return sum(each.apply("numFiles").value() for each in metrics if each.contains("numFiles"))


def test_files_that_filters_skip(spark: Any, tmp_path: Path) -> None:
    """An index excludes them, though all files have the same range of values."""
    parts = [
        pa.table({"id": range(1000), "_metadata": [f"n{at * 50 + n % 50}" for n in range(1000)]})
        for at in range(4)
    ]
    options = {"bucket": "-1", "file-index.bitmap.columns": "_metadata"}
    options |= {"deletion-vectors.enabled": "true", "metadata.stats-mode": "none"}
    path = make_table(tmp_path, "t", parts, options)
    alone = spark.newSession()
    alone.conf.set("spark.sql.adaptive.enabled", "false")  # for the metrics of plans
    table = PaimonTable.forPath(alone, path)
    assert table.rewriteIndex().execute().rewritten == 4
    where = "_metadata = 'n77' AND id > 500"
    for deleted in (0, 1):
        if deleted:
            delete_rows(path, {data_files(path)[0].name: range(300)})
        frame, wanted = table.toDF(), query(path, where).num_rows
        assert files_read(frame.filter(where)) == 1 and frame.filter(where).count() == wanted
        assert files_read(frame.filter("id > 500")) == 4
        assert files_read(table.toDF("id > 5").filter(where)) == 1
        assert files_read(frame.filter("_metadata IN ('n1', 'n77')")) == 2
        assert files_read(frame.filter("rand() >= 0 AND _metadata = 'n77'")) == 4
        renamed = frame.select(pick("id"), pick("id").cast("string").alias("_metadata"))
        assert renamed.filter("_metadata = '5'").count() == query(path, "id = 5").num_rows
        assert table.toDF(limit=5).filter(where).count() <= 5
        assert table.toDF(columns=[]).columns == []
        with pytest.raises(Exception, match="UNRESOLVED_COLUMN"):
            frame.filter("nope = 1")


def test_filters_in_another_time_zone(session: Any, tmp_path: Path) -> None:
    """A literal means the time of the zone that is set when the DataFrame is filtered."""
    moments = [datetime.datetime(2024, 1, 1, hour, tzinfo=datetime.UTC) for hour in range(24)]
    parts = [pa.table({"t": pa.array([at], pa.timestamp("us", "UTC"))}) for at in moments]
    path = make_table(tmp_path, "t", parts, {"bucket": "-1", "metadata.stats-mode": "full"})
    frame = PaimonTable.forPath(session, path).toDF()
    where = "t < TIMESTAMP '2024-01-01 05:00:00'"
    assert frame.filter(where).count() == 5
    session.conf.set("spark.sql.session.timeZone", "America/New_York")
    assert frame.filter(where).count() == 10


def test_filters_of_rows_in_the_cache(spark: Any, tmp_path: Path) -> None:
    parts = [pa.table({"id": range(at, at + 9)}) for at in range(0, 90, 9)]
    path = make_table(tmp_path, "t", parts, {"bucket": "-1", "metadata.stats-mode": "full"})
    frame = PaimonTable.forPath(spark, path).toDF()
    assert "file_name" in plan_of(frame.filter("id = 5"))
    frame.cache()
    assert "InMemoryTableScan" in plan_of(frame.filter("id = 5").select("id"))
    assert frame.filter("id < 15").where("id > 8").count() == 6
    frame.unpersist()
    assert "InMemory" not in plan_of(frame.filter("id = 5")).replace("InMemoryFileIndex", "")


def test_counts_of_all_rows_need_no_files(spark: Any, tmp_path: Path) -> None:
    parts = [pa.table({"id": range(at, at + 9), "s": ["a"] * 9}) for at in range(0, 90, 9)]
    path = make_table(tmp_path, "t", parts, {"bucket": "-1"})
    table = PaimonTable.forPath(spark, path)
    frame, cached = table.toDF(), table.toDF(columns=["id"])
    assert cached.cache().count() == 90  # by Spark, which fills its cache
    for file in Path(path).rglob("*.parquet"):
        file.unlink()
    assert frame.count() == frame.select("s").count() == frame.select(["id", "s"]).count() == 90
    assert cached.count() == cached.select("id").count() == 90
    for other in (frame.filter("id < 5"), frame.select(frame.id + 1).distinct()):
        with pytest.raises(Exception, match=r"\.parquet"):
            other.count()


def test_filters_of_rows_of_our_reader(spark: Any, tmp_path: Path) -> None:
    data = pa.table({"id": pa.array(range(9), pa.int32()), "s": [str(n) for n in range(9)]})
    path = make_table(tmp_path, "pk", [data], {"bucket": "2"}, primary_keys=["id"])
    frame = PaimonTable.forPath(spark, path).toDF()
    assert frame.filter("id = 4").filter("s = '4'").collect() == [(4, "4")]


def test_many_files_and_limits(spark: Any, tmp_path: Path) -> None:
    """The driver lists them: Spark would start a job with a task for each file."""
    parts = [pa.table({"id": [at]}) for at in range(40)]
    path = make_table(tmp_path, "t", parts, {"bucket": "-1"})
    before = spark.conf.get(scanning._THRESHOLD)
    table = PaimonTable.forPath(spark, path)
    assert is_of_spark(assert_same(spark, path))
    assert spark.conf.get(scanning._THRESHOLD) == before
    assert table.toDF(limit=7).count() == 7 and table.toDF("id > 30", limit=3).count() == 3
    assert table.toDF("id < 0").collect() == [] and table.toDF("id < 0").columns == ["id"]
    assert table.toDF("id = 3").inputFiles()[0].endswith(".parquet")


def test_files_that_need_our_reader(spark: Any, tmp_path: Path) -> None:
    data = pa.table({"id": pa.array(range(9), pa.int32()), "s": [str(n) for n in range(9)]})
    orc = make_table(tmp_path, "orc", [data], {"bucket": "-1", "file.format": "orc"})
    merged = make_table(tmp_path, "pk", [data, data], {"bucket": "1"}, primary_keys=["id"])
    for path in (orc, merged):
        frame = assert_same(spark, path)
        assert "InArrow" in plan_of(frame)
        assert frame.filter("id = 4").collect() == [(4, "4")]


def test_tasks_share_a_bucket_that_is_larger_than_others(spark: Any, tmp_path: Path) -> None:
    """Files whose keys do not overlap need not be merged together, so a bucket has many tasks."""
    small = pa.table({"p": ["small"] * 10, "id": range(10), "v": [1.5] * 10})
    parts = [
        pa.table({"p": ["big"] * 2000, "id": range(at, at + 2000), "v": [float(again)] * 2000})
        for at in range(0, 10_000, 2000)
        for again in range(2)
    ]
    options = {
        "bucket": "1",
        "source.split.target-size": "4 kb",
        "source.split.open-file-cost": "1",
    }
    path = make_table(
        *(tmp_path, "t", [small, *parts], options), partition_keys=["p"], primary_keys=["p", "id"]
    )
    frame = assert_same(spark, path)
    assert "InArrow" in plan_of(frame)
    of_partitions = frame.groupBy(F.spark_partition_id()).count().collect()
    assert max(row["count"] for row in of_partitions) < 10_000 / 2
    assert frame.agg(F.sum("v")).collect() == [(10_000 + 15.0,)]


def test_few_rows_of_an_index(spark: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plain_files, "_FEW", 500)
    data = pa.table({"id": range(10_000), "s": [f"n{at % 1000}" for at in range(10_000)]})
    options = {"bucket": "-1", "file-index.bitmap.columns": "s"}
    path = make_table(tmp_path, "t", [data], options)
    table = PaimonTable.forPath(spark, path)
    assert table.rewriteIndex().execute().rewritten == 1
    assert not is_of_spark(assert_same(spark, path, "s = 'n77'"))
    assert is_of_spark(assert_same(spark, path, "s <> 'n77'"))


def test_errors_of_our_reader(spark: Any, tmp_path: Path) -> None:
    path = make_table(tmp_path, "t", [pa.table({"id": [1]})], {"file.format": "orc"})
    [file] = Path(path).rglob("data-*.orc")
    file.write_bytes(b"ORC" + bytes(20))
    with pytest.raises(PaimonKsyError):
        query(Table.at(path))
    with pytest.raises(Exception, match=file.name):
        PaimonTable.forPath(spark, path).toDF().collect()
