# Generated from specs/bitmap_index_v2.ksy by `python -m tools.ksy generate`. Do not edit.
"""Turns bytes of bitmap_index_v2 to JSON and back, straight through the fields.

Bitmap index of a Paimon file index, version 2.
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
_S4BE_S4BE = Struct(">ii")
_S4BE_S4BE_U1 = Struct(">iiB")


def read_bitmap_index_v2(
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
    if v_has_null == 1:
        (v_len_null,) = _S4BE.unpack_from(d, p)
        x["len_null"] = v_len_null
        p += 4
    (v_num_blocks,) = _S4BE.unpack_from(d, p)
    if v_num_blocks < 0:
        raise Unusual
    x["num_blocks"] = v_num_blocks
    p += 4
    k_directory_start = p - b
    k["directory_start"] = k_directory_start
    if p > e:
        raise Unusual
    c.todo.append((place_bitmap_index_v2, x, k, e, b, ux, uk))
    return x, p, k


def write_bitmap_index_v2(
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
    if v_has_null == 1:
        v_len_null = x["len_null"]
        if type(v_len_null) is not int:
            raise Unusual
        o.append(_S4BE.pack(v_len_null))
        p += 4
        n += 1
    v_num_blocks = x["num_blocks"]
    if type(v_num_blocks) is not int:
        raise Unusual
    o.append(_S4BE.pack(v_num_blocks))
    p += 4
    k_directory_start = p - b
    k["directory_start"] = k_directory_start
    if len(x) != n + 4 + ("directory" in x) + ("null_bitmap" in x):
        raise Unusual
    c.todo.append((put_bitmap_index_v2, x, k, b, ux, uk))
    return p, k


def place_bitmap_index_v2(c: Any, x: Any, k: Any, e: int, b: int, ux: Any, uk: Any) -> None:
    del uk
    q = b + k["directory_start"]
    if not 0 <= q <= e:
        raise Unusual
    y, p, k_directory = read_bitmap_directory_v2(
        c, q, e, b, x, k, x["num_blocks"], k["column_type"]
    )
    x["directory"] = y
    c.cover.append((q, p))
    if x["has_null"] == 1 and x["ofs_null"] >= 0:
        q = b + ((k_directory["blocks_start"] + x["directory"]["len_blocks"]) + x["ofs_null"])
        z = q + x["len_null"]
        if not 0 <= q <= z <= e:
            raise Unusual
        y, p, _ = read_roaring_bitmap_32(c, q, z, q, x, k)
        x["null_bitmap"] = y
        c.cover.append((q, p))


def put_bitmap_index_v2(c: Any, x: Any, k: Any, b: int, ux: Any, uk: Any) -> None:
    del uk
    if "directory" in x:
        q = b + k["directory_start"]
        o: list[bytes] = []
        _, k_directory = write_bitmap_directory_v2(
            c, o, q, b, x["directory"], x, k, x["num_blocks"], k["column_type"]
        )
        c.put(q, o)
    if "null_bitmap" in x:
        if not (x["has_null"] == 1 and x["ofs_null"] >= 0):
            raise Unusual
        q = b + ((k_directory["blocks_start"] + x["directory"]["len_blocks"]) + x["ofs_null"])
        o = []
        p, _ = write_roaring_bitmap_32(c, o, q, q, x["null_bitmap"], x, k)
        if p - q > x["len_null"]:
            raise Unusual
        c.put(q, o)


def read_bitmap_directory_v2(
    c: Any, p: int, e: int, b: int, ux: Any, uk: Any, a_num_blocks: Any, a_column_type: Any
) -> Any:
    d = c.data
    x: Any = {}
    k: Any = {}
    v_blocks: Any = []
    x["blocks"] = v_blocks
    n = a_num_blocks
    if n > e - p:
        raise Unusual
    for _ in range(n):
        item, p, _ = read_bitmap_block_ref_v2(c, p, e, b, x, k, a_column_type)
        v_blocks.append(item)
    (v_len_blocks,) = _S4BE.unpack_from(d, p)
    if v_len_blocks < 0:
        raise Unusual
    x["len_blocks"] = v_len_blocks
    p += 4
    k_blocks_start = p - b
    k["blocks_start"] = k_blocks_start
    if p > e:
        raise Unusual
    return x, p, k


def write_bitmap_directory_v2(
    c: Any, o: Any, p: int, b: int, x: Any, ux: Any, uk: Any, a_num_blocks: Any, a_column_type: Any
) -> Any:
    k: Any = {}
    n = 0
    v_blocks = x["blocks"]
    n_blocks = count_of(v_blocks, dict)
    if n_blocks != a_num_blocks:
        raise Unusual
    for item in v_blocks:
        p, _ = write_bitmap_block_ref_v2(c, o, p, b, item, x, k, a_column_type)
    v_len_blocks = x["len_blocks"]
    if type(v_len_blocks) is not int:
        raise Unusual
    o.append(_S4BE.pack(v_len_blocks))
    p += 4
    k_blocks_start = p - b
    k["blocks_start"] = k_blocks_start
    if len(x) != n + 2:
        raise Unusual
    return p, k


def read_bitmap_block_ref_v2(
    c: Any, p: int, e: int, b: int, ux: Any, uk: Any, a_column_type: Any
) -> Any:
    d = c.data
    x: Any = {}
    k: Any = {"column_type": a_column_type}
    v_key, p, _ = read_typed_value(c, p, e, b, x, k, a_column_type)
    x["key"] = v_key
    (v_ofs_block,) = _S4BE.unpack_from(d, p)
    if v_ofs_block < 0:
        raise Unusual
    x["ofs_block"] = v_ofs_block
    p += 4
    if p > e:
        raise Unusual
    c.todo.append((place_bitmap_block_ref_v2, x, k, e, b, ux, uk))
    return x, p, k


def write_bitmap_block_ref_v2(
    c: Any, o: Any, p: int, b: int, x: Any, ux: Any, uk: Any, a_column_type: Any
) -> Any:
    k: Any = {"column_type": a_column_type}
    n = 0
    v_key = x["key"]
    p, _ = write_typed_value(c, o, p, b, v_key, x, k, a_column_type)
    v_ofs_block = x["ofs_block"]
    if type(v_ofs_block) is not int:
        raise Unusual
    o.append(_S4BE.pack(v_ofs_block))
    p += 4
    if len(x) != n + 2 + ("block" in x):
        raise Unusual
    c.todo.append((put_bitmap_block_ref_v2, x, k, b, ux, uk))
    return p, k


def place_bitmap_block_ref_v2(c: Any, x: Any, k: Any, e: int, b: int, ux: Any, uk: Any) -> None:
    q = b + (uk["blocks_start"] + x["ofs_block"])
    if not 0 <= q <= e:
        raise Unusual
    y, p, _ = read_bitmap_block_v2(
        c, q, e, b, x, k, (uk["blocks_start"] + ux["len_blocks"]), k["column_type"]
    )
    x["block"] = y
    c.cover.append((q, p))


def put_bitmap_block_ref_v2(c: Any, x: Any, k: Any, b: int, ux: Any, uk: Any) -> None:
    if "block" in x:
        q = b + (uk["blocks_start"] + x["ofs_block"])
        o: list[bytes] = []
        write_bitmap_block_v2(
            c, o, q, b, x["block"], x, k, (uk["blocks_start"] + ux["len_blocks"]), k["column_type"]
        )
        c.put(q, o)


def read_bitmap_block_v2(
    c: Any, p: int, e: int, b: int, ux: Any, uk: Any, a_bitmaps_start: Any, a_column_type: Any
) -> Any:
    d = c.data
    x: Any = {}
    k: Any = {"bitmaps_start": a_bitmaps_start}
    (v_num_entries,) = _S4BE.unpack_from(d, p)
    if v_num_entries < 0:
        raise Unusual
    x["num_entries"] = v_num_entries
    p += 4
    v_entries: Any = []
    x["entries"] = v_entries
    n = v_num_entries
    if n > e - p:
        raise Unusual
    for _ in range(n):
        item, p, _ = read_bitmap_entry_v2(c, p, e, b, x, k, a_column_type)
        v_entries.append(item)
    if p > e:
        raise Unusual
    return x, p, k


def write_bitmap_block_v2(
    c: Any,
    o: Any,
    p: int,
    b: int,
    x: Any,
    ux: Any,
    uk: Any,
    a_bitmaps_start: Any,
    a_column_type: Any,
) -> Any:
    k: Any = {"bitmaps_start": a_bitmaps_start}
    n = 0
    v_num_entries = x["num_entries"]
    if type(v_num_entries) is not int:
        raise Unusual
    o.append(_S4BE.pack(v_num_entries))
    p += 4
    v_entries = x["entries"]
    n_entries = count_of(v_entries, dict)
    if n_entries != v_num_entries:
        raise Unusual
    for item in v_entries:
        p, _ = write_bitmap_entry_v2(c, o, p, b, item, x, k, a_column_type)
    if len(x) != n + 2:
        raise Unusual
    return p, k


def read_bitmap_entry_v2(
    c: Any, p: int, e: int, b: int, ux: Any, uk: Any, a_column_type: Any
) -> Any:
    d = c.data
    x: Any = {}
    k = None
    v_key, p, _ = read_typed_value(c, p, e, b, x, k, a_column_type)
    x["key"] = v_key
    v_ofs_bitmap, v_len_bitmap = _S4BE_S4BE.unpack_from(d, p)
    x["ofs_bitmap"] = v_ofs_bitmap
    x["len_bitmap"] = v_len_bitmap
    p += 8
    if p > e:
        raise Unusual
    c.todo.append((place_bitmap_entry_v2, x, k, e, b, ux, uk))
    return x, p, k


def write_bitmap_entry_v2(
    c: Any, o: Any, p: int, b: int, x: Any, ux: Any, uk: Any, a_column_type: Any
) -> Any:
    k = None
    n = 0
    v_key = x["key"]
    p, _ = write_typed_value(c, o, p, b, v_key, x, k, a_column_type)
    v_ofs_bitmap = x["ofs_bitmap"]
    v_len_bitmap = x["len_bitmap"]
    if type(v_ofs_bitmap) is not int or type(v_len_bitmap) is not int:
        raise Unusual
    o.append(_S4BE_S4BE.pack(v_ofs_bitmap, v_len_bitmap))
    p += 8
    if len(x) != n + 3 + ("bitmap" in x):
        raise Unusual
    c.todo.append((put_bitmap_entry_v2, x, k, b, ux, uk))
    return p, k


def place_bitmap_entry_v2(c: Any, x: Any, k: Any, e: int, b: int, ux: Any, uk: Any) -> None:
    if not x["ofs_bitmap"] < 0:
        q = b + (uk["bitmaps_start"] + x["ofs_bitmap"])
        z = q + x["len_bitmap"]
        if not 0 <= q <= z <= e:
            raise Unusual
        y, p, _ = read_roaring_bitmap_32(c, q, z, q, x, k)
        x["bitmap"] = y
        c.cover.append((q, p))


def put_bitmap_entry_v2(c: Any, x: Any, k: Any, b: int, ux: Any, uk: Any) -> None:
    if "bitmap" in x:
        if x["ofs_bitmap"] < 0:
            raise Unusual
        q = b + (uk["bitmaps_start"] + x["ofs_bitmap"])
        o: list[bytes] = []
        p, _ = write_roaring_bitmap_32(c, o, q, q, x["bitmap"], x, k)
        if p - q > x["len_bitmap"]:
            raise Unusual
        c.put(q, o)
