"""Tasks for rows that need no merge: what the indexes of their files keep, and what matches.

An index selects rows, exactly or as a superset. For a superset, the columns that the predicate
tests are read first, and the other columns only for rows that match.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa
from pyroaring import BitMap, BitMap64

from paimon_ksy.data_files.data_file import ReadStats
from paimon_ksy.data_files.orc.shifted import have_shifted, is_shifted
from paimon_ksy.errors import (
    Call,
    CorruptFileError,
    MissingFileError,
    PaimonKsyError,
    Remedy,
    counted,
    naming,
)
from paimon_ksy.evaluation.selection import Selection, bitmap, narrow
from paimon_ksy.evaluation.top_n import TopN, first_rows, live_rows
from paimon_ksy.file_index.container import FileIndex
from paimon_ksy.predicates.row_filter import mask
from paimon_ksy.predicates.statistics import Bounds
from paimon_ksy.predicates.tree import Always, And, Comparison, Predicate, is_unsure, leaves
from paimon_ksy.table.formats import constant
from paimon_ksy.table.io.storage import Storage
from paimon_ksy.table.model.columns import arrow_schema, cast_to
from paimon_ksy.table.model.evolve import same_column
from paimon_ksy.table.model.files import DataFile
from paimon_ksy.table.query.row_files import Part, RowFiles
from paimon_ksy.table.query.sort import Best
from paimon_ksy.table.query.tasks import Task
from paimon_ksy.table.store.options import is_on
from paimon_ksy.table_index.deletion_vector import DeletionVector
from paimon_ksy.table_index.deletion_vector_file import read_vector
from paimon_ksy.types.arrays import to_arrow_array, to_numpy
from paimon_ksy.types.arrow import arrow_values
from paimon_ksy.types.timestamps import alike

ROW = "_paimon_ksy_row"
"""The name of the column of row positions, next to the columns that order."""

_STORED_IN_ONE_WAY = ("VARCHAR", "BOOLEAN", "TINYINT", "SMALLINT", "INT", "BIGINT", "DATE")
"""Types whose equal values are stored in only one way."""

_BATCH_ROWS = 1 << 16  # for batches without columns, to which known values are added

_KEPT_BYTES = 64 << 20
"""Maximum bytes of tested columns to keep until the others are read; larger ones are read twice."""


@dataclass(frozen=True)
class FileTask(Task):
    """A query of rows that need no merge: those of a data file, or of several with their columns.

    Attributes:
        storage: The storage of the files.
        data: The data files.
        candidates: The rows that global indexes and row ids select; None for all.
        selection: The rows that the indexes selected, if known already.
    """

    storage: Storage
    data: RowFiles
    candidates: Selection | None = None
    selection: Selection | None = None

    @property
    def file(self) -> DataFile:
        """The data file, or the first one, to which the deletion vector belongs."""
        return self.data.parts[0].file

    @property
    def files(self) -> tuple[DataFile, ...]:
        """The data files."""
        return tuple(part.file for part in self.data.parts)

    @property
    def num_rows(self) -> int:
        """The number of rows, including deleted ones."""
        return self.data.num_rows

    @property
    def known_count(self) -> int | None:
        """See `Task.known_count`."""
        if self.selection is not None:
            return self.selection.count if self.selection.exact else None
        vector, total = self.file.deletion_vector, self.file.num_rows
        if self.candidates is not None:
            is_known = self.candidates.exact and vector is None
            return self.candidates.count if is_known else None
        if any(part.predicate not in (None, Always(True)) for part in self.data.parts):
            return None
        deleted = 0 if vector is None else vector.cardinality
        if deleted is None or deleted > total or (vector is not None and self.storage.is_local):
            return None  # reading the vector of a local file checks the number, for 0.1 ms
        return total - deleted

    @cached_property
    def known_values(self) -> dict[str, Any]:
        """The columns for which the predicate requires one value, with the internal values.

        Rows that are known to match need no read of these columns. Types whose equal values can
        be stored in several ways are left out, such as floats (two zeros) and CHARs (padding).
        """
        if self.predicate is None:
            return {}
        parts = self.predicate.children if isinstance(self.predicate, And) else (self.predicate,)
        return {
            part.column: part.value
            for part in parts
            if isinstance(part, Comparison)
            and isinstance(part.column, str)
            and part.op == "="
            and part.type is not None
            and part.type.root in _STORED_IN_ONE_WAY
            and part.column in self.schema.ids  # excludes keys of maps
            and self.stored_as(part.column) is not None
        }

    def stored_as(self, column: str) -> tuple[Part, str] | None:
        """Return the file that has all values of a column, in its type, and its name there.

        None if there is no such file.
        """
        if (part := self.data.source(self.schema, column)) is None:
            return None
        name = same_column(self.schema, part.schema, column)
        return None if name is None else (part, name)

    def select(self, stats: ReadStats) -> Selection:
        """Return the rows that may match, according to the index and the deletion vector.

        The vector is not read if the index skips the file.
        """
        if self.selection is not None:
            return self.selection
        with self._indexes(stats) as indexes:
            return indexes.select()

    def pruned(self, stats: ReadStats) -> FileTask | None:
        """See `Task.pruned`."""
        selection = self.select(stats)
        return None if selection.kind == "skip" else replace(self, selection=selection)

    def read(self, stats: ReadStats) -> Generator[pa.RecordBatch]:
        """See `Task.read`."""
        selection = self.select(stats)
        if selection.kind == "skip":
            return
        if self.top is not None and not (
            selection.exact and selection.count is not None and selection.count <= self.top.k
        ):
            first = self._first_values(selection, self.top, stats)
            selection = self._rows_at(to_numpy(first[ROW]))
        if selection.exact or set(self.read_columns) <= set(self.tested_columns):
            batches = self._batches(selection, self.read_columns, stats)
        else:
            batches = self._tested_first(selection, stats)
        schema = self.arrow_schema
        for _, batch in batches:
            yield cast_to(batch, schema, self.file.path)

    def count(self, stats: ReadStats) -> int:
        """See `Task.count`."""
        selection = self.select(stats)
        if selection.exact and selection.count is not None:
            return selection.count
        return sum(len(rows) for rows, _ in self._batches(selection, (), stats))

    def deleted(self, stats: ReadStats) -> DeletionVector:
        """Return the deleted rows. Raises PaimonKsyError if they are not those of the file."""
        with self._indexes(stats) as indexes:
            vector = indexes.vector() or DeletionVector()
        vector.check_rows(self.num_rows)
        return vector

    def matching(self, stats: ReadStats) -> tuple[BitMap | BitMap64, DeletionVector | None]:
        """Return the live rows that match, and the deletion vector if there may be some.

        All rows are tested on the data, even if an index is exact.

        Raises:
            CorruptFileError: An exact index selects rows that do not match.
            PaimonKsyError: A file cannot be read.
        """
        with self._indexes(stats) as indexes:
            selection = indexes.select()
            vector = None if selection.kind == "skip" else indexes.vector()
        num_rows = self.file.num_rows
        rows = bitmap(num_rows)
        for at, _ in self._batches(replace(selection, exact=False), (), stats):
            rows |= bitmap(num_rows, at)
        if selection.exact and len(rows) != selection.count:
            if self.candidates is not None:
                raise CorruptFileError(
                    f"global indexes select {counted(selection.count or 0, 'row')} of it, but only "
                    f"{len(rows)} of them match",
                    path=self.file.path,
                    remedy=Remedy(
                        "to see which index is wrong, run ", Call("table audit", "--deep")
                    ),
                )
            index = self.file.index
            raise CorruptFileError(
                f"it selects {counted(selection.count or 0, 'row')}, but only {len(rows)} of them "
                "match: it is the index of other data",
                path=index if isinstance(index, str) else f"{self.file.path} (its index)",
                remedy=Remedy("to rebuild it, run ", Call("table rewrite-index", "--rebuild")),
            )
        return rows, vector

    def order_values(self, stats: ReadStats) -> pa.Table:
        """Return the columns that order, and the positions ROW, of rows that can be the first.

        The file is not read if the index contains the values of rows that are known to match.
        """
        assert self.top is not None
        with self._indexes(stats) as indexes:
            selection = indexes.select() if self.selection is None else self.selection
            values = indexes.values(selection, self.top)
        return self._first_values(selection, self.top, stats) if values is None else values

    def bounds(self, stats: ReadStats) -> Bounds | None:
        """Return the bounds of the column that orders, from its index; None if it lacks them."""
        with self._indexes(stats) as indexes:
            return indexes.bounds()

    def at_rows(self, positions: Any) -> FileTask:
        """Return the task that reads the rows at these positions, an array of integers."""
        selection = self._rows_at(positions)
        return replace(self, columns=self.read_columns, top=None, limit=None, selection=selection)

    @contextmanager
    def _indexes(self, stats: ReadStats) -> Iterator[Indexes]:
        """Open the indexes and the vector; errors in them name the data file."""
        try:
            with Indexes(self) as indexes:
                yield indexes
                stats.bytes_read += indexes.bytes_read
        except CorruptFileError:
            raise
        except PaimonKsyError as error:
            if self.file.name in str(error):
                raise
            raise PaimonKsyError(str(error), path=self.file.path) from error

    # The rows that match ----------------------------------------------------------------------

    def needed_columns(self, columns: Sequence[str], selection: Selection) -> tuple[str, ...]:
        """Return the columns to read from the file in order to return these columns."""
        if selection.exact:
            return tuple(name for name in columns if name not in self.known_values)
        return tuple(dict.fromkeys((*columns, *self.tested_columns)))

    def _batches(
        self, selection: Selection, columns: Sequence[str], stats: ReadStats
    ) -> Iterator[tuple[Any, pa.RecordBatch]]:
        """Yield the positions of the rows that match, and the rows in at least these columns."""
        if selection.kind == "skip":
            return
        test = None if selection.exact else self.predicate
        names = self.needed_columns(columns, selection)
        selected = None
        if selection.matching is not None:
            selected = np.asarray(selection.matching.to_array()).astype(np.int64)
        stop = 0
        batches = self.data.read(
            *(self.storage, self.schema, names, selection.matching, stats),
            keep_dictionaries=test is not None and selection.matching is None,
        )
        for batch in batches if names else _in_parts(batches):
            start, stop = stop, stop + batch.num_rows
            at = np.arange(start, stop) if selected is None else selected[start:stop]
            if test is not None:
                keep = mask(test, batch)
                batch = batch.filter(keep)
                at = at[to_numpy(keep)]
            elif len(names) < len(columns):
                batch = self._with_known_values(batch, columns)
            if len(at):
                yield at, batch

    def _first_values(self, selection: Selection, top: TopN, stats: ReadStats) -> pa.Table:
        """Return the columns that order, and ROW, of the first rows among those selected.

        This reads only these columns, and those that the predicate tests.
        """
        columns = arrow_schema(self.schema.columns, top.columns)
        schema = columns.append(pa.field(ROW, pa.int64()))
        best = Best(top, schema, self.schema.columns)
        for at, batch in self._batches(selection, top.columns, stats):
            values = cast_to(batch, columns, self.file.path).columns
            best.add(
                pa.RecordBatch.from_arrays([*values, to_arrow_array(at, pa.int64())], schema=schema)
            )
        return best.rows()

    def _rows_at(self, positions: Any) -> Selection:
        """Select the rows at these positions, an array of integers in any order."""
        num_rows = self.file.num_rows
        return Selection.of(bitmap(num_rows, np.sort(positions)), num_rows, True)

    def _tested_first(
        self, selection: Selection, stats: ReadStats
    ) -> Iterator[tuple[Any, pa.RecordBatch]]:
        """Read the columns that the predicate tests, then the other columns of rows that match."""
        num_rows = self.file.num_rows
        rows, tested, size = bitmap(num_rows), [], 0
        for at, batch in self._batches(selection, (), stats):
            rows |= bitmap(num_rows, at)
            tested.append(batch)
            size += batch.nbytes
            if size > _KEPT_BYTES:
                tested = []
            if self.limit is not None and len(rows) >= self.limit:
                break
        if not rows:
            return
        again = size > _KEPT_BYTES
        names = [n for n in self.read_columns if again or n not in self.tested_columns]
        kept = None if again else pa.Table.from_batches(alike(tested)).combine_chunks()
        offset = 0
        for at, batch in self._batches(Selection.of(rows, num_rows, True), names, stats):
            if kept is not None:
                for name in set(self.read_columns) - set(names):
                    [column] = kept[name].slice(offset, batch.num_rows).chunks
                    batch = batch.append_column(name, column)
            offset += batch.num_rows
            yield at, batch

    def _with_known_values(self, batch: pa.RecordBatch, columns: Sequence[str]) -> pa.RecordBatch:
        """Return these columns of matching rows: read ones, and those with known values."""
        kinds, count, known = self.schema.columns, batch.num_rows, self.known_values
        arrays = [
            constant(known[name], kinds[name], count) if name in known else batch.column(name)
            for name in columns
        ]
        return pa.RecordBatch.from_arrays(arrays, list(columns))


def _in_parts(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Split batches without columns, of any length, so that they fit in memory with columns."""
    for batch in batches:
        for start in range(0, batch.num_rows, _BATCH_ROWS):
            yield batch.slice(start, _BATCH_ROWS)


