"""Where work on files is done: in a pool on this machine, or on Spark.

Both engines run the same functions of one task, and neither lets go of the bound on what is in
flight, so tasks may be an iterator of any length. A task that raises is an answer as well: what it
raised comes back as data and is raised here, in one line, so that Spark neither tries it again nor
wraps it. A Spark task that is killed is tried again: a function may be run twice for one task.
"""

from __future__ import annotations

import ctypes
import gc
import os
import pickle
import platform
import queue
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import traceback
import uuid
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Executor, Future, wait
from concurrent.futures import ProcessPoolExecutor as _Processes
from concurrent.futures import ThreadPoolExecutor as _Threads
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from functools import cache
from itertools import chain, islice
from multiprocessing.context import SpawnContext, SpawnProcess
from types import ModuleType
from typing import Any, Protocol, TypeVar

import pyarrow as pa
import pyarrow.compute as pc

from paimon_ksy.errors import OptionError, PaimonKsyError

Task = TypeVar("Task")
Result = TypeVar("Result")

_AHEAD = 2
"""Tasks in flight for each worker, and Spark jobs in flight."""

_WORTH_A_THREAD = 0.01
"""Seconds that a task should take for a thread to do it: threads that do shorter ones hand Python's
lock to and fro, and take longer together than one alone."""

_JOB_SECONDS = 1.0
"""What a Spark job should take at least: less is lost in starting it, more hides the progress."""

_MAX_TASKS_PER_CORE = 64
_MOST_TASKS_AT_FIRST = 32  # for each core, by what is said of them and not yet known


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


def engine_named(name: str, master: str | None = None, *, processes: bool = False) -> Engine:
    """The engine `local` or `spark`. Raises OptionError for others, PaimonKsyError."""
    if name == "spark":
        return spark_engine(master=master)
    if name != "local":
        raise OptionError(f"no engine {name!r}: there are 'local' and 'spark'")
    if master is not None:
        raise OptionError(f"master {master!r} is of Spark: give it with engine 'spark'")
    return local_engine(processes=processes)


# What became of a task --------------------------------------------------------------------------


@dataclass(frozen=True)
class _Failure:
    error: PaimonKsyError


def _attempt(function: Callable[[Any], Any], task: Any) -> Any:
    """What the function gives, or the _Failure."""
    try:
        return function(task)
    except Exception as error:  # all of them are the task's answer
        return _Failure(_own(error))


def _own(error: Exception) -> PaimonKsyError:
    """The error as one of ours that can be pickled; where it was raised is a note on it."""
    trace = "".join(traceback.format_exception(error))
    if isinstance(error, PaimonKsyError):
        with suppress(Exception):  # one that takes other arguments than it keeps
            copied: PaimonKsyError = pickle.loads(pickle.dumps(error))
            if str(copied) == str(error):
                copied.add_note(trace)
                return copied
        made = PaimonKsyError(str(error))
    else:
        made = PaimonKsyError(f"{type(error).__name__}: {_line(error)}")
    made.add_note(trace)
    return made


def _lost(task: Any) -> PaimonKsyError:
    """The error over a task whose process ended, with the data file that it was about."""
    path = getattr(getattr(task, "file", task), "path", None)
    where = "" if path is None else f"{path}: "
    return PaimonKsyError(f"{where}{LOST}")


LOST = (
    "the process that worked on it ended: the data file is damaged in a way that its reader does "
    "not survive, or the system ended it for want of memory"
)


def _result(found: Any) -> Any:
    if isinstance(found, _Failure):
        raise found.error
    return found


def _line(error: BaseException) -> str:
    lines = str(error).strip().splitlines()
    return lines[0] if lines else type(error).__name__


# This machine -----------------------------------------------------------------------------------


