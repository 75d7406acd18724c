"""Many small Roaring bitmaps written or read at once: those of the values of a column with many.

A bitmap that pyroaring makes and serializes takes more than a microsecond, however small it is.
Here a step is one for all bitmaps, and Arrow puts together what each consists of. Those of the same
shape, so many containers and so many rows, are read as one array.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Any, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from paimon_ksy.generated.codecs import roaring_bitmap_32 as codec
from paimon_ksy.generated.codecs.roaring_bitmap_32 import RoaringDescriptorArray
from paimon_ksy.generated.runtime import layout, to_bytes
from paimon_ksy.generated.serializers.roaring_bitmap_32 import make_roaring_header

_Array: TypeAlias = NDArray[Any]

_MOST_ROWS = 64  # of a small bitmap: of larger ones there are few
_MOST_VALUES = 4096  # of a container that is no bitset

_ROWS_AT_ONCE = 1 << 16  # what is made of them stays in the caches of one core
_LOW = 16  # bits of a row that its container holds
_DESCRIPTORS = codec.ROARING_PLAIN_HEADER_DESCRIPTORS
_VALUES, _OFFSETS = codec.ROARING_CONTAINER_VALUES, codec.ROARING_HEADER_OFS_CONTAINERS
_UNIT = _VALUES.itemsize
_FIELDS: Any = _DESCRIPTORS.fields
_KEY, _CARDINALITY = (_FIELDS[name][1] // _UNIT for name in ("key", "cardinality_minus_1"))


def small_bitmaps(
    rows: _Array, starts: _Array, ends: _Array
) -> Iterator[tuple[_Array, _Array, NDArray[np.uint8]]]:
    """Of bitmaps of `rows[start:end]`, ascending: places of those that are small, sizes and bytes.

    Small is one of few rows of which none follows another, so that no container is a run. The
    others are left out. Places ascend; the bytes are those of one bitmap after the other.
    """
    counts = ends - starts
    chosen = np.flatnonzero((counts > 0) & (counts <= _MOST_ROWS))
    parts = np.cumsum(counts[chosen], dtype=np.int64) // _ROWS_AT_ONCE
    for part in np.split(chosen, np.flatnonzero(parts[1:] != parts[:-1]) + 1):
        if len(part):
            yield _of_part(rows, starts[part], counts[part], part)


def _of_part(
    rows: _Array, starts: _Array, counts: _Array, places: _Array
) -> tuple[_Array, _Array, NDArray[np.uint8]]:
    # Numbers of 32 bits are enough for places in a part, and twice as quick.
    firsts = _before(counts)
    rows = rows.take(_ranges(starts - firsts, counts))
    begins = np.zeros(len(rows), np.bool_)  # of a bitmap
    begins[firsts] = True
    follows = rows[1:] == rows[:-1] + np.uint32(1)
    follows &= ~begins[1:]
    if follows.any():
        plain = np.ones(len(counts), np.bool_)
        plain[np.searchsorted(firsts, np.flatnonzero(follows) + 1, side="right") - 1] = False
        kept = np.repeat(plain, counts)
        rows, begins = rows[kept], begins[kept]
        counts, places = counts[plain], places[plain]
        firsts = _before(counts)
    keys = (rows >> np.uint32(_LOW)).astype(np.uint16)
    opens = begins.copy()  # a container
    opens[1:] |= keys[1:] != keys[:-1]
    containers = np.flatnonzero(opens).astype(np.int32)
    first_containers = np.flatnonzero(begins.take(containers)).astype(np.int32)
    num_containers = np.diff(first_containers, append=np.int32(len(containers)))
    heads, (head, descriptor, offset) = _heads(int(num_containers.max(initial=1)))
    before_rows = np.int32(head) + num_containers * np.int32(descriptor + offset)
    cardinalities = np.diff(containers, append=np.int32(len(rows)))
    described = RoaringDescriptorArray.from_columns(
        key=keys.take(containers), cardinality_minus_1=cardinalities - np.int32(1)
    ).to_bytes()
    offsets = (np.repeat(before_rows - firsts, num_containers) + containers) * np.int32(_UNIT)
    made = pc.binary_join_element_wise(
        _blobs(heads.take(num_containers - 1), np.full_like(counts, head)),
        _blobs(described, num_containers * np.int32(descriptor)),
        _blobs(offsets.astype(_OFFSETS), num_containers * np.int32(offset)),
        _blobs(rows.astype(_VALUES), counts),
        b"",
    )
    sizes = (before_rows + counts) * np.int32(_UNIT)
    data = made.buffers()[2]
    return places, sizes, np.frombuffer(data, np.uint8, int(sizes.sum(dtype=np.int64)))


def _blobs(data: Any, words: _Array) -> pa.Array:
    """So many words of the data one after the other, each an Arrow value."""
    ends = np.zeros(len(words) + 1, np.int32)
    np.cumsum(words, out=ends[1:])
    ends *= np.int32(_UNIT)
    buffers = [None, pa.py_buffer(ends), pa.py_buffer(data)]
    return pa.Array.from_buffers(pa.binary(), len(words), buffers)


def _before(counts: _Array, dtype: type[np.signedinteger[Any]] = np.int32) -> _Array:
    """The sum of those before each."""
    sums = np.cumsum(counts, dtype=dtype)
    sums -= counts
    return sums


def _ranges(firsts: _Array, counts: _Array) -> _Array:
    """Each number so many times, with 0, 1, 2 and so on added to all."""
    found = np.repeat(firsts, counts)
    found += np.arange(len(found), dtype=np.int32)
    return found


def read_small_bitmaps(
    data: NDArray[np.uint8], starts: _Array, sizes: _Array, num_containers: int
) -> tuple[_Array, _Array, _Array]:
    """Of bitmaps in `data`: places of those that can be read here, how many rows each has, rows.

    The rows are those of one bitmap after the other. Left out are bitmaps with runs or bitsets,
    with more than so many containers, and broken ones. Some thousands at a time are quickest.
    """
    shift = int(starts[0]) % _UNIT if len(starts) else 0
    words = data[shift : shift + (len(data) - shift) // _UNIT * _UNIT].view(_VALUES)
    pairs = _pairs(words)
    first, size = (starts - shift) // _UNIT, sizes // _UNIT
    even = (first * _UNIT == starts - shift) & (size * _UNIT == sizes)
    places = np.flatnonzero(even & (first >= 0) & (first + size <= len(words)))
    while True:  # once more after each check that one does not pass: the next relies on it
        of = first[places], size[places]
        sound, counts, rows = _read_sound(words, pairs, *of, num_containers)
        if sound.all():
            return places, counts, rows
        places = places[sound]


def _pairs(words: _Array) -> _Array:
    """All words with the one after it, as one number: at even places, and those at odd ones."""
    found = np.zeros((2, len(words) // 2), _OFFSETS)
    for shift, pairs in enumerate(found.view(_VALUES)):
        here = words[shift : shift + len(pairs)]
        pairs[: len(here)] = here
    return found


def _read_sound(
    words: _Array, pairs: _Array, starts: _Array, sizes: _Array, num_containers: int
) -> tuple[NDArray[np.bool_], _Array, _Array]:
    """Which of the bitmaps pass a check; if all pass all, how many rows each has, and the rows."""
    none = np.empty(0, np.int64)
    heads, (head, descriptor, offset) = _heads(num_containers)
    sound = sizes > head + descriptor + offset
    if not sound.all() or not len(starts):
        return sound, none, none
    at = (starts >> 1) + (starts & 1) * pairs.shape[1]
    pairs = pairs.ravel()
    here = np.stack([pairs.take(at), pairs.take(at + 1)], axis=1).view(heads.dtype).ravel()
    # Heads differ by their number of containers, which is somewhere in them.
    number = (here - heads[0]).astype(np.int64)
    if num_containers > 1:
        number //= np.int64(heads[1] - heads[0])
    sound = (number >= 0) & (number < num_containers)
    sound &= heads.take(number, mode="clip") == here
    number += 1
    lengths = head + number * (descriptor + offset)
    counts = sizes - lengths
    sound &= counts > 0
    if not sound.all():
        return sound, none, none
    # Containers, each with a descriptor and an offset, which are pairs.
    at += head // 2
    ends = np.cumsum(number)
    first, last = ends - number, ends - 1
    described = pairs.take(_upward(at, first, int(ends[-1]))).view(_DESCRIPTORS)
    at += number
    offsets = pairs.take(_upward(at, first, int(ends[-1])))
    keys = described["key"].astype(np.uint32)
    cardinalities = described["cardinality_minus_1"].astype(np.uint32)
    cardinalities += np.uint32(1)
    steps = keys[1:] - keys[:-1]
    ends = cardinalities * np.uint32(_UNIT)
    ends += offsets
    wrong = cardinalities > _MOST_VALUES
    apart = steps.view(np.int32) <= 0
    apart |= ends[:-1] != offsets[1:]
    apart[last[:-1]] = False
    wrong[1:] |= apart
    sound = _count(wrong, first) == 0
    sound &= (offsets.take(first) == lengths * _UNIT) & (ends.take(last) == sizes * _UNIT)
    if not sound.all():
        return sound, none, none
    # Rows: the upper bits are those of the container, and change where the next one begins.
    before, total = _before(counts, np.int64), int(counts.sum())
    rows = np.zeros(total, np.uint32)
    rows[0] = keys[0]
    rows[np.cumsum(cardinalities, dtype=np.intp)[:-1]] = steps
    np.cumsum(rows, out=rows)
    rows <<= np.uint32(_LOW)
    rows |= words.take(_upward(starts + lengths, before, total))
    wrong = np.empty(total, np.bool_)
    np.less_equal(rows[1:], rows[:-1], out=wrong[1:])
    wrong[before] = False
    return _count(wrong, before) == 0, counts, rows


def _upward(firsts: _Array, places: _Array, count: int) -> _Array:
    """So many numbers, each greater by 1 than the one before: but there are `firsts` at `places`.

    The first place is 0. Much faster than repeating.
    """
    if len(firsts) == count:
        return firsts
    found = np.ones(count, np.intp)
    found[0] = firsts[0]
    found[places[1:]] = np.diff(firsts) - np.diff(places) + 1
    return np.cumsum(found, out=found)


def _count(wrong: _Array, firsts: _Array) -> _Array:
    """How many are wrong of each part, which is seldom any."""
    if not wrong.any():
        return np.zeros(len(firsts), np.int64)
    return np.add.reduceat(wrong, firsts, dtype=np.int64)


@lru_cache(maxsize=16)
def _heads(num_containers: int) -> tuple[_Array, tuple[int, int, int]]:
    """What bitmaps start with that have 1 container, 2, and so on; and sizes in words: of this, of
    a descriptor, and of an offset."""
    headers = [_header(number) for number in range(1, num_containers + 1)]
    _, descriptors, offsets = headers[0]
    sizes = descriptors.start, descriptors.stop - descriptors.start, offsets.stop - offsets.start
    heads = b"".join(header[: sizes[0]] for header, _, _ in headers)
    head, descriptor, offset = (size // _UNIT for size in sizes)
    return np.frombuffer(heads, f"u{sizes[0]}"), (head, descriptor, offset)


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
