"""Bodies of range bitmaps: chunks of the dictionary, options, and the same bytes."""

from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kit_support.examples import examples
from paimon_ksy.file_index.range_bitmap.reader import RangeBitmapReader
from paimon_ksy.file_index.range_bitmap.writer import RangeBitmapBuilder
from paimon_ksy.io.source import open_source
from paimon_ksy.types.parse import parse_type


def body_of(column: pa.Array | pa.ChunkedArray, text: str, **options: str) -> bytes:
    named = {name.replace("_", "-"): value for name, value in options.items()}
    return b"".join(map(bytes, RangeBitmapBuilder.of(parse_type(text), named).build(column)))


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
