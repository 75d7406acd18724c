# Generated from specs/bsi_index.ksy by `python -m tools.ksy generate`. Do not edit.
"""Reads and writes the repeats of bsi_index as arrays.

Bit-slice index (bsi) of a Paimon file index.
"""

from __future__ import annotations

import struct
from typing import Any

from ..arrays import Reader, fresh, invalid
from ..parsers.bsi_index import BsiIndex
from ..parsers.position import Position
from ..parsers.roaring_bitmap_32 import RoaringBitmap32
from .position import parse_position
from .roaring_bitmap_32 import parse_roaring_bitmap_32

_S4BE = struct.Struct(">i")
_S8BE = struct.Struct(">q")
_U1 = struct.Struct(">B")
_U1_S4BE = struct.Struct(">Bi")


def parse_bsi_index(x: Any, r: Reader) -> None:
    """Reads a `bsi_index` into `x`, repeats as arrays. Raises FormatError."""
    x.head = fresh(BsiIndex.BsiHead, x, x)
    parse_bsi_head(x.head, r)
    x.positive = fresh(BsiIndex.BsiPart, x, x)
    parse_bsi_part(x.positive, r)
    x.negative = fresh(BsiIndex.BsiPart, x, x)
    parse_bsi_part(x.negative, r)


def read_bsi_index(buffer: bytes | memoryview, pos: int) -> tuple[Any, int]:
    """(a `bsi_index` from `pos` of a buffer, where it ends). Raises FormatError."""
    x = fresh(BsiIndex, None, None)
    r = Reader(buffer, pos)
    parse_bsi_index(x, r)
    return x, r.pos


def parse_bsi_head(x: Any, r: Reader) -> None:
    """Reads a `bsi_head` into `x`, repeats as arrays. Raises FormatError."""
    at = r.take(5)
    x.version, x.num_rows = _U1_S4BE.unpack_from(r.buffer, at)
    if x.version != 1:
        raise invalid("version", x.version, r)
    if x.num_rows < 0:
        raise invalid("num_rows", x.num_rows, r)


def parse_bsi_part(x: Any, r: Reader) -> None:
    """Reads a `bsi_part` into `x`, repeats as arrays. Raises FormatError."""
    x.head = fresh(BsiIndex.BsiPartHead, x, x)
    parse_bsi_part_head(x.head, r)
    if x.head.has_rows == 1:
        x.rows = fresh(RoaringBitmap32, x, None)
        parse_roaring_bitmap_32(x.rows, r)
    if x.head.has_rows == 1:
        x.slices = fresh(BsiIndex.BsiSlices, x, x, with_bitmaps=True)
        parse_bsi_slices(x.slices, r)


def read_bsi_part(buffer: bytes | memoryview, pos: int) -> tuple[Any, int]:
    """(a `bsi_part` from `pos` of a buffer, where it ends). Raises FormatError."""
    x = fresh(BsiIndex.BsiPart, None, None)
    r = Reader(buffer, pos)
    parse_bsi_part(x, r)
    return x, r.pos


def parse_bsi_part_head(x: Any, r: Reader) -> None:
    """Reads a `bsi_part_head` into `x`, repeats as arrays. Raises FormatError."""
    at = r.take(1)
    (x.has_rows,) = _U1.unpack_from(r.buffer, at)
    if x.has_rows not in (
        0,
        1,
    ):
        raise invalid("has_rows", x.has_rows, r)
    if x.has_rows == 1:
        at = r.take(1)
        (x.version,) = _U1.unpack_from(r.buffer, at)
        if x.version != 1:
            raise invalid("version", x.version, r)
    if x.has_rows == 1:
        at = r.take(8)
        (x.min,) = _S8BE.unpack_from(r.buffer, at)
        if x.min < 0:
            raise invalid("min", x.min, r)
    if x.has_rows == 1:
        at = r.take(8)
        (x.max,) = _S8BE.unpack_from(r.buffer, at)
        if x.max < x.min:
            raise invalid("max", x.max, r)
    x.rows_start = fresh(Position, x, None, at=r.pos)
    parse_position(x.rows_start, r)


def parse_bsi_slices(x: Any, r: Reader) -> None:
    """Reads a `bsi_slices` into `x`, repeats as arrays. Raises FormatError."""
    at = r.take(4)
    (x.num_bitmaps,) = _S4BE.unpack_from(r.buffer, at)
    if x.num_bitmaps < 0:
        raise invalid("num_bitmaps", x.num_bitmaps, r)
    if x.num_bitmaps > 64:
        raise invalid("num_bitmaps", x.num_bitmaps, r)
    x.bitmaps_start = fresh(Position, x, None, at=r.pos)
    parse_position(x.bitmaps_start, r)
    if x.with_bitmaps:
        x.bitmaps = []
        for _ in range(x.num_bitmaps):
            item = fresh(RoaringBitmap32, x, None)
            parse_roaring_bitmap_32(item, r)
            x.bitmaps.append(item)


def read_bsi_slices(buffer: bytes | memoryview, pos: int, with_bitmaps: Any) -> tuple[Any, int]:
    """(a `bsi_slices` from `pos` of a buffer, where it ends). Raises FormatError."""
    x = fresh(BsiIndex.BsiSlices, None, None, with_bitmaps=with_bitmaps)
    r = Reader(buffer, pos)
    parse_bsi_slices(x, r)
    return x, r.pos
