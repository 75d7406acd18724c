# Generated from specs/typed_value.ksy by `ksykit generate`. Do not edit.
"""Makes and writes the types of typed_value.

Value of a column, as stored in an index.
"""

from __future__ import annotations

from ksykit.runtime.fields import Bytes, Measure, Number, Type
from ksykit.runtime.json_values import F4BE, F8BE, S1, S2BE, S4BE, S8BE, U1

from ..parsers.typed_value import TypedValue

TYPED_VALUE_TYPE = Type(
    TypedValue,
    "typed_value",
    Number("bool8", U1, any_of=(0, 1), when=lambda s: s.named_type == 1),
    Number("int8", S1, when=lambda s: s.named_type == 2),
    Number("int16", S2BE, when=lambda s: s.named_type == 3),
    Number(
        "int32", S4BE, when=lambda s: s.named_type == 4 or s.named_type == 9 or s.named_type == 10
    ),
    Number(
        "int64", S8BE, when=lambda s: s.named_type == 5 or s.named_type == 11 or s.named_type == 12
    ),
    Number("float32", F4BE, when=lambda s: s.named_type == 6),
    Number("float64", F8BE, when=lambda s: s.named_type == 7),
    Number("len_text", S4BE, least=0, when=lambda s: s.named_type == 8, small=True),
    Bytes(
        "text", encoding="utf-8", size="len_text", when=lambda s: s.named_type == 8, measured=True
    ),
    params={"column_type": (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12)},
    computed={
        "len_text": Measure("length", "text"),
    },
    values={
        "named_type": "column_type",
    },
)

make_typed_value = TYPED_VALUE_TYPE.make
