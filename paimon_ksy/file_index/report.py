"""What the reports on indexes of several types have in common, as plain values."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from paimon_ksy.columns.stored_values import value_of
from paimon_ksy.types.data_type import DataType
from paimon_ksy.types.literals import to_sql, to_text

if TYPE_CHECKING:
    from pyroaring import BitMap

MAX_ENTRIES = 200_000
"""Distinct values of an index that are looked at."""
MAX_BITMAPS = 10_000
"""Bitmaps of an index whose rows are counted."""
MAX_BITMAP_BYTES = 32 << 20
"""Bytes of bitmaps that are read for it."""


@dataclass(frozen=True)
class Shown:
    """A value of a column, as an internal value and as text."""

    value: Any
    text: str


@dataclass(frozen=True)
class ValueCount(Shown):
    """A distinct value, in how many rows it stands, and where these are stored.

    `place` is the byte at which the bitmap of its rows starts. A value without a bitmap has its
    only row in `row`.
    """

    rows: int
    place: int | None = None
    row: int | None = None


@dataclass(frozen=True)
class SliceReport:
    """The bitmap of a bit: its place in the file, its bytes, and how many rows have the bit set.

    `rows` is None if the slices are too large to be read for it.
    """

    offset: int
    size: int
    rows: int | None


def shown(stored: Any, data_type: DataType) -> Shown:
    """Return a key of an index as it is shown."""
    value = value_of(stored, data_type)
    if data_type.is_string:
        return Shown(value, to_sql(value))
    if data_type.root == "FLOAT" and math.isfinite(value):
        # As short as float32 allows: 0.1, not 0.10000000149011612.
        return Shown(value, str(stored))
    return Shown(value, to_text(value, data_type))


def slice_reports(
    extents: list[tuple[int, int]], read: Callable[[], list[BitMap]], top: int | None
) -> tuple[SliceReport, ...]:
    """Report on slices at these places and sizes; read them if they are small or `top` is None."""
    if top is not None and sum(size for _, size in extents) > MAX_BITMAP_BYTES:
        return tuple(SliceReport(at, size, None) for at, size in extents)
    return tuple(
        SliceReport(at, size, len(rows)) for (at, size), rows in zip(extents, read(), strict=True)
    )
