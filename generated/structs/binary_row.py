# Generated from binary_row.ksy by `ksykit generate`. Do not edit.
"""Objects of binary_row: Binary row of Paimon."""

from __future__ import annotations

from typing import Any, ClassVar

from ksykit.runtime.json_values import S4BE, U1, U4LE, U8LE
from ksykit.runtime.rows import (
    Bytes,
    Many,
    Maybe,
    Nested,
    Number,
    Object,
    One,
    Param,
    Repeat,
    Value,
)
from ksykit.runtime.structs import Struct
from ksykit.runtime.types import Measure


class BinaryRow(Struct, of="binary_row"):
    """Paimon's form of a row in memory.

    Attributes:
        null_words: The lowest eight bits of the first word are the kind of row (0 is an insert).
        fields: The word of each field.
        values: Values that do not fit into a word.
        num_kind_bits: Bits in the first null word before the bit of the first field.
        len_field: Size of a field in bytes.
        len_unscaled_value: Size in bytes of a padded DECIMAL of more than 18 digits.
    """

    num_fields: One[int] = Param(range(16))
    null_words: Many[int] = Repeat(Number(U8LE), count="num_null_words")
    fields: Many[BinaryRowField] = Repeat(
        Object("binary_row_field", looked=True), count="num_fields",
    )  # fmt: skip
    values: Maybe[bytes] = Bytes(when=lambda s: not s._io.eof, to_end=True)
    num_null_words = Value(lambda s: (s.num_fields + 71) // 64)
    num_kind_bits = Value(8)
    len_field = Value(8)
    len_unscaled_value = Value(16)


class SerializedRow(Struct, of="serialized_row"):
    """A row in a manifest: `SerializationUtils.serializeBinaryRow`.

    Attributes:
        num_fields: Number of fields in the row.
    """

    num_fields: One[int] = Number(S4BE, least=0, small=True)
    row: Nested[BinaryRow] = Object("binary_row", args={"num_fields": "num_fields"})
    _derived: ClassVar = {"num_fields": Measure("count", "row.fields")}


class BinaryRowField(Struct, of="binary_row_field"):
    """A `binary_row_field`.

    Attributes:
        lower: The first half of a short value, or the length of a long one.
        upper: The second half of a short value, or the offset of a long one.
        is_short: True for a string in the word itself, such as a `short_string`.
        ofs_value: Start of the value, counted from the start of the row.
        len_value: Length of the value in bytes, or the nanoseconds of a TIMESTAMP.
    """

    lower: One[int] = Number(U4LE)
    upper: One[int] = Number(U4LE)
    is_short = Value(lambda s: s.upper >= 2147483648)
    ofs_value = Value("upper", when=lambda s: not s.is_short)
    len_value = Value("lower", when=lambda s: not s.is_short)


class ShortStrings(Struct, of="short_strings"):
    """The fields, if all are strings in the word itself."""

    fields: Many[ShortString] = Repeat(Object("short_string", looked=True))


class ShortString(Struct, of="short_string"):
    """A `short_string`.

    Attributes:
        value: The string, padded with zeros.
        mark: The length plus 128.
    """

    value: One[bytes] = Bytes(size=7)
    mark: One[int] = Number(
        U1, least=128, most=135, inverse={"len_value": lambda s: s._value("len_value") | 128},
    )  # fmt: skip
    len_value: One[Any] = Value(lambda s: s.mark & 127, given=True)


class UnscaledValue(Struct, of="unscaled_value"):
    """The unscaled value of a DECIMAL of more than 18 digits: two's complement in as few bytes
    as possible."""

    value: One[bytes] = Bytes(encoding="integer-be")


make_binary_row = BinaryRow
make_serialized_row = SerializedRow
make_binary_row_field = BinaryRowField
make_short_strings = ShortStrings
make_short_string = ShortString
make_unscaled_value = UnscaledValue


def mark_of_len_value(len_value: Any) -> Any:
    """Return the `mark` that stands for a `len_value`: an int, or an array of int64."""
    return len_value | 128
