"""Tables with the metadata that an older version of Paimon wrote.

    as_written_by(path, "0.7")      # changes the table in place: snapshots, schemas, manifests

Which version has which fields is the history of Java's `DataFileMeta`, `ManifestFileMeta`,
`IndexManifestEntry`, `DeletionVectorMeta`, `Snapshot` and `TableSchema`.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from typing import Any

import fastavro

from paimon_ksy.rows.binary_row import read_row, write_row
from paimon_ksy.types.schema import Schema

RELEASES = ("0.4", "0.5", "0.8", "0.9", "1.0", "1.1", "1.2", "1.3", "1.4")

SINCE = {
    "_DELETE_ROW_COUNT": "0.8",
    "_EMBEDDED_FILE_INDEX": "0.8",
    "_FILE_SOURCE": "0.9",
    "_VALUE_STATS_COLS": "1.0",
    "_EXTERNAL_PATH": "1.0",
    "_FIRST_ROW_ID": "1.3",
    "_WRITE_COLS": "1.3",
    "_WRITE_COLS_SEQUENCES": "2.0",
    "_MIN_BUCKET": "1.2",
    "_MAX_BUCKET": "1.2",
    "_MIN_LEVEL": "1.2",
    "_MAX_LEVEL": "1.2",
    "_MIN_ROW_ID": "1.4",
    "_MAX_ROW_ID": "1.4",
    "_TOTAL_BUCKETS": "0.4",
    "_DELETIONS_VECTORS_RANGES": "0.8",
    "_CARDINALITY": "1.0",
    "_GLOBAL_INDEX": "1.4",
    "baseManifestListSize": "1.1",
    "deltaManifestListSize": "1.1",
    "changelogManifestListSize": "1.1",
    "properties": "1.2",
    "nextRowId": "1.3",
    "uuid": "2.0",
    "writerVersion": "2.0",
}
"""The first version that has a field; those that are not here are in all."""

_INDEX_EXTERNAL_PATH_SINCE = "1.3"


def as_written_by(path: Path | str, release: str) -> None:
    """Rewrite the metadata of a local table as this version of Paimon, `0.4` to `1.4`, wrote it."""
    path = Path(path)
    schemas = {}
    for file in path.glob("schema/schema-*"):
        document = json.loads(file.read_text())
        schemas[document["id"]] = Schema.from_paimon_json(document)
        _older_schema(document, release)
        file.write_text(json.dumps(document))
    sizes = {}
    for file in sorted(path.glob("manifest/manifest-[0-9a-f]*")):
        _rewrite(file, lambda entry: _older_entry(entry, release, schemas), release)
        sizes[file.name] = file.stat().st_size
    for file in path.glob("manifest/manifest-list-*"):
        _rewrite(file, lambda meta: {**meta, "_FILE_SIZE": sizes[meta["_FILE_NAME"]]}, release)
    for file in path.glob("manifest/index-manifest-*"):
        _rewrite(file, lambda entry: entry, release, index=True)
    for file in (*path.glob("snapshot/snapshot-*"), *path.glob("tag/tag-*")):
        document = json.loads(file.read_text())
        for role in ("base", "delta", "changelog"):
            if document.get(f"{role}ManifestList"):
                manifests = path / "manifest" / document[f"{role}ManifestList"]
                document[f"{role}ManifestListSize"] = manifests.stat().st_size
        document["logOffsets"] = {}  # which later versions left out
        file.write_text(json.dumps(_kept(document, release)))


def _is_in(name: str, release: str, *, index: bool = False) -> bool:
    since = SINCE.get(name, "0.4")
    if index and name == "_EXTERNAL_PATH":
        since = _INDEX_EXTERNAL_PATH_SINCE
    return [int(n) for n in since.split(".")] <= [int(n) for n in release.split(".")]


def _kept(document: dict[str, Any], release: str) -> dict[str, Any]:
    return {name: value for name, value in document.items() if _is_in(name, release)}


def _older_schema(document: dict[str, Any], release: str) -> None:
    number = [int(n) for n in release.split(".")]
    if number < [0, 8]:
        del document["version"]
    elif number < [0, 9]:
        document["version"] = 2
    if number < [0, 5]:
        document.pop("timeMillis", None)
    # What an older version took for granted was not written down.
    if number < [0, 8] and document["options"].get("bucket") == "1":
        del document["options"]["bucket"]
    if number < [0, 9] and document["options"].get("file.format") == "orc":
        del document["options"]["file.format"]


def _older_entry(entry: dict[str, Any], release: str, schemas: dict[int, Schema]) -> dict[str, Any]:
    file = entry["_FILE"]
    names = file.get("_VALUE_STATS_COLS")
    if names is not None and not _is_in("_VALUE_STATS_COLS", release):
        # Statistics were of all columns, with nulls where there are none.
        file["_VALUE_STATS"] = _dense(file["_VALUE_STATS"], names, schemas[file["_SCHEMA_ID"]])
    return entry


def _dense(stats: dict[str, Any], names: list[str], schema: Schema) -> dict[str, Any]:
    known = [schema[name] for name in names]
    types = [column.type for column in schema]

    def row(data: bytes) -> bytes:
        values = dict(zip(names, read_row(data, known), strict=True))
        return write_row([values.get(name) for name in schema.names], types)

    nulls = dict(zip(names, stats["_NULL_COUNTS"] or (), strict=False))
    return {
        "_MIN_VALUES": row(stats["_MIN_VALUES"]),
        "_MAX_VALUES": row(stats["_MAX_VALUES"]),
        "_NULL_COUNTS": [nulls.get(name) for name in schema.names],
    }


def _rewrite(
    file: Path, change: Callable[[dict[str, Any]], dict[str, Any]], release: str, **where: bool
) -> None:
    reader = fastavro.reader(BytesIO(file.read_bytes()))
    found: list[Any] = list(reader)
    records = [change(record) for record in found]
    schema = reader.writer_schema
    schema = _older_avro(schema, release, **where)
    sink = BytesIO()
    fastavro.writer(sink, schema, records, codec=reader.metadata["avro.codec"])
    file.write_bytes(sink.getvalue())


def _older_avro(schema: Any, release: str, **where: bool) -> Any:
    """A schema of Avro without the fields that came later; writers pass over them in records."""
    if isinstance(schema, list):
        return [_older_avro(kind, release, **where) for kind in schema]
    if not isinstance(schema, dict):
        return schema
    made = {key: value for key, value in schema.items() if not key.startswith("__")}
    if made["type"] == "record":
        made["fields"] = [
            {**field, "type": _older_avro(field["type"], release, **where)}
            for field in schema["fields"]
            if _is_in(field["name"], release, **where)
        ]
    elif made["type"] == "array":
        made["items"] = _older_avro(schema["items"], release, **where)
    return made
