"""Indexes row by row: which rows differ, and whether they are a column's."""

from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyroaring import BitMap

from paimon_ksy.errors import CorruptFileError
from paimon_ksy.file_index.content import Content, numbers_of_slices
from paimon_ksy.types.parse import parse_type
from tests.support.strategies import examples

INT = parse_type("INT")
STRING = parse_type("STRING")
COLUMNS = st.lists(st.none() | st.integers(0, 4), max_size=12)


def content_of(column: list[Any], keys: list[int] | None) -> Content:
    """A column of numbers by its keys, in any order; as numbers themselves without keys."""
    nulls = np.array([value is None for value in column], np.bool_)
    if keys is None:
        return Content(None, np.array([value or 0 for value in column], np.int64), nulls)
    places = [-1 if value is None else keys.index(value) for value in column]
    return Content(np.array(keys, np.int32), np.array(places, np.int32), nulls)


def texts_of(column: list[Any], keys: list[int]) -> Content:
    found = content_of(column, keys)
    return Content([b"%d" % key for key in keys], found.places, found.nulls)


@examples(100)
@given(data=st.data())
def test_rows_that_differ(data: st.DataObject) -> None:
    mine = data.draw(COLUMNS)
    other = [data.draw(st.sampled_from([value, 4, None])) for value in mine]
    wanted = [at for at, (a, b) in enumerate(zip(mine, other, strict=True)) if a != b]
    keys = [data.draw(st.permutations(range(5))) for _ in range(2)]
    listed = content_of(mine, list(keys[0])), content_of(other, list(keys[1]))
    texts = texts_of(mine, list(keys[0])), texts_of(other, list(keys[1]))
    plain = content_of(mine, None), content_of(other, None)
    for a, b in (listed, texts, plain):
        assert a.differs(b).tolist() == wanted


@examples(100)
@given(data=st.data())
def test_it_has_a_column_or_not(data: st.DataObject) -> None:
    mine = data.draw(COLUMNS)
    other = data.draw(st.just(mine) | COLUMNS)
    numbers = pa.chunked_array([pa.array(other, pa.int32())])
    texts = pa.chunked_array(
        [pa.array([None if n is None else str(n) for n in other], pa.string())]
    )
    keys = sorted({n for n in mine if n is not None})
    assert content_of(mine, keys).has(numbers, INT) == (mine == other)
    assert content_of(mine, None).has(numbers, INT) == (mine == other)
    assert texts_of(mine, keys).has(texts, STRING) == (mine == other)


@pytest.mark.parametrize("width", [0, 1, 8, 33, 63])
def test_numbers_of_slices(width: int) -> None:
    rng = np.random.default_rng(width)
    numbers = rng.integers(0, 2**width, 1003, np.uint64)
    rows = BitMap(np.flatnonzero(numbers).tolist())
    slices = [
        BitMap(np.flatnonzero(numbers >> np.uint64(bit) & np.uint64(1)).tolist())
        for bit in range(width)
    ]
    found = numbers_of_slices(slices, rows, 1003, range(width))
    assert found.tolist() == numbers.tolist()


def test_a_bit_of_a_row_without_a_number() -> None:
    slices = [BitMap([0, 2]), BitMap([1])]
    with pytest.raises(CorruptFileError, match="a bit is set for row 1") as raised:
        numbers_of_slices(slices, BitMap([0, 2]), 3, [100, 200])
    assert raised.value.offset == 200
