# Generated from roaring_bitmap_64.ksy by `ksykit generate`. Do not edit.
"""Objects of roaring_bitmap_64: Roaring bitmap of 64-bit integers, portable format."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from ksykit.runtime.json_values import S4LE, S8LE
from ksykit.runtime.rows import Bytes, Many, Nested, Number, Object, One, Param, Repeat
from ksykit.runtime.structs import Struct
from ksykit.runtime.types import Measure

if TYPE_CHECKING:
    from .roaring_bitmap_32 import RoaringBitmap32


class RoaringBitmap64(Struct, of="roaring_bitmap_64"):
    """A compressed set of integers up to 9,223,372,030,412,324,864.

    Attributes:
        bitmaps: A bitmap for each key.
    """

    num_bitmaps: One[int] = Number(S8LE, least=0, most=2147483647, small=True)
    bitmaps: Many[KeyedBitmap] = Repeat(
        Object("keyed_bitmap"), count="num_bitmaps", runs="key", ascending="key",
        after=lambda s: s.key + 1,
    )  # fmt: skip
    _derived: ClassVar = {"num_bitmaps": Measure("count", "bitmaps")}


class KeyedBitmap(Struct, of="keyed_bitmap"):
    """A `keyed_bitmap`.

    Attributes:
        key: Upper 32 bits of the integers, in ascending order.
        bitmap: Lower 32 bits of the integers.
    """

    key: One[int] = Number(S4LE, least=0, most=2147483646)
    bitmap: Nested[RoaringBitmap32] = Object("roaring_bitmap_32")


class KeyedBitmapStarts(Struct, of="keyed_bitmap_starts"):
    """Starts of several keyed bitmaps; all but the last one are empty."""

    num_starts: One[int] = Param(range(16))
    starts: Many[KeyedBitmapStart] = Repeat(Object("keyed_bitmap_start"), count="num_starts")


class KeyedBitmapStart(Struct, of="keyed_bitmap_start"):
    """A `keyed_bitmap_start`.

    Attributes:
        key: Upper 32 bits of the integers.
        bitmap_start: The first bytes of the bitmap, which are all bytes of an empty one.
    """

    key: One[int] = Number(S4LE)
    bitmap_start: One[bytes] = Bytes(size=8)


make_roaring_bitmap_64 = RoaringBitmap64
make_keyed_bitmap = KeyedBitmap
make_keyed_bitmap_starts = KeyedBitmapStarts
make_keyed_bitmap_start = KeyedBitmapStart
