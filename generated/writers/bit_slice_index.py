# Generated from specs/bit_slice_index.ksy by `ksykit generate`. Do not edit.
"""Makes and writes the types of bit_slice_index.

Bit-slice index of a range bitmap.
"""

from __future__ import annotations

from ksykit.runtime.fields import Measure, Number, Object, Repeat, Type
from ksykit.runtime.json_values import S4BE, U1

from ..parsers.bit_slice_index import BitSliceIndex

BIT_SLICE_INDEX_TYPE = Type(
    BitSliceIndex,
    "bit_slice_index",
    Number(
        "len_head",
        S4BE,
        least=10,
        value=lambda s: s._position("head_end") - s._position("head_start"),
    ),
    Object("head_start", "position", args={"at": "_io.pos"}, looked=True, measured=True),
    Number("version", U1, equal=1),
    Number("num_slices", U1, most=64, small=True),
    Number("len_rows", S4BE, least=0, value=lambda s: s._length("rows")),
    Number(
        "len_slices",
        S4BE,
        equal=lambda s: s.num_slices * 8,
        value=lambda s: s._length("slices"),
        role="length",
    ),
    Repeat(Object("slices", "bit_slice"), count="num_slices", measured=True),
    Object("head_end", "position", args={"at": "_io.pos"}, measured=True),
    Object(
        "rows", "roaring_bitmap_32", size="len_rows", looked=True, at="rows_start", measured=True
    ),
    computed={
        "num_slices": Measure("count", "slices"),
        "len_rows": Measure("length", "rows"),
        "len_head": Measure("position", "rows", lambda s, n: n - s.head_start.at),
    },
    values={
        "rows_start": lambda s: s.head_start.at + s.len_head,
    },
)

make_bit_slice_index = BIT_SLICE_INDEX_TYPE.make


BIT_SLICE_TYPE = Type(
    BitSliceIndex.BitSlice,
    "bit_slice",
    Number("ofs_bitmap", S4BE, least=0),
    Number("len_bitmap", S4BE, least=0, value=lambda s: s._length("bitmap")),
    Object(
        "bitmap",
        "roaring_bitmap_32",
        size="len_bitmap",
        at=lambda s: s._parent.rows_start + s._parent.len_rows + s.ofs_bitmap,
        measured=True,
        needs_parent=True,
    ),
    computed={
        "len_bitmap": Measure("length", "bitmap"),
        "ofs_bitmap": Measure(
            "position", "bitmap", lambda s, n: n - (s._parent.rows_start + s._parent.len_rows)
        ),
    },
)

make_bit_slice = BIT_SLICE_TYPE.make
