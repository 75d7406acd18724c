"""Read and check Roaring bitmaps of 32-bit integers.

The rules of https://github.com/RoaringBitmap/RoaringFormatSpec are checked for all neighbouring
containers of one kind at a time. pyroaring itself checks that keys, values and runs ascend, and
counts the bits of a bitset: a look-up relies on nothing else.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from itertools import accumulate, groupby
from operator import lt
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from pyroaring import BitMap

from paimon_ksy.generated.errors import FormatError
from paimon_ksy.generated.runtime import to_bytes
from paimon_ksy.generated.views.roaring_bitmap_32 import (
    ROARING_CONTAINER_VALUES,
    ROARING_CONTAINER_WORDS,
    ROARING_DESCRIPTOR,
    ROARING_HEADER_OFS_CONTAINERS,
    ROARING_RUN,
    ROARING_RUN_COUNT,
    RoaringContainer,
    RoaringHeader,
    RoaringPlainStart,
    places_roaring_plain_header,
)
from paimon_ksy.generated.writers.roaring_bitmap_32 import make_roaring_plain_header

_ARRAY, _BITSET, _RUN = 0, 1, 2
_BITSET_BYTES: int = RoaringContainer(bytes(1 << 16), 0, 0, False, 1 << 16).end
_RUN_HEAD: int = RoaringContainer(bytes(1 << 16), 0, 0, True, 0).end
_RUN_BYTES = ROARING_RUN.size
_VALUE_BYTES = ROARING_CONTAINER_VALUES.size
_MAX_ARRAY = _BITSET_BYTES // _VALUE_BYTES  # more values than this take less space as a bitset
_LAST = 8 * _BITSET_BYTES - 1
_WORDS = _BITSET_BYTES // ROARING_CONTAINER_WORDS.size
_WORD_BITS = 8 * ROARING_CONTAINER_WORDS.size
_VALUE, _WORD = ROARING_CONTAINER_VALUES.dtype, ROARING_CONTAINER_WORDS.dtype


Words = NDArray[np.uint64]
"""The rows of a file as bits: 1,024 words for each container of a Roaring bitmap."""


class BadBitmapError(Exception):
    """A malformed bitmap: what is wrong, and at which byte of it."""

    def __init__(self, message: str, offset: int = 0) -> None:
        super().__init__(message)
        self.offset = offset


class _Stretch(NamedTuple):
    """Neighbouring containers of one kind: first byte, keys, cardinalities, how many runs each has.

    Only run containers have `num_runs`.
    """

    kind: int
    start: int
    keys: list[int]
    cardinalities: list[int]
    num_runs: list[int]


def longest(num_rows: int) -> int:
    """Return an upper bound, in bytes, of the size of a bitmap of rows below `num_rows`.

    It holds for bitmaps that use runs only where these take fewer bytes.
    """
    # Each container also has an entry in the head.
    return int((num_rows // (_LAST + 1) + 2) * 2 * _BITSET_BYTES)


def size_of(read: Callable[[int, int], bytes], num_rows: int) -> int:
    """Return the size of a bitmap of rows below `num_rows`, without reading its containers.

    If it has runs, the last container is read, or all of them if the header has no offsets.

    Args:
        read: `read(at, most)` returns the bytes of the bitmap from `at` on, at most `most` of them.
        num_rows: The rows of the file.

    Raises:
        FormatError: The header is malformed.
    """
    # An upper bound for a header.
    header = RoaringHeader(read(0, 64 + num_rows // (_LAST + 1) * 16), 0, 0)
    at = header.end
    cardinalities = [number + 1 for number in _list(header.descriptors_cardinality_minus_1)]
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
    """Return the set of rows in `data`, all of them below `num_rows`.

    Args:
        data: The bytes of the bitmap.
        num_rows: The rows of the file.
        prefix: Whether bytes may follow the bitmap.

    Raises:
        BadBitmapError: The bitmap is malformed, or has another row.
    """
    rows, end = read_first(data)
    if end != len(data) and not prefix:
        raise BadBitmapError(f"{len(data) - end} bytes follow the bitmap", end)
    return _below(rows, num_rows)


def read_start(data: bytes | memoryview, num_rows: int) -> BitMap:
    """Return the set of rows in the bitmap at the start of `data`, all of them below `num_rows`.

    Native code never reads past `data`, and checks everything that it relies on. Audits check the
    rest: offsets in the header, and the cardinalities of run containers.

    Raises:
        BadBitmapError: The bitmap is malformed, or has another row.
    """
    whole: Any = data  # any buffer will do
    try:
        rows = BitMap.deserialize(whole)
    except (ValueError, IndexError):  # IndexError: `data` is empty
        return read_bitmap(data, num_rows, prefix=True)  # says what is wrong
    return _below(rows, num_rows)


def _below(rows: BitMap, num_rows: int) -> BitMap:
    if rows and rows.max() >= num_rows:
        raise BadBitmapError(f"row {rows.max()} is out of range in a file of {num_rows} rows")
    return rows


def _deserialized(data: bytes | memoryview) -> BitMap:
    """Read the bitmap by native code, which checks the order of keys and values, and counts bits.

    The caller has to check that the bitmap ends within `data`, and that its runs are valid.
    """
    whole: Any = data  # any buffer will do
    try:
        return BitMap.deserialize(whole)
    except ValueError as error:
        _checked(data)  # says what is wrong
        raise BadBitmapError(f"not a Roaring bitmap: {error}") from error


def read_most_rows(data: bytes | memoryview, num_rows: int) -> BitMap:
    """Do what `read_bitmap` does, but much faster for a bitmap of all rows, which is common."""
    every = BitMap()
    every.add_range(0, num_rows)
    every.run_optimize()
    return every if every.serialize() == data else read_bitmap(data, num_rows)


def are_worth_words(size: int, count: int, num_rows: int) -> bool:
    """Return whether `count` bitmaps of `size` bytes in total are at most twice as large as words.

    Then most of their containers are bitsets, and words are faster than sets.
    """
    return 2 * size >= count * containers(num_rows) * int(_BITSET_BYTES)


def read_words(data: bytes | memoryview, num_rows: int, *, counted: bool = True) -> Words:
    """Return what `read_bitmap` returns, as words; a view of `data` if it has only bitsets.

    Args:
        data: The bytes of the bitmap.
        num_rows: The rows of the file.
        counted: Whether to check the cardinalities of bitsets, and the bits after the last row in
            its container. No native code relies on them. Everything else is always checked.

    Raises:
        BadBitmapError: The bitmap is malformed, or has another row.
    """
    count = containers(num_rows)
    words = _only_words(data, count, counted=counted)
    last = num_rows & _LAST if counted else 0
    if words is not None and not (last and _has_bits(words[-1], last)):
        return words
    stretches, end = _checked(data, _CHECKS if counted else _UNCOUNTED)
    if end != len(data):
        raise BadBitmapError(f"{len(data) - end} bytes follow the bitmap", end)
    if stretches and stretches[-1].keys[-1] >= count:
        read_bitmap(data, num_rows)  # raises an error that names the row
    words = _spread(data, stretches, count)
    if last and _has_bits(words[-1], last):
        read_bitmap(data, num_rows)
    return words


def _only_words(data: bytes | memoryview, count: int, *, counted: bool) -> Words | None:
    """Return the words of a bitmap of `count` bitsets with keys from 0, else None.

    With `counted`, it also returns None if a cardinality is wrong.
    """
    start = _plain_start(data)
    if start is None:
        return None
    keys, offsets = _only_bitsets(count)
    if (
        len(data) != start.end + count * _BITSET_BYTES
        or tuple(_list(start.descriptors_key)) != keys
        or min(_list(start.descriptors_cardinality_minus_1), default=0) < _MAX_ARRAY
        or start.offsets != offsets
    ):
        return None
    words = np.frombuffer(data, _WORD, offset=start.end)
    words = words.reshape(-1, _WORDS)
    if counted:
        cardinalities = [number + 1 for number in _list(start.descriptors_cardinality_minus_1)]
        if _bits_of_each(words, max(cardinalities)) != cardinalities:
            return None
    return words


@lru_cache(maxsize=256)
def plain_header(count: int) -> tuple[bytes, np.dtype[np.void]]:
    """Return the first bytes and the dtype of a header of `count` containers without runs.

    The dtype has the fields `head` (the first bytes), `descriptors` and `ofs_containers`.
    """
    none = np.zeros(count, np.int64)
    descriptors = ROARING_DESCRIPTOR.pack(key=none, cardinality_minus_1=none)
    header = make_roaring_plain_header(descriptors=descriptors, ofs_containers=none)
    places = places_roaring_plain_header(count)
    start = min(places.descriptors, places.ofs_containers)
    offsets = ROARING_HEADER_OFS_CONTAINERS.dtype
    fields: Any = {
        "head": (f"V{start}", 0),
        "descriptors": ((ROARING_DESCRIPTOR.dtype, count), places.descriptors),
        "ofs_containers": ((offsets, count), places.ofs_containers),
    }
    return to_bytes(header)[:start], np.dtype(fields)


def _head_of_bitsets(keys: NDArray[np.int64], counts: NDArray[np.uint32]) -> bytes:
    """Return the header of a bitmap of bitsets with these keys and numbers of rows."""
    head, kind = plain_header(len(keys))
    header = np.empty(1, kind)
    header["head"] = np.frombuffer(head, kind["head"], 1)
    header["descriptors"]["key"] = keys
    header["descriptors"]["cardinality_minus_1"] = counts - 1
    header["ofs_containers"] = header.itemsize + np.arange(len(keys)) * _BITSET_BYTES
    return header.tobytes()


@lru_cache(maxsize=1)
def _only_bitsets(count: int) -> tuple[tuple[int, ...], bytes]:
    """Return the keys and offsets of a bitmap of `count` bitsets with keys from 0."""
    first = plain_header(count)[1].itemsize
    offsets = ROARING_HEADER_OFS_CONTAINERS.pack(
        ofs_containers=first + np.arange(count) * _BITSET_BYTES
    )
    return tuple(range(count)), offsets.data


def containers(num_rows: int) -> int:
    """Return the number of containers that rows below `num_rows` can have."""
    return int(-(-num_rows // (_LAST + 1)))


def _has_bits(words: NDArray[np.uint64], first: int) -> bool:
    """Return whether a container has bits from `first` on; several are columns of `words`."""
    word, bit = divmod(first, _WORD_BITS)
    return bool((words[word] >> np.uint64(bit)).any()) or bool(words[word + 1 :].any())


def _spread(data: bytes | memoryview, stretches: list[_Stretch], count: int) -> Words:
    """Return the containers of keys below `count` as words; missing ones are zeros."""
    if len(stretches) == 1 and len(stretches[0].keys) == count and stretches[0].kind == _BITSET:
        return _words(data, stretches[0])
    words = np.zeros((count, _WORDS), _WORD)
    for stretch in stretches:
        if stretch.kind == _BITSET:
            words[stretch.keys] = _words(data, stretch)
            continue
        for key, values in zip(stretch.keys, _values(data, stretch), strict=True):
            bits = np.zeros(_LAST + 1, np.uint8)
            bits[values] = 1
            words[key] = words_of_bits(bits)[0]
    return words


def words_of_bits(chosen: NDArray[np.uint8] | NDArray[np.bool_]) -> Words:
    """Return the rows where `chosen` is not 0, as words."""
    packed = np.packbits(chosen, bitorder="little")
    packed.resize(containers(len(chosen)) * _BITSET_BYTES, refcheck=False)
    return packed.view(_WORD).reshape(-1, _WORDS)


def _values(data: bytes | memoryview, stretch: _Stretch) -> Iterator[NDArray[Any]]:
    """Yield the set bits of each array or run container: their numbers, or a mask."""
    at = stretch.start
    for cardinality in stretch.cardinalities if stretch.kind == _ARRAY else ():
        yield np.frombuffer(data, _VALUE, cardinality, at)
        at += cardinality * _VALUE_BYTES
    for count in stretch.num_runs:
        at, first, more = ROARING_RUN.read(data, 0, at + _RUN_HEAD, count, arrays=True)
        edges = np.stack([first, first + more + 1], axis=1).ravel()
        lengths = np.diff(edges, prepend=0, append=_LAST + 1)
        yield np.repeat(np.arange(len(lengths)) & 1 == 1, lengths)


def rows_of(words: Words) -> BitMap:
    """Return the rows as a set."""
    counts = np.add.reduce(np.bitwise_count(words), axis=1, dtype=np.uint32)
    # A Roaring bitmap stores few rows as an array, not as a bitset. So the complement is stored as
    # a bitset, and native code flips it back, which is the fastest way.
    few = np.flatnonzero((counts <= _MAX_ARRAY) & (counts > 0))
    if len(few):
        words = words.copy()
        words[few] = ~words[few]
        counts[few] = _LAST + 1 - counts[few]
    keys = np.flatnonzero(counts)
    rows = BitMap.deserialize(_bitsets(keys, counts[keys], words)) if len(keys) else BitMap()
    for key in few.tolist():
        rows.flip_inplace(key * (_LAST + 1), (key + 1) * (_LAST + 1))
    return rows


def _bitsets(keys: NDArray[np.int64], counts: NDArray[np.uint32], words: Words) -> bytes:
    """Return a serialized bitmap whose containers, with these keys, are all bitsets."""
    head = _head_of_bitsets(keys, counts)
    return b"".join((head, (words if len(keys) == len(words) else words[keys]).data))


def read_first(data: bytes | memoryview) -> tuple[BitMap, int]:
    """Return the bitmap at the start of `data`, and its size in bytes.

    Raises:
        BadBitmapError: The bitmap is malformed.
    """
    end = _plain_end(data)
    if end is None:
        _, end = _checked(data, {_RUN: _check_runs})
    return _deserialized(data if end == len(data) else data[:end]), end


def _plain_end(data: bytes | memoryview) -> int | None:
    """Return where a bitmap without runs ends; None if it has runs, or wrong offsets.

    Raises BadBitmapError if the header is malformed.
    """
    header = _header(data)
    if header.has_runs:
        return None
    end = header.end
    sizes = _sizes(header.descriptors_cardinality_minus_1)
    for start, size in zip(_list(header.ofs_containers), sizes, strict=True):
        if start != end:
            return None
        end += size
    return int(end) if end <= len(data) else None


def _plain_start(data: bytes | memoryview) -> RoaringPlainStart | None:
    """Return the start of a bitmap; None if it has runs, or is malformed."""
    try:
        return RoaringPlainStart(data, 0, 0)
    except FormatError:
        return None


def _header(data: bytes | memoryview) -> RoaringHeader:
    """Return the header of a bitmap; raise BadBitmapError if it is malformed."""
    try:
        return RoaringHeader(data, 0, 0)
    except FormatError as error:
        message = f"not a Roaring bitmap: {error.message}"
        raise BadBitmapError(message, error.offset or 0) from error


def _sizes(less_one: Any) -> list[int]:
    """Return the sizes of containers without runs in bytes, from their cardinalities minus 1."""
    return [
        _BITSET_BYTES if number >= _MAX_ARRAY else _VALUE_BYTES * number + _VALUE_BYTES
        for number in (less_one if isinstance(less_one, tuple) else _list(less_one))
    ]


def _checked(
    data: bytes | memoryview, checks: Mapping[int, _Check] | None = None
) -> tuple[list[_Stretch], int]:
    """Check a bitmap, and return its containers in order, and where the last one ends.

    `checks` maps kinds of containers to their checks; the default is all of them. Raises
    BadBitmapError if a check fails.
    """
    try:
        stretches, end = _stretches(data)
    except FormatError as error:  # the runs are cut off
        message = f"not a Roaring bitmap: {error.message}"
        raise BadBitmapError(message, error.offset or 0) from error
    if end > len(data):
        raise BadBitmapError(f"its containers take {end} bytes, but only {len(data)} exist")
    for stretch in stretches:
        if check := (checks or _CHECKS).get(stretch.kind):
            check(data, stretch)
    return stretches, end


def _stretches(data: bytes | memoryview) -> tuple[list[_Stretch], int]:
    """Return the containers in order, and where the last one ends, according to the header."""
    header = _header(data)
    has_runs = header.has_runs
    keys, less_one = _list(header.descriptors_key), _list(header.descriptors_cardinality_minus_1)
    offsets = None if header.ofs_containers is None else _list(header.ofs_containers)
    pos = header.end
    cardinalities = [number + 1 for number in less_one]
    if not all(map(lt, keys, keys[1:])):
        raise BadBitmapError("keys of containers are not ascending")
    if not has_runs and cardinalities and min(less_one) >= _MAX_ARRAY:
        end = pos + len(keys) * _BITSET_BYTES
        if offsets == list(range(pos, end, _BITSET_BYTES)):
            return [_Stretch(_BITSET, pos, keys, cardinalities, [])], end
    kinds = [_BITSET if n > _MAX_ARRAY else _ARRAY for n in cardinalities]
    sizes = _sizes(less_one)
    num_runs = _find_runs(data, header, kinds, sizes, pos) if has_runs else []
    starts = list(accumulate(sizes, initial=pos))
    if offsets is not None and offsets != starts[:-1]:
        at = next(start for start, other in zip(starts, offsets, strict=False) if start != other)
        raise BadBitmapError("an offset in the header is not where its container starts", at)
    stretches: list[_Stretch] = []
    first = runs = 0
    for kind, alike in groupby(kinds):
        last = first + len(list(alike))
        here = num_runs[runs : runs + last - first] if kind == _RUN else []
        stretches.append(
            _Stretch(kind, starts[first], keys[first:last], cardinalities[first:last], here)
        )
        first, runs = last, runs + len(here)
    return stretches, starts[-1]


def _list(column: Any) -> list[int]:
    """Return a column, which may be a tuple or an array, as a list."""
    found: list[int] = column.tolist() if isinstance(column, np.ndarray) else list(column)
    return found


def _find_runs(
    data: bytes | memoryview, header: Any, kinds: list[int], sizes: list[int], pos: int
) -> list[int]:
    """Return the number of runs in each run container; set its entries of `kinds` and `sizes`."""
    flags = _flags(header)
    counts = _counts(data, np.array(header.ofs_containers), flags) if header.has_offsets else None
    found = []
    for i, flag in enumerate(flags):
        if flag:  # its end follows only from its number of runs
            num_runs = next(counts) if counts else _num_runs(data, pos, 1)[0]
            kinds[i], sizes[i] = _RUN, _RUN_HEAD + _RUN_BYTES * num_runs
            found.append(num_runs)
        pos += sizes[i]
    return found


def _flags(header: Any) -> list[bool]:
    """Return, for each container, whether it contains runs."""
    if not header.has_runs:
        return [False] * header.num_containers
    flags = np.unpackbits(
        np.frombuffer(header.run_flags, np.uint8), count=header.num_containers, bitorder="little"
    )
    found: list[bool] = flags.astype(bool).tolist()
    return found


def _num_runs(data: bytes | memoryview, pos: int, count: int) -> list[int]:
    return list(ROARING_RUN_COUNT.read(data, 0, pos, count)[1])


def _counts(
    data: bytes | memoryview, offsets: NDArray[np.int64], flags: list[bool]
) -> Iterator[int]:
    """Return the number of runs in each run container, by the offsets of all containers."""
    places = offsets[np.array(flags)].astype(np.int64)
    if places.size and int(places.max()) + _RUN_HEAD > len(data):
        raise BadBitmapError("an offset in the header is past the end")
    return iter(_num_runs(_gathered(data, places, _RUN_HEAD), 0, len(places)))


def _gathered(data: bytes | memoryview, places: NDArray[np.int64], size: int) -> bytes:
    """Return `size` bytes from each of these places, one after another."""
    found: NDArray[np.uint8] = np.frombuffer(data, np.uint8)[places[:, None] + np.arange(size)]
    return found.tobytes()


def _check_arrays(data: bytes | memoryview, stretch: _Stretch) -> None:
    ends = list(accumulate(stretch.cardinalities))
    values = np.frombuffer(data, _VALUE, ends[-1], stretch.start)
    ascending = values[1:] > values[:-1]
    for end in ends[:-1]:
        ascending[end - 1] = True  # the next value is in another container
    if np.count_nonzero(ascending) < len(ascending):
        at = stretch.start + int(ascending.argmin()) * _VALUE_BYTES
        raise BadBitmapError("values of an array container are not ascending", at)


def _check_bitsets(data: bytes | memoryview, stretch: _Stretch) -> None:
    if _bits_of_each(_words(data, stretch), max(stretch.cardinalities)) != stretch.cardinalities:
        raise BadBitmapError("the cardinality of a bitset container is wrong", stretch.start)


def _bits_of_each(words: Words, most: int) -> list[int]:
    """Return the number of set bits in each container; none may have more than `most`."""
    # Sums in 16 bits take half the time; only a full container needs more bits.
    kind = np.uint16 if most <= _LAST else np.uint32
    found: list[int] = np.add.reduce(np.bitwise_count(words), axis=1, dtype=kind).tolist()
    return found


def _words(data: bytes | memoryview, stretch: _Stretch) -> NDArray[np.uint64]:
    """Return the words of bitset containers, one container per row."""
    count = _WORDS * len(stretch.keys)
    words = np.frombuffer(data, _WORD, count, stretch.start)
    return words.reshape(-1, _WORDS)


def _check_runs(data: bytes | memoryview, stretch: _Stretch) -> None:
    counts = stretch.num_runs
    if not all(counts):
        raise BadBitmapError("a run container contains no run", stretch.start)
    begins = list(accumulate(counts, initial=0))
    total = begins.pop()
    place = stretch.start + _RUN_HEAD
    if len(counts) > 1:
        heads = np.repeat(np.arange(len(counts)), counts) * _RUN_HEAD
        data = _gathered(data, place + heads + np.arange(total) * _RUN_BYTES, _RUN_BYTES)
        place = 0
    _, first, more = ROARING_RUN.read(data, 0, place, total, arrays=True)
    last, length = first + more, more + 1
    apart = first[1:] > last[:-1] + 1
    for begin in begins[1:]:
        apart[begin - 1] = True
    if not apart.all() or last.max() > _LAST:
        raise BadBitmapError(
            "runs overlap, touch, are not ascending, or pass 65,535", stretch.start
        )
    if np.add.reduceat(length, begins).tolist() != stretch.cardinalities:
        raise BadBitmapError("the cardinality of a run container is wrong", stretch.start)


_Check = Callable[[bytes | memoryview, _Stretch], None]
_UNCOUNTED: dict[int, _Check] = {_ARRAY: _check_arrays, _RUN: _check_runs}
_CHECKS = _UNCOUNTED | {_BITSET: _check_bitsets}


_AT_ONCE = 1 << 27  # rows, with a bit each: 16 MB


def all_but(rows: BitMap, num_rows: int) -> BitMap:
    """Return the complement of `rows`, all of which are below `num_rows`.

    Native code turns each container into a bitset. For long files, that happens a part at a time,
    and each part becomes runs again. Otherwise a few bytes of a file could take 256 MB.
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
