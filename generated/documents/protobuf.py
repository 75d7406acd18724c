# Generated from specs/protobuf.ksy by `python -m tools.ksy generate`. Do not edit.
"""Turns bytes of protobuf to JSON and back, straight through the fields.

Message of Protocol Buffers.
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
_U4LE = Struct("<I")
_U8LE = Struct("<Q")


def read_protobuf(c: Any, p: int, e: int, b: int, ux: Any, uk: Any) -> Any:
    x: Any = {}
    k = None
    v_fields: Any = []
    x["fields"] = v_fields
    while p < e:
        item, p, _ = read_protobuf_field(c, p, e, b, x, k)
        v_fields.append(item)
    if p > e:
        raise Unusual
    return x, p, k


def write_protobuf(c: Any, o: Any, p: int, b: int, x: Any, ux: Any, uk: Any) -> Any:
    k = None
    n = 0
    v_fields = x["fields"]
    count_of(v_fields, dict)
    for item in v_fields:
        p, _ = write_protobuf_field(c, o, p, b, item, x, k)
    if len(x) != n + 1:
        raise Unusual
    return p, k


def read_protobuf_field(c: Any, p: int, e: int, b: int, ux: Any, uk: Any) -> Any:
    d = c.data
    x: Any = {}
    k = None
    v_tag, p, _ = read_protobuf_varint(c, p, e, b, x, k)
    x["tag"] = v_tag
    if v_tag["b0"] & 7 == 0:
        v_varint, p, _ = read_protobuf_varint(c, p, e, b, x, k)
        x["varint"] = v_varint
    if v_tag["b0"] & 7 == 1:
        (v_fixed_64,) = _U8LE.unpack_from(d, p)
        x["fixed_64"] = v_fixed_64
        p += 8
    if v_tag["b0"] & 7 == 2:
        v_len_body, p, _ = read_protobuf_varint(c, p, e, b, x, k)
        x["len_body"] = v_len_body
    if v_tag["b0"] & 7 == 2:
        n = (v_len_body["b0"] & 127) + (
            0
            if v_len_body["b0"] < 128
            else (v_len_body["b1"] & 127) * 128
            + (
                0
                if v_len_body["b1"] < 128
                else (v_len_body["b2"] & 127) * 16384
                + (
                    0
                    if v_len_body["b2"] < 128
                    else (v_len_body["b3"] & 127) * 2097152
                    + (
                        0
                        if v_len_body["b3"] < 128
                        else (
                            (v_len_body["more"]["b4"] & 127)
                            + (
                                0
                                if v_len_body["more"]["b4"] < 128
                                else (v_len_body["more"]["b5"] & 127) * 128
                                + (
                                    0
                                    if v_len_body["more"]["b5"] < 128
                                    else (v_len_body["more"]["b6"] & 127) * 16384
                                    + (
                                        0
                                        if v_len_body["more"]["b6"] < 128
                                        else (v_len_body["more"]["b7"] & 127) * 2097152
                                    )
                                )
                            )
                        )
                        * 268435456
                    )
                )
            )
        )
        if not 0 <= n <= e - p:
            raise Unusual
        k_body = d[p : p + n]
        p += n
        x["body"] = bytes_to_json(k_body, None)
    if v_tag["b0"] & 7 == 5:
        (v_fixed_32,) = _U4LE.unpack_from(d, p)
        x["fixed_32"] = v_fixed_32
        p += 4
    if p > e:
        raise Unusual
    return x, p, k


def write_protobuf_field(c: Any, o: Any, p: int, b: int, x: Any, ux: Any, uk: Any) -> Any:
    k = None
    n = 0
    v_tag = x["tag"]
    p, _ = write_protobuf_varint(c, o, p, b, v_tag, x, k)
    if v_tag["b0"] & 7 == 0:
        v_varint = x["varint"]
        p, _ = write_protobuf_varint(c, o, p, b, v_varint, x, k)
        n += 1
    if v_tag["b0"] & 7 == 1:
        v_fixed_64 = x["fixed_64"]
        if type(v_fixed_64) is not int:
            raise Unusual
        o.append(_U8LE.pack(v_fixed_64))
        p += 8
        n += 1
    if v_tag["b0"] & 7 == 2:
        v_len_body = x["len_body"]
        p, _ = write_protobuf_varint(c, o, p, b, v_len_body, x, k)
        n += 1
    if v_tag["b0"] & 7 == 2:
        k_body = bytes_from_json(x["body"], None)
        if len(k_body) != (
            (v_len_body["b0"] & 127)
            + (
                0
                if v_len_body["b0"] < 128
                else (v_len_body["b1"] & 127) * 128
                + (
                    0
                    if v_len_body["b1"] < 128
                    else (v_len_body["b2"] & 127) * 16384
                    + (
                        0
                        if v_len_body["b2"] < 128
                        else (v_len_body["b3"] & 127) * 2097152
                        + (
                            0
                            if v_len_body["b3"] < 128
                            else (
                                (v_len_body["more"]["b4"] & 127)
                                + (
                                    0
                                    if v_len_body["more"]["b4"] < 128
                                    else (v_len_body["more"]["b5"] & 127) * 128
                                    + (
                                        0
                                        if v_len_body["more"]["b5"] < 128
                                        else (v_len_body["more"]["b6"] & 127) * 16384
                                        + (
                                            0
                                            if v_len_body["more"]["b6"] < 128
                                            else (v_len_body["more"]["b7"] & 127) * 2097152
                                        )
                                    )
                                )
                            )
                            * 268435456
                        )
                    )
                )
            )
        ):
            raise Unusual
        o.append(k_body)
        p += len(k_body)
        n += 1
    if v_tag["b0"] & 7 == 5:
        v_fixed_32 = x["fixed_32"]
        if type(v_fixed_32) is not int:
            raise Unusual
        o.append(_U4LE.pack(v_fixed_32))
        p += 4
        n += 1
    if len(x) != n + 1:
        raise Unusual
    return p, k


def read_protobuf_varint(c: Any, p: int, e: int, b: int, ux: Any, uk: Any) -> Any:
    d = c.data
    x: Any = {}
    k: Any = {}
    (v_b0,) = _U1.unpack_from(d, p)
    x["b0"] = v_b0
    p += 1
    if v_b0 >= 128:
        (v_b1,) = _U1.unpack_from(d, p)
        x["b1"] = v_b1
        p += 1
    if v_b0 >= 128 and v_b1 >= 128:
        (v_b2,) = _U1.unpack_from(d, p)
        x["b2"] = v_b2
        p += 1
    if v_b0 >= 128 and v_b1 >= 128 and v_b2 >= 128:
        (v_b3,) = _U1.unpack_from(d, p)
        x["b3"] = v_b3
        p += 1
    if v_b0 >= 128 and v_b1 >= 128 and v_b2 >= 128 and v_b3 >= 128:
        v_more, p, k_more = read_protobuf_varint_end(c, p, e, b, x, k)
        x["more"] = v_more
        k["more"] = k_more
    if p > e:
        raise Unusual
    return x, p, k


def write_protobuf_varint(c: Any, o: Any, p: int, b: int, x: Any, ux: Any, uk: Any) -> Any:
    k: Any = {}
    n = 0
    v_b0 = x["b0"]
    if type(v_b0) is not int:
        raise Unusual
    o.append(_U1.pack(v_b0))
    p += 1
    if v_b0 >= 128:
        v_b1 = x["b1"]
        if type(v_b1) is not int:
            raise Unusual
        o.append(_U1.pack(v_b1))
        p += 1
        n += 1
    if v_b0 >= 128 and v_b1 >= 128:
        v_b2 = x["b2"]
        if type(v_b2) is not int:
            raise Unusual
        o.append(_U1.pack(v_b2))
        p += 1
        n += 1
    if v_b0 >= 128 and v_b1 >= 128 and v_b2 >= 128:
        v_b3 = x["b3"]
        if type(v_b3) is not int:
            raise Unusual
        o.append(_U1.pack(v_b3))
        p += 1
        n += 1
    if v_b0 >= 128 and v_b1 >= 128 and v_b2 >= 128 and v_b3 >= 128:
        v_more = x["more"]
        p, k_more = write_protobuf_varint_end(c, o, p, b, v_more, x, k)
        k["more"] = k_more
        n += 1
    if len(x) != n + 1:
        raise Unusual
    return p, k


def read_protobuf_varint_end(c: Any, p: int, e: int, b: int, ux: Any, uk: Any) -> Any:
    d = c.data
    x: Any = {}
    k = None
    (v_b4,) = _U1.unpack_from(d, p)
    x["b4"] = v_b4
    p += 1
    if v_b4 >= 128:
        (v_b5,) = _U1.unpack_from(d, p)
        x["b5"] = v_b5
        p += 1
    if v_b4 >= 128 and v_b5 >= 128:
        (v_b6,) = _U1.unpack_from(d, p)
        x["b6"] = v_b6
        p += 1
    if v_b4 >= 128 and v_b5 >= 128 and v_b6 >= 128:
        (v_b7,) = _U1.unpack_from(d, p)
        x["b7"] = v_b7
        p += 1
    if v_b4 >= 128 and v_b5 >= 128 and v_b6 >= 128 and v_b7 >= 128:
        (v_b8,) = _U1.unpack_from(d, p)
        x["b8"] = v_b8
        p += 1
    if v_b4 >= 128 and v_b5 >= 128 and v_b6 >= 128 and v_b7 >= 128 and v_b8 >= 128:
        (v_b9,) = _U1.unpack_from(d, p)
        if v_b9 > 1:
            raise Unusual
        x["b9"] = v_b9
        p += 1
    if p > e:
        raise Unusual
    return x, p, k


def write_protobuf_varint_end(c: Any, o: Any, p: int, b: int, x: Any, ux: Any, uk: Any) -> Any:
    k = None
    n = 0
    v_b4 = x["b4"]
    if type(v_b4) is not int:
        raise Unusual
    o.append(_U1.pack(v_b4))
    p += 1
    if v_b4 >= 128:
        v_b5 = x["b5"]
        if type(v_b5) is not int:
            raise Unusual
        o.append(_U1.pack(v_b5))
        p += 1
        n += 1
    if v_b4 >= 128 and v_b5 >= 128:
        v_b6 = x["b6"]
        if type(v_b6) is not int:
            raise Unusual
        o.append(_U1.pack(v_b6))
        p += 1
        n += 1
    if v_b4 >= 128 and v_b5 >= 128 and v_b6 >= 128:
        v_b7 = x["b7"]
        if type(v_b7) is not int:
            raise Unusual
        o.append(_U1.pack(v_b7))
        p += 1
        n += 1
    if v_b4 >= 128 and v_b5 >= 128 and v_b6 >= 128 and v_b7 >= 128:
        v_b8 = x["b8"]
        if type(v_b8) is not int:
            raise Unusual
        o.append(_U1.pack(v_b8))
        p += 1
        n += 1
    if v_b4 >= 128 and v_b5 >= 128 and v_b6 >= 128 and v_b7 >= 128 and v_b8 >= 128:
        v_b9 = x["b9"]
        if type(v_b9) is not int:
            raise Unusual
        o.append(_U1.pack(v_b9))
        p += 1
        n += 1
    if len(x) != n + 1:
        raise Unusual
    return p, k
