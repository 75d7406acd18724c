"""Commits of indexes: others at work, failures, and what is left behind."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import pytest

from paimon_ksy.errors import PaimonKsyError, UncertainError
from paimon_ksy.table.engine import local_engine
from paimon_ksy.table.index import rewrite
from paimon_ksy.table.store import Table, index_commit
from paimon_ksy.table.store.index_commit import NewIndex, commit_indexes
from paimon_ksy.table.store.manifest_writer import ManifestWriter
from tests.support.memory import peak_of
from tests.support.tables import (
    STATUS,
    TO_FILES,
    append,
    drop_partition,
    files,
    ids,
    index_files,
    indexes,
    make,
    rows,
    run_rewrite,
)
from tools.made_manifests import table_of_manifests


def test_commit_that_fails_after_it_was_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from pypaimon.snapshot.renaming_snapshot_commit import RenamingSnapshotCommit

    path = make(tmp_path, [rows(0, 8)], {**STATUS, **TO_FILES})
    commit = RenamingSnapshotCommit.commit

    def made_and_failed(*given: Any) -> None:
        commit(*given)
        raise OSError("connection lost")

    monkeypatch.setattr(RenamingSnapshotCommit, "commit", made_and_failed)
    table = Table.at(path).with_options({"commit.max-retries": "0"})
    assert rewrite.rewrite_index(table, engine=local_engine(1)).snapshot == 2
    assert indexes(path) == [{"status": {"bitmap"}}]


def test_a_commit_is_found_though_another_came_after_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from pypaimon.snapshot.renaming_snapshot_commit import RenamingSnapshotCommit

    path = make(tmp_path, [rows(0, 8)], {**STATUS, **TO_FILES})
    commit = RenamingSnapshotCommit.commit

    def then_another(*given: Any) -> Any:
        monkeypatch.setattr(RenamingSnapshotCommit, "commit", commit)
        done = commit(*given)
        append(path, rows(8, 4))
        append(path, rows(12, 4))
        return done

    monkeypatch.setattr(RenamingSnapshotCommit, "commit", then_another)
    summary = run_rewrite(path)
    assert (summary.snapshot, summary.attempts) == (2, 1)
    latest = Table.at(path).snapshot()
    assert latest is not None
    assert latest.id == 4
    assert indexes(path) == [{"status": {"bitmap"}}, {}, {}]
    assert ids(path) == list(range(16))


def test_commit_of_which_nothing_is_known_keeps_its_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from pypaimon.snapshot.renaming_snapshot_commit import RenamingSnapshotCommit

    path = make(tmp_path, [rows(0, 8)], {**STATUS, **TO_FILES})

    def failed(*given: Any) -> None:
        raise OSError("connection lost")

    monkeypatch.setattr(RenamingSnapshotCommit, "commit", failed)
    table = Table.at(path).with_options({"commit.max-retries": "0"})
    with pytest.raises(UncertainError, match="may or may not have been made"):
        rewrite.rewrite_index(table, engine=local_engine(1))
    assert len(index_files(path)) == 1


def lost_manifests(path: str) -> set[str]:
    """Manifests that no snapshot names."""
    table = Table.at(path)
    last: Any = table.snapshot()
    named = {
        manifest.file_name
        for number in range(1, last.id + 1)
        for manifest in table.manifests.of(table.snapshot(number))
    }
    there = {file.name for file in Path(path, "manifest").iterdir()}
    return {
        name for name in there if not name.startswith(("manifest-list", ".")) and name not in named
    }


@pytest.mark.parametrize(
    ("other", "written", "made"),
    [
        ("append", 1, 5),
        ("drop b", 1, 5),
        ("drop a", 2, None),
        ("rolled back", 2, 5),
        ("lost", 1, 4),
    ],
)
def test_another_snapshot_between_the_look_and_the_commit(
    other: str, written: int, made: int | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Manifests are written again only if they have to be, and the first ones are not left over."""
    from pypaimon.snapshot.renaming_snapshot_commit import RenamingSnapshotCommit

    data = [rows(0, 8, "a"), rows(8, 8, "a"), rows(16, 4, "b")]
    path = make(tmp_path, data, {**STATUS, **TO_FILES}, ["day"])
    commit = RenamingSnapshotCommit.commit
    write = index_commit.Rewritten._write
    writes: list[int] = []
    monkeypatch.setattr(index_commit, "_PART", 1)

    def counted(self: Any, snapshot: Any) -> None:
        writes.append(snapshot.id)
        write(self, snapshot)

    def other_first(self: Any, *given: Any) -> Any:
        monkeypatch.setattr(RenamingSnapshotCommit, "commit", commit)
        if other == "append":
            append(path, rows(20, 4, "b"))
        elif other == "rolled back":
            Table.at(path).pypaimon.rollback_to(2)
            append(path, rows(24, 4, "a"))
            append(path, rows(28, 4, "a"))
            return False
        elif other == "lost":
            raise OSError("connection lost")
        else:
            drop_partition(path, other[-1])
        return commit(self, *given)

    monkeypatch.setattr(index_commit.Rewritten, "_write", counted)
    monkeypatch.setattr(RenamingSnapshotCommit, "commit", other_first)
    summary = run_rewrite(path, partitions="day = 'a'")
    assert (len(writes), summary.snapshot) == (written, made)
    assert summary.attempts == (1 if made else 2)
    # Of what was rolled back an append is left.
    assert len(lost_manifests(path)) == (other == "rolled back")
    assert all(file.index for file in files(path)[:2]) or made is None


def test_commit_that_cannot_be_prepared_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = make(tmp_path, [rows(0, 8), rows(8, 8)], {**STATUS, **TO_FILES})
    there = sorted(Path(path).rglob("*"))

    def failed(*given: Any) -> None:
        raise RuntimeError("disk full")

    monkeypatch.setattr(ManifestWriter, "manifest_list", failed)
    monkeypatch.setattr("paimon_ksy.table.store.commits._ATTEMPTS", 2)
    with pytest.raises(PaimonKsyError, match="disk full"):
        run_rewrite(path)
    assert sorted(Path(path).rglob("*")) == there


def test_commit_holds_no_more_for_many_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Beside what is planned: a part of the entries. Manifests are read one by one."""

    def one_by_one(work: Any, groups: Any) -> Any:
        return ((group, work(group)) for group in groups)

    monkeypatch.setattr("paimon_ksy.table.manifests.scan.in_order", one_by_one)
    path = table_of_manifests(tmp_path, "made", partitions=3, files=1000, manifests=3)
    table = Table.at(path)
    every = [file.digest for file in table.data_files.of(table.snapshot())]
    monkeypatch.setattr(index_commit, "_PART", 100)
    monkeypatch.setattr("paimon_ksy.table.manifests.scan._GROUP_ENTRIES", 1)
    peaks = []
    for many in (1000, 1000, 3000):  # of a manifest, and of all; the first one imports modules
        planned = {digest: NewIndex(embedded=b"%d" % at) for at, digest in enumerate(every[:many])}
        peaks.append(peak_of(partial(commit_indexes, Table.at(path), planned)))
        every = [file.digest for file in table.data_files.of(table.snapshot())]
        assert len(every) == len(set(every)) == 3000
    # Of each deleted entry a digest is kept.
    assert peaks[2] < peaks[1] * 1.25 + 300 * 300
