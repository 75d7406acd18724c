"""Conditions select the rows that Spark selects, or are refused by name.

Some are as SQL users write them; others are drawn from a grammar of all that conditions accept.
"""

from dataclasses import replace
from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest

from kit_support import examples
from paimon_ksy.errors import PredicateError
from paimon_ksy.predicates.casts import CASTS
from paimon_ksy.predicates.expressions import OPERATORS
from paimon_ksy.predicates.functions import EXTRACTED, FUNCTIONS
from paimon_ksy.predicates.row_filter import mask
from paimon_ksy.predicates.sql import parse_predicate
from paimon_ksy.predicates.sql_syntax import parse
from paimon_ksy.types.schema import Schema
from tools.conditions.__main__ import MOST_REFUSED
from tools.conditions.grammar import TESTS, TYPES, Node
from tools.conditions.judge import Comparison, Report, Spark
from tools.conditions.rows import SCHEMA as ROWS

pytestmark = pytest.mark.java

SCHEMA = Schema.parse(
    "id INT, status STRING, note STRING, digits STRING, amount INT, other INT, big BIGINT, "
    "flag BOOLEAN, price DECIMAL(10, 2), d DOUBLE, e DOUBLE, day DATE, day2 DATE, "
    "ts TIMESTAMP(6), ltz TIMESTAMP_LTZ(6), m MAP<STRING, INT>, s ROW<aa INT, bb STRING>, "
    "tags ARRAY<STRING>"
)
NAN, INF = float("nan"), float("inf")
LEAP, OLD = date(2024, 2, 29), date(1969, 12, 31)
COLUMNS: dict[str, list[Any]] = {
    "status": ["PENDING", "DONE", None, "done", "a_b", "it's", "D\nNE", "PENDING7"],
    "note": ["x", "x", "Straße", None, " x ", "x\ny", "xyz", ""],
    "digits": ["12", "7", None, "-3", "007", "0", " 12 ", "99"],
    "amount": [1, 1, 7, None, -7, 100, 2, 3],
    "other": [2, 1, 0, 5, 5, None, 0, 6],
    "big": [1, 3 * 10**9, None, -(2**63), 7, 100, 2, -3],
    "flag": [True, False, None, True, False, None, True, False],
    "price": [
        None,
        *map(Decimal, ["10.50", "12.25", "0.00", "-10.50", "99999.99", "11.00", "10.00"]),
    ],
    "d": [1.5, NAN, None, 0.0, -0.0, INF, -2.5, 2.675],
    "e": [1.5, NAN, NAN, -0.0, 1.0, -INF, None, 2.0],
    "day": [date(2024, 1, 31), LEAP, None, OLD, date(2024, 12, 31), LEAP, LEAP, date(2023, 3, 1)],
    "day2": [date(2024, 1, 31), None, OLD, OLD, LEAP, date(2024, 1, 1), LEAP, LEAP],
    "ts": [
        *(datetime(2024, 3, 31, 2, 30), datetime(2024, 1, 31, 23, 59, 59, 999999), None),
        *(datetime(1969, 12, 31, 23, 59, 59, 5), datetime(2024, 3, 1), datetime(2024, 10, 27, 2)),
        *(datetime(2024, 2, 29), datetime(1900, 1, 1, 13)),
    ],
    "ltz": [
        *(datetime(2024, 1, 31, 23, 30, tzinfo=UTC), datetime(2024, 10, 27, 0, 30, tzinfo=UTC)),
        *(datetime(2024, 10, 27, 1, 30, tzinfo=UTC), None, datetime(2024, 3, 31, 1, tzinfo=UTC)),
        *(datetime(1969, 12, 31, 23, 0, 0, 7, tzinfo=UTC), datetime(2024, 10, 26, tzinfo=UTC)),
        datetime(2024, 2, 29, 2, tzinfo=UTC),
    ],
    "m": [[("k", 1)], [("k", None)], None, [], [("x", 5)], [("k", 1), ("x", 0)], [], None],
    "s": [
        *({"aa": 1, "bb": "x"}, {"aa": 2, "bb": None}, None, {"aa": None, "bb": "xy"}),
        *({"aa": 1, "bb": "x"}, {"aa": 101, "bb": ""}, None, {"aa": 3, "bb": "y"}),
    ],
    "tags": [["a", "b"], ["a"], None, ["b"], [None, "b"], ["a", None], ["c"], ["a"]],
}
CONDITIONS = [
    line
    for line in Path(__file__).with_name("conditions.sql").read_text().splitlines()
    if not line.startswith("--")
]


def rows() -> pa.Table:
    return pa.table({"id": range(8), **COLUMNS}, schema=SCHEMA.to_arrow())


