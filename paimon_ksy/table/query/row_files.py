"""Data files that hold columns of the same rows, read as one file.

With data evolution, an update of some columns writes a new file with only these columns, of the
same row ids. Columns of BLOBs are in files of their own, which may hold fewer rows. A value comes
from the newest file that has it, by sequence numbers. Most files stand alone.

Sources: `DataEvolutionSplitRead`, `DataEvolutionUtils` (paimon-core); `split_read` (pypaimon).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from operator import itemgetter
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from paimon_ksy.data_files.data_file import ReadStats
from paimon_ksy.errors import UnsupportedError
from paimon_ksy.evaluation.selection import bitmap
from paimon_ksy.predicates.bind import bind
from paimon_ksy.predicates.tree import Always, Computed, IsNull, Leaf, Predicate, Unsure, replaced
from paimon_ksy.table.formats import ReadRequest, read
from paimon_ksy.table.io.storage import Storage
from paimon_ksy.table.model.evolve import file_column, to_file_schema
from paimon_ksy.table.model.files import ROW_ID, SEQUENCE_NUMBER, DataFile, TableSchema
from paimon_ksy.table.store.options import INLINE_BLOBS, check_references, column_names, is_on
from paimon_ksy.types.arrays import Numbers, to_arrow_array
from paimon_ksy.types.arrow import to_arrow

_BATCH_ROWS = 1 << 16  # for batches that no file limits


def is_dedicated(file: DataFile) -> bool:
    """Return whether a file holds only a column of BLOBs or vectors, maybe for fewer rows."""
    return file.format in ("blob", "video") or ".vector." in file.name


@dataclass(frozen=True, slots=True)
class Part:
    """A data file that holds columns of some rows.

    Attributes:
        file: The data file.
        schema: The schema that it was written with.
        predicate: The predicate in terms of the file, and bound to `schema`. Conditions on columns
            of other files are unsure.
    """

    file: DataFile
    schema: TableSchema
    predicate: Predicate | None = None

    def has(self, schema: TableSchema, name: str) -> bool:
        """Return whether the file was written with a column of this schema."""
        stored = file_column(schema, self.schema, name)
        if stored is None:
            return False
        if self.file.write_columns is not None:
            return stored.name in self.file.write_columns
        return stored.name not in _dedicated_columns(self.schema)


def _dedicated_columns(schema: TableSchema) -> set[str]:
    """Return the columns that files of a schema lack if their entries do not list columns."""
    options = schema.options
    if not is_on(options, "data-evolution.write-cols-optimization.enabled"):
        return set()
    inline = column_names(options, *INLINE_BLOBS)
    vectors = {"VECTOR"} if options.get("vector.file.format") else set()
    dedicated = set()
    for field in schema.columns:
        kinds = {field.type.root, *(part.type.root for part in field.type.fields)}
        if ("BLOB" in kinds and field.name not in inline) or field.type.root in vectors:
            dedicated.add(field.name)
    return dedicated


class Span(NamedTuple):
    """Rows `start` to `stop` of a column, and the file of their values; None if all are null."""

    start: int
    stop: int
    part: Part | None


@dataclass(frozen=True, slots=True)
class RowFiles:
    """The data files that hold columns of the same rows.

    A row has a position, from 0. Deletion vectors and indexes count in positions.

    Attributes:
        parts: The files. The first one, the oldest, has all rows; deletion vectors are for it.
    """

    parts: tuple[Part, ...]

    @property
    def num_rows(self) -> int:
        """The number of rows, including deleted ones."""
        return self.parts[0].file.num_rows

    @property
    def is_plain(self) -> bool:
        """Whether the one file has all columns of its schema."""
        return len(self.parts) == 1 and self.parts[0].file.write_columns is None

    def sources(self, schema: TableSchema, name: str) -> list[Part]:
        """Return the files with values of a column, the newest first."""
        first, *others = self.parts
        if name in schema.partition_keys or (not others and name in (ROW_ID, SEQUENCE_NUMBER)):
            return [first]
        if name in (ROW_ID, SEQUENCE_NUMBER):
            sources = [part for part in self.parts if not is_dedicated(part.file)]
        else:
            sources = [part for part in self.parts if part.has(schema, name)]
        return sorted(sources, key=lambda part: -part.file.max_sequence_number)

    def source(self, schema: TableSchema, name: str) -> Part | None:
        """Return the file that has all values of a column; None if there is no such file."""
        if len(self.parts) == 1 and self.num_rows:
            return next(iter(self.sources(schema, name)), None)
        spans = self.spans(schema, name)
        return spans[0].part if len(spans) == 1 else None

    def spans(self, schema: TableSchema, name: str) -> tuple[Span, ...]:
        """Return where the values of a column are, for consecutive rows."""
        spans: list[Span] = []
        gaps = [(0, self.num_rows)]
        for part in self.sources(schema, name):
            low = self._offset(part)
            left = []
            for start, stop in gaps:
                first, last = max(start, low), min(stop, low + part.file.num_rows)
                if first >= last:
                    left.append((start, stop))
                    continue
                spans.append(Span(first, last, part))
                left += [gap for gap in ((start, first), (last, stop)) if gap[0] < gap[1]]
            gaps = left
        return tuple(sorted([*spans, *(Span(*gap, None) for gap in gaps)], key=itemgetter(0)))

    def _offset(self, part: Part) -> int:
        """Return the position of the first row of a file."""
        first, own = self.parts[0].file.first_row_id, part.file.first_row_id
        return 0 if first is None or own is None else own - first

    def reads(
        self, schema: TableSchema, names: Iterable[str]
    ) -> Iterator[tuple[Part, list[str], int]]:
        """Yield the files that columns are read from, those columns, and each one's first position.

        At least one file is yielded, so that its rows count.
        """
        by_part: dict[int, list[str]] = {}
        for name in names:
            for number in {id(span.part) for span in self.spans(schema, name)}:
                by_part.setdefault(number, []).append(name)
        read = [part for part in self.parts if id(part) in by_part] or self.parts[:1]
        for part in read:
            yield part, by_part.get(id(part), []), self._offset(part)

    def covers(self, part: Part) -> bool:
        """Return whether a file has all rows, so that its positions are those of the rows."""
        return part.file.num_rows == self.num_rows and not self._offset(part)

    def of_part(self, predicate: Predicate, schema: TableSchema, part: Part) -> Predicate:
        """Return a predicate in terms of a file, in which conditions on others are unsure."""
        if not self.is_plain:

            def of_source(leaf: Leaf) -> Predicate:
                if isinstance(leaf, Unsure) or isinstance(leaf.column, Computed):
                    return Unsure(leaf.column)
                name = schema.columns.split(leaf.column)[0].name
                spans = self.spans(schema, name)
                if all(span.part is None for span in spans):
                    return Always(isinstance(leaf, IsNull))
                is_here = len(spans) == 1 and spans[0].part is part
                return leaf if is_here else Unsure(leaf.column)

            predicate = bind(replaced(predicate, of_source), schema.columns)
        return to_file_schema(predicate, schema, part.schema)

    def without_statistics(self) -> RowFiles:
        """Return the files without their statistics, which only planning needs."""
        parts = (replace(part, file=part.file.without_statistics()) for part in self.parts)
        return RowFiles(tuple(parts))

    # Reading ------------------------------------------------------------------------------------

    def read(
        self,
        storage: Storage,
        schema: TableSchema,
        names: Sequence[str],
        rows: Any = None,
        stats: ReadStats | None = None,
        *,
        keep_dictionaries: bool = False,
    ) -> Iterator[pa.RecordBatch]:
        """Yield selected rows in order, with columns of a schema.

        Args:
            storage: The storage of the files.
            schema: The schema to read in.
            names: The columns; without any, one batch counts rows.
            rows: A bitmap of positions; None for all rows.
            stats: Counts reads as they happen.
            keep_dictionaries: Whether to return texts as dictionaries if files store them so.
        """
        if not names:
            count = self.num_rows if rows is None else len(rows)
            yield pa.RecordBatch.from_arrays([pa.nulls(count)], ["_"])
            return
        check_references(schema.options, names)
        first = self.parts[0]
        request = ReadRequest(
            *(storage, first.file, first.schema, schema, names, rows),
            keep_dictionaries=keep_dictionaries,
        )
        streams = [*self._streams(request, stats or ReadStats())]
        order = [name for columns, _ in streams for name in columns]
        at = [order.index(name) for name in names]
        for batches in _zipped([stream for _, stream in streams]):
            if len(batches) == 1:
                yield batches[0]
                continue
            arrays = [column for batch in batches for column in batch.columns]
            yield pa.RecordBatch.from_arrays([arrays[number] for number in at], list(names))

    def _streams(
        self, request: ReadRequest, stats: ReadStats
    ) -> Iterator[tuple[list[str], Iterator[pa.RecordBatch]]]:
        """Yield columns with the rows of these: row ids, BLOBs, and columns with the same spans."""
        positions, first = None, self.parts[0].file.first_row_id
        if request.rows is not None:
            positions = np.asarray(request.rows.to_array()).astype(np.int64)
        groups: dict[tuple[tuple[int, int, int], ...], tuple[tuple[Span, ...], list[str]]] = {}
        for name in request.columns:
            spans = self.spans(request.schema, name)
            if name == ROW_ID and first is not None:
                yield [name], self._row_ids(first, positions)
            elif any(span.part is not None and span.part.file.format == "blob" for span in spans):
                yield [name], self._blobs(name, request, positions, stats)
            else:
                key = tuple((span.start, span.stop, id(span.part)) for span in spans)
                groups.setdefault(key, (spans, []))[1].append(name)
        for spans, own in groups.values():
            columns = replace(request, columns=own)
            yield own, self._spanned(spans, columns, positions, stats)

    def _blobs(
        self, name: str, request: ReadRequest, positions: Numbers | None, stats: ReadStats
    ) -> Iterator[pa.RecordBatch]:
        from paimon_ksy.table.query.blobs import blob_values

        schema = request.schema
        return blob_values(
            request.storage,
            schema.columns.column(name),
            [(part.file, self._offset(part)) for part in self.sources(schema, name)],
            np.arange(self.num_rows) if positions is None else positions,
            stats,
            as_descriptors=is_on(schema.options, "blob-as-descriptor"),
        )

    def _spanned(
        self,
        spans: Sequence[Span],
        request: ReadRequest,
        positions: Numbers | None,
        stats: ReadStats,
    ) -> Iterator[pa.RecordBatch]:
        """Yield the selected rows of columns that have the same spans."""
        for start, stop, part in spans:
            wanted = np.arange(start, stop)
            if positions is not None:
                wanted = positions[slice(*np.searchsorted(positions, [start, stop]))]
            if part is None:
                yield from _nulls(request.schema, request.columns, len(wanted))
                continue
            rows, offset, total = request.rows, self._offset(part), part.file.num_rows
            is_whole = positions is None and (start, stop) == (offset, offset + total)
            if not is_whole and (offset or len(spans) > 1):
                rows = bitmap(total, wanted - offset)
            of_part = replace(request, file=part.file, file_schema=part.schema, rows=rows)
            for batch in read(of_part, stats):
                yield _tracked(batch, part.file)

    def _row_ids(self, first: int, positions: Numbers | None) -> Iterator[pa.RecordBatch]:
        count = self.num_rows if positions is None else len(positions)
        for start in range(0, count, _BATCH_ROWS):
            stop = min(start + _BATCH_ROWS, count)
            at = np.arange(start, stop) if positions is None else positions[start:stop]
            yield pa.RecordBatch.from_arrays([to_arrow_array(first + at, pa.int64())], [ROW_ID])


def _tracked(batch: pa.RecordBatch, file: DataFile) -> pa.RecordBatch:
    """Return rows with sequence numbers: those of the file where it stores none."""
    number = batch.schema.get_field_index(SEQUENCE_NUMBER)
    if number < 0:
        return batch
    filled = pc.fill_null(batch.column(number), file.max_sequence_number)
    return batch.set_column(number, batch.schema.field(number), filled)


def _nulls(schema: TableSchema, names: Sequence[str], count: int) -> Iterator[pa.RecordBatch]:
    types = [to_arrow(schema.columns[name]) for name in names]
    for start in range(0, count, _BATCH_ROWS):
        rows = min(_BATCH_ROWS, count - start)
        yield pa.RecordBatch.from_arrays([pa.nulls(rows, kind) for kind in types], list(names))


def _zipped(streams: Sequence[Iterator[pa.RecordBatch]]) -> Iterator[list[pa.RecordBatch]]:
    """Yield the same rows of each stream, whose batches end at different rows."""
    heads = [next(_filled(stream), None) for stream in streams]
    while all(head is not None for head in heads):
        there = [head for head in heads if head is not None]
        count = min(head.num_rows for head in there)
        yield [head.slice(0, count) for head in there]
        heads = [
            head.slice(count) if head.num_rows > count else next(_filled(stream), None)
            for head, stream in zip(there, streams, strict=True)
        ]


def _filled(stream: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    return (batch for batch in stream if batch.num_rows)


def row_groups(files: Iterable[DataFile]) -> Iterator[tuple[DataFile, ...]]:
    """Yield files in groups of the same rows: the first file has all of them.

    Raises:
        UnsupportedError: No file has all rows.
    """
    group: list[DataFile] = []
    stop = 0
    for file in sorted(files, key=lambda file: -1 if (f := file.first_row_id) is None else f):
        first = file.first_row_id
        if group and (first is None or first >= stop):
            yield _with_anchor(group, stop)
            group = []
        group.append(file)
        stop = max(stop, 0 if first is None else first + file.num_rows)
    if group:
        yield _with_anchor(group, stop)


def _with_anchor(group: Sequence[DataFile], stop: int) -> tuple[DataFile, ...]:
    """Return the files of the same rows, beginning with the oldest one that has all columns.

    Deletion vectors belong to it (`DataEvolutionUtils.retrieveAnchorFile`).
    """
    normal = [file for file in group if not is_dedicated(file)]
    anchor = min(normal or group, key=lambda file: (file.max_sequence_number, file.name))
    first = group[0].first_row_id
    if first is not None and (anchor.first_row_id, anchor.num_rows) != (first, stop - first):
        raise UnsupportedError(
            f"it does not have all of the rows {first:,} to {stop - 1:,}, whose columns are in "
            f"{len(group)} files with different row ids: query the table with Java",
            path=anchor.path,
        )
    return anchor, *(file for file in group if file is not anchor)
