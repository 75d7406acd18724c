"""Make tables with any number of data files, but write only their manifests.

    path = table_of_manifests("warehouse", "orders", partitions=100, files=100)

Table `default.orders` has 100 partitions `day` with 100 files of 1,000 rows each, and 22 columns,
all with statistics. Within a partition, `id` grows from file to file.
"""

from __future__ import annotations

import io
import json
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import fastavro
import numpy as np
import pyarrow as pa

from paimon_ksy.rows.binary_row import write_row
from paimon_ksy.table.store import Table
from paimon_ksy.types.parse import parse_type

ROWS = 1000
"""Rows of a data file."""

_STRING, _BIGINT = parse_type("STRING"), parse_type("BIGINT")
_EMPTY = write_row((), ())
_SPREAD = 0x9E3779B97F4A7C15F39CC0605CEDC835
"""An odd number, multiples of which look like random ones."""


def table_of_manifests(
    warehouse: Path | str,
    name: str,
    *,
    partitions: int,
    files: int,
    manifests: int | None = None,
    mixed: bool = False,
    deleted: int = 0,
) -> str:
    """Make the table and return its path.

    Args:
        warehouse: The folder of the warehouse.
        name: The table's name.
        partitions: How many there are: `day` is d000, d001 and so on, see `day_of`.
        files: Data files of each partition.
        manifests: How many there are; by default one for each 10,000 files.
        mixed: Whether each manifest has files of all partitions, so that none can be left out.
        deleted: How many of the files another manifest deletes, all over the others.
    """
    from pypaimon import CatalogFactory, Schema
    from pypaimon.manifest.schema.manifest_entry import MANIFEST_ENTRY_SCHEMA
    from pypaimon.manifest.schema.manifest_file_meta import MANIFEST_FILE_META_SCHEMA

    names = ["id", *(f"c{number:02}" for number in range(20))]
    types = [pa.int64(), *([pa.int64(), pa.string()] * 10)]
    columns = [pa.field("day", pa.string()), *map(pa.field, names, types)]
    catalog = CatalogFactory.create({"warehouse": str(warehouse)})
    catalog.create_database("default", ignore_if_exists=True)
    options = {"file.format": "parquet"}
    schema = Schema.from_pyarrow_schema(pa.schema(columns), partition_keys=["day"], options=options)
    catalog.create_table(f"default.{name}", schema, False)
    path = Path(warehouse, "default.db", name)
    (path / "manifest").mkdir(exist_ok=True)
    days = [day_of(number, partitions) for number in range(partitions)]
    rows = [write_row((day,), (_STRING,)) for day in days]
    numbers = np.arange(partitions * files)
    if mixed:
        numbers = numbers.reshape(partitions, files).T.ravel()
    metas = []
    statistics = [_statistics(number) for number in range(files)]
    parts = np.array_split(numbers, manifests or -(-len(numbers) // 10_000))
    gone = np.linspace(0, len(numbers) - 1, deleted).astype(np.int64)
    for kind, part in [*((0, part) for part in parts), *([(1, gone)] if deleted else [])]:
        of_days = part // files
        manifest = f"manifest-{uuid.uuid4()}-0"
        size = _write(
            path / "manifest" / manifest,
            MANIFEST_ENTRY_SCHEMA,
            _entries(kind, rows, statistics, part, files),
        )
        bounds = [rows[at] for at in (of_days.min(), of_days.max())]
        metas.append(
            {
                "_VERSION": 2,
                "_FILE_NAME": manifest,
                "_FILE_SIZE": size,
                "_NUM_ADDED_FILES": 0 if kind else len(part),
                "_NUM_DELETED_FILES": len(part) if kind else 0,
                "_PARTITION_STATS": _stats(bounds[0], bounds[1], [0]),
                "_SCHEMA_ID": 0,
                "_MIN_BUCKET": 0,
                "_MAX_BUCKET": 0,
                "_MIN_LEVEL": 0,
                "_MAX_LEVEL": 0,
            }
        )
    base, delta = (f"manifest-list-{uuid.uuid4()}-{number}" for number in range(2))
    sizes = [
        _write(path / "manifest" / listed, MANIFEST_FILE_META_SCHEMA, records)
        for listed, records in ((base, metas), (delta, []))
    ]
    snapshot = {
        "version": 3,
        "id": 1,
        "schemaId": 0,
        "baseManifestList": base,
        "baseManifestListSize": sizes[0],
        "deltaManifestList": delta,
        "deltaManifestListSize": sizes[1],
        "changelogManifestList": None,
        "commitUser": "made",
        "commitIdentifier": 1,
        "commitKind": "APPEND",
        "timeMillis": 1_700_000_000_000,
        "totalRecordCount": (len(numbers) - deleted) * ROWS,
        "deltaRecordCount": 0,
    }
    (path / "snapshot").mkdir(exist_ok=True)
    (path / "snapshot" / "snapshot-1").write_text(json.dumps(snapshot))
    (path / "snapshot" / "LATEST").write_text("1")
    (path / "snapshot" / "EARLIEST").write_text("1")
    assert Table.at(path).snapshot() is not None
    return str(path)


def day_of(number: int, partitions: int) -> str:
    """Return the `day` of a partition. All of a table have one length, so their order is that."""
    return f"d{number:0{max(3, len(str(partitions - 1)))}}"


def _name(number: int) -> str:
    return f"data-{uuid.UUID(int=number * _SPREAD % 2**128)}-0.parquet"


def _size(number: int) -> int:
    return 100_000 + number % 1000


def _stats(least: bytes, greatest: bytes, nulls: list[int]) -> dict[str, Any]:
    return {"_MIN_VALUES": least, "_MAX_VALUES": greatest, "_NULL_COUNTS": nulls}


def _statistics(file: int) -> dict[str, Any]:
    """Statistics of the columns that are not `day`, of a file of a partition."""
    types = [_BIGINT, *([_BIGINT, _STRING] * 10)]
    rows = []
    for row in (file * ROWS, file * ROWS + ROWS - 1):
        values: list[Any] = [row]
        for number in range(10):
            values += [row % (number + 7), f"value-{row % (number + 11):06}"]
        rows.append(write_row(["d", *values], [_STRING, *types]))
    return _stats(rows[0], rows[1], [0] * 22)


def _entries(
    kind: int, rows: list[bytes], statistics: list[dict[str, Any]], numbers: Any, files: int
) -> Iterator[dict[str, Any]]:
    for number in numbers.tolist():
        day, file = divmod(number, files)
        yield {
            "_VERSION": 2,
            "_KIND": kind,
            "_PARTITION": rows[day],
            "_BUCKET": 0,
            "_TOTAL_BUCKETS": -1,
            "_FILE": {
                "_FILE_NAME": _name(number),
                "_FILE_SIZE": _size(number),
                "_ROW_COUNT": ROWS,
                "_MIN_KEY": _EMPTY,
                "_MAX_KEY": _EMPTY,
                "_KEY_STATS": _stats(_EMPTY, _EMPTY, []),
                "_VALUE_STATS": statistics[file],
                "_MIN_SEQUENCE_NUMBER": 0,
                "_MAX_SEQUENCE_NUMBER": ROWS - 1,
                "_SCHEMA_ID": 0,
                "_LEVEL": 0,
                "_EXTRA_FILES": [],
                "_CREATION_TIME": 1_700_000_000_000,
                "_DELETE_ROW_COUNT": 0,
                "_FILE_SOURCE": 0,
            },
        }


def _write(path: Path, schema: Any, records: Any) -> int:
    sink = io.BytesIO()
    fastavro.writer(sink, schema, records, codec="zstandard")
    path.write_bytes(sink.getvalue())
    return len(sink.getvalue())
