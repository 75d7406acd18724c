"""The Spark engine: tasks are rows of a table that workers map to their results."""

from __future__ import annotations

import gc
import pickle
import re
import time
import uuid
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property, reduce
from itertools import chain, islice
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from paimon_ksy.errors import PaimonKsyError
from paimon_ksy.table.engine.outcome import Failure, attempt, checked, lost, own, result_of
from paimon_ksy.table.engine.processes import use_one_core
from paimon_ksy.table.engine.protocol import AHEAD, Engine, Result, Task
from paimon_ksy.table.engine.session import give_up, session, spark_line
from paimon_ksy.table.engine.shared import TaskPickler, TaskUnpickler, unpickled_shared
from paimon_ksy.table.io.machine import keep_memory

_JOB_SECONDS = 1.0
"""The least seconds of a Spark job: shorter ones waste startup time, longer ones hide progress."""

_MAX_TASKS_PER_CORE = 64
_MOST_TASKS_AT_FIRST = 32  # for each core, if only estimates of their time exist

_FRAME_BYTES = 32 << 20
"""The most bytes of tasks in one DataFrame. For a larger one, Spark makes one partition for each
batch, not for each core (`spark.sql.execution.arrow.localRelationThreshold`, 48 MB). Spark Connect
always makes one for each core."""

_GROWTH = 4
"""The most by which dynamic allocation may multiply the cores from one job to the next."""

_MOST_EXECUTORS = 1 << 20  # if Spark has no limit

_JOB_BYTES = 64 << 20
"""The most bytes of tasks in a job with one task for each core: the driver holds two jobs."""


def spark_engine(spark: Any = None, master: str | None = None) -> Engine:
    """Return an engine on Spark.

    Sessions may be classic or Spark Connect. A cluster's workers need this package (`--py-files`).

    Args:
        spark: A session; None for the active one, or else a new one of `master`.
        master: A master for spark-submit (`local[*]` if None), or `sc://host:port`.

    Raises:
        PaimonKsyError: pyspark or Java is missing, or Spark cannot be reached.
    """
    return _Spark(session(master) if spark is None else spark)


_CRASH = re.compile(r"Python worker (exited unexpectedly|terminated|crashed|died)")
"""Spark's messages about a worker process that ended before its task did."""

_REPLIES = pa.schema(
    [
        ("task", pa.int64()),
        ("seconds", pa.float64()),
        ("done", pa.bool_()),
        ("payload", pa.binary()),
    ]
)
"""The columns of workers' replies, with the seconds that a task took.

For `map`, one pickled result per task. For `batches`, an Arrow stream per batch, since Spark lacks
some of Arrow's types, and the pickled stats at the end of a task. If `done` is null, the payload is
a pickled Failure.
"""


