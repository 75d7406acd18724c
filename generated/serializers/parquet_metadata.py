# Generated from specs/parquet_metadata.ksy by `python -m tools.ksy generate`. Do not edit.
"""Makes and writes the types of parquet_metadata.

Metadata of a Parquet file, as a file of its own.
"""

from __future__ import annotations

from typing import Any

from ..parsers.parquet_metadata import ParquetMetadata
from ..runtime import U4LE, Item, Scope, Type, new


def make_parquet_metadata(
    *,
    magic: int | None = None,
    footer: bytes | None = None,
    len_footer: int | None = None,
    magic_end: int | None = None,
) -> Any:
    """A new `parquet_metadata`; what is None is computed when it is written.

    The frame of a Parquet file's metadata. It is a Parquet file without its data,
    like Parquet's `_metadata` files. Arrow reads it instead of the end of a data
    file.

    The footer is the struct `FileMetaData` of parquet.thrift, in Thrift's compact
    protocol. Libraries read and write it.
    """
    return new(
        ParquetMetadata,
        {},
        {
            "magic": magic,
            "footer": footer,
            "len_footer": len_footer,
            "magic_end": magic_end,
        },
        {},
        {},
    )


def write_parquet_metadata(s: Scope) -> None:
    """Writes the fields of a `parquet_metadata`."""
    s.number("magic", U4LE)
    s.bytes("footer", lambda: s._io.size - 12)
    s.number("len_footer", U4LE)
    s.number("magic_end", U4LE)


def make_parquet_metadata_start(
    *,
    magic: int | None = None,
) -> Any:
    """A new `parquet_metadata_start`; what is None is computed when it is written.

    The field before the footer. Like `parquet_metadata_end`, it is another
    view for code that needs no object.
    """
    return new(
        ParquetMetadata.ParquetMetadataStart,
        {},
        {
            "magic": magic,
        },
        {},
        {},
    )


def write_parquet_metadata_start(s: Scope) -> None:
    """Writes the fields of a `parquet_metadata_start`."""
    s.number("magic", U4LE)


def make_parquet_metadata_end(
    *,
    len_footer: int | None = None,
    magic: int | None = None,
) -> Any:
    """A new `parquet_metadata_end`; what is None is computed when it is written."""
    return new(
        ParquetMetadata.ParquetMetadataEnd,
        {},
        {
            "len_footer": len_footer,
            "magic": magic,
        },
        {},
        {},
    )


def write_parquet_metadata_end(s: Scope) -> None:
    """Writes the fields of a `parquet_metadata_end`."""
    s.number("len_footer", U4LE)
    s.number("magic", U4LE)


TYPES = {
    "parquet_metadata": Type(
        name="parquet_metadata",
        spec="parquet_metadata",
        cls=ParquetMetadata,
        params=(),
        items=(
            Item("magic", "number", number=U4LE),
            Item("footer", "bytes"),
            Item("len_footer", "number", number=U4LE),
            Item("magic_end", "number", number=U4LE),
        ),
        write=write_parquet_metadata,
        values={},
        unset={
            "magic": lambda s: 827474256,
            "len_footer": lambda s: s._length("footer"),
            "magic_end": lambda s: 827474256,
        },
    ),
    "parquet_metadata_start": Type(
        name="parquet_metadata_start",
        spec="parquet_metadata",
        cls=ParquetMetadata.ParquetMetadataStart,
        params=(),
        items=(Item("magic", "number", number=U4LE),),
        write=write_parquet_metadata_start,
        values={},
        unset={
            "magic": lambda s: 827474256,
        },
    ),
    "parquet_metadata_end": Type(
        name="parquet_metadata_end",
        spec="parquet_metadata",
        cls=ParquetMetadata.ParquetMetadataEnd,
        params=(),
        items=(
            Item("len_footer", "number", number=U4LE),
            Item("magic", "number", number=U4LE),
        ),
        write=write_parquet_metadata_end,
        values={},
        unset={
            "magic": lambda s: 827474256,
        },
    ),
}
