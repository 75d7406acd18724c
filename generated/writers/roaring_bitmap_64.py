# Generated from specs/roaring_bitmap_64.ksy by `ksykit generate`. Do not edit.
"""Makes and writes the types of roaring_bitmap_64.

Roaring bitmap of 64-bit integers, portable format.
"""

from __future__ import annotations

from ksykit.runtime.fields import Bytes, Measure, Number, Object, Repeat, Type
from ksykit.runtime.json_values import S4LE, S8LE

from ..parsers.roaring_bitmap_64 import RoaringBitmap64

ROARING_BITMAP_64_TYPE = Type(
    RoaringBitmap64,
    "roaring_bitmap_64",
    Number("num_bitmaps", S8LE, least=0, most=2147483647, small=True),
    Repeat(
        Object("bitmaps", "keyed_bitmap"),
        count="num_bitmaps",
        runs="key",
        ascending="key",
        after=lambda s: s.key + 1,
    ),
    computed={
        "num_bitmaps": Measure("count", "bitmaps"),
    },
)

make_roaring_bitmap_64 = ROARING_BITMAP_64_TYPE.make


KEYED_BITMAP_TYPE = Type(
    RoaringBitmap64.KeyedBitmap,
    "keyed_bitmap",
    Number("key", S4LE, least=0, most=2147483646),
    Object("bitmap", "roaring_bitmap_32"),
)

make_keyed_bitmap = KEYED_BITMAP_TYPE.make


KEYED_BITMAP_STARTS_TYPE = Type(
    RoaringBitmap64.KeyedBitmapStarts,
    "keyed_bitmap_starts",
    Repeat(Object("starts", "keyed_bitmap_start"), count="num_starts"),
    params={"num_starts": range(16)},
)

make_keyed_bitmap_starts = KEYED_BITMAP_STARTS_TYPE.make


KEYED_BITMAP_START_TYPE = Type(
    RoaringBitmap64.KeyedBitmapStart,
    "keyed_bitmap_start",
    Number("key", S4LE),
    Bytes("bitmap_start", size=8),
)

make_keyed_bitmap_start = KEYED_BITMAP_START_TYPE.make
