"""Manifests and manifest lists of any records, in each format that Java writes.

data = avro(ENTRIES, [entry(_FILE_NAME="a.parquet")], codec="snappy")
data = orc(ENTRIES, [entry()], without={"_EXTERNAL_PATH"})
"""

from __future__ import annotations

import io
from collections.abc import Callable, Collection, Sequence
from pathlib import Path
from typing import Any

import fastavro
import pyarrow as pa
from pyarrow import orc as pyarrow_orc
from pyarrow import parquet as pyarrow_parquet
from pypaimon.manifest.index_manifest_file import INDEX_MANIFEST_ENTRY_SCHEMA
from pypaimon.manifest.schema.manifest_entry import MANIFEST_ENTRY_SCHEMA
from pypaimon.manifest.schema.manifest_file_meta import MANIFEST_FILE_META_SCHEMA

from paimon_ksy.rows.binary_row import write_row
from paimon_ksy.table.io.cache import clear_caches
from paimon_ksy.table.store import Table

ENTRIES: Any = MANIFEST_ENTRY_SCHEMA
LISTS: Any = MANIFEST_FILE_META_SCHEMA
INDEXES: Any = INDEX_MANIFEST_ENTRY_SCHEMA

CODECS = ("null", "deflate", "snappy", "zstandard", "bzip2", "xz")

EMPTY = write_row((), ())
STATS = {"_MIN_VALUES": EMPTY, "_MAX_VALUES": EMPTY, "_NULL_COUNTS": []}


def entry(kind: int = 0, partition: bytes = EMPTY, bucket: int = 0, **file: Any) -> dict[str, Any]:
    """An entry of a manifest; `file` are fields of its data file."""
    return {
        "_VERSION": 2,
        "_KIND": kind,
        "_PARTITION": partition,
        "_BUCKET": bucket,
        "_TOTAL_BUCKETS": 1,
        "_FILE": {
            "_FILE_NAME": "data-0.parquet",
            "_FILE_SIZE": 1000,
            "_ROW_COUNT": 10,
            "_MIN_KEY": EMPTY,
            "_MAX_KEY": EMPTY,
            "_KEY_STATS": STATS,
            "_VALUE_STATS": STATS,
            "_MIN_SEQUENCE_NUMBER": 0,
            "_MAX_SEQUENCE_NUMBER": 9,
            "_SCHEMA_ID": 0,
            "_LEVEL": 0,
            "_EXTRA_FILES": [],
            "_CREATION_TIME": 1_700_000_000_123,
            **file,
        },
    }


RECORDS = [
    entry(
        number % 2,
        _FILE_NAME=f"data-{number}.parquet",
        _EXTRA_FILES=["a.index"] * (number % 3),
        _EMBEDDED_FILE_INDEX=None if number % 5 else b"index",
        _VALUE_STATS_COLS=None if number % 7 else ["a", "b"],
        _FIRST_ROW_ID=number if number % 2 else None,
        _CREATION_TIME=None if number == 3 else 1_700_000_000_000 + number,
    )
    for number in range(50)
]


def listed(name: str = "manifest-0", **fields: Any) -> dict[str, Any]:
    """A manifest in a manifest list."""
    return {
        "_VERSION": 2,
        "_FILE_NAME": name,
        "_FILE_SIZE": 500,
        "_NUM_ADDED_FILES": 1,
        "_NUM_DELETED_FILES": 0,
        "_PARTITION_STATS": STATS,
        "_SCHEMA_ID": 0,
        **fields,
    }


def index_entry(name: str = "index-0", **fields: Any) -> dict[str, Any]:
    """An entry of an index manifest."""
    return {
        "_VERSION": 1,
        "_KIND": 0,
        "_PARTITION": EMPTY,
        "_BUCKET": 0,
        "_INDEX_TYPE": "HASH",
        "_FILE_NAME": name,
        "_FILE_SIZE": 12,
        "_ROW_COUNT": 3,
        **fields,
    }


def without(schema: Any, names: Collection[str]) -> Any:
    """A schema of Avro that lacks some fields."""
    if isinstance(schema, list):
        return [without(kind, names) for kind in schema]
    if not isinstance(schema, dict):
        return schema
    if "items" in schema:
        return {**schema, "items": without(schema["items"], names)}
    if "fields" not in schema:
        return schema
    fields = [
        {**field, "type": without(field["type"], names)}
        for field in schema["fields"]
        if field["name"] not in names
    ]
    return {**schema, "fields": fields}


def avro(schema: Any, records: Sequence[Any], codec: str = "zstandard", **options: Any) -> bytes:
    """Records in an Avro file."""
    sink = io.BytesIO()
    fastavro.writer(sink, schema, records, codec=codec, **options)
    return sink.getvalue()


def change_index_manifest(table: Table, change: Callable[[list[Any]], list[Any]]) -> None:
    """Change the records in the index manifest of the latest snapshot."""
    snapshot = table.snapshot()
    assert snapshot is not None
    path = Path(table.manifests.path(str(snapshot.index_manifest)))
    with path.open("rb") as file:
        records = list(fastavro.reader(file))
    path.write_bytes(avro(INDEXES, change(records)))
    clear_caches()  # since names of such files are otherwise never reused


def arrow(schema: Any, records: Sequence[Any]) -> pa.Table:
    """Records with the columns of an Avro schema, and null in those that they lack."""
    return pa.Table.from_pylist(list(records), schema=pa.schema(_fields(schema)))


def orc(schema: Any, records: Sequence[Any]) -> bytes:
    """Records in an ORC file."""
    sink = io.BytesIO()
    pyarrow_orc.write_table(arrow(schema, records), sink)
    return sink.getvalue()


def parquet(schema: Any, records: Sequence[Any]) -> bytes:
    """Records in a Parquet file."""
    sink = io.BytesIO()
    pyarrow_parquet.write_table(arrow(schema, records), sink)
    return sink.getvalue()


def _fields(schema: Any) -> list[pa.Field]:
    return [pa.field(field["name"], _type(field["type"])) for field in schema["fields"]]


def _type(schema: Any) -> pa.DataType:
    if isinstance(schema, list):
        return _type(next(kind for kind in schema if kind != "null"))
    if isinstance(schema, dict):
        if schema["type"] == "record":
            return pa.struct(_fields(schema))
        if schema["type"] == "array":
            return pa.list_(_type(schema["items"]))
        return pa.timestamp("ms")
    kinds = {"int": pa.int32(), "long": pa.int64(), "string": pa.string(), "bytes": pa.binary()}
    return kinds[schema]
