# Generated from specs/bitmap_index_v1.ksy by `paimon-ksy generate`. Do not edit.
"""Makes and writes the types of bitmap_index_v1.

Bitmap index of a Paimon file index, version 1.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from paimon_ksy.runtime.fields import Number, Object, Objects, Type
from paimon_ksy.runtime.json_values import S4BE, U1

from ..parsers.bitmap_index_v1 import BitmapIndexV1
from ..parsers.position import Position
from ..parsers.roaring_bitmap_32 import RoaringBitmap32
from ..parsers.typed_value import TypedValue

BITMAP_INDEX_V1_TYPE = Type(
    BitmapIndexV1,
    "bitmap_index_v1",
    Number("num_rows", S4BE, valid=lambda s, v: v >= 0),
    Number(
        "num_values",
        S4BE,
        valid=lambda s, v: v >= 0,
        unset=lambda s: s._count("dictionary.entries"),
    ),
    Number(
        "has_null",
        U1,
        valid=lambda s, v: v in (0, 1),
        unset=lambda s: (
            1 if s._is_set("null_bitmap") or s._is_set("null_row") or s._is_set("ofs_null") else 0
        ),
    ),
    Number(
        "ofs_null",
        S4BE,
        when=lambda s: s.has_null == 1,
        unset=lambda s: (
            -1 - s._asked("null_row")
            if s._is_set("null_row")
            else s._position("null_bitmap") - (s.dictionary.bitmaps_start.at)
        ),
    ),
    Object("dictionary_start", "position", args={"at": lambda s, i: s._io.pos}, looked=True),
    Object(
        "dictionary",
        "bitmap_dictionary_v1",
        args={"num_values": lambda s, i: s.num_values, "column_type": lambda s, i: s.column_type},
        at=lambda s: s.dictionary_start.at,
        looked=True,
    ),
    Object(
        "null_bitmap",
        "roaring_bitmap_32",
        at=lambda s: s.dictionary.bitmaps_start.at + s.ofs_null,
        when=lambda s: s.has_null == 1 and s.ofs_null >= 0,
        base=lambda s: s.dictionary.bitmaps_start.at,
        measured=True,
    ),
    params=("column_type",),
    deciding=None,
    values={
        "is_null_single": lambda s: s.has_null == 1 and s.ofs_null < 0,
        "null_row": lambda s: -1 - s.ofs_null,
    },
)


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
    """Return a new `bitmap_index_v1`; what is None is computed when it is written.

    A bitmap index of version 1, without the version byte. It consists of a
    dictionary of all values, and the bitmaps.

    Java writes the dictionary and the bitmaps in the iteration order of its
    `HashMap`. A reader must not rely on any order.
    """
    return BITMAP_INDEX_V1_TYPE.new(locals())


def ofs_null_of_null_row(null_row: Any) -> Any:
    """Return the `ofs_null` that stands for a `null_row`: an int, or an array of int64."""
    return -1 - null_row


BITMAP_DICTIONARY_V1_TYPE = Type(
    BitmapIndexV1.BitmapDictionaryV1,
    "bitmap_dictionary_v1",
    Objects(
        "entries",
        "bitmap_entry_v1",
        args={"column_type": lambda s, i: s.column_type},
        count=lambda s: s.num_values,
    ),
    Object("bitmaps_start", "position", args={"at": lambda s, i: s._io.pos}, looked=True),
    params=(
        "num_values",
        "column_type",
    ),
)


def make_bitmap_dictionary_v1(
    *,
    num_values: int | None = None,
    column_type: int | None = None,
    entries: Sequence[BitmapIndexV1.BitmapEntryV1 | bytes] | None = None,
    bitmaps_start: Position | bytes | None = None,
) -> Any:
    """Return a new `bitmap_dictionary_v1`; what is None is computed when it is written."""
    return BITMAP_DICTIONARY_V1_TYPE.new(locals())


BITMAP_ENTRY_V1_TYPE = Type(
    BitmapIndexV1.BitmapEntryV1,
    "bitmap_entry_v1",
    Object("key", "typed_value", args={"column_type": lambda s, i: s.column_type}),
    Number(
        "ofs_bitmap",
        S4BE,
        unset=lambda s: (
            -1 - s._asked("row")
            if s._is_set("row")
            else s._position("bitmap") - (s._parent.bitmaps_start.at)
        ),
    ),
    Object(
        "bitmap",
        "roaring_bitmap_32",
        at=lambda s: s._parent.bitmaps_start.at + s.ofs_bitmap,
        when=lambda s: not s.is_single,
        base=lambda s: s._parent.bitmaps_start.at,
        measured=True,
    ),
    params=("column_type",),
    values={
        "is_single": lambda s: s.ofs_bitmap < 0,
        "row": lambda s: -1 - s.ofs_bitmap,
    },
)


def make_bitmap_entry_v1(
    *,
    column_type: int | None = None,
    key: TypedValue | bytes | None = None,
    ofs_bitmap: int | None = None,
    bitmap: RoaringBitmap32 | bytes | None = None,
    row: int | None = None,
) -> Any:
    """Return a new `bitmap_entry_v1`; what is None is computed when it is written."""
    return BITMAP_ENTRY_V1_TYPE.new(locals())


def ofs_bitmap_of_row(row: Any) -> Any:
    """Return the `ofs_bitmap` that stands for a `row`: an int, or an array of int64."""
    return -1 - row
