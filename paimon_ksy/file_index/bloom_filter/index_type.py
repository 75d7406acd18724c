"""The record of the bloom filter index."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from paimon_ksy.file_index.bloom_filter.inspect import inspect
from paimon_ksy.file_index.bloom_filter.reader import BloomFilterReader, is_taken, read_head
from paimon_ksy.file_index.index_type import IndexType
from paimon_ksy.io.source import Source
from paimon_ksy.types.data_type import DataType

if TYPE_CHECKING:
    import pyarrow as pa

    from paimon_ksy.file_index.bloom_filter.writer import BloomFilterBuilder

_ADVISED_FPP = 0.01
"""The rate of false positives of the filters that `advise` tries."""


def _stored_options(source: Source, pos: int, length: int, column: str) -> dict[str, str]:
    from paimon_ksy.file_index.bloom_filter.writer import options_of

    head = read_head(source, pos, length, column)
    return options_of(int(head.num_hashes), int(head.num_bits))


def _builder(data_type: DataType, options: Mapping[str, str]) -> BloomFilterBuilder:
    from paimon_ksy.file_index.bloom_filter.writer import BloomFilterBuilder

    return BloomFilterBuilder.of(data_type, options)


def _check(reader: BloomFilterReader, pos: int, end: int) -> None:
    from paimon_ksy.file_index.bloom_filter.check import check

    check(reader, pos, end)


def _compare(
    reader: BloomFilterReader, name: str, column: pa.ChunkedArray, data_type: DataType, form: str
) -> None:
    from paimon_ksy.file_index.bloom_filter.check import compare

    compare(reader, name, column, data_type, form)


INDEX_TYPE = IndexType(
    name="bloom-filter",
    takes=is_taken,
    is_typed=False,
    options=("items", "fpp"),
    stored_options=_stored_options,
    reader=BloomFilterReader,
    asked_last=True,
    builder=_builder,
    check=_check,
    compare=_compare,
    inspect=inspect,
    spec="bloom_filter_index",
    preference=4,
    options_for=lambda values: {"items": str(values), "fpp": str(_ADVISED_FPP)},
)
