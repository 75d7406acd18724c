# Generated from specs/bitmap_index.ksy by `python -m tools.ksy generate`. Do not edit.
"""Reads types of bitmap_index at once, from bytes that are there.

Bitmap index of a Paimon file index.
"""

from __future__ import annotations

from struct import Struct
from typing import Any

from ..arrays import Buffer
from ..errors import Unusual
from .bitmap_index_v1 import BitmapIndexV1
from .bitmap_index_v2 import BitmapIndexV2

_U1 = Struct(">B")


class BitmapIndex:
    """A `bitmap_index` at byte `p` of `d`, which stands at `start`; it ends before `end`.

    Raises what is in UNUSUAL.
    """

    __slots__ = (
        "column_type",
        "end",
        "v1",
        "v2",
        "version",
    )

    def __init__(self, d: Buffer, start: int, p: int, column_type: int) -> None:
        self.column_type = column_type
        (self.version,) = _U1.unpack_from(d, p)
        p += 1
        if self.version not in (
            1,
            2,
        ):
            raise Unusual
        self.v1: Any = None
        if self.version == 1:
            self.v1 = BitmapIndexV1(d, start, p, self.column_type)
            p = self.v1.end - start
        self.v2: Any = None
        if self.version == 2:
            self.v2 = BitmapIndexV2(d, start, p, self.column_type)
            p = self.v2.end - start
        self.end = start + p
