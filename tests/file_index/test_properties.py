"""Random columns of each type, indexed and asked at random, against a scan of the rows."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kit_support.examples import examples
from paimon_ksy.file_index.builder import build_file_index
from paimon_ksy.file_index.container import FileIndex
from paimon_ksy.predicates.tree import And, Comparison, In, Not, Or, Predicate, col
from paimon_ksy.types.data_type import DataType
from paimon_ksy.types.schema import Schema
from tests.support.brute_force import matching_rows
from tests.support.selections import selected_rows
from tests.support.strategies import BITMAP_TYPES, Table, columns, leaves, tables_and_predicates

VERSIONS = ("1", "2")
BLOCK_SIZES = ("40b", "64b", "256b", "16kb")


def options(schema: Schema, version: str, block_size: str) -> dict[str, str]:
    result = {"file-index.bitmap.columns": ", ".join(schema.names)}
    for field in schema:
        # The longest text has to fit into a block.
        size = "128b" if field.type.is_string and block_size in ("40b", "64b") else block_size
        result[f"file-index.bitmap.{field.name}.version"] = version
        result[f"file-index.bitmap.{field.name}.index-block-size"] = size
    return result


def check(table: Table, predicate: Predicate, version: str, block_size: str) -> None:
    data = build_file_index(
        table.to_arrow(), table.schema, options(table.schema, version, block_size)
    )
    scanned = matching_rows(predicate, table.columns, table.schema, num_rows=table.num_rows)
    with FileIndex.open(data, table.schema) as index:
        assert index.num_rows == table.num_rows
        for _ in range(2):  # the second time from what was kept
            selection = index.evaluate(predicate)
            found = selected_rows(selection, table.num_rows)
            assert selection.kind != "rows" or 0 < len(found) < table.num_rows
            assert set(found) >= set(scanned)
            assert found == scanned or not selection.exact
            assert selection.count in (len(found), None)
            if all_exact(predicate, table.schema):
                assert selection.exact


def all_exact(predicate: Predicate, schema: Schema) -> bool:
    """Whether the index knows enough: not where timestamps are cut, or padding has an order."""
    if isinstance(predicate, And | Or):
        return all(all_exact(child, schema) for child in predicate.children)
    if isinstance(predicate, Not):
        return all_exact(predicate.child, schema)
    kind = schema[predicate.column] if hasattr(predicate, "column") else None
    if kind is None or kind.root != "CHAR":
        return kind is None or not (kind.is_timestamp and (kind.precision or 0) > 6)
    return isinstance(predicate, In) or (
        isinstance(predicate, Comparison) and predicate.op in ("=", "<>")
    )


@examples(300)
@given(tables_and_predicates(), st.sampled_from(VERSIONS), st.sampled_from(BLOCK_SIZES))
def test_trees(table_and_predicate: tuple[Table, Predicate], version: str, block_size: str) -> None:
    check(*table_and_predicate, version, block_size)


@pytest.mark.parametrize("kind", BITMAP_TYPES, ids=str)
@examples(40)
@given(st.data(), st.sampled_from(VERSIONS), st.sampled_from(BLOCK_SIZES))
def test_one_column(kind: DataType, data: st.DataObject, version: str, block_size: str) -> None:
    column = data.draw(columns(kind))
    schema = Schema.parse(f"c {kind}")
    predicate = data.draw(leaves("c", kind, column))
    check(Table(schema, {"c": column}, len(column)), predicate, version, block_size)


NOON = 1_704_110_400 * 10**9


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize(
    ("type_text", "column", "predicate", "rows", "exact"),
    [
        # Of values in one microsecond the index knows one: = finds them all, <> must not lose any.
        ("TIMESTAMP(9)", [NOON, NOON + 1, NOON + 1000, None], ("=", NOON + 1), [0, 1], False),
        ("TIMESTAMP(9)", [NOON, NOON + 1, NOON + 1000, None], ("<>", NOON + 1), [0, 1, 2], False),
        ("TIMESTAMP(9)", [NOON, NOON + 1, NOON + 1000, None], ("<>", NOON + 5000), [0, 1, 2], True),
        ("TIMESTAMP(9)", [NOON, NOON + 1, NOON + 1000, None], (">", NOON + 999), [2], True),
        ("TIMESTAMP(9)", [NOON, NOON + 1, NOON + 1000, None], (">", NOON), [0, 1, 2], False),
        ("TIMESTAMP(9)", [NOON, NOON + 1, NOON + 1000, None], ("<", NOON + 1000), [0, 1], True),
        ("TIMESTAMP(9)", [NOON, NOON + 1, NOON + 1000, None], ("<=", NOON), [0, 1], False),
        ("TIMESTAMP(6)", [NOON, NOON + 1000, None], ("<>", NOON), [1], True),
        # One zero, and NaN above all numbers.
        ("DOUBLE", [0.0, -0.0, 1.0, None], ("=", 0.0), [0, 1], True),
        ("DOUBLE", [0.0, -0.0, 1.0, None], ("<>", -0.0), [2], True),
        ("DOUBLE", [0.0, -0.0, -1.0, None], ("<", -0.0), [2], True),
        ("FLOAT", [float("nan"), 1.0, float("inf"), None], ("=", float("nan")), [0], True),
        ("FLOAT", [float("nan"), 1.0, float("inf"), None], (">", float("inf")), [0], True),
        ("FLOAT", [float("nan"), 1.0, float("inf"), None], ("<", float("nan")), [1, 2], True),
        # Trailing spaces of a CHAR are padding, those of a VARCHAR are not.
        ("CHAR(3)", ["a", "a  ", "a\x01", "b", None], ("=", "a "), [0, 1], True),
        ("CHAR(3)", ["a", "a  ", "a\x01", "b", None], ("<>", "a"), [2, 3], True),
        ("VARCHAR(3)", ["a", "a  ", "b", None], ("=", "a"), [0], True),
        # Null rows match no comparison.
        ("INT", [1, 2, None, 3], ("<>", 1), [1, 3], True),
    ],
)
def test_where_the_index_stores_something_else(
    type_text: str,
    column: list[Any],
    predicate: tuple[str, Any],
    rows: list[int],
    exact: bool,
    version: str,
) -> None:
    from paimon_ksy.types.literals import TIMESTAMP, TypedLiteral

    schema = Schema.parse(f"c {type_text}")
    op, value = predicate
    literal = TypedLiteral(value, TIMESTAMP) if type_text.startswith("TIMESTAMP") else value
    table = Table(schema, {"c": column}, len(column))
    data = build_file_index(table.to_arrow(), schema, options(schema, version, "64b"))
    with FileIndex.open(data, schema) as index:
        selection = index.evaluate(Comparison(op, "c", literal))
        assert selected_rows(selection) == rows
        assert selection.exact == exact


@pytest.mark.parametrize("version", VERSIONS)
def test_in_of_ten_thousand_values_is_one_pass(version: str) -> None:
    column = [value % 20_000 if value % 7 else None for value in range(60_000)]
    schema = Schema.parse("c INT")
    table = Table(schema, {"c": column}, len(column))
    data = build_file_index(table.to_arrow(), schema, options(schema, version, "1kb"))
    wanted = {*range(-5000, 20_000, 2)}
    with FileIndex.open(data, schema) as index:
        selection = index.evaluate(col("c").is_in(wanted))
        expected = [row for row, value in enumerate(column) if value in wanted]
        assert selected_rows(selection) == expected
        assert index.bytes_read < 3 * len(data)
