"""The report on a BSI, against the numbers that it was built from."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kit_support.examples import examples
from paimon_ksy.file_index.bsi.inspect import BsiPartReport, BsiReport, inspect
from paimon_ksy.file_index.bsi.writer import BsiBuilder
from paimon_ksy.io.source import open_source
from paimon_ksy.types.parse import parse_type
from tests.support.strategies import arrow_column

INT = parse_type("INT")


def report_on(column: list[Any], text: str | None = "INT", top: int | None = None) -> BsiReport:
    body = b"".join(BsiBuilder(INT).build(arrow_column(INT, column)))
    kind = None if text is None else parse_type(text)
    with open_source(body) as source:
        return inspect(source, 0, len(body), "c", kind, top)


@examples(60)
@given(column=st.lists(st.none() | st.integers(-1000, 1000), max_size=30))
def test_it_agrees_with_the_numbers(column: list[Any]) -> None:
    report = report_on(column)
    numbers = [value for value in column if value is not None]
    assert (report.rows, report.nulls, report.typed) == (len(column), column.count(None), True)
    assert (report.least and report.least.plain) == min((n for n in numbers if n < 0), default=None)
    assert (report.greatest and report.greatest.plain) == max(
        (n for n in numbers if n >= 0), default=None
    )
    check_part(report.positive, [n for n in numbers if n >= 0])
    check_part(report.negative, [-n for n in numbers if n < 0])


def check_part(part: BsiPartReport | None, numbers: list[int]) -> None:
    """That each bit is set in as many rows as it is set in numbers."""
    assert (part is None) == (not numbers)
    if part is not None:
        assert (part.rows, part.max) == (len(numbers), max(numbers))
        assert [found.rows for found in part.slices] == [
            sum(n >> bit & 1 for n in numbers) for bit in range(max(numbers).bit_length())
        ]


@pytest.mark.parametrize("text", [None, "STRING"])
def test_numbers_are_plain_without_a_type_of_numbers(text: str | None) -> None:
    report = report_on([5, -3], text)
    assert not report.typed
    assert report.least is not None and report.greatest is not None
    assert (report.least.text, report.greatest.text) == ("-3", "5")


def test_the_type_says_how_numbers_are_shown() -> None:
    found = report_on([19_782], "DATE").greatest
    assert found is not None
    assert found.text == "2024-02-29"


def test_large_slices_are_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("paimon_ksy.file_index.report.MAX_BITMAP_BYTES", 0)
    for top, read in ((1, False), (None, True)):
        part = report_on([5, 6], top=top).positive
        assert part is not None
        assert [found.rows is not None for found in part.slices] == [read] * 3
