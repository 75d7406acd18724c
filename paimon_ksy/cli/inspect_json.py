"""Convert the report of `paimon-ksy inspect` to JSON."""

from __future__ import annotations

import math
from decimal import Decimal
from typing import Any

from paimon_ksy.cli.failures import text_of
from paimon_ksy.file_index.bitmap.report import BitmapReport
from paimon_ksy.file_index.bloom_filter.report import BloomFilterReport
from paimon_ksy.file_index.bsi.report import BsiPartReport, BsiReport
from paimon_ksy.file_index.range_bitmap.report import RangeBitmapReport
from paimon_ksy.file_index.report import Shown, SliceReport, ValueCount
from paimon_ksy.inspection.report import ColumnReport, FileReport, IndexReport
from paimon_ksy.messages.masking import masked

KINDS = {
    "file index": "index",
    "deletion vectors": "vectors",
    "bucket index": "bucket-index",
    "roaring bitmap": "roaring-bitmap",
    "Parquet": "parquet",
    "ORC": "orc",
    "Avro": "avro",
    "unknown": "unknown",
}
"""The `kind` in JSON for each kind in a report: the values of --kind, and others."""


def report_json(report: FileReport) -> dict[str, Any]:
    """Return the JSON that `inspect` prints for a report."""
    document: dict[str, Any] = {
        "file": masked(report.path),
        "kind": KINDS[report.kind],
        "bytes": report.size,
    }
    if report.file_index is not None:
        index = report.file_index
        document["version"] = index.version
        document["head_bytes"] = index.head_size
        document["redundant_bytes"] = index.redundant_size
        document["columns"] = [_column_json(column) for column in index.columns]
    if report.vectors is not None:
        from paimon_ksy.cli.dv import vectors_json

        document["vectors"] = vectors_json(report.vectors, None)
    if report.bucket_index is not None:
        from paimon_ksy.cli.bucket_index import codes_json

        document |= codes_json(report.bucket_index)
    if report.roaring is not None:
        bitmap = report.roaring
        document["cardinality"] = bitmap.cardinality
        document["containers"] = {
            "array": bitmap.arrays,
            "bitset": bitmap.bitsets,
            "run": bitmap.runs,
        }
    return document


def _column_json(column: ColumnReport) -> dict[str, Any]:
    return {
        "column": column.name,
        "type": None if column.type is None else str(column.type),
        "indexes": [_index_json(index) for index in column.indexes],
    }


def _index_json(index: IndexReport) -> dict[str, Any]:
    document: dict[str, Any] = {
        "index_type": index.type,
        "empty": index.empty,
        "byte": index.offset,
        "bytes": index.size,
    }
    if index.body is not None:
        document |= _body_json(index.body)
    if index.error is not None:
        document["error"] = text_of(index.error)
    return document


def _body_json(body: Any) -> dict[str, Any]:
    match body:
        case BitmapReport():
            return _bitmap_json(body)
        case BloomFilterReport():
            return {"bloom_filter": _bloom_filter_json(body)}
        case BsiReport():
            return _bsi_json(body)
        case RangeBitmapReport():
            return _range_bitmap_json(body)
        case _:
            return {
                name: plain(value) if isinstance(value, Shown) else value
                for name, value in vars(body).items()
            }


def _bitmap_json(bitmap: BitmapReport) -> dict[str, Any]:
    return {
        "version": bitmap.version,
        "rows": bitmap.rows,
        "distinct": bitmap.distinct,
        "has_nulls": bitmap.has_nulls,
        "nulls": bitmap.nulls,
        "blocks": bitmap.blocks,
        "values_seen": bitmap.values_seen,
        "values": None if bitmap.values is None else [_value_json(v) for v in bitmap.values],
    }


def _bloom_filter_json(bloom: BloomFilterReport) -> dict[str, Any]:
    return {
        "hashes": bloom.hashes,
        "bits": bloom.bits,
        "bits_set": bloom.bits_set,
        "false_positives": bloom.false_positives,
    }


def _bsi_json(bsi: BsiReport) -> dict[str, Any]:
    return {
        "version": bsi.version,
        "rows": bsi.rows,
        "has_nulls": bsi.nulls > 0,
        "nulls": bsi.nulls,
        "min": plain(bsi.least),
        "max": plain(bsi.greatest),
        "positive": _bsi_part_json(bsi.positive),
        "negative": _bsi_part_json(bsi.negative),
    }


def _bsi_part_json(part: BsiPartReport | None) -> dict[str, Any] | None:
    if part is None:
        return None
    return {
        "rows": part.rows,
        "min": part.min,
        "max": part.max,
        "slices": _slices_json(part.slices),
    }


def _slices_json(slices: tuple[SliceReport, ...]) -> list[dict[str, Any]]:
    return [
        {"bit": bit, "byte": found.offset, "bytes": found.size, "rows": found.rows}
        for bit, found in enumerate(slices)
    ]


def _range_bitmap_json(found: RangeBitmapReport) -> dict[str, Any]:
    dictionary = found.dictionary
    return {
        "version": found.version,
        "rows": found.rows,
        "distinct": found.distinct,
        "has_nulls": None if found.nulls is None else found.nulls > 0,
        "nulls": found.nulls,
        "min": plain(found.least),
        "max": plain(found.greatest),
        "dictionary": None
        if dictionary is None
        else {
            "byte": dictionary.offset,
            "bytes": dictionary.size,
            "head_bytes": dictionary.head_size,
            "num_chunks": dictionary.num_chunks,
            "chunks": [
                {"first": plain(chunk.first), "values": chunk.values, "bytes": chunk.size}
                for chunk in dictionary.chunks
            ],
        },
        "slices": None if found.slices is None else _slices_json(found.slices),
    }


def _value_json(value: ValueCount) -> dict[str, Any]:
    return {"value": plain(value), "rows": value.rows}


def plain(value: Shown | None) -> Any:
    """Return the JSON of a value; dates, times and numbers that JSON lacks become strings."""
    if value is None or isinstance(value.value, str):
        return None if value is None else value.value
    if isinstance(value.value, Decimal):
        return value.text
    if isinstance(value.value, float):  # the text has only the digits that a FLOAT stores
        return float(value.text) if math.isfinite(value.value) else value.text
    is_text = not isinstance(value.value, bool) and value.text != str(value.value)
    return value.text if is_text else value.value
