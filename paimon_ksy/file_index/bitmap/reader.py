"""Read a bitmap index, version 1 or 2: find the rows with certain values.

`=`, IN and ranges all become ranges of keys. A look-up finds the entries with such keys in the
parts of the dictionary that can contain them, then reads their bitmaps. Each part is read once, and
so is each bitmap of a remote file.

`<>` and NOT IN exclude null rows, which Java's reader returns. Ranges, LIKE and similar predicates
use the dictionary if they look at no more than MAX_VALUES values; Java reads all rows.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pyroaring import BitMap

from paimon_ksy.columns.stored_values import Keys, are_ascending, keys_of
from paimon_ksy.errors import CorruptFileError, counted, type_not_held
from paimon_ksy.evaluation.evaluate import LeafOrRange
from paimon_ksy.evaluation.key_ranges import KeyRanges, is_of_values, key_ranges, match_ranges
from paimon_ksy.evaluation.selection import Selection
from paimon_ksy.file_index.bitmap.parts import BitmapParts
from paimon_ksy.generated.structs.bitmap_index_v1 import ofs_bitmap_of_row
from paimon_ksy.io.source import Source
from paimon_ksy.predicates.tree import IsNotNull, IsNull, Match
from paimon_ksy.roaring.bitmap_32 import all_but, longest
from paimon_ksy.roaring.stored_bitmaps import StoredBitmaps
from paimon_ksy.types.data_type import DataType, column_type

MAX_VALUES = 2_000
"""Ranges and patterns that have to look at more values are left to the reader: with a bitmap for
each value, the answer would take longer than reading the column."""


class BitmapReader(BitmapParts):
    """A bitmap index whose body starts at byte `pos` of `source`. Opening it reads only the head.

    Its methods raise CorruptFileError if the index is contradictory, and FormatError if bytes are
    malformed.
    """

    def __init__(
        self, source: Source, pos: int, column: str, data_type: DataType, *, arrays: bool = False
    ) -> None:
        stored = column_type(data_type)
        if stored is None:
            raise type_not_held(column, data_type, "bitmap index")
        super().__init__(source, pos, stored, arrays=arrays)
        self.column = column
        self.data_type = data_type
        self.bitmaps = StoredBitmaps(source, column, self.num_rows)
        self._read: dict[int, tuple[Keys, Any]] = {}  # keys and parts by number

    def answer(self, leaf: LeafOrRange) -> Selection | None:
        """Return the rows for which a leaf is true; None if the index cannot determine them.

        The leaf is bound to the schema.
        """
        if isinstance(leaf, IsNull):
            return Selection.of(self.nulls.copy(), self.num_rows, True)
        if isinstance(leaf, IsNotNull):
            return Selection.of(all_but(self.nulls, self.num_rows), self.num_rows, True)
        limit = self.num_values
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
        if rows.intersect(self.nulls):
            raise self.corrupt("a row has a value and is null", self.pos)
        return ranges.select(rows, all_but(self.nulls, self.num_rows), self.num_rows)

    @cached_property
    def nulls(self) -> BitMap:
        """The rows that are null."""
        if not self.head.has_null:
            return BitMap()
        if self.head.is_null_single:
            return self._single_rows([self.head.null_row])
        start, size = self.place_of_nulls()
        end = int(self.end_of_bitmap(start, size))
        data = self.source.read(start, end - start)
        return self.bitmaps.parse(data, start, prefix=size is None)

    # Entries ------------------------------------------------------------------------------------

    def find(self, ranges: KeyRanges, limit: int) -> BitMap | None:
        """Return the rows of values in the ranges; None if it has to look at more than `limit`."""
        if self.version == 1 and self.num_values > limit:
            return None
        entries: list[tuple[Any, int]] = []
        for keys, part, numbers in self.entries(ranges):
            limit -= len(numbers)
            if limit < 0:
                return None
            entries += [(part, i) for i in numbers if ranges.test is None or ranges.test(keys[i])]
        return self._rows_of(entries)

    def entries(self, ranges: KeyRanges | None = None) -> Iterator[tuple[Keys, Any, Sequence[int]]]:
        """Yield the entries with keys in the ranges, or all: of a part, its keys and numbers."""
        if ranges is None:
            for number in range(len(self)):
                keys, part = self._part(number)
                yield keys, part, range(len(keys))
        elif self.version == 1:
            keys, part = self._part(0)
            if ranges.are_single and not isinstance(keys, list):
                # One by one, = on 1,000,000 bigints takes 118 ms instead of 9.
                inside = np.flatnonzero(np.isin(keys, ranges.lows)).tolist()
            else:
                inside = [i for i, key in enumerate(keys) if ranges.holds(key)]
            if len({keys[i] for i in inside}) < len(inside):
                raise self.corrupt("the dictionary contains a value twice", self.pos)
            yield keys, part, inside
        else:
            for low, stop in ranges.pairs:
                # Of values below all others, too, a block shows that values have this width.
                first = max(bisect_right(self._firsts, low) - 1, 0)
                last = max(_position(self._firsts, stop), min(1, len(self)))
                for number in range(first, last):
                    keys, part = self._part(number)
                    yield keys, part, range(bisect_left(keys, low), _position(keys, stop))

    @cached_property
    def _firsts(self) -> Keys:
        """The first key of each block."""
        keys, at = keys_of(self.listed.blocks_key, self.data_type), self.listed.blocks_start
        if self.listed.bitmaps_start > self.source.size:
            raise self.corrupt("the index blocks end after the end of the file", at)
        if not len(keys) and self.num_values:
            raise self.corrupt(f"{counted(self.num_values, 'value')} but no index block", at)
        if not are_ascending(keys):
            raise self.corrupt("index blocks are not in ascending order", at)
        places = self.listed.blocks_ofs_block
        if len(keys) and (places[0] or places[-1] >= self.listed.len_blocks):
            raise self.corrupt("index blocks are not where the directory lists them", at)
        return keys

    def _part(self, number: int) -> tuple[Keys, Any]:
        """Return the keys of a part in their order, checked, and the part."""
        if number not in self._read:
            part = self.part(number)
            keys = keys_of(part.entries_key, self.data_type)
            if (wrong := self._wrong(number, keys, part)) is not None:
                raise self.corrupt(wrong, part.end)
            self._read[number] = keys, part
        return self._read[number]

    def _wrong(self, number: int, keys: Keys, part: Any) -> str | None:
        if self.version == 1:
            # Otherwise, values of another width than in the schema could look like these.
            offsets, size = np.asarray(part.entries_ofs_bitmap), self.source.size - part.end
            rows = ofs_bitmap_of_row(self.num_rows)
            if len(offsets) and (offsets.min() <= rows or offsets.max() >= size):
                return "the dictionary refers to a bitmap or row outside the file"
            bitmaps = offsets[offsets >= 0]
            if (np.diff(bitmaps) <= 0).any() and len(np.unique(bitmaps)) < len(bitmaps):
                return "the dictionary refers to a bitmap twice"
        elif keys[0] != self._firsts[number]:
            return "an index block does not start with the value that lists it"
        elif not are_ascending(keys):
            return "an index block contains values that are not in ascending order"
        elif number + 1 < len(self) and keys[-1] >= self._firsts[number + 1]:
            return "an index block contains values of the next one"
        return None

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
            raise self.corrupt("a row has two values", self.pos)
        return rows

    def _single_rows(self, rows: list[int]) -> BitMap:
        if max(rows) >= self.num_rows:
            message = (
                f"row {max(rows)} is out of range in a file of {counted(self.num_rows, 'row')}"
            )
            raise self.corrupt(message, self.pos)
        return BitMap(rows)

    def end_of_bitmap(self, start: Any, size: Any) -> Any:
        """Return where bitmaps end that start there, or upper bounds if their size is None."""
        if size is not None:
            return start + size
        after = np.searchsorted(self._limits[:-1], start, "right")
        return np.minimum(self._limits[after], start + longest(self.num_rows))

    @cached_property
    def _limits(self) -> NDArray[np.int64]:
        """The starts of bitmaps in version 1, which stores no sizes, and the end of the file."""
        offsets = np.asarray(self.listed.entries_ofs_bitmap, np.int64)
        starts = self.listed.bitmaps_start + offsets[offsets >= 0]
        nulls = [self.place_of_nulls()[0]] if self.has_bitmap_of_nulls else []
        return np.sort(np.append(starts, [self.source.size, *nulls]))

    def corrupt(self, message: str, offset: int) -> CorruptFileError:
        """Return the error that the index is corrupt."""
        return CorruptFileError(message, path=self.source.name, column=self.column, offset=offset)


def _position(ascending: Keys, stop: Any) -> int:
    """Return the number of keys before `stop`; None is after all of them."""
    return len(ascending) if stop is None else bisect_left(ascending, stop)
