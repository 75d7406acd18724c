"""`table delete`: what it prints, and how it is called wrongly."""

import json
from pathlib import Path

import pytest

from paimon_ksy.table.delete.delete import DeleteSummary
from tests.support.commands import run_command
from tests.support.deletions import (
    ids,
    make,
    rows,
)


def test_command(tmp_path: Path) -> None:
    path = make(tmp_path, [rows(0, 10)], {}, ["day"])
    local = [path, "--engine", "local"]
    ran = run_command("table", "delete", *local, "--where", "id < 3 OR day = 'd0'")
    assert ran.exit_code == 0, ran.output
    assert "plan only: would delete " in ran.stdout
    assert ran.stdout.endswith("to apply this plan, add --yes\n")
    assert ids(path) == list(range(10))
    assert ": rows 6, files 2" in ran.stdout
    assert "files dropped 1" in ran.stdout
    ran = run_command("table", "delete", *local, "--where", "id < 3", "--yes", "-f", "json")
    found = json.loads(ran.stdout)
    assert found.keys() == {"schema_version", "table", *DeleteSummary.__dataclass_fields__}
    assert (found["snapshot"], found["rows"], found["files_changed"]) == (2, 3, 2)
    again = run_command("table", "delete", *local, "--where", "id < 3", "-y")
    assert "nothing to commit" in again.stdout
    ran = run_command("table", "delete", *local, "--where", "id < 5", "-y")
    assert "snapshot 3" in ran.stdout
    assert "snapshot 3: rows 2, files 2, files changed 2" in ran.stdout
    assert "vector files 2, vector files replaced 2" in ran.stdout
    assert ids(path) == list(range(5, 10))


@pytest.mark.parametrize(
    ("words", "code", "reason"),
    [
        ([], 2, "Missing option '--where'"),
        (["--where", "nix = 1"], 2, "no column 'nix'"),
        (["--where", "id = 1", "--engine", "flink"], 2, "no engine 'flink'"),
        (["--where", "id = 1", "--engine", "local", "--master", "local[2]"], 2, "needs Spark"),
    ],
)
def test_command_called_wrongly(words: list[str], code: int, reason: str, tmp_path: Path) -> None:
    path = make(tmp_path, [rows(0, 4)])
    ran = run_command(
        "table", "delete", path, *words, *(["--engine", "local"] if "--engine" not in words else [])
    )
    assert ran.exit_code == code
    assert reason in ran.stderr


def test_command_on_a_table_without_vectors(tmp_path: Path) -> None:
    """Told before Spark is started."""
    path = make(tmp_path, [rows(0, 4)], {"deletion-vectors.enabled": "false"})
    ran = run_command("table", "delete", path, "--where", "id = 1")
    assert ran.exit_code == 2
    assert "deletion-vectors.enabled" in ran.stderr
    assert ran.stderr.count("\n") == 1
