"""Roaring bitmaps of 32-bit integers, checked before native code sees them.

CRoaring trusts what it reads: keys or values out of order, runs that overlap or a cardinality that
lies give wrong answers later, or worse. So what a reader relies on in
https://github.com/RoaringBitmap/RoaringFormatSpec is checked first, for all neighbouring
containers of one kind at a time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import accumulate, groupby
from operator import lt
from typing import Any, NamedTuple

import numpy as np
from kaitaistruct import KaitaiStructError
from numpy.typing import NDArray
from pyroaring import BitMap

from paimon_ksy.generated.codecs import roaring_bitmap_32 as codec

_ARRAY, _BITSET, _RUN = 0, 1, 2
_BITSET_BYTES = codec.sizeof_roaring_container(False, 1 << 20, 0)  # too many for an array
_RUN_HEAD = codec.sizeof_roaring_container(True, 1, 0)
_RUN_BYTES = codec.sizeof_roaring_container(True, 1, 1) - _RUN_HEAD
_VALUE_BYTES = codec.ROARING_CONTAINER_VALUES.itemsize
_MAX_ARRAY = _BITSET_BYTES // _VALUE_BYTES  # more values than this take less room as a bitset
_LAST = 8 * _BITSET_BYTES - 1
_WORDS = _BITSET_BYTES // codec.ROARING_CONTAINER_WORDS.itemsize


class BadBitmapError(Exception):
    """What is wrong, and at which byte of the bitmap."""

    def __init__(self, message: str, offset: int = 0) -> None:
        super().__init__(message)
        self.offset = offset


class _Stretch(NamedTuple):
    """Neighbouring containers of one kind: first byte, cardinalities, and how many runs each has.

    Only of containers that hold runs there are `num_runs`.
    """

    kind: int
    start: int
    cardinalities: list[int]
    num_runs: list[int]


def longest(num_rows: int) -> int:
    """No bitmap of rows below `num_rows` takes more bytes, unless it has runs where these do not
    pay."""
    containers = num_rows // (_LAST + 1) + 1
    return int(containers * 2 * _BITSET_BYTES)  # twice, for each has its part of the head


def size_of(read: Callable[[int, int], bytes], num_rows: int) -> int:
    """Bytes of a bitmap of rows below `num_rows`, without reading its containers.

    `read(at, most)` are the bytes of the bitmap from `at` on, `most` of them or as many as there
    are. If it has runs, its last container is looked at, or all where no header says where that is.
    Raises FormatError.
    """
    # More than a header takes.
    header, at = codec.read_roaring_header(read(0, 64 + num_rows // (_LAST + 1) * 16), 0, 0)
    cardinalities = header.descriptors.cardinality.tolist()
    flags = _flags(header)
    first = 0
    if header.has_runs and header.has_offsets:
        first = len(cardinalities) - 1
        at = int(header.ofs_containers[first])
    for cardinality, is_run in zip(cardinalities[first:], flags[first:], strict=True):
        if is_run:
            [num_runs] = _num_runs(read(at, _RUN_HEAD), 0, 1)
            at += _RUN_HEAD + _RUN_BYTES * num_runs
        else:
            at += _BITSET_BYTES if cardinality > _MAX_ARRAY else _VALUE_BYTES * cardinality
    return at


def read_bitmap(data: bytes | memoryview, num_rows: int, *, prefix: bool = False) -> BitMap:
    """The set of rows in `data`, all of them below `num_rows`.

    With `prefix` bytes may follow the bitmap; without it that is an error. Raises BadBitmapError.
    """
    rows, end = read_first(data)
    if end != len(data) and not prefix:
        raise BadBitmapError(f"{len(data) - end} bytes follow the bitmap", end)
    if rows and rows.max() >= num_rows:
        raise BadBitmapError(f"row {rows.max()} in a file of {num_rows} rows")
    return rows


def read_first(data: bytes | memoryview) -> tuple[BitMap, int]:
    """The bitmap at the start of `data`, and the number of its bytes. Raises BadBitmapError."""
    try:
        stretches, end = _stretches(data)
    except (KaitaiStructError, EOFError, ValueError) as error:
        offset = getattr(error, "offset", None)
        raise BadBitmapError(f"not a Roaring bitmap: {error}", offset or 0) from error
    if end > len(data):
        raise BadBitmapError(f"its containers take {end} bytes, and {len(data)} are there")
    for stretch in stretches:
        _CHECKS[stretch.kind](data, stretch)
    whole: Any = data if end == len(data) else data[:end]  # any buffer will do
    try:
        return BitMap.deserialize(whole), end
    except ValueError as error:  # newer versions of pyroaring look for themselves too
        raise BadBitmapError(f"not a Roaring bitmap: {error}") from error


def _stretches(data: bytes | memoryview) -> tuple[list[_Stretch], int]:
    """The containers in order, and where the last ends; what the header says of them is true."""
    header, pos = codec.read_roaring_header(data, 0, 0)
    if not header.has_runs and header.num_containers_minus_1:
        raise BadBitmapError(f"cookie with {header.num_containers_minus_1} in its upper half")
    keys, less_one = header.descriptors.numbers("key", "cardinality_minus_1")
    cardinalities = [number + 1 for number in less_one]
    if not all(map(lt, keys, keys[1:])):
        raise BadBitmapError("keys of containers are not ascending")
    kinds = [_BITSET if n > _MAX_ARRAY else _ARRAY for n in cardinalities]
    sizes = [_BITSET_BYTES if n > _MAX_ARRAY else _VALUE_BYTES * n for n in cardinalities]
    num_runs = _find_runs(data, header, kinds, sizes, pos) if header.has_runs else []
    starts = list(accumulate(sizes, initial=pos))
    if header.has_offsets and (told := header.ofs_containers.tolist()) != starts[:-1]:
        at = next(start for start, other in zip(starts, told, strict=False) if start != other)
        raise BadBitmapError("an offset in the header is not where its container starts", at)
    stretches: list[_Stretch] = []
    first = runs = 0
    for kind, alike in groupby(kinds):
        last = first + len(list(alike))
        here = num_runs[runs : runs + last - first] if kind == _RUN else []
        stretches.append(_Stretch(kind, starts[first], cardinalities[first:last], here))
        first, runs = last, runs + len(here)
    return stretches, starts[-1]


def _find_runs(
    data: bytes | memoryview, header: Any, kinds: list[int], sizes: list[int], pos: int
) -> list[int]:
    """How many runs the containers that hold runs have; enters their kinds and sizes."""
    flags = _flags(header)
    counts = _counts(data, header.ofs_containers, flags) if header.has_offsets else None
    found = []
    for i, flag in enumerate(flags):
        if flag:  # only its count of runs tells where it ends
            num_runs = next(counts) if counts else _num_runs(data, pos, 1)[0]
            kinds[i], sizes[i] = _RUN, _RUN_HEAD + _RUN_BYTES * num_runs
            found.append(num_runs)
        pos += sizes[i]
    return found


def _flags(header: Any) -> list[bool]:
    """Whether each container holds runs."""
    if not header.has_runs:
        return [False] * header.num_containers
    flags = np.unpackbits(
        np.frombuffer(header.run_flags, np.uint8), count=header.num_containers, bitorder="little"
    )
    found: list[bool] = flags.astype(bool).tolist()
    return found


def _num_runs(data: bytes | memoryview, pos: int, count: int) -> list[int]:
    found: list[int] = codec.RoaringRunCountArray.read(data, pos, count)[0].num_runs.tolist()
    return found


def _counts(
    data: bytes | memoryview, offsets: NDArray[np.uint32], flags: list[bool]
) -> Iterator[int]:
    """How many runs the containers hold that hold runs, from the offsets of all."""
    places = offsets[np.array(flags)].astype(np.int64)
    if places.size and int(places.max()) + _RUN_HEAD > len(data):
        raise BadBitmapError("an offset in the header is past the end")
    return iter(_num_runs(_gathered(data, places, _RUN_HEAD), 0, len(places)))


def _gathered(data: bytes | memoryview, places: NDArray[np.int64], size: int) -> bytes:
    """`size` bytes from each of these places, one after another."""
    found: NDArray[np.uint8] = np.frombuffer(data, np.uint8)[places[:, None] + np.arange(size)]
    return found.tobytes()


def _check_arrays(data: bytes | memoryview, stretch: _Stretch) -> None:
    ends = list(accumulate(stretch.cardinalities))
    values = np.frombuffer(data, codec.ROARING_CONTAINER_VALUES, ends[-1], stretch.start)
    ascending = values[1:] > values[:-1]
    for end in ends[:-1]:
        ascending[end - 1] = True  # from one container to the next
    if np.count_nonzero(ascending) < len(ascending):
        at = stretch.start + int(ascending.argmin()) * _VALUE_BYTES
        raise BadBitmapError("values of an array container are not ascending", at)


def _check_bitsets(data: bytes | memoryview, stretch: _Stretch) -> None:
    count = _WORDS * len(stretch.cardinalities)
    words = np.frombuffer(data, codec.ROARING_CONTAINER_WORDS, count, stretch.start)
    bits = np.add.reduce(np.bitwise_count(words).reshape(-1, _WORDS), axis=1, dtype=np.uint32)
    if bits.tolist() != stretch.cardinalities:
        raise BadBitmapError(
            "a bitset container does not hold as many values as it says", stretch.start
        )


def _check_runs(data: bytes | memoryview, stretch: _Stretch) -> None:
    counts = stretch.num_runs
    if not all(counts):
        raise BadBitmapError("a run container holds no run", stretch.start)
    begins = list(accumulate(counts, initial=0))
    total = begins.pop()
    place = stretch.start + _RUN_HEAD
    if len(counts) > 1:
        heads = np.repeat(np.arange(len(counts)), counts) * _RUN_HEAD
        data = _gathered(data, place + heads + np.arange(total) * _RUN_BYTES, _RUN_BYTES)
        place = 0
    runs, _ = codec.RoaringRunArray.read(data, place, total)
    first, last = runs.first.astype(np.int64), runs.last
    length = last - first + 1
    apart = first[1:] > last[:-1] + 1
    for begin in begins[1:]:
        apart[begin - 1] = True
    if not apart.all() or last.max() > _LAST:
        raise BadBitmapError(
            "runs overlap, touch, are not ascending, or pass 65,535", stretch.start
        )
    if np.add.reduceat(length, begins).tolist() != stretch.cardinalities:
        raise BadBitmapError(
            "a run container does not hold as many values as it says", stretch.start
        )


_CHECKS = {_ARRAY: _check_arrays, _BITSET: _check_bitsets, _RUN: _check_runs}


_AT_ONCE = 1 << 27  # rows: a bit each, 16 MB


def all_but(rows: BitMap, num_rows: int) -> BitMap:
    """The rows below `num_rows` that are not in `rows`, which has no others.

    Native code makes a bitset of each container. Of a long file it does so for a part at a time,
    and runs are made of them again: a few bytes of a file could else take 256 MB.
    """
    if num_rows <= _AT_ONCE:
        found = BitMap(rows)
        found.flip_inplace(0, num_rows)
        return found
    found = BitMap()
    for start in range(0, num_rows, _AT_ONCE):
        stop = min(start + _AT_ONCE, num_rows)
        part = rows & BitMap(range(start, stop))
        part.flip_inplace(start, stop)
        part.run_optimize()
        found |= part
    return found
