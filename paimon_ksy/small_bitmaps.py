"""Many small Roaring bitmaps written or read at once: those of the values of a column with many.

A bitmap that pyroaring makes and serializes takes more than a microsecond, however small it is.
Bitmaps of the same shape, so many containers and so many rows, differ in numbers at the same places
only, and are filled in as one array.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from paimon_ksy.generated.codecs import roaring_bitmap_32 as codec
from paimon_ksy.generated.codecs.roaring_bitmap_32 import RoaringDescriptorArray
from paimon_ksy.generated.runtime import layout, to_bytes
from paimon_ksy.generated.serializers.roaring_bitmap_32 import make_roaring_header

_Array: TypeAlias = NDArray[Any]

_MOST_ROWS = 64  # of a small bitmap: of larger ones there are few
_FEWEST_ALIKE = 32  # of a shape, or one by one is as quick
_FEWEST_READ = 4  # the same
MOST_BYTES = 512
"""Of a bitmap that is read with others."""

_ROWS_AT_ONCE = 1 << 18  # what is made of them stays in the processor's caches
_LOW = 16  # bits of a row that its container holds


def small_bitmaps(
    rows: _Array, starts: _Array, ends: _Array
) -> Iterator[tuple[list[int], list[bytes]]]:
    """Of bitmaps of `rows[start:end]`, ascending: places and bytes of those that are small.

    Small is one of few rows of which none follows another, so that no container is a run. The
    others are left out, and so are those of rare shapes; the order is any.
    """
    counts = (ends - starts).astype(np.int64)
    chosen = np.flatnonzero((counts > 0) & (counts <= _MOST_ROWS))
    parts = np.cumsum(counts[chosen]) // _ROWS_AT_ONCE
    for part in np.split(chosen, np.flatnonzero(parts[1:] != parts[:-1]) + 1):
        if len(part) >= _FEWEST_ALIKE:
            yield from _of_part(rows, starts[part].astype(np.int64), counts[part], part)


def _of_part(
    rows: _Array, starts: _Array, counts: _Array, places: _Array
) -> Iterator[tuple[list[int], list[bytes]]]:
    firsts = np.cumsum(counts) - counts
    rows = rows[np.repeat(starts - firsts, counts) + np.arange(counts.sum())]
    begins = np.zeros(len(rows), np.bool_)  # of a bitmap
    begins[firsts] = True
    has_runs = np.zeros(len(rows), np.bool_)
    has_runs[1:] = (rows[1:] == rows[:-1] + 1) & ~begins[1:]
    keys = (rows >> np.uint32(_LOW)).astype(np.uint16)
    opens = begins.copy()  # a container
    opens[1:] |= keys[1:] != keys[:-1]
    containers = np.flatnonzero(opens)
    cardinalities = np.diff(containers, append=len(rows))
    keys = keys[containers]
    first_containers = np.searchsorted(containers, firsts)
    num_containers = np.diff(first_containers, append=len(containers))
    shapes = num_containers * (_MOST_ROWS + 1) + counts
    shapes[np.searchsorted(firsts, np.flatnonzero(has_runs), side="right") - 1] = 0
    lows = rows.astype(codec.ROARING_CONTAINER_VALUES)
    order = np.argsort(shapes, kind="stable")
    for alike in np.split(order, np.flatnonzero(np.diff(shapes[order])) + 1):
        if len(alike) < _FEWEST_ALIKE or not shapes[alike[0]]:
            continue
        values = lows[firsts[alike, np.newaxis] + np.arange(counts[alike[0]])]
        within = first_containers[alike, np.newaxis] + np.arange(num_containers[alike[0]])
        yield places[alike].tolist(), _alike(keys[within], cardinalities[within], values)


def read_small_bitmaps(
    data: NDArray[np.uint8], starts: _Array, sizes: _Array, num_containers: int
) -> Iterator[tuple[_Array, _Array]]:
    """Of bitmaps in `data`: places of those that are small and sound, and their rows, a matrix.

    The others are left out: those with runs, with more than so many containers, and broken ones.
    """
    for size in np.unique(sizes[sizes <= MOST_BYTES]).tolist():
        left = np.flatnonzero(sizes == size)
        for containers in range(1, num_containers + 1):
            header, descriptors, _ = _header(containers)
            if len(left) < _FEWEST_READ or size <= len(header):
                break
            if (size - len(header)) % codec.ROARING_CONTAINER_VALUES.itemsize:
                continue
            begin = np.frombuffer(header[: descriptors.start], np.uint8)
            heads = data[starts[left, np.newaxis] + np.arange(len(begin))]
            chosen = (heads == begin).all(axis=1)
            alike = left[chosen]
            if len(alike):
                left = left[~chosen]
                found = data[starts[alike, np.newaxis] + np.arange(size)]
                sound, rows = _rows_of(found, containers)
                yield alike[sound], rows


def _rows_of(data: NDArray[np.uint8], num_containers: int) -> tuple[_Array, _Array]:
    """Which of the bitmaps, one in each row, are sound; and the rows of these."""
    header, descriptors, _ = _header(num_containers)
    count = len(data) * num_containers
    packed = np.ascontiguousarray(data[:, descriptors]).tobytes()
    read, _ = RoaringDescriptorArray.read(packed, 0, count)
    keys = read.key.reshape(-1, num_containers)
    cardinalities = read.cardinality_minus_1.astype(np.int64).reshape(keys.shape) + 1
    values = np.ascontiguousarray(data[:, len(header) :]).view(codec.ROARING_CONTAINER_VALUES)
    sound = cardinalities.sum(axis=1) == values.shape[1]
    sound &= (keys[:, 1:] > keys[:, :-1]).all(axis=1)
    sound &= (_matrix(keys, cardinalities, values) == data).all(axis=1)
    keys, cardinalities, values = keys[sound], cardinalities[sound], values[sound]
    high = np.repeat(keys.ravel().astype(np.int64), cardinalities.ravel()).reshape(values.shape)
    rows = (high << _LOW) + values
    ascend = (rows[:, 1:] > rows[:, :-1]).all(axis=1)
    sound[np.flatnonzero(sound)[~ascend]] = False
    return sound, rows[ascend]


def _alike(keys: _Array, cardinalities: _Array, values: _Array) -> list[bytes]:
    """Bitmaps with a row each in these arrays."""
    made = _matrix(keys, cardinalities, values)
    data, size = made.tobytes(), made.shape[1]
    return [data[at : at + size] for at in range(0, len(data), size)]


def _matrix(keys: _Array, cardinalities: _Array, values: _Array) -> NDArray[np.uint8]:
    header, descriptors, offsets = _header(keys.shape[1])
    made = np.empty((len(keys), len(header) + values.shape[1] * values.itemsize), np.uint8)
    made[:, : len(header)] = np.frombuffer(header, np.uint8)
    written = RoaringDescriptorArray.from_columns(
        key=keys.ravel(), cardinality_minus_1=cardinalities.ravel() - 1
    ).to_bytes()
    made[:, descriptors] = np.frombuffer(written, np.uint8).reshape(len(keys), -1)
    sizes = codec.sizeof_roaring_container(False, cardinalities, 0)
    places = (len(header) + np.cumsum(sizes, axis=1) - sizes).astype(
        codec.ROARING_HEADER_OFS_CONTAINERS
    )
    made[:, offsets] = places.view(np.uint8).reshape(len(keys), -1)
    made[:, len(header) :] = values.view(np.uint8).reshape(len(keys), -1)
    return made


@lru_cache(maxsize=256)
def _header(num_containers: int) -> tuple[bytes, slice, slice]:
    """The header of so many containers, none a run, and where descriptors and offsets are."""
    none = np.zeros(num_containers, np.int64)
    header = make_roaring_header(
        bitmap_start=0,
        descriptors=RoaringDescriptorArray.from_columns(key=none, cardinality_minus_1=none),
        ofs_containers=none,
    )
    places = {}
    for name in ("descriptors", "ofs_containers"):
        fields = [field for field in layout(header) if field.path.startswith(f"{name}[")]
        places[name] = slice(fields[0].start, fields[-1].end)
    return bytes(to_bytes(header)), places["descriptors"], places["ofs_containers"]
