# Generated from snappy_block.ksy by `ksykit generate`. Do not edit.
"""Views of snappy_block: Block of an Avro file, compressed by snappy."""

from typing import Any

from ksykit.runtime.records import Buffer, Field, Numbers, cut

_SNAPPY_BLOCK_CRC32 = Numbers(">I", Field("crc32", "snappy_block/seq/1", ">I"))


class SnappyBlock:
    """The bytes between the length and the sync marker of a block in an Avro object
    container file with the codec `snappy`."""

    __slots__ = ("crc32", "data", "end")

    def __init__(self, d: Buffer, start: int, p: int, io_size: int | None = None) -> None:
        if io_size is None:
            io_size = start + len(d)
        q = p + io_size - 4
        if not 0 <= p <= q <= len(d):
            raise cut(d, start, p, q - p)
        self.data = d[p:q]
        p = q
        if not 0 <= p <= len(d) - 4:
            raise _SNAPPY_BLOCK_CRC32.broken(d, start, p, self)
        (self.crc32,) = _SNAPPY_BLOCK_CRC32.unpack_from(d, p)
        p += 4
        self.end = start + p

    def place_len_decoded(self) -> Any:
        """Return where the `len_decoded` is: (position, size or None)."""
        return 0, None
