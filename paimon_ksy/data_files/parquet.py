"""Read Parquet files with Arrow, and as little of them as possible.

Row groups without a selected row are skipped, and so are unwanted columns. In a row group with few
selected rows, pages without one are skipped, too, if the file has a page index (files of Java and
pypaimon do). Otherwise nothing after the last selected row is decoded.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from paimon_ksy.data_files.data_file import (
    NO_TYPES,
    DataFile,
    PageReader,
    PagesOf,
    Picker,
    Positions,
    ReadStats,
    Types,
    rows_only,
)
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
_BATCH_ROWS = 1 << 17
_BATCH_BYTES = 32 << 20  # decoded at once, approximately
_PAGE_ROWS = 1 << 13
"""An estimated minimum of a page's rows. If all pages are read, `10 largest amounts` of 1 file of
`make bench-tables` takes 89 ms of the processor's time, not 44."""


class ParquetFile(DataFile):
    """An open Parquet file."""

    format = "Parquet"

    def __init__(
        self, source: Source, *, dictionaries: bool = False, pages: PagesOf | None = None
    ) -> None:
        """Read the footer. With `dictionaries`, columns of few texts are read as dictionaries."""
        super().__init__(source, dictionaries=dictionaries, pages=pages)
        # Arrow's own file if possible, because reading it does not need the GIL.
        self._native = source.native()
        self._file = source.unbuffered if self._native is None else self._native
        self._metadata = parquet_metadata(self._file, source.size, source.read)
        if self._native is not None:
            source.count(tail_bytes(self._metadata, source.size))
        self.schema = self._metadata.schema.to_arrow_schema().remove_metadata()
        self.num_rows = self._metadata.num_rows

    def __exit__(self, *exc: object) -> None:
        if self._native is not None:
            self._native.close()
        super().__exit__()

    def batches(
        self,
        names: Sequence[str],
        types: Types = NO_TYPES,
        positions: Positions = None,
        stats: ReadStats | None = None,
    ) -> Iterator[pa.RecordBatch]:
        """Yield columns, with timestamps of the type INT96; see `DataFile.batches`."""
        names = [name for name in names if name in self.schema.names]
        kinds = {
            name: from_arrow(self.schema.field(name).type)
            for name in raw_timestamps(self._metadata, names)
        }
        for batch in self._stored(names, positions, stats or ReadStats(), has_raw=bool(kinds)):
            if kinds:
                columns = [
                    converted(column, kinds[name], _as_timestamps, name)
                    if name in kinds
                    else column
                    for name, column in zip(names, batch.columns, strict=True)
                ]
                batch = pa.RecordBatch.from_arrays(columns, names)
            yield batch

    def _stored(
        self, names: list[str], positions: Positions, stats: ReadStats, *, has_raw: bool
    ) -> Iterator[pa.RecordBatch]:
        """Yield the selected rows of columns, with timestamps of the type INT96 as bytes."""
        metadata = self._metadata
        if has_raw:
            from paimon_ksy.data_files.parquet_footer import with_raw_timestamps

            metadata = with_raw_timestamps(metadata)
        narrow = narrow_columns(metadata, names)
        reopen = partial(
            pq.ParquetFile,
            self._file,
            metadata=metadata,
            read_dictionary=texts_of(self.schema, narrow) if self._dictionaries else [],
            pre_buffer=self._native is not None and not self.source.is_near,
        )
        start = 0
        with reopen() as reader:
            columns = _Columns(self.source, names, narrow, reopen, reader, self._native is not None)
            for at in range(metadata.num_row_groups):
                num_rows = metadata.row_group(at).num_rows
                inside = None
                if positions is not None:
                    first, last = np.searchsorted(positions, [start, start + num_rows])
                    inside = positions[first:last] - start
                start += num_rows
                if inside is not None and not len(inside):
                    stats.groups_skipped += 1
                    continue
                stats.groups_read += 1
                if not names:
                    yield rows_only(num_rows if inside is None else len(inside))
                    continue
                batch = None
                if inside is not None and self._pages is not None:
                    batch = columns.from_pages(self._pages, at, inside)
                if batch is not None:
                    yield batch
                else:
                    yield from columns.streamed(reader, at, names, inside)


