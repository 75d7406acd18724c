"""Read a data file of the sample: its columns, and its existing index."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from paimon_ksy.errors import CorruptFileError, PaimonKsyError
from paimon_ksy.file_index.container import FileIndex
from paimon_ksy.table.formats.reader import ReadRequest, read_table
from paimon_ksy.table.io.storage import Storage
from paimon_ksy.table.model.files import DataFile, TableSchema
from paimon_ksy.table.query.sort import plain_value
from paimon_ksy.types.data_type import DataType
from paimon_ksy.types.timestamps import WIDE, in_type

Key = tuple[str, str]
"""An index: its column in the table's terms, or a key `m[key]` of a column; and its type."""

_LARGE = 1 << 30  # bytes of texts; half of what Arrow's offsets can address


@dataclass(frozen=True)
class SampleJob:
    """The facts about a table that workers need.

    Attributes:
        storage: The storage of the table.
        table: The latest schema.
        schemas: The schemas of the data files, by id.
        most_rows: The maximum number of rows to read from a file.
    """

    storage: Storage
    table: TableSchema
    schemas: Mapping[int, TableSchema]
    most_rows: int


def read_columns(
    job: SampleJob, file: DataFile, schema: TableSchema, names: Iterable[str]
) -> Mapping[str, pa.ChunkedArray]:
    """Read columns of the first rows of a file; texts stay dictionaries if stored so.

    Raises:
        PaimonKsyError: The file cannot be read; the error names it.
    """
    wanted = list(dict.fromkeys(names))
    if not wanted:
        return {}
    try:
        rows = read_table(
            ReadRequest(
                job.storage,
                file,
                schema,
                schema,
                wanted,
                most=job.most_rows,
                keep_dictionaries=True,
            )
        )
    except CorruptFileError as error:
        error.path = error.path or file.path
        raise
    except PaimonKsyError as error:
        raise naming(error, file) from error
    return {name: rows[name] for name in wanted}


def naming(error: PaimonKsyError, file: DataFile) -> PaimonKsyError:
    """Return the error, with the name of the file."""
    return error if file.name in str(error) else type(error)(f"{file.path}: {error}")


class Existing:
    """The index of a data file, opened on entry; errors about it name the file."""

    def __init__(self, job: SampleJob, file: DataFile, schema: TableSchema) -> None:
        self._job, self._file, self._schema = job, file, schema
        self._opened: FileIndex | None = None

    def __enter__(self) -> FileIndex | None:
        place = self._file.index
        if place is not None:
            try:
                source = self._job.storage.open(place) if isinstance(place, str) else place
                self._opened = FileIndex.open(source, self._schema.columns)
            except CorruptFileError as error:
                self._name(error)
                raise
        return self._opened

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if self._opened is not None:
            self._opened.close()
        if isinstance(error, CorruptFileError):
            self._name(error)

    def _name(self, error: CorruptFileError) -> None:
        if error.path in (None, "<bytes>"):
            error.path = f"{self._file.path} (its embedded index)"


def plain(column: pa.ChunkedArray, data_type: DataType) -> pa.Array:
    """Return a column of `read_columns` as one array that can be sorted, without a dictionary.

    Except for very long texts, and for timestamps that are WIDE, which become microseconds, it has
    the Arrow type of the data type.
    """
    if data_type.is_timestamp and column.type == WIDE:
        return in_type(column.combine_chunks(), pa.timestamp("us"))
    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    if (data_type.is_string or data_type.is_binary) and column.nbytes > _LARGE:
        column = column.cast(pa.large_string() if data_type.is_string else pa.large_binary())
    return column.combine_chunks()


def value_at(values: pa.Array, place: int) -> Any:
    """Return a value in the form that predicates use."""
    value = values[place]
    if pa.types.is_large_string(value.type):
        value = value.cast(pa.string())
    elif pa.types.is_large_binary(value.type):
        value = value.cast(pa.binary())
    return plain_value(value)


def least_and_greatest(column: pa.Array) -> tuple[Any, Any]:
    """Return the smallest and largest values as predicates use them; None without values."""
    both = pc.min_max(column)
    ends = (pa.array([both[end]], column.type) for end in ("min", "max"))
    least, greatest = (value_at(end, 0) for end in ends)
    return least, greatest
