"""Findings as lines and as JSON."""

from __future__ import annotations

from pathlib import Path

import pytest

from paimon_ksy.cli import findings
from paimon_ksy.table.engine import local_engine
from paimon_ksy.table.index.rewrite import rewrite_index
from tests.support.audits import index_path
from tests.support.commands import run_command
from tests.support.tables import STATUS, TO_FILES, files, make, rows


def test_command_audit_shows_errors_first_and_the_same_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = make(tmp_path, [rows(i * 7, 12) for i in range(4)], TO_FILES)
    rewrite_index(path, set=STATUS, engine=local_engine(1))
    index_path(files(path)[2]).unlink()
    result = run_command("table", "audit", path, "--engine", "local")
    assert result.exit_code == 3
    head, *told = [line for line in result.output.splitlines() if not line.startswith("    ")]
    assert head.startswith(f"{path}: 1 error, 3 notes in 4 data files and ")
    assert [line.split(":")[0] for line in told] == [
        "  error index",
        *3 * ["  note index-unlisted"],
    ]
    with monkeypatch.context() as patch:  # a terminal shows the same of several files once
        patch.setattr(findings, "is_watched", lambda: True)
        watched = run_command("table", "audit", path, "--engine", "local").output
    assert watched.count("note index-unlisted") == 1
    assert "and 2 other files (--format json lists each): it has indexes" in watched
