"""The command line as a whole: help, usage and errors, signals, start-up."""

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.testing import CliRunner

from paimon_ksy.cli.app import app
from tests import ROOT
from tests.support.commands import Cli
from tests.support.examples import ORDERS, WORKED

# Usage and errors -------------------------------------------------------------------------------


WHERE = ("-s", "status STRING", "-w", "status IN ('NEW', 'OLD')")


@pytest.mark.parametrize(
    ("package", "words"),
    [("typer", ["inspect", str(ORDERS)]), ("sqlglot", ["eval", str(ORDERS), *WHERE])],
)
def test_a_package_that_is_missing(package: str, words: list[str], tmp_path: Path) -> None:
    """As after `pip install --no-deps`."""
    (tmp_path / f"{package}.py").write_text(f"raise ModuleNotFoundError(name={package!r})")
    command = [sys.executable, "-m", "paimon_ksy", *words]
    environment = os.environ | {"PYTHONPATH": f"{tmp_path}:{ROOT}"}
    found = subprocess.run(command, env=environment, cwd=tmp_path, capture_output=True, text=True)
    assert found.returncode == 1
    wanted = f"paimon-ksy: the Python package {package!r} is missing; run `pip install"
    assert found.stderr.startswith(wanted) and found.stderr.count("\n") == 1


# Help, terminals, pipes -------------------------------------------------------------------------


def test_help_lists_commands_and_exit_codes(cli: Cli) -> None:
    code, out, _ = cli("--help")
    assert code == 0
    for word in ("inspect", "eval", "build", "dump", "assemble", "Exit codes: 0"):
        assert word in out
    assert cli() == (2, out, "")


def commands() -> list[list[str]]:
    """The words of each command."""
    group: Any = typer.main.get_command(app)
    found: list[list[str]] = []
    for name, command in group.commands.items():
        inner = getattr(command, "commands", None)
        found += [[name, other] for other in inner] if inner else [[name]]
    return found


@pytest.mark.parametrize("command", commands(), ids=" ".join)
def test_help_of_each_command(command: list[str], cli: Cli) -> None:
    """It ends with examples; the first one changes nothing."""
    code, out, _ = cli(*command, "--help")
    assert code == 0
    assert out.isascii()
    assert max(map(len, out.splitlines())) <= 80
    assert "--format" in out or command == ["dump"]
    _, _, examples = out.partition("Examples:\n")
    calls = [line.strip() for line in examples.splitlines() if line.strip()]
    assert 2 <= len(calls) <= 3
    start = " ".join(["paimon-ksy", *command])
    assert all(start in call for call in calls)
    assert "--repair" not in calls[0] and "--yes" not in calls[0]


def test_typer_runs_it_too() -> None:
    result = CliRunner().invoke(app, ["inspect", str(WORKED)])
    assert result.exit_code == 0
    assert "kind file index" in result.output


WORKING = f"""
import sys, time
import paimon_ksy.cli.inspect
from paimon_ksy.cli import main

def work(*_, **__):
    print("working", flush=True)
    while True:
        time.sleep(0.01)

paimon_ksy.cli.inspect.inspect_file = work
sys.argv = ["paimon-ksy", "inspect", {str(WORKED)!r}]
main()
"""


def test_ctrl_c_is_told_in_one_line() -> None:
    command = [sys.executable, "-c", WORKING]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as done:
        assert done.stdout is not None and done.stderr is not None
        assert done.stdout.readline() == b"working\n"
        done.send_signal(signal.SIGINT)
        errors = done.stderr.read()
    assert done.returncode == 130
    assert errors == b"paimon-ksy: interrupted\n"


def test_stdout_closed() -> None:
    done = subprocess.run(
        f"{sys.executable} -m paimon_ksy inspect {WORKED} >&-",
        shell=True,
        capture_output=True,
        check=False,
    )
    assert b"Traceback" not in done.stderr


# Start-up ---------------------------------------------------------------------------------------

HEAVY = (
    *("numpy", "pyarrow", "sqlglot", "pandas", "pypaimon", "polars", "pyspark"),
    *("rich.console", "fastavro", "hypothesis", "pydantic"),
)


TABLE = str(ROOT / "examples/warehouse/default.db/orders")
DATA = str(ROOT / "examples/worked/orders.parquet")
WORKED_WHERE = ("-s", "status STRING", "-w", "status = 'PENDING'")


@pytest.mark.parametrize(
    ("arguments", "needed"),
    [
        (["--help"], set()),
        (["--version"], set()),
        (["inspect", "orders.index"], set()),
        (["eval", "orders.index", *WORKED_WHERE], {"numpy"}),
        *(
            (["table", command, TABLE, *WORKED_WHERE[2:]], {"numpy", "pyarrow", "fastavro"})
            for command in ("count", "query", "explain")
        ),
        (["table", "inspect", TABLE], {"numpy", "pyarrow", "fastavro"}),
        (["table", "audit", TABLE], {"numpy", "pyarrow", "fastavro"}),
        (["build", DATA, "--index", "bitmap:status", "-o", "new.index"], {"numpy", "pyarrow"}),
    ],
)
def test_start_imports_nothing_heavy(
    arguments: list[str], needed: set[str], tmp_path: Path
) -> None:
    shutil.copy(WORKED, tmp_path / "orders.index")
    code = (
        "import sys; from paimon_ksy.cli.app import run; "
        f"run({arguments!r}); print(*(m for m in {HEAVY!r} if m in sys.modules))"
    )
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert set(done.stdout.splitlines()[-1].split()) == needed


def test_help_imports_nothing_heavy() -> None:
    """It names each command that imports what the commands before it did not."""
    code = f"""
import sys
from paimon_ksy.cli.app import commands
for name, command in commands():
    before = set(sys.modules)
    command.load()
    if heavy := sorted((sys.modules.keys() - before) & set({HEAVY!r})):
        print(name, "imports", *heavy)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == ""
