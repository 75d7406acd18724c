# Generated from specs/bitmap_index_v1.ksy by `paimon-ksy generate`. Do not edit.
"""How the types of bitmap_index_v1 are drawn.

Bitmap index of a Paimon file index, version 1.
"""

from __future__ import annotations

from paimon_ksy.runtime.drawing import LARGE, Drawing, Rule

from ..writers.bitmap_index_v1 import (
    BITMAP_DICTIONARY_V1_TYPE,
    BITMAP_ENTRY_V1_TYPE,
    BITMAP_INDEX_V1_TYPE,
)

Drawing(
    BITMAP_INDEX_V1_TYPE,
    params={
        "column_type": (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12),
    },
    rules={
        "num_rows": Rule(least=lambda s: 0),
        "num_values": Rule(least=lambda s: 0, small=True, role="count", source="dictionary"),
        "has_null": Rule(
            any_of=lambda s: (
                0,
                1,
            ),
            computed=True,
            decides=True,
        ),
        "ofs_null": Rule(role="offset", source="null_bitmap", places="null_bitmap"),
    },
)
Drawing(
    BITMAP_DICTIONARY_V1_TYPE,
    params={
        "num_values": range(LARGE),
        "column_type": (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12),
    },
    rules={
        "entries": Rule(ascending="key"),
    },
)
Drawing(
    BITMAP_ENTRY_V1_TYPE,
    params={
        "column_type": (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12),
    },
    rules={
        "ofs_bitmap": Rule(role="offset", source="bitmap", places="bitmap"),
        "bitmap": Rule(needs_parent=True),
    },
)
