"""Many small Roaring bitmaps serialized at once: those of the values of a column with many.

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


def _alike(keys: _Array, cardinalities: _Array, values: _Array) -> list[bytes]:
    """Bitmaps with a row each in these arrays."""
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
    data, size = made.tobytes(), made.shape[1]
    return [data[at : at + size] for at in range(0, len(data), size)]


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
