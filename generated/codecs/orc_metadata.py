# Generated from specs/orc_metadata.ksy by `python -m tools.ksy generate`. Do not edit.
"""Arrays of the records of orc_metadata, and what is packed at once.

Metadata of an ORC file, as the file has it.
"""

from __future__ import annotations

import struct

from ..errors import FormatError

_U1 = struct.Struct(">B")


def pack_orc_end(*, len_postscript: int) -> bytes:
    """A `orc_end` in bytes. Raises FormatError for what does not fit."""
    try:
        packed = _U1.pack(len_postscript)
    except struct.error as error:
        raise FormatError(f"orc_end: {error}", None) from None
    return packed
