"""Commits of deletion vectors: others at work, failures, and what is left behind."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from paimon_ksy.errors import UncertainError
from paimon_ksy.table.store import Table
from tests.support.deletions import but, ids, make, meanwhile, rows, run_delete, written
from tests.support.tables import append, drop_partition


@pytest.mark.parametrize(
    ("other", "left"),
    [
        (lambda path: drop_partition(path, "d0"), [1, 5, 7, 9]),
        (lambda path: run_delete(path, "id = 1"), but(10, 1, 2, 3)),
    ],
    ids=["partition dropped", "rows deleted"],
)
def test_change_between_the_look_and_the_commit(
    other: Callable[[str], object],
    left: list[int],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Each attempt of the commit looks for conflicts anew."""
    from pypaimon.snapshot.renaming_snapshot_commit import RenamingSnapshotCommit

    path = make(tmp_path, [rows(0, 10)], {}, ["day"])
    commit = RenamingSnapshotCommit.commit

    def other_first(self: Any, *given: Any) -> Any:
        monkeypatch.setattr(RenamingSnapshotCommit, "commit", commit)
        other(path)
        return commit(self, *given)

    monkeypatch.setattr(RenamingSnapshotCommit, "commit", other_first)
    assert run_delete(path, "id IN (2, 3)").attempts == 2
    assert ids(path) == left


def test_another_snapshot_under_the_same_id(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After a rollback: the data file of the snapshot that was planned on is gone."""
    path = make(tmp_path, [rows(0, 10), rows(10, 10)])

    def others() -> None:
        Table.at(path).pypaimon.rollback_to(1)
        append(path, rows(10, 5))
        latest = Table.at(path).snapshot()
        assert latest is not None
        assert latest.id == 2

    meanwhile(monkeypatch, others)
    summary = run_delete(path, "id IN (11, 17)")
    assert (summary.attempts, summary.rows) == (2, 1)
    assert ids(path) == but(15, 11)


@pytest.mark.parametrize("made", [False, True])
def test_interrupt_while_committing_deletes_no_file(
    made: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from pypaimon.snapshot.renaming_snapshot_commit import RenamingSnapshotCommit

    path = make(tmp_path, [rows(0, 10)])
    commit = RenamingSnapshotCommit.commit

    def interrupted(*given: Any) -> Any:
        if made:
            commit(*given)
        raise KeyboardInterrupt

    monkeypatch.setattr(RenamingSnapshotCommit, "commit", interrupted)
    with pytest.raises(UncertainError, match="KeyboardInterrupt"):
        run_delete(path, "id = 1")
    assert len(written(path)) == 1
    assert ids(path) == (but(10, 1) if made else but(10))
