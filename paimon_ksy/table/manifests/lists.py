"""Manifest lists: which manifests a snapshot has, of whatever version of Paimon."""

from __future__ import annotations

from typing import Any

from paimon_ksy.errors import CorruptFileError
from paimon_ksy.table.io.paths import file_name
from paimon_ksy.table.manifests.containers import read_containers
from paimon_ksy.table.model.files import ManifestFile

_SINCE_1_2 = "_MIN_BUCKET"
"""A field that tells newer lists. Up to 0.5, Paimon wrote all records of an ORC file with the
bounds of the last one; no field tells 0.5 from 1.1."""

_NAMES = ("_FILE_NAME", "_FILE_SIZE", "_NUM_ADDED_FILES", "_NUM_DELETED_FILES", "_SCHEMA_ID")


def read_list(data: bytes, path: str) -> list[ManifestFile]:
    """Return the manifests of a manifest list, in the file's order.

    Args:
        data: The file.
        path: Its path, for errors.

    Raises:
        CorruptFileError: It is broken, lacks a field, or names a file that is elsewhere.
    """
    found = []
    for batch, _, kind in read_containers([(data, path)]):
        for record in batch.to_pylist():
            try:
                manifest = _manifest(record, has_bounds=kind != "ORC" or _SINCE_1_2 in record)
            except (KeyError, TypeError) as error:
                raise CorruptFileError(f"a manifest has no {error}", path=path) from error
            for name in (manifest.file_name, *manifest.extra_files):
                file_name(name, "manifest", path)
            found.append(manifest)
    return found


def _manifest(record: dict[str, Any], *, has_bounds: bool) -> ManifestFile:
    """Return a record as a plain value.

    Raises:
        KeyError, TypeError: It lacks a field.
    """
    stats = record["_PARTITION_STATS"]
    for name, value in ((name, record[name]) for name in _NAMES):
        if value is None:
            raise KeyError(name)
    return ManifestFile(
        file_name=record["_FILE_NAME"],
        file_size=record["_FILE_SIZE"],
        num_added_files=record["_NUM_ADDED_FILES"],
        num_deleted_files=record["_NUM_DELETED_FILES"],
        schema_id=record["_SCHEMA_ID"],
        extra_files=tuple(record.get("_EXTRA_FILES") or ()),
        least_partition=bytes(stats["_MIN_VALUES"]),
        greatest_partition=bytes(stats["_MAX_VALUES"]),
        null_counts=tuple(stats.get("_NULL_COUNTS") or ()),
        has_bounds=has_bounds,
    )
