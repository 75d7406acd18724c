# Generated from specs/binary_row.ksy by `python -m tools.ksy generate`. Do not edit.
"""Makes and writes the types of binary_row.

Row of Paimon in memory.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..parsers.binary_row import BinaryRow
from ..runtime import S4BE, U1, U4LE, U8LE, Item, RecordArray, Scope, Type, new


def make_binary_row(
    *,
    num_fields: int | None = None,
    null_words: Sequence[int] | Any | None = None,
    fields: list[BinaryRow.BinaryRowField] | RecordArray | None = None,
    values: bytes | None = None,
) -> Any:
    """A new `binary_row`; what is None is computed when it is written.

    A row in memory. Paimon hashes keys in this form, and manifests store
    partitions, keys and statistics in it. A row has words of null bits, then a
    word of eight bytes for each field, then the values that are too long for a
    word. It does not store the types of its fields.

    A field's word contains one of these:

    - BOOLEAN, integers, DATE, TIME, FLOAT or DOUBLE in its first bytes, the
      others zero
    - a DECIMAL of up to 18 digits, its unscaled value
    - a TIMESTAMP up to precision 3, in milliseconds
    - a string of up to 7 bytes, with its length plus 128 in the last byte

    Longer strings, DECIMAL and TIMESTAMP have their value after the fields. The
    upper half of the word is its offset in the row. The lower half is its length
    in bytes, or the nanoseconds of a TIMESTAMP's millisecond.

    A value is padded with zeros to a multiple of eight bytes, and a DECIMAL to 16
    bytes. A DECIMAL is Java's BigInteger.toByteArray of its unscaled value, and a
    TIMESTAMP its milliseconds.

    The word of a null is zero. Nulls of a DECIMAL of more than 18 digits, or of a
    TIMESTAMP above precision 3, keep the space and the offset of a value.
    """
    return new(
        BinaryRow,
        {
            "num_fields": num_fields,
        },
        {
            "null_words": null_words,
            "fields": fields,
            "values": values,
        },
        {},
        {},
    )


def write_binary_row(s: Scope) -> None:
    """Writes the fields of a `binary_row`."""
    s.numbers("null_words", U8LE, lambda: s.num_null_words)
    s.objects("fields", "binary_row_field", {}, lambda: s.num_fields)
    if s.given("values"):
        s.bytes("values")


def make_serialized_row(
    *,
    num_fields: int | None = None,
    row: BinaryRow | bytes | None = None,
) -> Any:
    """A new `serialized_row`; what is None is computed when it is written.

    A row in a manifest: `SerializationUtils.serializeBinaryRow`.
    """
    return new(
        BinaryRow.SerializedRow,
        {},
        {
            "num_fields": num_fields,
            "row": row,
        },
        {},
        {},
    )


def write_serialized_row(s: Scope) -> None:
    """Writes the fields of a `serialized_row`."""
    s.number("num_fields", S4BE)
    s.object("row", "binary_row", {"num_fields": lambda i: s.num_fields})


def make_binary_row_field(
    *,
    lower: int | None = None,
    upper: int | None = None,
) -> Any:
    """A new `binary_row_field`; what is None is computed when it is written."""
    return new(
        BinaryRow.BinaryRowField,
        {},
        {
            "lower": lower,
            "upper": upper,
        },
        {},
        {},
    )


def write_binary_row_field(s: Scope) -> None:
    """Writes the fields of a `binary_row_field`."""
    s.number("lower", U4LE)
    s.number("upper", U4LE)


def make_whole_fields(
    *,
    words: Sequence[int] | Any | None = None,
) -> Any:
    """A new `whole_fields`; what is None is computed when it is written.

    Another view of fields, each as one number.
    """
    return new(
        BinaryRow.WholeFields,
        {},
        {
            "words": words,
        },
        {},
        {},
    )


def write_whole_fields(s: Scope) -> None:
    """Writes the fields of a `whole_fields`."""
    s.numbers("words", U8LE, None)


def make_short_strings(
    *,
    fields: list[BinaryRow.ShortString] | RecordArray | None = None,
) -> Any:
    """A new `short_strings`; what is None is computed when it is written.

    Another view of fields, for strings in the word itself.
    """
    return new(
        BinaryRow.ShortStrings,
        {},
        {
            "fields": fields,
        },
        {},
        {},
    )


def write_short_strings(s: Scope) -> None:
    """Writes the fields of a `short_strings`."""
    s.objects("fields", "short_string", {}, None)


def make_short_string(
    *,
    value: bytes | None = None,
    mark: int | None = None,
    len_value: int | None = None,
) -> Any:
    """A new `short_string`; what is None is computed when it is written."""
    return new(
        BinaryRow.ShortString,
        {},
        {
            "value": value,
            "mark": mark,
        },
        {},
        {
            "len_value": len_value,
        },
    )


def write_short_string(s: Scope) -> None:
    """Writes the fields of a `short_string`."""
    s.bytes("value", lambda: 7)
    s.number("mark", U1)


def make_unscaled_value(
    *,
    value: bytes | None = None,
) -> Any:
    """A new `unscaled_value`; what is None is computed when it is written.

    The unscaled value of a DECIMAL of more than 18 digits, among the values
    of a row. It is `BigInteger.toByteArray`, in two's complement, of as few
    bytes as hold the sign.
    """
    return new(
        BinaryRow.UnscaledValue,
        {},
        {
            "value": value,
        },
        {},
        {},
    )


def write_unscaled_value(s: Scope) -> None:
    """Writes the fields of a `unscaled_value`."""
    s.bytes("value")


TYPES = {
    "binary_row": Type(
        name="binary_row",
        spec="binary_row",
        cls=BinaryRow,
        params=("num_fields",),
        items=(
            Item("null_words", "numbers", number=U8LE),
            Item("fields", "objects", type="binary_row_field"),
            Item("values", "bytes"),
        ),
        write=write_binary_row,
        values={
            "num_null_words": lambda s: (s.num_fields + 71) // 64,
            "num_kind_bits": lambda s: 8,
            "len_field": lambda s: 8,
            "len_unscaled_value": lambda s: 16,
        },
        unset={},
    ),
    "serialized_row": Type(
        name="serialized_row",
        spec="binary_row",
        cls=BinaryRow.SerializedRow,
        params=(),
        items=(
            Item("num_fields", "number", number=S4BE),
            Item("row", "object", type="binary_row"),
        ),
        write=write_serialized_row,
        values={},
        unset={
            "num_fields": lambda s: s._count("row.fields"),
        },
    ),
    "binary_row_field": Type(
        name="binary_row_field",
        spec="binary_row",
        cls=BinaryRow.BinaryRowField,
        params=(),
        items=(
            Item("lower", "number", number=U4LE),
            Item("upper", "number", number=U4LE),
        ),
        write=write_binary_row_field,
        values={
            "is_short": lambda s: s.upper >= 2147483648,
            "ofs_value": lambda s: s.upper,
            "len_value": lambda s: s.lower,
        },
        unset={},
    ),
    "whole_fields": Type(
        name="whole_fields",
        spec="binary_row",
        cls=BinaryRow.WholeFields,
        params=(),
        items=(Item("words", "numbers", number=U8LE),),
        write=write_whole_fields,
        values={},
        unset={},
    ),
    "short_strings": Type(
        name="short_strings",
        spec="binary_row",
        cls=BinaryRow.ShortStrings,
        params=(),
        items=(Item("fields", "objects", type="short_string"),),
        write=write_short_strings,
        values={},
        unset={},
    ),
    "short_string": Type(
        name="short_string",
        spec="binary_row",
        cls=BinaryRow.ShortString,
        params=(),
        items=(
            Item("value", "bytes"),
            Item("mark", "number", number=U1),
        ),
        write=write_short_string,
        values={
            "len_value": lambda s: s.mark & 127,
        },
        unset={
            "mark": lambda s: (
                s._given("len_value") | 128 if s._is_set("len_value") else s._given("len_value")
            ),
        },
    ),
    "unscaled_value": Type(
        name="unscaled_value",
        spec="binary_row",
        cls=BinaryRow.UnscaledValue,
        params=(),
        items=(Item("value", "bytes", encoding="integer-be"),),
        write=write_unscaled_value,
        values={},
        unset={},
    ),
}
