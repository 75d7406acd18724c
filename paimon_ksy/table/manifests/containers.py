"""The records of an Avro, ORC or Parquet file as Arrow batches.

Polars decodes Avro into columns, but knows only two of the codecs that Java writes, of which its
default, zstandard, is none. So the blocks of a file are decompressed by fastavro and passed on as
one block of an uncompressed file.
"""

from __future__ import annotations

import io
import json
from collections.abc import Iterator, Mapping
from datetime import datetime
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from paimon_ksy.errors import CorruptFileError, PaimonKsyError, first_line
from paimon_ksy.io.file_kind import data_format

if TYPE_CHECKING:
    import pyarrow as pa

_PART_BYTES = 4 << 20
"""Decoded bytes of the blocks that become one batch."""

_MOST_BYTES = 1 << 30
"""Decoded bytes of a file: Java starts a new manifest at 8 MB, compressed."""

_MARK = "\0end"
"""The text in the record that is added to the end of each part: no file has such a name."""


def read_container(data: bytes, path: str) -> Iterator[pa.RecordBatch]:
    """Yield the records of a file, some MB at a time.

    Args:
        data: The file.
        path: Its path, for errors.

    Raises:
        CorruptFileError: It is broken, or of another format.
    """
    read = _READERS.get(data_format(data[:8]) or "")
    if read is None:
        raise CorruptFileError("it is not an Avro, ORC or Parquet file", path=path)
    try:
        yield from read(data)
    except PaimonKsyError:
        raise
    except BaseException as error:
        # Polars panics over broken bytes, which is not an Exception.
        if not isinstance(error, Exception) and type(error).__name__ != "PanicException":
            raise
        raise CorruptFileError(f"cannot be read: {first_line(error)}", path=path) from error


def _read_orc(data: bytes) -> Iterator[pa.RecordBatch]:
    import pyarrow as pa
    from pyarrow import orc

    file = orc.ORCFile(pa.BufferReader(data))
    for number in range(file.nstripes):
        yield file.read_stripe(number)


def _read_parquet(data: bytes) -> Iterator[pa.RecordBatch]:
    import pyarrow as pa
    from pyarrow import parquet

    yield from parquet.ParquetFile(pa.BufferReader(data)).iter_batches()


# Avro -------------------------------------------------------------------------------------------


def _read_avro(data: bytes) -> Iterator[pa.RecordBatch]:
    import fastavro

    file = io.BytesIO(data)
    blocks: Any = fastavro.block_reader(file)
    schema = json.loads(blocks.metadata["avro.schema"])
    part = _Part(schema)
    total = 0
    for block in blocks:
        decoded = block.bytes_.getvalue()
        total += len(decoded)
        if total > _MOST_BYTES:
            raise ValueError(f"it has more than {_MOST_BYTES >> 20} MB")
        part.add(block.num_records, decoded)
        if part.size >= _PART_BYTES:
            yield part.batch()
            part = _Part(schema)
    yield part.batch()


class _Part:
    """Blocks of an Avro file, which become one.

    A record of a known text is added at the end: it comes out as the last record only if the
    blocks have as many records as they count, and not a byte more.
    """

    def __init__(self, schema: Any) -> None:
        self._schema = schema
        self._data: list[bytes] = []
        self._count = 0
        self.size = 0

    def add(self, count: int, data: bytes) -> None:
        """Add a block of so many records.

        Raises:
            ValueError: The block is too small for them.
        """
        if not 0 <= count <= len(data):
            raise ValueError(f"a block of {len(data)} bytes counts {count} records")
        self._data.append(data)
        self._count += count
        self.size += len(data)

    def batch(self) -> pa.RecordBatch:
        """Return the records.

        Raises:
            ValueError: They are not what the schema and the counts promise.
        """
        import fastavro
        from fastavro.write import Writer

        mark = io.BytesIO()
        fastavro.schemaless_writer(mark, self._schema, _blank(self._schema))
        joined = b"".join((*self._data, mark.getvalue()))
        whole = io.BytesIO()
        writer: Any = Writer(whole, self._schema)
        writer.write_block(SimpleNamespace(num_records=self._count + 1, bytes_=io.BytesIO(joined)))
        whole.seek(0)
        found = _decoded(whole, self._schema)
        if found.num_rows != self._count + 1 or not _is_blank(found.slice(self._count)):
            raise ValueError("its blocks do not have as many records as they count")
        return found.slice(0, self._count)


