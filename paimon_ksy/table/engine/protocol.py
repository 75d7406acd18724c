"""The interface of engines, the outcomes of tasks, and groups of tasks of about the same size."""

from __future__ import annotations

import pickle
import traceback
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

import pyarrow as pa

from paimon_ksy.errors import PaimonKsyError
from paimon_ksy.messages.causes import unexpected

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
        self, function: Callable[[Task], Result], tasks: Iterable[Task]
    ) -> Generator[tuple[Task, Result]]:
        """Yield tasks and their small results, in the order of the tasks.

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

        The function does its work as its result is iterated, which may have an attribute `stats`
        and a method `close`. `collect` gets the stats when the task is done, or when no more of its
        batches are wanted. On Spark, it does not get the stats of a task that is stopped early.
        """
        ...


# Outcomes ---------------------------------------------------------------------------------------

LOST = "the worker process crashed: the data file is corrupt, or memory ran out"


@dataclass(frozen=True)
class Failure:
    """An error that a task raised, as its result; pickled, it has a note of where that was."""

    error: Exception

    def __reduce__(self) -> tuple[type[Failure], tuple[PaimonKsyError]]:
        return Failure, (_picklable(self.error),)


def attempt(function: Callable[[Any], Any], task: Any) -> Any:
    """Return the function's result, or the Failure."""
    try:
        return function(task)
    except Exception as error:  # every error is the task's result
        return Failure(error)


def _picklable(error: Exception) -> PaimonKsyError:
    """Return the error as a picklable PaimonKsyError, with a note of where it was raised.

    Never in a thread beside others: Python 3.11 formats a traceback by `ast.parse`, which fails if
    two threads do that (https://github.com/python/cpython/issues/106905).
    """
    trace = "".join(traceback.format_exception(error))
    if isinstance(error, PaimonKsyError):
        with suppress(Exception):  # its constructor may take other arguments than it stores
            copied: PaimonKsyError = pickle.loads(pickle.dumps(error))
            if str(copied) == str(error):
                copied.add_note(trace)
                return copied
        ours = PaimonKsyError(str(error))
        ours.remedy = error.remedy
    else:
        ours = unexpected(error)
    ours.add_note(trace)
    return ours


def lost(function: Callable[[Any], Any], task: Any) -> Any:
    """Return a substitute for the result of a task whose process ended.

    It is the result of `function.lost`, or a Failure that names the task's data file.
    """
    if hasattr(function, "lost"):
        return function.lost(task)
    path = getattr(getattr(task, "file", task), "path", None)
    where = "" if path is None else f"{path}: "
    return Failure(PaimonKsyError(f"{where}{LOST}"))


def result_of(outcome: Any) -> Any:
    """Return the result. Raises the error of a Failure, as a PaimonKsyError."""
    if isinstance(outcome, Failure):
        error = unexpected(outcome.error)
        if error is not outcome.error:
            raise error from outcome.error
        raise error
    return outcome


def checked(batch: pa.RecordBatch, schema: pa.Schema) -> pa.RecordBatch:
    """Return the batch after checking its schema.

    Raises:
        PaimonKsyError: The batch has another schema.
    """
    if not batch.schema.equals(schema):
        raise PaimonKsyError(
            f"internal error: a batch has the schema ({batch.schema}), not ({schema})"
        )
    return batch


# Groups -----------------------------------------------------------------------------------------

OPEN_COST = 4 << 20
"""The least size of a task: opening a file takes about as long as reading so many bytes."""


def size_of(task: object) -> int:
    """Return the bytes of the task's data files; 0 if it has none."""
    size = getattr(task, "size", 0)
    return size if isinstance(size, int) else 0


def files_of(task: object) -> int:
    """Return the number of the task's files, which are those of a group or its `files`, or one."""
    files = getattr(task, "files", task)
    return len(files) if isinstance(files, tuple | pa.RecordBatch) else 1


def packed(tasks: Iterable[Task], target: int, cost: int = OPEN_COST) -> Iterator[list[Task]]:
    """Yield the tasks in order, in groups of about `target` bytes.

    A group begins where the sum of all sizes so far passes a multiple of the target, so the tasks
    of a total size have at most as many groups as the target is contained in it. `cost` is the
    least size of a task in bytes.
    """
    group: list[Task] = []
    before = number = 0
    target = max(1, target)
    for task in tasks:
        if group and before // target != number:
            yield group
            group = []
        number = before // target
        group.append(task)
        before += max(size_of(task), cost)
    if group:
        yield group
