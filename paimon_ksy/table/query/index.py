"""The rows of a data file that its index and its deletion vector keep."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from paimon_ksy.data_files.orc.shifted import have_shifted, is_shifted
from paimon_ksy.errors import CorruptFileError, MissingFileError
from paimon_ksy.evaluation.selection import Selection
from paimon_ksy.evaluation.top_n import TopN, first_rows, live_rows
from paimon_ksy.file_index.container import FileIndex
from paimon_ksy.predicates.statistics import Bounds
from paimon_ksy.predicates.tree import Always, Predicate, Unsure
from paimon_ksy.table.model.columns import arrow_schema, arrow_values
from paimon_ksy.table.model.evolve import same_column
from paimon_ksy.table.store.options import is_on

if TYPE_CHECKING:
    import pyarrow as pa

    from paimon_ksy.table.model.files import DataFile
    from paimon_ksy.table.query.tasks import FileTask
    from paimon_ksy.table_index.deletion_vector import DeletionVector

ROW = "_paimon_ksy_row"
"""The name of the column of row positions, next to the columns that order."""


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
        found = self.matching(task.file_predicate)
        if found.kind == "skip":
            return found
        vector = self.vector()
        top = self._top()
        if top is not None and found.exact and self.index is not None:
            return self.index.evaluate(
                task.file_predicate,
                deletion_vector=vector,
                top_n=top,
                num_rows=self.file.num_rows,
            )
        found = live_rows(found, vector)
        return found if task.limit is None else first_rows(found, task.limit)

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
        found = self.index.values(of_file.column, rows)
        if found is None:
            return None
        [column] = arrow_schema(self.task.schema.columns, (top.column,))
        values = arrow_values(found, column.type)
        positions = pa.array(np.asarray(rows.to_array()).astype(np.int64))
        return pa.table([values, positions], schema=pa.schema([column, (ROW, pa.int64())]))

    def bounds(self) -> Bounds | None:
        """Return the bounds of the column that orders, from its index; None without an index."""
        top = self._top()
        if top is None or self.index is None:
            return None
        found = self.index.bounds(top.column)
        return None if found is None else Bounds(*found, None, self.file.num_rows)

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
        found = None if self.index is None else self.index.bounds(column)
        return found is not None and not have_shifted(Bounds(*found, None, None))


def _missing_index(error: MissingFileError, file: DataFile) -> MissingFileError:
    """Return the error for a missing index file, with the command that rebuilds it."""
    return MissingFileError(
        f"{error.message}: it was the index of {file.name}; no rows are lost",
        path=error.path,
        remedy="rebuild the index: paimon-ksy table audit TABLE --repair",
    )
