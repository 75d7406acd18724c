"""The common parts of reports on indexes of several types, as plain values."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from paimon_ksy.columns.stored_values import value_of
from paimon_ksy.messages.answers import HIDDEN, Answer, Value, keyed
from paimon_ksy.pages.section import Where
from paimon_ksy.types.data_type import DataType
from paimon_ksy.types.literals import to_sql, to_text

if TYPE_CHECKING:
    from pyroaring import BitMap

MAX_ENTRIES = 200_000
"""Maximum distinct values of an index to read."""
MAX_BITMAPS = 10_000
"""Maximum bitmaps of an index whose rows are counted."""
MAX_BITMAP_BYTES = 32 << 20
"""Maximum bytes of bitmaps to read in order to count their rows."""


@dataclass(frozen=True)
class ValueCount(Value):
    """A distinct value, its number of rows, and the place where these are stored.

    `place` is the byte at which the bitmap of its rows starts. If it has no bitmap, `row` is its
    only row. With these rows, `where` draws them, and `containers` counts their containers.
    """

    rows: int
    place: int | None = field(default=None, metadata=HIDDEN)
    row: int | None = field(default=None, metadata=HIDDEN)
    where: Where | None = field(default=None, metadata=keyed(json=False))
    containers: str = field(default="", metadata=keyed(json=False))


@dataclass(frozen=True)
class SliceReport(Answer):
    """The bitmap of a bit: its place in the file, its bytes, and the number of rows with the bit.

    `rows` is None if the slices are too large to read.
    """

    bit: int
    offset: int = field(metadata=keyed("byte"))
    size: int = field(metadata=keyed("bytes"))
    rows: int | None


def shown(stored: Any, data_type: DataType) -> Value:
    """Return a key of an index in the form that reports show.

    In JSON, dates, times, decimals and numbers that JSON lacks are strings.
    """
    value = value_of(stored, data_type)
    if data_type.is_string:
        return Value(value, to_sql(value))
    text = to_text(value, data_type)
    if data_type.root in ("FLOAT", "DOUBLE"):
        if data_type.root == "FLOAT" and math.isfinite(value):
            text = str(stored)  # the shortest of a float32: 0.1, not 0.10000000149011612
        return Value(float(text) if math.isfinite(value) else text, text)
    is_number = isinstance(value, int) and (isinstance(value, bool) or text == str(value))
    return Value(value if is_number else text, text)


def slice_reports(
    extents: list[tuple[int, int]], read: Callable[[], Iterable[BitMap]], top: int | None
) -> tuple[SliceReport, ...]:
    """Report on slices from start to end; read them if they are small or `top` is None."""
    if top is not None and sum(end - start for start, end in extents) > MAX_BITMAP_BYTES:
        return tuple(
            SliceReport(bit, start, end - start, None) for bit, (start, end) in enumerate(extents)
        )
    return tuple(
        SliceReport(bit, start, end - start, len(rows))
        for bit, ((start, end), rows) in enumerate(zip(extents, read(), strict=True))
    )
