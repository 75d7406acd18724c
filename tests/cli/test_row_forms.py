"""Rows of a query as JSON, CSV and Markdown."""

from __future__ import annotations

import csv
import io
import json
import math
from datetime import date, datetime
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from paimon_ksy.cli.options import RowsForm
from paimon_ksy.cli.row_forms import head_lines, row_lines
from tests.support.commands import as_on_terminal

TEXTS = st.text(st.characters(codec="utf-8"))


def batch_of(*columns: Any, kind: pa.DataType | None = None) -> pa.RecordBatch:
    """A batch with the columns a, b and so on."""
    arrays = [pa.array(values, kind) for values in columns]
    return pa.record_batch(arrays, list("abcdef"[: len(columns)]))


@given(st.lists(st.tuples(st.none() | TEXTS, st.none() | st.integers(0, 9)), max_size=4))
def test_csv_is_read_back(rows: list[tuple[str | None, int | None]]) -> None:
    """By a reader of RFC 4180; nulls and empty texts differ by their quotes."""
    texts, numbers = ([row[at] for row in rows] for at in (0, 1))
    batch = pa.record_batch({"a": pa.array(texts, pa.string()), "b": pa.array(numbers, pa.int8())})
    text = head_lines(RowsForm.CSV, ["a", "b"])[0] + "\n" + row_lines(RowsForm.CSV, batch)
    found = list(csv.reader(io.StringIO(text, newline=""), strict=True))
    assert found == [["a", "b"], *([a or "", "" if b is None else str(b)] for a, b in rows)]


def test_nulls_and_empty_texts() -> None:
    assert row_lines(RowsForm.CSV, batch_of([None], [""], kind=pa.string())) == ',""\n'


@given(st.lists(st.none() | TEXTS, min_size=1, max_size=3))
def test_a_row_of_markdown_is_a_line_with_its_cells(row: list[str | None]) -> None:
    text = row_lines(RowsForm.MARKDOWN, batch_of(*([cell] for cell in row), kind=pa.string()))
    assert len(text.splitlines()) == 1
    assert text.replace(r"\|", "").count("|") == len(row) + 1


def test_what_other_programs_interpret() -> None:
    batch = batch_of(["=1+1"], ["<img src=x>"], ["a < b | c"])
    assert row_lines(RowsForm.CSV, batch) == "=1+1,<img src=x>,a < b | c\n"
    shown = r"| =1+1 | \<img src=x> | a < b \| c |"
    assert row_lines(RowsForm.MARKDOWN, batch) == f"{shown}\n"


def trimmed(moment: datetime) -> str:
    """What ISO 8601 has of a time without the last zeros of its fraction."""
    text = moment.isoformat()
    return text.rstrip("0") if moment.microsecond else text


KINDS: dict[str, tuple[pa.DataType, st.SearchStrategy[Any], Any]] = {
    "texts": (pa.string(), TEXTS, lambda value: value),
    "doubles": (pa.float64(), st.floats(allow_nan=False, allow_infinity=False), lambda v: v),
    "floats": (pa.float32(), st.floats(-(2**70), 2**70, width=32), lambda v: float(f"{v:.9g}")),
    "decimals": (
        pa.decimal128(38, 20),
        st.decimals(-(10**17), 10**17, places=20),
        lambda value: f"{value:f}",
    ),
    "dates": (pa.date32(), st.dates(), date.isoformat),
    "timestamps": (pa.timestamp("us"), st.datetimes(), trimmed),
    "bytes": (pa.binary(), st.binary(max_size=4), bytes.hex),
    "lists": (pa.list_(pa.int8()), st.lists(st.integers(0, 9), max_size=3), lambda value: value),
}


@pytest.mark.parametrize("name", KINDS)
@given(data=st.data())
def test_arrow_writes_what_python_does(name: str, data: st.DataObject) -> None:
    kind, values, to_json = KINDS[name]
    drawn = data.draw(st.lists(st.none() | values, min_size=1, max_size=20))
    batch = batch_of(drawn, drawn[::-1], kind=kind)
    rows = zip(drawn, drawn[::-1], strict=True)
    wanted = [{"a": a, "b": b} for a, b in rows]
    wanted = [{n: None if v is None else to_json(v) for n, v in row.items()} for row in wanted]
    lines = row_lines(RowsForm.JSON, batch).splitlines()
    if name == "floats":
        assert [json.loads(line) for line in lines] == [
            {n: None if v is None else pytest.approx(v, rel=1e-6) for n, v in row.items()}
            for row in wanted
        ]
    else:
        assert lines == [json.dumps(row) for row in wanted]
    text = row_lines(RowsForm.CSV, batch.select(["a"]))
    [*cells] = csv.reader(io.StringIO(text, newline=""), strict=True)
    plain = (row["a"] for row in wanted)
    shown = [v if isinstance(v, str) else "" if v is None else json.dumps(v) for v in plain]
    if name != "floats":
        assert [cell[0] if cell else "" for cell in cells] == shown


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf, 1e16, 1e15, 1e-4, 9e-5, -0.0])
def test_numbers_without_a_form_that_both_have(value: float) -> None:
    text = repr(value) if math.isfinite(value) else f'"{_words(value)}"'
    assert row_lines(RowsForm.JSON, batch_of([value], [None])) == f'{{"a": {text}, "b": null}}\n'
    assert row_lines(RowsForm.CSV, batch_of([value])) == text.strip('"') + "\n"


def _words(value: float) -> str:
    return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"


def test_values_that_arrow_writes_in_another_way() -> None:
    """Years of more digits, nanoseconds, and texts that are not UTF-8."""
    days = pa.array([2_932_897, -719_528, 0], pa.int32()).view(pa.date32())
    nanos = pa.array([1, -1, None], pa.int64()).view(pa.timestamp("ns", "UTC"))
    bad = pa.array([b"\xff", b"a", None]).view(pa.string())
    lines = row_lines(RowsForm.CSV, pa.record_batch([days, nanos, bad], ["a", "b", "c"]))
    assert lines.splitlines() == [
        "+10000-01-01,1970-01-01T00:00:00.000000001Z,\ufffd",
        "0000-01-01,1969-12-31T23:59:59.999999999Z,a",
        "1970-01-01,,",
    ]


def test_rows_without_columns() -> None:
    batch = pa.record_batch([pa.nulls(2)], ["a"]).select([])
    assert row_lines(RowsForm.JSON, batch) == "{}\n{}\n"
    assert row_lines(RowsForm.CSV, batch) == "\n\n"


@pytest.mark.parametrize("form", ["csv", "markdown"])
def test_a_terminal_gets_no_control_characters(form: str, path: str) -> None:
    shown = as_on_terminal(
        *("table", "query", path, "-w", "id = 1009", "--select", "status", "--format", form)
    )
    assert "\x07" not in shown
