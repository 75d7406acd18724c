"""The `IndexType` record of the range bitmap index."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from paimon_ksy.file_index.index_type import Builder, IndexReader, IndexType, late
from paimon_ksy.io.source import Source
from paimon_ksy.types.data_type import DataType

_late = partial(late, __package__)


def _is_taken(data_type: DataType) -> bool:
    from paimon_ksy.file_index.range_bitmap.reader import stored_type

    return stored_type(data_type) is not None


def _reader(source: Source, pos: int, length: int, column: str, data_type: DataType) -> IndexReader:
    from paimon_ksy.file_index.range_bitmap.reader import RangeBitmapReader

    return RangeBitmapReader(source, pos, column, data_type)


def _builder(data_type: DataType, options: Mapping[str, str]) -> Builder:
    from paimon_ksy.file_index.range_bitmap.writer import RangeBitmapBuilder

    return RangeBitmapBuilder.of(data_type, options)


INDEX_TYPE = IndexType(
    name="range-bitmap",
    takes=_is_taken,
    options=("chunk-size",),
    reader=_reader,
    num_rows=_late("reader.num_rows"),
    can_sort=True,
    has_values=True,
    has_bounds=True,
    builder=_builder,
    check=_late("check.check"),
    inspect=_late("inspect.inspect"),
    spec="range_bitmap_index",
    preference=2,
)
