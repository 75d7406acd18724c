# Generated from orc_metadata.ksy by `ksykit generate`. Do not edit.
"""Views of orc_metadata: Metadata of an ORC file."""

from enum import IntEnum
from typing import Any

from ksykit.runtime.records import MANY_EMPTY, Buffer, Field, Numbers, cut, wrong

OrcPostscriptField = IntEnum(
    "OrcPostscriptField",
    {"len_footer": 1, "compression": 2, "len_block": 3, "len_statistics": 5, "magic": 8000},
)
OrcFooterField = IntEnum("OrcFooterField", {"stripes": 3, "types": 4})
OrcTypeField = IntEnum("OrcTypeField", {"kind": 1})
OrcKind = IntEnum("OrcKind", {"long": 4, "timestamp": 9, "timestamp_instant": 18})
OrcStripeField = IntEnum(
    "OrcStripeField",
    {"ofs_stripe": 1, "len_index": 2, "len_data": 3, "len_stripe_footer": 4, "num_rows": 5},
)
OrcStripeFooterField = IntEnum("OrcStripeFooterField", {"writer_zone": 3})
OrcCompression = IntEnum(
    "OrcCompression", {"none": 0, "zlib": 1, "snappy": 2, "lzo": 3, "lz4": 4, "zstd": 5}
)
_ORC_CHUNK_LOW = Numbers(
    "<BH",
    Field("low", "orc_metadata/types/orc_chunk/seq/0", "<B"),
    Field("high", "orc_metadata/types/orc_chunk/seq/1", "<H"),
)
_ORC_END_LEN_POSTSCRIPT = Numbers(
    ">B", Field("len_postscript", "orc_metadata/types/orc_end/seq/0", "<B")
)


class OrcChunk:
    """A `orc_chunk`."""

    __slots__ = ("body", "end", "high", "low")

    def __init__(self, d: Buffer, start: int, p: int) -> None:
        if not 0 <= p <= len(d) - 3:
            raise _ORC_CHUNK_LOW.broken(d, start, p, self)
        (self.low, self.high) = _ORC_CHUNK_LOW.unpack_from(d, p)
        p += 3
        q = p + self.len_body
        if not 0 <= p <= q <= len(d):
            raise cut(d, start, p, q - p)
        self.body = d[p:q]
        p = q
        self.end = start + p

    @property
    def is_original(self) -> Any:
        """The body is not compressed, because compression would have made it longer."""
        return self.low & 1 == 1

    @property
    def len_body(self) -> Any:
        return self.high * 128 + self.low // 2


class OrcMetadata:
    """The chunks that contain the footer of a compressed ORC file, or the footers of its
    stripes."""

    __slots__ = ("chunks", "end")
    epoch = 1420070400
    """2015-01-01 in seconds since 1970, from which the stream DATA of timestamps counts."""

    def __init__(self, d: Buffer, start: int, p: int) -> None:
        self.chunks: list[Any] = []
        first = p
        while p < len(d):
            item = OrcChunk(d, start, p)
            p = item.end - start
            self.chunks.append(item)
            if len(self.chunks) > MANY_EMPTY + p - first:
                raise wrong("too many elements without bytes", start + p)
        self.end = start + p


class OrcEnd:
    """The last byte of a file."""

    __slots__ = ("end", "len_postscript")

    def __init__(self, d: Buffer, start: int, p: int) -> None:
        if not 0 <= p <= len(d) - 1:
            raise _ORC_END_LEN_POSTSCRIPT.broken(d, start, p, self)
        (self.len_postscript,) = _ORC_END_LEN_POSTSCRIPT.unpack_from(d, p)
        p += 1
        self.end = start + p
