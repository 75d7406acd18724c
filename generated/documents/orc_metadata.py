# Generated from specs/orc_metadata.ksy by `python -m tools.ksy generate`. Do not edit.
"""Turns bytes of orc_metadata to JSON and back, straight through the fields.

Metadata of an ORC file, as the file has it.
"""

from __future__ import annotations

from struct import Struct
from typing import Any

from ..document import (
    Unusual,
    bytes_from_json,
    bytes_to_json,
    count_of,
)

_U1 = Struct(">B")
_U1_U2LE = Struct("<BH")


def read_orc_metadata(c: Any, p: int, e: int, b: int, ux: Any, uk: Any) -> Any:
    x: Any = {}
    k = None
    v_chunks: Any = []
    x["chunks"] = v_chunks
    while p < e:
        item, p, _ = read_orc_chunk(c, p, e, b, x, k)
        v_chunks.append(item)
    if p > e:
        raise Unusual
    return x, p, k


def write_orc_metadata(c: Any, o: Any, p: int, b: int, x: Any, ux: Any, uk: Any) -> Any:
    k = None
    n = 0
    v_chunks = x["chunks"]
    count_of(v_chunks, dict)
    for item in v_chunks:
        p, _ = write_orc_chunk(c, o, p, b, item, x, k)
    if len(x) != n + 1:
        raise Unusual
    return p, k


def read_orc_chunk(c: Any, p: int, e: int, b: int, ux: Any, uk: Any) -> Any:
    d = c.data
    x: Any = {}
    k = None
    v_low, v_high = _U1_U2LE.unpack_from(d, p)
    x["low"] = v_low
    x["high"] = v_high
    p += 3
    n = v_high * 128 + v_low // 2
    if not 0 <= n <= e - p:
        raise Unusual
    k_body = d[p : p + n]
    p += n
    x["body"] = bytes_to_json(k_body, None)
    if p > e:
        raise Unusual
    return x, p, k


def write_orc_chunk(c: Any, o: Any, p: int, b: int, x: Any, ux: Any, uk: Any) -> Any:
    k = None
    n = 0
    v_low = x["low"]
    v_high = x["high"]
    if type(v_low) is not int or type(v_high) is not int:
        raise Unusual
    o.append(_U1_U2LE.pack(v_low, v_high))
    p += 3
    k_body = bytes_from_json(x["body"], None)
    if len(k_body) != (v_high * 128 + v_low // 2):
        raise Unusual
    o.append(k_body)
    p += len(k_body)
    if len(x) != n + 3:
        raise Unusual
    return p, k


def read_orc_end(c: Any, p: int, e: int, b: int, ux: Any, uk: Any) -> Any:
    d = c.data
    x: Any = {}
    k = None
    (v_len_postscript,) = _U1.unpack_from(d, p)
    x["len_postscript"] = v_len_postscript
    p += 1
    if p > e:
        raise Unusual
    return x, p, k


def write_orc_end(c: Any, o: Any, p: int, b: int, x: Any, ux: Any, uk: Any) -> Any:
    k = None
    n = 0
    v_len_postscript = x["len_postscript"]
    if type(v_len_postscript) is not int:
        raise Unusual
    o.append(_U1.pack(v_len_postscript))
    p += 1
    if len(x) != n + 1:
        raise Unusual
    return p, k
