# Generated from specs/parquet_metadata.ksy by `paimon-ksy generate`. Do not edit.
"""Views of parquet_metadata: its types, read at once from bytes at hand.

Metadata of a Parquet file, as a separate file.
"""

from __future__ import annotations

from struct import Struct

from paimon_ksy.runtime.records import (
    Buffer,
    Field,
    RecordLayout,
    broken,
)

PARQUET_TIMESTAMP = RecordLayout(
    Field("nanos", "parquet_metadata/types/parquet_timestamp/seq/0", "<q"),
    Field("day", "parquet_metadata/types/parquet_timestamp/seq/1", "<i"),
)

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


class ParquetTimestamps:
    """A `parquet_timestamps` at place `p` of `d`, whose first byte is byte `start` of the file.

    It ends before byte `end`. Raises FormatError.
    """

    __slots__ = (
        "end",
        "values_day",
        "values_nanos",
    )

    first_day = 2440588
    """The Julian day that begins at noon on 1970-01-01."""

    def __init__(self, d: Buffer, start: int, p: int, arrays: bool = False) -> None:
        p, self.values_nanos, self.values_day = PARQUET_TIMESTAMP.read(
            d, start, p, -((p - len(d)) // 12), arrays
        )
        self.end = start + p
