# Generated from specs/typed_value.ksy by `python -m tools.ksy generate`. Do not edit.
"""Turns bytes of typed_value to JSON and back, straight through the fields.

A column's value as an index stores it.
"""

from __future__ import annotations

from struct import Struct
from typing import Any

from ..document import (
    Unusual,
    bytes_from_json,
    bytes_to_json,
    float_to_json,
    number_from_json,
)
from ..runtime import F4BE, F8BE

_F4BE = Struct(">f")
_F8BE = Struct(">d")
_S1 = Struct(">b")
_S2BE = Struct(">h")
_S4BE = Struct(">i")
_S8BE = Struct(">q")
_U1 = Struct(">B")


def read_typed_value(c: Any, p: int, e: int, b: int, ux: Any, uk: Any, a_column_type: Any) -> Any:
    d = c.data
    x: Any = {}
    k = None
    if a_column_type == 1:
        (v_boolean,) = _U1.unpack_from(d, p)
        if v_boolean not in (
            0,
            1,
        ):
            raise Unusual
        x["boolean"] = v_boolean
        p += 1
    if a_column_type == 2:
        (v_int8,) = _S1.unpack_from(d, p)
        x["int8"] = v_int8
        p += 1
    if a_column_type == 3:
        (v_int16,) = _S2BE.unpack_from(d, p)
        x["int16"] = v_int16
        p += 2
    if a_column_type == 4 or a_column_type == 9 or a_column_type == 10:
        (v_int32,) = _S4BE.unpack_from(d, p)
        x["int32"] = v_int32
        p += 4
    if a_column_type == 5 or a_column_type == 11 or a_column_type == 12:
        (v_int64,) = _S8BE.unpack_from(d, p)
        x["int64"] = v_int64
        p += 8
    if a_column_type == 6:
        (v_float32,) = _F4BE.unpack_from(d, p)
        x["float32"] = float_to_json(v_float32, F4BE, d[p + 0 : p + 4])
        p += 4
    if a_column_type == 7:
        (v_float64,) = _F8BE.unpack_from(d, p)
        x["float64"] = float_to_json(v_float64, F8BE, d[p + 0 : p + 8])
        p += 8
    if a_column_type == 8:
        (v_len_text,) = _S4BE.unpack_from(d, p)
        if v_len_text < 0:
            raise Unusual
        x["len_text"] = v_len_text
        p += 4
    if a_column_type == 8:
        n = v_len_text
        if not 0 <= n <= e - p:
            raise Unusual
        k_text = d[p : p + n]
        p += n
        x["text"] = bytes_to_json(k_text, "utf-8")
    if p > e:
        raise Unusual
    return x, p, k


def write_typed_value(
    c: Any, o: Any, p: int, b: int, x: Any, ux: Any, uk: Any, a_column_type: Any
) -> Any:
    k = None
    n = 0
    if a_column_type == 1:
        v_boolean = x["boolean"]
        if type(v_boolean) is not int:
            raise Unusual
        o.append(_U1.pack(v_boolean))
        p += 1
        n += 1
    if a_column_type == 2:
        v_int8 = x["int8"]
        if type(v_int8) is not int:
            raise Unusual
        o.append(_S1.pack(v_int8))
        p += 1
        n += 1
    if a_column_type == 3:
        v_int16 = x["int16"]
        if type(v_int16) is not int:
            raise Unusual
        o.append(_S2BE.pack(v_int16))
        p += 2
        n += 1
    if a_column_type == 4 or a_column_type == 9 or a_column_type == 10:
        v_int32 = x["int32"]
        if type(v_int32) is not int:
            raise Unusual
        o.append(_S4BE.pack(v_int32))
        p += 4
        n += 1
    if a_column_type == 5 or a_column_type == 11 or a_column_type == 12:
        v_int64 = x["int64"]
        if type(v_int64) is not int:
            raise Unusual
        o.append(_S8BE.pack(v_int64))
        p += 8
        n += 1
    if a_column_type == 6:
        v_float32 = number_from_json(x["float32"], F4BE)
        o.append(_F4BE.pack(v_float32))
        p += 4
        n += 1
    if a_column_type == 7:
        v_float64 = number_from_json(x["float64"], F8BE)
        o.append(_F8BE.pack(v_float64))
        p += 8
        n += 1
    if a_column_type == 8:
        v_len_text = x["len_text"]
        if type(v_len_text) is not int:
            raise Unusual
        o.append(_S4BE.pack(v_len_text))
        p += 4
        n += 1
    if a_column_type == 8:
        k_text = bytes_from_json(x["text"], "utf-8")
        if len(k_text) != v_len_text:
            raise Unusual
        o.append(k_text)
        p += len(k_text)
        n += 1
    if len(x) != n + 0:
        raise Unusual
    return p, k
