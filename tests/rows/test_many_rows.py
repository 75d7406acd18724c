"""Fields of many rows at once: what `read_row` finds in each."""

import struct
from decimal import Context, Decimal
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from paimon_ksy.rows.binary_row import read_row, write_row
from paimon_ksy.rows.many_rows import ManyRows
from paimon_ksy.types.data_type import DataType, from_utf8
from paimon_ksy.types.parse import parse_type
from tests.support.binary_rows import TYPES, some_of


def values_of(rows: list[bytes], kinds: list[DataType], number: int) -> list[Any] | None:
    """The values of a field as `FieldValues` has them; None where they are not known."""
    found = ManyRows(pa.array(rows, pa.large_binary()), len(kinds)).field(number, kinds[number])
    if found is None:
        return None
    values = found.values
    values = values.to_pylist() if isinstance(values, pa.Array) else values.tolist()
    pairs = zip(values, found.known.tolist(), strict=True)
    return [value if known else None for value, known in pairs]


def as_array(value: Any, kind: DataType) -> Any:
    """An internal value as `FieldValues` has it."""
    if value is None:
        return None
    if kind.is_string:
        return value.encode("utf-8", "surrogateescape")
    if kind.root == "BOOLEAN":
        return int(value)
    if kind.root == "DECIMAL":
        return int(value.scaleb(kind.scale or 0, Context(prec=80)))
    return value // 1000 if kind.is_timestamp else value


@given(st.data())
def test_fields_are_those_of_single_rows(data: st.DataObject) -> None:
    kinds = [
        parse_type(text)
        for text in data.draw(st.lists(st.sampled_from(TYPES), min_size=1, max_size=70))
    ]
    rows = data.draw(
        st.lists(st.tuples(*(st.none() | some_of(kind) for kind in kinds)), max_size=4)
    )
    stored = [write_row(row, kinds) for row in rows]
    number = data.draw(st.integers(0, len(kinds) - 1))
    kind = kinds[number]
    found = values_of(stored, kinds, number)
    assert found is not None
    wanted = [as_array(read_row(row, kinds)[number], kind) for row in stored]
    assert list(map(repr, found)) == list(map(repr, wanted))


def test_nested_fields_are_not_known() -> None:
    assert ManyRows(pa.array([], pa.large_binary()), 1).field(0, parse_type("ARRAY<INT>")) is None


def test_a_part_of_a_column_has_its_own_rows() -> None:
    kinds = [parse_type("STRING"), parse_type("INT")]
    rows = [write_row((f"a longer text {n}", n), kinds) for n in range(9)]
    part = ManyRows(pa.array(rows, pa.large_binary()).slice(3, 2), 2)
    texts, numbers = (part.field(number, kind) for number, kind in enumerate(kinds))
    assert texts is not None and numbers is not None
    assert texts.values.to_pylist() == [b"a longer text 3", b"a longer text 4"]
    assert numbers.values.tolist() == [3, 4]


def test_a_decimal_without_bytes_is_not_known() -> None:
    kinds = [parse_type("DECIMAL(38, 0)")]
    row = write_row((Decimal(10**20),), kinds)
    length = struct.pack("<I", 9)
    assert row.count(length) == 1
    broken = row.replace(length, struct.pack("<I", 0))
    assert values_of([row, broken], kinds, 0) == [10**20, None]


def test_rows_of_other_fields_are_not_known() -> None:
    kind = parse_type("INT")
    rows = [write_row((n,) * count, (kind,) * count) for n, count in enumerate((1, 2, 0, 1))]
    column = pa.array([*rows, b"", None, rows[0][:-1]], pa.large_binary())
    found = ManyRows(column, 1)
    assert found.readable.tolist() == [True, False, False, True, False, False, False]
    field = found.field(0, kind)
    assert field is not None
    assert field.known.tolist() == found.readable.tolist()


@pytest.mark.parametrize("text", ["STRING", "TIMESTAMP(9)", "BYTES", "INT"])
@given(st.data())
def test_broken_rows_are_not_known_or_some_value(text: str, data: st.DataObject) -> None:
    """Whatever the bytes are: no error, and nothing from outside of the row."""
    kind = parse_type(text)
    value = data.draw(some_of(kind))
    row = bytearray(write_row((value,), (kind,)))
    for _ in range(data.draw(st.integers(1, 3))):
        row[data.draw(st.integers(0, len(row) - 1))] = data.draw(st.integers(0, 255))
    other = write_row((value,), (kind,))
    found = values_of([other, bytes(row), other], [kind], 0)
    assert found is not None
    assert found[0] == found[2]
    assert found[0] in (as_array(value, kind), None)
    if isinstance(found[1], bytes):
        assert len(found[1]) <= len(row)
        assert found[1] in bytes(row)
        assert from_utf8(found[1]) is not None
