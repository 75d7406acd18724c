"""Numbers of rows, bit by bit: what BSI and range bitmaps share.

Slice i is the set of rows whose number has bit i set. Rows whose numbers are in an interval are
found from the highest bit down (O'Neil and Quass, "Improved query performance with variant
indexes"), here by splitting sets of rows in two, so that the sets get smaller with each bit.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pyroaring import BitMap

from paimon_ksy.generated.codecs import roaring_bitmap_32 as codec
from paimon_ksy.generated.codecs.roaring_bitmap_32 import RoaringDescriptorArray
from paimon_ksy.generated.runtime import to_bytes
from paimon_ksy.generated.serializers.roaring_bitmap_32 import make_roaring_header

_Array = NDArray[Any]

Intervals = Sequence[tuple[int, int]]
"""Numbers from the first up to, not including, the second; ascending and apart."""

Load = Callable[[int], Sequence[BitMap | None]]
"""The slices from this one up; those below need not be there."""


# Asking -----------------------------------------------------------------------------------------


def rows_within(rows: BitMap, width: int, intervals: Intervals, load: Load) -> BitMap:
    """Which of the rows have numbers in the intervals; the numbers have `width` bits."""
    end = 1 << width
    lows = [max(low, 0) for low, stop in intervals if low < end and stop > 0]
    stops = [min(stop, end) for low, stop in intervals if low < end and stop > 0]
    if not lows:
        return BitMap()
    # A bound with k zeros at its end needs no slice below k.
    lowest = min(_zeros(bound, width) for bound in (*lows, *stops))
    slices = load(lowest) if lowest < width else ()
    found: list[BitMap] = []
    todo = [(rows, width, 0, 0, len(lows))]
    while todo:
        among, bits, base, first, last = todo.pop()
        if not among:
            continue
        if lows[first] <= base and stops[first] >= base + (1 << bits):
            found.append(among)
            continue
        bits -= 1
        middle = base + (1 << bits)
        split = slices[bits]
        assert split is not None
        left = bisect_left(lows, middle, first, last)
        if first < left:
            todo.append((among - split, bits, base, first, left))
        right = bisect_right(stops, middle, first, last)
        if right < last:
            todo.append((among & split, bits, middle, right, last))
    return BitMap.union(*found) if found else BitMap()


def _zeros(bound: int, width: int) -> int:
    return min((bound & -bound).bit_length() - 1, width) if bound else width


def top_rows(rows: BitMap, width: int, k: int, load: Load, *, descending: bool) -> BitMap:
    """The k rows with the greatest (or least) numbers, and all that tie with the last of them.

    Source: algorithm 4.1 of O'Neil and O'Neil, "Bit-sliced index arithmetic".
    """
    if k <= 0 or not rows:
        return BitMap()
    if len(rows) <= k:
        return rows
    slices = load(0)
    sure, among = BitMap(), rows
    for bit in reversed(range(width)):
        split = slices[bit]
        assert split is not None
        near = among & split if descending else among - split
        count = len(sure) + len(near)
        if count < k:
            sure |= near
            among = among - split if descending else among & split
        else:
            among = near
            if count == k:
                break
    return sure | among


def extreme_number(rows: BitMap, width: int, load: Load, *, greatest: bool) -> int:
    """The greatest or the least number of the rows, of which there is at least one."""
    number, slices = 0, load(0)
    for bit in reversed(range(width)):
        split = slices[bit]
        assert split is not None
        ones = rows & split
        if len(ones) == len(rows) or (greatest and ones):
            number |= 1 << bit
            rows = ones
        else:
            rows = rows - split
    return number


# Building ---------------------------------------------------------------------------------------

_WORD_BITS = codec.ROARING_CONTAINER_WORDS.itemsize * 8
_CONTAINER = 1 << 16  # rows
_WORDS = _CONTAINER // _WORD_BITS
_MAX_ARRAY = 4096  # rows of a container that is no bitset


def serialized_slices(numbers: NDArray[np.unsignedinteger], width: int) -> list[bytes]:
    """The bitmap of each of `width` bits, as Java serializes it; no number is 0 in `numbers`."""
    found: list[bytes] = []
    for shift in range(0, width, 8):
        plane = (numbers >> numbers.dtype.type(shift)).astype(np.uint8)
        found += (
            serialized_rows(plane & np.uint8(1 << bit)) for bit in range(min(8, width - shift))
        )
    return found


def serialized_rows(chosen: NDArray[np.uint8] | NDArray[np.bool_]) -> bytes:
    """The bitmap of the rows where `chosen` is not 0, serialized as Java does.

    Containers of many rows are made as bitsets from the bits themselves, not row by row.
    """
    packed = np.packbits(chosen, bitorder="little")
    packed.resize(-(-len(packed) * 8 // _CONTAINER) * _CONTAINER // 8, refcheck=False)
    words = packed.view(codec.ROARING_CONTAINER_WORDS).reshape(-1, _WORDS)
    counts = np.bitwise_count(words).sum(axis=1, dtype=np.int64)
    dense = np.flatnonzero(counts > _MAX_ARRAY)
    sparse = np.flatnonzero((counts > 0) & (counts <= _MAX_ARRAY))
    rows = [
        np.flatnonzero(np.unpackbits(words[i].view(np.uint8), bitorder="little")) + i * _CONTAINER
        for i in sparse.tolist()
    ]
    if not len(dense):
        from paimon_ksy.postings import serialize_rows  # late: it takes pyarrow, and readers none

        return serialize_rows(np.concatenate(rows or [np.empty(0, np.int64)]).astype(np.uint32))
    bitmap = BitMap.deserialize(_bitsets(dense, counts[dense], words[dense]))
    for part in rows:
        bitmap |= BitMap(part.tolist())
    bitmap.run_optimize()
    data: bytes = bitmap.serialize()
    return data


def _bitsets(keys: _Array, counts: _Array, words: _Array) -> bytes:
    """A Roaring bitmap of these containers, all of them bitsets."""

    def header(ofs_containers: _Array) -> bytes:
        return to_bytes(
            make_roaring_header(
                bitmap_start=0,
                descriptors=RoaringDescriptorArray.from_columns(
                    key=keys, cardinality_minus_1=counts - 1
                ),
                ofs_containers=ofs_containers,
            )
        )

    places = np.arange(len(keys)) * codec.sizeof_roaring_container(False, _CONTAINER, 0)
    return header(places + len(header(places))) + words.tobytes()
