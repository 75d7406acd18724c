"""Read a bitmap index, version 1 or 2: find the rows with certain values.

`=`, IN and ranges all become ranges of keys. One search covers the directory, the blocks that can
contain such keys, and the bitmaps of the keys found. Each block is read once. So is each bitmap,
unless the file is local.

`<>` and NOT IN exclude null rows, which Java's reader returns. Ranges, LIKE and similar predicates
use the dictionary if they match at most MAX_VALUES values; Java reads all rows.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import chain
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from pyroaring import BitMap

from paimon_ksy.columns.stored_values import Keys, are_ascending, keys_of
from paimon_ksy.errors import CorruptFileError, type_not_held
from paimon_ksy.evaluation.evaluate import LeafOrRange
from paimon_ksy.evaluation.key_ranges import KeyRanges, is_of_values, key_ranges, match_ranges
from paimon_ksy.evaluation.selection import Selection
from paimon_ksy.generated.views.bitmap_index import BitmapIndex
from paimon_ksy.generated.views.bitmap_index_v1 import BitmapDictionaryV1
from paimon_ksy.generated.views.bitmap_index_v2 import BitmapBlockV2, BitmapDirectoryV2
from paimon_ksy.generated.writers.bitmap_index_v1 import ofs_bitmap_of_row
from paimon_ksy.io.source import Source, read_view
from paimon_ksy.predicates.tree import IsNotNull, IsNull, Match
from paimon_ksy.roaring.bitmap_32 import (
    BadBitmapError,
    all_but,
    longest,
    read_bitmap,
    read_start,
)
from paimon_ksy.types.data_type import DataType, column_type

SPAN = 1 << 20
"""The most bytes of bitmaps to read at once, which bounds memory."""

MAX_VALUES = 2_000
"""Ranges and patterns that more values than this match are left to the reader: with a bitmap for
each value, the answer would take longer than reading the column."""

_NO_BITMAP = -1  # the length of a value with one row, which has no bitmap

_Array = NDArray[Any]


class BitmapReader:
    """A bitmap index whose body starts at byte `pos` of `source`. Opening it reads only the head.

    Raises what `answer` raises.
    """

    def __init__(self, source: Source, pos: int, column: str, data_type: DataType) -> None:
        stored = column_type(data_type)
        if stored is None:
            raise type_not_held(column, data_type, "bitmap index")
        self._source = source
        self._pos = pos
        self._column = column
        self.data_type = data_type
        self._stored = stored
        self._blocks: dict[int, tuple[Keys, BitmapBlockV2]] = {}
        self._dictionary: tuple[Keys, BitmapDictionaryV1] | None = None
        self._directory: tuple[Keys, BitmapDirectoryV2] | None = None
        self._limits: tuple[int, list[int] | _Array] | None = None
        # Bitmaps by position, as bytes, because callers may change a BitMap.
        self._kept: dict[int, bytes] = {}
        index = read_view(source, BitmapIndex, pos, stored)
        self.version: int = index.version
        """1 or 2."""
        self._head: Any = index.v1 if self.version == 1 else index.v2
        self.num_rows: int = self._head.num_rows
        """Rows of the data file."""
        self.num_values: int = self._head.num_values
        """Distinct values that are not null, as the head has it."""

    def answer(self, leaf: LeafOrRange) -> Selection | None:
        """Return the rows for which a leaf is true; None if the index cannot determine them.

        Args:
            leaf: The leaf, bound to the schema.

        Raises:
            CorruptFileError: The index is contradictory.
            FormatError: The bytes are malformed.
        """
        if isinstance(leaf, IsNull):
            return Selection.of(self.nulls.copy(), self.num_rows, True)
        if isinstance(leaf, IsNotNull):
            return Selection.of(self._not_null(), self.num_rows, True)
        limit = None
        if not is_of_values(leaf):
            if self.data_type.root == "CHAR":
                return None  # whether padding counts depends on the engine
            limit = MAX_VALUES
        ranges = match_ranges(leaf) if isinstance(leaf, Match) else key_ranges(leaf, self.data_type)
        rows = None if ranges is None else self.find(ranges, limit)
        if ranges is None or rows is None:
            return None
        if not ranges.negated:
            return Selection.of(rows, self.num_rows, ranges.exact)
        not_null = self._not_null()
        if not rows.issubset(not_null):
            raise self._corrupt("a row has a value and is null", self._pos)
        return ranges.select(rows, not_null, self.num_rows)

    @cached_property
    def nulls(self) -> BitMap:
        """The rows that are null."""
        head = self._head
        if not head.has_null:
            return BitMap()
        if head.is_null_single:
            return BitMap([self._check_row(head.null_row)])
        return self._read_bitmap(*self.place_of_nulls(), checked=True)

    @property
    def has_bitmap_of_nulls(self) -> bool:
        """Whether more than one row is null."""
        return bool(self._head.has_null and not self._head.is_null_single)

    @property
    def is_length_of_null_right(self) -> bool:
        """Whether the length of a single null, which has no bitmap, is what that would be."""
        head = self._head
        if not head.is_null_single:
            return True
        return bool(head.len_null == len(BitMap([int(head.null_row)]).serialize()))

    def place_of_nulls(self) -> tuple[int, int | None]:
        """Return where the bitmap of several nulls is: (position, size or None)."""
        before = self.dictionary()[1] if self.version == 1 else self.directory()[1]
        place: tuple[int, int | None] = self._head.place_null_bitmap(before)
        return place

    def _not_null(self) -> BitMap:
        return all_but(self.nulls, self.num_rows)

    def find(self, ranges: KeyRanges, limit: int | None = None) -> BitMap | None:
        """Return the rows of values in the ranges; None if more than `limit` values match."""
        if ranges.is_one_key:
            # With arrays, "= on V2, 8 strings" takes 68 us instead of 42.
            return self._find_one(ranges.lows[0])
        search = self._search_v1 if self.version == 1 else self._search_v2
        found = search(ranges, limit)
        if found is None:
            return None
        singles: list[_Array] = []
        positions: list[_Array] = []
        sizes: list[_Array] = []
        for entries, at in found:
            single = entries.entries_is_single(at)
            if single.any():
                singles.append(entries.entries_row(at[single]))
            if not single.all():
                pos, size = entries.place_entries_bitmap(at[~single])
                positions.append(pos)
                if size is not None:
                    sizes.append(size)
        rows = BitMap()
        if positions:
            rows = self._read_bitmaps(
                np.concatenate(positions), np.concatenate(sizes) if sizes else None
            )
        if singles:
            numbers = np.concatenate(singles)
            self._check_row(int(numbers.max()))
            self._add(rows, BitMap(numbers.astype(np.uint32)), len(numbers))
        return rows

    def _find_one(self, key: Any) -> BitMap:
        """Do what `find` does, for one key."""
        found = self._find_v1(key) if self.version == 1 else self._find_v2(key)
        if isinstance(found, tuple):
            return self._read_bitmap(*found)
        return BitMap() if found is None else BitMap([self._check_row(found)])

    def _add(self, rows: BitMap, others: BitMap, count: int) -> None:
        """Add `count` rows of other values. Raises CorruptFileError if `rows` already has one."""
        count += len(rows)
        rows |= others
        if len(rows) != count:
            raise self._corrupt("a row has two values", self._pos)

    # For one key: its only row, or the place and size of its bitmap; None if it is not stored.

    def _find_v1(self, key: Any) -> tuple[int, int | None] | int | None:
        keys, dictionary = self.dictionary()
        if isinstance(keys, list):
            count = keys.count(key)
            at = keys.index(key) if count else 0
        else:
            places = np.flatnonzero(keys == key)
            count = len(places)
            at = int(places[0]) if count else 0
        if count > 1:
            raise self._corrupt("the dictionary contains a value twice", self._pos)
        return _place(dictionary, at) if count else None

    def _find_v2(self, key: Any) -> tuple[int, int | None] | int | None:
        number = _bisect_one(self.directory()[0], key, "right") - 1
        if number < 0:
            return None
        keys, block = self._block(number)
        at = _bisect_one(keys, key, "right") - 1
        return _place(block, at) if keys[at] == key else None

    def postings(self, end: int) -> tuple[Keys, Iterator[tuple[_Array | int, _Array, int]]]:
        """Return the keys of the whole index, which ends at byte `end`, and their rows.

        Returns:
            The keys, and parts of the rows. A part has the places of keys (or of one key), their
            rows in the same order, and the byte at which their bitmaps start.
        """
        if self.version == 1:
            blocks: list[tuple[Keys, Any]] = [self.dictionary(arrays=True)]
        else:
            directory, _ = self.directory()
            blocks = [self._block(number, arrays=True) for number in range(len(directory))]
            self._blocks.clear()
            self._check_len_null()
        keys = [keys for keys, _ in blocks]
        every: Keys = np.empty(0, np.int64)
        if keys:
            every = list(chain(*keys)) if isinstance(keys[0], list) else np.concatenate(keys)
        return every, self._posted([entries for _, entries in blocks], end)

    def _check_len_null(self) -> None:
        if not self.is_length_of_null_right:
            raise self._corrupt(
                f"the bitmap of a single null has {self._head.len_null} bytes", self._pos
            )

    def _check_end(self, last: int, end: int) -> None:
        """Check that the last bitmap, or without bitmaps the blocks, ends where the index does."""
        if self.version == 2:
            last = max(last, self.directory()[1].bitmaps_start)
            if self.has_bitmap_of_nulls:
                start, size = self.place_of_nulls()
                last = max(last, start + (size or 0))
        if last > end or (last < end and self.version == 2):
            message = f"its bitmaps end at byte {last}, but the index ends at byte {end}"
            raise self._corrupt(message, self._pos)

    def _posted(
        self, blocks: Sequence[Any], until: int
    ) -> Iterator[tuple[_Array | int, _Array, int]]:
        if not blocks:
            self._check_end(0, until)
            return
        every = slice(None)
        single = np.concatenate([entries.entries_is_single(every) for entries in blocks])
        if single.any():
            if self.version == 2:
                lengths = np.concatenate([entries.entries_len_bitmap for entries in blocks])[single]
                if (lengths != _NO_BITMAP).any():
                    raise self._corrupt("a length of a bitmap that does not exist", self._pos)
            rows = np.concatenate([entries.entries_row(every) for entries in blocks])[single]
            yield np.flatnonzero(single), rows, self._pos
        if single.all():
            self._check_end(0, until)
            return
        extents = [entries.place_entries_bitmap(every) for entries in blocks]
        starts = np.concatenate([starts for starts, _ in extents])[~single]
        order = np.argsort(starts)
        places, starts = np.flatnonzero(~single)[order], starts[order]
        if extents[0][1] is None:
            ends = self._ends_v1(starts).clip(max=until)
        else:
            ends = starts + np.concatenate([sizes for _, sizes in extents])[~single][order]
        if (ends < starts).any() or (starts[1:] < ends[:-1]).any():
            raise self._corrupt("bitmaps overlap", int(starts[0]))
        self._check_end(int(ends[-1]), until)
        first = 0
        while first < len(starts):
            last = int(np.searchsorted(ends, starts[first] + SPAN, "right"))
            last = max(last, first + 1)
            yield from self._read_many(places[first:last], starts[first:last], ends[first:last])
            first = last

    def _read_many(
        self, places: _Array, starts: _Array, ends: _Array
    ) -> Iterator[tuple[_Array | int, _Array, int]]:
        """Read neighbouring bitmaps: small ones at once, the others one by one."""
        # Imported here, because only checks need it.
        from paimon_ksy.roaring.batch import read_small_bitmaps

        begin, end = int(starts[0]), int(ends[-1])
        data = self._source.read(begin, end - begin)
        starts, ends = starts - begin, ends - begin
        raw = np.frombuffer(data, np.uint8)
        found, counts, rows = read_small_bitmaps(raw, starts, ends - starts, self.num_rows)
        yield np.repeat(places[found], counts), rows, begin
        left = np.ones(len(places), np.bool_)
        left[found] = False
        view = memoryview(data)
        for place, at, stop in zip(
            places[left].tolist(), starts[left].tolist(), ends[left].tolist(), strict=True
        ):
            try:
                bitmap = read_bitmap(view[at:stop], self.num_rows, prefix=self.version == 1)
            except BadBitmapError as error:
                raise self._corrupt(str(error), begin + at + error.offset) from error
            yield place, np.asarray(bitmap.to_array()), begin + at

    def _end_v1(self, start: int) -> int:
        """Do what `_ends_v1` does, for one bitmap."""
        first, limits = self._limits_v1()
        end = first + int(limits[bisect_right(limits, start - first, hi=len(limits) - 1)])
        return min(end, start + longest(self.num_rows))

    # Searching: entries of the dictionary, as arrays of entries and the places of those found ----

    def _search_v1(self, ranges: KeyRanges, limit: int | None) -> list[tuple[Any, _Array]] | None:
        if limit is not None and self.num_values > limit:
            return None
        keys, entries = self.dictionary(arrays=True)
        if isinstance(keys, list):
            test = set(ranges.lows).__contains__ if ranges.are_single else ranges.holds
            at = np.array([i for i, key in enumerate(keys) if test(key)], np.int64)
            found: Any = [keys[i] for i in at.tolist()]
            distinct = len(set(found))
        else:
            at = np.flatnonzero(_inside(keys, ranges))
            distinct = 1 if ranges.is_one_key and len(at) else len(np.unique(keys[at]))
        if distinct < len(at):
            raise self._corrupt("the dictionary contains a value twice", self._pos)
        return [(entries, at)]

    def dictionary(self, *, arrays: bool = False) -> tuple[Keys, BitmapDictionaryV1]:
        """Return the keys of version 1, and their entries; as arrays if requested."""
        found = self._dictionary
        if found is None or (arrays and not isinstance(found[1].entries_ofs_bitmap, np.ndarray)):
            found = self._dictionary = self._read_dictionary(arrays)
        return found

    def _read_dictionary(self, arrays: bool) -> tuple[Keys, BitmapDictionaryV1]:
        pos, _ = self._head.place_dictionary()
        dictionary = read_view(
            self._source, BitmapDictionaryV1, pos, self.num_values, self._stored, arrays=arrays
        )
        offsets = dictionary.entries_ofs_bitmap
        if not len(offsets):
            return keys_of(dictionary.entries_key, self.data_type), dictionary
        # Otherwise, values of another width than in the schema could look like these.
        start = dictionary.bitmaps_start
        least, greatest = _extremes(offsets)
        if ofs_bitmap_of_row(self.num_rows) >= least or (start + greatest >= self._source.size):
            raise self._corrupt("the dictionary refers to a bitmap or row outside the file", start)
        return keys_of(dictionary.entries_key, self.data_type), dictionary

    def _search_v2(self, ranges: KeyRanges, limit: int | None) -> list[tuple[Any, _Array]] | None:
        directory, _ = self.directory()
        if not len(directory) or not len(ranges):
            return []
        first, last = _span(directory, ranges)
        if limit is not None:
            whole = int((last - first - 1).clip(0).sum())  # blocks between the first and the last
            if whole * self.num_values > limit * len(directory):
                return None
        total = 0
        found = []
        for block, here in _by_block(first, last):
            keys, entries = self._block(block, arrays=True)
            at = _within(keys, ranges.lows[here], ranges.stops[here])
            if ranges.test is not None:
                at = np.array([i for i in at.tolist() if ranges.test(keys[i])], np.int64)
            total += len(at)
            if limit is not None and total > limit:
                return None
            if len(at):
                found.append((entries, at))
        return found

    def directory(self) -> tuple[Keys, BitmapDirectoryV2]:
        """Return the first keys of the blocks of version 2, and the places of the blocks."""
        if self._directory is None:
            self._directory = self._read_directory()
        return self._directory

    def _read_directory(self) -> tuple[Keys, BitmapDirectoryV2]:
        pos, _ = self._head.place_directory()
        directory = read_view(
            self._source, BitmapDirectoryV2, pos, self._head.num_blocks, self._stored
        )
        keys = keys_of(directory.blocks_key, self.data_type)
        last = _extremes(directory.blocks_ofs_block)[1] if len(keys) else -1
        self._check_directory(keys, last, directory.blocks_start, directory.bitmaps_start)
        return keys, directory

    def _check_directory(self, keys: Keys, last: int, at: int, bitmaps_start: int) -> None:
        """Check the directory; `last` is the greatest offset of a block from `at` on."""
        if at + last >= bitmaps_start and len(keys):
            raise self._corrupt_block("starts after the end of all blocks", at + last)
        if bitmaps_start > self._source.size:
            raise self._corrupt("the index blocks end after the end of the file", at)
        if not len(keys) and self.num_values:
            raise self._corrupt(f"{self.num_values} values but no index block", at)
        if not are_ascending(keys):
            raise self._corrupt("index blocks are not in ascending order", at)

    def _block(self, number: int, *, arrays: bool = False) -> tuple[Keys, BitmapBlockV2]:
        """Return the keys of a block, and their entries; as arrays if requested."""
        found = self._blocks.get(number)
        if found is None or (arrays and not isinstance(found[1].entries_ofs_bitmap, np.ndarray)):
            first, directory = self.directory()
            pos = int(directory.place_blocks_block(number)[0])
            start, stored = directory.bitmaps_start, self._stored
            block = read_view(self._source, BitmapBlockV2, pos, start, stored, arrays=arrays)
            keys = keys_of(block.entries_key, self.data_type)
            self._check_block(keys, first, number, pos)
            found = self._blocks[number] = keys, block
        return found

    def _check_block(self, keys: Keys, directory: Keys, number: int, at: int) -> None:
        if keys[0] != directory[number]:
            raise self._corrupt_block("does not start with the value that lists it", at)
        if not are_ascending(keys):
            raise self._corrupt_block("contains values that are not in ascending order", at)
        if number + 1 < len(directory) and keys[-1] >= directory[number + 1]:
            raise self._corrupt_block("contains values of the next one", at)

    # Bitmaps ------------------------------------------------------------------------------------

    def _read_bitmap(self, start: int, size: int | None, *, checked: bool = False) -> BitMap:
        """Return the bitmap at this position; if `size` is None, its containers determine the end.

        `checked` checks all of it, instead of only what an answer relies on.
        """
        end = self._end_v1(start) if size is None else start + size
        data = self._kept.get(start)
        if data is None:
            data = self._source.read(start, end - start)
            if not self._source.is_near:
                self._kept[start] = data
        try:
            if not checked:
                return read_start(data, self.num_rows)
            return read_bitmap(data, self.num_rows, prefix=size is None)
        except BadBitmapError as error:
            raise self._corrupt(str(error), start + error.offset) from error

    def _read_bitmaps(self, starts: _Array, sizes: _Array | None) -> BitMap:
        """Return the rows of the bitmaps at these positions, in any order; see `_read_bitmap`."""
        if len(starts) > 1:
            order = np.argsort(starts)
            starts, sizes = starts[order], None if sizes is None else sizes[order]
        ends = self._ends_v1(starts) if sizes is None else starts + sizes
        if (ends < starts).any() or (len(starts) > 1 and (starts[1:] < ends[:-1]).any()):
            raise self._corrupt("bitmaps overlap", int(starts[0]))
        return self._read_extents(list(zip(starts.tolist(), ends.tolist(), strict=True)))

    def _read_extents(self, extents: list[tuple[int, int]]) -> BitMap:
        """Return the rows of the bitmaps in these ranges of bytes, which ascend."""
        # One after another, so that data stays in the processor's caches.
        found: BitMap | None = None
        count = 0
        for start, data in self._read_each(extents):
            try:
                rows = read_start(data, self.num_rows)
            except BadBitmapError as error:
                raise self._corrupt(str(error), start + error.offset) from error
            count += len(rows)
            if found is None:
                found = rows
            else:
                found |= rows
        if found is None:
            return BitMap()
        if len(found) != count:
            raise self._corrupt("a row has two values", self._pos)
        return found

    def _read_each(
        self, extents: list[tuple[int, int]]
    ) -> Iterator[tuple[int, bytes | memoryview]]:
        """Yield the starts and bytes of bitmaps; they are cached, unless the file is local."""
        ranges = self._source.read_ranges([x for x in extents if x[0] not in self._kept])
        for start, _ in extents:
            data = self._kept[start] if start in self._kept else next(ranges)
            if not self._source.is_near:
                self._kept[start] = bytes(data)
            yield start, data

    def _ends_v1(self, starts: _Array) -> _Array:
        """Return upper bounds of the ends of bitmaps: the next start, or all containers."""
        first, limits = self._limits_v1()
        at = np.searchsorted(np.asarray(limits)[:-1], starts - first, "right")
        ends: _Array = np.asarray(limits)[at] + first
        return ends.clip(max=starts + longest(self.num_rows))

    def _limits_v1(self) -> tuple[int, list[int] | _Array]:
        """Return the origin of offsets, and the ascending offsets of bitmaps and of the file's end.

        Negative ones are rows of values that have no bitmap.
        """
        if self._limits is None:
            _, dictionary = self.dictionary()
            first, offsets = dictionary.bitmaps_start, dictionary.entries_ofs_bitmap
            others = [self._source.size - first]
            if self.has_bitmap_of_nulls:
                others.append(self.place_of_nulls()[0] - first)
            if isinstance(offsets, np.ndarray):
                self._limits = first, np.sort(np.append(offsets, others))
            else:
                self._limits = first, sorted([*offsets, *others])
        return self._limits

    def _check_row(self, row: int) -> int:
        if row >= self.num_rows:
            raise self._corrupt(
                f"row {row} is out of range in a file of {self.num_rows} rows", self._pos
            )
        return row

    def _corrupt_block(self, message: str, at: int) -> CorruptFileError:
        return self._corrupt(f"an index block {message}", at)

    def _corrupt(self, message: str, offset: int) -> CorruptFileError:
        return CorruptFileError(message, path=self._source.name, column=self._column, offset=offset)


def _place(entries: BitmapDictionaryV1 | BitmapBlockV2, i: int) -> tuple[int, int | None] | int:
    """Return the only row of an entry, or the place of its bitmap."""
    if entries.entries_is_single(i):
        return int(entries.entries_row(i))
    start, size = entries.place_entries_bitmap(i)
    return int(start), None if size is None else int(size)


def _extremes(numbers: Any) -> tuple[int, int]:
    """Return the least and the greatest number of a column."""
    if isinstance(numbers, np.ndarray):
        return int(numbers.min()), int(numbers.max())
    return min(numbers), max(numbers)


# Keys -------------------------------------------------------------------------------------------


def _count_below(keys: Keys, lows: Sequence[Any]) -> _Array:
    """Return how many keys, which ascend, are below each of these."""
    if isinstance(keys, list):
        return np.array([bisect_left(keys, low) for low in lows], np.int64)
    found: _Array = np.searchsorted(keys, np.asarray(lows, np.int64))
    return found


def _count_up_to(keys: Keys, lows: Sequence[Any]) -> _Array:
    """Return how many keys, which ascend, are below each of these or equal to it."""
    if isinstance(keys, list):
        return np.array([bisect_right(keys, low) for low in lows], np.int64)
    found: _Array = np.searchsorted(keys, np.asarray(lows, np.int64), "right")
    return found


def _count_before(keys: Keys, stops: Sequence[Any]) -> _Array:
    """Return how many keys, which ascend, come before each stop of a range."""
    if isinstance(keys, list):
        counts = [len(keys) if stop is None else bisect_left(keys, stop) for stop in stops]
        return np.array(counts, np.int64)
    found: _Array = np.searchsorted(keys, _lasts(stops), "right")
    return found


def _lasts(stops: Sequence[int]) -> _Array:
    """Return the last keys before the stops, because 64 bits cannot represent a stop of 2^63."""
    return np.array([stop - 1 for stop in stops], np.int64)


def _bisect_one(keys: Keys, key: Any, side: Literal["left", "right"]) -> int:
    if isinstance(keys, list):
        return (bisect_left if side == "left" else bisect_right)(keys, key)
    return int(np.searchsorted(keys, keys.dtype.type(key), side))


def _span(directory: Keys, ranges: KeyRanges) -> tuple[_Array, _Array]:
    """Return the first and last block that can contain each range; last < first means none."""
    first = _count_up_to(directory, ranges.lows) - 1
    last = first if ranges.are_single else _count_before(directory, ranges.stops) - 1
    return first.clip(0), last


def _by_block(first: _Array, last: _Array) -> Iterator[tuple[int, slice]]:
    """Yield each block that can contain a range, ascending, and the ranges it can contain."""
    if len(first) == 1:
        yield from ((block, slice(1)) for block in range(int(first[0]), int(last[0]) + 1))
        return
    some = first <= last
    if (first[some] == last[some]).all():
        blocks = np.unique(first[some]).tolist()
    else:
        pairs = zip(first.tolist(), last.tolist(), strict=True)
        blocks = sorted({block for low, high in pairs for block in range(low, high + 1)})
    begins = np.searchsorted(last, blocks).tolist()
    ends = np.searchsorted(first, blocks, "right").tolist()
    yield from (
        (block, slice(*ends_of)) for block, *ends_of in zip(blocks, begins, ends, strict=True)
    )


def _within(keys: Keys, lows: Sequence[Any], stops: Sequence[Any]) -> _Array:
    """Return the indexes of the keys that are in the ranges."""
    begin, end = _count_below(keys, lows), _count_before(keys, stops)
    if len(begin) == 1:
        return np.arange(begin[0], end[0])
    if (end - begin <= 1).all():
        return begin[end > begin]
    return np.concatenate([np.arange(b, e) for b, e in zip(begin, end, strict=True)])


def _inside(keys: _Array, ranges: KeyRanges) -> _Array:
    """Return whether each key, in no order, is in one of the ranges."""
    inside: _Array
    if ranges.is_one_key:
        inside = keys == ranges.lows[0]
        return inside
    if not len(ranges):
        return np.zeros(len(keys), bool)
    lows, lasts = np.asarray(ranges.lows, np.int64), _lasts(ranges.stops)
    at = np.searchsorted(lows, keys, "right") - 1
    inside = (at >= 0) & (keys <= lasts[at])
    return inside


def num_rows(source: Source, pos: int) -> int:
    """Return the number of rows of the data file, from the head of the index at byte `pos`."""
    index = read_view(source, BitmapIndex, pos, 0)  # all column types have the same head
    return int(index.v1.num_rows if index.version == 1 else index.v2.num_rows)


def version(source: Source, pos: int) -> int:
    """Return the version of the bitmap index at byte `pos`."""
    return int(read_view(source, BitmapIndex, pos, 0).version)
