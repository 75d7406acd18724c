"""No process that the command starts imports a file of the current folder."""

import os
import subprocess
import sys
from pathlib import Path

import ksykit
import pytest

from kit_support.compiled import need_compiler
from kit_support.planted import RAN, plant_modules, starts

PACKAGE = Path(ksykit.__file__).parent
STARTS = {
    "generator/compiler.py": "node, or Python with -P; a program of PATH",
    "generator/npm.py": "npm, or Python with -P",
    "generator/render.py": "Python with -P",
}
"""Modules that start processes, and what keeps the current folder off their path."""


def test_the_table_has_all_starts() -> None:
    texts = {path: path.read_text(encoding="utf-8") for path in PACKAGE.rglob("*.py")}
    found = {path.relative_to(PACKAGE).as_posix() for path in texts if {*starts(texts[path])}}
    assert found == STARTS.keys()


COMMAND = """
import sys
from ksykit.cli import main

def hook(event, arguments):
    if event == "subprocess.Popen":
        print(arguments[1][:4])

sys.addaudithook(hook)
assert main(sys.argv[1:]) == 0
"""


@pytest.mark.parametrize("node", ["on the path", "of the wheel"])
def test_generate_imports_nothing_from_the_current_folder(tmp_path: Path, node: str) -> None:
    need_compiler()
    (tmp_path / "command.py").write_text(COMMAND)
    (tmp_path / "a.ksy").write_text("meta: {id: a}\nseq: [{id: x, type: u1}]\n")
    current = tmp_path / "current"
    current.mkdir()
    plant_modules(current)
    environment = {**os.environ, "PYTHONPATH": str(PACKAGE.parent)}
    if node == "of the wheel":
        environment["PATH"] = str(tmp_path)
    words = [sys.executable, str(tmp_path / "command.py"), "generate", str(tmp_path / "a.ksy")]
    done = subprocess.run(
        [*words, "-o", str(tmp_path / "made"), "--kaitai", str(tmp_path / "judge")],
        cwd=current,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert not (current / RAN).exists(), (current / RAN).read_text()
    assert done.stdout.count("'-P'") == (2 if node == "on the path" else 3)
