# Generated from snappy_block.ksy by `ksykit generate`. Do not edit.
"""Objects of snappy_block: Block of an Avro file, compressed by snappy."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ksykit.runtime.json_values import U4BE
from ksykit.runtime.rows import Bytes, Nested, Number, Object, One
from ksykit.runtime.structs import Struct

if TYPE_CHECKING:
    from .varint import Varint


class SnappyBlock(Struct, of="snappy_block", sized=True):
    """The bytes between the length and the sync marker of a block in an Avro object container
    file with the codec `snappy`.

    Attributes:
        data: The records, in snappy's raw format.
        crc32: zlib's CRC-32 of the uncompressed records.
        len_decoded: Length of the uncompressed records in bytes, with which `data` begins.
    """

    data: One[bytes] = Bytes(size=lambda s: s._io.size - 4)
    crc32: One[int] = Number(U4BE)
    len_decoded: Nested[Varint] = Object("varint", at=0)


make_snappy_block = SnappyBlock
