"""Selected rows of a data file, in the schema to read in, and no more of the file than they need.

What is left out depends on the format:

- Parquet: row groups without a selected row, and columns that are not asked for. In a large row
  group with few selected rows, all pages without one, if the file has a page index (as those of
  Java and pypaimon have). Else nothing after the last selected row is decoded. Columns are decoded
  by several threads, and so are parts of one that takes much longer than the others.
- ORC: all but one narrow column of stripes without a selected row (that one tells where the stripe
  ends: pyarrow does not), and all stripes after the last selected row. A zoned timestamp is what
  Java reads in UTC: unless `orc.timestamp-ltz.legacy.type` is false, it depends on the zones of
  both machines, writer and reader.
- Avro: blocks without a selected row are not decoded; the file is read up to the last one.
"""

from __future__ import annotations

import dataclasses
import os
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from threading import Lock
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from paimon_ksy.data_file import RESTORE, column_bytes, tail_bytes
from paimon_ksy.decimals import from_parquet, raw_decimals
from paimon_ksy.errors import CorruptFileError, PaimonKsyError, UnsupportedError
from paimon_ksy.orc_chars import unpadded
from paimon_ksy.orc_check import OrcFooters
from paimon_ksy.orc_timestamps import fit, fitting_type
from paimon_ksy.schema import Field
from paimon_ksy.source import Source
from paimon_ksy.table.evolve import evolve, file_column
from paimon_ksy.table.storage import Storage
from paimon_ksy.table.store import DataFile, TableSchema, parquet_pages, with_raw_decimals
from paimon_ksy.table.threads import at_once
from paimon_ksy.types import DataType, parse_type, to_arrow

BATCH_ROWS = 1 << 17
"""Rows that are decoded at once, at most; fewer where rows are long."""

_BATCH_BYTES = 32 << 20

SYSTEM_COLUMNS = {
    "_SEQUENCE_NUMBER": parse_type("BIGINT NOT NULL"),
    "_VALUE_KIND": parse_type("TINYINT NOT NULL"),
}
"""What files of a table with a primary key have beside its columns, and is read if asked for."""

_GONE = (1, 3)
"""`RowKind`: UPDATE_BEFORE and DELETE."""


@dataclass
class Effort:
    """What reading took: bytes of the files; row groups, stripes or blocks read and left out; the
    paths of data files that were opened."""

    bytes_read: int = 0
    groups_read: int = 0
    groups_skipped: int = 0
    files: set[str] = dataclasses.field(default_factory=set)

    def add(self, other: Effort) -> None:
        """Count what something else took, too."""
        self.bytes_read += other.bytes_read
        self.groups_read += other.groups_read
        self.groups_skipped += other.groups_skipped
        self.files |= other.files


def read_rows(
    storage: Storage,
    file: DataFile,
    file_schema: TableSchema,
    read_schema: TableSchema,
    columns: Sequence[str],
    rows: Any = None,
    *,
    drop_deleted: bool = False,
    keep_dictionaries: bool = False,
    effort: Effort | None = None,
    opened: Any = None,
) -> Iterator[pa.RecordBatch]:
    """The selected rows of a data file in their order, in names and types of `read_schema`.

    `rows` is a bitmap of positions, None for all rows; a deletion vector has to be taken out of it
    before. `columns` are columns of `read_schema` or SYSTEM_COLUMNS; without any, batches just
    count rows. With `drop_deleted` rows that a table with a primary key marks as deleted are left
    out. With `keep_dictionaries`, which needs all rows to be selected, texts may come as
    dictionaries, for those who do not need them all. `effort` is told what was read, as it is read.
    `opened` is what `opened_ahead` gave for the same question; it is closed.

    Raises CorruptFileError if the file is broken, PaimonKsyError if it cannot be read.
    """
    effort = Effort() if effort is None else effort
    kinds = [name for name in columns if name in SYSTEM_COLUMNS and name not in read_schema.columns]
    own = [name for name in columns if name not in kinds]
    if drop_deleted and "_VALUE_KIND" not in kinds:
        kinds.append("_VALUE_KIND")
    wanted = _wanted(file_schema, read_schema, own)
    wanted += [Field(name, SYSTEM_COLUMNS[name]) for name in kinds]
    positions = None if rows is None else _positions(rows, file)
    if positions is not None and not len(positions):
        return
    found = _batches(
        storage, file, file_schema, wanted, positions, effort, keep_dictionaries, opened
    )
    for batch in found:
        if drop_deleted:
            gone = pc.is_in(batch.column("_VALUE_KIND"), value_set=pa.array(_GONE, pa.int8()))
            batch = batch.filter(pc.invert(gone))
        evolved = evolve(batch, file_schema, read_schema, own)
        for name in kinds:
            if name in columns:
                evolved = evolved.append_column(name, batch.column(name))
        yield evolved if list(columns) == evolved.schema.names else evolved.select(list(columns))


