# Generated from specs/roaring_bitmap_64.ksy by `python -m tools.ksy generate`. Do not edit.
"""Reads and writes the repeats of roaring_bitmap_64 as arrays.

Roaring bitmap of 64-bit integers, portable format.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping
from typing import Any, ClassVar, Self

import numpy as np

from ..arrays import BytesColumn, Layout, Reader, RecordArray, fresh, invalid, wide
from ..errors import FormatError
from ..parsers.roaring_bitmap_32 import RoaringBitmap32
from ..parsers.roaring_bitmap_64 import RoaringBitmap64
from .roaring_bitmap_32 import parse_roaring_bitmap_32

_S4LE = struct.Struct("<i")
_S8LE = struct.Struct("<q")


class KeyedBitmapStartArray(RecordArray):
    """Records of type `keyed_bitmap_start` as columns.

    The first fields of a `keyed_bitmap`. An empty bitmap has no others.
    """

    __slots__ = ()

    _layouts: ClassVar[Mapping[int | None, Layout]] = {
        None: Layout(
            [
                ("key", "<i4"),
                ("cookie", "<u2"),
                ("num_containers_minus_1", "<u2"),
                ("num_containers", "<u4"),
            ]
        ),
    }

    @classmethod
    def from_columns(
        cls, *, key: Any, cookie: Any, num_containers_minus_1: Any, num_containers: Any
    ) -> Self:
        """An array from its columns, all of one length."""
        self = cls._build(
            None,
            {
                "key": key,
                "cookie": cookie,
                "num_containers_minus_1": num_containers_minus_1,
                "num_containers": num_containers,
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
        record = fresh(RoaringBitmap64.KeyedBitmapStart, self, self._parent)
        record._root = self._root
        record.key = values[0]
        record.cookie = values[1]
        record.num_containers_minus_1 = values[2]
        record.num_containers = values[3]
        return record

    @property
    def key(self) -> Any:
        return self._column("key")

    @property
    def cookie(self) -> Any:
        return self._column("cookie")

    @property
    def num_containers_minus_1(self) -> Any:
        return self._column("num_containers_minus_1")

    @property
    def num_containers(self) -> Any:
        return self._column("num_containers")

    @property
    def is_empty(self) -> Any:
        return np.logical_and(
            np.logical_and(wide(self.cookie) == 12346, wide(self.num_containers_minus_1) == 0),
            wide(self.num_containers) == 0,
        )


def parse_roaring_bitmap_64(x: Any, r: Reader) -> None:
    """Reads a `roaring_bitmap_64` into `x`, repeats as arrays. Raises FormatError."""
    at = r.take(8)
    (x.num_bitmaps,) = _S8LE.unpack_from(r.buffer, at)
    if x.num_bitmaps < 0:
        raise invalid("num_bitmaps", x.num_bitmaps, r)
    if x.num_bitmaps > 2147483647:
        raise invalid("num_bitmaps", x.num_bitmaps, r)
    x.bitmaps = []
    for _ in range(x.num_bitmaps):
        item = fresh(RoaringBitmap64.KeyedBitmap, x, x)
        parse_keyed_bitmap(item, r)
        x.bitmaps.append(item)


def read_roaring_bitmap_64(buffer: bytes | memoryview, pos: int) -> tuple[Any, int]:
    """(a `roaring_bitmap_64` from `pos` of a buffer, where it ends). Raises FormatError."""
    x = fresh(RoaringBitmap64, None, None)
    r = Reader(buffer, pos)
    parse_roaring_bitmap_64(x, r)
    return x, r.pos


def parse_keyed_bitmap(x: Any, r: Reader) -> None:
    """Reads a `keyed_bitmap` into `x`, repeats as arrays. Raises FormatError."""
    at = r.take(4)
    (x.key,) = _S4LE.unpack_from(r.buffer, at)
    if x.key < 0:
        raise invalid("key", x.key, r)
    if x.key > 2147483646:
        raise invalid("key", x.key, r)
    x.bitmap = fresh(RoaringBitmap32, x, None)
    parse_roaring_bitmap_32(x.bitmap, r)


def read_keyed_bitmap(buffer: bytes | memoryview, pos: int) -> tuple[Any, int]:
    """(a `keyed_bitmap` from `pos` of a buffer, where it ends). Raises FormatError."""
    x = fresh(RoaringBitmap64.KeyedBitmap, None, None)
    r = Reader(buffer, pos)
    parse_keyed_bitmap(x, r)
    return x, r.pos


def parse_keyed_bitmap_starts(x: Any, r: Reader) -> None:
    """Reads a `keyed_bitmap_starts` into `x`, repeats as arrays. Raises FormatError."""
    x.starts = KeyedBitmapStartArray.of_reader(r, x.num_starts)
    x.starts.place_in(x)


def read_keyed_bitmap_starts(
    buffer: bytes | memoryview, pos: int, num_starts: Any
) -> tuple[Any, int]:
    """(a `keyed_bitmap_starts` from `pos` of a buffer, where it ends). Raises FormatError."""
    x = fresh(RoaringBitmap64.KeyedBitmapStarts, None, None, num_starts=num_starts)
    r = Reader(buffer, pos)
    parse_keyed_bitmap_starts(x, r)
    return x, r.pos


def sizeof_keyed_bitmap_starts(num_starts: Any) -> Any:
    """Bytes of a `keyed_bitmap_starts`; integers or arrays of them."""
    return wide(num_starts) * 12


def pack_roaring_bitmap_64_head(*, num_bitmaps: int) -> bytes:
    """A `roaring_bitmap_64_head` in bytes. Raises FormatError for what does not fit."""
    try:
        packed = _S8LE.pack(num_bitmaps)
    except struct.error as error:
        raise FormatError(f"roaring_bitmap_64_head: {error}", None) from None
    return packed


def pack_keyed_bitmap_head(*, key: int) -> bytes:
    """A `keyed_bitmap_head` in bytes. Raises FormatError for what does not fit."""
    try:
        packed = _S4LE.pack(key)
    except struct.error as error:
        raise FormatError(f"keyed_bitmap_head: {error}", None) from None
    return packed
