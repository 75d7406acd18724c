"""The command `ksykit`."""

import json
import os
import re
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Protocol

import pytest
from ksykit import cli as command
from ksykit import opening
from ksykit.generator import compiler
from ksykit.generator.compiler import CompilerMissing, compile_specs
from pyarrow.parquet import read_table

from kit_support.compiled import need_compiler

SPEC = """\
meta:
  id: {id}
  endian: le
-kit-view: true
seq:
  - id: num_numbers
    type: u2
  - id: numbers
    type: u4
    repeat: expr
    repeat-expr: num_numbers
"""


class Cli(Protocol):
    def __call__(self, *words: object) -> tuple[int, str, str]: ...


@pytest.fixture
def cli(capsys: pytest.CaptureFixture[str]) -> Cli:
    """Run a command; return its exit code and what it printed."""

    def run(*words: object) -> tuple[int, str, str]:
        try:
            code = command.main([*map(str, words)])
        except SystemExit as stop:
            code = int(stop.code or 0)
        return code, *capsys.readouterr()

    return run


@pytest.fixture(autouse=True)
def _compiler() -> None:
    need_compiler()


def spec(folder: Path, name: str, more: str = "") -> Path:
    path = folder / f"{name}.ksy"
    path.write_text(SPEC.format(id=name) + more)
    return path


def texts(folder: Path) -> dict[str, str]:
    return {str(path.relative_to(folder)): path.read_text() for path in folder.rglob("*.py")}


def test_files_folders_and_what_is_in_the_way(cli: Cli, tmp_path: Path) -> None:
    one, _ = spec(tmp_path, "one"), spec(tmp_path, "two")
    out = tmp_path / "made"
    code, printed, _ = cli("generate", tmp_path, "-o", out, "--json")
    answer = json.loads(printed)
    assert (code, answer["folder"]) == (0, str(out))
    assert {*answer["files"]} == texts(out).keys() >= {"views/one.py", "structs/two.py"}
    (out / "own.py").write_text("mine")
    assert cli("generate", one, "-o", out) == (0, f"6 files in {out}\n", "")
    assert {"views/one.py", "own.py"} <= texts(out).keys() and "views/two.py" not in texts(out)

    for name in ("__init__.py", "views/one.py"):
        before = shutil.copytree(out, tmp_path / f"before {Path(name).stem}")
        (out / name).write_text("mine")
        spec(tmp_path, "one", "types: {more: {seq: [{id: a, type: u1}]}}\n")
        code, _, err = cli("generate", one, "-o", out)
        assert code == 2 and str(out / name) in err and "another folder" in err
        assert texts(out) == {**texts(before), name: "mine"}
        shutil.copy(before / name, out / name)


def test_what_is_left_out_is_named(cli: Cli, tmp_path: Path) -> None:
    more = "  - id: tail\n    type: u4\n    repeat: until\n    repeat-until: _io.eof or _ == 0\n"
    more += "instances: {is_last: {value: _io.eof}}\n"
    path, out = spec(tmp_path, "one", more), tmp_path / "out"
    code, printed, err = cli("generate", path, "-o", out, "--json")
    answer = json.loads(printed)
    assert code == 0 and "views/one.py" in answer["files"]
    [line] = answer["left_out"]
    assert re.search(r"one\.ksy:\d+:13: views: /instances/is_last: ", line)
    assert err == f"left out: {line}\n"


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ("  - id: a\n    type: t\n", ("one.ksy", "t")),
        ("  - id: a\n    size: [1]\n", ("one.ksy", "/seq/2/size")),
        ("instances: [\n", ("one.ksy", "YAML")),
    ],
)
def test_an_error_names_file_and_place(
    more: str, words: tuple[str, ...], cli: Cli, tmp_path: Path
) -> None:
    code, _, err = cli("generate", spec(tmp_path, "one", more), "-o", tmp_path / "out")
    assert code == 1 and all(word in err for word in words) and "bug" not in err
    assert not (tmp_path / "out").exists()
    assert cli("generate", tmp_path / "none", "-o", tmp_path / "out")[0] == 1


