"""Sets of rows as bits: as bitmaps that Java would write, and back."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyroaring import BitMap

from paimon_ksy.roaring.bits import marked_rows, serialized_rows, serialized_slices


@given(
    st.lists(
        st.tuples(st.integers(0, 400_000), st.integers(1, 140_000), st.sampled_from([1, 2, 9, 40])),
        max_size=6,
    ),
    st.integers(1, 70_000),
)
def test_rows_of_bits(ranges: list[tuple[int, int, int]], more: int) -> None:
    rows = BitMap()
    for start, length, step in ranges:
        rows |= BitMap(range(start, start + length, step))
    chosen = np.zeros((rows.max() if rows else 0) + more, np.bool_)
    chosen[np.asarray(rows.to_array())] = True
    for _ in range(2):
        assert marked_rows(rows, len(chosen)).tolist() == chosen.tolist()
        rows.run_optimize()
    assert serialized_rows(chosen) == rows.serialize()


@pytest.mark.parametrize("width", [0, 1, 8, 20, 33])
def test_slices_of_numbers(width: int) -> None:
    numbers = np.random.default_rng(width).integers(0, 2**width, 3000, np.uint64)
    slices = serialized_slices(numbers, width)
    assert len(slices) == width
    for bit, data in enumerate(slices):
        wanted = np.flatnonzero(numbers >> np.uint64(bit) & np.uint64(1))
        assert list(BitMap.deserialize(data)) == wanted.tolist()
