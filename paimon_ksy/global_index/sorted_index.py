"""Answer predicates with the files of a sorted index that have the same row range."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

from ksykit.runtime.errors import FormatError
from pyroaring import BitMap

from paimon_ksy.errors import UnsupportedError, counted
from paimon_ksy.evaluation.evaluate import LeafOrRange, Range
from paimon_ksy.evaluation.key_ranges import KeyRanges, key_ranges, match_ranges
from paimon_ksy.evaluation.selection import Selection, bitmap
from paimon_ksy.global_index.builders import widened
from paimon_ksy.global_index.index_type import GlobalIndexFile, SortedFile
from paimon_ksy.global_index.metadata import read_metadata
from paimon_ksy.global_index.sorted_keys import (
    AFTER_ALL,
    NOT_NULL,
    NULL,
    KeyForm,
    KeyTypeError,
    component,
)
from paimon_ksy.io.corrupt import CorruptErrors
from paimon_ksy.io.file_kind import BUILD_AGAIN
from paimon_ksy.io.source import Source
from paimon_ksy.predicates.tree import Comparison, In, IsNotNull, IsNull, Match, StartsWith
from paimon_ksy.roaring.bitmap_32 import BadBitmapError
from paimon_ksy.roaring.bitmap_64 import joined, read_bitmaps

OpenFile = Callable[[Source, KeyForm, GlobalIndexFile], SortedFile]
"""A function that opens a file: (source, form of its keys, facts of the index manifest)."""


def read_parts(data: bytes | memoryview, pos: int, num_rows: int) -> dict[int, BitMap]:
    """Return the rows in a bitmap of 64 bits at byte `pos`, by their upper 32 bits.

    Raises:
        FormatError: The bitmap is malformed, or has a row that is not below `num_rows`.
    """
    try:
        parts = read_bitmaps(data)
    except BadBitmapError as error:
        raise FormatError(str(error), pos + error.offset) from error
    for key, part in parts.items():
        if part and (row := (key << 32) + part.max()) >= num_rows:
            raise out_of_range(row, num_rows, pos)
    return parts


def rows_in(parts: dict[int, BitMap], num_rows: int) -> BitMap:
    """Return such rows in the type that a range of `num_rows` needs."""
    rows: Any = joined(parts) if num_rows > 1 << 32 else parts.get(0)
    return BitMap() if rows is None else rows


def out_of_range(row: int, num_rows: int, pos: int) -> FormatError:
    """Return the error that a row is not below `num_rows`."""
    return FormatError(f"row {row} is out of a range of {counted(num_rows, 'row')}", pos)


class SortedIndex:
    """A reader of all files of a sorted index that have the same row range.

    Attributes:
        num_rows: The length of the row range.
    """

    def __init__(
        self,
        files: Sequence[GlobalIndexFile],
        form: KeyForm,
        open_file: OpenFile,
    ) -> None:
        self.num_rows = files[0].range_length
        self._files = [_File(file, form, open_file) for file in files]
        self._field = files[0].fields[0]
        self._form = form

    def answer(self, leaf: LeafOrRange) -> Selection | None:
        """Return the rows for which the leaf may be true; None if they cannot be determined.

        Raises:
            CorruptFileError: A file is corrupt.
        """
        if leaf.column != self._field.name:
            return None
        try:
            return self._answer(leaf)
        except (KeyTypeError, UnsupportedError):
            return None

    def _answer(self, leaf: LeafOrRange) -> Selection | None:
        if isinstance(leaf, IsNull):
            return Selection.of(self._nulls(), self.num_rows, True)
        if isinstance(leaf, IsNotNull):
            return Selection.of(self._not_null(), self.num_rows, True)
        if not isinstance(leaf, Comparison | In | Range | Match):
            return None
        ranges = self._ranges(leaf)
        if ranges is None:
            return Selection.of(self._not_null(), self.num_rows, False)
        rows = self._rows(ranges)
        return ranges.select(rows, self._not_null() if ranges.negated else rows, self.num_rows)

    def _ranges(self, leaf: Comparison | In | Range | Match) -> KeyRanges | None:
        data_type = self._field.type
        if isinstance(leaf, StartsWith) and data_type.root == "VARCHAR":
            ranges: KeyRanges | None = match_ranges(leaf)
        else:
            ranges = key_ranges(leaf, data_type, are_whole=True)
        if ranges is not None:
            ranges = widened(ranges, data_type)
        if ranges is None or not self._form.is_composite:
            return ranges
        test: Any = ranges.test
        return replace(
            ranges,
            lows=list(map(component, ranges.lows)),
            stops=[AFTER_ALL if stop is None else component(stop) for stop in ranges.stops],
            test=None if test is None else lambda key: test(key[1]),
        )

    def _rows(self, ranges: KeyRanges) -> BitMap:
        """Return the rows with keys in the ranges."""
        rows = bitmap(self.num_rows)
        for file in self._files:
            if file.overlaps(ranges):
                rows |= file.run(lambda reader: reader.rows_of(ranges))
        return rows

    def _nulls(self) -> BitMap:
        if self._form.is_composite:
            return self._rows(KeyRanges([NULL], [NOT_NULL]))
        return self.null_rows()

    def _not_null(self) -> BitMap:
        rows = bitmap(self.num_rows)
        rows.add_range(0, self.num_rows)
        rows -= self._nulls()
        return rows

    def null_rows(self) -> BitMap:
        """Return the rows that are null; of composite keys, none. Raises CorruptFileError."""
        rows = bitmap(self.num_rows)
        for file in self._files:
            if file.has_nulls:
                rows |= file.run(lambda reader: reader.null_rows())
        return rows


class _File:
    """One file, which is opened at its first use."""

    def __init__(
        self,
        file: GlobalIndexFile,
        form: KeyForm,
        open_file: OpenFile,
    ) -> None:
        self._file, self._form, self._open = file, form, open_file
        self._first: Any = None
        self._last: Any = None
        self.has_nulls = True
        try:
            metadata = None if file.metadata is None else read_metadata(file.metadata)
        except FormatError:  # of a later version; the file itself has all that it states
            metadata = None
        self._has_keys = metadata is None or metadata.first_key is not None
        if metadata is not None:
            self.has_nulls = metadata.has_nulls
            if metadata.first_key is not None and metadata.last_key is not None:
                self._first = form.first(metadata.first_key)
                self._last = form.first(metadata.last_key)

    def overlaps(self, ranges: KeyRanges) -> bool:
        """Return whether the file may have keys in the ranges."""
        if self._first is None:
            return self._has_keys
        return any(
            low <= self._last and (stop is None or stop > self._first)
            for low, stop in zip(ranges.lows, ranges.stops, strict=True)
        )

    @cached_property
    def _source(self) -> Source:
        return self._file.open()

    @cached_property
    def _reader(self) -> SortedFile:
        return self._open(self._source, self._form, self._file)

    def run(self, function: Callable[[SortedFile], Any]) -> Any:
        """Return what a function returns for the reader; malformed bytes are CorruptFileError."""
        with CorruptErrors(self._source, self._file.fields[0].name, BUILD_AGAIN):
            return function(self._reader)
