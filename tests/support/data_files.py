"""Data files of each format with the same rows, and what reads them."""

import io
from collections.abc import Iterator
from dataclasses import fields
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import Any, BinaryIO

import fastavro
import pyarrow as pa
import pyarrow.fs
import pyarrow.orc as orc
import pyarrow.parquet as pq
from pyroaring import BitMap

from paimon_ksy.data_files.data_file import ReadStats
from paimon_ksy.table.formats import ReadRequest
from paimon_ksy.table.formats import read as read_request
from paimon_ksy.table.io.storage import Storage
from paimon_ksy.table.model.files import DataFile, TableSchema
from paimon_ksy.table.store import Table
from paimon_ksy.table_index.deletion_vector_file import read_vector
from paimon_ksy.types.schema import Schema


def live(table: Table, file: DataFile) -> BitMap:
    rows = BitMap(range(file.num_rows))
    if (place := file.deletion_vector) is not None:
        with table.storage.open(place.path) as source:
            rows -= BitMap(read_vector(source, place.offset, place.length, place.cardinality))
    return rows


def read_rows(*asked: Any, stats: ReadStats | None = None, **more: Any) -> Iterator[pa.RecordBatch]:
    return read_request(ReadRequest(*asked, **more), stats)


def schema_of(schema: TableSchema, names: Any) -> pa.Schema:
    own = schema.columns.to_arrow()
    return pa.schema([own.field(name) for name in names])


COLUMNS = Schema.parse(
    "id BIGINT NOT NULL, name STRING, amount DECIMAL(10, 2), at TIMESTAMP(6), clock TIME(3), "
    "tags ARRAY<STRING>, m MAP<STRING, INT>, kind STRING"
)

SCHEMA = TableSchema(0, COLUMNS, {n: i for i, n in enumerate(COLUMNS.names)}, (), (), {})
NUM_ROWS = 20_000


@cache
def data() -> pa.Table:
    ids = range(NUM_ROWS)
    columns = [
        list(ids),
        [None if n % 7 == 0 else f"name-{n * 7919 % 5003}" for n in ids],
        [Decimal(n) / 4 for n in ids],
        [n * 1_000_003 for n in ids],
        [n * 1000 for n in ids],
        [None if n % 11 == 0 else [f"t{n % 3}"] * (n % 4) for n in ids],
        [None if n % 5 == 0 else [("k", n), ("j", None)] for n in ids],
        [None if n % 13 == 0 else f"kind {n * n % 17}" for n in ids],
    ]
    arrays = [
        pa.array(column, f.type) for column, f in zip(columns, COLUMNS.to_arrow(), strict=True)
    ]
    return pa.Table.from_arrays(arrays, schema=COLUMNS.to_arrow())


class LocalFileIO:
    """A file system of local paths, as pypaimon has it."""

    def to_filesystem_path(self, path: str) -> str:
        return path


class ArrowFileIO(LocalFileIO):
    """One that goes through an Arrow file system, as object stores do."""

    filesystem = pa.fs.LocalFileSystem()


STORAGE = Storage.of(LocalFileIO(), "/")


def data_file(path: Path, num_rows: int = NUM_ROWS, **more: Any) -> DataFile:
    given = {"path": str(path), "name": path.name, "format": path.suffix[1:], "num_rows": num_rows}
    empty = dict.fromkeys(field.name for field in fields(DataFile))
    return DataFile(**{**empty, "partition": (), **given, **more})


def written(folder: Path, kind: str) -> DataFile:
    """The data in several row groups, stripes or blocks."""
    path = folder / f"data.{kind.partition('-')[0]}"
    path.write_bytes(_written(kind))
    return data_file(path)


@cache
def _written(kind: str) -> bytes:
    file = io.BytesIO()
    if kind.startswith("parquet"):
        pages = (
            {"data_page_size": 2000, "write_page_index": True, "use_dictionary": ["kind"]}
            if kind.endswith("pages")
            else {}
        )
        groups = NUM_ROWS if kind.endswith("pages") else 3000
        pq.write_table(data(), file, row_group_size=groups, **pages)
    elif kind == "orc":
        clock = COLUMNS.names.index("clock")
        plain = data().set_column(clock, "clock", data()["clock"].cast(pa.int32()))
        orc.write_table(plain, file, stripe_size=256 << 10, batch_size=4000)
    else:
        write_avro(file)
    return file.getvalue()


def write_avro(file: BinaryIO) -> None:
    def nullable(kind: Any) -> Any:
        return ["null", kind]

    schema = {
        "type": "record",
        "name": "record",
        "fields": [
            {"name": "id", "type": "long"},
            {"name": "name", "type": nullable("string")},
            {
                "name": "amount",
                "type": nullable(
                    {"type": "bytes", "logicalType": "decimal", "precision": 10, "scale": 2}
                ),
            },
            {"name": "at", "type": nullable({"type": "long", "logicalType": "timestamp-micros"})},
            {"name": "clock", "type": nullable({"type": "int", "logicalType": "time-millis"})},
            {"name": "tags", "type": nullable({"type": "array", "items": nullable("string")})},
            {"name": "m", "type": nullable({"type": "map", "values": nullable("int")})},
            {"name": "kind", "type": nullable("string")},
        ],
    }
    rows = (
        data()
        .set_column(3, "at", data()["at"].cast(pa.int64()))
        .set_column(4, "clock", data()["clock"].cast(pa.int32()))
    )
    records = [
        {**row, "m": None if row["m"] is None else dict(row["m"])} for row in rows.to_pylist()
    ]
    fastavro.writer(file, schema, records, sync_interval=20_000)


KINDS = ("parquet", "parquet-pages", "orc", "avro")


def read(
    table: Table, file: DataFile, columns: Any = None, rows: Any = None, **more: Any
) -> pa.Table:
    names = table.schema.columns.names if columns is None else columns
    schema = table.schema_at(file.schema_id)
    found = read_rows(table.storage, file, schema, table.schema, names, rows, **more)
    return pa.Table.from_batches(list(found), schema_of(table.schema, names))
