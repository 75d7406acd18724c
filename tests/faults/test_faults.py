"""A seeded share of `make faults`: each kind of fault at some calls of each job."""

from pathlib import Path

import pytest

from paimon_ksy.errors import MissingFileError, UncertainError
from paimon_ksy.table.delete.delete import delete
from paimon_ksy.table.model.files import Snapshot
from paimon_ksy.table.store import Table, commits
from paimon_ksy.table.store.snapshots import Snapshots
from tools import faults
from tools.tables import by_pypaimon

SHARE = 256


def test_no_row_is_lost(tmp_path: Path) -> None:
    report = faults.run(tmp_path, SHARE, seed=3)
    print(report.table())
    assert report.problems == []
    assert report.rows_lost == 0
    assert report.faults.keys() == faults.JOBS.keys()
    assert {ended for _, ended in report.ended} >= {"done", "failed", "killed"}


@pytest.mark.parametrize(
    ("job", "kind", "calls"),
    [
        ("clean-orphans", "torn", 8),
        ("clean-orphans", "interrupted", 8),
        ("delete, vectors", "lie", 10),
        ("rewrite-index, files", "lie", 10),
    ],
)
def test_the_last_calls_of_a_job(job: str, kind: str, calls: int, tmp_path: Path) -> None:
    """The file that dates orphans is deleted, also if the first try fails, or Ctrl+C comes then.

    A store may show a new snapshot late. A commit that was made is not taken for one that another
    overwrote: its files stay.
    """
    path = faults.made(tmp_path / "made")
    work, gone = faults.JOBS[job]
    files = faults.Faults()
    work(faults.behind(faults._copy(path, tmp_path), files))
    report = faults.Report()
    for at in range(files.calls - calls, files.calls):
        faults._one(report, path, tmp_path, job, work, gone, at, kind)
    assert report.problems == []


def test_a_snapshot_that_was_made_and_is_not_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whether another overwrote it is not known: the new files stay."""
    path = faults.made(tmp_path)
    before = Table.at(path).snapshot()
    assert before is not None
    monkeypatch.setattr(Table, "snapshot", lambda *_: before)
    with monkeypatch.context() as patch, pytest.raises(UncertainError, match="not shown"):
        of_id = Snapshots.of_id

        def hidden(self: Snapshots, number: int) -> Snapshot:
            if number > before.id:
                raise MissingFileError("not shown")
            return of_id(self, number)

        patch.setattr(Snapshots, "of_id", hidden)
        delete(path, "id = 9", engine=faults.ENGINE)
    monkeypatch.undo()
    assert 9 not in by_pypaimon(str(path))["id"].to_pylist()


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

    monkeypatch.setattr(commits._Commit, "made", never)
    monkeypatch.setattr(commits, "_is_refusal", lambda error: True)
    report = faults.Report()
    for at in range(files.calls):
        faults._one(report, path, tmp_path, job, work, gone, at, "after")
        if report.problems:
            return
    pytest.fail("nothing was noticed")
