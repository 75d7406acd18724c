"""Check that a bitmap index is sound: read all of it, row by row."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pyroaring import BitMap

from paimon_ksy.columns.stored_values import Keys, are_ascending
from paimon_ksy.errors import CorruptFileError, counted
from paimon_ksy.file_index.bitmap.reader import BitmapReader
from paimon_ksy.file_index.content import Content
from paimon_ksy.roaring.bits import marked_rows
from paimon_ksy.roaring.small_bitmaps import read_small_bitmaps

_Array = NDArray[Any]
_EVERY = slice(None)
_SPAN = 1 << 22  # the most bytes of bitmaps to read at once, which bounds memory
_NO_BITMAP = -1  # the length of a value with one row, which has no bitmap

_Posted = tuple[_Array | int, _Array, int]
"""The numbers of keys (or of one key), their rows in the same order, and where these start."""


def check(reader: BitmapReader, place: int, end: int) -> Content:
    """Read the whole index from byte `place` to `end`, and return its content row by row.

    Raises:
        CorruptFileError: The index is contradictory: bitmaps are malformed, or a row does not have
            exactly one value or null.
    """
    reader = BitmapReader(reader.source, place, reader.column, reader.data_type, arrays=True)
    keys = _joined([keys for keys, _, _ in reader.entries()])
    if len(keys) != reader.num_values:
        raise CorruptFileError(
            f"its head counts {counted(reader.num_values, 'value')}, but {len(keys):,} of "
            "them are stored",
            offset=place,
        )
    if reader.version == 1 and not are_ascending(
        sorted(keys) if isinstance(keys, list) else np.sort(keys)
    ):
        raise CorruptFileError("the dictionary contains a value twice", offset=place)
    numbers = np.zeros(reader.num_rows, np.uint32)  # the number of the key plus 1; 0 means none
    count = 0
    for of_keys, rows, start in postings(reader, end):
        if len(rows) and int(rows.max()) >= reader.num_rows:
            message = (
                f"row {rows.max()} is out of range in a file of {counted(reader.num_rows, 'row')}"
            )
            raise CorruptFileError(message, offset=start)
        numbers[rows] = of_keys + 1
        count += len(rows)
    nulls = numbers == 0
    if count != len(nulls) - np.count_nonzero(nulls):
        raise _second_value(reader, end)
    due = marked_rows(reader.nulls, reader.num_rows)
    if not np.array_equal(nulls, due):
        row = int(np.flatnonzero(nulls != due)[0])
        what = "has neither a value nor null" if nulls[row] else "has a value and is null"
        raise CorruptFileError(f"row {row} {what}", offset=place)
    numbers -= 1
    return Content(keys, numbers.view(np.int32), nulls)


def _joined(keys: Sequence[Keys]) -> Keys:
    if not keys:
        return np.empty(0, np.int64)
    return list(chain(*keys)) if isinstance(keys[0], list) else np.concatenate(keys)


def _second_value(reader: BitmapReader, end: int) -> CorruptFileError:
    numbers = np.zeros(reader.num_rows, np.uint32)
    for of_keys, rows, start in postings(reader, end):
        is_taken = numbers[rows] != 0
        numbers[rows] = of_keys + 1
        again = rows[is_taken | (numbers[rows] != of_keys + 1)]
        if len(again):
            return CorruptFileError(f"row {again[0]} has a second value", offset=start)
    raise AssertionError("each row has one value at most")


def postings(reader: BitmapReader, end: int) -> Iterator[_Posted]:
    """Yield the rows of all keys of an index that ends at byte `end`.

    Keys that have a single row come first, all at once. The columns of the reader are arrays.
    """
    parts = [part for _, part, _ in reader.entries()]

    def column(of_part: Callable[[Any], _Array]) -> _Array:
        return np.concatenate([np.empty(0, np.int64), *map(of_part, parts)])

    place, single = reader.pos, column(lambda part: part.entries_is_single(_EVERY)) != 0
    if single.any():
        yield np.flatnonzero(single), column(lambda part: part.entries_row(_EVERY))[single], place
    numbers = np.flatnonzero(~single)
    starts = column(lambda part: part.place_entries_bitmap(_EVERY)[0])[numbers]
    order = np.argsort(starts, kind="stable")
    numbers, starts = numbers[order], starts[order]
    if reader.version == 1:
        ends = reader.end_of_bitmap(starts, None).clip(max=end)
    else:
        sizes = column(lambda part: part.entries_len_bitmap)
        if (sizes[single] != _NO_BITMAP).any():
            raise CorruptFileError("a length of a bitmap that does not exist", offset=place)
        ends = starts + sizes[numbers]
        _check_end(reader, ends, end)
    if (ends < starts).any() or (starts[1:] < ends[:-1]).any():
        raise CorruptFileError("bitmaps overlap", offset=int(starts[0]))
    first = 0
    while first < len(starts):
        last = max(int(np.searchsorted(ends, starts[first] + _SPAN, "right")), first + 1)
        some = slice(first, last)
        yield from _read_many(reader, numbers[some], starts[some], ends[some])
        first = last


def _read_many(
    reader: BitmapReader, numbers: _Array, starts: _Array, ends: _Array
) -> Iterator[_Posted]:
    """Read neighbouring bitmaps: small ones at once, the others one by one."""
    begin = int(starts[0])
    data = memoryview(reader.source.read(begin, int(ends[-1]) - begin))
    is_large = np.ones(len(starts), np.bool_)
    small = read_small_bitmaps(np.frombuffer(data, np.uint8), starts - begin, ends - starts)
    for places, counts, rows in small:
        yield np.repeat(numbers[places], counts), rows, begin
        is_large[places] = False
    for i in np.flatnonzero(is_large).tolist():
        start, end = int(starts[i]), int(ends[i])
        own = data[start - begin : end - begin]
        bitmap = reader.bitmaps.parse(own, start, prefix=reader.version == 1)
        yield int(numbers[i]), np.asarray(bitmap.to_array()), start


def _check_end(reader: BitmapReader, ends: _Array, end: int) -> None:
    """Check that an index of version 2 ends where its last bitmap, or without one the blocks do."""
    head, last = reader.head, max([reader.listed.bitmaps_start, *ends[-1:].tolist()])
    message = f"its bitmaps end at byte {last}, but the index ends at byte {end}"
    if reader.has_bitmap_of_nulls:
        start, size = reader.place_of_nulls()
        last = max(last, start + (size or 0))
    elif head.is_null_single and head.len_null != len(BitMap([head.null_row]).serialize()):
        last, message = -1, f"the bitmap of a single null has {counted(head.len_null, 'byte')}"
    if last != end:
        raise CorruptFileError(message, offset=reader.pos)
