"""Columns have the type that was asked for, and all that it can hold."""

import pyarrow as pa
import pytest
from hypothesis import find, given, settings
from hypothesis import strategies as st

from kit_support.examples import examples
from paimon_ksy.testing.columns import arrow_column, columns
from paimon_ksy.types.arrow import to_arrow
from tests.support.strategies import BITMAP_TYPES, OTHER_TYPES


@examples(100)
@given(st.data(), st.sampled_from(BITMAP_TYPES + OTHER_TYPES))
def test_values_fit_into_the_arrow_type(data: st.DataObject, kind: object) -> None:
    found = data.draw(columns(kind, min_size=2, max_size=20))  # type: ignore[arg-type]
    column = arrow_column(kind, found)  # type: ignore[arg-type]
    assert column.type == to_arrow(kind) and 2 <= len(column) <= 20  # type: ignore[arg-type]
    column.validate(full=not pa.types.is_string(column.type))
    assert [each is None for each in found] == column.is_null().to_pylist()


@pytest.mark.parametrize("wanted", ["null", "repeated", "distinct"])
def test_columns_have_nulls_and_repeated_values(wanted: str) -> None:
    def has(column: list[object]) -> bool:
        values = [each for each in column if each is not None]
        if wanted == "null":
            return len(values) < len(column)
        return len(values) > 3 and (len(set(values)) == len(values)) == (wanted == "distinct")

    find(columns(BITMAP_TYPES[3]), has, settings=settings(max_examples=1000, database=None))
