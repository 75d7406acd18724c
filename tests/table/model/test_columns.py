"""Columns of a table as Arrow has them."""

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyroaring import BitMap

from kit_support.examples import examples
from paimon_ksy.file_index.builder import build_file_index
from paimon_ksy.file_index.container import FileIndex
from paimon_ksy.types.arrow import arrow_values
from paimon_ksy.types.parse import parse_type
from paimon_ksy.types.schema import Field, Schema
from tests.support.strategies import arrow_column, columns


@pytest.mark.parametrize("index", ["bsi", "range-bitmap"])
@examples(60)
@given(data=st.data())
def test_values_from_an_index(index: str, data: st.DataObject) -> None:
    """What orders by a column needs no data file: its index has the values as they are."""
    names = ["INT", "BIGINT", "DECIMAL(10, 2)", "DATE", "TIME(3)", "TIMESTAMP(3)", "TIMESTAMP(6)"]
    if index == "range-bitmap":
        names.append("STRING")
    kind = parse_type(data.draw(st.sampled_from(names)))
    column = data.draw(columns(kind, min_size=1, max_size=30))
    column = [None if value == -(2**63) else value for value in column]
    schema = Schema((Field("c", kind),))
    table = pa.table([arrow_column(kind, column)], schema=schema.to_arrow())
    built = build_file_index(table, schema, {f"file-index.{index}.columns": "c"})
    rows = data.draw(st.sets(st.integers(0, len(column) - 1)))
    with FileIndex.open(built, schema) as opened:
        found = opened.values("c", BitMap(rows))
    wanted = [column[row] for row in sorted(rows)]
    assert found in (wanted, None)
    assert found is not None or all(value is None for value in column)
    if found is not None:
        arrow = arrow_values(found, table.schema.field(0).type)
        assert arrow.equals(
            table.column(0).combine_chunks().take(pa.array(sorted(rows), pa.int64()))
        )
