# Generated from java_utf8.ksy by `ksykit generate`. Do not edit.
"""Views of java_utf8: Java modified UTF-8 string."""

from ksykit.runtime.records import Field, RecordLayout

JAVA_UTF8 = RecordLayout(
    Field("len_value", "java_utf8/seq/0", ">H"), Field("value", "java_utf8/seq/1")
)
