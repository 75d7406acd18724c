"""Bound predicates: literals of the column's type, null logic, and no NOT above a leaf."""

import datetime as dt
import math
import sys
from decimal import Decimal

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given

from kit_support.examples import examples
from paimon_ksy.errors import PredicateError
from paimon_ksy.predicates.bind import bind
from paimon_ksy.predicates.tree import (
    Always,
    And,
    Comparison,
    Contains,
    EndsWith,
    In,
    IsNotNull,
    IsNull,
    Leaf,
    Like,
    Or,
    Predicate,
    StartsWith,
    col,
)
from paimon_ksy.types.literals import TIMESTAMP, TypedLiteral
from paimon_ksy.types.parse import parse_type
from paimon_ksy.types.schema import Schema
from tests.support.brute_force import matching_rows
from tests.support.strategies import BITMAP_TYPES, OTHER_TYPES, Table, tables_and_predicates

SCHEMA = Schema.parse(
    "flag BOOLEAN, tiny TINYINT, a INT, big BIGINT, f FLOAT, d DOUBLE, dec DECIMAL(5, 2), "
    "c CHAR(3), s STRING, x BYTES, day DATE, t TIME(3), ts0 TIMESTAMP(0), ts3 TIMESTAMP(3), "
    "ts6 TIMESTAMP(6), ts9 TIMESTAMP(9), ltz TIMESTAMP_LTZ(6), m MAP<STRING, INT>, l ARRAY<INT>"
)

NEVER, EVER = Always(False), Always(True)
NOON = 1_704_110_400 * 10**9  # 2024-01-01T12:00:00


def bound(predicate: Predicate, **options: str) -> str:
    return repr(bind(predicate, SCHEMA, **options))


