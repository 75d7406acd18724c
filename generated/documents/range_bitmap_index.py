# Generated from specs/range_bitmap_index.ksy by `python -m tools.ksy generate`. Do not edit.
"""Turns bytes of range_bitmap_index to JSON and back, straight through the fields.

Range bitmap of a Paimon file index.
"""

from __future__ import annotations

from struct import Struct
from typing import Any

from ..document import (
    Unusual,
)
from .bit_slice_index import read_bit_slice_index, write_bit_slice_index
from .chunked_dictionary import read_chunked_dictionary, write_chunked_dictionary
from .typed_value import read_typed_value, write_typed_value

_S4BE = Struct(">i")
_U1_S4BE_S4BE = Struct(">Bii")


def read_range_bitmap_index(
    c: Any, p: int, e: int, b: int, ux: Any, uk: Any, a_column_type: Any
) -> Any:
    d = c.data
    x: Any = {}
    k: Any = {"column_type": a_column_type}
    (v_len_head,) = _S4BE.unpack_from(d, p)
    if v_len_head < 13:
        raise Unusual
    x["len_head"] = v_len_head
    p += 4
    k_head_start = p - b
    k["head_start"] = k_head_start
    v_version, v_num_rows, v_num_values = _U1_S4BE_S4BE.unpack_from(d, p)
    if v_version != 1:
        raise Unusual
    x["version"] = v_version
    if v_num_rows < 0:
        raise Unusual
    x["num_rows"] = v_num_rows
    if v_num_values < 0:
        raise Unusual
    x["num_values"] = v_num_values
    p += 9
    if v_num_values > 0:
        v_min, p, _ = read_typed_value(c, p, e, b, x, k, a_column_type)
        x["min"] = v_min
    if v_num_values > 0:
        v_max, p, _ = read_typed_value(c, p, e, b, x, k, a_column_type)
        x["max"] = v_max
    if a_column_type != 0:
        (v_len_dictionary,) = _S4BE.unpack_from(d, p)
        if v_len_dictionary < 0:
            raise Unusual
        x["len_dictionary"] = v_len_dictionary
        p += 4
    if p > e:
        raise Unusual
    c.todo.append((place_range_bitmap_index, x, k, e, b, ux, uk))
    return x, p, k


def write_range_bitmap_index(
    c: Any, o: Any, p: int, b: int, x: Any, ux: Any, uk: Any, a_column_type: Any
) -> Any:
    k: Any = {"column_type": a_column_type}
    n = 0
    v_len_head = x["len_head"]
    if type(v_len_head) is not int:
        raise Unusual
    o.append(_S4BE.pack(v_len_head))
    p += 4
    k_head_start = p - b
    k["head_start"] = k_head_start
    v_version = x["version"]
    v_num_rows = x["num_rows"]
    v_num_values = x["num_values"]
    if type(v_version) is not int or type(v_num_rows) is not int or type(v_num_values) is not int:
        raise Unusual
    o.append(_U1_S4BE_S4BE.pack(v_version, v_num_rows, v_num_values))
    p += 9
    if v_num_values > 0:
        v_min = x["min"]
        p, _ = write_typed_value(c, o, p, b, v_min, x, k, a_column_type)
        n += 1
    if v_num_values > 0:
        v_max = x["max"]
        p, _ = write_typed_value(c, o, p, b, v_max, x, k, a_column_type)
        n += 1
    if a_column_type != 0:
        v_len_dictionary = x["len_dictionary"]
        if type(v_len_dictionary) is not int:
            raise Unusual
        o.append(_S4BE.pack(v_len_dictionary))
        p += 4
        n += 1
    if len(x) != n + 4 + ("dictionary" in x) + ("slices" in x):
        raise Unusual
    c.todo.append((put_range_bitmap_index, x, k, b, ux, uk))
    return p, k


def place_range_bitmap_index(c: Any, x: Any, k: Any, e: int, b: int, ux: Any, uk: Any) -> None:
    del uk
    q = b + (k["head_start"] + x["len_head"])
    if not 0 <= q <= e:
        raise Unusual
    y, p, _ = read_chunked_dictionary(c, q, e, b, x, k, k["column_type"])
    x["dictionary"] = y
    c.cover.append((q, p))
    q = b + (k["head_start"] + x["len_head"] + x["len_dictionary"])
    if not 0 <= q <= e:
        raise Unusual
    y, p, _ = read_bit_slice_index(c, q, e, b, x, k)
    x["slices"] = y
    c.cover.append((q, p))


def put_range_bitmap_index(c: Any, x: Any, k: Any, b: int, ux: Any, uk: Any) -> None:
    del uk
    if "dictionary" in x:
        q = b + (k["head_start"] + x["len_head"])
        o: list[bytes] = []
        write_chunked_dictionary(c, o, q, b, x["dictionary"], x, k, k["column_type"])
        c.put(q, o)
    if "slices" in x:
        q = b + (k["head_start"] + x["len_head"] + x["len_dictionary"])
        o = []
        write_bit_slice_index(c, o, q, b, x["slices"], x, k)
        c.put(q, o)
