"""Tasks on Spark: how many a job has, its partitions, workers that die, a server that is gone."""

from __future__ import annotations

import os
import subprocess
import sys
from collections import Counter
from functools import partial
from pathlib import Path

import pyarrow as pa
import pytest

from paimon_ksy.errors import PaimonKsyError
from paimon_ksy.table.engine import Engine
from paimon_ksy.table.engine import spark as spark_module
from paimon_ksy.table.engine.spark import _at_first, _paced, _taken, _width, most_cores
from tests import ROOT
from tests.support.tables import STATUS, TO_FILES, make, rows
from tests.support.tasks import die, die_once, double, left_out_of_garbage, partition
from tools.made_manifests import table_of_manifests


@pytest.mark.java
@pytest.mark.parametrize("engine", ["spark"], indirect=True)
def test_spark_worker_looks_for_garbage_in_what_is_new(engine: Engine) -> None:
    list(engine.map(abs, range(10)))
    counts = [count for _, count in engine.map(left_out_of_garbage, range(10))]
    assert max(counts) > 10_000


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
    engine._parallelism, engine._most_cores = 2, None
    with pytest.raises(PaimonKsyError, match="Spark Connect server no longer answers"):
        list(engine.map(double, [1]))
    assert spark.client.policies == []


@pytest.mark.java
@pytest.mark.parametrize("engine", ["spark"], indirect=True)
def test_killed_spark_worker_is_run_again(engine: Engine, tmp_path: Path) -> None:
    found = sorted(result for _, result in engine.map(partial(die_once, str(tmp_path)), range(8)))
    assert found == list(range(8))
    assert sorted(path.name for path in tmp_path.iterdir()) == ["1", "5"]


@pytest.mark.java
@pytest.mark.parametrize("engine", ["spark"], indirect=True)
def test_spark_worker_that_always_dies_is_an_error_of_ours(engine: Engine) -> None:
    with pytest.raises(PaimonKsyError, match=r"^the worker process crashed: ") as caught:
        list(engine.map(die, range(4)))
    assert "\n" not in str(caught.value)


LARGE = 1 << 20  # 64 such tasks are more than Spark puts into one local relation


@pytest.mark.java
@pytest.mark.parametrize("engine", ["spark"], indirect=True)
@pytest.mark.parametrize("size", [1, LARGE])
def test_spark_jobs_of_any_size_use_all_cores(engine: Engine, size: int) -> None:
    tasks = [bytes([at]) * size for at in range(64)]
    found = list(engine.map(partition, tasks, seconds=lambda _: 0.03))
    assert sorted(task for task, _ in found) == tasks
    # A frame of 31 tasks, or all 64, has two partitions.
    assert max(Counter(part for _, part in found).values()) <= 32


@pytest.mark.slow
@pytest.mark.java
def test_jobs_of_spark_connect_use_all_cores() -> None:
    """Also more than there are, where Spark gets more executors when tasks wait for them."""
    found = _script(
        f"""
        from collections import Counter
        from pyspark.sql import SparkSession
        from paimon_ksy.table.engine import spark_engine

        spark = SparkSession.builder.remote("local[2]").getOrCreate()
        for most in (None, 6):
            for size in (1, {LARGE}):
                engine = spark_engine(spark)
                engine._most_cores = most
                todo = [bytes([at]) * size for at in range(60)]
                found = list(engine.map(tasks.partition, todo, seconds=lambda _: 0.1))
                assert sorted(task for task, _ in found) == todo
                print(len({{part for _, part in found}}), end=" ")
        """,
        SPARK_TESTING="1",  # which takes a free port
    )
    assert found == "2 2 6 6"


@pytest.mark.java
@pytest.mark.parametrize("engine", ["spark"], indirect=True)
def test_spark_jobs_ask_for_more_executors(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine, "_most_cores", 6)
    found = list(engine.map(partition, range(12), seconds=lambda _: 1))
    assert {part for _, part in found} == set(range(6))


@pytest.mark.parametrize(
    ("settings", "cores"),
    [
        ({}, None),
        ({"enabled": "false", "maxExecutors": "8"}, None),
        ({"enabled": "true", "maxExecutors": "8"}, 8),
        ({"enabled": "true", "maxExecutors": "8", "cores": "4"}, 32),
        ({"enabled": "true", "maxExecutors": "8", "cores": "5", "cpus": "2"}, 16),
        ({"enabled": "true", "maxExecutors": "8", "cores": "1", "cpus": "2"}, 8),
        ({"enabled": "true", "maxExecutors": "2147483647", "cores": "4"}, 4 * 2147483647),
        ({"enabled": " TRUE "}, 1 << 20),
    ],
)
def test_cores_of_dynamic_allocation(settings: dict[str, str], cores: int | None) -> None:
    names = {"cores": "spark.executor.cores", "cpus": "spark.task.cpus"}
    named = {
        names.get(name, f"spark.dynamicAllocation.{name}"): value
        for name, value in settings.items()
    }
    assert most_cores(named.get) == cores


@pytest.mark.parametrize(
    ("cores", "most", "width"),
    [(2, None, 2), (2, 100, 8), (2, 6, 6), (40, 100, 100), (40, 30, 40), (1, 1 << 20, 4)],
)
def test_partitions_of_jobs(cores: int, most: int | None, width: int) -> None:
    assert _width(cores, most) == width


