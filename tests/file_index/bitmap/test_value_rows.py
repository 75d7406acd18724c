"""The rows of values are as many as the values are counted."""

from typing import Any

import pytest

from paimon_ksy.file_index.bitmap.value_rows import value_rows
from paimon_ksy.inspection.inspect import inspect_file
from paimon_ksy.io.file_format import Subject
from paimon_ksy.io.source import open_source
from tests.golden import GoldenIndex, golden_indexes
from tests.support.golden_json import schema_from_spec


@pytest.mark.parametrize(
    "case",
    [case for case in golden_indexes() if len(case.data) < 2_000],
    ids=lambda case: case.name,
)
def test_rows_of_values(case: GoldenIndex) -> None:
    with open_source(case.data) as source:
        report = inspect_file(Subject(source, schema_from_spec(case.spec)), top=None).content
        assert report is not None
        bodies: list[Any] = [index.body for column in report.columns for index in column.indexes]
        for body in bodies:
            if values := getattr(body, "values", None):
                rows = [value_rows(source, value, body.rows) for value in values]
                assert [len(each) for each in rows] == [value.rows for value in values]
                every = [row for each in rows for row in each]
                assert len(every) == len(set(every)) == body.rows - (body.nulls or 0)
