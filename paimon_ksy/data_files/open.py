"""Open Parquet, ORC and Avro data files, and read their columns in batches."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from typing import IO, TYPE_CHECKING

from paimon_ksy.data_files.data_file import BATCH_ROWS, DataFile, all_at_once
from paimon_ksy.data_files.parquet import open_parquet
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

REMEDY_MISSING = (
    "restore the data file from a backup, or read a snapshot that does not need it; `paimon-ksy "
    "table audit TABLE` shows which files are missing"
)
RESTORE = "the data file is corrupt and cannot be rebuilt: restore it from a backup"
"""The remedy for a data file that cannot be read."""


def open_data_file(path: str | Source, *, dictionaries: bool = False) -> DataFile:
    """Open a Parquet, ORC or Avro file.

    Args:
        path: A local path, a URL, or a source, which the file then closes.
        dictionaries: Whether to read strings with few distinct values as Arrow dictionaries, if
            the file stores them as dictionaries.

    Raises:
        PaimonKsyError: The file cannot be opened.
        CorruptFileError: The file has another format, or is malformed.
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
                remedy="pass a data file of a table; `paimon-ksy inspect FILE` shows what this "
                "file is",
            )
        try:
            if kind == "Parquet":
                opened = open_parquet(source, closing.pop_all(), dictionaries)
            else:
                opened = _OPEN[kind](source, closing.pop_all())
        except PaimonKsyError:
            raise
        except Exception as error:  # the readers of these formats raise many types of errors
            raise unreadable(kind, path, error) from error
        return opened


def columns_of(
    file: DataFile, path: str, names: Sequence[str], types: Schema | None = None
) -> pa.Schema:
    """Return the Arrow schema of these columns of an open file.

    Args:
        file: The file.
        path: Its path, for messages.
        names: The columns.
        types: Their Paimon types, which ORC does not store in full. A time of day is an integer of
            milliseconds there, and timestamps of a precision up to 6 are microseconds.

    Raises:
        SchemaError: The file lacks a column.
    """
    import pyarrow as pa

    from paimon_ksy.data_files.orc.timestamps import fitting_type
    from paimon_ksy.types.arrow import to_arrow

    for name in names:
        if name not in file.schema.names:
            choices = none_of(name, "it has", file.schema.names)
            raise SchemaError(f"{path} has no column {name!r}{choices}")
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
    types: Schema | None = None,
) -> pa.Table:
    """Read columns as a table, all at once without `progress`.

    Args:
        file: The file.
        path: Its path, for messages.
        columns: The result of `columns_of`.
        progress: Called with the number of rows of each batch.
        types: The Paimon types, which identify CHARs: ORC pads them, but Java reads them without
            padding.

    Raises:
        CorruptFileError: The columns cannot be read.
    """
    import pyarrow as pa

    batches = []
    try:
        if progress is None and file.format != "ORC":
            return file.whole(columns.names).cast(columns)
        for batch in file.batches(columns.names):
            if file.format == "ORC":
                batch = _fit(batch, columns, types)
            batches.append(batch.cast(columns))
            if progress is not None:
                progress(batch.num_rows)
    except Exception as error:  # as above
        raise unreadable(file.format, path, error) from error
    return pa.Table.from_batches(batches, schema=columns)


def _fit(batch: pa.RecordBatch, columns: pa.Schema, types: Schema | None) -> pa.RecordBatch:
    """Return the batch with its timestamps and CHARs corrected where needed."""
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
    """Return the error about a data file whose reader raised this exception."""
    reason = first_line(error).rstrip(".")
    damaged = CorruptFileError(f"cannot be read as {kind}: {reason}", path=path, remedy=RESTORE)
    found = cause_of(error, path, damaged)
    if isinstance(found, MissingFileError):
        found.remedy = REMEDY_MISSING
    return found


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
    return DataFile("ORC", schema, file.nrows, batches, all_at_once(schema, batches), closing)


def _open_avro(source: Source, closing: ExitStack) -> DataFile:
    from paimon_ksy.data_files import avro

    file = _file(source)
    schema = avro.read_schema(file)

    def batches(names: Sequence[str]) -> Iterator[pa.RecordBatch]:
        return avro.read_batches(file, schema, names, BATCH_ROWS)

    return DataFile("Avro", schema, None, batches, all_at_once(schema, batches), closing)


def _file(source: Source) -> IO[bytes]:
    file: IO[bytes] = source.stream._io  # the file object below the Kaitai stream
    return file


_OPEN = {"ORC": _open_orc, "Avro": _open_avro}
