"""Commands that messages recommend: each can be pasted, and none of them loses anything."""

from __future__ import annotations

import ast
import re
import shlex
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import typer.main
from typer.testing import CliRunner

from paimon_ksy.cli.app import app
from paimon_ksy.errors import Call
from paimon_ksy.messages.commands import table_words
from tests import ROOT
from tests.support.commands import options

PACKAGE = ROOT / "paimon_ksy"
PATH = "/some folder/default.db/it's"
LOSES = {"delete", "--yes", "-y", "--drop-unlisted", "--overwrite"}
"""Words of commands that take something away."""


@cache
def messages() -> list[tuple[str, str]]:
    """The texts in the package that are no docstrings, with the file that each is in; what an
    f-string puts in is a word."""
    found = []
    for path in sorted(PACKAGE.rglob("*.py")):
        if "generated" not in path.parts:
            name = str(path.relative_to(ROOT))
            found += [(name, text) for text in texts_of(path.read_text(encoding="utf-8"))]
    return found


def texts_of(code: str) -> Iterator[str]:
    nodes = list(ast.walk(ast.parse(code)))
    statements = {id(node.value) for node in nodes if isinstance(node, ast.Expr)}
    parts = {id(part) for node in nodes if isinstance(node, ast.JoinedStr) for part in node.values}
    left_out = statements | parts
    for node in nodes:
        if id(node) in left_out:
            continue
        if isinstance(node, ast.JoinedStr):
            yield "".join(str(p.value) if isinstance(p, ast.Constant) else "X" for p in node.values)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value


