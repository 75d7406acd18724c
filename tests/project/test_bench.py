"""The parts of the benchmark that need no Java, and the command without Java."""

import json
import re
from pathlib import Path

import pytest

from tests import ROOT
from tools import jvm
from tools.bench import __main__ as main
from tools.bench import index as bench
from tools.jvm import MissingToolError


def test_each_start_is_measured() -> None:
    effort = bench.Effort(rows=1, rounds=1, seconds=0.01)
    rows = list(bench.measure_start_up(effort))
    assert [row.name for row in rows] == [f"start: {name}" for name in bench.STARTS]
    assert all(row.python > 1 for row in rows)
    assert rows[0].met is None and None not in [row.met for row in rows[1:]]


def test_the_page_has_each_start() -> None:
    page = (ROOT / "docs" / "explanations" / "speed.md").read_text(encoding="utf-8")
    assert re.findall(r"^\| `?([^`|]+?)`? \| [\d,]+ ms \|", page, re.MULTILINE) == [*bench.STARTS]


ONLY = "runs of 1,000"
NAMES = 2 * ["read a vector", "write a vector", "write it the first time", "apply a vector"]


def test_without_java_the_command_prints_the_figures_of_python(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def missing() -> str:
        raise MissingToolError("no Java here")

    monkeypatch.setattr(jvm, "classpath", missing)
    file = tmp_path / "figures.json"
    options = ["--quick", "--rounds", "1", "--rows", "3000", "--json", str(file), "--only", ONLY]
    monkeypatch.setattr("sys.argv", ["bench", "index", *options])
    assert main.main() == 1
    rows = json.loads(file.read_text())
    assert len(rows) == len(NAMES)
    assert all(row["name"].startswith(name) for row, name in zip(rows, NAMES, strict=True))
    assert all(ONLY in row["name"] for row in rows)
    assert all(row["python"] > 0 or row["unit"] == "x" for row in rows)
    printed = capsys.readouterr().out
    assert "3,000 rows, median of 1 rounds" in printed
    assert all(row["name"] in printed for row in rows)
    assert "not compared with Java: no Java here" in printed
