# Generated from specs/java_utf8.ksy by `paimon-ksy generate`. Do not edit.
"""How the types of java_utf8 are drawn.

Java modified UTF-8 string.
"""

from __future__ import annotations

from paimon_ksy.runtime.drawing import Drawing, Rule

from ..writers.java_utf8 import JAVA_UTF8_TYPE

Drawing(
    JAVA_UTF8_TYPE,
    params={},
    rules={
        "len_value": Rule(small=True, role="length", source="value"),
    },
)
