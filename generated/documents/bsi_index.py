# Generated from specs/bsi_index.ksy by `python -m tools.ksy generate`. Do not edit.
"""Turns bytes of bsi_index to JSON and back, straight through the fields.

Bit-slice index (bsi) of a Paimon file index.
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
_S8BE = Struct(">q")
_U1 = Struct(">B")
_U1_S4BE = Struct(">Bi")


def read_bsi_index(c: Any, p: int, e: int, b: int, ux: Any, uk: Any) -> Any:
    x: Any = {}
    k = None
    v_head, p, _ = read_bsi_head(c, p, e, b, x, k)
    x["head"] = v_head
    v_positive, p, _ = read_bsi_part(c, p, e, b, x, k)
    x["positive"] = v_positive
    v_negative, p, _ = read_bsi_part(c, p, e, b, x, k)
    x["negative"] = v_negative
    if p > e:
        raise Unusual
    return x, p, k


def write_bsi_index(c: Any, o: Any, p: int, b: int, x: Any, ux: Any, uk: Any) -> Any:
    k = None
    n = 0
    v_head = x["head"]
    p, _ = write_bsi_head(c, o, p, b, v_head, x, k)
    v_positive = x["positive"]
    p, _ = write_bsi_part(c, o, p, b, v_positive, x, k)
    v_negative = x["negative"]
    p, _ = write_bsi_part(c, o, p, b, v_negative, x, k)
    if len(x) != n + 3:
        raise Unusual
    return p, k


def read_bsi_head(c: Any, p: int, e: int, b: int, ux: Any, uk: Any) -> Any:
    d = c.data
    x: Any = {}
    k = None
    v_version, v_num_rows = _U1_S4BE.unpack_from(d, p)
    if v_version != 1:
        raise Unusual
    x["version"] = v_version
    if v_num_rows < 0:
        raise Unusual
    x["num_rows"] = v_num_rows
    p += 5
    if p > e:
        raise Unusual
    return x, p, k


def write_bsi_head(c: Any, o: Any, p: int, b: int, x: Any, ux: Any, uk: Any) -> Any:
    k = None
    n = 0
    v_version = x["version"]
    v_num_rows = x["num_rows"]
    if type(v_version) is not int or type(v_num_rows) is not int:
        raise Unusual
    o.append(_U1_S4BE.pack(v_version, v_num_rows))
    p += 5
    if len(x) != n + 2:
        raise Unusual
    return p, k


def read_bsi_part(c: Any, p: int, e: int, b: int, ux: Any, uk: Any) -> Any:
    x: Any = {}
    k = None
    v_head, p, _ = read_bsi_part_head(c, p, e, b, x, k)
    x["head"] = v_head
    if v_head["has_rows"] == 1:
        v_rows, p, _ = read_roaring_bitmap_32(c, p, e, b, x, k)
        x["rows"] = v_rows
    if v_head["has_rows"] == 1:
        v_slices, p, _ = read_bsi_slices(c, p, e, b, x, k, True)
        x["slices"] = v_slices
    if p > e:
        raise Unusual
    return x, p, k


def write_bsi_part(c: Any, o: Any, p: int, b: int, x: Any, ux: Any, uk: Any) -> Any:
    k = None
    n = 0
    v_head = x["head"]
    p, _ = write_bsi_part_head(c, o, p, b, v_head, x, k)
    if v_head["has_rows"] == 1:
        v_rows = x["rows"]
        p, _ = write_roaring_bitmap_32(c, o, p, b, v_rows, x, k)
        n += 1
    if v_head["has_rows"] == 1:
        v_slices = x["slices"]
        p, _ = write_bsi_slices(c, o, p, b, v_slices, x, k, True)
        n += 1
    if len(x) != n + 1:
        raise Unusual
    return p, k


def read_bsi_part_head(c: Any, p: int, e: int, b: int, ux: Any, uk: Any) -> Any:
    d = c.data
    x: Any = {}
    k = None
    (v_has_rows,) = _U1.unpack_from(d, p)
    if v_has_rows not in (
        0,
        1,
    ):
        raise Unusual
    x["has_rows"] = v_has_rows
    p += 1
    if v_has_rows == 1:
        (v_version,) = _U1.unpack_from(d, p)
        if v_version != 1:
            raise Unusual
        x["version"] = v_version
        p += 1
    if v_has_rows == 1:
        (v_min,) = _S8BE.unpack_from(d, p)
        if v_min < 0:
            raise Unusual
        x["min"] = v_min
        p += 8
    if v_has_rows == 1:
        (v_max,) = _S8BE.unpack_from(d, p)
        if v_max < v_min:
            raise Unusual
        x["max"] = v_max
        p += 8
    if p > e:
        raise Unusual
    return x, p, k


def write_bsi_part_head(c: Any, o: Any, p: int, b: int, x: Any, ux: Any, uk: Any) -> Any:
    k = None
    n = 0
    v_has_rows = x["has_rows"]
    if type(v_has_rows) is not int:
        raise Unusual
    o.append(_U1.pack(v_has_rows))
    p += 1
    if v_has_rows == 1:
        v_version = x["version"]
        if type(v_version) is not int:
            raise Unusual
        o.append(_U1.pack(v_version))
        p += 1
        n += 1
    if v_has_rows == 1:
        v_min = x["min"]
        if type(v_min) is not int:
            raise Unusual
        o.append(_S8BE.pack(v_min))
        p += 8
        n += 1
    if v_has_rows == 1:
        v_max = x["max"]
        if type(v_max) is not int:
            raise Unusual
        o.append(_S8BE.pack(v_max))
        p += 8
        n += 1
    if len(x) != n + 1:
        raise Unusual
    return p, k


def read_bsi_slices(c: Any, p: int, e: int, b: int, ux: Any, uk: Any, a_with_bitmaps: Any) -> Any:
    d = c.data
    x: Any = {}
    k = None
    (v_num_bitmaps,) = _S4BE.unpack_from(d, p)
    if v_num_bitmaps < 0 or v_num_bitmaps > 64:
        raise Unusual
    x["num_bitmaps"] = v_num_bitmaps
    p += 4
    if a_with_bitmaps:
        v_bitmaps: Any = []
        x["bitmaps"] = v_bitmaps
        n = v_num_bitmaps
        if n > e - p:
            raise Unusual
        for _ in range(n):
            item, p, _ = read_roaring_bitmap_32(c, p, e, b, x, k)
            v_bitmaps.append(item)
    if p > e:
        raise Unusual
    return x, p, k


def write_bsi_slices(
    c: Any, o: Any, p: int, b: int, x: Any, ux: Any, uk: Any, a_with_bitmaps: Any
) -> Any:
    k = None
    n = 0
    v_num_bitmaps = x["num_bitmaps"]
    if type(v_num_bitmaps) is not int:
        raise Unusual
    o.append(_S4BE.pack(v_num_bitmaps))
    p += 4
    if a_with_bitmaps:
        v_bitmaps = x["bitmaps"]
        n_bitmaps = count_of(v_bitmaps, dict)
        if n_bitmaps != v_num_bitmaps:
            raise Unusual
        for item in v_bitmaps:
            p, _ = write_roaring_bitmap_32(c, o, p, b, item, x, k)
        n += 1
    if len(x) != n + 1:
        raise Unusual
    return p, k
