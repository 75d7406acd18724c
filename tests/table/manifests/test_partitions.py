"""Partitions of entries: each is decoded once, and has one number."""

import math

import pyarrow as pa
import pytest

from paimon_ksy.errors import CorruptFileError
from paimon_ksy.rows.binary_row import write_row
from paimon_ksy.table.manifests.partitions import Partitions
from paimon_ksy.types.schema import Schema


def rows(schema: Schema, *values: tuple[object, ...]) -> pa.Array:
    types = [field.type for field in schema]
    return pa.array([write_row(each, types) for each in values], pa.large_binary())


def test_equal_values_have_one_number() -> None:
    schema = Schema.parse("day STRING, hour INT")
    partitions = Partitions(schema)
    found = partitions.numbers(rows(schema, ("d1", 1), ("d1", 2), ("d1", 1), (None, 1)))
    assert found.tolist() == [0, 1, 0, 2]
    assert partitions.numbers(rows(schema, ("d1", 2), ("d2", 1))).tolist() == [1, 3]
    assert partitions.values == [("d1", 1), ("d1", 2), (None, 1), ("d2", 1)]
    assert partitions.rows == rows(schema, *partitions.values).to_pylist()


def test_rows_that_are_padded_differently() -> None:
    schema = Schema.parse("day STRING")
    [row] = rows(schema, ("longer than a word",)).to_pylist()
    other = pa.array([row, row + bytes(8)], pa.large_binary())
    assert Partitions(schema).numbers(other).tolist() == [0, 0]


def test_floats_and_chars() -> None:
    schema = Schema.parse("f DOUBLE, c CHAR(3)")
    partitions = Partitions(schema)
    values = [(math.nan, "a"), (0.0, "a"), (-0.0, "a"), (float("-nan"), "a"), (0.0, "a ")]
    assert partitions.numbers(rows(schema, *values)).tolist() == [0, 1, 2, 0, 3]
    assert partitions.values[0][0] is math.nan
    assert list(map(repr, partitions.values[1:])) == ["(0.0, 'a')"] * 3


def test_no_partitions() -> None:
    schema = Schema.parse("")
    partitions = Partitions(schema)
    assert partitions.numbers(rows(schema, (), ())).tolist() == [0, 0]
    assert partitions.numbers(rows(schema)).tolist() == []
    assert partitions.values == [()]


def test_rows_of_other_columns() -> None:
    partitions = Partitions(Schema.parse("day STRING"))
    with pytest.raises(CorruptFileError, match="it has 0 fields"):
        partitions.numbers(rows(Schema.parse(""), ()))