@dataclass(frozen=True)
class _Columns:
    """Columns of a Parquet file.

    Attributes:
        source: The file.
        names: The columns.
        narrow: The columns among them with few bytes per row.
        reopen: Opens a separate reader, for a thread.
        reader: The reader of the thread that opened the file.
        is_native: Whether Arrow reads the file itself.
    """

    source: Source
    names: list[str]
    narrow: list[str]
    reopen: Callable[[], Any]
    reader: Any
    is_native: bool

    def streamed(
        self, reader: Any, group: int, names: Sequence[str], positions: Positions
    ) -> Iterator[pa.RecordBatch]:
        """Yield the selected rows of a row group, decoding nothing after the last one."""
        metadata = reader.metadata.row_group(group)
        if self.is_native:
            self.source.count(column_bytes(metadata, names))
        size = _batch_rows(metadata)
        if positions is not None:  # equal batches; the last one ends with the last selected row
            last = int(positions[-1]) + 1
            size = -(-last // -(-last // size))
        batches = reader.iter_batches(size, [group], names, use_threads=len(names) > 1)
        yield from _picked(batches, Picker(positions))

    def from_pages(
        self, pages_of: PagesOf, group: int, positions: NDArray[np.int64]
    ) -> pa.RecordBatch | None:
        """Return a batch of the selected rows of a row group, from the pages that contain one.

        None if most pages contain one, no column is wide, or the file has no page index. Columns
        of remote files are read concurrently, each by a thread, which waits most of the time.
        """
        metadata = self.reader.metadata.row_group(group)
        paged = self._by_page(metadata, positions)
        size = _batch_rows(metadata)
        stored = pages_of(self.source, self.reader, paged, group, size) if paged else None
        if stored is None:
            return None
        pages: dict[str, PageReader] = dict(zip(paged, stored, strict=True))

        def arrays(names: list[str]) -> dict[str, list[pa.Array]]:
            kept = pages[names[0]](positions) if names[0] in pages else None
            if kept is None:
                batches = self.streamed(self.reopen(), group, names, positions)
            else:
                batches = _picked(kept[0], Picker(kept[1]))
            picked = list(batches)
            return {name: [batch.column(at) for batch in picked] for at, name in enumerate(names)}

        jobs = [[name] for name in paged]
        if rest := [name for name in self.names if name not in pages]:
            jobs.append(rest)
        if self.source.is_near:
            results = [arrays(names) for names in jobs]
        else:
            with ThreadPoolExecutor(len(jobs)) as pool:
                results = list(pool.map(arrays, jobs))
        columns = {name: _joined(some) for result in results for name, some in result.items()}
        return pa.RecordBatch.from_arrays([columns[name] for name in self.names], self.names)

    def _by_page(self, metadata: Any, positions: NDArray[np.int64]) -> list[str]:
        """Return the columns of a row group to read page by page.

        None unless most pages have no selected row.
        """
        if not _are_few_pages(positions, metadata):
            return []
        if not any(metadata.column(at).has_offset_index for at in range(metadata.num_columns)):
            return []
        return [name for name in self.names if name not in self.narrow]


def _picked(batches: Iterator[pa.RecordBatch], picker: Picker) -> Iterator[pa.RecordBatch]:
    """Yield the selected rows of batches, and read none after the last one."""
    for batch in batches:
        yield picker.pick(batch)
        if picker.is_done:
            return


def _joined(arrays: Sequence[pa.Array]) -> pa.Array:
    plain = [a.dictionary_decode() if isinstance(a, pa.DictionaryArray) else a for a in arrays]
    return plain[0] if len(plain) == 1 else pa.concat_arrays(plain)


def _are_few_pages(positions: NDArray[np.int64], group: Any) -> bool:
    """Return whether most pages can be skipped."""
    pages = positions // _PAGE_ROWS  # ascending
    held = 1 + int(np.count_nonzero(pages[1:] != pages[:-1]))
    few: bool = held * _PAGE_ROWS <= group.num_rows // 4
    return few


def _batch_rows(group: Any) -> int:
    """Return the number of rows of a row group to decode at once."""
    fitting: int = _BATCH_BYTES * group.num_rows // max(group.total_byte_size, 1)
    return max(1024, min(_BATCH_ROWS, fitting))


def parquet_metadata(file: Any, size: int, read: Callable[[int, int], bytes]) -> Any:
    """Return pyarrow's metadata of a Parquet file; `read(offset, size)` returns its bytes.

    Arrow refuses files with logical types that it does not know, such as GEOMETRY before Arrow 21.
    These are left out, so that it reads the values as bytes.
    """
    try:
        return pq.read_metadata(file)
    except OSError as error:
        if "LogicalType" not in str(error):
            raise
        from paimon_ksy.data_files.parquet_footer import with_known_types

        return with_known_types(size, read)


def raw_timestamps(metadata: pq.FileMetaData, names: Sequence[str]) -> list[str]:
    """Return those of the columns with timestamps of the type INT96, which may be nested."""
    columns = map(metadata.schema.column, range(metadata.num_columns))
    paths = [column.path for column in columns if column.physical_type == "INT96"]
    return [name for name in names if name in paths or any(p.startswith(name + ".") for p in paths)]


def _as_timestamps(column: pa.Array, kind: DataType) -> pa.Array:
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
