"""Hypothesis strategies of columns, as internal values and as Arrow arrays."""

from __future__ import annotations

import math
from collections.abc import Sequence
from decimal import Decimal
from functools import cache
from typing import Any

import numpy as np
import pyarrow as pa
from hypothesis import strategies as st

from paimon_ksy.types.arrow import to_arrow
from paimon_ksy.types.data_type import INTEGER_BITS, DataType

NOON = 1_704_110_400 * 10**9  # 2024-01-01T12:00:00
_TEXTS = [
    "",
    "a",
    "A",
    "ab",
    "abc",
    " ",
    " a",
    "a ",
    "a\0",
    "b%",
    "_",
    "\\",
    "'",
    "é",
    "中文",
    "😀",
    "\uffff",
]


@cache
def values(kind: DataType) -> st.SearchStrategy[Any]:
    """Return a strategy of internal values: a few that come often, the ends of the range, any."""
    root = kind.root
    if root == "BOOLEAN":
        return st.booleans()
    if root in INTEGER_BITS:
        limit = 1 << (INTEGER_BITS[root] - 1)
        some = st.sampled_from([0, 1, -1, 2, 5, limit - 1, -limit])
        return some | st.integers(-limit, limit - 1)
    if root in ("FLOAT", "DOUBLE"):
        edge = [0.0, -0.0, 1.5, -1.5, math.nan, math.inf, -math.inf, float(np.float32(0.1))]
        return st.sampled_from(edge) | st.floats(width=32 if root == "FLOAT" else 64)
    if kind.is_string:
        length = min(kind.length or 1, 20)
        texts = [text[:length] for text in _TEXTS]
        return st.sampled_from(texts) | st.text(max_size=length).filter(_is_utf8)
    if kind.is_binary:
        return st.sampled_from([b"", b"\0", b"a", b"\xff\0"]) | st.binary(max_size=4)
    if root == "DECIMAL":
        scale = kind.scale or 0
        limit = 10 ** (kind.precision or 10) - 1
        digits = st.sampled_from([0, 1, -1, 150, limit, -limit]) | st.integers(-limit, limit)
        return digits.map(lambda n: Decimal(n).scaleb(-scale) if abs(n) < 10**20 else Decimal(n))
    if root == "DATE":
        return st.sampled_from([0, -1, 19_723, -719_162, 2_932_896]) | st.integers(-9000, 9000)
    if root == "TIME":
        unit = 1000 if kind.precision == 0 else 1
        last = 86_400_000 // unit - 1
        return (st.sampled_from([0, 1, last]) | st.integers(0, last)).map(lambda n: n * unit)
    step = {0: 10**9, 3: 10**6, 6: 10**3, 9: 1}[kind.precision or 0]
    # The last four share a microsecond.
    near = [0, -1, NOON, NOON + 123_456_789, NOON + 123_456_000, NOON + 123_456_999]
    nanos = st.sampled_from(near) | st.integers(-(10**18), 10**18)
    return nanos.map(lambda n: n // step * step)


def _is_utf8(text: str) -> bool:
    return not any("\ud800" <= character <= "\udfff" for character in text)


_PLACES = st.integers(0, 11)  # each of few values is at several of them


@cache
def _lists(
    items: st.SearchStrategy[Any], min_size: int, max_size: int
) -> st.SearchStrategy[list[Any]]:
    """Return a strategy of lists of items and nulls."""
    return st.lists(st.none() | items, min_size=min_size, max_size=max_size)


@cache
def _few(kind: DataType) -> st.SearchStrategy[list[Any]]:
    return st.lists(values(kind), min_size=1, max_size=5)


@st.composite
def columns(draw: st.DrawFn, kind: DataType, *, min_size: int = 0, max_size: int = 30) -> list[Any]:
    """Draw columns of internal values, with nulls and with values that repeat."""
    if draw(st.booleans()):
        return draw(_lists(values(kind), min_size, max_size))
    few = draw(_few(kind))
    places = draw(_lists(_PLACES, min_size, max_size))
    return [None if place is None else few[place % len(few)] for place in places]


def arrow_column(kind: DataType, column: Sequence[Any]) -> pa.Array:
    """Return internal values as an Arrow array of the type's own Arrow type."""
    arrow_type = to_arrow(kind)
    if kind.is_string:
        encoded = [
            None if text is None else text.encode("utf-8", "surrogateescape") for text in column
        ]
        # Not checked, so that bytes which are not UTF-8 get in, as they may from a real file.
        return pa.array(encoded, pa.binary()).view(arrow_type)
    if kind.is_timestamp:
        unit = {"s": 10**9, "ms": 10**6, "us": 10**3, "ns": 1}[arrow_type.unit]
        return pa.array([None if n is None else n // unit for n in column], arrow_type)
    return pa.array(column, arrow_type)
