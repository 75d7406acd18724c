"""The Spark engine: each partition of a Spark job has a list of tasks, pickled together."""

from __future__ import annotations

import pickle
import uuid
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice
from typing import Any

import pyarrow as pa

from paimon_ksy.errors import PaimonKsyError
from paimon_ksy.table.engine.local import outcomes_apart
from paimon_ksy.table.engine.processes import use_one_core
from paimon_ksy.table.engine.protocol import (
    AHEAD,
    LOST,
    OPEN_COST,
    Engine,
    Failure,
    Result,
    Task,
    attempt,
    checked,
    packed,
    result_of,
    size_of,
)
from paimon_ksy.table.engine.session import checked_session, give_up, session, spark_line
from paimon_ksy.table.io.machine import keep_memory

_FIRST_TASKS, _MOST_TASKS = 4, 512
"""Tasks for each core in the first jobs, and the most: each job has twice as many as the one before
it. The first jobs are small, since the end of a job is all that progress shows."""

_MAP_BYTES, _ROWS_BYTES = 4 << 30, 64 << 20
"""The most bytes of data files in a job that has several tasks for a core: of tasks with small
results, and of tasks whose rows this process gets."""

_SENT_BYTES = 16 << 20
"""Bytes of a job's pickled tasks from which on jobs do not grow: each of its workers gets all."""

KILL_SECONDS = 3.0
"""The time in which Spark ends the workers of a cancelled job (`spark.python.task.killTimeout`)."""


def spark_engine(spark: Any = None, master: str | None = None) -> Engine:
    """Return an engine on Spark.

    Sessions may be classic or Spark Connect. A cluster's workers need this package (`--py-files`).
    Literals without a time zone are in that of the session.

    Args:
        spark: A session; None for the active one, or else a new one of `master`.
        master: A master for spark-submit (`local[*]` if None), or `sc://host:port`.

    Raises:
        PaimonKsyError: pyspark or Java is missing, or Spark cannot be reached.
    """
    return SparkEngine(checked_session(session(master) if spark is None else spark))


_REPLY_TYPES = "task long, done boolean, payload binary"
_REPLIES = pa.schema([("task", pa.int64()), ("done", pa.bool_()), ("payload", pa.binary())])
"""The columns of workers' replies.

For `map`, one pickled result per task. For `batches`, an Arrow stream per batch, since Spark lacks
some of Arrow's types, and the pickled stats at the end of a task. If `done` is null, the payload is
a pickled Failure.
"""


