# Generated from specs/roaring_bitmap_32.ksy by `python -m tools.ksy generate`. Do not edit.
"""Turns bytes of roaring_bitmap_32 to JSON and back, straight through the fields.

Roaring bitmap of 32-bit integers, portable format.
"""

from __future__ import annotations

from struct import Struct, pack, unpack_from
from typing import Any

from ..document import (
    Unusual,
    bytes_from_json,
    bytes_to_json,
    count_of,
)

_U2LE = Struct("<H")
_U2LE_U2LE = Struct("<HH")
_U4LE = Struct("<I")
_U4LE_U4LE = Struct("<II")


def read_roaring_bitmap_32(c: Any, p: int, e: int, b: int, ux: Any, uk: Any) -> Any:
    x: Any = {}
    k = None
    v_header, p, k_header = read_roaring_header(c, p, e, b, x, k)
    x["header"] = v_header
    v_containers: Any = []
    x["containers"] = v_containers
    n = (
        v_header["num_containers_minus_1"] + 1
        if (v_header["cookie"] == 12347)
        else v_header["num_containers_without_runs"]
    )
    if n > e - p:
        raise Unusual
    for i in range(n):
        item, p, _ = read_roaring_container(
            c,
            p,
            e,
            b,
            x,
            k,
            ((v_header["cookie"] == 12347) and k_header["run_flags"][i // 8] >> i % 8 & 1 == 1),
            (v_header["descriptors"][i]["cardinality_minus_1"] + 1),
        )
        v_containers.append(item)
    if p > e:
        raise Unusual
    return x, p, k


def write_roaring_bitmap_32(c: Any, o: Any, p: int, b: int, x: Any, ux: Any, uk: Any) -> Any:
    k = None
    n = 0
    v_header = x["header"]
    p, k_header = write_roaring_header(c, o, p, b, v_header, x, k)
    v_containers = x["containers"]
    n_containers = count_of(v_containers, dict)
    if n_containers != (
        v_header["num_containers_minus_1"] + 1
        if (v_header["cookie"] == 12347)
        else v_header["num_containers_without_runs"]
    ):
        raise Unusual
    for i, item in enumerate(v_containers):
        p, _ = write_roaring_container(
            c,
            o,
            p,
            b,
            item,
            x,
            k,
            ((v_header["cookie"] == 12347) and k_header["run_flags"][i // 8] >> i % 8 & 1 == 1),
            (v_header["descriptors"][i]["cardinality_minus_1"] + 1),
        )
    if len(x) != n + 2:
        raise Unusual
    return p, k


def read_roaring_header(c: Any, p: int, e: int, b: int, ux: Any, uk: Any) -> Any:
    d = c.data
    x: Any = {}
    k: Any = {}
    v_cookie, v_num_containers_minus_1 = _U2LE_U2LE.unpack_from(d, p)
    if v_cookie not in (
        12346,
        12347,
    ):
        raise Unusual
    x["cookie"] = v_cookie
    if v_num_containers_minus_1 > (65535 if v_cookie == 12347 else 0):
        raise Unusual
    x["num_containers_minus_1"] = v_num_containers_minus_1
    p += 4
    if v_cookie != 12347:
        (v_num_containers_without_runs,) = _U4LE.unpack_from(d, p)
        if v_num_containers_without_runs > 65536:
            raise Unusual
        x["num_containers_without_runs"] = v_num_containers_without_runs
        p += 4
    if v_cookie == 12347:
        n = (
            (v_num_containers_minus_1 + 1 if v_cookie == 12347 else v_num_containers_without_runs)
            + 7
        ) // 8
        if not 0 <= n <= e - p:
            raise Unusual
        k_run_flags = d[p : p + n]
        p += n
        x["run_flags"] = bytes_to_json(k_run_flags, None)
        k["run_flags"] = k_run_flags
    v_descriptors: Any = []
    x["descriptors"] = v_descriptors
    n = v_num_containers_minus_1 + 1 if v_cookie == 12347 else v_num_containers_without_runs
    if n > e - p:
        raise Unusual
    for _ in range(n):
        item, p, _ = read_roaring_descriptor(c, p, e, b, x, k)
        v_descriptors.append(item)
    if (
        v_cookie != 12347
        or (v_num_containers_minus_1 + 1 if v_cookie == 12347 else v_num_containers_without_runs)
        >= 4
    ):
        n = v_num_containers_minus_1 + 1 if v_cookie == 12347 else v_num_containers_without_runs
        v_ofs_containers = list(unpack_from(f"<{n}I", d, p))
        p += 4 * n
        x["ofs_containers"] = v_ofs_containers
    if p > e:
        raise Unusual
    return x, p, k


def write_roaring_header(c: Any, o: Any, p: int, b: int, x: Any, ux: Any, uk: Any) -> Any:
    k: Any = {}
    n = 0
    v_cookie = x["cookie"]
    v_num_containers_minus_1 = x["num_containers_minus_1"]
    if type(v_cookie) is not int or type(v_num_containers_minus_1) is not int:
        raise Unusual
    o.append(_U2LE_U2LE.pack(v_cookie, v_num_containers_minus_1))
    p += 4
    if v_cookie != 12347:
        v_num_containers_without_runs = x["num_containers_without_runs"]
        if type(v_num_containers_without_runs) is not int:
            raise Unusual
        o.append(_U4LE.pack(v_num_containers_without_runs))
        p += 4
        n += 1
    if v_cookie == 12347:
        k_run_flags = bytes_from_json(x["run_flags"], None)
        if len(k_run_flags) != (
            (
                (
                    v_num_containers_minus_1 + 1
                    if v_cookie == 12347
                    else v_num_containers_without_runs
                )
                + 7
            )
            // 8
        ):
            raise Unusual
        o.append(k_run_flags)
        p += len(k_run_flags)
        k["run_flags"] = k_run_flags
        n += 1
    v_descriptors = x["descriptors"]
    n_descriptors = count_of(v_descriptors, dict)
    if n_descriptors != (
        v_num_containers_minus_1 + 1 if v_cookie == 12347 else v_num_containers_without_runs
    ):
        raise Unusual
    for item in v_descriptors:
        p, _ = write_roaring_descriptor(c, o, p, b, item, x, k)
    if (
        v_cookie != 12347
        or (v_num_containers_minus_1 + 1 if v_cookie == 12347 else v_num_containers_without_runs)
        >= 4
    ):
        v_ofs_containers = x["ofs_containers"]
        n_ofs_containers = count_of(v_ofs_containers, int)
        if n_ofs_containers != (
            v_num_containers_minus_1 + 1 if v_cookie == 12347 else v_num_containers_without_runs
        ):
            raise Unusual
        o.append(pack(f"<{n_ofs_containers}I", *v_ofs_containers))
        p += 4 * n_ofs_containers
        n += 1
    if len(x) != n + 3:
        raise Unusual
    return p, k


def read_roaring_descriptor(c: Any, p: int, e: int, b: int, ux: Any, uk: Any) -> Any:
    d = c.data
    x: Any = {}
    k = None
    v_key, v_cardinality_minus_1 = _U2LE_U2LE.unpack_from(d, p)
    x["key"] = v_key
    x["cardinality_minus_1"] = v_cardinality_minus_1
    p += 4
    if p > e:
        raise Unusual
    return x, p, k


def write_roaring_descriptor(c: Any, o: Any, p: int, b: int, x: Any, ux: Any, uk: Any) -> Any:
    k = None
    n = 0
    v_key = x["key"]
    v_cardinality_minus_1 = x["cardinality_minus_1"]
    if type(v_key) is not int or type(v_cardinality_minus_1) is not int:
        raise Unusual
    o.append(_U2LE_U2LE.pack(v_key, v_cardinality_minus_1))
    p += 4
    if len(x) != n + 2:
        raise Unusual
    return p, k


def read_roaring_container(
    c: Any, p: int, e: int, b: int, ux: Any, uk: Any, a_is_run: Any, a_cardinality: Any
) -> Any:
    d = c.data
    x: Any = {}
    k = None
    if a_is_run:
        (v_num_runs,) = _U2LE.unpack_from(d, p)
        x["num_runs"] = v_num_runs
        p += 2
    if a_is_run:
        v_runs: Any = []
        x["runs"] = v_runs
        n = v_num_runs
        if n > e - p:
            raise Unusual
        for _ in range(n):
            item, p, _ = read_roaring_run(c, p, e, b, x, k)
            v_runs.append(item)
    if not a_is_run and a_cardinality <= 4096:
        n = a_cardinality
        v_values = list(unpack_from(f"<{n}H", d, p))
        p += 2 * n
        x["values"] = v_values
    if not a_is_run and a_cardinality > 4096:
        n = 1024
        v_words = list(unpack_from(f"<{n}Q", d, p))
        p += 8 * n
        x["words"] = v_words
    if p > e:
        raise Unusual
    return x, p, k


def write_roaring_container(
    c: Any, o: Any, p: int, b: int, x: Any, ux: Any, uk: Any, a_is_run: Any, a_cardinality: Any
) -> Any:
    k = None
    n = 0
    if a_is_run:
        v_num_runs = x["num_runs"]
        if type(v_num_runs) is not int:
            raise Unusual
        o.append(_U2LE.pack(v_num_runs))
        p += 2
        n += 1
    if a_is_run:
        v_runs = x["runs"]
        n_runs = count_of(v_runs, dict)
        if n_runs != v_num_runs:
            raise Unusual
        for item in v_runs:
            p, _ = write_roaring_run(c, o, p, b, item, x, k)
        n += 1
    if not a_is_run and a_cardinality <= 4096:
        v_values = x["values"]
        n_values = count_of(v_values, int)
        if n_values != a_cardinality:
            raise Unusual
        o.append(pack(f"<{n_values}H", *v_values))
        p += 2 * n_values
        n += 1
    if not a_is_run and a_cardinality > 4096:
        v_words = x["words"]
        n_words = count_of(v_words, int)
        if n_words != 1024:
            raise Unusual
        o.append(pack(f"<{n_words}Q", *v_words))
        p += 8 * n_words
        n += 1
    if len(x) != n + 0:
        raise Unusual
    return p, k


def read_roaring_plain_start(c: Any, p: int, e: int, b: int, ux: Any, uk: Any) -> Any:
    d = c.data
    x: Any = {}
    k = None
    v_cookie, v_num_containers = _U4LE_U4LE.unpack_from(d, p)
    if v_cookie != 12346:
        raise Unusual
    x["cookie"] = v_cookie
    if v_num_containers > 65536:
        raise Unusual
    x["num_containers"] = v_num_containers
    p += 8
    v_descriptors: Any = []
    x["descriptors"] = v_descriptors
    n = v_num_containers
    if n > e - p:
        raise Unusual
    for _ in range(n):
        item, p, _ = read_roaring_descriptor(c, p, e, b, x, k)
        v_descriptors.append(item)
    n = 4 * v_num_containers
    if not 0 <= n <= e - p:
        raise Unusual
    k_offsets = d[p : p + n]
    p += n
    x["offsets"] = bytes_to_json(k_offsets, None)
    if p > e:
        raise Unusual
    return x, p, k


def write_roaring_plain_start(c: Any, o: Any, p: int, b: int, x: Any, ux: Any, uk: Any) -> Any:
    k = None
    n = 0
    v_cookie = x["cookie"]
    v_num_containers = x["num_containers"]
    if type(v_cookie) is not int or type(v_num_containers) is not int:
        raise Unusual
    o.append(_U4LE_U4LE.pack(v_cookie, v_num_containers))
    p += 8
    v_descriptors = x["descriptors"]
    n_descriptors = count_of(v_descriptors, dict)
    if n_descriptors != v_num_containers:
        raise Unusual
    for item in v_descriptors:
        p, _ = write_roaring_descriptor(c, o, p, b, item, x, k)
    k_offsets = bytes_from_json(x["offsets"], None)
    if len(k_offsets) != (4 * v_num_containers):
        raise Unusual
    o.append(k_offsets)
    p += len(k_offsets)
    if len(x) != n + 4:
        raise Unusual
    return p, k


def read_roaring_plain_header(c: Any, p: int, e: int, b: int, ux: Any, uk: Any) -> Any:
    d = c.data
    x: Any = {}
    k = None
    v_cookie, v_num_containers = _U4LE_U4LE.unpack_from(d, p)
    if v_cookie != 12346:
        raise Unusual
    x["cookie"] = v_cookie
    if v_num_containers > 65536:
        raise Unusual
    x["num_containers"] = v_num_containers
    p += 8
    v_descriptors: Any = []
    x["descriptors"] = v_descriptors
    n = v_num_containers
    if n > e - p:
        raise Unusual
    for _ in range(n):
        item, p, _ = read_roaring_descriptor(c, p, e, b, x, k)
        v_descriptors.append(item)
    n = v_num_containers
    v_ofs_containers = list(unpack_from(f"<{n}I", d, p))
    p += 4 * n
    x["ofs_containers"] = v_ofs_containers
    if p > e:
        raise Unusual
    return x, p, k


def write_roaring_plain_header(c: Any, o: Any, p: int, b: int, x: Any, ux: Any, uk: Any) -> Any:
    k = None
    n = 0
    v_cookie = x["cookie"]
    v_num_containers = x["num_containers"]
    if type(v_cookie) is not int or type(v_num_containers) is not int:
        raise Unusual
    o.append(_U4LE_U4LE.pack(v_cookie, v_num_containers))
    p += 8
    v_descriptors = x["descriptors"]
    n_descriptors = count_of(v_descriptors, dict)
    if n_descriptors != v_num_containers:
        raise Unusual
    for item in v_descriptors:
        p, _ = write_roaring_descriptor(c, o, p, b, item, x, k)
    v_ofs_containers = x["ofs_containers"]
    n_ofs_containers = count_of(v_ofs_containers, int)
    if n_ofs_containers != v_num_containers:
        raise Unusual
    o.append(pack(f"<{n_ofs_containers}I", *v_ofs_containers))
    p += 4 * n_ofs_containers
    if len(x) != n + 4:
        raise Unusual
    return p, k


def read_roaring_run_counts(
    c: Any, p: int, e: int, b: int, ux: Any, uk: Any, a_num_counts: Any
) -> Any:
    x: Any = {}
    k = None
    v_counts: Any = []
    x["counts"] = v_counts
    n = a_num_counts
    if n > e - p:
        raise Unusual
    for _ in range(n):
        item, p, _ = read_roaring_run_count(c, p, e, b, x, k)
        v_counts.append(item)
    if p > e:
        raise Unusual
    return x, p, k


def write_roaring_run_counts(
    c: Any, o: Any, p: int, b: int, x: Any, ux: Any, uk: Any, a_num_counts: Any
) -> Any:
    k = None
    n = 0
    v_counts = x["counts"]
    n_counts = count_of(v_counts, dict)
    if n_counts != a_num_counts:
        raise Unusual
    for item in v_counts:
        p, _ = write_roaring_run_count(c, o, p, b, item, x, k)
    if len(x) != n + 1:
        raise Unusual
    return p, k


def read_roaring_run_count(c: Any, p: int, e: int, b: int, ux: Any, uk: Any) -> Any:
    d = c.data
    x: Any = {}
    k = None
    (v_num_runs,) = _U2LE.unpack_from(d, p)
    x["num_runs"] = v_num_runs
    p += 2
    if p > e:
        raise Unusual
    return x, p, k


def write_roaring_run_count(c: Any, o: Any, p: int, b: int, x: Any, ux: Any, uk: Any) -> Any:
    k = None
    n = 0
    v_num_runs = x["num_runs"]
    if type(v_num_runs) is not int:
        raise Unusual
    o.append(_U2LE.pack(v_num_runs))
    p += 2
    if len(x) != n + 1:
        raise Unusual
    return p, k


def read_roaring_run(c: Any, p: int, e: int, b: int, ux: Any, uk: Any) -> Any:
    d = c.data
    x: Any = {}
    k = None
    v_first, v_len_minus_1 = _U2LE_U2LE.unpack_from(d, p)
    x["first"] = v_first
    x["len_minus_1"] = v_len_minus_1
    p += 4
    if p > e:
        raise Unusual
    return x, p, k


def write_roaring_run(c: Any, o: Any, p: int, b: int, x: Any, ux: Any, uk: Any) -> Any:
    k = None
    n = 0
    v_first = x["first"]
    v_len_minus_1 = x["len_minus_1"]
    if type(v_first) is not int or type(v_len_minus_1) is not int:
        raise Unusual
    o.append(_U2LE_U2LE.pack(v_first, v_len_minus_1))
    p += 4
    if len(x) != n + 2:
        raise Unusual
    return p, k
