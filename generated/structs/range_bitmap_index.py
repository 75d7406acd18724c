# Generated from specs/range_bitmap_index.ksy by `ksykit generate`. Do not edit.
"""The types of range_bitmap_index: their objects are read, made, changed and written.

Range bitmap of a Paimon file index.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from ksykit.runtime.json_values import S4BE, U1
from ksykit.runtime.rows import (
    Maybe,
    MaybeNested,
    Nested,
    Number,
    Object,
    One,
    Param,
)
from ksykit.runtime.structs import Struct
from ksykit.runtime.types import Measure

if TYPE_CHECKING:
    from .bit_slice_index import BitSliceIndex
    from .chunked_dictionary import ChunkedDictionary
    from .position import Position
    from .typed_value import TypedValue


class RangeBitmapIndex(Struct, of="range_bitmap_index"):
    """The body of an index of type `range-bitmap`."""

    column_type: One[int] = Param((1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12))
    len_head: One[int] = Number(
        S4BE, least=13, value=lambda s: s._position("head_end") - s._position("head_start")
    )
    head_start: Nested[Position] = Object(
        "position", args={"at": "_io.pos"}, looked=True, measured=True
    )
    version: One[int] = Number(U1, equal=1)
    num_rows: One[int] = Number(S4BE, least=0)
    num_values: One[int] = Number(S4BE, least=0)
    min: MaybeNested[TypedValue] = Object(
        "typed_value", args={"column_type": "column_type"}, when=lambda s: s.num_values > 0
    )
    max: MaybeNested[TypedValue] = Object(
        "typed_value", args={"column_type": "column_type"}, when=lambda s: s.num_values > 0
    )
    len_dictionary: Maybe[int] = Number(
        S4BE,
        least=17,
        value=lambda s: s._position("slices") - s._position("dictionary"),
        when=lambda s: s.column_type != 0,
    )
    head_end: Nested[Position] = Object("position", args={"at": "_io.pos"}, measured=True)
    dictionary: Nested[ChunkedDictionary] = Object(
        "chunked_dictionary",
        args={"column_type": "column_type"},
        looked=True,
        at=lambda s: s.head_start.at + s.len_head,
        measured=True,
    )
    slices: Nested[BitSliceIndex] = Object(
        "bit_slice_index",
        at=lambda s: s.head_start.at + s.len_head + s.len_dictionary,
        measured=True,
    )
    _derived: ClassVar = {
        "len_head": Measure("position", "dictionary", lambda s, n: n - s.head_start.at),
        "len_dictionary": Measure(
            "position", "slices", lambda s, n: n - (s.head_start.at + s.len_head)
        ),
    }


make_range_bitmap_index = RangeBitmapIndex
