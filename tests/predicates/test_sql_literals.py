"""Literals of SQL and their casts: as columns are compared with them, and by themselves."""

import contextlib
from datetime import time
from decimal import Decimal
from typing import Any

import pytest
import sqlglot
from hypothesis import example, given
from hypothesis import strategies as st

from paimon_ksy.errors import PredicateError
from paimon_ksy.predicates.bind import bind
from paimon_ksy.predicates.sql import parse_predicate
from paimon_ksy.predicates.sql_literals import NotALiteral, literal_of
from paimon_ksy.predicates.tree import Column
from paimon_ksy.types.literals import DATE, TypedLiteral
from paimon_ksy.types.schema import Schema

SCHEMA = Schema.parse(
    "status STRING, amount INT, price DECIMAL(10, 2), f FLOAT, d DOUBLE, x BYTES, day DATE, "
    "t TIME(3), ts TIMESTAMP(3), ltz TIMESTAMP_LTZ(6)"
)

# SQL, and the predicate that it stands for, bound.
SQL = {
    "amount = -1": "amount = -1",
    "amount = - (1)": "amount = -1",
    "amount = +1": "amount = 1",
    r"status = r'a\b'": r"status = 'a\\b'",
    "day >= DATE '2024-01-31'": "day >= DATE '2024-01-31'",
    "day < TIMESTAMP '2024-01-31 12:00:00'": "day <= DATE '2024-01-31'",
    "day = CAST('12024-01-31' AS DATE)": "day = DATE '+12024-01-31'",
    "t >= TIME '12:30:00'": "t >= TIME '12:30:00'",
    "ts = TIMESTAMP '2024-01-31 12:00:00.123'": "ts = TIMESTAMP_NTZ '2024-01-31 12:00:00.123'",
    "ts = TIMESTAMP_NTZ '2024-01-31T12:00:00'": "ts = TIMESTAMP_NTZ '2024-01-31 12:00:00'",
    "ltz = TIMESTAMP '2024-01-31 12:00:00'": "ltz = TIMESTAMP_LTZ '2024-01-31 12:00:00Z'",
    "ltz = TIMESTAMP_LTZ '2024-01-31 12:00:00+02:00'": (
        "ltz = TIMESTAMP_LTZ '2024-01-31 10:00:00Z'"
    ),
    "x = X'00fF'": "x = X'00FF'",
    "x = X'FFF'": "x = X'0FFF'",
    "price = 1.5": "price = 1.50",
    "price = 1.5BD": "price = 1.50",
    "price > 1e3": "price > 1000.00",
    "d = 1.5D": "d = 1.5D",
    "d = 1.5e-3": "d = 0.0015D",
    "d < 1e400": "d <= 1.7976931348623157e+308D",
    "d = CAST('NaN' AS DOUBLE)": "d = CAST('NaN' AS DOUBLE)",
    "d = CAST(' -1.5e1 ' AS DOUBLE)": "d = -15.0D",
    "d = CAST('-INF' AS DOUBLE)": "d = CAST('-Infinity' AS DOUBLE)",
    "price = CAST('.5' AS DECIMAL(10, 2))": "price = 0.50",
    "d < double('Infinity')": "d < CAST('Infinity' AS DOUBLE)",
    "d = .5": "d = 0.5D",
    "f = 0.5F": "f = 0.5D",
    "amount = 5L": "amount = 5",
    "amount = CAST('5' AS INT)": "amount = 5",
    "amount = CAST(5.9 AS INT)": "amount = 5",
    "amount = '5'::int": "amount = 5",
    "status = CAST(5 AS STRING)": "status = '5'",
    "price = CAST(1.005 AS DECIMAL(10, 2))": "price = 1.01",
    "amount = CAST(NULL AS INT)": "FALSE",
    "amount = 99999999999999999999999999999": "FALSE",
    "amount < 99999999999999999999999999999": "amount IS NOT NULL",
    "0.1D = 0.1": "TRUE",
    "CAST('NaN' AS DOUBLE) = CAST('NaN' AS FLOAT)": "TRUE",
    "CAST('NaN' AS DOUBLE) > 1e308D": "TRUE",
    "DATE '2024-01-02' > TIMESTAMP '2024-01-01 12:00:00'": "TRUE",
    "DATE '2024-01-01' = TIMESTAMP '2024-01-01 00:00:00'": "TRUE",
    "day = CAST(TIMESTAMP '1969-12-31 12:30:00' AS DATE)": "day = DATE '1969-12-31'",
}


@pytest.mark.parametrize(("sql", "expected"), SQL.items())
def test_literals_in_predicates(sql: str, expected: str) -> None:
    assert repr(bind(parse_predicate(sql, SCHEMA), SCHEMA)) == expected


# SQL, and what the error must say.
ERRORS = {
    "amount = -'x'": "the sign of what is not a number",
    "'a' = 1": "'a' cannot be cast to BIGINT",
    "TRUE = 1": "BOOLEAN and INT have no common type",
    "day = CAST(5 AS DATE)": "5 is not a DATE",
    "ts = CAST(5 AS TIMESTAMP)": "5 is not a TIMESTAMP",
    "t = CAST(TRUE AS TIME)": "TRUE is not a TIME",
    "price = CAST('NaN' AS DECIMAL(10, 2))": "'NaN' is not a DECIMAL",
    "amount = CAST('x' AS INT)": "'x' is not a INT",
    "amount = CAST('1_0' AS INT)": "'1_0' is not a INT",
    "amount = CAST('1e1' AS INT)": "'1e1' is not a INT",
    "amount = CAST('\u0665' AS INT)": "'\u0665' is not a INT",
    "d = CAST('1_0' AS DOUBLE)": "'1_0' is not a DOUBLE",
    "price = CAST('1_0' AS DECIMAL(10, 2))": "'1_0' is not a DECIMAL(10, 2)",
    "status = CAST(1.5D AS STRING)": "is not a STRING",
    "amount = CAST(300 AS TINYINT)": "300 is not a TINYINT",
    "day = DATE '2024-02-30'": "'2024-02-30' is not a DATE",
    "t = TIME '12:00:00.0000001'": "is not a TIME",
    "amount = CAST(1 AS INTERVAL)": "CAST AS INTERVAL is not supported",
    "amount = 1e9999999999999999999": "has too large an exponent",
    "amount = CAST(1e9999999999999999999 AS STRING)": "has too large an exponent",
}


