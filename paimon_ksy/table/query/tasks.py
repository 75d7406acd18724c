"""What is read of the data files of a table, file by file.

A task is a data file, or some that have to be merged (see `merge_task`), and the query. It is plain
data that can be pickled, and has all that it takes to answer, anywhere. `pruned` asks the file's
index and its deletion vector, `read` returns the rows, `count` counts them.
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
    from pyroaring import BitMap, BitMap64

    from paimon_ksy.table_index.deletion_vector import DeletionVector


@dataclass(frozen=True)
class Selected:
    """The rows of a data file that may match, and the bytes of index and vector it took to know."""

    selection: Selection
    bytes_read: int = 0


@dataclass(frozen=True)
class Counted:
    """How many rows match, and what was read to know: data files, and bytes of all files."""

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
        predicate: Bound to `schema`; None selects all rows.
        limit: The most rows that are wanted, which who reads several tasks applies (`read_tasks`).
        top: If given, the rows are those that can be among the first, with the columns that order
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
        """Rows of the data files, deleted ones too."""
        return sum(file.num_rows for file in self.files)

    @property
    def size(self) -> int:
        """Bytes of the data files."""
        return sum(file.size for file in self.files)

    @cached_property
    def read_columns(self) -> tuple[str, ...]:
        """The columns to return, and those that order."""
        order = () if self.top is None else self.top.columns
        return tuple(dict.fromkeys((*self.columns, *order)))

    @cached_property
    def tested_columns(self) -> tuple[str, ...]:
        """The columns that the predicate tests."""
        return () if self.predicate is None else columns_of(self.predicate, self.schema.columns)

    @property
    def arrow_schema(self) -> pa.Schema:
        """The Arrow schema of what `read` returns."""
        return arrow_schema(self.schema.columns, self.read_columns)

    @property
    def known_count(self) -> int | None:
        """How many rows match, if that is known without reading anything."""
        return None

    @abstractmethod
    def pruned(self) -> tuple[Task | None, Selected]:
        """Return the task with what its indexes select, None if no row matches.

        Raises:
            PaimonKsyError: An index or a deletion vector cannot be read.
        """

    @abstractmethod
    def read(self, stats: ReadStats) -> Generator[pa.RecordBatch]:
        """Return the rows that match; `limit` is left to the caller.

        Args:
            stats: Receives what is read, of indexes and deletion vectors too, unless `pruned` read
                these.

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
    """A query of a data file that stands for itself.

    Attributes:
        storage: Where the file is.
        file: The data file.
        file_schema: The schema that it was written with.
        file_predicate: The predicate, bound to that schema.
        selected: What its index selected, if that is known already.
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
        vector = self.file.deletion_vector
        deleted = 0 if vector is None else vector.cardinality
        return None if deleted is None else self.file.num_rows - deleted

    @cached_property
    def known_values(self) -> dict[str, Any]:
        """The columns whose one value the predicate states, and these internal values.

        They need not be read of rows that are known to match. Only types whose equal values are
        stored in one way: there are two zeros, and padded CHARs.
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
            and part.column in self.schema.ids  # not a key of a map
            and same_column(self.schema, self.file_schema, part.column) is not None
        }

    def select(self) -> Selected:
        """Ask the index and the deletion vector which rows may match.

        The vector is not read if the index skips the file.

        Raises:
            PaimonKsyError: One of them cannot be read, or is damaged.
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
        """Return which live rows match, each tested on the data, also where an index is exact.

        Raises:
            CorruptFileError: An index selects rows as exact that do not match.
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
        """Return the columns that order and ROW, their positions, of rows that can be the first.

        Nothing is read of the file if the index has the values of rows that are known to match.

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
        """Return the bounds of the column that orders, from its index; None if that has none.

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
        """Open the index and the vector; errors over them name the data file."""
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
"""Types whose equal values are the same ones."""


class TaskRows:
    """The rows of a task, batch after batch, as an engine reads them."""

    def __init__(self, task: Task) -> None:
        self.stats = ReadStats()
        self._rows = read_tasks((task,), task.limit, self.stats)

    def __iter__(self) -> Iterator[pa.RecordBatch]:
        return self._rows

    def close(self) -> None:
        """Close what is open of a task whose rows are not all wanted."""
        self._rows.close()


def read_tasks(
    tasks: Iterable[Task], limit: int | None, stats: ReadStats
) -> Generator[pa.RecordBatch]:
    """Return the rows of some tasks, one task after the other, no more than `limit`."""
    return limited((batch for task in tasks for batch in task.read(stats)), limit)


def limited(batches: Iterable[pa.RecordBatch], limit: int | None) -> Generator[pa.RecordBatch]:
    """Return the first `limit` rows, all if it is None, and read no further."""
    if limit is None:
        yield from batches
        return
    left = limit
    batches = iter(batches)
    while left > 0 and (batch := next(batches, None)) is not None:
        batch = batch.slice(0, left)
        left -= batch.num_rows
        yield batch
