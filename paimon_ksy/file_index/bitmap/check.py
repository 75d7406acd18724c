"""Check that a bitmap index is sound, and that it has exactly the values of a column.

`check` reads the whole index row by row. `is_right` compares it with a column without that. Each
bitmap must be well formed, and each row in the bitmap of a value must have that value in the
column. Then no row is in two bitmaps, because their values differ, or twice in one. So if all
bitmaps together have as many rows as the column has values, each row is where it belongs. If
`is_right` rebuilt the index, `audit --deep` of `make bench-tables` would take twice the time.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from paimon_ksy.columns.stored_values import Keys, are_ascending, keys_of, sortable
from paimon_ksy.errors import CorruptFileError
from paimon_ksy.file_index.bitmap.reader import SPAN, BitmapReader
from paimon_ksy.file_index.content import Content, marked_rows
from paimon_ksy.generated.views.bitmap_index_v2 import BitmapBlockV2, BitmapDirectoryV2
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

_NO_BITMAP = -1  # the length of a value with one row, which has no bitmap

_Array = NDArray[Any]


# Row by row -------------------------------------------------------------------------------------


def check(reader: BitmapReader, place: int, end: int) -> Content:
    """Read the whole index from byte `place` to `end`, and return its content row by row.

    Raises:
        CorruptFileError: The index is contradictory: bitmaps are malformed, or a row does not have
            exactly one value or null.
    """
    keys, parts = reader.postings(end)
    if len(keys) != reader.num_values:
        raise CorruptFileError(
            f"its head counts {reader.num_values} values, but {len(keys)} are stored", offset=place
        )
    if reader.version == 1 and (again := _stored_again(keys)) is not None:
        raise CorruptFileError(f"it stores the value {again!r} twice", offset=place)
    numbers = np.zeros(reader.num_rows, np.uint32)  # the place plus 1, so that 0 means none
    count = 0
    for places, rows, start in parts:
        if len(rows) and int(rows.max()) >= reader.num_rows:
            message = f"row {rows.max()} is out of range in a file of {reader.num_rows} rows"
            raise CorruptFileError(message, offset=start)
        numbers[rows] = places + 1
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


def _stored_again(keys: Keys) -> Any:
    """Return a key that occurs more than once; None if all differ."""
    if isinstance(keys, list):
        return next((key for key, times in Counter(keys).items() if times > 1), None)
    ordered = np.sort(keys)
    same = np.flatnonzero(ordered[1:] == ordered[:-1])
    return int(ordered[same[0]]) if len(same) else None


def _second_value(reader: BitmapReader, end: int) -> CorruptFileError:
    _, parts = reader.postings(end)
    seen = np.zeros(reader.num_rows, np.bool_)
    for _, rows, start in parts:
        there, times = np.unique(rows, return_counts=True)
        again = there[(times > 1) | seen[there]]
        seen[there] = True
        if len(again):
            return CorruptFileError(f"row {again[0]} has a second value", offset=start)
    raise AssertionError("each row has one value at most")


# With the data ----------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Stored:
    """The dictionary of an index: distinct keys, and where the rows of each are.

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

    The answer is also False if only a full check can decide. Raises what the reader raises for
    malformed bytes.
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
    from paimon_ksy.columns.stored_columns import stored_codes, stored_numbers

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
    """Return the number of rows in the index; -1 if a row has another value in the column."""
    if not held.has(found.rows, held.of_key.take(found.single)):
        return -1
    total = len(found.rows)
    first = 0
    while first < len(found.starts):
        last = int(np.searchsorted(found.ends, found.starts[first] + SPAN, "right"))
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
    """Do what `_count` does, for the bitmaps in the range from `first` to `last`, read at once."""
    begin = int(found.starts[first])
    data = source.read(begin, int(found.ends[last - 1]) - begin)
    starts = found.starts[first:last] - begin
    sizes = (found.ends - found.starts)[first:last]
    of_keys = held.of_key.take(found.places[first:last])
    left = np.ones(last - first, np.bool_)
    raw = np.frombuffer(data, np.uint8)
    small, counts, rows = read_small_bitmaps(raw, starts, sizes, len(held.of_row))
    if not held.has(rows, of_keys.take(small), np.cumsum(counts) - counts):
        return -1
    left[small] = False
    total = len(rows)
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
    """Count the rows of a bitmap; return -1 if one has another value, or it is malformed."""
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
    keys, dictionary = reader.dictionary(arrays=True)
    distinct = len(set(keys)) if isinstance(keys, list) else len(np.unique(keys))
    if distinct < len(keys):
        return None
    is_single = dictionary.entries_is_single(slice(None))
    single, places = np.flatnonzero(is_single), np.flatnonzero(~is_single)
    starts, places = _in_order(dictionary.place_entries_bitmap(slice(None))[0], places)
    # The dictionary stores no lengths: each bitmap ends where the next one starts.
    limits = np.append(starts, end)
    if reader.has_bitmap_of_nulls:
        limits = np.sort(np.append(limits, reader.place_of_nulls()[0]))
    if (limits[1:] <= limits[:-1]).any() or limits[-1] > end:
        return None
    ends = limits[np.searchsorted(limits, starts) + 1]
    return _Stored(keys, single, dictionary.entries_row(single), places, starts, ends)


