# Generated from specs/bitmap_index_v1.ksy by `ksykit generate`. Do not edit.
"""Makes and writes the types of bitmap_index_v1.

Bitmap index of a Paimon file index, version 1.
"""

from __future__ import annotations

from typing import Any

from ksykit.runtime.fields import Measure, Number, Object, Repeat, Type
from ksykit.runtime.json_values import S4BE, U1

from ..parsers.bitmap_index_v1 import BitmapIndexV1

BITMAP_INDEX_V1_TYPE = Type(
    BitmapIndexV1,
    "bitmap_index_v1",
    Number("num_rows", S4BE, least=0),
    Number("num_values", S4BE, least=0, small=True),
    Number(
        "has_null",
        U1,
        any_of=(0, 1),
        value=lambda s: (
            1 if s._is_set("null_bitmap") or s._is_set("null_row") or s._is_set("ofs_null") else 0
        ),
        decides=True,
    ),
    Number(
        "ofs_null",
        S4BE,
        inverse={"null_row": lambda s: -1 - s._asked("null_row")},
        when=lambda s: s.has_null == 1,
    ),
    Object("dictionary_start", "position", args={"at": "_io.pos"}, looked=True),
    Object(
        "dictionary",
        "bitmap_dictionary_v1",
        args={"num_values": "num_values", "column_type": "column_type"},
        looked=True,
        at="dictionary_start.at",
    ),
    Object(
        "null_bitmap",
        "roaring_bitmap_32",
        at=lambda s: s.dictionary.bitmaps_start.at + s.ofs_null,
        when=lambda s: s.has_null == 1 and s.ofs_null >= 0,
        measured=True,
    ),
    params={"column_type": (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12)},
    computed={
        "ofs_null": Measure(
            "position", "null_bitmap", lambda s, n: n - s.dictionary.bitmaps_start.at
        ),
        "num_values": Measure("count", "dictionary.entries"),
    },
    given=("null_row",),
    values={
        "is_null_single": lambda s: s.has_null == 1 and s.ofs_null < 0,
        "null_row": lambda s: -1 - s.ofs_null,
    },
)

make_bitmap_index_v1 = BITMAP_INDEX_V1_TYPE.make


def ofs_null_of_null_row(null_row: Any) -> Any:
    """Return the `ofs_null` that stands for a `null_row`: an int, or an array of int64."""
    return -1 - null_row


BITMAP_DICTIONARY_V1_TYPE = Type(
    BitmapIndexV1.BitmapDictionaryV1,
    "bitmap_dictionary_v1",
    Repeat(
        Object("entries", "bitmap_entry_v1", args={"column_type": "column_type"}),
        count="num_values",
        ascending="key",
    ),
    Object("bitmaps_start", "position", args={"at": "_io.pos"}, looked=True),
    params={"num_values": range(16), "column_type": (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12)},
)

make_bitmap_dictionary_v1 = BITMAP_DICTIONARY_V1_TYPE.make


BITMAP_ENTRY_V1_TYPE = Type(
    BitmapIndexV1.BitmapEntryV1,
    "bitmap_entry_v1",
    Object("key", "typed_value", args={"column_type": "column_type"}),
    Number("ofs_bitmap", S4BE, inverse={"row": lambda s: -1 - s._asked("row")}),
    Object(
        "bitmap",
        "roaring_bitmap_32",
        at=lambda s: s._parent.bitmaps_start.at + s.ofs_bitmap,
        when=lambda s: not s.is_single,
        measured=True,
        needs_parent=True,
    ),
    params={"column_type": (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12)},
    computed={
        "ofs_bitmap": Measure("position", "bitmap", lambda s, n: n - s._parent.bitmaps_start.at),
    },
    given=("row",),
    values={
        "is_single": lambda s: s.ofs_bitmap < 0,
        "row": lambda s: -1 - s.ofs_bitmap,
    },
)

make_bitmap_entry_v1 = BITMAP_ENTRY_V1_TYPE.make


def ofs_bitmap_of_row(row: Any) -> Any:
    """Return the `ofs_bitmap` that stands for a `row`: an int, or an array of int64."""
    return -1 - row
