"""Bloom filters never lose a value, and read some pages alone."""

import io
import math
from typing import Any

import pyarrow as pa
import pytest
from kaitaistruct import KaitaiStream
from ksykit.runtime.objects import to_bytes

from paimon_ksy.errors import CorruptFileError, UnsupportedError
from paimon_ksy.file_index.builder import build_file_index
from paimon_ksy.file_index.container import FileIndex
from paimon_ksy.generated.structs.bloom_filter_index import make_bloom_filter_index
from paimon_ksy.predicates.tree import In, col
from paimon_ksy.types.arrow import to_arrow
from paimon_ksy.types.schema import Schema
from tests.reference.bloom_filter_index import BloomFilterIndex as ParsedBloomFilter
from tests.support.file_indexes import bloom_filter_of

pytestmark = pytest.mark.filterwarnings("ignore::paimon_ksy.IndexIgnoredWarning")


@pytest.mark.parametrize("num_hashes", [1, 1079])
def test_the_fewest_and_most_hashes(num_hashes: int) -> None:
    data = to_bytes(make_bloom_filter_index(len_body=5, num_hashes=num_hashes, bits=b"\1"))
    parsed = ParsedBloomFilter(len(data), KaitaiStream(io.BytesIO(data)))
    assert (parsed.num_hashes, parsed.bits) == (num_hashes, b"\1")


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
