"""The command `ksykit`."""

import json
import shutil
import sys
from pathlib import Path
from typing import Protocol

import pytest
from ksykit import cli as command
from ksykit.generator import compiler
from ksykit.generator.compiler import CompilerMissing, compile_specs

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
    assert "one.ksy: views: /instances/is_last: " in line
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
        patch.setattr(command, "find_spec", lambda name: None)
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


def test_names_that_move_the_cursor_are_escaped(cli: Cli, tmp_path: Path) -> None:
    code, _, err = cli("generate", tmp_path / "no\x1b[2J\n.ksy", "-o", tmp_path / "out")
    assert code == 1 and "no\\x1b[2J\\n.ksy" in err and "\x1b" not in err


@pytest.mark.parametrize("words", [(), ("generate",), ("generate", "a.ksy"), ("none",)])
def test_wrong_calls_exit_with_2(words: tuple[str, ...], cli: Cli) -> None:
    code, printed, err = cli(*words)
    assert code == 2 and not printed and "usage: ksykit" in err
