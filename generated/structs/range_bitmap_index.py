# Generated from range_bitmap_index.ksy by `ksykit generate`. Do not edit.
"""Objects of range_bitmap_index: Range bitmap of a Paimon file index."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from ksykit.runtime.json_values import S4BE, U1
from ksykit.runtime.rows import Maybe, MaybeNested, Nested, Number, Object, One, Param
from ksykit.runtime.structs import Struct
from ksykit.runtime.types import Measure

if TYPE_CHECKING:
    from .bit_slice_index import BitSliceIndex
    from .chunked_dictionary import ChunkedDictionary
    from .position import Position
    from .typed_value import TypedValue


class RangeBitmapIndex(Struct, of="range_bitmap_index"):
    """The body of an index of type `range-bitmap`.

    Attributes:
        column_type: The column's type, a value of the enum `typed_value::stored_type`.
        len_head: Length of the rest of the head in bytes.
        num_rows: Number of rows in the data file, including null rows.
        num_values: Number of distinct values, without null.
        min: The least value.
        max: The greatest value.
        slices: The position of each row's value in the dictionary.
    """

    column_type: One[int] = Param((1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12))
    len_head: One[int] = Number(
        S4BE, least=13, value=lambda s: s._position("head_end") - s._position("head_start"),
    )  # fmt: skip
    head_start: Nested[Position] = Object(
        "position", args={"at": "_io.pos"}, looked=True, measured=True,
    )  # fmt: skip
    version: One[int] = Number(U1, equal=1)
    num_rows: One[int] = Number(S4BE, least=0)
    num_values: One[int] = Number(S4BE, least=0)
    min: MaybeNested[TypedValue] = Object(
        "typed_value", args={"column_type": "column_type"}, when=lambda s: s.num_values > 0,
    )  # fmt: skip
    max: MaybeNested[TypedValue] = Object(
        "typed_value", args={"column_type": "column_type"}, when=lambda s: s.num_values > 0,
    )  # fmt: skip
    len_dictionary: Maybe[int] = Number(
        S4BE, least=17, value=lambda s: s._position("slices") - s._position("dictionary"),
        when=lambda s: s.column_type != 0,
    )  # fmt: skip
    head_end: Nested[Position] = Object("position", args={"at": "_io.pos"}, measured=True)
    dictionary: Nested[ChunkedDictionary] = Object(
        "chunked_dictionary", args={"column_type": "column_type"}, looked=True,
        at=lambda s: s.head_start.at + s.len_head, measured=True,
    )  # fmt: skip
    slices: Nested[BitSliceIndex] = Object(
        "bit_slice_index", at=lambda s: s.head_start.at + s.len_head + s.len_dictionary,
        measured=True,
    )  # fmt: skip
    _derived: ClassVar = {
        "len_head": Measure("position", "dictionary", lambda s, n: n - s.head_start.at),
        "len_dictionary": Measure(
            "position", "slices", lambda s, n: n - (s.head_start.at + s.len_head)
        ),
    }


make_range_bitmap_index = RangeBitmapIndex
