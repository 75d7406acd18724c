# Generated from varint.ksy by `ksykit generate`. Do not edit.
"""Views of varint: Variable-length integer."""

from itertools import count
from typing import Any

from ksykit.runtime.records import MANY_EMPTY, Buffer, Field, Numbers, guarded, wrong

_VARINT_GROUP_GROUP = Numbers(
    ">B",
    Field(
        "group",
        "varint/types/varint_group/seq/0",
        ">B",
        most=lambda x: 255 if x.scale < 4611686018427387904 else 1,
    ),
)


class VarintGroup:
    """A `varint_group`."""

    __slots__ = ("end", "group", "half_before", "scale")

    def __init__(self, d: Buffer, start: int, p: int, scale: int, half_before: int) -> None:
        self.scale = scale
        self.half_before = half_before
        if not 0 <= p <= len(d) - 1:
            raise _VARINT_GROUP_GROUP.broken(d, start, p, self)
        (self.group,) = _VARINT_GROUP_GROUP.unpack_from(d, p)
        if self.group > (255 if self.scale < 4611686018427387904 else 1):
            raise _VARINT_GROUP_GROUP.broken(d, start, p, self)
        p += 1
        self.end = start + p

    @property
    def half(self) -> Any:
        """The integer up to this group, without its lowest bit."""
        return self.half_before + (
            (self.group & 127) // 2 if self.scale == 0 else (self.group & 127) * self.scale
        )


class Varint:
    """An unsigned integer of up to 64 bits, in as few bytes as possible."""

    __slots__ = ("end", "groups")

    @guarded
    def __init__(self, d: Buffer, start: int, p: int) -> None:
        self.groups: list[Any] = []
        first = p
        for i in count():
            item = VarintGroup(
                d,
                start,
                p,
                0 if i == 0 else 64 if i == 1 else self.groups[i - 1].scale * 128,
                0 if i == 0 else self.groups[i - 1].half,
            )
            p = item.end - start
            self.groups.append(item)
            if len(self.groups) > MANY_EMPTY + p - first:
                raise wrong("too many elements without bytes", start + p)
            if item.group < 128:
                break
        self.end = start + p

    @property
    def half(self) -> Any:
        """The integer without its lowest bit."""
        return self.groups[len(self.groups) - 1].half

    @property
    def value(self) -> Any:
        """The integer itself."""
        return self.half * 2 + (self.groups[0].group & 1)

    @property
    def zigzag(self) -> Any:
        """The value as a signed integer whose sign is in the lowest bit."""
        return self.half if self.groups[0].group & 1 == 0 else -self.half - 1
