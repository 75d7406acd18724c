"""The index types. All other modules ask their records, and know no type by its name."""

from __future__ import annotations

from importlib import import_module

from paimon_ksy.file_index.index_type import IndexType

_PACKAGES = (
    "bitmap",
    "bsi",
    "range_bitmap",
    "bloom_filter",
)


def _record(package: str) -> IndexType:
    record = import_module(f"paimon_ksy.file_index.{package}.index_type").INDEX_TYPE
    assert isinstance(record, IndexType)
    return record


INDEX_TYPES: dict[str, IndexType] = {kind.name: kind for kind in map(_record, _PACKAGES)}
"""The record of each index type, by its name."""
