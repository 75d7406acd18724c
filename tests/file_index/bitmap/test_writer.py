"""Bodies of bitmap indexes: sizes that Java can read, and values that share a bin of its map."""

import pyarrow as pa
import pytest

import paimon_ksy as pk
from paimon_ksy.errors import UnsupportedError
from paimon_ksy.file_index.bitmap.writer import BitmapBuilder
from paimon_ksy.types.parse import parse_type

STRING = parse_type("STRING")


def body_of(column: pa.Array | pa.ChunkedArray, **options: str) -> bytes:
    named = {name.replace("_", "-"): value for name, value in options.items()}
    return b"".join(map(bytes, BitmapBuilder.of(STRING, named).build(column)))


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