@pytest.mark.parametrize(("sql", "says"), ERRORS.items())
def test_wrong_literals_are_named_in_one_line(sql: str, says: str) -> None:
    with pytest.raises(PredicateError) as error:
        parse_predicate(sql, SCHEMA)
    assert says in str(error.value)
    assert "\n" not in str(error.value)


NUMBERS = st.one_of(
    st.from_regex(r"-?[0-9]{1,3}(\.[0-9]{1,3})?([eE]-?[0-9]{1,25})?(D|BD|F|L)?", fullmatch=True),
    st.integers().map(lambda number: str(number * 10**400)),
)


@given(st.sampled_from(SCHEMA.names), NUMBERS, st.sampled_from(["{} = {}", "{0} IN ({1}, 2, {1})"]))
@example("price", "1E100000000000BD", "{} = {}")
def test_numbers_of_any_size_have_an_answer_or_our_error(name: str, text: str, sql: str) -> None:
    with contextlib.suppress(PredicateError):
        bind(parse_predicate(sql.format(name, text), SCHEMA), SCHEMA)


@given(st.sampled_from(SCHEMA.names), st.decimals(allow_nan=True) | st.just(Decimal("sNaN")))
def test_decimals_that_are_no_numbers_have_an_answer_or_our_error(
    name: str, value: Decimal
) -> None:
    with contextlib.suppress(PredicateError):
        bind(Column(name) < value, SCHEMA)


def value_of(sql: str) -> Any:
    return literal_of(sqlglot.parse_one(sql, dialect="spark"))


@given(number=st.integers(-(10**40), 10**40))
def test_integers_are_cast_where_they_fit(number: int) -> None:
    assert value_of(str(number)) == number
    for name, bits in {"TINYINT": 8, "SMALLINT": 16, "INT": 32, "BIGINT": 64}.items():
        for sql in (f"CAST({number} AS {name})", f"CAST('{number}' AS {name})"):
            if -(1 << bits - 1) <= number < 1 << bits - 1:
                assert value_of(sql) == number
            else:
                with pytest.raises(PredicateError, match=f"is not a {name}"):
                    value_of(sql)


@given(number=st.decimals(-(10**9), 10**9, places=4), scale=st.integers(0, 4))
def test_decimals_are_rounded_half_up(number: Decimal, scale: int) -> None:
    found = value_of(f"CAST({number} AS DECIMAL(20, {scale}))")
    below = abs(number) * 10**scale
    away = int(below) + (below - int(below) >= Decimal("0.5"))
    assert found == Decimal(away if number > 0 else -away).scaleb(-scale)
    assert -found.as_tuple().exponent == scale


@given(number=st.floats())
def test_floats_are_read_as_they_are_printed(number: float) -> None:
    assert repr(value_of(f"CAST('{number!r}' AS DOUBLE)")) == repr(number)


VALUES = {
    "NULL": None,
    "TRUE": True,
    "(('x'))": "x",
    "-1.50": Decimal("-1.50"),
    "-1234567890123456789012345678901.5": Decimal("-1234567890123456789012345678901.5"),
    "X'ABC'": b"\x0a\xbc",
    "CAST(' YES ' AS BOOLEAN)": True,
    "CAST(0 AS BOOLEAN)": False,
    "CAST(TRUE AS STRING)": "true",
    "CAST(TRUE AS INT)": 1,
    "CAST(-5.9 AS INT)": -5,
    "CAST(0.1 AS FLOAT)": 0.10000000149011612,
    "CAST(1.5 AS DECIMAL)": Decimal(2),
    "CAST(12.5 AS DECIMAL(3))": Decimal(13),
    "CAST('é' AS BINARY)": b"\xc3\xa9",
    "TIME '23:59:59.123456'": time(23, 59, 59, 123_456),
    "DATE '1970-01-02'": TypedLiteral(1, DATE),
    "CAST(CAST(NULL AS INT) AS DATE)": None,
    "9" * 1000: Decimal("9" * 1000),
}


@pytest.mark.parametrize(("sql", "value"), VALUES.items(), ids=range(len(VALUES)))
def test_values(sql: str, value: Any) -> None:
    found = value_of(sql)
    assert found == value
    assert type(found) is type(value)


@pytest.mark.parametrize("sql", ["a", "a + 1", "upper('a')", "CAST(a AS INT)", "-a"])
def test_what_is_no_literal(sql: str) -> None:
    with pytest.raises(NotALiteral):
        value_of(sql)


@pytest.mark.parametrize(
    "sql",
    [
        "CAST(1000 AS DECIMAL(3))",
        "CAST('1e999999999' AS BIGINT)",
        "CAST(1e300 AS INT)",
        "CAST('maybe' AS BOOLEAN)",
        "CAST(X'00' AS STRING)",
        "CAST(1.5 AS BINARY)",
        "-TRUE",
    ],
)
def test_casts_that_fail(sql: str) -> None:
    with pytest.raises(PredicateError) as error:
        value_of(sql)
    assert "\n" not in str(error.value)
