# Generated from specs/bit_slice_index.ksy by `python -m tools.ksy generate`. Do not edit.
"""Makes and writes the types of bit_slice_index.

Bit-slice index of a range bitmap.
"""

from __future__ import annotations

from typing import Any

from ..parsers.bit_slice_index import BitSliceIndex
from ..parsers.position import Position
from ..parsers.roaring_bitmap_32 import RoaringBitmap32
from ..runtime import S4BE, U1, Item, RecordArray, Scope, Type, new


def make_bit_slice_index(
    *,
    len_head: int | None = None,
    head_start: Position | bytes | None = None,
    version: int | None = None,
    num_slices: int | None = None,
    len_rows: int | None = None,
    len_slices: int | None = None,
    slices: list[BitSliceIndex.BitSlice] | RecordArray | None = None,
    head_end: Position | bytes | None = None,
    rows: RoaringBitmap32 | bytes | None = None,
) -> Any:
    """A new `bit_slice_index`; what is None is computed when it is written.

    A number for each row that is not null. Here, the number is a value's position
    in a dictionary. Each bit of these numbers has a slice, the set of rows whose
    number has the bit set.
    """
    return new(
        BitSliceIndex,
        {},
        {
            "len_head": len_head,
            "head_start": head_start,
            "version": version,
            "num_slices": num_slices,
            "len_rows": len_rows,
            "len_slices": len_slices,
            "slices": slices,
            "head_end": head_end,
        },
        {
            "rows": rows,
        },
        {},
    )


def write_bit_slice_index(s: Scope) -> None:
    """Writes the fields of a `bit_slice_index`."""
    s.number("len_head", S4BE)
    s.object("head_start", "position", {"at": s._io.pos})
    s.number("version", U1)
    s.number("num_slices", U1)
    s.number("len_rows", S4BE)
    s.number("len_slices", S4BE)
    s.objects("slices", "bit_slice", {}, lambda: s.num_slices)
    s.object("head_end", "position", {"at": s._io.pos})
    s.place(
        "rows", lambda: s.rows_start, size=lambda: s.len_rows, type_="roaring_bitmap_32", params={}
    )


def make_bit_slice(
    *,
    ofs_bitmap: int | None = None,
    len_bitmap: int | None = None,
    bitmap: RoaringBitmap32 | bytes | None = None,
) -> Any:
    """A new `bit_slice`; what is None is computed when it is written."""
    return new(
        BitSliceIndex.BitSlice,
        {},
        {
            "ofs_bitmap": ofs_bitmap,
            "len_bitmap": len_bitmap,
        },
        {
            "bitmap": bitmap,
        },
        {},
    )


def write_bit_slice(s: Scope) -> None:
    """Writes the fields of a `bit_slice`."""
    s.number("ofs_bitmap", S4BE)
    s.number("len_bitmap", S4BE)
    s.place(
        "bitmap",
        lambda: s._parent.rows_start + s._parent.len_rows + s.ofs_bitmap,
        base=lambda: s._parent.rows_start + s._parent.len_rows,
        size=lambda: s.len_bitmap,
        type_="roaring_bitmap_32",
        params={},
    )


TYPES = {
    "bit_slice_index": Type(
        name="bit_slice_index",
        spec="bit_slice_index",
        cls=BitSliceIndex,
        params=(),
        items=(
            Item("len_head", "number", number=S4BE),
            Item("head_start", "object", type="position"),
            Item("version", "number", number=U1),
            Item("num_slices", "number", number=U1),
            Item("len_rows", "number", number=S4BE),
            Item("len_slices", "number", number=S4BE),
            Item("slices", "objects", type="bit_slice"),
            Item("head_end", "object", type="position"),
            Item("rows", "object", type="roaring_bitmap_32", positioned=True),
        ),
        write=write_bit_slice_index,
        values={
            "rows_start": lambda s: s.head_start.at + s.len_head,
        },
        unset={
            "len_head": lambda s: s._position("head_end") - s._position("head_start"),
            "version": lambda s: 1,
            "num_slices": lambda s: s._count("slices"),
            "len_rows": lambda s: s._length("rows"),
            "len_slices": lambda s: s.num_slices * 8,
        },
    ),
    "bit_slice": Type(
        name="bit_slice",
        spec="bit_slice_index",
        cls=BitSliceIndex.BitSlice,
        params=(),
        items=(
            Item("ofs_bitmap", "number", number=S4BE),
            Item("len_bitmap", "number", number=S4BE),
            Item("bitmap", "object", type="roaring_bitmap_32", positioned=True),
        ),
        write=write_bit_slice,
        values={},
        unset={
            "ofs_bitmap": lambda s: (
                s._position("bitmap") - (s._parent.rows_start + s._parent.len_rows)
            ),
            "len_bitmap": lambda s: s._length("bitmap"),
        },
    ),
}
