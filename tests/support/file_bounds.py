"""The bounds that writers keep of a column of a file."""

from __future__ import annotations

from typing import Any

from paimon_ksy.predicates.statistics import Bounds
from paimon_ksy.types.data_type import DataType
from tests.support.strategies import BITMAP_TYPES, OTHER_TYPES

TYPES = (*BITMAP_TYPES, *OTHER_TYPES)


def order(kind: DataType) -> Any:
    """The order in which Java looks for the smallest and largest value."""
    if kind.is_string:
        return lambda text: text.encode("utf-8", "surrogateescape")
    if kind.root in ("FLOAT", "DOUBLE"):
        return lambda n: (n != n, n if n == n else 0.0, str(n))
    return None


def truncated(text: str, *, up: bool) -> str | None:
    """A bound of at most three characters (Java's collector: 16)."""
    if len(text) <= 3:
        return text
    cut = text[:3]
    if not up:
        return cut
    for at in range(2, -1, -1):
        if ord(cut[at]) < 0x10FFFF:
            following = ord(cut[at]) + 1
            if 0xD800 <= following <= 0xDFFF:
                following = 0xE000
            return cut[:at] + chr(following)
    return None


def bounds(kind: DataType, column: list[Any], *, cut: bool, without_nan: bool) -> Bounds:
    present = [value for value in column if value is not None]
    ordered = [value for value in present if not (without_nan and value != value)]
    low = min(ordered, key=order(kind), default=None)
    high = max(ordered, key=order(kind), default=None)
    if cut and kind.is_string and low is not None and high is not None:
        low, high = truncated(low, up=False), truncated(high, up=True)
    if cut and kind.is_timestamp and low is not None and high is not None:
        low, high = low // 1000 * 1000, high // 1000 * 1000
    return Bounds(low, high, len(column) - len(present), len(column))
