"""Handle timestamps that Java's ORC writer stores as different ones.

A fraction of the last second before 1970 is stored as one of the following second, and a day before
1582-10-15 as the day with that name in the Julian calendar. A local time that the writer's clocks
skip, when summer begins, is stored as a later one. Java and other readers return the stored times.
Java builds indexes, keys and buckets from the written times, and tools that read the file from the
stored ones. They are used only for times where both are equal.

Times without a zone are in the writer's time zone, which is unknown before the file is read. So the
first two limits are a day wide, and the third is that of all zones.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from functools import cache, lru_cache
from typing import Any
from zoneinfo import ZoneInfo, available_timezones

import numpy as np
from numpy.typing import NDArray

from paimon_ksy.errors import PaimonKsyError
from paimon_ksy.messages.findings import NOTE, Finding
from paimon_ksy.predicates.statistics import Bounds
from paimon_ksy.predicates.tree import Leaf, Predicate, Unsure, literals_in, replaced
from paimon_ksy.types.data_type import DataType

_SECOND = 10**9
_DAY = 86_400 * _SECOND
_GREGORIAN = -141_427  # 1582-10-15, in days since 1970
_FROM = (_GREGORIAN + 11) * _DAY
"""From here on, only times around 1970 are shifted; the day before 1582-10-15 is stored as a day
ten days later."""
_BEFORE_ALL = -(10**21)
_HOUR = 3600
_GREGORIAN_CYCLE = 146_097 * 86_400  # seconds in 400 years, after which weekdays recur
_LONG = timedelta(hours=4)
"""Clocks skip at most a half of this, or a day."""
_MOST_DAYS = 1000
"""More days than these are not looked up: each takes a third of a millisecond."""


class ShiftedError(PaimonKsyError):
    """A sound index has timestamps as written, and the ORC file has those that Java made of them.

    `column` is the indexed column.
    """

    code = "shifted"
    remedy = "nothing needs repair: queries for such times test the rows of the file, like a scan"

    def __init__(self, column: str) -> None:
        super().__init__(
            "Java's ORC writer shifted some timestamps: the index contains the original values, "
            "readers of the file get the shifted ones",
            column=column,
        )

    def finding(self, path: str, which: str = "") -> Finding:
        """Return the note on the index at `path`; `which` names it if there are several."""
        message = which + self.message
        return Finding(NOTE, "timestamps", path, self.column, None, message, self.remedy or "")


def is_shifted(data_type: DataType, file_format: str) -> bool:
    """Return whether values of the type may be stored as different ones in files of the format."""
    return file_format == "orc" and data_type.is_timestamp


def _may_be_shifted(nanos: int) -> bool:
    """Return whether a time may be stored as a different one, or a different time as this one."""
    return nanos < _FROM or -_DAY <= nanos <= _DAY


@cache
def _zones() -> list[ZoneInfo]:
    return [ZoneInfo(name) for name in sorted(available_timezones())]


@lru_cache(1 << 16)
def _near_gap(start: int, seconds: int) -> bool:
    """Return whether clocks of some zone go forward at local times, or shortly before.

    A time that they skip is stored as one that is later by as much as they skip.

    Args:
        start: The first of the local times, in seconds since 1970.
        seconds: Their number.
    """
    if start < _FROM // _SECOND:
        return False  # clocks had no rules then
    if start > _GREGORIAN_CYCLE:  # to a year that Python represents
        start = start % _GREGORIAN_CYCLE + _GREGORIAN_CYCLE
    first = datetime(1970, 1, 1) + timedelta(seconds=start)
    last = (first + timedelta(seconds=seconds - 1)).replace(fold=1)
    day_before, before = first - timedelta(days=1), first - _LONG
    zero = timedelta(0)
    for zone in _zones():
        offset = zone.utcoffset(last) or zero
        if (zone.utcoffset(before) or zero) < offset:
            return True
        if (zone.utcoffset(day_before) or zero) < offset - _LONG:  # a day, as in Samoa in 2011
            return True
    return not _zones()  # where no zones are installed, none is known


def _is_near_gap(nanos: int) -> bool:
    return _near_gap(nanos // _SECOND // _HOUR * _HOUR, _HOUR)


def _have_gaps(least: int, most: int) -> bool:
    """Return whether clocks of some zone go forward on the days of these nanoseconds."""
    days = range(least // _DAY, most // _DAY + 1)
    return len(days) > _MOST_DAYS or any(_near_gap(day * 24 * _HOUR, 24 * _HOUR) for day in days)


def have_shifted(bounds: Bounds, data_type: DataType | None) -> bool:
    """Return whether values within these, or unknown, bounds may be stored as different ones."""
    if bounds.min is None or bounds.max is None:
        return bounds.null_count is None or bounds.null_count != bounds.num_rows
    if bounds.min < _FROM or (bounds.min <= _DAY and bounds.max >= -_DAY):
        return True
    return _is_local(data_type) and _have_gaps(bounds.min, bounds.max)


def _is_local(data_type: DataType | None) -> bool:
    return data_type is not None and data_type.root == "TIMESTAMP"


def widened(low: NDArray[np.int64], high: NDArray[np.int64]) -> tuple[Any, Any]:
    """Return bounds in microseconds that enclose both the written and the stored timestamps."""
    first, day, before_all = (nanos // 1000 for nanos in (_FROM, _DAY, _BEFORE_ALL))
    is_old = low < first
    low = np.where(is_old, before_all, low)
    high = np.where(is_old, np.maximum(high, first), high)
    is_near = (low <= day) & (high >= -day)
    return (
        np.where(is_near, np.minimum(low, -day), low),
        np.where(is_near, np.maximum(high, day), high),
    )


def latest(bounds: Bounds, data_type: DataType) -> Bounds:
    """Return bounds of written timestamps whose maximum is also that of the stored ones."""
    if _is_local(data_type) and bounds.max is not None and _is_near_gap(bounds.max):
        return bounds._replace(max=bounds.max + _DAY)
    return bounds


def without_shifted(predicate: Predicate, bounds: Callable[[str], Bounds | None]) -> Predicate:
    """Replace tests that a shifted timestamp can change by `Unsure`.

    Such a test may be true for a timestamp, but not for the timestamp stored for it. `bounds`
    returns the bounds of a column, if known, which may exclude shifted timestamps.
    """

    def is_unsure(leaf: Leaf) -> bool:
        if not (any(map(_may_be_shifted, _times_of(leaf))) or _is_of_gap(leaf)):
            return False
        limits = bounds(leaf.column) if isinstance(leaf.column, str) else None
        return limits is None or have_shifted(limits, leaf.type)

    return _without(is_unsure, predicate)


def without_gaps(predicate: Predicate) -> Predicate:
    """Replace tests of local times that some zone's clocks skip, or show after it, by `Unsure`."""
    return _without(_is_of_gap, predicate)


