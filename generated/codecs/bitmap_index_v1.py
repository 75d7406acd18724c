# Generated from specs/bitmap_index_v1.ksy by `python -m tools.ksy generate`. Do not edit.
"""Reads and writes the repeats of bitmap_index_v1 as arrays.

Bitmap index of a Paimon file index, version 1.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Self

import numpy as np

from ..arrays import BytesColumn, Layout, Reader, RecordArray, fresh, wide
from ..parsers.bitmap_index_v1 import BitmapIndexV1
from ..parsers.position import Position
from ..parsers.roaring_bitmap_32 import RoaringBitmap32
from ..parsers.typed_value import TypedValue
from .position import parse_position
from .roaring_bitmap_32 import parse_roaring_bitmap_32


class BitmapEntryV1Array(RecordArray):
    """Records of type `bitmap_entry_v1` as columns."""

    __slots__ = ("column_type",)

    _layouts: ClassVar[Mapping[int | None, Layout]] = {
        1: Layout(
            [("key", "u1"), ("ofs_bitmap", ">i4")],
            inner={"key": ("boolean",)},
            checks=(("key", lambda a: ~np.isin(a, [0, 1])),),
        ),
        2: Layout([("key", "i1"), ("ofs_bitmap", ">i4")], inner={"key": ("int8",)}),
        3: Layout([("key", ">i2"), ("ofs_bitmap", ">i4")], inner={"key": ("int16",)}),
        4: Layout([("key", ">i4"), ("ofs_bitmap", ">i4")], inner={"key": ("int32",)}),
        5: Layout([("key", ">i8"), ("ofs_bitmap", ">i4")], inner={"key": ("int64",)}),
        6: Layout([("key", ">f4"), ("ofs_bitmap", ">i4")], inner={"key": ("float32",)}),
        7: Layout([("key", ">f8"), ("ofs_bitmap", ">i4")], inner={"key": ("float64",)}),
        8: Layout(
            [("len(key)", ">i4"), ("ofs_bitmap", ">i4")],
            inner={"key": ("len_text", "text")},
            text="key",
            length="len(key)",
            before=4,
        ),
        9: Layout([("key", ">i4"), ("ofs_bitmap", ">i4")], inner={"key": ("int32",)}),
        10: Layout([("key", ">i4"), ("ofs_bitmap", ">i4")], inner={"key": ("int32",)}),
        11: Layout([("key", ">i8"), ("ofs_bitmap", ">i4")], inner={"key": ("int64",)}),
        12: Layout([("key", ">i8"), ("ofs_bitmap", ">i4")], inner={"key": ("int64",)}),
    }

    column_type: int

    @classmethod
    def from_columns(cls, column_type: int, *, key: Any, ofs_bitmap: Any) -> Self:
        """An array from its columns, all of one length."""
        self = cls._build(
            column_type,
            {
                "key": key,
                "ofs_bitmap": ofs_bitmap,
            },
        )
        self.column_type = column_type
        return self

    @classmethod
    def of_reader(cls, reader: Reader, count: int, column_type: int) -> Self:
        """The next `count` records of a reader. Raises FormatError."""
        self = cls._read(reader, column_type, count)
        self.column_type = column_type
        return self

    @classmethod
    def read(
        cls, buffer: bytes | memoryview, pos: int, count: int, column_type: int
    ) -> tuple[Self, int]:
        """(`count` records from `pos` of a buffer, where they end). Raises FormatError."""
        reader = Reader(buffer, pos)
        return cls.of_reader(reader, count, column_type), reader.pos

    def _like(self, raw: Any, text: BytesColumn | None) -> Self:
        other = super()._like(raw, text)
        other.column_type = self.column_type
        return other

    def _record(self, index: int, values: tuple[Any, ...]) -> Any:
        record = fresh(
            BitmapIndexV1.BitmapEntryV1, self, self._parent, column_type=self.column_type
        )
        record._root = self._root
        key = fresh(TypedValue, self, None, column_type=self.column_type)
        inner = self._layout.inner["key"]
        key.__dict__[inner[0]] = values[0]
        if self._text is not None and len(inner) == 2:
            key.__dict__[inner[1]] = self._text[index]
        record.key = key
        record.ofs_bitmap = values[1]
        return record

    @property
    def key(self) -> Any:
        return self._column("key")

    @property
    def ofs_bitmap(self) -> Any:
        return self._column("ofs_bitmap")

    @property
    def is_single(self) -> Any:
        return wide(self.ofs_bitmap) < 0

    @property
    def row(self) -> Any:
        """The only row that contains the value."""
        return -1 - wide(self.ofs_bitmap)


def parse_bitmap_dictionary_v1(x: Any, r: Reader) -> None:
    """Reads a `bitmap_dictionary_v1` into `x`, repeats as arrays. Raises FormatError."""
    x.entries = BitmapEntryV1Array.of_reader(r, x.num_values, x.column_type)
    x.entries.place_in(x)
    x.bitmaps_start = fresh(Position, x, None, at=r.pos)
    parse_position(x.bitmaps_start, r)


def read_bitmap_dictionary_v1(
    buffer: bytes | memoryview, pos: int, num_values: Any, column_type: Any
) -> tuple[Any, int]:
    """(a `bitmap_dictionary_v1` from `pos` of a buffer, where it ends). Raises FormatError."""
    x = fresh(
        BitmapIndexV1.BitmapDictionaryV1, None, None, num_values=num_values, column_type=column_type
    )
    r = Reader(buffer, pos)
    parse_bitmap_dictionary_v1(x, r)
    return x, r.pos


def dictionary(x: Any) -> Any:
    """The `dictionary` of a `bitmap_index_v1`.

    Like the parser's property of a `bitmap_index_v1`, with repeats as arrays; cached in `x`.
    Raises FormatError.
    """
    found = x.__dict__.get("_a_dictionary")
    if found is not None:
        return found
    if x._io is None:
        return x._m_dictionary
    r = Reader.of_stream(x._io, x.dictionary_start.at)
    found = fresh(
        BitmapIndexV1.BitmapDictionaryV1, x, x, num_values=x.num_values, column_type=x.column_type
    )
    parse_bitmap_dictionary_v1(found, r)
    x._a_dictionary = found
    x.__dict__.setdefault("_m_dictionary", found)
    return found


def null_bitmap(x: Any) -> Any:
    """The `null_bitmap` of a `bitmap_index_v1`.

    Like the parser's property of a `bitmap_index_v1`, with repeats as arrays; cached in `x`.
    Raises FormatError.
    """
    found = x.__dict__.get("_a_null_bitmap")
    if found is not None:
        return found
    if x._io is None:
        return x._m_null_bitmap
    r = Reader.of_stream(x._io, dictionary(x).bitmaps_start.at + x.ofs_null)
    found = fresh(RoaringBitmap32, x, None)
    parse_roaring_bitmap_32(found, r)
    x._a_null_bitmap = found
    x.__dict__.setdefault("_m_null_bitmap", found)
    return found


def bitmap(x: Any) -> Any:
    """The `bitmap` of a `bitmap_entry_v1`.

    Like the parser's property of a `bitmap_entry_v1`, with repeats as arrays; cached in `x`.
    Raises FormatError.
    """
    found = x.__dict__.get("_a_bitmap")
    if found is not None:
        return found
    if x._io is None:
        return x._m_bitmap
    r = Reader.of_stream(x._io, x._parent.bitmaps_start.at + x.ofs_bitmap)
    found = fresh(RoaringBitmap32, x, None)
    parse_roaring_bitmap_32(found, r)
    x._a_bitmap = found
    x.__dict__.setdefault("_m_bitmap", found)
    return found


def extent_dictionary(x: Any) -> tuple[Any, Any]:
    """Where the `dictionary` of a `bitmap_index_v1` is: (position, size or None).

    In bytes, without reading it. `x` is one object or an array of records; whether there is a
    `dictionary` is not looked at.
    """
    return x.dictionary_start.at, None


def extent_null_bitmap(x: Any) -> tuple[Any, Any]:
    """Where the `null_bitmap` of a `bitmap_index_v1` is: (position, size or None).

    In bytes, without reading it. `x` is one object or an array of records; whether there is a
    `null_bitmap` is not looked at.
    """
    return dictionary(x).bitmaps_start.at + wide(x.ofs_null), None


def extent_bitmap(x: Any) -> tuple[Any, Any]:
    """Where the `bitmap` of a `bitmap_entry_v1` is: (position, size or None).

    In bytes, without reading it. `x` is one object or an array of records; whether there is a
    `bitmap` is not looked at.
    """
    return x._parent.bitmaps_start.at + wide(x.ofs_bitmap), None


def ofs_null_of_null_row(null_row: Any) -> Any:
    """The `ofs_null` that stands for a `null_row`; an integer or an array of them."""
    return -1 - wide(null_row)


def ofs_bitmap_of_row(row: Any) -> Any:
    """The `ofs_bitmap` that stands for a `row`; an integer or an array of them."""
    return -1 - wide(row)
