"""A short run of each target of tools/fuzz.py, what it has found before, and that it notices."""

import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.golden import golden_indexes
from tests.support.bounds import bounded
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


def test_an_index_type_that_nobody_knows_is_no_finding() -> None:
    """A change of a type's name gives a warning, and queries do not use that index."""
    golden = next(one for one in golden_indexes() if one.name == "b_v1_null_all")
    assert b"bitmap" in golden.data
    data = golden.data.replace(b"bitmap", b"citmap", 1)
    TARGETS["files"].check({"golden": golden.name, "hex": data.hex()})


def test_all_targets_have_names() -> None:
    assert set(fuzz.NAMES) == set(TARGETS)


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
    [path] = worker.found.values()
    assert [path] == list((tmp_path / "regressions").iterdir())
    assert '"case": "short"' in path.read_text() and error in path.read_text()


def test_memory_is_limited() -> None:
    program = "from tests.support.bounds import bounded\nwith bounded(): bytearray({} * 2**20)"
    for megabytes, code in ((50, 0), (200, 1)):
        done = subprocess.run(
            [sys.executable, "-c", program.format(megabytes)],
            cwd=fuzz.ROOT,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == code
        assert ("MemoryError" in done.stderr) == (code == 1)
