"""What is written to terminals and to pipes."""

import ast
import os
import shutil
from pathlib import Path

import pytest

from tests import ROOT
from tests.golden import golden_index
from tests.support.commands import Cli, on_terminal, options, process
from tests.support.deletions import make, rows
from tests.support.examples import TYPES, WORKED, write
from tests.support.newer_tables import newer_table


def test_names_cannot_write_to_the_terminal(cli: Cli, tmp_path: Path) -> None:
    data = golden_index("c_one_column").data
    name = golden_index("c_one_column").columns[0]["name"].encode()
    evil = b"\x1b"
    assert len(name) == len(evil)
    path = write(tmp_path, data.replace(b"\x00\x01" + name, b"\x00\x01" + evil))
    code, out, err = cli("inspect", path, "--hex")
    assert code == 0
    assert "\x1b" not in out + err
    assert "\\x1b" in out


def test_no_command_prints_names_as_they_are(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "evil\x1b[2J"
    folder.mkdir()
    monkeypatch.chdir(folder)
    for name in ("a\x1b.index", "b\x1b.index"):
        shutil.copy(WORKED, name)
    data, table = f"{folder}/a\x1b.index", make(folder, [rows(0, 8)])
    jobs = ("inspect", "count", "audit", "advise", "rewrite-index")
    lines: list[list[str]] = [
        *(["inspect", data], ["verify", data], ["diff", data, "b\x1b.index"], ["dv", "show", data]),
        *(["eval", data, "-s", "\x1b INT", "-w", "`\x1b` = 1"], ["report", data], ["dump", data]),
        *(["webide", data], ["build", data, "-i", "bitmap:\x1b", "-o", "\x1b"], ["hexdump\x1b"]),
        *(["table", job, table] for job in jobs),
        *(["table", "explain", table, "-w", "`\x1b` = 1"], ["table", "count", "\x1b"]),
    ]
    for line in lines:
        _, out, err = cli(*line)
        assert out or err, line
        assert "\x1b" not in out + err, line


def test_all_text_is_printed_through_one_door() -> None:
    """Each module that prints otherwise prints no text of files, or JSON, or rows."""
    found = set()
    for path in (ROOT / "paimon_ksy/cli").glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call):
                called = ast.unparse(node.func)
                if called in ("print", "sys.stdout.write", "sys.stderr.write"):
                    found.add(path.stem)
    rows_or_json = {"dump", "table_scan"}
    numbers = {"__init__", "evaluate", "options"}
    assert found == {"failures", "output"} | rows_or_json | numbers


def test_terminals_get_colours(cli: Cli) -> None:
    _, piped, _ = cli("inspect", WORKED, "-s", TYPES, "--hex")
    assert "\x1b" not in piped and piped.isascii()
    shown = on_terminal("inspect", WORKED, "-s", TYPES)
    assert "\x1b[" in shown
    plain = on_terminal("inspect", WORKED, "-s", TYPES, NO_COLOR="1")
    assert "\x1b[" not in plain


def test_output_in_ascii(tmp_path: Path) -> None:
    path = write(tmp_path, golden_index("c_names_mutf8").data)
    env = {**os.environ, "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"}
    done = process("inspect", path, env=env)
    assert done.returncode == 0
    assert "\\xe9t\\xe9" in done.stdout


DESTROYS = [
    (["delete", "-w", "id < 3"], 0),
    (["clean-orphans", "--older-than", "0s"], 0),
    (["audit", "--repair"], 3),
    (["rewrite-index", "--set", "file-index.bitmap.columns=", "--drop-unlisted"], 0),
    (["drop-index", "--column", "name"], 0),
]


def contents(folder: str) -> dict[Path, bytes]:
    """Return the bytes of all files below a folder."""
    return {path: path.read_bytes() for path in Path(folder).rglob("*") if path.is_file()}


@pytest.mark.parametrize(("words", "code"), DESTROYS, ids=lambda value: str(value)[:12])
def test_what_destroys_shows_its_plan_first(
    words: list[str], code: int, tmp_path: Path, cli: Cli
) -> None:
    """It changes no byte without --yes; an audit still reports the errors that are left."""
    if words[0] == "drop-index":
        path = newer_table(tmp_path, "btree")
    else:
        path = make(tmp_path, [rows(0, 8)], {"file-index.in-manifest-threshold": "1 B"})
        assert cli("table", "rewrite-index", path, "--set", "file-index.bitmap.columns=id")[0] == 0
        index = next(Path(path).rglob("*.index"))
        index.with_name("data-x.parquet.index").write_bytes(b"")
    if words[0] == "audit":
        index.write_bytes(b"garbage")
    before = contents(path)
    name, *more = words
    found, out, _ = cli("table", name, path, *more)
    assert (found, out.splitlines()[-1]) == (code, "to apply this plan, add --yes")
    assert "plan only: would " in out
    assert contents(path) == before
    found, out, _ = cli("table", name, path, *more, "--yes")
    assert (found, "--yes" in out, "plan" in out) == (0, False, False)
    assert contents(path) != before


def test_all_that_take_yes_are_listed() -> None:
    takes = {words for flags, words, _ in options() if flags == "--yes, -y"}
    assert takes == {f"table {words[0]}" for words, _ in DESTROYS}
