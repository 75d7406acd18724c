# Generated from specs/java_utf8.ksy by `python -m tools.ksy generate`. Do not edit.
"""Arrays of the records of java_utf8, and what is packed at once.

Java modified UTF-8 string.
"""

from __future__ import annotations

from typing import Any

from ..arrays import wide


def sizeof_java_utf8(len_value: Any) -> Any:
    """Bytes of a `java_utf8`; integers or arrays of them."""
    return 2 + wide(len_value)
