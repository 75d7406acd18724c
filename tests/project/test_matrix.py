"""`make matrix`: what it names exists."""

import tomllib
from pathlib import Path
from types import SimpleNamespace

import pytest

from tests import ROOT
from tools import matrix

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]


@pytest.mark.parametrize("folder", {*matrix.PACKAGES[1:], *matrix.FILES[1:], *matrix.SPARK[1:]})
def test_there_are_tests_in_each_folder(folder: str) -> None:
    assert list((ROOT / "tests" / folder).glob("test_*.py"))


@pytest.mark.parametrize("passes", [True, False])
def test_each_name_has_an_environment_in_which_tests_run(
    passes: bool,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    ran = []

    def run(command: list[str], cwd: Path, check: bool) -> SimpleNamespace:
        ran.append(command)
        if "venv" in command:
            Path(command[-1]).mkdir(parents=True)
        return SimpleNamespace(returncode=0 if passes or "spark-4.1" not in command[0] else 1)

    monkeypatch.setattr(matrix, "FOLDER", tmp_path)
    monkeypatch.setattr("tools.matrix.subprocess.run", run)
    monkeypatch.setattr("sys.argv", ["matrix", "lowest", "spark-4.1"])
    assert matrix.main() == (0 if passes else 1)
    last = "passed" if passes else "FAILED"
    assert capsys.readouterr().out.splitlines()[-2:] == [
        f"{'lowest':12} passed",
        f"{'spark-4.1':12} {last}",
    ]
    tests = [command for command in ran if "pytest" in command]
    assert [Path(command[0]).parents[1].name for command in tests] == ["lowest", "spark-4.1"]
    assert tests[0][-len(matrix.PACKAGES) :] == [
        matrix.PACKAGES[0],
        *(f"tests/{folder}" for folder in matrix.PACKAGES[1:]),
    ]
    assert (tmp_path / "spark-4.1" / "limits.txt").read_text() == matrix.SPARKS["spark-4.1"]
    [compiled] = [command for command in ran if "compile" in command]
    assert "--resolution=lowest-direct" in compiled
    assert {f"--extra={extra}" for extra in matrix.EXTRAS} <= {*compiled}
