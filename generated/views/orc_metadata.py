# Generated from specs/orc_metadata.ksy by `python -m tools.ksy generate`. Do not edit.
"""Views of orc_metadata: its types, read at once from bytes at hand.

Metadata of an ORC file, as the file has it.
"""

from __future__ import annotations

from struct import Struct

from ..records import Buffer, Field, broken

_ORC_END_LEN_POSTSCRIPT = (Field("len_postscript", "orc_metadata/types/orc_end/seq/0", "<B"),)
_ORC_END_LEN_POSTSCRIPT_CODES = Struct(">B")


class OrcEnd:
    """A `orc_end` at place `p` of `d`, whose first byte is byte `start` of the file.

    It ends before byte `end`. Raises FormatError.
    """

    __slots__ = (
        "end",
        "len_postscript",
    )

    def __init__(self, d: Buffer, start: int, p: int) -> None:
        if p + 1 > len(d):
            raise broken(_ORC_END_LEN_POSTSCRIPT, d, start, p, self)
        (self.len_postscript,) = _ORC_END_LEN_POSTSCRIPT_CODES.unpack_from(d, p)
        p += 1
        self.end = start + p