BOUND: dict[str, tuple[Predicate, str]] = {
    "names in another case": (col("A") == 1, "a = 1"),
    "map keys": (col("M")["k"] == 1, "`m[k]` = 1"),
    "not pushed into the leaves": (
        ~((col("a") > 1) & (col("s") == "x") | col("c").is_null()),
        "(a <= 1 OR s <> 'x') AND c IS NOT NULL",
    ),
    "not between": (~col("a").between(1, 5), "a < 1 OR a > 5"),
    "not in": (~col("a").is_in([1, 2]), "a NOT IN (1, 2)"),
    "not like": (~col("s").like("a_"), "s NOT LIKE 'a_'"),
    "not not": (~~(col("a") < 1), "a < 1"),
    "= null": (col("a") == None, "FALSE"),  # noqa: E711
    "not = null": (~(col("a") == None), "FALSE"),  # noqa: E711
    "<=> null": (col("a").equals_null_safe(None), "a IS NULL"),
    "not <=>": (~col("a").equals_null_safe(1), "a IS NULL OR a <> 1"),
    "in with null": (col("a").is_in([1, None]), "a = 1"),
    "not in with null": (col("a").is_not_in([1, None]), "FALSE"),
    "not (not in with null)": (~col("a").is_not_in([1, None]), "a = 1"),
    "in nothing": (col("a").is_in([]), "FALSE"),
    "not in nothing": (col("a").is_not_in([]), "TRUE"),
    "in twice the same": (
        col("d").is_in([0.0, -0.0, math.nan, float("nan"), 0]),
        "d IN (0.0D, CAST('NaN' AS DOUBLE))",
    ),
    "or of = is in": (
        (col("a") == 1) | (col("s") == "x") | col("a").is_in([2, 3]) | (col("a") == 1),
        "a IN (1, 2, 3) OR s = 'x'",
    ),
    "and of <> is not in": ((col("a") != 1) & (col("a") != 2), "a NOT IN (1, 2)"),
    "not (or of =)": (~((col("a") == 1) | (col("a") == 2)), "a NOT IN (1, 2)"),
    "and of = is not in": ((col("a") == 1) & (col("a") == 2), "a = 1 AND a = 2"),
    "the same twice": ((col("a") > 1) & (col("a") > 1), "a > 1"),
    "true and": (EVER & (col("a") > 1), "a > 1"),
    "null or": (Always(None) | (col("a") > 1), "a > 1"),
    "false and": ((col("a") > 1) & NEVER, "FALSE"),
    "true or": ((col("a") > 1) | EVER, "TRUE"),
    "not null": (~Always(None), "FALSE"),
    "int = fraction": (col("a") == 1.5, "FALSE"),
    "int <> fraction": (col("a") != 1.5, "a IS NOT NULL"),
    "not (int = fraction)": (~(col("a") == 1.5), "a IS NOT NULL"),
    "int > fraction": (col("a") > 1.5, "a > 1"),
    "int >= fraction": (col("a") >= 1.5, "a > 1"),
    "int < fraction": (col("a") < Decimal("-1.5"), "a <= -2"),
    "int = float": (col("a") == 2.0, "a = 2"),
    "int in fractions": (col("a").is_in([1, 1.5, 2.0]), "a IN (1, 2)"),
    "int in fractions only": (col("a").is_in([0.5, 1.5]), "FALSE"),
    "int not in fractions only": (col("a").is_not_in([0.5, 1.5]), "a IS NOT NULL"),
    "tiny = 1000": (col("tiny") == 1000, "FALSE"),
    "tiny < 1000": (col("tiny") < 1000, "tiny IS NOT NULL"),
    "tiny > -129": (col("tiny") > -129, "tiny IS NOT NULL"),
    "tiny < -129": (col("tiny") < -129, "FALSE"),
    "tiny <= 127": (col("tiny") <= 127, "tiny <= 127"),
    "int < nan": (col("a") < math.nan, "a IS NOT NULL"),
    "int > inf": (col("a") > math.inf, "FALSE"),
    "int = zero with a large exponent": (col("a") == Decimal("0E+50"), "a = 0"),
    "int < an int that cannot be printed": (col("a") < 10**5000, "a IS NOT NULL"),
    "int < huge": (col("a") < Decimal("1E+999999"), "a IS NOT NULL"),
    "float = 0.1": (col("f") == 0.1, f"f = {float(np.float32(0.1))!r}D"),
    "float < too large": (col("f") < 1e300, f"f <= {float(np.finfo(np.float32).max)!r}D"),
    "float = too large": (col("f") == 1e300, "FALSE"),
    "double > too small": (col("d") > -(10**400), "d > CAST('-Infinity' AS DOUBLE)"),
    "double = -0.0": (col("d") == -0.0, "d = 0.0D"),
    "double = text of nan": (col("d") == "NaN", "d = CAST('NaN' AS DOUBLE)"),
    "decimal": (col("dec") == 1.1, "dec = 1.10"),
    "decimal finer": (col("dec") == Decimal("1.005"), "FALSE"),
    "decimal > finer": (col("dec") > Decimal("1.005"), "dec > 1.00"),
    "decimal < too large": (col("dec") < 10**36, "dec IS NOT NULL"),
    "decimal < more than its type": (col("dec") < 1000, "dec < 1000.00"),
    "decimal <= almost too large": (col("dec") <= Decimal("999.999"), "dec <= 999.99"),
    "decimal < less than its type": (col("dec") < Decimal("-999.999"), "dec <= -1000.00"),
    "decimal < too small": (col("dec") < -(10**36), "FALSE"),
    "char padding": (col("c") == "a    ", "c = 'a'"),
    "char in padding": (col("c").is_in(["a", "a "]), "c = 'a'"),
    "text keeps spaces": (col("s") == "a ", "s = 'a '"),
    "text from bytes": (col("s") == b"\xc3\xa9", "s = 'é'"),
    "bytes": (col("x") == bytearray(b"\x00\xff"), "x = X'00FF'"),
    "date": (col("day") == dt.date(2024, 1, 31), "day = DATE '2024-01-31'"),
    "date from text": (col("day") == "2024-1-31", "day = DATE '2024-01-31'"),
    "date = noon": (col("day") == dt.datetime(2024, 1, 31, 12), "FALSE"),
    "date < noon": (col("day") < dt.datetime(2024, 1, 31, 12), "day <= DATE '2024-01-31'"),
    "time": (col("t") == dt.time(12, 30, 0, 500_000), "t = TIME '12:30:00.5'"),
    "time finer": (col("t") <= dt.time(12, 30, 0, 1), "t <= TIME '12:30:00'"),
    "time from text": (col("t") > "7:05", "t > TIME '07:05:00'"),
    "timestamp = finer": (col("ts3") == "2024-01-01 12:00:00.1234", "FALSE"),
    "timestamp < finer": (
        col("ts3") < "2024-01-01T12:00:00.1234",
        "ts3 <= TIMESTAMP_NTZ '2024-01-01 12:00:00.123'",
    ),
    "timestamp(0) is stored in milliseconds": (
        col("ts0") == "2024-01-01 12:00:00.5",
        "ts0 = TIMESTAMP_NTZ '2024-01-01 12:00:00.5'",
    ),
    "timestamp(9)": (
        col("ts9") == TypedLiteral(NOON + 1, TIMESTAMP),
        "ts9 = TIMESTAMP_NTZ '2024-01-01 12:00:00.000000001'",
    ),
    "timestamp from date": (
        col("ts3") >= dt.date(2024, 1, 1),
        "ts3 >= TIMESTAMP_NTZ '2024-01-01 00:00:00'",
    ),
    "zoned": (
        col("ltz") == dt.datetime(2024, 1, 1, 12, tzinfo=dt.timezone(dt.timedelta(hours=2))),
        "ltz = TIMESTAMP_LTZ '2024-01-01 10:00:00Z'",
    ),
    "zoned from text": (
        col("ltz") == "2024-07-01 12:00:00 Europe/Berlin",
        "ltz = TIMESTAMP_LTZ '2024-07-01 10:00:00Z'",
    ),
    "no zone is UTC": (
        col("ltz") == dt.datetime(2024, 1, 1, 12),
        "ltz = TIMESTAMP_LTZ '2024-01-01 12:00:00Z'",
    ),
    "like prefix": (col("s").like("ab%"), "startswith(s, 'ab')"),
    "like suffix": (col("s").like("%%ab"), "endswith(s, 'ab')"),
    "like part": (col("s").like(r"%a\%b%"), "contains(s, 'a%b')"),
    "like exact": (col("s").like(r"a\_"), "s = 'a_'"),
    "like anything": (col("s").like("%"), "s IS NOT NULL"),
    "not like anything": (~col("s").like("%"), "FALSE"),
    "like the empty text": (col("s").like(""), "s = ''"),
    "like with another escape": (col("s").like("a!_%", "!"), "startswith(s, 'a_')"),
    "like null": (col("s").like(None), "FALSE"),  # type: ignore[arg-type]
    "char like, where padding counts": (col("c").like("ab"), "c LIKE 'ab'"),
    "starts with nothing": (col("s").startswith(""), "s IS NOT NULL"),
    "nested is null": (col("l").is_null(), "l IS NULL"),
}


