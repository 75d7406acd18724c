"""`diff` of two files: what it prints, its exit codes, and how it fails."""

import json
import re
import time
from pathlib import Path

import pyarrow as pa
import pytest

from paimon_ksy.file_index.builder import build_file_index
from paimon_ksy.types.schema import Schema
from tests.golden import BadFile, bad_files
from tests.support.commands import Cli, as_on_terminal, process
from tests.support.examples import ORDERS, WORKED, write
from tests.support.query_tables import made_table

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


@pytest.mark.parametrize("form", ["text", "json"])
def test_a_file_has_what_standard_output_gets(form: str, cli: Cli, pair: tuple[str, str]) -> None:
    words = ("diff", *pair, "-s", SCHEMA, "-f", form)
    code, printed, _ = cli(*words)
    assert cli(*words, "-o", "out") == (code, "", "") and printed
    assert Path("out").read_text(encoding="utf-8") == printed
    assert (cli(*words, "-o", "out")[0], cli(*words, "-o", "out", "--overwrite")[0]) == (2, code)


def test_standard_input(pair: tuple[str, str]) -> None:
    with Path("new.index").open("rb") as file:
        found = process("diff", "old.index", "-", "-s", SCHEMA, stdin=file)
    assert found.returncode == 1
    assert found.stdout.startswith("old.index and standard input: kind index")


def test_a_terminal_is_coloured() -> None:
    assert "\x1b[" not in as_on_terminal("diff", WORKED, ORDERS, NO_COLOR="1")
    assert "\x1b[31m" in as_on_terminal("diff", WORKED, ORDERS)


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


@pytest.fixture(scope="module")
def vectors(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A table whose last two snapshots add indexes, and then deletion vectors."""
    return made_table(tmp_path_factory.mktemp("tables"), "vectors")[0].location


def test_indexes_and_vectors_that_were_added(cli: Cli, vectors: str) -> None:
    code, out, err = cli("diff", vectors, "--snapshots", 4, 6)
    assert (code, err) == (1, "")
    assert "changed 4, deleted rows 65" in out
    assert re.search(r"\n\+ vectors\[data-.*\]: rows \d+, ranges 0, 3, 6, 9", out)
    document = json.loads(cli("diff", vectors, "--snapshots", 6, 4, "--format", "json")[1])
    assert (document["changed"], document["deleted_rows"]) == (4, -65)
    [index, *_] = [each["old"] for each in document["changes"] if each["path"].endswith("index")]
    assert {part["column"] for part in index["parts"]} >= {"status"}


def test_what_cannot_be_read_exits_with_2(cli: Cli, tmp_path: Path) -> None:
    location = made_table(tmp_path, "vectors")[0].location
    for index in Path(location, "index").iterdir():
        index.unlink()
    code, out, err = cli("diff", location, "--snapshots", 4, 6)
    assert code == 2
    assert "deleted rows 0" in out
    assert "no such file" in err
