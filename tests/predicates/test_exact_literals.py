"""Which literals compare with a column as in Spark, which may cast the column instead."""

from decimal import Decimal
from typing import Any

import pytest

from paimon_ksy.errors import PredicateError
from paimon_ksy.predicates.exact_literals import RowsOnly, exact_element, exact_literal
from paimon_ksy.predicates.expressions import Expression
from paimon_ksy.types.literals import parse_timestamp
from paimon_ksy.types.parse import parse_type


@pytest.mark.parametrize(
    ("value", "text", "expected"),
    [
        (None, "INT", None),
        ("a", "STRING", "a"),
        (True, "BOOLEAN", True),
        (0.1, "FLOAT", Decimal.from_float(0.1)),  # Spark compares as DOUBLE
        (5.0, "BIGINT", 5.0),
        (float(2**53), "BIGINT", RowsOnly),  # several BIGINTs are this DOUBLE
        (1.5, "DECIMAL(10, 2)", Decimal("1.5")),
        (1.5, "DECIMAL(20, 2)", RowsOnly),
        (Decimal("1e-20"), "INT", Decimal("1e-20")),
        (Decimal("1e-40"), "INT", RowsOnly),  # more than 38 digits
        (Decimal("0.01"), "DECIMAL(38, 0)", RowsOnly),
    ],
)
def test_numbers(value: Any, text: str, expected: Any) -> None:
    kind = parse_type(text)
    if expected is not RowsOnly:
        assert exact_literal(value, kind, "UTC") == exact_element(value, kind) == expected
        return
    with pytest.raises(RowsOnly):
        exact_literal(value, kind, "UTC")
    with pytest.raises(PredicateError, match="with elements of"):
        exact_element(value, kind)


@pytest.mark.parametrize(
    ("text", "kind", "shown"),
    [
        ("2024-03-31 02:30:00", "TIMESTAMP(6)", "2024-03-31 03:30:00"),  # clocks skip it
        ("2024-07-01 02:30:00", "TIMESTAMP(6)", "2024-07-01 02:30:00"),
        ("2024-07-01 02:30:00.1234567", "TIMESTAMP(6)", "2024-07-01 02:30:00.123456"),
        ("2024-07-01 02:30:00.1234567", "TIMESTAMP(9)", "2024-07-01 02:30:00.1234567"),
    ],
)
def test_times_of_the_session(text: str, kind: str, shown: str) -> None:
    found = exact_literal(parse_timestamp(text), parse_type(kind), "Europe/Berlin", of_session=True)
    assert found == parse_timestamp(shown)


def test_elements_are_literals() -> None:
    with pytest.raises(PredicateError, match="not a literal"):
        exact_element(Expression("a + b"), parse_type("INT"))
