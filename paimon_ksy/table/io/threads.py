"""Threads for parts of a file. They stay for the next one: what a thread allocates, the next thing
that it does has without asking the system for memory, and a new thread has nothing."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from functools import partial
from threading import Lock
from typing import Any, Generic, ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")

_lock = Lock()
_pool: ThreadPoolExecutor | None = None


class Call(Generic[T]):
    """A call that one of the threads does, or who wants its result, whoever comes first."""

    def __init__(self, pool: ThreadPoolExecutor | None, function: Callable[[], T]) -> None:
        self._function = function
        self.future = Future[T]() if pool is None else pool.submit(function)

    def result(self) -> T:
        """What the function returns; raises what it raises."""
        return self._function() if self.future.cancel() else self.future.result()


class Calls:
    """Calls that were started."""

    def __init__(self, pool: ThreadPoolExecutor | None) -> None:
        self._pool = pool
        self.started: list[Call[Any]] = []

    def start(self, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> Call[T]:
        call = Call(self._pool, partial(function, *args, **kwargs))
        self.started.append(call)
        return call


@contextmanager
def at_once(in_threads: bool = True) -> Iterator[Calls]:
    """Calls in as many threads as there are processors, with the one that asks for results, which
    does them all if they are not worth others.

    None of them runs afterwards: after an error those that have not begun are left out. A call may
    not start others, as it could wait for a thread for ever.
    """
    calls = Calls(_kept() if in_threads else None)
    try:
        yield calls
    finally:
        wait([call.future for call in calls.started if not call.future.cancel()])


def _kept() -> ThreadPoolExecutor:
    global _pool
    with _lock:
        if _pool is None:
            _pool = ThreadPoolExecutor(max(1, (os.cpu_count() or 1) - 1), "paimon-ksy-read")
        return _pool


def _forget() -> None:
    """In a process that was forked there are no threads."""
    global _lock, _pool
    _lock, _pool = Lock(), None


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget)
