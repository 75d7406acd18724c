# Generated from specs/java_utf8.ksy by `ksykit generate`. Do not edit.
"""Views of java_utf8: its types, read at once from bytes at hand.

Java modified UTF-8 string.
"""

from __future__ import annotations

from ksykit.runtime.records import (
    Field,
    RecordLayout,
)

JAVA_UTF8 = RecordLayout(
    Field("len_value", "java_utf8/seq/0", ">H"), Field("value", "java_utf8/seq/1")
)
