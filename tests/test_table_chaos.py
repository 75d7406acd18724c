"""Writers, deleters, rewriters and auditors at once, killed at random: no committed row is lost."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

pytest.importorskip("pypaimon")

SEED = 6
SECONDS = 10


@pytest.mark.skipif(sys.platform == "win32", reason="has no SIGKILL")
def test_rows_are_what_committed_operations_imply(tmp_path: Path) -> None:
    """More of it: `make chaos ARGS="--seconds 600"`."""
    from tools import chaos

    report = chaos.run(tmp_path, SEED, SECONDS)
    print(f"seed {SEED}: {report}")
    assert report.problems == []
    assert report.kills >= 5
    assert report.commits["write"] >= 3
    assert report.rows > 0
