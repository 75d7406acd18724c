# Generated from specs/protobuf.ksy by `python -m tools.ksy generate`. Do not edit.
"""Makes and writes the types of protobuf.

Message of Protocol Buffers.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..fields import Bytes, Number, Object, Objects, Type
from ..json_values import U1, U4LE, U8LE
from ..parsers.protobuf import Protobuf

PROTOBUF_TYPE = Type(
    Protobuf,
    "protobuf",
    Objects("fields", "protobuf_field"),
)


def make_protobuf(
    *,
    fields: Sequence[Protobuf.ProtobufField | bytes] | None = None,
) -> Any:
    """Return a new `protobuf`; what is None is computed when it is written.

    The encoded fields of a message, by their numbers. Only the schema of the
    message defines their meaning and types. The footers of ORC files are such
    messages.
    """
    return PROTOBUF_TYPE.new(locals())


PROTOBUF_FIELD_TYPE = Type(
    Protobuf.ProtobufField,
    "protobuf_field",
    Object("tag", "protobuf_varint", looked=True),
    Object("varint", "protobuf_varint", when=lambda s: s.wire_type == 0),
    Number("fixed_64", U8LE, when=lambda s: s.wire_type == 1),
    Object("len_body", "protobuf_varint", when=lambda s: s.wire_type == 2, looked=True),
    Bytes("body", when=lambda s: s.wire_type == 2, size=lambda s: s.len_body.value, measured=True),
    Number("fixed_32", U4LE, when=lambda s: s.wire_type == 5),
    deciding=None,
    values={
        "number": lambda s: s.tag.value >> 3,
        "wire_type": lambda s: s.tag.b0 & 7,
    },
)


def make_protobuf_field(
    *,
    tag: Protobuf.ProtobufVarint | bytes | None = None,
    varint: Protobuf.ProtobufVarint | bytes | None = None,
    fixed_64: int | None = None,
    len_body: Protobuf.ProtobufVarint | bytes | None = None,
    body: bytes | None = None,
    fixed_32: int | None = None,
) -> Any:
    """Return a new `protobuf_field`; what is None is computed when it is written."""
    return PROTOBUF_FIELD_TYPE.new(locals())


PROTOBUF_VARINT_TYPE = Type(
    Protobuf.ProtobufVarint,
    "protobuf_varint",
    Number("b0", U1),
    Number("b1", U1, when=lambda s: s.b0 >= 128),
    Number("b2", U1, when=lambda s: s.b0 >= 128 and s.b1 >= 128),
    Number("b3", U1, when=lambda s: s.b0 >= 128 and s.b1 >= 128 and s.b2 >= 128),
    Object(
        "more",
        "protobuf_varint_end",
        when=lambda s: s.b0 >= 128 and s.b1 >= 128 and s.b2 >= 128 and s.b3 >= 128,
        looked=True,
    ),
    deciding=None,
    values={
        "value": lambda s: (
            (s.b0 & 127)
            + (
                0
                if s.b0 < 128
                else (s.b1 & 127) * 128
                + (
                    0
                    if s.b1 < 128
                    else (s.b2 & 127) * 16384
                    + (
                        0
                        if s.b2 < 128
                        else (s.b3 & 127) * 2097152
                        + (0 if s.b3 < 128 else s.more.value * 268435456)
                    )
                )
            )
        ),
    },
)


def make_protobuf_varint(
    *,
    b0: int | None = None,
    b1: int | None = None,
    b2: int | None = None,
    b3: int | None = None,
    more: Protobuf.ProtobufVarintEnd | bytes | None = None,
) -> Any:
    """Return a new `protobuf_varint`; what is None is computed when it is written.

    An integer, seven bits a byte, the lowest ones first. The value covers the
    first eight bytes. In languages whose integers here have 32 bits, it is
    right below 2^31.
    """
    return PROTOBUF_VARINT_TYPE.new(locals())


PROTOBUF_VARINT_END_TYPE = Type(
    Protobuf.ProtobufVarintEnd,
    "protobuf_varint_end",
    Number("b4", U1),
    Number("b5", U1, when=lambda s: s.b4 >= 128),
    Number("b6", U1, when=lambda s: s.b4 >= 128 and s.b5 >= 128),
    Number("b7", U1, when=lambda s: s.b4 >= 128 and s.b5 >= 128 and s.b6 >= 128),
    Number("b8", U1, when=lambda s: s.b4 >= 128 and s.b5 >= 128 and s.b6 >= 128 and s.b7 >= 128),
    Number(
        "b9",
        U1,
        when=lambda s: s.b4 >= 128 and s.b5 >= 128 and s.b6 >= 128 and s.b7 >= 128 and s.b8 >= 128,
        valid=lambda s, v: v <= 1,
    ),
    deciding=None,
    values={
        "value": lambda s: (
            (s.b4 & 127)
            + (
                0
                if s.b4 < 128
                else (s.b5 & 127) * 128
                + (
                    0
                    if s.b5 < 128
                    else (s.b6 & 127) * 16384 + (0 if s.b6 < 128 else (s.b7 & 127) * 2097152)
                )
            )
        ),
    },
)


def make_protobuf_varint_end(
    *,
    b4: int | None = None,
    b5: int | None = None,
    b6: int | None = None,
    b7: int | None = None,
    b8: int | None = None,
    b9: int | None = None,
) -> Any:
    """Return a new `protobuf_varint_end`; what is None is computed when it is written.

    The bytes of an integer from the fifth on.
    """
    return PROTOBUF_VARINT_END_TYPE.new(locals())
