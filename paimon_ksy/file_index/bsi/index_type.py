"""The record of the bit-slice index."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from paimon_ksy.file_index.index_type import Builder, IndexReader, IndexType, has_nanoseconds, late
from paimon_ksy.io.source import Source
from paimon_ksy.types.data_type import DataType

_late = partial(late, __package__)


def _reader(source: Source, pos: int, length: int, column: str, data_type: DataType) -> IndexReader:
    from paimon_ksy.file_index.bsi.reader import BsiReader

    return BsiReader(source, pos, column, data_type)


def _builder(data_type: DataType, options: Mapping[str, str]) -> Builder:
    from paimon_ksy.file_index.bsi.writer import BsiBuilder

    return BsiBuilder(data_type)


INDEX_TYPE = IndexType(
    name="bsi",
    takes=_late("reader.is_taken"),
    is_typed=False,
    reader=_reader,
    num_rows=_late("reader.num_rows"),
    can_sort=True,
    has_values=True,
    builder=_builder,
    check=_late("check.check"),
    inspect=_late("inspect.inspect"),
    spec="bsi_index",
    preference=3,
    loses_rows=has_nanoseconds,
)