@pytest.mark.parametrize("zone", ["UTC", "Europe/Berlin"])
def test_conditions(zone: str, spark: Any, tmp_path: Path) -> None:
    pq.write_table(rows(), tmp_path / "rows.parquet")
    assert spark.conf.get("spark.sql.ansi.enabled") == "true"
    listed = [f"({text}) AS c{at}" for at, text in enumerate(CONDITIONS)]
    spark.conf.set("spark.sql.session.timeZone", zone)
    try:
        frame = spark.read.parquet(str(tmp_path)).selectExpr("id", *listed)
        of_spark = frame.orderBy("id").toArrow()
    finally:
        spark.conf.set("spark.sql.session.timeZone", "UTC")
    different, refused = [], []
    for at, text in enumerate(CONDITIONS):
        try:
            ours = mask(parse_predicate(text, SCHEMA, time_zone=zone), rows()).to_pylist()
        except PredicateError:
            refused.append(text)
            continue
        expected = [value is True for value in of_spark[f"c{at}"].to_pylist()]
        if ours != expected:
            different.append((text, ours, expected))
    assert not different
    assert len(CONDITIONS) == 192 and len(refused) <= 8, refused


SURPRISING = [
    *("f = 0.1", "f = 0.1D", "f IN (0.1, 1)", "f = 0.1F", "f = CAST(0.1 AS FLOAT)", "f <= 0.1"),
    *("f = 2147483647", "f > 2147483647", "f >= 2147483649L", "f BETWEEN 0.1 AND 0.2", "f <> 0.1"),
    *("c = 'abc'", "'abc' = c", "c IN ('abc', 'x')", "c IN ('abc', NULL)", "c IN ('abc', s)"),
    *("'abc' IN ('a', c)", "'abc' IN (c)", "'abc' NOT IN ('a', c)", "c = s", "c = e"),
    *("CASE c WHEN 'abc' THEN true END", "CASE c WHEN e THEN true END", "nullif(c, 'abc') IS NULL"),
    *("CASE c WHEN s THEN true END", "greatest(c, 'abc') = 'abc'", "c BETWEEN 'abc' AND 'abc'"),
    *("l IN (9007199254740993, 1D)", "l IN (9007199254740993, 1)", "l = 9007199254740993"),
    *("greatest(l, 5) = 5", "least(CAST(NULL AS BIGINT), l) = l", "greatest(l, l) IS NULL"),
    *("l IN (9007199254740992, 2.5)", "coalesce(l, '1') = 1", "floor(double('NaN')) = 0"),
]
"""Rules for FLOAT, CHAR and lists of several types that a first guess gets wrong."""
ONLY_SPARK_REFUSES = [
    *("floor(double('Infinity')) > 0", "ceil(1e300) > 0", "least(DATE '2024-01-01', '2024') = s"),
    *(
        "s NOT LIKE 'a%' IS NULL",
        "s BETWEEN 'a' AND '' IS NULL",
        "s IN ('abc',)",
        "s /*+ x */ = 'a'",
    ),
    *("CASE WHEN NULL THEN l ELSE l END > 0", "CASE WHEN (NULL) THEN true END"),
    "mod(nullif(l, l), 7 div (l - l)) IS NULL",
    *("l IS NOT DISTINCT FROM l IS NULL", "-(n) < 0", "abs(n) > 0"),
]
"""Conditions that a lenient parser, or wider numbers, would answer."""


def test_surprising_conditions(spark: Any) -> None:
    columns = "c CHAR(5), e CHAR(3), s STRING, l BIGINT, f FLOAT, n DECIMAL(38, 0)"
    most = 10**38 - 1
    values = [
        f"'abc', 'abc', 'abc', 9007199254740992, 0.1F, {most}BD",
        f"'a', 'a', 'a', 1, 2147483648F, -{most}BD",
        "'x', 'abc', '', 9007199254740993, 1F, 1BD",
        "NULL, NULL, NULL, NULL, NULL, NULL",
    ]
    schema = Schema.parse(columns)
    spark.sql(f"CREATE TABLE surprising (at INT, {columns}) USING parquet")
    try:
        listed = ", ".join(f"({at}, {row})" for at, row in enumerate(values))
        spark.sql(f"INSERT INTO surprising VALUES {listed}")
        frame = spark.sql("SELECT * FROM surprising").orderBy("at")
        table = frame.drop("at").toArrow().cast(schema.to_arrow())
        chosen = ", ".join(f"({text}) AS c{at}" for at, text in enumerate(SURPRISING))
        answers = spark.sql(f"SELECT {chosen} FROM surprising ORDER BY at").toArrow()
        for at, text in enumerate(SURPRISING):
            ours = mask(parse_predicate(text, schema, time_zone="UTC"), table).to_pylist()
            assert ours == [one is True for one in answers[f"c{at}"].to_pylist()], text
        for text in ONLY_SPARK_REFUSES:
            with pytest.raises(Exception, match="SQLSTATE"):
                spark.sql(f"SELECT ({text}) FROM surprising").collect()
            with pytest.raises(PredicateError):
                mask(parse_predicate(text, schema, time_zone="UTC"), table)
    finally:
        spark.sql("DROP TABLE surprising")


