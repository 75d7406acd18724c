"""Read Parquet files with Arrow."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from functools import partial

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from paimon_ksy.data_files.data_file import BATCH_ROWS, NO_TYPES, DataFile, Types
from paimon_ksy.data_files.parquet_footer import parquet_metadata, with_raw_timestamps
from paimon_ksy.generated.views.parquet_metadata import PARQUET_TIMESTAMP, ParquetTimestamps
from paimon_ksy.io.source import Source
from paimon_ksy.types.arrow import from_arrow, to_arrow
from paimon_ksy.types.data_type import DataType
from paimon_ksy.types.nested import converted
from paimon_ksy.types.timestamps import of_parts

_NARROW_BYTES = 2.5
"""Of a value. If no text is read as a dictionary, `10 largest amounts` of 1 file of `make
bench-tables` takes 62 ms of the processor's time, not 44. The lines `bitmap of status` and `bitmap
of status and region` need it, too."""
_TAIL = 64 << 10  # bytes that Arrow reads from the end of a Parquet file, at least


def open_parquet(source: Source, closing: ExitStack, dictionaries: bool) -> DataFile:
    """Open a Parquet file; see `open_data_file`. `closing` closes what is opened."""
    # Arrow's own file if possible, because reading it does not need the GIL.
    native = source.native()
    data = source.unbuffered if native is None else closing.enter_context(native)
    opened = partial(pq.ParquetFile, data, pre_buffer=False)
    metadata = parquet_metadata(data, source.size, source.read)
    file = closing.enter_context(opened(metadata=metadata))
    schema = file.schema_arrow
    kinds = {
        name: from_arrow(schema.field(name).type) for name in raw_timestamps(metadata, schema.names)
    }
    texts = texts_of(schema, narrow_columns(metadata, schema.names)) if dictionaries else []
    if kinds or texts:
        metadata = with_raw_timestamps(metadata) if kinds else metadata
        file = closing.enter_context(opened(metadata=metadata, read_dictionary=texts))
        schema = pa.schema(
            [schema.field(own.name) if own.name in kinds else own for own in file.schema_arrow]
        )
    schema = schema.remove_metadata()
    if native is not None:
        source.bytes_read += tail_bytes(metadata, source.size)

    def count(names: Sequence[str]) -> None:
        for group in range(metadata.num_row_groups if native is not None else 0):
            source.bytes_read += column_bytes(metadata.row_group(group), names)

    def batches(names: Sequence[str], types: Types = NO_TYPES) -> Iterator[pa.RecordBatch]:
        count(names)
        for batch in file.iter_batches(batch_size=BATCH_ROWS, columns=list(names)):
            columns = [
                converted(batch.column(name), kinds[name], as_timestamps, name)
                if name in kinds
                else batch.column(name)
                for name in names
            ]
            yield pa.RecordBatch.from_arrays(columns, list(names))

    return DataFile("Parquet", schema, metadata.num_rows, batches, closing)


def raw_timestamps(metadata: pq.FileMetaData, names: Sequence[str]) -> list[str]:
    """Return those of the columns with timestamps of the type INT96, which may be nested."""
    columns = map(metadata.schema.column, range(metadata.num_columns))
    paths = [column.path for column in columns if column.physical_type == "INT96"]
    return [name for name in names if name in paths or any(p.startswith(name + ".") for p in paths)]


def as_timestamps(column: pa.Array, kind: DataType) -> pa.Array:
    """Return the timestamps whose bytes a column contains; other columns are unchanged.

    Nanoseconds may be WIDE.
    """
    if not (kind.is_timestamp and pa.types.is_fixed_size_binary(column.type)):
        return column
    size = PARQUET_TIMESTAMP.size
    data = memoryview(column.buffers()[1] or b"")[column.offset * size :][: len(column) * size]
    view = ParquetTimestamps(data, 0, 0, arrays=True)
    seconds, nanos = np.divmod(view.values_nanos, 10**9)
    seconds += (view.values_day - ParquetTimestamps.first_day) * 86_400
    nulls = column.is_null().to_numpy(zero_copy_only=False)
    seconds[nulls] = nanos[nulls] = 0
    return of_parts(seconds, nanos, to_arrow(kind), nulls)


def tail_bytes(metadata: pq.FileMetaData, size: int) -> int:
    """Return the bytes that Arrow reads for the metadata of a file of this size."""
    return min(max(int(metadata.serialized_size), _TAIL), size)


def column_bytes(group: pq.RowGroupMetaData, names: Sequence[str]) -> int:
    """Return the size of columns in a row group in bytes, including all fields of nested ones."""
    columns, size = set(names), 0
    for at in range(group.num_columns):
        column = group.column(at)
        if column.path_in_schema in columns or column.path_in_schema.split(".")[0] in columns:
            size += int(column.total_compressed_size)
    return size


def narrow_columns(metadata: pq.FileMetaData, names: Sequence[str]) -> list[str]:
    """Return the columns with few bytes per row, which are probably dictionary-encoded.

    Texts are then read as dictionaries, in a fifth of the time. If the writer gave up a dictionary
    because it grew too long, that would take ten times as long, but then there are more bytes.
    """
    # The paths of a nested column are longer.
    at = {metadata.schema.column(n).path: n for n in range(metadata.num_columns)}
    some = range(0, metadata.num_row_groups, metadata.num_row_groups // 4 + 1)

    def is_narrow(name: str) -> bool:
        chunks = [metadata.row_group(number).column(at[name]) for number in some]
        return all(
            chunk.has_dictionary_page
            and chunk.total_uncompressed_size <= _NARROW_BYTES * chunk.num_values
            for chunk in chunks
        )

    return [name for name in names if name in at and is_narrow(name)]


def texts_of(schema: pa.Schema, names: Sequence[str]) -> list[str]:
    """Return the columns that Arrow can read as dictionaries: texts and bytes."""
    types = {name: schema.field(name).type for name in names}
    return [name for name, of in types.items() if pa.types.is_string(of) or pa.types.is_binary(of)]