class Indexes(ExitStack):
    """The indexes and the deletion vector of the files of a task, opened on first use."""

    def __init__(self, task: FileTask) -> None:
        super().__init__()
        self.task = task
        self._reads = is_on(task.schema.options, "file-index.read.enabled", default=True)
        self._vector_bytes = 0
        self._vector: DeletionVector | None = None
        self._opened: dict[str, FileIndex] = {}  # by the path of the data file

    @property
    def bytes_read(self) -> int:
        """Bytes of indexes and vector read so far; an index in a manifest costs no more bytes."""
        files = {part.file.path: part.file for part in self.task.data.parts}
        remote = [i.bytes_read for p, i in self._opened.items() if isinstance(files[p].index, str)]
        return self._vector_bytes + sum(remote)

    def of_file(self, part: Part) -> FileIndex | None:
        """Return the index of a file; None if it has none, or if options turn indexes off."""
        path = part.file.path
        if path not in self._opened and self._reads and (place := part.file.index) is not None:
            try:
                source = self.task.storage.open(place) if isinstance(place, str) else place
            except MissingFileError as error:
                raise MissingFileError(
                    f"{error.message}: it was the index of {part.file.name}; no rows are lost",
                    path=error.path,
                    remedy=Remedy("to rebuild the index, run ", Call("table audit", "--repair")),
                ) from error
            with _named(part):
                opened = FileIndex.open(source, part.schema.columns)
            self._opened[path] = self.enter_context(opened)
        return self._opened.get(path)

    def matching(self) -> Selection:
        """Return the rows for which the predicate may be true, according to all indexes."""
        num_rows = self.task.num_rows
        selection = self.task.candidates or Selection("all", False, None, num_rows)
        for part in self.task.data.parts:
            if selection.exact:
                break
            selection = narrow(selection, self.of_predicate(part, part.predicate))
        return selection

    def of_predicate(self, part: Part, predicate: Predicate | None) -> Selection:
        """Return the rows for which a predicate, bound to the schema of a file, may be true."""
        num_rows = self.task.num_rows
        if predicate is None or isinstance(predicate, Always):
            nothing = predicate is not None and not predicate.value
            return Selection("skip" if nothing else "all", True, None, num_rows)
        if all(map(is_unsure, leaves(predicate))) or not self.task.data.covers(part):
            return Selection("all", False, None, num_rows)
        if (index := self.of_file(part)) is None:
            return Selection("all", False, None, num_rows)
        with _named(part):
            return index.evaluate(predicate, num_rows=num_rows)

    def vector(self) -> DeletionVector | None:
        """Return the file's deletion vector, read."""
        place = self.task.file.deletion_vector
        if place is None or self._vector is not None:
            return self._vector
        with self.task.storage.open(place.path) as source, naming(place.path):
            try:
                self._vector = read_vector(source, place.offset, place.length, place.cardinality)
                return self._vector
            finally:
                self._vector_bytes += source.bytes_read

    def select(self) -> Selection:
        """Return the live rows that may match and that the order or limit of the query may need."""
        task = self.task
        selection = self.matching()
        if selection.kind == "skip":
            return selection
        vector = self.vector()
        ordering = self._ordering() if selection.exact else None
        if ordering is not None:
            index, top = ordering
            return index.evaluate(
                task.data.parts[0].predicate,
                deletion_vector=vector,
                top_n=top,
                num_rows=task.num_rows,
            )
        selection = live_rows(selection, vector)
        return selection if task.limit is None else first_rows(selection, task.limit)

    def values(self, selection: Selection, top: TopN) -> pa.Table | None:
        """Return the column that orders and ROW for few matching rows, as the index stores them.

        None if the index lacks these values, or if the rows are too many or inexact.
        """
        few = 4 * top.k + 1000
        rows = selection.matching
        if not selection.exact or rows is None or len(rows) > few or top.then:
            return None
        if (ordering := self._ordering()) is None:
            return None
        index, of_file = ordering
        stored = index.values(of_file.column, rows)
        if stored is None:
            return None
        [column] = arrow_schema(self.task.schema.columns, (top.column,))
        values = arrow_values(stored, column.type)
        positions = to_arrow_array(np.asarray(rows.to_array()).astype(np.int64))
        return pa.table([values, positions], schema=pa.schema([column, (ROW, pa.int64())]))

    def bounds(self) -> Bounds | None:
        """Return the bounds of the column that orders, from its index; None without an index."""
        if (ordering := self._ordering()) is None:
            return None
        index, top = ordering
        ends = index.bounds(top.column)
        return None if ends is None else Bounds(*ends, None, self.task.num_rows)

    def _ordering(self) -> tuple[FileIndex, TopN] | None:
        """Return the index of a single file, and the order by its first column, as named there.

        None if the index cannot order the file's values. An index keeps all rows that tie, so the
        file may lack the columns that order these.
        """
        task = self.task
        if task.top is None or len(task.data.parts) > 1 or task.candidates is not None:
            return None
        stored = task.stored_as(task.top.column)
        if stored is None or (index := self.of_file(stored[0])) is None:
            return None
        part, name = stored
        data_type = part.schema.columns[name]
        if is_shifted(data_type, part.file.format):
            ends = index.bounds(name)
            if ends is None or have_shifted(Bounds(*ends, None, None), data_type):
                return None  # the index may contain other values than the file
        return index, replace(task.top, column=name, then=())


@contextmanager
def _named(part: Part) -> Iterator[None]:
    """Name the data file in errors about its embedded index."""
    try:
        yield
    except CorruptFileError as error:
        if error.path in (None, "<bytes>"):
            error.path = f"{part.file.path} (its embedded index)"
        raise
