"""What several commands do: - stands for standard input and output."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from paimon_ksy.cli.common import MOST_SCHEMA, schema_document
from paimon_ksy.cli.failures import UsageError
from tests.support.commands import Cli, process
from tests.support.examples import ORDERS, TYPES, WORKED, WORKED_DATA, WORKED_SCHEMA

MODULE = [sys.executable, "-m", "paimon_ksy"]


def piped(*words: object, data: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    """Run the command with `data` on standard input, which is a pipe."""
    command = [*MODULE, *map(str, words)]
    return subprocess.run(command, input=data, capture_output=True, check=False, timeout=60)


@pytest.mark.parametrize(
    "words",
    [
        ("inspect", "-", "-s", TYPES),
        ("eval", "-", "-s", TYPES, "-w", "status = 'PENDING'", "--count"),
        ("dump", "-"),
        ("verify", "-", "-s", TYPES),
    ],
    ids=lambda words: str(words[0]),
)
def test_files_from_standard_input(words: tuple[object, ...]) -> None:
    """The answer is the one about the file; where it is printed, so is the name."""
    found = piped(*words, data=ORDERS.read_bytes())
    wanted = piped(*(ORDERS if word == "-" else word for word in words))
    assert (found.returncode, found.stderr) == (0, b"") == (wanted.returncode, wanted.stderr)
    named = wanted.stdout.replace(str(ORDERS).encode(), b"standard input")
    assert found.stdout in (wanted.stdout, named)


def test_files_to_standard_output(tmp_path: Path) -> None:
    """Standard output has the file alone, without a summary."""
    built = tmp_path / "x.index"
    build = ("build", WORKED_DATA, "-i", "bitmap:status", "-o")
    assert piped(*build, built).returncode == 0
    done = piped(*build, "-")
    assert (done.stdout, done.stderr) == (built.read_bytes(), b"")
    dumped = piped("dump", WORKED)
    assert piped("dump", WORKED, "-o", "-").stdout == dumped.stdout
    assert piped("assemble", "-", "-o", "-", data=dumped.stdout).stdout == WORKED.read_bytes()
    assert piped("report", WORKED, "-o", "-").stdout.startswith(b"<!doctype html>")
    made = tmp_path / "a.dv"
    assert piped("dv", "create", "-p", "1, 5", "-o", made).returncode == 0
    assert piped("dv", "create", "-p", "1, 5", "-o", "-").stdout == made.read_bytes()
    assert piped("dv", "merge", made, made, "-o", "-").stdout == made.read_bytes()
    live = tmp_path / "live.arrow"
    assert piped("dv", "apply", made, WORKED_DATA, "-o", live).returncode == 0


def test_a_schema_from_standard_input() -> None:
    words = ("inspect", WORKED, "--schema-file")
    found = piped(*words, "-", data=Path(WORKED_SCHEMA).read_bytes())
    assert found.stdout == piped(*words, WORKED_SCHEMA).stdout


def test_bytes_do_not_go_to_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    from paimon_ksy.cli.common import new_file

    monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)
    with pytest.raises(UsageError, match="standard output is a terminal"), new_file("-"):
        pass


def test_an_output_that_exists_needs_overwrite(tmp_path: Path, cli: Cli) -> None:
    output = tmp_path / "x.json"
    output.write_text("mine")
    code, _, err = cli("dump", WORKED, "-o", output)
    assert code == 2 and "already exists: choose another name, or replace it with --over" in err
    assert output.read_text() == "mine"
    assert cli("dump", WORKED, "-o", output, "--overwrite")[0] == 0
    assert process("dump", WORKED).stdout == output.read_text()


def test_a_schema_file_is_not_read_without_end(tmp_path: Path) -> None:
    big = tmp_path / "data.parquet"
    with big.open("wb") as file:
        file.truncate(MOST_SCHEMA + 1)
    with pytest.raises(UsageError, match="not a schema file of Paimon: more than"):
        schema_document(str(big))
    found = piped("inspect", WORKED, "--schema-file", "-", data=bytes(MOST_SCHEMA + 1))
    assert found.returncode == 2 and b"not a schema file of Paimon: more than" in found.stderr
