"""What a range bitmap answers, and what it reads for it."""

from itertools import pairwise

import numpy as np
import pyarrow as pa
import pytest
from pyroaring import BitMap

from paimon_ksy.file_index.builder import build_file_index
from paimon_ksy.file_index.container import FileIndex
from paimon_ksy.predicates.tree import col
from paimon_ksy.types.schema import Schema
from tests.support.ordered_indexes import INT, ROWS, bytes_read, large, opened, reader
from tests.support.selections import selected_rows

pytestmark = pytest.mark.filterwarnings("ignore::paimon_ksy.IndexIgnoredWarning")


def test_bytes_read_of_a_range_bitmap() -> None:
    size = len(large("range-bitmap"))
    slices = 19 * (ROWS // 65536 + 1) * 8192  # bits, containers, bytes of a bitset
    assert bytes_read("range-bitmap", "c = 1000000") < 200  # beyond max: the head
    assert bytes_read("range-bitmap", "c IS NOT NULL") < 5000
    one = bytes_read("range-bitmap", "c = 17")
    assert slices * 0.9 < one < slices + 40_000  # heads of chunks, one chunk, the slices
    assert one < size - 1_000_000  # the other chunks
    # The code is a multiple of 2 ** 17, so that two slices tell.
    assert bytes_read("range-bitmap", f"c >= {2**17 - ROWS // 3}") < one // 4


def test_chunks_are_searched_without_reading_them_all() -> None:
    values = np.arange(100_000, dtype=np.int32) * 2
    options = {"file-index.range-bitmap.columns": "c", "file-index.range-bitmap.c.chunk-size": "0b"}
    data = build_file_index(pa.table({"c": values}), None, options)
    with FileIndex.open(data, Schema.parse("c INT")) as index:
        assert selected_rows(index.evaluate("c = 8888")) == [4444]
        assert index.bytes_read < 17 * 2 * 8192 + 30_000
        assert index.evaluate("c = 8889").kind == "skip"
        wanted = range(0, 2000, 2)
        assert index.evaluate(col("c").is_in(wanted)).rows == BitMap(range(1000))


def test_codes_are_in_key_order() -> None:
    data = opened("range-bitmap", INT, [3, 1, 2], {})
    keys = [key for _, key in reader(data, INT).dictionary.keys(0, 3)]
    assert all(a < b for a, b in pairwise(keys))