def opened_ahead(
    storage: Storage,
    file: DataFile,
    file_schema: TableSchema,
    read_schema: TableSchema,
    columns: Sequence[str],
    rows: Any = None,
) -> Any:
    """What `read_rows` takes as `opened`: the file, open, and what its end tells.

    To open several files one after the other takes half the time that it takes between reading
    others, when nothing of it is in the processor's caches any more. None for formats other than
    Parquet, and of a file that cannot be opened: reading it says why.
    """
    wanted = _wanted(file_schema, read_schema, columns)
    if file.format != "parquet" or not wanted:
        return None
    try:
        positions = None if rows is None else _positions(rows, file)
        return _Parquet(storage, file, wanted, positions)
    except Exception:  # the reader raises all kinds
        return None


def _wanted(file: TableSchema, read: TableSchema, names: Sequence[str]) -> list[Field]:
    found = (file_column(read, file, name) for name in names)
    return list({field.name: field for field in found if field is not None}.values())


def _positions(rows: Any, file: DataFile) -> NDArray[np.int64]:
    positions = np.asarray(rows.to_array()).astype(np.int64)
    if len(positions) and positions[-1] >= file.num_rows:
        raise PaimonKsyError(
            f"{file.path}: row {positions[-1]} is selected of a file of {file.num_rows} rows: the "
            "selection is of another file"
        )
    return positions


_Format = Callable[
    [Storage, DataFile, Sequence[Field], "NDArray[np.int64] | None", Effort, Any],
    Iterator[pa.RecordBatch],
]


def _batches(
    storage: Storage,
    file: DataFile,
    schema: TableSchema,
    wanted: Sequence[Field],
    positions: NDArray[np.int64] | None,
    effort: Effort,
    keep_dictionaries: bool,
    opened: Any,
) -> Iterator[pa.RecordBatch]:
    """The selected rows in the columns and Arrow types of the file's schema."""
    count = file.num_rows if positions is None else len(positions)
    if not wanted:
        yield pa.RecordBatch.from_arrays([pa.nulls(count)], ["_"])
        return
    read = _FORMATS.get(file.format)
    if read is None:
        known = ", ".join(_FORMATS)
        raise UnsupportedError(
            f"{file.path}: files of the format {file.format!r} are not read here, but {known}"
        )
    partition = dict(zip(schema.partition_keys, file.partition, strict=False))
    seen = 0
    try:
        for batch in read(storage, file, wanted, positions, effort, opened):
            seen += batch.num_rows
            if batch.num_rows:
                yield _as_in_schema(batch, wanted, partition, file, keep_dictionaries)
    except PaimonKsyError:
        raise
    except Exception as error:  # the readers of these formats raise all kinds
        reason = str(error).splitlines()[0].rstrip(".") if str(error) else type(error).__name__
        raise CorruptFileError(
            f"cannot be read as {file.format}: {reason}", path=file.path, remedy=RESTORE
        ) from error
    if seen != count:
        raise CorruptFileError(
            f"has {seen:,} of the {count:,} rows to read: the manifest tells of "
            f"{file.num_rows:,} rows, so it is another file, or cut short",
            path=file.path,
            remedy=RESTORE,
        )


