"""The records of an Avro, ORC or Parquet file as Arrow batches."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import NamedTuple

import pyarrow as pa

from paimon_ksy.errors import CorruptFileError, PaimonKsyError, counted, first_line
from paimon_ksy.io.file_kind import data_format
from paimon_ksy.table.manifests.avro_blocks import PART_BYTES, Blocks, read_parts
from paimon_ksy.table.manifests.avro_records import Names, RecordType, record_type

MOST_RECORDS = 10_000_000
"""The most records of an ORC or Parquet file: equal records take almost no bytes. Java starts a
new manifest at 8 MB, which is about 100,000 records."""

MOST_IN_ARROW = 1 << 30
"""The most bytes that the records of a file take in Arrow, in all parts."""


class Share(NamedTuple):
    """The number of records in a batch that come from one file, with the file's number and path."""

    number: int
    path: str
    num_records: int


class FileRecords(NamedTuple):
    """FileRecords of one or several files, one file after the other, and the files' format."""

    batch: pa.RecordBatch
    shares: Sequence[Share]
    format: str

    def alone(self) -> Iterator[FileRecords]:
        """Yield the records of each file separately, skipping files without records."""
        start = 0
        for share in self.shares:
            if share.num_records:
                batch = self.batch.slice(start, share.num_records)
                yield FileRecords(batch, [share], self.format)
            start += share.num_records


def read_containers(
    files: Iterable[tuple[bytes, str]], names: Names = None, *, most_bytes: int = MOST_IN_ARROW
) -> Iterator[FileRecords]:
    """Yield the records of files: small files together, large ones in parts of some MB.

    Args:
        files: The bytes of each file, and its path for errors.
        names: The fields to return if they exist. A field of a nested record becomes a column with
            a dotted name: `a.b`. None for all fields, with nested records as structs.
        most_bytes: The most bytes that the records of a file may take in Arrow.

    Raises:
        CorruptFileError: A file is broken, or has another format.
        UnsupportedError: An Avro file has types that Paimon does not write.
    """
    number, size = -1, 0
    for records in _all_records(files, names):
        last = records.shares[-1]
        size = records.batch.get_total_buffer_size() + (size if last.number == number else 0)
        number = last.number
        if size > most_bytes:
            message = f"its records take more than {most_bytes >> 20} MB of memory"
            raise CorruptFileError(message, path=last.path)
        yield records


def _all_records(files: Iterable[tuple[bytes, str]], names: Names) -> Iterator[FileRecords]:
    together: list[_Stored] = []
    for stored in _stored(files):
        is_full = sum(each.size for each in together) >= PART_BYTES
        if together and (is_full or stored.kind != together[0].kind):
            yield from _decoded(together, names)
            together = []
        together.append(stored)
    if together:
        yield from _decoded(together, names)


class _Stored(NamedTuple):
    """Encoded records of a file. Those of the same kind can be decoded together.

    `kind` is the Avro schema, or the Arrow schema of a batch. `content` is some blocks of an Avro
    file, or a batch of a file in another format.
    """

    number: int
    path: str
    format: str
    kind: RecordType | pa.Schema
    content: Blocks | pa.RecordBatch
    size: int


def _stored(files: Iterable[tuple[bytes, str]]) -> Iterator[_Stored]:
    for number, (data, path) in enumerate(files):
        file_format = data_format(data[:8]) or ""
        with _named(path):
            if file_format == "Avro":
                schema, parts = read_parts(data)
                kind = record_type(schema)
                for part in parts:
                    kind.check(part)
                    size = sum(map(len, part.pieces))
                    yield _Stored(number, path, file_format, kind, part, size)
            elif file_format in _READERS:
                for batch in _READERS[file_format](data):
                    yield _Stored(number, path, file_format, batch.schema, batch, batch.nbytes)
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


def _decoded(together: Sequence[_Stored], names: Names) -> Iterator[FileRecords]:
    """Yield records of one kind: all at once, or file by file if one file is broken."""
    try:
        with _named(together[0].path):
            joined = _joined(together, names)
    except CorruptFileError:
        if len(together) == 1:
            raise
        for stored in together:
            yield from _decoded([stored], names)
    else:
        yield joined


def _joined(together: Sequence[_Stored], names: Names) -> FileRecords:
    """Return records of one kind as one batch.

    Raises:
        Exception, PanicException: The records are broken.
    """
    kind = together[0].kind
    if isinstance(kind, RecordType):
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
    return FileRecords(flat, shares, together[0].format)


def _flat(batch: pa.RecordBatch, names: Collection[str]) -> pa.RecordBatch:
    """Return these fields of a batch, including fields of structs, as columns."""
    if {*batch.schema.names} <= {*names}:
        return batch
    columns = dict(zip(batch.schema.names, batch.columns, strict=True))
    while structs := [name for name, each in columns.items() if pa.types.is_struct(each.type)]:
        for name in structs:
            struct = columns.pop(name)
            for field, part in zip(struct.type, struct.flatten(), strict=True):
                columns[f"{name}.{field.name}"] = part
    kept = {name: each for name, each in columns.items() if name in names}
    return pa.RecordBatch.from_arrays([*kept.values()], [*kept])


def _read_orc(data: bytes) -> Iterator[pa.RecordBatch]:
    from pyarrow import orc

    file = orc.ORCFile(pa.BufferReader(data))
    _check_count(file.nrows)
    for number in range(file.nstripes):
        yield file.read_stripe(number)


def _read_parquet(data: bytes) -> Iterator[pa.RecordBatch]:
    from pyarrow import parquet

    file = parquet.ParquetFile(pa.BufferReader(data))
    _check_count(file.metadata.num_rows)
    yield from file.iter_batches()


def _check_count(num_records: int) -> None:
    if num_records > MOST_RECORDS:
        raise ValueError(
            f"it has {counted(num_records, 'record')}, and {MOST_RECORDS:,} are the most"
        )


_READERS = {"ORC": _read_orc, "Parquet": _read_parquet}
