# Generated from specs/parquet_metadata.ksy by `python -m tools.ksy generate`. Do not edit.
"""Views of parquet_metadata: its types, read at once from bytes at hand.

Metadata of a Parquet file, as a separate file.
"""

from __future__ import annotations

from ..records import Buffer, Field, RecordLayout

PARQUET_TIMESTAMP = RecordLayout(
    Field("nanos", "parquet_metadata/types/parquet_timestamp/seq/0", "<q"),
    Field("day", "parquet_metadata/types/parquet_timestamp/seq/1", "<i"),
)


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
