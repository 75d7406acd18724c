"""The quick look at a range bitmap says that it is right only where the careful one does."""

from __future__ import annotations

import random

import numpy as np
import pyarrow as pa
import pytest

from paimon_ksy.errors import PaimonKsyError
from paimon_ksy.file_index import check as index_check
from paimon_ksy.file_index.builder import build_file_index
from paimon_ksy.file_index.container import FileIndex
from paimon_ksy.file_index.options import IndexSpec, parse_options
from paimon_ksy.file_index.range_bitmap.check import is_right
from paimon_ksy.io.corrupt import CorruptErrors
from paimon_ksy.roaring.bit_slices import numbers_between
from paimon_ksy.roaring.bitmap_32 import words_of_bits
from paimon_ksy.types.schema import Schema


@pytest.mark.parametrize("width", [0, 1, 8, 20, 33, 64])
def test_numbers_of_slices(width: int) -> None:
    rng = np.random.default_rng(width)
    numbers = rng.integers(0, 2**63, 1003, np.uint64) >> np.uint64(63 - min(width, 63))
    slices = [words_of_bits((numbers >> np.uint64(bit)) & np.uint64(1) > 0) for bit in range(width)]
    due = numbers if width else np.zeros(1003)
    for start, stop in ((0, 1003), (8, 9), (504, 1000), (16, 16)):
        assert numbers_between(slices, start, stop).tolist() == due[start:stop].tolist()


def made(kind: str, count: int, of: int, nulls: float, pieces: int) -> tuple[pa.Table, Schema]:
    rng = np.random.default_rng(count)
    values = pa.array(rng.integers(-of, of, count), mask=rng.random(count) < nulls)
    column = values.cast({"DOUBLE": pa.float64(), "INT": pa.int32()}.get(kind, pa.int64()))
    parts = [column.slice(at, count // pieces + 3) for at in range(0, count, count // pieces + 3)]
    return pa.table({"v": pa.chunked_array(parts)}), Schema.parse(f"v {kind}")


MADE = [
    ("INT", 3000, 400, 0.0, 1),
    ("INT", 1000, 4, 0.1, 3),
    ("DOUBLE", 900, 3000, 0.5, 7),
    ("INT", 70_001, 100, 0.01, 2),
    ("INT", 80_003, 64, 0.0, 2),  # slices are bitsets
    ("BIGINT", 600, 300, 0.1, 2),
    ("BIGINT", 600, 2**40, 0.0, 1),
]


def verdicts(data_of_index: bytes, schema: Schema, data: pa.Table) -> tuple[bool, bool]:
    """Of the quick look, and of all that is known of the index row by row."""
    found = []
    for look in (_quick, _careful):
        try:
            with FileIndex.open(data_of_index) as opened:
                [(_, _, entry)] = index_check.entries_of(opened)
                with CorruptErrors(opened.source, "v"):
                    index_check.check_extent(opened, entry)
                    spec = IndexSpec("range-bitmap", "v")
                    index = index_check._Index(opened, spec, entry, data.num_rows, schema)
                    found.append(look(index, data))
        except PaimonKsyError:
            found.append(False)
    return found[0], found[1]


def _quick(index: index_check._Index, data: pa.Table) -> bool:
    place = index.start, index.end
    return is_right(index.reader(), index.opened.source, *place, data["v"], index.data_type)


def _careful(index: index_check._Index, data: pa.Table) -> bool:
    content = index.check()
    return content is not None and content.has(data["v"], index.data_type)


@pytest.mark.parametrize(("kind", "count", "of", "nulls", "pieces"), MADE)
def test_damage_and_other_data(kind: str, count: int, of: int, nulls: float, pieces: int) -> None:
    data, schema = made(kind, count, of, nulls, pieces)
    options = parse_options(
        {"file-index.range-bitmap.columns": "v", "file-index.range-bitmap.v.chunk-size": "256b"}
    )
    index = bytes(build_file_index(data, schema, options))
    assert verdicts(index, schema, data) == (True, True)
    numbers = random.Random(count)
    for _ in range(60):
        damaged = bytearray(index)
        at = numbers.randrange(min(len(index), numbers.choice([600, len(index)])))
        damaged[at] ^= 1 << numbers.randrange(8)
        quick, careful = verdicts(bytes(damaged), schema, data)
        assert careful or not quick
    values = data["v"].to_pylist()
    for row in (0, count // 2, count - 1):
        for value in (None, values[row - 1], 7):
            if values[row] != value:
                other = [*values[:row], value, *values[row + 1 :]]
                changed = pa.table({"v": pa.array(other, data["v"].type)})
                assert verdicts(index, schema, changed) == (False, False)
    assert not verdicts(index, schema, data.slice(1))[0]
