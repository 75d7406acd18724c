"""Report on the content of a bitmap index."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import replace
from typing import Any

from paimon_ksy.file_index.bitmap.parts import BitmapParts
from paimon_ksy.file_index.bitmap.report import BitmapReport
from paimon_ksy.file_index.report import (
    MAX_BITMAP_BYTES,
    MAX_BITMAPS,
    MAX_ENTRIES,
    ValueCount,
    shown,
)
from paimon_ksy.io.source import Source
from paimon_ksy.types.data_type import DataType, column_type


def inspect(
    source: Source, pos: int, length: int, column: str, data_type: DataType | None, top: int | None
) -> BitmapReport:
    """Report on the bitmap index whose body starts at byte `pos`, with its `top` values.

    In an index with very many values, it reads only the first ones, unless `top` is None. Raises
    CorruptFileError and the errors of Kaitai's runtime.
    """
    stored = None if data_type is None else column_type(data_type)
    parts = BitmapParts(source, pos, stored or 0)
    head = parts.head
    report = BitmapReport(
        version=parts.version,
        rows=head.num_rows,
        distinct=head.num_values,
        has_nulls=bool(head.has_null),
        nulls=None if parts.has_bitmap_of_nulls else head.has_null,
        blocks=None if parts.version == 1 else head.num_blocks,
    )
    if data_type is None or stored is None:
        return report
    counting = _Counting(source, head.num_rows, limited=top is not None)
    if report.nulls is None:
        report = replace(report, nulls=counting.rows_of(*parts.place_of_nulls()))
    if top == 0:
        return report
    keys: list[Any] = []
    counts: list[int] = []
    parts_read: list[tuple[int, Any]] = []  # the number of the first key of each, and its entries
    limit = None if top is None else MAX_ENTRIES
    for entries in parts:
        parts_read.append((len(keys), entries))
        keys += list(entries.entries_key)
        counts += counting.rows_of_entries(entries)
        if len(counts) < len(keys) or (limit is not None and len(keys) >= limit):
            break
    order = sorted(range(len(counts)), key=lambda i: -counts[i])[:top]
    values = tuple(
        ValueCount(**vars(shown(keys[i], data_type)), rows=counts[i], **_place(parts_read, i))
        for i in order
    )
    return replace(report, values=values, values_seen=len(counts))


def _place(parts: list[tuple[int, Any]], number: int) -> dict[str, Any]:
    """Return where the rows of the key of a number are, as attributes of `ValueCount`."""
    first, entries = parts[bisect_right(parts, number, key=lambda part: part[0]) - 1]
    at = number - first
    if entries.entries_is_single(at):
        return {"row": int(entries.entries_row(at))}
    return {"place": int(entries.place_entries_bitmap(at)[0])}


class _Counting:
    """Counts the rows of bitmaps by their headers.

    If it is not `limited`, it fails if they claim more bytes than the file has.
    """

    def __init__(self, source: Source, num_rows: int, *, limited: bool) -> None:
        self._source = source
        self._first_read = 64 + num_rows // 65536 * 16  # a header, unless its bitmap is odd
        self._left = MAX_BITMAPS if limited else source.size
        self._bytes_left = MAX_BITMAP_BYTES + (0 if limited else 2 * source.size)

    def rows_of_entries(self, entries: Any) -> list[int]:
        """Return the rows of each entry, of fewer of them if the limit is reached."""
        single = entries.entries_is_single(slice(None)).tolist()
        if all(single):
            return [1] * len(single)
        positions, sizes = entries.place_entries_bitmap(slice(None))
        counts = []
        for i, is_single in enumerate(single):
            if is_single:
                counts.append(1)
                continue
            if self._left == 0 or self._bytes_left < 0:
                break
            self._left -= 1
            counts.append(self.rows_of(int(positions[i]), None if sizes is None else int(sizes[i])))
        return counts

    def rows_of(self, pos: int, size: int | None) -> int:
        """Return the rows of the bitmap at `pos`, `size` bytes if that is known."""
        from paimon_ksy.generated.views.roaring_bitmap_32 import RoaringHeader

        left = self._source.size - pos
        size = left if size is None else size
        if size > left:  # fail before memory is allocated
            self._source.read(pos, size)
        data = self._source.read(pos, min(size, self._first_read))
        self._bytes_left -= len(data)
        try:
            header = RoaringHeader(data, 0, 0)
        except ValueError:
            if len(data) == size:
                raise
            data = self._source.read(pos, min(size, 1 << 20))
            self._bytes_left -= len(data)
            header = RoaringHeader(data, 0, 0)
        return int(sum(header.descriptors_cardinality_minus_1)) + int(header.num_containers)
