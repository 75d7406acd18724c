# Generated from specs/bitmap_index_v2.ksy by `python -m tools.ksy generate`. Do not edit.
"""Reads and writes the repeats of bitmap_index_v2 as arrays.

Bitmap index of a Paimon file index, version 2.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping
from typing import Any, ClassVar, Self

import numpy as np

from ..arrays import BytesColumn, Layout, Reader, RecordArray, fresh, invalid, wide
from ..parsers.bitmap_index_v2 import BitmapIndexV2
from ..parsers.position import Position
from ..parsers.typed_value import TypedValue
from .position import parse_position

_S4BE = struct.Struct(">i")


class BitmapBlockRefV2Array(RecordArray):
    """Records of type `bitmap_block_ref_v2` as columns."""

    __slots__ = ("column_type",)

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

    @classmethod
    def from_columns(cls, column_type: int, *, key: Any, ofs_block: Any) -> Self:
        """An array from its columns, all of one length."""
        self = cls._build(
            column_type,
            {
                "key": key,
                "ofs_block": ofs_block,
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

    @property
    def key(self) -> Any:
        return self._column("key")

    @property
    def ofs_block(self) -> Any:
        return self._column("ofs_block")


class BitmapEntryV2Array(RecordArray):
    """Records of type `bitmap_entry_v2` as columns."""

    __slots__ = ("column_type",)

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

    @classmethod
    def from_columns(cls, column_type: int, *, key: Any, ofs_bitmap: Any, len_bitmap: Any) -> Self:
        """An array from its columns, all of one length."""
        self = cls._build(
            column_type,
            {
                "key": key,
                "ofs_bitmap": ofs_bitmap,
                "len_bitmap": len_bitmap,
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
    def key(self) -> Any:
        return self._column("key")

    @property
    def ofs_bitmap(self) -> Any:
        return self._column("ofs_bitmap")

    @property
    def len_bitmap(self) -> Any:
        return self._column("len_bitmap")

    @property
    def is_single(self) -> Any:
        return wide(self.ofs_bitmap) < 0

    @property
    def row(self) -> Any:
        """The only row that contains the value."""
        return -1 - wide(self.ofs_bitmap)


def parse_bitmap_directory_v2(x: Any, r: Reader) -> None:
    """Reads a `bitmap_directory_v2` into `x`, repeats as arrays. Raises FormatError."""
    x.blocks = BitmapBlockRefV2Array.of_reader(r, x.num_blocks, x.column_type)
    x.blocks.place_in(x)
    at = r.take(4)
    (x.len_blocks,) = _S4BE.unpack_from(r.buffer, at)
    if x.len_blocks < 0:
        raise invalid("len_blocks", x.len_blocks, r)
    x.blocks_start = fresh(Position, x, None, at=r.pos)
    parse_position(x.blocks_start, r)


def read_bitmap_directory_v2(
    buffer: bytes | memoryview, pos: int, num_blocks: Any, column_type: Any
) -> tuple[Any, int]:
    """(a `bitmap_directory_v2` from `pos` of a buffer, where it ends). Raises FormatError."""
    x = fresh(
        BitmapIndexV2.BitmapDirectoryV2, None, None, num_blocks=num_blocks, column_type=column_type
    )
    r = Reader(buffer, pos)
    parse_bitmap_directory_v2(x, r)
    return x, r.pos


def parse_bitmap_block_v2(x: Any, r: Reader) -> None:
    """Reads a `bitmap_block_v2` into `x`, repeats as arrays. Raises FormatError."""
    at = r.take(4)
    (x.num_entries,) = _S4BE.unpack_from(r.buffer, at)
    if x.num_entries < 0:
        raise invalid("num_entries", x.num_entries, r)
    x.entries = BitmapEntryV2Array.of_reader(r, x.num_entries, x.column_type)
    x.entries.place_in(x)


def read_bitmap_block_v2(
    buffer: bytes | memoryview, pos: int, bitmaps_start: Any, column_type: Any
) -> tuple[Any, int]:
    """(a `bitmap_block_v2` from `pos` of a buffer, where it ends). Raises FormatError."""
    x = fresh(
        BitmapIndexV2.BitmapBlockV2,
        None,
        None,
        bitmaps_start=bitmaps_start,
        column_type=column_type,
    )
    r = Reader(buffer, pos)
    parse_bitmap_block_v2(x, r)
    return x, r.pos


def directory(x: Any) -> Any:
    """The `directory` of a `bitmap_index_v2`.

    Like the parser's property of a `bitmap_index_v2`, with repeats as arrays; cached in `x`.
    Raises FormatError.
    """
    found = x.__dict__.get("_a_directory")
    if found is not None:
        return found
    if x._io is None:
        return x._m_directory
    r = Reader.of_stream(x._io, x.directory_start.at)
    found = fresh(
        BitmapIndexV2.BitmapDirectoryV2, x, x, num_blocks=x.num_blocks, column_type=x.column_type
    )
    parse_bitmap_directory_v2(found, r)
    x._a_directory = found
    x.__dict__.setdefault("_m_directory", found)
    return found


def block(x: Any) -> Any:
    """The `block` of a `bitmap_block_ref_v2`.

    Like the parser's property of a `bitmap_block_ref_v2`, with repeats as arrays; cached in `x`.
    Raises FormatError.
    """
    found = x.__dict__.get("_a_block")
    if found is not None:
        return found
    if x._io is None:
        return x._m_block
    r = Reader.of_stream(x._io, x._parent.blocks_start.at + x.ofs_block)
    found = fresh(
        BitmapIndexV2.BitmapBlockV2,
        x,
        x,
        bitmaps_start=x._parent.bitmaps_start,
        column_type=x.column_type,
    )
    parse_bitmap_block_v2(found, r)
    x._a_block = found
    x.__dict__.setdefault("_m_block", found)
    return found


def extent_directory(x: Any) -> tuple[Any, Any]:
    """Where the `directory` of a `bitmap_index_v2` is: (position, size or None).

    In bytes, without reading it. `x` is one object or an array of records; whether there is a
    `directory` is not looked at.
    """
    return x.directory_start.at, None


def extent_null_bitmap(x: Any) -> tuple[Any, Any]:
    """Where the `null_bitmap` of a `bitmap_index_v2` is: (position, size or None).

    In bytes, without reading it. `x` is one object or an array of records; whether there is a
    `null_bitmap` is not looked at.
    """
    return directory(x).bitmaps_start + wide(x.ofs_null), wide(x.len_null)


def extent_block(x: Any) -> tuple[Any, Any]:
    """Where the `block` of a `bitmap_block_ref_v2` is: (position, size or None).

    In bytes, without reading it. `x` is one object or an array of records; whether there is a
    `block` is not looked at.
    """
    return x._parent.blocks_start.at + wide(x.ofs_block), None


def extent_bitmap(x: Any) -> tuple[Any, Any]:
    """Where the `bitmap` of a `bitmap_entry_v2` is: (position, size or None).

    In bytes, without reading it. `x` is one object or an array of records; whether there is a
    `bitmap` is not looked at.
    """
    return x._parent.bitmaps_start + wide(x.ofs_bitmap), wide(x.len_bitmap)


def ofs_null_of_null_row(null_row: Any) -> Any:
    """The `ofs_null` that stands for a `null_row`; an integer or an array of them."""
    return -1 - wide(null_row)


def ofs_bitmap_of_row(row: Any) -> Any:
    """The `ofs_bitmap` that stands for a `row`; an integer or an array of them."""
    return -1 - wide(row)
