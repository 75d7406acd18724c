"""Bodies of bitmap indexes: blocks, versions, and the same bytes for the same values."""

from io import BytesIO
from itertools import pairwise
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from kaitaistruct import KaitaiStream

import paimon_ksy as pk
from kit_support.examples import examples
from paimon_ksy.errors import UnsupportedError
from paimon_ksy.file_index.bitmap.writer import BitmapBuilder
from paimon_ksy.types.data_type import column_type
from paimon_ksy.types.parse import parse_type
from tests.reference.bitmap_index import BitmapIndex

STRING = parse_type("STRING")


def body_of(column: pa.Array | pa.ChunkedArray, **options: str) -> bytes:
    named = {name.replace("_", "-"): value for name, value in options.items()}
    return b"".join(map(bytes, BitmapBuilder.of(STRING, named).build(column)))


@pytest.mark.parametrize("size", [40, 100, 1000])
@examples(50)
@given(data=st.data())
def test_blocks_are_no_larger_than_the_option_says(size: int, data: st.DataObject) -> None:
    texts = data.draw(st.lists(st.text("abc", max_size=12), unique=True, min_size=1))
    body = body_of(pa.array([*texts, texts[0]]), index_block_size=f"{size}b")
    index = BitmapIndex(column_type(STRING), KaitaiStream(BytesIO(body)))
    directory = index.v2.directory
    blocks = [ref.body for ref in directory.blocks]
    keys = [entry.key.text for block in blocks for entry in block.entries]
    assert keys == sorted(text.encode() for text in texts)
    assert [ref.key.text for ref in directory.blocks] == [
        block.entries[0].key.text for block in blocks
    ]
    ends = [*(ref.ofs_block for ref in directory.blocks), directory.len_blocks]
    sizes = [stop - start for start, stop in pairwise(ends)]
    assert max(sizes) <= size
    # No block could have had the next one's first value as well.
    assert all(a + b > size for a, b in zip(sizes, map(first_size, blocks[1:]), strict=False))


def first_size(block: Any) -> int:
    """Bytes of the first entry: the length and bytes of its text, where its rows are."""
    return 4 + len(block.entries[0].key.text) + 8


@pytest.mark.parametrize("version", ["1", "2"])
def test_blocks_and_bitmaps_together_are_not_more_than_java_reads(
    version: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    column = pa.array([f"{number}" for number in range(50)] * 2)
    builder = BitmapBuilder.of(STRING, {"version": version})
    built = builder.build(column)
    size = sum(map(len, built[1:]))
    monkeypatch.setattr("paimon_ksy.file_index.bitmap.writer.MAX_INT", size)
    assert builder.build(column) == built
    monkeypatch.setattr("paimon_ksy.file_index.bitmap.writer.MAX_INT", size - 1)
    with pytest.raises(UnsupportedError, match=f"would take {size} bytes"):
        builder.build(column)


@pytest.mark.parametrize("version", ["1", "2"])
def test_values_that_share_a_bin_are_found(version: str) -> None:
    """In Java, a bin of eight values is a tree. No answer depends on the order of bitmaps."""
    values = [k << 32 | k ^ 5 for k in range(200)] * 2
    options = {"file-index.bitmap.columns": "c", "file-index.bitmap.c.version": version}
    schema = pk.Schema.parse("c BIGINT")
    table = pa.table({"c": pa.array(values, pa.int64())})
    with pk.FileIndex.open(pk.build_file_index(table, None, options), schema) as index:
        for row in range(200):
            assert list(index.evaluate(f"c = {values[row]}").rows or ()) == [row, row + 200]
