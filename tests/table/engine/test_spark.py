"""Tasks on Spark: how many a job has, its partitions, workers that die, a server that is gone."""

from __future__ import annotations

import os
import re
import site
import subprocess
import sys
import threading
import time
import zipfile
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from paimon_ksy.errors import PaimonKsyError, UnsupportedError
from paimon_ksy.spark import PaimonTable, register
from paimon_ksy.table.engine import Engine, settle, spark_engine, titled
from paimon_ksy.table.engine.session import spark_line
from tests import ROOT
from tests.support.tables import STATUS, TO_FILES, make, rows
from tests.support.tasks import die, die_once, partition, touch_slowly
from tools.made_manifests import table_of_manifests


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


def jobs_of(spark: Any) -> dict[int, Any]:
    """All jobs of a classic session, by their numbers."""
    jobs = spark.sparkContext._jsc.sc().statusStore().jobsList(None)
    return {jobs.apply(at).jobId(): jobs.apply(at) for at in range(jobs.size())}


@pytest.mark.java
@pytest.mark.parametrize("engine", ["spark"], indirect=True)
def test_spark_jobs_are_few_and_use_all_cores(engine: Engine, spark: Any) -> None:
    before = jobs_of(spark).keys()
    found = list(titled(engine, "try", "db/this").map(partition, range(600)))
    assert sorted(task for task, _ in found) == list(range(600))
    assert {part for _, part in found} == {0, 1}
    made = [job for at, job in jobs_of(spark).items() if at not in before]
    assert len(made) <= 15
    texts = {job.description().get() for job in made}
    assert "paimon-ksy try this: files 1 to 8 of 600" in texts
    assert all(job.description().get() in job.name() for job in made)
    assert len({job.jobGroup().get() for job in made}) == 1


@pytest.mark.java
@pytest.mark.parametrize("engine", ["spark"], indirect=True)
def test_jobs_that_begin_while_pyspark_names_another(
    engine: Engine, spark: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    from pyspark.traceback_utils import SCCallSiteSync

    monkeypatch.setattr(SCCallSiteSync, "_spark_stack_depth", 1)
    before = jobs_of(spark).keys()
    list(titled(engine, "try", "db/this").map(partition, range(8)))
    [job] = [job for at, job in jobs_of(spark).items() if at not in before]
    assert job.name() == "paimon-ksy try this: files 1 to 8 of 8"


@pytest.mark.java
def test_spark_jobs_count_files(spark: Any, tmp_path: Path) -> None:
    path = make(tmp_path, [rows(8 * n, 8) for n in range(9)], {**STATUS, **TO_FILES})
    before = jobs_of(spark).keys()
    table = PaimonTable.forPath(spark, path)
    table.rewriteIndex().execute()
    table.audit(deep=True)
    texts = [job.description().get() for at, job in jobs_of(spark).items() if at not in before]
    name = Path(path).name
    assert f"paimon-ksy rewrite_index {name}: files 9 to 9 of 9" in texts
    assert any(re.match(rf"paimon-ksy audit {name}: files 1 to \d+$", text) for text in texts)


@pytest.mark.java
@pytest.mark.parametrize("how", ["group", "tag", "all"])
def test_spark_jobs_can_be_cancelled(how: str, spark: Any, tmp_path: Path) -> None:
    """They keep the group and the tags of the caller; the workers end, too."""
    context = spark.sparkContext
    context.setJobGroup("ours", "a job of ours")
    context.addJobTag("our-tag")
    cancel = {
        "group": partial(context.cancelJobGroup, "ours"),
        "tag": partial(context.cancelJobsWithTag, "our-tag"),
        "all": spark.interruptAll,
    }

    def cancel_when_it_runs() -> None:
        while not list(tmp_path.iterdir()):
            time.sleep(0.05)
        cancel[how]()

    engine = spark_engine(spark)
    other = threading.Thread(target=cancel_when_it_runs, daemon=True)
    other.start()
    try:
        with pytest.raises(PaimonKsyError, match=r"^Spark: the job was cancelled$"):
            list(engine.map(partial(touch_slowly, str(tmp_path)), range(600)))
        settle(engine)
        files = len(list(tmp_path.iterdir()))
        assert 0 < files < 600
        time.sleep(1)
        assert len(list(tmp_path.iterdir())) == files
    finally:
        other.join()
        context.setLocalProperty("spark.jobGroup.id", None)
        context.setLocalProperty("spark.job.description", None)
        context.removeJobTag("our-tag")


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (
            "{raised}ModuleNotFoundError: No module named 'kaitaistruct'\n",
            "its workers lack kaitaistruct: install it there, .*--archives .*addArtifacts",
        ),
        (
            "{raised}ModuleNotFoundError: No module named 'paimon_ksy.io'\n",
            "paimon_ksy: .*py-files",
        ),
        (
            "Error from python worker:\n  /usr/bin/python3: No module named pyspark",
            "lack pyspark",
        ),
        ("{raised}PySparkRuntimeError: [PYTHON_VERSION_MISMATCH] Python ..", "set PYSPARK_PYTHON"),
        ("{raised}ValueError: what is wrong\nin two lines", "^ValueError: what is wrong$"),
        ("Caused by: o.a.s.SparkException: [SPARK_JOB_CANCELLED] Job 3", "^the job was cancelled$"),
        ("(..SparkSQLException) [OPERATION_CANCELED] Operation has ..", "^the job was cancelled$"),
        ("<_InactiveRpcError of:\n\tstatus = StatusCode.UNAVAILABLE\n", "no longer answers"),
        ("[JAVA_GATEWAY_EXITED] Java gateway process exited", "install Java 17 or later"),
        ("..: Python worker exited unexpectedly (crashed)", "^the worker process crashed: "),
        ("a\nCaused by: org.apache.spark.SparkException: Job aborted", "^org.apache.*Job aborted$"),
    ],
)
def test_causes_of_failed_jobs(text: str, line: str) -> None:
    """Spark 4.3 begins with a line that says only that something was thrown."""
    head = "An exception was thrown from the Python worker:\nTraceback (most recent call last):\n"
    error = RuntimeError(text.format(raised=f'{head}  File "w.py", line 4, in f\n    raise\n'))
    assert re.search(line, spark_line(error))


