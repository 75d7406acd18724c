# Generated from specs/parquet_metadata.ksy by `paimon-ksy generate`. Do not edit.
"""Makes and writes the types of parquet_metadata.

Metadata of a Parquet file, as a separate file.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from paimon_ksy.runtime.fields import (
    Number,
    Object,
    Objects,
    Type,
)
from paimon_ksy.runtime.json_values import S4LE, S8LE, U4LE

from ..parsers.compact_thrift import CompactThrift
from ..parsers.parquet_metadata import ParquetMetadata

PARQUET_METADATA_TYPE = Type(
    ParquetMetadata,
    "parquet_metadata",
    Number("magic", U4LE, equal=827474256),
    Object(
        "footer", "compact_thrift", args={"depth": 0}, size=lambda s: s._io.size - 12, measured=True
    ),
    Number("len_footer", U4LE, value=lambda s: s._length("footer"), role="length"),
    Number("magic_end", U4LE, equal=827474256),
)


def make_parquet_metadata(
    *,
    magic: int | None = None,
    footer: CompactThrift | bytes | None = None,
    len_footer: int | None = None,
    magic_end: int | None = None,
) -> Any:
    """Return a new `parquet_metadata`; what is None is computed when it is written.

    The frame of a Parquet file's metadata. This is a Parquet file without data,
    like Parquet's `_metadata` files. Arrow reads it instead of the end of a data
    file.

    The footer is the struct `FileMetaData` of parquet.thrift, in Thrift's
    compact protocol. In data files, each page starts with the struct
    `PageHeader`. The enums list the numbers of the fields that readers use.
    """
    return PARQUET_METADATA_TYPE.new(locals())


PARQUET_TIMESTAMPS_TYPE = Type(
    ParquetMetadata.ParquetTimestamps,
    "parquet_timestamps",
    Objects("values", "parquet_timestamp"),
    values={
        "first_day": 2440588,
    },
)


def make_parquet_timestamps(
    *,
    values: Sequence[ParquetMetadata.ParquetTimestamp | bytes] | None = None,
) -> Any:
    """Return a new `parquet_timestamps`; what is None is computed when it is written.

    Values of the physical type INT96, each a timestamp.
    """
    return PARQUET_TIMESTAMPS_TYPE.new(locals())


PARQUET_TIMESTAMP_TYPE = Type(
    ParquetMetadata.ParquetTimestamp,
    "parquet_timestamp",
    Number("nanos", S8LE),
    Number("day", S4LE),
)


def make_parquet_timestamp(
    *,
    nanos: int | None = None,
    day: int | None = None,
) -> Any:
    """Return a new `parquet_timestamp`; what is None is computed when it is written."""
    return PARQUET_TIMESTAMP_TYPE.new(locals())
