# Generated from specs/deletion_vectors.ksy by `python -m tools.ksy generate`. Do not edit.
"""Reads and writes the repeats of deletion_vectors as arrays.

Deletion vectors of Paimon data files.
"""

from __future__ import annotations

import struct
from typing import Any

from ..arrays import Reader, fresh, invalid
from ..errors import FormatError
from ..parsers.deletion_vectors import DeletionVectors
from ..parsers.roaring_bitmap_32 import RoaringBitmap32
from ..parsers.roaring_bitmap_64 import RoaringBitmap64
from .roaring_bitmap_32 import parse_roaring_bitmap_32
from .roaring_bitmap_64 import parse_roaring_bitmap_64

_S4BE_U4BE = struct.Struct(">iI")
_U1 = struct.Struct(">B")
_U4BE = struct.Struct(">I")


def parse_deletion_vector_data(x: Any, r: Reader) -> None:
    """Reads a `deletion_vector_data` into `x`, repeats as arrays. Raises FormatError."""
    at = r.take(4)
    (x.kind,) = _U4BE.unpack_from(r.buffer, at)
    if x.kind not in (
        1581511376,
        3520280932,
    ):
        raise invalid("kind", x.kind, r)
    if x.kind == 1581511376:
        x.bitmap_32 = fresh(RoaringBitmap32, x, None)
        parse_roaring_bitmap_32(x.bitmap_32, r)
    if x.kind == 3520280932:
        x.bitmap_64 = fresh(RoaringBitmap64, x, None)
        parse_roaring_bitmap_64(x.bitmap_64, r)


def read_deletion_vector_data(buffer: bytes | memoryview, pos: int) -> tuple[Any, int]:
    """(a `deletion_vector_data` from `pos` of a buffer, where it ends). Raises FormatError."""
    x = fresh(DeletionVectors.DeletionVectorData, None, None)
    r = Reader(buffer, pos)
    parse_deletion_vector_data(x, r)
    return x, r.pos


def pack_deletion_vectors_head() -> bytes:
    """A `deletion_vectors_head` in bytes. Raises FormatError for what does not fit."""
    try:
        packed = _U1.pack(1)
    except struct.error as error:
        raise FormatError(f"deletion_vectors_head: {error}", None) from None
    return packed


def pack_deletion_vector_start(*, len_data: int, kind: int) -> bytes:
    """A `deletion_vector_start` in bytes. Raises FormatError for what does not fit."""
    try:
        packed = _S4BE_U4BE.pack(len_data, kind)
    except struct.error as error:
        raise FormatError(f"deletion_vector_start: {error}", None) from None
    return packed


def pack_deletion_vector_end(*, crc32: int) -> bytes:
    """A `deletion_vector_end` in bytes. Raises FormatError for what does not fit."""
    try:
        packed = _U4BE.pack(crc32)
    except struct.error as error:
        raise FormatError(f"deletion_vector_end: {error}", None) from None
    return packed
