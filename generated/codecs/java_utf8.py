# Generated from specs/java_utf8.ksy by `python -m tools.ksy generate`. Do not edit.
"""Reads and writes the repeats of java_utf8 as arrays.

Java modified UTF-8 string.
"""

from __future__ import annotations

import struct
from typing import Any

from ..arrays import Reader, wide

_U2BE = struct.Struct(">H")


def parse_java_utf8(x: Any, r: Reader) -> None:
    """Reads a `java_utf8` into `x`, repeats as arrays. Raises FormatError."""
    at = r.take(2)
    (x.len_value,) = _U2BE.unpack_from(r.buffer, at)
    x.value = r.raw(x.len_value)


def sizeof_java_utf8(len_value: Any) -> Any:
    """Bytes of a `java_utf8`; integers or arrays of them."""
    return 2 + wide(len_value)
