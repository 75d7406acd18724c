# Generated from specs/compact_thrift.ksy by `paimon-ksy generate`. Do not edit.
"""How the types of compact_thrift are drawn.

Apache Thrift struct in the compact protocol.
"""

from __future__ import annotations

from paimon_ksy.runtime.drawing import Drawing, Rule

from ..writers.compact_thrift import (
    COMPACT_THRIFT_TYPE,
    THRIFT_COLLECTION_TYPE,
    THRIFT_FIELD_HEAD_TYPE,
    THRIFT_FIELD_TYPE,
    THRIFT_MAPPING_TYPE,
    THRIFT_PAIR_TYPE,
    THRIFT_VALUE_TYPE,
)

Drawing(
    COMPACT_THRIFT_TYPE,
    params={
        "depth": range(128),
    },
    rules={},
)
Drawing(
    THRIFT_FIELD_TYPE,
    params={
        "previous": range(128),
        "depth": range(128),
    },
    rules={},
)
Drawing(
    THRIFT_FIELD_HEAD_TYPE,
    params={
        "previous": range(128),
        "depth": range(128),
    },
    rules={
        "head": Rule(most=lambda s: 255 if s.depth < 32 and s.kind >= 1 and s.kind <= 13 else 0),
    },
)
Drawing(
    THRIFT_VALUE_TYPE,
    params={
        "kind": (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13),
        "is_element": (False, True),
        "depth": range(128),
    },
    rules={
        "truth": Rule(most=lambda s: 2),
        "len_body": Rule(
            inner=(
                "b0",
                "b1",
                "b2",
                "b3",
                "more.b4",
                "more.b5",
                "more.b6",
                "more.b7",
                "more.b8",
                "more.b9",
            ),
            role="length",
        ),
    },
)
Drawing(
    THRIFT_COLLECTION_TYPE,
    params={
        "depth": range(128),
    },
    rules={
        "head": Rule(
            most=lambda s: 255 if s.depth < 32 and s.kind >= 1 and s.kind <= 13 else 0, small=True
        ),
        "long_count": Rule(
            inner=(
                "b0",
                "b1",
                "b2",
                "b3",
                "more.b4",
                "more.b5",
                "more.b6",
                "more.b7",
                "more.b8",
                "more.b9",
            )
        ),
    },
)
Drawing(
    THRIFT_MAPPING_TYPE,
    params={
        "depth": range(128),
    },
    rules={
        "num_pairs": Rule(
            inner=(
                "b0",
                "b1",
                "b2",
                "b3",
                "more.b4",
                "more.b5",
                "more.b6",
                "more.b7",
                "more.b8",
                "more.b9",
            ),
            role="length",
        ),
        "kinds": Rule(
            least=lambda s: 17,
            most=lambda s: (
                255
                if s.depth < 32
                and s.key_kind >= 1
                and s.key_kind <= 13
                and s.value_kind >= 1
                and s.value_kind <= 13
                else 0
            ),
        ),
    },
)
Drawing(
    THRIFT_PAIR_TYPE,
    params={
        "key_kind": (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13),
        "value_kind": (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13),
        "depth": range(128),
    },
    rules={},
)
