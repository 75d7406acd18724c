# Generated from bit_slice_index.ksy by `ksykit generate`. Do not edit.
"""Objects of bit_slice_index: Bit-slice index of a range bitmap."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from ksykit.runtime.json_values import S4BE, U1
from ksykit.runtime.rows import Many, Nested, Number, Object, One, Repeat, Value
from ksykit.runtime.structs import Struct
from ksykit.runtime.types import Measure

if TYPE_CHECKING:
    from .position import Position
    from .roaring_bitmap_32 import RoaringBitmap32


class BitSliceIndex(Struct, of="bit_slice_index"):
    """A bit-slice index stores a number for each row that is not null.

    Attributes:
        len_head: Length of the rest of the head in bytes.
        num_slices: The number of bits in the greatest number, at least 1.
        len_slices: Length of `slices` in bytes.
        slices: The slices of bit 0, bit 1, and so on.
        rows: Rows that are not null.
    """

    len_head: One[int] = Number(
        S4BE, least=10, value=lambda s: s._position("head_end") - s._position("head_start"),
    )  # fmt: skip
    head_start: Nested[Position] = Object(
        "position", args={"at": "_io.pos"}, looked=True, measured=True,
    )  # fmt: skip
    version: One[int] = Number(U1, equal=1)
    num_slices: One[int] = Number(U1, most=64, small=True)
    len_rows: One[int] = Number(S4BE, least=0, value=lambda s: s._length("rows"))
    len_slices: One[int] = Number(
        S4BE, equal=lambda s: s.num_slices * 8, value=lambda s: s._length("slices"),
        role="length",
    )  # fmt: skip
    slices: Many[BitSlice] = Repeat(Object("bit_slice"), count="num_slices", measured=True)
    head_end: Nested[Position] = Object("position", args={"at": "_io.pos"}, measured=True)
    rows: Nested[RoaringBitmap32] = Object(
        "roaring_bitmap_32", size="len_rows", looked=True, at="rows_start", measured=True,
    )  # fmt: skip
    rows_start = Value(lambda s: s.head_start.at + s.len_head)
    _derived: ClassVar = {
        "num_slices": Measure("count", "slices"),
        "len_rows": Measure("length", "rows"),
        "len_head": Measure("position", "rows", lambda s, n: n - s.head_start.at),
    }


class BitSlice(Struct, of="bit_slice"):
    """A `bit_slice`.

    Attributes:
        ofs_bitmap: Start of the bitmap, counted from the end of `rows`.
        bitmap: Rows whose number has the bit set.
    """

    ofs_bitmap: One[int] = Number(S4BE, least=0)
    len_bitmap: One[int] = Number(S4BE, least=0, value=lambda s: s._length("bitmap"))
    bitmap: Nested[RoaringBitmap32] = Object(
        "roaring_bitmap_32", size="len_bitmap",
        at=lambda s: s._parent.rows_start + s._parent.len_rows + s.ofs_bitmap, measured=True,
        needs_parent=True,
    )  # fmt: skip
    _derived: ClassVar = {
        "len_bitmap": Measure("length", "bitmap"),
        "ofs_bitmap": Measure(
            "position", "bitmap", lambda s, n: n - (s._parent.rows_start + s._parent.len_rows)
        ),
    }


make_bit_slice_index = BitSliceIndex
make_bit_slice = BitSlice
