"""Values that rows compute: types, errors, time zones, and rows that other conditions leave out."""

import pickle
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import pyarrow as pa
import pytest

from paimon_ksy.errors import PredicateError
from paimon_ksy.predicates.bind import bind
from paimon_ksy.predicates.expressions import Expression
from paimon_ksy.predicates.row_filter import holds, mask
from paimon_ksy.predicates.sql import parse_predicate
from paimon_ksy.predicates.tree import Always, Comparison, Predicate, col
from paimon_ksy.types.schema import Schema
from paimon_ksy.types.timestamps import WIDE

SCHEMA = Schema.parse(
    "a INT, b INT, s STRING, c CHAR(3), p DECIMAL(38, 18), day DATE, ltz TIMESTAMP_LTZ(6), "
    "nanos TIMESTAMP(9)"
)


def bound(sql: str, zone: str | None = "UTC") -> Predicate:
    return bind(parse_predicate(sql, SCHEMA), SCHEMA, time_zone=zone)


def matches(predicate: str | Predicate, **columns: list[Any] | pa.Array) -> list[bool]:
    tree = bound(predicate) if isinstance(predicate, str) else predicate
    arrays = {
        name: values if isinstance(values, pa.Array) else pa.array(values, kind)
        for name, kind in zip(SCHEMA.names, SCHEMA.to_arrow().types, strict=True)
        if (values := columns.get(name)) is not None
    }
    found: list[bool] = mask(tree, pa.table(arrays)).to_pylist()
    return found


def test_a_predicate_prints_as_sql_of_the_same_meaning_and_can_be_sent() -> None:
    for sql in (
        "a + b = 5",
        "NOT (a < b)",
        "a = 1 OR UPPER(s) LIKE 'X_'",
        "(a = b) IS NULL",
        "CASE WHEN a > 1 THEN b END > 0",
    ):
        tree = bound(sql)
        rows = {"a": [1, 2, None], "b": [4, 1, 1], "s": ["x", "xy", None]}
        assert matches(repr(tree), **rows) == matches(tree, **rows)
        assert pickle.loads(pickle.dumps(tree)) == tree
        assert bind(tree, SCHEMA) == tree


def test_a_computed_value_is_no_column_of_the_same_text() -> None:
    value: object = Expression("a + b")
    assert value != "a + b" and hash(value) != hash("a + b")
    assert value == Expression("a + b")


def test_constants_are_computed_when_bound() -> None:
    assert repr(bound("a > 2 * 3")) == "a > 6"
    assert repr(bound("s = concat('x', 'y')")) == "s = 'xy'"
    assert bound("1 = 1.0 AND 'a' < 'b'") == Always(True)
    assert bound("NOT 1 IN (2, NULL)") == Always(False)
    today = datetime.now(UTC).date()
    assert repr(bound("day = current_date")) in (
        f"day = DATE '{each}'" for each in (today, datetime.now(UTC).date())
    )
    leaf = bound("ltz > now() - INTERVAL 1 DAY", "Asia/Tokyo")
    assert isinstance(leaf, Comparison)
    assert abs(leaf.value / 1e9 + 86_400 - datetime.now(UTC).timestamp()) < 60


def test_errors_of_rows_name_the_expression() -> None:
    for sql, says in {
        "a / b > 1": r"cannot evaluate a / b > 1: divide by zero",
        "a % b = 1": "divide by zero",
        "a + 2147483647 > 0": "overflow",
        "CAST(s AS INT) = 1": "'x' cannot be cast to INT",
        "p * p > 1": "not supported",
    }.items():
        with pytest.raises(PredicateError, match=says):
            matches(sql, a=[1], b=[0], s=["x"], p=[Decimal(10)])


def test_rows_that_other_conditions_leave_out_are_no_errors() -> None:
    rows: dict[str, Any] = {"a": [6, 6, None], "b": [0, 2, 1]}
    for sql in (
        "b <> 0 AND a / b = 3",
        "a / b = 3 AND b <> 0",
        "b <> 0 AND (a / b = 3 OR a IS NULL) AND a > 0",
        "CASE WHEN b <> 0 THEN a / b END = 3",
        "coalesce(nullif(b, 0), 7) <> 7 AND a / nullif(b, 0) = 3",
        "NOT (b = 0 OR a / b <> 3)",
    ):
        assert matches(sql, **rows) == [False, True, False]
    assert matches("a / b = 3 OR b = 0", **rows) == [True, True, False]


