"""The report on a range bitmap, against the values that it was built from."""

from typing import Any

import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from kit_support.examples import examples
from paimon_ksy.file_index.range_bitmap.inspect import RangeBitmapReport, inspect
from paimon_ksy.file_index.range_bitmap.writer import RangeBitmapBuilder
from paimon_ksy.io.source import open_source
from paimon_ksy.types.parse import parse_type

STRING = parse_type("STRING")


def report_on(
    column: list[Any], *, typed: bool = True, top: int | None = None
) -> RangeBitmapReport:
    builder = RangeBitmapBuilder.of(STRING, {"chunk-size": "32b"})
    body = b"".join(map(bytes, builder.build(pa.array(column, pa.string()))))
    with open_source(body) as source:
        return inspect(source, 0, len(body), "c", STRING if typed else None, top)


@examples(60)
@given(column=st.lists(st.none() | st.text("abc", max_size=6), max_size=40))
def test_it_agrees_with_the_values(column: list[Any]) -> None:
    report = report_on(column)
    values = sorted({value for value in column if value is not None})
    assert (report.rows, report.distinct) == (len(column), len(values))
    assert report.nulls == column.count(None)
    if not values:
        assert (report.least, report.greatest, report.dictionary) == (None, None, None)
        return
    assert report.least is not None and report.greatest is not None
    assert (report.least.plain, report.greatest.plain) == (values[0], values[-1])
    dictionary = report.dictionary
    assert dictionary is not None
    at = 0
    for chunk in dictionary.chunks:  # each begins where the one before it ends
        assert chunk.first.plain == values[at]
        at += chunk.values
    assert at == len(values)
    assert dictionary.size == dictionary.head_size + sum(c.size for c in dictionary.chunks)
    assert report.slices is not None
    codes = [values.index(value) for value in column if value is not None]
    assert [found.rows for found in report.slices] == [
        sum(code >> bit & 1 for code in codes) for bit in range(len(report.slices))
    ]


def test_chunks_are_limited_and_counted() -> None:
    report = report_on([f"text {n:03}" for n in range(50)], top=2)
    assert report.dictionary is not None
    assert len(report.dictionary.chunks) == 2 < report.dictionary.num_chunks


def test_without_a_type_only_the_head_is_known() -> None:
    report = report_on(["a", None], typed=False)
    assert (report.version, report.rows, report.distinct, report.nulls) == (1, 2, 1, None)
