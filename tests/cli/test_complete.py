"""Output that is not a terminal is complete; on a terminal, a cut says so and how to see all."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pytest

from paimon_ksy.cli.app import run
from paimon_ksy.file_index.builder import build_file_index
from paimon_ksy.table_index.deletion_vector import DeletionVector
from paimon_ksy.table_index.deletion_vector_file import write_vectors
from paimon_ksy.types.schema import Schema
from tests.support.commands import Cli, as_on_terminal, on_terminal, process
from tools.tables import make_table

LONG = [f"{'x' * 90} {number}" for number in range(300)]
TYPES = "s STRING, n INT"


def plain(text: str) -> str:
    return re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", text).replace("\r\n", "\n")


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An index of 300 long values."""
    table = pa.table({"s": LONG, "n": pa.array(range(300), pa.int32())})
    options = {"file-index.bitmap.columns": "s", "file-index.range-bitmap.columns": "n"}
    path = tmp_path_factory.mktemp("complete") / "x.index"
    path.write_bytes(build_file_index(table, Schema.parse(TYPES), options))
    return path


def test_all_values_of_an_index(index: Path, cli: Cli) -> None:
    piped = process("inspect", index, "-s", TYPES).stdout
    assert all(f"'{value}'" in piped for value in LONG)
    assert "more" not in piped
    document = json.loads(cli("inspect", index, "-s", TYPES, "--format", "json")[1])
    assert len(document["columns"][0]["indexes"][0]["values"]) == 300
    some = cli("inspect", index, "-s", TYPES, "--max-items", "3")[1]
    assert "... 297 more; --all shows all" in some
    shown = plain(on_terminal("inspect", index, "-s", TYPES))
    assert "... 290 more; --all shows all" in shown
    forced = process("inspect", index, "-s", TYPES, env={**os.environ, "FORCE_COLOR": "1"}).stdout
    assert plain(forced).replace("\n", "").count("xxx 299'") == 1


def test_all_bytes_of_a_file(tmp_path: Path, cli: Cli) -> None:
    path = tmp_path / "x.index"
    table = pa.table({"s": [f"{number:05}" for number in range(5000)]})
    options = {"file-index.bitmap.columns": "s"}
    path.write_bytes(build_file_index(table, Schema.parse("s STRING"), options))
    size = path.stat().st_size
    assert size > 20_000
    lines = cli("inspect", path, "--hex")[1].splitlines()
    assert int(lines[-1].split()[0], 16) >= size - 16
    fields = json.loads(cli("inspect", path, "--hex", "--format", "json")[1])["hex"]
    assert b"".join(bytes.fromhex(field["hex"]) for field in fields) == path.read_bytes()
    shown = plain(as_on_terminal("inspect", path, "--hex"))
    assert f"... {size - 4096:,} more bytes; --from 4096 --length 4096 continues" in shown


def test_all_rows_that_eval_finds(index: Path, cli: Cli) -> None:
    where = ("-s", TYPES, "-w", "n >= 50")
    rows = " ".join(map(str, range(50, 300)))
    assert cli("eval", index, *where)[1].splitlines()[-1] == rows
    assert json.loads(cli("eval", index, *where, "--format", "json")[1])["positions"] == [
        *range(50, 300)
    ]
    assert "... 230 more; --limit 250 lists all" in plain(as_on_terminal("eval", index, *where))


