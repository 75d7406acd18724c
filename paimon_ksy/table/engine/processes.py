"""Worker processes: how they start, and how they share the machine."""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing.context import SpawnContext, SpawnProcess
from types import ModuleType

import pyarrow as pa

from paimon_ksy.table.io.machine import keep_memory

_lock = threading.RLock()


@contextmanager
def safe_path() -> Iterator[None]:
    """Keep the current folder off the path of Python processes that start meanwhile.

    multiprocessing starts them with `-c`, and Spark with `-m`: the current folder would come first.
    """
    with _lock:
        before = os.environ.get(SAFE_PATH)
        os.environ[SAFE_PATH] = "1"
        try:
            yield
        finally:
            del os.environ[SAFE_PATH]
            if before is not None:
                os.environ[SAFE_PATH] = before


SAFE_PATH = "PYTHONSAFEPATH"


class Process(SpawnProcess):
    """A new process that, unlike multiprocessing's own, does not run the caller's script again.

    It imports its code from modules, so a script needs no `if __name__ == "__main__"`.
    """

    def start(self) -> None:
        """Start the process with an empty module as its main module."""
        with safe_path():
            main = sys.modules["__main__"]
            sys.modules["__main__"] = ModuleType("__main__")
            try:
                super().start()
            finally:
                sys.modules["__main__"] = main


class Context(SpawnContext):
    """A context that starts such processes."""

    Process = Process


@contextmanager
def interrupts_blocked() -> Iterator[None]:
    """Block Ctrl+C in this process, and in processes started in the meantime.

    They inherit the block. Without it, a process that is still importing would print a traceback.
    """
    if sys.platform == "win32":
        yield
        return
    # Another thread, such as one of Arrow, may get the signal, and Python notifies the main thread.
    waiting: list[int] = []
    is_main = threading.current_thread() is threading.main_thread()
    if is_main:
        handler = signal.signal(signal.SIGINT, lambda number, _: waiting.append(number))
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
        if is_main:
            signal.signal(signal.SIGINT, handler or signal.SIG_DFL)
        if waiting:
            signal.raise_signal(signal.SIGINT)


def start_worker() -> None:
    """Start a worker process: it uses one core, and leaves Ctrl+C to the process that waits."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    use_one_core()
    keep_memory()


def use_one_core() -> None:
    """Limit Arrow to one thread."""
    pa.set_cpu_count(1)
