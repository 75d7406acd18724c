"""Tasks on Spark: how many a job has, workers that die, a server that is gone."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pyarrow as pa
import pytest

from paimon_ksy.errors import PaimonKsyError
from paimon_ksy.table.engine import Engine
from paimon_ksy.table.engine import spark as spark_module
from paimon_ksy.table.engine.spark import _at_first, _paced
from tests.support.tasks import die, die_once, double, left_out_of_garbage


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
    with pytest.raises(PaimonKsyError, match="Spark Connect server no longer answers"):
        engine._run(spark_module._Mapped(double), [1], "tag")
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