def test_spark_jobs_follow_the_cores() -> None:
    """Each job has as many tasks as there are cores when it starts."""

    class Context:
        defaultParallelism = 2

    class Session:
        sparkContext = Context()

    engine = spark_module._Spark(Session())
    engine._most_cores = 10
    tasks = iter(range(100))
    found = []
    for cores in (2, 3, 12):
        Context.defaultParallelism = cores
        job = engine._next_job(tasks, 1)
        assert job is not None
        rows = [frame.num_rows for frame in job.frames()]
        found.append((len(job.tasks), sum(min(number, cores) for number in rows)))
    assert found == [(8, 8), (10, 10), (12, 12)]


def test_spark_jobs_are_bounded_in_bytes() -> None:
    """The driver holds two of them, and has a task for each core all the same."""
    tasks = iter([bytes(16 << 20)] * 20)
    lengths = [len(_taken(tasks, width, 2)[0]) for width in (2, 6, 2)]
    assert lengths == [4, 6, 4]


@pytest.fixture(scope="module")
def on_cluster(tmp_path_factory: pytest.TempPathFactory) -> tuple[list[str], Path]:
    """What a script prints that has two executors of its own, and a folder that it leaves flags in.

    They take seconds to start, so two tests share them; the first part kills no executor.
    """
    flags = tmp_path_factory.mktemp("flags")
    table = table_of_manifests(
        tmp_path_factory.mktemp("cluster"),
        "t",
        partitions=20,
        files=10,
        manifests=30,
        mixed=True,
        deleted=15,
    )
    options = {**STATUS, **TO_FILES, "deletion-vectors.enabled": "true"}
    rows_of = make(tmp_path_factory.mktemp("rows"), [rows(4 * n, 4) for n in range(12)], options)
    found = _script(
        f"""
        import os
        import signal
        import threading
        from pyspark.sql import SparkSession
        import paimon_ksy as pk
        from paimon_ksy.table.engine import spark_engine
        from paimon_ksy.table.engine import manifests
        from paimon_ksy.table.store import data_files

        builder = SparkSession.builder.master("local-cluster[2,1,1024]")
        builder = builder.config("spark.ui.enabled", "false")
        builder = builder.config("spark.driver.host", "127.0.0.1")
        builder = builder.config("spark.executor.memory", "512m")
        # Start when both executors are there.
        builder = builder.config("spark.cores.max", "2")
        builder = builder.config("spark.scheduler.minRegisteredResourcesRatio", "1.0")
        builder = builder.config("spark.scheduler.maxRegisteredResourcesWaitingTime", "120s")
        engine = spark_engine(builder.getOrCreate())

        data_files.FEW_FILES = manifests.ENTRIES_HERE = 0
        for where in ("id >= 3000", "day = 'd003'", "day LIKE '%7' AND c00 = 3 OR id < 1000"):
            here, there = (pk.plan({table!r}, where, engine=each) for each in (None, engine))
            print(here == there, len(here.files) > 0)
        print(len(pk.plan({table!r}, "id >= 0", engine=engine).files))

        for size in (1, {LARGE}):
            todo = [bytes([at]) * size for at in range(64)]
            found = list(engine.map(tasks.executor, todo, seconds=lambda _: 0.03))
            assert sorted(task for task, _ in found) == todo
            print(len({{process for _, process in found}}))
        lost = engine.map(partial(tasks.kill_executor_once, {str(flags)!r}), range(20))
        print(sorted(result for _, result in lost) == list(range(20)))

        for job in (partial(pk.rewrite_index, rebuild=True), partial(pk.delete, where="id < 5")):
            killer = threading.Timer(0.3, lambda: os.kill(executors.pop(), signal.SIGKILL))
            executors = {{process for _, process in engine.map(tasks.executor, range(8))}}
            killer.start()
            job({rows_of!r}, engine=engine)
            killer.join()
            wrong = list(pk.audit({rows_of!r}, deep=True, engine=engine_named("local")))
            print(wrong == [], pk.count({rows_of!r}, "status = 'PAID'").count)
        """
    )
    return found.split(), flags


@pytest.mark.slow
@pytest.mark.java
@pytest.mark.proc
def test_executors_plan_as_this_machine_does(on_cluster: tuple[list[str], Path]) -> None:
    """By partitions, statistics and both, with files that others delete."""
    found, _ = on_cluster
    assert found[:7] == [*["True", "True"] * 3, "185"]


@pytest.mark.slow
@pytest.mark.java
@pytest.mark.proc
def test_executors_of_their_own(on_cluster: tuple[list[str], Path]) -> None:
    """All get tasks, small or large; one that is lost is replaced, and its tasks run again."""
    found, flags = on_cluster
    assert found[7:10] == ["2", "2", "True"]
    assert [path.name for path in flags.iterdir()] == ["5"]


@pytest.mark.slow
@pytest.mark.java
@pytest.mark.proc
def test_jobs_whose_executors_are_killed(on_cluster: tuple[list[str], Path]) -> None:
    """Every index is built, and every row deleted that has to be, and no other."""
    found, _ = on_cluster
    assert found[10:] == ["True", "12", "True", "10"]


def _script(text: str, **environment: str) -> str:
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
        timeout=240,
        cwd=root,
        env={
            **os.environ,
            "PYSPARK_PYTHON": sys.executable,
            "SPARK_LOCAL_IP": "127.0.0.1",
            **environment,
        },
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
