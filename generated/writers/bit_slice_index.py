# Generated from specs/bit_slice_index.ksy by `paimon-ksy generate`. Do not edit.
"""Makes and writes the types of bit_slice_index.

Bit-slice index of a range bitmap.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from paimon_ksy.runtime.fields import Number, Object, Objects, Type
from paimon_ksy.runtime.json_values import S4BE, U1

from ..parsers.bit_slice_index import BitSliceIndex
from ..parsers.position import Position
from ..parsers.roaring_bitmap_32 import RoaringBitmap32

BIT_SLICE_INDEX_TYPE = Type(
    BitSliceIndex,
    "bit_slice_index",
    Number(
        "len_head",
        S4BE,
        valid=lambda s, v: v >= 10,
        unset=lambda s: s._position("head_end") - s._position("head_start"),
    ),
    Object(
        "head_start", "position", args={"at": lambda s, i: s._io.pos}, looked=True, measured=True
    ),
    Number("version", U1, valid=lambda s, v: v == 1, unset=lambda s: 1),
    Number("num_slices", U1, valid=lambda s, v: v <= 64, unset=lambda s: s._count("slices")),
    Number("len_rows", S4BE, valid=lambda s, v: v >= 0, unset=lambda s: s._length("rows")),
    Number(
        "len_slices",
        S4BE,
        valid=lambda s, v: v == s.num_slices * 8,
        unset=lambda s: s.num_slices * 8,
    ),
    Objects("slices", "bit_slice", count=lambda s: s.num_slices),
    Object("head_end", "position", args={"at": lambda s, i: s._io.pos}, measured=True),
    Object(
        "rows",
        "roaring_bitmap_32",
        at=lambda s: s.rows_start,
        size=lambda s: s.len_rows,
        measured=True,
    ),
    values={
        "rows_start": lambda s: s.head_start.at + s.len_head,
    },
)


def make_bit_slice_index(
    *,
    len_head: int | None = None,
    head_start: Position | bytes | None = None,
    version: int | None = None,
    num_slices: int | None = None,
    len_rows: int | None = None,
    len_slices: int | None = None,
    slices: Sequence[BitSliceIndex.BitSlice | bytes] | None = None,
    head_end: Position | bytes | None = None,
    rows: RoaringBitmap32 | bytes | None = None,
) -> Any:
    """Return a new `bit_slice_index`; what is None is computed when it is written.

    A bit-slice index stores a number for each row that is not null. In a range
    bitmap, the number is the position of the row's value in a dictionary. Each
    bit of these numbers has a slice: the set of rows whose number has that bit
    set.
    """
    return BIT_SLICE_INDEX_TYPE.new(locals())


BIT_SLICE_TYPE = Type(
    BitSliceIndex.BitSlice,
    "bit_slice",
    Number(
        "ofs_bitmap",
        S4BE,
        valid=lambda s, v: v >= 0,
        unset=lambda s: s._position("bitmap") - (s._parent.rows_start + s._parent.len_rows),
    ),
    Number("len_bitmap", S4BE, valid=lambda s, v: v >= 0, unset=lambda s: s._length("bitmap")),
    Object(
        "bitmap",
        "roaring_bitmap_32",
        at=lambda s: s._parent.rows_start + s._parent.len_rows + s.ofs_bitmap,
        size=lambda s: s.len_bitmap,
        base=lambda s: s._parent.rows_start + s._parent.len_rows,
        measured=True,
    ),
)


def make_bit_slice(
    *,
    ofs_bitmap: int | None = None,
    len_bitmap: int | None = None,
    bitmap: RoaringBitmap32 | bytes | None = None,
) -> Any:
    """Return a new `bit_slice`; what is None is computed when it is written."""
    return BIT_SLICE_TYPE.new(locals())
