# Generated from specs/bloom_filter_index.ksy by `paimon-ksy generate`. Do not edit.
"""How the types of bloom_filter_index are drawn.

Bloom filter of a Paimon file index.
"""

from __future__ import annotations

from paimon_ksy.runtime.drawing import LARGE, Drawing, Rule

from ..writers.bloom_filter_index import BLOOM_FILTER_INDEX_TYPE

Drawing(
    BLOOM_FILTER_INDEX_TYPE,
    params={
        "len_body": range(LARGE),
    },
    rules={
        "num_hashes": Rule(least=lambda s: 1, most=lambda s: 1079),
    },
)
