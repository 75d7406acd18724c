"""A seeded share of `make faults`: each kind of fault at some calls of each job."""

from pathlib import Path

import pytest

from paimon_ksy.table.store import commits
from tools import faults

SHARE = 64


def test_no_row_is_lost(tmp_path: Path) -> None:
    report = faults.run(tmp_path, SHARE, seed=3)
    print(report.table())
    assert report.problems == []
    assert report.rows_lost == 0
    assert report.faults.keys() == faults.JOBS.keys()
    assert {ended for _, ended in report.ended} >= {"done", "failed", "killed"}


def test_a_commit_that_is_taken_for_failed_is_noticed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its new files are deleted, and the table names them."""

    path = faults.made(tmp_path / "made")
    job = "delete, vectors"
    work, gone = faults.JOBS[job]
    files = faults.Faults()
    work(faults.behind(faults._copy(path, tmp_path), files))

    def never(*_: object) -> None:
        return None

    monkeypatch.setattr(commits, "_snapshot_of", never)
    monkeypatch.setattr(commits, "_is_refusal", lambda error: True)
    report = faults.Report()
    for at in range(files.calls):
        faults._one(report, path, tmp_path, job, work, gone, at, "after")
        if report.problems:
            return
    pytest.fail("nothing was noticed")
