# Generated from specs/roaring_bitmap_64.ksy by `python -m tools.ksy generate`. Do not edit.
"""Turns bytes of roaring_bitmap_64 to JSON and back, straight through the fields.

Roaring bitmap of 64-bit integers, portable format.
"""

from __future__ import annotations

from struct import Struct
from typing import Any

from ..document import (
    Unusual,
    add_to_runs,
    alike,
    count_of,
    run_of,
    runs,
)
from .roaring_bitmap_32 import read_roaring_bitmap_32, write_roaring_bitmap_32

_S4LE = Struct("<i")
_S4LE_U2LE_U2LE_U4LE = Struct("<iHHI")
_S8LE = Struct("<q")


def read_roaring_bitmap_64(c: Any, p: int, e: int, b: int, ux: Any, uk: Any) -> Any:
    d = c.data
    x: Any = {}
    k = None
    (v_num_bitmaps,) = _S8LE.unpack_from(d, p)
    if v_num_bitmaps < 0 or v_num_bitmaps > 2147483647:
        raise Unusual
    x["num_bitmaps"] = v_num_bitmaps
    p += 8
    v_bitmaps: Any = []
    x["bitmaps"] = v_bitmaps
    n = v_num_bitmaps
    if n > e - p:
        raise Unusual
    while n > 0:
        q = p
        item, p, _ = read_keyed_bitmap(c, p, e, b, x, k)
        add_to_runs(v_bitmaps, item, "key")
        n -= 1
        more = alike(d, q, p, n, _S4LE) - 1  # the last is read
        if more > 0:
            add_to_runs(v_bitmaps, item, "key", more)
            p, n = p + more * (p - q), n - more
    if p > e:
        raise Unusual
    return x, p, k


def write_roaring_bitmap_64(c: Any, o: Any, p: int, b: int, x: Any, ux: Any, uk: Any) -> Any:
    k = None
    n = 0
    v_num_bitmaps = x["num_bitmaps"]
    if type(v_num_bitmaps) is not int:
        raise Unusual
    o.append(_S8LE.pack(v_num_bitmaps))
    p += 8
    v_bitmaps = x["bitmaps"]
    v_bitmaps = runs(v_bitmaps, "key")
    if sum(many for _, many in v_bitmaps) != v_num_bitmaps:
        raise Unusual
    for item, many in v_bitmaps:
        r: Any = []
        q, _ = write_keyed_bitmap(c, r, p, b, item, x, k)
        o.append(run_of(b"".join(r), _S4LE, many))
        p += (q - p) * many
    if len(x) != n + 2:
        raise Unusual
    return p, k


def read_roaring_bitmap_64_head(c: Any, p: int, e: int, b: int, ux: Any, uk: Any) -> Any:
    d = c.data
    x: Any = {}
    k = None
    (v_num_bitmaps,) = _S8LE.unpack_from(d, p)
    if v_num_bitmaps < 0 or v_num_bitmaps > 2147483647:
        raise Unusual
    x["num_bitmaps"] = v_num_bitmaps
    p += 8
    if p > e:
        raise Unusual
    return x, p, k


def write_roaring_bitmap_64_head(c: Any, o: Any, p: int, b: int, x: Any, ux: Any, uk: Any) -> Any:
    k = None
    n = 0
    v_num_bitmaps = x["num_bitmaps"]
    if type(v_num_bitmaps) is not int:
        raise Unusual
    o.append(_S8LE.pack(v_num_bitmaps))
    p += 8
    if len(x) != n + 1:
        raise Unusual
    return p, k


def read_keyed_bitmap(c: Any, p: int, e: int, b: int, ux: Any, uk: Any) -> Any:
    d = c.data
    x: Any = {}
    k = None
    (v_key,) = _S4LE.unpack_from(d, p)
    if v_key < 0 or v_key > 2147483646:
        raise Unusual
    x["key"] = v_key
    p += 4
    v_bitmap, p, _ = read_roaring_bitmap_32(c, p, e, b, x, k)
    x["bitmap"] = v_bitmap
    if p > e:
        raise Unusual
    return x, p, k


