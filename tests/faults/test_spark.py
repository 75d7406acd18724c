"""Jobs on Spark whose Python workers are killed: tasks run again, and no row is lost."""

import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

from paimon_ksy import audit, delete, rewrite_index
from paimon_ksy.table.engine import local_engine, spark_engine
from tests.support.tables import STATUS, TO_FILES, ids, make, rows

pytestmark = [pytest.mark.java, pytest.mark.proc]
OPTIONS = {**STATUS, **TO_FILES, "deletion-vectors.enabled": "true"}


def parents() -> dict[int, int]:
    """The parent of each process."""
    found = {}
    for status in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            found[int(status.parent.name)] = int(status.read_text().rpartition(")")[2].split()[1])
    return found


def workers() -> set[int]:
    """The Python workers of this process's Spark: children of its daemons, which are left alone.

    Without its daemon, Spark cannot stop a worker that died earlier, and fails once.
    """
    tree = parents()
    daemons = {process for process in tree if _is_of_daemon(process)}
    return {one for one in daemons if tree[one] in daemons and os.getpid() in _above(one, tree)}


def _is_of_daemon(process: int) -> bool:
    with suppress(OSError):
        return b"pyspark.daemon" in Path(f"/proc/{process}/cmdline").read_bytes()
    return False


def _above(process: int, tree: dict[int, int]) -> Iterator[int]:
    while process in tree:
        process = tree[process]
        yield process


@contextmanager
def killing(most: int) -> Iterator[list[int]]:
    """Kill so many workers meanwhile, as soon as they are there."""
    killed: list[int] = []
    done = threading.Event()

    def work() -> None:
        while len(killed) < most and not done.wait(0.01):
            for worker in list(workers() - set(killed))[:1]:
                with suppress(ProcessLookupError):
                    os.kill(worker, signal.SIGKILL)
                    killed.append(worker)

    thread = threading.Thread(target=work)
    thread.start()
    try:
        yield killed
    finally:
        done.set()
        thread.join()


@pytest.mark.parametrize("job", ["delete", "rewrite"])
def test_workers_that_are_killed(job: str, tmp_path: Path, spark: Any) -> None:
    path = make(tmp_path, [rows(4 * n, 4) for n in range(4)], OPTIONS)
    engine = spark_engine(spark)
    rewrite_index(path, engine=engine)  # starts workers, which are there to be killed
    with killing(2) as killed:
        if job == "delete":
            delete(path, "id < 5", engine=engine)
        else:
            rewrite_index(path, rebuild=True, engine=engine)
    assert killed
    assert ids(path) == list(range(5 if job == "delete" else 0, 16))
    assert list(audit(path, deep=True, engine=local_engine(1))) == []
