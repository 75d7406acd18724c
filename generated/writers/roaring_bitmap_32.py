# Generated from specs/roaring_bitmap_32.ksy by `paimon-ksy generate`. Do not edit.
"""Makes and writes the types of roaring_bitmap_32.

Roaring bitmap of 32-bit integers, portable format.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from paimon_ksy.runtime.fields import (
    Bytes,
    Measure,
    Number,
    Numbers,
    Object,
    Objects,
    Type,
)
from paimon_ksy.runtime.json_values import U2LE, U4LE, U8LE

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
    Objects(
        "containers",
        "roaring_container",
        args={
            "is_run": lambda s, i: (
                s.header.has_runs and s.header.run_flags[i // 8] >> i % 8 & 1 == 1
            ),
            "cardinality": lambda s, i: s.header.descriptors[i].cardinality,
        },
        count="header.num_containers",
    ),
    Object("bitmap_end", "position", args={"at": "_io.pos"}),
)


def make_roaring_bitmap_32(
    *,
    header: RoaringBitmap32.RoaringHeader | bytes | None = None,
    containers: Sequence[RoaringBitmap32.RoaringContainer | bytes] | None = None,
) -> Any:
    """Return a new `roaring_bitmap_32`; what is None is computed when it is written.

    A compressed set of unsigned 32-bit integers, in the format that all Roaring
    libraries support. The integers are grouped by their upper 16 bits, the key.
    Each group has a container for the lower 16 bits: a sorted array, a bitset,
    or runs.

    Writers may use runs if they are smaller, so both kinds of header occur.
    """
    return ROARING_BITMAP_32_TYPE.new(locals())


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
    Objects(
        "descriptors",
        "roaring_descriptor",
        count="num_containers",
        looked=True,
        ascending="key",
        after=lambda s: s.key + 1,
    ),
    Numbers("ofs_containers", U4LE, when="has_offsets", count="num_containers"),
    deciding=None,
    values={
        "has_runs": lambda s: s.cookie == 12347,
        "num_containers": lambda s: (
            s.num_containers_minus_1 + 1 if s.has_runs else s.num_containers_without_runs
        ),
        "has_offsets": lambda s: not s.has_runs or s.num_containers >= 4,
    },
)


def make_roaring_header(
    *,
    cookie: int | None = None,
    num_containers_minus_1: int | None = None,
    num_containers_without_runs: int | None = None,
    run_flags: bytes | None = None,
    descriptors: Sequence[RoaringBitmap32.RoaringDescriptor | bytes] | None = None,
    ofs_containers: Sequence[int] | Any | None = None,
) -> Any:
    """Return a new `roaring_header`; what is None is computed when it is written."""
    return ROARING_HEADER_TYPE.new(locals())


ROARING_DESCRIPTOR_TYPE = Type(
    RoaringBitmap32.RoaringDescriptor,
    "roaring_descriptor",
    Number("key", U2LE),
    Number("cardinality_minus_1", U2LE, examples=(4096,)),
    values={
        "cardinality": lambda s: s.cardinality_minus_1 + 1,
    },
)


def make_roaring_descriptor(
    *,
    key: int | None = None,
    cardinality_minus_1: int | None = None,
) -> Any:
    """Return a new `roaring_descriptor`; what is None is computed when it is written."""
    return ROARING_DESCRIPTOR_TYPE.new(locals())


ROARING_CONTAINER_TYPE = Type(
    RoaringBitmap32.RoaringContainer,
    "roaring_container",
    Number("num_runs", U2LE, when="is_run", small=True),
    Objects(
        "runs",
        "roaring_run",
        when="is_run",
        count="num_runs",
        ascending="first",
        after=lambda s: s.last + 2,
    ),
    Numbers(
        "values",
        U2LE,
        when=lambda s: not s.is_run and s.cardinality <= s.max_values,
        count="cardinality",
        ascending="",
    ),
    Numbers(
        "words",
        U8LE,
        when=lambda s: not s.is_run and s.cardinality > s.max_values,
        count=lambda s: s.len_words // 8,
    ),
    params={"is_run": (False, True), "cardinality": range(16)},
    deciding=("is_run", "cardinality"),
    computed={
        "num_runs": Measure("count", "runs"),
    },
    values={
        "max_values": 4096,
        "len_words": 8192,
    },
)


def make_roaring_container(
    *,
    is_run: bool | None = None,
    cardinality: int | None = None,
    num_runs: int | None = None,
    runs: Sequence[RoaringBitmap32.RoaringRun | bytes] | None = None,
    values: Sequence[int] | Any | None = None,
    words: Sequence[int] | Any | None = None,
) -> Any:
    """Return a new `roaring_container`; what is None is computed when it is written."""
    return ROARING_CONTAINER_TYPE.new(locals())


ROARING_RUN_TYPE = Type(
    RoaringBitmap32.RoaringRun,
    "roaring_run",
    Number("first", U2LE),
    Number("len_minus_1", U2LE),
    values={
        "last": lambda s: s.first + s.len_minus_1,
    },
)


def make_roaring_run(
    *,
    first: int | None = None,
    len_minus_1: int | None = None,
) -> Any:
    """Return a new `roaring_run`; what is None is computed when it is written."""
    return ROARING_RUN_TYPE.new(locals())
