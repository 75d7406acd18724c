"""The record of the bit-slice index."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from paimon_ksy.file_index.bsi.inspect import inspect
from paimon_ksy.file_index.bsi.reader import BsiReader, is_taken, num_rows
from paimon_ksy.file_index.index_type import IndexType
from paimon_ksy.types.data_type import DataType

if TYPE_CHECKING:
    from paimon_ksy.file_index.bsi.writer import BsiBuilder
    from paimon_ksy.file_index.content import Content


def _builder(data_type: DataType, _: Mapping[str, str]) -> BsiBuilder:
    from paimon_ksy.file_index.bsi.writer import BsiBuilder

    return BsiBuilder(data_type)


def _check(reader: BsiReader, pos: int, end: int) -> Content:
    from paimon_ksy.file_index.bsi.check import check

    return check(reader, pos, end)


INDEX_TYPE = IndexType(
    name="bsi",
    takes=is_taken,
    is_typed=False,
    reader=lambda source, pos, column, data_type, _: BsiReader(source, pos, column, data_type),
    num_rows=num_rows,
    can_sort=True,
    has_values=True,
    builder=_builder,
    check=_check,
    inspect=inspect,
    spec="bsi_index",
    preference=3,
    loses_rows=lambda data_type: data_type.is_cut,  # indexes store microseconds
)
