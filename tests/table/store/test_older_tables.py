"""Tables that older versions of Paimon wrote: fields that they did not write are absent."""

import json
import re
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from paimon_ksy.cli.app import run
from paimon_ksy.table.audit.audit import audit
from paimon_ksy.table.audit.orphans import orphans
from paimon_ksy.table.delete.delete import delete
from paimon_ksy.table.engine import local_engine
from paimon_ksy.table.index.rewrite import rewrite_index
from paimon_ksy.table.inspect.inspect import inspect_table
from paimon_ksy.table.query.explain import explain
from paimon_ksy.table.query.read import count, query
from paimon_ksy.table.store import Table
from tests.support.golden_tables import expected, golden_table, same_rows
from tests.support.older_metadata import RELEASES, as_written_by
from tools import jvm
from tools.conformance import tables

NAMES = (
    *("append_dv32", "append_partitioned", "append_files_orc", "evolution", "pk_plain_no_dv"),
    "pk_dynamic_partitioned_dv",
)
CASES = [
    (name, release)
    for name in NAMES
    for release in RELEASES
    if "dv" not in name.split("_no_")[0] or release not in ("0.4", "0.5")
]
"""Deletion vectors came with Paimon 0.8."""


def older(name: str, release: str, folder: Path) -> str:
    path = golden_table(name, folder)
    as_written_by(path, release)
    return path


def errors_in(report: Any) -> list[str]:
    """All that is an error in a report."""
    if isinstance(report, dict):
        own = [report["error"]] if report.get("error") else list(report.get("errors", ()))
        return own + [text for value in report.values() for text in errors_in(value)]
    return [text for value in report for text in errors_in(value)] if listed(report) else []


def listed(value: Any) -> bool:
    return isinstance(value, list | tuple)


@pytest.mark.parametrize(("name", "release"), CASES)
def test_older_metadata(name: str, release: str, tmp_path: Path) -> None:
    path = older(name, release, tmp_path)
    golden = expected(name)
    assert same_rows(query(path, engine=local_engine(1)), golden.rows)
    assert count(path, engine=local_engine(1)).count == len(golden.rows)
    for case in golden.cases[:3]:
        assert count(path, case.predicate, engine=local_engine(1)).count == len(case.rows)
    explain(path, golden.cases[0].predicate)
    report = asdict(inspect_table(path))
    assert report["content"]["complete"]
    assert errors_in(report) == []
    assert [f for f in audit(path, engine=local_engine(1)) if f.severity == "error"] == []
    assert orphans(path) == []


def moved_indexes(path: str, name: str) -> int | None:
    """Put indexes beside data files into manifests, or those in manifests beside data files."""
    options = {"file-index.in-manifest-threshold": "1 b" if name.startswith("pk") else "1 mb"}
    return rewrite_index(path, set=options, rebuild=True, engine=local_engine(1)).snapshot


@pytest.mark.parametrize("release", ["0.4", "0.8", "0.9", "1.0", "1.3"])
@pytest.mark.parametrize("name", ["append_files_parquet", "pk_plain_no_dv"])
def test_indexes_of_older_tables_are_rewritten(name: str, release: str, tmp_path: Path) -> None:
    path = older(name, release, tmp_path)
    golden = expected(name)
    table = Table.at(path)
    before = {file.name: file for file in table.data_files.of(table.snapshot())}
    assert moved_indexes(path, name) is not None
    assert same_rows(query(path, engine=local_engine(1)), golden.rows)
    found = audit(path, deep=True, engine=local_engine(1))
    assert [finding for finding in found if finding.severity == "error"] == []
    after = {file.name: file for file in table.data_files.of(table.snapshot())}
    assert after.keys() == before.keys()
    for file, was in before.items():
        assert after[file].statistics == was.statistics
        assert after[file].key_range == was.key_range


@pytest.mark.parametrize("release", ["0.8", "0.9", "1.0", "1.3"])
def test_rows_of_older_tables_are_deleted(release: str, tmp_path: Path) -> None:
    path = older("append_dv32", release, tmp_path)
    golden = expected("append_dv32")
    case = next(case for case in golden.cases if 0 < len(case.rows) < len(golden.rows))
    gone = delete(path, case.predicate, engine=local_engine(1))
    assert gone.rows == len(case.rows)
    left = [row for row in golden.rows if row not in case.rows]
    assert same_rows(query(path, engine=local_engine(1)), left)
    assert [f for f in audit(path, engine=local_engine(1)) if f.severity == "error"] == []


def test_vectors_of_old_manifests_have_no_number_of_rows(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = older("append_dv32", "0.9", tmp_path / "old")
    new = golden_table("append_dv32", tmp_path / "new")
    causes = [explain(table, "id >= 0")[-2].by for table in (path, new)]
    assert causes[0] == causes[1]
    assert any(cause.name == "deletion vectors" and cause.rows_skipped for cause in causes[0])
    content = inspect_table(path).content
    assert content is not None
    assert (content.totals.deletion_vectors > 0, content.totals.deleted_rows) == (True, None)
    assert run(["table", "inspect", path]) == 0
    totals = re.search("totals: .*", capsys.readouterr().out)
    assert totals is not None
    assert "deletion vectors" in totals[0] and "deleted rows" not in totals[0]


@pytest.mark.parametrize("version", [None, 1, 2])
def test_snapshots_without_counts(version: int | None, tmp_path: Path) -> None:
    """As Paimon 0.3 and earlier wrote them; nothing is compared with what is not there."""
    path = older("append_dv32", "0.8", tmp_path)
    for file in Path(path, "snapshot").glob("snapshot-*"):
        document = json.loads(file.read_text())
        for field in ("version", "totalRecordCount", "deltaRecordCount"):
            del document[field]
        file.write_text(json.dumps({**document, **({"version": version} if version else {})}))
    golden = expected("append_dv32")
    assert count(path, engine=local_engine(1)).count == len(golden.rows)
    assert [f for f in audit(path, engine=local_engine(1)) if f.severity == "error"] == []
    content = inspect_table(path).content
    assert content is not None
    assert content.snapshot.total_rows is None


@pytest.mark.java
@pytest.mark.parametrize("release", ["0.4", "0.9", "1.0", "1.3"])
def test_the_library_reads_older_tables_after_our_commits(
    release: str, java_tables: jvm.Session, tmp_path: Path
) -> None:
    for name in ("append_dv32", "pk_plain_no_dv", "append_partitioned"):
        if (name, release) not in CASES:
            continue
        path = older(name, release, tmp_path / name)
        opened = tables.Comparison(name, path, java_tables, tables.Outcome())
        before = opened_rows(opened)
        assert moved_indexes(path, name) is not None
        assert opened_rows(opened) == before
        if name == "append_dv32":
            case = next(case for case in expected(name).cases if case.rows)
            gone = delete(path, case.predicate, engine=local_engine(1))
            assert len(opened_rows(opened)) == len(before) - gone.rows


def opened_rows(table: tables.Comparison) -> list[str]:
    table.java.ask({"op": "open", "path": table.path})
    return sorted(map(str, table.rows(None)["rows"]))