def calls() -> Iterator[tuple[str, Call]]:
    """The calls in remedies, with the file that each is in."""
    for path in sorted(PACKAGE.rglob("*.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "Call":
                texts = [one.value for one in node.args if isinstance(one, ast.Constant)]
                if texts:
                    yield str(path.relative_to(ROOT)), Call(*map(str, texts))


def commands_in(text: str) -> list[str]:
    """The commands of a message: in backticks, or after a colon to its end."""
    quoted = re.findall(r"`(paimon-ksy [^`]+)`", text)
    last = re.findall(r": (paimon-ksy .+)$", text)
    return quoted + last


def parse(command: str) -> list[str]:
    """The words of a command, which the command line takes. Nothing is run."""
    program, *words = shlex.split(command)
    assert program == "paimon-ksy"
    found: Any = typer.main.get_command(app)
    context = None
    name = program
    rest = words
    while True:
        if "--help" in rest:
            assert rest[-1] == "--help" or hasattr(found, "commands")
        context = found.make_context(
            name,
            [w for w in rest if w != "--help"],
            parent=context,
            resilient_parsing="--help" in rest,
        )
        if not hasattr(found, "commands"):
            return words
        left = [*context._protected_args, *context.args]
        if not left:
            return words
        name, found, rest = found.resolve_command(context, left)
        if "--help" in words and "--help" not in rest:
            rest = [*rest, "--help"]


CALLS = list(calls())
COMMANDS = {command for _, text in messages() for command in commands_in(text)}


@pytest.mark.parametrize("call", sorted({str(call) for _, call in CALLS}))
def test_each_call_of_a_remedy_can_be_pasted(call: str) -> None:
    made = next(one for _, one in CALLS if str(one) == call)
    [command] = commands_in(made.on(table_words(PATH), "'./-odd file'"))
    words = parse(command)
    assert not LOSES & set(words)
    assert (PATH if words[0] == "table" else "./-odd file") in words


@pytest.mark.parametrize("command", sorted(COMMANDS - {"paimon-ksy dump", "paimon-ksy X"}))
def test_each_command_of_a_message_can_be_pasted(command: str) -> None:
    words = parse(command)
    assert "TABLE" not in words, "write a Call"
    assert not LOSES & set(words)


OTHER_PROGRAMS = "ksykit/src/ksykit/generator/"
"""What calls other programs, with flags of theirs."""
OTHERS = {"--py-files", "--archives", "--conf", "--help", "--json"}
"""Flags of spark-submit, of help, which all commands have, and one that an error corrects."""


def test_each_flag_in_a_message_exists() -> None:
    """None is a spelling of before, or of another program."""
    flags = {flag for listed, *_ in options() for flag in listed.split(", ")}
    named = {
        (file, flag)
        for file, text in messages()
        if " " in text or not file.startswith(OTHER_PROGRAMS)
        for flag in re.findall(r"(?<![\w-])--[a-z][a-z-]+", text)
    }
    assert len(named) > 50
    assert {(file, flag) for file, flag in named if flag not in flags | OTHERS} == set()


def broken(folder: Path) -> str:
    """A table with much that is wrong, in a folder whose name has to be quoted."""
    from paimon_ksy.table.engine import local_engine
    from paimon_ksy.table.index.rewrite import rewrite_index
    from tests.support.tables import STATUS, TO_FILES, files, make, rows

    path = make(folder / "a folder; 'odd'", [rows(i * 8, 8) for i in range(5)], TO_FILES)
    rewrite_index(path, set={**STATUS, "file-index.bsi.columns": "id"}, engine=local_engine(1))
    cut, gone, garbage, data, _ = files(path)
    body = Path(cut.index_files[0])
    body.write_bytes(body.read_bytes()[:-20])
    Path(gone.index_files[0]).unlink()
    Path(garbage.index_files[0]).write_bytes(b"garbage")
    Path(data.path).unlink()
    (Path(path) / "snapshot" / "EARLIEST").write_text("x")
    stray = Path(data.path).with_name("data-x.parquet.index")
    stray.write_bytes(b"")
    import os

    os.utime(stray, (1, 1))
    return path


def test_what_an_audit_recommends(tmp_path: Path) -> None:
    """Its commands name this table, and following all of them drops no sound index."""
    from paimon_ksy.table.audit.audit import audit
    from paimon_ksy.table.engine import local_engine
    from tests.support.tables import indexes

    path = broken(tmp_path)
    before = indexes_of_sound(path)
    assert before
    findings = list(audit(path, deep=True, engine=local_engine(1)))
    assert {"index", "index-unlisted", "orphan", "hint"} <= {one.check for one in findings}
    found = [command for one in findings for command in commands_in(one.remedy)]
    assert {shlex.split(command)[2] for command in found} == {"audit", "clean-orphans"}
    assert not any("TABLE" in one.remedy or "FILE" in one.remedy for one in findings)
    for command in dict.fromkeys(found):
        words = parse(command)
        assert words[2] == path
        assert not LOSES & set(words)
        is_repair = "--repair" in words
        CliRunner().invoke(app, [*words, *(["--yes"] if is_repair else [])])
    after = indexes_of_sound(path)
    assert {name: after[name] for name in before} == before
    assert indexes(path)


def indexes_of_sound(path: str) -> dict[str, list[str]]:
    """The indexed columns of data files whose index can be read."""
    from paimon_ksy.errors import PaimonKsyError
    from paimon_ksy.file_index.container import FileIndex
    from tests.support.tables import files

    found = {}
    for file in files(path):
        try:
            with FileIndex.open(file.index) as opened:
                found[file.name] = sorted(opened.columns)
        except PaimonKsyError:
            continue
    return found


def test_an_error_names_the_table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from paimon_ksy.table.engine import local_engine
    from paimon_ksy.table.index.rewrite import rewrite_index
    from tests.support.tables import STATUS, TO_FILES, files, make, rows

    path = make(tmp_path / "a folder; 'odd'", [rows(0, 8)], TO_FILES)
    rewrite_index(path, set=STATUS, engine=local_engine(1))
    index = Path(files(path)[0].index_files[0])
    index.write_bytes(index.read_bytes()[:-60])
    asked = ["--where", "status = 'PAID'"]
    ran = CliRunner().invoke(app, ["table", "count", path, *asked])
    assert ran.exit_code == 1
    assert ["table", "audit", path, "--repair"] in map(parse, commands_in(ran.stderr))
    # The folders of a file alone show which table it is in; one elsewhere is in none.
    schema = ["--schema", "status STRING"]
    ran = CliRunner().invoke(app, ["eval", str(index), *schema, *asked])
    assert ["table", "audit", path, "--repair"] in map(parse, commands_in(ran.stderr))
    monkeypatch.chdir(tmp_path)
    Path("alone.index").write_bytes(index.read_bytes())
    ran = CliRunner().invoke(app, ["eval", "alone.index", *schema, *asked])
    assert "to rebuild it, see `paimon-ksy build --help`" in ran.stderr


@pytest.mark.parametrize("checked", ["table", "file"])
def test_what_only_the_data_show_is_rebuilt_by_the_command_that_is_named(
    checked: str, tmp_path: Path
) -> None:
    """An audit without --deep finds nothing wrong in a changed value that still parses."""
    from paimon_ksy.table.engine import local_engine
    from paimon_ksy.table.index.rewrite import rewrite_index
    from tests.support.tables import STATUS, TO_FILES, files, make, rows

    path = make(tmp_path, [rows(0, 8)], {**TO_FILES, **STATUS})
    rewrite_index(path, engine=local_engine(1))
    [file] = files(path)
    index = Path(file.index_files[0])
    index.write_bytes(index.read_bytes().replace(b"PAID", b"PAIE"))
    words = ["table", "audit", path, "--deep"]
    if checked == "file":
        words = ["verify", str(index), "--data", file.path]
    ran = CliRunner().invoke(app, words)
    assert ran.exit_code == 3
    named = [parse(command) for command in commands_in(ran.stdout)]
    assert named == [["table", "audit", path, "--deep", "--repair"]]
    assert CliRunner().invoke(app, [*named[0], "--yes"]).exit_code == 0
    assert CliRunner().invoke(app, ["table", "audit", path, "--deep"]).exit_code == 0
