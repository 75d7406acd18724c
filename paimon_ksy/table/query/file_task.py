"""Tasks for data files that need no merge: what their indexes keep, and the rows that match.

An index selects rows, exactly or as a superset. For a superset, the columns that the predicate
tests are read first, and the other columns only for rows that match.
"""

from __future__ import annotations

from array import array
from collections.abc import Generator, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
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
)
from paimon_ksy.evaluation.selection import Selection
from paimon_ksy.evaluation.top_n import TopN, first_rows, live_rows
from paimon_ksy.file_index.container import FileIndex
from paimon_ksy.predicates.row_filter import mask
from paimon_ksy.predicates.statistics import Bounds
from paimon_ksy.predicates.tree import Always, And, Comparison, Predicate, Unsure
from paimon_ksy.table.formats import ReadRequest, constant, read
from paimon_ksy.table.io.storage import Storage
from paimon_ksy.table.model.columns import arrow_schema, arrow_values, cast_to
from paimon_ksy.table.model.evolve import same_column
from paimon_ksy.table.model.files import DataFile, TableSchema
from paimon_ksy.table.query.tasks import Task
from paimon_ksy.table.store.options import is_on
from paimon_ksy.types.timestamps import alike

if TYPE_CHECKING:
    import pyarrow as pa

    from paimon_ksy.table_index.deletion_vector import DeletionVector

ROW = "_paimon_ksy_row"
"""The name of the column of row positions, next to the columns that order."""

_STORED_IN_ONE_WAY = ("VARCHAR", "BOOLEAN", "TINYINT", "SMALLINT", "INT", "BIGINT", "DATE")
"""Types whose equal values are stored in only one way."""

_BATCH_ROWS = 1 << 16  # for batches without columns, to which known values are added

_KEPT_BYTES = 64 << 20
"""Maximum bytes of tested columns to keep until the others are read; larger ones are read twice."""


@dataclass(frozen=True)
class Matching:
    """The live rows of a data file that match, and its deletion vector.

    `vector` is None if the file has none, or no row matches.
    """

    rows: BitMap | BitMap64
    vector: DeletionVector | None


