"""Keys of sorted indexes: pypaimon's bytes, Java's order, and the same Arrow columns again."""

from __future__ import annotations

import math
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from ksykit.runtime.arrays import BytesColumn
from pypaimon.globalindex.key_serializer import create_serializer
from pypaimon.schema.data_types import AtomicType

from kit_support.examples import examples
from paimon_ksy.global_index.sorted_keys import NULL, KeyForm, KeyTypeError
from paimon_ksy.types.data_type import DataType, Field
from paimon_ksy.types.parse import parse_type
from tests.support.strategies import arrow_column, columns, values

TYPES = [
    "BOOLEAN",
    "TINYINT",
    "SMALLINT",
    "INT",
    "BIGINT",
    "FLOAT",
    "DOUBLE",
    "CHAR(5)",
    "STRING",
    "DATE",
    "TIME(3)",
    "DECIMAL(10,2)",
    "DECIMAL(38,0)",
    "TIMESTAMP(3)",
    "TIMESTAMP(6)",
    "TIMESTAMP(9)",
    "TIMESTAMP_LTZ(6)",
]
kinds = st.sampled_from([parse_type(text) for text in TYPES])


def form_of(*types: DataType) -> KeyForm:
    form = KeyForm.of([Field(f"c{i}", data_type) for i, data_type in enumerate(types)])
    assert form is not None
    return form


def compared(value: Any) -> Any:
    """A value that compares as in Java: -0.0 before 0.0, NaN last."""
    if isinstance(value, float):
        return (math.isnan(value), 0.0 if math.isnan(value) else value, math.copysign(1, value))
    return value.encode("utf-8", "surrogateescape") if isinstance(value, str) else value


def as_texts(array: pa.Array) -> list[str]:
    """Values in a form in which NaN equals itself; texts as their bytes."""
    is_text = pa.types.is_string(array.type)
    return list(map(str, (array.cast(pa.binary()) if is_text else array).to_pylist()))


@examples(150)
@given(st.data())
def test_keys_come_back_and_ascend_as_in_java(data: st.DataObject) -> None:
    kind = data.draw(kinds)
    column = data.draw(st.lists(values(kind), max_size=12))
    form, array = form_of(kind), arrow_column(kind, column)
    stored = form.stored(array)
    keys = list(form.keys(stored))
    assert keys == [form.key(one) for one in stored] == [form.first(one) for one in stored]
    assert as_texts(form.decoded(stored)[1][0]) == as_texts(array)
    for value, key in zip(column, keys, strict=True):
        for other, other_key in zip(column, keys, strict=True):
            by_value = compared(value)[:2] if math.nan in (value, other) else compared(value)
            if not (value != value and other != other):
                assert (key < other_key) == (by_value < compared(other))


@pytest.mark.parametrize("text", [text for text in TYPES if text != "TIMESTAMP(9)"])
@examples(20)
@given(st.data())
def test_keys_are_those_of_pypaimon(text: str, data: st.DataObject) -> None:
    kind = parse_type(text)
    array = arrow_column(kind, data.draw(st.lists(values(kind), max_size=8)))
    serializer = create_serializer(AtomicType(text))
    if not kind.is_string:
        nan = [value != value for value in array.to_pylist()]  # pypaimon keeps each NaN
        expected = [serializer.serialize(value) for value in array.to_pylist()]
        for one, other, is_nan in zip(form_of(kind).stored(array), expected, nan, strict=True):
            assert is_nan or one == other


@examples(60)
@given(st.data())
def test_composite_keys_come_back(data: st.DataObject) -> None:
    types = data.draw(st.lists(kinds | st.just(parse_type("BYTES")), min_size=2, max_size=9))
    drawn = [data.draw(columns(kind, min_size=4, max_size=4)) for kind in types]
    arrays = [arrow_column(kind, column) for kind, column in zip(types, drawn, strict=True)]
    form = form_of(*types)
    stored = form.stored(*arrays)
    assert list(map(as_texts, form.decoded(stored)[1])) == list(map(as_texts, arrays))
    for row, one in enumerate(stored):
        key = form.key(one)
        assert form.first(one) == key[0] and [part == NULL for part in key] == [
            column[row] is None for column in drawn
        ]


@pytest.mark.parametrize(
    ("text", "data"),
    [
        ("BIGINT", b"\1\0\0\0"),
        ("INT", b""),
        ("BOOLEAN", b"\2"),
        ("TIMESTAMP(3)", bytes(9)),
        ("TIMESTAMP(6)", bytes(8)),
        ("TIMESTAMP(9)", bytes(8) + b"\xc0\x84\x3d"),
        ("DECIMAL(38,0)", b""),
    ],
)
def test_keys_of_other_types_are_recognised(text: str, data: bytes) -> None:
    form = form_of(parse_type(text))
    for read in (form.key, form.first, lambda one: form.keys(BytesColumn.of([one]))):
        with pytest.raises(KeyTypeError):
            read(data)
    for end in range(4):
        with pytest.raises(KeyTypeError):
            form_of(parse_type("INT"), parse_type("INT")).key(bytes(10)[:end])


def test_types_without_order_are_refused() -> None:
    for text in ("BYTES", "ARRAY<INT>", "VARIANT"):
        assert KeyForm.of([Field("c", parse_type(text))]) is None
