"""Both engines run the same functions: results, batches, errors, and what is in flight."""

from __future__ import annotations

import os
import platform
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pyarrow as pa
import pytest

from paimon_ksy.cli.common import open_table
from paimon_ksy.errors import CorruptFileError, OptionError, PaimonKsyError
from paimon_ksy.table.engine import Engine, engine_named, local_engine, spark_engine
from paimon_ksy.table.engine import spark as spark_module
from paimon_ksy.table.engine.session import session
from paimon_ksy.table.engine.spark import _at_first, _paced
from tests import ROOT
from tests.support import tasks
from tests.support.tasks import (
    SCHEMA,
    DieOfOne,
    blocked,
    die,
    divide,
    double,
    fail_at,
    left_out_of_garbage,
    page_faults,
    process,
    rows,
    rows_then_fail,
    wrong_schema,
)
from tools.tables import make_table


@pytest.fixture(
    params=["one", "threads", "processes", pytest.param("spark", marks=pytest.mark.java)]
)
def engine(request: pytest.FixtureRequest) -> Engine:
    if request.param == "spark":
        from pyspark import cloudpickle

        # Workers cannot import the tests.
        cloudpickle.register_pickle_by_value(tasks)  # type: ignore[no-untyped-call]
        return spark_engine(request.getfixturevalue("spark"))
    if request.param == "one":
        return local_engine(1)
    return local_engine(2, processes=request.param == "processes")


def test_each_task_has_its_result(engine: Engine) -> None:
    done: list[int] = []
    found = list(engine.map(double, iter(range(50)), progress=done.append))
    assert sorted(found) == [(task, 2 * task) for task in range(50)]
    assert done == [task for task, _ in found]


def test_no_task_no_result(engine: Engine) -> None:
    assert list(engine.map(double, [])) == []
    assert list(engine.batches(rows, [], SCHEMA)) == []


def test_batches_come_in_the_order_of_tasks(engine: Engine) -> None:
    done: list[int] = []
    found = list(engine.batches(rows, iter([3, 0, 1, 2]), SCHEMA, progress=done.append))
    assert found == [batch for task in (3, 0, 1, 2) for batch in rows(task)]
    assert done == [3, 0, 1, 2]


def test_error_of_ours_comes_back_as_it_was(engine: Engine) -> None:
    with pytest.raises(CorruptFileError) as caught:
        list(engine.map(partial(fail_at, 5), range(20)))
    error = caught.value
    assert (error.path, error.offset) == ("data-1.parquet", 7)
    assert "fail_at" in error.__notes__[0]  # where it was raised


def test_any_other_error_becomes_ours_in_one_line(engine: Engine) -> None:
    with pytest.raises(PaimonKsyError) as caught:
        list(engine.map(divide, range(6)))
    assert str(caught.value) == "ZeroDivisionError: division by zero"


def test_batches_before_an_error_come_first(engine: Engine) -> None:
    found: list[pa.RecordBatch] = []
    with pytest.raises(PaimonKsyError, match=r"^no more\n"):
        found.extend(engine.batches(rows_then_fail, [1, 2, 3], SCHEMA))
    assert found == [*rows(1), *rows(2)]


def test_batch_of_another_schema_is_refused(engine: Engine) -> None:
    with pytest.raises(PaimonKsyError, match="a batch has the schema"):
        list(engine.batches(wrong_schema, [1], SCHEMA))


def test_tasks_are_taken_as_they_are_needed(engine: Engine) -> None:
    """The driver's memory does not depend on how many there are."""
    taken = 0

    def tasks() -> Iterator[int]:
        nonlocal taken
        while taken < 100_000:
            taken += 1
            yield taken

    found = engine.map(double, tasks())
    next(found)
    found.close()  # type: ignore[attr-defined]
    assert taken < 100
    batches = engine.batches(rows, tasks(), SCHEMA)
    next(batches)
    batches.close()  # type: ignore[attr-defined]
    assert taken < 100


def test_threads_end_with_the_answer() -> None:
    before = threading.active_count()
    batches = local_engine(4).batches(rows, range(5, 1000), SCHEMA)
    next(batches)
    batches.close()  # type: ignore[attr-defined]
    assert threading.active_count() == before


