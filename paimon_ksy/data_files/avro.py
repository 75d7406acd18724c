"""Read Avro data files as Arrow batches, with the types of Paimon's Avro writer.

Source: `AvroSchemaConverter` (paimon-format). Unlike the Avro specification it writes TIMESTAMP as
`timestamp-millis` or `-micros`, and TIMESTAMP WITH LOCAL TIME ZONE as `local-timestamp-..`.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from typing import IO, Any

import pyarrow as pa

from paimon_ksy.data_files.data_file import (
    NO_TYPES,
    DataFile,
    Picker,
    Positions,
    ReadStats,
    Types,
    rows_only,
)
from paimon_ksy.errors import PaimonKsyError
from paimon_ksy.io.source import Source
from paimon_ksy.messages.install import how_to_install


class AvroFile(DataFile):
    """An open Avro file.

    Raises:
        PaimonKsyError: fastavro is not installed.
        ValueError: The file is malformed.
    """

    format = "Avro"

    def __init__(self, source: Source, **_: Any) -> None:
        """Read the schema."""
        super().__init__(source)
        self._writer = _writer_schema(source.file)
        fields = self._writer["fields"]
        self.schema = pa.schema([pa.field(f["name"], *_arrow(f["type"])) for f in fields])

    def batches(
        self,
        names: Sequence[str],
        types: Types = NO_TYPES,
        positions: Positions = None,
        stats: ReadStats | None = None,
    ) -> Iterator[pa.RecordBatch]:
        """Yield columns, block by block; see `DataFile.batches`.

        Blocks without a selected row are not decoded. Nothing after the last one is read.
        """
        stats, picker = stats or ReadStats(), Picker(positions)
        part = pa.schema([self.schema.field(name) for name in names if name in self.schema.names])
        fields = [field for field in self._writer["fields"] if field["name"] in names]
        reader_schema = {"type": "record", "name": self._writer["name"], "fields": fields}
        self.source.file.seek(0)
        blocks: Any = _fastavro().block_reader(self.source.file, reader_schema=reader_schema)
        _remove_times(blocks.writer_schema)
        for block in blocks:
            if picker.is_done:
                break
            if picker.hits(block.num_records):
                stats.groups_read += 1
                yield picker.pick(_batch(block, part))
            else:
                stats.groups_skipped += 1
                picker.skip(block.num_records)


def _batch(block: Iterable[Any], schema: pa.Schema) -> pa.RecordBatch:
    rows = list(block)
    if not len(schema):
        return rows_only(len(rows))
    arrays = [pa.array([row[field.name] for row in rows], field.type) for field in schema]
    return pa.RecordBatch.from_arrays(arrays, schema=schema)


def _fastavro() -> Any:
    try:
        import fastavro
    except ImportError:
        raise PaimonKsyError(f"reading Avro needs fastavro: {how_to_install('avro')}") from None
    return fastavro


def _writer_schema(file: IO[bytes]) -> dict[str, Any]:
    file.seek(0)
    reader = _fastavro().reader(file)
    # The original schema, because parsing renames its types.
    schema: Any = json.loads(reader.metadata["avro.schema"])
    if isinstance(schema, list):  # Java writes a union of null and a record beside files of BLOBs
        schema = next((part for part in schema if part != "null"), None)
    if not isinstance(schema, dict) or schema.get("type") != "record":
        raise ValueError("its values are not records")
    return schema


def _arrow(schema: Any) -> tuple[pa.DataType, bool]:
    """Return the Arrow type of an Avro type, and whether it can be null."""
    if isinstance(schema, list):
        others = [part for part in schema if part != "null"]
        if len(others) != 1:
            return pa.null(), True
        return _arrow(others[0])[0], len(others) < len(schema)
    node = schema if isinstance(schema, dict) else {"type": schema}
    kind, logical = node["type"], node.get("logicalType")
    if isinstance(kind, dict | list):
        return _arrow(kind)
    if kind == "map":
        values, nullable = _arrow(node["values"])
        return pa.map_(pa.string(), pa.field("value", values, nullable)), False
    if kind == "array":
        items, nullable = _arrow(node["items"])
        return pa.list_(pa.field("element", items, nullable)), False
    if kind == "record":
        return pa.struct([pa.field(f["name"], *_arrow(f["type"])) for f in node["fields"]]), False
    if logical == "decimal":
        return pa.decimal128(node["precision"], node.get("scale", 0)), False
    logicals = {
        "date": pa.date32(),
        "time-millis": pa.time32("ms"),
        "timestamp-millis": pa.timestamp("ms"),
        "timestamp-micros": pa.timestamp("us"),
        "local-timestamp-millis": pa.timestamp("ms", "UTC"),
        "local-timestamp-micros": pa.timestamp("us", "UTC"),
    }
    plain = {
        "boolean": pa.bool_(),
        "int": pa.int32(),
        "long": pa.int64(),
        "float": pa.float32(),
        "double": pa.float64(),
        "string": pa.string(),
        "bytes": pa.binary(),
    }
    # Types that Paimon does not write (enums, ..) become null columns, which no index supports.
    return logicals.get(logical or "") or plain.get(kind, pa.null()), False


def _remove_times(schema: Any) -> None:
    """Turn dates and times into plain numbers: faster than datetimes, and for all years."""
    if isinstance(schema, dict):
        if schema.get("logicalType") != "decimal":
            schema.pop("logicalType", None)
        schema = [schema.get(key) for key in ("type", "items", "values", "fields")]
    for part in schema if isinstance(schema, list) else ():
        _remove_times(part)
