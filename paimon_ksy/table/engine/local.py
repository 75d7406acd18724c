"""A pool of threads or processes on this machine."""

from __future__ import annotations

import sys
import threading
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from concurrent.futures import (
    FIRST_COMPLETED,
    BrokenExecutor,
    Executor,
    Future,
    ThreadPoolExecutor,
    wait,
)
from contextlib import closing
from dataclasses import dataclass, replace
from itertools import chain, islice
from typing import Any

import pyarrow as pa

from paimon_ksy.table.engine.processes import Context, interrupts_blocked, safe_path, start_worker
from paimon_ksy.table.engine.protocol import (
    AHEAD,
    Engine,
    Failure,
    Result,
    Task,
    attempt,
    checked,
    lost,
    result_of,
)
from paimon_ksy.table.io.machine import keep_memory, processors


def local_engine(workers: int | None = None, *, processes: bool = False) -> Engine:
    """Return an engine that runs on this machine, with one worker for each processor by default.

    With `processes`, `map` starts processes, for long work in Python. Threads suit work that waits
    or runs in Arrow. A single task or worker needs neither. With glibc, this process keeps up to
    128 MB of the memory that it frees during `map`.
    """
    return _Local(processors() if workers is None else max(1, workers), processes)


def in_threads(engine: Engine) -> Engine:
    """Return an engine for work that waits or is short: a local engine starts no process for it."""
    return replace(engine, processes=False) if isinstance(engine, _Local) else engine


def is_local(engine: Engine) -> bool:
    """Return whether an engine runs on this machine."""
    return isinstance(engine, _Local)


@dataclass(frozen=True)
class _Local:
    workers: int
    processes: bool
    time_zone: str | None = None

    def map(
        self, function: Callable[[Task], Result], tasks: Iterable[Task]
    ) -> Generator[tuple[Task, Result]]:
        keep_memory()
        rest = iter(tasks)
        first = list(islice(rest, 2))
        outcomes: Generator[tuple[Task, Any]]
        if self.workers == 1 or len(first) < 2:
            outcomes = ((task, attempt(function, task)) for task in chain(first, rest))
        else:
            outcomes = self.outcomes(function, chain(first, rest))
        with closing(outcomes):  # a Failure ends with no task running: one could write a file
            for task, outcome in outcomes:
                yield task, result_of(outcome)

    def outcomes(
        self, function: Callable[[Task], Result], tasks: Iterator[Task]
    ) -> Generator[tuple[Task, Any]]:
        """Yield tasks with their results or Failures, in order, from a pool.

        Damaged data files can crash the code that reads them, and the system may end a process if
        memory runs out. Then tasks that ran are run again, each in a process of its own.
        """
        pool = self._pool()
        waiting: deque[tuple[Task, Future[Any]]] = deque()
        running: set[Future[Any]] = set()
        try:
            while True:
                room = min(self.workers * AHEAD - len(running), _UNREAD - len(waiting))
                for task in islice(tasks, max(0, room)):
                    waiting.append((task, _submitted(pool, function, task)))
                    running.add(waiting[-1][1])
                if not waiting:
                    return
                done, running = wait(running, return_when=FIRST_COMPLETED)
                if any(map(_is_broken, done)):
                    pool.shutdown(wait=True)
                    pool, running = self._pool(), set()
                while waiting and waiting[0][1].done():
                    task, future = waiting.popleft()
                    outcome = self._alone(function, task) if _is_broken(future) else future.result()
                    yield task, outcome
        finally:
            pool.shutdown(wait=True, cancel_futures=True)

    def _alone(self, function: Callable[[Task], Result], task: Task) -> Any:
        """Return the outcome of a task in a process of its own."""
        with replace(self, workers=1)._pool() as pool:
            future = _submitted(pool, function, task)
            wait([future])
        return lost(function, task) if _is_broken(future) else future.result()

    def _pool(self) -> Executor:
        if not self.processes:
            return ThreadPoolExecutor(self.workers)
        from concurrent.futures import ProcessPoolExecutor

        if sys.platform != "win32":
            from multiprocessing.resource_tracker import ensure_running

            with safe_path():
                ensure_running()  # starting it later would unblock interrupts
        return ProcessPoolExecutor(self.workers, mp_context=Context(), initializer=start_worker)

    def batches(
        self,
        function: Callable[[Task], Iterable[pa.RecordBatch]],
        tasks: Iterable[Task],
        schema: pa.Schema,
        *,
        progress: Callable[[Task], None] | None = None,
        collect: Callable[[Any], None] | None = None,
    ) -> Iterator[pa.RecordBatch]:
        rest = iter(tasks)
        running: deque[tuple[Task, _Prefetch]] = deque()
        pool = ThreadPoolExecutor(self.workers)
        stop = threading.Event()
        try:
            while True:
                for task in islice(rest, self.workers - len(running)):
                    running.append((task, _Prefetch(pool, function(task), schema, stop)))
                    if len(running) > 1:
                        for _, rows in running:
                            rows.start()
                if not running:
                    return
                task, rows = running[0]
                yield from rows
                running.popleft()
                rows.end(collect)
                if progress is not None:
                    progress(task)
        finally:
            stop.set()
            pool.shutdown(wait=True, cancel_futures=True)
            for _, rows in running:
                rows.end(collect)


