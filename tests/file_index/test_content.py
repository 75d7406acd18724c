"""Indexes row by row: which rows differ, and whether they are a column's."""

from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyroaring import BitMap

from paimon_ksy.errors import CorruptFileError
from paimon_ksy.file_index.content import Content, marked_rows, numbers_of_slices
from paimon_ksy.roaring.bitmap_32 import words_of_bits
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


@examples(30)
@given(rows=st.sets(st.integers(0, 99)))
def test_marked_rows(rows: set[int]) -> None:
    assert np.flatnonzero(marked_rows(BitMap(rows), 100)).tolist() == sorted(rows)


@pytest.mark.parametrize("count", [0, 1, 70_000])
def test_numbers_of_slices(count: int) -> None:
    """More rows than are put together at once, too."""
    rng = np.random.default_rng(count)
    numbers = rng.integers(0, 8, count)
    held = numbers > 0
    slices = [words_of_bits((numbers >> bit) & 1 > 0) for bit in range(3)]
    assert numbers_of_slices(slices, held, [0, 1, 2]).tolist() == numbers.tolist()


def test_a_bit_of_a_row_without_a_number() -> None:
    held = np.array([True, False, True])
    slices = [words_of_bits(held), words_of_bits(np.array([False, True, False]))]
    with pytest.raises(CorruptFileError, match="a bit is set for row 1") as raised:
        numbers_of_slices(slices, held, [100, 200])
    assert raised.value.offset == 200
