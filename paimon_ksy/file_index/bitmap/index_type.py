"""The record of the bitmap index."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from paimon_ksy.file_index.index_type import Builder, IndexReader, IndexType, has_nanoseconds, late
from paimon_ksy.io.source import Source
from paimon_ksy.types.data_type import DataType, column_type

_late = partial(late, __package__)


def _is_taken(data_type: DataType) -> bool:
    return column_type(data_type) is not None


def _reader(source: Source, pos: int, length: int, column: str, data_type: DataType) -> IndexReader:
    from paimon_ksy.file_index.bitmap.reader import BitmapReader

    return BitmapReader(source, pos, column, data_type)


def _stored_options(source: Source, pos: int, length: int, column: str) -> dict[str, str]:
    from paimon_ksy.file_index.bitmap.reader import version

    return {"version": str(version(source, pos))}


def _builder(data_type: DataType, options: Mapping[str, str]) -> Builder:
    from paimon_ksy.file_index.bitmap.writer import BitmapBuilder

    return BitmapBuilder.of(data_type, options)


INDEX_TYPE = IndexType(
    name="bitmap",
    takes=_is_taken,
    options=("version", "index-block-size"),
    versions=("2", "1"),
    stored_options=_stored_options,
    reader=_reader,
    num_rows=_late("reader.num_rows"),
    builder=_builder,
    check=_late("check.check"),
    inspect=_late("inspect.inspect"),
    spec="bitmap_index",
    preference=1,
    loses_rows=has_nanoseconds,
)
