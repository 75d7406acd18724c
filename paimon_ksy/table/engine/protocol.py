"""What can be asked of an engine."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, Protocol, TypeVar

import pyarrow as pa

Task = TypeVar("Task")
Result = TypeVar("Result")

AHEAD = 2
"""Tasks in flight for each worker, and Spark jobs in flight."""


class Engine(Protocol):
    """Runs a function of one task on many. Functions, tasks and results can be pickled.

    Raises what a task raised, if it is a PaimonKsyError, or a PaimonKsyError that tells it in one
    line. Tasks that are not started by then never are; those that run are waited for.
    """

    def map(
        self,
        function: Callable[[Task], Result],
        tasks: Iterable[Task],
        *,
        progress: Callable[[Task], None] | None = None,
        seconds: Callable[[Task], float] | None = None,
    ) -> Iterator[tuple[Task, Result]]:
        """Tasks and their small results, in the order in which they are done.

        Where a task ends its process, a function may have a method `lost` that gives its result
        in this one. `seconds` are about what a task takes, where that can be told.
        """
        ...

    def batches(
        self,
        function: Callable[[Task], Iterable[pa.RecordBatch]],
        tasks: Iterable[Task],
        schema: pa.Schema,
        *,
        progress: Callable[[Task], None] | None = None,
        told: Callable[[Any], None] | None = None,
    ) -> Iterator[pa.RecordBatch]:
        """Batches of this schema, in the order of the tasks.

        What the function gives may have an attribute `effort`, which `told` gets when the task is
        done, or no more of its batches are wanted (on Spark such a task tells nothing), and a
        method `close`.
        """
        ...
