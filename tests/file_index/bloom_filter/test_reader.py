"""Bloom filters never lose a value, and read some pages alone."""

import io
import math
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from kaitaistruct import KaitaiStream

from paimon_ksy.errors import CorruptFileError, PaimonKsyError, UnsupportedError
from paimon_ksy.file_index.bloom_filter.reader import hash_numbers
from paimon_ksy.file_index.builder import build_file_index
from paimon_ksy.file_index.container import FileIndex
from paimon_ksy.generated.parsers.bloom_filter_index import BloomFilterIndex as ParsedBloomFilter
from paimon_ksy.generated.writers.bloom_filter_index import make_bloom_filter_index
from paimon_ksy.predicates.tree import In, col
from paimon_ksy.runtime.objects import to_bytes
from paimon_ksy.types.arrow import to_arrow
from paimon_ksy.types.data_type import DataType
from paimon_ksy.types.parse import parse_type
from paimon_ksy.types.schema import Schema
from tests.support.brute_force import matching_rows
from tests.support.file_indexes import bloom_filter_of
from tests.support.strategies import BITMAP_TYPES, Table, columns, examples, leaves

pytestmark = pytest.mark.filterwarnings("ignore::paimon_ksy.IndexIgnoredWarning")
TYPES = (*(kind for kind in BITMAP_TYPES if kind.root != "BOOLEAN"), *map(parse_type, ["BYTES"]))


@pytest.mark.parametrize("num_hashes", [1, 1079])
def test_the_fewest_and_most_hashes(num_hashes: int) -> None:
    data = to_bytes(make_bloom_filter_index(len_body=5, num_hashes=num_hashes, bits=b"\1"))
    parsed = ParsedBloomFilter(len(data), KaitaiStream(io.BytesIO(data)))
    assert (parsed.num_hashes, parsed.bits) == (num_hashes, b"\1")


@given(st.lists(st.integers(-(2**63), 2**63 - 1), max_size=20))
def test_hash_of_numbers(numbers: list[int]) -> None:
    def signed(value: int) -> int:
        return (value + 2**63) % 2**64 - 2**63

    def one(key: int) -> int:
        key = signed(~key + (key << 21))
        key ^= key >> 24
        key = signed(key + (key << 3) + (key << 8))
        key ^= key >> 14
        key = signed(key + (key << 2) + (key << 4))
        key ^= key >> 28
        return (key + (key << 31)) % 2**64

    assert hash_numbers(np.array(numbers, np.int64)).tolist() == [one(n) for n in numbers]


@pytest.mark.parametrize("kind", TYPES, ids=str)
@examples(60)
@given(st.data(), st.sampled_from(["1", "30", "1000000", "auto", "distinct"]))
def test_no_row_is_lost(kind: DataType, data: st.DataObject, items: str) -> None:
    column = data.draw(columns(kind))
    schema = Schema.parse(f"c {kind}")
    predicate = data.draw(leaves("c", kind, column))
    table = Table(schema, {"c": column}, len(column))
    built = bloom_filter_of(table.to_arrow(), schema, {"items": items})
    scanned = matching_rows(predicate, table.columns, schema, num_rows=table.num_rows)
    with FileIndex.open(built, schema) as index:
        selection = index.evaluate(predicate)
    assert selection.kind != "rows"
    assert selection.kind == "all" or not scanned
    assert not selection.exact or len(scanned) == (selection.kind == "all") * table.num_rows


def test_few_values_that_are_not_there_are_taken_for_ones_that_are() -> None:
    schema = Schema.parse("c INT")
    table = pa.table({"c": pa.array(range(10_000), pa.int32())})
    with FileIndex.open(
        bloom_filter_of(table, schema, {"items": "auto", "fpp": "0.01"}), schema
    ) as index:
        kinds = [index.evaluate(col("c") == value).kind for value in range(10_000, 20_000)]
        assert 20 < kinds.count("all") < 200
        assert index.evaluate(In("c", tuple(range(9_990, 10_100)))).kind == "all"
        assert index.evaluate(In("c", tuple(range(20_000, 20_003)))).kind == "skip"


def test_values_that_are_stored_in_another_form() -> None:
    cases: list[tuple[str, list[Any], Any]] = [
        ("CHAR(4)", ["a", "b  "], "a  "),
        ("CHAR(4)", ["a", "b  "], "b"),
        ("DOUBLE", [-0.0], 0.0),
        ("FLOAT", [0.0], -0.0),
        ("DOUBLE", [math.nan], math.nan),
        ("FLOAT", [-math.nan], math.nan),
    ]
    for kind, column, value in cases:
        schema = Schema.parse(f"c {kind}")
        data = bloom_filter_of(pa.table({"c": pa.array(column, to_arrow(schema["c"]))}), schema, {})
        with FileIndex.open(data, schema) as index:
            assert index.evaluate(col("c") == value).kind == "all"


def test_a_look_up_reads_some_pages() -> None:
    schema = Schema.parse("c BIGINT")
    data = bloom_filter_of(pa.table({"c": list(range(1000))}), schema, {})
    with FileIndex.open(data, schema) as index:
        opened = index.bytes_read
        assert index.evaluate(col("c") == 5).kind == "all"
        assert index.bytes_read - opened < 4 * 4096
        read = index.bytes_read
        assert index.evaluate(col("c") == 5).kind == "all"
        assert index.bytes_read == read
        assert index.evaluate(In("c", tuple(range(2000)))).kind == "all"
        assert index.bytes_read < len(data) + 4 * 4096


def test_another_index_of_the_column_spares_the_filter() -> None:
    schema = Schema.parse("c BIGINT")
    options = {"file-index.bitmap.columns": "c", "file-index.bloom-filter.columns": "c"}
    data = build_file_index(pa.table({"c": list(range(100))}), schema, options)
    with FileIndex.open(data, schema) as index:
        assert index.evaluate(col("c") == 5).count == 1
        assert index.bytes_read < 10_000


def test_each_byte_cut_or_flipped_is_an_error_or_an_answer() -> None:
    schema = Schema.parse("c INT")
    data = bloom_filter_of(pa.table({"c": [1, 2, 3]}), schema, {"items": "3"})
    broken = [data[:size] for size in range(len(data))]
    broken += [
        data[:at] + bytes([data[at] ^ 1 << bit]) + data[at + 1 :]
        for at in range(len(data))
        for bit in range(8)
    ]
    told = 0
    for some in broken:
        try:
            with FileIndex.open(some, schema) as index:
                assert index.evaluate("c = 1").kind in ("skip", "all")
        except PaimonKsyError as error:
            told += 1
            assert "\n" not in str(error)
    assert told >= len(data)


def test_a_length_past_the_end_or_without_bits() -> None:
    schema = Schema.parse("c INT")
    data = bloom_filter_of(pa.table({"c": [1]}), schema, {"items": "3"})
    with FileIndex.open(data, schema) as index:
        place = index._places["c"]["bloom-filter"]
        for length in (place.len_body + 1, 2**31 - 1, 4, 3, 0, -1):
            index._places["c"]["bloom-filter"] = place._replace(len_body=length)
            index._readers.clear()
            with pytest.raises(CorruptFileError, match="column 'c'"):
                index.evaluate("c = 1")


def test_a_schema_with_another_type() -> None:
    data = bloom_filter_of(pa.table({"c": [1]}), Schema.parse("c INT"), {"items": "3"})
    with (
        FileIndex.open(data, Schema.parse("c BOOLEAN")) as index,
        pytest.raises(UnsupportedError, match="pass the schema"),
    ):
        index.evaluate("c = true")
