# Generated from specs/range_bitmap_index.ksy by `python -m tools.ksy generate`. Do not edit.
"""Makes and writes the types of range_bitmap_index.

Range bitmap of a Paimon file index.
"""

from __future__ import annotations

from typing import Any

from ..parsers.bit_slice_index import BitSliceIndex
from ..parsers.chunked_dictionary import ChunkedDictionary
from ..parsers.position import Position
from ..parsers.range_bitmap_index import RangeBitmapIndex
from ..parsers.typed_value import TypedValue
from ..runtime import S4BE, U1, Item, Scope, Type, new


def make_range_bitmap_index(
    *,
    column_type: int | None = None,
    len_head: int | None = None,
    head_start: Position | bytes | None = None,
    version: int | None = None,
    num_rows: int | None = None,
    num_values: int | None = None,
    min: TypedValue | bytes | None = None,
    max: TypedValue | bytes | None = None,
    len_dictionary: int | None = None,
    head_end: Position | bytes | None = None,
    dictionary: ChunkedDictionary | bytes | None = None,
    slices: BitSliceIndex | bytes | None = None,
) -> Any:
    """A new `range_bitmap_index`; what is None is computed when it is written.

    The body of an index of type `range-bitmap`. A dictionary has the distinct
    values in ascending order. The position of each row's value in it is stored
    bit by bit. A range of values is a range of positions, which a few operations
    on sets find for each bit.

    A DECIMAL is stored as its unscaled value, like a BIGINT.
    """
    return new(
        RangeBitmapIndex,
        {
            "column_type": column_type,
        },
        {
            "len_head": len_head,
            "head_start": head_start,
            "version": version,
            "num_rows": num_rows,
            "num_values": num_values,
            "min": min,
            "max": max,
            "len_dictionary": len_dictionary,
            "head_end": head_end,
        },
        {
            "dictionary": dictionary,
            "slices": slices,
        },
        {},
    )


def write_range_bitmap_index(s: Scope) -> None:
    """Writes the fields of a `range_bitmap_index`."""
    s.number("len_head", S4BE)
    s.object("head_start", "position", {"at": s._io.pos})
    s.number("version", U1)
    s.number("num_rows", S4BE)
    s.number("num_values", S4BE)
    if s.when("min", lambda: s.num_values > 0):
        s.object("min", "typed_value", {"column_type": lambda i: s.column_type})
    if s.when("max", lambda: s.num_values > 0):
        s.object("max", "typed_value", {"column_type": lambda i: s.column_type})
    if s.when("len_dictionary", lambda: s.column_type != 0):
        s.number("len_dictionary", S4BE)
    s.object("head_end", "position", {"at": s._io.pos})
    s.place(
        "dictionary",
        lambda: s.head_start.at + s.len_head,
        base=lambda: s.head_start.at,
        type_="chunked_dictionary",
        params={"column_type": lambda i: s.column_type},
    )
    s.place(
        "slices",
        lambda: s.head_start.at + s.len_head + s.len_dictionary,
        base=lambda: s.head_start.at + s.len_head,
        type_="bit_slice_index",
        params={},
    )


TYPES = {
    "range_bitmap_index": Type(
        name="range_bitmap_index",
        spec="range_bitmap_index",
        cls=RangeBitmapIndex,
        params=("column_type",),
        items=(
            Item("len_head", "number", number=S4BE),
            Item("head_start", "object", type="position"),
            Item("version", "number", number=U1),
            Item("num_rows", "number", number=S4BE),
            Item("num_values", "number", number=S4BE),
            Item("min", "object", type="typed_value"),
            Item("max", "object", type="typed_value"),
            Item("len_dictionary", "number", number=S4BE),
            Item("head_end", "object", type="position"),
            Item("dictionary", "object", type="chunked_dictionary", positioned=True),
            Item("slices", "object", type="bit_slice_index", positioned=True),
        ),
        write=write_range_bitmap_index,
        values={},
        unset={
            "len_head": lambda s: s._position("head_end") - s._position("head_start"),
            "version": lambda s: 1,
            "len_dictionary": lambda s: s._position("slices") - s._position("dictionary"),
        },
    ),
}
