"""Read selected rows of a data file, in the columns and types of a schema of the table."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from paimon_ksy.data_files.data_file import ReadStats
from paimon_ksy.data_files.open import REMEDY_MISSING, RESTORE, format_of, unreadable
from paimon_ksy.errors import (
    CorruptFileError,
    MissingFileError,
    PaimonKsyError,
    UnsupportedError,
    counted,
)
from paimon_ksy.io.file_kind import NAMED, UNKNOWN
from paimon_ksy.table.io.storage import Storage
from paimon_ksy.table.model.columns import arrow_schema
from paimon_ksy.table.model.evolve import evolve, file_columns
from paimon_ksy.table.model.files import ROW_ID, SEQUENCE_NUMBER, DataFile, TableSchema
from paimon_ksy.types.arrow import arrow_values, to_arrow
from paimon_ksy.types.data_type import DataType
from paimon_ksy.types.nested import converted
from paimon_ksy.types.parse import parse_type
from paimon_ksy.types.schema import Field
from paimon_ksy.types.timestamps import WIDE, alike, in_type

SYSTEM_COLUMNS = {
    "_SEQUENCE_NUMBER": parse_type("BIGINT NOT NULL"),
    "_VALUE_KIND": parse_type("TINYINT NOT NULL"),
}
"""Columns that files of a table with a primary key have besides its own, read on request."""


@dataclass(frozen=True)
class ReadRequest:
    """The rows and columns of a data file to read, and the schema of the result.

    Attributes:
        storage: The storage that contains the file.
        file: The data file.
        file_schema: The schema that it was written with.
        schema: The schema that determines the names and types of the result.
        columns: Columns of `schema` or SYSTEM_COLUMNS; without any, batches just count rows.
        rows: A bitmap of positions without deleted rows, None for all rows.
        most: Read at most this many rows, the first ones.
        keep_dictionaries: Return texts as dictionaries if the file stores them so. Needs all rows.
    """

    storage: Storage
    file: DataFile
    file_schema: TableSchema
    schema: TableSchema
    columns: Sequence[str]
    rows: Any = None
    most: int | None = None
    keep_dictionaries: bool = False

    @classmethod
    def of_indexes(
        cls, storage: Storage, file: DataFile, schema: TableSchema, columns: Sequence[str]
    ) -> ReadRequest:
        """Return the request for building indexes: all rows, as they are stored."""
        return cls(storage, file, schema, schema, columns, keep_dictionaries=True)


def read(request: ReadRequest, stats: ReadStats | None = None) -> Iterator[pa.RecordBatch]:
    """Return the requested rows of a data file in order.

    Raises:
        CorruptFileError: The file is broken.
        PaimonKsyError: The file cannot be read.
    """
    file, schema, columns = request.file, request.schema, list(request.columns)
    system = [n for n in columns if n in SYSTEM_COLUMNS and n not in schema.columns]
    names = [name for name in columns if name not in system]
    fields = [*file_columns(schema, request.file_schema, names)]
    fields += [Field(name, SYSTEM_COLUMNS[name]) for name in system]
    positions = None if request.rows is None else _positions(request.rows, file)
    if positions is not None and not len(positions):
        return
    for batch in _batches(request, fields, positions, ReadStats() if stats is None else stats):
        try:
            evolved = evolve(batch, request.file_schema, schema, names)
        except UnsupportedError as error:
            raise UnsupportedError(str(error), path=file.path) from error
        for name in system:
            evolved = evolved.append_column(name, batch.column(name))
        yield evolved if columns == evolved.schema.names else evolved.select(columns)


def read_table(request: ReadRequest, stats: ReadStats | None = None) -> pa.Table:
    """Return the requested rows of a data file as one table; see `read`."""
    batches = list(read(request, stats))
    if not batches:
        return arrow_schema(request.schema.columns, tuple(request.columns)).empty_table()
    return pa.Table.from_batches(alike(batches))


def _positions(rows: Any, file: DataFile) -> NDArray[np.int64]:
    positions = np.asarray(rows.to_array()).astype(np.int64)
    if len(positions) and positions[-1] >= file.num_rows:
        raise PaimonKsyError(
            f"has {counted(file.num_rows, 'row')}, but row {positions[-1]} is selected: the "
            "selection belongs to another file",
            path=file.path,
        )
    return positions


def _batches(
    request: ReadRequest,
    fields: Sequence[Field],
    positions: NDArray[np.int64] | None,
    stats: ReadStats,
) -> Iterator[pa.RecordBatch]:
    """Yield the selected rows in the columns and Arrow types of the file's schema."""
    file = request.file
    count = file.num_rows if positions is None else len(positions)
    if request.most is not None:
        count = min(count, request.most)
    if not fields:
        yield pa.RecordBatch.from_arrays([pa.nulls(count)], ["_"])
        return
    if file.format not in _FORMATS:
        message = f"the file format {file.format!r} is unsupported; supported are "
        remedy = NAMED.get(file.format, UNKNOWN).advice or None
        raise UnsupportedError(message + ", ".join(_FORMATS), path=file.path, remedy=remedy)
    partition = dict(zip(request.file_schema.partition_keys, file.partition, strict=False))
    seen = 0
    try:
        for batch in _stored_batches(request, fields, positions, stats):
            if request.most is not None:
                batch = batch.slice(0, count - seen)
            seen += batch.num_rows
            if batch.num_rows:
                yield _as_in_schema(batch, fields, partition, request)
            if seen == request.most:
                break
    except PaimonKsyError as error:
        if isinstance(error, MissingFileError):
            error.remedy = REMEDY_MISSING
        error.path = error.path or file.path
        raise
    except Exception as error:  # the readers of these formats raise all kinds
        raise unreadable(file.format, file.path, error) from error
    if seen != count:
        actual = (
            f"{seen:,} rows" if positions is None else f"{seen:,} of the {count:,} rows to read"
        )
        raise CorruptFileError(
            f"has {actual}, but {file.num_rows:,} according to the manifest: it is truncated, or "
            "another file",
            path=file.path,
            remedy=RESTORE,
        )


