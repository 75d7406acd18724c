"""Data files that an index can be built from: Parquet, ORC and Avro, read in batches."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass
from functools import partial
from typing import IO, TYPE_CHECKING, Any

from paimon_ksy.errors import (
    CorruptFileError,
    MissingFileError,
    PaimonKsyError,
    SchemaError,
    first_line,
    none_of,
)
from paimon_ksy.io.file_kind import DATA, data_format, other_kind
from paimon_ksy.io.source import Source, open_source
from paimon_ksy.messages.causes import cause_of
from paimon_ksy.types.schema import Schema

if TYPE_CHECKING:
    import pyarrow as pa
    import pyarrow.parquet as pq

BATCH_ROWS = 1 << 17


@dataclass(frozen=True)
class DataFile(AbstractContextManager["DataFile"]):
    """An open data file. `num_rows` is None if only reading it to the end tells.

    `batches(names)` reads those columns and no others, `whole(names)` at once what they have.
    """

    format: str
    schema: pa.Schema
    num_rows: int | None
    batches: Callable[[Sequence[str]], Iterator[pa.RecordBatch]]
    whole: Callable[[Sequence[str]], pa.Table]
    _closing: ExitStack

    def __exit__(self, *exc: object) -> None:
        self._closing.close()


REMEDY_MISSING = (
    "restore the data file from a backup, or read a snapshot that does not need it; `paimon-ksy "
    "table audit TABLE` shows which files are missing"
)
RESTORE = "the data file is corrupt and cannot be rebuilt: restore it from a backup"
"""What to do about a data file that cannot be read."""


ParquetMetadata = Callable[[Any, Any], Any]
"""Gives the metadata to read a Parquet file with, of its own and of its Arrow schema."""


def open_data_file(
    path: str | Source, *, dictionaries: bool = False, metadata: ParquetMetadata | None = None
) -> DataFile:
    """Open a Parquet, ORC or Avro file at a local path or URL, or a source, which it then closes.

    With `dictionaries`, strings of few distinct values come as Arrow dictionaries where the file
    has them so; `metadata` may have those of Parquet read in another way. Raises PaimonKsyError
    if it cannot be opened, CorruptFileError if it is none of these or broken.
    """
    with ExitStack() as closing:
        source = closing.enter_context(open_source(path))
        path = source.name
        kind = data_format(source.read(0, min(4, source.size)))
        if kind is None:
            if found := other_kind(source, DATA):
                raise found
            raise CorruptFileError(
                "not a Parquet, ORC or Avro file",
                path=path,
                offset=0,
                remedy="give a data file of a table; `paimon-ksy inspect FILE` shows what this "
                "file is",
            )
        try:
            if kind == "Parquet":
                opened = _open_parquet(source, closing.pop_all(), dictionaries, metadata)
            else:
                opened = _OPEN[kind](source, closing.pop_all())
        except PaimonKsyError:
            raise
        except Exception as error:  # the readers of these formats raise all kinds
            raise unreadable(kind, path, error) from error
        return opened


def columns_of(
    file: DataFile, path: str, names: Sequence[str], types: Schema | None = None
) -> pa.Schema:
    """The Arrow schema of these columns. Raises SchemaError if the file lacks one.

    ORC has no time of day, Paimon stores the milliseconds as an integer: `types` tells which. And
    it does not tell how fine its timestamps are: those of a precision up to 6 are microseconds.
    """
    import pyarrow as pa

    from paimon_ksy.data_files.orc.timestamps import fitting_type
    from paimon_ksy.types.arrow import to_arrow

    for name in names:
        if name not in file.schema.names:
            told = none_of(name, "it has", file.schema.names)
            raise SchemaError(f"{path} has no column {name!r}{told}")
    fields = []
    for name in names:
        field = file.schema.field(name)
        kind = None if types is None or name not in types else types[name]
        if kind is not None and kind.root == "TIME" and pa.types.is_int32(field.type):
            field = field.with_type(pa.time32("ms"))
        elif kind is not None and file.format == "ORC":
            field = field.with_type(fitting_type(field.type, to_arrow(kind)))
        fields.append(field)
    return pa.schema(fields)


def read_columns(
    file: DataFile,
    path: str,
    columns: pa.Schema,
    progress: Callable[[int], None] | None = None,
    most: int | None = None,
    types: Schema | None = None,
) -> pa.Table:
    """The columns, from `columns_of`, as a table; `progress` is told the rows of each batch.

    `types` tells which are CHARs: ORC pads them, and Java reads them without.

    With `most` the first rows, no more than these. Without both they are read at once.

    Raises CorruptFileError if they cannot be read.
    """
    import pyarrow as pa

    batches = []
    try:
        if progress is None and most is None and file.format != "ORC":
            return file.whole(columns.names).cast(columns)
        for batch in file.batches(columns.names):
            if file.format == "ORC":
                batch = _fit(batch, columns, types)
            if most is not None:
                batch = batch.slice(0, most)
                most -= batch.num_rows
            batches.append(batch.cast(columns))
            if progress is not None:
                progress(batch.num_rows)
            if most == 0:
                break
    except Exception as error:  # as above
        raise unreadable(file.format, path, error) from error
    return pa.Table.from_batches(batches, schema=columns)


def _fit(batch: pa.RecordBatch, columns: pa.Schema, types: Schema | None) -> pa.RecordBatch:
    """The stripe, whose timestamps and CHARs may have to be put right, as far as that is needed."""
    import pyarrow as pa

    from paimon_ksy.data_files.orc.chars import unpadded
    from paimon_ksy.data_files.orc.timestamps import fit, fitting_type

    arrays = []
    for name, own in zip(batch.schema.names, batch.columns, strict=True):
        column = fit(own, fitting_type(own.type, columns.field(name).type))
        known = types is not None and name in types
        arrays.append(unpadded(column, types[name]) if types is not None and known else column)
    return pa.RecordBatch.from_arrays(arrays, batch.schema.names)


def unreadable(kind: str, path: str, error: Exception) -> PaimonKsyError:
    """Return the error over a data file whose reader raised this."""
    reason = first_line(error).rstrip(".")
    damaged = CorruptFileError(f"cannot be read as {kind}: {reason}", path=path, remedy=RESTORE)
    found = cause_of(error, path, damaged)
    if isinstance(found, MissingFileError):
        found.remedy = REMEDY_MISSING
    return found


_DICTIONARY_BYTES = 2
"""Of each value, uncompressed, at most. Large dictionaries are put together anew at each part of a
column, which takes long."""


def _open_parquet(
    source: Source, closing: ExitStack, dictionaries: bool, change: ParquetMetadata | None
) -> DataFile:
    import pyarrow as pa
    import pyarrow.parquet as pq

    # Arrow's own file where there is one: reading it does not wait for Python's lock.
    native = source.native()
    data = source.stream.unbuffered if native is None else closing.enter_context(native)
    opened = partial(pq.ParquetFile, data, pre_buffer=False)
    file = closing.enter_context(opened())
    texts = _small_dictionaries(file) if dictionaries else []
    metadata = file.metadata if change is None else change(file.metadata, file.schema_arrow)
    if texts or metadata is not file.metadata:
        file = closing.enter_context(opened(metadata=metadata, read_dictionary=texts))
    schema = file.schema_arrow.remove_metadata()
    if native is not None:
        source.bytes_read += tail_bytes(metadata, source.size)

    def count(names: Sequence[str]) -> None:
        for group in range(metadata.num_row_groups if native is not None else 0):
            source.bytes_read += column_bytes(metadata.row_group(group), names)

    def batches(names: Sequence[str]) -> Iterator[pa.RecordBatch]:
        count(names)
        for batch in file.iter_batches(batch_size=BATCH_ROWS, columns=list(names)):
            yield batch.select(list(names))

    in_parts = _joined(schema, batches)

    def whole(names: Sequence[str]) -> pa.Table:
        if any(pa.types.is_nested(schema.field(name).type) for name in names):
            return in_parts(names)  # Arrow reads no more than 2 GB of their texts at once
        count(names)
        # Threads are not worth starting for a small file.
        size = sum(metadata.row_group(at).total_byte_size for at in range(metadata.num_row_groups))
        threads = len(names) > 1 and size > _WORTH_THREADS
        return file.read(list(names), use_threads=threads).select(list(names))

    return DataFile("Parquet", schema, metadata.num_rows, batches, whole, closing)


_WORTH_THREADS = 8 << 20  # bytes of a file, uncompressed
_TAIL = 64 << 10  # what Arrow reads of the end of a Parquet file, at least


def tail_bytes(metadata: pq.FileMetaData, size: int) -> int:
    """Bytes that Arrow reads for the metadata of a file of this size."""
    return min(max(int(metadata.serialized_size), _TAIL), size)


def column_bytes(group: pq.RowGroupMetaData, names: Sequence[str]) -> int:
    """Bytes of columns, nested ones whole, of a row group of Parquet."""
    wanted, found = set(names), 0
    for at in range(group.num_columns):
        column = group.column(at)
        if column.path_in_schema in wanted or column.path_in_schema.split(".")[0] in wanted:
            found += int(column.total_compressed_size)
    return found


def _small_dictionaries(file: pq.ParquetFile) -> list[str]:
    """Columns of strings that are mostly small dictionaries in the first row group: as a guess."""
    if not file.num_row_groups:
        return []
    group = file.metadata.row_group(0)
    names = []
    for at in range(group.num_columns):
        column = group.column(at)
        if (
            column.physical_type == "BYTE_ARRAY"
            and "." not in column.path_in_schema
            and column.has_dictionary_page
            and column.total_uncompressed_size <= _DICTIONARY_BYTES * column.num_values
        ):
            names.append(column.path_in_schema)
    return names


def _open_orc(source: Source, closing: ExitStack) -> DataFile:
    import pyarrow.orc as orc

    from paimon_ksy.data_files.orc.footers import OrcFooters

    footers = OrcFooters(source)
    file = orc.ORCFile(_file(source))

    def batches(names: Sequence[str]) -> Iterator[pa.RecordBatch]:
        for stripe in range(file.nstripes):
            footers.check_stripe(stripe)
            yield file.read_stripe(stripe, columns=list(names)).select(list(names))

    schema = file.schema.remove_metadata()
    return DataFile("ORC", schema, file.nrows, batches, _joined(schema, batches), closing)


def _open_avro(source: Source, closing: ExitStack) -> DataFile:
    from paimon_ksy.data_files import avro

    file = _file(source)
    schema = avro.read_schema(file)

    def batches(names: Sequence[str]) -> Iterator[pa.RecordBatch]:
        return avro.read_batches(file, schema, names, BATCH_ROWS)

    return DataFile("Avro", schema, None, batches, _joined(schema, batches), closing)


def _joined(
    schema: pa.Schema, batches: Callable[[Sequence[str]], Iterator[pa.RecordBatch]]
) -> Callable[[Sequence[str]], pa.Table]:
    import pyarrow as pa

    def whole(names: Sequence[str]) -> pa.Table:
        part = pa.schema([schema.field(name) for name in names])
        return pa.Table.from_batches(batches(names), part)

    return whole


def _file(source: Source) -> IO[bytes]:
    file: IO[bytes] = source.stream._io  # the file object below the Kaitai stream
    return file


_OPEN = {"ORC": _open_orc, "Avro": _open_avro}
