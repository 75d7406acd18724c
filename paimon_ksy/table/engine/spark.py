"""Spark: tasks are rows of a table that its workers map to their results."""

from __future__ import annotations

import gc
import pickle
import re
import time
import uuid
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import suppress
from dataclasses import dataclass
from itertools import chain, islice
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from paimon_ksy.errors import PaimonKsyError
from paimon_ksy.table.engine.outcome import Failure, attempt, checked, lost, own, result_of
from paimon_ksy.table.engine.processes import keep_memory, use_one_core
from paimon_ksy.table.engine.protocol import AHEAD, Engine, Result, Task
from paimon_ksy.table.engine.session import give_up, session, spark_line

_JOB_SECONDS = 1.0
"""What a Spark job should take at least: less is lost in starting it, more hides the progress."""

_MAX_TASKS_PER_CORE = 64
_MOST_TASKS_AT_FIRST = 32  # for each core, by what is said of them and not yet known


def spark_engine(spark: Any = None, master: str | None = None) -> Engine:
    """Return an engine on Spark.

    Sessions are classic or of Spark Connect. A cluster's workers need this package
    (`--py-files`).

    Args:
        spark: A session. None takes the active one, else a new one of `master`.
        master: A master for spark-submit (`local[*]` if None), or `sc://host:port`.

    Raises:
        PaimonKsyError: pyspark or Java is missing, or Spark cannot be reached.
    """
    return _Spark(session(master) if spark is None else spark)


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
a pickled Failure.
"""


class _Spark:
    """An engine that sends tasks in jobs of some tasks for each core, a second or so of work.

    Jobs are what all kinds of Spark report the end of. One job waits while another runs, so no core
    is idle while the last task of a job is still running.
    """

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
            for number, _, payload in replies:
                result = result_of(pickle.loads(payload))
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
        collect: Callable[[Any], None] | None = None,
    ) -> Iterator[pa.RecordBatch]:
        # One task for each core: the replies of a job are here in memory.
        for job, replies in self._jobs(_Streamed(function, schema), tasks, 1, 1, in_order=True):
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
        """Yield the tasks of a job with its replies, as jobs are done, or in their order."""
        rest = iter(tasks)
        tag = f"paimon-ksy-{uuid.uuid4()}"
        running: dict[Future[pa.Table], list[Task]] = {}
        cores = self._cores()
        pool = ThreadPoolExecutor(AHEAD)
        try:
            while True:
                while len(running) < AHEAD and (job := list(islice(rest, cores * per_core))):
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
            give_up(self._spark, error)
            raise PaimonKsyError(f"Spark: {spark_line(error)}") from error
        return replies

    def _run_halves(self, run: _Mapped, job: list[Any], tag: str) -> pa.Table:
        """Run a job by halves, to find the task that ends its worker again and again."""
        if len(job) == 1:
            found = lost(run.function, job[0])
            done = None if isinstance(found, Failure) else True
            columns = [[0], [0.0], [done], [pickle.dumps(found)]]
            return pa.table(dict(zip(_REPLIES.names, columns, strict=True)), schema=_REPLIES)
        half = len(job) // 2
        first = self._run(run, job[:half], tag).cast(_REPLIES)
        second = self._run(run, job[half:], tag).cast(_REPLIES)
        moved = pc.add(second["task"], half)
        return pa.concat_tables([first, second.set_column(0, _REPLIES.field(0), moved)])

    def _cores(self) -> int:
        """Return how many tasks Spark runs at a time."""
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
    """Return how many tasks for each core the first jobs have, if one takes so long."""
    return max(1, min(int(_JOB_SECONDS / seconds), _MOST_TASKS_AT_FIRST))


def _paced(seconds: pa.ChunkedArray, tasks: int, cores: int, per_core: int, most: int) -> int:
    """Return how many tasks for each core the next jobs have, after one with these replies.

    The time between jobs is Spark's own, so where tasks are short few jobs should be needed. But a
    few tasks show little of those to come, so the number grows no more than eight times. It doubles
    at least, since the first tasks of a worker are its longest.
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
        found = attempt(self.function, task)
        yield (None if isinstance(found, Failure) else True), pickle.dumps(found)


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
                    stream.write_batch(checked(batch, self.schema))
                yield False, sink.getvalue().to_pybytes()
        except Exception as error:  # as in attempt
            yield None, pickle.dumps(Failure(own(error)))
        else:
            yield True, pickle.dumps(getattr(made, "stats", None))


def _worker(run: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Return what a Spark task runs, by value except for what it imports of this package."""

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
    """Start a Spark task, whose share is one core, in a worker that may have run others."""
    use_one_core()
    if not _frozen:
        keep_memory()


def _end_task() -> None:
    """End a Spark task: leave what exists after a worker's first one out of later collections.

    pyspark has a worker look for garbage after each task, which takes 50 ms because of what this
    package imports, some of it as late as it is used.
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
