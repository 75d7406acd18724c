"""Indexes that a repair builds again, and what it leaves."""

from __future__ import annotations

import os
import time
from dataclasses import replace
from pathlib import Path

import pytest

from paimon_ksy.table.audit.audit import repair
from paimon_ksy.table.audit.orphans import clean_orphans
from paimon_ksy.table.engine import local_engine
from paimon_ksy.table.index.rewrite import rewrite_index
from paimon_ksy.table.model.files import DataFile
from paimon_ksy.table.store import Table
from tests.support.audits import commit, flip, found, index_path, indexed, places
from tests.support.commands import run_command
from tests.support.golden_tables import expected, golden_table, same_rows
from tests.support.tables import STATUS, TO_FILES, files, make, rows
from tools.tables import by_pypaimon, live_entries


def test_missing_doubled_stale_and_unreferenced_indexes_are_found_and_mended(
    tmp_path: Path,
) -> None:
    path = indexed(tmp_path, STATUS, 4)
    before = by_pypaimon(path)
    one, two, *_ = files(path)
    index_path(one).unlink()
    rewrite_index(  # stale: the table asks for a bitmap of status
        path,
        engine=local_engine(1),
        set={"file-index.bsi.columns": "id", "file-index.bitmap.columns": ""},
        drop_unlisted=True,
        only=lambda file: file.key == two.key,
    )
    three, four = files(path)[-2:]
    double(path, three, four)
    stray = Path(four.path).with_name("data-x.parquet.index")
    stray.write_bytes(b"")
    os.utime(stray, (time.time() - 90_000,) * 2)
    findings = found(path)
    named = {(f.severity, f.check, Path(f.file).name) for f in findings}
    assert named == {
        ("error", "index", index_path(one).name),
        ("warning", "index-options", two.name),  # and keeps what it has
        ("error", "index", index_path(three).name),
        ("note", "orphan", stray.name),
    }
    tried = repair(path, dry_run=True, engine=local_engine(1))
    assert tried.summary is not None
    assert (tried.summary.rewritten, tried.summary.snapshot) == (3, None)
    assert [finding.check for finding in tried.left] == ["orphan"]
    repaired = repair(path, engine=local_engine(1))
    assert repaired.summary is not None
    assert repaired.summary.rewritten == 3
    assert places(found(path, deep=True)) == [
        ("note", "index-unlisted", two.name),
        ("warning", "index", index_path(one).name),  # of older snapshots
        ("note", "orphan", stray.name),
    ]
    assert by_pypaimon(path).sort_by("id").equals(before.sort_by("id"))
    assert clean_orphans(path, dry_run=False)[0].path == str(stray)
    assert not stray.exists()


def test_indexes_that_no_option_asks_for_are_kept(tmp_path: Path) -> None:
    path = make(tmp_path, [rows(i * 9, 9) for i in range(4)], TO_FILES)
    asked = {"file-index.bitmap.columns": "status", "file-index.bitmap.status.version": "1"}
    asked |= {"file-index.bsi.columns": "id"}
    rewrite_index(path, engine=local_engine(1), set=asked)
    assert {(one.severity, one.check) for one in found(path, deep=True)} == {
        ("note", "index-unlisted")
    }
    assert repair(path, engine=local_engine(1)).summary is None
    broken, headless, missing, _ = files(path)
    before = index_path(broken).read_bytes()
    flip(index_path(broken), len(before) - 1)
    index_path(headless).write_bytes(b"garbage")
    index_path(missing).unlink()
    errors = {Path(f.file): f for f in found(path, deep=True) if f.severity == "error"}
    remedies = {name: errors[index_path(name)].remedy for name in (broken, headless, missing)}
    assert remedies[broken] == f"to rebuild it, run `paimon-ksy table audit {path} --deep --repair`"
    assert remedies[headless] == remedies[missing]
    assert remedies[missing].startswith("its indexes are unknown")
    told = run_command("table", "audit", path, "--repair", "--deep")
    assert told.stdout.count("the repair resolves it") == 3 and "--repair" not in told.stdout
    told = run_command("table", "audit", path, "--repair", "--deep", "--yes")
    assert told.stdout.count("repaired in snapshot 6") == 3 and "--repair" not in told.stdout
    assert "3 of 3 files indexed; " in told.stdout and "dropped 2" in told.stdout
    lost = told.stdout.partition("lost (2)")[2]
    assert headless.path in lost and missing.path in lost
    again, *rest = files(path)
    assert index_path(again).read_bytes() == before
    assert [len(file.index_files) for file in rest] == [0, 0, 1]
    assert {f.severity for f in found(path, deep=True)} == {"note", "warning"}


def double(path: str, one: DataFile, other: DataFile) -> None:
    """Have a data file refer to another one's index file."""
    table = Table.at(path)
    for entry in live_entries(table):
        if entry.file.file_name == other.name:
            names = [name for name in one.extra_files if name.endswith(".index")]
            changed = replace(entry, file=replace(entry.file, extra_files=names))
            commit(table, [replace(entry, kind=1), changed])
            return


def test_a_broken_data_file_is_not_indexed(tmp_path: Path) -> None:
    path = indexed(tmp_path)
    first, second = files(path)
    Path(first.path).unlink()
    for file in (first, second):
        index_path(file).write_bytes(b"garbage")
    repaired = repair(path, engine=local_engine(1))
    assert {one.check for one in repaired.left} == {"data-file", "index"}
    assert {one.file for one in repaired.left} == {first.path, str(index_path(first))}
    assert repaired.summary is not None
    assert repaired.summary.rewritten == 1


def test_a_data_file_that_cannot_be_read_keeps_no_other_from_being_mended(
    tmp_path: Path,
) -> None:
    path = indexed(tmp_path)
    first, second = files(path)
    for file in (first, second):
        index_path(file).write_bytes(b"garbage")
    Path(first.path).write_bytes(bytes(first.size))
    deep = found(path, deep=True)
    assert {one.check for one in deep if one.file == first.path} <= {"data-file"}
    repaired = repair(path, engine=local_engine(1))
    assert [(one.check, one.file) for one in repaired.left] == [
        ("index", str(index_path(first))),
        ("data-file", first.path),
    ]
    assert repaired.summary is not None
    assert repaired.summary.rewritten == 1
    assert ("data-file", second.path) not in {(one.check, one.file) for one in found(path)}


@pytest.mark.parametrize("name", ["append_dv32", "pk_dv32"])
def test_repaired_golden_tables_read_right(name: str, tmp_path: Path) -> None:
    path = golden_table(name, tmp_path)
    for file in files(path):
        if isinstance(file.index, str):
            flip(file.index, 0)
    assert {one.check for one in found(path)} == {"index"}
    assert repair(path, engine=local_engine(1)).left == ()
    assert [one for one in found(path, deep=True) if one.severity == "error"] == []
    if "64" not in name:
        assert same_rows(by_pypaimon(path), expected(name).rows)
