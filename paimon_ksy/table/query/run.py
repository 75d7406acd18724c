"""Run the tasks of a query on an engine, and count the cost."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Any, TypeVar

from paimon_ksy.data_files.data_file import ReadStats
from paimon_ksy.table.engine import Engine, local_engine, spark_engine, titled
from paimon_ksy.table.io.storage import AT_ONCE
from paimon_ksy.table.query.tasks import Task, TaskRows
from paimon_ksy.table.store import Table

if TYPE_CHECKING:
    import pyarrow as pa

Progress = Callable[[Task], None]
T = TypeVar("T")


def engine_of(spark: Any) -> Engine | None:
    """Return the engine of a SparkSession; None without a session."""
    return None if spark is None else spark_engine(spark)


def time_zone_of(table: Table, engine: Engine | None) -> str:
    """Return the zone of literals that have none: that of the table, of the engine, or else UTC."""
    return table.time_zone or (engine and engine.time_zone) or "UTC"


def default_engine(table: Table) -> Engine:
    """Return this machine; remote tables get more threads, which mostly wait for the network."""
    return local_engine() if table.storage.is_local else local_engine(AT_ONCE)


def growing(tasks: Iterable[T], most: int = 1024) -> Iterator[list[T]]:
    """Yield the tasks in groups of 1, 2, 4 and so on, since later tasks are often not needed."""
    rest, size = iter(tasks), 1
    while group := list(islice(rest, size)):
        yield group
        size = min(2 * size, most)


@dataclass(frozen=True)
class Runner:
    """Runner of tasks, which reports finished tasks and sums up reads.

    Attributes:
        engine: The engine that reads data files.
        stats: Counts reads.
        progress: Called with each finished task.
        asks_first: Whether this thread reads indexes, so that the engine gets only the rest. For
            local files, that is short pure Python: several threads would wait for each other.
    """

    engine: Engine
    stats: ReadStats
    progress: Progress | None = None
    asks_first: bool = False

    @classmethod
    def of(
        cls, table: Table, engine: Engine | None, stats: ReadStats, progress: Progress | None
    ) -> Runner:
        """Return the runner for a table; by default, it uses this machine."""
        if engine is not None:
            return cls(titled(engine, "query", table.location), stats, progress)
        return cls(default_engine(table), stats, progress, table.storage.is_local)

    @property
    def index_engine(self) -> Engine:
        """The engine that reads indexes."""
        return local_engine(1) if self.asks_first else self.engine

    def rows(self, tasks: Iterable[Task], schema: pa.Schema) -> Iterator[pa.RecordBatch]:
        """Return the rows of the tasks, in task order, with the columns of this schema."""
        left = self.left_by_indexes(tasks)
        return self.engine.batches(
            TaskRows, left, schema, progress=self.progress, collect=self.stats.add
        )

    def left_by_indexes(self, tasks: Iterable[Task]) -> Iterator[Task]:
        """Yield the tasks that may have rows if this thread reads indexes first; else, all."""
        if not self.asks_first:
            yield from tasks
            return
        for task, left in self.map("pruned", tasks, self.index_engine):
            if left is not None:
                yield left
            else:
                self.done(task)

    def done(self, task: Task) -> None:
        """Report a finished task."""
        if self.progress is not None:
            self.progress(task)

    def map(self, method: str, tasks: Iterable[T], engine: Engine) -> Iterator[tuple[T, Any]]:
        """Yield tasks and the results of one of their methods, whose reads count here."""
        for task, (result, stats) in engine.map(partial(_counting, method), tasks):
            self.stats.add(stats)
            yield task, result


def _counting(method: str, task: Any) -> tuple[Any, ReadStats]:
    stats = ReadStats()
    return getattr(task, method)(stats), stats
