"""The report on a bitmap index, against the column that it was built from."""

from collections import Counter
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kit_support.examples import examples
from paimon_ksy.errors import CorruptFileError
from paimon_ksy.file_index.bitmap.inspect import BitmapReport, inspect
from paimon_ksy.file_index.bitmap.writer import BitmapBuilder
from paimon_ksy.io.source import open_source
from paimon_ksy.types.data_type import DataType
from paimon_ksy.types.parse import parse_type
from tests.support.strategies import arrow_column

INT = parse_type("INT")


def body_of(column: list[Any], version: int) -> bytes:
    options = {"version": str(version), "index-block-size": "40b"}
    built = BitmapBuilder.of(INT, options).build(arrow_column(INT, column))
    return b"".join(map(bytes, built))


def report_on(body: bytes, kind: DataType | None, top: int | None) -> BitmapReport:
    with open_source(body) as source:
        return inspect(source, 0, len(body), "c", kind, top)


@pytest.mark.parametrize("version", [1, 2])
@examples(60)
@given(column=st.lists(st.none() | st.integers(0, 9), min_size=1, max_size=60))
def test_it_counts_the_rows_of_each_value(version: int, column: list[Any]) -> None:
    body = body_of(column, version)
    report = report_on(body, INT, None)
    counts = Counter(value for value in column if value is not None)
    assert (report.version, report.rows, report.distinct) == (version, len(column), len(counts))
    assert (report.nulls, report.has_nulls) == (column.count(None), None in column)
    assert report.values is not None
    assert {value.plain: value.rows for value in report.values} == counts
    rows = [value.rows for value in report.values]
    assert rows == sorted(rows, reverse=True)  # the most frequent first
    assert report.values_seen == len(counts)
    some = report_on(body, INT, 2)
    assert some.values == report.values[:2]


@pytest.mark.parametrize("version", [1, 2])
def test_without_a_type_or_without_values_asked_for(version: int) -> None:
    body = body_of([1, 2, 2, None], version)
    for kind, top, nulls in ((None, None, 1), (INT, 0, 1)):
        report = report_on(body, kind, top)
        assert (report.rows, report.distinct, report.nulls) == (4, 2, nulls)
        assert report.values is None
    several = report_on(body_of([1, None, None], version), None, None)
    assert (several.has_nulls, several.nulls) == (True, None)  # only the type shows where they are


def test_a_bitmap_beyond_the_file_is_an_error() -> None:
    body = body_of([*range(50)] * 3, 1)
    with pytest.raises((CorruptFileError, EOFError, ValueError)):
        report_on(body[:-40], INT, None)


def test_a_column_of_nothing() -> None:
    built = BitmapBuilder.of(INT, {}).build(pa.array([], pa.int32()))
    report = report_on(b"".join(map(bytes, built)), INT, None)
    assert (report.rows, report.distinct, report.nulls, report.values) == (0, 0, 0, ())
