# Generated from specs/java_utf8.ksy by `python -m tools.ksy generate`. Do not edit.
"""Makes and writes the types of java_utf8.

Java modified UTF-8 string.
"""

from __future__ import annotations

from typing import Any

from ..parsers.java_utf8 import JavaUtf8
from ..runtime import U2BE, Item, Scope, Type, new


def make_java_utf8(
    *,
    len_value: int | None = None,
    value: bytes | None = None,
) -> Any:
    """A new `java_utf8`; what is None is computed when it is written.

    A string in the format of `java.io.DataOutput.writeUTF`: a length in bytes,
    then "modified UTF-8". It differs from UTF-8 in two ways. NUL is the two bytes
    `C0 80`. A character outside the basic plane is a pair of surrogates of three
    bytes each. Kaitai's string decoders support neither, so the field has the
    bytes, and the reader decodes them.
    """
    return new(
        JavaUtf8,
        {},
        {
            "len_value": len_value,
            "value": value,
        },
        {},
        {},
    )


def write_java_utf8(s: Scope) -> None:
    """Writes the fields of a `java_utf8`."""
    s.number("len_value", U2BE)
    s.bytes("value", lambda: s.len_value)


TYPES = {
    "java_utf8": Type(
        name="java_utf8",
        spec="java_utf8",
        cls=JavaUtf8,
        params=(),
        items=(
            Item("len_value", "number", number=U2BE),
            Item("value", "bytes", encoding="modified-utf-8"),
        ),
        write=write_java_utf8,
        values={},
        unset={
            "len_value": lambda s: s._length("value"),
        },
    ),
}
