# Generated from bitmap_index_v2.ksy by `ksykit generate`. Do not edit.
"""Objects of bitmap_index_v2: Bitmap index of a Paimon file index, version 2."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from ksykit.runtime.json_values import S4BE, U1
from ksykit.runtime.rows import (
    Many,
    Maybe,
    MaybeNested,
    Nested,
    Number,
    Object,
    One,
    Param,
    Repeat,
    Value,
)
from ksykit.runtime.structs import Struct
from ksykit.runtime.types import Measure

if TYPE_CHECKING:
    from .position import Position
    from .roaring_bitmap_32 import RoaringBitmap32
    from .typed_value import TypedValue


class BitmapIndexV2(Struct, of="bitmap_index_v2"):
    """A bitmap index of version 2, without the version byte.

    Attributes:
        column_type: The column's type, a value of the enum `typed_value::stored_type`.
        num_rows: Number of rows in the data file, including null rows.
        num_values: Number of distinct values, without null.
        has_null: 1 if the column has null rows.
        ofs_null: Position of the bitmap of the null rows, as in an entry of a block.
        len_null: Length of that bitmap in bytes.
        num_blocks: Number of blocks in the dictionary.
        directory: The first value and the position of each block.
        null_bitmap: The null rows, unless there is only one.
        null_row: The only null row.
    """

    column_type: One[int] = Param((1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12))
    num_rows: One[int] = Number(S4BE, least=0)
    num_values: One[int] = Number(S4BE, least=0)
    has_null: One[int] = Number(
        U1,
        any_of=(0, 1),
        value=lambda s: (
            1 if s._is_set("null_bitmap") or s._is_set("null_row") or s._is_set("ofs_null") else 0
        ),
        decides=True,
    )
    ofs_null: Maybe[int] = Number(
        S4BE, inverse={"null_row": lambda s: -1 - s._value("null_row")},
        when=lambda s: s.has_null == 1,
    )  # fmt: skip
    len_null: Maybe[int] = Number(
        S4BE,
        value=lambda s: s._length("null_bitmap") if s._is_set("null_bitmap") else 18,
        when=lambda s: s.has_null == 1,
    )
    num_blocks: One[int] = Number(S4BE, least=0, small=True)
    directory_start: Nested[Position] = Object("position", args={"at": "_io.pos"}, looked=True)
    directory: Nested[BitmapDirectoryV2] = Object(
        "bitmap_directory_v2",
        args={"num_blocks": "num_blocks", "column_type": "column_type"}, looked=True,
        at="directory_start.at",
    )  # fmt: skip
    null_bitmap: MaybeNested[RoaringBitmap32] = Object(
        "roaring_bitmap_32", size="len_null",
        at=lambda s: s.directory.bitmaps_start + s.ofs_null,
        when=lambda s: s.has_null == 1 and s.ofs_null >= 0, measured=True,
    )  # fmt: skip
    null_row: One[Any] = Value(lambda s: -1 - s.ofs_null, when="is_null_single", given=True)
    is_null_single = Value(lambda s: s.has_null == 1 and s.ofs_null < 0)
    _derived: ClassVar = {
        "len_null": Measure("length", "null_bitmap"),
        "ofs_null": Measure("position", "null_bitmap", lambda s, n: n - s.directory.bitmaps_start),
        "num_blocks": Measure("count", "directory.blocks"),
    }


class BitmapDirectoryV2(Struct, of="bitmap_directory_v2"):
    """A `bitmap_directory_v2`.

    Attributes:
        blocks: Where each block is, in ascending order of values.
        len_blocks: Length of all blocks in bytes.
        bitmaps_start: Offsets of bitmaps count from here.
    """

    num_blocks: One[int] = Param(range(16))
    column_type: One[int] = Param((1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12))
    blocks: Many[BitmapBlockRefV2] = Repeat(
        Object("bitmap_block_ref_v2", args={"column_type": "column_type"}, looked=True),
        count="num_blocks",
        ascending="key",
    )
    len_blocks: One[int] = Number(
        S4BE, least=0, value=lambda s: s._length("blocks.body"), role="length",
    )  # fmt: skip
    blocks_start: Nested[Position] = Object("position", args={"at": "_io.pos"}, looked=True)
    bitmaps_start = Value(lambda s: s.blocks_start.at + s.len_blocks)


class BitmapBlockRefV2(Struct, of="bitmap_block_ref_v2"):
    """A `bitmap_block_ref_v2`.

    Attributes:
        key: The least value of the block.
        ofs_block: Start of the block, counted from the first block.
        body: The block itself.
    """

    column_type: One[int] = Param((1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12))
    key: Nested[TypedValue] = Object("typed_value", args={"column_type": "column_type"})
    ofs_block: One[int] = Number(S4BE, least=0)
    body: Nested[BitmapBlockV2] = Object(
        "bitmap_block_v2",
        args={
            "bitmaps_start": lambda s, i: s._parent.blocks_start.at + s._parent.len_blocks,
            "column_type": "column_type",
        },
        at=lambda s: s._parent.blocks_start.at + s.ofs_block,
        measured=True,
        needs_parent=True,
    )
    _derived: ClassVar = {
        "ofs_block": Measure("position", "body", lambda s, n: n - s._parent.blocks_start.at)
    }


class BitmapBlockV2(Struct, of="bitmap_block_v2"):
    """A part of the dictionary.

    Attributes:
        bitmaps_start: Offsets of bitmaps count from here.
        entries: An entry for each value of the block.
    """

    bitmaps_start: One[int] = Param((0,))
    column_type: One[int] = Param((1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12))
    num_entries: One[int] = Number(S4BE, least=1, small=True)
    entries: Many[BitmapEntryV2] = Repeat(
        Object("bitmap_entry_v2", args={"column_type": "column_type"}), count="num_entries",
        ascending="key",
    )  # fmt: skip
    _derived: ClassVar = {"num_entries": Measure("count", "entries")}


class BitmapEntryV2(Struct, of="bitmap_entry_v2"):
    """A `bitmap_entry_v2`.

    Attributes:
        key: A distinct value of the column.
        ofs_bitmap: Start of the bitmap, counted from the end of the blocks.
        len_bitmap: Length of the bitmap in bytes, or -1 if the value occurs in only one row.
        bitmap: The rows that contain the value.
        row: The only row that contains the value.
    """

    column_type: One[int] = Param((1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12))
    key: Nested[TypedValue] = Object("typed_value", args={"column_type": "column_type"})
    ofs_bitmap: One[int] = Number(S4BE, inverse={"row": lambda s: -1 - s._value("row")})
    len_bitmap: One[int] = Number(
        S4BE, value=lambda s: s._length("bitmap") if s._is_set("bitmap") else -1,
    )  # fmt: skip
    bitmap: MaybeNested[RoaringBitmap32] = Object(
        "roaring_bitmap_32", size="len_bitmap",
        at=lambda s: s._parent.bitmaps_start + s.ofs_bitmap, when=lambda s: not s.is_single,
        measured=True, needs_parent=True,
    )  # fmt: skip
    row: One[Any] = Value(lambda s: -1 - s.ofs_bitmap, when="is_single", given=True)
    is_single = Value(lambda s: s.ofs_bitmap < 0)
    _derived: ClassVar = {
        "len_bitmap": Measure("length", "bitmap"),
        "ofs_bitmap": Measure("position", "bitmap", lambda s, n: n - s._parent.bitmaps_start),
    }


make_bitmap_index_v2 = BitmapIndexV2
make_bitmap_directory_v2 = BitmapDirectoryV2
make_bitmap_block_ref_v2 = BitmapBlockRefV2
make_bitmap_block_v2 = BitmapBlockV2
make_bitmap_entry_v2 = BitmapEntryV2


def ofs_null_of_null_row(null_row: Any) -> Any:
    """Return the `ofs_null` that stands for a `null_row`: an int, or an array of int64."""
    return -1 - null_row


def ofs_bitmap_of_row(row: Any) -> Any:
    """Return the `ofs_bitmap` that stands for a `row`: an int, or an array of int64."""
    return -1 - row
