"""Read a bitmap index, version 1 or 2: find the rows with certain values.

`=`, IN and ranges all become ranges of keys. A look-up finds the entries with such keys in the
parts of the dictionary that can contain them, then reads their bitmaps. Each part is read once, and
so is each bitmap of a remote file.

`<>` and NOT IN exclude null rows, which Java's reader returns. Ranges, LIKE and similar predicates
use the dictionary if they match at most MAX_VALUES values; Java reads all rows.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator
from functools import cached_property
from itertools import islice, pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pyroaring import BitMap

from paimon_ksy.columns.stored_values import Keys, are_ascending, keys_of
from paimon_ksy.errors import CorruptFileError, type_not_held
from paimon_ksy.evaluation.evaluate import LeafOrRange
from paimon_ksy.evaluation.key_ranges import KeyRanges, is_of_values, key_ranges, match_ranges
from paimon_ksy.evaluation.selection import Selection
from paimon_ksy.file_index.bitmap.parts import BitmapParts
from paimon_ksy.generated.writers.bitmap_index_v1 import ofs_bitmap_of_row
from paimon_ksy.io.source import Source
from paimon_ksy.predicates.tree import IsNotNull, IsNull, Match
from paimon_ksy.roaring.bitmap_32 import all_but, longest
from paimon_ksy.roaring.stored_bitmaps import StoredBitmaps
from paimon_ksy.types.data_type import DataType, column_type

MAX_VALUES = 2_000
"""Ranges and patterns that more values than this match are left to the reader: with a bitmap for
each value, the answer would take longer than reading the column."""


class BitmapReader:
    """A bitmap index whose body starts at byte `pos` of `source`. Opening it reads only the head.

    Raises what `answer` raises.
    """

    def __init__(self, source: Source, pos: int, column: str, data_type: DataType) -> None:
        stored = column_type(data_type)
        if stored is None:
            raise type_not_held(column, data_type, "bitmap index")
        self.source = source
        self._pos = pos
        self._column = column
        self.data_type = data_type
        self.parts = BitmapParts(source, pos, stored, arrays=False)
        self.num_rows: int = self.parts.head.num_rows
        """Rows of the data file."""
        self.num_values: int = self.parts.head.num_values
        """Distinct values that are not null, as the head has it."""
        self.bitmaps = StoredBitmaps(source, column, self.num_rows)
        self._read: dict[int, tuple[Keys, Any]] = {}  # parts by number

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
        if rows.intersect(self.nulls):
            raise self.corrupt("a row has a value and is null", self._pos)
        return ranges.select(rows, not_null, self.num_rows)

    @cached_property
    def nulls(self) -> BitMap:
        """The rows that are null."""
        head = self.parts.head
        if not head.has_null:
            return BitMap()
        if head.is_null_single:
            return self._single_rows([head.null_row])
        start, size = self.parts.place_of_nulls()
        end = int(self.end_of_bitmap(start, size))
        data = self.source.read(start, end - start)
        return self.bitmaps.parse(data, start, prefix=size is None)

    def _not_null(self) -> BitMap:
        return all_but(self.nulls, self.num_rows)

    # Entries ------------------------------------------------------------------------------------

    def find(self, ranges: KeyRanges, limit: int | None = None) -> BitMap | None:
        """Return the rows of values in the ranges; None if more than `limit` values match."""
        if limit is None:
            return self._rows_of(self._entries(ranges))
        if self._least_values(ranges) > limit:
            return None
        entries = list(islice(self._entries(ranges), limit + 1))
        return None if len(entries) > limit else self._rows_of(entries)

    def _least_values(self, ranges: KeyRanges) -> float:
        """Return about how many values match at least, without reading a block.

        In version 1, these are all values, because each look-up reads all of them.
        """
        if self.parts.version == 1:
            return self.num_values
        whole = sum(max(len(self._between(*pair)) - 2, 0) for pair in ranges.pairs)
        return whole * self.num_values / max(len(self.parts), 1)

    def _entries(self, ranges: KeyRanges) -> Iterator[tuple[Any, int]]:
        """Yield each entry with a key in the ranges: its part, and its number in the part."""
        if self.parts.version == 1:
            keys, part = self._part(0)
            if ranges.are_single and not isinstance(keys, list):
                # One by one, = on 1,000,000 bigints takes 118 ms instead of 9.
                inside = np.flatnonzero(np.isin(keys, ranges.lows)).tolist()
            else:
                inside = [i for i, key in enumerate(keys) if ranges.holds(key)]
            if len({keys[i] for i in inside}) < len(inside):
                raise self.corrupt("the dictionary contains a value twice", self._pos)
            yield from ((part, i) for i in inside)
            return
        for low, stop in ranges.pairs:
            for number in self._between(low, stop):
                keys, part = self._part(number)
                for i in range(bisect_left(keys, low), _position(keys, stop)):
                    if ranges.test is None or ranges.test(keys[i]):
                        yield part, i

    def _between(self, low: Any, stop: Any) -> range:
        """Return the blocks that can contain keys from `low` up to `stop`."""
        first = max(bisect_right(self._firsts, low) - 1, 0)
        return range(first, _position(self._firsts, stop))

    @cached_property
    def _firsts(self) -> Keys:
        """The first key of each block."""
        listed = self.parts.listed
        keys = keys_of(listed.blocks_key, self.data_type)
        at, offsets = listed.blocks_start, listed.blocks_ofs_block
        if len(keys):
            last = at + int(offsets.max() if isinstance(offsets, np.ndarray) else max(offsets))
            if last >= listed.bitmaps_start:
                raise self.corrupt("an index block starts after the end of all blocks", last)
        if listed.bitmaps_start > self.source.size:
            raise self.corrupt("the index blocks end after the end of the file", at)
        if not len(keys) and self.num_values:
            raise self.corrupt(f"{self.num_values} values but no index block", at)
        if not are_ascending(keys):
            raise self.corrupt("index blocks are not in ascending order", at)
        return keys

    def _part(self, number: int) -> tuple[Keys, Any]:
        """Return the keys of a part, and the part."""
        if number not in self._read:
            part = self.parts.part(number)
            self._read[number] = self.keys(number, part), part
        return self._read[number]

    def keys(self, number: int, part: Any) -> Keys:
        """Return the keys of the part of this number in their order, checked."""
        keys = keys_of(part.entries_key, self.data_type)
        if self.parts.version == 1:
            # Otherwise, values of another width than in the schema could look like these.
            offsets, start = np.asarray(part.entries_ofs_bitmap), part.bitmaps_start
            if len(offsets) and (
                ofs_bitmap_of_row(self.num_rows) >= offsets.min()
                or start + offsets.max() >= self.source.size
            ):
                message = "the dictionary refers to a bitmap or row outside the file"
                raise self.corrupt(message, start)
            return keys
        at = self.parts.place(number)
        if keys[0] != self._firsts[number]:
            raise self.corrupt("an index block does not start with the value that lists it", at)
        if not are_ascending(keys):
            message = "an index block contains values that are not in ascending order"
            raise self.corrupt(message, at)
        if number + 1 < len(self.parts) and keys[-1] >= self._firsts[number + 1]:
            raise self.corrupt("an index block contains values of the next one", at)
        return keys

    # Bitmaps ------------------------------------------------------------------------------------

    def _rows_of(self, entries: Iterable[tuple[Any, int]]) -> BitMap:
        """Return the rows of entries, none of which may have a row of another one."""
        singles: list[int] = []
        extents: list[tuple[int, int]] = []
        for part, i in entries:
            if part.entries_is_single(i):
                singles.append(int(part.entries_row(i)))
            else:
                start, size = part.place_entries_bitmap(i)
                extents.append((int(start), int(self.end_of_bitmap(start, size))))
        extents.sort()
        if any(start < end for (_, end), (start, _) in pairwise(extents)):
            raise self.corrupt("bitmaps overlap", extents[0][0])
        bitmaps = self.bitmaps.read(extents)
        rows = next(bitmaps, BitMap())
        count = len(rows) + len(singles)
        for more in bitmaps:
            count += len(more)
            rows |= more
        if singles:
            rows |= self._single_rows(singles)
        if len(rows) != count:
            raise self.corrupt("a row has two values", self._pos)
        return rows

    def _single_rows(self, rows: list[int]) -> BitMap:
        if max(rows) >= self.num_rows:
            message = f"row {max(rows)} is out of range in a file of {self.num_rows} rows"
            raise self.corrupt(message, self._pos)
        return BitMap(rows)

    def end_of_bitmap(self, start: Any, size: Any) -> Any:
        """Return where the bitmap at byte `start` ends, or an upper bound if its size is None.

        All may be arrays.
        """
        if size is not None:
            return start + size
        after = np.searchsorted(self._limits[:-1], start, "right")
        return np.minimum(self._limits[after], start + longest(self.num_rows))

    @cached_property
    def _limits(self) -> NDArray[np.int64]:
        """The starts of bitmaps in version 1, which stores no sizes, and the end of the file."""
        listed = self.parts.listed
        offsets = np.asarray(listed.entries_ofs_bitmap, np.int64)
        starts = listed.bitmaps_start + offsets[offsets >= 0]
        nulls = [self.parts.place_of_nulls()[0]] if self.parts.has_bitmap_of_nulls else []
        return np.sort(np.append(starts, [self.source.size, *nulls]))

    def corrupt(self, message: str, offset: int) -> CorruptFileError:
        """Return the error that the index is corrupt."""
        return CorruptFileError(message, path=self.source.name, column=self._column, offset=offset)


def _position(ascending: Keys, stop: Any) -> int:
    """Return the number of keys before `stop`; None is after all of them."""
    return len(ascending) if stop is None else bisect_left(ascending, stop)


def num_rows(source: Source, pos: int) -> int:
    """Return the number of rows of the data file, from the head of the index at byte `pos`."""
    return int(BitmapParts(source, pos, 0).head.num_rows)


def version(source: Source, pos: int) -> int:
    """Return the version of the bitmap index at byte `pos`."""
    return BitmapParts(source, pos, 0).version
