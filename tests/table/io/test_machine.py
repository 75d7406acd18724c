"""Processors that a process may not use are not counted; memory that is freed is used again."""

import os
import subprocess
import sys

import pytest

from paimon_ksy.table.io.machine import processors
from tests import ROOT

FAULTS = """
import sys
from paimon_ksy.table.io.machine import keep_memory
from tests.support.tasks import page_faults
if sys.argv[1] == "kept":
    keep_memory()
print(page_faults(0))
"""


@pytest.mark.glibc
def test_pages_are_not_asked_for_again() -> None:
    kept, given_back = (
        int(subprocess.check_output([sys.executable, "-c", FAULTS, mode], cwd=ROOT, text=True))
        for mode in ("kept", "given back")
    )
    assert kept < given_back // 10
    assert given_back > 1000


def test_processors_are_those_that_the_process_may_use(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {2, 5, 7}, raising=False)
    assert processors() == 3
    monkeypatch.delattr(os, "sched_getaffinity")
    assert processors() == os.cpu_count()
