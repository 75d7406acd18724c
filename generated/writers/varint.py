# Generated from specs/varint.ksy by `paimon-ksy generate`. Do not edit.
"""Makes and writes the types of varint.

Variable-length integer.
"""

from __future__ import annotations

from typing import Any

from paimon_ksy.runtime.fields import (
    Number,
    Object,
    Type,
)
from paimon_ksy.runtime.json_values import U1

from ..parsers.varint import Varint

VARINT_TYPE = Type(
    Varint,
    "varint",
    Number(
        "b0",
        U1,
        inverse={
            "value": lambda s: (
                s._asked("value") if s._asked("value") < 128 else s._asked("value") % 128 + 128
            )
        },
    ),
    Number(
        "b1",
        U1,
        inverse={
            "value": lambda s: (
                s._asked("value") // 128
                if s._asked("value") < 16384
                else s._asked("value") // 128 % 128 + 128
            )
        },
        when=lambda s: s.b0 >= 128,
    ),
    Number(
        "b2",
        U1,
        inverse={
            "value": lambda s: (
                s._asked("value") // 16384
                if s._asked("value") < 2097152
                else s._asked("value") // 16384 % 128 + 128
            )
        },
        when=lambda s: s.b0 >= 128 and s.b1 >= 128,
    ),
    Number(
        "b3",
        U1,
        inverse={"value": lambda s: s._asked("value") // 2097152},
        when=lambda s: s.b0 >= 128 and s.b1 >= 128 and s.b2 >= 128,
    ),
    Object(
        "more",
        "varint_end",
        when=lambda s: s.b0 >= 128 and s.b1 >= 128 and s.b2 >= 128 and s.b3 >= 128,
        looked=True,
    ),
    deciding=None,
    given=("value",),
    values={
        "half": lambda s: (
            (s.b0 & 127) // 2
            + (
                0
                if s.b0 < 128
                else (s.b1 & 127) * 64
                + (
                    0
                    if s.b1 < 128
                    else (s.b2 & 127) * 8192
                    + (
                        0
                        if s.b2 < 128
                        else (s.b3 & 127) * 1048576
                        + (0 if s.b3 < 128 else s.more.value * 134217728)
                    )
                )
            )
        ),
        "value": lambda s: s.half * 2 + (s.b0 & 1),
        "zigzag": lambda s: s.half if s.b0 & 1 == 0 else -s.half - 1,
    },
)


def make_varint(
    *,
    b0: int | None = None,
    b1: int | None = None,
    b2: int | None = None,
    b3: int | None = None,
    more: Varint.VarintEnd | bytes | None = None,
    value: int | None = None,
) -> Any:
    """Return a new `varint`; what is None is computed when it is written.

    An unsigned integer of up to 64 bits, in as few bytes as possible. Each byte
    contains seven bits, the lowest bits first. The upper bit of a byte is 1 if
    more bytes follow. Protocol Buffers and Thrift's compact protocol use such
    integers. Each sum and product is cast, because some languages otherwise
    compute it in 32 bits.
    """
    return VARINT_TYPE.new(locals())


def b0_of_value(value: Any) -> Any:
    """Return the `b0` that stands for a `value`: an int, or an array of int64."""
    return value if value < 128 else value % 128 + 128


def b1_of_value(value: Any) -> Any:
    """Return the `b1` that stands for a `value`: an int, or an array of int64."""
    return value // 128 if value < 16384 else value // 128 % 128 + 128


def b2_of_value(value: Any) -> Any:
    """Return the `b2` that stands for a `value`: an int, or an array of int64."""
    return value // 16384 if value < 2097152 else value // 16384 % 128 + 128


def b3_of_value(value: Any) -> Any:
    """Return the `b3` that stands for a `value`: an int, or an array of int64."""
    return value // 2097152


VARINT_END_TYPE = Type(
    Varint.VarintEnd,
    "varint_end",
    Number("b4", U1),
    Number("b5", U1, when=lambda s: s.b4 >= 128),
    Number("b6", U1, when=lambda s: s.b4 >= 128 and s.b5 >= 128),
    Number("b7", U1, when=lambda s: s.b4 >= 128 and s.b5 >= 128 and s.b6 >= 128),
    Number("b8", U1, when=lambda s: s.b4 >= 128 and s.b5 >= 128 and s.b6 >= 128 and s.b7 >= 128),
    Number(
        "b9",
        U1,
        most=1,
        when=lambda s: s.b4 >= 128 and s.b5 >= 128 and s.b6 >= 128 and s.b7 >= 128 and s.b8 >= 128,
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
                    else (s.b6 & 127) * 16384
                    + (
                        0
                        if s.b6 < 128
                        else (s.b7 & 127) * 2097152
                        + (
                            0
                            if s.b7 < 128
                            else (s.b8 & 127) * 268435456
                            + (0 if s.b8 < 128 else s.b9 * 34359738368)
                        )
                    )
                )
            )
        ),
    },
)


def make_varint_end(
    *,
    b4: int | None = None,
    b5: int | None = None,
    b6: int | None = None,
    b7: int | None = None,
    b8: int | None = None,
    b9: int | None = None,
) -> Any:
    """Return a new `varint_end`; what is None is computed when it is written.

    The bytes from the fifth on.
    """
    return VARINT_END_TYPE.new(locals())
