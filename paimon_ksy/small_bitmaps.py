"""Many small Roaring bitmaps written or read at once: those of the values of a column with many.

A bitmap that pyroaring makes and serializes takes more than a microsecond, however small it is.
Here a step is one for all bitmaps, or for all of the same shape: so many containers, so many rows.
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
_MOST_VALUES = 4096  # of a container that is no bitset

_ROWS_AT_ONCE = 1 << 16  # what is made of them stays in the caches of one core
_FEW = 16  # bitmaps: fewer of a shape are not worth its steps
_LOW = 16  # bits of a row that its container holds
_DESCRIPTORS = codec.ROARING_PLAIN_HEADER_DESCRIPTORS
_VALUES, _OFFSETS = codec.ROARING_CONTAINER_VALUES, codec.ROARING_HEADER_OFS_CONTAINERS
_UNIT = _VALUES.itemsize


def small_bitmaps(rows: _Array, starts: _Array, ends: _Array) -> Iterator[tuple[_Array, _Array]]:
    """Of bitmaps of `rows[start:end]`, ascending: places of those that are small, and their bytes.

    Small is one of few rows of which none follows another, so that no container is a run. The
    others are left out, and those of a shape that few have. Each part is of bitmaps of one shape,
    which are records of an array; their places ascend.
    """
    counts = ends - starts
    chosen = np.flatnonzero((counts > 0) & (counts <= _MOST_ROWS))
    few = counts.take(chosen).astype(np.uint8)
    for count, of in _each_number(few):
        step = max(_ROWS_AT_ONCE // count, _FEW)
        for at in range(0, len(of), step):
            places = chosen.take(of[at : at + step])
            if len(places) >= _FEW:
                yield from _of_count(rows, starts.take(places), count, places)


def _each_number(numbers: NDArray[np.uint8]) -> Iterator[tuple[int, _Array]]:
    """The numbers there are, and where each is."""
    order, stop = np.argsort(numbers, kind="stable"), 0
    for number, times in enumerate(np.bincount(numbers).tolist()):
        start, stop = stop, stop + times
        if times:
            yield number, order[start:stop]


def _of_count(
    rows: _Array, starts: _Array, count: int, places: _Array
) -> Iterator[tuple[_Array, _Array]]:
    """Bitmaps that have so many rows each: the first row of all stands first, and so on."""
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
        elif len(of) >= _FEW:
            yield places.take(of), _made(found.take(of, axis=1), number + 1)


def _made(rows: _Array, num_containers: int) -> _Array:
    """The bitmaps of rows as `_of_count` has them, in so many containers each."""
    count, number = rows.shape
    header, kind = _shape(num_containers, count)
    made = np.empty(number, kind)
    made["head"] = np.frombuffer(header, kind["head"], 1)
    values, described, offsets = made["values"], made["descriptors"], made["ofs_containers"]
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
        offsets[:, at] = kind.fields["values"][1] + first[at] * _UNIT
        end = first[at]
    return made


@lru_cache(maxsize=4096)
def _shape(num_containers: int, count: int) -> tuple[bytes, Any]:
    """A header of so many containers, none a run, and the type of bitmaps of so many rows."""
    header, descriptors, offsets = _header(num_containers)
    fields: Any = {
        "head": (f"V{descriptors.start}", 0),
        "descriptors": ((_DESCRIPTORS, num_containers), descriptors.start),
        "ofs_containers": ((_OFFSETS, num_containers), offsets.start),
        "values": ((_VALUES, count), len(header)),
    }
    return header, np.dtype(fields)


def _before(counts: _Array, dtype: type[np.signedinteger[Any]] = np.int32) -> _Array:
    """The sum of those before each."""
    sums = np.cumsum(counts, dtype=dtype)
    sums -= counts
    return sums


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
