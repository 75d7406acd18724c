"""The pool on this machine: threads for long tasks, or processes."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from paimon_ksy.errors import OptionError
from paimon_ksy.table.engine import in_threads, local_engine
from tests import ROOT
from tests.support.tasks import SCHEMA, process, rows


def test_threads_end_with_the_answer() -> None:
    before = set(threading.enumerate())  # some may end meanwhile: those of other tests
    batches = local_engine(4).batches(rows, range(5, 1000), SCHEMA)
    next(batches)
    batches.close()  # type: ignore[attr-defined]
    assert set(threading.enumerate()) <= before


def test_a_sole_short_task_starts_no_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: Any) -> None:
        raise AssertionError("a thread starts")

    expected = [batch.to_pydict() for batch in rows(3)]
    monkeypatch.setattr(threading.Thread, "start", refuse)
    batches = local_engine(4).batches(rows, [3], SCHEMA)
    assert [batch.to_pydict() for batch in batches] == expected


def test_python_ends_beside_answers_that_are_read_in_part() -> None:
    script = (
        "from paimon_ksy.table.engine import local_engine\n"
        "from paimon_ksy.table.manifests.scan import in_order\n"
        "from tests.support.tasks import SCHEMA, double, rows\n"
        "begun = [\n"
        "    local_engine(4).batches(rows, range(5, 1000), SCHEMA),\n"
        "    local_engine(4).map(double, range(1000)),\n"
        "    local_engine(2, processes=True).map(double, range(1000)),\n"
        "    in_order(double, range(1000)),\n"
        "]\n"
        "list(map(next, begun))\n"
        "print('end')\n"
    )
    found = subprocess.run(
        [sys.executable, "-c", script],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
        timeout=600,
    )
    assert (found.stdout, found.stderr) == ("end\n", "")


def test_script_is_not_run_again_by_its_workers(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(
        "print('once')\n"
        "from paimon_ksy.table.engine import local_engine\n"
        "from math import sqrt\n"
        "print(sorted(r for _, r in local_engine(2, processes=True).map(sqrt, [1, 4, 9])))\n"
    )
    found = subprocess.run(
        [sys.executable, script], capture_output=True, text=True, check=True, timeout=600
    )
    assert found.stdout == "once\n[1.0, 2.0, 3.0]\n"


def test_outcomes_behind_a_slow_task_are_bounded() -> None:
    goes_on, taken = threading.Event(), 0

    def tasks() -> Iterator[int]:
        nonlocal taken
        while taken < 50_000:
            taken += 1
            yield taken

    def task(number: int) -> int:
        if number == 1:
            goes_on.wait(timeout=600)
        return number

    threading.Timer(1, goes_on.set).start()
    results = local_engine(2).map(task, tasks())
    assert next(results) == (1, 1)
    assert taken <= 1000
    results.close()


def test_no_task_runs_once_another_has_failed() -> None:
    """Else it could write a file after the job swept what it wrote."""
    both, goes_on, ended = threading.Barrier(2, timeout=600), threading.Event(), []

    def task(number: int) -> None:
        both.wait()
        if number == 0:
            threading.Timer(0.2, goes_on.set).start()
            raise OptionError("no")
        goes_on.wait(timeout=600)
        ended.append(number)

    with pytest.raises(OptionError):
        list(local_engine(2).map(task, range(2)))
    assert ended == [1]


def test_short_work_starts_no_process() -> None:
    engine = in_threads(local_engine(2, processes=True))
    assert {number for _, number in engine.map(process, range(4))} == {os.getpid()}
    other: Any = object()
    assert in_threads(other) is other
