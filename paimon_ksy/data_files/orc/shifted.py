"""Timestamps that Java's writer of ORC files stores as other ones.

A fraction of the last second before 1970 is stored as one of the second after, a day before
1582-10-15 as the day of that name in the Julian calendar. Java reads back what is stored, and so do
others. Indexes and statistics may have been made of either: of what was written by Java, of what is
stored by who builds them of the file. They are used only for times for which both are the same.

Times without a zone are those of the zone that the writer ran in, so both limits are a day wide.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from paimon_ksy.predicates.statistics import Bounds
from paimon_ksy.predicates.tree import Comparison, In, Leaf, Predicate, Unsure, replaced
from paimon_ksy.types.data_type import DataType

_SECOND = 10**9
_DAY = 86_400 * _SECOND
_GREGORIAN = -141_427  # 1582-10-15, in days since 1970
_FROM = (_GREGORIAN + 11) * _DAY
"""From here on nothing is shifted but around 1970: the day before 1582-10-15 is ten days later."""
_BEFORE_ALL = -(10**21)


def is_shifted(data_type: DataType, file_format: str) -> bool:
    """Return whether values of the type may be stored as other ones in files of the format."""
    return file_format == "orc" and data_type.is_timestamp


def _may_be_shifted(nanos: int) -> bool:
    """Return whether a time may be stored as another one, or another one as this."""
    return nanos < _FROM or -_DAY <= nanos <= _DAY


def have_shifted(bounds: Bounds) -> bool:
    """Return whether values between these, or between unknown ones, may be stored as others."""
    if bounds.min is None or bounds.max is None:
        return bounds.null_count is None or bounds.null_count != bounds.num_rows
    return bool(bounds.min < _FROM or (bounds.min <= _DAY and bounds.max >= -_DAY))


def may_have_shifted(
    low_millis: NDArray[np.int64], high_millis: NDArray[np.int64]
) -> NDArray[np.bool_]:
    """Return for many bounds in whole milliseconds whether `have_shifted` may be true of them."""
    milli = 10**6
    found: NDArray[np.bool_] = low_millis <= _FROM // milli
    found |= (low_millis <= _DAY // milli) & (high_millis >= -_DAY // milli - 1)
    return found


def widened(bounds: Bounds) -> Bounds:
    """Return bounds of timestamps both as they were written and as they are stored."""
    if bounds.min is None or bounds.max is None or not have_shifted(bounds):
        return bounds
    least, greatest = bounds.min, bounds.max
    if least < _FROM:
        least, greatest = _BEFORE_ALL, max(greatest, _FROM)
    if least <= _DAY and greatest >= -_DAY:
        least, greatest = min(least, -_DAY), max(greatest, _DAY)
    return bounds._replace(min=least, max=greatest)


def without_shifted(predicate: Predicate, bounds: Callable[[str], Bounds | None]) -> Predicate:
    """Replace tests that a shifted timestamp can change by `Unsure`.

    These are tests that may be true of a timestamp, and not of the one that it is stored as.

    Args:
        predicate: Bound to the schema.
        bounds: Returns what is known of a column, which may show that it has no such timestamps.
    """

    def sure(leaf: Leaf) -> Predicate:
        if isinstance(leaf, Unsure) or leaf.type is None or not leaf.type.is_timestamp:
            return leaf
        values: Sequence[int] = ()
        if isinstance(leaf, Comparison):
            values = (leaf.value,)
        elif isinstance(leaf, In):
            values = leaf.values
        if not any(map(_may_be_shifted, values)):
            return leaf
        known = bounds(leaf.column)
        if known is not None and not have_shifted(known):
            return leaf
        return Unsure(leaf.column, leaf.type)

    return replaced(predicate, sure)


def may_be_stored_as_others(ticks: NDArray[np.int64], per_second: int) -> NDArray[np.bool_]:
    """Return whether timestamps of a file may have been written as other ones."""
    found: NDArray[np.bool_] = ticks < _FROM // _SECOND * per_second
    found |= np.abs(ticks) <= 86_400 * per_second
    return found


def is_stored_as(
    written: NDArray[np.int64], stored: NDArray[np.int64], per_second: int
) -> NDArray[np.bool_]:
    """Return whether Java's writer stores the one as the other; both are ticks of timestamps."""
    day = 86_400 * per_second
    dates = (written // day).astype("datetime64[D]")
    months = dates.astype("datetime64[M]").astype(np.int64)
    years = 1970 + (months - 2) // 12  # which begin in March, so that leap days are their last
    days = years // 100 - years // 400 - 2  # by which the Julian calendar is behind
    is_old = written < (_GREGORIAN + 1) * day
    moved = stored - written
    is_near = (written >= -day) & (written <= day)
    found: NDArray[np.bool_] = (is_near & (moved == per_second)) | (is_old & (moved == days * day))
    return found


def stored_as(ticks: int, per_second: int) -> list[int]:
    """Return the ticks of the other timestamps that Java's writer stores as this one."""
    day = 86_400 * per_second
    others = np.array([ticks - per_second, *(ticks - days * day for days in range(-3, 13))])
    found = is_stored_as(others, np.full(len(others), ticks), per_second)
    return sorted({int(other) for other in others[found]} - {ticks})
