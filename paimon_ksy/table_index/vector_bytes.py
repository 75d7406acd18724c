"""The bytes of one deletion vector: its bitmaps, written, and read with all checks."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal

from ksykit.runtime import objects
from ksykit.runtime.errors import EndError, FormatError
from pyroaring import BitMap

from paimon_ksy.errors import Call, CorruptFileError, Remedy, UnsupportedError, counted
from paimon_ksy.generated.checked import CHECKED
from paimon_ksy.generated.structs.deletion_vectors import (
    DeletionVector,
    make_deletion_vector_data,
)
from paimon_ksy.generated.views.deletion_vectors import (
    DeletionVectorDataHead,
    DeletionVectorHead,
    DeletionVectorTail,
    VectorKind,
    places_deletion_vector,
)
from paimon_ksy.io.source import Source, read_view
from paimon_ksy.roaring.bitmap_32 import BadBitmapError, read_first
from paimon_ksy.roaring.bitmap_64 import read_bitmaps, size_of, write_bitmaps

Bits = Literal[32, 64]

MAX_FILE_SIZE = 2**31 - 1  # offsets and lengths in a manifest are Java ints
DAMAGED = Remedy(
    "the file is corrupt, and the data do not show which rows are deleted: ",
    Call("table audit"),
    " lists the older snapshots that have a sound vector",
)
"""The remedy for a corrupt vector."""
ELSEWHERE = Remedy(
    "the file is corrupt, or no vector starts there: ", Call("dv show"), " finds all of its vectors"
)
"""The remedy for bytes that are not the vector that was asked for."""


def _fastest() -> Callable[[bytes | memoryview, int], int]:
    """Return ISA-L's CRC if the extra `fast` is installed, else zlib's.

    ISA-L takes a tenth of the time on processors that can multiply polynomials.
    """
    try:
        from isal import isal_zlib
    except ImportError:
        import zlib

        return zlib.crc32
    return isal_zlib.crc32


crc32: Callable[[bytes | memoryview, int], int] = _fastest()
"""Extend a CRC with more bytes; the CRC of no bytes is 0."""


_KIND_BYTES = {
    32: objects.to_bytes(make_deletion_vector_data(bitmap_32=b"")),
    64: objects.to_bytes(make_deletion_vector_data(bitmap_64=b"")),
}
"""The bytes between a vector's size and its bitmap, which size and CRC include."""


def _crc_of(bits: int, *bitmap: bytes | memoryview) -> int:
    """Return the CRC of a vector whose bitmap consists of these pieces."""
    crc = crc32(_KIND_BYTES[bits], 0)
    for piece in bitmap:
        crc = crc32(piece, crc)
    return crc


def _stored_length(bits: Bits, len_data: int, len_vector: int) -> int:
    """Return the length of a vector that a manifest stores.

    Source: `DeletionVector.serializeTo` of the two Java classes.
    """
    return len_data if bits == 32 else len_vector


# Writing ------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class VectorBytes:
    """A vector as stored in a file; `length` is Paimon's, as in VectorMeta."""

    data: bytes = field(repr=False)
    length: int
    cardinality: int


def vector_bytes(bits: Bits, parts: Mapping[int, BitMap]) -> VectorBytes:
    """Return the bytes of a vector, equal to those that Java writes. Raises UnsupportedError.

    Its parts are bitmaps by the upper 32 bits of their positions, only 0 if it has 32 bits.
    """
    serialized = {key: part.serialize() for key, part in parts.items()}
    if bits == 32:
        pieces = [serialized[0] if serialized else BitMap().serialize()]
        size = len(pieces[0])
    else:
        size = size_of(serialized)
        if size >= MAX_FILE_SIZE:
            raise UnsupportedError(f"the vector takes {size} bytes: the limit is 2 GB")
        pieces = write_bitmaps(serialized)
    len_data = len(_KIND_BYTES[bits]) + size
    start = DeletionVector.pack_field("len_data", len_data)
    end = DeletionVector.pack_field("crc32", _crc_of(bits, *pieces))
    data = b"".join([start, _KIND_BYTES[bits], *pieces, end])
    return VectorBytes(
        data, _stored_length(bits, len_data, len(data)), sum(map(len, parts.values()))
    )


