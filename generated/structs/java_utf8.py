# Generated from java_utf8.ksy by `ksykit generate`. Do not edit.
"""Objects of java_utf8: Java modified UTF-8 string."""

from __future__ import annotations

from typing import ClassVar

from ksykit.runtime.json_values import U2BE
from ksykit.runtime.rows import Bytes, Number, One
from ksykit.runtime.structs import Struct
from ksykit.runtime.types import Measure


class JavaUtf8(Struct, of="java_utf8"):
    """A string in the format of `java.io.DataOutput.writeUTF`: a length in bytes, then "modified
    UTF-8".

    Attributes:
        len_value: Length of the encoded string in bytes (not characters).
        value: The string in modified UTF-8.
    """

    len_value: One[int] = Number(U2BE, small=True)
    value: One[bytes] = Bytes(encoding="modified-utf-8", size="len_value", measured=True)
    _derived: ClassVar = {"len_value": Measure("length", "value")}


make_java_utf8 = JavaUtf8
