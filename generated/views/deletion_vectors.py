# Generated from specs/deletion_vectors.ksy by `paimon-ksy generate`. Do not edit.
"""Views of deletion_vectors: its types, read at once from bytes at hand.

Deletion vectors of Paimon data files.
"""

from __future__ import annotations

from struct import Struct

from paimon_ksy.runtime.records import (
    Buffer,
    Field,
    broken,
)

_DELETION_VECTOR_START_LEN_DATA = (
    Field("len_data", "deletion_vectors/types/deletion_vector_start/seq/0", ">i", least=12),
    Field(
        "kind",
        "deletion_vectors/types/deletion_vector_start/seq/1",
        ">I",
        any_of=[1581511376, 3520280932],
    ),
)
_DELETION_VECTOR_START_LEN_DATA_CODES = Struct(">iI")
_DELETION_VECTOR_END_CRC32 = (
    Field("crc32", "deletion_vectors/types/deletion_vector_end/seq/0", ">I"),
)
_DELETION_VECTOR_END_CRC32_CODES = Struct(">I")


class DeletionVectorStart:
    """A `deletion_vector_start` at place `p` of `d`, whose first byte is byte `start` of the file.

    It ends before byte `end`. Raises FormatError.
    """

    __slots__ = (
        "end",
        "kind",
        "len_data",
    )

    def __init__(self, d: Buffer, start: int, p: int) -> None:
        if p + 8 > len(d):
            raise broken(_DELETION_VECTOR_START_LEN_DATA, d, start, p, self)
        self.len_data, self.kind = _DELETION_VECTOR_START_LEN_DATA_CODES.unpack_from(d, p)
        if self.len_data < 12 or self.kind not in (1581511376, 3520280932):
            raise broken(_DELETION_VECTOR_START_LEN_DATA, d, start, p, self)
        p += 8
        self.end = start + p


class DeletionVectorEnd:
    """A `deletion_vector_end` at place `p` of `d`, whose first byte is byte `start` of the file.

    It ends before byte `end`. Raises FormatError.
    """

    __slots__ = (
        "crc32",
        "end",
    )

    def __init__(self, d: Buffer, start: int, p: int) -> None:
        if p + 4 > len(d):
            raise broken(_DELETION_VECTOR_END_CRC32, d, start, p, self)
        (self.crc32,) = _DELETION_VECTOR_END_CRC32_CODES.unpack_from(d, p)
        p += 4
        self.end = start + p
