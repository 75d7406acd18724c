"""A short run of each target of tools/fuzz.py, what it has found before, and that it notices."""

import json
import re
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.bounds import bounded
from tests.support.commands import unmeasured
from tests.support.strategies import examples
from tools import fuzz
from tools.fuzz_targets import TARGETS


@pytest.mark.parametrize(
    "path", sorted(fuzz.REGRESSIONS.glob("*.json")), ids=lambda path: path.stem
)
def test_what_was_found_stays_mended(path: Path) -> None:
    fuzz.replay(path)


@pytest.mark.parametrize("name", fuzz.NAMES)
@examples(25)
@given(st.data())
def test_a_short_run(name: str, data: st.DataObject) -> None:
    TARGETS[name].check(data.draw(TARGETS[name].cases))


@pytest.mark.parametrize(
    ("action", "error"),
    [
        (lambda: [][1], "IndexError in test_fuzz.py"),
        (lambda: time.sleep(2), "TimeoutError in bounds.py"),
        (lambda: bytearray(2**60), "MemoryError in test_fuzz.py"),
    ],
)
def test_errors_are_found_and_the_smallest_case_is_kept(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, action: Callable[[], object], error: str
) -> None:
    monkeypatch.setattr(fuzz, "REGRESSIONS", tmp_path / "regressions")
    monkeypatch.setattr(fuzz, "current_case", lambda name: tmp_path / name)

    def check(case: object) -> None:
        with bounded(seconds=0.05):
            action()

    worker = fuzz.Worker("sql")
    for case in ("longer", "short", "longest"):
        worker.check(check, case)
    [path] = worker.findings.values()
    assert [path] == list((tmp_path / "regressions").iterdir())
    assert '"case": "short"' in path.read_text() and error in path.read_text()


def test_the_command_runs_a_target_in_a_process(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """For no time, so that it tries nothing or little: each run has other cases."""
    monkeypatch.setattr("sys.argv", ["fuzz", "--target=sql", "--minutes=0.0001"])
    assert fuzz.main() == 0
    assert re.search(r"sql: [\d,]+ cases, .*; 0 findings\n0 findings\n$", capfd.readouterr().out)
    monkeypatch.setattr(fuzz, "current_case", lambda name: tmp_path / name)
    with pytest.raises(
        RuntimeError, match=r"no such target cannot be tried: (.|\n)*invalid choice"
    ):
        fuzz.fuzz("no such target", 0.1)


def test_a_process_that_dies_leaves_its_case(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    current = tmp_path / "cache" / "current.json"
    crash = f"open({str(current)!r}, 'w').write('5'); import os; os.abort()"
    start = subprocess.Popen
    monkeypatch.setattr(fuzz, "REGRESSIONS", tmp_path / "regressions")
    monkeypatch.setattr(fuzz, "current_case", lambda name: current)
    monkeypatch.setattr(
        "tools.fuzz.subprocess.Popen",
        lambda command, **given: start([command[0], "-c", crash], **given),
    )
    monkeypatch.setattr("sys.argv", ["fuzz", "--target=sql"])
    assert fuzz.main() == 1
    [path] = (tmp_path / "regressions").iterdir()
    assert json.loads(path.read_text())["case"] == 5
    assert f"1 findings, in tests/regressions:\n  {path.name}: the process died: -" in (
        capsys.readouterr().out
    )


def test_memory_is_limited() -> None:
    program = "from tests.support.bounds import bounded\nwith bounded(): bytearray({} * 2**20)"
    for megabytes, code in ((50, 0), (200, 1)):
        done = subprocess.run(
            [sys.executable, "-c", program.format(megabytes)],
            cwd=fuzz.ROOT,
            env=unmeasured(),
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == code
        assert ("MemoryError" in done.stderr) == (code == 1)
