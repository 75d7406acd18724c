"""Indexes that are checked byte by byte."""

from __future__ import annotations

import pyarrow as pa
import pytest

from paimon_ksy.errors import CorruptFileError
from paimon_ksy.file_index.builder import build_file_index
from paimon_ksy.file_index.check import check_index
from paimon_ksy.file_index.container import FileIndex
from paimon_ksy.file_index.options import parse_options
from paimon_ksy.file_index.range_bitmap.reader import RangeBitmapReader
from paimon_ksy.types.schema import Schema


@pytest.mark.parametrize("version", ["1", "2"])
@pytest.mark.parametrize("values", [[1, 2, 2, None, 5], [1, 2, 2, None, None, 7], [None, 3], [4]])
def test_each_byte_of_a_bitmap_index_is_looked_at(version: str, values: list[int | None]) -> None:
    """Where rows stand alone, and nulls, some bytes say nothing that answers need."""
    schema = Schema.parse("a INT, s STRING")
    texts = [None if value is None else f"t{value}" for value in values]
    data = pa.table({"a": pa.array(values, pa.int32()), "s": texts})
    options = {"file-index.bitmap.columns": "a,s"}
    options |= {f"file-index.bitmap.{name}.version": version for name in "as"}
    whole = build_file_index(data, schema, options)
    with FileIndex.open(whole) as opened:
        entries = [entries["bitmap"] for entries in opened.indexes.values()]
    for entry in entries:
        for byte in range(entry.ofs_body, entry.ofs_body + entry.len_body):
            broken = bytearray(whole)
            broken[byte] ^= 1 << byte * 5 % 8
            with FileIndex.open(bytes(broken)) as opened:
                parsed = parse_options(options)
                [error] = check_index(opened, len(values), schema, parsed, lambda: data)
            assert isinstance(error, CorruptFileError)
            assert error.offset == byte


@pytest.mark.parametrize("chunk_size", ["16 kb", "20 b"])
@pytest.mark.parametrize("column", ["a", "s"])
def test_each_byte_of_the_heads_of_chunks_is_looked_at(column: str, chunk_size: str) -> None:
    """What is not needed to read all keys, Java goes by: where heads start, how long a key is."""
    schema = Schema.parse("a INT, s STRING")
    data = pa.table({"a": pa.array(range(20), pa.int32()), "s": [f"t{i:03}" for i in range(20)]})
    options = {"file-index.range-bitmap.columns": column}
    options[f"file-index.range-bitmap.{column}.chunk-size"] = chunk_size
    whole = build_file_index(data, schema, options)
    with FileIndex.open(whole, schema) as opened:
        start = opened.indexes[column]["range-bitmap"].ofs_body
        reader = RangeBitmapReader(opened.source, start, column, schema[column])
        heads = reader.dictionary._index
        assert heads.num_chunks > 1 or chunk_size == "16 kb"
        places = range(heads.offsets_start, heads.keys_start)
    for byte in places:
        broken = bytearray(whole)
        broken[byte] ^= 1 << byte * 5 % 8
        with FileIndex.open(bytes(broken)) as opened:
            parsed = parse_options(options)
            [error] = check_index(opened, 20, schema, parsed, lambda: data)
        assert isinstance(error, CorruptFileError)
        assert error.offset == byte
