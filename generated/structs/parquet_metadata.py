# Generated from parquet_metadata.ksy by `ksykit generate`. Do not edit.
"""Objects of parquet_metadata: Metadata of a Parquet file, as a separate file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ksykit.runtime.json_values import S4LE, S8LE, U4LE
from ksykit.runtime.rows import Many, Nested, Number, Object, One, Repeat, Value
from ksykit.runtime.structs import Struct

if TYPE_CHECKING:
    from .compact_thrift import CompactThrift


class ParquetMetadata(Struct, of="parquet_metadata", sized=True):
    """The frame of a Parquet file's metadata.

    Attributes:
        magic: The letters PAR1.
        footer: The struct `FileMetaData`.
        magic_end: The letters PAR1.
    """

    magic: One[int] = Number(U4LE, equal=827474256)
    footer: Nested[CompactThrift] = Object(
        "compact_thrift", args={"depth": 0}, size=lambda s: s._io.size - 12, looked=True,
        measured=True,
    )  # fmt: skip
    len_footer: One[int] = Number(U4LE, value=lambda s: s._length("footer"), role="length")
    magic_end: One[int] = Number(U4LE, equal=827474256)


class ParquetTimestamps(Struct, of="parquet_timestamps"):
    """Values of the physical type INT96, each a timestamp.

    Attributes:
        values: One timestamp for each value.
        first_day: The Julian day that begins at noon on 1970-01-01.
    """

    values: Many[ParquetTimestamp] = Repeat(Object("parquet_timestamp"))
    first_day = Value(2440588)


class ParquetTimestamp(Struct, of="parquet_timestamp"):
    """A `parquet_timestamp`.

    Attributes:
        nanos: Nanoseconds since midnight.
        day: The Julian day that begins at noon.
    """

    nanos: One[int] = Number(S8LE)
    day: One[int] = Number(S4LE)


make_parquet_metadata = ParquetMetadata
make_parquet_timestamps = ParquetTimestamps
make_parquet_timestamp = ParquetTimestamp
