"""The record of the bloom filter index."""

from __future__ import annotations

from functools import partial

from ksykit.runtime.late import LateFunction

from paimon_ksy.file_index.index_type import IndexType
from paimon_ksy.io.source import Source

_late = partial(LateFunction, __package__)

_ADVISED_FPP = 0.01
"""The rate of false positives of the filters that `advise` tries."""


def _stored_options(source: Source, pos: int, length: int, column: str) -> dict[str, str]:
    from paimon_ksy.file_index.bloom_filter.reader import read_head
    from paimon_ksy.file_index.bloom_filter.writer import options_of

    head = read_head(source, pos, length, column)
    return options_of(int(head.num_hashes), int(head.num_bits))


INDEX_TYPE = IndexType(
    name="bloom-filter",
    takes=_late("reader.is_taken"),
    is_typed=False,
    options=("items", "fpp"),
    stored_options=_stored_options,
    reader=_late("reader.BloomFilterReader"),
    asked_last=True,
    builder=_late("writer.BloomFilterBuilder.of"),
    check=_late("check.check"),
    compare=_late("check.compare"),
    inspect=_late("inspect.inspect"),
    spec="bloom_filter_index",
    preference=4,
    options_for=lambda values: {"items": str(values), "fpp": str(_ADVISED_FPP)},
)
