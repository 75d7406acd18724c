# Generated from varint.ksy by `ksykit generate`. Do not edit.
"""Objects of varint: Variable-length integer."""

from __future__ import annotations

from typing import Any

from ksykit.runtime.json_values import U1
from ksykit.runtime.rows import Many, Number, Object, One, Param, Repeat, Value
from ksykit.runtime.structs import Struct


class Varint(Struct, of="varint"):
    """An unsigned integer of up to 64 bits, in as few bytes as possible.

    Attributes:
        groups: Seven bits each.
        half: The integer without its lowest bit.
        value: The integer itself.
        zigzag: The value as a signed integer whose sign is in the lowest bit.
    """

    groups: Many[VarintGroup] = Repeat(
        Object(
            "varint_group",
            args={
                "scale": lambda s, i: (
                    0 if i == 0 else 64 if i == 1 else s.groups[i - 1].scale * 128
                ),
                "half_before": lambda s, i: 0 if i == 0 else s.groups[i - 1].half,
            },
            looked=True,
        ),
        until=lambda s, x: x.group < 128,
    )
    value: One[Any] = Value(lambda s: s.half * 2 + (s.groups[0].group & 1), given=True)
    half = Value(lambda s: s.groups[len(s.groups) - 1].half)
    zigzag = Value(lambda s: s.half if s.groups[0].group & 1 == 0 else -s.half - 1)


class VarintGroup(Struct, of="varint_group"):
    """A `varint_group`.

    Attributes:
        scale: The value of the lowest bit of the group in `half`, or 0 in the first group.
        half_before: The `half` of the groups before.
        group: Seven bits, and the bit that states whether another group follows.
        half: The integer up to this group, without its lowest bit.
    """

    scale: One[int] = Param(range(128))
    half_before: One[int] = Param(range(128))
    group: One[int] = Number(
        U1,
        most=lambda s: 255 if s.scale < 4611686018427387904 else 1,
        value=lambda s: (
            (128 if s._parent.value // 2 >= (64 if s.scale == 0 else s.scale * 128) else 0)
            + (s._parent.value if s.scale == 0 else s._parent.value // 2 // s.scale) % 128
        ),
    )
    half = Value(
        lambda s: (
            s.half_before + ((s.group & 127) // 2 if s.scale == 0 else (s.group & 127) * s.scale)
        )
    )


make_varint = Varint
make_varint_group = VarintGroup
