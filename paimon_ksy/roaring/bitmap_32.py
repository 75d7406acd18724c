"""Read and check Roaring bitmaps of 32-bit integers.

pyroaring reads a bitmap, and checks what its integers depend on: the order of keys, values and
runs, and the number of bits in a bitset. The other rules of
https://github.com/RoaringBitmap/RoaringFormatSpec hold if it writes the same bytes again.
Otherwise, each container is checked on its own.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from ksykit.runtime.errors import FormatError
from pyroaring import BitMap

from paimon_ksy.errors import counted
from paimon_ksy.generated.views.roaring_bitmap_32 import (
    ROARING_CONTAINER_VALUES,
    ROARING_RUN,
    RoaringContainer,
    RoaringContainerHead,
    RoaringHeader,
)

CONTAINER = 8 * RoaringContainer.len_words  # the integers that a container can have


class BadBitmapError(Exception):
    """A malformed bitmap: what is wrong, and at which byte of it."""

    def __init__(self, message: str, offset: int = 0) -> None:
        super().__init__(message)
        self.offset = offset


def num_containers(num_rows: int) -> int:
    """Return the number of containers that rows below `num_rows` can have."""
    return -(-num_rows // CONTAINER)


def longest(num_rows: int) -> int:
    """Return an upper bound, in bytes, of the size of a bitmap of rows below `num_rows`.

    It holds for bitmaps that use runs only where these take fewer bytes.
    """
    # Each container also has an entry in the head.
    return (num_rows // CONTAINER + 2) * 2 * RoaringContainer.len_words


def read_bitmap(data: bytes | memoryview, num_rows: int, *, prefix: bool = False) -> BitMap:
    """Return the set of rows in `data`, all of them below `num_rows`. Raises BadBitmapError.

    If the bitmap is a prefix, bytes may follow it.
    """
    rows, end = read_first(data)
    if end != len(data) and not prefix:
        raise BadBitmapError(f"{counted(len(data) - end, 'byte', 'follow')} the bitmap", end)
    return _below(rows, num_rows)


def read_start(data: bytes | memoryview, num_rows: int) -> BitMap:
    """Return the set of rows in the bitmap at the start of `data`, all of them below `num_rows`.

    It checks only what the rows depend on. `read_bitmap` takes twice the time: = on V2, 8 strings
    of `make bench` 15 us instead of 8. Raises BadBitmapError.
    """
    whole: Any = data  # any buffer will do
    try:
        rows = BitMap.deserialize(whole)
    except (ValueError, IndexError):  # IndexError: `data` is empty
        return read_bitmap(data, num_rows, prefix=True)  # says what is wrong
    return _below(rows, num_rows)


def read_first(data: bytes | memoryview) -> tuple[BitMap, int]:
    """Return the bitmap at the start of `data`, and its size in bytes. Raises BadBitmapError."""
    whole: Any = data
    try:
        rows = BitMap.deserialize(whole)
    except (ValueError, IndexError) as error:
        _checked_size(data)  # says what is wrong
        raise BadBitmapError(f"not a Roaring bitmap: {error}") from error
    written = rows.serialize()
    if bytes(data[: len(written)]) == written:
        return rows, len(written)
    return rows, _checked_size(data)


def _below(rows: BitMap, num_rows: int) -> BitMap:
    if rows and rows.max() >= num_rows:
        raise BadBitmapError(
            f"row {rows.max()} is out of range in a file of {counted(num_rows, 'row')}"
        )
    return rows


def size_of(read: Callable[[int, int], bytes], num_rows: int) -> int:
    """Return the size of a bitmap of rows below `num_rows`, without reading its containers.

    If it has runs, the last container is read, or all of them if the header has no offsets.
    `read(at, most)` returns its bytes from `at` on, at most so many. Raises FormatError.
    """
    # An upper bound for a header.
    header = RoaringHeader(read(0, 64 + num_rows // CONTAINER * 16), 0, 0)
    first, at = 0, header.end
    if header.has_runs and header.has_offsets:
        first = header.num_containers - 1
        at = int(header.ofs_containers[first])
    for number in range(first, header.num_containers):
        at = _end(header, number, at, read)
    return int(at)


def _end(header: RoaringHeader, number: int, at: int, read: Callable[[int, int], Any]) -> int:
    """Return where a container ends that starts at byte `at`; `read` is that of `size_of`."""
    if _is_run(header, number):
        head = RoaringContainerHead(read(at, ROARING_RUN.size), at, 0, True, 0)
        return int(head.end + head.num_runs * ROARING_RUN.size)
    cardinality = header.descriptors_cardinality(number)
    if cardinality > RoaringContainer.max_values:
        return at + RoaringContainer.len_words
    return int(at + cardinality * ROARING_CONTAINER_VALUES.size)


def _is_run(header: RoaringHeader, number: int) -> bool:
    return bool(header.has_runs and header.run_flags[number // 8] >> number % 8 & 1)


def _checked_size(data: bytes | memoryview) -> int:
    """Check all of a bitmap, and return its size. Raises BadBitmapError."""
    try:
        header = RoaringHeader(data, 0, 0, arrays=True)
        keys = header.descriptors_key
        if (keys[1:] <= keys[:-1]).any():
            raise BadBitmapError("keys of containers are not ascending")
        starts, end = [], header.end
        for number in range(header.num_containers):
            if header.has_offsets and header.ofs_containers[number] != end:
                message = "an offset in the header is not where its container starts"
                raise BadBitmapError(message, end)
            starts.append(end)
            end = _end(header, number, end, lambda at, most: data[at : at + most])
    except FormatError as error:
        message = f"not a Roaring bitmap: {error.message}"
        raise BadBitmapError(message, error.offset or 0) from error
    if end > len(data):
        raise BadBitmapError(
            f"its containers take {counted(end, 'byte')}, but only {len(data)} exist"
        )
    for number, start in enumerate(starts):
        cardinality = header.descriptors_cardinality(number)
        is_run = _is_run(header, number)
        _check(RoaringContainer(data, 0, start, is_run, cardinality, arrays=True), start)
    return int(end)


def _check(container: RoaringContainer, start: int) -> None:
    """Check a container that starts at this byte."""
    if container.values is not None:
        apart = container.values[1:] > container.values[:-1]
        if not apart.all():
            at = start + int(apart.argmin()) * ROARING_CONTAINER_VALUES.size
            raise BadBitmapError("values of an array container are not ascending", at)
    elif container.words is not None:
        if int(np.bitwise_count(container.words).sum(dtype=np.int64)) != container.cardinality:
            raise BadBitmapError("the cardinality of a bitset container is wrong", start)
    else:
        first, last = container.runs_first, container.runs_last(slice(None))
        if not len(first):
            raise BadBitmapError("a run container contains no run", start)
        if (first[1:] <= last[:-1] + 1).any() or last.max() >= CONTAINER:
            raise BadBitmapError("runs overlap, touch, are not ascending, or pass 65,535", start)
        if int((last - first + 1).sum()) != container.cardinality:
            raise BadBitmapError("the cardinality of a run container is wrong", start)


_AT_ONCE = 1 << 27  # rows, with a bit each: 16 MB


def all_but(rows: BitMap, num_rows: int) -> BitMap:
    """Return the complement of `rows`, all of which are below `num_rows`.

    Native code turns each container into a bitset. For long files, that happens a part at a time,
    and each part becomes runs again. Otherwise a few bytes of a file could take 256 MB.
    """
    if num_rows <= _AT_ONCE:
        others = BitMap(rows)
        others.flip_inplace(0, num_rows)
        return others
    others = BitMap()
    for start in range(0, num_rows, _AT_ONCE):
        stop = min(start + _AT_ONCE, num_rows)
        part = rows & BitMap(range(start, stop))
        part.flip_inplace(start, stop)
        part.run_optimize()
        others |= part
    return others
