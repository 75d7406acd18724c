# Generated from specs/typed_value.ksy by `python -m tools.ksy generate`. Do not edit.
"""Makes and writes the types of typed_value.

A column's value as an index stores it.
"""

from __future__ import annotations

from typing import Any

from ..parsers.typed_value import TypedValue
from ..runtime import F4BE, F8BE, S1, S2BE, S4BE, S8BE, U1, Item, Scope, Type, new


def make_typed_value(
    *,
    column_type: int | None = None,
    boolean: int | None = None,
    int8: int | None = None,
    int16: int | None = None,
    int32: int | None = None,
    int64: int | None = None,
    float32: float | None = None,
    float64: float | None = None,
    len_text: int | None = None,
    text: bytes | None = None,
) -> Any:
    """A new `typed_value`; what is None is computed when it is written.

    One value in the dictionary of a bitmap index. The column's type defines its
    layout. The file does not store the type, so it is a parameter, from the
    table's schema. Only the field of that type is present.
    """
    return new(
        TypedValue,
        {
            "column_type": column_type,
        },
        {
            "boolean": boolean,
            "int8": int8,
            "int16": int16,
            "int32": int32,
            "int64": int64,
            "float32": float32,
            "float64": float64,
            "len_text": len_text,
            "text": text,
        },
        {},
        {},
    )


def write_typed_value(s: Scope) -> None:
    """Writes the fields of a `typed_value`."""
    if s.when("boolean", lambda: s.type == 1):
        s.number("boolean", U1)
    if s.when("int8", lambda: s.type == 2):
        s.number("int8", S1)
    if s.when("int16", lambda: s.type == 3):
        s.number("int16", S2BE)
    if s.when("int32", lambda: s.type == 4 or s.type == 9 or s.type == 10):
        s.number("int32", S4BE)
    if s.when("int64", lambda: s.type == 5 or s.type == 11 or s.type == 12):
        s.number("int64", S8BE)
    if s.when("float32", lambda: s.type == 6):
        s.number("float32", F4BE)
    if s.when("float64", lambda: s.type == 7):
        s.number("float64", F8BE)
    if s.when("len_text", lambda: s.type == 8):
        s.number("len_text", S4BE)
    if s.when("text", lambda: s.type == 8):
        s.bytes("text", lambda: s.len_text)


TYPES = {
    "typed_value": Type(
        name="typed_value",
        spec="typed_value",
        cls=TypedValue,
        params=("column_type",),
        items=(
            Item("boolean", "number", number=U1),
            Item("int8", "number", number=S1),
            Item("int16", "number", number=S2BE),
            Item("int32", "number", number=S4BE),
            Item("int64", "number", number=S8BE),
            Item("float32", "number", number=F4BE),
            Item("float64", "number", number=F8BE),
            Item("len_text", "number", number=S4BE),
            Item("text", "bytes", encoding="utf-8"),
        ),
        write=write_typed_value,
        values={
            "type": lambda s: s.column_type,
        },
        unset={
            "len_text": lambda s: s._length("text"),
        },
    ),
}
