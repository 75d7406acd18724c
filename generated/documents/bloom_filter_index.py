# Generated from specs/bloom_filter_index.ksy by `python -m tools.ksy generate`. Do not edit.
"""Turns bytes of bloom_filter_index to JSON and back, straight through the fields.

Bloom filter of a Paimon file index.
"""

from __future__ import annotations

from struct import Struct
from typing import Any

from ..document import (
    Unusual,
    bytes_from_json,
    bytes_to_json,
)

_S4BE = Struct(">i")


def read_bloom_filter_index(
    c: Any, p: int, e: int, b: int, ux: Any, uk: Any, a_len_body: Any
) -> Any:
    d = c.data
    x: Any = {}
    k: Any = {"len_body": a_len_body}
    (v_num_hashes,) = _S4BE.unpack_from(d, p)
    if v_num_hashes < 1 or v_num_hashes > 1079:
        raise Unusual
    x["num_hashes"] = v_num_hashes
    p += 4
    k_bits_start = p - b
    k["bits_start"] = k_bits_start
    if p > e:
        raise Unusual
    c.todo.append((place_bloom_filter_index, x, k, e, b, ux, uk))
    return x, p, k


def write_bloom_filter_index(
    c: Any, o: Any, p: int, b: int, x: Any, ux: Any, uk: Any, a_len_body: Any
) -> Any:
    k: Any = {"len_body": a_len_body}
    n = 0
    v_num_hashes = x["num_hashes"]
    if type(v_num_hashes) is not int:
        raise Unusual
    o.append(_S4BE.pack(v_num_hashes))
    p += 4
    k_bits_start = p - b
    k["bits_start"] = k_bits_start
    if len(x) != n + 1 + ("bits" in x):
        raise Unusual
    c.todo.append((put_bloom_filter_index, x, k, b, ux, uk))
    return p, k


def place_bloom_filter_index(c: Any, x: Any, k: Any, e: int, b: int, ux: Any, uk: Any) -> None:
    del uk
    q = b + k["bits_start"]
    if q not in c.parts:
        n = k["len_body"] - 4
        if not (n >= 0 and 0 <= q <= e - n):
            raise Unusual
        x["bits"] = bytes_to_json(c.data[q : q + n], None)
        c.cover.append((q, q + n))


def put_bloom_filter_index(c: Any, x: Any, k: Any, b: int, ux: Any, uk: Any) -> None:
    del uk
    if "bits" in x:
        q = b + k["bits_start"]
        if q not in c.parts:
            found = bytes_from_json(x["bits"], None)
            if len(found) != (k["len_body"] - 4):
                raise Unusual
            c.put(q, [found])
