"""`diff` of two files: what it prints, its exit codes, and how it fails."""

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pyarrow as pa
import pytest

from paimon_ksy.file_index.builder import build_file_index
from paimon_ksy.table_index.deletion_vector import DeletionVector
from paimon_ksy.table_index.deletion_vector_file import write_vectors
from paimon_ksy.types.schema import Schema
from tests.golden import BadFile, bad_files
from tests.support.commands import Cli, as_on_terminal, process
from tests.support.examples import ORDERS, WORKED, write

SCHEMA = "s STRING"


def index(folder: Path, name: str, values: list[str | None]) -> str:
    schema = Schema.parse(SCHEMA)
    data = build_file_index(pa.table({"s": values}), schema, {"file-index.bitmap.columns": "s"})
    return str(write(folder, data, name))


@pytest.fixture
def pair(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[str, str]:
    """Two small indexes, in the current folder."""
    monkeypatch.chdir(tmp_path)
    index(tmp_path, "old.index", ["a", "b", "a"])
    index(tmp_path, "new.index", ["a", "b", "b"])
    return "old.index", "new.index"


def test_equal_files(cli: Cli, pair: tuple[str, str]) -> None:
    old, _ = pair
    code, out, err = cli("diff", old, old)
    assert (code, err) == (0, "") and out.endswith("\n  identical\n")
    code, out, _ = cli("diff", old, old, "--format", "json")
    assert (code, json.loads(out)["equal"]) == (0, True)


def test_what_is_printed_of_two_indexes(cli: Cli, pair: tuple[str, str]) -> None:
    code, out, err = cli("diff", *pair, "-s", SCHEMA)
    assert (code, err) == (1, "")
    assert out.partition("\n\n")[0] == (
        "old.index and new.index: kind index, old bytes 124, new bytes 124, same indexes 0\n"
        "  s STRING bitmap: change changed, old bytes 77, new bytes 77\n"
        "    rows: rows 1, ranges 2\n"
        "    values (2)\n"
        "      value  old rows  new rows  gained  lost\n"
        "      'a'           2         1       0     1\n"
        "      'b'           1         2       1     0"
    )
    lines = out.partition("\n\n")[2].splitlines()
    assert lines[0] == "6 fields differ"
    place = "v2.directory.blocks[0].body.entries[0].ofs_bitmap"
    assert lines[1].split() == ["-", "00000053", *["00"] * 4, "....", "s:", place, "=", "0"]
    assert lines[2].split() == ["+", "00000053", *["ff"] * 4, "....", "s:", place, "=", "-1"]


def test_json_has_the_same(cli: Cli, pair: tuple[str, str]) -> None:
    code, out, _ = cli("diff", *pair, "-s", SCHEMA, "--format", "json")
    document = json.loads(out)
    assert (code, document["equal"], document["kind"]) == (1, False, "index")
    [found] = document["indexes"]
    assert found["rows"] == {"rows": 1, "ranges": [[2, 2]], "num_ranges": 1}
    assert {(v["value"], v["gained"], v["lost"]) for v in found["values"]} == {
        ("a", 0, 1),
        ("b", 1, 0),
    }
    data = Path(pair[0]).read_bytes()
    for field in document["fields"]:
        side = field["old"]
        assert (
            side is None
            or bytes.fromhex(side["hex"]) == data[side["byte"] : side["byte"] + side["bytes"]]
        )
    assert document["num_fields"] == len(document["fields"])


def test_fewer_are_listed_and_all_counted(cli: Cli, pair: tuple[str, str]) -> None:
    every = json.loads(cli("diff", *pair, "-s", SCHEMA, "--format", "json")[1])
    code, out, _ = cli("diff", *pair, "-s", SCHEMA, "--max-items", "1")
    assert code == 1
    assert f"{every['num_fields']} fields differ" in out
    assert f"\n... {every['num_fields'] - 1} more; --max-items N lists more" in out
    assert "  ... 1 more; --max-items N lists more" in out


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["old.index"], "pass two files, or a table with --snapshots N M"),
        (["old.index", "missing.index"], "missing.index: no such file"),
        (["old.index", "new.index", "--kind", "x"], "kind 'x': must be one of"),
        (["old.index", "new.index", "--catalog", "warehouse=x"], "--catalog needs --table"),
        (["old.index", "new.index", "--snapshots", "1", "2"], "of one table"),
        (["old.index", "new.index", "-s", "s"], "s"),
        (["-", "-"], "only one of the two"),
        (["old.index", "dv"], "is a vector file"),
        (["other", "other"], "is unknown"),
        (["old.index", "new.index", "--max-items", "-1"], "Invalid value for '--max-items'"),
        (["."], "pass two files"),
        ([".", "."], "is a directory"),
    ],
)
def test_trouble_exits_with_2(
    cli: Cli, pair: tuple[str, str], words: list[str], message: str
) -> None:
    write_vectors("dv", {"x": DeletionVector.of([1])})
    Path("other").write_bytes(b"something else altogether")
    code, out, err = cli("diff", *words)
    assert (code, out) == (2, "")
    assert message in err
    assert "bug" not in err


