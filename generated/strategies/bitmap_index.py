# Generated from specs/bitmap_index.ksy by `paimon-ksy generate`. Do not edit.
"""How the types of bitmap_index are drawn.

Bitmap index of a Paimon file index.
"""

from __future__ import annotations

from paimon_ksy.runtime.drawing import Drawing, Rule

from ..writers.bitmap_index import BITMAP_INDEX_TYPE

Drawing(
    BITMAP_INDEX_TYPE,
    params={
        "column_type": (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12),
    },
    rules={
        "version": Rule(
            any_of=lambda s: (
                1,
                2,
            )
        ),
    },
)
