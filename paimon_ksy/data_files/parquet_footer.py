"""Parquet footers that make Arrow read timestamps as their stored bytes."""

from __future__ import annotations

from typing import Any

from paimon_ksy.generated.parsers.parquet_metadata import ParquetMetadata
from paimon_ksy.generated.runtime import to_bytes
from paimon_ksy.generated.views.compact_thrift import CompactThrift, ThriftField, ThriftValue
from paimon_ksy.generated.views.parquet_metadata import PARQUET_TIMESTAMP
from paimon_ksy.generated.writers.compact_thrift import (
    make_compact_thrift,
    make_thrift_field,
    make_thrift_field_head,
)
from paimon_ksy.generated.writers.parquet_metadata import (
    PARQUET_METADATA_END_TYPE,
    PARQUET_METADATA_START_TYPE,
)
from paimon_ksy.generated.writers.varint import make_varint


def with_raw_timestamps(metadata: Any) -> Any:
    """Return pyarrow's metadata of a Parquet file with the values of INT96 as plain bytes.

    Arrow reads these as nanoseconds, which overflow before 1677 and after 2262.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    sink = pa.BufferOutputStream()
    metadata.write_metadata_file(sink)
    written = sink.getvalue().to_pybytes()
    start = len(PARQUET_METADATA_START_TYPE.pack())
    footer = written[start : -len(PARQUET_METADATA_END_TYPE.pack(len_footer=0))]
    version = ThriftField(footer, 0, 0, 0, 0)
    schema = ThriftField(footer, 0, version.end, version.number, 0)
    parts, end = [], 0
    for element in schema.value.collection.elements:
        physical = member(element.nested, _SCHEMA.type)
        is_raw = physical is not None and physical.integer.zigzag == _TYPE.int96.value
        parts.append(_raw(element.nested, footer) if is_raw else footer[end : element.end])
        end = element.end
    footer = b"".join([*parts, footer[end:]])
    end_of_file = PARQUET_METADATA_END_TYPE.pack(len_footer=len(footer))
    return pq.read_metadata(pa.BufferReader(written[:start] + footer + end_of_file))


def _raw(element: CompactThrift, footer: bytes) -> bytes:
    """Return a `SchemaElement` of a footer with bytes as its physical type."""
    fields = []
    for field in element.fields:
        value = None if field.is_stop else footer[field.head.end : field.end]
        values = [(field.number, value)]
        if field.number == _SCHEMA.type and not field.is_stop:
            kind = _number(_TYPE.fixed_len_byte_array.value)
            values = [(field.number, kind), (_SCHEMA.len_type, _number(PARQUET_TIMESTAMP.size))]
        for number, value in values:
            head = make_thrift_field_head(number=number, kind=field.head.kind)
            fields.append(make_thrift_field(head=head, value=value))
    return bytes(to_bytes(make_compact_thrift(depth=0, fields=fields)))


def _number(value: int) -> bytes:
    """Return a positive integer as Thrift stores it, with the sign in the lowest bit."""
    return bytes(to_bytes(make_varint(value=2 * value)))


def member(struct: CompactThrift | None, number: int) -> ThriftValue | None:
    """Return the value of a field of a struct; None if the struct or the field is missing."""
    if struct is None:
        return None
    return next((field.value for field in struct.fields if field.number == number), None)


_SCHEMA, _TYPE = ParquetMetadata.ParquetSchemaField, ParquetMetadata.ParquetType
