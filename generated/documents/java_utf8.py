# Generated from specs/java_utf8.ksy by `python -m tools.ksy generate`. Do not edit.
"""Turns bytes of java_utf8 to JSON and back, straight through the fields.

Java modified UTF-8 string.
"""

from __future__ import annotations

from struct import Struct
from typing import Any

from ..document import (
    Unusual,
    bytes_from_json,
    bytes_to_json,
)

_U2BE = Struct(">H")


def read_java_utf8(c: Any, p: int, e: int, b: int, ux: Any, uk: Any) -> Any:
    d = c.data
    x: Any = {}
    k = None
    (v_len_value,) = _U2BE.unpack_from(d, p)
    x["len_value"] = v_len_value
    p += 2
    n = v_len_value
    if not 0 <= n <= e - p:
        raise Unusual
    k_value = d[p : p + n]
    p += n
    x["value"] = bytes_to_json(k_value, "modified-utf-8")
    if p > e:
        raise Unusual
    return x, p, k


def write_java_utf8(c: Any, o: Any, p: int, b: int, x: Any, ux: Any, uk: Any) -> Any:
    k = None
    n = 0
    v_len_value = x["len_value"]
    if type(v_len_value) is not int:
        raise Unusual
    o.append(_U2BE.pack(v_len_value))
    p += 2
    k_value = bytes_from_json(x["value"], "modified-utf-8")
    if len(k_value) != v_len_value:
        raise Unusual
    o.append(k_value)
    p += len(k_value)
    if len(x) != n + 2:
        raise Unusual
    return p, k
