"""The records of an Avro, ORC or Parquet file as Arrow batches.

Polars decodes Avro into columns, but supports only two of the codecs that Java writes, and not its
default, zstandard. So Polars gets blocks that are already decompressed (`avro_blocks`), as the only
block of a file.
"""

from __future__ import annotations

import io
import json
from collections import deque
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from paimon_ksy.errors import CorruptFileError, PaimonKsyError, first_line
from paimon_ksy.io.file_kind import data_format
from paimon_ksy.table.manifests.avro_blocks import (
    MOST_RECORDS,
    PART_BYTES,
    Part,
    read_parts,
    whole_file,
)

if TYPE_CHECKING:
    import pyarrow as pa

_MARK = "\0end"
"""The text in the record that is appended to each part: no file has such a name."""

Names = Collection[str] | None


class Share(NamedTuple):
    """The number of records in a batch that come from one file, with the file's number and path."""

    number: int
    path: str
    num_records: int


class Records(NamedTuple):
    """Records of one or several files, one file after the other, and the files' format."""

    batch: pa.RecordBatch
    shares: Sequence[Share]
    format: str

    def alone(self) -> Iterator[Records]:
        """Yield the records of each file separately, skipping files without records."""
        start = 0
        for share in self.shares:
            if share.num_records:
                batch = self.batch.slice(start, share.num_records)
                yield Records(batch, [share], self.format)
            start += share.num_records


def read_containers(files: Iterable[tuple[bytes, str]], names: Names = None) -> Iterator[Records]:
    """Yield the records of files: small files together, large ones in parts of some MB.

    Args:
        files: The bytes of each file, and its path for errors.
        names: The fields to return if they exist. A field of a nested record becomes a column with
            a dotted name: `a.b`. None for all fields, with nested records as structs.

    Raises:
        CorruptFileError: A file is broken, or has another format.
    """
    together: list[_Stored] = []
    size = 0
    for stored in _stored(files):
        if together and stored.kind != together[0].kind:
            yield from _decoded(together, names)
            together, size = [], 0
        together.append(stored)
        size += stored.size
        if size >= PART_BYTES:
            yield from _decoded(together, names)
            together, size = [], 0
    if together:
        yield from _decoded(together, names)


class _Stored(NamedTuple):
    """Encoded records of a file. Those of the same kind can be decoded together.

    Attributes:
        number: The number of the file.
        path: Its path.
        format: Its format.
        kind: The Avro schema, or the Arrow schema of a batch.
        content: Some blocks of an Avro file, or a batch of a file in another format.
        size: The size of the content in bytes.
    """

    number: int
    path: str
    format: str
    kind: _Kind | pa.Schema
    content: Part | pa.RecordBatch
    size: int


def _stored(files: Iterable[tuple[bytes, str]]) -> Iterator[_Stored]:
    kind: _Kind | None = None
    for number, (data, path) in enumerate(files):
        found = data_format(data[:8]) or ""
        with _named(path):
            if found == "Avro":
                schema, parts = read_parts(data)
                if kind is None or kind.schema != schema:
                    kind = _kind_of(schema)
                for part in parts:
                    size = sum(map(len, part.pieces))
                    yield _Stored(number, path, found, kind, part, size)
            elif found in _READERS:
                for batch in _READERS[found](data):
                    yield _Stored(number, path, found, batch.schema, batch, batch.nbytes)
            else:
                raise CorruptFileError("it is not an Avro, ORC or Parquet file")


@contextmanager
def _named(path: str) -> Iterator[None]:
    """Raise errors over a file as a CorruptFileError that names it."""
    try:
        yield
    except PaimonKsyError as error:
        error.path = error.path or path
        raise
    except BaseException as error:
        # Polars panics over broken bytes, and its PanicException is not an Exception.
        if not isinstance(error, Exception) and type(error).__name__ != "PanicException":
            raise
        raise CorruptFileError(f"cannot be read: {first_line(error)}", path=path) from error


def _decoded(together: Sequence[_Stored], names: Names) -> Iterator[Records]:
    """Yield records of one kind: all at once, or file by file if one file is broken."""
    try:
        with _named(together[0].path):
            found = _joined(together, names)
    except CorruptFileError:
        if len(together) == 1:
            raise
        for stored in together:
            yield from _decoded([stored], names)
    else:
        yield found


def _joined(together: Sequence[_Stored], names: Names) -> Records:
    """Return records of one kind as one batch.

    Raises:
        Exception, PanicException: The records are broken.
    """
    import pyarrow as pa

    kind = together[0].kind
    if isinstance(kind, _Kind):
        parts = [stored.content for stored in together]
        counts = [part.num_records for part in parts]
        batch = kind.decoded(parts, names)
    else:
        batches = [stored.content for stored in together]
        counts = list(map(len, batches))
        batch = batches[0] if len(batches) == 1 else pa.concat_batches(batches)
    shares = [
        Share(stored.number, stored.path, count)
        for stored, count in zip(together, counts, strict=True)
    ]
    flat = batch if names is None else _flat(batch, names)
    return Records(flat, shares, together[0].format)


def _flat(batch: pa.RecordBatch, names: Collection[str]) -> pa.RecordBatch:
    """Return these fields of a batch, including fields of structs, as columns."""
    import pyarrow as pa

    if any(pa.types.is_struct(kind) for kind in batch.schema.types):
        table = pa.Table.from_batches([batch]).flatten()
        flat = pa.RecordBatch.from_arrays(
            [column.combine_chunks() for column in table.columns], names=table.column_names
        )
        return _flat(flat, names)
    return batch.select([name for name in batch.schema.names if name in names])


