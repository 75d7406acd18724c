"""Write or read many small Roaring bitmaps at once, such as those of a column with many values.

pyroaring takes more than a microsecond for even the smallest bitmap. Here, each step handles all
bitmaps of the same shape. With pyroaring alone, `build V2, 10,000 ints` of `make bench` takes 50 ms
instead of 32, and `audit` of `make bench-tables`, with an index of 100,000 values, ten times the
time.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Any, TypeAlias

import numpy as np
import pyarrow as pa
from ksykit.runtime.objects import to_bytes
from numpy.typing import NDArray

from paimon_ksy.generated.structs.roaring_bitmap_32 import make_roaring_header
from paimon_ksy.generated.views.roaring_bitmap_32 import (
    ROARING_CONTAINER_VALUES,
    ROARING_DESCRIPTOR,
    ROARING_HEADER_OFS_CONTAINERS,
    RoaringContainer,
    RoaringHeader,
    places_roaring_header,
)
from paimon_ksy.types.arrays import to_arrow_array

_Array: TypeAlias = NDArray[Any]

_MOST_CONTAINERS = 64  # in a bitmap that is read with others
_MOST_ROWS = 255  # in a small bitmap, so that counts are bytes
_ROWS_AT_ONCE = 1 << 16  # their results take a few MB
_LOW = 16  # low bits of a row, which its container stores
_VALUES = ROARING_CONTAINER_VALUES


@lru_cache(maxsize=256)
def plain_header(count: int) -> tuple[bytes, np.dtype[np.void]]:
    """Return the first bytes and the dtype of a header of `count` containers without runs.

    The dtype has the fields `head` (the first bytes), `descriptors` and `ofs_containers`.
    """
    none = np.zeros(count, np.int64)
    descriptors = ROARING_DESCRIPTOR.pack(key=none, cardinality_minus_1=none)
    data = to_bytes(make_roaring_header(descriptors=descriptors, ofs_containers=none))
    header = RoaringHeader(data, 0, 0)
    places = places_roaring_header(
        header.cookie, header.num_containers_minus_1, header.num_containers_without_runs
    )
    offsets = ROARING_HEADER_OFS_CONTAINERS.dtype
    fields: Any = {
        "head": (f"V{places.descriptors}", 0),
        "descriptors": ((ROARING_DESCRIPTOR.dtype, count), places.descriptors),
        "ofs_containers": ((offsets, count), places.ofs_containers),
    }
    return data[: places.descriptors], np.dtype(fields)


def small_bitmaps(rows: _Array, starts: _Array, ends: _Array) -> Iterator[tuple[_Array, _Array]]:
    """Yield the indexes of the small bitmaps, and their bytes.

    A small bitmap has few rows, and no two adjacent ones, so that no container is a run. Other
    bitmaps are left out, and shapes with fewer bitmaps than rows, because each row takes a step.
    Each item contains the bitmaps of one shape, as records of an array; their indexes ascend. The
    rows of each bitmap ascend, and stand in `rows` from its start to its end.
    """
    counts = ends - starts
    chosen = np.flatnonzero((counts > 0) & (counts <= _MOST_ROWS))
    few = counts.take(chosen).astype(np.uint8)
    for count, of in _each_number(few):
        step = _ROWS_AT_ONCE // count
        for at in range(0, len(of), step):
            places = chosen.take(of[at : at + step])
            if len(places) >= count:
                yield from _of_count(rows, starts.take(places), count, places)


def _each_number(numbers: NDArray[np.uint8]) -> Iterator[tuple[int, _Array]]:
    """Yield each distinct number, and the indexes where it occurs."""
    order, stop = np.argsort(numbers, kind="stable"), 0
    for number, times in enumerate(np.bincount(numbers).tolist()):
        start, stop = stop, stop + times
        if times:
            yield number, order[start:stop]


def _of_count(
    rows: _Array, starts: _Array, count: int, places: _Array
) -> Iterator[tuple[_Array, _Array]]:
    """Yield bitmaps of `count` rows each: their rows as columns, the first rows of all first."""
    columns = rows.take(starts + np.arange(count)[:, None])
    follows = columns[1:] == columns[:-1] + np.uint32(1)
    if follows.any():
        plain = np.flatnonzero(~follows.any(axis=0))
        columns, places = columns.take(plain, axis=1), places.take(plain)
    keys = columns >> np.uint32(_LOW)
    opens = keys[1:] != keys[:-1]
    for number, of in _each_number(opens.sum(axis=0, dtype=np.uint8)):
        if len(of) == len(places):
            yield places, _made(columns, number + 1)
        elif len(of) >= count:
            yield places.take(of), _made(columns.take(of, axis=1), number + 1)


def _made(rows: _Array, num_containers: int) -> _Array:
    """Serialize rows in the order of `_of_count`, into bitmaps of `num_containers` each."""
    count, number = rows.shape
    head, header = plain_header(num_containers)
    made = np.empty(number, _shape(num_containers, count))
    values, headers = made["values"], made["header"]
    headers["head"] = np.frombuffer(head, header["head"], 1)
    described, offsets = headers["descriptors"], headers["ofs_containers"]
    for at in range(count):
        values[:, at] = rows[at]
    first: Any = range(0, count, count // num_containers)  # row of each container
    keys: Any = rows[first] >> np.uint32(_LOW)
    if 1 < num_containers < count:
        keys = rows.T.ravel() >> np.uint32(_LOW)
        opens = np.empty(len(keys), np.bool_)
        np.not_equal(keys[1:], keys[:-1], out=opens[1:])
        opens[::count] = True
        begins = np.flatnonzero(opens)
        keys = keys.take(begins).reshape(number, num_containers).T
        first = begins.reshape(number, num_containers).T - np.arange(0, len(opens), count)
    end: Any = count
    for at in reversed(range(num_containers)):
        described["key"][:, at] = keys[at]
        described["cardinality_minus_1"][:, at] = end - first[at] - 1
        offsets[:, at] = header.itemsize + first[at] * _VALUES.size
        end = first[at]
    return made


@lru_cache(maxsize=4096)
def _shape(num_containers: int, count: int) -> np.dtype[np.void]:
    """Return the dtype of bitmaps with this many containers, without runs, and `count` rows."""
    return np.dtype([("header", plain_header(num_containers)[1]), ("values", _VALUES.dtype, count)])


def read_small_bitmaps(
    data: NDArray[np.uint8], starts: _Array, sizes: _Array
) -> Iterator[tuple[_Array, _Array, _Array]]:
    """Yield the small and sound ones among many bitmaps, as many as have equally many containers.

    They are in `data`, with these starts and sizes in bytes. Bitmaps with runs, bitsets or very
    many containers are left out, and so are corrupt ones.

    Yields:
        The indexes of bitmaps, the number of rows in each, and the rows of all, one bitmap after
        another.
    """
    smallest = len(plain_header(1)[0])
    rest = np.flatnonzero((starts >= 0) & (sizes > smallest) & (starts + sizes <= len(data)))
    heads = _records(data, starts[rest], np.dtype(f"u{smallest}")) if len(rest) else rest
    for num_containers in range(1, _MOST_CONTAINERS + 1):
        head, kind = plain_header(num_containers)
        is_alike = heads == np.frombuffer(head, heads.dtype)
        places, rest, heads = rest[is_alike], rest[~is_alike], heads[~is_alike]
        places = places[sizes[places] > kind.itemsize]  # each container has a row
        if not len(places):
            continue
        records = _records(data, starts[places], kind)
        # A row for each container, because NumPy reduces long rows faster than short ones.
        keys = records["descriptors"]["key"].T.astype(np.uint32, "C")
        counts = records["descriptors"]["cardinality_minus_1"].T.astype(np.uint32, "C")
        counts += np.uint32(1)
        offsets = records["ofs_containers"].T.astype(np.uint32, "C")
        ends = offsets + counts * np.uint32(_VALUES.size)
        is_sound = (offsets[0] == kind.itemsize) & (offsets[1:] == ends[:-1]).all(axis=0)
        is_sound &= (ends[-1] == sizes[places]) & (keys[1:] > keys[:-1]).all(axis=0)
        is_sound &= (counts <= RoaringContainer.max_values).all(axis=0)
        if not is_sound.all():
            places, keys, counts = places[is_sound], keys[:, is_sound], counts[:, is_sound]
        each = counts.sum(axis=0, dtype=np.int64)
        rows = np.repeat((keys << np.uint32(_LOW)).T.ravel(), counts.T.ravel())
        rows |= _values(data, starts[places] + kind.itemsize, starts[places] + sizes[places])
        apart = rows[1:] > rows[:-1]
        apart[np.cumsum(each)[:-1] - 1] = True
        if apart.all():
            yield places, each, rows


def _records(data: NDArray[np.uint8], starts: _Array, kind: np.dtype[Any]) -> NDArray[Any]:
    """Return the records of a dtype that start at these bytes."""
    everywhere = np.ndarray(len(data) - kind.itemsize + 1, f"V{kind.itemsize}", data, strides=(1,))
    return everywhere[starts].view(kind)


def _values(data: NDArray[np.uint8], starts: _Array, ends: _Array) -> NDArray[np.uint16]:
    """Return the values in these ranges of bytes, which ascend."""
    # Arrow takes a fifth of the time that NumPy needs to gather each value.
    edges = np.stack([starts, ends], axis=1)
    buffers = [None, pa.py_buffer(edges), pa.py_buffer(data)]
    pieces = pa.Array.from_buffers(pa.large_binary(), max(edges.size - 1, 0), buffers)
    taken = pieces.take(to_arrow_array(np.arange(0, edges.size, 2)))
    count = int((ends - starts).sum()) // _VALUES.size
    return np.frombuffer(taken.buffers()[2], _VALUES.dtype, count)
