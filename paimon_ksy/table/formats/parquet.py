"""Selected rows of a Parquet file, reading as little else as possible.

Row groups without a selected row are skipped, and so are unwanted columns. In a row group with few
selected rows, pages without one are skipped, too, if the file has a page index (files of Java and
pypaimon do). Otherwise nothing after the last selected row is decoded.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from paimon_ksy.data_files.data_file import BATCH_ROWS
from paimon_ksy.data_files.parquet import narrow_columns, raw_timestamps, texts_of
from paimon_ksy.data_files.parquet_footer import parquet_metadata, with_raw_timestamps
from paimon_ksy.table.formats.open_file import OpenedFile, Picker, ReadStats, rows_only
from paimon_ksy.table.io.storage import Storage
from paimon_ksy.table.model.files import DataFile
from paimon_ksy.table.store import parquet_pages
from paimon_ksy.types.schema import Field

_BATCH_BYTES = 32 << 20  # decoded at once, approximately
_PAGE_ROWS = 1 << 13
"""An estimated minimum of a page's rows. If all pages are read, `10 largest amounts` of 1 file of
`make bench-tables` takes 89 ms of the processor's time, not 44."""


@dataclass(frozen=True)
class _Parquet:
    """A Parquet file, open for the columns to read.

    Attributes:
        opened: The file.
        names: The wanted columns that the file contains.
        narrow: The columns among them to read as dictionaries, if they are texts.
        reopen: Opens a separate reader, for a thread.
        reader: The reader of the thread that opened the file.
    """

    opened: OpenedFile
    names: list[str]
    narrow: list[str]
    reopen: Callable[[], Any]
    reader: Any


@contextmanager
def _open(
    storage: Storage,
    file: DataFile,
    wanted: Sequence[Field],
    positions: NDArray[np.int64] | None,
    stats: ReadStats,
) -> Iterator[_Parquet]:
    import pyarrow.parquet as pq

    with OpenedFile(storage, file, stats, native=True) as opened:
        metadata = parquet_metadata(
            opened.file, opened.size, lambda at, size: opened.read_at(size, at)
        )
        schema = metadata.schema.to_arrow_schema()
        opened.count_tail(metadata)
        own = set(schema.names)
        names = [f.name for f in wanted if f.name in own]
        narrow = narrow_columns(metadata, names)
        if raw_timestamps(metadata, names):
            metadata = with_raw_timestamps(metadata)
        reopen = partial(
            pq.ParquetFile,
            opened.file,
            metadata=metadata,
            read_dictionary=texts_of(schema, narrow),
            pre_buffer=opened.is_native and not opened.is_local,
        )
        with reopen() as reader:
            yield _Parquet(opened, names, narrow, reopen, reader)


def read_parquet(
    storage: Storage,
    file: DataFile,
    wanted: Sequence[Field],
    positions: NDArray[np.int64] | None,
    stats: ReadStats,
) -> Iterator[pa.RecordBatch]:
    """Return the selected rows, in the columns that the file has."""
    with _open(storage, file, wanted, positions, stats) as parquet:
        metadata = parquet.reader.metadata
        start = 0
        for at in range(metadata.num_row_groups):
            group = metadata.row_group(at)
            end = start + group.num_rows
            inside = None
            if positions is not None:
                first, last = np.searchsorted(positions, [start, end])
                inside = positions[first:last] - start
            start = end
            if inside is not None and not len(inside):
                stats.groups_skipped += 1
                continue
            stats.groups_read += 1
            if not parquet.names:
                yield rows_only(group.num_rows if inside is None else len(inside))
                continue
            batch = None if inside is None else _from_pages(parquet, at, inside)
            if batch is not None:
                yield batch
            else:
                yield from _streamed(parquet, parquet.reader, at, parquet.names, inside)


def _streamed(
    parquet: _Parquet,
    reader: Any,
    group: int,
    names: Sequence[str],
    positions: NDArray[np.int64] | None,
) -> Iterator[pa.RecordBatch]:
    """Yield the selected rows of a row group, decoding nothing after the last one."""
    metadata = reader.metadata.row_group(group)
    parquet.opened.count_columns(metadata, names)
    size = _batch_rows(metadata)
    if positions is not None:  # equal batches; the last one ends with the last selected row
        last = int(positions[-1]) + 1
        size = -(-last // -(-last // size))
    batches = reader.iter_batches(size, [group], names, use_threads=len(names) > 1)
    yield from _picked(batches, Picker(positions))


def _from_pages(
    parquet: _Parquet, group: int, positions: NDArray[np.int64]
) -> pa.RecordBatch | None:
    """Return a batch of the selected rows of a row group, from the pages that contain one.

    None if most pages contain one, no column is wide, or the file has no page index. Columns of
    remote files are read concurrently, each by a thread, which waits most of the time.
    """
    metadata = parquet.reader.metadata.row_group(group)
    paged = _columns_by_page(parquet, metadata, positions)
    size = _batch_rows(metadata)
    stored = parquet_pages(parquet.opened, parquet.reader, paged, group, size) if paged else None
    if stored is None:
        return None
    pages = dict(zip(paged, stored, strict=True))

    def arrays(names: list[str]) -> dict[str, list[pa.Array]]:
        kept = pages[names[0]](positions) if names[0] in pages else None
        if kept is None:
            batches = _streamed(parquet, parquet.reopen(), group, names, positions)
        else:
            batches = _picked(kept[0], Picker(kept[1]))
        picked = list(batches)
        return {name: [batch.column(at) for batch in picked] for at, name in enumerate(names)}

    jobs = [[name] for name in paged]
    if rest := [name for name in parquet.names if name not in pages]:
        jobs.append(rest)
    if parquet.opened.is_local:
        results = [arrays(names) for names in jobs]
    else:
        with ThreadPoolExecutor(len(jobs)) as pool:
            results = list(pool.map(arrays, jobs))
    columns = {name: _joined(some) for result in results for name, some in result.items()}
    names = list(parquet.names)
    return pa.RecordBatch.from_arrays([columns[name] for name in names], names)


def _columns_by_page(parquet: _Parquet, metadata: Any, positions: NDArray[np.int64]) -> list[str]:
    """Return the columns of a row group to read page by page.

    None unless most pages have no selected row.
    """
    if not _are_few_pages(positions, metadata):
        return []
    if not any(metadata.column(at).has_offset_index for at in range(metadata.num_columns)):
        return []
    return [name for name in parquet.names if name not in parquet.narrow]


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
    return max(1024, min(BATCH_ROWS, fitting))