def local_engine(workers: int | None = None, *, processes: bool = False) -> Engine:
    """A pool on this machine, of as many workers as it has processors.

    With `processes`, `map` starts processes: for long work in Python. Threads are for work that
    waits or is Arrow's, and of `map` for none that it is told is short. A single task, or worker,
    needs neither. With glibc, `map` has this process keep up to 128 MB of the memory that it frees.
    """
    if workers is None:
        workers = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else 0
        workers = workers or os.cpu_count() or 1
    return _Local(max(1, workers), processes)


@dataclass(frozen=True)
class _Local:
    workers: int
    processes: bool

    def map(
        self,
        function: Callable[[Task], Result],
        tasks: Iterable[Task],
        *,
        progress: Callable[[Task], None] | None = None,
        seconds: Callable[[Task], float] | None = None,
    ) -> Iterator[tuple[Task, Result]]:
        _keep_memory()
        rest = iter(tasks)
        first = list(islice(rest, 2))
        alone = self.workers == 1 or len(first) < 2
        tasks = chain(first, rest)
        if alone:
            found = self._one_by_one(function, tasks)
        else:
            found = self._in_pool(function, tasks, None if self.processes else seconds)
        for task, result in found:
            if progress is not None:
                progress(task)
            yield task, result

    def _one_by_one(
        self, function: Callable[[Task], Result], tasks: Iterator[Task]
    ) -> Iterator[tuple[Task, Result]]:
        for task in tasks:
            yield task, _result(_attempt(function, task))

    def _in_pool(
        self,
        function: Callable[[Task], Result],
        tasks: Iterator[Task],
        seconds: Callable[[Task], float] | None,
    ) -> Iterator[tuple[Task, Result]]:
        pool = self._pool()
        running: dict[Future[Any], Task] = {}
        try:
            while True:
                for task in tasks:
                    if seconds is not None and seconds(task) < _WORTH_A_THREAD:
                        yield task, _result(_attempt(function, task))
                        continue
                    with _interrupts_blocked():
                        running[_submitted(pool, function, task)] = task
                    if len(running) >= self.workers * _AHEAD:
                        break
                if not running:
                    return
                done, _ = wait(running, return_when=FIRST_COMPLETED)
                broken = False
                for future in done:
                    if isinstance(future.exception(), BrokenExecutor):
                        broken = True
                    else:
                        yield running.pop(future), _result(future.result())
                if broken:
                    pool.shutdown(wait=True)
                    # One of them did it, and takes no other along when it is alone.
                    for future in list(running):
                        task = running.pop(future)
                        yield task, _result(self._alone(function, task))
                    pool = self._pool()
        finally:
            pool.shutdown(wait=True, cancel_futures=True)

    def _alone(self, function: Callable[[Task], Result], task: Task) -> Any:
        """What the function gives, or the _Failure, in a process of which nothing else is left.

        Code that reads data files ends it on some damage, or the system does for want of memory.
        """
        with replace(self, workers=1)._pool() as pool:
            try:
                with _interrupts_blocked():
                    running = pool.submit(_attempt, function, task)
                return running.result()
            except BrokenExecutor:
                lost = getattr(function, "lost", None)
                return _Failure(_lost(task)) if lost is None else lost(task)

    def _pool(self) -> Executor:
        if not self.processes:
            return _Threads(self.workers)
        if sys.platform != "win32":
            from multiprocessing.resource_tracker import ensure_running

            ensure_running()  # when it starts it would unblock interrupts
        return _Processes(self.workers, mp_context=_Context(), initializer=_start_worker)

    def batches(
        self,
        function: Callable[[Task], Iterable[pa.RecordBatch]],
        tasks: Iterable[Task],
        schema: pa.Schema,
        *,
        progress: Callable[[Task], None] | None = None,
        told: Callable[[Any], None] | None = None,
    ) -> Iterator[pa.RecordBatch]:
        rest = iter(tasks)
        first = list(islice(rest, 2))
        if len(first) < 2:
            yield from self._batches_of(function, first, schema, progress, told)
            return
        rest = chain(first, rest)
        running: deque[tuple[Task, _Stream]] = deque()
        pool = _Threads(self.workers)
        stop = threading.Event()
        try:
            while True:
                for task in islice(rest, max(0, self.workers * _AHEAD - len(running))):
                    stream = _Stream(function, task, schema, stop)
                    pool.submit(stream.run)
                    running.append((task, stream))
                if not running:
                    return
                task, stream = running[0]
                yield from stream
                running.popleft()
                _tell(stream.made, told)
                if progress is not None:
                    progress(task)
        finally:
            stop.set()
            pool.shutdown(wait=True, cancel_futures=True)
            for _, stream in running:
                _tell(stream.made, told)

    def _batches_of(
        self,
        function: Callable[[Task], Iterable[pa.RecordBatch]],
        tasks: Iterable[Task],
        schema: pa.Schema,
        progress: Callable[[Task], None] | None,
        told: Callable[[Any], None] | None,
    ) -> Iterator[pa.RecordBatch]:
        """Batches of tasks for which no thread is worth starting."""
        for task in tasks:
            made = _result(_attempt(function, task))
            rows = iter(made)
            try:
                while (batch := _result(_attempt(_next, rows))) is not None:
                    yield _checked(batch, schema)
            finally:
                _close(made)
                _tell(made, told)
            if progress is not None:
                progress(task)


