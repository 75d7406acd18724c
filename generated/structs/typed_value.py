# Generated from typed_value.ksy by `ksykit generate`. Do not edit.
"""Objects of typed_value: Value of a column, as stored in an index."""

from __future__ import annotations

from typing import ClassVar

from ksykit.runtime.json_values import F4BE, F8BE, S1, S2BE, S4BE, S8BE, U1
from ksykit.runtime.rows import Bytes, Maybe, Number, One, Param, Value
from ksykit.runtime.structs import Struct
from ksykit.runtime.types import Measure


class TypedValue(Struct, of="typed_value"):
    """A value in the dictionary of a bitmap index.

    Attributes:
        column_type: The column's type, a value of the enum `stored_type`.
        bool8: A BOOLEAN.
        int8: A TINYINT.
        int16: A SMALLINT.
        int32: An INT, a DATE in days since 1970-01-01, or a TIME in milliseconds.
        int64: A BIGINT, or the time since 1970-01-01T00:00:00 of a TIMESTAMP with or without local
            time zone.
        float32: A FLOAT.
        float64: A DOUBLE.
        len_text: Length of the string in bytes (not characters).
        text: A CHAR, VARCHAR or STRING in UTF-8.
    """

    column_type: One[int] = Param((1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12))
    bool8: Maybe[int] = Number(U1, any_of=(0, 1), when=lambda s: s.named_type == 1)
    int8: Maybe[int] = Number(S1, when=lambda s: s.named_type == 2)
    int16: Maybe[int] = Number(S2BE, when=lambda s: s.named_type == 3)
    int32: Maybe[int] = Number(
        S4BE, when=lambda s: s.named_type == 4 or s.named_type == 9 or s.named_type == 10,
    )  # fmt: skip
    int64: Maybe[int] = Number(
        S8BE, when=lambda s: s.named_type == 5 or s.named_type == 11 or s.named_type == 12
    )
    float32: Maybe[float] = Number(F4BE, when=lambda s: s.named_type == 6)
    float64: Maybe[float] = Number(F8BE, when=lambda s: s.named_type == 7)
    len_text: Maybe[int] = Number(S4BE, least=0, when=lambda s: s.named_type == 8, small=True)
    text: Maybe[bytes] = Bytes(
        encoding="utf-8", size="len_text", when=lambda s: s.named_type == 8, measured=True,
    )  # fmt: skip
    named_type = Value("column_type")
    _derived: ClassVar = {"len_text": Measure("length", "text")}


make_typed_value = TypedValue
