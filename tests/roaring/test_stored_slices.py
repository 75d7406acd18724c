"""Slices in a file, as sets and as words; those that are broken name their byte."""

from functools import partial

import numpy as np
import pytest
from pyroaring import BitMap

from paimon_ksy.errors import CorruptFileError
from paimon_ksy.io.source import open_source
from paimon_ksy.roaring.bit_slices import serialized_slices
from paimon_ksy.roaring.bitmap_32 import rows_of
from paimon_ksy.roaring.stored_slices import StoredSlices

PREFIX = b"before"


def stored(
    numbers: "np.ndarray[tuple[int], np.dtype[np.uint32]]", width: int
) -> tuple[bytes, list[tuple[int, int]]]:
    """Slices one after another, and where each is."""
    data, extents = PREFIX, []
    for piece in serialized_slices(numbers, width):
        extents.append((len(data), len(data) + len(bytes(piece))))
        data += bytes(piece)
    return data, extents


@pytest.mark.parametrize("num_rows", [10, 3000, 100_000])
def test_slices_as_sets_and_as_words(num_rows: int) -> None:
    numbers = np.random.default_rng(num_rows).integers(0, 32, num_rows, np.uint32)
    data, extents = stored(numbers, 5)
    wanted = [BitMap(np.flatnonzero(numbers >> bit & 1).astype(np.uint32)) for bit in range(5)]
    with open_source(data) as source:
        slices = StoredSlices(source, "c", num_rows, extents)
        assert slices.size == len(data) - len(PREFIX)
        assert list(slices.load(range(5))) == wanted
        assert list(slices.load(range(3, 1, -1))) == [wanted[3], wanted[2]]
        assert [BitMap(rows_of(words)) for words in slices.load_words(range(5))] == wanted


@pytest.mark.parametrize("num_rows", [10, 3000, 100_000])
def test_rows_within_intervals(num_rows: int) -> None:
    numbers = np.random.default_rng(num_rows).integers(0, 32, num_rows, np.uint32)
    data, extents = stored(numbers, 5)
    rows = BitMap(range(num_rows))
    with open_source(data) as source:
        slices = StoredSlices(source, "c", num_rows, extents)
        for intervals in ([(3, 9)], [(0, 1), (31, 32)], [(0, 32)]):
            wanted = [
                n for n, v in enumerate(numbers.tolist()) if any(a <= v < b for a, b in intervals)
            ]
            assert list(slices.within(rows, intervals)) == wanted


def test_a_broken_slice_names_its_byte_and_column() -> None:
    data, extents = stored(np.arange(16, dtype=np.uint32), 4)
    start, _ = extents[2]
    broken = data[:start] + b"\xff" + data[start + 1 :]
    with open_source(broken) as source:
        slices = StoredSlices(source, "c", 16, extents)
        for read in (slices.load, slices.load_words):
            assert len(list(read(range(2)))) == 2
            with pytest.raises(CorruptFileError) as raised:
                list(read(range(4)))
            assert raised.value.column == "c"
            assert raised.value.offset is not None and start <= raised.value.offset < extents[2][1]


def test_slices_from_afar_are_fetched_once() -> None:
    import fsspec

    data, extents = stored(np.arange(3000, dtype=np.uint32) % 32, 5)
    fsspec.filesystem("memory").pipe("/slices", data)
    with open_source("memory://slices") as source:
        slices = StoredSlices(source, "c", 3000, extents)
        read = partial(slices.load, range(5))
        assert len(list(read())) == 5
        before = source.bytes_read
        assert len(list(read())) == 5
        assert source.bytes_read == before
