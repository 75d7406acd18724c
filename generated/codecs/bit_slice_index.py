# Generated from specs/bit_slice_index.ksy by `python -m tools.ksy generate`. Do not edit.
"""Reads and writes the repeats of bit_slice_index as arrays.

Bit-slice index of a range bitmap.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping
from typing import Any, ClassVar, Self

from ..arrays import BytesColumn, Layout, Reader, RecordArray, fresh, invalid, wide
from ..parsers.bit_slice_index import BitSliceIndex
from ..parsers.position import Position
from .position import parse_position

_S4BE = struct.Struct(">i")
_U1_U1_S4BE_S4BE = struct.Struct(">BBii")


class BitSliceArray(RecordArray):
    """Records of type `bit_slice` as columns."""

    __slots__ = ()

    _layouts: ClassVar[Mapping[int | None, Layout]] = {
        None: Layout(
            [("ofs_bitmap", ">i4"), ("len_bitmap", ">i4")],
            checks=(
                ("ofs_bitmap", lambda a: a < 0),
                ("len_bitmap", lambda a: a < 0),
            ),
        ),
    }

    @classmethod
    def from_columns(cls, *, ofs_bitmap: Any, len_bitmap: Any) -> Self:
        """An array from its columns, all of one length."""
        self = cls._build(
            None,
            {
                "ofs_bitmap": ofs_bitmap,
                "len_bitmap": len_bitmap,
            },
        )
        return self

    @classmethod
    def of_reader(cls, reader: Reader, count: int) -> Self:
        """The next `count` records of a reader. Raises FormatError."""
        self = cls._read(reader, None, count)
        return self

    @classmethod
    def read(cls, buffer: bytes | memoryview, pos: int, count: int) -> tuple[Self, int]:
        """(`count` records from `pos` of a buffer, where they end). Raises FormatError."""
        reader = Reader(buffer, pos)
        return cls.of_reader(reader, count), reader.pos

    def _like(self, raw: Any, text: BytesColumn | None) -> Self:
        other = super()._like(raw, text)
        return other

    def _record(self, index: int, values: tuple[Any, ...]) -> Any:
        record = fresh(BitSliceIndex.BitSlice, self, self._parent)
        record._root = self._root
        record.ofs_bitmap = values[0]
        record.len_bitmap = values[1]
        return record

    @property
    def ofs_bitmap(self) -> Any:
        return self._column("ofs_bitmap")

    @property
    def len_bitmap(self) -> Any:
        return self._column("len_bitmap")


def parse_bit_slice_index(x: Any, r: Reader) -> None:
    """Reads a `bit_slice_index` into `x`, repeats as arrays. Raises FormatError."""
    at = r.take(4)
    (x.len_head,) = _S4BE.unpack_from(r.buffer, at)
    if x.len_head < 10:
        raise invalid("len_head", x.len_head, r)
    x.head_start = fresh(Position, x, None, at=r.pos)
    parse_position(x.head_start, r)
    at = r.take(10)
    x.version, x.num_slices, x.len_rows, x.len_slices = _U1_U1_S4BE_S4BE.unpack_from(r.buffer, at)
    if x.version != 1:
        raise invalid("version", x.version, r)
    if x.num_slices > 64:
        raise invalid("num_slices", x.num_slices, r)
    if x.len_rows < 0:
        raise invalid("len_rows", x.len_rows, r)
    if x.len_slices != x.num_slices * 8:
        raise invalid("len_slices", x.len_slices, r)
    x.slices = BitSliceArray.of_reader(r, x.num_slices)
    x.slices.place_in(x)
    x.head_end = fresh(Position, x, None, at=r.pos)
    parse_position(x.head_end, r)


def read_bit_slice_index(buffer: bytes | memoryview, pos: int) -> tuple[Any, int]:
    """(a `bit_slice_index` from `pos` of a buffer, where it ends). Raises FormatError."""
    x = fresh(BitSliceIndex, None, None)
    r = Reader(buffer, pos)
    parse_bit_slice_index(x, r)
    return x, r.pos


def extent_rows(x: Any) -> tuple[Any, Any]:
    """Where the `rows` of a `bit_slice_index` is: (position, size or None).

    In bytes, without reading it. `x` is one object or an array of records; whether there is a
    `rows` is not looked at.
    """
    return x.rows_start, wide(x.len_rows)


def extent_bitmap(x: Any) -> tuple[Any, Any]:
    """Where the `bitmap` of a `bit_slice` is: (position, size or None).

    In bytes, without reading it. `x` is one object or an array of records; whether there is a
    `bitmap` is not looked at.
    """
    return x._parent.rows_start + x._parent.len_rows + wide(x.ofs_bitmap), wide(x.len_bitmap)
