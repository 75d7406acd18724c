"""What is on a page about a table; tests/project/test_pages.py opens pages in a browser."""

import html
import re
from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pytest

import paimon_ksy as pk
from paimon_ksy.errors import amount
from paimon_ksy.messages.findings import Finding
from paimon_ksy.pages.section import Bar
from paimon_ksy.table.inspect.pictures import LARGEST, funnel, pictures_of
from paimon_ksy.table.inspect.report import VectorReport
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
    assert "step files rows bytes of data also read all 3 123 " in text
    assert " partitions 2 82 " in text and " index 0 0 0 bytes " in text
    assert "status = 'nothing' (index bitmap) 2 2 82 " in text
    with pytest.raises(pk.PredicateError):
        table_page(Table.at(path), [], where="nope = 1")


def test_the_funnel_draws_the_answer_of_explain(path: str) -> None:
    steps = pk.explain(path, "status = 'PAID'")
    whole, *drawn = funnel(steps).rows
    assert [bar.share for bar in whole[1:4] if isinstance(bar, Bar)] == [1.0] * 3
    for step, (name, *bars, _) in zip(steps, drawn, strict=True):
        kept = (step.files_kept, step.rows_kept)
        assert (name, [bar.text for bar in bars[:2] if isinstance(bar, Bar)]) == (
            step.step,
            [f"{count:,}" for count in kept],
        )


def test_pictures_draw_the_answer_of_inspect(path: str) -> None:
    report = pk.inspect_table(path)
    files, indexes, snapshots = pictures_of(report)
    assert {row[2] for row in files.rows} == {40, 41, 42} and not files.notes
    cells = {row[0]: row[1] for row in indexes.rows}
    assert indexes.columns == ("column", "bitmap")
    assert cells.pop("status") == Bar("3 of 3 files", 1.0) and set(cells.values()) == {None}
    places = [moment.place for moment in snapshots.moments]
    assert places == sorted(places) and (places[0], places[-1]) == (0.0, 1.0)
    assert [moment.height for moment in snapshots.moments] == [40 / 42, 41 / 42, 1.0, 0.0]
    assert len(snapshots.rows) == 4


def test_pictures_of_many_files_are_bounded_and_say_so(path: str) -> None:
    report = pk.inspect_table(path)
    content = report.content
    assert content is not None
    [bucket] = content.partitions[0].buckets
    [one, *_] = bucket.listed
    vector = VectorReport("v", 1, 9, one.rows // 2)
    many = replace(bucket, listed=[replace(one, deletion_vector=vector)] * 100)
    content = replace(
        content,
        partitions=(replace(content.partitions[0], buckets=(many,)),),
        totals=replace(content.totals, files=100_000, bytes=100_000 * one.bytes),
    )
    files, indexes, _ = pictures_of(replace(report, content=content))
    assert len(files.rows) == LARGEST and "99,980 more files have" in files.notes[0]
    assert files.rows[0][1] == Bar(amount(one.bytes), 0.5, 0.5)
    assert "the 100 files that are listed; 99,900 are not" in indexes.notes[0]


def test_hostile_names_in_pictures_are_escaped_and_no_script_runs(tmp_path: Path) -> None:
    name = "<img src=x>"
    options = {"file-index.bitmap.columns": name}
    path = make(tmp_path, [pa.table({name: ["a"]})], options)
    run_rewrite(path)
    page = table_page(Table.at(path), [], where=f"`{name}` = 'a'")
    assert "<img" not in page and "<script" not in page and "script-src" not in page
    assert f"{name} 1 of 1 file" in words(page)
    assert '<svg class="line"' in page and 'role="img"' in page


def test_hints_that_are_right_are_not_shown(path: str) -> None:
    assert "latest named" not in words(table_page(Table.at(path), []))
    assert "earliest actual" not in words(table_page(Table.at(path), []))
    Path(path, "snapshot", "LATEST").write_text("2")
    try:
        assert "latest named 2 actual 4" in words(table_page(Table.at(path), []))
    finally:
        Path(path, "snapshot", "LATEST").write_text("4")


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
