# Generated from specs/deletion_vectors.ksy by `python -m tools.ksy generate`. Do not edit.
"""Turns bytes of deletion_vectors to JSON and back, straight through the fields.

Deletion vectors of Paimon data files.
"""

from __future__ import annotations

from struct import Struct
from typing import Any

from ..document import (
    Unusual,
    count_of,
)
from .roaring_bitmap_32 import read_roaring_bitmap_32, write_roaring_bitmap_32
from .roaring_bitmap_64 import read_roaring_bitmap_64, write_roaring_bitmap_64

_S4BE = Struct(">i")
_S4BE_U4BE = Struct(">iI")
_U1 = Struct(">B")
_U4BE = Struct(">I")


def read_deletion_vectors(c: Any, p: int, e: int, b: int, ux: Any, uk: Any) -> Any:
    d = c.data
    x: Any = {}
    k = None
    (v_version,) = _U1.unpack_from(d, p)
    if v_version != 1:
        raise Unusual
    x["version"] = v_version
    p += 1
    v_vectors: Any = []
    x["vectors"] = v_vectors
    while p < e:
        item, p, _ = read_deletion_vector(c, p, e, b, x, k)
        v_vectors.append(item)
    if p > e:
        raise Unusual
    return x, p, k


def write_deletion_vectors(c: Any, o: Any, p: int, b: int, x: Any, ux: Any, uk: Any) -> Any:
    k = None
    n = 0
    v_version = x["version"]
    if type(v_version) is not int:
        raise Unusual
    o.append(_U1.pack(v_version))
    p += 1
    v_vectors = x["vectors"]
    count_of(v_vectors, dict)
    for item in v_vectors:
        p, _ = write_deletion_vector(c, o, p, b, item, x, k)
    if len(x) != n + 2:
        raise Unusual
    return p, k


def read_deletion_vectors_head(c: Any, p: int, e: int, b: int, ux: Any, uk: Any) -> Any:
    d = c.data
    x: Any = {}
    k = None
    (v_version,) = _U1.unpack_from(d, p)
    if v_version != 1:
        raise Unusual
    x["version"] = v_version
    p += 1
    if p > e:
        raise Unusual
    return x, p, k


def write_deletion_vectors_head(c: Any, o: Any, p: int, b: int, x: Any, ux: Any, uk: Any) -> Any:
    k = None
    n = 0
    v_version = x["version"]
    if type(v_version) is not int:
        raise Unusual
    o.append(_U1.pack(v_version))
    p += 1
    if len(x) != n + 1:
        raise Unusual
    return p, k


def read_deletion_vector(c: Any, p: int, e: int, b: int, ux: Any, uk: Any) -> Any:
    d = c.data
    x: Any = {}
    k = None
    (v_len_data,) = _S4BE.unpack_from(d, p)
    if v_len_data < 12:
        raise Unusual
    x["len_data"] = v_len_data
    p += 4
    q = p + v_len_data
    if q > e:
        raise Unusual
    v_data, p, _ = read_deletion_vector_data(c, p, q, p, x, k)
    if p != q:
        raise Unusual
    x["data"] = v_data
    (v_crc32,) = _U4BE.unpack_from(d, p)
    x["crc32"] = v_crc32
    p += 4
    if p > e:
        raise Unusual
    return x, p, k


def write_deletion_vector(c: Any, o: Any, p: int, b: int, x: Any, ux: Any, uk: Any) -> Any:
    k = None
    n = 0
    v_len_data = x["len_data"]
    if type(v_len_data) is not int:
        raise Unusual
    o.append(_S4BE.pack(v_len_data))
    p += 4
    v_data = x["data"]
    q = p + v_len_data
    p, _ = write_deletion_vector_data(c, o, p, p, v_data, x, k)
    if p != q:
        raise Unusual
    v_crc32 = x["crc32"]
    if type(v_crc32) is not int:
        raise Unusual
    o.append(_U4BE.pack(v_crc32))
    p += 4
    if len(x) != n + 3:
        raise Unusual
    return p, k


def read_deletion_vector_data(c: Any, p: int, e: int, b: int, ux: Any, uk: Any) -> Any:
    d = c.data
    x: Any = {}
    k = None
    (v_kind,) = _U4BE.unpack_from(d, p)
    if v_kind not in (
        1581511376,
        3520280932,
    ):
        raise Unusual
    x["kind"] = v_kind
    p += 4
    if v_kind == 1581511376:
        v_bitmap_32, p, _ = read_roaring_bitmap_32(c, p, e, b, x, k)
        x["bitmap_32"] = v_bitmap_32
    if v_kind == 3520280932:
        v_bitmap_64, p, _ = read_roaring_bitmap_64(c, p, e, b, x, k)
        x["bitmap_64"] = v_bitmap_64
    if p > e:
        raise Unusual
    return x, p, k


def write_deletion_vector_data(c: Any, o: Any, p: int, b: int, x: Any, ux: Any, uk: Any) -> Any:
    k = None
    n = 0
    v_kind = x["kind"]
    if type(v_kind) is not int:
        raise Unusual
    o.append(_U4BE.pack(v_kind))
    p += 4
    if v_kind == 1581511376:
        v_bitmap_32 = x["bitmap_32"]
        p, _ = write_roaring_bitmap_32(c, o, p, b, v_bitmap_32, x, k)
        n += 1
    if v_kind == 3520280932:
        v_bitmap_64 = x["bitmap_64"]
        p, _ = write_roaring_bitmap_64(c, o, p, b, v_bitmap_64, x, k)
        n += 1
    if len(x) != n + 1:
        raise Unusual
    return p, k


def read_deletion_vector_start(c: Any, p: int, e: int, b: int, ux: Any, uk: Any) -> Any:
    d = c.data
    x: Any = {}
    k = None
    v_len_data, v_kind = _S4BE_U4BE.unpack_from(d, p)
    if v_len_data < 12:
        raise Unusual
    x["len_data"] = v_len_data
    if v_kind not in (
        1581511376,
        3520280932,
    ):
        raise Unusual
    x["kind"] = v_kind
    p += 8
    if p > e:
        raise Unusual
    return x, p, k


def write_deletion_vector_start(c: Any, o: Any, p: int, b: int, x: Any, ux: Any, uk: Any) -> Any:
    k = None
    n = 0
    v_len_data = x["len_data"]
    v_kind = x["kind"]
    if type(v_len_data) is not int or type(v_kind) is not int:
        raise Unusual
    o.append(_S4BE_U4BE.pack(v_len_data, v_kind))
    p += 8
    if len(x) != n + 2:
        raise Unusual
    return p, k


def read_deletion_vector_end(c: Any, p: int, e: int, b: int, ux: Any, uk: Any) -> Any:
    d = c.data
    x: Any = {}
    k = None
    (v_crc32,) = _U4BE.unpack_from(d, p)
    x["crc32"] = v_crc32
    p += 4
    if p > e:
        raise Unusual
    return x, p, k


def write_deletion_vector_end(c: Any, o: Any, p: int, b: int, x: Any, ux: Any, uk: Any) -> Any:
    k = None
    n = 0
    v_crc32 = x["crc32"]
    if type(v_crc32) is not int:
        raise Unusual
    o.append(_U4BE.pack(v_crc32))
    p += 4
    if len(x) != n + 1:
        raise Unusual
    return p, k