@pytest.mark.parametrize("case", BOUND)
def test_bind(case: str) -> None:
    predicate, expected = BOUND[case]
    assert bound(predicate) == expected


def test_bound_leaves_have_the_type_and_internal_values() -> None:
    assert bind(col("ts3") > "1970-01-01 00:00:01", SCHEMA) == Comparison(
        ">", "ts3", 10**9, parse_type("TIMESTAMP(3)")
    )
    assert bind(col("day").is_in([dt.date(1970, 1, 2), "1970-01-03"]), SCHEMA) == In(
        "day", (1, 2), False, parse_type("DATE")
    )
    kind = parse_type("STRING")
    assert bind(~col("s").startswith("a"), SCHEMA) == StartsWith("s", "a", True, kind)
    assert bind(col("s").endswith("a"), SCHEMA) == EndsWith("s", "a", False, kind)
    assert bind(col("s").contains("a"), SCHEMA) == Contains("s", "a", False, kind)
    assert bind(col("s").like("a_"), SCHEMA) == Like("s", "a_", False, kind)
    assert bind(col("s").is_null(), SCHEMA) == IsNull("s", kind)
    assert bind(col("s").is_not_null(), SCHEMA) == IsNotNull("s", kind)


def test_the_session_time_zone() -> None:
    summer = col("ltz") == "2024-07-01 12:00:00"
    assert bound(summer, time_zone="Europe/Berlin") == "ltz = TIMESTAMP_LTZ '2024-07-01 10:00:00Z'"
    assert bound(summer, time_zone="+05:30") == "ltz = TIMESTAMP_LTZ '2024-07-01 06:30:00Z'"
    with pytest.raises(PredicateError, match="unknown time zone 'Mars'"):
        bound(summer, time_zone="Mars")


@pytest.mark.parametrize(
    "value",
    [
        np.datetime64("2024-01-01T12:00:00.000000001"),
        pa.scalar(NOON + 1, pa.timestamp("ns")),
        "2024-01-01 12:00:00.000000001",
    ],
)
def test_nanoseconds_of_numpy_and_arrow_are_kept(value: object) -> None:
    assert bind(col("ts9") == value, SCHEMA) == Comparison(
        "=", "ts9", NOON + 1, parse_type("TIMESTAMP(9)")
    )


def test_values_of_numpy_and_arrow() -> None:
    assert bound(col("a").is_in(np.array([1, 2], "int64"))) == "a IN (1, 2)"
    assert bound(col("a").is_in(pa.array([1, None]))) == "a = 1"
    assert bound(col("d") == np.float32(1.5)) == "d = 1.5D"
    assert bound(col("flag") == np.bool_(True)) == "flag = TRUE"
    assert bound(col("day") == np.datetime64("2024-01-31")) == "day = DATE '2024-01-31'"
    assert bound(col("day") == np.datetime64("NaT", "D")) == "FALSE"
    assert bound(col("ltz") == pa.scalar(0, pa.timestamp("s", "Asia/Tokyo"))) == (
        "ltz = TIMESTAMP_LTZ '1970-01-01 00:00:00Z'"
    )


