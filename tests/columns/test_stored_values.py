"""Keys order as the index does, and stand for values."""

import math
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kit_support.examples import examples
from paimon_ksy.columns.postings import postings
from paimon_ksy.columns.stored_values import (
    NEGATIVE_ZERO,
    are_ascending,
    floats_of,
    holds_values,
    keys_of,
    sortable,
    value_of,
)
from paimon_ksy.types.parse import parse_type
from tests.support.strategies import arrow_column, columns


def java_order(value: float) -> tuple[bool, float, bool]:
    """What Java's `Float.compare` orders by."""
    nan = math.isnan(value)
    return nan, 0.0 if nan else value, nan or math.copysign(1, value) > 0


@pytest.mark.parametrize("width", [32, 64])
@examples(100)
@given(data=st.data())
def test_floats_are_in_the_order_of_java(width: int, data: st.DataObject) -> None:
    values = np.array(
        data.draw(st.lists(st.floats(width=32 if width == 32 else 64))), f"f{width // 8}"
    )
    keys = sortable(values)
    by_key = [float(values[at]) for at in np.argsort(keys, kind="stable")]
    wanted = sorted(map(float, values), key=java_order)
    assert list(map(java_order, by_key)) == list(map(java_order, wanted))
    assert (
        floats_of(keys).tobytes()
        == np.where(np.isnan(values), np.nan, values).astype(values.dtype).tobytes()
    )


def test_zeros_and_nans_have_keys_of_their_own() -> None:
    negative_nan = np.array([0xFFC0_0001], np.uint32).view(np.float32)[0]
    values = np.array([-0.0, 0.0, np.nan, negative_nan, np.inf], np.float32)
    keys = sortable(values).tolist()
    assert keys[:2] == [NEGATIVE_ZERO, 0]
    assert keys[2] == keys[3] > keys[4]
    assert keys_of(values.tolist(), parse_type("FLOAT")) == keys


@examples(50)
@given(numbers=st.lists(st.integers(-3, 3), max_size=5))
def test_ascending_keys(numbers: list[int]) -> None:
    wanted = all(a < b for a, b in pairwise(numbers))
    assert are_ascending(np.array(numbers, np.int32)) == wanted
    assert are_ascending([b"%d" % (number + 3) for number in numbers]) == wanted


HOLDING = [
    *("TINYINT", "SMALLINT", "INT", "BIGINT", "DATE", "TIME(3)", "DECIMAL(10, 2)", "STRING"),
    *("TIMESTAMP(3)", "TIMESTAMP(6)"),
]


@pytest.mark.parametrize("text", HOLDING)
@examples(40)
@given(data=st.data())
def test_keys_are_values_again(text: str, data: st.DataObject) -> None:
    kind = parse_type(text)
    assert holds_values(kind)
    column = data.draw(columns(kind, max_size=20))
    found = postings(arrow_column(kind, column), kind)
    keys: Any = found.keys
    values = [value_of(key, kind) for key in (keys.to_pylist() if kind.is_string else keys)]
    assert set(values) == {value for value in column if value is not None}


@pytest.mark.parametrize("text", ["TIMESTAMP(9)", "CHAR(3)", "FLOAT", "DOUBLE", "BOOLEAN"])
def test_keys_that_are_cut_padded_or_made_alike(text: str) -> None:
    assert not holds_values(parse_type(text))


def test_a_list_of_keys_stays_a_list() -> None:
    texts: Any = [b"a", b"b"]
    assert keys_of(texts, parse_type("STRING")) == texts
    assert keys_of(np.array([1, 2], np.int8), parse_type("TINYINT")).dtype == np.int8  # type: ignore[union-attr]
