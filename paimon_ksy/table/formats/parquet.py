"""Selected rows of a Parquet file, and no more of it than they need.

Row groups without a selected row are left out, and columns that are not asked for. In a large row
group with few selected rows so are all pages without one, if the file has a page index (as those of
Java and pypaimon have). Else nothing after the last selected row is decoded. Columns are decoded by
several threads, and so are parts of one that takes much longer than the others.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from functools import partial
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from paimon_ksy.data_files.open import BATCH_ROWS
from paimon_ksy.table.formats.open_file import Effort, OpenedFile, Picker, rows_only
from paimon_ksy.table.io.storage import Storage
from paimon_ksy.table.io.threads import at_once
from paimon_ksy.table.model.files import DataFile
from paimon_ksy.table.store import parquet_pages, with_raw_decimals
from paimon_ksy.types.decimals import raw_decimals
from paimon_ksy.types.schema import Field

_BATCH_BYTES = 32 << 20  # decoded at once, about
_FEW_ROWS = 4  # of so many one is selected, at most: most values are decoded in vain
_NARROW_BYTES = 2.5  # of a value
_LEAST_PART, _MOST_PART = 4 << 20, 16 << 20  # bytes of a column
_PICKED = 64 << 20  # bytes of selected rows, about
_WORTH_PAGES = 256 << 10  # bytes of a row group; it takes a while to find the pages
_WORTH_LOCAL_PAGES = 1 << 20  # bytes of a column where reading them takes no longer than that
_WORTH_THREADS = 8 << 20  # bytes of a row group
_PAGE_ROWS = 1 << 13  # about as many as a page has, at least


class Parquet:
    """A Parquet file, open for the columns that are wanted and the rows that are selected."""

    def __init__(
        self,
        storage: Storage,
        file: DataFile,
        wanted: Sequence[Field],
        positions: NDArray[np.int64] | None,
    ) -> None:
        import pyarrow.parquet as pq

        self._positions = positions
        self._decoded: list[pa.RecordBatch] | None = None
        self._error: Exception | None = None
        with ExitStack() as closing:
            self.opened = closing.enter_context(OpenedFile(storage, file, native=True))
            parquet = closing.enter_context(pq.ParquetFile(self.opened.file))
            metadata, schema = parquet.metadata, parquet.schema_arrow
            self.opened.count_tail(metadata)
            own = set(schema.names)
            self.names = [f.name for f in wanted if f.name in own]
            self.narrow = _narrow(metadata, self.names)
            if positions is not None and len(positions) <= metadata.num_rows // _FEW_ROWS:
                decimals = raw_decimals(metadata, schema, wanted)
                metadata = with_raw_decimals(metadata, decimals) if decimals else metadata
            self.opening = partial(
                pq.ParquetFile,
                self.opened.file,
                metadata=metadata,
                read_dictionary=[n for n in self.narrow if _is_text(schema.field(n).type)],
                pre_buffer=self.opened.is_native and not self.opened.is_local,
            )
            self.file = closing.enter_context(self.opening())
            self._closing = closing.pop_all()

    def __enter__(self) -> Parquet:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the file, if it is open."""
        self._closing.close()

    def decode(self, effort: Effort) -> None:
        """Read selected rows now, if these are not much; what is wrong with them is raised when
        they are asked for."""
        metadata = self.file.metadata
        sizes = (metadata.row_group(at).total_byte_size for at in range(metadata.num_row_groups))
        if self._positions is None or sum(sizes) > _BATCH_BYTES:
            return
        self.opened.effort = effort
        self._decoded = []
        try:
            for batch in self._read(effort):
                self._decoded.append(batch)
        except Exception as error:  # as above, until there is more to say about it
            self._error = error

    def batches(self, effort: Effort) -> Iterator[pa.RecordBatch]:
        """The selected rows, in the columns that the file has."""
        if self._decoded is None:
            self.opened.effort = effort
            yield from self._read(effort)
            return
        yield from self._decoded
        if self._error is not None:
            raise self._error

    def _read(self, effort: Effort) -> Iterator[pa.RecordBatch]:
        metadata, names = self.file.metadata, self.names
        start = 0
        for at in range(metadata.num_row_groups):
            group = metadata.row_group(at)
            end = start + group.num_rows
            inside = None
            if self._positions is not None:
                first, last = np.searchsorted(self._positions, [start, end])
                inside = self._positions[first:last] - start
            start = end
            if inside is not None and not len(inside):
                effort.groups_skipped += 1
                continue
            effort.groups_read += 1
            if not names:
                yield rows_only(group.num_rows if inside is None else len(inside))
                continue
            batch = None if inside is None else _in_parts(self, at, inside)
            if batch is not None:
                yield batch
            else:
                yield from _streamed(self.opened, self.file, at, names, inside)


def read_parquet(
    storage: Storage,
    file: DataFile,
    wanted: Sequence[Field],
    positions: NDArray[np.int64] | None,
    effort: Effort,
    opened: Any,
) -> Iterator[pa.RecordBatch]:
    with opened or Parquet(storage, file, wanted, positions) as parquet:
        yield from parquet.batches(effort)


