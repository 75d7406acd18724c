"""Indexes that are checked byte by byte, and with their data."""

from __future__ import annotations

import random

import numpy as np
import pyarrow as pa
import pytest

from paimon_ksy.errors import CorruptFileError
from paimon_ksy.file_index.builder import build_file_index
from paimon_ksy.file_index.check import check_index
from paimon_ksy.file_index.container import FileIndex
from paimon_ksy.file_index.options import parse_options
from paimon_ksy.file_index.range_bitmap.reader import RangeBitmapReader
from paimon_ksy.predicates.tree import col
from paimon_ksy.types.schema import Schema
from tests.support.selections import selected_rows


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
        entries = [entries["bitmap"] for entries in opened.places.values()]
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
        start = opened.places[column]["range-bitmap"].ofs_body
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


# Index type, version, type of the column, its rows, distinct values and share of nulls.
MADE = [
    *(
        ("bitmap", version, *column)
        for version in "12"
        for column in (
            ("INT", 3000, 400, 0.0),
            ("INT", 3000, 400, 0.1),
            ("INT", 400, 4000, 0.0),
            ("INT", 70_000, 3, 0.1),
            ("STRING", 2000, 300, 0.1),
            ("STRING", 50, 3, 0.0),
        )
    ),
    *(
        (kind, "", *column)
        for kind in ("range-bitmap", "bsi")
        for column in (
            ("INT", 1000, 4, 0.1),
            ("INT", 80_003, 64, 0.0),  # slices are bitsets
            ("BIGINT", 600, 2**40, 0.1),
        )
    ),
    ("range-bitmap", "", "DOUBLE", 900, 3000, 0.5),
    ("range-bitmap", "", "STRING", 900, 300, 0.1),
]


@pytest.mark.parametrize(("kind", "version", "ddl", "count", "of", "nulls"), MADE)
def test_damage_and_other_data(
    kind: str, version: str, ddl: str, count: int, of: int, nulls: float
) -> None:
    rng, numbers = np.random.default_rng(count), random.Random(count)
    values = pa.array(rng.integers(-of // 2, of - of // 2, count), mask=rng.random(count) < nulls)
    schema = Schema.parse(f"v {ddl}")
    data = pa.table({"v": values}).cast(schema.to_arrow())
    options = {f"file-index.{kind}.columns": "v"}
    if version:
        options |= {f"file-index.{kind}.v.version": version}
    index = build_file_index(data, schema, options)

    def errors(index: bytes, data: pa.Table) -> list[object]:
        with FileIndex.open(index, schema) as opened:
            return list(check_index(opened, count, schema, parse_options(options), lambda: data))

    assert errors(index, data) == []
    rows = data["v"].to_pylist()
    for row in (0, count // 2, count - 1):
        for value in {None, rows[row - 1], rows[row - 2]} - {rows[row]}:
            other = [*rows[:row], value, *rows[row + 1 :]]
            [error] = errors(index, pa.table({"v": pa.array(other, data["v"].type)}))
            assert f"1 of {count} rows differ from the data; the first is row {row}" in str(error)
    with FileIndex.open(index) as opened:
        start = opened.places["v"][kind].ofs_body
    for _ in range(40):
        damaged = bytearray(index)
        # Often in the heads and the dictionary.
        at = numbers.randrange(start, min(len(index), start + numbers.choice([600, len(index)])))
        damaged[at] ^= 1 << numbers.randrange(8)
        if not errors(bytes(damaged), data):  # the bytes are others for the same rows
            with FileIndex.open(bytes(damaged), schema) as opened:
                for value in (rows[0], rows[-1]):
                    asked = col("v").is_null() if value is None else col("v") == value
                    wanted = [row for row, other in enumerate(rows) if other == value]
                    assert selected_rows(opened.evaluate(asked), count) == wanted
