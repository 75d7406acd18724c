"""Rows of a query as JSON, CSV and Markdown."""

from __future__ import annotations

import csv
import io
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paimon_ksy.cli.options import RowsForm
from paimon_ksy.cli.row_forms import head_lines, row_lines
from tests.support.commands import as_on_terminal

CELLS = st.none() | st.integers() | st.booleans() | st.text(st.characters(codec="utf-8"))


@given(st.lists(st.tuples(CELLS, CELLS), max_size=4))
def test_csv_is_read_back(rows: list[tuple[Any, Any]]) -> None:
    """By a reader of RFC 4180; nulls and empty texts differ by their quotes."""
    lines = [*head_lines(RowsForm.CSV, ["a", "b"]), *row_lines(RowsForm.CSV, ["a", "b"], rows)]
    text = "".join(f"{line}\n" for line in lines)
    found = list(csv.reader(io.StringIO(text, newline=""), strict=True))
    wanted = [
        ["" if v is None else v if isinstance(v, str) else json.dumps(v) for v in row]
        for row in rows
    ]
    assert found == [["a", "b"], *wanted]


def test_nulls_and_empty_texts() -> None:
    [line] = row_lines(RowsForm.CSV, ["a", "b"], [[None, ""]])
    assert line == ',""'


@given(st.lists(CELLS, min_size=1, max_size=3))
def test_a_row_of_markdown_is_a_line_with_its_cells(row: list[Any]) -> None:
    [line] = row_lines(RowsForm.MARKDOWN, ["x"] * len(row), [row])
    assert len(line.splitlines()) == 1
    assert line.replace(r"\|", "").count("|") == len(row) + 1


def test_what_other_programs_interpret() -> None:
    row = ["=1+1", "<img src=x>", "a < b | c"]
    assert [*row_lines(RowsForm.CSV, row, [row])] == ["=1+1,<img src=x>,a < b | c"]
    assert [*row_lines(RowsForm.MARKDOWN, row, [row])] == [r"| =1+1 | \<img src=x> | a < b \| c |"]


@pytest.mark.parametrize("form", ["csv", "markdown"])
def test_a_terminal_gets_no_control_characters(form: str, path: str) -> None:
    shown = as_on_terminal(
        *("table", "query", path, "-w", "id = 1009", "--select", "status", "--format", form)
    )
    assert "\x07" not in shown
