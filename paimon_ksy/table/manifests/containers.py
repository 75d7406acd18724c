"""The records of an Avro, ORC or Parquet file as Arrow batches.

Polars decodes Avro into columns, but knows only two of the codecs that Java writes, of which its
default, zstandard, is none. So it gets blocks that are decompressed (`avro_blocks`), as the only
block of a file.
"""

from __future__ import annotations

import io
from collections import deque
from collections.abc import Collection, Iterator, Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Any

from paimon_ksy.errors import CorruptFileError, PaimonKsyError, first_line
from paimon_ksy.io.file_kind import data_format
from paimon_ksy.table.manifests.avro_blocks import Part, read_parts, whole_file

if TYPE_CHECKING:
    import pyarrow as pa

_MARK = "\0end"
"""The text in the record that is added to the end of each part: no file has such a name."""

Names = Collection[str] | None


def read_container(data: bytes, path: str, names: Names = None) -> Iterator[pa.RecordBatch]:
    """Yield the records of a file, some MB at a time.

    Args:
        data: The file.
        path: Its path, for errors.
        names: The fields to return, where they exist. A field of a record in the record is a column
            by a name with points: `a.b`. None for all fields, with records as structs.

    Raises:
        CorruptFileError: It is broken, or of another format.
    """
    read = _READERS.get(data_format(data[:8]) or "")
    if read is None:
        raise CorruptFileError("it is not an Avro, ORC or Parquet file", path=path)
    try:
        for batch in read(data, names):
            yield batch if names is None else _flat(batch, names)
    except PaimonKsyError:
        raise
    except BaseException as error:
        # Polars panics over broken bytes, which is not an Exception.
        if not isinstance(error, Exception) and type(error).__name__ != "PanicException":
            raise
        raise CorruptFileError(f"cannot be read: {first_line(error)}", path=path) from error


def _flat(batch: pa.RecordBatch, names: Collection[str]) -> pa.RecordBatch:
    """Return fields of a batch, with those in structs as columns."""
    import pyarrow as pa

    if any(pa.types.is_struct(kind) for kind in batch.schema.types):
        table = pa.Table.from_batches([batch]).flatten()
        flat = pa.RecordBatch.from_arrays(
            [column.combine_chunks() for column in table.columns], names=table.column_names
        )
        return _flat(flat, names)
    return batch.select([name for name in batch.schema.names if name in names])


def _read_orc(data: bytes, _: Names) -> Iterator[pa.RecordBatch]:
    import pyarrow as pa
    from pyarrow import orc

    file = orc.ORCFile(pa.BufferReader(data))
    for number in range(file.nstripes):
        yield file.read_stripe(number)


def _read_parquet(data: bytes, _: Names) -> Iterator[pa.RecordBatch]:
    import pyarrow as pa
    from pyarrow import parquet

    yield from parquet.ParquetFile(pa.BufferReader(data)).iter_batches()


# Avro -------------------------------------------------------------------------------------------


def _read_avro(data: bytes, names: Names) -> Iterator[pa.RecordBatch]:
    import fastavro

    schema, parts = read_parts(data)
    mark = io.BytesIO()
    fastavro.schemaless_writer(mark, schema, _blank(schema))
    is_plain = isinstance(schema, dict) and _is_plain(schema)
    columns = None
    if is_plain and names is not None:
        # The bytes are the same without records in the record, whose fields Polars cannot skip.
        schema = {**schema, "fields": list(_inlined(schema))}
        columns = [field["name"] for field in schema["fields"] if field["name"] in names]
    for count, pieces in parts:
        # The mark comes out as the last record only if the blocks have as many records as they
        # count, and not a byte more.
        file = whole_file(schema, Part(count + 1, [*pieces, mark.getvalue()]))
        found = _by_polars(file, columns) if is_plain else _by_fastavro(file, schema)
        if found.num_rows != count + 1 or not _is_blank(found.slice(count)):
            raise ValueError("its blocks do not have as many records as they count")
        yield found.slice(0, count)


def _by_polars(pieces: list[bytes], columns: list[str] | None) -> pa.RecordBatch:
    import polars

    file: Any = _File(pieces)
    found = polars.read_avro(file, columns=columns or None).to_arrow()
    return found.combine_chunks().to_batches()[0]


def _by_fastavro(pieces: list[bytes], schema: Any) -> pa.RecordBatch:
    """Decode what Polars does not: a union of records, as which Rust writes entries, or null."""
    import fastavro
    import pyarrow as pa

    records: Any = list(fastavro.reader(io.BytesIO(b"".join(pieces))))
    return pa.RecordBatch.from_pylist(records, schema=pa.schema(list(_fields(_record(schema)))))


class _File(io.RawIOBase):
    """A file of pieces, to be read once."""

    def __init__(self, pieces: list[bytes]) -> None:
        """Begin with the first."""
        self._pieces = deque(pieces)

    def read(self, size: int = -1) -> bytes:
        """Return some of the bytes that are left, `size` at most."""
        piece = b""
        while self._pieces and not piece:
            piece = self._pieces.popleft()
        if 0 <= size < len(piece):
            self._pieces.appendleft(piece[size:])
            piece = piece[:size]
        return piece


def _inlined(record: Mapping[str, Any], prefix: str = "") -> Iterator[Mapping[str, Any]]:
    """Yield the fields of a record, and of records in it in their place."""
    for field in record["fields"]:
        kind, name = field["type"], prefix + field["name"]
        if isinstance(kind, dict) and kind["type"] == "record":
            yield from _inlined(kind, f"{name}.")
        else:
            yield {"name": name, "type": kind}


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
