"""A pool of threads or processes on this machine."""

from __future__ import annotations

import queue
import sys
import threading
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from concurrent.futures import (
    FIRST_COMPLETED,
    BrokenExecutor,
    Executor,
    Future,
    ProcessPoolExecutor,
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
        self,
        function: Callable[[Task], Result],
        tasks: Iterable[Task],
        *,
        progress: Callable[[Task], None] | None = None,
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
                result = result_of(outcome)
                if progress is not None:
                    progress(task)
                yield task, result

    def outcomes(
        self, function: Callable[[Task], Result], tasks: Iterator[Task]
    ) -> Generator[tuple[Task, Any]]:
        """Yield tasks with their results or Failures, from a pool; one worker keeps their order.

        Damaged data files can crash the code that reads them, and the system may end a process if
        memory runs out. Then tasks that ran are run again, each in a process of its own.
        """
        pool = self._pool()
        running: dict[Future[Any], Task] = {}
        try:
            while True:
                for task in tasks:
                    running[_submitted(pool, function, task)] = task
                    if len(running) >= self.workers * AHEAD:
                        break
                if not running:
                    return
                wait(running, return_when=FIRST_COMPLETED)
                done = [future for future in running if future.done()]
                broken = any(map(_is_broken, done))
                for future in done:
                    if not _is_broken(future):
                        yield running.pop(future), future.result()
                if broken:
                    pool.shutdown(wait=True)
                    for future in list(running):
                        task = running.pop(future)
                        with replace(self, workers=1)._pool() as alone:
                            again = _submitted(alone, function, task)
                            wait([again])
                        yield task, lost(function, task) if _is_broken(again) else again.result()
                    pool = self._pool()
        finally:
            pool.shutdown(wait=True, cancel_futures=True)

    def _pool(self) -> Executor:
        if not self.processes:
            return ThreadPoolExecutor(self.workers)
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
        running: deque[tuple[Task, _Stream]] = deque()
        pool = ThreadPoolExecutor(self.workers)
        stop = threading.Event()
        try:
            while True:
                for task in islice(rest, max(0, self.workers - len(running))):
                    running.append((task, _Stream(pool, function, task, schema, stop)))
                if not running:
                    return
                task, stream = running[0]
                yield from stream
                running.popleft()
                stream.end(collect)
                if progress is not None:
                    progress(task)
        finally:
            stop.set()
            pool.shutdown(wait=True, cancel_futures=True)
            for _, stream in running:
                stream.end(collect)


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


_END = object()
_READY = 4  # the most batches of a task that wait to be taken


class _Stream:
    """Batches of a task: a thread makes a few, and continues when one of them is taken.

    The thread never waits for that, so Python can exit while a program holds unread batches.
    """

    def __init__(
        self,
        pool: Executor,
        function: Callable[[Any], Iterable[pa.RecordBatch]],
        task: Any,
        schema: pa.Schema,
        stop: threading.Event,
    ) -> None:
        self._pool, self._function, self._task = pool, function, task
        self._schema, self._stop = schema, stop
        self._ready: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self._made: Any = None
        self._rest: Iterator[pa.RecordBatch] | None = None
        self._paused, self._lock = False, threading.Lock()
        pool.submit(self._make)

    def _make(self) -> None:
        """Make batches until a few are ready, all are made, or they are no longer wanted."""
        try:
            if self._rest is None:
                self._made = self._function(self._task)
                self._rest = iter(self._made)
            for batch in self._rest:
                self._ready.put(checked(batch, self._schema))
                with self._lock:
                    self._paused = self._ready.qsize() >= _READY
                    if self._paused or self._stop.is_set():
                        return
            self._ready.put(_END)
        except Exception as error:  # as in attempt
            self._ready.put(Failure(error))

    def __iter__(self) -> Iterator[pa.RecordBatch]:
        while (item := self._ready.get()) is not _END:
            with self._lock:
                goes_on, self._paused = self._paused, False
            if goes_on:
                self._pool.submit(self._make)
            yield result_of(item)

    def end(self, collect: Callable[[Any], None] | None) -> None:
        """Close the function's result and collect its statistics. No thread is running it."""
        if hasattr(self._made, "close"):
            self._made.close()
        stats = getattr(self._made, "stats", None)
        if collect is not None and stats is not None:
            collect(stats)
