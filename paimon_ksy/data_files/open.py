"""Open Parquet, ORC and Avro data files, and read their columns in batches.

The modules of the formats, and pyarrow, are imported when a file is opened: commands such as `eval`
and `dv show` import this module, but need them only for some files.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from typing import TYPE_CHECKING

from paimon_ksy.data_files.data_file import NO_TYPES, DataFile, Types
from paimon_ksy.errors import (
    Call,
    CorruptFileError,
    MissingFileError,
    PaimonKsyError,
    Remedy,
    SchemaError,
    UnsupportedError,
    first_line,
    none_of,
)
from paimon_ksy.io.file_kind import data_format, other_kind
from paimon_ksy.io.source import Source, open_source
from paimon_ksy.messages.causes import cause_of
from paimon_ksy.types.arrow import from_arrow, to_arrow
from paimon_ksy.types.data_type import DataType
from paimon_ksy.types.schema import Schema

if TYPE_CHECKING:
    import pyarrow as pa

REMEDY_MISSING = Remedy(
    "restore the data file from a backup, or read a snapshot that does not need it; ",
    Call("table audit"),
    " shows which files are missing",
)
RESTORE = "the data file is corrupt and cannot be rebuilt: restore it from a backup"
"""The remedy for a data file that cannot be read."""


_REMEDY_UNSUPPORTED = (
    "Arrow does not support it: read it with another library, such as Java's Paimon"
)


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
    source = open_source(path)
    with ExitStack() as closing:
        closing.enter_context(source)
        kind = data_format(source.read(0, min(4, source.size)))
        if kind is None:
            if of_kind := other_kind(source, "a data file"):
                raise of_kind
            raise CorruptFileError(
                "not a Parquet, ORC or Avro file",
                path=source.name,
                offset=0,
                remedy=Remedy(
                    "pass a data file of a table; ", Call("inspect"), " shows what this file is"
                ),
            )
        try:
            file = format_of(kind)(source, dictionaries=dictionaries)
        except PaimonKsyError:
            raise
        except Exception as error:  # the readers of these formats raise many types of errors
            raise unreadable(kind, source.name, error) from error
        closing.pop_all()
        return file


def format_of(kind: str) -> type[DataFile]:
    """Return the class of files of a format (see `DataFile.format`)."""
    if kind == "Parquet":
        from paimon_ksy.data_files.parquet import ParquetFile

        return ParquetFile
    if kind == "ORC":
        from paimon_ksy.data_files.orc.file import OrcFile

        return OrcFile
    from paimon_ksy.data_files.avro import AvroFile

    return AvroFile


def columns_of(
    file: DataFile, path: str, names: Sequence[str], types: Schema | None = None
) -> pa.Schema:
    """Return the Arrow schema of these columns of an open file; its path is for messages.

    ORC does not store their Paimon types in full. A time of day is an integer of milliseconds
    there, and timestamps of a precision up to 6 are microseconds.

    Raises SchemaError if the file lacks a column.
    """
    import pyarrow as pa

    for name in names:
        if name not in file.schema.names:
            choices = none_of(name, "it has", file.schema.names)
            raise SchemaError(f"{path} has no column {name!r}{choices}")
    kinds = _stored_as(file, names, types)
    fields = map(file.schema.field, names)
    return pa.schema(
        [f.with_type(to_arrow(kinds[f.name])) if f.name in kinds else f for f in fields]
    )


def _stored_as(file: DataFile, names: Sequence[str], types: Schema | None) -> Types:
    """Return the types that the schemas of files do not have: TIME, and in ORC also others."""
    if types is None:
        return NO_TYPES
    kinds = {name: types[name] for name in names if name in types}
    fields = file.schema.field
    return {
        name: kind
        for name, kind in kinds.items()
        if (file.format == "ORC" or kind.root == "TIME")
        and _holds(from_arrow(fields(name).type), kind)
    }


def _holds(own: DataType, kind: DataType) -> bool:
    """Return whether a file stores the values of a type like those of this one of its own."""
    if own.fields or kind.fields:
        pairs = zip(own.fields, kind.fields, strict=False)
        is_alike = own.root == kind.root and len(own.fields) == len(kind.fields)
        return is_alike and all(_holds(one.type, other.type) for one, other in pairs)
    both = own.root, kind.root
    return (
        (own.is_timestamp and kind.is_timestamp)
        or both == ("INT", "TIME")
        or (to_arrow(own) == to_arrow(kind))
    )


def read_columns(
    file: DataFile,
    path: str,
    columns: pa.Schema,
    progress: Callable[[int], None] | None = None,
    types: Schema | None = None,
) -> pa.Table:
    """Read the columns of `columns_of` as a table; nanoseconds may be WIDE, texts dictionaries.

    `progress` is called with the number of rows of each batch. The Paimon types identify CHARs: ORC
    pads them, but Java reads them without padding. Raises CorruptFileError.
    """
    import pyarrow as pa

    from paimon_ksy.types.timestamps import alike, from_numbers

    batches = []
    try:
        for batch in file.batches(columns.names, _stored_as(file, columns.names, types)):
            arrays = [
                column if pa.types.is_dictionary(column.type) else from_numbers(column, of_type)
                for column, of_type in zip(batch.columns, columns.types, strict=True)
            ]
            batches.append(pa.RecordBatch.from_arrays(arrays, columns.names))
            if progress is not None:
                progress(batch.num_rows)
    except PaimonKsyError as error:
        error.path = error.path or path
        raise
    except Exception as error:  # as above
        raise unreadable(file.format, path, error) from error
    return pa.Table.from_batches(alike(batches)) if batches else columns.empty_table()


def unreadable(kind: str, path: str, error: Exception) -> PaimonKsyError:
    """Return the error about a data file whose reader raised this exception."""
    import pyarrow as pa

    reason = f"cannot be read as {kind}: {first_line(error).rstrip('.')}"
    damaged: PaimonKsyError = CorruptFileError(reason, path=path, remedy=RESTORE)
    if isinstance(error, pa.ArrowNotImplementedError):
        damaged = UnsupportedError(reason, path=path, remedy=_REMEDY_UNSUPPORTED)
    cause = cause_of(error, path, damaged)
    if isinstance(cause, MissingFileError):
        cause.remedy = REMEDY_MISSING
    return cause


@dataclass(frozen=True)
class Data:
    """An open data file."""

    path: str
    file: DataFile
    num_rows: int

    def read(self, names: Sequence[str], types: Schema | None) -> pa.Table:
        """Return these columns. Raises SchemaError if one does not exist."""
        part = columns_of(self.file, self.path, names, types)
        return read_columns(self.file, self.path, part, types=types)
