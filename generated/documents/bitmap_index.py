# Generated from specs/bitmap_index.ksy by `python -m tools.ksy generate`. Do not edit.
"""Turns bytes of bitmap_index to JSON and back, straight through the fields.

Bitmap index of a Paimon file index.
"""

from __future__ import annotations

from struct import Struct
from typing import Any

from ..document import (
    Unusual,
)
from .bitmap_index_v1 import read_bitmap_index_v1, write_bitmap_index_v1
from .bitmap_index_v2 import read_bitmap_index_v2, write_bitmap_index_v2

_U1 = Struct(">B")


def read_bitmap_index(c: Any, p: int, e: int, b: int, ux: Any, uk: Any, a_column_type: Any) -> Any:
    d = c.data
    x: Any = {}
    k = None
    (v_version,) = _U1.unpack_from(d, p)
    if v_version not in (
        1,
        2,
    ):
        raise Unusual
    x["version"] = v_version
    p += 1
    if v_version == 1:
        v_v1, p, _ = read_bitmap_index_v1(c, p, e, b, x, k, a_column_type)
        x["v1"] = v_v1
    if v_version == 2:
        v_v2, p, _ = read_bitmap_index_v2(c, p, e, b, x, k, a_column_type)
        x["v2"] = v_v2
    if p > e:
        raise Unusual
    return x, p, k


def write_bitmap_index(
    c: Any, o: Any, p: int, b: int, x: Any, ux: Any, uk: Any, a_column_type: Any
) -> Any:
    k = None
    n = 0
    v_version = x["version"]
    if type(v_version) is not int:
        raise Unusual
    o.append(_U1.pack(v_version))
    p += 1
    if v_version == 1:
        v_v1 = x["v1"]
        p, _ = write_bitmap_index_v1(c, o, p, b, v_v1, x, k, a_column_type)
        n += 1
    if v_version == 2:
        v_v2 = x["v2"]
        p, _ = write_bitmap_index_v2(c, o, p, b, v_v2, x, k, a_column_type)
        n += 1
    if len(x) != n + 1:
        raise Unusual
    return p, k