def _submitted(pool: Executor, function: Callable[[Any], Any], task: Any) -> Future[Any]:
    """The future of a task; of a pool that is broken already it says so as others do."""
    try:
        return pool.submit(_attempt, function, task)
    except BrokenExecutor as error:
        found: Future[Any] = Future()
        found.set_exception(error)
        return found


def _next(made: Iterator[pa.RecordBatch]) -> pa.RecordBatch | None:
    return next(made, None)


def _close(made: Any) -> None:
    if hasattr(made, "close"):
        made.close()


def _tell(made: Any, told: Callable[[Any], None] | None) -> None:
    effort = getattr(made, "effort", None)
    if told is not None and effort is not None:
        told(effort)


_END = object()


class _Stream:
    """Batches of a task, made in one thread and taken in another; a few at most in between."""

    def __init__(
        self,
        function: Callable[[Any], Iterable[pa.RecordBatch]],
        task: Any,
        schema: pa.Schema,
        stop: threading.Event,
    ) -> None:
        self._function, self._task, self._schema, self._stop = function, task, schema, stop
        self._ready: queue.Queue[Any] = queue.Queue(maxsize=4)
        self.made: Any = None

    def run(self) -> None:
        """Make the batches, until they are no longer wanted."""
        end = _END
        try:
            if not self._stop.is_set():
                self.made = self._function(self._task)
            for batch in self.made or ():
                if not self._put(_checked(batch, self._schema)):
                    return
        except Exception as error:  # as in _attempt
            end = _Failure(_own(error))
        finally:
            _close(self.made)
        self._put(end)

    def _put(self, item: Any) -> bool:
        while not self._stop.is_set():
            with suppress(queue.Full):
                self._ready.put(item, timeout=0.1)
                return True
        return False

    def __iter__(self) -> Iterator[pa.RecordBatch]:
        while (item := self._ready.get()) is not _END:
            yield _result(item)


def _checked(batch: pa.RecordBatch, schema: pa.Schema) -> pa.RecordBatch:
    if not batch.schema.equals(schema):
        raise PaimonKsyError(f"made a batch of ({batch.schema}), and ({schema}) is wanted")
    return batch


_main_lock = threading.Lock()


class _Process(SpawnProcess):
    """A new process that does not run the caller's script again, as multiprocessing's own does.

    What runs there is imported from modules, so a script needs no `if __name__ == "__main__"`.
    """

    def start(self) -> None:
        with _main_lock:
            main = sys.modules["__main__"]
            sys.modules["__main__"] = ModuleType("__main__")
            try:
                super().start()
            finally:
                sys.modules["__main__"] = main


class _Context(SpawnContext):
    Process = _Process