def write_keyed_bitmap(c: Any, o: Any, p: int, b: int, x: Any, ux: Any, uk: Any) -> Any:
    k = None
    n = 0
    v_key = x["key"]
    if type(v_key) is not int:
        raise Unusual
    o.append(_S4LE.pack(v_key))
    p += 4
    v_bitmap = x["bitmap"]
    p, _ = write_roaring_bitmap_32(c, o, p, b, v_bitmap, x, k)
    if len(x) != n + 2:
        raise Unusual
    return p, k


def read_keyed_bitmap_head(c: Any, p: int, e: int, b: int, ux: Any, uk: Any) -> Any:
    d = c.data
    x: Any = {}
    k = None
    (v_key,) = _S4LE.unpack_from(d, p)
    if v_key < 0 or v_key > 2147483646:
        raise Unusual
    x["key"] = v_key
    p += 4
    if p > e:
        raise Unusual
    return x, p, k


def write_keyed_bitmap_head(c: Any, o: Any, p: int, b: int, x: Any, ux: Any, uk: Any) -> Any:
    k = None
    n = 0
    v_key = x["key"]
    if type(v_key) is not int:
        raise Unusual
    o.append(_S4LE.pack(v_key))
    p += 4
    if len(x) != n + 1:
        raise Unusual
    return p, k


def read_keyed_bitmap_starts(
    c: Any, p: int, e: int, b: int, ux: Any, uk: Any, a_num_starts: Any
) -> Any:
    x: Any = {}
    k = None
    v_starts: Any = []
    x["starts"] = v_starts
    n = a_num_starts
    if n > e - p:
        raise Unusual
    for _ in range(n):
        item, p, _ = read_keyed_bitmap_start(c, p, e, b, x, k)
        v_starts.append(item)
    if p > e:
        raise Unusual
    return x, p, k


def write_keyed_bitmap_starts(
    c: Any, o: Any, p: int, b: int, x: Any, ux: Any, uk: Any, a_num_starts: Any
) -> Any:
    k = None
    n = 0
    v_starts = x["starts"]
    n_starts = count_of(v_starts, dict)
    if n_starts != a_num_starts:
        raise Unusual
    for item in v_starts:
        p, _ = write_keyed_bitmap_start(c, o, p, b, item, x, k)
    if len(x) != n + 1:
        raise Unusual
    return p, k


def read_keyed_bitmap_start(c: Any, p: int, e: int, b: int, ux: Any, uk: Any) -> Any:
    d = c.data
    x: Any = {}
    k = None
    v_key, v_cookie, v_num_containers_minus_1, v_num_containers = _S4LE_U2LE_U2LE_U4LE.unpack_from(
        d, p
    )
    x["key"] = v_key
    x["cookie"] = v_cookie
    x["num_containers_minus_1"] = v_num_containers_minus_1
    x["num_containers"] = v_num_containers
    p += 12
    if p > e:
        raise Unusual
    return x, p, k


def write_keyed_bitmap_start(c: Any, o: Any, p: int, b: int, x: Any, ux: Any, uk: Any) -> Any:
    k = None
    n = 0
    v_key = x["key"]
    v_cookie = x["cookie"]
    v_num_containers_minus_1 = x["num_containers_minus_1"]
    v_num_containers = x["num_containers"]
    if (
        type(v_key) is not int
        or type(v_cookie) is not int
        or type(v_num_containers_minus_1) is not int
        or type(v_num_containers) is not int
    ):
        raise Unusual
    o.append(_S4LE_U2LE_U2LE_U4LE.pack(v_key, v_cookie, v_num_containers_minus_1, v_num_containers))
    p += 12
    if len(x) != n + 4:
        raise Unusual
    return p, k
