"""Commits on a local file system: no snapshot of another process is replaced."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.support.tables import STATUS, TO_FILES, append, ids, indexes, make, rows, run_rewrite


def test_snapshot_of_another_process_is_not_replaced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """pypaimon looks whether it is there, then renames over it; here it comes in between."""
    from pypaimon.snapshot.renaming_snapshot_commit import RenamingSnapshotCommit

    path = make(tmp_path, [rows(0, 8)], {**STATUS, **TO_FILES})
    commit = RenamingSnapshotCommit.commit

    def other_first(self: Any, *given: Any) -> Any:
        monkeypatch.setattr(RenamingSnapshotCommit, "commit", commit)
        file_io = self.file_io

        class Late:
            def __getattr__(self, name: str) -> Any:
                return getattr(file_io, name)

            def exists(self, name: str) -> bool:
                append(path, rows(8, 4))
                return False

        self.file_io = Late()
        try:
            return commit(self, *given)
        finally:
            self.file_io = file_io

    monkeypatch.setattr(RenamingSnapshotCommit, "commit", other_first)
    assert run_rewrite(path).snapshot == 3
    assert ids(path) == list(range(12))
    assert indexes(path) == [{"status": {"bitmap"}}, {}]
