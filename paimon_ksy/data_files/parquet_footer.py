"""Parquet footers that make Arrow read timestamps, and types that it lacks, as bytes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from ksykit.runtime.objects import to_bytes

from paimon_ksy.generated.structs.compact_thrift import (
    make_compact_thrift,
    make_thrift_field,
    make_thrift_field_head,
)
from paimon_ksy.generated.structs.parquet_metadata import ParquetMetadata
from paimon_ksy.generated.structs.varint import make_varint
from paimon_ksy.generated.views import parquet_metadata as parquet
from paimon_ksy.generated.views.compact_thrift import CompactThrift, ThriftField, ThriftValue


def with_raw_timestamps(metadata: Any) -> Any:
    """Return pyarrow's metadata of a Parquet file with the values of INT96 as plain bytes.

    Arrow reads these as nanoseconds, which overflow before 1677 and after 2262.
    """

    def raw(element: CompactThrift, footer: bytes) -> bytes | None:
        physical = member(element, parquet.ParquetSchemaField.physical_type)
        is_raw = physical is not None and physical.integer.zigzag == parquet.ParquetType.int96
        return _raw(element, footer) if is_raw else None

    sink = pa.BufferOutputStream()
    metadata.write_metadata_file(sink)
    return _changed(sink.getvalue().to_pybytes()[len(_MAGIC) : -_SIZE_TAIL], raw)


def with_known_types(size: int, read: Callable[[int, int], bytes]) -> Any:
    """Return pyarrow's metadata of a Parquet file, without the logical types that Arrow lacks."""

    def known(element: CompactThrift, footer: bytes) -> bytes | None:
        logical = member(element, parquet.ParquetSchemaField.logical_type)
        if logical is None or logical.nested.fields[0].number in _KNOWN_TYPES:
            return None
        return _with_fields(element, footer, {parquet.ParquetSchemaField.logical_type: []})

    start = size - _SIZE_TAIL
    length = parquet.ParquetMetadataTail(read(start, _SIZE_TAIL), 0, 0).len_footer
    return _changed(read(start - length, length), known)


def _changed(footer: bytes, change: Callable[[CompactThrift, bytes], bytes | None]) -> Any:
    """Return the metadata in a footer; `change` may return other bytes of a `SchemaElement`."""
    version = ThriftField(footer, 0, 0, 0, 0)
    schema = ThriftField(footer, 0, version.end, version.number, 0)
    parts, end = [], 0
    for element in schema.value.collection.elements:
        changed = change(element.nested, footer)
        parts.append(footer[end : element.end] if changed is None else changed)
        end = element.end
    footer = b"".join([*parts, footer[end:]])
    return pq.read_metadata(pa.BufferReader(_MAGIC + footer + _tail(len(footer))))


def _raw(element: CompactThrift, footer: bytes) -> bytes:
    """Return a `SchemaElement` of a footer with bytes as its physical type."""
    kind = _number(parquet.ParquetType.fixed_len_byte_array)
    values = [
        (parquet.ParquetSchemaField.physical_type, kind),
        (parquet.ParquetSchemaField.len_type, _number(parquet.PARQUET_TIMESTAMP.size)),
    ]
    return _with_fields(element, footer, {parquet.ParquetSchemaField.physical_type: values})


def _with_fields(
    element: CompactThrift, footer: bytes, changes: Mapping[int, Sequence[tuple[int, bytes]]]
) -> bytes:
    """Return a `SchemaElement` with the numbers and values of `changes` instead of some fields."""
    fields = []
    for field in element.fields:
        value = None if field.is_stop else footer[field.head.end : field.end]
        values = [(field.number, value)] if field.is_stop else changes.get(field.number)
        for number, new in [(field.number, value)] if values is None else values:
            head = make_thrift_field_head(number=number, kind=field.head.kind)
            fields.append(make_thrift_field(head=head, value=new))
    return bytes(to_bytes(make_compact_thrift(depth=0, fields=fields)))


def _number(value: int) -> bytes:
    """Return a positive integer as Thrift stores it, with the sign in the lowest bit."""
    return bytes(to_bytes(make_varint(value=2 * value)))


def member(struct: CompactThrift | None, number: int) -> ThriftValue | None:
    """Return the value of a field of a struct; None if the struct or the field is missing."""
    if struct is None:
        return None
    return next((field.value for field in struct.fields if field.number == number), None)


def _tail(len_footer: int) -> bytes:
    """Return the bytes after a footer."""
    length = ParquetMetadata.pack_field("len_footer", len_footer)
    return length + ParquetMetadata.pack_field("magic_end")


_MAGIC = ParquetMetadata.pack_field("magic")
_SIZE_TAIL = len(_tail(0))
_KNOWN_TYPES = frozenset(parquet.ParquetLogicalType)
