"""What tests have engines do, for each task."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from paimon_ksy.errors import CorruptFileError, PaimonKsyError

SCHEMA = pa.schema([("task", pa.int64()), ("at", pa.timestamp("ns")), ("day", pa.time32("ms"))])


def session_on_cluster(workers: int) -> Any:
    """A session of Spark with so many executors, in processes of their own."""
    from pyspark.sql import SparkSession

    builder = SparkSession.builder.master(f"local-cluster[{workers},1,1024]")
    builder = builder.config("spark.ui.enabled", "false")
    builder = builder.config("spark.driver.host", "127.0.0.1")
    builder = builder.config("spark.executor.memory", "512m")
    # Start when all executors are there.
    builder = builder.config("spark.cores.max", str(workers))
    builder = builder.config("spark.scheduler.minRegisteredResourcesRatio", "1.0")
    builder = builder.config("spark.scheduler.maxRegisteredResourcesWaitingTime", "120s")
    return builder.getOrCreate()


def double(task: int) -> int:
    return 2 * task


def process(_: int) -> int:
    return os.getpid()


def fail_at(which: int, task: int) -> int:
    if task == which:
        raise CorruptFileError("broken\nin two lines", path="data-1.parquet", offset=7)
    return task


def divide(task: int) -> float:
    return 1 / (task - 3)


def rows(task: int) -> Iterator[pa.RecordBatch]:
    """As many batches as the task's number, of types that Spark lacks."""
    for at in range(task):
        columns = [pa.array([task] * 2), pa.array([at, None], SCHEMA[1].type)]
        yield pa.RecordBatch.from_arrays(
            [*columns, pa.array([1, 2], pa.time32("ms"))], schema=SCHEMA
        )


def rows_then_fail(task: int) -> Iterator[pa.RecordBatch]:
    yield from rows(task)
    if task == 2:
        raise PaimonKsyError("no more")


def wrong_schema(task: int) -> Iterator[pa.RecordBatch]:
    yield pa.record_batch({"other": [task]})


def die(task: int) -> int:
    if task == 3:
        os._exit(1)
    return task


class DieOfOne:
    def __call__(self, task: int) -> int | str:
        if task == 5:
            os._exit(1)
        return task + 1

    def lost(self, task: int) -> int | str:
        return "lost"


def die_once(folder: str, task: int) -> int:
    flag = Path(folder) / str(task)
    if task % 4 == 1 and not flag.exists():
        flag.touch()
        os._exit(1)
    return task


def page_faults(task: int) -> int:
    """How many pages the system has to give for arrays like those that were just let go."""
    import resource

    def used() -> int:
        for _ in range(2):
            [np.ones(400_000) for _ in range(6)]
        return resource.getrusage(resource.RUSAGE_SELF).ru_minflt

    return -used() + used()


def index_slowly(job: Any, file: Any) -> Any:
    from paimon_ksy.table.index.build import index_file

    time.sleep(0.2)
    return index_file(job, file)


def slowly(folder: str, function: Any, task: Any) -> Any:
    result = function(task)
    Path(folder, str(time.monotonic_ns())).touch()
    time.sleep(1)
    return result


def touch_slowly(folder: str, task: int) -> None:
    Path(folder, str(task)).touch()
    time.sleep(0.3)


def blocked(task: int) -> bool:
    """Whether the process was started without interrupts: nothing in it blocks them."""
    return signal.SIGINT in signal.pthread_sigmask(signal.SIG_BLOCK, ())


def partition(task: object) -> int:
    """The number of the task's partition, on Spark."""
    from pyspark import TaskContext

    return TaskContext.get().partitionId()  # type: ignore[union-attr]


def executor(task: object) -> int:
    """The process of Spark that the task runs for; on Linux."""
    daemon = Path(f"/proc/{os.getppid()}/stat").read_text()
    return int(daemon.rpartition(")")[2].split()[1])


def kill_executor_once(folder: str, task: int) -> int:
    flag = Path(folder) / str(task)
    if task == 5 and not flag.exists():
        flag.touch()
        os.kill(executor(task), signal.SIGKILL)
    return task
