"""Convert the report of `paimon-ksy inspect` to JSON."""

from __future__ import annotations

import math
from dataclasses import fields, is_dataclass
from decimal import Decimal
from typing import Any

from paimon_ksy.cli.failures import text_of
from paimon_ksy.file_index.bloom_filter.report import BloomFilterReport
from paimon_ksy.file_index.bsi.report import BsiReport
from paimon_ksy.file_index.range_bitmap.report import RangeBitmapReport
from paimon_ksy.file_index.report import Shown, SliceReport
from paimon_ksy.inspection.report import ColumnReport, FileReport, IndexReport
from paimon_ksy.messages.masking import masked
from paimon_ksy.types.data_type import DataType


def report_json(report: FileReport) -> dict[str, Any]:
    """Return the JSON that `inspect` prints for a report."""
    document: dict[str, Any] = {
        "file": masked(report.path),
        "kind": report.kind.id,
        "bytes": report.size,
    }
    if report.kind.readers:
        document["note"] = report.kind.note
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


_NAMES = {
    **{"offset": "byte", "size": "bytes", "head_size": "head_bytes", "count": "rows"},
    **{"old_size": "old_bytes", "new_size": "new_bytes", "data_type": "type"},
    **{"least": "min", "greatest": "max"},
}
"""The keys in JSON of attributes that have other names."""
_OMITTED = ("typed", "text", "place", "row", "errors")


def _body_json(body: Any) -> dict[str, Any]:
    found: dict[str, Any] = json_of(body)
    if isinstance(body, BloomFilterReport):
        return {"bloom_filter": {**found, "false_positives": body.false_positives}}
    if isinstance(body, BsiReport | RangeBitmapReport):
        found["has_nulls"] = None if body.nulls is None else body.nulls > 0
    return found


def json_of(value: Any) -> Any:
    """Return the JSON of a report or a change, or of a part of one, by its attributes."""
    if type(value) is Shown:
        return plain(value)
    if isinstance(value, tuple):
        parts = [json_of(part) for part in value]
        if value and isinstance(value[0], SliceReport):
            return [{"bit": bit, **part} for bit, part in enumerate(parts)]
        return parts
    if isinstance(value, DataType):
        return str(value)
    if not is_dataclass(value):
        return value
    names = [field.name for field in fields(value) if field.name not in _OMITTED]
    found = {_NAMES.get(name, name): json_of(getattr(value, name)) for name in names}
    return {**found, "value": plain(value)} if isinstance(value, Shown) else found


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
