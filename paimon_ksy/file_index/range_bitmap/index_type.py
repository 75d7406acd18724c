"""The `IndexType` record of the range bitmap index."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from paimon_ksy.file_index.index_type import IndexType
from paimon_ksy.file_index.range_bitmap.inspect import inspect
from paimon_ksy.file_index.range_bitmap.reader import RangeBitmapReader, num_rows, stored_type
from paimon_ksy.types.data_type import DataType

if TYPE_CHECKING:
    from paimon_ksy.file_index.content import Content
    from paimon_ksy.file_index.range_bitmap.writer import RangeBitmapBuilder


def _builder(data_type: DataType, options: Mapping[str, str]) -> RangeBitmapBuilder:
    from paimon_ksy.file_index.range_bitmap.writer import RangeBitmapBuilder

    return RangeBitmapBuilder.of(data_type, options)


def _check(reader: RangeBitmapReader, pos: int, end: int) -> Content:
    from paimon_ksy.file_index.range_bitmap.check import check

    return check(reader, pos, end)


INDEX_TYPE = IndexType(
    name="range-bitmap",
    takes=lambda data_type: stored_type(data_type) is not None,
    options=("chunk-size",),
    reader=lambda source, pos, column, data_type, _: RangeBitmapReader(
        source, pos, column, data_type
    ),
    num_rows=num_rows,
    can_sort=True,
    has_values=True,
    has_bounds=True,
    builder=_builder,
    check=_check,
    inspect=inspect,
    spec="range_bitmap_index",
    preference=2,
)
