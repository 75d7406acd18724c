"""What a file is and what is in it, without printing anything.

The work is bounded whatever a file says of itself: of an index with very many values only the
first are looked at, unless all are asked for.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from paimon_ksy.errors import CorruptFileError
from paimon_ksy.generated.parsers.bitmap_index import BitmapIndex
from paimon_ksy.generated.parsers.file_index import FileIndex
from paimon_ksy.generated.parsers.roaring_bitmap_32 import RoaringBitmap32
from paimon_ksy.inspection.parsed_file import (
    codec_of,
    corrupt,
    dictionary,
    read_head,
    read_roaring,
    text,
)
from paimon_ksy.inspection.report import (
    MAX_BITMAP_BYTES,
    MAX_BITMAPS,
    MAX_ENTRIES,
    BitmapReport,
    BloomFilterReport,
    ColumnReport,
    FileIndexReport,
    FileReport,
    IndexReport,
    RoaringReport,
    ValueCount,
    shown,
)
from paimon_ksy.io.file_kind import data_format, starts_with_vector
from paimon_ksy.io.source import Source
from paimon_ksy.types.data_type import DataType, column_type
from paimon_ksy.types.schema import Schema

if TYPE_CHECKING:
    from paimon_ksy.table_index.deletion_vector import StoredVector

EMPTY = "if it was an index, build it again; if it was another file, restore it from a backup"
"""What to do about a file without bytes."""


def inspect_file(
    source: Source, schema: Schema | None = None, *, top: int | None = 10
) -> FileReport:
    """Report on a file. With a schema, list the `top` most frequent values of each index, or all.

    Raises CorruptFileError if the head of a file index is broken, or a deletion vector; what is
    wrong with a single index stands in its report.
    """
    first_bytes = source.read(0, min(16, source.size))
    report = FileReport(source.name, source.size, "unknown", first_bytes=first_bytes)
    if source.size == 0:
        raise CorruptFileError("the file is empty", path=source.name, offset=0, remedy=EMPTY)
    if (head := read_head(source)) is not None:
        found = _file_index(source, head, schema, top)
        return replace(report, kind="file index", file_index=found)
    if (kind := data_format(first_bytes)) is not None:
        return replace(report, kind=kind)
    if (vectors := _read_vectors(source)) is not None:
        return replace(report, kind="deletion vectors", vectors=vectors)
    if (bitmap := read_roaring(source)) is not None:
        return replace(report, kind="roaring bitmap", roaring=_roaring(bitmap))
    return report


def count_contradictions(source: Source, report: FileReport, schema: Schema | None) -> int:
    """Count what contradicts itself in a file index, beyond the errors in its report.

    Without a schema, that is indexes which count other rows than most do. With one, indexes are
    read as `verify` does it, except large ones, so that the work is bounded.
    """
    if report.file_index is None:
        return 0
    if schema is None:
        indexes = [index for column in report.file_index.columns for index in column.indexes]
        bodies = [index.bitmap or index.bsi or index.range_bitmap for index in indexes]
        counts = Counter(body.rows for body in bodies if body is not None)
        return counts.total() - max(counts.values(), default=0)
    from paimon_ksy.inspection.verify import contradictions  # late: it takes numpy, and 0.3 s

    broken = {
        column.name
        for column in report.file_index.columns
        if any(index.error is not None for index in column.indexes)
    }
    return sum(found.column not in broken for found in contradictions(source, schema))


def _file_index(
    source: Source, file: FileIndex, schema: Schema | None, top: int | None
) -> FileIndexReport:
    head = file.head
    columns = tuple(_column(source, column, schema, top) for column in head.columns)
    return FileIndexReport(
        version=file.version,
        head_size=file.len_head,
        redundant_size=len(getattr(head, "redundant", b"")),
        columns=columns,
    )


def _column(source: Source, column: Any, schema: Schema | None, top: int | None) -> ColumnReport:
    name = text(column.name.value)
    data_type = schema[name] if schema is not None and name in schema else None
    indexes = tuple(_index(source, entry, name, data_type, top) for entry in column.indexes)
    return ColumnReport(name, data_type, indexes)


def _index(
    source: Source, entry: Any, column: str, data_type: DataType | None, top: int | None
) -> IndexReport:
    report = IndexReport(
        type=text(entry.index_type.value),
        empty=entry.is_empty,
        offset=None if entry.is_empty else entry.ofs_body,
        size=entry.len_body,
    )
    if entry.is_empty:
        return report
    pos = entry.ofs_body
    try:
        with corrupt(source, column):
            match report.type:
                case "bitmap":
                    return replace(report, bitmap=_bitmap(source, pos, data_type, top))
                case "bloom-filter":
                    return replace(report, bloom_filter=_bloom_filter(source, entry, column))
                case "bsi":
                    from paimon_ksy.inspection.slices import inspect_bsi  # late: it takes numpy

                    return replace(report, bsi=inspect_bsi(source, pos, column, data_type, top))
                case "range-bitmap":
                    from paimon_ksy.inspection.slices import inspect_range_bitmap

                    found = inspect_range_bitmap(source, pos, column, data_type, top)
                    return replace(report, range_bitmap=found)
                case _:
                    return report
    except CorruptFileError as error:
        return replace(report, error=error)


def _bloom_filter(source: Source, entry: Any, column: str) -> BloomFilterReport:
    import numpy as np

    from paimon_ksy.file_index.bloom_filter.reader import read_head as read_filter
    from paimon_ksy.generated.codecs.bloom_filter_index import extent_bits

    index = read_filter(source, entry.ofs_body, entry.len_body, column)
    start, size = extent_bits(index)
    bits_set = 0
    for at in range(start, start + size, 1 << 20):
        part = np.frombuffer(source.read(at, min(1 << 20, start + size - at)), np.uint8)
        bits_set += int(np.bitwise_count(part).sum(dtype=np.int64))
    return BloomFilterReport(index.num_hashes, index.num_bits, bits_set)


def _bitmap(source: Source, pos: int, data_type: DataType | None, top: int | None) -> BitmapReport:
    stored = None if data_type is None else column_type(data_type)
    source.stream.seek(pos)
    index = BitmapIndex(stored or 0, source.stream)
    meta = index.v1 if index.version == 1 else index.v2
    single = bool(meta.is_null_single)
    report = BitmapReport(
        version=index.version,
        rows=meta.num_rows,
        distinct=meta.num_values,
        has_nulls=bool(meta.has_null),
        nulls=0 if not meta.has_null else 1 if single else None,
        blocks=None if index.version == 1 else meta.num_blocks,
    )
    if data_type is None or stored is None:
        return report
    counting = _Counting(source, meta.num_rows, limited=top is not None)
    if report.nulls is None:
        dictionary(index)  # tells where bitmaps start
        report = replace(report, nulls=counting.rows_of(*codec_of(index).extent_null_bitmap(meta)))
    if top == 0:
        return report
    keys: list[Any] = []
    counts: list[int] = []
    limit = None if top is None else MAX_ENTRIES
    for entries in entries_of(index):
        keys += list(entries.key)
        counts += counting.rows_of_entries(entries, codec_of(index))
        if len(counts) < len(keys) or (limit is not None and len(keys) >= limit):
            break
    order = sorted(range(len(counts)), key=lambda i: -counts[i])[:top]
    values = tuple(ValueCount(**vars(shown(keys[i], data_type)), rows=counts[i]) for i in order)
    return replace(report, values=values, values_seen=len(counts))


def entries_of(index: BitmapIndex) -> Iterator[Any]:
    """The entries of an index, in arrays, in the order in which they stand."""
    found = dictionary(index)
    if index.version == 1:
        yield found.entries
        return
    for ref in found.blocks:
        yield codec_of(index).block(ref).entries


class _Counting:
    """Counts rows of bitmaps by their headers.

    If it is not `limited`, it stops where they claim more bytes than the file has.
    """

    def __init__(self, source: Source, num_rows: int, *, limited: bool) -> None:
        self._source = source
        self._first_read = 64 + num_rows // 65536 * 16  # a header, unless its bitmap is odd
        self._left = MAX_BITMAPS if limited else source.size
        self._bytes_left = MAX_BITMAP_BYTES + (0 if limited else 2 * source.size)

    def rows_of_entries(self, entries: Any, codec: Any) -> list[int]:
        """Rows of each entry, of fewer of them if the limit is reached."""
        if entries.is_single.all():
            return [1] * len(entries)
        single = entries.is_single.tolist()
        positions, sizes = codec.extent_bitmap(entries)
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
        """Rows of the bitmap at `pos`, `size` bytes if that is known."""
        from paimon_ksy.generated.codecs.roaring_bitmap_32 import read_roaring_header

        left = self._source.size - pos
        size = left if size is None else size
        if size > left:  # say so, before memory is taken
            self._source.read(pos, size)
        data = self._source.read(pos, min(size, self._first_read))
        self._bytes_left -= len(data)
        try:
            header, _ = read_roaring_header(data, 0)
        except ValueError:
            if len(data) == size:
                raise
            data = self._source.read(pos, min(size, 1 << 20))
            self._bytes_left -= len(data)
            header, _ = read_roaring_header(data, 0)
        return int(header.descriptors.cardinality.sum())


def _read_vectors(source: Source) -> tuple[StoredVector, ...] | None:
    """The vectors of a file of them, None if it is none. Raises CorruptFileError."""
    if not starts_with_vector(source):
        return None
    from paimon_ksy.table_index.deletion_vector import read_vectors  # numpy: not for every file

    return tuple(read_vectors(source, verify=False))


def _roaring(bitmap: RoaringBitmap32) -> RoaringReport:
    runs = sum(container.is_run for container in bitmap.containers)
    bitsets = sum(hasattr(container, "words") for container in bitmap.containers)
    return RoaringReport(
        cardinality=sum(descriptor.cardinality for descriptor in bitmap.header.descriptors),
        arrays=len(bitmap.containers) - runs - bitsets,
        bitsets=bitsets,
        runs=runs,
    )
