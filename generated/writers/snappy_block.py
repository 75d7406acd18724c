# Generated from specs/snappy_block.ksy by `paimon-ksy generate`. Do not edit.
"""Makes and writes the types of snappy_block.

Block of an Avro file, compressed by snappy.
"""

from __future__ import annotations

from typing import Any

from paimon_ksy.runtime.fields import (
    Bytes,
    Number,
    Object,
    Type,
)
from paimon_ksy.runtime.json_values import U4BE

from ..parsers.snappy_block import SnappyBlock
from ..parsers.varint import Varint

SNAPPY_BLOCK_TYPE = Type(
    SnappyBlock,
    "snappy_block",
    Bytes("data", size=lambda s: s._io.size - 4),
    Number("crc32", U4BE),
    Object("len_decoded", "varint", at=0),
)


def make_snappy_block(
    *,
    data: bytes | None = None,
    crc32: int | None = None,
    len_decoded: Varint | bytes | None = None,
) -> Any:
    """Return a new `snappy_block`; what is None is computed when it is written.

    The bytes between the length and the sync marker of a block in an Avro object
    container file with the codec `snappy`. Paimon's manifests can be such files.
    """
    return SNAPPY_BLOCK_TYPE.new(locals())