LEFT_FIRST = [
    *("i = CAST(bad AS INT)", "i <> 7 div z", "i + CAST(bad AS INT) = 8", "i IN (7 div z, 3)"),
    *("i BETWEEN 7 div z AND 9", "i BETWEEN 1 AND 7 div z", "i NOT BETWEEN NULL AND 5"),
    *("CAST(bad AS INT) = NULL", "7 div z = CAST(NULL AS INT)", "(1 div i) div z = 0"),
    *("nullif(i, CAST(bad AS INT)) = 7", "greatest(i, 2) = 2"),
    *("CASE WHEN i > 100 THEN CAST(300 AS TINYINT) = 1 END", "mod(7 div z, m['none']) IS NULL"),
    *("i = 7 = (z = 1)", "i < z IN (true, NULL)", "NOT i = z IS NULL", "i <=> z IS TRUE"),
    *("(i > 7) IS DISTINCT FROM z = i", "i > z = (z > 0) IS NULL", "i > z BETWEEN false AND false"),
    *("i > 100 AND bad LIKE 'a' || '%'", "i > 100 AND bad RLIKE concat('a', 'b')"),
    *("i > 100 AND element_at(m, 'none') = 1", "i > 100 AND date_trunc('mo' || 'nth', ts) = ts"),
    *("i > 100 AND instr(bad, CAST(1 AS STRING)) = 1", "bad LIKE CASE WHEN 1 > 0 THEN '%a%' END"),
]
"""A null on the left leaves the right unevaluated, and so does a branch that no row reaches."""
FORMS_OF_TEXTS = [
    *("CAST(num AS DECIMAL(20, 5)) > 0", "CAST(num AS DOUBLE) < 1", "CAST(num AS FLOAT) > 1"),
    *("CAST(whole AS INT) = 7", "CAST(whole AS TINYINT) < 0", "whole + 0 = 7", "whole + 1 > i"),
    *("CAST(flag AS BOOLEAN)", "(flag) = (i > 0)", "CAST(day AS DATE) = '2024-02-01'"),
    *("CAST(at_time AS TIMESTAMP_NTZ) < TIMESTAMP_NTZ '2024-03-01 00:00:00'",),
    *("CAST(at_time AS TIMESTAMP) < TIMESTAMP '2024-02-03 04:05:00Z'", "dt LIKE '2024%'"),
    *("i LIKE '7%'", "round(d, 2) = 2.68D", "round(d, 1) < 0", "floor(d) = 2", "ceil(d) = 0"),
    *("date_format(ts, 'M/d/yy EEE D H a SSS') = '1/5/24 Fri 5 13 PM 678'",),
    *("date_format(ts, \"yyyy-MM-dd'T'HH:mm\") = '2024-01-05T13:04'", "num RLIKE '\\\\141|5'"),
    *("num RLIKE '\\\\065'", "bad RLIKE '[[:alpha:]]'", "length(date_format(dt, 'MMMM')) > 7"),
    *("CAST(far AS DATE) = DATE '9999-12-31'", "hour(far) IN (1, 5, 19)"),
]
"""Texts that Spark parses or prints in several forms, and numbers and times beyond the usual."""


_SHARED = "spark.sql.subexpressionElimination.enabled"
"""With it, Spark evaluates early what several columns share, even if none of them needs it."""


