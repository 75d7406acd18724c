"""The calls of an engine."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator
from typing import Any, Protocol, TypeVar

import pyarrow as pa

Task = TypeVar("Task")
Result = TypeVar("Result")

AHEAD = 2
"""Tasks in flight for each worker, and Spark jobs in flight."""


class Engine(Protocol):
    """Runs a function of one task on many. Functions, tasks and results can be pickled.

    Raises what a task raised, if it is a PaimonKsyError, or a PaimonKsyError with that in one line.
    Tasks that are not started by then never are; those that run are waited for. The same holds when
    what a call returns is closed, which a caller does who writes files.
    """

    def map(
        self,
        function: Callable[[Task], Result],
        tasks: Iterable[Task],
        *,
        progress: Callable[[Task], None] | None = None,
        seconds: Callable[[Task], float] | None = None,
    ) -> Generator[tuple[Task, Result]]:
        """Yield tasks and their small results, in the order in which they are done.

        Where a task ends its process, a function may have a method `lost` that gives its result
        in this one. `seconds` estimates the time of a task, where that is possible.
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

        The result of the function may have an attribute `stats` and a method `close`. `collect`
        gets the stats when the task is done, or when no more of its batches are wanted. On Spark,
        it does not get those of a task that is stopped early.
        """
        ...
