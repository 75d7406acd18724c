"""Tasks: the units of a query that read data files.

A task consists of the query and a data file, or several that need a merge (see `merge_task`). It is
plain data that can be pickled, and contains all that any process needs to run it. `pruned` applies
the file's index and its deletion vector, `read` returns the rows, and `count` counts them.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Generator, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from pyroaring import BitMap, BitMap64

from paimon_ksy.errors import CorruptFileError, PaimonKsyError
from paimon_ksy.evaluation.selection import Selection
from paimon_ksy.evaluation.top_n import TopN
from paimon_ksy.predicates.statistics import Bounds
from paimon_ksy.predicates.tree import Always, And, Comparison, Predicate
from paimon_ksy.table.formats.open_file import ReadStats
from paimon_ksy.table.io.storage import Storage
from paimon_ksy.table.model.columns import arrow_schema, columns_of
from paimon_ksy.table.model.evolve import same_column
from paimon_ksy.table.model.files import DataFile, TableSchema
from paimon_ksy.table.query import file_rows
from paimon_ksy.table.query.index import Indexes

if TYPE_CHECKING:
    import pyarrow as pa

    from paimon_ksy.table_index.deletion_vector import DeletionVector


@dataclass(frozen=True)
class Selected:
    """The rows of a data file that may match, and the bytes read from index and vector."""

    selection: Selection
    bytes_read: int = 0


@dataclass(frozen=True)
class Counted:
    """The number of rows that match, the data files read, and the bytes read from all files."""

    count: int
    files_read: int = 0
    bytes_read: int = 0


@dataclass(frozen=True)
class Matching:
    """The live rows of a data file that match, its deletion vector, and the bytes read.

    `vector` is None if the file has none, or no row matches.
    """

    rows: BitMap | BitMap64
    vector: DeletionVector | None
    bytes_read: int


@dataclass(frozen=True)
class Task(ABC):
    """A query of one or more data files. It can be pickled.

    Attributes:
        schema: The schema to read in.
        columns: The columns to return.
        predicate: The predicate, bound to `schema`; None selects all rows.
        limit: The maximum number of rows; callers that read several tasks apply it (`read_tasks`).
        top: If given, only rows that can be among the first are read, with the columns that order
            them.
    """

    schema: TableSchema
    columns: tuple[str, ...]
    predicate: Predicate | None
    limit: int | None
    top: TopN | None

    @property
    @abstractmethod
    def files(self) -> tuple[DataFile, ...]:
        """The data files."""

    @property
    def num_rows(self) -> int:
        """The number of rows in the data files, including deleted ones."""
        return sum(file.num_rows for file in self.files)

    @property
    def size(self) -> int:
        """The size of the data files in bytes."""
        return sum(file.size for file in self.files)

    @cached_property
    def read_columns(self) -> tuple[str, ...]:
        """The columns to return, and those that order rows."""
        order = () if self.top is None else self.top.columns
        return tuple(dict.fromkeys((*self.columns, *order)))

    @cached_property
    def tested_columns(self) -> tuple[str, ...]:
        """The columns that the predicate tests."""
        return () if self.predicate is None else columns_of(self.predicate, self.schema.columns)

    @property
    def arrow_schema(self) -> pa.Schema:
        """The Arrow schema of the batches that `read` returns."""
        return arrow_schema(self.schema.columns, self.read_columns)

    @property
    def known_count(self) -> int | None:
        """The number of rows that match, if it is known without reading any file."""
        return None

    @abstractmethod
    def pruned(self) -> tuple[Task | None, Selected]:
        """Return the task with the rows that its indexes select; None if no row matches.

        Raises:
            PaimonKsyError: An index or a deletion vector cannot be read.
        """

    @abstractmethod
    def read(self, stats: ReadStats) -> Generator[pa.RecordBatch]:
        """Return the rows that match; `limit` is left to the caller.

        Args:
            stats: Counts reads, including those of indexes and deletion vectors unless `pruned`
                read them.

        Raises:
            PaimonKsyError: A file cannot be read.
        """

    @abstractmethod
    def count(self) -> Counted:
        """Count the rows that match.

        Raises:
            PaimonKsyError: A file cannot be read.
        """


@dataclass(frozen=True)
class FileTask(Task):
    """A query of a data file that needs no merge.

    Attributes:
        storage: The storage of the file.
        file: The data file.
        file_schema: The schema that the file was written with.
        file_predicate: The predicate, bound to `file_schema`.
        selected: The rows that the index selected, if known already.
    """

    storage: Storage
    file: DataFile
    file_schema: TableSchema
    file_predicate: Predicate | None
    selected: Selected | None = None

    @property
    def files(self) -> tuple[DataFile, ...]:
        """The data file."""
        return (self.file,)

    @property
    def known_count(self) -> int | None:
        """See `Task.known_count`."""
        if self.selected is not None:
            selection = self.selected.selection
            return selection.count if selection.exact else None
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

    def select(self) -> Selected:
        """Return the rows that may match, according to the index and the deletion vector.

        The vector is not read if the index skips the file.

        Raises:
            PaimonKsyError: One of them cannot be read, or is corrupt.
        """
        if self.selected is not None:
            return self.selected
        with self._indexes() as indexes:
            return Selected(indexes.select(), indexes.bytes_read)

    def pruned(self) -> tuple[Task | None, Selected]:
        """See `Task.pruned`."""
        found = self.select()
        if found.selection.kind == "skip":
            return None, found
        return replace(self, selected=found), found

    def read(self, stats: ReadStats) -> Generator[pa.RecordBatch]:
        """See `Task.read`."""
        found = self.select()
        selection = found.selection
        if self.selected is None:
            stats.bytes_read += found.bytes_read
        if selection.kind == "skip":
            return
        if self.top is not None:
            selection = file_rows.first_rows(self, selection, self.top, stats)
        yield from file_rows.matching_rows(self, selection, stats)

    def count(self) -> Counted:
        """See `Task.count`."""
        found = self.select()
        selection = found.selection
        stats = ReadStats(0 if self.selected is not None else found.bytes_read)
        if selection.exact and selection.count is not None:
            return Counted(selection.count, 0, stats.bytes_read)
        count = sum(len(rows) for rows, _ in file_rows.matching(self, selection, (), stats))
        return Counted(count, 1, stats.bytes_read)

    def matching(self) -> Matching:
        """Return the live rows that match; all are tested on the data, even if an index is exact.

        Raises:
            CorruptFileError: An exact index selects rows that do not match.
            PaimonKsyError: A file cannot be read.
        """
        with self._indexes() as indexes:
            selection = indexes.select()
            vector = None if selection.kind == "skip" else indexes.vector()
            stats = ReadStats(indexes.bytes_read)
        num_rows = self.file.num_rows
        rows = file_rows.bitmap(num_rows)
        for at, _ in file_rows.matching(self, replace(selection, exact=False), (), stats):
            rows |= file_rows.bitmap(num_rows, at)
        if selection.exact and len(rows) != selection.count:
            index = self.file.index
            raise CorruptFileError(
                f"it selects {selection.count} rows, but only {len(rows)} of them match: it "
                "is the index of other data",
                path=index if isinstance(index, str) else f"{self.file.path} (its index)",
                remedy="to rebuild it, run `paimon-ksy table rewrite-index TABLE --rebuild`",
            )
        return Matching(rows, vector, stats.bytes_read)

    def order_values(self, stats: ReadStats) -> pa.Table:
        """Return the columns that order, and the positions ROW, of rows that can be the first.

        The file is not read if the index contains the values of rows that are known to match.

        Raises:
            PaimonKsyError: A file cannot be read.
        """
        assert self.top is not None
        with self._indexes() as indexes:
            selection = indexes.select() if self.selected is None else self.selected.selection
            values = indexes.values(selection, self.top)
            stats.bytes_read += indexes.bytes_read
        if values is not None:
            return values
        return file_rows.order_values(self, selection, self.top, stats)

    def bounds(self, stats: ReadStats) -> Bounds | None:
        """Return the bounds of the column that orders, from its index; None if it lacks them.

        Raises:
            PaimonKsyError: The index cannot be read.
        """
        with self._indexes() as indexes:
            found = indexes.bounds()
            stats.bytes_read += indexes.bytes_read
        return found

    def at_rows(self, positions: Any) -> FileTask:
        """Return the task that reads the rows at these positions, an array of integers."""
        selected = Selected(file_rows.rows_at(self, positions))
        return replace(self, columns=self.read_columns, top=None, limit=None, selected=selected)

    @contextmanager
    def _indexes(self) -> Iterator[Indexes]:
        """Open the index and the vector; errors in them name the data file."""
        try:
            with Indexes(self) as indexes:
                yield indexes
        except CorruptFileError as error:
            if error.path in (None, "<bytes>"):
                error.path = f"{self.file.path} (its embedded index)"
            raise
        except PaimonKsyError as error:
            if self.file.name in str(error):
                raise
            raise PaimonKsyError(str(error), path=self.file.path) from error


_STORED_IN_ONE_WAY = ("VARCHAR", "BOOLEAN", "TINYINT", "SMALLINT", "INT", "BIGINT", "DATE")
"""Types whose equal values are stored in only one way."""


class TaskRows:
    """The rows of a task, batch by batch, as an engine reads them."""

    def __init__(self, task: Task) -> None:
        self.stats = ReadStats()
        self._rows = read_tasks((task,), task.limit, self.stats)

    def __iter__(self) -> Iterator[pa.RecordBatch]:
        return self._rows

    def close(self) -> None:
        """Close the files of a task before all its rows are read."""
        self._rows.close()


def read_tasks(
    tasks: Iterable[Task], limit: int | None, stats: ReadStats
) -> Generator[pa.RecordBatch]:
    """Yield the rows of tasks, task by task, up to `limit` rows."""
    return limited((batch for task in tasks for batch in task.read(stats)), limit)


def limited(batches: Iterable[pa.RecordBatch], limit: int | None) -> Generator[pa.RecordBatch]:
    """Yield the first `limit` rows, or all if it is None; read no further batches."""
    if limit is None:
        yield from batches
        return
    left = limit
    batches = iter(batches)
    while left > 0 and (batch := next(batches, None)) is not None:
        batch = batch.slice(0, left)
        left -= batch.num_rows
        yield batch
