"""Whether a bitmap index is sound, and has just what a column has.

`check` reads all of an index row by row. `is_right` compares it with a column without making up
rows from it: if each bitmap is well formed and each row in the bitmap of a value has that value in
the column, then no row is in two, for values differ, or twice in one. So if the bitmaps have as
many rows together as the column has values, each row is where it belongs. To build the index again
instead makes `audit --deep` of `make bench-tables` take twice the time.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from operator import le
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from pyroaring import BitMap

from paimon_ksy.columns.stored_values import Keys, are_ascending, keys_of_column, sortable
from paimon_ksy.errors import CorruptFileError
from paimon_ksy.file_index.bitmap.reader import BitmapReader
from paimon_ksy.file_index.content import Content, marked_rows
from paimon_ksy.generated.codecs import bitmap_index_v1, bitmap_index_v2
from paimon_ksy.generated.codecs.bitmap_index_v2 import BitmapEntryV2Array
from paimon_ksy.io.source import Source
from paimon_ksy.roaring.batch import read_small_bitmaps
from paimon_ksy.roaring.bitmap_32 import (
    BadBitmapError,
    are_worth_words,
    read_bitmap,
    read_words,
    words_of_bits,
)
from paimon_ksy.types.data_type import DataType

if TYPE_CHECKING:
    import pyarrow as pa

_SPAN = 2 << 20  # bytes of bitmaps that are read at once: more is slower
_FEWEST = 16  # bitmaps that are worth reading together
_NO_BITMAP = -1  # the length where one row stands in place of a bitmap
_MOST_CONTAINERS = 64  # of a bitmap that is read with others

_Array = NDArray[Any]


# Row by row -------------------------------------------------------------------------------------


def check(reader: BitmapReader, place: int, end: int) -> Content:
    """Read all of the index from byte `place` to `end`, and return what it has row by row.

    Raises:
        CorruptFileError: It contradicts itself: its bitmaps are malformed, or a row does not have
            exactly one value or null.
    """
    keys, parts = reader.postings(end)
    if len(keys) != reader.num_values:
        raise CorruptFileError(
            f"its head counts {reader.num_values} values, but {len(keys)} are stored", offset=place
        )
    if reader.version == 1 and (again := _stored_again(keys)) is not None:
        raise CorruptFileError(f"it stores the value {again!r} twice", offset=place)
    told = np.zeros(reader.num_rows, np.uint32)  # the place and 1, so that 0 is none
    count = 0
    for places, rows, start in parts:
        if len(rows) and int(rows.max()) >= reader.num_rows:
            message = f"row {rows.max()} is out of range in a file of {reader.num_rows} rows"
            raise CorruptFileError(message, offset=start)
        told[rows] = places + 1
        count += len(rows)
    nulls = told == 0
    if count != len(nulls) - np.count_nonzero(nulls):
        raise _second_value(reader, end)
    due = marked_rows(reader.nulls, reader.num_rows)
    if not np.array_equal(nulls, due):
        row = int(np.flatnonzero(nulls != due)[0])
        what = "has neither a value nor null" if nulls[row] else "has a value and is null"
        raise CorruptFileError(f"row {row} {what}", offset=place)
    told -= 1
    return Content(keys, told.view(np.int32), nulls)


def _stored_again(keys: Keys) -> Any:
    """Return a key that stands among the keys more than once; None if all differ."""
    if isinstance(keys, list):
        return next((key for key, times in Counter(keys).items() if times > 1), None)
    ordered = np.sort(keys)
    same = np.flatnonzero(ordered[1:] == ordered[:-1])
    return int(ordered[same[0]]) if len(same) else None


def _second_value(reader: BitmapReader, end: int) -> CorruptFileError:
    _, parts = reader.postings(end)
    told = np.zeros(reader.num_rows, np.bool_)
    for _, rows, start in parts:
        there, times = np.unique(rows, return_counts=True)
        again = there[(times > 1) | told[there]]
        told[there] = True
        if len(again):
            return CorruptFileError(f"row {again[0]} has a second value", offset=start)
    raise AssertionError("each row has one value at most")


# With the data ----------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Stored:
    """The dictionary of an index: keys that differ, and of each where its rows are.

    `rows` are those of keys with one row, which are at the places `single`; the others have bitmaps
    from `starts` to `ends`, in the order of `places`, their keys.
    """

    keys: Keys
    single: _Array
    rows: _Array
    places: _Array
    starts: _Array
    ends: _Array


@dataclass(frozen=True)
class _Column:
    """A number for each key of the index, and that of each row.

    `is_null` marks the rows without a value, which have any number; None if there are none.
    """

    of_key: _Array
    of_row: _Array
    nulls: _Array
    is_null: _Array | None

    def has(self, rows: _Array, of_keys: _Array, starts: _Array | None = None) -> bool:
        """Return whether rows have these numbers: each one, or all from each of `starts` on."""
        if not len(rows):
            return True
        if int(rows.max()) >= len(self.of_row):
            return False
        there = self.of_row.take(rows)
        if starts is not None:
            same = there[1:] == there[:-1]
            same[starts[1:] - 1] = True
            if not same.all():
                return False
            there = there.take(starts)
        if not (there == of_keys).all():
            return False
        return self.is_null is None or not self.is_null.take(rows).any()


def is_right(
    reader: BitmapReader,
    source: Source,
    place: int,
    end: int,
    column: pa.ChunkedArray,
    data_type: DataType,
) -> bool:
    """Return whether the index that ends at byte `end` is sound and has a column's values.

    False too where that takes a closer look. Raises what the reader raises on malformed bytes.
    """
    if reader.num_rows != len(column):
        return False
    found = _stored_v1(reader, end) if reader.version == 1 else _stored_v2(reader, source, end)
    if found is None or len(found.keys) != reader.num_values:
        return False
    held = _column(found.keys, column, data_type)
    nulls = reader.nulls
    if len(nulls) != len(held.nulls):
        return False
    if nulls and not np.array_equal(nulls.to_array(), held.nulls):
        return False
    count = _count(found, held, source, prefix=reader.version == 1)
    return count == len(column) - len(held.nulls)


def _column(keys: Keys, column: pa.ChunkedArray, data_type: DataType) -> _Column:
    from paimon_ksy.columns.postings import stored_codes, stored_numbers

    if isinstance(keys, list):
        codes, values = stored_codes(column, data_type)
        code_of = {value: code for code, value in enumerate(values.to_pylist())}
        due = np.array([code_of.get(key, -1) for key in keys], np.int32)
        is_null = codes == len(values) if column.null_count else None
        nulls = codes[:0] if is_null is None else np.flatnonzero(is_null)
        return _Column(due, codes, nulls, is_null)
    numbers, rows = stored_numbers(column, data_type)
    of_row = sortable(numbers)
    if rows is None:
        return _Column(keys, of_row, np.empty(0, np.int64), None)
    spread = np.zeros(len(column), of_row.dtype)
    spread[rows] = of_row
    is_null = np.ones(len(column), np.bool_)
    is_null[rows] = False
    return _Column(keys, spread, np.flatnonzero(is_null), is_null)


def _count(found: _Stored, held: _Column, source: Source, *, prefix: bool) -> int:
    """Return how many rows the index has; -1 if one has another value in the column."""
    if not held.has(found.rows, held.of_key.take(found.single)):
        return -1
    total = len(found.rows)
    first = 0
    while first < len(found.starts):
        last = int(np.searchsorted(found.ends, found.starts[first] + _SPAN, "right"))
        last = max(last, first + 1)
        count = _count_between(found, held, source, first, last, prefix=prefix)
        if count < 0:
            return -1
        total += count
        first = last
    return total


def _count_between(
    found: _Stored, held: _Column, source: Source, first: int, last: int, *, prefix: bool
) -> int:
    """Return the same of the bitmaps from `first` up to, not including, `last`, read together."""
    begin = int(found.starts[first])
    data = source.read(begin, int(found.ends[last - 1]) - begin)
    starts = found.starts[first:last] - begin
    sizes = (found.ends - found.starts)[first:last]
    of_keys = held.of_key.take(found.places[first:last])
    left = np.ones(last - first, np.bool_)
    total = 0
    if last - first >= _FEWEST:
        most = min(len(held.of_row) >> 16, _MOST_CONTAINERS - 1) + 1
        raw = np.frombuffer(data, np.uint8)
        small, counts, rows = read_small_bitmaps(raw, starts, sizes, most)
        if not held.has(rows, of_keys.take(small), np.cumsum(counts) - counts):
            return -1
        left[small] = False
        total += len(rows)
    view = memoryview(data)
    for of_key, start, size in zip(
        of_keys[left], starts[left].tolist(), sizes[left].tolist(), strict=True
    ):
        count = _count_in(view[start : start + size], of_key, held, prefix=prefix)
        if count < 0:
            return -1
        total += count
    return total


def _count_in(data: memoryview, of_key: Any, held: _Column, *, prefix: bool) -> int:
    """Return the rows of a bitmap; -1 if one has another value, or the bitmap is broken."""
    num_rows = len(held.of_row)
    try:
        if not prefix and are_worth_words(len(data), 1, num_rows):
            due = held.of_row == of_key
            if held.is_null is not None:
                due &= ~held.is_null
            same = np.array_equal(read_words(data, num_rows), words_of_bits(due))
            return int(np.count_nonzero(due)) if same else -1
        rows = np.asarray(read_bitmap(data, num_rows, prefix=prefix).to_array())
    except BadBitmapError:
        return -1
    return len(rows) if held.has(rows, of_key) else -1


# The dictionary ---------------------------------------------------------------------------------


def _stored_v1(reader: BitmapReader, end: int) -> _Stored | None:
    meta = reader.index.v1
    entries = bitmap_index_v1.dictionary(meta).entries
    keys = keys_of_column(entries.key)
    distinct = len(set(keys)) if isinstance(keys, list) else len(np.unique(keys))
    if distinct < len(keys):
        return None
    single = np.flatnonzero(entries.is_single)
    places = np.flatnonzero(~entries.is_single)
    starts, places = _in_order(bitmap_index_v1.extent_bitmap(entries)[0], places)
    # They tell no lengths: each ends where the next one starts.
    limits = np.append(starts, end)
    if meta.has_null and not meta.is_null_single:
        limits = np.sort(np.append(limits, bitmap_index_v1.extent_null_bitmap(meta)[0]))
    if (limits[1:] <= limits[:-1]).any() or limits[-1] > end:
        return None
    ends = limits[np.searchsorted(limits, starts) + 1]
    return _Stored(keys, single, entries.row.take(single), places, starts, ends)


def _in_order(starts: _Array, places: _Array) -> tuple[_Array, _Array]:
    """Where bitmaps start, ascending, and their places."""
    starts = starts.take(places)
    if (starts[1:] >= starts[:-1]).all():
        return starts, places
    # Keys of which many follow each other have bitmaps that do so, too: there this is the quickest.
    order = np.argsort(starts, kind="stable")
    return starts.take(order), places.take(order)


def _stored_v2(reader: BitmapReader, source: Source, end: int) -> _Stored | None:
    meta = reader.index.v2
    directory = bitmap_index_v2.directory(meta)
    last = int(directory.bitmaps_start)
    if last > end or not len(directory.blocks):
        return None
    if meta.has_null and meta.is_null_single:
        if meta.len_null != len(BitMap([int(meta.null_row)]).serialize()):
            return None
    elif meta.has_null:
        last = max(last, sum(map(int, bitmap_index_v2.extent_null_bitmap(meta))))
    entries = _entries(directory, source, meta.column_type)
    if entries is None:
        return None
    keys, parts = entries
    is_single = _joined([part.is_single for part in parts])
    lengths = _joined([part.len_bitmap for part in parts])
    has_bitmap = lengths != _NO_BITMAP
    if not are_ascending(keys) or (is_single == has_bitmap).any():
        return None
    single, places = np.flatnonzero(is_single), np.flatnonzero(has_bitmap)
    rows = _joined([part.row for part in parts]).take(single)
    starts = _joined([bitmap_index_v2.extent_bitmap(part)[0] for part in parts])
    starts, places = _in_order(starts, places)
    ends = starts + lengths.take(places)
    if len(ends):
        if (ends < starts).any() or (starts[1:] < ends[:-1]).any():
            return None
        last = max(last, int(ends[-1]))
    return _Stored(keys, single, rows, places, starts, ends) if last == end else None


def _joined(parts: list[_Array]) -> _Array:
    return parts[0] if len(parts) == 1 else np.concatenate(parts)


def _entries(
    directory: Any, source: Source, column_type: int
) -> tuple[Keys, list[BitmapEntryV2Array]] | None:
    """All keys, and the entries of all blocks, which follow each other as the directory says."""
    first = int(directory.blocks_start.at)
    data = source.read(first, int(directory.bitmaps_start) - first)
    starts, keys = directory.blocks.ofs_block.tolist(), keys_of_column(directory.blocks.key)
    ends = [*starts[1:], len(data)]
    if starts[0] or not all(map(le, starts, ends)):
        return None
    read = _read_texts if isinstance(keys, list) else _read_numbers
    found = read(data, list(zip(starts, ends, strict=True)), column_type)
    if found is None:
        return None
    parts, begun = found
    for part in parts:
        part.place_in(directory)  # which knows where bitmaps start, as a block does
    every: Any
    if isinstance(keys, list):
        every = [key for part in parts for key in part.key.tolist()]
        return (every, parts) if [every[at] for at in begun] == keys else None
    every = keys_of_column(parts[0].key)
    return (every, parts) if np.array_equal(every[begun], keys) else None


def _read_texts(
    data: bytes, places: list[tuple[int, int]], column_type: int
) -> tuple[list[BitmapEntryV2Array], list[int]] | None:
    """The entries of blocks that start and end there, and the number of the first of each."""
    parts, begun, count = [], [], 0
    for start, end in places:
        block, stop = bitmap_index_v2.read_bitmap_block_v2(data, start, 0, column_type)
        if stop != end or not len(block.entries):
            return None
        parts.append(block.entries)
        begun.append(count)
        count += len(block.entries)
    return parts, begun


def _read_numbers(
    data: bytes, places: list[tuple[int, int]], column_type: int
) -> tuple[list[BitmapEntryV2Array], list[int]] | None:
    """As `_read_texts`, of entries of one size: all of them at once."""
    heads: dict[int, bytes] = {}  # of blocks of so many bytes
    parts, begun, count = [], [], 0
    head = size = 0
    for start, end in places:
        length = end - start
        if length not in heads:
            block, stop = bitmap_index_v2.read_bitmap_block_v2(data, start, 0, column_type)
            if stop != end or not len(block.entries):
                return None
            size = int(block.entries.sizes()[0])
            head = length - size * len(block.entries)
            heads[length] = data[start : start + head]
        elif data[start : start + head] != heads[length]:
            return None
        parts.append(data[start + head : end])
        begun.append(count)
        count += (length - head) // size
    return [BitmapEntryV2Array.read(b"".join(parts), 0, count, column_type)[0]], begun
