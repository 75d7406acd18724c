"""Read a bitmap global index: the rows of ranges of keys, null rows, all postings.

pypaimon sorts numbers by their stored bytes, Java and pypaimon-rust by value. The first keys of the
blocks show which order an index can have. If they fit both, a look-up reads the block that each of
the orders leads to.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from functools import cached_property, partial
from typing import Any

import numpy as np
from ksykit.runtime.errors import FormatError
from numpy.typing import NDArray
from pyroaring import BitMap

from paimon_ksy.columns.stored_values import Keys, are_ascending
from paimon_ksy.errors import CorruptFileError, UnsupportedError
from paimon_ksy.evaluation.key_ranges import KeyRanges
from paimon_ksy.evaluation.selection import bitmap
from paimon_ksy.generated.views.global_bitmap_index import GlobalBitmapFooter
from paimon_ksy.global_index.bitmap.parts import BitmapParts, Extents
from paimon_ksy.global_index.sorted_index import out_of_range, read_parts, rows_in
from paimon_ksy.global_index.sorted_keys import KeyForm, KeyTypeError
from paimon_ksy.io.corrupt import CorruptErrors
from paimon_ksy.io.file_kind import NAMED, kind_of
from paimon_ksy.io.source import Source
from paimon_ksy.roaring.bitmap_64 import small_bitmaps_64
from paimon_ksy.types.data_type import Field

_FEW = 32
"""Bitmaps that are read one by one. A range of 1,000 values takes 0.9 ms at once, and 6 ms one by
one; a single value takes 0.01 ms one by one, and 0.4 ms with the code for many."""
MULTIVALUE = "multivalue"
_SPAN = 1 << 22  # the most bytes of bitmaps to read at once, which bounds memory
_MOST_SHOWN = 1 << 20  # the most bytes of a block to read for the order of keys


def version(
    source: Source, fields: Sequence[Field], *, is_multivalue: bool = False
) -> tuple[int, str]:
    """Return the version of a file, and what misreads it (see `GlobalIndexType`)."""
    form = form_of(fields)
    with CorruptErrors(source):
        file = BitmapFile(source, form, 0)
        number = int(read_footer(file.parts).version)
        try:
            orders = (False, False) if form is None else file.shown_orders
        except KeyTypeError:
            orders = False, False  # the column's type changed
    return number, misread_by(*orders, is_multivalue=is_multivalue)


multivalue_version = partial(version, is_multivalue=True)


def misread_by(by_value: bool, by_bytes: bool, *, is_multivalue: bool) -> str:
    """Return which readers misread a file whose keys can have these orders, and how.

    pypaimon stops at the first key of a block that is greater by its bytes, Java and pypaimon-rust
    at the first one that is greater by value. Java 1.4 expects another layout. It and pypaimon do
    not use multivalue indexes.
    """
    names = [] if is_multivalue else ["Java 1.4"]
    if by_bytes and not by_value:
        names += ["Java 2.0", "pypaimon-rust 0.4"]
    elif by_value and not by_bytes and not is_multivalue:
        names.append("pypaimon 2.1")
    listed = ", ".join(names[:-1]) + " and " * (len(names) > 1) + "".join(names[-1:])
    return listed and f"{listed} return{'s' * (len(names) == 1)} wrong rows"


def read_footer(parts: BitmapParts) -> GlobalBitmapFooter:
    """Read the footer.

    Raises:
        FormatError: The footer is malformed, or has another version.
        UnsupportedError: The file may have the layout of Paimon 1.4.
    """
    try:
        return parts.footer
    except FormatError:
        if kind_of(parts.source) is NAMED["bitmap"]:
            raise
        message = "lacks the magic number, so Paimon 1.4 may have written it"
        raise UnsupportedError(message, path=parts.source.name) from None


class BitmapFile:
    """A file of a bitmap or multivalue index. Opening it reads only the footer.

    Args:
        source: The file.
        form: The form of its keys; None to read only rows.
        num_rows: The length of the row range.
        of_elements: Whether a row can have several keys, as in a multivalue index.

    Raises:
        FormatError: The bytes are malformed.
        KeyTypeError: The keys are not of the column's type.
        CorruptFileError: The index is contradictory.
    """

    def __init__(
        self, source: Source, form: KeyForm | None, num_rows: int, *, of_elements: bool = False
    ) -> None:
        self.source = source
        self._form, self._of_elements = form, of_elements
        self.num_rows = num_rows
        self.parts = BitmapParts(source)
        self._keys: dict[int, Keys] = {}

    @property
    def form(self) -> KeyForm:
        """The form of the keys."""
        assert self._form is not None
        return self._form

    @property
    def is_multivalue(self) -> bool:
        """Whether it is a multivalue index, by its bytes: it has values, but rows are neither."""
        has_rows = bool(self.null_rows()) or bool(self.other_rows())
        return bool(self.parts.footer.num_values) and not has_rows

    # -- Answers

    def rows_of(self, ranges: KeyRanges) -> BitMap:
        """Return the rows with keys in these ranges, regardless of `negated`."""
        extents: list[Extents] = []
        for number in self._blocks_of(ranges):
            keys = self._keys_of(number)
            chosen = _chosen(keys, ranges, are_sorted=self.form.is_text)
            if len(chosen):
                extents.append(self.parts.block(number).extents[chosen])
        if not extents:
            return bitmap(self.num_rows)
        return self._union(np.concatenate(extents))

    def null_rows(self) -> BitMap:
        """Return the rows that are null."""
        return self._bitmap_at(*self.parts.extent_of_nulls)

    def other_rows(self) -> BitMap:
        """Return the rows that are not null."""
        return self._bitmap_at(*self.parts.extent_of_others)

    # -- Blocks

    @cached_property
    def orders(self) -> tuple[bool, bool]:
        """Whether the first keys of blocks ascend by value, and by their bytes."""
        stored = self.parts.directory.keys
        keys, texts = self.form.keys(stored), stored.tolist()
        by_value = are_ascending(keys)
        by_bytes = by_value if self.form.is_text else are_ascending(texts)
        if not (by_value or by_bytes):
            raise self.corrupt(
                "its blocks are not in ascending order", int(self.parts.footer.ofs_directory)
            )
        return by_value, by_bytes

    @property
    def shown_orders(self) -> tuple[bool, bool]:
        """The same, of the keys of the first block if the others fit both and it is small."""
        places = self.parts.directory.places
        if not all(self.orders) or self.form.is_text or not places or places[0][1] > _MOST_SHOWN:
            return self.orders
        stored = self.parts.block(0).keys
        return are_ascending(self.form.keys(stored)), are_ascending(stored.tolist())

    def _blocks_of(self, ranges: KeyRanges) -> Sequence[int]:
        """Return the numbers of the blocks that can have keys in these ranges."""
        by_value, by_bytes = self.orders
        count = len(self.parts.directory.places)
        if not count or not len(ranges):
            return ()
        numbers: set[int] = set()
        if by_value:
            firsts = self.form.keys(self.parts.directory.keys)
            for low, stop in ranges.pairs:
                last = count if stop is None else bisect_left(firsts, stop)
                numbers.update(range(max(bisect_right(firsts, low) - 1, 0), last))
        if by_bytes and not self.form.is_text:
            if not ranges.are_single:
                return range(count)
            texts = self.parts.directory.keys.tolist()
            before = (bisect_right(texts, key) - 1 for key in self.form.encoded(ranges.lows))
            numbers.update(number for number in before if number >= 0)
        return sorted(numbers)

    def _keys_of(self, number: int) -> Keys:
        """Return the keys of a block, checked."""
        keys = self._keys.get(number)
        if keys is None:
            block = self.parts.block(number)
            keys = self._keys[number] = self.form.keys(block.keys)
            if self.form.is_text and not are_ascending(keys):
                raise self.corrupt("a block contains values that do not ascend", block.ofs)
        return keys

    # -- Bitmaps

    def _bitmap_at(self, start: int, end: int) -> BitMap:
        data = self.source.read(start, end - start)
        return rows_in(read_parts(data, start, self.num_rows), self.num_rows)

    def _union(self, extents: Extents) -> BitMap:
        if len(extents) > _FEW:
            many: Any = bitmap(self.num_rows)
            for _, counts, rows_read in self.read_many(extents):
                before = len(many)
                many |= type(many)(rows_read)
                self._check_counts(counts, len(many) - before, extents)
            rows: BitMap = many
            return rows
        order = np.argsort(extents[:, 0], kind="stable")
        ranges = [(start, end) for start, end in extents[order].tolist()]
        datas = self.source.read_ranges(ranges)
        bitmaps: list[Any] = [
            rows_in(read_parts(data, start, self.num_rows), self.num_rows)
            for (start, _), data in zip(ranges, datas, strict=True)
        ]
        rows = bitmaps[0] if len(bitmaps) == 1 else type(bitmaps[0]).union(*bitmaps)
        self._check_counts(np.array(list(map(len, bitmaps))), len(rows), extents)
        return rows

    def _check_counts(self, counts: NDArray[np.int64], num_rows: int, extents: Extents) -> None:
        """Check the rows of bitmaps: each value has some, and a row has one value."""
        at = int(extents[:, 0].min())
        if not counts.all():
            raise FormatError("a value has no rows", at)
        if int(counts.sum()) != num_rows and not self._of_elements:
            raise FormatError("a row has two values", at)

    def read_many(
        self, extents: Extents
    ) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]]:
        """Yield the rows of all bitmaps: their numbers in `extents`, counts, and the rows."""
        order = np.argsort(extents[:, 0], kind="stable")
        starts, ends = extents[order, 0], extents[order, 1]
        first = 0
        while first < len(order):
            begin = int(starts[first])
            last = max(int(np.searchsorted(ends, begin + _SPAN, "right")), first + 1)
            group = slice(first, last)
            end = int(ends[group].max())
            if end - begin > _SPAN and last > first + 1:  # bitmaps overlap
                last, end = first + 1, int(ends[first])
                group = slice(first, last)
            data = memoryview(self.source.read(begin, end - begin))
            for places, counts, rows in self._rows(data, begin, starts[group], ends[group]):
                yield order[group][places], counts, rows
            first = last

    def _rows(
        self, data: memoryview, begin: int, starts: NDArray[np.int64], ends: NDArray[np.int64]
    ) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]]:
        is_large = np.ones(len(starts), np.bool_)
        all_bytes = np.frombuffer(data, np.uint8)
        for places, counts, rows in small_bitmaps_64(all_bytes, starts - begin, ends - starts):
            if (last := int(rows.max(initial=0))) >= self.num_rows:
                raise out_of_range(last, self.num_rows, begin)
            yield places, counts, rows.astype(np.int64)
            is_large[places] = False
        numbers, found, count, total = list[int](), [np.empty(0, np.int64)], list[int](), 0
        for place in np.flatnonzero(is_large).tolist():
            start, end = int(starts[place]), int(ends[place])
            parts = read_parts(data[start - begin : end - begin], start, self.num_rows)
            arrays = [np.asarray(part.to_array()) + (key << 32) for key, part in parts.items()]
            numbers.append(place)
            found += arrays
            count.append(sum(map(len, arrays)))
            total += count[-1]
            if total > _SPAN:  # runs take much more memory as rows
                yield np.array(numbers), np.array(count), np.concatenate(found)
                numbers, found, count, total = [], [np.empty(0, np.int64)], [], 0
        if numbers:
            yield np.array(numbers), np.array(count), np.concatenate(found)

    def corrupt(self, message: str, offset: int) -> CorruptFileError:
        """Return the error that the index is corrupt."""
        return CorruptFileError(message, path=self.source.name, offset=offset)


def form_of(fields: Sequence[Field]) -> KeyForm | None:
    """Return the form of the keys of an index of these columns; None if Java does not index them.

    The keys of a multivalue index are the elements of an ARRAY.
    """
    if len(fields) == 1 and fields[0].type.root == "ARRAY":
        fields = fields[0].type.fields
    return KeyForm.of(fields) if len(fields) == 1 else None


def _chosen(keys: Keys, ranges: KeyRanges, *, are_sorted: bool) -> NDArray[np.int64]:
    """Return the numbers of the keys in the ranges."""
    if isinstance(keys, list):
        if are_sorted:
            pairs = ranges.pairs
            numbers = [
                number
                for low, stop in pairs
                for number in range(
                    bisect_left(keys, low), len(keys) if stop is None else bisect_left(keys, stop)
                )
            ]
            if ranges.test is not None:
                numbers = [number for number in numbers if ranges.test(keys[number])]
        else:
            numbers = [number for number, key in enumerate(keys) if ranges.holds(key)]
        return np.array(numbers, np.int64)
    if ranges.are_single:
        return np.flatnonzero(np.isin(keys, np.array(ranges.lows)))
    inside = np.zeros(len(keys), np.bool_)
    for low, stop in ranges.pairs:
        inside |= (keys >= low) & (keys < stop)
    return np.flatnonzero(inside)
