# Generated from specs/java_utf8.ksy by `ksykit generate`. Do not edit.
"""Makes and writes the types of java_utf8.

Java modified UTF-8 string.
"""

from __future__ import annotations

from ksykit.runtime.fields import Bytes, Measure, Number, Type
from ksykit.runtime.json_values import U2BE

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

make_java_utf8 = JAVA_UTF8_TYPE.make
