# Generated from specs/range_bitmap_index.ksy by `paimon-ksy generate`. Do not edit.
"""How the types of range_bitmap_index are drawn.

Range bitmap of a Paimon file index.
"""

from __future__ import annotations

from paimon_ksy.runtime.drawing import Drawing, Rule

from ..writers.range_bitmap_index import RANGE_BITMAP_INDEX_TYPE

Drawing(
    RANGE_BITMAP_INDEX_TYPE,
    params={
        "column_type": (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12),
    },
    rules={
        "len_head": Rule(least=lambda s: 13, role="offset", computed=True, places="dictionary"),
        "version": Rule(equal=lambda s: 1, role="constant", computed=True),
        "num_rows": Rule(least=lambda s: 0),
        "num_values": Rule(least=lambda s: 0),
        "len_dictionary": Rule(least=lambda s: 17, role="offset", computed=True, places="slices"),
    },
)
