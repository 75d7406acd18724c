"""Write or read many small Roaring bitmaps at once, such as those of a column with many values.

pyroaring takes more than a microsecond to make and serialize even the smallest bitmap. Here, each
step handles all bitmaps of the same shape, that is, with as many containers and rows.
With pyroaring alone, `build V2, 10,000 ints` of `make bench` takes 50 ms instead of 32.
To read, Arrow gathers the fields that are alike. That takes a fifth of the time that NumPy needs to
gather each word, and does not hold the GIL.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Any, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from paimon_ksy.generated.views.roaring_bitmap_32 import (
    ROARING_CONTAINER_VALUES,
    ROARING_DESCRIPTOR,
    ROARING_HEADER_OFS_CONTAINERS,
    RoaringPlainHeaderPlaces,
    places_roaring_plain_header,
)
from paimon_ksy.roaring.bitmap_32 import containers, plain_header

_Array: TypeAlias = NDArray[Any]

_MOST_CONTAINERS = 64  # in a bitmap that is read with others: bounds the memory of each
_MOST_ROWS = 255  # in a small bitmap, so that counts are bytes
_MOST_VALUES = 4096  # in a container that is not a bitset
_ROWS_AT_ONCE = 1 << 16  # their results take a few MB
_LOW = 16  # low bits of a row, which its container stores
_DESCRIPTORS = ROARING_DESCRIPTOR.dtype
_OFFSETS = ROARING_HEADER_OFS_CONTAINERS.dtype
_VALUES, _UNIT = ROARING_CONTAINER_VALUES.dtype, ROARING_CONTAINER_VALUES.size
_NONE = np.empty(0, np.int64)
_COLUMNS = {"descriptors": _DESCRIPTORS, "ofs_containers": _OFFSETS}
_PARTS = sorted(_COLUMNS, key=RoaringPlainHeaderPlaces._fields.index)  # in the order of the file


def small_bitmaps(rows: _Array, starts: _Array, ends: _Array) -> Iterator[tuple[_Array, _Array]]:
    """Yield the indexes of the small bitmaps, and their bytes.

    A small bitmap has few rows, and no two adjacent ones, so that no container is a run. Other
    bitmaps are left out, and shapes with fewer bitmaps than rows, because each row takes a step.
    Each item contains the bitmaps of one shape, as records of an array; their indexes ascend.

    Args:
        rows: The rows of all bitmaps, ascending in each.
        starts: The first row of each in `rows`.
        ends: The position after the last row of each.
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
    found = rows.take(starts + np.arange(count)[:, None])
    follows = found[1:] == found[:-1] + np.uint32(1)
    if follows.any():
        plain = np.flatnonzero(~follows.any(axis=0))
        found, places = found.take(plain, axis=1), places.take(plain)
    keys = found >> np.uint32(_LOW)
    opens = keys[1:] != keys[:-1]
    for number, of in _each_number(opens.sum(axis=0, dtype=np.uint8)):
        if len(of) == len(places):
            yield places, _made(found, number + 1)
        elif len(of) >= count:
            yield places.take(of), _made(found.take(of, axis=1), number + 1)


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
        offsets[:, at] = header.itemsize + first[at] * _UNIT
        end = first[at]
    return made


@lru_cache(maxsize=4096)
def _shape(num_containers: int, count: int) -> np.dtype[np.void]:
    """Return the dtype of bitmaps with this many containers, without runs, and `count` rows."""
    return np.dtype([("header", plain_header(num_containers)[1]), ("values", _VALUES, count)])


def read_small_bitmaps(
    data: NDArray[np.uint8], starts: _Array, sizes: _Array, num_rows: int
) -> tuple[_Array, _Array, _Array]:
    """Read the small and sound ones among many bitmaps.

    Bitmaps with runs, bitsets or very many containers are left out, and so are corrupt ones. All
    are left out if they are not in ascending order in the data; gaps between them are allowed.

    Args:
        data: The bytes of all bitmaps.
        starts: The first byte of each.
        sizes: The bytes of each.
        num_rows: The rows of the file.

    Returns:
        The indexes of the bitmaps that were read, the number of rows in each, and the rows of all,
        one bitmap after another.
    """
    num_containers = min(max(containers(num_rows), 1), _MOST_CONTAINERS)
    places = np.flatnonzero(sizes > plain_header(1)[1].itemsize)
    first, end = starts.take(places), (starts + sizes).take(places)
    if len(end) and (first[0] < 0 or end[-1] > len(data) or (first[1:] < end[:-1]).any()):
        return places[:0], _NONE, _NONE
    while len(places):  # repeat without the bitmaps that failed a check: later checks rely on it
        of = starts.take(places), sizes.take(places)
        sound, counts, rows = _read_sound(data, *of, num_containers)
        if sound.all():
            return places, counts, rows
        places = places[sound]
    return places, _NONE, _NONE