def _decoded(file: io.BytesIO, schema: Any) -> pa.RecordBatch:
    import pyarrow as pa

    if isinstance(schema, dict) and _is_plain(schema):
        import polars

        columns = polars.read_avro(file).to_arrow()
        return columns.combine_chunks().to_batches()[0]
    # Polars takes no union of records, as which Rust writes entries: null, or a record.
    import fastavro

    records: Any = list(fastavro.reader(file))
    return pa.RecordBatch.from_pylist(records, schema=pa.schema(list(_fields(_record(schema)))))


def _record(schema: Any) -> Mapping[str, Any]:
    """Return the record in a union of null and a record, or the record itself.

    Raises:
        ValueError: It is something else.
    """
    for part in schema if isinstance(schema, list) else [schema]:
        if isinstance(part, dict) and part.get("type") == "record":
            return part
    raise ValueError("its values are not records")


def _blank(schema: Any) -> Any:
    """Return a value of an Avro type: zeros and the text of `_MARK`."""
    kind = schema["type"] if isinstance(schema, dict) else schema
    if isinstance(kind, list):
        return _blank(next(part for part in kind if part != "null"))
    if kind == "record":
        return {field["name"]: _blank(field["type"]) for field in schema["fields"]}
    if isinstance(kind, dict):
        return _blank(kind)
    if kind == "array" and not _takes_bytes(schema["items"]):
        raise ValueError("it has lists of nothing, which could be of any length")
    if kind in _BLANKS:
        return _BLANKS[kind]
    raise ValueError(f"it has values of type {kind}")


_BLANKS: Mapping[str, Any] = {
    "boolean": False,
    "int": 0,
    "long": 0,
    "float": 0.0,
    "double": 0.0,
    "string": _MARK,
    "bytes": b"",
    "array": [],
}


def _takes_bytes(schema: Any) -> bool:
    """Return whether each value of a type takes a byte or more."""
    kind = schema["type"] if isinstance(schema, dict) else schema
    if kind == "record":
        return any(_takes_bytes(field["type"]) for field in schema["fields"])
    return isinstance(kind, list) or (
        _takes_bytes(kind) if isinstance(kind, dict) else kind != "null"
    )


def _is_plain(schema: Any) -> bool:
    """Return whether Polars knows a type: no union but that of null and another type."""
    if isinstance(schema, list):
        others = [part for part in schema if part != "null"]
        return len(schema) == 2 and len(others) == 1 and _is_plain(others[0])
    if isinstance(schema, dict):
        kind = schema["type"]
        if kind == "record":
            return all(_is_plain(field["type"]) for field in schema["fields"])
        return _is_plain(schema["items"] if kind == "array" else kind)
    return schema in _BLANKS


def _fields(record: Mapping[str, Any]) -> Iterator[pa.Field]:
    import pyarrow as pa

    for field in record["fields"]:
        yield pa.field(field["name"], _arrow(field["type"]))


def _arrow(schema: Any) -> pa.DataType:
    """Return the Arrow type that Polars has for an Avro type."""
    import pyarrow as pa

    if isinstance(schema, list):
        return _arrow(next(part for part in schema if part != "null"))
    if isinstance(schema, dict):
        if schema["type"] == "record":
            return pa.struct(list(_fields(schema)))
        if schema["type"] == "array":
            return pa.large_list(_arrow(schema["items"]))
        if schema.get("logicalType") == "timestamp-millis":
            return pa.timestamp("ms", "UTC")
        return _arrow(schema["type"])
    kinds = {
        "boolean": pa.bool_(),
        "int": pa.int32(),
        "long": pa.int64(),
        "float": pa.float32(),
        "double": pa.float64(),
        "string": pa.large_string(),
        "bytes": pa.large_binary(),
    }
    return kinds[schema]


def _is_blank(batch: pa.RecordBatch) -> bool:
    """Return whether the first row is that of `_blank`."""
    todo: list[Any] = batch.to_pylist()[:1]
    while todo:
        value = todo.pop()
        if isinstance(value, dict):
            todo += value.values()
        elif isinstance(value, datetime):
            if value.timestamp():
                return False
        elif value is None or value != (_MARK if isinstance(value, str) else type(value)()):
            return False
    return True


_READERS = {"Avro": _read_avro, "ORC": _read_orc, "Parquet": _read_parquet}
