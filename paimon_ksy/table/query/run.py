"""Runs the tasks of a query: which engine reads, who asks the indexes, and what it took."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any, TypeVar

from paimon_ksy.table.engine import Engine, local_engine, spark_engine
from paimon_ksy.table.formats.open_file import ReadStats
from paimon_ksy.table.io.storage import AT_ONCE
from paimon_ksy.table.query.tasks import Selected, Task, TaskRows
from paimon_ksy.table.store import Table

if TYPE_CHECKING:
    import pyarrow as pa

Progress = Callable[[Task], None]
T = TypeVar("T")


def engine_of(spark: Any) -> Engine | None:
    """Return the engine of a SparkSession, None without one."""
    return None if spark is None else spark_engine(spark)


def default_engine(table: Table) -> Engine:
    """Return this machine; for a remote table with more threads, for they wait most of the time."""
    return local_engine() if table.storage.is_local else local_engine(AT_ONCE)


def growing(tasks: Iterable[T], most: int = 64) -> Iterator[list[T]]:
    """Return the tasks in groups of 1, 2, 4 and so on: later ones are often not needed."""
    rest, size = iter(tasks), 1
    while group := list(islice(rest, size)):
        yield group
        size = min(2 * size, most)


@dataclass(frozen=True)
class Runner:
    """Runs tasks, reports those that are done, and adds up what was read.

    Attributes:
        engine: Reads data files.
        index_engine: Asks the indexes. For local files that is this thread alone: it is little
            work, all in Python, and threads that take turns at it wait for each other for longer.
        stats: Receives what is read.
        progress: Called with each task that is done.
    """

    engine: Engine
    index_engine: Engine
    stats: ReadStats
    progress: Progress | None = None

    @classmethod
    def of(
        cls, table: Table, engine: Engine | None, stats: ReadStats, progress: Progress | None
    ) -> Runner:
        """Return the runner of a table; by default on this machine."""
        if engine is not None:
            return cls(engine, engine, stats, progress)
        engine = default_engine(table)
        asks_first = table.storage.is_local
        return cls(engine, local_engine(1) if asks_first else engine, stats, progress)

    @property
    def asks_first(self) -> bool:
        """Whether this process asks the indexes, before the engine gets what they leave."""
        return self.index_engine is not self.engine

    def rows(self, tasks: Iterable[Task], schema: pa.Schema) -> Iterator[pa.RecordBatch]:
        """Return the rows of the tasks in their order, in the columns of this schema."""
        left = self.left_by_indexes(tasks)
        return self.engine.batches(
            TaskRows, left, schema, progress=self.progress, collect=self.stats.add
        )

    def left_by_indexes(self, tasks: Iterable[Task]) -> Iterator[Task]:
        """Yield the tasks that may have rows if this process asks indexes first, else all tasks."""
        if not self.asks_first:
            yield from tasks
            return
        for some in growing(tasks, 32):  # several at once, while no other thread runs
            for task, (left, found) in list(self.index_engine.map(_pruned, some)):
                self.stats.add(ReadStats(found.bytes_read))
                if left is not None:
                    yield left
                else:
                    self.done(task)

    def done(self, task: Task) -> None:
        """Report a task that is done."""
        if self.progress is not None:
            self.progress(task)


def _pruned(task: Task) -> tuple[Task | None, Selected]:
    return task.pruned()
