"""Report on the content of a bitmap index."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, field, replace
from typing import Any

from paimon_ksy.file_index.bitmap.parts import BitmapParts
from paimon_ksy.file_index.report import (
    MAX_BITMAP_BYTES,
    MAX_BITMAPS,
    MAX_ENTRIES,
    ValueCount,
    shown,
)
from paimon_ksy.io.source import Source, read_view
from paimon_ksy.messages.answers import Answer, keyed
from paimon_ksy.types.data_type import DataType, column_type


@dataclass(frozen=True)
class BitmapReport(Answer):
    """A bitmap index. Fields that need the column's type are None without a schema.

    `values` are the most frequent ones first. They were found among `values_seen` distinct values,
    which is less than `distinct` in an index with very many.
    """

    version: int
    rows: int
    distinct: int
    has_nulls: bool
    nulls: int | None
    blocks: int | None
    values: tuple[ValueCount, ...] | None = field(default=None, metadata=keyed(total="distinct"))
    values_seen: int = field(default=0, metadata=keyed(text=False))

    def drawn(self, source: Source) -> BitmapReport:
        """Return it with the rows of the listed values."""
        from paimon_ksy.file_index.bitmap.value_rows import with_rows  # imports numpy

        values = [with_rows(source, value, self.rows) for value in self.values or ()]
        return self if self.values is None else replace(self, values=tuple(values))


def inspect(
    source: Source, pos: int, length: int, column: str, data_type: DataType | None, top: int | None
) -> BitmapReport:
    """Report on the bitmap index whose body starts at byte `pos`, with its `top` values.

    In an index with very many values, it reads only the first ones, unless `top` is None. Raises
    CorruptFileError and FormatError.
    """
    stored = None if data_type is None else column_type(data_type)
    parts = BitmapParts(source, pos, stored or 0)
    head = parts.head
    nulls = None if parts.has_bitmap_of_nulls else head.has_null
    facts = parts.version, parts.num_rows, parts.num_values, bool(head.has_null), nulls
    report = BitmapReport(*facts, None if parts.version == 1 else head.num_blocks)
    if data_type is None or stored is None:
        return report
    counting = _Counting(source, limited=top is not None)
    if report.nulls is None:
        report = replace(report, nulls=counting.rows_of(*parts.place_of_nulls()))
    if top == 0:
        return report
    counts: list[int] = []
    firsts: list[int] = []  # the number of the first key of each part
    read: list[Any] = []
    for entries in parts:
        firsts.append(len(counts))
        read.append(entries)
        counts += counting.rows_of_entries(entries)
        is_cut = len(counts) < firsts[-1] + len(entries.entries_key)
        if is_cut or (top is not None and len(counts) >= MAX_ENTRIES):
            break
    values = []
    for number in sorted(range(len(counts)), key=counts.__getitem__, reverse=True)[:top]:
        part = bisect_right(firsts, number) - 1
        values.append(_value(read[part], number - firsts[part], counts[number], data_type))
    return replace(report, values=tuple(values), values_seen=len(counts))


def _value(entries: Any, i: int, rows: int, data_type: DataType) -> ValueCount:
    """Return the value of an entry, and where its rows are."""
    value = vars(shown(entries.entries_key[i], data_type))
    if entries.entries_is_single(i):
        return ValueCount(**value, rows=rows, row=int(entries.entries_row(i)))
    return ValueCount(**value, rows=rows, place=int(entries.place_entries_bitmap(i)[0]))


class _Counting:
    """Counts the rows of bitmaps by their headers.

    If it is `limited`, it stops after so many bitmaps, or bytes of headers. Otherwise, it stops
    if these take more bytes than the file has.
    """

    def __init__(self, source: Source, *, limited: bool) -> None:
        self._source = source
        self._left = MAX_BITMAPS if limited else source.size
        self._bytes_left = MAX_BITMAP_BYTES if limited else 2 * source.size

    def rows_of_entries(self, entries: Any) -> list[int]:
        """Return the rows of each entry, of fewer of them if the limit is reached."""
        single = entries.entries_is_single(slice(None)).tolist()
        if all(single):
            return [1] * len(single)
        counts = []
        starts, sizes = entries.place_entries_bitmap(slice(None))
        for i, is_single in enumerate(single):
            if not is_single and (self._left <= 0 or self._bytes_left < 0):
                break
            size = None if sizes is None else int(sizes[i])
            counts.append(1 if is_single else self.rows_of(int(starts[i]), size))
        return counts

    def rows_of(self, pos: int, size: int | None) -> int:
        """Return the rows of the bitmap at `pos`, which has `size` bytes if that is known."""
        from paimon_ksy.generated.views.roaring_bitmap_32 import RoaringHeader

        if size is not None and size > self._source.size - pos:
            self._source.read(pos, size)  # which fails
        header = read_view(self._source, RoaringHeader, pos)
        self._left -= 1
        self._bytes_left -= header.end - pos
        return int(sum(header.descriptors_cardinality_minus_1)) + int(header.num_containers)
