"""Blocks of sorted indexes: their checksum, and the content of compressed ones."""

from __future__ import annotations

from collections.abc import Sequence
from zlib import crc32

import numpy as np
from ksykit.runtime.arrays import Buffer
from ksykit.runtime.codecs import decode
from ksykit.runtime.codings import encode
from ksykit.runtime.errors import FormatError
from ksykit.runtime.objects import to_bytes
from numpy.typing import NDArray

from paimon_ksy.errors import UnsupportedError, counted
from paimon_ksy.generated.structs.compressed_block import (
    CompressedBlock as CompressedBlockStruct,
)
from paimon_ksy.generated.structs.compressed_block import (
    make_lz_payload,
    make_zstd_payload,
)
from paimon_ksy.generated.structs.varint import make_varint
from paimon_ksy.generated.views.compressed_block import (
    BlockCompression,
    CompressedBlock,
    LzPayload,
    ZstdPayload,
    places_compressed_block,
)
from paimon_ksy.io.source import Source

MOST = 1 << 28
"""Bytes of content that a block may have, if it is compressed."""


def size_of(len_payload: int) -> int:
    """Return the size of a block in bytes, with its trailer."""
    return int(places_compressed_block(len_payload).end)


def read_block(source: Source, pos: int, len_payload: int) -> tuple[CompressedBlock, Buffer]:
    """Read the block at byte `pos`, and check it; also return its content.

    Raises:
        CorruptFileError: The file ends before the block does.
        FormatError: The block is corrupt.
        UnsupportedError: Its content is larger than MOST.
    """
    block = CompressedBlock(source.read(pos, size_of(len_payload)), pos, 0, len_payload)
    return block, content_of(block, pos)


def content_of(block: CompressedBlock, pos: int) -> Buffer:
    """Check a block that starts at byte `pos`, and return its content.

    Raises:
        FormatError: The block is corrupt.
        UnsupportedError: Its content is larger than MOST.
    """
    if checksum(block.payload, block.compression) != block.crc32:
        raise FormatError("the checksum of a block is wrong", pos)
    name = BlockCompression(block.compression).name
    if block.compression == BlockCompression.none:
        content: Buffer = block.payload
        return content
    is_zstd = block.compression == BlockCompression.zstd
    payload = (ZstdPayload if is_zstd else LzPayload)(block.payload, pos, 0)
    size = payload.len_content.value
    if size > MOST:
        raise UnsupportedError(
            f"a block becomes {counted(size, 'byte')}: at most {MOST:,} are supported", offset=pos
        )
    if isinstance(payload, LzPayload) and payload.len_content_again != size:
        raise FormatError(f"a block states {size:,} and {payload.len_content_again:,} bytes", pos)
    if payload.end != pos + len(block.payload):
        raise FormatError("bytes follow the compressed data of a block", payload.end)
    data = decode(name, payload.data, pos, *(() if is_zstd else (size,)), most=size)
    if len(data) != size:
        raise FormatError(f"a block has {counted(len(data), 'byte')} instead of {size:,}", pos)
    return data


def checksum(payload: Buffer, compression: int) -> int:
    """Return the CRC-32 of a payload and its compression."""
    return crc32(CompressedBlockStruct.pack_field("compression", compression), crc32(payload))


def to_block(content: bytes, compression: BlockCompression = BlockCompression.none) -> bytes:
    """Return the block of a content, as Java writes it.

    It is compressed only if this saves more than an eighth.

    Source: `SstFileWriter.writeBlock` (paimon-common, release 1.4.2).
    """
    payload = content
    if compression != BlockCompression.none:
        data = encode(compression.name, content)
        is_zstd = compression == BlockCompression.zstd
        make = make_zstd_payload if is_zstd else make_lz_payload
        payload = to_bytes(make(len_content=make_varint(value=len(content)), data=data))
        if len(payload) >= len(content) - len(content) // 8:
            payload, compression = content, BlockCompression.none
    return CompressedBlockStruct.pack(
        payload=payload, compression=compression, crc32=checksum(payload, compression)
    )


def check_places(
    parts: Sequence[tuple[int, int]], size: int, more: Sequence[NDArray[np.int64]] = ()
) -> None:
    """Raise FormatError if the parts of a file, `more` of them in arrays, leave gaps or overlap."""
    for start, end in parts:
        if end > size:
            raise FormatError(f"a part ends at byte {end}, after the end of the file", start)
    every = np.concatenate([np.array([*parts, (size, size)], np.int64), *more])
    starts, ends = every[np.lexsort((every[:, 1], every[:, 0]))].T
    reached = np.concatenate([[0], ends[:-1]])
    wrong = np.flatnonzero(starts != reached)
    if len(wrong):
        start, at = int(starts[wrong[0]]), int(reached[wrong[0]])
        if start < at:
            raise FormatError(f"two parts have byte {start}", start)
        raise FormatError(f"no part has the {counted(start - at, 'byte')} here", at)
