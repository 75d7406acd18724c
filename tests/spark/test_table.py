"""The table object for PySpark has the rows of Spark, and the jobs of the functions."""

import datetime
import random
import shutil
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest

import paimon_ksy as pk
from paimon_ksy.errors import OptionError, PaimonKsyError, PredicateError, UnsupportedError
from paimon_ksy.predicates.from_spark import conditions_from_spark
from paimon_ksy.predicates.tree import col
from paimon_ksy.spark import PaimonTable
from paimon_ksy.spark import conditions as parts
from paimon_ksy.table.audit.audit import audit
from paimon_ksy.table.engine.session import context_of
from paimon_ksy.table.query.read import query
from paimon_ksy.table.store import Table
from tests import ROOT
from tests.support import newer_tables
from tests.support.spark_jobs import run_stream
from tests.support.tables import catalog_at
from tools.tables import append, by_pypaimon, by_rust, make_table

pytestmark = pytest.mark.java

PENDING = "status = 'PENDING'"


@pytest.fixture
def orders(spark: Any, tmp_path: Path) -> PaimonTable:
    shutil.copytree(ROOT / "examples/warehouse/default.db/orders", tmp_path / "orders")
    return PaimonTable.forPath(spark, tmp_path / "orders")


def test_rows(spark: Any, orders: PaimonTable) -> None:
    from pyspark.sql import functions as F

    both = (F.col("STATUS") == "PENDING") & (F.upper("region") == "EU")
    for where in (both, f"upper(region) = 'EU' AND {PENDING}"):
        frame = orders.toDF(where, columns=["order_id"])
        assert frame.columns == ["order_id"] and frame.count() == 136
        assert orders.count(where) == 136
    assert orders.toDF(col("status") == "PENDING", limit=5).count() == 5
    assert orders.count(PENDING) == 608 and orders.count() == 20_000
    assert orders.toDF(limit=3, columns=["ORDER_ID"]).columns == ["order_id"]


def test_filters_skip_files_by_indexes(spark: Any, tmp_path: Path) -> None:
    """Those that match nothing are broken, so Spark would fail if it read them."""
    from pyspark.sql import functions as F

    parts = [
        pa.table({"id": range(at, at + 1000), "code": [f"c{at + n % 7}" for n in range(1000)]})
        for at in range(0, 5000, 1000)
    ]
    options = {"bucket": "-1", "file-index.bitmap.columns": "code"}
    path = make_table(tmp_path, "t", parts, {**options, "metadata.stats-mode": "none"})
    table = PaimonTable.forPath(spark, path)
    assert table.rewriteIndex().execute().rewritten == 5
    frame = table.toDF()
    wanted = query(path, "code IN ('c1003', 'c4002')")
    for path_of_file in (file.path for file in pk.plan(path).files):
        if not {1003, 4002} & set(pq.read_table(path_of_file, columns=["id"])["id"].to_pylist()):
            Path(path_of_file).write_bytes(b"no Parquet file")
    some = frame.filter("code IN ('c1003', 'c4002')")
    assert some.columns == ["id", "code"] and some.count() == wanted.num_rows
    one = frame.where(frame.code == "c1003").where(F.col("id") % 2 == 0).select(frame["id"])
    assert one.count() == 71
    assert frame.select("code", "id").filter("code = 'c4002'").count() == 143
    assert frame.select(["id", "code"]).filter(F.col("code") == "c4002").count() == 143
    assert frame.select("id").filter("code = 'c4002'").columns == ["id"]
    assert frame.select("id").filter("code = 'c4002'").count() == 143
    joined = frame.filter("code = 'c1003'").join(frame.filter("code = 'c4002'"), "id", "full")
    assert joined.count() == wanted.num_rows


