# Generated from specs/parquet_metadata.ksy by `python -m tools.ksy generate`. Do not edit.
"""Turns bytes of parquet_metadata to JSON and back, straight through the fields.

Metadata of a Parquet file, as a file of its own.
"""

from __future__ import annotations

from struct import Struct
from typing import Any

from ..document import (
    Unusual,
)

_U4LE = Struct("<I")
_U4LE_U4LE = Struct("<II")


def read_parquet_metadata_start(c: Any, p: int, e: int, b: int, ux: Any, uk: Any) -> Any:
    d = c.data
    x: Any = {}
    k = None
    (v_magic,) = _U4LE.unpack_from(d, p)
    if v_magic != 827474256:
        raise Unusual
    x["magic"] = v_magic
    p += 4
    if p > e:
        raise Unusual
    return x, p, k


def write_parquet_metadata_start(c: Any, o: Any, p: int, b: int, x: Any, ux: Any, uk: Any) -> Any:
    k = None
    n = 0
    v_magic = x["magic"]
    if type(v_magic) is not int:
        raise Unusual
    o.append(_U4LE.pack(v_magic))
    p += 4
    if len(x) != n + 1:
        raise Unusual
    return p, k


def read_parquet_metadata_end(c: Any, p: int, e: int, b: int, ux: Any, uk: Any) -> Any:
    d = c.data
    x: Any = {}
    k = None
    v_len_footer, v_magic = _U4LE_U4LE.unpack_from(d, p)
    x["len_footer"] = v_len_footer
    if v_magic != 827474256:
        raise Unusual
    x["magic"] = v_magic
    p += 8
    if p > e:
        raise Unusual
    return x, p, k


def write_parquet_metadata_end(c: Any, o: Any, p: int, b: int, x: Any, ux: Any, uk: Any) -> Any:
    k = None
    n = 0
    v_len_footer = x["len_footer"]
    v_magic = x["magic"]
    if type(v_len_footer) is not int or type(v_magic) is not int:
        raise Unusual
    o.append(_U4LE_U4LE.pack(v_len_footer, v_magic))
    p += 8
    if len(x) != n + 2:
        raise Unusual
    return p, k
