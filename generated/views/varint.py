# Generated from specs/varint.ksy by `paimon-ksy generate`. Do not edit.
"""Views of varint: its types, read at once from bytes at hand.

Variable-length integer.
"""

from __future__ import annotations

from typing import Any

from paimon_ksy.runtime.records import (
    Buffer,
    Field,
    Numbers,
    guarded,
)

_VARINT_B0 = Numbers(">B", Field("b0", "varint/seq/0", ">B"))
_VARINT_B1 = Numbers(">B", Field("b1", "varint/seq/1", ">B"))
_VARINT_B2 = Numbers(">B", Field("b2", "varint/seq/2", ">B"))
_VARINT_B3 = Numbers(">B", Field("b3", "varint/seq/3", ">B"))
_VARINT_END_B4 = Numbers(">B", Field("b4", "varint/types/varint_end/seq/0", ">B"))
_VARINT_END_B5 = Numbers(">B", Field("b5", "varint/types/varint_end/seq/1", ">B"))
_VARINT_END_B6 = Numbers(">B", Field("b6", "varint/types/varint_end/seq/2", ">B"))
_VARINT_END_B7 = Numbers(">B", Field("b7", "varint/types/varint_end/seq/3", ">B"))
_VARINT_END_B8 = Numbers(">B", Field("b8", "varint/types/varint_end/seq/4", ">B"))
_VARINT_END_B9 = Numbers(">B", Field("b9", "varint/types/varint_end/seq/5", ">B", most=1))


class VarintEnd:
    """A `varint_end`."""

    __slots__ = ("b4", "b5", "b6", "b7", "b8", "b9", "end")

    @guarded
    def __init__(self, d: Buffer, start: int, p: int) -> None:
        if p + 1 > len(d):
            raise _VARINT_END_B4.broken(d, start, p, self)
        (self.b4,) = _VARINT_END_B4.unpack_from(d, p)
        p += 1
        self.b5: Any = None
        if self.b4 >= 128:
            if p + 1 > len(d):
                raise _VARINT_END_B5.broken(d, start, p, self)
            (self.b5,) = _VARINT_END_B5.unpack_from(d, p)
            p += 1
        self.b6: Any = None
        if self.b4 >= 128 and self.b5 >= 128:
            if p + 1 > len(d):
                raise _VARINT_END_B6.broken(d, start, p, self)
            (self.b6,) = _VARINT_END_B6.unpack_from(d, p)
            p += 1
        self.b7: Any = None
        if self.b4 >= 128 and self.b5 >= 128 and self.b6 >= 128:
            if p + 1 > len(d):
                raise _VARINT_END_B7.broken(d, start, p, self)
            (self.b7,) = _VARINT_END_B7.unpack_from(d, p)
            p += 1
        self.b8: Any = None
        if self.b4 >= 128 and self.b5 >= 128 and self.b6 >= 128 and self.b7 >= 128:
            if p + 1 > len(d):
                raise _VARINT_END_B8.broken(d, start, p, self)
            (self.b8,) = _VARINT_END_B8.unpack_from(d, p)
            p += 1
        self.b9: Any = None
        if (
            self.b4 >= 128
            and self.b5 >= 128
            and self.b6 >= 128
            and self.b7 >= 128
            and self.b8 >= 128
        ):
            if p + 1 > len(d):
                raise _VARINT_END_B9.broken(d, start, p, self)
            (self.b9,) = _VARINT_END_B9.unpack_from(d, p)
            if self.b9 > 1:
                raise _VARINT_END_B9.broken(d, start, p, self)
            p += 1
        self.end = start + p

    @property
    def value(self) -> Any:
        """The bits of these bytes."""
        return (self.b4 & 127) + (
            0
            if self.b4 < 128
            else (self.b5 & 127) * 128
            + (
                0
                if self.b5 < 128
                else (self.b6 & 127) * 16384
                + (
                    0
                    if self.b6 < 128
                    else (self.b7 & 127) * 2097152
                    + (
                        0
                        if self.b7 < 128
                        else (self.b8 & 127) * 268435456
                        + (0 if self.b8 < 128 else self.b9 * 34359738368)
                    )
                )
            )
        )


class Varint:
    """A `varint`."""

    __slots__ = ("b0", "b1", "b2", "b3", "end", "more")

    @guarded
    def __init__(self, d: Buffer, start: int, p: int) -> None:
        if p + 1 > len(d):
            raise _VARINT_B0.broken(d, start, p, self)
        (self.b0,) = _VARINT_B0.unpack_from(d, p)
        p += 1
        self.b1: Any = None
        if self.b0 >= 128:
            if p + 1 > len(d):
                raise _VARINT_B1.broken(d, start, p, self)
            (self.b1,) = _VARINT_B1.unpack_from(d, p)
            p += 1
        self.b2: Any = None
        if self.b0 >= 128 and self.b1 >= 128:
            if p + 1 > len(d):
                raise _VARINT_B2.broken(d, start, p, self)
            (self.b2,) = _VARINT_B2.unpack_from(d, p)
            p += 1
        self.b3: Any = None
        if self.b0 >= 128 and self.b1 >= 128 and self.b2 >= 128:
            if p + 1 > len(d):
                raise _VARINT_B3.broken(d, start, p, self)
            (self.b3,) = _VARINT_B3.unpack_from(d, p)
            p += 1
        self.more: Any = None
        if self.b0 >= 128 and self.b1 >= 128 and self.b2 >= 128 and self.b3 >= 128:
            self.more = VarintEnd(d, start, p)
            p = self.more.end - start
        self.end = start + p

    @property
    def half(self) -> Any:
        """The integer without its lowest bit."""
        return (self.b0 & 127) // 2 + (
            0
            if self.b0 < 128
            else (self.b1 & 127) * 64
            + (
                0
                if self.b1 < 128
                else (self.b2 & 127) * 8192
                + (
                    0
                    if self.b2 < 128
                    else (self.b3 & 127) * 1048576
                    + (0 if self.b3 < 128 else self.more.value * 134217728)
                )
            )
        )

    @property
    def value(self) -> Any:
        """The integer itself."""
        return self.half * 2 + (self.b0 & 1)

    @property
    def zigzag(self) -> Any:
        """The value as a signed integer whose sign is in the lowest bit."""
        return self.half if self.b0 & 1 == 0 else -self.half - 1