@contextmanager
def _interrupts_blocked() -> Iterator[None]:
    """Ctrl+C waits meanwhile. Processes that are started never get it, from their first moment:
    they inherit it, and one that is still importing would print where it was."""
    if sys.platform == "win32":
        yield
        return
    # Another thread, of Arrow for one, may take the signal, and Python tells the main thread.
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


def _start_worker() -> None:
    """Of a worker process: one core is its share, and Ctrl+C is for the process that waits."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _use_one_core()
    _keep_memory()


def _use_one_core() -> None:
    pa.set_cpu_count(1)


_KEPT_BYTES = 128 << 20


@cache
def _keep_memory() -> None:
    """Have the C library keep what a task frees for the next one, up to so much.

    glibc else gives arrays of some megabytes back to the system, and to get their pages again takes
    a fifth of a task's time. Other C libraries have no such settings, or other ones.
    """
    with suppress(OSError, AttributeError):
        change = ctypes.CDLL(None).mallopt
        if platform.libc_ver()[0] == "glibc":
            change(_TRIM_THRESHOLD, _KEPT_BYTES)
            change(_MMAP_THRESHOLD, _MOST_IN_HEAP)


_TRIM_THRESHOLD, _MMAP_THRESHOLD = -1, -3  # M_ of malloc.h
_MOST_IN_HEAP = 32 << 20  # bytes of an array: glibc takes no more


# Spark ------------------------------------------------------------------------------------------


def spark_engine(spark: Any = None, master: str | None = None) -> Engine:
    """Spark: a session, classic or of Spark Connect; else the active one; else one of `master`.

    `master` is as spark-submit takes it, `local[*]` if None, or `sc://host:port` of Spark Connect.
    A cluster's workers need this package (`--py-files`). Raises PaimonKsyError if pyspark or Java
    is missing, or no session can be had.
    """
    return _Spark(_session(master) if spark is None else spark)


_LOCAL_SPARK = {
    # Java plans small jobs and passes on bytes, so what it would compile with much effort is never
    # made up for, and takes the time of the workers.
    "spark.driver.defaultJavaOptions": "-XX:TieredStopAtLevel=1",
    # Over TCP a job of two small tasks takes 150 ms in place of 90. Spark before 4.1 ignores it.
    "spark.python.unix.domain.socket.enabled": "true",
}
"""Of a session that is started here on this machine."""


def _session(master: str | None) -> Any:
    try:
        from pyspark.sql import SparkSession
    except ImportError:
        raise PaimonKsyError(
            "engine 'spark' needs pyspark: pip install 'paimon-ksy[spark]', or use engine 'local'"
        ) from None
    active = SparkSession.getActiveSession()
    if active is not None and master is None:
        return active
    master = master or os.environ.get("SPARK_REMOTE") or "local[*]"
    try:
        if master.startswith("sc://"):
            return SparkSession.builder.remote(master).getOrCreate()
        _check_java()
        os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
        builder = SparkSession.builder.appName("paimon-ksy")
        if master.startswith("local"):
            # A local worker that dies is started again only if the master says how often.
            master = re.sub(r"^local(\[(\d+|\*)\])?$", _with_retries, master)
            builder = builder.config("spark.driver.host", "127.0.0.1")
            os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
            builder = builder.config("spark.ui.enabled", "false")
            builder = builder.config("spark.ui.showConsoleProgress", "false")
            builder = builder.config("spark.log.level", "ERROR")
            for key, value in _LOCAL_SPARK.items():
                builder = builder.config(key, value)
        with _quiet():
            return builder.master(master).getOrCreate()
    except PaimonKsyError:
        raise
    except KeyboardInterrupt as error:
        _kill_started(error)
        raise
    except Exception as error:  # pyspark raises all kinds
        raise PaimonKsyError(f"no Spark session of {master!r}: {_spark_line(error)}") from error


@contextmanager
def _quiet() -> Iterator[None]:
    """Keeps what Java says of itself when it starts off standard error.

    It goes to a file for as long as Java runs; if it does not start, to a note on the error.
    """
    with tempfile.TemporaryFile() as words:
        stderr = os.dup(2)
        os.dup2(words.fileno(), 2)
        try:
            yield
        except BaseException as error:
            words.seek(0)
            error.add_note(words.read().decode(errors="replace"))
            raise
        finally:
            os.dup2(stderr, 2)
            os.close(stderr)


def _kill_started(error: BaseException) -> None:
    """End the process that was being started when this was raised.

    A Java that pyspark waits for would stay for ever: it dies when it cannot tell pyspark its port,
    but for the thread that listens there. pyspark keeps it in a local variable only.
    """
    for frame, _ in traceback.walk_tb(error.__traceback__):
        for value in frame.f_locals.values():
            if isinstance(value, subprocess.Popen) and getattr(value, "pid", None):
                value.kill()
                value.wait()


def _with_retries(match: re.Match[str]) -> str:
    return f"local[{match[2] or 1}, 4]"


def _check_java() -> None:
    home = os.environ.get("JAVA_HOME")
    found = shutil.which("java", path=f"{home}/bin" if home else None)
    if found is None:
        raise PaimonKsyError(
            "engine 'spark' needs Java 17 or later, and there is none on PATH or in JAVA_HOME: "
            "install it, or use engine 'local'"
        )


_CRASH = re.compile(r"Python worker (exited unexpectedly|terminated|crashed|died)")
"""What Spark says when a worker process ended before its task did."""

_REPLIES = pa.schema(
    [
        ("task", pa.int64()),
        ("seconds", pa.float64()),
        ("done", pa.bool_()),
        ("payload", pa.binary()),
    ]
)
"""What workers send, and how long they worked on it.