def _read_orc(data: bytes) -> Iterator[pa.RecordBatch]:
    import pyarrow as pa
    from pyarrow import orc

    file = orc.ORCFile(pa.BufferReader(data))
    _check_count(file.nrows)
    for number in range(file.nstripes):
        yield file.read_stripe(number)


def _read_parquet(data: bytes) -> Iterator[pa.RecordBatch]:
    import pyarrow as pa
    from pyarrow import parquet

    file = parquet.ParquetFile(pa.BufferReader(data))
    _check_count(file.metadata.num_rows)
    yield from file.iter_batches()


def _check_count(num_records: int) -> None:
    if num_records > MOST_RECORDS:
        raise ValueError(f"it has {num_records:,} records, and {MOST_RECORDS:,} are the most")


_READERS = {"ORC": _read_orc, "Parquet": _read_parquet}


# Avro -------------------------------------------------------------------------------------------


class _Kind:
    """An Avro schema whose records can be decoded.

    Attributes:
        schema: The schema as JSON.
    """

    def __init__(self, schema: bytes) -> None:
        """Create the record that marks the end of a part.

        Raises:
            ValueError: Records have values of unknown types, or none at all.
        """
        import fastavro

        self.schema = schema
        self._parsed = json.loads(schema)
        mark = io.BytesIO()
        fastavro.schemaless_writer(mark, self._parsed, _blank(self._parsed))
        self._mark = mark.getvalue()
        self._is_plain = isinstance(self._parsed, dict) and _is_plain(self._parsed)
        self._decoded_marks: dict[tuple[str, ...] | None, pa.RecordBatch] = {}

    def decoded(self, parts: Sequence[Part], names: Names) -> pa.RecordBatch:
        """Return the records of parts.

        Raises:
            Exception, PanicException: The records are broken.
        """
        # The mark is decoded as the last record of a part only if its blocks contain exactly as
        # many records as their heads list, and not a byte more.
        pieces = [piece for part in parts for piece in (*part.pieces, self._mark)]
        ends = np.cumsum([part.num_records + 1 for part in parts]) - 1
        count = int(ends[-1]) + 1
        found = self._decoded(Part(count, pieces), names)
        if found.num_rows != count or not found.take(ends).equals(self._marks(names, len(ends))):
            raise ValueError("its blocks do not have as many records as they count")
        if len(parts) == 1:
            return found.slice(0, count - 1)
        is_record = np.ones(count, np.bool_)
        is_record[ends] = False
        return found.filter(is_record)

    def _marks(self, names: Names, number: int) -> pa.RecordBatch:
        """Return the result of decoding a number of marks."""
        key = None if names is None else tuple(names)
        if key not in self._decoded_marks:
            self._decoded_marks[key] = self._decoded(Part(1, [self._mark]), names)
        return self._decoded_marks[key].take(np.zeros(number, np.int64))

    def _decoded(self, part: Part, names: Names) -> pa.RecordBatch:
        if not self._is_plain:
            return _by_fastavro(whole_file(self.schema, part), self._parsed)
        if names is None:
            return _by_polars(whole_file(self.schema, part), None)
        # Nested records add no bytes, but Polars cannot skip their fields, so they are inlined.
        fields = list(_inlined(self._parsed))
        columns = [field["name"] for field in fields if field["name"] in names]
        flat = json.dumps({**self._parsed, "fields": fields}).encode()
        return _by_polars(whole_file(flat, part), columns)


@lru_cache(maxsize=8)
def _kind_of(schema: bytes) -> _Kind:
    return _Kind(schema)


def _by_polars(pieces: list[bytes], columns: list[str] | None) -> pa.RecordBatch:
    import polars

    file: Any = _File(pieces)
    found = polars.read_avro(file, columns=columns or None).to_arrow()
    return found.combine_chunks().to_batches()[0]


def _by_fastavro(pieces: list[bytes], schema: Any) -> pa.RecordBatch:
    """Decode what Polars cannot: unions of records (which Rust writes for entries) or null."""
    import fastavro
    import pyarrow as pa

    records: Any = list(fastavro.reader(io.BytesIO(b"".join(pieces))))
    return pa.RecordBatch.from_pylist(records, schema=pa.schema(list(_fields(_record(schema)))))


class _File(io.RawIOBase):
    """A file of pieces, which can be read once."""

    def __init__(self, pieces: list[bytes]) -> None:
        """Start at the first piece."""
        self._pieces = deque(pieces)

    def read(self, size: int = -1) -> bytes:
        """Return some of the remaining bytes, at most `size`."""
        piece = b""
        while self._pieces and not piece:
            piece = self._pieces.popleft()
        if 0 <= size < len(piece):
            self._pieces.appendleft(piece[size:])
            piece = piece[:size]
        return piece


def _inlined(record: Mapping[str, Any], prefix: str = "") -> Iterator[Mapping[str, Any]]:
    """Yield the fields of a record, with the fields of nested records in their places."""
    for field in record["fields"]:
        kind, name = field["type"], prefix + field["name"]
        if isinstance(kind, dict) and kind["type"] == "record":
            yield from _inlined(kind, f"{name}.")
        else:
            yield {"name": name, "type": kind}


def _record(schema: Any) -> Mapping[str, Any]:
    """Return the record in a union of null and a record, or the record itself.

    Raises:
        ValueError: The schema is something else.
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
    """Return whether each value of a type takes at least one byte."""
    kind = schema["type"] if isinstance(schema, dict) else schema
    if kind == "record":
        return any(_takes_bytes(field["type"]) for field in schema["fields"])
    return isinstance(kind, list) or (
        _takes_bytes(kind) if isinstance(kind, dict) else kind != "null"
    )


def _is_plain(schema: Any) -> bool:
    """Return whether Polars supports a type: no union except one of null and another type."""
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
    """Return the Arrow type that Polars uses for an Avro type."""
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