def test_all_rows_of_a_vector(tmp_path: Path, cli: Cli) -> None:
    path = tmp_path / "v"
    vector = DeletionVector.of(list(range(0, 400, 2)), 64).add(range(1000, 9_000_000_000))
    write_vectors(path, {"f": vector})
    [[shown]] = [
        found["vectors"]
        for found in json.loads(cli("dv", "show", path, "--format", "json")[1])["files"]
    ]
    assert shown["ranges"] == [*([row, row] for row in range(0, 400, 2)), [1000, 8999999999]]


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A table of 20,300 rows, 300 of them with long texts."""
    texts = [*LONG, *map(str, range(20_000))]
    rows = pa.table({"s": texts, "n": pa.array(range(len(texts)), pa.int32())})
    return Path(make_table(tmp_path_factory.mktemp("warehouse"), "t", [rows]))


def test_all_rows_of_a_query(table: Path, tmp_path: Path, cli: Cli) -> None:
    done = process("table", "query", table)
    lines = done.stdout.splitlines()
    assert (done.returncode, len(lines)) == (0, 20_302)
    assert lines[-1] == "20,300 rows"
    assert [line.split("  ")[0].rstrip() for line in lines[1:301]] == LONG
    assert [int(line.split()[-1]) for line in lines[1:-1]] == [*range(20_300)]
    assert len(cli("table", "query", table, "--format", "json")[1].splitlines()) == 20_300
    forced = process("table", "query", table, env={**os.environ, "FORCE_COLOR": "1"}).stdout
    assert len(forced.splitlines()) == 20_302


def test_a_cut_query_says_so(table: Path) -> None:
    shown = plain(as_on_terminal("table", "query", table))
    lines = shown.splitlines()
    assert "the first 100 rows; --limit N shows more, -o FILE or > FILE writes all" in shown
    assert "values are cut at 60 characters, --format json prints them in full" in shown
    assert sum("xxx" in line for line in lines) == 100
    limited = plain(as_on_terminal("table", "query", table, "-n", "150", "--select", "n"))
    assert "150 rows" in limited
    assert "--limit" not in limited and "cut" not in limited


def test_a_long_query_streams(table: Path) -> None:
    """Rows are printed before all are read: the reader may stop."""
    command = [sys.executable, "-m", "paimon_ksy", "table", "query", str(table)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as done:
        assert done.stdout is not None and done.stderr is not None
        done.stdout.readline()
        done.stdout.close()
        assert done.stderr.read() == b""
    assert done.returncode == 141


@pytest.fixture(scope="module")
def many_files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A table of 23 files, whose options ask for indexes that they do not have."""
    data = [pa.table({"s": [f"{number:02}{'y' * 50}"]}) for number in range(23)]
    options = {"file-index.bitmap.columns": "s", "metadata.stats-mode": "full"}
    return Path(make_table(tmp_path_factory.mktemp("many"), "t", data, options))


def test_every_item_of_a_table(many_files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["table", "inspect", str(many_files)]) == 0
    piped = capsys.readouterr().out
    assert "more" not in piped
    assert all(f"s min '{number:02}{'y' * 50}'" in piped for number in range(23))
    assert run(["table", "inspect", str(many_files), "--format", "json"]) == 0
    assert len(json.loads(capsys.readouterr().out)["snapshots"]["listed"]) == 23
    shown = plain(as_on_terminal("table", "inspect", many_files))
    assert "... 3 more; --max-items N lists more" in shown
    assert "yyyyy..." in shown


def test_every_finding_of_an_audit(many_files: Path, cli: Cli) -> None:
    """Warnings that are alike are one in text, and each by itself in JSON."""
    audit = ("table", "audit", many_files, "--engine", "local")
    found = [json.loads(line) for line in cli(*audit, "--format", "json")[1].splitlines()][1:]
    assert len({finding["file"] for finding in found}) == 23
    piped = cli(*audit)[1]
    assert "and 22 more (--format json lists each)" in piped
    assert len(piped.splitlines()) == 3


def test_nothing_in_a_tree_is_cut_at_the_edge(index: Path) -> None:
    shown = plain(as_on_terminal("inspect", index, "-s", TYPES, COLUMNS="50"))
    assert "…" not in shown


def test_memory_of_a_long_answer(tmp_path: Path) -> None:
    """Two million rows take no more memory than a few: they are printed part by part."""
    rows = 2_000_000
    table = pa.table({"n": pa.array([number % 2 for number in range(rows)], pa.int32())})
    path = tmp_path / "x.index"
    options = {"file-index.bitmap.columns": "n"}
    path.write_bytes(build_file_index(table, Schema.parse("n INT"), options))
    code = (
        "import resource, sys; from paimon_ksy.cli.app import run; "
        "code = run(sys.argv[1:]); "
        "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, file=sys.stderr)"
    )

    def peak(where: str, *more: str) -> int:
        command = [sys.executable, "-c", code, "eval", str(path), "-s", "n INT", "-w", where]
        done = subprocess.run([*command, *more], capture_output=True, text=True, check=True)
        return int(done.stderr.splitlines()[-1])

    few = peak("n = 7")
    assert peak("n = 1") < few + 20_000
    assert peak("n = 1", "--format", "json") < few + 20_000
