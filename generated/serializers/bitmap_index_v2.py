# Generated from specs/bitmap_index_v2.ksy by `python -m tools.ksy generate`. Do not edit.
"""Makes and writes the types of bitmap_index_v2.

Bitmap index of a Paimon file index, version 2.
"""

from __future__ import annotations

from typing import Any

from ..parsers.bitmap_index_v2 import BitmapIndexV2
from ..parsers.position import Position
from ..parsers.roaring_bitmap_32 import RoaringBitmap32
from ..parsers.typed_value import TypedValue
from ..runtime import S4BE, U1, Item, RecordArray, Scope, Type, new


def make_bitmap_index_v2(
    *,
    column_type: int | None = None,
    num_rows: int | None = None,
    num_values: int | None = None,
    has_null: int | None = None,
    ofs_null: int | None = None,
    len_null: int | None = None,
    num_blocks: int | None = None,
    directory_start: Position | bytes | None = None,
    directory: BitmapIndexV2.BitmapDirectoryV2 | bytes | None = None,
    null_bitmap: RoaringBitmap32 | bytes | None = None,
    null_row: int | None = None,
) -> Any:
    """A new `bitmap_index_v2`; what is None is computed when it is written.

    A bitmap index of version 2, after the version byte. It has a directory of
    index blocks, the blocks, and the bitmaps. Together, the blocks are the
    dictionary of all values in ascending order. A look-up reads the directory,
    one block and one bitmap.

    Strings ascend by their unsigned bytes, and floating point numbers like
    `Float.compare` (-0.0 before 0.0, NaN last). The bitmaps have the iteration
    order of Java's `HashMap`.
    """
    return new(
        BitmapIndexV2,
        {
            "column_type": column_type,
        },
        {
            "num_rows": num_rows,
            "num_values": num_values,
            "has_null": has_null,
            "ofs_null": ofs_null,
            "len_null": len_null,
            "num_blocks": num_blocks,
            "directory_start": directory_start,
        },
        {
            "directory": directory,
            "null_bitmap": null_bitmap,
        },
        {
            "null_row": null_row,
        },
    )


def write_bitmap_index_v2(s: Scope) -> None:
    """Writes the fields of a `bitmap_index_v2`."""
    s.number("num_rows", S4BE)
    s.number("num_values", S4BE)
    s.number("has_null", U1)
    if s.when("ofs_null", lambda: s.has_null == 1):
        s.number("ofs_null", S4BE)
    if s.when("len_null", lambda: s.has_null == 1):
        s.number("len_null", S4BE)
    s.number("num_blocks", S4BE)
    s.object("directory_start", "position", {"at": s._io.pos})
    s.place(
        "directory",
        lambda: s.directory_start.at,
        type_="bitmap_directory_v2",
        params={"num_blocks": lambda i: s.num_blocks, "column_type": lambda i: s.column_type},
    )
    s.place(
        "null_bitmap",
        lambda: s.directory.bitmaps_start + s.ofs_null,
        base=lambda: s.directory.bitmaps_start,
        size=lambda: s.len_null,
        type_="roaring_bitmap_32",
        params={},
        condition=lambda: s.has_null == 1 and s.ofs_null >= 0,
    )


def make_bitmap_directory_v2(
    *,
    num_blocks: int | None = None,
    column_type: int | None = None,
    blocks: list[BitmapIndexV2.BitmapBlockRefV2] | RecordArray | None = None,
    len_blocks: int | None = None,
    blocks_start: Position | bytes | None = None,
) -> Any:
    """A new `bitmap_directory_v2`; what is None is computed when it is written."""
    return new(
        BitmapIndexV2.BitmapDirectoryV2,
        {
            "num_blocks": num_blocks,
            "column_type": column_type,
        },
        {
            "blocks": blocks,
            "len_blocks": len_blocks,
            "blocks_start": blocks_start,
        },
        {},
        {},
    )


