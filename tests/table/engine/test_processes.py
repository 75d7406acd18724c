"""Processes that work on tasks: how they start, and how they are interrupted."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pytest

from kit_support.planted import RAN, plant_modules
from paimon_ksy.table.engine import Engine, local_engine
from tests import ROOT
from tests.support.tasks import blocked, page_faults
from tools.tables import make_table


@pytest.mark.glibc
@pytest.mark.parametrize(
    "engine", ["one", "processes", pytest.param("spark", marks=pytest.mark.java)], indirect=True
)
def test_worker_keeps_the_memory_of_a_task_for_the_next(engine: Engine) -> None:
    faults = [faults for _, faults in engine.map(page_faults, range(4))]
    assert max(faults) < 1000, "6 arrays have 4,700 pages"


def test_processes_are_started_without_interrupts() -> None:
    found = local_engine(2, processes=True).map(blocked, range(4))
    assert [result for _, result in found] == 4 * [True]
    assert not blocked(0)


COMMANDS = """
import shlex, sys
from paimon_ksy.cli.app import run
from paimon_ksy.table.engine import local_engine

table, *lines = sys.argv[1:]

for line in lines:
    command, *options = shlex.split(line)
    assert run([*command.split("."), table, *options]) == 0, line
for _, names in local_engine(2, processes=True).map(eval, 2 * ["{*__import__('sys').modules}"]):
    print(*names)
"""


def test_children_import_nothing_from_the_current_folder(tmp_path: Path) -> None:
    """Each command that starts children runs in a folder of modules that they could import."""
    data = pa.table({"id": [1, 2, 3]})
    path = make_table(tmp_path, "t", [data, data, data])
    (tmp_path / "commands.py").write_text(COMMANDS)
    (tmp_path / "current").mkdir()
    planted = plant_modules(tmp_path / "current")
    lines = [
        "table.rewrite-index --engine local --set file-index.bitmap.columns=id",
        "table.audit --deep",
    ]
    ran = subprocess.run(
        [sys.executable, str(tmp_path / "commands.py"), path, *lines],
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path / "current",
    )
    assert ran.returncode == 0, ran.stderr
    assert not (tmp_path / "current" / RAN).exists()
    imported = {name.partition(".")[0] for name in ran.stdout.splitlines()[-1].split()}
    assert {"multiprocessing", "numpy", "paimon_ksy", "socket"} <= imported <= planted


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
    ends = time.monotonic() + 600
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
        timeout=600,
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
