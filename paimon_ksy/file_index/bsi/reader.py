"""Read BSI, the bit-slice index of integers.

Source: `BitSliceIndexBitmapFileIndex` and `BitSliceIndexRoaringBitmap` (paimon-common, release
1.4.2). Java's reader reads all of it for any predicate. This one skips slices that do not matter
by their headers.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pyroaring import BitMap

from paimon_ksy.errors import CorruptFileError, counted, type_not_held
from paimon_ksy.evaluation.evaluate import LeafOrRange
from paimon_ksy.evaluation.key_ranges import key_ranges
from paimon_ksy.evaluation.selection import Selection
from paimon_ksy.generated.views.bsi_index import BsiHead, BsiPartHead, BsiSlicesHead
from paimon_ksy.io.source import Source, read_view
from paimon_ksy.predicates.tree import IsNotNull, IsNull
from paimon_ksy.roaring.bit_slices import numbers_of, rows_within, top_rows
from paimon_ksy.roaring.bitmap_32 import all_but, size_of
from paimon_ksy.roaring.stored_bitmaps import StoredBitmaps
from paimon_ksy.types.data_type import INTEGER_BITS, DataType

_TYPES = (*INTEGER_BITS, "DATE", "TIME", "TIMESTAMP", "TIMESTAMP_LTZ", "DECIMAL")
MAX_ROWS = 2**31 - 1


def is_taken(data_type: DataType) -> bool:
    """Return whether a BSI supports columns of this type."""
    return data_type.root in _TYPES


# Reading ----------------------------------------------------------------------------------------


class BsiReader:
    """A BSI whose body starts at byte `pos` of `source`. Opening it reads only the head.

    Attributes:
        head: The head.
        num_rows: The number of rows in the data file.
    """

    def __init__(self, source: Source, pos: int, column: str, data_type: DataType) -> None:
        if not is_taken(data_type):
            raise type_not_held(column, data_type, "bsi index")
        self._source = source
        self._column = column
        self._type = data_type
        self.head = read_view(source, BsiHead, pos)
        self.num_rows = int(self.head.num_rows)

    @cached_property
    def positive(self) -> BsiPart:
        """The numbers that are zero or positive."""
        return BsiPart(self._source, self.head.end, self._column, self.num_rows)

    @cached_property
    def negative(self) -> BsiPart:
        """The absolute values of negative numbers."""
        return BsiPart(self._source, self.positive.end, self._column, self.num_rows)

    def not_null(self) -> BitMap:
        """Return the rows that are not null."""
        return self.positive.rows | self.negative.rows

    def _nulls(self) -> BitMap:
        return all_but(self.not_null(), self.num_rows)

    def answer(self, leaf: LeafOrRange) -> Selection | None:
        """Return the rows for which a leaf is true; None if the index cannot determine them.

        The leaf is bound to the schema. Raises CorruptFileError or FormatError.
        """
        if isinstance(leaf, IsNull):
            return Selection.of(self._nulls(), self.num_rows, True)
        if isinstance(leaf, IsNotNull):
            return Selection.of(self.not_null(), self.num_rows, True)
        ranges = key_ranges(leaf, self._type)
        if ranges is None:
            return None
        rows = self._find(ranges.pairs)
        return ranges.select(rows, self.not_null() if ranges.negated else rows, self.num_rows)

    def _find(self, intervals: Sequence[tuple[int, int]]) -> BitMap:
        positive = [(max(low, 0), stop) for low, stop in intervals if stop > 0]
        # From low up to stop - 1, mirrored. No number is 0, so 0 may be included to save slices.
        negative = [(max(1 - stop, 0), 1 - low) for low, stop in intervals[::-1] if low < 0]
        rows = self.positive.find(positive) if positive else BitMap()
        return rows | self.negative.find(negative) if negative else rows

    def top_n(
        self, k: int, *, descending: bool, nulls_first: bool, selection: BitMap | None = None
    ) -> BitMap:
        """Return the first k rows in the order of the column, and all that tie with the last one.

        TIMESTAMPs of more than 6 digits tie within a microsecond, the stored precision. With a
        selection, the rows are chosen from it.
        """
        rows = BitMap()
        if k <= 0:
            return rows
        signs = ["positive", "negative"] if descending else ["negative", "positive"]
        for group in ["nulls", *signs] if nulls_first else [*signs, "nulls"]:
            missing = k - len(rows)
            if missing <= 0:
                break
            if group == "nulls":
                nulls = self._nulls()
                rows |= nulls if selection is None else nulls & selection
            else:
                part = self.positive if group == "positive" else self.negative
                rows |= part.top(missing, selection, greatest=descending == (part is self.positive))
        return rows

    def keys_of(self, rows: BitMap) -> list[Any]:
        """Return the number of each row, or None for a null."""
        of_row: dict[int, int] = {}
        for sign, part in ((1, self.positive), (-1, self.negative)):
            held, numbers = part.numbers_of(rows)
            of_row.update(zip(held, (sign * numbers).tolist(), strict=True))
        return [of_row.get(row) for row in rows]


class BsiPart:
    """The numbers of one sign, from byte `pos` on."""

    def __init__(self, source: Source, pos: int, column: str, num_rows: int) -> None:
        self._source = source
        self._column = column
        self._num_rows = num_rows
        self._bitmaps = StoredBitmaps(source, column, num_rows)
        self.head = read_view(source, BsiPartHead, pos)
        self._rows_start = int(self.head.rows_start)

    @cached_property
    def rows(self) -> BitMap:
        """The rows whose number has this sign. Callers must not change them."""
        if not self.head.has_rows:
            return BitMap()
        start = self._rows_start
        return self._bitmaps.parse(self._source.read(start, self._rows_end - start), start)

    @property
    def end(self) -> int:
        """The byte after the part."""
        return self._places[-1] if self.head.has_rows else self._rows_start

    def find(self, intervals: Sequence[tuple[int, int]]) -> BitMap:
        """Return the rows whose number, without its sign, is in one of the intervals."""
        if not self.head.has_rows:
            return BitMap()
        low, high = self.head.min, self.head.max
        inside = [(max(a, low) - low, min(b, high + 1) - low) for a, b in intervals]
        inside = [(a, b) for a, b in inside if a < b]
        if not inside:
            return BitMap()
        if inside == [(0, high + 1 - low)]:
            return self.rows.copy()
        return rows_within(self.rows, self._width, inside, self._load)

    def top(self, k: int, selection: BitMap | None, *, greatest: bool) -> BitMap:
        """Return the k rows with the greatest (or least) numbers without sign, and all that tie."""
        if not self.head.has_rows:
            return BitMap()
        rows = self.rows if selection is None else self.rows & selection
        return top_rows(rows, self._width, k, self._load, descending=greatest)

    def numbers_of(self, rows: BitMap) -> tuple[BitMap, NDArray[np.int64]]:
        """Return the rows that have this sign, and the absolute values of their numbers."""
        held = self.rows & rows
        if not held:
            return held, np.empty(0, np.int64)
        return held, numbers_of(held, self._width, self._load) + self.head.min

    @property
    def slice_extents(self) -> list[tuple[int, int]]:
        """The start and the end of each slice, from the headers."""
        return list(pairwise(self._places)) if self.head.has_rows else []

    def slice_rows(self) -> Iterator[BitMap]:
        """Read and check all slices: the rows whose number has bit 0 set, bit 1, and so on."""
        return self._bitmaps.read(self.slice_extents, checked=True)

    def _load(self, bits: range) -> Iterator[BitMap]:
        extents = self.slice_extents
        return self._bitmaps.read([extents[bit] for bit in bits])

    @property
    def _width(self) -> int:
        return int(self.head.max - self.head.min).bit_length()

    @cached_property
    def _rows_end(self) -> int:
        return self._end_of_bitmap(self._rows_start)

    @cached_property
    def _places(self) -> list[int]:
        """The start of each slice, and the end of the last one."""
        slices = read_view(self._source, BsiSlicesHead, self._rows_end)
        if slices.num_bitmaps != self._width:
            raise CorruptFileError(
                f"{counted(slices.num_bitmaps, 'slice')} for numbers of "
                f"{counted(self._width, 'bit')}",
                path=self._source.name,
                column=self._column,
                offset=self._rows_end,
            )
        places = [int(slices.bitmaps_start)]
        for _ in range(self._width):
            places.append(self._end_of_bitmap(places[-1]))
        return places

    def _end_of_bitmap(self, pos: int) -> int:
        def read(at: int, most: int) -> bytes:
            return self._source.read(pos + at, min(most, max(self._source.size - pos - at, 0)))

        return pos + size_of(read, self._num_rows)


def num_rows(source: Source, pos: int) -> int:
    """Return the number of rows of the data file, from the head of the BSI at byte `pos`."""
    return int(read_view(source, BsiHead, pos).num_rows)
