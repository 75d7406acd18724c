"""The Spark engine: each partition of a Spark job has a list of tasks, pickled together."""

from __future__ import annotations

import pickle
import time
import uuid
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from paimon_ksy.errors import PaimonKsyError
from paimon_ksy.table.engine.outcome import LOST, Failure, attempt, checked, lost, own, result_of
from paimon_ksy.table.engine.packing import OPEN_COST, packed, size_of
from paimon_ksy.table.engine.processes import use_one_core
from paimon_ksy.table.engine.protocol import AHEAD, Engine, Result, Task
from paimon_ksy.table.engine.session import checked_session, give_up, session, spark_line
from paimon_ksy.table.io.machine import keep_memory

_FIRST_TASKS, _MOST_TASKS = 4, 1024
"""Tasks for each core in the first jobs, and the most."""

_SHORT, _LONG = 1.0, 8.0
"""Seconds of a job: after a shorter one, jobs get four times as many tasks, and after a longer one
a quarter of them. Short jobs waste the time that Spark needs for each; long ones hide progress."""

_JOB_BYTES = 16 << 20
"""Bytes of a job's pickled tasks from which on jobs do not grow: each of its workers gets all."""

_ROWS_BYTES = 64 << 20
"""The most bytes of data files in a job whose rows this process gets, if it has several tasks for
a core."""

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
        for job in self._jobs(_Mapped(function), tasks, None, in_order=False):
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
        for job in self._jobs(_Streamed(function, schema), tasks, _ROWS_BYTES, in_order=True):
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

    def _jobs(
        self, run: _Run, tasks: Iterable[Task], most_bytes: int | None, *, in_order: bool
    ) -> Iterator[_Done]:
        """Yield jobs as they finish, or in their order."""
        context, rest, cores = self._context, iter(tasks), self._cores()
        per_core, sent = _FIRST_TASKS, 0
        tag = f"paimon-ksy-{uuid.uuid4()}"
        running: dict[Future[_Done], None] = {}
        pool = ThreadPoolExecutor(AHEAD)
        try:
            while True:
                while len(running) < AHEAD and (
                    taken := _taken(rest, cores, cores * per_core, most_bytes)
                ):
                    run_job = _inheriting(self.spark, self._run)
                    running[pool.submit(run_job, run, taken, cores, sent, tag)] = None
                    sent += len(taken)
                if not running:
                    return
                if in_order:
                    future = next(iter(running))
                else:
                    future = next(iter(wait(running, return_when=FIRST_COMPLETED).done))
                done = future.result()
                del running[future]
                yield done
                if done.seconds >= _SHORT:  # executors may have come or gone
                    cores = self._cores()
                elif done.sent_bytes < _JOB_BYTES:
                    per_core = min(4 * per_core, _MOST_TASKS)
                if done.seconds > _LONG:
                    per_core = max(1, per_core // 4)
        finally:
            if running:
                with suppress(Exception):  # a server that has ended
                    stop = self.spark.interruptTag if context is None else context.cancelJobsWithTag
                    stop(tag)
            pool.shutdown(wait=True, cancel_futures=True)

    def _run(self, run: _Run, tasks: list[Task], cores: int, before: int, tag: str) -> _Done:
        """Run a job in this thread; `before` is the number of tasks in earlier jobs."""
        started = time.perf_counter()
        payloads = _payloads(tasks, cores)
        parts = len(payloads)
        try:
            self._describe(before, len(tasks), tag)
            sent = self.spark.range(0, parts, 1, parts)
            replies: pa.Table = sent.mapInArrow(_worker(run, payloads), _REPLY_TYPES).toArrow()
        except Exception as error:  # py4j, gRPC and pyspark raise all kinds
            line = spark_line(error)
            if isinstance(run, _Mapped) and line == LOST:
                replies = self._run_halves(run, tasks, cores, before, tag)
            else:
                give_up(self.spark, error)
                raise PaimonKsyError(f"Spark: {line}") from error
        seconds = time.perf_counter() - started
        return _Done(tasks, replies, seconds, sum(map(len, payloads)))

    def _run_halves(
        self, run: _Mapped, tasks: list[Task], cores: int, before: int, tag: str
    ) -> pa.Table:
        """Run a job by halves to find the task that repeatedly ends its worker."""
        if len(tasks) == 1:
            found = lost(run.function, tasks[0])
            columns = [[0], [None if isinstance(found, Failure) else True], [pickle.dumps(found)]]
            return pa.table(dict(zip(_REPLIES.names, columns, strict=True)), schema=_REPLIES)
        half = len(tasks) // 2
        first = self._run(run, tasks[:half], cores, before, tag).replies.cast(_REPLIES)
        second = self._run(run, tasks[half:], cores, before + half, tag).replies.cast(_REPLIES)
        moved = pc.add(second["task"], half)
        return pa.concat_tables([first, second.set_column(0, _REPLIES.field(0), moved)])

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

    found: Callable[..., _Done] = inheritable_thread_target(spark)(function)
    return found


@dataclass(frozen=True)
class _Done:
    """A finished job: its tasks, the workers' replies, and its cost."""

    tasks: list[Any]
    replies: pa.Table
    seconds: float
    sent_bytes: int

    def rows(self) -> Iterator[tuple[int, bool | None, pa.Buffer]]:
        """Yield the replies."""
        for batch in self.replies.to_batches():
            for number, done, payload in zip(*batch.columns, strict=True):
                yield number.as_py(), done.as_py(), payload.as_buffer()


def _taken(tasks: Iterator[Task], cores: int, most: int, most_bytes: int | None) -> list[Task]:
    """Take the tasks of a job; with `most_bytes`, large ones are one for each core."""
    taken: list[Task] = []
    size = 0
    for task in islice(tasks, most):
        taken.append(task)
        size += size_of(task)
        if most_bytes is not None and size >= most_bytes and len(taken) >= cores:
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


_Run = _Mapped | _Streamed


def _worker(run: _Run, payloads: list[bytes]) -> Callable[[Any], Any]:
    """Return a Spark task's function, pickled by value except for imports of this package."""

    def replies(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        use_one_core()
        keep_memory()
        for batch in batches:
            for part in batch.column(0).to_pylist():
                first, tasks = pickle.loads(payloads[part])
                for number, task in enumerate(tasks, first):
                    for done, reply in run(task):
                        row = {"task": [number], "done": [done], "payload": [reply]}
                        yield pa.RecordBatch.from_pydict(row, schema=_REPLIES)

    return replies
