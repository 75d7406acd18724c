# Generated from specs/roaring_bitmap_32.ksy by `python -m tools.ksy generate`. Do not edit.
"""Reads types of roaring_bitmap_32 at once, from bytes that are there.

Roaring bitmap of 32-bit integers, portable format.
"""

from __future__ import annotations

from struct import Struct, unpack_from
from typing import Any

from ..arrays import Buffer
from ..errors import MANY, Unusual

_U4LE_U4LE = Struct("<II")


def _many_roaring_descriptor(d: Buffer, p: int, count: int) -> tuple[Any, ...]:
    if count > MANY:
        raise Unusual
    v = unpack_from("<" + "HH" * count, d, p)
    return p + 4 * count, v[0::2], v[1::2]


class RoaringPlainStart:
    """A `roaring_plain_start` at byte `p` of `d`, which stands at `start`; it ends before `end`.

    Raises what is in UNUSUAL.
    """

    __slots__ = (
        "cookie",
        "descriptors_cardinality_minus_1",
        "descriptors_key",
        "end",
        "num_containers",
        "offsets",
    )

    def __init__(self, d: Buffer, start: int, p: int) -> None:
        self.cookie, self.num_containers = _U4LE_U4LE.unpack_from(d, p)
        p += 8
        if self.cookie != 12346 or self.num_containers > 65536:
            raise Unusual
        p, self.descriptors_key, self.descriptors_cardinality_minus_1 = _many_roaring_descriptor(
            d, p, self.num_containers
        )
        q = p + 4 * self.num_containers
        if not p <= q <= len(d):
            raise Unusual
        self.offsets = d[p:q]
        p = q
        self.end = start + p

    def descriptors_cardinality(self, i: int) -> Any:
        """`cardinality` of record i."""
        return self.descriptors_cardinality_minus_1[i] + 1


class RoaringPlainHeader:
    """A `roaring_plain_header` at byte `p` of `d`, which stands at `start`; it ends before `end`.

    Raises what is in UNUSUAL.
    """

    __slots__ = (
        "cookie",
        "descriptors_cardinality_minus_1",
        "descriptors_key",
        "end",
        "num_containers",
        "ofs_containers",
    )

    def __init__(self, d: Buffer, start: int, p: int) -> None:
        self.cookie, self.num_containers = _U4LE_U4LE.unpack_from(d, p)
        p += 8
        if self.cookie != 12346 or self.num_containers > 65536:
            raise Unusual
        p, self.descriptors_key, self.descriptors_cardinality_minus_1 = _many_roaring_descriptor(
            d, p, self.num_containers
        )
        count = self.num_containers
        if count > MANY:
            raise Unusual
        self.ofs_containers = unpack_from(f"<{count}I", d, p)
        p += 4 * count
        self.end = start + p

    def descriptors_cardinality(self, i: int) -> Any:
        """`cardinality` of record i."""
        return self.descriptors_cardinality_minus_1[i] + 1
