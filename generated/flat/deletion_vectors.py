# Generated from specs/deletion_vectors.ksy by `python -m tools.ksy generate`. Do not edit.
"""Reads types of deletion_vectors at once, from bytes that are there.

Deletion vectors of Paimon data files.
"""

from __future__ import annotations

from struct import Struct

from ..arrays import Buffer
from ..errors import Unusual

_S4BE_U4BE = Struct(">iI")
_U4BE = Struct(">I")


class DeletionVectorStart:
    """A `deletion_vector_start` at byte `p` of `d`, which stands at `start`; it ends before `end`.

    Raises what is in UNUSUAL.
    """

    __slots__ = (
        "end",
        "kind",
        "len_data",
    )

    def __init__(self, d: Buffer, start: int, p: int) -> None:
        self.len_data, self.kind = _S4BE_U4BE.unpack_from(d, p)
        p += 8
        if self.len_data < 12 or self.kind not in (
            1581511376,
            3520280932,
        ):
            raise Unusual
        self.end = start + p


class DeletionVectorEnd:
    """A `deletion_vector_end` at byte `p` of `d`, which stands at `start`; it ends before `end`.

    Raises what is in UNUSUAL.
    """

    __slots__ = (
        "crc32",
        "end",
    )

    def __init__(self, d: Buffer, start: int, p: int) -> None:
        (self.crc32,) = _U4BE.unpack_from(d, p)
        p += 4
        self.end = start + p