def _stored_batches(
    request: ReadRequest,
    fields: Sequence[Field],
    positions: NDArray[np.int64] | None,
    stats: ReadStats,
) -> Iterator[pa.RecordBatch]:
    """Yield the selected rows in the columns that the file has, as they are stored."""
    path, kind = request.file.path, format_of(_FORMATS[request.file.format])
    from paimon_ksy.table.store.parquet import parquet_pages

    names, types = [field.name for field in fields], {field.name: field.type for field in fields}
    with request.storage.open(path) as source:
        try:
            with kind(source, dictionaries=True, pages=parquet_pages) as opened:
                yield from opened.batches(names, types, positions, stats)
        finally:
            stats.add(ReadStats(source.bytes_read, files={path}))


def _as_in_schema(
    batch: pa.RecordBatch,
    fields: Sequence[Field],
    partition: dict[str, Any],
    request: ReadRequest,
) -> pa.RecordBatch:
    arrays = []
    for field in fields:
        at = batch.schema.get_field_index(field.name)
        if at >= 0:
            column = batch.column(at)
            is_texts = isinstance(column, pa.DictionaryArray) and request.keep_dictionaries
            if not (is_texts and column.type.value_type == to_arrow(field.type)):
                column = stored(column, field.type, field.name)
            arrays.append(column)
        elif field.name in partition:  # some writers leave out partition columns
            arrays.append(constant(partition[field.name], field.type, batch.num_rows))
        elif field.name in (ROW_ID, SEQUENCE_NUMBER):  # which only some compactions store
            arrays.append(pa.nulls(batch.num_rows, to_arrow(field.type)))
        else:
            raise _lacks(request.file, field.name)
    return pa.RecordBatch.from_arrays(arrays, [field.name for field in fields])


def _lacks(file: DataFile, name: str) -> PaimonKsyError:
    if file.write_columns is not None and name not in file.write_columns:
        return UnsupportedError(
            f"lacks the column {name!r}, which is in another file of the same rows: read "
            "tables with data evolution through pypaimon",
            path=file.path,
        )
    message = f"lacks the column {name!r} of its schema"
    return CorruptFileError(message, path=file.path, remedy=RESTORE)


def constant(value: Any, kind: DataType, count: int) -> pa.Array:
    """Return an array that repeats one internal value, in the Arrow type of its type."""
    return pa.repeat(arrow_values([value], to_arrow(kind))[0], count)


def stored(column: pa.Array, kind: DataType, name: str | None = None) -> pa.Array:
    """Return a column of a file in the Arrow type of its Paimon type; nanoseconds may be WIDE.

    Messages include the name of the column.
    """
    arrow_type, stored_type = to_arrow(kind), column.type
    if stored_type == arrow_type:
        return column
    if kind.root == "TIME" and pa.types.is_integer(stored_type):  # ORC has no time of day
        return column.cast(pa.int32()).view(arrow_type)
    if kind.is_timestamp and (pa.types.is_timestamp(stored_type) or stored_type == WIDE):
        return in_type(column, arrow_type)
    if kind.root == "VARIANT":
        from paimon_ksy.table.store.parquet import whole_variants

        return whole_variants(column, arrow_type)
    if kind.root == "MAP" and pa.types.is_struct(stored_type):
        raise UnsupportedError("is a MAP in columns by key, which is unsupported", column=name)
    if kind.fields and not pa.types.is_fixed_size_list(stored_type):
        column = converted(column, kind, stored, name)
    return column.cast(arrow_type)


_FORMATS = {"parquet": "Parquet", "orc": "ORC", "avro": "Avro"}
