"""Read Parquet files with Arrow."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from functools import partial
from typing import TYPE_CHECKING

from paimon_ksy.data_files.data_file import BATCH_ROWS, DataFile, all_at_once
from paimon_ksy.io.source import Source

if TYPE_CHECKING:
    import pyarrow as pa
    import pyarrow.parquet as pq

_NARROW_BYTES = 2.5
"""Of a value. If no text is read as a dictionary, `10 largest amounts` of 1 file of `make
bench-tables` takes 62 ms of the processor's time, not 44. The lines `bitmap of status` and `bitmap
of status and region` need it, too."""
_TAIL = 64 << 10  # bytes that Arrow reads from the end of a Parquet file, at least


def open_parquet(source: Source, closing: ExitStack, dictionaries: bool) -> DataFile:
    """Open a Parquet file; see `open_data_file`. `closing` closes what is opened."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    # Arrow's own file if possible, because reading it does not need the GIL.
    native = source.native()
    data = source.stream.unbuffered if native is None else closing.enter_context(native)
    opened = partial(pq.ParquetFile, data, pre_buffer=False)
    file = closing.enter_context(opened())
    schema, metadata = file.schema_arrow, file.metadata
    if dictionaries and (texts := texts_of(schema, narrow_columns(metadata, schema.names))):
        file = closing.enter_context(opened(metadata=metadata, read_dictionary=texts))
        schema = file.schema_arrow
    schema = schema.remove_metadata()
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
            return in_parts(names)  # Arrow reads at most 2 GB of their texts at once
        count(names)
        return file.read(list(names), use_threads=False).select(list(names))

    return DataFile("Parquet", schema, metadata.num_rows, batches, whole, closing)


def tail_bytes(metadata: pq.FileMetaData, size: int) -> int:
    """Return the bytes that Arrow reads for the metadata of a file of this size."""
    return min(max(int(metadata.serialized_size), _TAIL), size)


def column_bytes(group: pq.RowGroupMetaData, names: Sequence[str]) -> int:
    """Return the size of columns in a row group in bytes, including all fields of nested ones."""
    wanted, found = set(names), 0
    for at in range(group.num_columns):
        column = group.column(at)
        if column.path_in_schema in wanted or column.path_in_schema.split(".")[0] in wanted:
            found += int(column.total_compressed_size)
    return found


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
    import pyarrow.types as kinds

    types = {name: schema.field(name).type for name in names}
    return [name for name, of in types.items() if kinds.is_string(of) or kinds.is_binary(of)]