@pytest.mark.skipif(
    platform.libc_ver()[0] != "glibc", reason="mallopt, which keeps the memory, is in glibc alone"
)
@pytest.mark.parametrize(
    "engine", ["one", "processes", pytest.param("spark", marks=pytest.mark.java)], indirect=True
)
def test_worker_keeps_the_memory_of_a_task_for_the_next(engine: Engine) -> None:
    faults = [faults for _, faults in engine.map(page_faults, range(4))]
    assert max(faults) < 1000, "6 arrays have 4,700 pages"


@pytest.mark.java
@pytest.mark.parametrize("engine", ["spark"], indirect=True)
def test_spark_worker_looks_for_garbage_in_what_is_new(engine: Engine) -> None:
    list(engine.map(abs, range(10)))
    counts = [count for _, count in engine.map(left_out_of_garbage, range(10))]
    assert max(counts) > 10_000


def test_dead_process_is_an_error_of_ours() -> None:
    with pytest.raises(PaimonKsyError, match="worker process crashed"):
        list(local_engine(2, processes=True).map(die, range(10)))


@pytest.mark.parametrize(
    "engine", ["processes", pytest.param("spark", marks=pytest.mark.java)], indirect=True
)
def test_one_dead_process_takes_no_other_task_along(engine: Engine) -> None:
    found = dict(engine.map(DieOfOne(), range(4, 8)))
    assert found == {task: "lost" if task == 5 else task + 1 for task in range(4, 8)}


