"""Read a range bitmap: a dictionary of ordered values, and the bits of each row's code in it.

The reader reads only the bytes that an answer needs: the heads of the dictionary's chunks, the keys
of one chunk for each bound, and the slices from the lowest bit that matters.

Source: `RangeBitmap` (paimon-common, release 1.4.2). On a file without values, IS NULL returns all
rows here; Java returns the first and the last.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import Any

import numpy as np
from pyroaring import BitMap

from paimon_ksy.columns.stored_values import NEGATIVE_ZERO, keys_of, stored_values
from paimon_ksy.errors import CorruptFileError, counted, type_not_held
from paimon_ksy.evaluation.evaluate import LeafOrRange
from paimon_ksy.evaluation.key_ranges import KeyRanges, key_ranges
from paimon_ksy.evaluation.selection import Selection
from paimon_ksy.file_index.range_bitmap.dictionary import Dictionary
from paimon_ksy.generated.views.bit_slice_index import BitSliceIndex
from paimon_ksy.generated.views.range_bitmap_index import RangeBitmapIndex, RangeBitmapIndexHead
from paimon_ksy.io.source import Source, read_view
from paimon_ksy.predicates.tree import IsNotNull, IsNull
from paimon_ksy.roaring.bit_slices import extreme_number, numbers_of, rows_within, top_rows
from paimon_ksy.roaring.stored_bitmaps import StoredBitmaps
from paimon_ksy.types.data_type import DataType, column_type
from paimon_ksy.types.parse import parse_type

_BIGINT = parse_type("BIGINT")
_MAX_DECIMAL = 18  # maximum digits
_MAX_TIMESTAMP = 6


def stored_type(data_type: DataType) -> int | None:
    """Return the parameter `column_type` of the specs; None for types that cannot be indexed.

    Source: Paimon's `KeyFactory`.
    """
    precision = data_type.precision or 0
    if data_type.root == "DECIMAL":
        return column_type(_BIGINT) if (data_type.precision or 10) <= _MAX_DECIMAL else None
    if data_type.is_timestamp and precision > _MAX_TIMESTAMP:
        return None
    return column_type(data_type)


def num_rows(source: Source, pos: int) -> int:
    """Return the number of rows of the data file, from the head of the index at byte `pos`."""
    return int(read_view(source, RangeBitmapIndexHead, pos, 0).num_rows)


class RangeBitmapReader:
    """A range bitmap whose body starts at byte `pos` of `source`. Opening it reads only the head.

    Attributes:
        head: The head of the index.
        num_rows: The number of rows in the data file.
        num_values: The number of distinct values, without null.
    """

    def __init__(self, source: Source, pos: int, column: str, data_type: DataType) -> None:
        stored = stored_type(data_type)
        if stored is None:
            raise type_not_held(column, data_type, "range bitmap")
        self._source = source
        self._pos = pos
        self._column = column
        self._type = data_type
        self._stored = stored
        self.head = read_view(source, RangeBitmapIndex, pos, stored)
        self.num_rows, self.num_values = int(self.head.num_rows), int(self.head.num_values)
        self._bitmaps = StoredBitmaps(source, column, self.num_rows)
        if self.num_values > self.num_rows:
            raise self._corrupt(
                f"{counted(self.num_values, 'value')} in {counted(self.num_rows, 'row')}", pos
            )
        if self.head.head_end != self.head.place_dictionary()[0]:  # values of another width
            raise self._corrupt("the head does not end where its length states", pos)

    @cached_property
    def dictionary(self) -> Dictionary:
        """The dictionary of ordered values."""
        (pos, _), (end, _) = self.head.place_dictionary(), self.head.place_slices()
        return Dictionary(
            self._source, pos, end, self._column, self._type, self._stored, self.num_values
        )

    @property
    def bounds(self) -> tuple[Any, Any]:
        """The least and the greatest value in the head, in the form of `Keys`."""
        if not self.num_values:
            return None, None
        least, greatest = keys_of([self.head.min, self.head.max], self._type)
        return least, greatest

    @property
    def values(self) -> Any:
        """The least and the greatest value, as stored."""
        return stored_values([self.head.min, self.head.max], self._type)

    # Answering ----------------------------------------------------------------------------------

    def answer(self, leaf: LeafOrRange) -> Selection | None:
        """Return the rows for which a leaf is true; None if the index cannot determine them.

        The leaf is bound to the schema. Raises CorruptFileError or FormatError.
        """
        if isinstance(leaf, IsNull):
            return Selection.of(self._nulls(), self.num_rows, True)
        if isinstance(leaf, IsNotNull):
            return Selection.of(self.rows.copy(), self.num_rows, True)
        ranges = key_ranges(leaf, self._type)
        if ranges is None:
            return None
        rows = self._find(ranges)
        return ranges.select(rows, self.rows.copy() if ranges.negated else rows, self.num_rows)

    def _nulls(self) -> BitMap:
        nulls = self.rows.copy()
        nulls.flip_inplace(0, self.num_rows)
        return nulls

    def _find(self, ranges: KeyRanges) -> BitMap:
        codes = self._codes(ranges)
        if not codes:
            return BitMap()
        if codes == [(0, self.num_values)]:
            return self.rows.copy()
        if codes[-1][1] == self.num_values:  # a stop of 2^width saves work
            codes[-1] = codes[-1][0], 1 << self._width
        return rows_within(self.rows, self._width, codes, self._load)

    def _codes(self, ranges: KeyRanges) -> list[tuple[int, int]]:
        """Return the codes of keys in the ranges, as ascending, disjoint, half-open ranges."""
        if not self.num_values or not ranges:
            return []
        least, greatest = self.bounds
        inside = [
            (low, stop)
            for low, stop in ranges.pairs
            if low <= greatest and (stop is None or stop > least)
        ]
        code_of: dict[Any, int] = {low: 0 for low, _ in inside if low <= least}
        beyond = (stop for _, stop in inside if stop is None or stop > greatest)
        code_of |= dict.fromkeys(beyond, self.num_values)
        if sought := sorted({bound for pair in inside for bound in pair} - code_of.keys()):
            code_of.update(zip(sought, self.dictionary.ranks(sought), strict=True))
        codes: list[tuple[int, int]] = []
        for low, stop in inside:
            for first, last in self._pieces(code_of[low], code_of[stop], ranges):
                if codes and codes[-1][1] == first:
                    codes[-1] = codes[-1][0], last
                elif first < last:
                    codes.append((first, last))
        return codes

    def _pieces(self, first: int, last: int, ranges: KeyRanges) -> Iterable[tuple[int, int]]:
        """Return codes from `first` up to `last`: all, or those whose keys fulfil the test."""
        if ranges.test is None:
            return [(first, last)]
        keys = self.dictionary.keys(first, last)
        return ((code, code + 1) for code, key in keys if ranges.holds(key))

    # Slices -------------------------------------------------------------------------------------

    @cached_property
    def _slices(self) -> BitSliceIndex:
        pos, _ = self.head.place_slices()
        slices = read_view(self._source, BitSliceIndex, pos)
        width = max((self.num_values - 1).bit_length(), 1)
        if self.num_values and slices.num_slices != width:
            raise self._corrupt(
                f"{counted(slices.num_slices, 'slice')} for {counted(self.num_values, 'value')}",
                pos,
            )
        return slices

    @cached_property
    def slice_extents(self) -> list[tuple[int, int]]:
        """The start and end of each slice."""
        places = map(self._slices.place_slices_bitmap, range(self._slices.num_slices))
        return [(start, start + size) for start, size in places]

    @property
    def _width(self) -> int:
        return len(self.slice_extents)

    @cached_property
    def rows(self) -> BitMap:
        """Return the rows that are not null; callers must not change the bitmap."""
        if not self.num_values:
            return BitMap()
        pos, size = self._slices.place_rows()
        return self._bitmaps.parse(self._source.read(pos, size), pos)

    def slice_rows(self) -> Iterator[BitMap]:
        """Read and check all slices: for each bit from 0, the rows whose code has it set."""
        return self._bitmaps.read(self.slice_extents, checked=True)

    def _load(self, bits: range) -> Iterator[BitMap]:
        return self._bitmaps.read([self.slice_extents[bit] for bit in bits])

    # TopN ---------------------------------------------------------------------------------------

    def top_n(
        self, k: int, *, descending: bool, nulls_first: bool, selection: BitMap | None = None
    ) -> BitMap:
        """Return the first k rows in the order of the column, and all that tie with the last.

        Nulls tie with each other, as do zeros, and CHARs that differ only after a space. Callers
        may use any of the rows that tie. With a selection, the rows are chosen from it.
        """
        rows = self.rows if selection is None else self.rows & selection
        if k <= 0:
            return BitMap()
        if nulls_first or len(rows) < k:
            nulls = self._nulls() if selection is None else self._nulls() & selection
            if not nulls_first:
                return rows | nulls
            if len(nulls) >= k:
                return nulls
            return nulls | self._top(rows, k - len(nulls), descending)
        return self._top(rows, k, descending)

    def _top(self, rows: BitMap, k: int, descending: bool) -> BitMap:
        if len(rows) <= k:
            return rows.copy()
        rows_of_top = top_rows(rows, self._width, k, self._load, descending=descending)
        if self._type.root not in ("FLOAT", "DOUBLE", "CHAR"):
            return rows_of_top
        last = extreme_number(rows_of_top, self._width, self._load, greatest=not descending)
        first, stop = self._alike(last)
        return rows_of_top | rows_within(rows, self._width, [(first, stop)], self._load)

    def keys_of(self, rows: BitMap) -> list[Any]:
        """Return the key of each row; None for null."""
        held = self.rows & rows
        codes = numbers_of(held, self._width, self._load) if held else np.empty(0, np.int64)
        each = np.unique(codes).tolist()
        if each and each[-1] >= self.num_values:
            raise self._corrupt(
                f"a row has code {each[-1]} of {counted(self.num_values, 'value')}", self._pos
            )
        keys = dict(zip(each, self.dictionary.keys_of(each), strict=True)) if each else {}
        of_row = dict(zip(held, map(keys.__getitem__, codes.tolist()), strict=True))
        return [of_row.get(row) for row in rows]

    def _alike(self, code: int) -> tuple[int, int]:
        """Return the codes of values that may equal that of `code`, or be in a different order."""
        [(_, key)] = self.dictionary.keys(code, code + 1)
        if isinstance(key, bytes):
            # Stop at a byte that sorts no higher than a space: padding may reorder the rest.
            end = next((i for i, byte in enumerate(key) if byte <= ord(" ")), len(key))
            low: Any = key[:end]
            stop: Any = low + b"!"
        elif key in (NEGATIVE_ZERO, 0):
            low, stop = NEGATIVE_ZERO, 1
        else:
            return code, code + 1
        first, last = self.dictionary.ranks([low, stop])
        return first, last

    def _corrupt(self, message: str, offset: int) -> CorruptFileError:
        return CorruptFileError(message, path=self._source.name, column=self._column, offset=offset)
