"""The record of the bloom filter index."""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import partial

from paimon_ksy.file_index.index_type import Builder, IndexReader, IndexType, late
from paimon_ksy.io.source import Source
from paimon_ksy.types.data_type import DataType

_late = partial(late, __package__)

_ADVISED_FPP = 0.01
"""The rate of false positives of the filters that `advise` tries."""


def _stored_options(source: Source, pos: int, length: int, column: str) -> dict[str, str]:
    from paimon_ksy.file_index.bloom_filter.reader import read_head
    from paimon_ksy.file_index.bloom_filter.writer import options_of

    head = read_head(source, pos, length, column)
    return options_of(int(head.num_hashes), int(head.num_bits))


def _builder(data_type: DataType, options: Mapping[str, str]) -> Builder:
    from paimon_ksy.file_index.bloom_filter.writer import BloomFilterBuilder

    return BloomFilterBuilder.of(data_type, options)


def _options_for(values: int) -> dict[str, str]:
    return {"items": str(values), "fpp": str(_ADVISED_FPP)}


def _values_of_size(size: int) -> int:
    """Return the approximate number of values for a filter of this size; see `filter_size`."""
    return int(8 * size * math.log(2) ** 2 / -math.log(_ADVISED_FPP))


def _reader(source: Source, pos: int, length: int, column: str, data_type: DataType) -> IndexReader:
    from paimon_ksy.file_index.bloom_filter.reader import BloomFilterReader

    return BloomFilterReader(source, pos, column, data_type, length)


INDEX_TYPE = IndexType(
    name="bloom-filter",
    takes=_late("reader.is_taken"),
    is_typed=False,
    options=("items", "fpp"),
    stored_options=_stored_options,
    reader=_reader,
    asked_last=True,
    builder=_builder,
    check=_late("check.check"),
    compare=_late("check.compare"),
    inspect=_late("inspect.inspect"),
    spec="bloom_filter_index",
    preference=4,
    options_for=_options_for,
    values_of_size=_values_of_size,
)
