"""What became of a task: its result, its error, or a process that ended."""

from __future__ import annotations

from functools import partial

import pytest

from paimon_ksy.errors import CorruptFileError, PaimonKsyError
from paimon_ksy.table.engine import Engine, local_engine
from tests.support.tasks import DieOfOne, die, divide, fail_at


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


def test_dead_process_is_an_error_of_ours() -> None:
    with pytest.raises(PaimonKsyError, match="worker process crashed"):
        list(local_engine(2, processes=True).map(die, range(10)))


@pytest.mark.parametrize(
    "engine", ["processes", pytest.param("spark", marks=pytest.mark.java)], indirect=True
)
def test_one_dead_process_takes_no_other_task_along(engine: Engine) -> None:
    found = dict(engine.map(DieOfOne(), range(4, 8)))
    assert found == {task: "lost" if task == 5 else task + 1 for task in range(4, 8)}
