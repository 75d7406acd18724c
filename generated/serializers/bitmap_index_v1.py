# Generated from specs/bitmap_index_v1.ksy by `python -m tools.ksy generate`. Do not edit.
"""Makes and writes the types of bitmap_index_v1.

Bitmap index of a Paimon file index, version 1.
"""

from __future__ import annotations

from typing import Any

from ..parsers.bitmap_index_v1 import BitmapIndexV1
from ..parsers.position import Position
from ..parsers.roaring_bitmap_32 import RoaringBitmap32
from ..parsers.typed_value import TypedValue
from ..runtime import S4BE, U1, Item, RecordArray, Scope, Type, new


def make_bitmap_index_v1(
    *,
    column_type: int | None = None,
    num_rows: int | None = None,
    num_values: int | None = None,
    has_null: int | None = None,
    ofs_null: int | None = None,
    dictionary_start: Position | bytes | None = None,
    dictionary: BitmapIndexV1.BitmapDictionaryV1 | bytes | None = None,
    null_bitmap: RoaringBitmap32 | bytes | None = None,
    null_row: int | None = None,
) -> Any:
    """A new `bitmap_index_v1`; what is None is computed when it is written.

    A bitmap index of version 1, after the version byte: one dictionary of all
    values, then the bitmaps.

    Java writes the dictionary and the bitmaps in the iteration order of its
    `HashMap`. A reader must not rely on any order.
    """
    return new(
        BitmapIndexV1,
        {
            "column_type": column_type,
        },
        {
            "num_rows": num_rows,
            "num_values": num_values,
            "has_null": has_null,
            "ofs_null": ofs_null,
            "dictionary_start": dictionary_start,
        },
        {
            "dictionary": dictionary,
            "null_bitmap": null_bitmap,
        },
        {
            "null_row": null_row,
        },
    )


def write_bitmap_index_v1(s: Scope) -> None:
    """Writes the fields of a `bitmap_index_v1`."""
    s.number("num_rows", S4BE)
    s.number("num_values", S4BE)
    s.number("has_null", U1)
    if s.when("ofs_null", lambda: s.has_null == 1):
        s.number("ofs_null", S4BE)
    s.object("dictionary_start", "position", {"at": s._io.pos})
    s.place(
        "dictionary",
        lambda: s.dictionary_start.at,
        type_="bitmap_dictionary_v1",
        params={"num_values": lambda i: s.num_values, "column_type": lambda i: s.column_type},
    )
    s.place(
        "null_bitmap",
        lambda: s.dictionary.bitmaps_start.at + s.ofs_null,
        base=lambda: s.dictionary.bitmaps_start.at,
        type_="roaring_bitmap_32",
        params={},
        condition=lambda: s.has_null == 1 and s.ofs_null >= 0,
    )


def make_bitmap_dictionary_v1(
    *,
    num_values: int | None = None,
    column_type: int | None = None,
    entries: list[BitmapIndexV1.BitmapEntryV1] | RecordArray | None = None,
    bitmaps_start: Position | bytes | None = None,
) -> Any:
    """A new `bitmap_dictionary_v1`; what is None is computed when it is written."""
    return new(
        BitmapIndexV1.BitmapDictionaryV1,
        {
            "num_values": num_values,
            "column_type": column_type,
        },
        {
            "entries": entries,
            "bitmaps_start": bitmaps_start,
        },
        {},
        {},
    )


def write_bitmap_dictionary_v1(s: Scope) -> None:
    """Writes the fields of a `bitmap_dictionary_v1`."""
    s.objects(
        "entries", "bitmap_entry_v1", {"column_type": lambda i: s.column_type}, lambda: s.num_values
    )
    s.object("bitmaps_start", "position", {"at": s._io.pos})


def make_bitmap_entry_v1(
    *,
    column_type: int | None = None,
    key: TypedValue | bytes | None = None,
    ofs_bitmap: int | None = None,
    bitmap: RoaringBitmap32 | bytes | None = None,
    row: int | None = None,
) -> Any:
    """A new `bitmap_entry_v1`; what is None is computed when it is written."""
    return new(
        BitmapIndexV1.BitmapEntryV1,
        {
            "column_type": column_type,
        },
        {
            "key": key,
            "ofs_bitmap": ofs_bitmap,
        },
        {
            "bitmap": bitmap,
        },
        {
            "row": row,
        },
    )


def write_bitmap_entry_v1(s: Scope) -> None:
    """Writes the fields of a `bitmap_entry_v1`."""
    s.object("key", "typed_value", {"column_type": lambda i: s.column_type})
    s.number("ofs_bitmap", S4BE)
    s.place(
        "bitmap",
        lambda: s._parent.bitmaps_start.at + s.ofs_bitmap,
        base=lambda: s._parent.bitmaps_start.at,
        type_="roaring_bitmap_32",
        params={},
        condition=lambda: not s.is_single,
    )


TYPES = {
    "bitmap_index_v1": Type(
        name="bitmap_index_v1",
        spec="bitmap_index_v1",
        cls=BitmapIndexV1,
        params=("column_type",),
        items=(
            Item("num_rows", "number", number=S4BE),
            Item("num_values", "number", number=S4BE),
            Item("has_null", "number", number=U1),
            Item("ofs_null", "number", number=S4BE),
            Item("dictionary_start", "object", type="position"),
            Item("dictionary", "object", type="bitmap_dictionary_v1", positioned=True),
            Item("null_bitmap", "object", type="roaring_bitmap_32", positioned=True),
        ),
        write=write_bitmap_index_v1,
        values={
            "is_null_single": lambda s: s.has_null == 1 and s.ofs_null < 0,
            "null_row": lambda s: -1 - s.ofs_null,
        },
        unset={
            "num_values": lambda s: s._count("dictionary.entries"),
            "has_null": lambda s: (
                1
                if s._is_set("null_bitmap") or s._is_set("null_row") or s._is_set("ofs_null")
                else 0
            ),
            "ofs_null": lambda s: (
                -1 - s._given("null_row")
                if s._is_set("null_row")
                else s._position("null_bitmap") - (s.dictionary.bitmaps_start.at)
            ),
        },
    ),
    "bitmap_dictionary_v1": Type(
        name="bitmap_dictionary_v1",
        spec="bitmap_index_v1",
        cls=BitmapIndexV1.BitmapDictionaryV1,
        params=(
            "num_values",
            "column_type",
        ),
        items=(
            Item("entries", "objects", type="bitmap_entry_v1"),
            Item("bitmaps_start", "object", type="position"),
        ),
        write=write_bitmap_dictionary_v1,
        values={},
        unset={},
    ),
    "bitmap_entry_v1": Type(
        name="bitmap_entry_v1",
        spec="bitmap_index_v1",
        cls=BitmapIndexV1.BitmapEntryV1,
        params=("column_type",),
        items=(
            Item("key", "object", type="typed_value"),
            Item("ofs_bitmap", "number", number=S4BE),
            Item("bitmap", "object", type="roaring_bitmap_32", positioned=True),
        ),
        write=write_bitmap_entry_v1,
        values={
            "is_single": lambda s: s.ofs_bitmap < 0,
            "row": lambda s: -1 - s.ofs_bitmap,
        },
        unset={
            "ofs_bitmap": lambda s: (
                -1 - s._given("row")
                if s._is_set("row")
                else s._position("bitmap") - (s._parent.bitmaps_start.at)
            ),
        },
    ),
}
