"""Bloom filters: the same bytes as the Java library's, and never a value lost."""

import math
import random
from collections.abc import Mapping
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
import xxhash
from hypothesis import given
from hypothesis import strategies as st

from paimon_ksy.errors import CorruptFileError, OptionError, PaimonKsyError, UnsupportedError
from paimon_ksy.file_index.bloom_filter import writer, xxhash64
from paimon_ksy.file_index.bloom_filter.reader import hash_numbers
from paimon_ksy.file_index.bloom_filter.report import BloomFilterReport
from paimon_ksy.file_index.bloom_filter.writer import filter_size
from paimon_ksy.file_index.builder import build_file_index
from paimon_ksy.file_index.container import FileIndex
from paimon_ksy.file_index.options import FileIndexOptions
from paimon_ksy.file_index.registry import INDEX_TYPES
from paimon_ksy.inspection.inspect import inspect_file
from paimon_ksy.inspection.json import assemble, dump_file
from paimon_ksy.io.source import open_source
from paimon_ksy.predicates.tree import In, col
from paimon_ksy.types.arrow import to_arrow
from paimon_ksy.types.data_type import DataType
from paimon_ksy.types.parse import parse_type
from paimon_ksy.types.schema import Schema
from tests.golden import golden_index, golden_indexes, refusals
from tests.support.brute_force import matching_rows
from tests.support.file_indexes import bodies_of, specs_of, table_of
from tests.support.golden_json import (
    columns_from_spec,
    is_predicate,
    nodes,
    predicate_from_json,
    schema_from_spec,
)
from tests.support.strategies import BITMAP_TYPES, Table, columns, examples, leaves

pytestmark = pytest.mark.filterwarnings("ignore::paimon_ksy.IndexIgnoredWarning")

TYPES = (*(kind for kind in BITMAP_TYPES if kind.root != "BOOLEAN"), *map(parse_type, ["BYTES"]))
GOLDEN = [case.name for case in golden_indexes("bloom-filter")]
ONLY_BLOOM = [case.name for case in golden_indexes("bloom-filter") if len(case.index_types) == 1]


# -- golden files ----------------------------------------------------------------------------------


@pytest.mark.parametrize("name", [name for name in GOLDEN if name != "c_empty_index"])
def test_golden_bytes(name: str) -> None:
    case = golden_index(name)
    expected = {(c, kind): body for c, indexes in bodies_of(case.data) for kind, body in indexes}
    table, schema = table_of(case), schema_from_spec(case.spec)
    specs = [spec for spec in specs_of(case).indexes if spec.index_type == "bloom-filter"]
    assert specs
    for spec in specs:
        built = build_file_index(table, schema, FileIndexOptions.of([spec]))
        [(column, [(kind, body)])] = bodies_of(built)
        assert body == expected[column, kind]


def test_golden_bytes_where_each_bit_is_set_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """The way of very large filters."""
    monkeypatch.setattr(writer, "_MAX_FLAGS", 0)
    for name in ("bloom_items20000_fpp01", "bloom_xxhash_lengths"):
        test_golden_bytes(name)


@pytest.mark.parametrize("name", ONLY_BLOOM)
def test_golden_answers(name: str) -> None:
    """Ours are Java's; a difference is that SQL's null is no value, and that zeros are one."""
    case = golden_index(name)
    schema, columns_ = schema_from_spec(case.spec), columns_from_spec(case.spec)
    with FileIndex.open(case.data, schema) as index:
        for answer in case.answers:
            if not is_predicate(answer.predicate):
                continue
            tree = predicate_from_json(answer.predicate, schema)
            kind = index.evaluate(tree).kind
            scanned = matching_rows(tree, columns_, schema, num_rows=len(case.rows))
            assert kind == "all" or not scanned, answer
            if answer.error is None and answer.result != {"skip": "SKIP", "all": "REMAIN"}[kind]:
                literals = [x for node in nodes(answer.predicate) for x in _literals(node)]
                assert not scanned
                floats = {schema[n["col"]].root for n in nodes(answer.predicate) if "col" in n}
                chars = floats & {"CHAR"}
                assert None in literals or chars or floats & {"FLOAT", "DOUBLE"}, answer


def _literals(node: Mapping[str, Any]) -> list[Any]:
    return [*node.get("values", ()), *(node[key] for key in ("value", "from", "to") if key in node)]


# -- hashes ----------------------------------------------------------------------------------------


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


