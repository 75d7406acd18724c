# Generated from specs/roaring_bitmap_32.ksy by `paimon-ksy generate`. Do not edit.
"""How the types of roaring_bitmap_32 are drawn.

Roaring bitmap of 32-bit integers, portable format.
"""

from __future__ import annotations

from paimon_ksy.runtime.drawing import LARGE, Drawing, Rule

from ..writers.roaring_bitmap_32 import (
    ROARING_BITMAP_32_TYPE,
    ROARING_CONTAINER_TYPE,
    ROARING_DESCRIPTOR_TYPE,
    ROARING_HEADER_TYPE,
    ROARING_RUN_TYPE,
)

Drawing(
    ROARING_BITMAP_32_TYPE,
    params={},
    rules={
        "header": Rule(
            inner=(
                "cookie",
                "descriptors.cardinality_minus_1",
                "num_containers_minus_1",
                "num_containers_without_runs",
            ),
            role="length",
        ),
    },
)
Drawing(
    ROARING_HEADER_TYPE,
    params={},
    rules={
        "cookie": Rule(
            any_of=lambda s: (
                12346,
                12347,
            ),
            small=True,
            computed=True,
            decides=True,
        ),
        "num_containers_minus_1": Rule(
            most=lambda s: 65535 if s.has_runs else 0,
            small=True,
            role="count",
            computed=True,
            decides=True,
        ),
        "num_containers_without_runs": Rule(
            most=lambda s: 65536, small=True, role="count", computed=True, decides=True
        ),
        "descriptors": Rule(ascending="key", after=lambda s: s.key + 1),
    },
)
Drawing(
    ROARING_DESCRIPTOR_TYPE,
    params={},
    rules={
        "cardinality_minus_1": Rule(examples=(4096,)),
    },
)
Drawing(
    ROARING_CONTAINER_TYPE,
    params={
        "is_run": (False, True),
        "cardinality": range(LARGE),
    },
    rules={
        "num_runs": Rule(small=True, role="count", source="runs"),
        "runs": Rule(ascending="first", after=lambda s: s.last + 2),
        "values": Rule(ascending=""),
    },
)
Drawing(
    ROARING_RUN_TYPE,
    params={},
    rules={},
)
