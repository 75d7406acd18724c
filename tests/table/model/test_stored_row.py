"""Rows whose values are decoded when they are asked for."""

import pickle

import pytest
from hypothesis import given

from paimon_ksy.errors import CorruptFileError
from paimon_ksy.rows.binary_row import read_row, write_row
from paimon_ksy.table.model.stored_row import StoredRow, internal_row
from paimon_ksy.types.data_type import DataType
from paimon_ksy.types.parse import parse_type
from tests.support.binary_rows import rows

INT, STRING = parse_type("INT"), parse_type("STRING")
NESTED = parse_type("ARRAY<INT>")


@given(rows())
def test_values_are_those_of_the_row(case: tuple[list[DataType], list[object]]) -> None:
    types, values = case
    row = StoredRow(write_row(values, types), types)
    wanted = read_row(write_row(values, types), types)
    assert len(row) == len(types)
    for found, value, kind in zip(row, wanted, types, strict=True):
        if kind.root == "CHAR" and isinstance(value, str):
            value = value.rstrip(" ")
        assert found == value or (found != found and value != value)
    assert list(map(repr, pickle.loads(pickle.dumps(row)))) == list(map(repr, row))


def test_it_equals_a_tuple() -> None:
    row = StoredRow(write_row((1, "a"), (INT, STRING)), (INT, STRING))
    same = (1, "a")
    assert row == same and same == row and hash(row) == hash(same)
    assert row != (1, "b")
    assert repr(row) == "(1, 'a')"
    assert (row[-1], row[:1], list(row)) == ("a", (1,), [1, "a"])
    with pytest.raises(IndexError):
        row[2]


def test_other_types_are_not_decoded() -> None:
    data = write_row((1, "a", 2), (INT, STRING, INT))
    assert StoredRow(data, (INT, None, NESTED)) == (1, None, None)


def test_bytes_that_are_no_value() -> None:
    data = write_row(("longer than a word",), (STRING,))[:-8]
    assert StoredRow(data, (STRING,)) == (None,)
    with pytest.raises(CorruptFileError):
        internal_row(data, (STRING,))


def test_internal_values_have_no_padding_and_no_negative_zero() -> None:
    types = parse_type("CHAR(3)"), parse_type("DOUBLE")
    assert repr(internal_row(write_row(("a  ", -0.0), types), types)) == "('a', 0.0)"
