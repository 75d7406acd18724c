"""The blocks of an Avro file, decompressed, within bounds.

Source: "Object Container Files" of the Avro specification.
"""

from __future__ import annotations

import bz2
import io
import lzma
import zlib
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache, partial
from typing import Any, NamedTuple

import pyarrow as pa

from paimon_ksy.generated.views.snappy_block import SnappyBlock
from paimon_ksy.generated.views.varint import Varint

PART_BYTES = 4 << 20
"""Decoded bytes of the blocks that form one part."""

MOST_HEADER = 1 << 20
"""The most bytes of a file's header, with the schema: Java's has 6 kB."""

MOST_BYTES = 512 << 20
"""The most decoded bytes of a file: Java starts a new manifest at 8 MB, compressed."""

MOST_AT_ONCE = 16 << 20
"""The most decoded bytes of a block, or of small blocks that are decoded together. Writers start a
new block after 64 KB, so only a very large embedded index makes a larger one."""

_PIECE_BYTES = 256 << 10
"""Bytes decoded at a time: memory of this size is reused, unlike blocks of several MB."""

_SYNC = {"name": "sync", "type": {"type": "fixed", "name": "mark", "size": 16}}
_MAGIC = {"name": "magic", "type": {"type": "fixed", "name": "magic", "size": 4}}
_HEADER = [_MAGIC, {"name": "meta", "type": {"type": "map", "values": "bytes"}}, _SYNC]
_BLOCK = [{"name": "count", "type": "long"}, {"name": "data", "type": "bytes"}, _SYNC]


class Blocks(NamedTuple):
    """Some blocks: the number of records that their heads list, and their bytes in pieces."""

    num_records: int
    pieces: list[bytes]


def read_parts(data: bytes) -> tuple[bytes, Iterator[Blocks]]:
    """Return the schema of a file as JSON, and its blocks in parts of some MB.

    Raises:
        ValueError, EOFError, OSError, zlib.error, lzma.LZMAError: The file is broken.
    """
    file = io.BytesIO(data[:MOST_HEADER])
    header = _read(file, _schemas()[0])
    schema = header["meta"]["avro.schema"]
    codec = header["meta"].get("avro.codec", b"null").decode()
    if codec not in _CODECS:
        raise ValueError(f"it is compressed by {codec}")
    return schema, _parts(_groups(data, file.tell(), header["sync"]), _CODECS[codec])


class Place(NamedTuple):
    """A block in a file: its first byte, its size in bytes, and its number of records."""

    start: int
    size: int
    num_records: int


def block_places(data: bytes) -> tuple[int, list[Place]]:
    """Return the size of a file's header, and the places of its blocks.

    Raises:
        ValueError, EOFError: The file is broken.
    """
    file = io.BytesIO(data)
    header, block = _schemas()
    _read(file, header)
    start, places = file.tell(), list[Place]()
    while file.tell() < len(data):
        at = file.tell()
        count = _read(file, block)["count"]
        places.append(Place(at, file.tell() - at, count))
    return start, places


def whole_file(schema: bytes, blocks: Blocks) -> bytes:
    """Return an uncompressed file that contains these blocks as its only block."""
    import fastavro

    meta = {"avro.schema": schema, "avro.codec": b"null"}
    start, sync = io.BytesIO(), bytes(16)
    header = {"magic": b"Obj\x01", "meta": meta, "sync": sync}
    fastavro.schemaless_writer(start, _schemas()[0], header)
    for number in (blocks.num_records, sum(map(len, blocks.pieces))):
        fastavro.schemaless_writer(start, "long", number)
    return b"".join([start.getvalue(), *blocks.pieces, sync])


