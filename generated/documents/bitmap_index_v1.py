# Generated from specs/bitmap_index_v1.ksy by `python -m tools.ksy generate`. Do not edit.
"""Turns bytes of bitmap_index_v1 to JSON and back, straight through the fields.

Bitmap index of a Paimon file index, version 1.
"""

from __future__ import annotations

from struct import Struct
from typing import Any

from ..document import (
    Unusual,
    count_of,
)
from .roaring_bitmap_32 import read_roaring_bitmap_32, write_roaring_bitmap_32
from .typed_value import read_typed_value, write_typed_value

_S4BE = Struct(">i")
_S4BE_S4BE_U1 = Struct(">iiB")


def read_bitmap_index_v1(
    c: Any, p: int, e: int, b: int, ux: Any, uk: Any, a_column_type: Any
) -> Any:
    d = c.data
    x: Any = {}
    k: Any = {"column_type": a_column_type}
    v_num_rows, v_num_values, v_has_null = _S4BE_S4BE_U1.unpack_from(d, p)
    if v_num_rows < 0:
        raise Unusual
    x["num_rows"] = v_num_rows
    if v_num_values < 0:
        raise Unusual
    x["num_values"] = v_num_values
    if v_has_null not in (
        0,
        1,
    ):
        raise Unusual
    x["has_null"] = v_has_null
    p += 9
    if v_has_null == 1:
        (v_ofs_null,) = _S4BE.unpack_from(d, p)
        x["ofs_null"] = v_ofs_null
        p += 4
    k_dictionary_start = p - b
    k["dictionary_start"] = k_dictionary_start
    if p > e:
        raise Unusual
    c.todo.append((place_bitmap_index_v1, x, k, e, b, ux, uk))
    return x, p, k


def write_bitmap_index_v1(
    c: Any, o: Any, p: int, b: int, x: Any, ux: Any, uk: Any, a_column_type: Any
) -> Any:
    k: Any = {"column_type": a_column_type}
    n = 0
    v_num_rows = x["num_rows"]
    v_num_values = x["num_values"]
    v_has_null = x["has_null"]
    if type(v_num_rows) is not int or type(v_num_values) is not int or type(v_has_null) is not int:
        raise Unusual
    o.append(_S4BE_S4BE_U1.pack(v_num_rows, v_num_values, v_has_null))
    p += 9
    if v_has_null == 1:
        v_ofs_null = x["ofs_null"]
        if type(v_ofs_null) is not int:
            raise Unusual
        o.append(_S4BE.pack(v_ofs_null))
        p += 4
        n += 1
    k_dictionary_start = p - b
    k["dictionary_start"] = k_dictionary_start
    if len(x) != n + 3 + ("dictionary" in x) + ("null_bitmap" in x):
        raise Unusual
    c.todo.append((put_bitmap_index_v1, x, k, b, ux, uk))
    return p, k


def place_bitmap_index_v1(c: Any, x: Any, k: Any, e: int, b: int, ux: Any, uk: Any) -> None:
    del uk
    q = b + k["dictionary_start"]
    if not 0 <= q <= e:
        raise Unusual
    y, p, k_dictionary = read_bitmap_dictionary_v1(
        c, q, e, b, x, k, x["num_values"], k["column_type"]
    )
    x["dictionary"] = y
    c.cover.append((q, p))
    if x["has_null"] == 1 and x["ofs_null"] >= 0:
        q = b + (k_dictionary["bitmaps_start"] + x["ofs_null"])
        if not 0 <= q <= e:
            raise Unusual
        y, p, _ = read_roaring_bitmap_32(c, q, e, b, x, k)
        x["null_bitmap"] = y
        c.cover.append((q, p))