@given(st.lists(st.binary(max_size=300), max_size=30), st.sampled_from([1, 64]))
def test_hash_of_texts(texts: list[bytes], few: int) -> None:
    before, xxhash64._FEW = xxhash64._FEW, few
    try:
        assert _hashed(texts) == [xxhash.xxh64_intdigest(text) for text in texts]
    finally:
        xxhash64._FEW = before


@pytest.mark.parametrize("length", [*range(0, 70), 127, 128, 255, 256, 257, 1000])
def test_hash_of_many_texts_of_a_length(length: int) -> None:
    rng = random.Random(length)
    texts = [rng.randbytes(length) for _ in range(100)]
    assert _hashed(texts) == [xxhash.xxh64_intdigest(text) for text in texts]


def test_hash_of_long_texts_among_short_ones() -> None:
    texts = [b"x" * length for length in (0, 65_535, 65_536, 70_000, 3, 131_072)] * 70
    assert _hashed(texts) == [xxhash.xxh64_intdigest(text) for text in texts]


def _hashed(texts: list[bytes]) -> list[int]:
    offsets = np.cumsum([0, *map(len, texts)]).astype(np.int64)
    hashed: list[int] = xxhash64.hash_texts(
        np.frombuffer(b"".join(texts), np.uint8), offsets
    ).tolist()
    return hashed


# -- against a scan --------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", TYPES, ids=str)
@examples(60)
@given(st.data(), st.sampled_from(["1", "30", "1000000", "auto", "distinct"]))
def test_no_row_is_lost(kind: DataType, data: st.DataObject, items: str) -> None:
    column = data.draw(columns(kind))
    schema = Schema.parse(f"c {kind}")
    predicate = data.draw(leaves("c", kind, column))
    table = Table(schema, {"c": column}, len(column))
    built = _build(table.to_arrow(), schema, {"items": items})
    scanned = matching_rows(predicate, table.columns, schema, num_rows=table.num_rows)
    with FileIndex.open(built, schema) as index:
        selection = index.evaluate(predicate)
    assert selection.kind != "rows"
    assert selection.kind == "all" or not scanned
    assert not selection.exact or len(scanned) == (selection.kind == "all") * table.num_rows


@pytest.mark.parametrize("kind", TYPES, ids=str)
@examples(20)
@given(st.data())
def test_dictionaries_and_chunks_give_the_same_bytes(kind: DataType, data: st.DataObject) -> None:
    column = data.draw(columns(kind, min_size=1))
    schema = Schema.parse(f"c {kind}")
    arrow = Table(schema, {"c": column}, len(column)).to_arrow()
    expected = _build(arrow, schema, {"items": "50"})
    cut = data.draw(st.integers(0, len(column)))
    assert _build(pa.concat_tables([arrow[:cut], arrow[cut:]]), schema, {"items": "50"}) == expected
    encoded = pa.table({"c": arrow["c"].dictionary_encode()})
    assert _build(encoded, schema, {"items": "50"}) == expected


def test_text_of_each_arrow_type() -> None:
    schema = Schema.parse("c STRING")
    texts = pa.array(["a", None, "ab", "a" * 40])
    expected = _build(pa.table({"c": texts}), schema, {"items": "50"})
    for kind in (pa.large_string(), pa.string_view(), pa.binary(), pa.binary_view()):
        assert _build(pa.table({"c": texts.cast(kind)}), schema, {"items": "50"}) == expected


def test_few_values_that_are_not_there_are_taken_for_ones_that_are() -> None:
    schema = Schema.parse("c INT")
    table = pa.table({"c": pa.array(range(10_000), pa.int32())})
    with FileIndex.open(_build(table, schema, {"items": "auto", "fpp": "0.01"}), schema) as index:
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
        data = _build(pa.table({"c": pa.array(column, to_arrow(schema["c"]))}), schema, {})
        with FileIndex.open(data, schema) as index:
            assert index.evaluate(col("c") == value).kind == "all"


# -- size and what is read -------------------------------------------------------------------------


@pytest.mark.parametrize(("items", "number"), [("auto", 5_001), ("distinct", 100)])
def test_items_of_the_column(items: str, number: int) -> None:
    """The number of its rows, or of its distinct values, so that repeated ones cost nothing."""
    schema = Schema.parse("c STRING")
    table = pa.table({"c": [f"v{i % 100}" for i in range(5_000)] + [None]})
    built = _build(table, schema, {"items": items})
    assert built == _build(table, schema, {"items": str(number)})
    assert len(_build(table[:0], schema, {"items": items})) < 100


def test_a_look_up_reads_some_pages() -> None:
    schema = Schema.parse("c BIGINT")
    data = _build(pa.table({"c": list(range(1000))}), schema, {})
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


