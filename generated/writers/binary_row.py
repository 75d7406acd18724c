# Generated from specs/binary_row.ksy by `paimon-ksy generate`. Do not edit.
"""Makes and writes the types of binary_row.

Binary row of Paimon.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from paimon_ksy.runtime.fields import (
    Bytes,
    Measure,
    Number,
    Numbers,
    Object,
    Objects,
    Type,
)
from paimon_ksy.runtime.json_values import S4BE, U1, U4LE, U8LE

from ..parsers.binary_row import BinaryRow

BINARY_ROW_TYPE = Type(
    BinaryRow,
    "binary_row",
    Numbers("null_words", U8LE, count="num_null_words"),
    Objects("fields", "binary_row_field", count="num_fields", looked=True),
    Bytes("values", when=lambda s: not s._io.eof, to_end=True),
    params={"num_fields": range(16)},
    deciding=None,
    values={
        "num_null_words": lambda s: (s.num_fields + 71) // 64,
        "num_kind_bits": 8,
        "len_field": 8,
        "len_unscaled_value": 16,
    },
)


def make_binary_row(
    *,
    num_fields: int | None = None,
    null_words: Sequence[int] | Any | None = None,
    fields: Sequence[BinaryRow.BinaryRowField | bytes] | None = None,
    values: bytes | None = None,
) -> Any:
    """Return a new `binary_row`; what is None is computed when it is written.

    Paimon's form of a row in memory. Paimon hashes keys in this form, and
    manifests store partitions, keys and statistics in it. A row consists of
    words of null bits, an eight-byte word for each field, and the values that
    are too long for a word. It does not store the types of its fields.

    The word of a field contains one of these:

    * a BOOLEAN, integer, DATE, TIME, FLOAT or DOUBLE in the first bytes; the
      other bytes are zero
    * the unscaled value of a DECIMAL of up to 18 digits
    * a TIMESTAMP up to precision 3, in milliseconds
    * a string of up to 7 bytes, with its length plus 128 in the last byte

    Values of longer strings, DECIMALs and TIMESTAMPs are stored after the
    fields. The upper half of the word is the offset of the value in the row. The
    lower half is the length of the value in bytes or, for a TIMESTAMP, the
    nanoseconds within its millisecond.

    A value is padded with zeros to a multiple of eight bytes, and a DECIMAL to
    16 bytes. A DECIMAL is stored as Java's BigInteger.toByteArray of its
    unscaled value, and a TIMESTAMP as its milliseconds.

    The word of a null is zero. A null DECIMAL of more than 18 digits, or a null
    TIMESTAMP above precision 3, still has the offset and the space of a value.
    """
    return BINARY_ROW_TYPE.new(locals())


SERIALIZED_ROW_TYPE = Type(
    BinaryRow.SerializedRow,
    "serialized_row",
    Number("num_fields", S4BE, least=0, small=True),
    Object("row", "binary_row", args={"num_fields": "num_fields"}),
    computed={
        "num_fields": Measure("count", "row.fields"),
    },
)


def make_serialized_row(
    *,
    num_fields: int | None = None,
    row: BinaryRow | bytes | None = None,
) -> Any:
    """Return a new `serialized_row`; what is None is computed when it is written.

    A row in a manifest: `SerializationUtils.serializeBinaryRow`.
    """
    return SERIALIZED_ROW_TYPE.new(locals())


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


def make_binary_row_field(
    *,
    lower: int | None = None,
    upper: int | None = None,
) -> Any:
    """Return a new `binary_row_field`; what is None is computed when it is written."""
    return BINARY_ROW_FIELD_TYPE.new(locals())


SHORT_STRINGS_TYPE = Type(
    BinaryRow.ShortStrings,
    "short_strings",
    Objects("fields", "short_string", looked=True),
)


def make_short_strings(
    *,
    fields: Sequence[BinaryRow.ShortString | bytes] | None = None,
) -> Any:
    """Return a new `short_strings`; what is None is computed when it is written.

    The fields, if all are strings in the word itself.
    """
    return SHORT_STRINGS_TYPE.new(locals())


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


def make_short_string(
    *,
    value: bytes | None = None,
    mark: int | None = None,
    len_value: int | None = None,
) -> Any:
    """Return a new `short_string`; what is None is computed when it is written."""
    return SHORT_STRING_TYPE.new(locals())


def mark_of_len_value(len_value: Any) -> Any:
    """Return the `mark` that stands for a `len_value`: an int, or an array of int64."""
    return len_value | 128


UNSCALED_VALUE_TYPE = Type(
    BinaryRow.UnscaledValue,
    "unscaled_value",
    Bytes("value", encoding="integer-be"),
)


def make_unscaled_value(
    *,
    value: bytes | None = None,
) -> Any:
    """Return a new `unscaled_value`; what is None is computed when it is written.

    The unscaled value of a DECIMAL of more than 18 digits: two's complement
    in as few bytes as possible.
    """
    return UNSCALED_VALUE_TYPE.new(locals())