def _as_in_schema(
    batch: pa.RecordBatch,
    wanted: Sequence[Field],
    partition: dict[str, Any],
    file: DataFile,
    keep_dictionaries: bool,
) -> pa.RecordBatch:
    arrays = []
    for field in wanted:
        at = batch.schema.get_field_index(field.name)
        if at >= 0:
            column = batch.column(at)
            keep = keep_dictionaries and isinstance(column, pa.DictionaryArray)
            keep = keep and column.type.value_type == to_arrow(field.type)
            arrays.append(column if keep else stored(column, field.type))
        elif field.name in partition:  # some writers leave them out
            arrays.append(constant(partition[field.name], field.type, batch.num_rows))
        else:
            raise _lacks(file, field.name)
    return pa.RecordBatch.from_arrays(arrays, [field.name for field in wanted])


def _lacks(file: DataFile, name: str) -> PaimonKsyError:
    if file.write_columns is not None and name not in file.write_columns:
        return UnsupportedError(
            f"{file.path}: has no column {name!r}, which is in another file of the same rows: "
            "read tables with data evolution through pypaimon"
        )
    message = f"has no column {name!r}, which its schema has"
    return CorruptFileError(message, path=file.path, remedy=RESTORE)


def constant(value: Any, kind: DataType, count: int) -> pa.Array:
    """So many rows of one internal value (see `literal`), in the Arrow type of its type."""
    arrow_type = to_arrow(kind)
    if kind.is_timestamp and value is not None:
        value //= {"s": 10**9, "ms": 10**6, "us": 10**3, "ns": 1}[arrow_type.unit]
    return pa.repeat(pa.scalar(value, arrow_type), count)


def stored(column: pa.Array, kind: DataType) -> pa.Array:
    """A column as a file has it, in the Arrow type of its type."""
    arrow_type = to_arrow(kind)
    if column.type == arrow_type:
        return column
    if kind.root == "TIME" and pa.types.is_integer(column.type):  # ORC has no time of day
        return column.cast(pa.int32()).view(arrow_type)
    if kind.root == "MAP" and pa.types.is_list(
        column.type
    ):  # Avro's maps have strings as keys only
        entries = column.values
        keys, values = (
            stored(pc.struct_field(entries, [at]), part.type) for at, part in enumerate(kind.fields)
        )
        nulls = column.is_null() if column.null_count else None
        offsets = pa.array(column.offsets.to_numpy())
        return pa.MapArray.from_arrays(offsets, keys, values, type=arrow_type, mask=nulls)
    if kind.is_timestamp and pa.types.is_timestamp(column.type):
        return _timestamps(column, arrow_type)
    if kind.root == "DECIMAL" and pa.types.is_fixed_size_binary(column.type):
        return from_parquet(column, arrow_type)
    return column.cast(arrow_type)


