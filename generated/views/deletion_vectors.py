# Generated from deletion_vectors.ksy by `ksykit generate`. Do not edit.
"""Views of deletion_vectors: Deletion vectors of Paimon data files."""

from enum import IntEnum
from itertools import accumulate
from typing import Any, NamedTuple

from ksykit.runtime.records import Buffer, Field, Numbers

VectorKind = IntEnum("VectorKind", {"bits_32": 1581511376, "bits_64": 3520280932})
_DELETION_VECTORS_HEAD_VERSION = Numbers(
    ">B", Field("version", "deletion_vectors/seq/0", ">B", equal=1)
)
_DELETION_VECTOR_HEAD_LEN_DATA = Numbers(
    ">i", Field("len_data", "deletion_vectors/types/deletion_vector/seq/0", ">i", least=12)
)
_DELETION_VECTOR_TAIL_CRC32 = Numbers(
    ">I", Field("crc32", "deletion_vectors/types/deletion_vector/seq/2", ">I")
)
_DELETION_VECTOR_DATA_HEAD_KIND = Numbers(
    ">I",
    Field(
        "kind",
        "deletion_vectors/types/deletion_vector_data/seq/0",
        ">I",
        any_of=[1581511376, 3520280932],
    ),
)


class DeletionVectorsHead:
    """The deleted rows of data files: one vector for each data file."""

    __slots__ = ("end", "version")

    def __init__(self, d: Buffer, start: int, p: int) -> None:
        if not 0 <= p <= len(d) - 1:
            raise _DELETION_VECTORS_HEAD_VERSION.broken(d, start, p, self)
        (self.version,) = _DELETION_VECTORS_HEAD_VERSION.unpack_from(d, p)
        if self.version != 1:
            raise _DELETION_VECTORS_HEAD_VERSION.broken(d, start, p, self)
        p += 1
        self.end = start + p


class DeletionVectorsPlaces(NamedTuple):
    """Where the fields of a `deletion_vectors` start."""

    version: Any
    vectors: Any


def places_deletion_vectors() -> DeletionVectorsPlaces:
    """Return where the fields of a `deletion_vectors` start, for ints or arrays of int64."""
    return DeletionVectorsPlaces(*accumulate([1], initial=0))


class DeletionVectorHead:
    """A `deletion_vector_head`."""

    __slots__ = ("end", "len_data")

    def __init__(self, d: Buffer, start: int, p: int) -> None:
        if not 0 <= p <= len(d) - 4:
            raise _DELETION_VECTOR_HEAD_LEN_DATA.broken(d, start, p, self)
        (self.len_data,) = _DELETION_VECTOR_HEAD_LEN_DATA.unpack_from(d, p)
        if self.len_data < 12:
            raise _DELETION_VECTOR_HEAD_LEN_DATA.broken(d, start, p, self)
        p += 4
        self.end = start + p


class DeletionVectorTail:
    """A `deletion_vector_tail`."""

    __slots__ = ("crc32", "end")

    def __init__(self, d: Buffer, start: int, p: int) -> None:
        if not 0 <= p <= len(d) - 4:
            raise _DELETION_VECTOR_TAIL_CRC32.broken(d, start, p, self)
        (self.crc32,) = _DELETION_VECTOR_TAIL_CRC32.unpack_from(d, p)
        p += 4
        self.end = start + p


class DeletionVectorPlaces(NamedTuple):
    """Where the fields of a `deletion_vector` start, and where it ends."""

    len_data: Any
    data: Any
    crc32: Any
    end: Any


def places_deletion_vector(len_data: Any) -> DeletionVectorPlaces:
    """Return where the fields of a `deletion_vector` start, for ints or arrays of int64."""
    return DeletionVectorPlaces(*accumulate([4, len_data, 4], initial=0))


class DeletionVectorDataHead:
    """A `deletion_vector_data_head`."""

    __slots__ = ("end", "kind")

    def __init__(self, d: Buffer, start: int, p: int) -> None:
        if not 0 <= p <= len(d) - 4:
            raise _DELETION_VECTOR_DATA_HEAD_KIND.broken(d, start, p, self)
        (self.kind,) = _DELETION_VECTOR_DATA_HEAD_KIND.unpack_from(d, p)
        if self.kind not in (1581511376, 3520280932):
            raise _DELETION_VECTOR_DATA_HEAD_KIND.broken(d, start, p, self)
        p += 4
        self.end = start + p
