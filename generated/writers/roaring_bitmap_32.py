# Generated from specs/roaring_bitmap_32.ksy by `ksykit generate`. Do not edit.
"""Makes and writes the types of roaring_bitmap_32.

Roaring bitmap of 32-bit integers, portable format.
"""

from __future__ import annotations

from ksykit.runtime.fields import Bytes, Measure, Number, Object, Repeat, Type
from ksykit.runtime.json_values import U2LE, U4LE, U8LE

from ..parsers.roaring_bitmap_32 import RoaringBitmap32

ROARING_BITMAP_32_TYPE = Type(
    RoaringBitmap32,
    "roaring_bitmap_32",
    Object("bitmap_start", "position", args={"at": "_io.pos"}),
    Object(
        "header",
        "roaring_header",
        looked=True,
        inner=(
            "cookie",
            "descriptors.cardinality_minus_1",
            "num_containers_minus_1",
            "num_containers_without_runs",
        ),
        role="length",
    ),
    Repeat(
        Object(
            "containers",
            "roaring_container",
            args={
                "is_run": lambda s, i: (
                    s.header.has_runs and s.header.run_flags[i // 8] >> i % 8 & 1 == 1
                ),
                "cardinality": lambda s, i: s.header.descriptors[i].cardinality,
            },
        ),
        count="header.num_containers",
    ),
    Object("bitmap_end", "position", args={"at": "_io.pos"}),
)

make_roaring_bitmap_32 = ROARING_BITMAP_32_TYPE.make


ROARING_HEADER_TYPE = Type(
    RoaringBitmap32.RoaringHeader,
    "roaring_header",
    Number(
        "cookie",
        U2LE,
        any_of=(12346, 12347),
        value=lambda s: 12347 if s._is_set("run_flags") else 12346,
        small=True,
        decides=True,
    ),
    Number(
        "num_containers_minus_1",
        U2LE,
        most=lambda s: 65535 if s.has_runs else 0,
        value=lambda s: s._count("descriptors") - 1 if s.has_runs else 0,
        small=True,
        role="count",
        decides=True,
    ),
    Number(
        "num_containers_without_runs",
        U4LE,
        most=65536,
        value=lambda s: s._count("descriptors"),
        when=lambda s: not s.has_runs,
        small=True,
        role="count",
        decides=True,
    ),
    Bytes("run_flags", size=lambda s: (s.num_containers + 7) // 8, when="has_runs"),
    Repeat(
        Object("descriptors", "roaring_descriptor", looked=True),
        count="num_containers",
        ascending="key",
        after=lambda s: s.key + 1,
    ),
    Repeat(Number("ofs_containers", U4LE), when="has_offsets", count="num_containers"),
    values={
        "has_runs": lambda s: s.cookie == 12347,
        "num_containers": lambda s: (
            s.num_containers_minus_1 + 1 if s.has_runs else s.num_containers_without_runs
        ),
        "has_offsets": lambda s: not s.has_runs or s.num_containers >= 4,
    },
)

make_roaring_header = ROARING_HEADER_TYPE.make


ROARING_DESCRIPTOR_TYPE = Type(
    RoaringBitmap32.RoaringDescriptor,
    "roaring_descriptor",
    Number("key", U2LE),
    Number("cardinality_minus_1", U2LE, examples=(4096,)),
    values={
        "cardinality": lambda s: s.cardinality_minus_1 + 1,
    },
)

make_roaring_descriptor = ROARING_DESCRIPTOR_TYPE.make


ROARING_CONTAINER_TYPE = Type(
    RoaringBitmap32.RoaringContainer,
    "roaring_container",
    Number("num_runs", U2LE, when="is_run", small=True),
    Repeat(
        Object("runs", "roaring_run"),
        when="is_run",
        count="num_runs",
        ascending="first",
        after=lambda s: s.last + 2,
    ),
    Repeat(
        Number("values", U2LE),
        when=lambda s: not s.is_run and s.cardinality <= s.max_values,
        count="cardinality",
        ascending="",
    ),
    Repeat(
        Number("words", U8LE),
        when=lambda s: not s.is_run and s.cardinality > s.max_values,
        count=lambda s: s.len_words // 8,
    ),
    params={"is_run": (False, True), "cardinality": range(16)},
    computed={
        "num_runs": Measure("count", "runs"),
    },
    values={
        "max_values": 4096,
        "len_words": 8192,
    },
)

make_roaring_container = ROARING_CONTAINER_TYPE.make


ROARING_RUN_TYPE = Type(
    RoaringBitmap32.RoaringRun,
    "roaring_run",
    Number("first", U2LE),
    Number("len_minus_1", U2LE),
    values={
        "last": lambda s: s.first + s.len_minus_1,
    },
)

make_roaring_run = ROARING_RUN_TYPE.make
