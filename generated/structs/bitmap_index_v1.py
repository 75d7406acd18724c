# Generated from bitmap_index_v1.ksy by `ksykit generate`. Do not edit.
"""Objects of bitmap_index_v1: Bitmap index of a Paimon file index, version 1."""

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


class BitmapIndexV1(Struct, of="bitmap_index_v1"):
    """A bitmap index of version 1, without the version byte.

    Attributes:
        column_type: The column's type, a value of the enum `typed_value::stored_type`.
        num_rows: Number of rows in the data file, including null rows.
        num_values: Number of distinct values, without null.
        has_null: 1 if the column has null rows.
        ofs_null: Position of the bitmap of the null rows, as in a dictionary entry.
        dictionary: All values except null, and where their bitmaps are.
        null_bitmap: The null rows, unless there is only one.
        null_row: The only null row.
    """

    column_type: One[int] = Param((1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12))
    num_rows: One[int] = Number(S4BE, least=0)
    num_values: One[int] = Number(S4BE, least=0, small=True)
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
    dictionary_start: Nested[Position] = Object("position", args={"at": "_io.pos"}, looked=True)
    dictionary: Nested[BitmapDictionaryV1] = Object(
        "bitmap_dictionary_v1",
        args={"num_values": "num_values", "column_type": "column_type"}, looked=True,
        at="dictionary_start.at",
    )  # fmt: skip
    null_bitmap: MaybeNested[RoaringBitmap32] = Object(
        "roaring_bitmap_32", at=lambda s: s.dictionary.bitmaps_start.at + s.ofs_null,
        when=lambda s: s.has_null == 1 and s.ofs_null >= 0, measured=True,
    )  # fmt: skip
    null_row: One[Any] = Value(lambda s: -1 - s.ofs_null, when="is_null_single", given=True)
    is_null_single = Value(lambda s: s.has_null == 1 and s.ofs_null < 0)
    _derived: ClassVar = {
        "ofs_null": Measure(
            "position", "null_bitmap", lambda s, n: n - s.dictionary.bitmaps_start.at
        ),
        "num_values": Measure("count", "dictionary.entries"),
    }


class BitmapDictionaryV1(Struct, of="bitmap_dictionary_v1"):
    """A `bitmap_dictionary_v1`.

    Attributes:
        entries: An entry for each distinct value.
        bitmaps_start: Offsets of bitmaps count from here.
    """

    num_values: One[int] = Param(range(16))
    column_type: One[int] = Param((1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12))
    entries: Many[BitmapEntryV1] = Repeat(
        Object("bitmap_entry_v1", args={"column_type": "column_type"}), count="num_values",
        ascending="key",
    )  # fmt: skip
    bitmaps_start: Nested[Position] = Object("position", args={"at": "_io.pos"}, looked=True)


class BitmapEntryV1(Struct, of="bitmap_entry_v1"):
    """A `bitmap_entry_v1`.

    Attributes:
        key: A distinct value of the column.
        ofs_bitmap: Start of the bitmap, counted from the end of the dictionary.
        bitmap: The rows that contain the value.
        row: The only row that contains the value.
    """

    column_type: One[int] = Param((1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12))
    key: Nested[TypedValue] = Object("typed_value", args={"column_type": "column_type"})
    ofs_bitmap: One[int] = Number(S4BE, inverse={"row": lambda s: -1 - s._value("row")})
    bitmap: MaybeNested[RoaringBitmap32] = Object(
        "roaring_bitmap_32", at=lambda s: s._parent.bitmaps_start.at + s.ofs_bitmap,
        when=lambda s: not s.is_single, measured=True, needs_parent=True,
    )  # fmt: skip
    row: One[Any] = Value(lambda s: -1 - s.ofs_bitmap, when="is_single", given=True)
    is_single = Value(lambda s: s.ofs_bitmap < 0)
    _derived: ClassVar = {
        "ofs_bitmap": Measure("position", "bitmap", lambda s, n: n - s._parent.bitmaps_start.at)
    }


make_bitmap_index_v1 = BitmapIndexV1
make_bitmap_dictionary_v1 = BitmapDictionaryV1
make_bitmap_entry_v1 = BitmapEntryV1


def ofs_null_of_null_row(null_row: Any) -> Any:
    """Return the `ofs_null` that stands for a `null_row`: an int, or an array of int64."""
    return -1 - null_row


def ofs_bitmap_of_row(row: Any) -> Any:
    """Return the `ofs_bitmap` that stands for a `row`: an int, or an array of int64."""
    return -1 - row
