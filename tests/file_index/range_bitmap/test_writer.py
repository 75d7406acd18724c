"""Bodies of range bitmaps: chunks of the dictionary, options, and the same bytes."""

from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from paimon_ksy.errors import OptionError, SchemaError
from paimon_ksy.file_index.range_bitmap.reader import RangeBitmapReader
from paimon_ksy.file_index.range_bitmap.writer import RangeBitmapBuilder
from paimon_ksy.io.source import open_source
from paimon_ksy.types.parse import parse_type
from tests.support.strategies import arrow_column, columns, examples


def body_of(column: pa.Array | pa.ChunkedArray, text: str, **options: str) -> bytes:
    named = {name.replace("_", "-"): value for name, value in options.items()}
    return b"".join(map(bytes, RangeBitmapBuilder.of(parse_type(text), named).build(column)))


@pytest.mark.parametrize("text", ["BOOLEAN", "INT", "DOUBLE", "STRING", "TIMESTAMP(3)"])
@examples(25)
@given(data=st.data())
def test_chunks_of_arrow_change_no_byte(text: str, data: st.DataObject) -> None:
    column = arrow_column(parse_type(text), data.draw(columns(parse_type(text), max_size=30)))
    cut = data.draw(st.integers(0, len(column)))
    chunked = pa.chunked_array([column[:cut], column[cut:]], column.type)
    assert body_of(chunked, text) == body_of(column, text)


@pytest.mark.parametrize("size", [0, 16, 100])
@examples(40)
@given(texts=st.lists(st.text("abc", max_size=9), unique=True, min_size=1))
def test_keys_after_the_first_fit_into_their_chunk(size: int, texts: list[str]) -> None:
    body = body_of(pa.array(texts), "STRING", chunk_size=f"{size}b")
    reader = RangeBitmapReader(open_source(body), 0, "c", parse_type("STRING"))
    found = list(reader.dictionary.chunks())
    values = sorted(text.encode() for text in texts)
    at = 0
    for first, more, _ in found:
        assert bytes(first) == values[at]
        rest = values[at + 1 : at + 1 + more]
        assert sum(4 + len(value) for value in rest) <= size
        assert 4 * more <= size
        at += 1 + more
    assert at == len(values)


@pytest.mark.parametrize("column", [[], [None, None]])
def test_nothing_to_store(column: list[Any]) -> None:
    body = body_of(pa.array(column, pa.int32()), "INT")
    reader = RangeBitmapReader(open_source(body), 0, "c", parse_type("INT"))
    assert (reader.num_rows, reader.num_values) == (len(column), 0)


def test_what_cannot_be() -> None:
    for size, says in (("3gb", "at most 2147483647 bytes"), ("big", "chunk-size")):
        with pytest.raises(OptionError, match=says):
            RangeBitmapBuilder.of(parse_type("INT"), {"chunk-size": size})
    with pytest.raises(SchemaError):
        body_of(pa.array(["a"]), "INT")
