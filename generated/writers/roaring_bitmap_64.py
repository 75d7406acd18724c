# Generated from specs/roaring_bitmap_64.ksy by `paimon-ksy generate`. Do not edit.
"""Makes and writes the types of roaring_bitmap_64.

Roaring bitmap of 64-bit integers, portable format.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from paimon_ksy.runtime.fields import (
    Bytes,
    Measure,
    Number,
    Object,
    Objects,
    Type,
)
from paimon_ksy.runtime.json_values import S4LE, S8LE

from ..parsers.roaring_bitmap_32 import RoaringBitmap32
from ..parsers.roaring_bitmap_64 import RoaringBitmap64

ROARING_BITMAP_64_TYPE = Type(
    RoaringBitmap64,
    "roaring_bitmap_64",
    Number("num_bitmaps", S8LE, least=0, most=2147483647, small=True),
    Objects(
        "bitmaps",
        "keyed_bitmap",
        runs="key",
        count="num_bitmaps",
        ascending="key",
        after=lambda s: s.key + 1,
    ),
    computed={
        "num_bitmaps": Measure("count", "bitmaps"),
    },
)


def make_roaring_bitmap_64(
    *,
    num_bitmaps: int | None = None,
    bitmaps: Sequence[RoaringBitmap64.KeyedBitmap | bytes] | None = None,
) -> Any:
    """Return a new `roaring_bitmap_64`; what is None is computed when it is written.

    A compressed set of integers up to 9,223,372,030,412,324,864. Iceberg and
    Paimon store deleted positions in this format. The integers are grouped by
    their upper 32 bits, the key. Each group has a Roaring bitmap of the lower 32
    bits.

    Java writes all keys from 0 to the largest. Keys without integers have an
    empty bitmap. Readers accept any ascending keys.
    """
    return ROARING_BITMAP_64_TYPE.new(locals())


KEYED_BITMAP_TYPE = Type(
    RoaringBitmap64.KeyedBitmap,
    "keyed_bitmap",
    Number("key", S4LE, least=0, most=2147483646),
    Object("bitmap", "roaring_bitmap_32"),
)


def make_keyed_bitmap(
    *,
    key: int | None = None,
    bitmap: RoaringBitmap32 | bytes | None = None,
) -> Any:
    """Return a new `keyed_bitmap`; what is None is computed when it is written."""
    return KEYED_BITMAP_TYPE.new(locals())


KEYED_BITMAP_STARTS_TYPE = Type(
    RoaringBitmap64.KeyedBitmapStarts,
    "keyed_bitmap_starts",
    Objects("starts", "keyed_bitmap_start", count="num_starts"),
    params={"num_starts": range(16)},
)


def make_keyed_bitmap_starts(
    *,
    num_starts: int | None = None,
    starts: Sequence[RoaringBitmap64.KeyedBitmapStart | bytes] | None = None,
) -> Any:
    """Return a new `keyed_bitmap_starts`; what is None is computed when it is written.

    Starts of several keyed bitmaps, of which all but the last one are empty.
    """
    return KEYED_BITMAP_STARTS_TYPE.new(locals())


KEYED_BITMAP_START_TYPE = Type(
    RoaringBitmap64.KeyedBitmapStart,
    "keyed_bitmap_start",
    Number("key", S4LE),
    Bytes("bitmap_start", size=8),
)


def make_keyed_bitmap_start(
    *,
    key: int | None = None,
    bitmap_start: bytes | None = None,
) -> Any:
    """Return a new `keyed_bitmap_start`; what is None is computed when it is written."""
    return KEYED_BITMAP_START_TYPE.new(locals())
