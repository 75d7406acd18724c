# Generated from specs/range_bitmap_index.ksy by `python -m tools.ksy generate`. Do not edit.
"""Reads types of range_bitmap_index at once, from bytes that are there.

Range bitmap of a Paimon file index.
"""

from __future__ import annotations

from struct import Struct
from typing import Any

from ..arrays import Buffer
from ..errors import Unusual

_F4BE = Struct(">f")
_F8BE = Struct(">d")
_S1 = Struct(">b")
_S2BE = Struct(">h")
_S4BE = Struct(">i")
_S8BE = Struct(">q")
_U1 = Struct(">B")
_U1_S4BE_S4BE = Struct(">Bii")


def _one_typed_value(d: Buffer, p: int, column_type: int) -> tuple[Any, ...]:
    if column_type == 8:
        (n,) = _S4BE.unpack_from(d, p)
        p += 4
        if n < 0:
            raise Unusual
        q = p + n
        if not p <= q <= len(d):
            raise Unusual
        v = d[p:q]
        p = q
        return v, p
    if column_type == 1:
        (v,) = _U1.unpack_from(d, p)
        p += 1
        if v not in (
            0,
            1,
        ):
            raise Unusual
        return v, p
    if column_type == 2:
        (v,) = _S1.unpack_from(d, p)
        p += 1
        return v, p
    if column_type == 3:
        (v,) = _S2BE.unpack_from(d, p)
        p += 2
        return v, p
    if column_type in (4, 9, 10):
        (v,) = _S4BE.unpack_from(d, p)
        p += 4
        return v, p
    if column_type in (5, 11, 12):
        (v,) = _S8BE.unpack_from(d, p)
        p += 8
        return v, p
    if column_type == 6:
        (v,) = _F4BE.unpack_from(d, p)
        p += 4
        return v, p
    if column_type == 7:
        (v,) = _F8BE.unpack_from(d, p)
        p += 8
        return v, p
    raise Unusual


class RangeBitmapIndex:
    """A `range_bitmap_index` at byte `p` of `d`, which stands at `start`; it ends before `end`.

    Raises what is in UNUSUAL.
    """

    __slots__ = (
        "column_type",
        "end",
        "head_end",
        "head_start",
        "len_dictionary",
        "len_head",
        "max",
        "min",
        "num_rows",
        "num_values",
        "version",
    )

    def __init__(self, d: Buffer, start: int, p: int, column_type: int) -> None:
        self.column_type = column_type
        (self.len_head,) = _S4BE.unpack_from(d, p)
        p += 4
        if self.len_head < 13:
            raise Unusual
        self.head_start = start + p
        self.version, self.num_rows, self.num_values = _U1_S4BE_S4BE.unpack_from(d, p)
        p += 9
        if self.version != 1 or self.num_rows < 0 or self.num_values < 0:
            raise Unusual
        self.min: Any = None
        if self.num_values > 0:
            self.min, p = _one_typed_value(d, p, self.column_type)
        self.max: Any = None
        if self.num_values > 0:
            self.max, p = _one_typed_value(d, p, self.column_type)
        self.len_dictionary: Any = None
        if self.column_type != 0:
            (self.len_dictionary,) = _S4BE.unpack_from(d, p)
            p += 4
            if self.len_dictionary < 0:
                raise Unusual
        self.head_end = start + p
        self.end = start + p

    def place_dictionary(self) -> tuple[Any, Any]:
        """Where the `dictionary` is: (position, size or None)."""
        return self.head_start + self.len_head, None

    def place_slices(self) -> tuple[Any, Any]:
        """Where the `slices` is: (position, size or None)."""
        return self.head_start + self.len_head + self.len_dictionary, None