def test_script_is_not_run_again_by_its_workers(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(
        "print('once')\n"
        "from paimon_ksy.table.engine import local_engine\n"
        "from math import sqrt\n"
        "print(sorted(r for _, r in local_engine(2, processes=True).map(sqrt, [1, 4, 9])))\n"
    )
    found = subprocess.run(
        [sys.executable, script], capture_output=True, text=True, check=True, timeout=60
    )
    assert found.stdout == "once\n[1.0, 2.0, 3.0]\n"


# Interrupts -------------------------------------------------------------------------------------


def test_processes_are_started_without_interrupts() -> None:
    found = local_engine(2, processes=True).map(blocked, range(4))
    assert [result for _, result in found] == 4 * [True]
    assert not blocked(0)


INTERRUPTED = """
import os, signal, sys, time
from paimon_ksy.cli import main
from paimon_ksy.table.engine.processes import Process

start = Process.start

def then_interrupt(self):
    start(self)
    while not os.path.exists(os.environ["WORKER_IMPORTS"]):
        time.sleep(0.01)
    os.killpg(0, signal.SIGINT)

Process.start = then_interrupt
sys.argv[0] = "paimon-ksy"
main()
"""

WORKER_IMPORTS = """
import os, signal, sys, time

if "--multiprocessing-fork" in sys.orig_argv:
    open(os.environ["WORKER_IMPORTS"], "w").close()
    ends = time.monotonic() + 30
    while signal.SIGINT not in signal.sigpending() and time.monotonic() < ends:
        time.sleep(0.01)
"""
"""What a worker does before it imports anything else: it waits for the signal."""


def test_interrupt_while_processes_start_is_one_line(tmp_path: Path) -> None:
    """As Ctrl+C is sent by a terminal: to the workers too, which are still importing."""
    data = pa.table({"id": [1, 2, 3]})
    path = make_table(tmp_path, "t", [data, data, data])
    (tmp_path / "sitecustomize.py").write_text(WORKER_IMPORTS)
    command = ["table", "rewrite-index", path, "--set", "file-index.bitmap.columns=id"]
    ran = subprocess.run(
        [sys.executable, "-c", INTERRUPTED, *command, "--engine", "local"],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
        cwd=ROOT,
        env={
            **os.environ,
            "PYTHONPATH": f"{tmp_path}{os.pathsep}{ROOT}",
            "WORKER_IMPORTS": str(tmp_path / "imports"),
        },
        start_new_session=True,
    )
    assert (tmp_path / "imports").exists()
    assert (ran.returncode, ran.stdout, ran.stderr) == (130, "", "paimon-ksy: interrupted\n")
    assert not list(Path(path).rglob("*.index"))


def test_interrupt_while_java_starts_leaves_no_process(tmp_path: Path) -> None:
    started = tmp_path / "started"
    (tmp_path / "bin").mkdir()
    for name, text in (
        ("java", ""),
        ("spark-submit", f"echo $$ > {started}.new\nmv {started}.new {started}\nexec sleep 60"),
    ):
        file = tmp_path / "bin" / name
        file.write_text(f"#!/bin/sh\n{text}\n")
        file.chmod(0o755)
    path = make_table(tmp_path, "t", [pa.table({"id": [1]})])
    environment = {**os.environ, "SPARK_HOME": str(tmp_path), "JAVA_HOME": str(tmp_path)}
    with subprocess.Popen(
        [sys.executable, "-m", "paimon_ksy", "table", "rewrite-index", path, "--engine", "spark"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment,
        cwd=ROOT,
        start_new_session=True,
    ) as running:
        try:
            while not started.exists():
                assert running.poll() is None
                time.sleep(0.01)
            os.killpg(running.pid, signal.SIGINT)
            printed = running.communicate(timeout=30)
        finally:
            running.kill()  # else a failure would wait for it, and pyspark waits for ever
    assert (running.returncode, *printed) == (130, "", "paimon-ksy: interrupted\n")
    with pytest.raises(ProcessLookupError):
        os.kill(int(started.read_text()), 0)


@pytest.mark.parametrize(
    ("master", "error", "says"),
    [
        ("locl", OptionError, "master 'locl'"),
        ("local[many]", OptionError, "unknown master"),
        ("sc://", OptionError, "unknown master"),
        (
            "sc://localhost:{port}/;user_id=a",
            PaimonKsyError,
            "cannot connect to .*: Connection ref",
        ),
        ("spark://localhost:{port},localhost:{port}", PaimonKsyError, "cannot connect to"),
    ],
)
def test_masters_that_cannot_be(master: str, error: type[PaimonKsyError], says: str) -> None:
    """In no time: Spark Connect tries a server that is not there for ten minutes."""
    with socket.socket() as taken:
        taken.bind(("localhost", 0))  # it does not listen
        with pytest.raises(error, match=says):
            session(master.format(port=taken.getsockname()[1]))


def test_server_that_is_no_spark_connect() -> None:
    """In seconds: Spark Connect tries it for ten minutes. A token is not told."""
    with socket.create_server(("localhost", 0)) as silent:
        master = f"sc://localhost:{silent.getsockname()[1]}/;use_ssl=true;token=secret;user_id=a"
        with pytest.raises(
            PaimonKsyError, match="make sure that it is the port of Spark Connect"
        ) as told:
            session(master)
    assert ";token=...;user_id=a'" in str(told.value) and "secret" not in str(told.value)


def test_server_of_spark_connect_that_is_gone() -> None:
    """In a minute, and then at once: Spark Connect tries it for ten minutes, for each call."""

    class Client:
        def set_retry_policies(self, policies: list[object]) -> None:
            self.policies = policies

    class Session:
        client = Client()

        def addTag(self, tag: str) -> None:
            pass

        def createDataFrame(self, sent: pa.Table) -> None:
            raise RuntimeError("<_InactiveRpcError of:\n\tstatus = StatusCode.UNAVAILABLE\n")

    spark = Session()
    engine = spark_module._Spark(spark)
    with pytest.raises(PaimonKsyError, match="Spark Connect server no longer answers"):
        engine._run(spark_module._Mapped(double), [1], "tag")
    assert spark.client.policies == []


@pytest.mark.parametrize(
    ("name", "catalog", "master", "location"),
    [
        ("default.db/made", None, None, "default.db/made"),
        ("default.db/made", None, "local[2]", "default.db/made"),
        ("default.db/made", None, "sc://host", "{}/default.db/made"),
        ("default.made", ["warehouse=."], "spark://host:7077", "{}/default.db/made"),
    ],
)
def test_paths_are_whole_for_workers_in_other_folders(
    name: str,
    catalog: list[str] | None,
    master: str | None,
    location: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    make_table(tmp_path, "made", [pa.table({"id": [1]})])
    monkeypatch.chdir(tmp_path)
    assert open_table(name, catalog, master).location == location.format(tmp_path)


def test_threads_run_at_the_same_time() -> None:
    meeting = threading.Barrier(3, timeout=20)
    list(local_engine(3).map(lambda _: meeting.wait(), range(3)))


def test_short_tasks_are_not_for_threads() -> None:
    here = threading.get_ident()
    tasks = [0.001, 1.0, 0.002, 2.0, *[0.003] * 10, 3.0]
    found = local_engine(2).map(lambda _: threading.get_ident(), tasks, seconds=lambda task: task)
    done = [(task, thread == here) for task, thread in found]
    assert sorted(done) == sorted((task, task < 0.1) for task in tasks)


def test_short_tasks_are_for_processes() -> None:
    found = local_engine(2, processes=True).map(process, range(4), seconds=lambda _: 0.001)
    assert os.getpid() not in {number for _, number in found}


@pytest.mark.parametrize(
    ("name", "master", "reason"),
    [("flink", None, "no engine 'flink'"), ("local", "local[2]", "is for Spark")],
)
def test_engine_that_there_is_not(name: str, master: str | None, reason: str) -> None:
    with pytest.raises(PaimonKsyError, match=reason):
        engine_named(name, master)


def test_spark_without_java_or_pyspark(monkeypatch: pytest.MonkeyPatch) -> None:
    from pyspark.sql import SparkSession

    monkeypatch.setattr(SparkSession, "getActiveSession", classmethod(lambda cls: None))
    monkeypatch.setenv("PATH", "/nowhere")
    monkeypatch.delenv("JAVA_HOME", raising=False)
    with pytest.raises(PaimonKsyError, match="needs Java 17"):
        engine_named("spark")
    monkeypatch.setitem(sys.modules, "pyspark.sql", None)
    with pytest.raises(PaimonKsyError, match="needs pyspark"):
        engine_named("spark")


@pytest.mark.java
def test_killed_spark_worker_is_run_again(tmp_path: Path) -> None:
    found = _script(
        f"""
        engine = engine_named("spark", "local[2]")
        print(sorted(r for _, r in engine.map(partial(die_once, {str(tmp_path)!r}), range(8))))
        """
    )
    assert found == str(list(range(8)))
    assert sorted(path.name for path in tmp_path.iterdir()) == ["1", "5"]


@pytest.mark.java
def test_spark_worker_that_always_dies_is_an_error_of_ours() -> None:
    found = _script(
        """
        try:
            list(engine_named("spark", "local[1]").map(die, range(4)))
        except PaimonKsyError as error:
            print(error)
        """
    )
    assert found.startswith("the worker process crashed: ")
    assert "\n" not in found


def _script(text: str) -> str:
    """What a script prints, that has the functions of `tasks` and its own Spark."""
    lines = [line.strip("\n")[8:] for line in text.splitlines()]
    head = (
        "import sys\n"
        "from functools import partial\n"
        "from pyspark import cloudpickle\n"
        "from paimon_ksy.errors import PaimonKsyError\n"
        "from paimon_ksy.table.engine import engine_named\n"
        "from tests.support import tasks\n"
        "from tests.support.tasks import die, die_once\n"
        "cloudpickle.register_pickle_by_value(tasks)\n"
    )
    root = ROOT
    ran = subprocess.run(
        [sys.executable, "-c", head + "\n".join(lines)],
        capture_output=True,
        text=True,
        check=False,
        timeout=180,
        cwd=root,
    )
    assert ran.returncode == 0, ran.stderr[-2000:]
    return ran.stdout.strip()


@pytest.mark.parametrize(
    ("seconds", "tasks", "before", "after"),
    [
        (0.02, 2, 1, 8),  # short tasks: few jobs
        (0.8, 2, 1, 2),  # 0.4 s a core
        (1.5, 2, 1, 1),
        (10.0, 16, 8, 4),  # more than four seconds
        (0.02, 64, 32, 64),  # the most
        (0.02, 2, 8, 8),  # a job of before, which was shorter
    ],
)
def test_length_of_spark_jobs(seconds: float, tasks: int, before: int, after: int) -> None:
    replies = pa.chunked_array([[seconds / 2, seconds / 2]])
    assert _paced(replies, tasks, 2, before, 64) == after


@pytest.mark.parametrize(("seconds", "tasks"), [(0.001, 32), (0.3, 3), (20.0, 1)])
def test_length_of_the_first_spark_jobs(seconds: float, tasks: int) -> None:
    assert _at_first(seconds) == tasks


def test_seconds_of_tasks_change_no_result(engine: Engine) -> None:
    found = engine.map(double, range(10), seconds=lambda task: 0.2)
    assert sorted(found) == [(task, 2 * task) for task in range(10)]
