"""Patches that make pypaimon check the fields of metadata, and accept older versions.

pypaimon reads snapshots, schemas and manifests in many places: to open a table, to merge, to
commit. It does not check values, and requires fields that Paimon 0.9 and earlier did not write. So
the few functions that all these places use are wrapped, once for each process. A sound file of a
current version is read as before. The patches also read manifests in ORC and Parquet, which
pypaimon does not support, and all manifests within the bounds of `read_containers`.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from io import BytesIO
from threading import Lock
from types import SimpleNamespace
from typing import Any

from paimon_ksy.io.file_kind import data_format
from paimon_ksy.table.manifests.containers import read_containers
from paimon_ksy.table.model.documents import columns_of, schema_document, snapshot_document
from paimon_ksy.table.store.errors import pypaimon_module
from paimon_ksy.types.parse import type_from_json

_LATER_FIELDS = (
    "_DELETE_ROW_COUNT",  # since Paimon 0.8
    "_EMBEDDED_FILE_INDEX",  # 0.8
    "_FILE_SOURCE",  # 0.9
    "_VALUE_STATS_COLS",  # 1.0
)
"""Fields of Java's `DataFileMeta` that pypaimon requires. It accepts that `_EXTERNAL_PATH` (1.0),
`_FIRST_ROW_ID` and `_WRITE_COLS` (1.3) are absent."""

_FIELDS = (
    *("_FILE_NAME", "_FILE_SIZE", "_ROW_COUNT", "_MIN_KEY", "_MAX_KEY", "_KEY_STATS"),
    *("_VALUE_STATS", "_MIN_SEQUENCE_NUMBER", "_MAX_SEQUENCE_NUMBER", "_SCHEMA_ID", "_LEVEL"),
    *("_EXTRA_FILES", "_CREATION_TIME"),
)
"""Fields that all versions since 0.4 write."""

_ENTRY_FIELDS = ("_VERSION", "_KIND", "_PARTITION", "_BUCKET", "_TOTAL_BUCKETS", "_FILE")
_ENTRY_VERSION = 2

_LOCK = Lock()


def check_metadata() -> None:
    """Make pypaimon check all metadata that it reads from now on."""
    check_documents()
    manifests = pypaimon_module("manifest.manifest_file_manager")
    with _LOCK:
        if not getattr(manifests._read_manifest_records, "knows_older", False):
            _read_all_formats(manifests)
            _complete_entries(manifests)


def check_documents() -> None:
    """Make pypaimon check the schemas and snapshots that it reads: enough to open a table."""
    parser = pypaimon_module("common.json_util").JSON
    with _LOCK:
        if not getattr(parser.from_json, "checks_fields", False):
            _check_schemas()
            _check_snapshots(parser)


def _check_snapshots(parser: Any) -> None:
    snapshot = pypaimon_module("snapshot.snapshot").Snapshot  # also used for tags and changelogs
    from_json = parser.from_json

    def checked(text: str, target: Any) -> Any:
        if isinstance(target, type) and issubclass(target, snapshot):
            text = json.dumps(snapshot_document(text))
        return from_json(text, target)

    checked.checks_fields = True  # type: ignore[attr-defined]
    parser.from_json = staticmethod(checked)


def _check_schemas() -> None:
    schema = pypaimon_module("schema.table_schema").TableSchema
    parser = pypaimon_module("schema.data_types").DataTypeParser
    from_json, parse = schema.from_json, parser.parse_data_type

    def checked(text: str) -> Any:
        document = schema_document(text)
        try:
            return from_json(json.dumps(document))
        except Exception:  # of any kind; mostly over the type of a column
            columns_of(document)  # raises an error that names the column
            raise

    def parsed(node: Any, *more: Any) -> Any:
        try:
            return parse(node, *more)
        except Exception:  # as above
            from paimon_ksy.table.store.kept_type import KeptType

            if (found := type_from_json(node)).text is None:
                raise
            return KeptType(node, found)

    schema.from_json = staticmethod(checked)
    parser.parse_data_type = staticmethod(parsed)


def _records(buffer: BytesIO) -> Iterator[Any]:
    """Yield the records of a manifest in any format, within bounds, as `fastavro.reader` does."""
    for part in read_containers([(buffer.getvalue(), "")]):
        yield from part.batch.to_pylist()


def _read_all_formats(manifests: Any) -> None:
    lists = pypaimon_module("manifest.manifest_list_manager")
    indexes = pypaimon_module("manifest.index_manifest_file")
    for module in (manifests, lists, indexes):
        # Without a schema, pypaimon reads records instead of blocks.
        read = {"reader": _records, "block_reader": lambda _: SimpleNamespace(writer_schema=None)}
        module.fastavro = SimpleNamespace(**{**vars(module.fastavro), **read})
    kind = indexes.IndexManifestFile
    read_json = kind._read_json

    def read_any(self: Any, data: bytes, path: str) -> Any:
        is_columnar = data_format(data[:8]) in ("ORC", "Parquet")
        return self._read_avro(data, path) if is_columnar else read_json(self, data, path)

    kind._read_json = read_any


def _absent_from(entry: Mapping[str, Any]) -> dict[str, None]:
    """Return the fields that an older version left out. Raises ValueError if others are missing."""
    file = entry.get("_FILE", {})
    for fields, there in ((_ENTRY_FIELDS, entry), (_FIELDS, file)):
        for name in fields:
            if name not in there:
                raise ValueError(f"its entries have no field {name}")
    if entry["_VERSION"] != _ENTRY_VERSION:
        raise ValueError(
            f"its entries have version {entry['_VERSION']}, but Paimon reads only version "
            f"{_ENTRY_VERSION}"
        )
    return {name: None for name in _LATER_FIELDS if name not in file}


def _complete_entries(manifests: Any) -> None:
    read = manifests._read_manifest_records

    def completed(*arguments: Any) -> Iterator[Any]:
        absent: dict[str, None] | None = None
        for record, *rest in read(*arguments):
            if absent is None:  # all entries of a manifest have the same fields
                absent = _absent_from(record)
            record["_FILE"].update(absent)
            yield record, *rest

    completed.knows_older = True  # type: ignore[attr-defined]
    manifests._read_manifest_records = completed