def _read_sound(
    data: NDArray[np.uint8], starts: _Array, sizes: _Array, num_containers: int
) -> tuple[NDArray[np.bool_], _Array, _Array]:
    """Return which bitmaps pass; if all do, also their numbers of rows, and all rows."""
    heads, ends = _heads(num_containers)
    here = np.ndarray(len(data) - heads.itemsize + 1, heads.dtype, data, 0, (1,))[starts]
    # Heads differ in their size, which depends on the number of containers in them.
    number = (here - heads[0]).astype(np.int64)
    if num_containers > 1:
        number //= np.int64(heads[1] - heads[0])
    sound = (number >= 0) & (number < num_containers)
    sound &= heads.take(number, mode="clip") == here
    lengths = ends.take(number, mode="clip")
    counts = sizes - lengths
    sound &= (counts > 0) & (counts & (_UNIT - 1) == 0)
    if not sound.all():
        return sound, _NONE, _NONE
    counts //= _UNIT
    if num_containers == 1:
        return _read_single(data, starts, sizes, counts)
    number += 1
    places = places_roaring_plain_header(number)
    lasts = np.cumsum(number)
    total = int(lasts[-1])
    edges = np.empty((len(starts), len(_PARTS) + 2), np.int64)
    for at, place in enumerate([*(getattr(places, name) for name in _PARTS), lengths, sizes]):
        np.add(starts, place, out=edges[:, at])
    parts, begin, columns = _first_parts(data, edges), 0, {}
    for name in _PARTS:
        columns[name] = np.frombuffer(parts, _COLUMNS[name], total, begin)
        begin += columns[name].nbytes
    described, offsets = columns["descriptors"], columns["ofs_containers"]
    values = np.frombuffer(parts, _VALUES, offset=begin)
    # Containers.
    firsts = lasts - number
    lasts -= 1
    keys = described["key"].astype(np.uint32)
    cardinalities = described["cardinality_minus_1"].astype(np.uint32)
    cardinalities += np.uint32(1)
    ends = cardinalities * np.uint32(_UNIT)
    ends += offsets
    wrong = cardinalities > _MOST_VALUES
    apart = keys[1:] <= keys[:-1]
    apart |= ends[:-1] != offsets[1:]
    apart[lasts[:-1]] = False
    wrong[1:] |= apart
    sound = _count(wrong, firsts) == 0
    sound &= (offsets.take(firsts) == lengths) & (ends.take(lasts) == sizes)
    if not sound.all():
        return sound, _NONE, _NONE
    # Rows: the upper bits are those of the container.
    keys <<= np.uint32(_LOW)
    rows = keys if len(values) == total else np.repeat(keys, cardinalities)
    rows |= values
    return _ascend(rows, counts), counts, rows


def _ascend(rows: _Array, counts: _Array) -> NDArray[np.bool_]:
    """Return whether the rows ascend, for each bitmap."""
    firsts = np.cumsum(counts)
    firsts -= counts
    wrong = np.empty(len(rows), np.bool_)
    np.less_equal(rows[1:], rows[:-1], out=wrong[1:])
    wrong[firsts] = False
    found: NDArray[np.bool_] = _count(wrong, firsts) == 0
    return found


def _read_single(
    data: NDArray[np.uint8], starts: _Array, sizes: _Array, counts: _Array
) -> tuple[NDArray[np.bool_], _Array, _Array]:
    """Do what `_read_sound` does, for bitmaps that have one container, of `counts` rows."""
    kind = plain_header(1)[1]
    size = kind.itemsize
    headers = np.ndarray(len(data) - size + 1, f"V{size}", data, 0, (1,))[starts].view(kind)
    described, offsets = headers["descriptors"][:, 0], headers["ofs_containers"][:, 0]
    sound = (described["cardinality_minus_1"] == counts - 1) & (offsets == size)
    sound &= counts <= _MOST_VALUES
    if not sound.all():
        return sound, _NONE, _NONE
    edges = np.stack([starts + size, starts + sizes], axis=1)
    rows = np.frombuffer(_first_parts(data, edges), _VALUES).astype(np.uint32)
    if described["key"].any():
        rows |= np.repeat(described["key"].astype(np.uint32) << np.uint32(_LOW), counts)
    return _ascend(rows, counts), counts, rows


def _first_parts(data: NDArray[np.uint8], edges: _Array) -> pa.Buffer:
    """Return the bytes between the first two edges in each row of `edges`, then the next two, ..

    Edges ascend within and between rows.
    """
    count, width = edges.shape
    buffers = [None, pa.py_buffer(edges), pa.py_buffer(data)]
    parts = pa.Array.from_buffers(pa.large_binary(), edges.size - 1, buffers)
    wanted = np.arange(count) * width + np.arange(width - 1)[:, None]
    found = pc.take(parts, pa.array(wanted.ravel()), boundscheck=False)
    size = int((edges[:, -1] - edges[:, 0]).sum())
    return found.buffers()[2].slice(0, size)


def _count(wrong: _Array, firsts: _Array) -> _Array:
    """Return the number of wrong entries in each part, which is rarely above 0."""
    if not wrong.any():
        return np.zeros(len(firsts), np.int64)
    return np.add.reduceat(wrong, firsts, dtype=np.int64)


@lru_cache(maxsize=16)
def _heads(num_containers: int) -> tuple[_Array, _Array]:
    """Return the first bytes of bitmaps with 1 container, 2 and so on, and where their headers end.

    The first bytes of each are one integer.
    """
    heads = [plain_header(number)[0] for number in range(1, num_containers + 1)]
    ends = places_roaring_plain_header(np.arange(1, num_containers + 1)).end
    return np.frombuffer(b"".join(heads), f"u{len(heads[0])}"), ends
