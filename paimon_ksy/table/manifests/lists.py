"""Manifest lists: the manifests of a snapshot, for every version of Paimon."""

from __future__ import annotations

from itertools import repeat
from typing import Any

from paimon_ksy.errors import CorruptFileError
from paimon_ksy.table.io.paths import file_name
from paimon_ksy.table.manifests.containers import read_containers
from paimon_ksy.table.model.files import ManifestFile

MOST_BYTES = 32 << 20
"""The most bytes that a list takes in Arrow: 100,000 manifests, which become objects."""

_SINCE_1_2 = "_MIN_BUCKET"
"""A field that marks newer lists. Up to 0.5, Paimon wrote all records of an ORC file with the
bounds of the last one; no field distinguishes 0.5 from 1.1."""

_NEEDED = (
    *("_FILE_NAME", "_FILE_SIZE", "_NUM_ADDED_FILES", "_NUM_DELETED_FILES", "_SCHEMA_ID"),
    *("_PARTITION_STATS._MIN_VALUES", "_PARTITION_STATS._MAX_VALUES"),
)
_OTHERS = ("_PARTITION_STATS._NULL_COUNTS", "_EXTRA_FILES")


def read_list(data: bytes, path: str) -> list[ManifestFile]:
    """Return the manifests of a manifest list, in the file's order. `path` is for errors.

    Raises:
        CorruptFileError: The file is broken, lacks a field, or names a file elsewhere.
    """
    manifests = []
    names = (*_NEEDED, *_OTHERS, _SINCE_1_2)
    for batch, _, kind in read_containers([(data, path)], names, most_bytes=MOST_BYTES):
        columns = dict(zip(batch.schema.names, batch.columns, strict=True))
        for name in _NEEDED:
            if name not in columns or columns[name].null_count:
                raise CorruptFileError(f"a manifest has no {name!r}", path=path)
        has_bounds = kind != "ORC" or _SINCE_1_2 in columns
        lists = (columns[name].to_pylist() if name in columns else repeat(()) for name in _OTHERS)
        rows = zip(*(columns[name].to_pylist() for name in _NEEDED), *lists, strict=False)
        for *known, least, greatest, null_counts, extra in rows:
            extra_files = tuple(extra or ())
            for each in (known[0], *extra_files):
                file_name(each, "manifest", path)
            bounds = least, greatest, tuple(null_counts or ()), has_bounds
            fields: list[Any] = [*known, extra_files, *bounds]
            manifests.append(ManifestFile(*fields))
    return manifests
