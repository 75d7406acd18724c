# Generated from specs/bitmap_index_v2.ksy by `ksykit generate`. Do not edit.
"""Makes and writes the types of bitmap_index_v2.

Bitmap index of a Paimon file index, version 2.
"""

from __future__ import annotations

from typing import Any

from ksykit.runtime.fields import Measure, Number, Object, Repeat, Type
from ksykit.runtime.json_values import S4BE, U1

from ..parsers.bitmap_index_v2 import BitmapIndexV2

BITMAP_INDEX_V2_TYPE = Type(
    BitmapIndexV2,
    "bitmap_index_v2",
    Number("num_rows", S4BE, least=0),
    Number("num_values", S4BE, least=0),
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
    Number(
        "len_null",
        S4BE,
        value=lambda s: s._length("null_bitmap") if s._is_set("null_bitmap") else 18,
        when=lambda s: s.has_null == 1,
    ),
    Number("num_blocks", S4BE, least=0, small=True),
    Object("directory_start", "position", args={"at": "_io.pos"}, looked=True),
    Object(
        "directory",
        "bitmap_directory_v2",
        args={"num_blocks": "num_blocks", "column_type": "column_type"},
        looked=True,
        at="directory_start.at",
    ),
    Object(
        "null_bitmap",
        "roaring_bitmap_32",
        size="len_null",
        at=lambda s: s.directory.bitmaps_start + s.ofs_null,
        when=lambda s: s.has_null == 1 and s.ofs_null >= 0,
        measured=True,
    ),
    params={"column_type": (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12)},
    computed={
        "len_null": Measure("length", "null_bitmap"),
        "ofs_null": Measure("position", "null_bitmap", lambda s, n: n - s.directory.bitmaps_start),
        "num_blocks": Measure("count", "directory.blocks"),
    },
    given=("null_row",),
    values={
        "is_null_single": lambda s: s.has_null == 1 and s.ofs_null < 0,
        "null_row": lambda s: -1 - s.ofs_null,
    },
)

make_bitmap_index_v2 = BITMAP_INDEX_V2_TYPE.make


def ofs_null_of_null_row(null_row: Any) -> Any:
    """Return the `ofs_null` that stands for a `null_row`: an int, or an array of int64."""
    return -1 - null_row


BITMAP_DIRECTORY_V2_TYPE = Type(
    BitmapIndexV2.BitmapDirectoryV2,
    "bitmap_directory_v2",
    Repeat(
        Object("blocks", "bitmap_block_ref_v2", args={"column_type": "column_type"}, looked=True),
        count="num_blocks",
        ascending="key",
    ),
    Number("len_blocks", S4BE, least=0, value=lambda s: s._length("blocks.body"), role="length"),
    Object("blocks_start", "position", args={"at": "_io.pos"}, looked=True),
    params={"num_blocks": range(16), "column_type": (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12)},
    values={
        "bitmaps_start": lambda s: s.blocks_start.at + s.len_blocks,
    },
)

make_bitmap_directory_v2 = BITMAP_DIRECTORY_V2_TYPE.make


BITMAP_BLOCK_REF_V2_TYPE = Type(
    BitmapIndexV2.BitmapBlockRefV2,
    "bitmap_block_ref_v2",
    Object("key", "typed_value", args={"column_type": "column_type"}),
    Number("ofs_block", S4BE, least=0),
    Object(
        "body",
        "bitmap_block_v2",
        args={
            "bitmaps_start": lambda s, i: s._parent.blocks_start.at + s._parent.len_blocks,
            "column_type": "column_type",
        },
        at=lambda s: s._parent.blocks_start.at + s.ofs_block,
        measured=True,
        needs_parent=True,
    ),
    params={"column_type": (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12)},
    computed={
        "ofs_block": Measure("position", "body", lambda s, n: n - s._parent.blocks_start.at),
    },
)

make_bitmap_block_ref_v2 = BITMAP_BLOCK_REF_V2_TYPE.make


BITMAP_BLOCK_V2_TYPE = Type(
    BitmapIndexV2.BitmapBlockV2,
    "bitmap_block_v2",
    Number("num_entries", S4BE, least=1, small=True),
    Repeat(
        Object("entries", "bitmap_entry_v2", args={"column_type": "column_type"}),
        count="num_entries",
        ascending="key",
    ),
    params={"bitmaps_start": (0,), "column_type": (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12)},
    computed={
        "num_entries": Measure("count", "entries"),
    },
)

make_bitmap_block_v2 = BITMAP_BLOCK_V2_TYPE.make


BITMAP_ENTRY_V2_TYPE = Type(
    BitmapIndexV2.BitmapEntryV2,
    "bitmap_entry_v2",
    Object("key", "typed_value", args={"column_type": "column_type"}),
    Number("ofs_bitmap", S4BE, inverse={"row": lambda s: -1 - s._asked("row")}),
    Number("len_bitmap", S4BE, value=lambda s: s._length("bitmap") if s._is_set("bitmap") else -1),
    Object(
        "bitmap",
        "roaring_bitmap_32",
        size="len_bitmap",
        at=lambda s: s._parent.bitmaps_start + s.ofs_bitmap,
        when=lambda s: not s.is_single,
        measured=True,
        needs_parent=True,
    ),
    params={"column_type": (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12)},
    computed={
        "len_bitmap": Measure("length", "bitmap"),
        "ofs_bitmap": Measure("position", "bitmap", lambda s, n: n - s._parent.bitmaps_start),
    },
    given=("row",),
    values={
        "is_single": lambda s: s.ofs_bitmap < 0,
        "row": lambda s: -1 - s.ofs_bitmap,
    },
)

make_bitmap_entry_v2 = BITMAP_ENTRY_V2_TYPE.make


def ofs_bitmap_of_row(row: Any) -> Any:
    """Return the `ofs_bitmap` that stands for a `row`: an int, or an array of int64."""
    return -1 - row