def _groups(data: bytes, start: int, sync: bytes) -> Iterator[tuple[int, list[bytes]]]:
    """Yield groups of blocks, each with the number of records that the blocks' heads list."""
    file = io.BytesIO(data)
    file.seek(start)
    count, size, group = 0, 0, []
    _, schema = _schemas()
    while file.tell() < len(data):
        block = _read(file, schema)
        if block["count"] < 0 or block["sync"] != sync:
            raise ValueError("a block does not end where its length has it")
        count += block["count"]
        size += len(block["data"])
        group.append(block["data"])
        if size >= PART_BYTES // 64 or count >= PART_BYTES // 1024:
            yield count, group
            count, size, group = 0, 0, []
    if group:
        yield count, group


def _parts(groups: Iterator[tuple[int, list[bytes]]], decode: _Decode) -> Iterator[Blocks]:
    blocks, size, total = Blocks(0, []), 0, 0
    for count, group in groups:
        pieces, decoded = [], 0
        for piece in decode(group, min(MOST_BYTES - total, MOST_AT_ONCE) + 1):
            pieces.append(piece)
            decoded += len(piece)
            total += len(piece)
            if decoded > MOST_AT_ONCE:
                raise ValueError(f"a block has more than {MOST_AT_ONCE >> 20} MB")
            if total > MOST_BYTES:
                raise ValueError(f"it has more than {MOST_BYTES >> 20} MB")
        if count > decoded:
            raise ValueError(f"blocks of {decoded} bytes count {count} records")
        if size and size + decoded > 2 * PART_BYTES:  # a large block is a part of its own
            yield blocks
            blocks, size = Blocks(0, []), 0
        blocks = Blocks(blocks.num_records + count, [*blocks.pieces, *pieces])
        size += decoded
        if size >= PART_BYTES:
            yield blocks
            blocks, size = Blocks(0, []), 0
    if blocks.num_records or size:
        yield blocks


# Codecs -----------------------------------------------------------------------------------------

_Decode = Callable[[list[bytes], int], Iterator[bytes]]
"""A function that yields the bytes of blocks in pieces, none larger than a limit."""


def _zstandard(blocks: list[bytes], limit: int) -> Iterator[bytes]:
    """Decompress blocks, which together form one stream of several frames."""
    with pa.CompressedInputStream(pa.BufferReader(b"".join(blocks)), "zstd") as stream:
        while piece := stream.read(min(_PIECE_BYTES, limit)):
            yield piece


def _snappy(blocks: list[bytes], limit: int) -> Iterator[bytes]:
    codec = pa.Codec("snappy")
    for each in blocks:
        block = SnappyBlock(each, 0, 0)
        size = Varint(block.data, 0, block.place_len_decoded()[0]).value
        if size > limit:
            raise ValueError(f"it has a block of {size} bytes")
        unpacked = codec.decompress(block.data, size, asbytes=True)
        if zlib.crc32(unpacked) != block.crc32:
            raise ValueError("a block has another checksum")
        yield unpacked


def _one_by_one(make: Callable[[], Any], blocks: list[bytes], limit: int) -> Iterator[bytes]:
    for block in blocks:
        decoder = make()
        yield decoder.decompress(block, limit)
        if not decoder.eof:
            raise ValueError("a block is cut, or too large")


_CODECS: Mapping[str, _Decode] = {
    "null": lambda blocks, _: iter(blocks),
    "deflate": partial(_one_by_one, partial(zlib.decompressobj, -15)),
    "zstandard": _zstandard,
    "snappy": _snappy,
    "bzip2": partial(_one_by_one, bz2.BZ2Decompressor),
    "xz": partial(_one_by_one, lzma.LZMADecompressor),
}


# fastavro ---------------------------------------------------------------------------------------


def _read(file: io.BytesIO, schema: Any) -> Any:
    import fastavro

    return fastavro.schemaless_reader(file, schema, None)


@lru_cache(maxsize=1)
def _schemas() -> tuple[Any, Any]:
    """Return the schemas of a file's header, and of the head and data of a block."""
    import fastavro

    fields = _HEADER, _BLOCK
    records = ({"type": "record", "name": "of_file", "fields": each} for each in fields)
    header, block = map(fastavro.parse_schema, records)
    return header, block