@dataclass(frozen=True)
class FileTask(Task):
    """A query of a data file that needs no merge.

    Attributes:
        storage: The storage of the file.
        file: The data file.
        file_schema: The schema that the file was written with.
        file_predicate: The predicate, bound to `file_schema`.
        selection: The rows that the index selected, if known already.
    """

    storage: Storage
    file: DataFile
    file_schema: TableSchema
    file_predicate: Predicate | None
    selection: Selection | None = None

    @property
    def files(self) -> tuple[DataFile, ...]:
        """The data file."""
        return (self.file,)

    @property
    def known_count(self) -> int | None:
        """See `Task.known_count`."""
        if self.selection is not None:
            return self.selection.count if self.selection.exact else None
        if self.file_predicate is not None and self.file_predicate != Always(True):
            return None
        vector, total = self.file.deletion_vector, self.file.num_rows
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
            and part.op == "="
            and part.type is not None
            and part.type.root in _STORED_IN_ONE_WAY
            and part.column in self.schema.ids  # excludes keys of maps
            and same_column(self.schema, self.file_schema, part.column) is not None
        }

    def select(self, stats: ReadStats) -> Selection:
        """Return the rows that may match, according to the index and the deletion vector.

        The vector is not read if the index skips the file.

        Raises:
            PaimonKsyError: One of them cannot be read, or is corrupt.
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
        if self.top is not None and not (selection.exact and _fits(selection, self.top)):
            first = self._first_values(selection, self.top, stats)
            selection = self._rows_at(first[ROW].to_numpy())
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

    def matching(self, stats: ReadStats) -> Matching:
        """Return the live rows that match; all are tested on the data, even if an index is exact.

        Raises:
            CorruptFileError: An exact index selects rows that do not match.
            PaimonKsyError: A file cannot be read.
        """
        with self._indexes(stats) as indexes:
            selection = indexes.select()
            vector = None if selection.kind == "skip" else indexes.vector()
        num_rows = self.file.num_rows
        rows = _bitmap(num_rows)
        for at, _ in self._batches(replace(selection, exact=False), (), stats):
            rows |= _bitmap(num_rows, at)
        if selection.exact and len(rows) != selection.count:
            index = self.file.index
            raise CorruptFileError(
                f"it selects {counted(selection.count or 0, 'row')}, but only {len(rows)} of them "
                "match: it is the index of other data",
                path=index if isinstance(index, str) else f"{self.file.path} (its index)",
                remedy=Remedy("to rebuild it, run ", Call("table rewrite-index", "--rebuild")),
            )
        return Matching(rows, vector)

    def order_values(self, stats: ReadStats) -> pa.Table:
        """Return the columns that order, and the positions ROW, of rows that can be the first.

        The file is not read if the index contains the values of rows that are known to match.

        Raises:
            PaimonKsyError: A file cannot be read.
        """
        assert self.top is not None
        with self._indexes(stats) as indexes:
            selection = indexes.select() if self.selection is None else self.selection
            values = indexes.values(selection, self.top)
        return self._first_values(selection, self.top, stats) if values is None else values

    def bounds(self, stats: ReadStats) -> Bounds | None:
        """Return the bounds of the column that orders, from its index; None if it lacks them.

        Raises:
            PaimonKsyError: The index cannot be read.
        """
        with self._indexes(stats) as indexes:
            return indexes.bounds()

    def at_rows(self, positions: Any) -> FileTask:
        """Return the task that reads the rows at these positions, an array of integers."""
        selection = self._rows_at(positions)
        return replace(self, columns=self.read_columns, top=None, limit=None, selection=selection)

    @contextmanager
    def _indexes(self, stats: ReadStats) -> Iterator[Indexes]:
        """Open the index and the vector; errors in them name the data file."""
        try:
            with Indexes(self) as indexes:
                yield indexes
                stats.bytes_read += indexes.bytes_read
        except CorruptFileError as error:
            if error.path in (None, "<bytes>"):
                error.path = f"{self.file.path} (its embedded index)"
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
        request = ReadRequest(
            self.storage,
            self.file,
            self.file_schema,
            self.schema,
            names,
            selection.rows,
            keep_dictionaries=test is not None and selection.rows is None,
        )
        selected = None
        if selection.rows is not None:
            selected = np.asarray(selection.rows.to_array()).astype(np.int64)
        stop = 0
        batches = read(request, stats)
        for batch in batches if names else _in_parts(batches):
            start, stop = stop, stop + batch.num_rows
            at = np.arange(start, stop) if selected is None else selected[start:stop]
            if test is not None:
                keep = mask(test, batch)
                batch = batch.filter(keep)
                at = at[keep.to_numpy(zero_copy_only=False)]
            elif len(names) < len(columns):
                batch = self._with_known_values(batch, columns)
            if len(at):
                yield at, batch

    def _first_values(self, selection: Selection, top: TopN, stats: ReadStats) -> pa.Table:
        """Return the columns that order, and ROW, of the first rows among those selected.

        This reads only these columns, and those that the predicate tests.
        """
        import pyarrow as pa

        from paimon_ksy.table.query.sort import Best

        columns = arrow_schema(self.schema.columns, top.columns)
        schema = columns.append(pa.field(ROW, pa.int64()))
        best = Best(top, schema, self.schema.columns)
        for at, batch in self._batches(selection, top.columns, stats):
            values = cast_to(batch, columns, self.file.path).columns
            best.add(pa.RecordBatch.from_arrays([*values, pa.array(at, pa.int64())], schema=schema))
        return best.rows()

    def _rows_at(self, positions: Any) -> Selection:
        """Select the rows at these positions, an array of integers in any order."""
        num_rows = self.file.num_rows
        return Selection.of(_bitmap(num_rows, np.sort(positions)), num_rows, True)

    def _tested_first(
        self, selection: Selection, stats: ReadStats
    ) -> Iterator[tuple[Any, pa.RecordBatch]]:
        """Read the columns that the predicate tests, then the other columns of rows that match."""
        import pyarrow as pa

        num_rows = self.file.num_rows
        rows, tested, size = _bitmap(num_rows), [], 0
        for at, batch in self._batches(selection, (), stats):
            rows |= _bitmap(num_rows, at)
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
        import pyarrow as pa

        kinds, count, known = self.schema.columns, batch.num_rows, self.known_values
        arrays = [
            constant(known[name], kinds[name], count) if name in known else batch.column(name)
            for name in columns
        ]
        return pa.RecordBatch.from_arrays(arrays, list(columns))


def _fits(selection: Selection, top: TopN) -> bool:
    """Return whether all selected rows can be among the first."""
    return selection.count is not None and selection.count <= top.k


def _bitmap(num_rows: int, positions: Any = None) -> Any:
    """Return a bitmap of ascending positions in a file of `num_rows` rows; None selects none."""
    if num_rows > 2**32:
        return BitMap64(() if positions is None else positions.tolist())
    # BitMap accepts an array.array ten times faster than a numpy array.
    return BitMap(array("I", b"" if positions is None else positions.astype(np.uint32).tobytes()))


def _in_parts(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Split batches without columns, of any length, so that they fit in memory with columns."""
    for batch in batches:
        for start in range(0, batch.num_rows, _BATCH_ROWS):
            yield batch.slice(start, _BATCH_ROWS)