def write_bitmap_directory_v2(s: Scope) -> None:
    """Writes the fields of a `bitmap_directory_v2`."""
    s.objects(
        "blocks",
        "bitmap_block_ref_v2",
        {"column_type": lambda i: s.column_type},
        lambda: s.num_blocks,
    )
    s.number("len_blocks", S4BE)
    s.object("blocks_start", "position", {"at": s._io.pos})


def make_bitmap_block_ref_v2(
    *,
    column_type: int | None = None,
    key: TypedValue | bytes | None = None,
    ofs_block: int | None = None,
    block: BitmapIndexV2.BitmapBlockV2 | bytes | None = None,
) -> Any:
    """A new `bitmap_block_ref_v2`; what is None is computed when it is written."""
    return new(
        BitmapIndexV2.BitmapBlockRefV2,
        {
            "column_type": column_type,
        },
        {
            "key": key,
            "ofs_block": ofs_block,
        },
        {
            "block": block,
        },
        {},
    )


def write_bitmap_block_ref_v2(s: Scope) -> None:
    """Writes the fields of a `bitmap_block_ref_v2`."""
    s.object("key", "typed_value", {"column_type": lambda i: s.column_type})
    s.number("ofs_block", S4BE)
    s.place(
        "block",
        lambda: s._parent.blocks_start.at + s.ofs_block,
        base=lambda: s._parent.blocks_start.at,
        type_="bitmap_block_v2",
        params={
            "bitmaps_start": lambda i: s._parent.bitmaps_start,
            "column_type": lambda i: s.column_type,
        },
    )


def make_bitmap_block_v2(
    *,
    bitmaps_start: int | None = None,
    column_type: int | None = None,
    num_entries: int | None = None,
    entries: list[BitmapIndexV2.BitmapEntryV2] | RecordArray | None = None,
) -> Any:
    """A new `bitmap_block_v2`; what is None is computed when it is written.

    A part of the dictionary. Java fills a block while it takes at most
    `index-block-size` bytes, 16 kB by default.
    """
    return new(
        BitmapIndexV2.BitmapBlockV2,
        {
            "bitmaps_start": bitmaps_start,
            "column_type": column_type,
        },
        {
            "num_entries": num_entries,
            "entries": entries,
        },
        {},
        {},
    )


def write_bitmap_block_v2(s: Scope) -> None:
    """Writes the fields of a `bitmap_block_v2`."""
    s.number("num_entries", S4BE)
    s.objects(
        "entries",
        "bitmap_entry_v2",
        {"column_type": lambda i: s.column_type},
        lambda: s.num_entries,
    )


def make_bitmap_entry_v2(
    *,
    column_type: int | None = None,
    key: TypedValue | bytes | None = None,
    ofs_bitmap: int | None = None,
    len_bitmap: int | None = None,
    bitmap: RoaringBitmap32 | bytes | None = None,
    row: int | None = None,
) -> Any:
    """A new `bitmap_entry_v2`; what is None is computed when it is written."""
    return new(
        BitmapIndexV2.BitmapEntryV2,
        {
            "column_type": column_type,
        },
        {
            "key": key,
            "ofs_bitmap": ofs_bitmap,
            "len_bitmap": len_bitmap,
        },
        {
            "bitmap": bitmap,
        },
        {
            "row": row,
        },
    )


def write_bitmap_entry_v2(s: Scope) -> None:
    """Writes the fields of a `bitmap_entry_v2`."""
    s.object("key", "typed_value", {"column_type": lambda i: s.column_type})
    s.number("ofs_bitmap", S4BE)
    s.number("len_bitmap", S4BE)
    s.place(
        "bitmap",
        lambda: s._parent.bitmaps_start + s.ofs_bitmap,
        base=lambda: s._parent.bitmaps_start,
        size=lambda: s.len_bitmap,
        type_="roaring_bitmap_32",
        params={},
        condition=lambda: not s.is_single,
    )


