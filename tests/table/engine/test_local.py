"""The pool on this machine: threads for long tasks, or processes."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

from paimon_ksy.table.engine import in_threads, local_engine
from tests.support.tasks import SCHEMA, process, rows


def test_threads_end_with_the_answer() -> None:
    before = set(threading.enumerate())  # some may end meanwhile: those of other tests
    batches = local_engine(4).batches(rows, range(5, 1000), SCHEMA)
    next(batches)
    batches.close()  # type: ignore[attr-defined]
    assert set(threading.enumerate()) <= before


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


def test_threads_run_at_the_same_time() -> None:
    meeting = threading.Barrier(3, timeout=20)
    list(local_engine(3).map(lambda _: meeting.wait(), range(3)))


def test_processes_do_the_tasks() -> None:
    found = local_engine(2, processes=True).map(process, range(4))
    assert os.getpid() not in {number for _, number in found}


def test_short_work_starts_no_process() -> None:
    engine = in_threads(local_engine(2, processes=True))
    assert {number for _, number in engine.map(process, range(4))} == {os.getpid()}
    other: Any = object()
    assert in_threads(other) is other