def _without(is_unsure: Callable[[Leaf], bool], predicate: Predicate) -> Predicate:
    return replaced(
        predicate, lambda leaf: Unsure(leaf.column, leaf.type) if is_unsure(leaf) else leaf
    )


def _times_of(leaf: Leaf) -> Sequence[int]:
    """Return the timestamps that a test compares a column with, in nanoseconds."""
    return literals_in(leaf) if leaf.type is not None and leaf.type.is_timestamp else ()


def _is_of_gap(leaf: Leaf) -> bool:
    """Return whether a test is of a local time near one that some zone's clocks skip."""
    times = _times_of(leaf) if _is_local(leaf.type) else ()
    return len(times) > _MOST_DAYS or any(map(_is_near_gap, times))


def may_be_stored_as_others(seconds: NDArray[np.int64], data_type: DataType) -> NDArray[np.bool_]:
    """Return which timestamps of a file may have been different when they were written."""
    may_be: NDArray[np.bool_] = (seconds < _FROM // _SECOND) | (np.abs(seconds) <= 86_400)
    if _is_local(data_type):
        rows = np.flatnonzero(~may_be)
        for unit in (24 * _HOUR, _HOUR):  # hours only of the days that there are
            units, at = np.unique(seconds[rows] // unit, return_inverse=True)
            near = [_near_gap(number * unit, unit) for number in units.tolist()]
            rows = rows[np.array(near, np.bool_)[at]]
        may_be[rows] = True
    return may_be
