# Generated from compressed_block.ksy by `ksykit generate`. Do not edit.
"""Objects of compressed_block: Block of a sorted file, possibly compressed."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from ksykit.runtime.json_values import S4LE, U1, U4LE
from ksykit.runtime.rows import Bytes, Nested, Number, Object, One, Param
from ksykit.runtime.structs import Struct
from ksykit.runtime.types import Measure

if TYPE_CHECKING:
    from .varint import Varint


class CompressedBlock(Struct, of="compressed_block"):
    """A block of an SST file, such as a BTree global index, or of the dictionary of a bitmap
    global index.

    Attributes:
        len_payload: Length of the payload in bytes.
        payload: The content, or, if it is compressed, a `zstd_payload` or `lz_payload`.
        compression: How the payload is compressed.
        crc32: zlib's CRC-32 of the payload and `compression`.
    """

    len_payload: One[int] = Param(range(16))
    payload: One[bytes] = Bytes(size="len_payload", measured=True)
    compression: One[int] = Number(
        U1, any_of=(0, 1, 2, 3), enum="compressed_block.BlockCompression", measured=True,
    )  # fmt: skip
    crc32: One[int] = Number(
        U4LE, value=lambda s: s._crc32("payload", "compression"), role="checksum",
    )  # fmt: skip


class ZstdPayload(Struct, of="zstd_payload"):
    """A payload that is compressed by ZSTD.

    Attributes:
        len_content: Length of the content in bytes.
        data: One frame of ZSTD.
    """

    len_content: Nested[Varint] = Object("varint", looked=True)
    data: One[bytes] = Bytes()


class LzPayload(Struct, of="lz_payload"):
    """A payload that is compressed by LZ4 or LZO.

    Attributes:
        len_content: Length of the content in bytes.
        len_data: Length of `data` in bytes.
        len_content_again: Length of the content in bytes, as in `len_content`.
        data: A block of LZ4 or LZO1X without a frame.
    """

    len_content: Nested[Varint] = Object("varint", looked=True, examples=(0, 1, 300, 70000))
    len_data: One[int] = Number(
        S4LE, least=0, value=lambda s: s._length("data"), small=True, decides=True,
    )  # fmt: skip
    len_content_again: One[int] = Number(S4LE, value="len_content.value")
    data: One[bytes] = Bytes(size="len_data", measured=True)
    _derived: ClassVar = {"len_data": Measure("length", "data")}


make_compressed_block = CompressedBlock
make_zstd_payload = ZstdPayload
make_lz_payload = LzPayload
