"""Columns of nested types, whose innermost arrays are converted."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pytest

from paimon_ksy.errors import UnsupportedError
from paimon_ksy.types.arrow import to_arrow
from paimon_ksy.types.data_type import DataType
from paimon_ksy.types.nested import converted, leaves
from paimon_ksy.types.parse import parse_type
from paimon_ksy.types.timestamps import WIDE


def trimmed(column: pa.Array, kind: DataType) -> pa.Array:
    return pc.ascii_rtrim(column, characters=" ") if kind.root == "CHAR" else column


@pytest.mark.parametrize(
    ("text", "read", "wanted"),
    [
        ("ROW<a CHAR(2), b STRING>", [{"a": "x ", "b": "y "}, None], [{"a": "x", "b": "y "}, None]),
        ("ARRAY<CHAR(2) NOT NULL>", [["x ", "y"], None, []], [["x", "y"], None, []]),
        ("MAP<CHAR(2), CHAR(2)>", [[("k ", "x ")], None], [[("k", "x")], None]),
        ("MULTISET<CHAR(2)>", [[("x ", 2)], None], [[("x", 2)], None]),
        ("ARRAY<ROW<a MAP<STRING, CHAR(1)>>>", [[{"a": [("k ", " ")]}]], [[{"a": [("k ", "")]}]]),
        ("VECTOR<INT, 2>", [[1, 2], None], [[1, 2], None]),
        ("CHAR(2)", ["x ", None], ["x", None]),
    ],
)
def test_values_at_any_depth(text: str, read: list[Any], wanted: list[Any]) -> None:
    kind = parse_type(text)
    column = pa.array(read, to_arrow(kind))
    found = converted(column, kind, trimmed)
    assert found.to_pylist() == wanted
    assert found.type == column.type
    assert converted(column.slice(1), kind, trimmed).to_pylist() == wanted[1:]


def test_maps_of_avro_are_lists_with_the_same_leaves() -> None:
    kind = parse_type("MAP<INT, ROW<a INT, b STRING>>")
    entry = pa.struct(
        [("key", pa.int32()), ("value", pa.struct([("a", "int32"), ("b", "string")]))]
    )
    column = pa.array([[{"key": 1, "value": {"a": 2, "b": "x"}}], None], pa.list_(entry))
    assert converted(column, kind, trimmed).type == to_arrow(kind)
    assert [leaf.to_pylist() for leaf in leaves(column, kind)] == [[1], [2], ["x"]]


def test_nested_timestamps_have_to_fit() -> None:
    kind = parse_type("ARRAY<TIMESTAMP(9)>")
    column = pa.array([[10**20]], pa.list_(WIDE))
    with pytest.raises(UnsupportedError, match="column 'c': contains timestamps before"):
        converted(column, kind, lambda array, _: array, "c")