TYPES = {
    "bitmap_index_v2": Type(
        name="bitmap_index_v2",
        spec="bitmap_index_v2",
        cls=BitmapIndexV2,
        params=("column_type",),
        items=(
            Item("num_rows", "number", number=S4BE),
            Item("num_values", "number", number=S4BE),
            Item("has_null", "number", number=U1),
            Item("ofs_null", "number", number=S4BE),
            Item("len_null", "number", number=S4BE),
            Item("num_blocks", "number", number=S4BE),
            Item("directory_start", "object", type="position"),
            Item("directory", "object", type="bitmap_directory_v2", positioned=True),
            Item("null_bitmap", "object", type="roaring_bitmap_32", positioned=True),
        ),
        write=write_bitmap_index_v2,
        values={
            "is_null_single": lambda s: s.has_null == 1 and s.ofs_null < 0,
            "null_row": lambda s: -1 - s.ofs_null,
        },
        unset={
            "has_null": lambda s: (
                1
                if s._is_set("null_bitmap") or s._is_set("null_row") or s._is_set("ofs_null")
                else 0
            ),
            "ofs_null": lambda s: (
                -1 - s._given("null_row")
                if s._is_set("null_row")
                else s._position("null_bitmap") - (s.directory.bitmaps_start)
            ),
            "len_null": lambda s: s._length("null_bitmap") if s._is_set("null_bitmap") else 18,
            "num_blocks": lambda s: s._count("directory.blocks"),
        },
    ),
    "bitmap_directory_v2": Type(
        name="bitmap_directory_v2",
        spec="bitmap_index_v2",
        cls=BitmapIndexV2.BitmapDirectoryV2,
        params=(
            "num_blocks",
            "column_type",
        ),
        items=(
            Item("blocks", "objects", type="bitmap_block_ref_v2"),
            Item("len_blocks", "number", number=S4BE),
            Item("blocks_start", "object", type="position"),
        ),
        write=write_bitmap_directory_v2,
        values={
            "bitmaps_start": lambda s: s.blocks_start.at + s.len_blocks,
        },
        unset={
            "len_blocks": lambda s: s._length("blocks.block"),
        },
    ),
    "bitmap_block_ref_v2": Type(
        name="bitmap_block_ref_v2",
        spec="bitmap_index_v2",
        cls=BitmapIndexV2.BitmapBlockRefV2,
        params=("column_type",),
        items=(
            Item("key", "object", type="typed_value"),
            Item("ofs_block", "number", number=S4BE),
            Item("block", "object", type="bitmap_block_v2", positioned=True),
        ),
        write=write_bitmap_block_ref_v2,
        values={},
        unset={
            "ofs_block": lambda s: s._position("block") - (s._parent.blocks_start.at),
        },
    ),
    "bitmap_block_v2": Type(
        name="bitmap_block_v2",
        spec="bitmap_index_v2",
        cls=BitmapIndexV2.BitmapBlockV2,
        params=(
            "bitmaps_start",
            "column_type",
        ),
        items=(
            Item("num_entries", "number", number=S4BE),
            Item("entries", "objects", type="bitmap_entry_v2"),
        ),
        write=write_bitmap_block_v2,
        values={},
        unset={
            "num_entries": lambda s: s._count("entries"),
        },
    ),
    "bitmap_entry_v2": Type(
        name="bitmap_entry_v2",
        spec="bitmap_index_v2",
        cls=BitmapIndexV2.BitmapEntryV2,
        params=("column_type",),
        items=(
            Item("key", "object", type="typed_value"),
            Item("ofs_bitmap", "number", number=S4BE),
            Item("len_bitmap", "number", number=S4BE),
            Item("bitmap", "object", type="roaring_bitmap_32", positioned=True),
        ),
        write=write_bitmap_entry_v2,
        values={
            "is_single": lambda s: s.ofs_bitmap < 0,
            "row": lambda s: -1 - s.ofs_bitmap,
        },
        unset={
            "ofs_bitmap": lambda s: (
                -1 - s._given("row")
                if s._is_set("row")
                else s._position("bitmap") - (s._parent.bitmaps_start)
            ),
            "len_bitmap": lambda s: s._length("bitmap") if s._is_set("bitmap") else -1,
        },
    ),
}
