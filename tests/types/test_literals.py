"""Where literals stand among the values of a column."""

import numpy as np
import pytest

from paimon_ksy.types.literals import (
    DATE,
    TIMESTAMP,
    Position,
    TypedLiteral,
    date_text,
    parse_date,
    position_of,
)
from paimon_ksy.types.parse import parse_type


@pytest.mark.parametrize("year", [-99_999, -1, 0, 1, 1970, 9999, 10_000, 123_456])
def test_dates_of_any_year(year: int) -> None:
    text = f"{'-' if year < 0 else '+' if year > 9999 else ''}{abs(year):04d}-02-28"
    days = parse_date(text)
    assert days is not None
    assert date_text(days) == text
    assert days == int(np.datetime64(text.lstrip("+"), "D").astype(int))


@pytest.mark.parametrize(
    ("kind", "unit", "bits"),
    [
        ("TINYINT", None, 8),
        ("BIGINT", None, 64),
        ("DATE", None, 32),
        ("TIMESTAMP(0)", 10**6, 64),
        ("TIMESTAMP(3)", 10**6, 64),
        ("TIMESTAMP(6)", 10**3, 64),
        ("TIMESTAMP(9)", 10**3, 64),
        ("TIMESTAMP(6) WITH LOCAL TIME ZONE", 10**3, 64),
    ],
)
def test_literals_that_no_file_can_hold_are_outside(kind: str, unit: int | None, bits: int) -> None:
    def place(number: int) -> Position:
        own = TIMESTAMP if unit else DATE
        literal = TypedLiteral(number * (unit or 1), own) if unit or kind == "DATE" else number
        return position_of(literal, parse_type(kind), "c")

    limit = 1 << (bits - 1)
    assert place(limit).kind == "above"
    assert place(-limit - 1).kind == "below"
    assert place(limit - 1) == Position("at", (limit - 1) * (unit or 1))
    assert place(-limit) == Position("at", -limit * (unit or 1))