@dataclass(frozen=True)
class SparkEngine:
    """An engine that sends Spark jobs with a partition for each core.

    All kinds of Spark report the end of a job, so jobs are the unit of progress. One job waits
    while another runs, so no core is idle during the last task of a job. Jobs are in the group of
    the caller, and have the caller's tags.

    Attributes:
        spark: The session.
        title: What the jobs do, for their descriptions, such as `query orders`.
        unit: What the tasks are.
        total: The number of tasks, if it is known.
        zoned: Whether literals without a time zone are in that of the session.
    """

    spark: Any
    title: str = ""
    unit: str = "tasks"
    total: int | None = None
    zoned: bool = True

    @property
    def time_zone(self) -> str | None:
        """The time zone of literals that have none; None if nobody chose it."""
        return str(self.spark.conf.get("spark.sql.session.timeZone")) if self.zoned else None

    def map(
        self,
        function: Callable[[Task], Result],
        tasks: Iterable[Task],
        *,
        progress: Callable[[Task], None] | None = None,
    ) -> Generator[tuple[Task, Result]]:
        """See `Engine.map`."""
        for job in self._jobs(_Mapped(function), tasks, _MAP_BYTES):
            for number, _, payload in job.rows():
                result = result_of(pickle.loads(payload))
                if progress is not None:
                    progress(job.tasks[number])
                yield job.tasks[number], result

    def batches(
        self,
        function: Callable[[Task], Iterable[pa.RecordBatch]],
        tasks: Iterable[Task],
        schema: pa.Schema,
        *,
        progress: Callable[[Task], None] | None = None,
        collect: Callable[[Any], None] | None = None,
    ) -> Iterator[pa.RecordBatch]:
        """See `Engine.batches`."""
        for job in self._jobs(_Streamed(function, schema), tasks, _ROWS_BYTES):
            for number, done, payload in job.rows():
                if done is None:
                    result_of(pickle.loads(payload))
                elif not done:
                    yield from pa.ipc.open_stream(payload)
                else:
                    stats = pickle.loads(payload)
                    if collect is not None and stats is not None:
                        collect(stats)
                    if progress is not None:
                        progress(job.tasks[number])

    def _jobs(self, run: _Run, tasks: Iterable[Task], most_bytes: int) -> Iterator[_Done]:
        """Yield jobs in their order as they finish."""
        context, rest, cores = self._context, iter(tasks), self._cores()
        per_core, sent = _FIRST_TASKS, 0
        tag = f"paimon-ksy-{uuid.uuid4()}"
        running: deque[Future[_Done]] = deque()
        pool = ThreadPoolExecutor(AHEAD)
        try:
            while True:
                while len(running) < AHEAD and (
                    taken := _taken(rest, cores, cores * per_core, most_bytes)
                ):
                    run_job = _inheriting(self.spark, self._run)
                    running.append(pool.submit(run_job, run, taken, cores, sent, tag))
                    sent += len(taken)
                if not running:
                    return
                done = running[0].result()
                running.popleft()
                yield done
                if done.sent_bytes < _SENT_BYTES:
                    per_core = min(2 * per_core, _MOST_TASKS)
        finally:
            if running:
                with suppress(Exception):  # a server that has ended
                    stop = self.spark.interruptTag if context is None else context.cancelJobsWithTag
                    stop(tag)
            pool.shutdown(wait=True, cancel_futures=True)

    def _run(self, run: _Run, tasks: list[Task], cores: int, before: int, tag: str) -> _Done:
        """Run a job in this thread; `before` is the number of tasks in earlier jobs."""
        payloads = _payloads(tasks, cores)
        try:
            replies = self._replies(run, payloads, before, len(tasks), tag)
        except Exception as error:  # py4j, gRPC and pyspark raise all kinds
            line = spark_line(error)
            if isinstance(run, _Mapped) and not run.apart and line == LOST:
                return self._run(run.of_lost(), tasks, cores, before, tag)
            give_up(self.spark, error)
            raise PaimonKsyError(f"Spark: {line}") from error
        return _Done(tasks, replies, sum(map(len, payloads)))

    def _replies(
        self, run: _Run, payloads: list[bytes], before: int, count: int, tag: str
    ) -> pa.Table:
        self._describe(before, count, tag)
        sent = self.spark.range(0, len(payloads), 1, len(payloads))
        replies: pa.Table = sent.mapInArrow(_worker(run, payloads), _REPLY_TYPES).toArrow()
        return replies

    def _describe(self, before: int, count: int, tag: str) -> None:
        """Give the next job of this thread a tag, a description, and a group if it has none."""
        if (context := self._context) is None:
            self.spark.addTag(tag)
            return
        context.addJobTag(tag)  # the session's interruptTag stops only jobs of the same thread
        some = f"{self.unit} {before + 1:,} to {before + count:,}"
        some += "" if self.total is None else f" of {self.total:,}"
        text = f"paimon-ksy {self.title}: {some}"
        if context.getLocalProperty("spark.jobGroup.id") is None:
            context.setJobGroup(tag, text)
        else:
            context.setJobDescription(text)

    def _cores(self) -> int:
        """Return how many tasks Spark runs at a time."""
        if (context := self._context) is not None:
            return max(1, int(context.defaultParallelism))
        from pyspark.sql import functions

        # Through Spark Connect, only the partitions of a range reveal the number of cores.
        parts = self.spark.range(1 << 16).select(functions.spark_partition_id().alias("part"))
        return int(parts.agg(functions.max("part")).collect()[0][0]) + 1

    @property
    def _context(self) -> Any:
        try:
            return getattr(self.spark, "sparkContext", None)
        except Exception:  # Spark Connect has none
            return None


