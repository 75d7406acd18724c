# Generated from specs/file_index.ksy by `python -m tools.ksy generate`. Do not edit.
"""Turns bytes of file_index to JSON and back, straight through the fields.

Apache Paimon file index.
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
from .java_utf8 import read_java_utf8, write_java_utf8

_S4BE = Struct(">i")
_S4BE_S4BE = Struct(">ii")


def read_file_index(c: Any, p: int, e: int, b: int, ux: Any, uk: Any) -> Any:
    d = c.data
    x: Any = {}
    k = None
    n = 8
    if not 0 <= n <= e - p:
        raise Unusual
    k_magic = d[p : p + n]
    p += n
    if k_magic != b"\x00\x05NN\xd0\x1a5\xae":
        raise Unusual
    x["magic"] = bytes_to_json(k_magic, None)
    v_version, v_len_head = _S4BE_S4BE.unpack_from(d, p)
    if v_version != 1:
        raise Unusual
    x["version"] = v_version
    if v_len_head < 16:
        raise Unusual
    x["len_head"] = v_len_head
    p += 8
    k_head_start = p - b
    q = p + (v_len_head - k_head_start)
    if q > e:
        raise Unusual
    v_head, p, _ = read_file_index_head(c, p, q, p, x, k)
    if p != q:
        raise Unusual
    x["head"] = v_head
    if p > e:
        raise Unusual
    return x, p, k


def write_file_index(c: Any, o: Any, p: int, b: int, x: Any, ux: Any, uk: Any) -> Any:
    k = None
    n = 0
    k_magic = bytes_from_json(x["magic"], None)
    o.append(k_magic)
    p += len(k_magic)
    v_version = x["version"]
    v_len_head = x["len_head"]
    if type(v_version) is not int or type(v_len_head) is not int:
        raise Unusual
    o.append(_S4BE_S4BE.pack(v_version, v_len_head))
    p += 8
    k_head_start = p - b
    v_head = x["head"]
    q = p + (v_len_head - k_head_start)
    p, _ = write_file_index_head(c, o, p, p, v_head, x, k)
    if p != q:
        raise Unusual
    if len(x) != n + 4:
        raise Unusual
    return p, k


def read_file_index_head(c: Any, p: int, e: int, b: int, ux: Any, uk: Any) -> Any:
    d = c.data
    x: Any = {}
    k = None
    (v_num_columns,) = _S4BE.unpack_from(d, p)
    if v_num_columns < 0:
        raise Unusual
    x["num_columns"] = v_num_columns
    p += 4
    v_columns: Any = []
    x["columns"] = v_columns
    n = v_num_columns
    if n > e - p:
        raise Unusual
    for _ in range(n):
        item, p, _ = read_file_index_column(c, p, e, b, x, k)
        v_columns.append(item)
    if p != e:
        (v_len_redundant,) = _S4BE.unpack_from(d, p)
        if v_len_redundant < 0:
            raise Unusual
        x["len_redundant"] = v_len_redundant
        p += 4
    if p != e:
        n = v_len_redundant
        if not 0 <= n <= e - p:
            raise Unusual
        k_redundant = d[p : p + n]
        p += n
        x["redundant"] = bytes_to_json(k_redundant, None)
    if p > e:
        raise Unusual
    return x, p, k


def write_file_index_head(c: Any, o: Any, p: int, b: int, x: Any, ux: Any, uk: Any) -> Any:
    k = None
    n = 0
    v_num_columns = x["num_columns"]
    if type(v_num_columns) is not int:
        raise Unusual
    o.append(_S4BE.pack(v_num_columns))
    p += 4
    v_columns = x["columns"]
    n_columns = count_of(v_columns, dict)
    if n_columns != v_num_columns:
        raise Unusual
    for item in v_columns:
        p, _ = write_file_index_column(c, o, p, b, item, x, k)
    if "len_redundant" in x:
        v_len_redundant = x["len_redundant"]
        if type(v_len_redundant) is not int:
            raise Unusual
        o.append(_S4BE.pack(v_len_redundant))
        p += 4
        n += 1
    if "redundant" in x:
        k_redundant = bytes_from_json(x["redundant"], None)
        if len(k_redundant) != v_len_redundant:
            raise Unusual
        o.append(k_redundant)
        p += len(k_redundant)
        n += 1
    if len(x) != n + 2:
        raise Unusual
    return p, k


def read_file_index_column(c: Any, p: int, e: int, b: int, ux: Any, uk: Any) -> Any:
    d = c.data
    x: Any = {}
    k = None
    v_name, p, _ = read_java_utf8(c, p, e, b, x, k)
    x["name"] = v_name
    (v_num_indexes,) = _S4BE.unpack_from(d, p)
    if v_num_indexes < 0:
        raise Unusual
    x["num_indexes"] = v_num_indexes
    p += 4
    v_indexes: Any = []
    x["indexes"] = v_indexes
    n = v_num_indexes
    if n > e - p:
        raise Unusual
    for _ in range(n):
        item, p, _ = read_file_index_entry(c, p, e, b, x, k)
        v_indexes.append(item)
    if p > e:
        raise Unusual
    return x, p, k


def write_file_index_column(c: Any, o: Any, p: int, b: int, x: Any, ux: Any, uk: Any) -> Any:
    k = None
    n = 0
    v_name = x["name"]
    p, _ = write_java_utf8(c, o, p, b, v_name, x, k)
    v_num_indexes = x["num_indexes"]
    if type(v_num_indexes) is not int:
        raise Unusual
    o.append(_S4BE.pack(v_num_indexes))
    p += 4
    v_indexes = x["indexes"]
    n_indexes = count_of(v_indexes, dict)
    if n_indexes != v_num_indexes:
        raise Unusual
    for item in v_indexes:
        p, _ = write_file_index_entry(c, o, p, b, item, x, k)
    if len(x) != n + 3:
        raise Unusual
    return p, k


def read_file_index_entry(c: Any, p: int, e: int, b: int, ux: Any, uk: Any) -> Any:
    d = c.data
    x: Any = {}
    k = None
    v_index_type, p, _ = read_java_utf8(c, p, e, b, x, k)
    x["index_type"] = v_index_type
    v_ofs_body, v_len_body = _S4BE_S4BE.unpack_from(d, p)
    if v_ofs_body < (-1):
        raise Unusual
    x["ofs_body"] = v_ofs_body
    x["len_body"] = v_len_body
    p += 8
    if p > e:
        raise Unusual
    c.todo.append((place_file_index_entry, x, k, e, b, ux, uk))
    return x, p, k


def write_file_index_entry(c: Any, o: Any, p: int, b: int, x: Any, ux: Any, uk: Any) -> Any:
    k = None
    n = 0
    v_index_type = x["index_type"]
    p, _ = write_java_utf8(c, o, p, b, v_index_type, x, k)
    v_ofs_body = x["ofs_body"]
    v_len_body = x["len_body"]
    if type(v_ofs_body) is not int or type(v_len_body) is not int:
        raise Unusual
    o.append(_S4BE_S4BE.pack(v_ofs_body, v_len_body))
    p += 8
    if len(x) != n + 3 + ("body" in x):
        raise Unusual
    c.todo.append((put_file_index_entry, x, k, b, ux, uk))
    return p, k


def place_file_index_entry(c: Any, x: Any, k: Any, e: int, b: int, ux: Any, uk: Any) -> None:
    del uk
    if x["ofs_body"] != -1:
        q = x["ofs_body"]
        if q not in c.parts:
            n = x["len_body"]
            if not (n >= 0 and 0 <= q <= len(c.data) - n):
                raise Unusual
            x["body"] = bytes_to_json(c.data[q : q + n], None)
            c.cover.append((q, q + n))


def put_file_index_entry(c: Any, x: Any, k: Any, b: int, ux: Any, uk: Any) -> None:
    del uk
    if "body" in x:
        if x["ofs_body"] == -1:
            raise Unusual
        q = x["ofs_body"]
        if q not in c.parts:
            found = bytes_from_json(x["body"], None)
            if len(found) != x["len_body"]:
                raise Unusual
            c.put(q, [found])