class Indexes:
    """The index and the deletion vector of a data file, opened on first use."""

    def __init__(self, task: FileTask) -> None:
        self.task = task
        self.file = task.file
        reads_index = is_on(task.schema.options, "file-index.read.enabled", default=True)
        self._place = task.file.index if reads_index else None
        self._vector_bytes = 0
        self._vector: DeletionVector | None = None
        self._opened: FileIndex | None = None
        self._stack = ExitStack()

    def __enter__(self) -> Indexes:
        return self

    def __exit__(self, *exc: object) -> None:
        self._stack.close()

    @property
    def bytes_read(self) -> int:
        """Bytes of index and vector read so far; an index in a manifest costs no further bytes."""
        remote = self._opened is not None and isinstance(self._place, str)
        return self._vector_bytes + (self._opened.bytes_read if remote and self._opened else 0)

    @property
    def index(self) -> FileIndex | None:
        """The file's index, opened; None if it has none, or if options turn indexes off."""
        if self._opened is None and (place := self._place) is not None:
            try:
                source = self.task.storage.open(place) if isinstance(place, str) else place
            except MissingFileError as error:
                raise _missing_index(error, self.file) from error
            opened = FileIndex.open(source, self.task.file_schema.columns)
            self._opened = self._stack.enter_context(opened)
        return self._opened

    def matching(self, predicate: Predicate | None) -> Selection:
        """Return the rows for which the predicate, bound to the file's schema, may be true."""
        num_rows = self.file.num_rows
        if predicate is None or isinstance(predicate, Always):
            nothing = predicate is not None and not predicate.value
            return Selection("skip" if nothing else "all", True, None, num_rows)
        if isinstance(predicate, Unsure) or self.index is None:
            return Selection("all", False, None, num_rows)
        return self.index.evaluate(predicate, num_rows=num_rows)

    def vector(self) -> DeletionVector | None:
        """Return the file's deletion vector, read."""
        from paimon_ksy.table_index.deletion_vector_file import read_vector

        place = self.file.deletion_vector
        if place is None or self._vector is not None:
            return self._vector
        with self.task.storage.open(place.path) as source:
            try:
                self._vector = read_vector(source, place.offset, place.length, place.cardinality)
                return self._vector
            except CorruptFileError as error:
                error.path = error.path or place.path
                raise
            finally:
                self._vector_bytes += source.bytes_read

    def select(self) -> Selection:
        """Return the live rows that may match and that the order or limit of the query may need."""
        task = self.task
        selection = self.matching(task.file_predicate)
        if selection.kind == "skip":
            return selection
        vector = self.vector()
        top = self._top()
        if top is not None and selection.exact and self.index is not None:
            return self.index.evaluate(
                task.file_predicate,
                deletion_vector=vector,
                top_n=top,
                num_rows=self.file.num_rows,
            )
        selection = live_rows(selection, vector)
        return selection if task.limit is None else first_rows(selection, task.limit)

    def values(self, selection: Selection, top: TopN) -> pa.Table | None:
        """Return the column that orders and ROW for few matching rows, as the index stores them.

        None if the index lacks these values, or if the rows are too many or inexact.
        """
        import pyarrow as pa

        of_file = self._top()
        few = 4 * top.k + 1000
        rows = selection.rows
        if not selection.exact or rows is None or len(rows) > few or of_file is None or top.then:
            return None
        if self.index is None:
            return None
        stored = self.index.values(of_file.column, rows)
        if stored is None:
            return None
        [column] = arrow_schema(self.task.schema.columns, (top.column,))
        values = arrow_values(stored, column.type)
        positions = pa.array(np.asarray(rows.to_array()).astype(np.int64))
        return pa.table([values, positions], schema=pa.schema([column, (ROW, pa.int64())]))

    def bounds(self) -> Bounds | None:
        """Return the bounds of the column that orders, from its index; None without an index."""
        top = self._top()
        if top is None or self.index is None:
            return None
        ends = self.index.bounds(top.column)
        return None if ends is None else Bounds(*ends, None, self.file.num_rows)

    def _top(self) -> TopN | None:
        """Return the order by its first column, in terms of the file.

        None if the index cannot order the file's values. An index keeps all rows that tie, so the
        file may lack the columns that order these.
        """
        task = self.task
        if task.top is None:
            return None
        name = same_column(task.schema, task.file_schema, task.top.column)
        if name is None or not self._is_as_stored(name):
            return None
        return replace(task.top, column=name, then=())

    def _is_as_stored(self, column: str) -> bool:
        """Return whether the index certainly contains the same values of the column as the file."""
        if not is_shifted(self.task.file_schema.columns[column], self.file.format):
            return True
        ends = None if self.index is None else self.index.bounds(column)
        return ends is not None and not have_shifted(Bounds(*ends, None, None))


def _missing_index(error: MissingFileError, file: DataFile) -> MissingFileError:
    """Return the error for a missing index file, with the command that rebuilds it."""
    return MissingFileError(
        f"{error.message}: it was the index of {file.name}; no rows are lost",
        path=error.path,
        remedy=Remedy("to rebuild the index, run ", Call("table audit", "--repair")),
    )
