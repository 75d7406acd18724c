"""What predicates say of data, against a scan row by row: columns, single rows."""

import math
from decimal import Decimal
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kit_support.examples import examples
from paimon_ksy.errors import PredicateError
from paimon_ksy.file_index.builder import build_file_index
from paimon_ksy.file_index.container import select_rows
from paimon_ksy.predicates.bind import bind
from paimon_ksy.predicates.row_filter import holds, mask
from paimon_ksy.predicates.tree import Comparison, Predicate, col
from paimon_ksy.types.arrow import to_arrow
from paimon_ksy.types.data_type import DataType
from paimon_ksy.types.literals import DATE, NANOS_PER_DAY, TIMESTAMP, TypedLiteral
from paimon_ksy.types.parse import parse_type
from paimon_ksy.types.schema import Schema
from tests.support.brute_force import matches, matching_rows
from tests.support.strategies import (
    BITMAP_TYPES,
    OTHER_TYPES,
    Table,
    arrow_column,
    columns,
    leaves,
    lists_of,
    literal_of,
    literals,
    predicates,
    tables_and_predicates,
    values,
)

TYPES = (*BITMAP_TYPES, *OTHER_TYPES)


def selected(predicate: Predicate, data: pa.Table | pa.RecordBatch) -> list[int]:
    found = mask(predicate, data)
    assert found.null_count == 0 and len(found) == data.num_rows
    return [row for row, value in enumerate(found.to_pylist()) if value]


@examples(200)
@given(tables_and_predicates(TYPES), st.integers(1, 40))
def test_trees(table_and_predicate: tuple[Table, Predicate], chunk: int) -> None:
    table, predicate = table_and_predicate
    expected = matching_rows(predicate, table.columns, table.schema, num_rows=table.num_rows)
    data = table.to_arrow()
    bound = bind(predicate, table.schema)
    pieces = pa.Table.from_batches(data.to_batches(max_chunksize=chunk), schema=data.schema)
    assert selected(bound, pieces) == expected
    if table.num_rows:
        assert selected(bound, data.combine_chunks().to_batches()[0]) == expected


@pytest.mark.parametrize("kind", TYPES, ids=str)
@examples(30)
@given(st.data())
def test_one_column(kind: DataType, data: st.DataObject) -> None:
    column = data.draw(columns(kind))
    schema = Schema.parse(f"c {kind}")
    predicate = data.draw(leaves("c", kind, column))
    expected = matching_rows(predicate, {"c": column}, schema)
    bound = bind(predicate, schema)
    array = arrow_column(kind, column)
    twice = pa.concat_arrays([array, array])
    sliced = twice[len(array) :]
    for form in (array, array.dictionary_encode(), sliced, twice.dictionary_encode()[len(array) :]):
        assert selected(bound, pa.record_batch([form], ["c"])) == expected


ELEMENTS = [kind for kind in TYPES if kind.root != "CHAR"]


@pytest.mark.parametrize("kind", ELEMENTS, ids=str)
@examples(60)
@given(st.data())
def test_arrays(kind: DataType, data: st.DataObject) -> None:
    """Whether an array has one of some values, on columns and on single rows."""
    elements = data.draw(columns(kind, max_size=6))
    element = st.sampled_from([*elements, None])
    rows = data.draw(st.lists(st.none() | st.lists(element, max_size=4), max_size=8))
    known = st.sampled_from(
        [literal_of(each, kind) for each in elements if each is not None] or [None]
    )
    values = data.draw(st.lists(known | literals(kind) | st.none(), max_size=3))
    predicate = col("c").arrays_overlap(values)
    is_one = data.draw(st.booleans())
    if values and is_one:
        predicate = col("c").array_contains(values[0])
    predicate = data.draw(st.sampled_from([predicate, ~predicate]))
    schema = Schema.parse(f"c ARRAY<{kind}>")
    expected = matching_rows(predicate, {"c": rows}, schema)
    bound = bind(predicate, schema)
    assert bind(bound, schema) == bound
    column = lists_of(kind, rows)
    for form in (column, pa.concat_arrays([column, column])[len(column) :]):
        assert selected(bound, pa.record_batch([form], ["c"])) == expected
    assert [at for at, row in enumerate(rows) if holds(bound, {"c": row})] == expected