def test_what_the_source_reads(spark: Any, orders: PaimonTable) -> None:
    from pyspark.sql import functions as F

    schema = orders.table.schema.columns
    where = (F.col("status") == "A") & ((F.col("user_id") % 10 == 3) & (F.col("order_id") > 5))
    condition = parts.condition_of(spark, where, schema, "UTC")
    assert repr(condition.pushed) == "status = 'A' AND order_id > 5"
    assert len(condition.rest) == 1 and "user_id" in condition.rest[0]
    assert condition.columns == ("order_id", "user_id", "status")
    either = "NOT (user_id BETWEEN 1 AND 5 OR status = 'A') AND ORDER_ID BETWEEN 7 AND 9"
    condition = parts.condition_of(spark, either, schema, "UTC")
    pushed = (
        "NOT (user_id >= 1 AND user_id <= 5 OR status = 'A') AND (order_id >= 7 AND order_id <= 9)"
    )
    assert repr(condition.pushed) == pushed and not condition.rest
    seeded = parts.condition_of(spark, f"rand(5) < 0.5 AND {PENDING}", schema, "UTC")
    assert seeded.pushed is None


@pytest.mark.parametrize(
    ("where", "pushed"),
    [
        ("status = 'random' AND order_id = 5", "status = 'random' AND order_id = 5"),
        ("status = 'a--b' AND region = '/*'", "status = 'a--b' AND region = '/*'"),
        ("status = 'it''s' AND region = \"x\"", "status = 'it\\'s' AND region = 'x'"),
        ("status = 'a' 'b'", "status = 'ab'"),
        ("`status` = 'rand(1)' AND uuid() = 'x'", None),
        ("status = 'A' AND `rand` (5) < 0.5", None),
        ("status = 'A' -- AND region = 'x'", None),
        ("status = '${x}'", None),
        ("status = 'a\\nb'", None),
    ],
)
def test_conditions_as_they_are_sent(
    spark: Any, orders: PaimonTable, where: str, pushed: str | None
) -> None:
    from pyspark.sql import functions as F

    schema = orders.table.schema.columns
    predicate, rest = conditions_from_spark(parts._sent(spark, where), schema, "UTC")
    assert (None if predicate is None else repr(predicate)) == pushed
    assert rest == (() if pushed else (where,))
    if context_of(spark) is None:
        column = F.expr(where) & (F.col("order_id") > 5)
        predicate, _ = conditions_from_spark(parts._sent(spark, column), schema, "UTC")
        assert (predicate is None) == ("uuid()" in where or "`rand`" in where)


def test_settings_that_change_sql(spark: Any, orders: PaimonTable) -> None:
    schema = orders.table.schema.columns
    for setting, where in (
        ("spark.sql.legacy.consecutiveStringLiterals.enabled", "status = 'it''s'"),
        ("spark.sql.ansi.doubleQuotedIdentifiers", 'status = "region"'),
    ):
        spark.conf.set(setting, "true")
        try:
            assert conditions_from_spark(parts._sent(spark, where), schema, "UTC")[0] is None
        finally:
            spark.conf.unset(setting)


def test_functions_that_return_other_values_if_rows_are_left_out(spark: Any) -> None:
    """All of Spark's whose class is not deterministic, or has a seed."""
    loader = spark._jvm.java.lang.Thread.currentThread().getContextClassLoader()
    package = "org.apache.spark.sql.catalyst.expressions"
    traits = ("Nondeterministic", "ExpressionWithRandomSeed")
    kinds = [loader.loadClass(f"{package}.{name}") for name in traits]
    registry = spark._jsparkSession.sessionState().functionRegistry()
    listed, changing = registry.listFunction(), set()
    for identifier in map(listed.apply, range(listed.size())):
        name = identifier.funcName()
        if name.isidentifier():
            made = loader.loadClass(registry.lookupFunction(identifier).get().getClassName())
            changing |= {name for kind in kinds if kind.isAssignableFrom(made)}
    assert len(changing) > 8 and changing <= parts.CHANGING


def test_earlier_states(orders: PaimonTable) -> None:
    times = [row.commit_time for row in orders.snapshots().orderBy("snapshot_id").collect()]
    assert orders.toDF(version=1).count() == 5000
    assert orders.count(asOf=times[1].replace(tzinfo=datetime.UTC)) == 10_000
    with pytest.raises(OptionError, match="no snapshot is as old as 2000-01-01"):
        orders.toDF(asOf="2000-01-01 00:00:00")
    with pytest.raises(PredicateError, match="exclude each other: pass one"):
        orders.toDF(version=1, tag="a")
    added = {row.order_id for row in orders.toDF(columns=["order_id"], between=(1, 2)).collect()}
    assert len(added) == orders.count(between=(1, 2)) == 5000
    assert not added & {row.order_id for row in orders.toDF(version=1).collect()}
    assert orders.toDF("upper(status) = 'A'", between=(0, 2)).count() == (
        orders.count("upper(status) = 'A'", between=(0, 2))
    )