def test_spark_of_an_earlier_version() -> None:
    class Session:
        version = "3.5.6"

    for use in (spark_engine, register):
        with pytest.raises(UnsupportedError, match="the session is of Spark 3"):
            use(Session())


@pytest.mark.slow
@pytest.mark.java
def test_jobs_of_spark_connect_use_all_cores() -> None:
    """Also with tasks of a megabyte. A tag of the caller cancels them."""
    found = _script(
        """
        from pyspark.sql import SparkSession
        from paimon_ksy.table.engine import spark_engine

        engine = spark_engine(SparkSession.builder.remote("local[2]").getOrCreate())
        for size in (1, 1 << 20):
            todo = [bytes([at]) * size for at in range(60)]
            found = list(engine.map(tasks.partition, todo))
            assert sorted(task for task, _ in found) == todo
            print(len({part for _, part in found}), end=" ")
        spark = engine.spark
        spark.addTag("ours")
        threading.Timer(2, partial(spark.interruptTag, "ours")).start()
        try:
            list(engine.map(time.sleep, [1] * 60))
        except PaimonKsyError as error:
            print(error)
        """,
        SPARK_TESTING="1",  # which takes a free port
    )
    assert found == "2 2 Spark: the job was cancelled"


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
    folder = tmp_path_factory.mktemp("workers")
    found = _script(
        f"""
        import os
        import signal
        from datetime import timedelta
        import paimon_ksy as pk
        from paimon_ksy.spark import PaimonTable, register
        from paimon_ksy.table.engine import spark_engine
        from paimon_ksy.table.manifests import scan
        from paimon_ksy.table.store import data_files

        spark = tasks.session_on_cluster(2)
        try:
            list(spark_engine(spark).map(abs, [1]))
        except PaimonKsyError as error:
            print("--py-files" in str(error))
        spark.sparkContext.addPyFile({zipped(folder)!r})  # as --py-files does
        engine = spark_engine(spark)
        relative = os.path.relpath({rows_of!r})
        print(pk.count(relative, "id < 5", engine=engine).count)
        register(spark)
        found = spark.read.format("paimon_ksy").option("where", "id < 5")
        print(found.load({rows_of!r}).count())
        table = PaimonTable.forPath(spark, relative)
        print(table.toDF("id < 5 AND id % 1 = 0", ["id"]).count())
        print(table.rewriteIndex().bitmap("status").execute().rewritten)
        print(table.indexes().filter("error IS NULL").count(), table.files().count())

        data_files.FEW_FILES = scan.ENTRIES_HERE = 0
        for where in ("id >= 3000", "day = 'd003'", "day LIKE '%7' AND c00 = 3 OR id < 1000"):
            here, there = (pk.plan({table!r}, where, engine=each) for each in (None, engine))
            print(here == there, len(here.files) > 0)
        print(len(pk.plan({table!r}, "id >= 0", engine=engine).files))

        for size in (1, 1 << 20):
            todo = [bytes([at]) * size for at in range(64)]
            found = list(engine.map(tasks.executor, todo))
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
            left = pk.clean_orphans({rows_of!r}, timedelta(0))
            print(wrong == left == [], pk.count({rows_of!r}, "status = 'PAID'").count)
        """,
        PYSPARK_PYTHON=python_in(folder),
    )
    return found.split(), flags


