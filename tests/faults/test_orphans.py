"""Cleaning of orphans beside clocks that differ, and others that tag, branch and expire."""

import os
import shutil
import time
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from paimon_ksy import delete, query, rewrite_index
from paimon_ksy.table.audit import orphans
from paimon_ksy.table.audit.orphans import clean_orphans
from paimon_ksy.table.engine import local_engine
from paimon_ksy.table.io.storage import FolderItem, Storage
from paimon_ksy.table.store import Table
from tests.support.tables import STATUS, TO_FILES, make, rows
from tools.tables import append, expire, merge_manifests

ENGINE = local_engine(1)
DAY = timedelta(days=1)
STRAY = "index/index-00000000-0000-0000-0000-000000000000-0"


@pytest.fixture
def path(tmp_path: Path) -> str:
    """A table whose snapshot 3 alone needs an index and a file of vectors."""
    made = make(tmp_path, [rows(0, 12)], {**STATUS, **TO_FILES, "deletion-vectors.enabled": "true"})
    rewrite_index(made, engine=ENGINE)
    delete(made, "id = 3", engine=ENGINE)
    rewrite_index(made, rebuild=True, engine=ENGINE)
    delete(made, "id = 7", engine=ENGINE)
    merge_manifests(Table.at(made))
    clean_orphans(made, timedelta(0), dry_run=False)  # the merged manifests
    return made


def stray(path: str, age: timedelta) -> Path:
    file = Path(path, STRAY)
    file.write_bytes(b"")
    then = time.time() - age.total_seconds()
    os.utime(file, (then, then))
    return file


@pytest.mark.parametrize("ahead", [timedelta(0), timedelta(days=3), timedelta(days=-3)])
def test_ages_are_by_the_clock_of_the_files(
    ahead: timedelta, path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A machine whose clock is wrong deletes no file of a job that is under way."""
    now = time.time
    clock = SimpleNamespace(time=lambda: now() + ahead.total_seconds())
    monkeypatch.setattr(orphans, "time", clock)
    young = stray(path, timedelta(hours=1))
    assert clean_orphans(path, DAY, dry_run=False) == []
    assert young.exists()
    old = stray(path, timedelta(days=2))
    before = set(Path(path).rglob("*"))
    cleaned = [one.path for one in clean_orphans(path, DAY, dry_run=False)]
    assert cleaned == ([] if ahead < timedelta(0) else [str(old)])
    assert set(Path(path).rglob("*")) == before - set(map(Path, cleaned))


def test_files_of_the_future_are_left(path: str) -> None:
    future = stray(path, timedelta(days=-400))
    assert clean_orphans(path, timedelta(0), dry_run=False) == []
    assert future.exists()


def tag(table: Table) -> None:
    table.pypaimon.create_tag("kept", snapshot_id=3)


def branch(table: Table) -> None:
    tag(table)
    table.pypaimon.branch_manager().create_branch("b", "kept")
    for each in (table, table.branch("b")):
        each.pypaimon.tag_manager().delete_tag("kept")


@pytest.mark.parametrize("make_root", [tag, branch])
@pytest.mark.parametrize("listed", ["snapshot", "changelog", "tag", "branch"])
@pytest.mark.parametrize("when", ["before", "after"])
def test_what_becomes_a_tag_or_branch_meanwhile(
    when: str,
    listed: str,
    make_root: Callable[[Table], None],
    path: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A snapshot gets a tag or a branch and expires, while the roots are listed."""
    items, done = Storage.items, list[Any]()

    def act(folder: str, now: str) -> None:
        if now == when and not done and folder == f"{path}/{listed}":
            done.append(folder)
            table = Table.at(path)
            make_root(table)
            expire(table)

    def meanwhile(self: Storage, folder: str) -> Iterator[FolderItem]:
        act(folder, "before")
        found = list(items(self, folder))
        act(folder, "after")
        yield from found

    with monkeypatch.context() as patch:
        patch.setattr(Storage, "items", meanwhile)
        clean_orphans(path, timedelta(seconds=-60), dry_run=False)
    assert done
    table = Table.at(path)
    kept = table.branch("b") if make_root is branch else table
    found = query(kept, "status = 'PENDING' OR id >= 0", tag="kept" if make_root is tag else None)
    assert sorted(found["id"].to_pylist()) == [number for number in range(12) if number != 3]


def test_writers_beside_a_cleaner(path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is committed while orphans are deleted is young, and stays."""
    stray(path, timedelta(days=2))
    remove, removed = Storage.remove, list[str]()

    def then_written(self: Storage, file: str) -> bool:
        removed.append(file)
        if file.endswith(STRAY):
            append(Table.at(path).pypaimon, rows(20, 4))
            rewrite_index(path, engine=ENGINE)
            delete(path, "id = 20", engine=ENGINE)
        return remove(self, file)

    monkeypatch.setattr(Storage, "remove", then_written)
    assert len(clean_orphans(path, DAY, dry_run=False)) == 1
    assert removed[-1].endswith(STRAY)
    left = [number for number in (*range(12), *range(20, 24)) if number not in (3, 7, 20)]
    assert sorted(query(path)["id"].to_pylist()) == left
    shutil.rmtree(path)
