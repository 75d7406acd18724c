"""What is in the indexes of slices: BSI and range bitmap."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pyroaring import BitMap

from paimon_ksy.file_index.bsi import reader as bsi
from paimon_ksy.file_index.range_bitmap import reader as range_bitmap
from paimon_ksy.generated.codecs import bit_slice_index, range_bitmap_index
from paimon_ksy.generated.parsers.range_bitmap_index import RangeBitmapIndex
from paimon_ksy.inspection.report import (
    MAX_BITMAP_BYTES,
    MAX_ENTRIES,
    BsiPartReport,
    BsiReport,
    ChunkReport,
    DictionaryReport,
    RangeBitmapReport,
    SliceReport,
    shown,
)
from paimon_ksy.io.source import Source
from paimon_ksy.types.data_type import DataType
from paimon_ksy.types.parse import parse_type

_BIGINT = parse_type("BIGINT")


def inspect_bsi(
    source: Source, pos: int, column: str, data_type: DataType | None, top: int | None
) -> BsiReport:
    """Report on the BSI whose body starts at byte `pos`.

    The type only says how the least and the greatest value are shown. All slices are read and
    checked, if they are not too large or `top` is None. Raises CorruptFileError and what Kaitai's
    runtime raises.
    """
    typed = data_type is not None and bsi.is_taken(data_type)
    known = data_type if data_type is not None and typed else _BIGINT
    reader = bsi.BsiReader(source, pos, column, known)
    positive, negative = (_part(part, top) for part in (reader.positive, reader.negative))
    return BsiReport(
        version=reader.head.version,
        rows=reader.num_rows,
        nulls=reader.num_rows - len(reader.not_null()),
        typed=typed,
        least=None if negative is None else shown(-negative.max, known),
        greatest=None if positive is None else shown(positive.max, known),
        positive=positive,
        negative=negative,
    )


def _part(part: bsi.BsiPart, top: int | None) -> BsiPartReport | None:
    if not part.head.has_rows:
        return None
    slices = _slices(part.slice_extents, part.slice_rows, top)
    return BsiPartReport(len(part.rows), part.head.min, part.head.max, slices)


def _slices(
    extents: list[tuple[int, int]], read: Callable[[], list[BitMap]], top: int | None
) -> tuple[SliceReport, ...]:
    if top is not None and sum(size for _, size in extents) > MAX_BITMAP_BYTES:
        return tuple(SliceReport(at, size, None) for at, size in extents)
    return tuple(
        SliceReport(at, size, len(rows)) for (at, size), rows in zip(extents, read(), strict=True)
    )


def inspect_range_bitmap(
    source: Source, pos: int, column: str, data_type: DataType | None, top: int | None
) -> RangeBitmapReport:
    """Report on the range bitmap whose body starts at byte `pos`, with the `top` first chunks.

    Slices and keys are read and checked, if they are not too many or `top` is None. Raises
    CorruptFileError and what Kaitai's runtime raises.
    """
    if data_type is None or range_bitmap.stored_type(data_type) is None:
        source.stream.seek(pos)
        index: Any = RangeBitmapIndex(0, source.stream)
        return RangeBitmapReport(index.version, index.num_rows, index.num_values)
    reader = range_bitmap.RangeBitmapReader(source, pos, column, data_type)
    index = reader.index
    at, sizes = bit_slice_index.extent_bitmap(reader.slices.slices)
    extents = list(zip(at.tolist(), sizes.tolist(), strict=True))
    slices = _slices(extents, reader.slice_rows, top)
    if not reader.num_values:
        return RangeBitmapReport(
            index.version, index.num_rows, distinct=0, nulls=index.num_rows, slices=slices
        )
    return RangeBitmapReport(
        version=index.version,
        rows=index.num_rows,
        distinct=index.num_values,
        nulls=index.num_rows - len(reader.rows),
        least=shown(range_bitmap.stored_value(index.min), data_type),
        greatest=shown(range_bitmap.stored_value(index.max), data_type),
        dictionary=_dictionary(reader, data_type, top),
        slices=slices,
    )


def _dictionary(
    reader: range_bitmap.RangeBitmapReader, data_type: DataType, top: int | None
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
