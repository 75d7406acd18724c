# Generated from specs/bitmap_index_v2.ksy by `paimon-ksy generate`. Do not edit.
"""How the types of bitmap_index_v2 are drawn.

Bitmap index of a Paimon file index, version 2.
"""

from __future__ import annotations

from paimon_ksy.runtime.drawing import LARGE, Drawing, Rule

from ..writers.bitmap_index_v2 import (
    BITMAP_BLOCK_REF_V2_TYPE,
    BITMAP_BLOCK_V2_TYPE,
    BITMAP_DIRECTORY_V2_TYPE,
    BITMAP_ENTRY_V2_TYPE,
    BITMAP_INDEX_V2_TYPE,
)

Drawing(
    BITMAP_INDEX_V2_TYPE,
    params={
        "column_type": (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12),
    },
    rules={
        "num_rows": Rule(least=lambda s: 0),
        "num_values": Rule(least=lambda s: 0),
        "has_null": Rule(
            any_of=lambda s: (
                0,
                1,
            ),
            computed=True,
            decides=True,
        ),
        "ofs_null": Rule(role="offset", source="null_bitmap", places="null_bitmap"),
        "len_null": Rule(role="length", computed=True),
        "num_blocks": Rule(least=lambda s: 0, small=True, role="count", source="directory"),
    },
)
Drawing(
    BITMAP_DIRECTORY_V2_TYPE,
    params={
        "num_blocks": range(LARGE),
        "column_type": (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12),
    },
    rules={
        "blocks": Rule(ascending="key"),
        "len_blocks": Rule(least=lambda s: 0, role="length", computed=True),
    },
)
Drawing(
    BITMAP_BLOCK_REF_V2_TYPE,
    params={
        "column_type": (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12),
    },
    rules={
        "ofs_block": Rule(least=lambda s: 0, role="offset", source="body", places="body"),
        "body": Rule(needs_parent=True),
    },
)
Drawing(
    BITMAP_BLOCK_V2_TYPE,
    params={
        "bitmaps_start": (0,),
        "column_type": (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12),
    },
    rules={
        "num_entries": Rule(least=lambda s: 1, small=True, role="count", source="entries"),
        "entries": Rule(ascending="key"),
    },
)
Drawing(
    BITMAP_ENTRY_V2_TYPE,
    params={
        "column_type": (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12),
    },
    rules={
        "ofs_bitmap": Rule(role="offset", source="bitmap", places="bitmap"),
        "len_bitmap": Rule(role="length", computed=True),
        "bitmap": Rule(needs_parent=True),
    },
)
