"""`dump` and `assemble`: JSON of an index file and back."""

import json
from pathlib import Path

import pytest

from tests.support.commands import Cli, process
from tests.support.examples import WORKED, write


def test_assemble_from_standard_input(tmp_path: Path) -> None:
    dumped = process("dump", WORKED)
    done = process("assemble", "-", "-o", tmp_path / "x", "--format", "json", input=dumped.stdout)
    assert json.loads(done.stdout) == {
        "schema_version": 3,
        "output": str(tmp_path / "x"),
        "bytes": 394,
    }
    assert (tmp_path / "x").read_bytes() == WORKED.read_bytes()
    # A pipe is written to, as it cannot be replaced by a file.
    piped = process("dump", WORKED, "-o", "/dev/stdout")
    assert (piped.returncode, piped.stdout) == (0, dumped.stdout)


@pytest.mark.parametrize("text", ["", "{", "[]", "{}", '{"parts": [{"at": 0}]}', "[" * 100_000])
def test_assemble_of_other_files(text: str, cli: Cli, tmp_path: Path) -> None:
    path = write(tmp_path, text.encode(), "x.json")
    code, _, err = cli("assemble", path, "-o", tmp_path / "x")
    assert code == 1
    assert err.startswith(f"paimon-ksy: {path}: ")
    assert err.count("\n") == 1
    assert not (tmp_path / "x").exists()
