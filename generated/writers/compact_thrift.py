# Generated from specs/compact_thrift.ksy by `paimon-ksy generate`. Do not edit.
"""Makes and writes the types of compact_thrift.

Apache Thrift struct in the compact protocol.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from paimon_ksy.runtime.fields import (
    Bytes,
    Measure,
    Number,
    Object,
    Objects,
    Type,
)
from paimon_ksy.runtime.json_values import F8LE, S1, U1

from ..parsers.compact_thrift import CompactThrift
from ..parsers.varint import Varint

COMPACT_THRIFT_TYPE = Type(
    CompactThrift,
    "compact_thrift",
    Objects(
        "fields",
        "thrift_field",
        args={"previous": lambda s, i: 0 if i == 0 else s.fields[i - 1].number, "depth": "depth"},
        until=lambda s, x: x.is_stop,
        looked=True,
    ),
    params={"depth": range(128)},
)


def make_compact_thrift(
    *,
    depth: int | None = None,
    fields: Sequence[CompactThrift.ThriftField | bytes] | None = None,
) -> Any:
    """Return a new `compact_thrift`; what is None is computed when it is written.

    The encoded fields of a struct, by their numbers, up to its end. Only the
    definition of the struct names the fields. The footers and page headers of
    Parquet files are such structs.

    An element of a collection takes at least one byte, so a wrong count cannot
    make a reader create more elements than bytes follow. This spec limits the
    nesting of structs and collections to a depth of 32; the protocol has no
    limit.
    """
    return COMPACT_THRIFT_TYPE.new(locals())


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
    deciding=None,
    values={
        "number": "head.number",
        "is_stop": "head.is_stop",
    },
)


def make_thrift_field(
    *,
    previous: int | None = None,
    depth: int | None = None,
    head: CompactThrift.ThriftFieldHead | bytes | None = None,
    value: CompactThrift.ThriftValue | bytes | None = None,
) -> Any:
    """Return a new `thrift_field`; what is None is computed when it is written."""
    return THRIFT_FIELD_TYPE.new(locals())


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
    Object("long_number", "varint", when=lambda s: s.head != 0 and s.head < 16, looked=True),
    params={"previous": range(128), "depth": range(128)},
    deciding=None,
    given=("kind", "number"),
    values={
        "is_stop": lambda s: s.head == 0,
        "kind": lambda s: s.head & 15,
        "number": lambda s: (
            s.long_number.zigzag if s.head != 0 and s.head < 16 else s.previous + s.head // 16
        ),
    },
)


def make_thrift_field_head(
    *,
    previous: int | None = None,
    depth: int | None = None,
    head: int | None = None,
    long_number: Varint | bytes | None = None,
    kind: int | None = None,
    number: int | None = None,
) -> Any:
    """Return a new `thrift_field_head`; what is None is computed when it is written."""
    return THRIFT_FIELD_HEAD_TYPE.new(locals())


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
        when=lambda s: s.named_kind == 8,
        looked=True,
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
    deciding=("kind", "is_element"),
    computed={
        "len_body.value": Measure("length", "body"),
    },
    values={
        "named_kind": "kind",
    },
)


def make_thrift_value(
    *,
    kind: int | None = None,
    is_element: bool | None = None,
    depth: int | None = None,
    truth: int | None = None,
    int_8: int | None = None,
    integer: Varint | bytes | None = None,
    real: float | None = None,
    len_body: Varint | bytes | None = None,
    body: bytes | None = None,
    collection: CompactThrift.ThriftCollection | bytes | None = None,
    mapping: CompactThrift.ThriftMapping | bytes | None = None,
    nested: CompactThrift | bytes | None = None,
    uuid: bytes | None = None,
) -> Any:
    """Return a new `thrift_value`; what is None is computed when it is written."""
    return THRIFT_VALUE_TYPE.new(locals())


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
        when=lambda s: s.head >= 240,
        looked=True,
        inner=("groups.group", "groups.half_before", "groups.scale"),
    ),
    Objects(
        "elements",
        "thrift_value",
        args={"kind": "kind", "is_element": True, "depth": "depth"},
        count="num_elements",
    ),
    params={"depth": range(128)},
    deciding=None,
    values={
        "kind": lambda s: s.head & 15,
        "num_elements": lambda s: s.long_count.value if s.head >= 240 else s.head // 16,
    },
)


def make_thrift_collection(
    *,
    depth: int | None = None,
    head: int | None = None,
    long_count: Varint | bytes | None = None,
    elements: Sequence[CompactThrift.ThriftValue | bytes] | None = None,
) -> Any:
    """Return a new `thrift_collection`; what is None is computed when it is written.

    A list or a set.
    """
    return THRIFT_COLLECTION_TYPE.new(locals())


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
    Objects(
        "pairs",
        "thrift_pair",
        args={"key_kind": "key_kind", "value_kind": "value_kind", "depth": "depth"},
        when=lambda s: s.num_pairs.value > 0,
        count="num_pairs.value",
    ),
    params={"depth": range(128)},
    deciding=None,
    computed={
        "num_pairs.value": Measure("count", "pairs"),
    },
    values={
        "key_kind": lambda s: s.kinds // 16,
        "value_kind": lambda s: s.kinds & 15,
    },
)


def make_thrift_mapping(
    *,
    depth: int | None = None,
    num_pairs: Varint | bytes | None = None,
    kinds: int | None = None,
    pairs: Sequence[CompactThrift.ThriftPair | bytes] | None = None,
) -> Any:
    """Return a new `thrift_mapping`; what is None is computed when it is written."""
    return THRIFT_MAPPING_TYPE.new(locals())


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


def make_thrift_pair(
    *,
    key_kind: int | None = None,
    value_kind: int | None = None,
    depth: int | None = None,
    key: CompactThrift.ThriftValue | bytes | None = None,
    value: CompactThrift.ThriftValue | bytes | None = None,
) -> Any:
    """Return a new `thrift_pair`; what is None is computed when it is written."""
    return THRIFT_PAIR_TYPE.new(locals())
