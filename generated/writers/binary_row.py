# Generated from specs/binary_row.ksy by `ksykit generate`. Do not edit.
"""Makes and writes the types of binary_row.

Binary row of Paimon.
"""

from __future__ import annotations

from typing import Any

from ksykit.runtime.fields import Bytes, Measure, Number, Object, Repeat, Type
from ksykit.runtime.json_values import S4BE, U1, U4LE, U8LE

from ..parsers.binary_row import BinaryRow

BINARY_ROW_TYPE = Type(
    BinaryRow,
    "binary_row",
    Repeat(Number("null_words", U8LE), count="num_null_words"),
    Repeat(Object("fields", "binary_row_field", looked=True), count="num_fields"),
    Bytes("values", when=lambda s: not s._io.eof, to_end=True),
    params={"num_fields": range(16)},
    values={
        "num_null_words": lambda s: (s.num_fields + 71) // 64,
        "num_kind_bits": 8,
        "len_field": 8,
        "len_unscaled_value": 16,
    },
)

make_binary_row = BINARY_ROW_TYPE.make


SERIALIZED_ROW_TYPE = Type(
    BinaryRow.SerializedRow,
    "serialized_row",
    Number("num_fields", S4BE, least=0, small=True),
    Object("row", "binary_row", args={"num_fields": "num_fields"}),
    computed={
        "num_fields": Measure("count", "row.fields"),
    },
)

make_serialized_row = SERIALIZED_ROW_TYPE.make


BINARY_ROW_FIELD_TYPE = Type(
    BinaryRow.BinaryRowField,
    "binary_row_field",
    Number("lower", U4LE),
    Number("upper", U4LE),
    values={
        "is_short": lambda s: s.upper >= 2147483648,
        "ofs_value": "upper",
        "len_value": "lower",
    },
)

make_binary_row_field = BINARY_ROW_FIELD_TYPE.make


SHORT_STRINGS_TYPE = Type(
    BinaryRow.ShortStrings,
    "short_strings",
    Repeat(Object("fields", "short_string", looked=True)),
)

make_short_strings = SHORT_STRINGS_TYPE.make


SHORT_STRING_TYPE = Type(
    BinaryRow.ShortString,
    "short_string",
    Bytes("value", size=7),
    Number(
        "mark",
        U1,
        least=128,
        most=135,
        inverse={"len_value": lambda s: s._asked("len_value") | 128},
    ),
    given=("len_value",),
    values={
        "len_value": lambda s: s.mark & 127,
    },
)

make_short_string = SHORT_STRING_TYPE.make


def mark_of_len_value(len_value: Any) -> Any:
    """Return the `mark` that stands for a `len_value`: an int, or an array of int64."""
    return len_value | 128


UNSCALED_VALUE_TYPE = Type(
    BinaryRow.UnscaledValue,
    "unscaled_value",
    Bytes("value", encoding="integer-be"),
)

make_unscaled_value = UNSCALED_VALUE_TYPE.make
