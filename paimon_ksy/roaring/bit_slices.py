"""Bit slices, which store a number for each row bit by bit: shared by BSI and range bitmaps.

Slice i is the set of rows whose number has bit i set. To find the rows whose numbers are in an
interval, see O'Neil and Quass, "Improved query performance with variant indexes".
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray
from pyroaring import BitMap

from paimon_ksy.generated.views.roaring_bitmap_32 import ROARING_CONTAINER_WORDS
from paimon_ksy.roaring.bitmap_32 import Words, rows_of, words_of_bits

Intervals = Sequence[tuple[int, int]]
"""Half-open intervals of numbers, ascending and disjoint."""

Load = Callable[[range], Iterable[BitMap]]
"""Yield the slices of these bits, and read each at its turn; callers must not change them."""

LoadWords = Callable[[range], Iterable[Words]]
"""Like `Load`, but as words."""

_Rows = TypeVar("_Rows", BitMap, Words)


# Reading----------------------------------------------------------------------------------------


def rows_within(rows: BitMap, width: int, intervals: Intervals, load: Load) -> BitMap:
    """Return the rows whose numbers, of `width` bits, are in the intervals."""
    end = 1 << width
    inside = [(max(low, 0), min(stop, end)) for low, stop in intervals if low < end and stop > 0]
    if not inside:
        return BitMap()
    if inside == [(0, end)]:
        return rows.copy()
    # A bound that ends with k zero bits needs no slice below k.
    lowest = min(_zeros(bound, width) for bounds in inside for bound in bounds)
    if len(inside) == 1 and inside[0][1] - inside[0][0] >> lowest > 1:
        return _rows_between(rows, width, inside[0], lowest, load)
    return _rows_split(rows, width, inside, lowest, load)


def rows_between_words(
    rows: BitMap, width: int, bounds: tuple[int, int], load: LoadWords
) -> BitMap:
    """Do what `rows_within` does, for one interval, on words; `load` returns no other rows."""
    low, stop = max(bounds[0], 0), min(bounds[1], 1 << width)
    if low >= stop:
        return BitMap()
    lowest = min(_zeros(low, width), _zeros(stop, width))
    above, beyond = _at_least((low, stop), range(lowest, width), load)
    if above is None:
        return rows - rows_of(beyond) if beyond is not None else rows.copy()
    if beyond is not None:
        above &= np.invert(beyond, out=beyond)
    return rows_of(above) & rows


def _rows_between(
    rows: BitMap, width: int, bounds: tuple[int, int], lowest: int, load: Load
) -> BitMap:
    above, beyond = _at_least(bounds, range(lowest, width), load)
    found = rows.copy() if above is None else above
    found &= rows
    if beyond is not None:
        found -= beyond
    return found


def _at_least(
    bounds: tuple[int, int], bits: range, load: Callable[[range], Iterable[_Rows]]
) -> list[_Rows | None]:
    """Return, for each bound, the rows whose numbers reach it; None if its bits are 0.

    It proceeds from the lowest bit up, with one operation for each bound and slice. After each bit,
    a set contains the rows whose lower bits are at least those of the bound.
    """
    found: list[_Rows | None] = [None, None]
    for bit, ones in zip(bits, load(bits), strict=True):
        for i, bound in enumerate(bounds):
            so_far = found[i]
            if not bound - 1 >> bit & 1:
                if so_far is None:
                    found[i] = ones.copy()
                else:
                    so_far |= ones
            elif so_far is not None:
                so_far &= ones
    return found


def _rows_split(rows: BitMap, width: int, intervals: Intervals, lowest: int, load: Load) -> BitMap:
    """Split sets of rows by each bit, from the highest down, until each is in or out."""
    lows, stops = [low for low, _ in intervals], [stop for _, stop in intervals]
    found: list[BitMap] = []
    parts = [(rows, 0, 0, len(lows))]  # rows, their least number, and the intervals from .. to
    bits = range(width - 1, lowest - 1, -1)
    for bit, ones in zip(bits, load(bits), strict=True):
        size = 1 << bit
        halves = []
        for among, base, first, last in parts:
            middle = base + size
            left = bisect_left(lows, middle, first, last)
            if first < left:
                halves.append((among - ones, base, first, left))
            right = bisect_right(stops, middle, first, last)
            if right < last:
                halves.append((among & ones, middle, right, last))
        parts = []
        for part in halves:
            among, base, first, _ = part
            if lows[first] <= base and stops[first] >= base + size:
                found.append(among)
            elif among:
                parts.append(part)
        if not parts:
            break
    return BitMap.union(*found) if found else BitMap()


def _zeros(bound: int, width: int) -> int:
    return min((bound & -bound).bit_length() - 1, width) if bound else width


def top_rows(rows: BitMap, width: int, k: int, load: Load, *, descending: bool) -> BitMap:
    """Return the k rows with the greatest (or least) numbers, and all that tie with the last one.

    Source: algorithm 4.1 of O'Neil and O'Neil, "Bit-sliced index arithmetic".
    """
    if k <= 0 or not rows:
        return BitMap()
    if len(rows) <= k:
        return rows
    sure, among = BitMap(), rows
    for ones in load(range(width - 1, -1, -1)):
        near = among & ones if descending else among - ones
        count = len(sure) + len(near)
        if count < k:
            sure |= near
            among = among - ones if descending else among & ones
        else:
            among = near
            if count == k:
                break
    return sure | among


def extreme_number(rows: BitMap, width: int, load: Load, *, greatest: bool) -> int:
    """Return the greatest or the least number of the rows, which must not be empty."""
    number = 0
    for split in load(range(width - 1, -1, -1)):
        number *= 2
        ones = rows & split
        if len(ones) == len(rows) or (greatest and ones):
            number += 1
            rows = ones
        else:
            rows = rows - split
    return number


def numbers_of(rows: BitMap, width: int, load: Load) -> NDArray[np.int64]:
    """Return the number of each of the rows, in their order."""
    at = np.asarray(rows.to_array())
    numbers = np.zeros(len(at), np.int64)
    for bit, ones in enumerate(load(range(width))):
        numbers[np.searchsorted(at, np.asarray((rows & ones).to_array()))] |= np.int64(1) << bit
    return numbers


_TURNS = [  # to transpose 8 bytes as a matrix of bits: the shift, and the mask
    (7, 0x00AA00AA00AA00AA),
    (14, 0x0000CCCC0000CCCC),
    (28, 0x00000000F0F0F0F0),
]


def numbers_between(slices: Sequence[Words], start: int, stop: int) -> NDArray[Any]:
    """Return the number of each row from `start`, a multiple of 8, up to `stop`: 32 or 64 bits.

    Eight slices contain 64 bits of eight rows, which are transposed as a matrix (Warren, "Hacker's
    Delight", 7-3).
    """
    kind = np.dtype(np.uint32 if len(slices) <= 32 else np.uint64)
    first, last = start >> 3, (stop + 7) >> 3
    planes = np.zeros((-(-len(slices) // 8), last - first, 8), np.uint8)
    for bit, words in enumerate(slices):
        planes[bit >> 3, :, bit & 7] = words.view(np.uint8).ravel()[first:last]
    bits = planes.view(ROARING_CONTAINER_WORDS.dtype)
    for distance, mask in _TURNS:
        apart = bits >> np.uint64(distance)
        apart ^= bits
        apart &= np.uint64(mask)
        bits ^= apart
        apart <<= np.uint64(distance)
        bits ^= apart
    numbers: NDArray[Any] = np.zeros(stop - start, kind)
    for place, plane in enumerate(planes):
        byte = plane.ravel()[: stop - start].astype(kind)
        byte <<= kind.type(8 * place)
        numbers |= byte
    return numbers


# Building ---------------------------------------------------------------------------------------


def serialized_slices(numbers: NDArray[np.unsignedinteger], width: int) -> list[bytes]:
    """Return the bitmap of each of `width` slices, as Java serializes it; no number may be 0."""
    found: list[bytes] = []
    for shift in range(0, width, 8):
        plane = (numbers >> numbers.dtype.type(shift)).astype(np.uint8)
        found += (
            serialized_rows(plane & np.uint8(1 << bit)) for bit in range(min(8, width - shift))
        )
    return found


def serialized_rows(chosen: NDArray[np.uint8] | NDArray[np.bool_]) -> bytes:
    """Return the bitmap of the rows where `chosen` is not 0, serialized as Java does.

    Containers of many rows become bitsets directly from the bits, not row by row.
    """
    bitmap = rows_of(words_of_bits(chosen))
    bitmap.run_optimize()
    data: bytes = bitmap.serialize()
    return data