def outcomes_apart(function: Callable[[Any], Any], tasks: Sequence[Any]) -> Iterator[Any]:
    """Yield the result or Failure of each task in order, from one other process."""
    for _, outcome in _Local(1, True).outcomes(function, iter(tasks)):
        yield outcome


def _submitted(pool: Executor, function: Callable[[Any], Any], task: Any) -> Future[Any]:
    """Return the future of a task's outcome; it fails if the pool is already broken."""
    try:
        with interrupts_blocked():
            return pool.submit(attempt, function, task)
    except BrokenExecutor as error:
        failed: Future[Any] = Future()
        failed.set_exception(error)
        return failed


def _is_broken(future: Future[Any]) -> bool:
    """Return whether a task, or another one of its process, ended the process."""
    return isinstance(future.exception(), BrokenExecutor)


_UNREAD = 1000  # the most outcomes that wait behind a task that takes long, to bound memory
_AHEAD = 4  # the most batches of a task that are read together, before they are taken


@dataclass(eq=False)
class _Prefetch:
    """The batches of a task: while some are taken, a thread reads the next ones.

    The thread never waits for that, so Python can exit while a program holds unread batches. The
    first ones are read as they are taken, unless the task was started before.
    """

    pool: Executor
    rows: Iterable[pa.RecordBatch]
    schema: pa.Schema
    stop: threading.Event

    def __post_init__(self) -> None:
        self._batches = iter(self.rows)
        self._next: Future[list[Any]] | None = None

    def start(self) -> None:
        """Have a thread read the first batches, once."""
        self._next = self._next or self.pool.submit(self._next_batches)

    def _next_batches(self) -> list[Any]:
        """Return the next batches, up to a Failure; none at the end."""
        batches: list[Any] = []
        try:
            for batch in islice(self._batches, _AHEAD):
                batches.append(checked(batch, self.schema))
                if self.stop.is_set():
                    break
        except Exception as error:  # as in attempt
            batches.append(Failure(error))
        return batches

    def __iter__(self) -> Iterator[pa.RecordBatch]:
        is_last = False
        while not is_last:
            batches = self._next_batches() if self._next is None else self._next.result()
            is_last = len(batches) < _AHEAD
            if not is_last:
                self._next = self.pool.submit(self._next_batches)
            yield from map(result_of, batches)

    def end(self, collect: Callable[[Any], None] | None) -> None:
        """Close the function's result and collect its statistics. No thread is running it."""
        if hasattr(self.rows, "close"):
            self.rows.close()
        stats = getattr(self.rows, "stats", None)
        if collect is not None and stats is not None:
            collect(stats)
