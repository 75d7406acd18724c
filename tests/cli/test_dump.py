"""`dump` and `assemble`: JSON of an index file and back."""

import json
from pathlib import Path

import pytest

from tests.support.commands import Cli, process
from tests.support.examples import TYPES, WORKED, write


def test_dump_and_assemble(cli: Cli, tmp_path: Path) -> None:
    code, out, err = cli("dump", WORKED, "-s", TYPES)
    assert (code, err) == (0, "")
    document = write(tmp_path, out.encode(), "dump.json")
    output = tmp_path / "copy.index"
    code, out, err = cli("assemble", document, "-o", output)
    assert (code, out, err) == (0, f"{output}: bytes 394\n", "")
    assert output.read_bytes() == WORKED.read_bytes()
    code, _, err = cli("assemble", document, "-o", output)
    assert code == 2
    assert "--overwrite" in err
    assert cli("assemble", document, "-o", output, "--overwrite")[0] == 0


def test_dump_to_a_file(cli: Cli, tmp_path: Path) -> None:
    output = tmp_path / "dump.json"
    assert cli("dump", WORKED, "-o", output) == (0, "", "")
    assert json.loads(output.read_text()) == json.loads(cli("dump", WORKED)[1])
    assert cli("dump", WORKED, "-o", output)[0] == 2


def test_assemble_from_standard_input(tmp_path: Path) -> None:
    dumped = process("dump", WORKED)
    done = process("assemble", "-", "-o", tmp_path / "x", "--format", "json", input=dumped.stdout)
    assert json.loads(done.stdout) == {
        "schema_version": 2,
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
