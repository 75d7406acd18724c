# Generated from specs/varint.ksy by `ksykit generate`. Do not edit.
"""Makes and writes the types of varint.

Variable-length integer.
"""

from __future__ import annotations

from ksykit.runtime.fields import Number, Object, Repeat, Type
from ksykit.runtime.json_values import U1

from ..parsers.varint import Varint

VARINT_TYPE = Type(
    Varint,
    "varint",
    Repeat(
        Object(
            "groups",
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
    ),
    given=("value",),
    values={
        "half": lambda s: s.groups[len(s.groups) - 1].half,
        "value": lambda s: s.half * 2 + (s.groups[0].group & 1),
        "zigzag": lambda s: s.half if s.groups[0].group & 1 == 0 else -s.half - 1,
    },
)

make_varint = VARINT_TYPE.make


VARINT_GROUP_TYPE = Type(
    Varint.VarintGroup,
    "varint_group",
    Number(
        "group",
        U1,
        most=lambda s: 255 if s.scale < 4611686018427387904 else 1,
        value=lambda s: (
            (128 if s._parent.value // 2 >= (64 if s.scale == 0 else s.scale * 128) else 0)
            + (s._parent.value if s.scale == 0 else s._parent.value // 2 // s.scale) % 128
        ),
    ),
    params={"scale": range(128), "half_before": range(128)},
    values={
        "half": lambda s: (
            s.half_before + ((s.group & 127) // 2 if s.scale == 0 else (s.group & 127) * s.scale)
        ),
    },
)

make_varint_group = VARINT_GROUP_TYPE.make
