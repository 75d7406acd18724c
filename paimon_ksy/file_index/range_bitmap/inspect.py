"""What is in a range bitmap."""

from __future__ import annotations

from typing import Any

from paimon_ksy.file_index.range_bitmap.reader import RangeBitmapReader, stored_type, stored_value
from paimon_ksy.file_index.range_bitmap.report import (
    ChunkReport,
    DictionaryReport,
    RangeBitmapReport,
)
from paimon_ksy.file_index.report import MAX_ENTRIES, shown, slice_reports
from paimon_ksy.generated.codecs import bit_slice_index, range_bitmap_index
from paimon_ksy.generated.parsers.range_bitmap_index import RangeBitmapIndex
from paimon_ksy.io.source import Source
from paimon_ksy.types.data_type import DataType


def inspect(
    source: Source, pos: int, length: int, column: str, data_type: DataType | None, top: int | None
) -> RangeBitmapReport:
    """Report on the range bitmap whose body starts at byte `pos`, with the `top` first chunks.

    Slices and keys are read and checked, if they are not too many or `top` is None. Raises
    CorruptFileError and what Kaitai's runtime raises.
    """
    if data_type is None or stored_type(data_type) is None:
        source.stream.seek(pos)
        index: Any = RangeBitmapIndex(0, source.stream)
        return RangeBitmapReport(index.version, index.num_rows, index.num_values)
    reader = RangeBitmapReader(source, pos, column, data_type)
    index = reader.index
    at, sizes = bit_slice_index.extent_bitmap(reader.slices.slices)
    extents = list(zip(at.tolist(), sizes.tolist(), strict=True))
    slices = slice_reports(extents, reader.slice_rows, top)
    if not reader.num_values:
        return RangeBitmapReport(
            index.version, index.num_rows, distinct=0, nulls=index.num_rows, slices=slices
        )
    return RangeBitmapReport(
        version=index.version,
        rows=index.num_rows,
        distinct=index.num_values,
        nulls=index.num_rows - len(reader.rows),
        least=shown(stored_value(index.min), data_type),
        greatest=shown(stored_value(index.max), data_type),
        dictionary=_dictionary(reader, data_type, top),
        slices=slices,
    )


def _dictionary(
    reader: RangeBitmapReader, data_type: DataType, top: int | None
) -> DictionaryReport:
    start = int(range_bitmap_index.extent_dictionary(reader.index)[0])
    end = int(range_bitmap_index.extent_slices(reader.index)[0])
    found = reader.dictionary
    heads, sizes = found.chunks()
    found.check(reader.num_values if top is None else MAX_ENTRIES)
    first = heads[:top]
    return DictionaryReport(
        offset=start,
        size=end - start,
        head_size=found.head_size,
        num_chunks=len(heads),
        chunks=tuple(
            ChunkReport(shown(key, data_type), int(num_keys) + 1, size)
            for key, num_keys, size in zip(first.key, first.num_keys, sizes, strict=False)
        ),
    )
