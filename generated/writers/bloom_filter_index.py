# Generated from specs/bloom_filter_index.ksy by `ksykit generate`. Do not edit.
"""Makes and writes the types of bloom_filter_index.

Bloom filter of a Paimon file index.
"""

from __future__ import annotations

from ksykit.runtime.fields import Bytes, Number, Object, Type
from ksykit.runtime.json_values import S4BE

from ..parsers.bloom_filter_index import BloomFilterIndex

BLOOM_FILTER_INDEX_TYPE = Type(
    BloomFilterIndex,
    "bloom_filter_index",
    Number("num_hashes", S4BE, least=1, most=1079),
    Object("bits_start", "position", args={"at": "_io.pos"}, looked=True),
    Bytes("bits", size="len_bits", at="bits_start.at"),
    params={"len_body": range(16)},
    values={
        "len_bits": lambda s: s.len_body - 4,
        "num_bits": lambda s: s.len_bits * 8,
    },
)

make_bloom_filter_index = BLOOM_FILTER_INDEX_TYPE.make