@pytest.mark.parametrize("zone", ["UTC", "Asia/Kolkata"])
def test_order_and_forms(zone: str, spark: Any) -> None:
    columns = (
        "i INT, z INT, bad STRING, num STRING, whole STRING, flag STRING, day STRING, "
        "at_time STRING, d DOUBLE, dt DATE, ts TIMESTAMP(6), far TIMESTAMP_LTZ(6), "
        "m MAP<STRING, INT>"
    )
    of_spark = columns.replace("TIMESTAMP(6)", "TIMESTAMP_NTZ").replace("_LTZ(6)", "")
    values = [
        "7, 1, '1', '1e2', '+7', 't', '2024', '2024-2-3', 2.675D, DATE '2024-01-05', "
        "TIMESTAMP_NTZ '2024-01-05 13:04:05.678', TIMESTAMP '9999-12-31 23:30:00Z', map('x', 1)",
        "NULL, 0, 'x', ' .5', ' -8\\t', 'NO', '2024-2', '2024-02-03T04:05', -0.1D, "
        "DATE '2024-09-30', TIMESTAMP_NTZ '1969-12-31 23:59:59.9', "
        "TIMESTAMP '2050-07-01 00:00:00Z', map()",
        "NULL, 0, '', '5.', '007', 'y', '2024-2-1 x', '2024-02-03 04:05:06.7+01:00', "
        "double('NaN'), NULL, NULL, NULL, NULL",
        "8, 2, '0', '-1.25E-3', NULL, ' F ', NULL, '2024-12-31 1:2', 1e15D, DATE '0001-01-01', "
        "NULL, TIMESTAMP '2400-01-01 00:00:00Z', map('y', 2)",
    ]
    schema = Schema.parse(columns)
    spark.conf.set("spark.sql.session.timeZone", zone)
    spark.conf.set(_SHARED, "false")
    spark.sql(f"CREATE TABLE forms (at INT, {of_spark}) USING parquet")
    try:
        listed = ", ".join(f"({at}, {row})" for at, row in enumerate(values))
        spark.sql(f"INSERT INTO forms VALUES {listed}")
        frame = spark.sql("SELECT * FROM forms").orderBy("at").drop("at")
        table = frame.toArrow().cast(schema.to_arrow())
        texts, different = LEFT_FIRST + FORMS_OF_TEXTS, []
        chosen = ", ".join(f"({text}) AS c{at}" for at, text in enumerate(texts))
        answers = spark.sql(f"SELECT {chosen} FROM forms ORDER BY at").toArrow()
        for at, text in enumerate(texts):
            ours = mask(parse_predicate(text, schema, time_zone=zone), table).to_pylist()
            expected = [one is True for one in answers[f"c{at}"].to_pylist()]
            if ours != expected:
                different.append((text, ours, expected))
    finally:
        spark.sql("DROP TABLE forms")
        spark.conf.unset(_SHARED)
        spark.conf.set("spark.sql.session.timeZone", "UTC")
    assert not different


# Drawn conditions -------------------------------------------------------------------------------


ENTRIES = {
    *FUNCTIONS,
    *(f"CAST {source} AS {target}" for source, target in CASTS if target in TYPES),
    *(f"EXTRACT {field}" for field in EXTRACTED),
    *TESTS,
}


@pytest.fixture(scope="module")
def report(spark: Any, tmp_path_factory: pytest.TempPathFactory) -> Report:
    """What `make conditions` finds for 200 conditions or more; --seed draws others."""
    folder = tmp_path_factory.mktemp("conditions")
    comparison = Comparison(Spark(spark, folder), examples.seed)
    for _ in range(5):  # few have drawn all entries
        if not ENTRIES - comparison.run(200).entries:
            break
    return comparison.report


def test_drawn_conditions(report: Report) -> None:
    """They select Spark's rows, also if a delete tests them; more of it: `make conditions`."""
    assert report.failures == []
    assert report.counts.total() >= 200 and report.deletes > 0
    # By chance, it is more of a few conditions.
    assert report.share_refused() <= 2 * MOST_REFUSED, report.refused


def test_all_entries_are_drawn(report: Report) -> None:
    assert ENTRIES - report.entries == set()
    drawn = {type(node) for text in report.drawn for node in parse(text).walk()}
    assert {form.__name__ for form in set(OPERATORS) - drawn} == set()


def test_wrong_answers_are_found(
    spark: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With a wrong rule for `length`, and one for `mod` that replaces an error."""
    wrong: dict[str, Any] = {
        "length": lambda rows, text: pc.add(pc.utf8_length(text), pa.scalar(1, pa.int32())),
        "mod": lambda rows, left, right: pc.fill_null(left, 0),
    }
    for name, rule in wrong.items():
        monkeypatch.setitem(FUNCTIONS, name, replace(FUNCTIONS[name], rule=rule, lazy=False))
    comparison = Comparison(Spark(spark, tmp_path), 1)
    length = Node("{} = 2", "boolean", (Node("length({})", "int", (Node("s", "text"),)),))
    error = Node("mod({}, 0) = 1", "boolean", (Node("i", "int"),))
    flag = Node("b", "boolean")
    comparison.rows = pa.table(
        {name: [{"s": "ab", "i": 1, "b": True}.get(name)] for name in ROWS.names},
        schema=ROWS.to_arrow(),
    )
    with comparison.spark.quietly():
        comparison.spark.load(comparison.rows)
        for node in (length, error):
            joined = Node("{} AND ({} OR {})", "boolean", (flag, node, Node("false", "boolean")))
            comparison.record(comparison.compare([joined])[0])
    assert comparison.report.failures == [
        "different: length(s) = 2 [UTC] Spark: True on {'s': 'ab'}",
        "only Spark refuses: mod(i, 0) = 1 [UTC] we: [True] on [{'i': 1}]",
    ]
