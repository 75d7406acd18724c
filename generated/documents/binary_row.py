# Generated from specs/binary_row.ksy by `python -m tools.ksy generate`. Do not edit.
"""Turns bytes of binary_row to JSON and back, straight through the fields.

Row of Paimon in memory.
"""

from __future__ import annotations

from struct import Struct, pack, unpack_from
from typing import Any

from ..document import (
    Unusual,
    bytes_from_json,
    bytes_to_json,
    count_of,
)

_S4BE = Struct(">i")
_U1 = Struct(">B")
_U4LE_U4LE = Struct("<II")


def read_binary_row(c: Any, p: int, e: int, b: int, ux: Any, uk: Any, a_num_fields: Any) -> Any:
    d = c.data
    x: Any = {}
    k = None
    n = (a_num_fields + 71) // 64
    v_null_words = list(unpack_from(f"<{n}Q", d, p))
    p += 8 * n
    x["null_words"] = v_null_words
    v_fields: Any = []
    x["fields"] = v_fields
    n = a_num_fields
    if n > e - p:
        raise Unusual
    for _ in range(n):
        item, p, _ = read_binary_row_field(c, p, e, b, x, k)
        v_fields.append(item)
    if p != e:
        n = e - p
        if not 0 <= n <= e - p:
            raise Unusual
        k_values = d[p : p + n]
        p += n
        x["values"] = bytes_to_json(k_values, None)
    if p > e:
        raise Unusual
    return x, p, k


def write_binary_row(
    c: Any, o: Any, p: int, b: int, x: Any, ux: Any, uk: Any, a_num_fields: Any
) -> Any:
    k = None
    n = 0
    v_null_words = x["null_words"]
    n_null_words = count_of(v_null_words, int)
    if n_null_words != ((a_num_fields + 71) // 64):
        raise Unusual
    o.append(pack(f"<{n_null_words}Q", *v_null_words))
    p += 8 * n_null_words
    v_fields = x["fields"]
    n_fields = count_of(v_fields, dict)
    if n_fields != a_num_fields:
        raise Unusual
    for item in v_fields:
        p, _ = write_binary_row_field(c, o, p, b, item, x, k)
    if "values" in x:
        k_values = bytes_from_json(x["values"], None)
        o.append(k_values)
        p += len(k_values)
        n += 1
    if len(x) != n + 2:
        raise Unusual
    return p, k


def read_serialized_row(c: Any, p: int, e: int, b: int, ux: Any, uk: Any) -> Any:
    d = c.data
    x: Any = {}
    k = None
    (v_num_fields,) = _S4BE.unpack_from(d, p)
    if v_num_fields < 0:
        raise Unusual
    x["num_fields"] = v_num_fields
    p += 4
    v_row, p, _ = read_binary_row(c, p, e, b, x, k, v_num_fields)
    x["row"] = v_row
    if p > e:
        raise Unusual
    return x, p, k


def write_serialized_row(c: Any, o: Any, p: int, b: int, x: Any, ux: Any, uk: Any) -> Any:
    k = None
    n = 0
    v_num_fields = x["num_fields"]
    if type(v_num_fields) is not int:
        raise Unusual
    o.append(_S4BE.pack(v_num_fields))
    p += 4
    v_row = x["row"]
    p, _ = write_binary_row(c, o, p, b, v_row, x, k, v_num_fields)
    if len(x) != n + 2:
        raise Unusual
    return p, k


def read_binary_row_field(c: Any, p: int, e: int, b: int, ux: Any, uk: Any) -> Any:
    d = c.data
    x: Any = {}
    k = None
    v_lower, v_upper = _U4LE_U4LE.unpack_from(d, p)
    x["lower"] = v_lower
    x["upper"] = v_upper
    p += 8
    if p > e:
        raise Unusual
    return x, p, k


def write_binary_row_field(c: Any, o: Any, p: int, b: int, x: Any, ux: Any, uk: Any) -> Any:
    k = None
    n = 0
    v_lower = x["lower"]
    v_upper = x["upper"]
    if type(v_lower) is not int or type(v_upper) is not int:
        raise Unusual
    o.append(_U4LE_U4LE.pack(v_lower, v_upper))
    p += 8
    if len(x) != n + 2:
        raise Unusual
    return p, k


def read_whole_fields(c: Any, p: int, e: int, b: int, ux: Any, uk: Any) -> Any:
    d = c.data
    x: Any = {}
    k = None
    n = (e - p) // 8
    v_words = list(unpack_from(f"<{n}Q", d, p))
    p += 8 * n
    x["words"] = v_words
    if p > e:
        raise Unusual
    return x, p, k


def write_whole_fields(c: Any, o: Any, p: int, b: int, x: Any, ux: Any, uk: Any) -> Any:
    k = None
    n = 0
    v_words = x["words"]
    n_words = count_of(v_words, int)
    o.append(pack(f"<{n_words}Q", *v_words))
    p += 8 * n_words
    if len(x) != n + 1:
        raise Unusual
    return p, k


def read_short_strings(c: Any, p: int, e: int, b: int, ux: Any, uk: Any) -> Any:
    x: Any = {}
    k = None
    v_fields: Any = []
    x["fields"] = v_fields
    while p < e:
        item, p, _ = read_short_string(c, p, e, b, x, k)
        v_fields.append(item)
    if p > e:
        raise Unusual
    return x, p, k


def write_short_strings(c: Any, o: Any, p: int, b: int, x: Any, ux: Any, uk: Any) -> Any:
    k = None
    n = 0
    v_fields = x["fields"]
    count_of(v_fields, dict)
    for item in v_fields:
        p, _ = write_short_string(c, o, p, b, item, x, k)
    if len(x) != n + 1:
        raise Unusual
    return p, k


def read_short_string(c: Any, p: int, e: int, b: int, ux: Any, uk: Any) -> Any:
    d = c.data
    x: Any = {}
    k = None
    n = 7
    if not 0 <= n <= e - p:
        raise Unusual
    k_value = d[p : p + n]
    p += n
    x["value"] = bytes_to_json(k_value, None)
    (v_mark,) = _U1.unpack_from(d, p)
    if v_mark < 128 or v_mark > 135:
        raise Unusual
    x["mark"] = v_mark
    p += 1
    if p > e:
        raise Unusual
    return x, p, k


def write_short_string(c: Any, o: Any, p: int, b: int, x: Any, ux: Any, uk: Any) -> Any:
    k = None
    n = 0
    k_value = bytes_from_json(x["value"], None)
    if len(k_value) != 7:
        raise Unusual
    o.append(k_value)
    p += len(k_value)
    v_mark = x["mark"]
    if type(v_mark) is not int:
        raise Unusual
    o.append(_U1.pack(v_mark))
    p += 1
    if len(x) != n + 2:
        raise Unusual
    return p, k


def read_unscaled_value(c: Any, p: int, e: int, b: int, ux: Any, uk: Any) -> Any:
    d = c.data
    x: Any = {}
    k = None
    n = e - p
    if not 0 <= n <= e - p:
        raise Unusual
    k_value = d[p : p + n]
    p += n
    x["value"] = bytes_to_json(k_value, "integer-be")
    if p > e:
        raise Unusual
    return x, p, k


def write_unscaled_value(c: Any, o: Any, p: int, b: int, x: Any, ux: Any, uk: Any) -> Any:
    k = None
    n = 0
    k_value = bytes_from_json(x["value"], "integer-be")
    o.append(k_value)
    p += len(k_value)
    if len(x) != n + 1:
        raise Unusual
    return p, k