def _in_order(starts: _Array, places: _Array) -> tuple[_Array, _Array]:
    """Return the starts of bitmaps, ascending, and their places."""
    starts = starts.take(places)
    if (starts[1:] >= starts[:-1]).all():
        return starts, places
    # Keys of which many follow each other have bitmaps that do so, too: there this is the quickest.
    order = np.argsort(starts, kind="stable")
    return starts.take(order), places.take(order)


def _stored_v2(reader: BitmapReader, source: Source, end: int) -> _Stored | None:
    firsts, directory = reader.directory()
    last = int(directory.bitmaps_start)
    if last > end or not len(firsts):
        return None
    if reader.has_bitmap_of_nulls:
        start, size = reader.place_of_nulls()
        last = max(last, start + (size or 0))
    elif not reader.is_length_of_null_right:
        return None
    blocks = _blocks(directory, source)
    if blocks is None:
        return None
    parts: list[Any] = [keys_of(block.entries_key, reader.data_type) for block in blocks]
    is_text = isinstance(parts[0], list)
    keys: Keys = [key for part in parts for key in part] if is_text else _joined(parts)
    if [part[0] for part in parts] != list(firsts) or not are_ascending(keys):
        return None
    every = slice(None)
    is_single = _joined([block.entries_is_single(every) for block in blocks])
    lengths = _joined([block.entries_len_bitmap for block in blocks])
    has_bitmap = lengths != _NO_BITMAP
    if (is_single == has_bitmap).any():
        return None
    single, places = np.flatnonzero(is_single), np.flatnonzero(has_bitmap)
    rows = _joined([block.entries_row(every) for block in blocks]).take(single)
    starts = _joined([block.place_entries_bitmap(every)[0] for block in blocks])
    starts, places = _in_order(starts, places)
    ends = starts + lengths.take(places)
    if len(ends):
        if (ends < starts).any() or (starts[1:] < ends[:-1]).any():
            return None
        last = max(last, int(ends[-1]))
    return _Stored(keys, single, rows, places, starts, ends) if last == end else None


def _joined(parts: list[_Array]) -> _Array:
    return parts[0] if len(parts) == 1 else np.concatenate(parts)


def _blocks(directory: BitmapDirectoryV2, source: Source) -> list[BitmapBlockV2] | None:
    """Return all blocks, if they are adjacent according to the directory, and none is empty."""
    begin, until = directory.blocks_start, directory.bitmaps_start
    data = source.read(begin, until - begin)
    starts = [int(directory.place_blocks_block(i)[0]) for i in range(directory.num_blocks)]
    found = []
    at = begin
    for start in starts:
        if start != at:
            return None
        block = BitmapBlockV2(data, begin, start - begin, until, directory.column_type, arrays=True)
        if not block.num_entries:
            return None
        found.append(block)
        at = block.end
    return found if at == until else None
