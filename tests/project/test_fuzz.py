"""A short run of tools/fuzz.py, and that it notices what it is there to notice."""

import subprocess
import sys
import time
from collections.abc import Callable

import pytest

from tools import fuzz


def test_damaged_files_give_our_error_or_an_answer() -> None:
    assert list(fuzz.fuzz(first=100_000, runs=400)) == []


@pytest.mark.parametrize(
    ("action", "error"),
    [
        (lambda: [][1], "IndexError: list index out of range"),
        (lambda: time.sleep(2), "TimeoutError: took more than"),
        (lambda: bytearray(2**60), "MemoryError"),
    ],
)
def test_other_errors_are_found(
    monkeypatch: pytest.MonkeyPatch, action: Callable[[], object], error: str
) -> None:
    monkeypatch.setattr(fuzz, "SECONDS", 0.1)
    monkeypatch.setattr(fuzz, "steps", lambda golden, data: [("step", action)])
    finding = fuzz.try_case(7)
    assert finding is not None
    assert (finding.case, finding.step) == (7, "step")
    assert error in finding.error


def test_memory_is_limited() -> None:
    program = "from tools import fuzz; fuzz.limit_memory(); bytearray({} * 2**20)"
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


def test_cases_can_be_repeated() -> None:
    assert fuzz.damaged(3) == fuzz.damaged(3)
    assert len({fuzz.damaged(case)[1] for case in range(50)}) > 45
