# Generated from protobuf.ksy by `ksykit generate`. Do not edit.
"""Objects of protobuf: Protocol Buffers message."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from ksykit.runtime.json_values import U4LE, U8LE
from ksykit.runtime.rows import (
    Bytes,
    Many,
    Maybe,
    MaybeNested,
    Nested,
    Number,
    Object,
    Repeat,
    Value,
)
from ksykit.runtime.structs import Struct
from ksykit.runtime.types import Measure

if TYPE_CHECKING:
    from .varint import Varint


class Protobuf(Struct, of="protobuf"):
    """The encoded fields of a message, by their numbers.

    Attributes:
        fields: The fields, which may be in any order.
    """

    fields: Many[ProtobufField] = Repeat(Object("protobuf_field", looked=True))


class ProtobufField(Struct, of="protobuf_field"):
    """A `protobuf_field`.

    Attributes:
        tag: The number of the field, and its wire type.
        fixed_64: A number of eight bytes.
        body: A message, text, bytes or several numbers.
        fixed_32: A number of four bytes.
        number: The number of the field in the message.
        wire_type: Other types are not in use.
    """

    tag: Nested[Varint] = Object("varint", looked=True)
    varint: MaybeNested[Varint] = Object("varint", when=lambda s: s.wire_type == 0)
    fixed_64: Maybe[int] = Number(U8LE, when=lambda s: s.wire_type == 1)
    len_body: MaybeNested[Varint] = Object(
        "varint", looked=True, when=lambda s: s.wire_type == 2,
        inner=("groups.group", "groups.half_before", "groups.scale"), role="length",
    )  # fmt: skip
    body: Maybe[bytes] = Bytes(
        size="len_body.value", when=lambda s: s.wire_type == 2, measured=True,
    )  # fmt: skip
    fixed_32: Maybe[int] = Number(U4LE, when=lambda s: s.wire_type == 5)
    number = Value(lambda s: s.tag.value // 8)
    wire_type = Value(lambda s: s.tag.groups[0].group & 7)
    _derived: ClassVar = {"len_body.value": Measure("length", "body")}


make_protobuf = Protobuf
make_protobuf_field = ProtobufField
