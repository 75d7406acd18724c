"""Columns of Arrow, in each form that Arrow has, as what an index stores of them."""

from collections.abc import Callable
from decimal import Decimal
from itertools import pairwise
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pytest
from hypothesis import given
from hypothesis import strategies as st

from paimon_ksy.columns.stored_columns import (
    distinct_texts,
    not_null,
    stored_codes,
    stored_numbers,
    stored_texts,
)
from paimon_ksy.errors import SchemaError, UnsupportedError
from paimon_ksy.types.arrays import bytes_of
from paimon_ksy.types.parse import parse_type

STRING = parse_type("STRING")


def values_of(column: pa.Array | pa.ChunkedArray, sql: str) -> list[Any]:
    """The stored values of the rows that are not null, in the order of rows."""
    data_type = parse_type(sql)
    if data_type.is_string:
        return [text for text in texts_by_row(column) if text is not None]
    found: list[Any] = stored_numbers(column, data_type)[0].tolist()
    return found


def texts_by_row(column: pa.Array | pa.ChunkedArray) -> list[bytes | None]:
    """The string of each row, by its code."""
    codes, texts = stored_codes(column, STRING)
    listed = [*texts.to_pylist(), None]
    assert len(set(listed)) == len(listed)
    return [listed[code] for code in codes]


def texts_in(parts: Any) -> list[bytes]:
    """The strings in parts of bytes and offsets."""
    return [
        data[start:stop].tobytes() for data, offsets in parts for start, stop in pairwise(offsets)
    ]


@pytest.mark.parametrize(
    ("sql", "unit", "value", "stored"),
    [
        ("TIMESTAMP(0)", "s", -1, -1000),
        ("TIMESTAMP(3)", "us", -1000, -1),
        ("TIMESTAMP(6)", "ms", -1, -1000),
        ("TIMESTAMP(6)", "ns", -1000, -1),
        ("TIMESTAMP(9)", "ns", -1, -1),  # floor, not towards zero
        ("TIMESTAMP(9)", "ns", 1999, 1),
        ("TIMESTAMP(9)", "us", -1, -1),
        ("TIMESTAMP(9)", "s", 1, 1_000_000),
    ],
)
def test_timestamps(sql: str, unit: str, value: int, stored: int) -> None:
    for zone, suffix in [(None, ""), ("UTC", ""), ("Asia/Tokyo", " WITH LOCAL TIME ZONE")]:
        column = pa.array([value], pa.timestamp(unit, zone))
        assert values_of(column, sql + suffix) == [stored]


@pytest.mark.parametrize(
    ("sql", "column", "stored"),
    [
        ("TIME(3)", pa.array([5_000], pa.time64("us")), 5),
        ("DATE", pa.array([86_400_000], pa.date64()), 1),
        ("INT", pa.array([7], pa.int8()), 7),
        ("TINYINT", pa.array([-7], pa.int64()), -7),
        ("DOUBLE", pa.array([0.5], pa.float32()), 0.5),
        ("STRING", pa.array([b"\xff"], pa.large_binary()), b"\xff"),
    ],
)
def test_other_arrow_types_of_the_same_values(sql: str, column: pa.Array, stored: Any) -> None:
    assert values_of(column, sql) == [stored]


@pytest.mark.parametrize(
    ("sql", "column"),
    [
        ("TINYINT", pa.array([128])),
        ("INT", pa.array([2**31])),
        ("BIGINT", pa.array([2**63], pa.uint64())),
        ("INT", pa.array(["1"])),
        ("INT", pa.array([1.0])),
        ("FLOAT", pa.array([0.1], pa.float64())),
        ("STRING", pa.array([1])),
        ("TIME(3)", pa.array([1], pa.time64("us"))),
        ("TIMESTAMP(3)", pa.array([1], pa.timestamp("us"))),
        ("TIMESTAMP(6)", pa.array([1], pa.timestamp("ns"))),
        ("TIMESTAMP(6)", pa.array([1], pa.timestamp("us", "Asia/Tokyo"))),
        ("TIMESTAMP(6)", pa.array([2**62], pa.timestamp("s"))),
        ("DATE", pa.array([1], pa.timestamp("s"))),
    ],
)
def test_values_that_are_not_of_the_type(sql: str, column: pa.Array) -> None:
    with pytest.raises(SchemaError) as error:
        values_of(column, sql)
    assert sql in str(error.value)
    assert "\n" not in str(error.value)