def _streamed(
    opened: OpenedFile,
    parquet: Any,
    group: int,
    names: Sequence[str],
    positions: NDArray[np.int64] | None,
) -> Iterator[pa.RecordBatch]:
    """The selected rows of a row group, of which nothing after the last one is decoded."""
    metadata = parquet.metadata.row_group(group)
    opened.count_columns(metadata, names)
    picker = Picker(positions)
    size = _batch_rows(metadata)
    if positions is not None:  # batches of one size, the last of which ends with the last row
        last = int(positions[-1]) + 1
        size = -(-last // -(-last // size))
    threads = len(names) > 1 and metadata.total_byte_size > _WORTH_THREADS
    for batch in parquet.iter_batches(size, [group], names, use_threads=threads):
        yield picker.pick(batch)
        if picker.is_done:
            break


def _is_text(arrow_type: pa.DataType) -> bool:
    return bool(pa.types.is_string(arrow_type) or pa.types.is_binary(arrow_type))


def _narrow(metadata: Any, names: Sequence[str]) -> list[str]:
    """The columns that hold few bytes a row: a dictionary's numbers, and not many more of them.

    Texts are then read as dictionaries, in a fifth of the time. Where a dictionary grew too long to
    go on with it, reading it as one takes ten times as long; but then there are more bytes.
    """
    # A nested column has other paths.
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


def _in_parts(parquet: Parquet, group: int, positions: NDArray[np.int64]) -> pa.RecordBatch | None:
    """The selected rows of a row group: columns, and parts of some, each on its own by several
    threads. Of columns in parts only the pages are read that hold selected rows.

    None if no column is worth it, or the file does not tell where its pages are.
    """
    opened, names = parquet.opened, parquet.names
    metadata = parquet.file.metadata.row_group(group)
    wide = [name for name in names if name not in parquet.narrow]
    parts = _parts(metadata, wide, positions, opened.is_local)
    if not parts:
        return None
    in_threads = not opened.is_local or metadata.total_byte_size > _WORTH_THREADS
    rest = [name for name in names if name not in parts]

    def whole(names: Sequence[str]) -> dict[str, list[pa.Array]]:
        batches = list(_streamed(opened, parquet.opening(), group, names, positions))
        return {name: [batch.column(name) for batch in batches] for name in names}

    def part(pages: Any, positions: NDArray[np.int64]) -> list[pa.Array] | None:
        found = pages(positions)
        if found is None:
            return None
        batches, at = found
        picker = Picker(at)
        picked = []
        for batch in batches:
            picked.append(picker.pick(batch).column(0))
            if picker.is_done:
                break
        return picked

    with at_once(in_threads) as calls:
        each = [[name] for name in rest] if in_threads else [rest]
        of_rest = [calls.start(whole, some) for some in each if some]
        size = _batch_rows(metadata)
        columns = parquet_pages(opened, parquet.file, list(parts), group, size) or ()
        of_parts = {
            name: [calls.start(part, pages, some) for some in parts[name]]
            for name, pages in zip(parts, columns, strict=False)
        }
        # The last ones first, which nobody has begun: this thread does them.
        found = {
            name: [call.result() for call in reversed(of)][::-1]
            for name, of in reversed(of_parts.items())
        }
        picked = {name: arrays for call in of_rest for name, arrays in call.result().items()}
    for name in parts:
        of_name = found.get(name, [None])
        known = [array for some in of_name if some is not None for array in some]
        picked |= whole([name]) if None in of_name else {name: known}
    return pa.RecordBatch.from_arrays([_joined(picked[name]) for name in names], list(names))


def _parts(
    metadata: Any, names: Sequence[str], positions: NDArray[np.int64], is_local: bool
) -> dict[str, list[NDArray[np.int64]]]:
    """The columns of a row group to read in parts, and the positions of each part.

    Where most pages hold no selected row these are all columns, in halves; of a local file those
    that have enough bytes in front of the last selected row, as no others are decoded. Else those
    that take long, if not too many rows are selected to have them all at once.
    """
    num_rows, size = metadata.num_rows, metadata.total_byte_size
    least = _WORTH_LOCAL_PAGES if is_local else _WORTH_PAGES
    decoded = (int(positions[-1]) + 1) / num_rows if is_local else 1
    few = _are_few_pages(positions, metadata)
    many = not few and len(positions) * max(_FEW_ROWS, size // _PICKED) > num_rows
    if size * decoded < (least if few else _WORTH_THREADS) or many:
        return {}
    columns = [metadata.column(at) for at in range(metadata.num_columns)]
    if not any(column.has_offset_index for column in columns):
        return {}
    sizes: Counter[str] = Counter()
    for column in columns:
        sizes[column.path_in_schema.split(".")[0]] += column.total_uncompressed_size
    if few:
        counts = {n: 2 for n in names if not is_local or sizes[n] * decoded >= least}
    else:
        most = max(_LEAST_PART, min(_MOST_PART, size // (3 * (os.cpu_count() or 1))))
        counts = {name: round(sizes[name] / most) for name in names}

    def split(count: int) -> list[NDArray[np.int64]]:
        ends = np.searchsorted(positions, np.arange(1, count) * num_rows // count)
        return [part for part in np.split(positions, ends) if len(part)]

    return {name: split(count) for name, count in counts.items() if count > 1}


def _joined(arrays: Sequence[pa.Array]) -> pa.Array:
    plain = [a.dictionary_decode() if isinstance(a, pa.DictionaryArray) else a for a in arrays]
    return plain[0] if len(plain) == 1 else pa.concat_arrays(plain)


def _are_few_pages(positions: NDArray[np.int64], group: Any) -> bool:
    """Whether most pages can be left out."""
    pages = positions // _PAGE_ROWS  # ascending
    held = 1 + int(np.count_nonzero(pages[1:] != pages[:-1]))
    few: bool = held * _PAGE_ROWS <= group.num_rows // 4
    return few


def _batch_rows(group: Any) -> int:
    """How many rows of a row group to decode at once."""
    fitting: int = _BATCH_BYTES * group.num_rows // max(group.total_byte_size, 1)
    return max(1024, min(BATCH_ROWS, fitting))
