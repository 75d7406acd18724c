"""The Spark engine: each partition of a Spark job has a list of tasks, pickled together."""

from __future__ import annotations

import pickle
import uuid
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from itertools import islice
from typing import Any

import pyarrow as pa

from paimon_ksy.errors import PaimonKsyError
from paimon_ksy.messages.log import LOG
from paimon_ksy.table.engine.local import outcomes_apart
from paimon_ksy.table.engine.processes import use_one_core
from paimon_ksy.table.engine.protocol import (
    AHEAD,
    LOST,
    OPEN_COST,
    Failure,
    Result,
    Task,
    attempt,
    checked,
    files_of,
    packed,
    result_of,
    size_of,
)
from paimon_ksy.table.engine.session import context_of, spark_line
from paimon_ksy.table.io.machine import keep_memory

_FIRST_TASKS, _MOST_TASKS = 4, 512
"""Tasks for each core in the first jobs, and the most: each job has twice as many as the one before
it. The first jobs are small, since the end of a job is all that progress shows."""

_MAP_BYTES, _ROWS_BYTES = 4 << 30, 64 << 20
"""The most bytes of data files in a job that has several tasks for a core: of tasks with small
results, and of tasks whose rows this process gets."""

_SENT_BYTES = 16 << 20
"""Bytes of a job's pickled tasks from which on jobs do not grow: each of its workers gets all."""

KILL_SECONDS = 5.0
"""The time in which Spark ends the workers of a cancelled job: it looks for cancelled tasks every
2 s, and ends their workers 2 s later (`spark.python.task.killTimeout`)."""


_REPLY_TYPES = "task long, done boolean, payload binary"
_REPLIES = pa.schema([("task", pa.int64()), ("done", pa.bool_()), ("payload", pa.binary())])
"""The columns of workers' replies.

The reply that ends a task has its pickled result: for `batches`, its stats. Each earlier one has a
batch, as Arrow serializes it, since Spark lacks some of Arrow's types.
"""

_Reply = tuple[int, bool, bytes]


