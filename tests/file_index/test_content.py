"""Indexes row by row: which rows differ, and whether they are a column's."""

from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyroaring import BitMap

from kit_support.examples import examples
from paimon_ksy.errors import CorruptFileError
from paimon_ksy.file_index.content import Content, numbers_of_slices
from paimon_ksy.types.parse import parse_type

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


@examples(100)
@given(data=st.data())
def test_rows_that_differ_from_a_column(data: st.DataObject) -> None:
    mine = data.draw(COLUMNS)
    other = [data.draw(st.sampled_from([value, 4, None])) for value in mine]
    apart = [at for at, (a, b) in enumerate(zip(mine, other, strict=True)) if a != b]
    keys = list(data.draw(st.permutations(range(5))))
    numbers = pa.chunked_array([pa.array(other, pa.int32())])
    for index in (content_of(mine, keys), content_of(mine, None)):
        assert index.differs(Content.of_column(numbers, INT)).tolist() == apart
    index = content_of(mine, keys)
    texts = Content([b"%d" % key for key in keys], index.places, index.nulls)
    column = Content.of_column(numbers.cast(pa.string()), STRING)
    assert texts.differs(column).tolist() == apart
    values = [None if value is None else b"%d" % value for value in other]
    assert [column.value(row) for row in range(len(other))] == values


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
