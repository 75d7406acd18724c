"""A seeded share of `make faults`: each kind of fault at some calls of each job."""

from collections import Counter
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


def test_the_command_prints_figures_and_problems(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = []

    def run(folder: Path, share: int, seed: int) -> faults.Report:
        asked.append((share, seed))
        return report

    report = faults.Report(Counter(clean=9), Counter(clean=4), Counter({("clean", "killed"): 3}))
    monkeypatch.setattr(faults, "run", run)
    monkeypatch.setattr("sys.argv", ["faults", "--share", "7", "--seed", "2"])
    assert faults.main() == 0 and asked == [(7, 2)]
    assert "| clean | 9 | 4 | 0 | 0 | 0 | 3 |" in capsys.readouterr().out
    report.problems.append("clean, call 1: a row is lost")
    assert faults.main() == 1
    assert "1 problems, rows lost: 0\nPROBLEM clean, call 1" in capsys.readouterr().out


@pytest.mark.parametrize("job", ["delete, vectors", "rewrite-index, files"])
def test_a_store_that_shows_a_new_snapshot_late(job: str, tmp_path: Path) -> None:
    """A commit that was made is not taken for one that another overwrote: its files stay."""
    path = faults.made(tmp_path / "made")
    work, gone = faults.JOBS[job]
    files = faults.Faults()
    work(faults.behind(faults._copy(path, tmp_path), files))
    report = faults.Report()
    for at in range(files.calls - 10, files.calls):
        faults._one(report, path, tmp_path, job, work, gone, at, "lie")
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

    monkeypatch.setattr(commits, "_snapshot_of", never)
    monkeypatch.setattr(commits, "_is_refusal", lambda error: True)
    report = faults.Report()
    for at in range(files.calls):
        faults._one(report, path, tmp_path, job, work, gone, at, "after")
        if report.problems:
            return
    pytest.fail("nothing was noticed")