class _Spark:
    """An engine that sends jobs of some tasks for each core, with about a second of work.

    All kinds of Spark report the end of a job, so jobs are the unit. One job waits while another
    runs, so no core is idle during the last task of a job.
    """

    def __init__(self, spark: Any) -> None:
        self._spark = spark
        self._parallelism: int | None = None  # cached for Spark Connect

    def map(
        self,
        function: Callable[[Task], Result],
        tasks: Iterable[Task],
        *,
        progress: Callable[[Task], None] | None = None,
        seconds: Callable[[Task], float] | None = None,
    ) -> Generator[tuple[Task, Result]]:
        rest, per_core = iter(tasks), 1
        first = list(islice(rest, 1))
        if first and seconds is not None:
            per_core = _at_first(seconds(first[0]))
        rest = chain(first, rest)
        most = _MAX_TASKS_PER_CORE
        for tasks, replies in self._jobs(_Mapped(function), rest, per_core, most, in_order=False):
            for number, _, payload in replies:
                result = result_of(pickle.loads(payload))
                if progress is not None:
                    progress(tasks[number])
                yield tasks[number], result

    def batches(
        self,
        function: Callable[[Task], Iterable[pa.RecordBatch]],
        tasks: Iterable[Task],
        schema: pa.Schema,
        *,
        progress: Callable[[Task], None] | None = None,
        collect: Callable[[Any], None] | None = None,
    ) -> Iterator[pa.RecordBatch]:
        # One task for each core, because this process holds a job's replies in memory.
        run = _Streamed(function, schema)
        for job, replies in self._jobs(run, tasks, 1, 1, in_order=True):
            for number, done, payload in replies:
                if done is None:
                    result_of(pickle.loads(payload))
                elif not done:
                    yield from pa.ipc.open_stream(payload)
                else:
                    stats = pickle.loads(payload)
                    if collect is not None and stats is not None:
                        collect(stats)
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
        """Yield the tasks and replies of each job, as jobs finish or in the order of jobs."""
        rest = iter(tasks)
        tag = f"paimon-ksy-{uuid.uuid4()}"
        running: dict[Future[pa.Table], _Job] = {}
        pool = ThreadPoolExecutor(AHEAD)
        try:
            while True:
                while len(running) < AHEAD and (job := self._next_job(rest, per_core)):
                    running[pool.submit(self._run, run, job, tag)] = job
                if not running:
                    return
                if in_order:
                    done = next(iter(running))
                else:
                    done = next(iter(wait(running, return_when=FIRST_COMPLETED).done))
                replies = done.result()
                job = running.pop(done)
                per_core = _paced(replies["seconds"], len(job.tasks), job.width, per_core, most)
                yield job.tasks, _rows(replies)
        finally:
            if running:
                with suppress(Exception):  # an old server, or one that has ended
                    self._spark.interruptTag(tag)
            pool.shutdown(wait=True, cancel_futures=True)

    def _next_job(self, tasks: Iterator[Any], per_core: int) -> _Job | None:
        cores = self._cores()
        width = _width(cores, self._most_cores)
        taken, payloads, shared = _taken(tasks, width, per_core)
        if not taken:
            return None
        # Spark splits one DataFrame into as many partitions as there are cores now.
        frames = -(-min(width, len(taken)) // cores)
        frame_bytes = None if self._context is None else _FRAME_BYTES
        return _Job(taken, payloads, shared, width, -(-len(taken) // frames), frame_bytes)

    def _run(self, run: Callable[[Any], Any], job: _Job, tag: str) -> pa.Table:
        types = "task long, seconds double, done boolean, payload binary"
        try:
            with suppress(Exception):  # tags only make jobs stop earlier
                self._spark.addTag(tag)
            frames = [self._spark.createDataFrame(frame) for frame in job.frames()]
            sent = reduce(lambda before, frame: before.union(frame), frames)
            replies: pa.Table = sent.mapInArrow(_worker(run, job.shared), types).toArrow()
        except Exception as error:  # py4j, gRPC and pyspark raise all kinds
            if isinstance(run, _Mapped) and _CRASH.search(str(error)):
                return self._run_halves(run, job, tag)
            give_up(self._spark, error)
            raise PaimonKsyError(f"Spark: {spark_line(error)}") from error
        return replies

    def _run_halves(self, run: _Mapped, job: _Job, tag: str) -> pa.Table:
        """Run a job by halves to find the task that repeatedly ends its worker."""
        if len(job.tasks) == 1:
            found = lost(run.function, job.tasks[0])
            done = None if isinstance(found, Failure) else True
            columns = [[0], [0.0], [done], [pickle.dumps(found)]]
            return pa.table(dict(zip(_REPLIES.names, columns, strict=True)), schema=_REPLIES)
        half = len(job.tasks) // 2
        first = self._run(run, job.part(slice(None, half)), tag).cast(_REPLIES)
        second = self._run(run, job.part(slice(half, None)), tag).cast(_REPLIES)
        moved = pc.add(second["task"], half)
        return pa.concat_tables([first, second.set_column(0, _REPLIES.field(0), moved)])

    def _cores(self) -> int:
        """Return how many tasks Spark runs at a time; it may gain and lose executors meanwhile."""
        if self._context is not None:
            return max(1, int(self._context.defaultParallelism))
        if self._parallelism is None or self._most_cores is not None:
            from pyspark.sql import functions

            # Through Spark Connect, only the partitions of a range reveal the number of cores.
            parts = self._spark.range(1 << 16).select(functions.spark_partition_id().alias("part"))
            self._parallelism = int(parts.agg(functions.max("part")).collect()[0][0]) + 1
        return self._parallelism

    @cached_property
    def _most_cores(self) -> int | None:
        """Return the result of `most_cores` for this session."""
        return most_cores(lambda key: self._spark.conf.get(key, None))

    @cached_property
    def _context(self) -> Any:
        try:
            return getattr(self._spark, "sparkContext", None)
        except Exception:  # Spark Connect has none
            return None


def most_cores(setting: Callable[[str], str | None]) -> int | None:
    """Return how many tasks Spark may run at a time with dynamic allocation; None without it.

    Args:
        setting: Returns a setting of Spark; None if it is not set.
    """
    if (setting("spark.dynamicAllocation.enabled") or "").strip().lower() != "true":
        return None
    executors = _whole(setting("spark.dynamicAllocation.maxExecutors"), _MOST_EXECUTORS)
    cores = _whole(setting("spark.executor.cores"), 1)  # Spark's default on YARN and Kubernetes
    return executors * max(1, cores // _whole(setting("spark.task.cpus"), 1))


def _whole(text: str | None, default: int) -> int:
    return int(text) if text is not None and text.strip().isdecimal() else default


def _width(cores: int, most: int | None) -> int:
    """Return how many partitions a job should have, so that Spark requests more executors.

    Spark requests the executors that waiting tasks need. At most four times as many tasks wait as
    can run, because the wait may be long, and the driver holds the replies of a job in memory.
    """
    return cores if most is None else max(cores, min(most, _GROWTH * cores))


@dataclass(frozen=True)
class _Job:
    """Tasks that are sent together.

    Attributes:
        tasks: The tasks.
        payloads: The tasks, pickled.
        shared: The objects that the tasks share, pickled.
        width: The number of partitions, if there are as many tasks.
        frame_tasks: The most tasks in one DataFrame.
        frame_bytes: The most bytes in one DataFrame of several tasks; None for no limit.
    """

    tasks: list[Any]
    payloads: list[bytes]
    shared: bytes
    width: int
    frame_tasks: int
    frame_bytes: int | None

    def part(self, which: slice) -> _Job:
        """Return a job of a slice of the tasks."""
        return replace(self, tasks=self.tasks[which], payloads=self.payloads[which])

    def frames(self) -> Iterator[pa.Table]:
        """Yield the tasks with their numbers, as tables that become DataFrames."""
        start = size = 0
        for number, payload in enumerate(self.payloads):
            large = self.frame_bytes is not None and size + len(payload) > self.frame_bytes
            if number > start and (large or number - start == self.frame_tasks):
                yield self._frame(start, number)
                start, size = number, 0
            size += len(payload)
        yield self._frame(start, len(self.payloads))

    def _frame(self, start: int, end: int) -> pa.Table:
        numbers = pa.array(range(start, end), pa.int64())
        payloads = pa.array(self.payloads[start:end], pa.binary())
        return pa.table({"task": numbers, "payload": payloads})


def _taken(tasks: Iterator[Any], width: int, per_core: int) -> tuple[list[Any], list[bytes], bytes]:
    """Take the tasks of a job, and return them, each pickled, and their shared objects, pickled.

    These are `per_core` tasks for each of `width` cores, or fewer if they are large, but at least
    one.
    """
    pickler = TaskPickler()
    taken: list[Any] = []
    payloads: list[bytes] = []
    size = 0
    for task in islice(tasks, width * per_core):
        taken.append(task)
        payloads.append(pickler.dumps(task))
        size += len(payloads[-1])
        if size >= _JOB_BYTES and len(taken) >= width:
            break
    return taken, payloads, pickler.shared()


def _at_first(seconds: float) -> int:
    """Return the number of tasks for each core in the first jobs, if one takes this long."""
    return max(1, min(int(_JOB_SECONDS / seconds), _MOST_TASKS_AT_FIRST))


def _paced(seconds: pa.ChunkedArray, tasks: int, cores: int, per_core: int, most: int) -> int:
    """Return the number of tasks for each core in the next jobs, given the replies of one job.

    Spark needs time between jobs, so short tasks should need few jobs. But a few tasks do not
    predict later ones well, so the number grows at most eightfold. It at least doubles, because the
    first tasks of a worker take longest.
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
    """A function that returns the replies to a task of `map`."""

    function: Callable[[Any], Any]

    def __call__(self, task: Any) -> Iterator[tuple[bool | None, bytes]]:
        found = attempt(self.function, task)
        yield (None if isinstance(found, Failure) else True), pickle.dumps(found)


@dataclass(frozen=True)
class _Streamed:
    """A function that returns the replies to a task of `batches`."""

    function: Callable[[Any], Iterable[pa.RecordBatch]]
    schema: pa.Schema

    def __call__(self, task: Any) -> Iterator[tuple[bool | None, bytes]]:
        try:
            made = self.function(task)
            for batch in made:
                sink = pa.BufferOutputStream()
                with pa.ipc.new_stream(sink, self.schema) as stream:
                    stream.write_batch(checked(batch, self.schema))
                yield False, sink.getvalue().to_pybytes()
        except Exception as error:  # as in attempt
            yield None, pickle.dumps(Failure(own(error)))
        else:
            yield True, pickle.dumps(getattr(made, "stats", None))


def _worker(run: Callable[[Any], Any], shared: bytes) -> Callable[[Any], Any]:
    """Return a Spark task's function, pickled by value except for imports of this package."""

    def replies(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        _start_task()
        for batch in batches:
            for number, payload in zip(batch.column(0), batch.column(1), strict=True):
                started = time.perf_counter()
                task = TaskUnpickler(payload.as_buffer(), unpickled_shared(shared)).load()
                for done, reply in run(task):
                    row = [[number.as_py()], [time.perf_counter() - started], [done], [reply]]
                    columns = [pa.array(v, f.type) for v, f in zip(row, _REPLIES, strict=True)]
                    yield pa.RecordBatch.from_arrays(columns, schema=_REPLIES)
                    started = time.perf_counter()
        _end_task()

    return replies


def _start_task() -> None:
    """Start a Spark task, which uses one core, in a worker that may have run others."""
    use_one_core()
    if not _frozen:
        keep_memory()


def _end_task() -> None:
    """End a Spark task: exempt objects that exist after a worker's first one from collections.

    pyspark has a worker collect garbage after each task. That takes 50 ms because of the modules
    that this package imports, some of them on first use.
    """
    global _frozen
    if not _frozen:
        gc.freeze()
        _frozen = True


_frozen = False


def _rows(replies: pa.Table) -> Iterator[tuple[int, bool | None, pa.Buffer]]:
    for batch in replies.to_batches():
        for number, _, done, payload in zip(*batch.columns, strict=True):
            yield number.as_py(), done.as_py(), payload.as_buffer()