FORMS: dict[str, Callable[[pa.Array], pa.Array | pa.ChunkedArray]] = {
    "array": lambda column: column,
    "slice": lambda column: pa.concat_arrays([column[:0], pa.nulls(2, column.type), column])[2:],
    "chunks": lambda column: pa.chunked_array([column[:2], column[2:2], column[2:]]),
    "dictionary": lambda column: column.dictionary_encode(),
    "dictionaries": lambda column: pa.chunked_array(
        [column[:2].dictionary_encode(), column[2:].dictionary_encode()]
    ),
    "runs": lambda column: pc.run_end_encode(column),
    "extension": lambda column: pa.ExtensionArray.from_storage(
        pa.opaque(column.type, "name", "vendor"), column
    ),
}
"""Forms in which Arrow has a column of the same values."""


@pytest.mark.parametrize("form", FORMS)
@given(values=st.lists(st.none() | st.integers(-3, 3), max_size=9))
def test_each_form_of_numbers(form: str, values: list[int | None]) -> None:
    column = FORMS[form](pa.array(values, pa.int16()))
    found, rows = stored_numbers(column, parse_type("INT"))
    present = [(row, value) for row, value in enumerate(values) if value is not None]
    assert (rows is None) == (len(present) == len(values))
    assert list(zip(range(len(values)) if rows is None else rows, found, strict=True)) == present


@pytest.mark.parametrize("form", FORMS)
@given(values=st.lists(st.none() | st.text("aé", max_size=2), max_size=9))
def test_each_form_of_strings(form: str, values: list[str | None]) -> None:
    column = FORMS[form](pa.array(values, pa.string()))
    due = [value.encode() for value in values if value is not None]
    assert texts_by_row(column) == [None if text is None else text.encode() for text in values]
    found = texts_in(stored_texts(column, STRING))
    assert set(found) == set(due)
    if "dictionar" not in form:  # there, a value may come once for many rows
        assert found == due


@pytest.mark.parametrize("kind", [pa.string_view(), pa.binary_view(), pa.large_string()])
def test_views_of_strings(kind: pa.DataType) -> None:
    column = pa.array(["a", None, "longer than what a view has in itself", "a"], kind)
    due = [b"a", b"longer than what a view has in itself", b"a"]
    assert texts_in(stored_texts(column, STRING)) == values_of(column, "STRING") == due


def test_a_slice_of_a_dictionary_encoded_column() -> None:
    column = pa.array(["x", "a", None, "b", "a"]).dictionary_encode().slice(1)
    assert texts_by_row(column) == [b"a", None, b"b", b"a"]


def test_a_dictionary_with_repetitions_and_null() -> None:
    column = pa.DictionaryArray.from_arrays([0, 1, 2, 3, None], ["a", "a", None, "b"])
    assert texts_by_row(column) == [b"a", b"a", None, b"b", None]


@given(data=st.binary(max_size=9), cut=st.integers(0, 9))
def test_bytes_of_a_slice_start_where_its_first_string_does(data: bytes, cut: int) -> None:
    listed = [data[at : at + 2] for at in range(0, len(data), 2)]
    texts = pa.array(listed, pa.large_binary())[cut:]
    assert texts_in([bytes_of(texts)]) == listed[cut:]


@given(values=st.lists(st.none() | st.integers(-(2**63), 2**63 - 1), max_size=9))
def test_decimals_are_their_unscaled_values(values: list[int | None]) -> None:
    decimals = [None if value is None else Decimal(value).scaleb(-2) for value in values]
    due = [value for value in values if value is not None]
    column = pa.array(decimals, pa.decimal128(19, 2))
    for form in ("array", "slice", "chunks"):
        assert values_of(FORMS[form](column), "DECIMAL(19, 2)") == due


@pytest.mark.parametrize("value", [2**63, -(2**63) - 1])
def test_decimals_of_more_than_64_bits(value: int) -> None:
    column = pa.array([Decimal(1), Decimal(value)], pa.decimal128(38, 0))
    with pytest.raises(UnsupportedError, match="up to 64 bits"):
        stored_numbers(column, parse_type("DECIMAL(38, 0)"))


def test_rows_are_none_if_no_row_is_null() -> None:
    values, rows = not_null(pa.chunked_array([[1, 2], [3]]))
    assert (values.tolist(), rows) == ([1, 2, 3], None)
    values, rows = not_null(pa.chunked_array([[1, None], [None, 3]]))
    assert (values.tolist(), None if rows is None else rows.tolist()) == ([1, 3], [0, 3])


@pytest.mark.parametrize("column", [pa.array([], pa.string()), pa.chunked_array([], pa.string())])
def test_no_strings(column: pa.Array | pa.ChunkedArray) -> None:
    indices, texts = distinct_texts(column, STRING)
    assert (len(indices), len(texts), texts.type) == (0, 0, pa.large_binary())
    assert list(stored_texts(column, STRING)) == []
