# Generated from specs/bit_slice_index.ksy by `python -m tools.ksy generate`. Do not edit.
"""Reads types of bit_slice_index at once, from bytes that are there.

Bit-slice index of a range bitmap.
"""

from __future__ import annotations

from struct import Struct, unpack_from
from typing import Any

from ..arrays import Buffer
from ..errors import MANY, Unusual

_S4BE = Struct(">i")
_U1_U1_S4BE_S4BE = Struct(">BBii")


def _many_bit_slice(d: Buffer, p: int, count: int) -> tuple[Any, ...]:
    if count > MANY:
        raise Unusual
    v = unpack_from(">" + "ii" * count, d, p)
    if any(x < 0 for x in v[0::2]):
        raise Unusual
    if any(x < 0 for x in v[1::2]):
        raise Unusual
    return p + 8 * count, v[0::2], v[1::2]


class BitSliceIndex:
    """A `bit_slice_index` at byte `p` of `d`, which stands at `start`; it ends before `end`.

    Raises what is in UNUSUAL.
    """

    __slots__ = (
        "end",
        "head_end",
        "head_start",
        "len_head",
        "len_rows",
        "len_slices",
        "num_slices",
        "slices_len_bitmap",
        "slices_ofs_bitmap",
        "version",
    )

    def __init__(self, d: Buffer, start: int, p: int) -> None:
        (self.len_head,) = _S4BE.unpack_from(d, p)
        p += 4
        if self.len_head < 10:
            raise Unusual
        self.head_start = start + p
        self.version, self.num_slices, self.len_rows, self.len_slices = (
            _U1_U1_S4BE_S4BE.unpack_from(d, p)
        )
        p += 10
        if (
            self.version != 1
            or self.num_slices > 64
            or self.len_rows < 0
            or self.len_slices != self.num_slices * 8
        ):
            raise Unusual
        p, self.slices_ofs_bitmap, self.slices_len_bitmap = _many_bit_slice(d, p, self.num_slices)
        self.head_end = start + p
        self.end = start + p

    @property
    def rows_start(self) -> Any:
        return self.head_start + self.len_head

    def place_rows(self) -> tuple[Any, Any]:
        """Where the `rows` is: (position, size or None)."""
        return (self.head_start + self.len_head), self.len_rows

    def place_slices_bitmap(self, i: int) -> tuple[Any, Any]:
        """Where the `bitmap` of record i is: (position, size or None)."""
        return (self.head_start + self.len_head) + self.len_rows + self.slices_ofs_bitmap[
            i
        ], self.slices_len_bitmap[i]
