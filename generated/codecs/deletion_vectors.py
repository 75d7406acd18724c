# Generated from specs/deletion_vectors.ksy by `python -m tools.ksy generate`. Do not edit.
"""Arrays of the records of deletion_vectors, and what is packed at once.

Deletion vectors of Paimon data files.
"""

from __future__ import annotations

import struct

from ..errors import FormatError

_S4BE_U4BE = struct.Struct(">iI")
_U1 = struct.Struct(">B")
_U4BE = struct.Struct(">I")


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
