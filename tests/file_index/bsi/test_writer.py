"""Bodies of BSIs: numbers at the ends of types, and the same bytes for the same numbers."""

from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from paimon_ksy.errors import SchemaError, UnsupportedError
from paimon_ksy.file_index.bsi.reader import BsiReader
from paimon_ksy.file_index.bsi.writer import BsiBuilder
from paimon_ksy.io.source import open_source
from paimon_ksy.types.arrow import to_arrow
from paimon_ksy.types.parse import parse_type
from tests.support.strategies import arrow_column, columns, examples


def body_of(column: pa.Array | pa.ChunkedArray, text: str) -> bytes:
    return b"".join(BsiBuilder(parse_type(text)).build(column))


@pytest.mark.parametrize("text", ["TINYINT", "INT", "BIGINT", "DATE", "TIME(3)", "TIMESTAMP(3)"])
@examples(25)
@given(data=st.data())
def test_chunks_change_no_byte(text: str, data: st.DataObject) -> None:
    kind = parse_type(text)
    values = data.draw(columns(kind, max_size=30))
    column = arrow_column(kind, [None if value == -(2**63) else value for value in values])
    cut = data.draw(st.integers(0, len(column)))
    chunked = pa.chunked_array([column[:cut], column[cut:]], column.type)
    assert body_of(chunked, text) == body_of(column, text)


@pytest.mark.parametrize("bits", [8, 16, 32])
def test_the_smallest_number_of_a_type(bits: int) -> None:
    """Its absolute value is one more than the type has."""
    text = {8: "TINYINT", 16: "SMALLINT", 32: "INT"}[bits]
    least = -(1 << (bits - 1))
    body = body_of(pa.array([least, -1, None], to_arrow(parse_type(text))), text)
    reader = BsiReader(open_source(body), 0, "c", parse_type(text))
    assert (reader.num_rows, reader.negative.head.max) == (3, -least)
    assert not reader.positive.head.has_rows
    assert list(reader.not_null()) == [0, 1]


def test_the_smallest_long_is_refused() -> None:
    with pytest.raises(UnsupportedError, match="-9223372036854775808: use 'range-bitmap'"):
        body_of(pa.array([0, -(2**63)], pa.int64()), "BIGINT")


def test_values_of_another_type_are_refused() -> None:
    with pytest.raises(SchemaError):
        body_of(pa.array(["a"]), "INT")


@pytest.mark.parametrize("column", [[], [None, None]])
def test_nothing_to_store(column: list[Any]) -> None:
    body = body_of(pa.array(column, pa.int32()), "INT")
    reader = BsiReader(open_source(body), 0, "c", parse_type("INT"))
    assert reader.num_rows == len(column)
    assert not reader.positive.head.has_rows and not reader.negative.head.has_rows
