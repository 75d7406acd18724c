"""Bodies of BSIs: numbers at the ends of types, and the same bytes for the same numbers."""

from typing import Any

import pyarrow as pa
import pytest

from paimon_ksy.file_index.bsi.reader import BsiReader
from paimon_ksy.file_index.bsi.writer import BsiBuilder
from paimon_ksy.io.source import open_source
from paimon_ksy.types.arrow import to_arrow
from paimon_ksy.types.parse import parse_type


def body_of(column: pa.Array | pa.ChunkedArray, text: str) -> bytes:
    return b"".join(BsiBuilder(parse_type(text)).build(column))


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


@pytest.mark.parametrize("column", [[], [None, None]])
def test_nothing_to_store(column: list[Any]) -> None:
    body = body_of(pa.array(column, pa.int32()), "INT")
    reader = BsiReader(open_source(body), 0, "c", parse_type("INT"))
    assert reader.num_rows == len(column)
    assert not reader.positive.head.has_rows and not reader.negative.head.has_rows
