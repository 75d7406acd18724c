"""Parquet footers that make Arrow read decimals as their stored bytes."""

from __future__ import annotations

from collections import deque
from collections.abc import Set
from typing import Any

from paimon_ksy.generated.errors import FormatError
from paimon_ksy.generated.parsers.parquet_metadata import ParquetMetadata
from paimon_ksy.generated.runtime import to_bytes
from paimon_ksy.generated.views.compact_thrift import CompactThrift, ThriftField, ThriftValue
from paimon_ksy.generated.views.parquet_metadata import ParquetMetadataEnd
from paimon_ksy.generated.writers.compact_thrift import (
    make_compact_thrift,
    make_thrift_field,
    make_thrift_field_head,
)
from paimon_ksy.generated.writers.parquet_metadata import (
    PARQUET_METADATA_END_TYPE,
    PARQUET_METADATA_START_TYPE,
)


def with_raw_decimals(metadata: Any, columns: Set[str]) -> Any:
    """Return metadata of a Parquet file in which decimals are plain bytes.

    Arrow takes three times as long to convert all values to decimals as to read their bytes. A
    column is unchanged if a nested column has the same name inside another one.

    Args:
        metadata: pyarrow's metadata of the file.
        columns: The names of decimal columns.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    sink = pa.BufferOutputStream()
    metadata.write_metadata_file(sink)
    written = sink.getvalue().to_pybytes()
    start, stop = len(PARQUET_METADATA_START_TYPE.pack()), len(written) - _SIZE_METADATA_END
    if start + ParquetMetadataEnd(written, 0, stop).len_footer != stop:
        return metadata
    footer = written[start:stop]
    heads = _raw_head(footer, columns)
    if heads is None:
        return metadata
    head, raw = heads
    footer = raw + footer[len(head) :]
    end = PARQUET_METADATA_END_TYPE.pack(len_footer=len(footer))
    return pq.read_metadata(pa.BufferReader(written[:start] + footer + end))


_SIZE_METADATA_END = len(PARQUET_METADATA_END_TYPE.pack(len_footer=0))


def _raw_head(footer: bytes, columns: Set[str]) -> tuple[bytes, bytes] | None:
    """Return the start of a footer, with its version and schema, and the bytes that replace it.

    None if the footer does not start with them.
    """
    for asked, head, raw in tuple(_RAW_HEADS):
        if asked == columns and footer.startswith(head):
            return head, raw
    try:
        version = ThriftField(footer, 0, 0, 0, 0)
        schema = ThriftField(footer, 0, version.end, version.number, 0)
    except FormatError:
        return None
    if (version.number, schema.number) != (_FILE.version, _FILE.schema):
        return None
    root, *elements = schema.value.collection.elements
    found = [member(element.nested, _SCHEMA.name) for element in elements]
    names = [b"" if name is None else name.body for name in found]
    known = {name for name in names if names.count(name) == 1 and name.decode() in columns}
    parts, start = [footer[: root.end]], root.end
    for name, element in zip(names, elements, strict=True):
        whole = footer[start : element.end]
        parts.append(_without_decimal(element.nested, footer) if name in known else whole)
        start = element.end
    head, raw = footer[:start], b"".join(parts)
    _RAW_HEADS.append((frozenset(columns), head, raw))
    return head, raw


def _without_decimal(element: CompactThrift, footer: bytes) -> bytes:
    """Return a `SchemaElement` of a footer with only its physical type."""
    fields = [
        make_thrift_field(
            head=make_thrift_field_head(number=field.number, kind=field.head.kind),
            value=None if field.is_stop else footer[field.head.end : field.end],
        )
        for field in element.fields
        if field.is_stop or field.number not in _DECIMAL_FIELDS
    ]
    return bytes(to_bytes(make_compact_thrift(depth=0, fields=fields)))


def member(struct: CompactThrift | None, number: int) -> ThriftValue | None:
    """Return the value of a field of a struct; None if the struct or the field is missing."""
    if struct is None:
        return None
    return next((field.value for field in struct.fields if field.number == number), None)


_RAW_HEADS: deque[tuple[frozenset[str], bytes, bytes]] = deque(maxlen=8)
"""A cache of the last heads: most files of a table start their footers with the same bytes."""

_FILE, _SCHEMA = ParquetMetadata.ParquetFileField, ParquetMetadata.ParquetSchemaField
_DECIMAL_FIELDS = {_SCHEMA.converted_type, _SCHEMA.scale, _SCHEMA.precision, _SCHEMA.logical_type}
"""The fields that make a `SchemaElement` more than the bytes of its physical type."""
