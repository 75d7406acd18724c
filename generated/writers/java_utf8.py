# Generated from specs/java_utf8.ksy by `paimon-ksy generate`. Do not edit.
"""Makes and writes the types of java_utf8.

Java modified UTF-8 string.
"""

from __future__ import annotations

from typing import Any

from paimon_ksy.runtime.fields import (
    Bytes,
    Measure,
    Number,
    Type,
)
from paimon_ksy.runtime.json_values import U2BE

from ..parsers.java_utf8 import JavaUtf8

JAVA_UTF8_TYPE = Type(
    JavaUtf8,
    "java_utf8",
    Number("len_value", U2BE, small=True),
    Bytes("value", encoding="modified-utf-8", size="len_value", measured=True),
    computed={
        "len_value": Measure("length", "value"),
    },
)


def make_java_utf8(
    *,
    len_value: int | None = None,
    value: bytes | None = None,
) -> Any:
    """Return a new `java_utf8`; what is None is computed when it is written.

    A string in the format of `java.io.DataOutput.writeUTF`: a length in bytes,
    then "modified UTF-8". In this encoding, NUL is the two bytes `C0 80`, and a
    character outside the basic plane is a pair of surrogates of three bytes each.
    Kaitai Struct has no decoder for it.
    """
    return JAVA_UTF8_TYPE.new(locals())
