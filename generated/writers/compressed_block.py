# Generated from specs/compressed_block.ksy by `ksykit generate`. Do not edit.
"""Makes and writes the types of compressed_block.

Block of a sorted file, possibly compressed.
"""

from __future__ import annotations

from ksykit.runtime.fields import Bytes, Measure, Number, Object, Type
from ksykit.runtime.json_values import S4LE, U1, U4LE

from ..parsers.compressed_block import CompressedBlock

COMPRESSED_BLOCK_TYPE = Type(
    CompressedBlock,
    "compressed_block",
    Bytes("payload", size="len_payload", measured=True),
    Number("compression", U1, any_of=(0, 1, 2, 3), measured=True),
    Number("crc32", U4LE, value=lambda s: s._crc32("payload", "compression"), role="checksum"),
    params={"len_payload": range(16)},
)

make_compressed_block = COMPRESSED_BLOCK_TYPE.make


ZSTD_PAYLOAD_TYPE = Type(
    CompressedBlock.ZstdPayload,
    "zstd_payload",
    Object("len_content", "varint", looked=True),
    Bytes("data"),
)

make_zstd_payload = ZSTD_PAYLOAD_TYPE.make


LZ_PAYLOAD_TYPE = Type(
    CompressedBlock.LzPayload,
    "lz_payload",
    Object("len_content", "varint", looked=True, examples=(0, 1, 300, 70000)),
    Number("len_data", S4LE, least=0, value=lambda s: s._length("data"), small=True, decides=True),
    Number("len_content_again", S4LE, value="len_content.value"),
    Bytes("data", size="len_data", measured=True),
    computed={
        "len_data": Measure("length", "data"),
    },
)

make_lz_payload = LZ_PAYLOAD_TYPE.make
