"""The interface of engines."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator
from typing import Any, Protocol, TypeVar

import pyarrow as pa

Task = TypeVar("Task")
Result = TypeVar("Result")

AHEAD = 2
"""The tasks in flight for each worker, and the Spark jobs in flight."""


class Engine(Protocol):
    """A runner of one function for many tasks. Functions, tasks and results must be picklable.

    If a task raises a PaimonKsyError, the engine raises it; any other error becomes a
    PaimonKsyError in one line. The engine then starts no more tasks, and waits for those that run.
    The same happens when the caller closes the iterator, for example one that writes files.

    Attributes:
        time_zone: The time zone of literals that have none; None if nobody chose it.
    """

    @property
    def time_zone(self) -> str | None:
        """See the attribute."""
        ...

    def map(
        self,
        function: Callable[[Task], Result],
        tasks: Iterable[Task],
        *,
        progress: Callable[[Task], None] | None = None,
    ) -> Generator[tuple[Task, Result]]:
        """Yield tasks and their small results, in the order of completion.

        If a task ends its process, the method `lost` of the function, if there is one, computes a
        result in this process.
        """
        ...

    def batches(
        self,
        function: Callable[[Task], Iterable[pa.RecordBatch]],
        tasks: Iterable[Task],
        schema: pa.Schema,
        *,
        progress: Callable[[Task], None] | None = None,
        collect: Callable[[Any], None] | None = None,
    ) -> Iterator[pa.RecordBatch]:
        """Yield batches of this schema, in the order of the tasks.

        The function's result may have an attribute `stats` and a method `close`. `collect` gets the
        stats when the task is done, or when no more of its batches are wanted. On Spark, it does
        not get the stats of a task that is stopped early.
        """
        ...
