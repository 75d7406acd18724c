# Generated from specs/snappy_block.ksy by `ksykit generate`. Do not edit.
"""Makes and writes the types of snappy_block.

Block of an Avro file, compressed by snappy.
"""

from __future__ import annotations

from ksykit.runtime.fields import Bytes, Number, Object, Type
from ksykit.runtime.json_values import U4BE

from ..parsers.snappy_block import SnappyBlock

SNAPPY_BLOCK_TYPE = Type(
    SnappyBlock,
    "snappy_block",
    Bytes("data", size=lambda s: s._io.size - 4),
    Number("crc32", U4BE),
    Object("len_decoded", "varint", at=0),
)

make_snappy_block = SNAPPY_BLOCK_TYPE.make
