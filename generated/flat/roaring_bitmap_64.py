# Generated from specs/roaring_bitmap_64.ksy by `python -m tools.ksy generate`. Do not edit.
"""Reads types of roaring_bitmap_64 at once, from bytes that are there.

Roaring bitmap of 64-bit integers, portable format.
"""

from __future__ import annotations

from struct import Struct

from ..arrays import Buffer
from ..errors import Unusual

_S4LE = Struct("<i")
_S8LE = Struct("<q")


class RoaringBitmap64Head:
    """A `roaring_bitmap_64_head` at byte `p` of `d`, which stands at `start`; it ends before `end`.

    Raises what is in UNUSUAL.
    """

    __slots__ = (
        "end",
        "num_bitmaps",
    )

    def __init__(self, d: Buffer, start: int, p: int) -> None:
        (self.num_bitmaps,) = _S8LE.unpack_from(d, p)
        p += 8
        if self.num_bitmaps < 0 or self.num_bitmaps > 2147483647:
            raise Unusual
        self.end = start + p


class KeyedBitmapHead:
    """A `keyed_bitmap_head` at byte `p` of `d`, which stands at `start`; it ends before `end`.

    Raises what is in UNUSUAL.
    """

    __slots__ = (
        "end",
        "key",
    )

    def __init__(self, d: Buffer, start: int, p: int) -> None:
        (self.key,) = _S4LE.unpack_from(d, p)
        p += 4
        if self.key < 0 or self.key > 2147483646:
            raise Unusual
        self.end = start + p