# Reading ------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class VectorParts:
    """A vector that was read: its bitmaps by upper 32 bits, and the byte after it.

    `length` is Paimon's, as in VectorMeta.
    """

    bits: Bits
    parts: dict[int, BitMap]
    end: int
    length: int
    crc_ok: bool


def vector_end(source: Source, offset: int) -> int | None:
    """Return the byte after the vector at `offset`, by its size; None if its head is malformed."""
    try:
        head, _ = _heads(source, offset)
    except FormatError:
        return None
    return offset + int(places_deletion_vector(head.len_data).end)


def _heads(source: Source, offset: int) -> tuple[DeletionVectorHead, DeletionVectorDataHead]:
    """Return the fields before the bitmap of the vector at `offset`."""
    head = read_view(source, DeletionVectorHead, offset)
    return head, read_view(source, DeletionVectorDataHead, head.end)


def read_parts(
    source: Source, offset: int, *, verify: bool = True, remedy: Remedy = ELSEWHERE
) -> VectorParts:
    """Read the vector at byte `offset`; without `verify`, its CRC may be wrong.

    Raises:
        CorruptFileError: The vector is malformed.
    """
    if not 0 <= offset <= source.size:
        raise CorruptFileError(
            f"the vector starts there, outside the file of {counted(source.size, 'byte')}",
            path=source.name,
            offset=offset,
            remedy=remedy,
        )
    try:
        head, data_head = _heads(source, offset)
        bits: Bits = 32 if data_head.kind == VectorKind.bits_32 else 64
        places = places_deletion_vector(head.len_data)
        begin, end = data_head.end, offset + int(places.end)
        size, rest_size = offset + int(places.crc32) - begin, end - begin
        if rest_size > source.size - begin:
            raise EndError(begin, rest_size, source.size - begin)
        rest = source.read(begin, rest_size)
    except (FormatError, EOFError, ValueError) as error:
        raise CorruptFileError(
            _describe(error), path=source.name, offset=offset, remedy=remedy
        ) from error
    bitmap = memoryview(rest)[:size]
    crc_ok = _crc_of(bits, bitmap) == DeletionVectorTail(rest, begin, size).crc32
    if verify and not crc_ok:
        raise CorruptFileError(
            "the CRC of the vector is wrong", path=source.name, offset=offset, remedy=DAMAGED
        )
    try:
        parts = _parts_of(bitmap) if bits == 32 else read_bitmaps(bitmap)
    except BadBitmapError as error:
        raise CorruptFileError(
            f"the bitmap of a vector is malformed: {error}",
            path=source.name,
            offset=begin + error.offset,
            remedy=DAMAGED,
        ) from error
    return VectorParts(bits, parts, end, _stored_length(bits, head.len_data, end - offset), crc_ok)


def _parts_of(bitmap: bytes | memoryview) -> dict[int, BitMap]:
    # 4294967295 is allowed, because Java's 32-bit vectors store it for position -1.
    rows, end = read_first(bitmap)
    if end != len(bitmap):
        raise BadBitmapError(f"{counted(len(bitmap) - end, 'byte', 'follow')} the bitmap", end)
    return {0: rows} if rows else {}


def _describe(error: Exception) -> str:
    if isinstance(error, FormatError) and error.field:
        if error.field == CHECKED["deletion_vector_data.kind"].path:
            return f"{error.value:#010x} is not the magic number of a deletion vector"
        return f"a vector cannot have a size of {error.value}"
    message = error.message if isinstance(error, FormatError) else " ".join(str(error).split())
    return f"the file ends within a vector: {message}"
