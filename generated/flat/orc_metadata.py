# Generated from specs/orc_metadata.ksy by `python -m tools.ksy generate`. Do not edit.
"""Reads types of orc_metadata at once, from bytes that are there.

Metadata of an ORC file, as the file has it.
"""

from __future__ import annotations

from struct import Struct

from ..arrays import Buffer

_U1 = Struct(">B")


class OrcEnd:
    """A `orc_end` at byte `p` of `d`, which stands at `start`; it ends before `end`.

    Raises what is in UNUSUAL.
    """

    __slots__ = (
        "end",
        "len_postscript",
    )

    def __init__(self, d: Buffer, start: int, p: int) -> None:
        (self.len_postscript,) = _U1.unpack_from(d, p)
        p += 1
        self.end = start + p
