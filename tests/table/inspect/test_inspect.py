"""`table inspect` reports snapshots, schemas, tags and branches, even where some are broken."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from paimon_ksy.cli.app import run
from paimon_ksy.table.inspect.inspect import inspect_table
from paimon_ksy.table.store import Table
from tests.support.commands import Cli
from tests.support.golden_tables import golden_table
from tests.support.table_reports import KEYED, broken, files_of
from tests.support.tables import STATUS, TO_FILES, catalog_at, make, rows, run_rewrite


def test_an_earlier_snapshot(tmp_path: Path) -> None:
    path = golden_table("evolution", tmp_path)
    report = inspect_table(Table.at(path), 1)
    assert report.content is not None
    assert report.content.snapshot.id == 1
    assert report.content.totals.rows == 20
    assert report.snapshots.count == 3
    assert run(["table", "inspect", path, "--snapshot", "9"]) == 1


def test_limit_lists_fewer_and_counts_all(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = golden_table("pk_dynamic_partitioned_dv", tmp_path)
    report = inspect_table(Table.at(path), limit=1)
    content = report.content
    assert content is not None
    assert report.snapshots.count == 6
    assert [snapshot.id for snapshot in report.snapshots.listed] == [6]
    assert (content.num_partitions, len(content.partitions)) == (2, 1)
    assert (content.partitions[0].num_buckets, len(content.partitions[0].buckets)) == (2, 1)
    assert content.totals.files == 10
    assert len(files_of(report)) == 1
    assert [(found.num_manifests, len(found.manifests)) for found in content.lists] == [
        (5, 1),
        (1, 1),
    ]
    assert run(["table", "inspect", path, "--max-items", "1"]) == 0
    shown = capsys.readouterr().out
    assert "... 5 more; --max-items N lists more" in shown
    assert "totals: files 10, rows 84" in shown


# Tables of pypaimon ------------------------------------------------------------------------------


def test_tags_branches_consumers_and_changelogs(
    keyed: tuple[Any, str], capsys: pytest.CaptureFixture[str]
) -> None:
    from pypaimon.consumer.consumer import Consumer

    table, path = keyed
    table.create_tag("first", snapshot_id=1)
    table.create_tag("kept", snapshot_id=2, time_retained="1d")
    table.branch_manager().create_branch("trial", "first")
    table.consumer_manager().reset_consumer("reader", Consumer(next_snapshot=2))
    changelog = Path(path, "changelog", "changelog-1")
    changelog.parent.mkdir()
    changelog.write_bytes(Path(path, "snapshot", "snapshot-1").read_bytes())
    report = inspect_table(Table.at(path))
    assert report.errors == []
    assert [(tag.name, tag.snapshot) for tag in report.tags.listed] == [("first", 1), ("kept", 2)]
    assert [branch.name for branch in report.branches.listed] == ["trial"]
    assert [(c.name, c.snapshot) for c in report.consumers.listed] == [("reader", 2)]
    assert [found.id for found in report.changelogs.listed] == [1]
    assert [s.tags for s in report.snapshots.listed] == [("first",), ("kept",)]
    assert run(["table", "inspect", path]) == 0
    text = capsys.readouterr().out
    for line in ("tags (2)\n    name", "branches (1)", "reader: snapshot 2", "changelogs (1)"):
        assert line in text


# What is broken ----------------------------------------------------------------------------------


def test_snapshots_that_are_missing_or_corrupt(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = golden_table("pk_dynamic_partitioned_dv", tmp_path)
    Path(path, "snapshot", "snapshot-3").unlink()
    Path(path, "snapshot", "snapshot-2").write_text("{")
    text, complaints = broken(path, capsys)
    assert "snapshots (6)" in text
    assert "\n    id 2: broken" in text
    assert "\n    id 3: broken" in text
    assert "totals: files 10, rows 84" in text
    assert len(complaints) == 2


def test_the_latest_snapshot_is_corrupt(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = golden_table("evolution", tmp_path)
    Path(path, "snapshot", "snapshot-3").write_text("{")
    text, complaints = broken(path, capsys)
    assert ", broken\n" in text
    assert "id 2: kind APPEND" in text
    assert any("snapshot-3" in complaint for complaint in complaints)


def test_schemas_and_hints(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = golden_table("evolution", tmp_path)
    Path(path, "schema", "schema-0").write_text("[]")
    Path(path, "snapshot", "LATEST").write_text("soon")
    Path(path, "snapshot", "EARLIEST").write_text("2")
    text, complaints = broken(path, capsys)
    assert "id 0: broken" in text
    assert "earliest: named 2, actual 1\n  latest: actual 3, broken" in text
    assert any("schema-0" in complaint for complaint in complaints)
    assert any("LATEST" in complaint for complaint in complaints)
    Path(path, "snapshot", "EARLIEST").write_text("9" * 5000)
    text, complaints = broken(path, capsys)
    assert "earliest: actual 1, broken\n  latest: actual 3, broken" in text
    assert any("EARLIEST: it contains '9999" in complaint for complaint in complaints)


def test_an_empty_table(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from pypaimon import Schema

    catalog = catalog_at(tmp_path)
    catalog.create_table("default.empty", Schema.from_pyarrow_schema(KEYED), False)
    path = str(tmp_path / "default.db" / "empty")
    assert run(["table", "inspect", path]) == 0
    assert "no snapshot" in capsys.readouterr().out
    warehouse = f"warehouse={tmp_path}"
    assert (
        run(["table", "inspect", "default.empty", "--catalog", warehouse, "--format", "json"]) == 0
    )
    assert json.loads(capsys.readouterr().out)["content"] is None


def test_five_lines_come_first(cli: Cli, tmp_path: Path) -> None:
    path = make(tmp_path, [rows(0, 10), rows(10, 10)], {**STATUS, **TO_FILES})
    run_rewrite(path)
    Table.at(path).pypaimon.create_tag("one", 1)
    code, out, _ = cli("table", "inspect", path)
    lines = out.splitlines()
    assert code == 0 and lines[:2] == [path, "  schema 0, no key"]
    assert re.fullmatch(r"  snapshot 3 of .* UTC; 3 snapshots, 1 tag", lines[2])
    assert lines[3].startswith("  2 data files, 20 rows, ")
    assert lines[4].startswith("  indexes of 2 files, 0 global indexes, 0 deletion vectors")
    assert lines[5] == "  no errors in metadata"
    assert lines[6].startswith("details: ")
