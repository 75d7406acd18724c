"""The index types. All other modules ask their records, and know no type by its name."""

from __future__ import annotations

from paimon_ksy.file_index.index_type import IndexType
from paimon_ksy.io.registry import Registry

_PACKAGES = {
    "bitmap": "bitmap",
    "bsi": "bsi",
    "range-bitmap": "range_bitmap",
    "bloom-filter": "bloom_filter",
}
"""The package of each index type, by the name of the type."""


INDEX_TYPES: Registry[str, IndexType] = Registry(
    {name: f"file_index.{package}.index_type" for name, package in _PACKAGES.items()},
    lambda module, _: module.INDEX_TYPE,
)
"""The record of each index type, by its name."""