@pytest.mark.java
def test_arrays_have_the_nulls_of_spark(spark: Any) -> None:
    """Spark evaluates the SQL that a predicate prints: on each array with each list of values."""
    schema = Schema.parse("c ARRAY<DOUBLE>")
    rows = [None, [], [None], [1.0], [1.0, None], [2.0, -0.0], [math.nan, None]]
    data = pa.record_batch([pa.array(rows, pa.list_(pa.float64()))], ["c"])
    lists: list[list[float | None]] = [[1.0], [0.0], [math.nan], [None, 1.0], [3.0, 2.0], [None]]
    tests = [col("c").arrays_overlap(values) for values in lists]
    tests += [col("c").array_contains(value) for value in (1.0, 0.0, 3.0, math.nan)]
    tests += [~each for each in tests]
    frame = spark.createDataFrame([(each,) for each in rows], "c array<double>")
    theirs = frame.selectExpr(*(f"coalesce({_typed(each)}, false)" for each in tests)).collect()
    for at, each in enumerate(tests):
        bound = bind(each, schema)
        assert mask(bound, data).to_pylist() == [row[at] for row in theirs], each
        again = frame.selectExpr(f"coalesce({_typed(bound)}, false)").collect()
        assert [row[0] for row in again] == [row[at] for row in theirs], bound


def _typed(predicate: Predicate) -> str:
    """The SQL of a predicate; a list of nulls alone needs a type in Spark."""
    return repr(predicate).replace("array(NULL)", "array(CAST(NULL AS DOUBLE))")


def of_digits(numbers: list[Decimal | None], kind: DataType) -> pa.Array:
    """Decimals of one scale, though they may have more digits than their type."""
    widest = pa.array(numbers, pa.decimal128(38, kind.scale))
    return pa.Array.from_buffers(to_arrow(kind), len(widest), widest.buffers())


@pytest.mark.parametrize("kinds", [("bsi",), ("range-bitmap",), ("bsi", "range-bitmap")], ids=str)
def test_decimals_with_more_digits_than_their_type(kinds: tuple[str, ...]) -> None:
    """Java writes such sums, and returns them; literals of any size find them."""
    schema = Schema.parse("c DECIMAL(5, 2)")
    numbers = [*map(Decimal, ("-1311.14", "999.99", "0.00", "1000.00", "123456789012.34")), None]
    data = pa.table({"c": of_digits(numbers, schema["c"])})
    index = build_file_index(data, schema, {f"file-index.{kind}.columns": "c" for kind in kinds})
    literals = [Decimal(1311), Decimal("-1311.14"), Decimal(1000), Decimal(10**20), Decimal(10**40)]
    literals += [*map(Decimal.copy_negate, literals), Decimal("999.999"), Decimal("1234.5")]
    tests: list[Predicate] = [
        Comparison(op, "c", literal)
        for op in ("=", "<>", "<", "<=", ">", ">=")
        for literal in literals
    ]
    tests += [col("c").is_in(literals), col("c").is_not_in(literals[1:])]
    for test in tests:
        expected = matching_rows(test, {"c": numbers}, schema)
        assert selected(bind(test, schema), data) == expected, test
        found = select_rows(index, schema, test, num_rows=len(numbers))
        rows = list(found.rows or range(0 if found.kind == "skip" else len(numbers)))
        assert found.exact and rows == expected, test


@examples(50)
@given(st.data())
def test_map_keys(data: st.DataObject) -> None:
    kind = data.draw(st.sampled_from(TYPES))
    column = data.draw(columns(kind))
    schema = Schema.parse(f"m MAP<STRING, {kind}>, `m[x` INT")
    predicate = data.draw(leaves("m[k]", kind, column))
    expected = matching_rows(predicate, {"m[k]": column}, schema)
    offsets, keys, items = [0], [], []
    for row, value in enumerate(column):
        if value is not None or row % 2:  # else the map lacks the key
            keys += ["a", "k"]
            items += [None, value]
        offsets.append(len(keys))
    present = [row % 3 != 0 or column[row] is not None for row in range(len(column))]
    maps = pa.MapArray.from_arrays(
        pa.array(offsets, pa.int32()), pa.array(keys, pa.string()), arrow_column(kind, items)
    )
    maps = pa.array(
        [m if p else None for m, p in zip(maps, present, strict=True)], maps.type
    ) if kind.root not in ("CHAR", "VARCHAR") else maps  # fmt: skip
    assert selected(bind(predicate, schema), pa.record_batch([maps], ["m"])) == expected


LIKES = [
    "a%b",
    "_",
    "%\n%",
    "a_c",
    "%a%b%c",
    "%.",
    "\\_%",
    "[%",
    "%\0",
    "中_",
    "%$%%",
    "^a",
    "(a|b)",
]


