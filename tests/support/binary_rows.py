"""Strategies of binary rows: types, and values of them."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from hypothesis import strategies as st

from paimon_ksy.types.data_type import DataType
from paimon_ksy.types.parse import parse_type
from tests.support.strategies import values as values_of

TYPES = [
    *("BOOLEAN", "TINYINT", "SMALLINT", "INT", "BIGINT", "FLOAT", "DOUBLE", "DATE", "TIME(3)"),
    *("DECIMAL(5, 2)", "DECIMAL(18, 18)", "DECIMAL(19, 0)", "DECIMAL(38, 10)"),
    *("TIMESTAMP(0)", "TIMESTAMP(3)", "TIMESTAMP(6)", "TIMESTAMP(9)"),
    *("TIMESTAMP(3) WITH LOCAL TIME ZONE", "TIMESTAMP(9) WITH LOCAL TIME ZONE"),
    *("CHAR(3)", "VARCHAR(9)", "STRING", "BINARY(3)", "BYTES"),
]


@st.composite
def rows(draw: st.DrawFn) -> tuple[list[DataType], list[Any]]:
    types = [parse_type(text) for text in draw(st.lists(st.sampled_from(TYPES), max_size=70))]
    return types, [draw(st.none() | some_of(kind)) for kind in types]


def some_of(kind: DataType) -> st.SearchStrategy[Any]:
    if kind.root != "DECIMAL":
        return values_of(kind)
    limit = 10 ** (kind.precision or 10) - 1
    return st.integers(-limit, limit).map(
        lambda n: Decimal((int(n < 0), tuple(map(int, str(abs(n)))), -(kind.scale or 0)))
    )
