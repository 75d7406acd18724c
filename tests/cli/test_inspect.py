"""`inspect`: the tree, the values, and what each byte of a file is."""

import io
import json
import re
import struct
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from paimon_ksy.cli import common
from tests.golden import bad_files, golden_index
from tests.support.commands import Cli, process
from tests.support.examples import WORKED, write
from tests.support.golden_json import schema_from_spec
from tests.support.newer_tables import list_index_file
from tests.support.tables import make, rows


def test_inspect_shows_values_as_people_write_them(cli: Cli, tmp_path: Path) -> None:
    case = golden_index("types_bitmap_v2")
    path = write(tmp_path, case.data)
    code, out, _ = cli("inspect", path, "--schema", schema_from_spec(case.spec))
    assert code == 0
    for shown in ("2024-02-29", "12:30:00.5", "2024-01-01 12:00:00.123456Z", "NaN", "-0.0", "TRUE"):
        assert f"      {shown}" in out
    assert "'\\0nul'" in out or "'\\x00nul'" in out
    assert "\0" not in out


def test_inspect_finds_a_bucket_index_in_the_index_manifest(cli: Cli, tmp_path: Path) -> None:
    data = struct.pack(">4i", 7, -1, 2**31 - 1, 7) + b"left"[:3]
    table = make(tmp_path, [rows(0, 4)])
    path = str(list_index_file(table, "HASH", data, "index-5a1b-0"))
    code, out, err = cli("inspect", path, "--hex")
    assert (code, err) == (0, "")
    assert "num hash codes 4, repeated 1, trailing bytes 3" in out
    assert "hashes[2] = 2147483647" in out
    assert "trailing" in out
    code, out, _ = cli("inspect", path, "--hex", "--from", "6", "--length", "4")
    assert re.findall(r"hashes.*", out) == ["hashes[1] = -1", "hashes[2] = 2147483647"]
    code, out, _ = cli("inspect", path, "--format", "json")
    assert json.loads(out) | {"file": ""} == {
        "schema_version": 3,
        "file": "",
        "kind": "bucket-index",
        "bytes": 19,
        "num_hash_codes": 4,
        "repeated": 1,
        "trailing_bytes": 3,
    }
    other = write(tmp_path, data, "index-5a1b-0")
    code, _, err = cli("inspect", other)
    assert code == 2 and "its kind is unknown" in err and "it may be a vector file" in err
    assert cli("inspect", other, "--table", table)[0] == 0
    assert f"`paimon-ksy verify {other}`" in err


@pytest.mark.parametrize("command", ["inspect", "verify", "report", "webide"])
def test_an_empty_file_is_called_empty(command: str, cli: Cli, tmp_path: Path) -> None:
    path = write(tmp_path, b"", "some.bin")
    made = str(tmp_path / "made")
    output = {"report": ["-o", made], "webide": ["-o", made]}.get(command, [])
    code, out, err = cli(command, path, *output)
    assert (code, out) == (1, "")
    assert err.startswith(f"paimon-ksy: {path}: byte 0: the file is empty; ")


@pytest.mark.parametrize("case", bad_files(), ids=lambda case: case.name)
@pytest.mark.parametrize("options", [[], ["-s", "a INT"], ["-s", "a STRING", "--hex"]], ids=str)
def test_inspect_of_broken_files(case: Any, options: list[str], cli: Cli, tmp_path: Path) -> None:
    path = write(tmp_path, case.data)
    code, _, err = cli("inspect", path, *options)
    # The indexes are of INTs in column a.
    another_type = "correct the type: --schema" in err or "has no such column" in err
    assert code == (2 if another_type else 1 if err else 0)
    if err:
        assert err.startswith(f"paimon-ksy: {path}: ")
        assert err.count("\n") == 1
        assert "bug" not in err
    as_json, out, _ = cli("inspect", path, *options, "--format", "json")
    assert as_json == code
    if out:
        json.loads(out)


def test_inspect_reads_standard_input(tmp_path: Path) -> None:
    data = WORKED.read_bytes()
    with WORKED.open("rb") as file:
        seekable = process("inspect", "-", "-s", "status STRING", stdin=file)
    assert (seekable.returncode, seekable.stderr) == (0, "")
    assert seekable.stdout.startswith("standard input: kind file index, bytes 394, version 1, ")
    command = [sys.executable, "-m", "paimon_ksy", "inspect", "-", "-s", "status STRING"]
    piped = subprocess.run(command, input=data, capture_output=True, check=False, timeout=600)
    assert (piped.returncode, piped.stdout.decode()) == (0, seekable.stdout)
    empty = subprocess.run(command, input=b"", capture_output=True, check=False, timeout=600)
    assert empty.returncode == 1
    assert empty.stderr.decode().startswith("paimon-ksy: standard input: byte 0: the file is empty")


def test_a_pipe_has_a_limit(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    class Pipe(io.BytesIO):
        def seekable(self) -> bool:
            return False

    def given(data: bytes) -> None:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(Pipe(data)))

    monkeypatch.setattr(common, "_MOST_PIPED", 100)
    given(bytes(101))
    code, out, err = cli("inspect", "-")
    assert (code, out) == (2, "")
    assert "the pipe has more than 100 bytes" in err
