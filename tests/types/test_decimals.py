"""Decimals of the bytes that Parquet has, and their unscaled values."""

from decimal import Decimal
from random import Random

import pyarrow as pa
import pytest

from paimon_ksy.types.decimals import from_parquet, unscaled


@pytest.mark.parametrize("width", range(1, 17))
@pytest.mark.parametrize("start", [0, 3])
@pytest.mark.parametrize("count", [0, 1, 50, (1 << 16) + 3])
def test_bytes_of_any_width_are_decimals(width: int, start: int, count: int) -> None:
    chosen = Random(width)
    top = min(2 ** (8 * width - 1), 10**38)
    ends = [0, -1, 1, top - 1, 1 - top, None]
    few = [*ends, *(chosen.randrange(1 - top, top) for _ in range(100))]
    numbers = [few[at % len(few)] for at in range(start + count)]
    stored = [None if n is None else n.to_bytes(width, "big", signed=True) for n in numbers]
    kind = pa.decimal128(38, 0)
    found = from_parquet(pa.array(stored, pa.binary(width)).slice(start), kind)
    found.validate(full=True)
    due = [None if n is None else Decimal(n) for n in numbers[start:]]
    assert found.equals(pa.array(due, kind))
    values, fit = unscaled(pa.array(stored, pa.binary(width)).slice(start).drop_null())
    there = [n for n in numbers[start:] if n is not None]
    assert fit == all(-(2**63) <= n < 2**63 for n in there)
    assert values.tolist() == there or not fit


def test_unscaled_values_of_64_bits() -> None:
    kind = pa.decimal128(38, 2)
    least, most = -(2**63), 2**63 - 1
    numbers = [7, least, most, -1, 0]
    column = pa.array([Decimal(n).scaleb(-2) for n in numbers], kind)
    values, fit = unscaled(column.slice(1))
    assert (values.tolist(), fit) == (numbers[1:], True)
    for beyond in (least - 1, most + 1):
        _, fit = unscaled(pa.array([Decimal(0), Decimal(beyond).scaleb(-2)], kind))
        assert not fit
