"""A short run of each target of tools/fuzz.py, what it has found before, and that it notices."""

import json
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kit_support.bounds import bounded
from kit_support.examples import examples
from tools import fuzz
from tools.fuzz_targets import TARGETS, Target


@pytest.mark.parametrize(
    "path", sorted(fuzz.REGRESSIONS.glob("*.json")), ids=lambda path: path.stem
)
def test_what_was_found_stays_mended(path: Path) -> None:
    fuzz.replay(path)


@pytest.mark.parametrize("name", TARGETS)
@examples(25)
@given(st.data())
def test_a_short_run(name: str, data: st.DataObject) -> None:
    TARGETS[name].check(data.draw(TARGETS[name].cases))


@pytest.mark.parametrize(
    ("action", "error"),
    [
        (lambda: [][1], "IndexError"),
        (lambda: time.sleep(2), "TimeoutError"),
        (lambda: bytearray(2**60), "MemoryError"),
    ],
)
def test_errors_are_found_and_the_smallest_case_is_kept(
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    action: Callable[[], object],
    error: str,
) -> None:
    def check(case: object) -> None:
        with bounded(seconds=0.05):
            if isinstance(case, int) and case > 6:
                action()

    monkeypatch.setattr(fuzz, "REGRESSIONS", tmp_path / "regressions")
    monkeypatch.setitem(TARGETS, "some", Target(st.integers(0, 1000), check))
    monkeypatch.setattr("sys.argv", ["fuzz", "--target=some"])
    assert fuzz.main() == 1
    [path] = (tmp_path / "regressions").iterdir()
    finding = json.loads(path.read_text())
    assert (finding["target"], finding["case"]) == ("some", 7)
    assert error in finding["error"] and f"{path.name}: {error}" in capsys.readouterr().out
    monkeypatch.setitem(TARGETS, "some", Target(st.integers(0, 6), check))
    monkeypatch.setattr("sys.argv", ["fuzz", "--target=some", "--minutes=0.0001"])
    assert fuzz.main() == 0
