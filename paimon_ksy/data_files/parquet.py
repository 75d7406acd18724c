"""Parquet files, as Arrow reads them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from functools import partial
from typing import TYPE_CHECKING, Any

from paimon_ksy.data_files.data_file import BATCH_ROWS, DataFile, all_at_once
from paimon_ksy.io.source import Source

if TYPE_CHECKING:
    import pyarrow as pa
    import pyarrow.parquet as pq

ParquetMetadata = Callable[[Any, Any], Any]
"""Gives the metadata to read a Parquet file with, of its own and of its Arrow schema."""

_DICTIONARY_BYTES = 2
"""Bytes of a value, uncompressed, up to which a column is read as a dictionary.

The lines `bitmap of status` and `bitmap of status and region` of `make bench-tables` need it. Arrow
puts large dictionaries together again for each part of a column, which takes long.
"""
_TAIL = 64 << 10  # what Arrow reads of the end of a Parquet file, at least


def open_parquet(
    source: Source, closing: ExitStack, dictionaries: bool, change: ParquetMetadata | None
) -> DataFile:
    """Open a Parquet file; see `open_data_file`. `closing` closes what is opened."""
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

    in_parts = all_at_once(schema, batches)

    def whole(names: Sequence[str]) -> pa.Table:
        if any(pa.types.is_nested(schema.field(name).type) for name in names):
            return in_parts(names)  # Arrow reads no more than 2 GB of their texts at once
        count(names)
        return file.read(list(names), use_threads=False).select(list(names))

    return DataFile("Parquet", schema, metadata.num_rows, batches, whole, closing)


def tail_bytes(metadata: pq.FileMetaData, size: int) -> int:
    """Return the bytes that Arrow reads for the metadata of a file of this size."""
    return min(max(int(metadata.serialized_size), _TAIL), size)


def column_bytes(group: pq.RowGroupMetaData, names: Sequence[str]) -> int:
    """Return the bytes of columns, nested ones whole, of a row group."""
    wanted, found = set(names), 0
    for at in range(group.num_columns):
        column = group.column(at)
        if column.path_in_schema in wanted or column.path_in_schema.split(".")[0] in wanted:
            found += int(column.total_compressed_size)
    return found


def _small_dictionaries(file: pq.ParquetFile) -> list[str]:
    """Return the columns of strings that are small dictionaries in the first row group."""
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
