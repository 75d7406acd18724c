"""Engines of both kinds: results, batches, errors, what is in flight, and dead processes."""

from __future__ import annotations

import traceback
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial

import pyarrow as pa
import pytest

from paimon_ksy.errors import CorruptFileError, PaimonKsyError
from paimon_ksy.table.engine import Engine, engine_named, local_engine
from paimon_ksy.table.engine.protocol import packed
from tests.support.tasks import (
    SCHEMA,
    DieOfOne,
    die,
    divide,
    double,
    fail_at,
    rows,
    rows_then_fail,
    wrong_schema,
)


def test_each_task_has_its_result(engine: Engine) -> None:
    found = list(engine.map(double, iter(range(50))))
    assert found == [(task, 2 * task) for task in range(50)]


def test_no_task_no_result(engine: Engine) -> None:
    assert list(engine.map(double, [])) == []
    assert list(engine.batches(rows, [], SCHEMA)) == []


def test_batches_come_in_the_order_of_tasks(engine: Engine) -> None:
    done: list[int] = []
    found = list(engine.batches(rows, iter([3, 0, 1, 2]), SCHEMA, progress=done.append))
    assert found == [batch for task in (3, 0, 1, 2) for batch in rows(task)]
    assert done == [3, 0, 1, 2]


def test_batches_before_an_error_come_first(engine: Engine) -> None:
    found: list[pa.RecordBatch] = []
    with pytest.raises(PaimonKsyError, match=r"^no more"):
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
    found.close()
    assert taken < 100
    batches = engine.batches(rows, tasks(), SCHEMA)
    next(batches)
    batches.close()  # type: ignore[attr-defined]
    assert taken < 100


@pytest.mark.parametrize(
    ("name", "master", "reason"),
    [("flink", None, "no engine 'flink'"), ("local", "local[2]", "needs Spark")],
)
def test_engine_that_there_is_not(name: str, master: str | None, reason: str) -> None:
    with pytest.raises(PaimonKsyError, match=reason):
        engine_named(name, master)


def test_error_of_ours_comes_back_as_it_was(engine: Engine) -> None:
    with pytest.raises(CorruptFileError) as caught:
        list(engine.map(partial(fail_at, 5), range(20)))
    error = caught.value
    assert (error.path, error.offset) == ("data-1.parquet", 7)
    assert "in fail_at" in "".join(traceback.format_exception(error))  # where it was raised


def test_any_other_error_becomes_ours_in_one_line(engine: Engine) -> None:
    with pytest.raises(PaimonKsyError) as caught:
        list(engine.map(divide, range(6)))
    assert str(caught.value) == "ZeroDivisionError: division by zero"


def test_dead_process_is_an_error_of_ours() -> None:
    with pytest.raises(PaimonKsyError, match="worker process crashed"):
        list(local_engine(2, processes=True).map(die, range(2, 4)))


@pytest.mark.parametrize(
    "engine", ["processes", pytest.param("spark", marks=pytest.mark.java)], indirect=True
)
def test_one_dead_process_takes_no_other_task_along(engine: Engine) -> None:
    found = dict(engine.map(DieOfOne(), range(4, 8)))
    assert found == {task: "lost" if task == 5 else task + 1 for task in range(4, 8)}


@dataclass(frozen=True)
class Sized:
    size: int


@pytest.mark.parametrize(
    ("sizes", "target", "cost", "lengths"),
    [
        ([], 10, 1, []),
        ([3, 3, 3], 5, 1, [2, 1]),
        ([500, 1, 1], 100, 1, [1, 2]),  # a large task fills several groups
        ([0] * 6, 8, 4, [2, 2, 2]),  # small ones cost something, too
        ([7] * 3, 0, 1, [1, 1, 1]),
        ([10] * 7, 35, 1, [4, 3]),
    ],
)
def test_groups(sizes: list[int], target: int, cost: int, lengths: list[int]) -> None:
    tasks = [Sized(size) for size in sizes]
    groups = list(packed(iter(tasks), target, cost))
    assert [len(group) for group in groups] == lengths
    assert [task for group in groups for task in group] == tasks
