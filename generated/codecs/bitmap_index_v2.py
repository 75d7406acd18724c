# Generated from specs/bitmap_index_v2.ksy by `python -m tools.ksy generate`. Do not edit.
"""Arrays of the records of bitmap_index_v2, and what is packed at once.

Bitmap index of a Paimon file index, version 2.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np

from ..arrays import Layout, RecordArray, fresh, wide
from ..parsers.bitmap_index_v2 import BitmapIndexV2
from ..parsers.typed_value import TypedValue


class BitmapBlockRefV2Array(RecordArray):
    """Records of type `bitmap_block_ref_v2` as columns."""

    __slots__ = ("column_type",)

    _params = ("column_type",)
    _decides = "column_type"
    _layouts: ClassVar[Mapping[int | None, Layout]] = {
        1: Layout(
            [("key", "u1"), ("ofs_block", ">i4")],
            inner={"key": ("boolean",)},
            checks=(
                ("key", lambda a: ~np.isin(a, [0, 1])),
                ("ofs_block", lambda a: a < 0),
            ),
        ),
        2: Layout(
            [("key", "i1"), ("ofs_block", ">i4")],
            inner={"key": ("int8",)},
            checks=(("ofs_block", lambda a: a < 0),),
        ),
        3: Layout(
            [("key", ">i2"), ("ofs_block", ">i4")],
            inner={"key": ("int16",)},
            checks=(("ofs_block", lambda a: a < 0),),
        ),
        4: Layout(
            [("key", ">i4"), ("ofs_block", ">i4")],
            inner={"key": ("int32",)},
            checks=(("ofs_block", lambda a: a < 0),),
        ),
        5: Layout(
            [("key", ">i8"), ("ofs_block", ">i4")],
            inner={"key": ("int64",)},
            checks=(("ofs_block", lambda a: a < 0),),
        ),
        6: Layout(
            [("key", ">f4"), ("ofs_block", ">i4")],
            inner={"key": ("float32",)},
            checks=(("ofs_block", lambda a: a < 0),),
        ),
        7: Layout(
            [("key", ">f8"), ("ofs_block", ">i4")],
            inner={"key": ("float64",)},
            checks=(("ofs_block", lambda a: a < 0),),
        ),
        8: Layout(
            [("len(key)", ">i4"), ("ofs_block", ">i4")],
            inner={"key": ("len_text", "text")},
            text="key",
            length="len(key)",
            before=4,
            checks=(("ofs_block", lambda a: a < 0),),
        ),
        9: Layout(
            [("key", ">i4"), ("ofs_block", ">i4")],
            inner={"key": ("int32",)},
            checks=(("ofs_block", lambda a: a < 0),),
        ),
        10: Layout(
            [("key", ">i4"), ("ofs_block", ">i4")],
            inner={"key": ("int32",)},
            checks=(("ofs_block", lambda a: a < 0),),
        ),
        11: Layout(
            [("key", ">i8"), ("ofs_block", ">i4")],
            inner={"key": ("int64",)},
            checks=(("ofs_block", lambda a: a < 0),),
        ),
        12: Layout(
            [("key", ">i8"), ("ofs_block", ">i4")],
            inner={"key": ("int64",)},
            checks=(("ofs_block", lambda a: a < 0),),
        ),
    }

    column_type: int

    def _record(self, index: int, values: tuple[Any, ...]) -> Any:
        record = fresh(
            BitmapIndexV2.BitmapBlockRefV2, self, self._parent, column_type=self.column_type
        )
        record._root = self._root
        key = fresh(TypedValue, self, None, column_type=self.column_type)
        inner = self._layout.inner["key"]
        key.__dict__[inner[0]] = values[0]
        if self._text is not None and len(inner) == 2:
            key.__dict__[inner[1]] = self._text[index]
        record.key = key
        record.ofs_block = values[1]
        return record


class BitmapEntryV2Array(RecordArray):
    """Records of type `bitmap_entry_v2` as columns."""

    __slots__ = ("column_type",)

    _params = ("column_type",)
    _decides = "column_type"
    _layouts: ClassVar[Mapping[int | None, Layout]] = {
        1: Layout(
            [("key", "u1"), ("ofs_bitmap", ">i4"), ("len_bitmap", ">i4")],
            inner={"key": ("boolean",)},
            checks=(("key", lambda a: ~np.isin(a, [0, 1])),),
        ),
        2: Layout(
            [("key", "i1"), ("ofs_bitmap", ">i4"), ("len_bitmap", ">i4")], inner={"key": ("int8",)}
        ),
        3: Layout(
            [("key", ">i2"), ("ofs_bitmap", ">i4"), ("len_bitmap", ">i4")],
            inner={"key": ("int16",)},
        ),
        4: Layout(
            [("key", ">i4"), ("ofs_bitmap", ">i4"), ("len_bitmap", ">i4")],
            inner={"key": ("int32",)},
        ),
        5: Layout(
            [("key", ">i8"), ("ofs_bitmap", ">i4"), ("len_bitmap", ">i4")],
            inner={"key": ("int64",)},
        ),
        6: Layout(
            [("key", ">f4"), ("ofs_bitmap", ">i4"), ("len_bitmap", ">i4")],
            inner={"key": ("float32",)},
        ),
        7: Layout(
            [("key", ">f8"), ("ofs_bitmap", ">i4"), ("len_bitmap", ">i4")],
            inner={"key": ("float64",)},
        ),
        8: Layout(
            [("len(key)", ">i4"), ("ofs_bitmap", ">i4"), ("len_bitmap", ">i4")],
            inner={"key": ("len_text", "text")},
            text="key",
            length="len(key)",
            before=4,
        ),
        9: Layout(
            [("key", ">i4"), ("ofs_bitmap", ">i4"), ("len_bitmap", ">i4")],
            inner={"key": ("int32",)},
        ),
        10: Layout(
            [("key", ">i4"), ("ofs_bitmap", ">i4"), ("len_bitmap", ">i4")],
            inner={"key": ("int32",)},
        ),
        11: Layout(
            [("key", ">i8"), ("ofs_bitmap", ">i4"), ("len_bitmap", ">i4")],
            inner={"key": ("int64",)},
        ),
        12: Layout(
            [("key", ">i8"), ("ofs_bitmap", ">i4"), ("len_bitmap", ">i4")],
            inner={"key": ("int64",)},
        ),
    }

    column_type: int

    def _record(self, index: int, values: tuple[Any, ...]) -> Any:
        record = fresh(
            BitmapIndexV2.BitmapEntryV2, self, self._parent, column_type=self.column_type
        )
        record._root = self._root
        key = fresh(TypedValue, self, None, column_type=self.column_type)
        inner = self._layout.inner["key"]
        key.__dict__[inner[0]] = values[0]
        if self._text is not None and len(inner) == 2:
            key.__dict__[inner[1]] = self._text[index]
        record.key = key
        record.ofs_bitmap = values[1]
        record.len_bitmap = values[2]
        return record

    @property
    def is_single(self) -> Any:
        return wide(self.ofs_bitmap) < 0

    @property
    def row(self) -> Any:
        """The only row that contains the value."""
        return -1 - wide(self.ofs_bitmap)


def ofs_null_of_null_row(null_row: Any) -> Any:
    """The `ofs_null` that stands for a `null_row`; an integer or an array of them."""
    return -1 - wide(null_row)


def ofs_bitmap_of_row(row: Any) -> Any:
    """The `ofs_bitmap` that stands for a `row`; an integer or an array of them."""
    return -1 - wide(row)