def _timestamps(column: pa.Array, arrow_type: pa.DataType) -> pa.Array:
    """In the unit of the type. With and without zone the number is the same: files of ORC and Avro
    do not always say which it is."""
    units = {"s": 10**9, "ms": 10**6, "us": 10**3, "ns": 1}
    own, wanted = units[column.type.unit], units[arrow_type.unit]
    ticks = column.view(pa.int64())
    if own > wanted:
        return pc.multiply_checked(ticks, pa.scalar(own // wanted, pa.int64())).view(arrow_type)
    if own < wanted:
        values = pc.fill_null(ticks, 0).to_numpy(zero_copy_only=False) // (wanted // own)
        nulls = ticks.is_null().to_numpy(zero_copy_only=False) if ticks.null_count else None
        ticks = pa.array(values, pa.int64(), mask=nulls)
    return ticks.view(arrow_type)


class _Picker:
    """Picks the selected rows out of the batches of a file, which come in order."""

    def __init__(self, positions: NDArray[np.int64] | None) -> None:
        self.positions = positions
        self.at = 0  # the row at which the next batch starts
        self._next = 0  # the first position that is not behind

    @property
    def is_done(self) -> bool:
        return self.positions is not None and self._next >= len(self.positions)

    def hits(self, count: int) -> bool:
        """Whether one of the next `count` rows is selected."""
        if self.positions is None:
            return count > 0
        return not self.is_done and bool(self.positions[self._next] < self.at + count)

    def skip(self, count: int) -> None:
        """Go over rows of which none is selected."""
        self.at += count

    def pick(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        start, self.at = self.at, self.at + batch.num_rows
        if self.positions is None:
            return batch
        end = self._next + int(np.searchsorted(self.positions[self._next :], self.at))
        picked, self._next = self.positions[self._next : end] - start, end
        if len(picked) == batch.num_rows:
            return batch
        if not len(picked) or picked[-1] - picked[0] == len(picked) - 1:  # next to each other
            return batch.slice(int(picked[0]) if len(picked) else 0, len(picked))
        return batch.take(pa.array(picked))


# Formats ----------------------------------------------------------------------------------------


class _Parquet:
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
            self.opened = closing.enter_context(_Opened(storage, file, native=True))
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

    def __enter__(self) -> _Parquet:
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
                yield _rows_only(group.num_rows if inside is None else len(inside))
                continue
            batch = None if inside is None else _in_parts(self, at, inside)
            if batch is not None:
                yield batch
            else:
                yield from _streamed(self.opened, self.file, at, names, inside)


def _parquet(
    storage: Storage,
    file: DataFile,
    wanted: Sequence[Field],
    positions: NDArray[np.int64] | None,
    effort: Effort,
    opened: Any,
) -> Iterator[pa.RecordBatch]:
    with opened or _Parquet(storage, file, wanted, positions) as parquet:
        yield from parquet.batches(effort)


def _streamed(
    opened: _Opened,
    parquet: Any,
    group: int,
    names: Sequence[str],
    positions: NDArray[np.int64] | None,
) -> Iterator[pa.RecordBatch]:
    """The selected rows of a row group, of which nothing after the last one is decoded."""
    metadata = parquet.metadata.row_group(group)
    opened.count_columns(metadata, names)
    picker = _Picker(positions)
    size = _batch_rows(metadata)
    if positions is not None:  # batches of one size, the last of which ends with the last row
        last = int(positions[-1]) + 1
        size = -(-last // -(-last // size))
    threads = len(names) > 1 and metadata.total_byte_size > _WORTH_THREADS
    for batch in parquet.iter_batches(size, [group], names, use_threads=threads):
        yield picker.pick(batch)
        if picker.is_done:
            break


_FEW_ROWS = 4
"""Of so many rows one is selected, at most: most values are decoded in vain."""


def _is_text(arrow_type: pa.DataType) -> bool:
    return bool(pa.types.is_string(arrow_type) or pa.types.is_binary(arrow_type))


_NARROW_BYTES = 2.5


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


def _in_parts(parquet: _Parquet, group: int, positions: NDArray[np.int64]) -> pa.RecordBatch | None:
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
        picker = _Picker(at)
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


_LEAST_PART, _MOST_PART = 4 << 20, 16 << 20  # bytes of a column
_PICKED = 64 << 20  # bytes of selected rows, about


def _joined(arrays: Sequence[pa.Array]) -> pa.Array:
    plain = [a.dictionary_decode() if isinstance(a, pa.DictionaryArray) else a for a in arrays]
    return plain[0] if len(plain) == 1 else pa.concat_arrays(plain)


_WORTH_PAGES = 256 << 10  # bytes of a row group; it takes a while to find the pages
_WORTH_LOCAL_PAGES = 1 << 20  # bytes of a column where reading them takes no longer than that
_WORTH_THREADS = 8 << 20  # bytes of a row group
_PAGE_ROWS = 1 << 13  # about as many as a page has, at least


def _are_few_pages(positions: NDArray[np.int64], group: Any) -> bool:
    """Whether most pages can be left out."""
    pages = positions // _PAGE_ROWS  # ascending
    held = 1 + int(np.count_nonzero(pages[1:] != pages[:-1]))
    few: bool = held * _PAGE_ROWS <= group.num_rows // 4
    return few


def _rows_only(count: int) -> pa.RecordBatch:
    return pa.RecordBatch.from_arrays([pa.nulls(count)], ["_"])


def _batch_rows(group: Any) -> int:
    """How many rows of a row group to decode at once."""
    fitting: int = _BATCH_BYTES * group.num_rows // max(group.total_byte_size, 1)
    return max(1024, min(BATCH_ROWS, fitting))


def _orc(
    storage: Storage,
    file: DataFile,
    wanted: Sequence[Field],
    positions: NDArray[np.int64] | None,
    effort: Effort,
    _: Any,
) -> Iterator[pa.RecordBatch]:
    import pyarrow.orc as orc

    with _Opened(storage, file, effort=effort) as opened:
        footers = OrcFooters(opened.source)
        reader = orc.ORCFile(opened.file)
        own = reader.schema
        fitting = {
            f.name: fitting_type(own.field(f.name).type, to_arrow(f.type))
            for f in wanted
            if f.name in own.names
        }
        names, kinds = list(fitting), {f.name: f.type for f in wanted}
        picker = _Picker(positions)
        if not names:
            yield _rows_only(reader.nrows if positions is None else len(positions))
            return
        narrow = min(names, key=lambda name: _width(own.field(name).type))
        for stripe in range(reader.nstripes):
            if picker.is_done:
                effort.groups_skipped += reader.nstripes - stripe
                break
            footers.check_stripe(stripe)
            if positions is not None and reader.nstripes > 1:
                count = reader.read_stripe(stripe, columns=[narrow]).num_rows
                if not picker.hits(count):
                    picker.skip(count)
                    effort.groups_skipped += 1
                    continue
            effort.groups_read += 1
            batch = reader.read_stripe(stripe, columns=names)
            arrays = [
                unpadded(fit(batch.column(name), fitting[name]), kinds[name]) for name in names
            ]
            yield picker.pick(pa.RecordBatch.from_arrays(arrays, names))


def _width(arrow_type: pa.DataType) -> int:
    """Bits of a value; many where values have no fixed width."""
    try:
        return int(arrow_type.bit_width)
    except ValueError:
        return 1 << 20


def _avro(
    storage: Storage,
    file: DataFile,
    wanted: Sequence[Field],
    positions: NDArray[np.int64] | None,
    effort: Effort,
    _: Any,
) -> Iterator[pa.RecordBatch]:
    from paimon_ksy import avro

    with _Opened(storage, file, effort=effort) as opened:
        picker = _Picker(positions)
        for count, read in avro.read_blocks(opened.file, [field.name for field in wanted]):
            if picker.is_done:
                break
            if picker.hits(count):
                effort.groups_read += 1
                yield picker.pick(read())
            else:
                effort.groups_skipped += 1
                picker.skip(count)


_FORMATS: dict[str, _Format] = {"parquet": _parquet, "orc": _orc, "avro": _avro}


class _Opened:
    """A data file, open; `effort`, if it is set by then, is told of the bytes when it is closed.

    With `native` it is Arrow's own file where there is one, which is read by several threads; then
    bytes are counted by what is asked for.
    """

    def __init__(
        self,
        storage: Storage,
        file: DataFile,
        *,
        native: bool = False,
        effort: Effort | None = None,
    ) -> None:
        self.effort = effort
        self._counted = 0
        self._lock = Lock()
        self._storage, self._path = storage, file.path
        self.is_local = storage.is_local
        self._pages: Source | None = None
        opened = storage.open_native(file.path) if native else None
        self.is_native = opened is not None
        self._source = None if opened is not None else storage.open(file.path)
        # Else the file object below the Kaitai stream.
        self.file: Any = opened if self._source is None else self._source.stream._io

    def __enter__(self) -> _Opened:
        return self

    def __exit__(self, *exc: object) -> None:
        read = self._counted
        if self._source is None:
            self.file.close()
        else:
            for source in (self._source, self._pages):
                if source is not None:
                    read += source.bytes_read
                    source.close()
        if self.effort is not None:
            self.effort.files.add(self._path)
            self.effort.bytes_read += read

    @property
    def source(self) -> Source:
        """The file, if it is not Arrow's own."""
        assert self._source is not None
        return self._source

    def count_tail(self, metadata: Any) -> None:
        """Count the bytes that were read for the metadata of Parquet."""
        self._counted += tail_bytes(metadata, self.file.size() if self.is_native else 0)

    def count_columns(self, group: Any, names: Sequence[str]) -> None:
        """Count the bytes of columns of a row group of Parquet."""
        if self.is_native:
            with self._lock:
                self._counted += column_bytes(group, names)

    def read_at(self, length: int, offset: int) -> bytes:
        """As Arrow's files have it."""
        if self._source is not None:
            with self._lock:
                # Another one than Arrow seeks in, in its own threads.
                self._pages = self._pages or self._storage.open(self._path)
                return self._pages.read(offset, length)
        with self._lock:
            self._counted += length
        data: bytes = self.file.read_at(length, offset)
        return data
