# Generated from specs/parquet_metadata.ksy by `python -m tools.ksy generate`. Do not edit.
"""Arrays of the records of parquet_metadata, and what is packed at once.

Metadata of a Parquet file, as a file of its own.
"""

from __future__ import annotations

import struct

from ..errors import FormatError

_U4LE = struct.Struct("<I")
_U4LE_U4LE = struct.Struct("<II")


def pack_parquet_metadata_start() -> bytes:
    """A `parquet_metadata_start` in bytes. Raises FormatError for what does not fit."""
    try:
        packed = _U4LE.pack(827474256)
    except struct.error as error:
        raise FormatError(f"parquet_metadata_start: {error}", None) from None
    return packed


def pack_parquet_metadata_end(*, len_footer: int) -> bytes:
    """A `parquet_metadata_end` in bytes. Raises FormatError for what does not fit."""
    try:
        packed = _U4LE_U4LE.pack(len_footer, 827474256)
    except struct.error as error:
        raise FormatError(f"parquet_metadata_end: {error}", None) from None
    return packed
