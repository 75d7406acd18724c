# Generated from specs/protobuf.ksy by `python -m tools.ksy generate`. Do not edit.
"""Makes and writes the types of protobuf.

Message of Protocol Buffers.
"""

from __future__ import annotations

from typing import Any

from ..parsers.protobuf import Protobuf
from ..runtime import U1, U4LE, U8LE, Item, RecordArray, Scope, Type, new


def make_protobuf(
    *,
    fields: list[Protobuf.ProtobufField] | RecordArray | None = None,
) -> Any:
    """A new `protobuf`; what is None is computed when it is written.

    The encoded fields of a message, by their numbers. Only the schema of the
    message defines their meaning and types. The footers of ORC files are such
    messages.
    """
    return new(
        Protobuf,
        {},
        {
            "fields": fields,
        },
        {},
        {},
    )


def write_protobuf(s: Scope) -> None:
    """Writes the fields of a `protobuf`."""
    s.objects("fields", "protobuf_field", {}, None)


def make_protobuf_field(
    *,
    tag: Protobuf.ProtobufVarint | bytes | None = None,
    varint: Protobuf.ProtobufVarint | bytes | None = None,
    fixed_64: int | None = None,
    len_body: Protobuf.ProtobufVarint | bytes | None = None,
    body: bytes | None = None,
    fixed_32: int | None = None,
) -> Any:
    """A new `protobuf_field`; what is None is computed when it is written."""
    return new(
        Protobuf.ProtobufField,
        {},
        {
            "tag": tag,
            "varint": varint,
            "fixed_64": fixed_64,
            "len_body": len_body,
            "body": body,
            "fixed_32": fixed_32,
        },
        {},
        {},
    )


def write_protobuf_field(s: Scope) -> None:
    """Writes the fields of a `protobuf_field`."""
    s.object("tag", "protobuf_varint", {})
    if s.when("varint", lambda: s.wire_type == 0):
        s.object("varint", "protobuf_varint", {})
    if s.when("fixed_64", lambda: s.wire_type == 1):
        s.number("fixed_64", U8LE)
    if s.when("len_body", lambda: s.wire_type == 2):
        s.object("len_body", "protobuf_varint", {})
    if s.when("body", lambda: s.wire_type == 2):
        s.bytes("body", lambda: s.len_body.value)
    if s.when("fixed_32", lambda: s.wire_type == 5):
        s.number("fixed_32", U4LE)


def make_protobuf_varint(
    *,
    b0: int | None = None,
    b1: int | None = None,
    b2: int | None = None,
    b3: int | None = None,
    more: Protobuf.ProtobufVarintEnd | bytes | None = None,
) -> Any:
    """A new `protobuf_varint`; what is None is computed when it is written.

    An integer, seven bits a byte, the lowest ones first. The value covers the
    first eight bytes. In languages whose integers here have 32 bits, it is
    right below 2^31.
    """
    return new(
        Protobuf.ProtobufVarint,
        {},
        {
            "b0": b0,
            "b1": b1,
            "b2": b2,
            "b3": b3,
            "more": more,
        },
        {},
        {},
    )


def write_protobuf_varint(s: Scope) -> None:
    """Writes the fields of a `protobuf_varint`."""
    s.number("b0", U1)
    if s.when("b1", lambda: s.b0 >= 128):
        s.number("b1", U1)
    if s.when("b2", lambda: s.b0 >= 128 and s.b1 >= 128):
        s.number("b2", U1)
    if s.when("b3", lambda: s.b0 >= 128 and s.b1 >= 128 and s.b2 >= 128):
        s.number("b3", U1)
    if s.when("more", lambda: s.b0 >= 128 and s.b1 >= 128 and s.b2 >= 128 and s.b3 >= 128):
        s.object("more", "protobuf_varint_end", {})


def make_protobuf_varint_end(
    *,
    b4: int | None = None,
    b5: int | None = None,
    b6: int | None = None,
    b7: int | None = None,
    b8: int | None = None,
    b9: int | None = None,
) -> Any:
    """A new `protobuf_varint_end`; what is None is computed when it is written.

    The bytes of an integer from the fifth on.
    """
    return new(
        Protobuf.ProtobufVarintEnd,
        {},
        {
            "b4": b4,
            "b5": b5,
            "b6": b6,
            "b7": b7,
            "b8": b8,
            "b9": b9,
        },
        {},
        {},
    )


def write_protobuf_varint_end(s: Scope) -> None:
    """Writes the fields of a `protobuf_varint_end`."""
    s.number("b4", U1)
    if s.when("b5", lambda: s.b4 >= 128):
        s.number("b5", U1)
    if s.when("b6", lambda: s.b4 >= 128 and s.b5 >= 128):
        s.number("b6", U1)
    if s.when("b7", lambda: s.b4 >= 128 and s.b5 >= 128 and s.b6 >= 128):
        s.number("b7", U1)
    if s.when("b8", lambda: s.b4 >= 128 and s.b5 >= 128 and s.b6 >= 128 and s.b7 >= 128):
        s.number("b8", U1)
    if s.when(
        "b9", lambda: s.b4 >= 128 and s.b5 >= 128 and s.b6 >= 128 and s.b7 >= 128 and s.b8 >= 128
    ):
        s.number("b9", U1)


TYPES = {
    "protobuf": Type(
        name="protobuf",
        spec="protobuf",
        cls=Protobuf,
        params=(),
        items=(Item("fields", "objects", type="protobuf_field"),),
        write=write_protobuf,
        values={},
        unset={},
    ),
    "protobuf_field": Type(
        name="protobuf_field",
        spec="protobuf",
        cls=Protobuf.ProtobufField,
        params=(),
        items=(
            Item("tag", "object", type="protobuf_varint"),
            Item("varint", "object", type="protobuf_varint"),
            Item("fixed_64", "number", number=U8LE),
            Item("len_body", "object", type="protobuf_varint"),
            Item("body", "bytes"),
            Item("fixed_32", "number", number=U4LE),
        ),
        write=write_protobuf_field,
        values={
            "number": lambda s: s.tag.value >> 3,
            "wire_type": lambda s: s.tag.b0 & 7,
        },
        unset={},
    ),
    "protobuf_varint": Type(
        name="protobuf_varint",
        spec="protobuf",
        cls=Protobuf.ProtobufVarint,
        params=(),
        items=(
            Item("b0", "number", number=U1),
            Item("b1", "number", number=U1),
            Item("b2", "number", number=U1),
            Item("b3", "number", number=U1),
            Item("more", "object", type="protobuf_varint_end"),
        ),
        write=write_protobuf_varint,
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
        unset={},
    ),
    "protobuf_varint_end": Type(
        name="protobuf_varint_end",
        spec="protobuf",
        cls=Protobuf.ProtobufVarintEnd,
        params=(),
        items=(
            Item("b4", "number", number=U1),
            Item("b5", "number", number=U1),
            Item("b6", "number", number=U1),
            Item("b7", "number", number=U1),
            Item("b8", "number", number=U1),
            Item("b9", "number", number=U1),
        ),
        write=write_protobuf_varint_end,
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
        unset={},
    ),
}