Of `map` one pickled result a task; of `batches` Arrow streams of a batch each, since Spark has not
all of Arrow's types, and at the end of a task what it took, pickled. A payload with `done` null is
a pickled _Failure.
"""


class _Spark:
    """Tasks are sent in jobs of some tasks for each core, as many as take a second or so: jobs are
    what all kinds of Spark tell the end of. One job waits while another runs, so no core is idle
    while the last task of a job is still running."""

    def __init__(self, spark: Any) -> None:
        self._spark = spark

    def map(
        self,
        function: Callable[[Task], Result],
        tasks: Iterable[Task],
        *,
        progress: Callable[[Task], None] | None = None,
        seconds: Callable[[Task], float] | None = None,
    ) -> Iterator[tuple[Task, Result]]:
        rest, per_core = iter(tasks), 1
        first = list(islice(rest, 1))
        if first and seconds is not None:
            per_core = _at_first(seconds(first[0]))
        rest = chain(first, rest)
        most = _MAX_TASKS_PER_CORE
        for job, replies in self._jobs(_Mapped(function), rest, per_core, most, in_order=False):
            for number, done, payload in replies:
                result = _result(_loads(done, payload))
                if progress is not None:
                    progress(job[number])
                yield job[number], result

    def batches(
        self,
        function: Callable[[Task], Iterable[pa.RecordBatch]],
        tasks: Iterable[Task],
        schema: pa.Schema,
        *,
        progress: Callable[[Task], None] | None = None,
        told: Callable[[Any], None] | None = None,
    ) -> Iterator[pa.RecordBatch]:
        # One task for each core: the replies of a job are here in memory.
        for job, replies in self._jobs(_Streamed(function, schema), tasks, 1, 1, in_order=True):
            for number, done, payload in replies:
                if done is None:
                    _result(_loads(done, payload))
                elif not done:
                    yield from pa.ipc.open_stream(payload)
                else:
                    effort = _loads(done, payload)
                    if told is not None and effort is not None:
                        told(effort)
                    if progress is not None:
                        progress(job[number])

    def _jobs(
        self,
        run: Callable[[Any], Any],
        tasks: Iterable[Task],
        per_core: int,
        most: int,
        *,
        in_order: bool,
    ) -> Iterator[tuple[list[Task], Iterator[tuple[int, bool | None, pa.Buffer]]]]:
        """Tasks of a job with its replies, as jobs are done, or in their order."""
        rest = iter(tasks)
        tag = f"paimon-ksy-{uuid.uuid4()}"
        running: dict[Future[pa.Table], list[Task]] = {}
        cores = self._cores()
        pool = _Threads(_AHEAD)
        try:
            while True:
                while len(running) < _AHEAD and (job := list(islice(rest, cores * per_core))):
                    running[pool.submit(self._run, run, job, tag)] = job
                if not running:
                    return
                if in_order:
                    done = next(iter(running))
                else:
                    done = next(iter(wait(running, return_when=FIRST_COMPLETED).done))
                replies = done.result()
                job = running.pop(done)
                per_core = _paced(replies["seconds"], len(job), cores, per_core, most)
                yield job, _rows(replies)
        finally:
            if running:
                with suppress(Exception):  # an old server, or one that is gone
                    self._spark.interruptTag(tag)
            pool.shutdown(wait=True, cancel_futures=True)

    def _run(self, run: Callable[[Any], Any], job: list[Any], tag: str) -> pa.Table:
        sent = pa.table(
            {
                "task": pa.array(range(len(job)), pa.int64()),
                "payload": pa.array([pickle.dumps(task) for task in job], pa.binary()),
            }
        )
        types = "task long, seconds double, done boolean, payload binary"
        try:
            with suppress(Exception):  # tags only make it stop earlier
                self._spark.addTag(tag)
            frame = self._spark.createDataFrame(sent).mapInArrow(_worker(run), types)
            replies: pa.Table = frame.toArrow()
        except Exception as error:  # py4j, gRPC and pyspark raise all kinds
            if isinstance(run, _Mapped) and _CRASH.search(str(error)):
                return self._run_halves(run, job, tag)
            raise PaimonKsyError(f"Spark: {_spark_line(error)}") from error
        return replies

    def _run_halves(self, run: _Mapped, job: list[Any], tag: str) -> pa.Table:
        """A job of which a task ended its worker, again and again: which one it is comes out."""
        if len(job) == 1:
            lost = getattr(run.function, "lost", None)
            found = _Failure(_lost(job[0])) if lost is None else lost(job[0])
            done = None if isinstance(found, _Failure) else True
            columns = [[0], [0.0], [done], [pickle.dumps(found)]]
            return pa.table(dict(zip(_REPLIES.names, columns, strict=True)), schema=_REPLIES)
        half = len(job) // 2
        first = self._run(run, job[:half], tag).cast(_REPLIES)
        second = self._run(run, job[half:], tag).cast(_REPLIES)
        moved = pc.add(second["task"], half)
        return pa.concat_tables([first, second.set_column(0, _REPLIES.field(0), moved)])

    def _cores(self) -> int:
        """How many tasks Spark runs at a time."""
        try:
            context = getattr(self._spark, "sparkContext", None)
        except Exception:  # Spark Connect has none
            context = None
        if context is not None:
            return max(1, int(context.defaultParallelism))
        from pyspark.sql import functions

        # What Spark makes of a range is the one thing that tells it through Spark Connect.
        parts = self._spark.range(1 << 16).select(functions.spark_partition_id().alias("part"))
        return int(parts.agg(functions.max("part")).collect()[0][0]) + 1


def _at_first(seconds: float) -> int:
    """How many tasks for each core the first jobs have, if one takes about so long."""
    return max(1, min(int(_JOB_SECONDS / seconds), _MOST_TASKS_AT_FIRST))


def _paced(seconds: pa.ChunkedArray, tasks: int, cores: int, per_core: int, most: int) -> int:
    """How many tasks for each core the next jobs have, after one of `tasks` with these replies.

    The time between jobs is Spark's own, so where tasks are short few jobs should be needed; but
    a few tasks tell little of those to come, so the number grows no more than eight times. It
    doubles at least, since the first tasks of a worker are its longest.
    """
    taken = (pc.sum(seconds).as_py() or 0) / cores
    if taken > 4 * _JOB_SECONDS:
        return max(1, per_core // 2)
    if taken < _JOB_SECONDS / 2 and tasks == cores * per_core:
        times = min(8, max(2, int(_JOB_SECONDS / max(taken, 1e-6))))
        return min(times * per_core, most)
    return per_core


@dataclass(frozen=True)
class _Mapped:
    """Replies to a task of `map`."""

    function: Callable[[Any], Any]

    def __call__(self, task: Any) -> Iterator[tuple[bool | None, bytes]]:
        found = _attempt(self.function, task)
        yield (None if isinstance(found, _Failure) else True), pickle.dumps(found)


@dataclass(frozen=True)
class _Streamed:
    """Replies to a task of `batches`."""

    function: Callable[[Any], Iterable[pa.RecordBatch]]
    schema: pa.Schema

    def __call__(self, task: Any) -> Iterator[tuple[bool | None, bytes]]:
        try:
            made = self.function(task)
            for batch in made:
                sink = pa.BufferOutputStream()
                with pa.ipc.new_stream(sink, self.schema) as stream:
                    stream.write_batch(_checked(batch, self.schema))
                yield False, sink.getvalue().to_pybytes()
        except Exception as error:  # as in _attempt
            yield None, pickle.dumps(_Failure(_own(error)))
        else:
            yield True, pickle.dumps(getattr(made, "effort", None))


def _worker(run: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """What a Spark task runs, by value but for what it imports of this package."""

    def replies(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        _start_task()
        for batch in batches:
            for number, payload in zip(batch.column(0), batch.column(1), strict=True):
                started = time.perf_counter()
                for done, reply in run(pickle.loads(payload.as_buffer())):
                    row = [[number.as_py()], [time.perf_counter() - started], [done], [reply]]
                    columns = [pa.array(v, f.type) for v, f in zip(row, _REPLIES, strict=True)]
                    yield pa.RecordBatch.from_arrays(columns, schema=_REPLIES)
                    started = time.perf_counter()
        _end_task()

    return replies


def _start_task() -> None:
    """Of a Spark task, in a worker that may have run others: one core is its share too."""
    _use_one_core()
    if not _frozen:
        _keep_memory()


def _end_task() -> None:
    """pyspark has a worker look for garbage after each task, which takes 50 ms because of what this
    package imports, some of it as late as it is used. What is there after its first task is left
    out of that."""
    global _frozen
    if not _frozen:
        gc.freeze()
        _frozen = True


_frozen = False


def _rows(replies: pa.Table) -> Iterator[tuple[int, bool | None, pa.Buffer]]:
    for batch in replies.to_batches():
        for number, _, done, payload in zip(*batch.columns, strict=True):
            yield number.as_py(), done.as_py(), payload.as_buffer()


def _loads(done: bool | None, payload: pa.Buffer) -> Any:
    return pickle.loads(payload)


def _spark_line(error: BaseException) -> str:
    """One line of an error of pyspark, whose first is often that something failed."""
    text = str(error)
    if "No module named 'paimon_ksy" in text:
        return (
            "its workers have no paimon_ksy: send the wheel as a .zip with --py-files, or an "
            "environment with --archives"
        )
    if "JAVA_GATEWAY_EXITED" in text or "UnsupportedClassVersionError" in text:
        return "Java did not start it: it needs Java 17 or later; or use engine 'local'"
    if "spark.driver.maxResultSize" in text:
        return (
            "the rows are more than the driver takes (spark.driver.maxResultSize): read them with "
            "spark.read.format('paimon_ksy'), which leaves them where they are"
        )
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    told = [line for line in lines if "Job aborted" in line]
    told = told or [line for line in lines if "Exception: " in line] or lines
    return (told or [type(error).__name__])[0].removeprefix("Caused by: ")[:500]
