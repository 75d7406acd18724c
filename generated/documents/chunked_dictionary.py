# Generated from specs/chunked_dictionary.ksy by `python -m tools.ksy generate`. Do not edit.
"""Turns bytes of chunked_dictionary to JSON and back, straight through the fields.

Chunked dictionary of a range bitmap.
"""

from __future__ import annotations

from struct import Struct, pack, unpack_from
from typing import Any

from ..document import (
    Unusual,
    count_of,
)
from .typed_value import read_typed_value, write_typed_value

_S4BE = Struct(">i")
_S4BE_S4BE_S4BE_S4BE_S4BE = Struct(">iiiii")
_U1 = Struct(">B")
_U1_S4BE_S4BE_S4BE = Struct(">Biii")


def read_chunked_dictionary(
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
    v_version, v_num_chunks, v_len_offsets, v_len_chunks = _U1_S4BE_S4BE_S4BE.unpack_from(d, p)
    if v_version != 1:
        raise Unusual
    x["version"] = v_version
    if v_num_chunks < 0:
        raise Unusual
    x["num_chunks"] = v_num_chunks
    if v_len_offsets != (v_num_chunks * 4):
        raise Unusual
    x["len_offsets"] = v_len_offsets
    if v_len_chunks < 0:
        raise Unusual
    x["len_chunks"] = v_len_chunks
    p += 13
    if p > e:
        raise Unusual
    c.todo.append((place_chunked_dictionary, x, k, e, b, ux, uk))
    return x, p, k


def write_chunked_dictionary(
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
    v_num_chunks = x["num_chunks"]
    v_len_offsets = x["len_offsets"]
    v_len_chunks = x["len_chunks"]
    if (
        type(v_version) is not int
        or type(v_num_chunks) is not int
        or type(v_len_offsets) is not int
        or type(v_len_chunks) is not int
    ):
        raise Unusual
    o.append(_U1_S4BE_S4BE_S4BE.pack(v_version, v_num_chunks, v_len_offsets, v_len_chunks))
    p += 13
    if len(x) != n + 5 + ("heads" in x):
        raise Unusual
    c.todo.append((put_chunked_dictionary, x, k, b, ux, uk))
    return p, k


def place_chunked_dictionary(c: Any, x: Any, k: Any, e: int, b: int, ux: Any, uk: Any) -> None:
    del uk
    q = b + (k["head_start"] + x["len_head"])
    if not 0 <= q <= e:
        raise Unusual
    y, p, _ = read_dictionary_chunks(c, q, e, b, x, k, x["num_chunks"], k["column_type"])
    x["heads"] = y
    c.cover.append((q, p))


def put_chunked_dictionary(c: Any, x: Any, k: Any, b: int, ux: Any, uk: Any) -> None:
    del uk
    if "heads" in x:
        q = b + (k["head_start"] + x["len_head"])
        o: list[bytes] = []
        write_dictionary_chunks(c, o, q, b, x["heads"], x, k, x["num_chunks"], k["column_type"])
        c.put(q, o)


def read_dictionary_chunks(
    c: Any, p: int, e: int, b: int, ux: Any, uk: Any, a_num_chunks: Any, a_column_type: Any
) -> Any:
    d = c.data
    x: Any = {}
    k: Any = {}
    n = a_num_chunks
    v_ofs_chunks = list(unpack_from(f">{n}i", d, p))
    p += 4 * n
    x["ofs_chunks"] = v_ofs_chunks
    if a_column_type != 8:
        v_fixed_chunks: Any = []
        x["fixed_chunks"] = v_fixed_chunks
        n = a_num_chunks
        if n > e - p:
            raise Unusual
        for _ in range(n):
            item, p, _ = read_fixed_chunk(c, p, e, b, x, k, a_column_type)
            v_fixed_chunks.append(item)
    if a_column_type == 8:
        v_text_chunks: Any = []
        x["text_chunks"] = v_text_chunks
        n = a_num_chunks
        if n > e - p:
            raise Unusual
        for _ in range(n):
            item, p, _ = read_text_chunk(c, p, e, b, x, k, a_column_type)
            v_text_chunks.append(item)
    k_keys_start = p - b
    k["keys_start"] = k_keys_start
    if p > e:
        raise Unusual
    return x, p, k


def write_dictionary_chunks(
    c: Any, o: Any, p: int, b: int, x: Any, ux: Any, uk: Any, a_num_chunks: Any, a_column_type: Any
) -> Any:
    k: Any = {}
    n = 0
    v_ofs_chunks = x["ofs_chunks"]
    n_ofs_chunks = count_of(v_ofs_chunks, int)
    if n_ofs_chunks != a_num_chunks:
        raise Unusual
    o.append(pack(f">{n_ofs_chunks}i", *v_ofs_chunks))
    p += 4 * n_ofs_chunks
    if a_column_type != 8:
        v_fixed_chunks = x["fixed_chunks"]
        n_fixed_chunks = count_of(v_fixed_chunks, dict)
        if n_fixed_chunks != a_num_chunks:
            raise Unusual
        for item in v_fixed_chunks:
            p, _ = write_fixed_chunk(c, o, p, b, item, x, k, a_column_type)
        n += 1
    if a_column_type == 8:
        v_text_chunks = x["text_chunks"]
        n_text_chunks = count_of(v_text_chunks, dict)
        if n_text_chunks != a_num_chunks:
            raise Unusual
        for item in v_text_chunks:
            p, _ = write_text_chunk(c, o, p, b, item, x, k, a_column_type)
        n += 1
    k_keys_start = p - b
    k["keys_start"] = k_keys_start
    if len(x) != n + 1:
        raise Unusual
    return p, k


def read_fixed_chunk(c: Any, p: int, e: int, b: int, ux: Any, uk: Any, a_column_type: Any) -> Any:
    d = c.data
    x: Any = {}
    k: Any = {"column_type": a_column_type}
    (v_version,) = _U1.unpack_from(d, p)
    if v_version != 1:
        raise Unusual
    x["version"] = v_version
    p += 1
    v_key, p, _ = read_typed_value(c, p, e, b, x, k, a_column_type)
    x["key"] = v_key
    v_code, v_ofs_keys, v_num_keys, v_len_keys, v_len_key = _S4BE_S4BE_S4BE_S4BE_S4BE.unpack_from(
        d, p
    )
    if v_code < 0:
        raise Unusual
    x["code"] = v_code
    if v_ofs_keys < 0:
        raise Unusual
    x["ofs_keys"] = v_ofs_keys
    if v_num_keys < 0:
        raise Unusual
    x["num_keys"] = v_num_keys
    if v_len_keys < 0:
        raise Unusual
    x["len_keys"] = v_len_keys
    if v_len_key < 1:
        raise Unusual
    x["len_key"] = v_len_key
    p += 20
    if p > e:
        raise Unusual
    c.todo.append((place_fixed_chunk, x, k, e, b, ux, uk))
    return x, p, k


def write_fixed_chunk(
    c: Any, o: Any, p: int, b: int, x: Any, ux: Any, uk: Any, a_column_type: Any
) -> Any:
    k: Any = {"column_type": a_column_type}
    n = 0
    v_version = x["version"]
    if type(v_version) is not int:
        raise Unusual
    o.append(_U1.pack(v_version))
    p += 1
    v_key = x["key"]
    p, _ = write_typed_value(c, o, p, b, v_key, x, k, a_column_type)
    v_code = x["code"]
    v_ofs_keys = x["ofs_keys"]
    v_num_keys = x["num_keys"]
    v_len_keys = x["len_keys"]
    v_len_key = x["len_key"]
    if (
        type(v_code) is not int
        or type(v_ofs_keys) is not int
        or type(v_num_keys) is not int
        or type(v_len_keys) is not int
        or type(v_len_key) is not int
    ):
        raise Unusual
    o.append(_S4BE_S4BE_S4BE_S4BE_S4BE.pack(v_code, v_ofs_keys, v_num_keys, v_len_keys, v_len_key))
    p += 20
    if len(x) != n + 7 + ("keys" in x):
        raise Unusual
    c.todo.append((put_fixed_chunk, x, k, b, ux, uk))
    return p, k


def place_fixed_chunk(c: Any, x: Any, k: Any, e: int, b: int, ux: Any, uk: Any) -> None:
    q = b + (uk["keys_start"] + x["ofs_keys"])
    if not 0 <= q <= e:
        raise Unusual
    y, p, _ = read_dictionary_keys(c, q, e, b, x, k, x["num_keys"], k["column_type"])
    x["keys"] = y
    c.cover.append((q, p))


def put_fixed_chunk(c: Any, x: Any, k: Any, b: int, ux: Any, uk: Any) -> None:
    if "keys" in x:
        q = b + (uk["keys_start"] + x["ofs_keys"])
        o: list[bytes] = []
        write_dictionary_keys(c, o, q, b, x["keys"], x, k, x["num_keys"], k["column_type"])
        c.put(q, o)


def read_text_chunk(c: Any, p: int, e: int, b: int, ux: Any, uk: Any, a_column_type: Any) -> Any:
    d = c.data
    x: Any = {}
    k: Any = {"column_type": a_column_type}
    (v_version,) = _U1.unpack_from(d, p)
    if v_version != 1:
        raise Unusual
    x["version"] = v_version
    p += 1
    v_key, p, _ = read_typed_value(c, p, e, b, x, k, a_column_type)
    x["key"] = v_key
    v_code, v_ofs_keys, v_num_keys, v_len_offsets, v_len_keys = (
        _S4BE_S4BE_S4BE_S4BE_S4BE.unpack_from(d, p)
    )
    if v_code < 0:
        raise Unusual
    x["code"] = v_code
    if v_ofs_keys < 0:
        raise Unusual
    x["ofs_keys"] = v_ofs_keys
    if v_num_keys < 0:
        raise Unusual
    x["num_keys"] = v_num_keys
    if v_len_offsets < 0:
        raise Unusual
    x["len_offsets"] = v_len_offsets
    if v_len_keys < 0:
        raise Unusual
    x["len_keys"] = v_len_keys
    p += 20
    if p > e:
        raise Unusual
    c.todo.append((place_text_chunk, x, k, e, b, ux, uk))
    return x, p, k


def write_text_chunk(
    c: Any, o: Any, p: int, b: int, x: Any, ux: Any, uk: Any, a_column_type: Any
) -> Any:
    k: Any = {"column_type": a_column_type}
    n = 0
    v_version = x["version"]
    if type(v_version) is not int:
        raise Unusual
    o.append(_U1.pack(v_version))
    p += 1
    v_key = x["key"]
    p, _ = write_typed_value(c, o, p, b, v_key, x, k, a_column_type)
    v_code = x["code"]
    v_ofs_keys = x["ofs_keys"]
    v_num_keys = x["num_keys"]
    v_len_offsets = x["len_offsets"]
    v_len_keys = x["len_keys"]
    if (
        type(v_code) is not int
        or type(v_ofs_keys) is not int
        or type(v_num_keys) is not int
        or type(v_len_offsets) is not int
        or type(v_len_keys) is not int
    ):
        raise Unusual
    o.append(
        _S4BE_S4BE_S4BE_S4BE_S4BE.pack(v_code, v_ofs_keys, v_num_keys, v_len_offsets, v_len_keys)
    )
    p += 20
    if len(x) != n + 7 + ("keys" in x):
        raise Unusual
    c.todo.append((put_text_chunk, x, k, b, ux, uk))
    return p, k


def place_text_chunk(c: Any, x: Any, k: Any, e: int, b: int, ux: Any, uk: Any) -> None:
    q = b + (uk["keys_start"] + x["ofs_keys"])
    if not 0 <= q <= e:
        raise Unusual
    y, p, _ = read_dictionary_keys(c, q, e, b, x, k, x["num_keys"], k["column_type"])
    x["keys"] = y
    c.cover.append((q, p))


def put_text_chunk(c: Any, x: Any, k: Any, b: int, ux: Any, uk: Any) -> None:
    if "keys" in x:
        q = b + (uk["keys_start"] + x["ofs_keys"])
        o: list[bytes] = []
        write_dictionary_keys(c, o, q, b, x["keys"], x, k, x["num_keys"], k["column_type"])
        c.put(q, o)


def read_dictionary_keys(
    c: Any, p: int, e: int, b: int, ux: Any, uk: Any, a_num_keys: Any, a_column_type: Any
) -> Any:
    d = c.data
    x: Any = {}
    k = None
    if a_column_type == 8:
        n = a_num_keys
        v_ofs_keys = list(unpack_from(f">{n}i", d, p))
        p += 4 * n
        x["ofs_keys"] = v_ofs_keys
    v_keys: Any = []
    x["keys"] = v_keys
    n = a_num_keys
    if n > e - p:
        raise Unusual
    for _ in range(n):
        item, p, _ = read_dictionary_key(c, p, e, b, x, k, a_column_type)
        v_keys.append(item)
    if p > e:
        raise Unusual
    return x, p, k


def write_dictionary_keys(
    c: Any, o: Any, p: int, b: int, x: Any, ux: Any, uk: Any, a_num_keys: Any, a_column_type: Any
) -> Any:
    k = None
    n = 0
    if a_column_type == 8:
        v_ofs_keys = x["ofs_keys"]
        n_ofs_keys = count_of(v_ofs_keys, int)
        if n_ofs_keys != a_num_keys:
            raise Unusual
        o.append(pack(f">{n_ofs_keys}i", *v_ofs_keys))
        p += 4 * n_ofs_keys
        n += 1
    v_keys = x["keys"]
    n_keys = count_of(v_keys, dict)
    if n_keys != a_num_keys:
        raise Unusual
    for item in v_keys:
        p, _ = write_dictionary_key(c, o, p, b, item, x, k, a_column_type)
    if len(x) != n + 1:
        raise Unusual
    return p, k


def read_dictionary_key(
    c: Any, p: int, e: int, b: int, ux: Any, uk: Any, a_column_type: Any
) -> Any:
    x: Any = {}
    k = None
    v_key, p, _ = read_typed_value(c, p, e, b, x, k, a_column_type)
    x["key"] = v_key
    if p > e:
        raise Unusual
    return x, p, k


def write_dictionary_key(
    c: Any, o: Any, p: int, b: int, x: Any, ux: Any, uk: Any, a_column_type: Any
) -> Any:
    k = None
    n = 0
    v_key = x["key"]
    p, _ = write_typed_value(c, o, p, b, v_key, x, k, a_column_type)
    if len(x) != n + 1:
        raise Unusual
    return p, k