def _inheriting(spark: Any, function: Callable[..., _Done]) -> Callable[..., _Done]:
    """Return a function for another thread, with the caller's job group, properties and tags."""
    from pyspark import inheritable_thread_target

    target: Callable[..., _Done] = inheritable_thread_target(spark)(function)
    return target


@dataclass(frozen=True)
class _Done:
    """A finished job: its tasks, the workers' replies, and the bytes of the pickled tasks."""

    tasks: list[Any]
    replies: pa.Table
    sent_bytes: int

    def rows(self) -> Iterator[tuple[int, bool | None, pa.Buffer]]:
        """Yield the replies."""
        for batch in self.replies.to_batches():
            for number, done, payload in zip(*batch.columns, strict=True):
                yield number.as_py(), done.as_py(), payload.as_buffer()


def _taken(tasks: Iterator[Task], cores: int, most: int, most_bytes: int) -> list[Task]:
    """Take the tasks of a job; very large ones are one for each core."""
    taken: list[Task] = []
    size = 0
    for task in islice(tasks, most):
        taken.append(task)
        size += size_of(task)
        if size >= most_bytes and len(taken) >= cores:
            break
    return taken


def _payloads(tasks: list[Task], cores: int) -> list[bytes]:
    """Return the tasks for each partition, pickled with the number of the first one."""
    total = sum(max(size_of(task), OPEN_COST) for task in tasks)
    payloads, first = [], 0
    for group in packed(tasks, -(-total // cores)):
        payloads.append(pickle.dumps((first, group)))
        first += len(group)
    return payloads


@dataclass(frozen=True)
class _Mapped:
    """A function that returns the replies to tasks of `map`.

    If `apart`, it runs them in a process of their own, since one of them ends its process.
    """

    function: Callable[[Any], Any]
    apart: bool = False

    def of_lost(self) -> _Mapped:
        """Return the same for tasks that ended their worker."""
        from pyspark import cloudpickle

        pickled = cloudpickle.dumps(self.function)  # type: ignore[no-untyped-call]
        return _Mapped(_Pickled(pickled), apart=True)

    def __call__(self, tasks: list[Any]) -> Iterator[tuple[int, bool | None, bytes]]:
        outcomes = (
            outcomes_apart(self.function, tasks)
            if self.apart
            else (attempt(self.function, task) for task in tasks)
        )
        for number, outcome in enumerate(outcomes):
            yield number, (None if isinstance(outcome, Failure) else True), pickle.dumps(outcome)


@dataclass(frozen=True)
class _Pickled:
    """A function that any process can load, even if it cannot import it."""

    data: bytes

    def __call__(self, task: Any) -> Any:
        return pickle.loads(self.data)(task)

    def __getattr__(self, name: str) -> Any:
        if name != "lost":
            raise AttributeError(name)
        return pickle.loads(self.data).lost


@dataclass(frozen=True)
class _Streamed:
    """A function that returns the replies to tasks of `batches`."""

    function: Callable[[Any], Iterable[pa.RecordBatch]]
    schema: pa.Schema

    def __call__(self, tasks: list[Any]) -> Iterator[tuple[int, bool | None, bytes]]:
        for number, task in enumerate(tasks):
            try:
                made = self.function(task)
                for batch in made:
                    sink = pa.BufferOutputStream()
                    with pa.ipc.new_stream(sink, self.schema) as stream:
                        stream.write_batch(checked(batch, self.schema))
                    yield number, False, sink.getvalue().to_pybytes()
            except Exception as error:  # as in attempt
                yield number, None, pickle.dumps(Failure(error))
            else:
                yield number, True, pickle.dumps(getattr(made, "stats", None))


_Run = _Mapped | _Streamed


def _worker(run: _Run, payloads: list[bytes]) -> Callable[[Any], Any]:
    """Return a Spark task's function, pickled by value except for imports of this package."""

    def replies(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        use_one_core()
        keep_memory()
        for batch in batches:
            for part in batch.column(0).to_pylist():
                first, tasks = pickle.loads(payloads[part])
                for number, done, reply in run(tasks):
                    row = {"task": [first + number], "done": [done], "payload": [reply]}
                    yield pa.RecordBatch.from_pydict(row, schema=_REPLIES)

    return replies
