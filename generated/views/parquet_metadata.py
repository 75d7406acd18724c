# Generated from specs/parquet_metadata.ksy by `python -m tools.ksy generate`. Do not edit.
"""Views of parquet_metadata: its types, read at once from bytes at hand.

Metadata of a Parquet file, as a separate file.
"""

from __future__ import annotations

from struct import Struct

from ..records import Buffer, Field, broken

_PARQUET_METADATA_END_LEN_FOOTER = (
    Field("len_footer", "parquet_metadata/types/parquet_metadata_end/seq/0", "<I"),
    Field("magic", "parquet_metadata/types/parquet_metadata_end/seq/1", "<I", equal=827474256),
)
_PARQUET_METADATA_END_LEN_FOOTER_CODES = Struct("<II")


class ParquetMetadataEnd:
    """A `parquet_metadata_end` at place `p` of `d`, whose first byte is byte `start` of the file.

    It ends before byte `end`. Raises FormatError.
    """

    __slots__ = (
        "end",
        "len_footer",
        "magic",
    )

    def __init__(self, d: Buffer, start: int, p: int) -> None:
        if p + 8 > len(d):
            raise broken(_PARQUET_METADATA_END_LEN_FOOTER, d, start, p, self)
        self.len_footer, self.magic = _PARQUET_METADATA_END_LEN_FOOTER_CODES.unpack_from(d, p)
        if self.magic != 827474256:
            raise broken(_PARQUET_METADATA_END_LEN_FOOTER, d, start, p, self)
        p += 8
        self.end = start + p