def test_a_broken_file_is_compared_as_far_as_it_can_be_read(
    cli: Cli, pair: tuple[str, str]
) -> None:
    data = Path("old.index").read_bytes()
    Path("cut.index").write_bytes(data[:-3])
    code, out, err = cli("diff", "old.index", "cut.index", "-s", SCHEMA)
    assert code == 2
    assert "containers[0].values[1]" in out
    assert err.startswith("paimon-ksy: cut.index: column 's', byte ")
    Path("head.index").write_bytes(b"\xff" + data[1:])
    code, out, err = cli("diff", "old.index", "head.index", "--format", "json")
    assert code == 2
    magic, gap = json.loads(out)["fields"]
    assert (magic["old"]["field"], gap["new"]["byte"], gap["new"]["field"]) == ("magic", 0, None)
    assert json.loads(err)["error"]["file"] == "head.index"


def test_a_schema_of_another_type(cli: Cli, pair: tuple[str, str]) -> None:
    code, _, err = cli("diff", *pair, "-s", "s BIGINT")
    assert code == 2
    assert "correct the type: --schema 's STRING'" in err


def test_standard_input(pair: tuple[str, str]) -> None:
    with Path("new.index").open("rb") as file:
        found = process("diff", "old.index", "-", "-s", SCHEMA, stdin=file)
    assert found.returncode == 1
    assert found.stdout.startswith("old.index and standard input: kind index")


def test_a_terminal_is_coloured() -> None:
    assert "\x1b[" not in as_on_terminal("diff", WORKED, ORDERS, NO_COLOR="1")
    assert "\x1b[31m" in as_on_terminal("diff", WORKED, ORDERS)


def test_a_pipe_that_is_closed() -> None:
    reading, writing = os.pipe()
    os.close(reading)
    command = [sys.executable, "-m", "paimon_ksy", "diff", str(WORKED), str(ORDERS)]
    with os.fdopen(writing, "wb") as file:
        assert subprocess.run(command, stdout=file, check=False, timeout=60).returncode == 141


@pytest.mark.parametrize("case", bad_files(), ids=lambda case: case.name)
@pytest.mark.parametrize("options", [[], ["-s", "a INT"]], ids=str)
def test_broken_files_have_a_clear_end(
    case: BadFile, options: list[str], cli: Cli, tmp_path: Path
) -> None:
    """Either side may be broken: it ends in bounded time, without a bug, and with JSON."""
    broken, sound = write(tmp_path, case.data, "bad.index"), WORKED
    for words in ([broken, sound], [sound, broken], [broken, broken]):
        started = time.process_time()
        code, out, err = cli("diff", *words, *options, "--format", "json")
        assert time.process_time() - started < 20
        assert code in ((0, 2) if words[0] == words[1] else (1, 2))
        assert (code == 2) == bool(err)
        assert "bug" not in err
        if out:
            json.loads(out)
