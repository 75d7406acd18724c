# Generated from specs/protobuf.ksy by `paimon-ksy generate`. Do not edit.
"""Makes and writes the types of protobuf.

Protocol Buffers message.
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
from paimon_ksy.runtime.json_values import U4LE, U8LE

from ..parsers.protobuf import Protobuf
from ..parsers.varint import Varint

PROTOBUF_TYPE = Type(
    Protobuf,
    "protobuf",
    Objects("fields", "protobuf_field", looked=True),
)


def make_protobuf(
    *,
    fields: Sequence[Protobuf.ProtobufField | bytes] | None = None,
) -> Any:
    """Return a new `protobuf`; what is None is computed when it is written.

    The encoded fields of a message, by their numbers. Only the schema of the
    message defines the meaning and the types of the fields. The footers of ORC
    files are such messages.
    """
    return PROTOBUF_TYPE.new(locals())


PROTOBUF_FIELD_TYPE = Type(
    Protobuf.ProtobufField,
    "protobuf_field",
    Object("tag", "varint", looked=True),
    Object("varint", "varint", when=lambda s: s.wire_type == 0),
    Number("fixed_64", U8LE, when=lambda s: s.wire_type == 1),
    Object(
        "len_body",
        "varint",
        when=lambda s: s.wire_type == 2,
        looked=True,
        inner=("groups.group", "groups.half_before", "groups.scale"),
        role="length",
    ),
    Bytes("body", size="len_body.value", when=lambda s: s.wire_type == 2, measured=True),
    Number("fixed_32", U4LE, when=lambda s: s.wire_type == 5),
    deciding=None,
    computed={
        "len_body.value": Measure("length", "body"),
    },
    values={
        "number": lambda s: s.tag.value // 8,
        "wire_type": lambda s: s.tag.groups[0].group & 7,
    },
)


def make_protobuf_field(
    *,
    tag: Varint | bytes | None = None,
    varint: Varint | bytes | None = None,
    fixed_64: int | None = None,
    len_body: Varint | bytes | None = None,
    body: bytes | None = None,
    fixed_32: int | None = None,
) -> Any:
    """Return a new `protobuf_field`; what is None is computed when it is written."""
    return PROTOBUF_FIELD_TYPE.new(locals())
