# Generated from compact_thrift.ksy by `ksykit generate`. Do not edit.
"""Objects of compact_thrift: Apache Thrift struct in the compact protocol."""

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
    """The encoded fields of a struct, by their numbers, up to its end.

    Attributes:
        depth: The number of structs and collections around this one.
        fields: The fields, and the byte that ends the struct.
    """

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
    """A `thrift_field`.

    Attributes:
        previous: The number of the previous field in the struct, or 0.
        head: The number and the kind of the field.
        value: The value of the field.
        number: The number of the field in the struct.
    """

    previous: One[int] = Param(range(128))
    depth: One[int] = Param(range(128))
    head: Nested[ThriftFieldHead] = Object(
        "thrift_field_head", args={"previous": "previous", "depth": "depth"}, looked=True,
    )  # fmt: skip
    value: MaybeNested[ThriftValue] = Object(
        "thrift_value", args={"kind": "head.kind", "is_element": False, "depth": "depth"},
        when=lambda s: not s.head.is_stop,
    )  # fmt: skip
    number = Value("head.number")
    is_stop = Value("head.is_stop")


class ThriftFieldHead(Struct, of="thrift_field_head"):
    """A `thrift_field_head`.

    Attributes:
        head: The upper four bits are the difference between this number and the previous one, or 0
            if the number itself follows.
        long_number: The number itself, if it is not stored as a difference.
        kind: A value of the enum `thrift_kind`.
        number: The number of the field in the struct.
    """

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
        "varint", looked=True, when=lambda s: s.head != 0 and s.head < 16,
    )  # fmt: skip
    kind: One[Any] = Value(lambda s: s.head & 15, given=True)
    number: One[Any] = Value(
        lambda s: (
            s.long_number.zigzag if s.head != 0 and s.head < 16 else s.previous + s.head // 16
        ),
        given=True,
    )
    is_stop = Value(lambda s: s.head == 0)


class ThriftValue(Struct, of="thrift_value"):
    """A `thrift_value`.

    Attributes:
        kind: A value of the enum `thrift_kind`.
        is_element: In a collection, a bool takes a byte; in a field, the kind is the value.
        truth: 1 is true.
        int_8: A signed integer of one byte.
        integer: The number is its `zigzag`.
        real: A floating-point number.
        body: Bytes, or text in UTF-8.
        mapping: The pairs of a map.
        nested: A struct inside this one.
        uuid: A UUID, most significant byte first.
    """

    kind: One[int] = Param((1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13))
    is_element: One[bool] = Param((False, True))
    depth: One[int] = Param(range(128))
    truth: Maybe[int] = Number(
        U1, most=2, when=lambda s: s.is_element and (s.named_kind == 1 or s.named_kind == 2),
    )  # fmt: skip
    int_8: Maybe[int] = Number(S1, when=lambda s: s.named_kind == 3)
    integer: MaybeNested[Varint] = Object(
        "varint", when=lambda s: s.named_kind == 4 or s.named_kind == 5 or s.named_kind == 6,
    )  # fmt: skip
    real: Maybe[float] = Number(F8LE, when=lambda s: s.named_kind == 7)
    len_body: MaybeNested[Varint] = Object(
        "varint", looked=True, when=lambda s: s.named_kind == 8,
        inner=("groups.group", "groups.half_before", "groups.scale"), role="length",
    )  # fmt: skip
    body: Maybe[bytes] = Bytes(
        size="len_body.value", when=lambda s: s.named_kind == 8, measured=True,
    )  # fmt: skip
    collection: MaybeNested[ThriftCollection] = Object(
        "thrift_collection", args={"depth": lambda s, i: s.depth + 1},
        when=lambda s: s.named_kind == 9 or s.named_kind == 10,
    )  # fmt: skip
    mapping: MaybeNested[ThriftMapping] = Object(
        "thrift_mapping", args={"depth": lambda s, i: s.depth + 1},
        when=lambda s: s.named_kind == 11,
    )  # fmt: skip
    nested: MaybeNested[CompactThrift] = Object(
        "compact_thrift", args={"depth": lambda s, i: s.depth + 1},
        when=lambda s: s.named_kind == 12,
    )  # fmt: skip
    uuid: Maybe[bytes] = Bytes(size=16, when=lambda s: s.named_kind == 13)
    named_kind = Value("kind")
    _derived: ClassVar = {"len_body.value": Measure("length", "body")}


class ThriftCollection(Struct, of="thrift_collection"):
    """A list or a set.

    Attributes:
        head: The upper four bits are the number of elements, or 15 if the number follows.
        long_count: The number of elements, if it is 15 or more.
        elements: The elements, which are all of one kind.
        kind: A value of the enum `thrift_kind`.
    """

    depth: One[int] = Param(range(128))
    head: One[int] = Number(
        U1, most=lambda s: 255 if s.depth < 32 and s.kind >= 1 and s.kind <= 13 else 0,
        small=True,
    )  # fmt: skip
    long_count: MaybeNested[Varint] = Object(
        "varint", looked=True, when=lambda s: s.head >= 240,
        inner=("groups.group", "groups.half_before", "groups.scale"),
    )  # fmt: skip
    elements: Many[ThriftValue] = Repeat(
        Object("thrift_value", args={"kind": "kind", "is_element": True, "depth": "depth"}),
        count="num_elements",
    )
    kind = Value(lambda s: s.head & 15)
    num_elements = Value(lambda s: s.long_count.value if s.head >= 240 else s.head // 16)


class ThriftMapping(Struct, of="thrift_mapping"):
    """A `thrift_mapping`.

    Attributes:
        kinds: The kind of the keys in the upper four bits, that of the values in the lower.
        pairs: Each key with its value.
        key_kind: A value of the enum `thrift_kind`.
        value_kind: A value of the enum `thrift_kind`.
    """

    depth: One[int] = Param(range(128))
    num_pairs: Nested[Varint] = Object(
        "varint", looked=True, inner=("groups.group", "groups.half_before", "groups.scale"),
        role="length",
    )  # fmt: skip
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
    _derived: ClassVar = {"num_pairs.value": Measure("count", "pairs")}


class ThriftPair(Struct, of="thrift_pair"):
    """A `thrift_pair`.

    Attributes:
        key: A key of the map.
        value: The value of that key.
    """

    key_kind: One[int] = Param((1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13))
    value_kind: One[int] = Param((1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13))
    depth: One[int] = Param(range(128))
    key: Nested[ThriftValue] = Object(
        "thrift_value", args={"kind": "key_kind", "is_element": True, "depth": "depth"},
    )  # fmt: skip
    value: Nested[ThriftValue] = Object(
        "thrift_value", args={"kind": "value_kind", "is_element": True, "depth": "depth"},
    )  # fmt: skip


make_compact_thrift = CompactThrift
make_thrift_field = ThriftField
make_thrift_field_head = ThriftFieldHead
make_thrift_value = ThriftValue
make_thrift_collection = ThriftCollection
make_thrift_mapping = ThriftMapping
make_thrift_pair = ThriftPair
