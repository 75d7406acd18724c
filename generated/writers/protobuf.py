# Generated from specs/protobuf.ksy by `ksykit generate`. Do not edit.
"""Makes and writes the types of protobuf.

Protocol Buffers message.
"""

from __future__ import annotations

from ksykit.runtime.fields import Bytes, Measure, Number, Object, Repeat, Type
from ksykit.runtime.json_values import U4LE, U8LE

from ..parsers.protobuf import Protobuf

PROTOBUF_TYPE = Type(
    Protobuf,
    "protobuf",
    Repeat(Object("fields", "protobuf_field", looked=True)),
)

make_protobuf = PROTOBUF_TYPE.make


PROTOBUF_FIELD_TYPE = Type(
    Protobuf.ProtobufField,
    "protobuf_field",
    Object("tag", "varint", looked=True),
    Object("varint", "varint", when=lambda s: s.wire_type == 0),
    Number("fixed_64", U8LE, when=lambda s: s.wire_type == 1),
    Object(
        "len_body",
        "varint",
        looked=True,
        when=lambda s: s.wire_type == 2,
        inner=("groups.group", "groups.half_before", "groups.scale"),
        role="length",
    ),
    Bytes("body", size="len_body.value", when=lambda s: s.wire_type == 2, measured=True),
    Number("fixed_32", U4LE, when=lambda s: s.wire_type == 5),
    computed={
        "len_body.value": Measure("length", "body"),
    },
    values={
        "number": lambda s: s.tag.value // 8,
        "wire_type": lambda s: s.tag.groups[0].group & 7,
    },
)

make_protobuf_field = PROTOBUF_FIELD_TYPE.make
