"""The record of the bitmap index."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from paimon_ksy.file_index.bitmap.byte_map import fields
from paimon_ksy.file_index.bitmap.inspect import inspect
from paimon_ksy.file_index.bitmap.parts import num_rows, stored_options
from paimon_ksy.file_index.index_type import IndexType
from paimon_ksy.io.source import Source
from paimon_ksy.types.data_type import DataType, column_type

if TYPE_CHECKING:
    from paimon_ksy.file_index.bitmap.reader import BitmapReader
    from paimon_ksy.file_index.bitmap.writer import BitmapBuilder
    from paimon_ksy.file_index.content import Content


def _reader(source: Source, pos: int, column: str, data_type: DataType, _: int) -> BitmapReader:
    from paimon_ksy.file_index.bitmap.reader import BitmapReader

    return BitmapReader(source, pos, column, data_type)


def _builder(data_type: DataType, options: Mapping[str, str]) -> BitmapBuilder:
    from paimon_ksy.file_index.bitmap.writer import BitmapBuilder

    return BitmapBuilder.of(data_type, options)


def _check(reader: BitmapReader, pos: int, end: int) -> Content:
    from paimon_ksy.file_index.bitmap.check import check

    return check(reader, pos, end)


INDEX_TYPE = IndexType(
    name="bitmap",
    takes=lambda data_type: column_type(data_type) is not None,
    options=("version", "index-block-size"),
    versions=("2", "1"),
    stored_options=stored_options,
    reader=_reader,
    num_rows=num_rows,
    builder=_builder,
    check=_check,
    inspect=inspect,
    spec="bitmap_index",
    fields=fields,
    preference=1,
    loses_rows=lambda data_type: data_type.is_cut,  # indexes store microseconds
)
