# Generated from compressed_block.ksy by `ksykit generate`. Do not edit.
"""Views of compressed_block: Block of a sorted file, possibly compressed."""

from enum import IntEnum
from itertools import accumulate
from typing import Any, NamedTuple

from ksykit.runtime.records import Buffer, Field, Numbers, cut

from .varint import Varint

BlockCompression = IntEnum("BlockCompression", {"none": 0, "zstd": 1, "lz4": 2, "lzo": 3})
_COMPRESSED_BLOCK_COMPRESSION = Numbers(
    "<BI",
    Field("compression", "compressed_block/seq/1", "<B", any_of=[0, 1, 2, 3]),
    Field("crc32", "compressed_block/seq/2", "<I"),
)
_LZ_PAYLOAD_LEN_DATA = Numbers(
    "<ii",
    Field("len_data", "compressed_block/types/lz_payload/seq/1", "<i", least=0),
    Field("len_content_again", "compressed_block/types/lz_payload/seq/2", "<i"),
)


class CompressedBlock:
    """A block of an SST file, such as a BTree global index, or of the dictionary of a bitmap
    global index."""

    __slots__ = ("compression", "crc32", "end", "len_payload", "payload")

    def __init__(self, d: Buffer, start: int, p: int, len_payload: int) -> None:
        self.len_payload = len_payload
        q = p + self.len_payload
        if not 0 <= p <= q <= len(d):
            raise cut(d, start, p, q - p)
        self.payload = d[p:q]
        p = q
        if not 0 <= p <= len(d) - 5:
            raise _COMPRESSED_BLOCK_COMPRESSION.broken(d, start, p, self)
        (self.compression, self.crc32) = _COMPRESSED_BLOCK_COMPRESSION.unpack_from(d, p)
        if self.compression not in (0, 1, 2, 3):
            raise _COMPRESSED_BLOCK_COMPRESSION.broken(d, start, p, self)
        p += 5
        self.end = start + p


class CompressedBlockPlaces(NamedTuple):
    """Where the fields of a `compressed_block` start, and where it ends."""

    payload: Any
    compression: Any
    crc32: Any
    end: Any


def places_compressed_block(len_payload: Any) -> CompressedBlockPlaces:
    """Return where the fields of a `compressed_block` start, for ints or arrays of int64."""
    return CompressedBlockPlaces(*accumulate([len_payload, 1, 4], initial=0))


class ZstdPayload:
    """A payload that is compressed by ZSTD."""

    __slots__ = ("data", "end", "len_content")

    def __init__(self, d: Buffer, start: int, p: int) -> None:
        self.len_content = Varint(d, start, p)
        p = self.len_content.end - start
        q = p + len(d) - p
        if not 0 <= p <= q <= len(d):
            raise cut(d, start, p, q - p)
        self.data = d[p:q]
        p = q
        self.end = start + p


class LzPayload:
    """A payload that is compressed by LZ4 or LZO."""

    __slots__ = ("data", "end", "len_content", "len_content_again", "len_data")

    def __init__(self, d: Buffer, start: int, p: int) -> None:
        self.len_content = Varint(d, start, p)
        p = self.len_content.end - start
        if not 0 <= p <= len(d) - 8:
            raise _LZ_PAYLOAD_LEN_DATA.broken(d, start, p, self)
        (self.len_data, self.len_content_again) = _LZ_PAYLOAD_LEN_DATA.unpack_from(d, p)
        if self.len_data < 0:
            raise _LZ_PAYLOAD_LEN_DATA.broken(d, start, p, self)
        p += 8
        q = p + self.len_data
        if not 0 <= p <= q <= len(d):
            raise cut(d, start, p, q - p)
        self.data = d[p:q]
        p = q
        self.end = start + p