def test_earlier_states_of_the_data_source(spark: Any, orders: PaimonTable) -> None:
    reader = spark.read.format("paimon_ksy").option("table", orders.table.location)
    assert reader.option("between", "1, 2").load().count() == 5000
    reader = spark.read.format("paimon_ksy").option("table", orders.table.location)
    time = orders.table.snapshots.of_id(1).time_millis / 1000
    moment = datetime.datetime.fromtimestamp(time, datetime.UTC)
    assert reader.option("as-of", moment.isoformat(" ")).load().count() == 5000
    for wrong in ("1", "1,2,3", "a,b"):
        with pytest.raises(Exception, match="option between: "):
            _ = reader.option("between", wrong).load().schema


def test_unknown_columns_and_tables(spark: Any, orders: PaimonTable, tmp_path: Path) -> None:
    with pytest.raises(Exception, match="nope"):
        orders.toDF("nope = 1")
    with pytest.raises(PaimonKsyError, match="nope"):
        orders.toDF(columns=["nope"])
    with pytest.raises(PaimonKsyError, match="no such folder"):
        PaimonTable.forPath(spark, tmp_path / "none")


def test_spark_3_is_refused() -> None:
    class Old:
        version = "3.5.4"

    with pytest.raises(UnsupportedError, match=r"Spark 3\.5\.4"):
        PaimonTable.forPath(Old(), "nowhere")
    with pytest.raises(TypeError, match="argument 'spark': a SparkSession is needed, not a str"):
        PaimonTable.forPath("nowhere", Old())  # type: ignore[arg-type]


