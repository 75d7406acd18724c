# Generated from specs/roaring_bitmap_64.ksy by `paimon-ksy generate`. Do not edit.
"""How the types of roaring_bitmap_64 are drawn.

Roaring bitmap of 64-bit integers, portable format.
"""

from __future__ import annotations

from paimon_ksy.runtime.drawing import LARGE, Drawing, Rule

from ..writers.roaring_bitmap_64 import (
    KEYED_BITMAP_START_TYPE,
    KEYED_BITMAP_STARTS_TYPE,
    KEYED_BITMAP_TYPE,
    ROARING_BITMAP_64_TYPE,
)

Drawing(
    ROARING_BITMAP_64_TYPE,
    params={},
    rules={
        "num_bitmaps": Rule(
            least=lambda s: 0, most=lambda s: 2147483647, small=True, role="count", source="bitmaps"
        ),
        "bitmaps": Rule(ascending="key", after=lambda s: s.key + 1),
    },
)
Drawing(
    KEYED_BITMAP_TYPE,
    params={},
    rules={
        "key": Rule(least=lambda s: 0, most=lambda s: 2147483646),
    },
)
Drawing(
    KEYED_BITMAP_STARTS_TYPE,
    params={
        "num_starts": range(LARGE),
    },
    rules={},
)
Drawing(
    KEYED_BITMAP_START_TYPE,
    params={},
    rules={},
)