@pytest.mark.parametrize("kind", [parse_type("STRING"), parse_type("CHAR(5)")], ids=str)
def test_like(kind: DataType) -> None:
    texts: list[str | None] = [
        "ab",
        "a\nb",
        "axxb",
        "",
        "\n",
        "abc",
        "acb",
        ".",
        "x.",
        "_x",
        "[",
        "a\0",
        "中文",
        "$%",
        "^a",
    ]
    texts += ["(a|b)", "\udcff", "a\udcff", None]  # the last but one are no UTF-8
    schema = Schema.parse(f"c {kind}")
    array = arrow_column(kind, texts)
    for pattern in LIKES:
        for predicate in (col("c").like(pattern), ~col("c").like(pattern)):
            for part in (slice(None, -3), slice(None)):
                expected = matching_rows(predicate, {"c": texts[part]}, schema)
                batch = pa.record_batch([array[part]], ["c"])
                assert selected(bind(predicate, schema), batch) == expected
    other = col("c").like("a!%%", escape="!")
    assert selected(bind(other, schema), pa.record_batch([array], ["c"])) == []


def test_a_pattern_too_long_for_re2() -> None:
    schema = Schema.parse("c STRING")
    data = pa.table({"c": ["x" * 5000, "x" * 4999]})
    assert selected(bind(col("c").like("_" * 5000), schema), data) == [0]


@pytest.mark.parametrize("kind", ["DATE", *(f"TIMESTAMP({n})" for n in (0, 3, 6, 9))])
def test_dates_and_timestamps_that_no_column_can_hold(kind: str) -> None:
    # A column counts days in 32 bits, or seconds to nanoseconds in 64. Literals may be outside.
    tick = 1 if kind == "DATE" else 10**9
    column = [None, -tick, 0, tick]
    schema = Schema.parse(f"c {kind}")
    batch = pa.record_batch([arrow_column(schema["c"], column)], ["c"])
    days = [-(10**n) for n in range(4, 20)] + [10**n for n in range(4, 20)]
    literals = [TypedLiteral(n * NANOS_PER_DAY, TIMESTAMP) for n in days]
    literals += [TypedLiteral(n, DATE) for n in days]
    for literal in literals:
        leaves = [Comparison(op, "c", literal) for op in ("=", "<>", "<", "<=", ">", ">=")]
        listed = col("c").is_in([literal, TypedLiteral(0, DATE)])
        for leaf in (*leaves, listed):
            for predicate in (leaf, ~leaf):
                expected = matching_rows(predicate, {"c": column}, schema)
                assert selected(bind(predicate, schema), batch) == expected, predicate


def test_errors() -> None:
    data = pa.table({"a": [1]})
    with pytest.raises(PredicateError, match="no column 'b'"):
        mask(bind(col("b") == 1, Schema.parse("b INT")), data)
    with pytest.raises(PredicateError, match="not bound"):
        mask(col("a") == 1, data)


@examples(100)
@given(st.data(), st.sampled_from(TYPES), st.sampled_from(TYPES))
def test_a_row_of_known_values(data: st.DataObject, one: DataType, other: DataType) -> None:
    schema = Schema.parse(f"a {one}, b {other}")
    row = {"a": data.draw(values(one) | st.none()), "b": data.draw(values(other) | st.none())}
    predicate = data.draw(predicates(schema, {name: [value] for name, value in row.items()}))
    bound = bind(predicate, schema)
    expected = matches(predicate, [row], schema)[0]
    assert holds(bound, row) is expected
    assert holds(bound, {"a": row["a"]}) in (expected, None)


def test_a_row_of_which_not_all_is_known() -> None:
    schema = Schema.parse("dt STRING, x DECIMAL(3, 1)")
    both = bind((col("dt") == "a") & (col("x") > 1), schema)
    either = bind((col("dt") == "a") | (col("x") > 1), schema)
    assert holds(both, {"dt": "b"}) is False and holds(both, {"dt": "a"}) is None
    assert holds(either, {"dt": "a"}) is True and holds(either, {"dt": None}) is None
    assert holds(both, {"dt": "a", "x": Decimal("1.1")}) is True


@given(
    st.lists(st.sampled_from(["%a", "%", "_", "b"]), min_size=60, max_size=90).map("".join),
    st.lists(st.text("ab\nß", max_size=120), max_size=4),
)
def test_patterns_of_many_parts_match_the_same_texts(pattern: str, texts: list[str]) -> None:
    schema = Schema.parse("s STRING")
    leaf = bind(col("s").like(pattern), schema)
    expected = matching_rows(leaf, {"s": texts}, schema)
    assert selected(leaf, pa.table({"s": pa.array(texts, pa.string())})) == expected