def test_files_that_workers_list(
    spark: Any, orders: PaimonTable, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = orders.files()
    monkeypatch.setattr("paimon_ksy.table.manifests.scan.ENTRIES_HERE", -1)
    there = orders.files()
    assert there.schema == here.schema
    assert ["InArrow" in str(f._jdf.queryExecution()) for f in (here, there)] == [False, True]
    assert sorted(map(str, there.collect())) == sorted(map(str, here.collect()))


def test_jobs_and_metadata(spark: Any, orders: PaimonTable) -> None:
    rewrite = orders.rewriteIndex().bitmap("status", "region").bloom("order_id", items=5000)
    assert rewrite.execute(dryRun=True).rewritten == 4
    done = rewrite.saveOptions().execute()
    assert done.snapshot == 5 and repr(done).startswith("RewriteSummary(snapshot=5, files=4")
    assert orders.indexNewFiles().files == 0
    [row] = done.toDF().selectExpr("count(*) n", "sum(rows) r", "sum(bytes) b").collect()
    assert (row.n, row.r, row.b) == (4, 20_000, done.bytes_written)
    assert orders.indexes().count() == 12
    assert orders.files().filter("has_index").count() == 4
    assert orders.partitions().collect()[0].record_count == 20_000
    assert orders.snapshots().count() == 5 and orders.tags().count() == 0
    assert orders.vectors().count() == 0
    steps = orders.explain(f"{PENDING} AND upper(region) = 'EU'").collect()
    assert steps[2].rows_kept == 608 or steps[3].rows_kept == 608
    assert steps[-1].notes[-1] == "only Spark tests UPPER(region) = 'EU'"
    assert orders.audit().count() == 0
    repaired = orders.repair(dryRun=True)
    assert repaired.left == () and repr(repaired) == "Repaired(findings=0, left=0)"
    assert orders.cleanOrphans(datetime.timedelta(7)).toDF().count() == 0
    advice = orders.advise([PENDING], columns=["status"]).collect()[0]
    assert advice.column == "status"


def test_a_stream(spark: Any, orders: PaimonTable, tmp_path: Path) -> None:
    frame = orders.readStream(f"{PENDING} AND upper(region) = 'EU'", ["order_id"])
    assert frame.isStreaming and frame.columns == ["order_id"]
    sink, state = str(tmp_path / "sink"), str(tmp_path / "state")
    stream = frame.writeStream.format("parquet").option("checkpointLocation", state)
    stream = stream.trigger(availableNow=True)
    run_stream(lambda: stream.start(sink).awaitTermination(600))
    assert spark.read.parquet(sink).count() == 136


def test_delete_takes_only_what_means_the_same_in_spark(spark: Any, tmp_path: Path) -> None:
    path = made_table(tmp_path, deletion_vectors=True)
    table = PaimonTable.forName(spark, "default.t", {"warehouse": str(tmp_path)})
    with pytest.raises(PredicateError, match="delete cannot test"):
        table.delete("upper(s) = 'A'")
    with pytest.raises(PredicateError, match="delete cannot test"):
        table.delete("f < 0.1")
    gone = table.count("i < 2")
    assert gone and table.delete("i < 2").rows == gone
    assert table.vectors().collect()[0].rows == gone
    assert PaimonTable.forPath(spark, path).toDF("i < 2").count() == 0


def test_jobs_on_a_table_with_row_ids(spark: Any, tmp_path: Path) -> None:
    """Other readers get all rows afterwards; only rows that are all deleted lose their index."""
    options = {**newer_tables.EVOLUTION, "deletion-vectors.enabled": "true"}
    halves = [newer_tables.rows(0, 1000), newer_tables.rows(1000, 1000)]
    path = make_table(tmp_path, "t", halves, options, partition_keys=["day"])
    newer_tables.by_pypaimon("name", "btree")(path)
    table, every = PaimonTable.forPath(spark, path), pa.concat_tables(halves)
    day, name = pc.field("day") == datetime.date(2024, 1, 1), pc.field("name")
    kept = every.filter(~day & ((name != "n013") | name.is_null()) & (pc.field("id") != 1501))
    done = table.delete("day = DATE '2024-01-01' OR name = 'n013'")
    assert done.rows == len(every) - len(kept) - 1
    orphan = Path(path, "index", f"btree-global-index-{newer_tables.UUID}.index")
    orphan.write_bytes(b"x")
    assert table.rewriteIndex().bitmap("name").saveOptions().execute().rewritten == 6
    assert pk.delete(path, "id = 1501", spark=spark).rows == 1
    assert table.cleanOrphans(datetime.timedelta(0)).files == 1
    assert not orphan.exists()
    for reader in (by_pypaimon, by_rust, query):
        assert reader(path).select(every.column_names).sort_by("id") == kept
    for value in ("n001", "n013"):
        count, where = len(kept.filter(name == value)), f"name = '{value}'"
        assert by_rust(path, where).num_rows == table.toDF(where).count() == count
    [index] = table.table.index_manifests.global_indexes(table.table.snapshot())
    assert len({file.partition for file in index.files}) == 3
    assert [*audit(path, deep=True)] == []


def test_deletes_and_counts_by_row_id(spark: Any, tmp_path: Path) -> None:
    options = {"row-tracking.enabled": "true", "deletion-vectors.enabled": "true"}
    path = make_table(tmp_path, "t", [pa.table({"id": range(9)})], options)
    table = PaimonTable.forPath(spark, path)
    for where in ("_ROW_ID IN (3, 5, 99)", "_SEQUENCE_NUMBER = 1 AND id < 2"):
        wanted = query(path).num_rows - table.count(f"NOT ({where})")
        assert table.count(where) == table.delete(where, dryRun=True).rows == wanted == 2
        assert table.delete(where).rows == wanted
        assert table.count(where) == 0


def test_conditions_without_columns(spark: Any, tmp_path: Path) -> None:
    """`toDF` and `count` agree on them; Spark's own error says that NULL is no condition."""
    path = make_table(tmp_path, "t", [pa.table({"id": range(9)})], {"bucket": "-1"})
    table = PaimonTable.forPath(spark, path)
    counts = {"true": 9, "upper('x') = 'X'": 9, "1 = 1": 9, "false": 0, "1 = NULL": 0}
    for where, expected in {**counts, "1 = 2 OR id = 4": 1}.items():
        assert table.count(where) == table.toDF(where).count() == expected
        assert table.toDF(where, []).columns == []
    with pytest.raises(Exception, match="FILTER_NOT_BOOLEAN"):
        table.count("NULL")


# Random conditions --------------------------------------------------------------------------------

_TEXTS = ("a", "A", "ab", "a%", "", "it's", "a--b", "rand(1)", "2023-11-05", None)
_STAMPS = [datetime.datetime(2023, 11, 3) + datetime.timedelta(hours=h) for h in range(0, 96, 1)]
_STAMPS += [datetime.datetime(2023, 3, 12) + datetime.timedelta(minutes=30 * h) for h in range(12)]


def rows(count: int = 400) -> pa.Table:
    """Values at which engines may disagree."""
    some = random.Random(1)

    def column(values: Any, kind: pa.DataType) -> pa.Array:
        return pa.array([some.choice(values) for _ in range(count)], kind)

    return pa.table(
        {
            "id": pa.array(range(count), pa.int32()),
            "s": column(_TEXTS, pa.string()),
            "ti": column([-128, 0, 5, 127, None], pa.int8()),
            "i": column([-5, 0, 1, 2, 5, 10, 2**31 - 1, None], pa.int32()),
            "l": column([0, 5, 2**53, 2**53 + 1, -(2**63), None], pa.int64()),
            "f": column([0.1, 0.5, -0.0, float("nan"), float("inf"), None], pa.float32()),
            "d": column([0.1, 0.5, -0.0, 0.0, float("nan"), -1e308, None], pa.float64()),
            "n": column([Decimal("1.50"), Decimal("-2.25"), None], pa.decimal128(10, 2)),
            "b": column([True, False, None], pa.bool_()),
            "dt": column([stamp.date() for stamp in _STAMPS] + [None], pa.date32()),
            "ts": column([*_STAMPS, None], pa.timestamp("us", "UTC")),
            "ntz": column([*_STAMPS, None], pa.timestamp("us")),
            "x": column([b"", b"a", b"\xff", None], pa.binary()),
            "uuid": column(_TEXTS, pa.string()),
        }
    )


def made_table(folder: Path, *, deletion_vectors: bool = False) -> str:
    from pypaimon import Schema

    data, catalog = rows(), catalog_at(folder)
    options = {"file.format": "parquet"}
    if deletion_vectors:
        options["deletion-vectors.enabled"] = "true"
    catalog.create_table(
        "default.t", Schema.from_pyarrow_schema(data.schema, options=options), False
    )
    append(catalog.get_table("default.t"), data)
    return str(folder / "default.db" / "t")


_NUMBERS: tuple[str, ...] = (
    "0",
    "5",
    "1.5",
    "0.1",
    "0.5D",
    "-0.0D",
    "127",
    "200",
    "2147483648",
    "9007199254740993",
)
_NUMBERS += ("9007199254740992D", "1.50", "1.505", "CAST('NaN' AS DOUBLE)", "NULL", "1e0")
_WHEN: tuple[str, ...] = (
    "'2023-11-05'",
    "DATE '2023-11-05'",
    "TIMESTAMP '2023-11-05 01:30:00'",
    "NULL",
)
_WHEN += ("TIMESTAMP_NTZ '2023-03-12 02:30:00'", "'2023-11-05 12:00:00'", "'2023-11-05T07:00:00'")
_WHEN += ("TIMESTAMP '2023-11-05 05:30:00Z'", "TIMESTAMP '2023-11-04 01:30:00.0000005'")
_WORDS: tuple[str, ...] = (
    "'it''s'",
    "'a--b'",
    "'rand(1)'",
    '"it\'s"',
    "'a'",
    "'A'",
    "''",
    "'it\\'s'",
    "'ab '",
    "NULL",
    '"a"',
)
_FAMILIES: tuple[tuple[tuple[str, ...], tuple[str, ...]], ...] = (
    (("ti", "i", "l", "f", "d", "n"), _NUMBERS),
    (("dt", "ts", "ntz"), _WHEN),
    (("s", "S", "uuid"), _WORDS),
    (("b",), ("true", "false", "NULL")),
    (("x",), ("X''", "X'61'", "X'FF'")),
)
_FREE = (
    *("upper(s) = 'A'", "i % 3 = 1", "i + 1 > 2", "length(s) > 1", "s LIKE 'a%'", "s LIKE '%\\%'"),
    *("startswith(s, 'a')", "contains(s, '')", "isnan(d)", "d IS NULL", "b", "NOT b", "ts > ntz"),
    *("coalesce(i, 0) = 0", "abs(i) = 5", "year(dt) = 2023", "CAST(ts AS DATE) = dt", "s = s"),
    *("s BETWEEN 'A' AND 'a'", "CAST(i AS SMALLINT) = 5 AND i < 100", "i = ti", "s RLIKE 'a'"),
    *(
        "CAST(f AS DOUBLE) = 0.5D",
        "try_cast(s AS INT) = 5",
        "CAST(l AS DECIMAL(38,0)) > 5",
        "1 = 1",
    ),
)


def atom(some: random.Random) -> str:
    if some.random() < 0.25:
        return some.choice(_FREE)
    columns, literals = some.choice(_FAMILIES)
    column, literal = some.choice(columns), some.choice(literals)
    kind = some.random()
    if kind < 0.2:
        listed = ", ".join(some.choice(literals) for _ in range(some.choice((1, 2, 12))))
        return f"{column} {some.choice(('', 'NOT '))}IN ({listed})"
    if kind < 0.3:
        return f"{column} BETWEEN {literal} AND {some.choice(literals)}"
    if kind < 0.4:
        return f"{literal} {some.choice(('<', '=', '>='))} {column}"
    return f"{column} {some.choice(('=', '<>', '<', '<=', '>', '>=', '<=>'))} {literal}"


def condition(some: random.Random, depth: int = 2) -> str:
    kind = some.random() if depth else 1.0
    if kind < 0.45:
        return f"({condition(some, depth - 1)}) AND {condition(some, depth - 1)}"
    if kind < 0.6:
        return f"({condition(some, depth - 1)} OR {condition(some, depth - 1)})"
    return f"NOT ({condition(some, depth - 1)})" if kind < 0.7 else atom(some)


@pytest.mark.parametrize("ansi", ["true", "false"])
@pytest.mark.parametrize("zone", ["America/New_York", "+05:30"])
def test_random_conditions(spark: Any, zone: str, ansi: str, tmp_path: Path) -> None:
    """What the source tests selects no fewer rows than Spark does on Parquet, and if all, no more.

    Each condition is taken as a classic session resolves it, and as Spark Connect sends it.
    """
    path = made_table(tmp_path)
    pq.write_table(rows(), tmp_path / "rows.parquet")
    schema = Table.at(path).schema.columns
    some = random.Random(f"{zone} {ansi}")
    settings = {"spark.sql.session.timeZone": zone, "spark.sql.ansi.enabled": ansi}
    settings["spark.sql.parquet.filterPushdown"] = "false"  # it loses rows with NaN
    before = {name: spark.conf.get(name) for name in settings}
    checked = pushed = 0
    try:
        for name, value in settings.items():
            spark.conf.set(name, value)
        parquet = spark.read.parquet(str(tmp_path / "rows.parquet"))
        while checked < 50:
            where = condition(some)
            try:
                split = parts.condition_of(spark, where, schema, zone)
                wanted = {row.id for row in parquet.filter(where).select("id").collect()}
            except Exception as error:  # of types, or of casts that ANSI refuses
                assert "SQLSTATE" in str(error), where
                continue
            checked += 1
            sent = conditions_from_spark(parts._sent(spark, where), schema, zone)
            for predicate, rest in ((split.pushed, split.rest), sent):
                if predicate is None:
                    continue
                pushed += 1
                table = Table.at(path).with_time_zone(zone)
                found = set(query(table, repr(predicate), ["id"])["id"].to_pylist())
                assert wanted <= found, (where, predicate)
                assert rest or wanted == found, (where, predicate)
            if checked % 25 == 0:
                front = PaimonTable.forPath(spark, path)
                selected, filtered = front.toDF(where, columns=["id"]), front.toDF().filter(where)
                for frame in (selected, filtered.select("id")):
                    assert {row.id for row in frame.collect()} == wanted, where
    finally:
        for name, value in before.items():
            spark.conf.set(name, value)
    assert pushed > 30
