# Generated from specs/parquet_metadata.ksy by `ksykit generate`. Do not edit.
"""Makes and writes the types of parquet_metadata.

Metadata of a Parquet file, as a separate file.
"""

from __future__ import annotations

from ksykit.runtime.fields import Number, Object, Repeat, Type
from ksykit.runtime.json_values import S4LE, S8LE, U4LE

from ..parsers.parquet_metadata import ParquetMetadata

PARQUET_METADATA_TYPE = Type(
    ParquetMetadata,
    "parquet_metadata",
    Number("magic", U4LE, equal=827474256),
    Object(
        "footer",
        "compact_thrift",
        args={"depth": 0},
        size=lambda s: s._io.size - 12,
        looked=True,
        measured=True,
    ),
    Number("len_footer", U4LE, value=lambda s: s._length("footer"), role="length"),
    Number("magic_end", U4LE, equal=827474256),
)

make_parquet_metadata = PARQUET_METADATA_TYPE.make


PARQUET_TIMESTAMPS_TYPE = Type(
    ParquetMetadata.ParquetTimestamps,
    "parquet_timestamps",
    Repeat(Object("values", "parquet_timestamp")),
    values={
        "first_day": 2440588,
    },
)

make_parquet_timestamps = PARQUET_TIMESTAMPS_TYPE.make


PARQUET_TIMESTAMP_TYPE = Type(
    ParquetMetadata.ParquetTimestamp,
    "parquet_timestamp",
    Number("nanos", S8LE),
    Number("day", S4LE),
)

make_parquet_timestamp = PARQUET_TIMESTAMP_TYPE.make
