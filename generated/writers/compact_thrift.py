# Generated from specs/compact_thrift.ksy by `ksykit generate`. Do not edit.
"""Makes and writes the types of compact_thrift.

Apache Thrift struct in the compact protocol.
"""

from __future__ import annotations

from ksykit.runtime.fields import Bytes, Measure, Number, Object, Repeat, Type
from ksykit.runtime.json_values import F8LE, S1, U1

from ..parsers.compact_thrift import CompactThrift

COMPACT_THRIFT_TYPE = Type(
    CompactThrift,
    "compact_thrift",
    Repeat(
        Object(
            "fields",
            "thrift_field",
            args={
                "previous": lambda s, i: 0 if i == 0 else s.fields[i - 1].number,
                "depth": "depth",
            },
            looked=True,
        ),
        until=lambda s, x: x.is_stop,
    ),
    params={"depth": range(128)},
)

make_compact_thrift = COMPACT_THRIFT_TYPE.make


THRIFT_FIELD_TYPE = Type(
    CompactThrift.ThriftField,
    "thrift_field",
    Object(
        "head", "thrift_field_head", args={"previous": "previous", "depth": "depth"}, looked=True
    ),
    Object(
        "value",
        "thrift_value",
        args={"kind": "head.kind", "is_element": False, "depth": "depth"},
        when=lambda s: not s.head.is_stop,
    ),
    params={"previous": range(128), "depth": range(128)},
    values={
        "number": "head.number",
        "is_stop": "head.is_stop",
    },
)

make_thrift_field = THRIFT_FIELD_TYPE.make


THRIFT_FIELD_HEAD_TYPE = Type(
    CompactThrift.ThriftFieldHead,
    "thrift_field_head",
    Number(
        "head",
        U1,
        most=lambda s: 255 if s.depth < 32 and s.kind >= 1 and s.kind <= 13 else 0,
        inverse={
            "kind": lambda s: (
                0
                if s._asked("kind") == 0
                else (s._asked("number") - s.previous) * 16 + s._asked("kind")
            ),
            "number": lambda s: (
                0
                if s._asked("kind") == 0
                else (s._asked("number") - s.previous) * 16 + s._asked("kind")
            ),
        },
    ),
    Object("long_number", "varint", looked=True, when=lambda s: s.head != 0 and s.head < 16),
    params={"previous": range(128), "depth": range(128)},
    given=("kind", "number"),
    values={
        "is_stop": lambda s: s.head == 0,
        "kind": lambda s: s.head & 15,
        "number": lambda s: (
            s.long_number.zigzag if s.head != 0 and s.head < 16 else s.previous + s.head // 16
        ),
    },
)

make_thrift_field_head = THRIFT_FIELD_HEAD_TYPE.make


THRIFT_VALUE_TYPE = Type(
    CompactThrift.ThriftValue,
    "thrift_value",
    Number(
        "truth",
        U1,
        most=2,
        when=lambda s: s.is_element and (s.named_kind == 1 or s.named_kind == 2),
    ),
    Number("int_8", S1, when=lambda s: s.named_kind == 3),
    Object(
        "integer",
        "varint",
        when=lambda s: s.named_kind == 4 or s.named_kind == 5 or s.named_kind == 6,
    ),
    Number("real", F8LE, when=lambda s: s.named_kind == 7),
    Object(
        "len_body",
        "varint",
        looked=True,
        when=lambda s: s.named_kind == 8,
        inner=("groups.group", "groups.half_before", "groups.scale"),
        role="length",
    ),
    Bytes("body", size="len_body.value", when=lambda s: s.named_kind == 8, measured=True),
    Object(
        "collection",
        "thrift_collection",
        args={"depth": lambda s, i: s.depth + 1},
        when=lambda s: s.named_kind == 9 or s.named_kind == 10,
    ),
    Object(
        "mapping",
        "thrift_mapping",
        args={"depth": lambda s, i: s.depth + 1},
        when=lambda s: s.named_kind == 11,
    ),
    Object(
        "nested",
        "compact_thrift",
        args={"depth": lambda s, i: s.depth + 1},
        when=lambda s: s.named_kind == 12,
    ),
    Bytes("uuid", size=16, when=lambda s: s.named_kind == 13),
    params={
        "kind": (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13),
        "is_element": (False, True),
        "depth": range(128),
    },
    computed={
        "len_body.value": Measure("length", "body"),
    },
    values={
        "named_kind": "kind",
    },
)

make_thrift_value = THRIFT_VALUE_TYPE.make


THRIFT_COLLECTION_TYPE = Type(
    CompactThrift.ThriftCollection,
    "thrift_collection",
    Number(
        "head",
        U1,
        most=lambda s: 255 if s.depth < 32 and s.kind >= 1 and s.kind <= 13 else 0,
        small=True,
    ),
    Object(
        "long_count",
        "varint",
        looked=True,
        when=lambda s: s.head >= 240,
        inner=("groups.group", "groups.half_before", "groups.scale"),
    ),
    Repeat(
        Object(
            "elements", "thrift_value", args={"kind": "kind", "is_element": True, "depth": "depth"}
        ),
        count="num_elements",
    ),
    params={"depth": range(128)},
    values={
        "kind": lambda s: s.head & 15,
        "num_elements": lambda s: s.long_count.value if s.head >= 240 else s.head // 16,
    },
)

make_thrift_collection = THRIFT_COLLECTION_TYPE.make


THRIFT_MAPPING_TYPE = Type(
    CompactThrift.ThriftMapping,
    "thrift_mapping",
    Object(
        "num_pairs",
        "varint",
        looked=True,
        inner=("groups.group", "groups.half_before", "groups.scale"),
        role="length",
    ),
    Number(
        "kinds",
        U1,
        least=17,
        most=lambda s: (
            255
            if s.depth < 32
            and s.key_kind >= 1
            and s.key_kind <= 13
            and s.value_kind >= 1
            and s.value_kind <= 13
            else 0
        ),
        when=lambda s: s.num_pairs.value > 0,
    ),
    Repeat(
        Object(
            "pairs",
            "thrift_pair",
            args={"key_kind": "key_kind", "value_kind": "value_kind", "depth": "depth"},
        ),
        when=lambda s: s.num_pairs.value > 0,
        count="num_pairs.value",
    ),
    params={"depth": range(128)},
    computed={
        "num_pairs.value": Measure("count", "pairs"),
    },
    values={
        "key_kind": lambda s: s.kinds // 16,
        "value_kind": lambda s: s.kinds & 15,
    },
)

make_thrift_mapping = THRIFT_MAPPING_TYPE.make


THRIFT_PAIR_TYPE = Type(
    CompactThrift.ThriftPair,
    "thrift_pair",
    Object("key", "thrift_value", args={"kind": "key_kind", "is_element": True, "depth": "depth"}),
    Object(
        "value", "thrift_value", args={"kind": "value_kind", "is_element": True, "depth": "depth"}
    ),
    params={
        "key_kind": (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13),
        "value_kind": (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13),
        "depth": range(128),
    },
)

make_thrift_pair = THRIFT_PAIR_TYPE.make