def put_bitmap_index_v1(c: Any, x: Any, k: Any, b: int, ux: Any, uk: Any) -> None:
    del uk
    if "dictionary" in x:
        q = b + k["dictionary_start"]
        o: list[bytes] = []
        _, k_dictionary = write_bitmap_dictionary_v1(
            c, o, q, b, x["dictionary"], x, k, x["num_values"], k["column_type"]
        )
        c.put(q, o)
    if "null_bitmap" in x:
        if not (x["has_null"] == 1 and x["ofs_null"] >= 0):
            raise Unusual
        q = b + (k_dictionary["bitmaps_start"] + x["ofs_null"])
        o = []
        write_roaring_bitmap_32(c, o, q, b, x["null_bitmap"], x, k)
        c.put(q, o)


def read_bitmap_dictionary_v1(
    c: Any, p: int, e: int, b: int, ux: Any, uk: Any, a_num_values: Any, a_column_type: Any
) -> Any:
    x: Any = {}
    k: Any = {}
    v_entries: Any = []
    x["entries"] = v_entries
    n = a_num_values
    if n > e - p:
        raise Unusual
    for _ in range(n):
        item, p, _ = read_bitmap_entry_v1(c, p, e, b, x, k, a_column_type)
        v_entries.append(item)
    k_bitmaps_start = p - b
    k["bitmaps_start"] = k_bitmaps_start
    if p > e:
        raise Unusual
    return x, p, k


def write_bitmap_dictionary_v1(
    c: Any, o: Any, p: int, b: int, x: Any, ux: Any, uk: Any, a_num_values: Any, a_column_type: Any
) -> Any:
    k: Any = {}
    n = 0
    v_entries = x["entries"]
    n_entries = count_of(v_entries, dict)
    if n_entries != a_num_values:
        raise Unusual
    for item in v_entries:
        p, _ = write_bitmap_entry_v1(c, o, p, b, item, x, k, a_column_type)
    k_bitmaps_start = p - b
    k["bitmaps_start"] = k_bitmaps_start
    if len(x) != n + 1:
        raise Unusual
    return p, k


def read_bitmap_entry_v1(
    c: Any, p: int, e: int, b: int, ux: Any, uk: Any, a_column_type: Any
) -> Any:
    d = c.data
    x: Any = {}
    k = None
    v_key, p, _ = read_typed_value(c, p, e, b, x, k, a_column_type)
    x["key"] = v_key
    (v_ofs_bitmap,) = _S4BE.unpack_from(d, p)
    x["ofs_bitmap"] = v_ofs_bitmap
    p += 4
    if p > e:
        raise Unusual
    c.todo.append((place_bitmap_entry_v1, x, k, e, b, ux, uk))
    return x, p, k


def write_bitmap_entry_v1(
    c: Any, o: Any, p: int, b: int, x: Any, ux: Any, uk: Any, a_column_type: Any
) -> Any:
    k = None
    n = 0
    v_key = x["key"]
    p, _ = write_typed_value(c, o, p, b, v_key, x, k, a_column_type)
    v_ofs_bitmap = x["ofs_bitmap"]
    if type(v_ofs_bitmap) is not int:
        raise Unusual
    o.append(_S4BE.pack(v_ofs_bitmap))
    p += 4
    if len(x) != n + 2 + ("bitmap" in x):
        raise Unusual
    c.todo.append((put_bitmap_entry_v1, x, k, b, ux, uk))
    return p, k


def place_bitmap_entry_v1(c: Any, x: Any, k: Any, e: int, b: int, ux: Any, uk: Any) -> None:
    if not x["ofs_bitmap"] < 0:
        q = b + (uk["bitmaps_start"] + x["ofs_bitmap"])
        if not 0 <= q <= e:
            raise Unusual
        y, p, _ = read_roaring_bitmap_32(c, q, e, b, x, k)
        x["bitmap"] = y
        c.cover.append((q, p))


def put_bitmap_entry_v1(c: Any, x: Any, k: Any, b: int, ux: Any, uk: Any) -> None:
    if "bitmap" in x:
        if x["ofs_bitmap"] < 0:
            raise Unusual
        q = b + (uk["bitmaps_start"] + x["ofs_bitmap"])
        o: list[bytes] = []
        write_roaring_bitmap_32(c, o, q, b, x["bitmap"], x, k)
        c.put(q, o)
