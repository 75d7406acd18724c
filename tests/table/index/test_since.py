"""Indexes of new files: what commits since the last index commit added, and nothing else."""

from __future__ import annotations

import json
import threading
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from paimon_ksy.errors import OptionError
from paimon_ksy.table.engine import local_engine
from paimon_ksy.table.index.rewrite import index_new_files
from paimon_ksy.table.index.summary import RewriteSummary
from paimon_ksy.table.store import Table
from paimon_ksy.table.store.manifests import Manifests
from tests.support.commands import run_command
from tests.support.killed_jobs import WHERE, run_killed
from tests.support.tables import (
    STATUS,
    append,
    drop_partition,
    forget_manifests,
    ids,
    index_files,
    indexes,
    make,
    referred,
    rows,
    run_rewrite,
)

INDEXED = {"status": {"bitmap"}}


def run(path: str, since: Any = "last", **given: Any) -> RewriteSummary:
    return index_new_files(path, since, engine=local_engine(1), **given)


def made(folder: Path, **options: str) -> str:
    """Return a table with three files with indexes, made by a run that checked all files."""
    path = make(folder, [rows(n * 10, 10) for n in range(3)], {**STATUS, **options}, ["day"])
    first = run(path)
    assert (first.rewritten, first.since) == (3, None)
    assert first.steps.keys() == {"build", "commit"}
    assert sum(first.steps.values()) < first.seconds + 0.01
    assert "no index commit" in str(first.note)
    return path


def forget(path: str, *numbers: int) -> None:
    """Let snapshots expire, as far as readers see."""
    for number in numbers:
        Path(path, "snapshot", f"snapshot-{number}").unlink()
    Path(path, "snapshot", "EARLIEST").write_text(str(max(numbers) + 1))


def test_only_what_was_added_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = made(tmp_path)
    read: list[str] = []
    forget_manifests(monkeypatch)
    stored = Manifests.stored

    def counted(manifests: Manifests, some: Any) -> Any:
        files = [*some]
        read.extend(file.file_name for file in files)
        return stored(manifests, files)

    monkeypatch.setattr(Manifests, "stored", counted)
    nothing = run(path)
    assert (nothing.files, nothing.snapshot, nothing.since, nothing.note) == (0, None, 3, None)
    assert read == []
    append(path, rows(30, 10))
    assert (run(path).files, run(path).files) == (1, 0)
    assert indexes(path) == [INDEXED] * 4
    assert ids(path) == [*range(40)]


def test_a_rewrite_of_the_whole_table_counts_and_one_of_a_part_does_not(tmp_path: Path) -> None:
    path = make(tmp_path, [rows(0, 10), rows(10, 10, "b")], STATUS, ["day"])
    run_rewrite(path, partitions="day = 'a'")
    assert run(path).rewritten == 1
    append(path, rows(20, 10))
    run_rewrite(path)
    assert (run(path).since, run(path).files) == (5, 0)


def test_each_set_of_options_has_its_own_last_run(tmp_path: Path) -> None:
    path = made(tmp_path)
    more = {"file-index.bsi.columns": "amount"}
    assert [run(path, set=more).files for _ in range(2)] == [3, 0]
    assert run(path).rewritten == 0
    append(path, rows(30, 10))
    assert (run(path).rewritten, run(path, set=more).rewritten) == (1, 1)
    assert indexes(path) == [{**INDEXED, "amount": {"bsi"}}] * 4


def test_batches_count_once_all_are_committed(tmp_path: Path) -> None:
    path = make(tmp_path, [rows(n * 10, 10, "abc"[n]) for n in range(3)], STATUS, ["day"])
    assert (run(path, batch_files=1).batches, run(path).files, run(path).since) == (3, 0, 3)


def test_compaction_overwrite_and_replaced_files_in_between(tmp_path: Path) -> None:
    path = made(tmp_path)
    append(path, rows(30, 10, "b"))
    append(path, rows(40, 10, "c"))
    drop_partition(path, "b")
    summary = run(path)
    assert (summary.files, summary.rewritten) == (1, 1)
    drop_partition(path, "a")
    assert (run(path).files, ids(path)) == (0, [*range(40, 50)])


def test_commits_during_a_run_are_of_the_next_one(tmp_path: Path) -> None:
    path = made(tmp_path)
    append(path, rows(30, 10))
    late = iter([rows(40, 10)])

    def while_indexing(*_: Any) -> None:
        for each in late:
            append(path, each)

    assert run(path, progress=while_indexing).files == 1
    assert (run(path).files, run(path).files) == (1, 0)
    assert indexes(path) == [INDEXED] * 5


def test_two_at_once(tmp_path: Path) -> None:
    path = made(tmp_path)
    append(path, rows(30, 10))
    both = threading.Barrier(2)  # which all pass from the second attempt on
    done = []

    def meet(*_: Any) -> None:
        with suppress(threading.BrokenBarrierError):
            both.wait()
        both.abort()

    runs = [threading.Thread(target=lambda: done.append(run(path, progress=meet))) for _ in "ab"]
    for each in runs:
        each.start()
    for each in runs:
        each.join()
    assert sum(one.rewritten for one in done) == 1
    assert indexes(path) == [INDEXED] * 4
    assert index_files(path) == referred(path)


def test_a_snapshot_and_what_expired(tmp_path: Path) -> None:
    path = made(tmp_path)  # snapshot 4
    append(path, rows(30, 10))
    append(path, rows(40, 10))
    assert [run(path, since, dry_run=True).files for since in (6, 5, 4, 3)] == [0, 1, 2, 2]
    for wrong in (7, -1):
        with pytest.raises(OptionError, match=f"since is {wrong}, but the latest snapshot is 6"):
            run(path, wrong)
    forget(path, 1, 2, 3, 4, 5)
    for since in (4, "last"):
        assert run(path, since, dry_run=True).files == 5
    assert run(path, 4, dry_run=True).note == "snapshot 5 has expired: all files were checked"
    assert run(path).rewritten == 2
    assert (run(path).files, run(path).note) == (0, None)


@pytest.mark.parametrize("where", WHERE)
def test_a_killed_run_loses_no_file(where: str, tmp_path: Path) -> None:
    path = made(tmp_path, **{"file-index.in-manifest-threshold": "0 B"})
    append(path, rows(30, 10))
    run_killed(where, "index_new", path)
    run(path)
    assert indexes(path) == [INDEXED] * 4
    assert run(path).files == 0
    assert Table.at(path).snapshot().id == 6  # type: ignore[union-attr]


def test_the_command(tmp_path: Path) -> None:
    path = made(tmp_path)
    append(path, rows(30, 10))
    words = "table", "rewrite-index", path, "--since"
    dry = json.loads(run_command(*words, "4", "--dry-run", "--format", "json").stdout)
    assert (dry["files"], dry["since"]) == (1, 4)
    done = [json.loads(run_command(*words, "last", "--format", "json").stdout) for _ in range(2)]
    assert [one["rewritten"] for one in done] == [1, 0]
    assert "neither last nor the id of a snapshot" in run_command(*words, "first").output
