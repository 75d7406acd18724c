"""Rows as manifests have them: Java's bytes, and each value back."""

import json
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paimon_ksy.errors import CorruptFileError, SchemaError, UnsupportedError
from paimon_ksy.generated.structs.binary_row import UnscaledValue as UnscaledValueStruct
from paimon_ksy.generated.views.binary_row import UnscaledValue
from paimon_ksy.rows.binary_row import read_row, write_row
from paimon_ksy.types.data_type import DataType
from paimon_ksy.types.parse import parse_type
from tests import ROOT
from tests.support.binary_rows import rows
from tests.support.golden_json import internal_value

# Of manifests of tables, and of `tools/java/Vectors.java` for the types that are not in these.
ROWS = json.loads((ROOT / "tests").joinpath("golden", "rows.json").read_text("utf-8"))


@pytest.mark.parametrize("case", ROWS, ids=lambda case: ", ".join(case["types"])[:60])
def test_java_s_rows(case: dict[str, Any]) -> None:
    types = [parse_type(text) for text in case["types"]]
    for values, text in zip(case["rows"], case["bytes"], strict=True):
        row = tuple(
            None
            if value is None
            else Decimal(value)
            if kind.root == "DECIMAL"  # of any precision
            else internal_value(kind, value)
            for value, kind in zip(values, types, strict=True)
        )
        data = bytes.fromhex(text)
        found = read_row(data, types)
        assert found == row
        assert list(map(repr, found)) == list(map(repr, row))  # -0.0, and the type
        assert write_row(row, types) == data


def test_all_kinds_of_values_are_in_java_s_rows() -> None:
    types = {parse_type(text).root for case in ROWS for text in case["types"]}
    nulls = {
        parse_type(text).root
        for case in ROWS
        for row in case["rows"]
        for text, value in zip(case["types"], row, strict=True)
        if value is None
    }
    assert types == nulls == {
        *("BOOLEAN", "TINYINT", "SMALLINT", "INT", "BIGINT", "FLOAT", "DOUBLE", "DECIMAL", "CHAR"),
        *("VARCHAR", "BINARY", "VARBINARY", "DATE", "TIME", "TIMESTAMP", "TIMESTAMP_LTZ"),
    }  # fmt: skip


@given(rows())
def test_rows_come_back(row: tuple[list[DataType], list[Any]]) -> None:
    types, values = row
    data = write_row(values, types)
    assert list(map(repr, read_row(data, types))) == list(map(repr, values))
    for length in range(0, 4 + 8 * len(types), 7):
        with pytest.raises(CorruptFileError):
            read_row(data[:length], types)


@given(st.integers())
def test_big_integers(number: int) -> None:
    data = UnscaledValueStruct.pack(value=number)
    assert UnscaledValue(data, 0, 0).value == number
    assert len(data) == 1 or UnscaledValueStruct.pack(value=number >> 8) == data[:-1]


def test_java_s_big_integers() -> None:
    for number, data in {0: "00", 127: "7f", 128: "0080", -128: "80", -129: "ff7f"}.items():
        assert UnscaledValueStruct.pack(value=number).hex() == data


def test_what_is_no_row() -> None:
    ints = [parse_type("INT")]
    good = write_row([5], ints)
    for data in (b"", good[:3], b"\xff\xff\xff\xff" + good[4:], b"\x7f\xff\xff\xff" + good[4:]):
        with pytest.raises(CorruptFileError, match="not a row"):
            read_row(data, ints)
    with pytest.raises(CorruptFileError, match="1 fields, but 2 types"):
        read_row(good, ints * 2)
    text = [parse_type("STRING")]
    data = write_row(["longer than seven"], text)
    with pytest.raises(CorruptFileError, match="a value ends at byte"):
        read_row(data[:12] + b"\xff\xff\xff\x00" + data[16:], text)
    with pytest.raises(CorruptFileError, match="the field mark cannot be 136"):
        read_row(write_row(["short"], text)[:-1] + b"\x88", text)
    decimals = [parse_type("DECIMAL(20, 0)")]
    data = write_row([None], decimals)
    with pytest.raises(CorruptFileError, match="without bytes"):
        read_row(data[:4] + bytes(8) + data[12:], decimals)


def test_values_that_a_type_does_not_have() -> None:
    wrong: list[tuple[str, Any]] = [
        ("INT", 2**31),
        ("INT", 1.5),
        ("INT", "1"),
        ("BIGINT", -(2**63) - 1),
        ("STRING", 1),
        ("DECIMAL(5, 2)", Decimal("1.234")),
        ("DECIMAL(5, 2)", Decimal("1000")),
        ("DECIMAL(5, 2)", Decimal("NaN")),
        ("TIMESTAMP(3)", 1.5),
        ("TIMESTAMP(3)", 2**85),
    ]
    for text, value in wrong:
        with pytest.raises(SchemaError, match=f"is not a valid {text.split('(')[0]}"):
            write_row([value], [parse_type(text)])
    with pytest.raises(SchemaError, match="2 values for 1 field"):
        write_row([1, 2], [parse_type("INT")])
    nested = [parse_type("ARRAY<INT>")]
    with pytest.raises(UnsupportedError, match="ARRAY"):
        write_row([[1]], nested)
    assert read_row(write_row([None], nested), nested) == (None,)
    with pytest.raises(UnsupportedError, match="ARRAY"):
        read_row(write_row([1], [parse_type("INT")]), nested)
