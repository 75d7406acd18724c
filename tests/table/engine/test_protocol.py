"""Both engines run the same functions: results, batches, errors, and what is in flight."""

from __future__ import annotations

from collections.abc import Iterator

import pyarrow as pa
import pytest

from paimon_ksy.errors import PaimonKsyError
from paimon_ksy.table.engine import Engine, engine_named
from tests.support.tasks import SCHEMA, double, rows, rows_then_fail, wrong_schema


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