@dataclass(frozen=True)
class SparkEngine:
    """An engine that sends Spark jobs with a partition for each core.

    All kinds of Spark report the end of a job, so jobs are the unit of progress. One job waits
    while another runs, so no core is idle during the last task of a job. Jobs are in the group of
    the caller, and have the caller's tags.

    Attributes:
        spark: The session.
        title: What the jobs do, for their descriptions, such as `query orders`.
        total: The number of files of all tasks; None if it is unknown.
        unit: What descriptions count: files, or other things of which a task has one.
        zoned: Whether literals without a time zone are in that of the session.
    """

    spark: Any
    title: str = ""
    total: int | None = None
    unit: str = "files"
    zoned: bool = True

    @property
    def time_zone(self) -> str | None:
        """The time zone of literals that have none; None if nobody chose it."""
        return str(self.spark.conf.get("spark.sql.session.timeZone")) if self.zoned else None

    def map(
        self, function: Callable[[Task], Result], tasks: Iterable[Task]
    ) -> Generator[tuple[Task, Result]]:
        """See `Engine.map`."""
        for task, _, payload in self._replies(_Work(function), tasks, _MAP_BYTES):
            yield task, result_of(pickle.loads(payload))

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
        for task, done, payload in self._replies(_Work(function, schema), tasks, _ROWS_BYTES):
            if not done:
                yield pa.ipc.read_record_batch(payload, schema)
                continue
            stats = result_of(pickle.loads(payload))
            if collect is not None and stats is not None:
                collect(stats)
            if progress is not None:
                progress(task)

    def _replies(
        self, work: _Work, tasks: Iterable[Task], most_bytes: int
    ) -> Generator[tuple[Task, bool, pa.Buffer]]:
        """Yield the tasks with their replies, in order, as jobs finish."""
        from pyspark import inheritable_thread_target

        context, rest, cores = context_of(self.spark), iter(tasks), self._cores()
        per_core, count = _FIRST_TASKS, 0
        tag = f"paimon-ksy {self.title} {uuid.uuid4()}".replace(",", ";")  # which separates tags
        total = sum(map(files_of, tasks)) if isinstance(tasks, Sequence) else self.total
        of_all = "" if total is None else f" of {total:,}"
        running: deque[tuple[list[Task], int, Future[pa.Table]]] = deque()
        pool = ThreadPoolExecutor(AHEAD)
        try:
            while True:
                while len(running) < AHEAD and (
                    taken := _taken(rest, cores, cores * per_core, most_bytes)
                ):
                    payloads = _payloads(taken, cores)
                    first, count = count + 1, count + sum(map(files_of, taken))
                    what = f"paimon-ksy {self.title}: {self.unit} {first:,} to {count:,}{of_all}"
                    # In another thread, it has the caller's job group, properties and tags.
                    run: Any = inheritable_thread_target(self.spark)(self._run)
                    # Spark's UI names a job by the file that calls pyspark: here, by what it does.
                    call = compile("run()", what, "eval")
                    job = pool.submit(eval, call, {"run": partial(run, work, payloads, what, tag)})
                    running.append((taken, sum(map(len, payloads)), job))
                if not running:
                    return
                replies = running[0][2].result()
                taken, sent_bytes, _ = running.popleft()
                for batch in replies.to_batches():
                    for number, done, payload in zip(*batch.columns, strict=True):
                        yield taken[number.as_py()], done.as_py(), payload.as_buffer()
                if sent_bytes < _SENT_BYTES:
                    per_core = min(2 * per_core, _MOST_TASKS)
        finally:
            if running:
                with suppress(Exception):  # a server that has ended
                    stop = self.spark.interruptTag if context is None else context.cancelJobsWithTag
                    stop(tag)
            pool.shutdown(wait=True, cancel_futures=True)

    def _run(self, work: _Work, payloads: list[bytes], what: str, tag: str) -> pa.Table:
        """Return the replies of a job, which runs in this thread."""
        try:
            self._describe(what, tag)
            sent = self.spark.range(0, len(payloads), 1, len(payloads))
            return sent.mapInArrow(_worker(work, payloads), _REPLY_TYPES).toArrow()
        except Exception as error:  # py4j, gRPC and pyspark raise all kinds
            line = spark_line(error)
            if line == LOST and work.schema is None and not work.apart:
                return self._run(work.of_lost(), payloads, what, tag)
            raise PaimonKsyError(f"Spark: {line}") from error

    def _describe(self, what: str, tag: str) -> None:
        """Give the next job of this thread a tag, a description, and a group if it has none."""
        LOG.info("Spark job: %s", what)
        if (context := context_of(self.spark)) is None:
            self.spark.addTag(tag)
            return
        # pyspark does not name a job that begins while it names one of another thread.
        context.setLocalProperty("callSite.short", what)
        context.addJobTag(tag)  # the session's interruptTag stops only jobs of the same thread
        if context.getLocalProperty("spark.jobGroup.id") is None:
            context.setJobGroup(tag, what)
        else:
            context.setJobDescription(what)

    def _cores(self) -> int:
        """Return how many tasks Spark runs at a time."""
        if (context := context_of(self.spark)) is not None:
            return max(1, int(context.defaultParallelism))
        from pyspark.sql import functions

        # Through Spark Connect, only the partitions of a range reveal the number of cores.
        parts = self.spark.range(1 << 16).select(functions.spark_partition_id().alias("part"))
        return int(parts.agg(functions.max("part")).collect()[0][0]) + 1


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
class _Work:
    """What a worker does with its tasks.

    Without a `schema`, the function returns a result, else batches. Work that runs `apart` has a
    process of its own, since a task ends its process.
    """

    function: Callable[[Any], Any]
    schema: pa.Schema | None = None
    apart: bool = False

    def of_lost(self) -> _Work:
        """Return the same work for tasks that ended their worker."""
        from pyspark import cloudpickle

        pickled = cloudpickle.dumps(self.function)  # type: ignore[no-untyped-call]
        return _Work(_Pickled(pickled), apart=True)

    def __call__(self, tasks: list[Any]) -> Iterator[_Reply]:
        """Yield the replies to tasks."""
        if self.schema is not None:
            for number, task in enumerate(tasks):
                yield from self._batches(number, task, self.schema)
            return
        outcomes = (
            outcomes_apart(self.function, tasks)
            if self.apart
            else (attempt(self.function, task) for task in tasks)
        )
        for number, outcome in enumerate(outcomes):
            yield number, True, pickle.dumps(outcome)

    def _batches(self, number: int, task: Any, schema: pa.Schema) -> Iterator[_Reply]:
        try:
            rows = self.function(task)
            for batch in rows:
                yield number, False, checked(batch, schema).serialize().to_pybytes()
            outcome = getattr(rows, "stats", None)
        except Exception as error:  # as in attempt
            outcome = Failure(error)
        yield number, True, pickle.dumps(outcome)


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


def _worker(work: _Work, payloads: list[bytes]) -> Callable[[Any], Any]:
    """Return a Spark task's function, pickled by value except for imports of this package."""

    def replies(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        use_one_core()
        keep_memory()
        for batch in batches:
            for part in batch.column(0).to_pylist():
                first, tasks = pickle.loads(payloads[part])
                for number, done, reply in work(tasks):
                    row = {"task": [first + number], "done": [done], "payload": [reply]}
                    yield pa.RecordBatch.from_pydict(row, schema=_REPLIES)

    return replies