ERRORS: list[tuple[Predicate, str]] = [
    (col("zz") == 1, "no column 'zz': the schema has flag, tiny, a"),
    (col("a") == "5", "column 'a' of type INT with '5': write a number, without quotes"),
    (col("a") == True, "column 'a' of type INT with TRUE: write a number"),  # noqa: E712
    (col("flag") == 1, "column 'flag' of type BOOLEAN with 1: write TRUE or FALSE"),
    (col("d") == "x", "column 'd' of type DOUBLE with 'x': write a number"),
    (col("s") == 5, "column 's' of type STRING with 5: write a string, in quotes"),
    (col("s") == "\ud800", r"\ud800': character 0 is half of a surrogate pair"),
    (col("x") == "00", "column 'x' of type BYTES with '00': write bytes such as X'1F' in SQL"),
    (col("day") == "2024-02-30", "'2024-02-30': write a date such as DATE '2024-01-31'"),
    (col("day") == 5, "write a date"),
    (col("t") == "25:00", "write a time of day"),
    (col("ts3") == "noon", "write a timestamp"),
    (col("ts3") == 5, "write a timestamp"),
    (col("ts3") == "2024-01-01 00:00:00Z", "the column has no time zone"),
    (col("m") == 1, "supports only IS NULL and IS NOT NULL"),
    (col("a").like("x"), "column 'a' is INT: LIKE, startswith, endswith and contains need"),
    (col("s").like("a\\"), "the escape character '\\\\' must come before"),
    (col("s").like("a", "xx"), "LIKE needs one character after ESCAPE"),
    (col("a").is_in([1, "x"]), "column 'a' of type INT with 'x'"),
    (col("s") == 10**5000, "with 1e999: write a string"),
    (col("s") == np.zeros(2000), "write a string"),
    (Comparison("~", "a", 1), "unknown operator '~'"),
    (col("s") == "x" * 5000 + "\udfff", "..."),
]


@pytest.mark.parametrize(("predicate", "says"), ERRORS)
def test_what_does_not_fit_is_an_error_of_one_line(predicate: Predicate, says: str) -> None:
    with pytest.raises(PredicateError) as error:
        bind(predicate, SCHEMA)
    assert says in str(error.value)
    assert "\n" not in str(error.value)
    assert len(str(error.value)) < 400


def test_a_bound_predicate_is_not_bound_to_another_type() -> None:
    predicate = bind(col("a") == 1, Schema.parse("a INT NOT NULL"))
    assert bind(predicate, SCHEMA) == bind(col("a") == 1, SCHEMA)
    with pytest.raises(PredicateError, match="bound to INT"):
        bind(predicate, Schema.parse("a DATE"))


def test_ten_thousand_values_are_bound_in_one_pass() -> None:
    leaf = bind(col("a").is_in(range(10_000)), SCHEMA)
    assert isinstance(leaf, In) and leaf.values == tuple(range(10_000))


@pytest.mark.parametrize("negated", [False, True])
def test_a_chain_of_thousands_is_one_in(negated: bool) -> None:
    tests = [col("a") != n if negated else col("a") == n for n in range(5000)]
    predicate = tests[0]
    for test in tests[1:]:
        predicate = predicate & test if negated else predicate | test
    leaf = bind(predicate, SCHEMA)
    assert isinstance(leaf, In)
    assert (leaf.negated, leaf.values) == (negated, tuple(range(5000)))


def test_depth_is_no_limit() -> None:
    predicate = col("a") == 0
    for n in range(3 * sys.getrecursionlimit()):
        predicate = ~((predicate | (col("s") == str(n))) & (col("a") > n))
    result = bind(predicate, SCHEMA)
    assert repr(result).count("a ") > 1000


@examples(300)
@given(tables_and_predicates([*BITMAP_TYPES, *OTHER_TYPES]))
def test_binding_keeps_the_rows(case: tuple[Table, Predicate]) -> None:
    table, predicate = case
    columns, schema, num_rows = table.columns, table.schema, table.num_rows
    expected = matching_rows(predicate, columns, schema, num_rows=num_rows)
    result = bind(predicate, schema)
    assert matching_rows(result, columns, schema, num_rows=num_rows) == expected
    again = bind(result, schema)
    assert repr(again) == repr(result)
    assert_plain(result, top=True)


def assert_plain(predicate: Predicate, top: bool = False) -> None:
    """What `bind` promises of the trees that it makes."""
    if isinstance(predicate, Always):
        assert top and predicate.value is not None
    elif isinstance(predicate, And | Or):
        assert len(predicate.children) >= 2
        for child in predicate.children:
            assert not isinstance(child, type(predicate))
            assert_plain(child)
    else:
        assert isinstance(predicate, Leaf) and predicate.type is not None
        if isinstance(predicate, In):
            assert len(set(predicate.values)) == len(predicate.values) >= 2
            assert None not in predicate.values
