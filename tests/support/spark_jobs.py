"""Jobs of `PaimonTable` whose tasks are slow, to stop them in the middle.

`python -m tests.support.spark_jobs JOB PATH FLAGS` runs one in a Spark session of its own.
"""

from __future__ import annotations

import sys
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import Any

from paimon_ksy.spark import PaimonTable
from paimon_ksy.table.engine.spark import SparkEngine
from tests.support import tasks
from tests.support.tables import STATUS, TO_FILES, index_files, make, rows, run_rewrite

JOBS: dict[str, tuple[Callable[[PaimonTable], Any], int]] = {
    "rewriteIndex": (lambda table: table.rewriteIndex().bitmap("status").execute(), 2),
    "indexNewFiles": (lambda table: table.indexNewFiles(), 2),
    "delete": (lambda table: table.delete("amount = 3"), 1),
    "repair": (lambda table: table.repair(), 5),
    "cleanOrphans": (lambda table: table.cleanOrphans(timedelta(0)), 1),
}
"""Each job, and after how many tasks it is in the middle; that of a repair rebuilds then."""


def table_for(job: str, folder: Path) -> str:
    """Make a table of 8 files with work for a job, and return its path."""
    options = {**STATUS, **TO_FILES, "deletion-vectors.enabled": "true"}
    path = make(folder, [rows(8 * n, 8) for n in range(8)], options)
    if job == "repair":
        run_rewrite(path)
        for name in index_files(path):
            Path(path, "bucket-0", name).unlink()
    if job == "cleanOrphans":
        Path(path, "bucket-0", f"data-{uuid.uuid4()}-0.index").write_bytes(b"x")
        Path(path, "manifest", f"manifest-{uuid.uuid4()}-0").write_bytes(b"x")
    return path


def run_stream(run: Callable[[], Any]) -> None:
    """Run a stream to its end; again, as a scheduler would, if its Python worker comes too late.

    `run` returns False if the stream has not ended in time. Spark waits 10 s for the worker that
    plans a stream, without a setting, and does not try again.
    """
    for _ in range(20):
        try:
            assert run() is not False, "the stream has not ended"
        except Exception as error:
            if "Python worker failed to connect back" not in str(error):
                raise
        else:
            return
    raise AssertionError("no Python worker came in time")


@contextmanager
def slow_tasks(flags: Path) -> Iterator[None]:
    """Have each task on Spark leave a file in a folder when it is done, and then wait."""
    from pyspark import cloudpickle

    plain = SparkEngine.map

    def slow(self: SparkEngine, function: Any, work: Any, **given: Any) -> Any:
        return plain(self, partial(tasks.slowly, str(flags), function), work, **given)

    cloudpickle.register_pickle_by_value(tasks)  # type: ignore[no-untyped-call]
    SparkEngine.map = slow  # type: ignore[method-assign,assignment]
    try:
        yield
    finally:
        SparkEngine.map = plain  # type: ignore[method-assign]


if __name__ == "__main__":
    from pyspark.sql import SparkSession

    name, table_path, folder_of_flags = sys.argv[1:]
    builder: Any = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false")
    builder = builder.config("spark.driver.bindAddress", "127.0.0.1")
    session = builder.config("spark.driver.host", "127.0.0.1").getOrCreate()
    with slow_tasks(Path(folder_of_flags)):
        JOBS[name][0](PaimonTable.forPath(session, table_path))