def test_what_is_missing_is_named(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    given = ("generate", spec(tmp_path, "one"), "-o", tmp_path / "out")
    with monkeypatch.context() as patch:
        patch.setattr(opening, "find_spec", lambda name: None)
        code, _, err = cli(*given)
        assert code == 1 and "jinja2" in err and "[generator]" in err

    def missing() -> Path:
        raise CompilerMissing("no node: install node")

    expected = compile_specs({"one": {"meta": {"id": "one"}}}, ["python"])["python"]["one"]
    monkeypatch.setattr(compiler, "compiler_path", missing)
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    code, _, err = cli(*given, "--kaitai", tmp_path / "judge")
    assert code == 1 and "no node" in err and "kaitai-struct-compiler 0.11 on the PATH" in err

    # The real command is in no registry: this one has its arguments, and answers as it does.
    program = f"""#!{sys.executable}
import pathlib, sys
_, target, language, outdir, out, name = sys.argv
assert (target, language, outdir) == ("--target", "python", "--outdir"), sys.argv
assert pathlib.Path(name).is_file()
if "bad" in name:
    sys.exit("bad.ksy: /seq/0: error: no")
pathlib.Path(out).mkdir()
pathlib.Path(out, name.replace(".ksy", ".py")).write_text({expected["files"]["one.py"]!r})
"""
    program_file = tmp_path / "bin" / "kaitai-struct-compiler"
    program_file.parent.mkdir()
    program_file.write_text(program)
    program_file.chmod(0o755)
    specs = {"one": {"meta": {"id": "one"}}, "bad": {"meta": {"id": "bad"}}}
    found = compile_specs(specs, ["python"])["python"]
    assert found["one"] == expected and "error: no" in found["bad"]["error"]


def test_a_check_names_files_that_differ(cli: Cli, tmp_path: Path) -> None:
    path, out = spec(tmp_path, "one"), tmp_path / "out"
    assert cli("generate", path, "-o", out, "--check")[0] == 1 and not out.exists()
    assert cli("generate", path, "-o", out)[0] == 0
    assert cli("generate", path, "-o", out, "--check") == (0, "", "")
    (out / "own.py").write_text("mine")
    (out / "views" / "old.py").write_text((out / "views" / "one.py").read_text())
    (out / "structs" / "one.py").unlink()
    before = texts(out)
    code, printed, err = cli("generate", path, "-o", out, "--check")
    named = [out / "structs" / "one.py", out / "views" / "old.py"]
    assert (code, err) == (1, "") and texts(out) == before
    assert printed.splitlines() == [f"{file}: is not what the specs give" for file in named]
    answer = json.loads(cli("generate", path, "-o", out, "--check", "--json")[1])
    assert answer["differ"] == ["structs/one.py", "views/old.py"]


def test_a_package_follows_its_specs(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    folder, out = tmp_path / "specs", tmp_path / "out"
    (folder / "parts").mkdir(parents=True)
    one, code = spec(folder, "one"), out / "structs" / "one.py"
    text = one.read_text()

    def edits() -> Iterator[tuple[str, str]]:
        """Edit specs; yield what is printed after it, and a part of the error."""
        yield f"6 files in {out}\n", ""
        yield "", ""  # nothing has changed
        one.write_text(text.replace("u4", "u2"))
        yield f"6 files in {out}\n", ""
        assert "U2LE" in code.read_text() and "U4LE" not in code.read_text()
        one.write_text(text.replace("u4", "none"))
        yield "", "no type none"
        one.unlink()
        yield "", "has no specs"
        one.write_text(text.replace("endian: le", "endian: le\n  imports: [parts/two]"))
        yield "", "parts/two does not exist"
        spec(folder / "parts", "two")
        yield f"8 files in {out}\n", ""
        (folder / "parts" / "two.ksy").write_text("meta: {id: three}")
        yield "", "/meta/id: is not two"
        (folder / "parts" / "two.ksy").unlink()
        one.write_text(text)
        yield f"6 files in {out}\n", ""
        assert "U4LE" in code.read_text()
        code.write_text("mine")
        one.write_text(text.replace("u4", "u2"))

    steps = edits()
    expected = [next(steps)]

    def wait(seconds: float) -> None:
        printed, error = capsys.readouterr()
        [(wanted, problem)] = expected
        assert printed == wanted and problem in error and error.count("\n") == bool(problem)
        expected[:] = [next(steps, ("", ""))]

    monkeypatch.setattr(command, "sleep", wait)
    exit_code, printed, err = cli("generate", folder, "-o", out, "--watch")
    assert (
        (exit_code, printed) == (2, "")
        and "was not generated" in err
        and code.read_text() == "mine"
    )
    assert next(steps, None) is None


def test_ctrl_c_ends_a_command(cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def wait(seconds: float) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(command, "sleep", wait)
    words = "generate", spec(tmp_path, "one"), "-o", tmp_path / "out", "--watch"
    assert cli(*words) == (130, f"6 files in {tmp_path / 'out'}\n", "")


def test_names_that_move_the_cursor_are_escaped(cli: Cli, tmp_path: Path) -> None:
    code, _, err = cli("generate", tmp_path / "no\x1b[2J\n.ksy", "-o", tmp_path / "out")
    assert code == 1 and "no\\x1b[2J\\n.ksy" in err and "\x1b" not in err


FILE = b"\3\0" + b"".join(number.to_bytes(4, "little") for number in (1, 2**32 - 1, 3))


@pytest.fixture
def one(tmp_path: Path) -> Path:
    """A file, whose name moves the cursor, of the spec beside it."""
    spec(tmp_path, "one")
    path = tmp_path / os.fsdecode(b"a\x1b[2J\xff.bin")
    path.write_bytes(FILE)
    return path


def test_a_file_is_shown_without_a_package(cli: Cli, one: Path, tmp_path: Path) -> None:
    by = "--spec", tmp_path / "one.ksy"
    code, printed, err = cli("show", one, *by)
    lines = ["one", "  num_numbers = 3", "  numbers: 3 elements", "    [0] = 1"]
    assert (code, printed.splitlines()[:4], err) == (0, lines, "")
    assert cli("show", one, *by, "--depth", "0")[1].splitlines() == lines[:3]
    code, printed, _ = cli("map", one, *by, "--start", "5", "--length", "5")
    assert (code, printed.splitlines()) == (
        0,
        [
            f" 2  {'01 00 00 00':26}  numbers[0] = 1",
            f" 6  {'ff ff ff ff':26}  numbers[1] = 4294967295",
        ],
    )
    one.write_bytes(FILE + b"\7" * 20)
    printed = cli("map", one, *by)[1]
    assert printed.splitlines()[-1] == f"14  {' '.join(['07'] * 8)} ..  no field"


def test_tables_are_listed_shown_and_written(
    cli: Cli, one: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    by = "--spec", tmp_path / "one.ksy"
    assert cli("table", one, *by) == (0, "table    rows\nnumbers     3\n", "")
    shown = "     value\n         1\n4294967295\n         3\n"
    assert cli("table", one, *by, "numbers")[1] == shown
    monkeypatch.chdir(tmp_path)
    (tmp_path / "numbers").mkdir()  # a folder, such as the package, has the name of the table
    assert cli("table", one, "numbers", *by)[1] == shown
    code, printed, _ = cli("table", one, "numbers", *by, "--limit", "1", "--columns", "value")
    assert (code, printed) == (0, "value\n    1\n1 of 3 rows\n")
    other = tmp_path / "other.bin"
    other.write_bytes(FILE)
    printed = cli("table", one, other, *by, "numbers")[1]
    assert "a\\x1b[2J\\udcff.bin" in printed and "\x1b" not in printed
    values = [1, 2**32 - 1, 3]
    for suffix in (".json", ".jsonl", ".csv", ".parquet"):
        out = tmp_path / f"out{suffix}"
        out.write_text("old")
        out.chmod(0o640)
        assert cli("table", other, *by, "numbers", "-o", out) == (0, f"3 rows in {out}\n", "")
        assert out.stat().st_mode & 0o777 == 0o640
    assert json.loads((tmp_path / "out.json").read_bytes()) == [{"value": n} for n in values]
    lines = (tmp_path / "out.jsonl").read_text().splitlines()
    assert [json.loads(line) for line in lines] == [{"value": n} for n in values]
    assert (tmp_path / "out.csv").read_text().split() == ["value", *map(str, values)]
    assert read_table(tmp_path / "out.parquet")["value"].to_pylist() == values
    other.write_bytes(FILE[:-1])
    for name in ("out.csv", "new.csv"):
        before = {path: path.read_bytes() for path in tmp_path.glob("*.*")}
        code, printed, err = cli("table", one, other, *by, "numbers", "-o", tmp_path / name)
        assert (code, printed) == (1, "") and f"{other}: byte 10: numbers[2]: " in err
        assert err.count("\n") == 1
        assert {path: path.read_bytes() for path in tmp_path.glob("*.*")} == before
    code, printed, err = cli("table", other, one, *by, "numbers", "--collect", "--columns", "value")
    assert code == 1 and len(printed.splitlines()) == 4 and err.startswith(f"left out: {other}: ")


def test_json_becomes_the_same_bytes(cli: Cli, one: Path, tmp_path: Path) -> None:
    by, doc, out = ("--spec", tmp_path / "one.ksy"), tmp_path / "doc.json", tmp_path / "out"
    one.write_bytes(FILE + b"\xffrest")
    code, printed, _ = cli("dump", one, *by)
    assert code == 0 and json.loads(printed)["parts"][0]["num_numbers"] == 3
    doc.write_text(printed)
    assert cli("assemble", doc, *by, "-o", out) == (0, f"19 bytes in {out}\n", "")
    assert out.read_bytes() == one.read_bytes()
    for text in ("", "[1]", '{"parts": 1}', '{"parts": [{"at": 0, "$type": "os"}]}', "[" * 10**5):
        doc.write_text(text)
        code, printed, err = cli("assemble", doc, *by, "-o", out)
        assert (code, printed) == (1, "") and err.startswith(f"error: {doc}: ") and len(err) < 300
        assert out.read_bytes() == one.read_bytes()


def test_what_cannot_be_read_is_one_line(
    cli: Cli, one: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    by, none = ("--spec", tmp_path / "one.ksy"), tmp_path / "none"
    one.write_bytes(FILE[:7])
    cases: dict[tuple[object, ...], str] = {
        ("show", none, *by): f"{none}: no such file",
        ("show", tmp_path, *by): f"{tmp_path}: is a directory",
        ("show", one, "--spec", none): f"{none}: does not exist",
        ("show", one, *by): "a\\x1b[2J\\xff.bin: byte 6: numbers[1]: requested 4 bytes",
        ("dump", one, *by): "byte 6: numbers[1]: requested 4 bytes",
        ("map", one, *by): "byte 6: numbers",
        ("table", one, *by): "byte 6: numbers[1]",
        ("show", one, *by, "--type", "two"): "no type 'two'",
        ("table", one, *by, "two"): "one has no table two; there are numbers",
        ("table", one, *by, "numbers", "--columns", "x"): "numbers has no column x; it has value",
    }
    for words, message in cases.items():
        code, printed, err = cli(*words)
        assert (code, printed, err.count("\n")) == (1, "", 1) and message in err, (words, err)
    one.write_bytes(FILE)
    for out in (tmp_path, none / "x.csv", "/dev/null"):
        code, printed, err = cli("table", one, *by, "numbers", "-o", Path(out, ""))
        assert code in (1, 2) and str(out) in err and err.count("\n") == 1
    for missing, extra, words in (
        ("pyarrow", "arrow", ("table", one, *by, "numbers")),
        ("ruamel", "generator", ("show", one, *by)),
    ):
        with monkeypatch.context() as patch:
            patch.setattr(opening, "find_spec", {"jinja2": 1, "ruamel": 1, missing: None}.get)
            code, _, err = cli(*words)
        assert code == 1 and f"`ksykit[{extra}]`" in err and err.count("\n") == 1
        assert f"{missing!r} is missing" in err


WRONG = (
    (), ("generate",), ("generate", "a.ksy"), ("none",), ("show", "a"), ("map", "--spec", "a.ksy"),
    ("show", "a", "--spec", "a.ksy", "b"), ("table", "a", "--spec", "a.ksy", "b", "c"),
    ("assemble", "a", "--spec", "a.ksy"), ("map", "a", "--spec", "a.ksy", "--start", "-1"),
    ("generate", "a.ksy", "-o", "b", "--check", "--watch"),
)  # fmt: skip


@pytest.mark.parametrize("words", WRONG)
def test_wrong_calls_exit_with_2(words: tuple[str, ...], cli: Cli) -> None:
    code, printed, err = cli(*words)
    assert code == 2 and not printed and "usage: ksykit" in err
