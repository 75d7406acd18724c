# Generated from specs/bit_slice_index.ksy by `python -m tools.ksy generate`. Do not edit.
"""Turns bytes of bit_slice_index to JSON and back, straight through the fields.

Bit-slice index of a range bitmap.
"""

from __future__ import annotations

from struct import Struct
from typing import Any

from ..document import (
    Unusual,
    count_of,
)
from .roaring_bitmap_32 import read_roaring_bitmap_32, write_roaring_bitmap_32

_S4BE = Struct(">i")
_S4BE_S4BE = Struct(">ii")
_U1_U1_S4BE_S4BE = Struct(">BBii")


def read_bit_slice_index(c: Any, p: int, e: int, b: int, ux: Any, uk: Any) -> Any:
    d = c.data
    x: Any = {}
    k: Any = {}
    (v_len_head,) = _S4BE.unpack_from(d, p)
    if v_len_head < 10:
        raise Unusual
    x["len_head"] = v_len_head
    p += 4
    k_head_start = p - b
    k["head_start"] = k_head_start
    v_version, v_num_slices, v_len_rows, v_len_slices = _U1_U1_S4BE_S4BE.unpack_from(d, p)
    if v_version != 1:
        raise Unusual
    x["version"] = v_version
    if v_num_slices > 64:
        raise Unusual
    x["num_slices"] = v_num_slices
    if v_len_rows < 0:
        raise Unusual
    x["len_rows"] = v_len_rows
    if v_len_slices != (v_num_slices * 8):
        raise Unusual
    x["len_slices"] = v_len_slices
    p += 10
    v_slices: Any = []
    x["slices"] = v_slices
    n = v_num_slices
    if n > e - p:
        raise Unusual
    for _ in range(n):
        item, p, _ = read_bit_slice(c, p, e, b, x, k)
        v_slices.append(item)
    if p > e:
        raise Unusual
    c.todo.append((place_bit_slice_index, x, k, e, b, ux, uk))
    return x, p, k


def write_bit_slice_index(c: Any, o: Any, p: int, b: int, x: Any, ux: Any, uk: Any) -> Any:
    k: Any = {}
    n = 0
    v_len_head = x["len_head"]
    if type(v_len_head) is not int:
        raise Unusual
    o.append(_S4BE.pack(v_len_head))
    p += 4
    k_head_start = p - b
    k["head_start"] = k_head_start
    v_version = x["version"]
    v_num_slices = x["num_slices"]
    v_len_rows = x["len_rows"]
    v_len_slices = x["len_slices"]
    if (
        type(v_version) is not int
        or type(v_num_slices) is not int
        or type(v_len_rows) is not int
        or type(v_len_slices) is not int
    ):
        raise Unusual
    o.append(_U1_U1_S4BE_S4BE.pack(v_version, v_num_slices, v_len_rows, v_len_slices))
    p += 10
    v_slices = x["slices"]
    n_slices = count_of(v_slices, dict)
    if n_slices != v_num_slices:
        raise Unusual
    for item in v_slices:
        p, _ = write_bit_slice(c, o, p, b, item, x, k)
    if len(x) != n + 6 + ("rows" in x):
        raise Unusual
    c.todo.append((put_bit_slice_index, x, k, b, ux, uk))
    return p, k


def place_bit_slice_index(c: Any, x: Any, k: Any, e: int, b: int, ux: Any, uk: Any) -> None:
    del uk
    q = b + (k["head_start"] + x["len_head"])
    z = q + x["len_rows"]
    if not 0 <= q <= z <= e:
        raise Unusual
    y, p, _ = read_roaring_bitmap_32(c, q, z, q, x, k)
    x["rows"] = y
    c.cover.append((q, p))


def put_bit_slice_index(c: Any, x: Any, k: Any, b: int, ux: Any, uk: Any) -> None:
    del uk
    if "rows" in x:
        q = b + (k["head_start"] + x["len_head"])
        o: list[bytes] = []
        p, _ = write_roaring_bitmap_32(c, o, q, q, x["rows"], x, k)
        if p - q > x["len_rows"]:
            raise Unusual
        c.put(q, o)


def read_bit_slice(c: Any, p: int, e: int, b: int, ux: Any, uk: Any) -> Any:
    d = c.data
    x: Any = {}
    k = None
    v_ofs_bitmap, v_len_bitmap = _S4BE_S4BE.unpack_from(d, p)
    if v_ofs_bitmap < 0:
        raise Unusual
    x["ofs_bitmap"] = v_ofs_bitmap
    if v_len_bitmap < 0:
        raise Unusual
    x["len_bitmap"] = v_len_bitmap
    p += 8
    if p > e:
        raise Unusual
    c.todo.append((place_bit_slice, x, k, e, b, ux, uk))
    return x, p, k


def write_bit_slice(c: Any, o: Any, p: int, b: int, x: Any, ux: Any, uk: Any) -> Any:
    k = None
    n = 0
    v_ofs_bitmap = x["ofs_bitmap"]
    v_len_bitmap = x["len_bitmap"]
    if type(v_ofs_bitmap) is not int or type(v_len_bitmap) is not int:
        raise Unusual
    o.append(_S4BE_S4BE.pack(v_ofs_bitmap, v_len_bitmap))
    p += 8
    if len(x) != n + 2 + ("bitmap" in x):
        raise Unusual
    c.todo.append((put_bit_slice, x, k, b, ux, uk))
    return p, k


def place_bit_slice(c: Any, x: Any, k: Any, e: int, b: int, ux: Any, uk: Any) -> None:
    q = b + ((uk["head_start"] + ux["len_head"]) + ux["len_rows"] + x["ofs_bitmap"])
    z = q + x["len_bitmap"]
    if not 0 <= q <= z <= e:
        raise Unusual
    y, p, _ = read_roaring_bitmap_32(c, q, z, q, x, k)
    x["bitmap"] = y
    c.cover.append((q, p))


def put_bit_slice(c: Any, x: Any, k: Any, b: int, ux: Any, uk: Any) -> None:
    if "bitmap" in x:
        q = b + ((uk["head_start"] + ux["len_head"]) + ux["len_rows"] + x["ofs_bitmap"])
        o: list[bytes] = []
        p, _ = write_roaring_bitmap_32(c, o, q, q, x["bitmap"], x, k)
        if p - q > x["len_bitmap"]:
            raise Unusual
        c.put(q, o)