def python_in(folder: Path) -> str:
    """A Python that can import what is installed, but not this checkout."""
    python, places = folder / "python", os.pathsep.join(site.getsitepackages())
    python.write_text(
        f'#!/bin/sh\nPYTHONPATH="$PYTHONPATH:{places}" exec {sys.executable} -S "$@"\n'
    )
    python.chmod(0o755)
    return str(python)


@pytest.mark.slow
@pytest.mark.java
@pytest.mark.proc
def test_scans_where_workers_lack_the_package(tmp_path: Path) -> None:
    """Spark's own reader needs no worker; a scan by ours says what to do."""
    path = make(tmp_path, [rows(0, 48)])
    found = _script(
        f"""
        import re
        import sys
        from paimon_ksy.spark import PaimonTable, register
        from paimon_ksy.table.query import plain_files

        table = PaimonTable.forPath(tasks.session_on_cluster(1), {path!r})
        print(len(table.toDF().collect()))
        plain_files._PATH = re.compile("none")
        spark = table._spark
        register(spark)
        for call in (
            lambda: table.toDF().collect(),
            lambda: spark.read.format("paimon_ksy").load({path!r}).count(),
            lambda: spark.sql("FROM paimon_files('{path}')").count(),
        ):
            try:
                print(call())
            except Exception as error:
                remedy = "set PYSPARK_PYTHON to the driver's Python " + sys.executable
                [line] = [line for line in str(error).splitlines() if remedy in line][:1]
                print("python lacks a package (No module named " in line)
        """,
        PYSPARK_PYTHON=python_in(tmp_path),
    )
    assert found.split() == ["48", "True", "True", "True"]


def zipped(folder: Path) -> str:
    """The packages as `make dist` joins them, in a file whose name Spark accepts."""
    file = folder / "paimon_ksy.zip"
    with zipfile.ZipFile(file, "w") as archive:
        for path in (ROOT / "paimon_ksy").rglob("*"):
            if path.parent.name not in ("generated", "__pycache__"):
                archive.write(path, path.relative_to(ROOT))
        for path in (ROOT / "generated").rglob("*.py"):
            archive.write(path, Path("paimon_ksy", path.relative_to(ROOT)))
        for path in (ROOT / "ksykit/src").rglob("*.py"):
            archive.write(path, path.relative_to(ROOT / "ksykit/src"))
    return str(file)


@pytest.mark.slow
@pytest.mark.java
@pytest.mark.proc
def test_executors_get_the_package_and_whole_paths(on_cluster: tuple[list[str], Path]) -> None:
    """They run in other folders, and lack what is in this one."""
    found, _ = on_cluster
    assert found[:3] == ["True", "5", "5"]


@pytest.mark.slow
@pytest.mark.java
@pytest.mark.proc
def test_the_table_object_on_executors(on_cluster: tuple[list[str], Path]) -> None:
    """A scan, a rewrite, and the metadata that it changes."""
    found, _ = on_cluster
    assert found[3:7] == ["5", "12", "12", "12"]


@pytest.mark.slow
@pytest.mark.java
@pytest.mark.proc
def test_executors_plan_as_this_machine_does(on_cluster: tuple[list[str], Path]) -> None:
    """By partitions, statistics and both, with files that others delete."""
    found, _ = on_cluster
    assert found[7:14] == [*["True", "True"] * 3, "185"]


@pytest.mark.slow
@pytest.mark.java
@pytest.mark.proc
def test_executors_of_their_own(on_cluster: tuple[list[str], Path]) -> None:
    """All get tasks, small or large; one that is lost is replaced, and its tasks run again."""
    found, flags = on_cluster
    assert found[14:17] == ["2", "2", "True"]
    assert [path.name for path in flags.iterdir()] == ["5"]


@pytest.mark.slow
@pytest.mark.java
@pytest.mark.proc
def test_jobs_whose_executors_are_killed(on_cluster: tuple[list[str], Path]) -> None:
    """Every index is built, each row deleted that has to be, no other, and no file is left over."""
    found, _ = on_cluster
    assert found[17:] == ["True", "12", "True", "10"]


def _script(text: str, **environment: str) -> str:
    """What a script prints, that has the functions of `tasks` and its own Spark."""
    lines = [line.strip("\n")[8:] for line in text.splitlines()]
    head = (
        "import sys\n"
        "import threading\n"
        "import time\n"
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
        timeout=480,
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
