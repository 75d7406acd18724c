"""Bloom filters as they are written."""

from __future__ import annotations

import pyarrow as pa
import pytest

from paimon_ksy.file_index.bloom_filter import writer
from paimon_ksy.file_index.bloom_filter.writer import filter_size, options_of
from paimon_ksy.file_index.builder import build_file_index
from paimon_ksy.file_index.container import FileIndex
from paimon_ksy.types.parse import parse_type
from paimon_ksy.types.schema import Schema
from tests.golden import golden_index
from tests.support.file_indexes import bloom_filter_of, specs_of, table_of
from tests.support.golden_json import schema_from_spec
from tests.support.strategies import BITMAP_TYPES


@pytest.mark.parametrize("items", [1, 7, 100, 12345])
@pytest.mark.parametrize("fpp", [0.5, 0.1, 0.003])
def test_the_options_of_a_bloom_filter_follow_from_its_size(items: int, fpp: float) -> None:
    size = filter_size(items, fpp)
    found = options_of(*size)
    assert filter_size(int(found["items"]), float(found["fpp"])) == size


def test_a_bloom_filter_of_no_such_size_has_no_options() -> None:
    assert options_of(0, 64) == options_of(2000, 64) == options_of(3, 0) == options_of(1, 0) == {}


pytestmark = pytest.mark.filterwarnings("ignore::paimon_ksy.IndexIgnoredWarning")
TYPES = (*(kind for kind in BITMAP_TYPES if kind.root != "BOOLEAN"), *map(parse_type, ["BYTES"]))


def test_golden_bytes_where_each_bit_is_set_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """The way of very large filters."""
    monkeypatch.setattr(writer, "_MAX_FLAGS", 0)
    for case in map(golden_index, ("bloom_items20000_fpp01", "bloom_xxhash_lengths")):
        data = build_file_index(table_of(case), schema_from_spec(case.spec), specs_of(case))
        assert data == case.data


def test_text_of_each_arrow_type() -> None:
    schema = Schema.parse("c STRING")
    texts = pa.array(["a", None, "ab", "a" * 40])
    expected = bloom_filter_of(pa.table({"c": texts}), schema, {"items": "50"})
    for kind in (pa.large_string(), pa.string_view(), pa.binary(), pa.binary_view()):
        assert (
            bloom_filter_of(pa.table({"c": texts.cast(kind)}), schema, {"items": "50"}) == expected
        )


@pytest.mark.parametrize(("items", "number"), [("auto", 5_001), ("distinct", 100)])
def test_items_of_the_column(items: str, number: int) -> None:
    """The number of its rows, or of its distinct values, so that repeated ones cost nothing."""
    schema = Schema.parse("c STRING")
    table = pa.table({"c": [f"v{i % 100}" for i in range(5_000)] + [None]})
    built = bloom_filter_of(table, schema, {"items": items})
    assert built == bloom_filter_of(table, schema, {"items": str(number)})
    assert len(bloom_filter_of(table[:0], schema, {"items": items})) < 100


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
    data = bloom_filter_of(pa.table({"c": [1, 2]}), schema, {"items": "1", "fpp": "5e-324"})
    with FileIndex.open(data, schema) as index:
        assert index.evaluate("c = 1").kind == "all"
        assert index.evaluate("c = 3").kind == "skip"
