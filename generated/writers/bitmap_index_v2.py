# Generated from specs/bitmap_index_v2.ksy by `paimon-ksy generate`. Do not edit.
"""Makes and writes the types of bitmap_index_v2.

Bitmap index of a Paimon file index, version 2.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from paimon_ksy.runtime.fields import (
    Measure,
    Number,
    Object,
    Objects,
    Type,
)
from paimon_ksy.runtime.json_values import S4BE, U1

from ..parsers.bitmap_index_v2 import BitmapIndexV2
from ..parsers.roaring_bitmap_32 import RoaringBitmap32
from ..parsers.typed_value import TypedValue

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
        at="directory_start.at",
        looked=True,
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
    deciding=None,
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


def make_bitmap_index_v2(
    *,
    column_type: int | None = None,
    num_rows: int | None = None,
    num_values: int | None = None,
    has_null: int | None = None,
    ofs_null: int | None = None,
    len_null: int | None = None,
    num_blocks: int | None = None,
    directory: BitmapIndexV2.BitmapDirectoryV2 | bytes | None = None,
    null_bitmap: RoaringBitmap32 | bytes | None = None,
    null_row: int | None = None,
) -> Any:
    """Return a new `bitmap_index_v2`; what is None is computed when it is written.

    A bitmap index of version 2, without the version byte. It consists of a
    directory of blocks, the blocks, and the bitmaps. Together, the blocks are
    the dictionary of all values in ascending order. A look-up reads the
    directory, one block and one bitmap.

    Strings are ordered by their unsigned bytes, and floating-point numbers as by
    `Float.compare` (-0.0 before 0.0, NaN last). The bitmaps are in the iteration
    order of Java's `HashMap`.
    """
    return BITMAP_INDEX_V2_TYPE.new(locals())


def ofs_null_of_null_row(null_row: Any) -> Any:
    """Return the `ofs_null` that stands for a `null_row`: an int, or an array of int64."""
    return -1 - null_row


BITMAP_DIRECTORY_V2_TYPE = Type(
    BitmapIndexV2.BitmapDirectoryV2,
    "bitmap_directory_v2",
    Objects(
        "blocks",
        "bitmap_block_ref_v2",
        args={"column_type": "column_type"},
        count="num_blocks",
        looked=True,
        ascending="key",
    ),
    Number("len_blocks", S4BE, least=0, value=lambda s: s._length("blocks.body"), role="length"),
    Object("blocks_start", "position", args={"at": "_io.pos"}, looked=True),
    params={"num_blocks": range(16), "column_type": (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12)},
    values={
        "bitmaps_start": lambda s: s.blocks_start.at + s.len_blocks,
    },
)


def make_bitmap_directory_v2(
    *,
    num_blocks: int | None = None,
    column_type: int | None = None,
    blocks: Sequence[BitmapIndexV2.BitmapBlockRefV2 | bytes] | None = None,
    len_blocks: int | None = None,
) -> Any:
    """Return a new `bitmap_directory_v2`; what is None is computed when it is written."""
    return BITMAP_DIRECTORY_V2_TYPE.new(locals())


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


def make_bitmap_block_ref_v2(
    *,
    column_type: int | None = None,
    key: TypedValue | bytes | None = None,
    ofs_block: int | None = None,
    body: BitmapIndexV2.BitmapBlockV2 | bytes | None = None,
) -> Any:
    """Return a new `bitmap_block_ref_v2`; what is None is computed when it is written."""
    return BITMAP_BLOCK_REF_V2_TYPE.new(locals())


BITMAP_BLOCK_V2_TYPE = Type(
    BitmapIndexV2.BitmapBlockV2,
    "bitmap_block_v2",
    Number("num_entries", S4BE, least=1, small=True),
    Objects(
        "entries",
        "bitmap_entry_v2",
        args={"column_type": "column_type"},
        count="num_entries",
        ascending="key",
    ),
    params={"bitmaps_start": (0,), "column_type": (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12)},
    computed={
        "num_entries": Measure("count", "entries"),
    },
)


def make_bitmap_block_v2(
    *,
    bitmaps_start: int | None = None,
    column_type: int | None = None,
    num_entries: int | None = None,
    entries: Sequence[BitmapIndexV2.BitmapEntryV2 | bytes] | None = None,
) -> Any:
    """Return a new `bitmap_block_v2`; what is None is computed when it is written.

    A part of the dictionary. Java adds entries to a block until it would
    exceed `index-block-size` bytes, 16 kB by default.
    """
    return BITMAP_BLOCK_V2_TYPE.new(locals())


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


def make_bitmap_entry_v2(
    *,
    column_type: int | None = None,
    key: TypedValue | bytes | None = None,
    ofs_bitmap: int | None = None,
    len_bitmap: int | None = None,
    bitmap: RoaringBitmap32 | bytes | None = None,
    row: int | None = None,
) -> Any:
    """Return a new `bitmap_entry_v2`; what is None is computed when it is written."""
    return BITMAP_ENTRY_V2_TYPE.new(locals())


def ofs_bitmap_of_row(row: Any) -> Any:
    """Return the `ofs_bitmap` that stands for a `row`: an int, or an array of int64."""
    return -1 - row
