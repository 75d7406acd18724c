"""What is on a page about a table; tests/project/test_pages.py opens pages in a browser."""

import html
import re
from pathlib import Path

import pytest

import paimon_ksy as pk
from paimon_ksy.messages.findings import Finding
from paimon_ksy.table.inspect.table_page import table_page
from paimon_ksy.table.store import Table
from tests.support.golden_tables import golden_table, golden_table_names
from tests.support.tables import STATUS, make, rows, run_rewrite


def words(page: str) -> str:
    """The text of a page, with one blank between words."""
    body = page.partition("<body")[2]
    return " ".join(html.unescape(re.sub(r"<script>.*|<[^>]+>", " ", body)).split())


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> str:
    commits = [rows(100 * n, 40 + n, day=["a", "<b>"][n % 2]) for n in range(3)]
    path = make(tmp_path_factory.mktemp("page"), commits, STATUS, partitions=["day"])
    run_rewrite(path)
    return path


def test_files_indexes_partitions_and_snapshots(path: str) -> None:
    page = table_page(Table.at(path), [])
    text = words(page)
    assert "No problems" in text and "partition keys day" in text
    assert "totals files 3" in text and "status index type bitmap" in text
    assert "partition day = '<b>'" in text and "<b>" not in page
    assert "4 COMPACT" in text
    assert "What a query reads" not in text


def test_a_query(path: str) -> None:
    text = words(table_page(Table.at(path), [], where="day = 'a' AND status = 'nothing'"))
    assert "What a query reads" in text
    assert "partitions files kept 2 files skipped 1" in text
    assert "index files kept 0 files skipped 2" in text
    with pytest.raises(pk.PredicateError):
        table_page(Table.at(path), [], where="nope = 1")


def test_findings_come_first_and_errors_before_notes(path: str) -> None:
    found = [
        Finding(severity, "index", "f", None, None, f"<i>{severity}", "do")
        for severity in ("note", "error")
    ]
    page = table_page(Table.at(path), found)
    assert re.findall(r'class="severity">(\w+)', page) == ["error", "note"]
    assert "<i>" not in page
    assert "too many files" in words(table_page(Table.at(path), None))


def test_a_broken_table(tmp_path: Path) -> None:
    path = make(tmp_path, [rows(0, 40)], STATUS)
    run_rewrite(path)
    [data_file] = Path(path).rglob("*.parquet")
    data_file.unlink()
    text = words(table_page(Table.at(path), None, where="status = 'PAID'"))
    assert data_file.name in text and "severity" not in text
    for manifest in Path(path, "manifest").iterdir():
        manifest.write_bytes(b"broken")
    assert "</html>" in table_page(Table.at(path), None, where="status = 'PAID'")


def test_an_empty_table(tmp_path: Path) -> None:
    text = words(table_page(Table.at(make(tmp_path, [])), []))
    assert "no snapshot: the table was never written" in text


@pytest.mark.parametrize("name", golden_table_names())
def test_every_golden_table(name: str, tmp_path: Path) -> None:
    table = Table.at(golden_table(name, tmp_path))
    report = pk.inspect_table(table)
    assert report.content is not None
    text = words(table_page(table, []))
    totals = report.content.totals
    assert f"totals files {totals.files:,}" in text
    assert f"deletion vectors {totals.deletion_vectors:,}" in text
