# Generated from specs/compact_thrift.ksy by `ksykit generate`. Do not edit.
"""The types of compact_thrift: their objects are read, made, changed and written.

Apache Thrift struct in the compact protocol.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from ksykit.runtime.json_values import F8LE, S1, U1
from ksykit.runtime.rows import (
    Bytes,
    Many,
    Maybe,
    MaybeMany,
    MaybeNested,
    Nested,
    Number,
    Object,
    One,
    Param,
    Repeat,
    Value,
)
from ksykit.runtime.structs import Struct
from ksykit.runtime.types import Measure

if TYPE_CHECKING:
    from .varint import Varint


class CompactThrift(Struct, of="compact_thrift"):
    """The encoded fields of a struct, by their numbers, up to its end."""

    depth: One[int] = Param(range(128))
    fields: Many[ThriftField] = Repeat(
        Object(
            "thrift_field",
            args={
                "previous": lambda s, i: 0 if i == 0 else s.fields[i - 1].number,
                "depth": "depth",
            },
            looked=True,
        ),
        until=lambda s, x: x.is_stop,
    )


class ThriftField(Struct, of="thrift_field"):
    """A `thrift_field`."""

    previous: One[int] = Param(range(128))
    depth: One[int] = Param(range(128))
    head: Nested[ThriftFieldHead] = Object(
        "thrift_field_head", args={"previous": "previous", "depth": "depth"}, looked=True
    )
    value: MaybeNested[ThriftValue] = Object(
        "thrift_value",
        args={"kind": "head.kind", "is_element": False, "depth": "depth"},
        when=lambda s: not s.head.is_stop,
    )
    number = Value("head.number")
    is_stop = Value("head.is_stop")


class ThriftFieldHead(Struct, of="thrift_field_head"):
    """A `thrift_field_head`."""

    previous: One[int] = Param(range(128))
    depth: One[int] = Param(range(128))
    head: One[int] = Number(
        U1,
        most=lambda s: 255 if s.depth < 32 and s.kind >= 1 and s.kind <= 13 else 0,
        inverse={
            "kind": lambda s: (
                0
                if s._value("kind") == 0
                else (s._value("number") - s.previous) * 16 + s._value("kind")
            ),
            "number": lambda s: (
                0
                if s._value("kind") == 0
                else (s._value("number") - s.previous) * 16 + s._value("kind")
            ),
        },
    )
    long_number: MaybeNested[Varint] = Object(
        "varint", looked=True, when=lambda s: s.head != 0 and s.head < 16
    )
    kind: One[Any] = Value(lambda s: s.head & 15, given=True)
    number: One[Any] = Value(
        lambda s: (
            s.long_number.zigzag if s.head != 0 and s.head < 16 else s.previous + s.head // 16
        ),
        given=True,
    )
    is_stop = Value(lambda s: s.head == 0)


class ThriftValue(Struct, of="thrift_value"):
    """A `thrift_value`."""

    kind: One[int] = Param((1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13))
    is_element: One[bool] = Param((False, True))
    depth: One[int] = Param(range(128))
    truth: Maybe[int] = Number(
        U1, most=2, when=lambda s: s.is_element and (s.named_kind == 1 or s.named_kind == 2)
    )
    int_8: Maybe[int] = Number(S1, when=lambda s: s.named_kind == 3)
    integer: MaybeNested[Varint] = Object(
        "varint", when=lambda s: s.named_kind == 4 or s.named_kind == 5 or s.named_kind == 6
    )
    real: Maybe[float] = Number(F8LE, when=lambda s: s.named_kind == 7)
    len_body: MaybeNested[Varint] = Object(
        "varint",
        looked=True,
        when=lambda s: s.named_kind == 8,
        inner=("groups.group", "groups.half_before", "groups.scale"),
        role="length",
    )
    body: Maybe[bytes] = Bytes(
        size="len_body.value", when=lambda s: s.named_kind == 8, measured=True
    )
    collection: MaybeNested[ThriftCollection] = Object(
        "thrift_collection",
        args={"depth": lambda s, i: s.depth + 1},
        when=lambda s: s.named_kind == 9 or s.named_kind == 10,
    )
    mapping: MaybeNested[ThriftMapping] = Object(
        "thrift_mapping",
        args={"depth": lambda s, i: s.depth + 1},
        when=lambda s: s.named_kind == 11,
    )
    nested: MaybeNested[CompactThrift] = Object(
        "compact_thrift",
        args={"depth": lambda s, i: s.depth + 1},
        when=lambda s: s.named_kind == 12,
    )
    uuid: Maybe[bytes] = Bytes(size=16, when=lambda s: s.named_kind == 13)
    named_kind = Value("kind")
    _derived: ClassVar = {
        "len_body.value": Measure("length", "body"),
    }


class ThriftCollection(Struct, of="thrift_collection"):
    """A list or a set."""

    depth: One[int] = Param(range(128))
    head: One[int] = Number(
        U1, most=lambda s: 255 if s.depth < 32 and s.kind >= 1 and s.kind <= 13 else 0, small=True
    )
    long_count: MaybeNested[Varint] = Object(
        "varint",
        looked=True,
        when=lambda s: s.head >= 240,
        inner=("groups.group", "groups.half_before", "groups.scale"),
    )
    elements: Many[ThriftValue] = Repeat(
        Object("thrift_value", args={"kind": "kind", "is_element": True, "depth": "depth"}),
        count="num_elements",
    )
    kind = Value(lambda s: s.head & 15)
    num_elements = Value(lambda s: s.long_count.value if s.head >= 240 else s.head // 16)


class ThriftMapping(Struct, of="thrift_mapping"):
    """A `thrift_mapping`."""

    depth: One[int] = Param(range(128))
    num_pairs: Nested[Varint] = Object(
        "varint",
        looked=True,
        inner=("groups.group", "groups.half_before", "groups.scale"),
        role="length",
    )
    kinds: Maybe[int] = Number(
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
    )
    pairs: MaybeMany[ThriftPair] = Repeat(
        Object(
            "thrift_pair",
            args={"key_kind": "key_kind", "value_kind": "value_kind", "depth": "depth"},
        ),
        when=lambda s: s.num_pairs.value > 0,
        count="num_pairs.value",
    )
    key_kind = Value(lambda s: s.kinds // 16, when=lambda s: s.num_pairs.value > 0)
    value_kind = Value(lambda s: s.kinds & 15, when=lambda s: s.num_pairs.value > 0)
    _derived: ClassVar = {
        "num_pairs.value": Measure("count", "pairs"),
    }


class ThriftPair(Struct, of="thrift_pair"):
    """A `thrift_pair`."""

    key_kind: One[int] = Param((1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13))
    value_kind: One[int] = Param((1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13))
    depth: One[int] = Param(range(128))
    key: Nested[ThriftValue] = Object(
        "thrift_value", args={"kind": "key_kind", "is_element": True, "depth": "depth"}
    )
    value: Nested[ThriftValue] = Object(
        "thrift_value", args={"kind": "value_kind", "is_element": True, "depth": "depth"}
    )


make_compact_thrift = CompactThrift
make_thrift_field = ThriftField
make_thrift_field_head = ThriftFieldHead
make_thrift_value = ThriftValue
make_thrift_collection = ThriftCollection
make_thrift_mapping = ThriftMapping
make_thrift_pair = ThriftPair