# -- what is refused -------------------------------------------------------------------------------


@pytest.mark.parametrize(("ddl", "java"), refusals()["bloom-filter"].items())
def test_types_that_java_refuses(ddl: str, java: str | None) -> None:
    if java is None:
        INDEX_TYPES["bloom-filter"].new_builder(parse_type(ddl), {})
    else:
        with pytest.raises(UnsupportedError, match="bloom-filter"):
            INDEX_TYPES["bloom-filter"].new_builder(parse_type(ddl), {})


@pytest.mark.parametrize(
    "options",
    [
        {"items": "-1"},
        {"items": "1.5"},
        {"items": "3000000000"},
        {"items": "2147483647", "fpp": "0.0001"},
        {"fpp": "0"},
        {"fpp": "1.1"},
        {"fpp": "nan"},
        {"fpp": "x"},
        {"size": "1"},
    ],
)
def test_options_that_are_refused(options: dict[str, str]) -> None:
    with pytest.raises(OptionError) as caught:
        INDEX_TYPES["bloom-filter"].new_builder(parse_type("INT"), options)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("options", [{"items": "0"}, {"items": "5", "fpp": "1"}])
def test_options_of_no_use_make_what_java_makes(options: dict[str, str]) -> None:
    """One byte of bits: Java takes these, too."""
    schema = Schema.parse("a INT")
    data = build_file_index(
        pa.table({"a": pa.array([7, None], pa.int32())}),
        schema,
        {"file-index.bloom-filter.columns": "a"}
        | {f"file-index.bloom-filter.a.{name}": value for name, value in options.items()},
    )
    assert len(data) == 58  # as Java's
    with FileIndex.open(data, schema) as index:
        assert index.evaluate("a = 7").kind == "all"


def test_the_smallest_rate_has_the_most_hashes_that_can_be_read() -> None:
    most = max(filter_size(items, 5e-324)[0] for items in range(1, 1000))
    assert 1070 < most <= 1079
    schema = Schema.parse("c INT")
    data = _build(pa.table({"c": [1, 2]}), schema, {"items": "1", "fpp": "5e-324"})
    with FileIndex.open(data, schema) as index:
        assert index.evaluate("c = 1").kind == "all"
        assert index.evaluate("c = 3").kind == "skip"


# -- bad input -------------------------------------------------------------------------------------


def test_each_byte_cut_or_flipped_is_an_error_or_an_answer() -> None:
    schema = Schema.parse("c INT")
    data = _build(pa.table({"c": [1, 2, 3]}), schema, {"items": "3"})
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
    data = _build(pa.table({"c": [1]}), schema, {"items": "3"})
    with FileIndex.open(data, schema) as index:
        place = index._places["c"]["bloom-filter"]
        for length in (place.len_body + 1, 2**31 - 1, 4, 3, 0, -1):
            index._places["c"]["bloom-filter"] = place._replace(len_body=length)
            index._readers.clear()
            with pytest.raises(CorruptFileError, match="column 'c'"):
                index.evaluate("c = 1")


def test_a_schema_with_another_type() -> None:
    data = _build(pa.table({"c": [1]}), Schema.parse("c INT"), {"items": "3"})
    with (
        FileIndex.open(data, Schema.parse("c BOOLEAN")) as index,
        pytest.raises(UnsupportedError, match="give the schema"),
    ):
        index.evaluate("c = true")


def _build(table: pa.Table, schema: Schema, options: Mapping[str, str]) -> bytes:
    every = {"file-index.bloom-filter.columns": "c"} | {
        f"file-index.bloom-filter.c.{name}": value for name, value in options.items()
    }
    return build_file_index(table, schema, every)


# -- shown -----------------------------------------------------------------------------------------


def test_inspect() -> None:
    with open_source(golden_index("bloom_items100_fpp001").data) as source:
        report = inspect_file(source).file_index
    assert report is not None
    [_, column] = report.columns
    assert column.indexes[0].body == BloomFilterReport(hashes=7, bits=960, bits_set=504)
    assert 0.010 < BloomFilterReport(7, 960, 504).false_positives < 0.012


@pytest.mark.parametrize("name", GOLDEN)
def test_dump_and_assemble(name: str) -> None:
    case = golden_index(name)
    with open_source(case.data) as source:
        document = dump_file(source, schema_from_spec(case.spec))
    filled = any("num_hashes" in part for part in document["parts"])
    assert filled == any(
        kind == "bloom-filter" and body is not None
        for column, indexes in bodies_of(case.data)
        if column in schema_from_spec(case.spec)
        for kind, body in indexes
    )
    assert assemble(document) == case.data
