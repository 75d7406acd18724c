"""Tasks: the units of a query that read data files.

A task consists of the query and a data file (see `file_task`), or several that need a merge (see
`merge_task`). It is plain data that can be pickled, and contains all that any process needs to run
it. `pruned` applies the file's index and its deletion vector, `read` returns the rows, and `count`
counts them.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Generator, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

import pyarrow as pa

from paimon_ksy.data_files.data_file import ReadStats
from paimon_ksy.evaluation.top_n import TopN
from paimon_ksy.predicates.tree import Predicate
from paimon_ksy.table.model.columns import arrow_schema, columns_of
from paimon_ksy.table.model.files import DataFile, TableSchema


@dataclass(frozen=True)
class Task(ABC):
    """A query of one or more data files. It can be pickled.

    Its methods raise a PaimonKsyError if a file, an index or a deletion vector cannot be read.

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
    def pruned(self, stats: ReadStats) -> Task | None:
        """Return the task with the rows that its indexes select; None if no row matches.

        Args:
            stats: Counts reads, as in the other methods.
        """

    @abstractmethod
    def read(self, stats: ReadStats) -> Generator[pa.RecordBatch]:
        """Return the rows that match; `limit` is left to the caller."""

    @abstractmethod
    def count(self, stats: ReadStats) -> int:
        """Return the number of rows that match."""


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