def test_texts_change_case_as_in_java() -> None:
    assert matches("upper(s) = 'STRASSE'", s=["straße", "Strasse", None]) == [True, True, False]
    assert matches("lower(s) = 'ὀδυσσεύς'", s=["ὈΔΥΣΣΕΎΣ", "x"]) == [True, False]


def test_a_char_is_padded_and_nanoseconds_are_cut() -> None:
    assert matches("length(c) = 3", c=["a", "abc"]) == [True, True]
    wide = pa.array([10**12 + 1, 2**65], WIDE)
    assert matches("year(nanos) = 1970", nanos=wide) == [True, False]


@pytest.mark.parametrize(
    ("zone", "hour"), [("UTC", 23), ("+02:00", 1), ("-05:00", 18), ("Asia/Tokyo", 8)]
)
def test_parts_of_an_instant_are_those_of_the_session(zone: str, hour: int) -> None:
    instant = [datetime(2024, 1, 31, 23, 30, tzinfo=UTC)]
    assert matches(bound(f"hour(ltz) = {hour}", zone), ltz=instant) == [True]
    with pytest.raises(PredicateError, match="needs a time zone"):
        bound(f"hour(ltz) = {hour}", None)
    with pytest.raises(PredicateError, match="needs a time zone"):
        bound("day = current_date", None)


def test_values_of_a_partition_decide() -> None:
    tree = bound("year(day) = 2024 AND a + b > 1")
    assert holds(tree, {"day": 0}) is False
    assert holds(tree, {"day": 19750}) is None
    assert holds(tree, {"day": 19750, "a": 1, "b": 1}) is True
    assert holds(bound("day <> DATE '1970-01-01' AND year(day) = 1970"), {"day": None}) is False


def test_patterns_are_those_of_java() -> None:
    texts = ["ab", "ab\n", "a\rb", "xab"]
    assert matches("s RLIKE '^ab$'", s=texts) == [True, True, False, False]
    assert matches("s RLIKE 'a.b'", s=texts) == [False] * 4
    assert matches("s RLIKE '(?i)^AB$'", s=texts) == [True, True, False, False]
    unlike = ("(?s)a.b", "(?m)^b", "(?U)a", "(?i-s)a", r"\\Q.\\E", r"a\\vb", r"\\ba", "(?i)é")
    for pattern in ("(?=a)", "[a&&b]", "(a", *unlike):
        with pytest.raises(PredicateError, match=r"cannot evaluate s RLIKE"):
            bound(f"s RLIKE '{pattern}'")


def test_the_place_of_a_text_is_that_of_java() -> None:
    texts = ["abc", "", None, "éc"]
    assert matches("instr(s, '') = 1", s=texts) == [True, True, False, True]
    assert matches("locate('c', s) = 2", s=texts) == [False, False, False, True]


@pytest.mark.parametrize(
    "sql",
    [
        "to_date(s, 'yyyy-dd-MM') = day",
        "datediff('MONTH', day, day) = 1",
        "locate('a', s, 2) = 1",
        "ceil(p, 1) = 1",
        "floor(p, 1) = 1",
        "try_cast(s AS INT) = 1",
        "date_trunc('MICROSECOND', nanos) = nanos",
        "date_format(nanos, 'G') = 'x'",
        "day + INTERVAL '1-2' YEAR TO MONTH = day",
        "round(a / b, -1) = 1",
        "(SELECT 1) + a = 1",
        "read_files(s) = 'x'",
        "substring(s, a) = 'x'",
        "s RLIKE s",
    ],
)
def test_what_is_not_supported_is_named(sql: str) -> None:
    with pytest.raises(PredicateError, match="not supported"):
        bound(sql)


def test_python_predicates_combine_with_sql() -> None:
    tree = bind(~parse_predicate("a < b", SCHEMA) | (col("s") == "x"), SCHEMA)
    assert matches(tree, a=[1, 2, None], b=[2, 1, 1], s=["x", "y", None]) == [True, True, False]
