"""Handle timestamps that Java's ORC writer stores as different ones.

A fraction of the last second before 1970 is stored as one of the following second; a day before
1582-10-15 is stored as the day with that name in the Julian calendar. Java and other readers return
the stored timestamps. Java builds indexes and statistics from the written timestamps; tools that
read the file build them from the stored ones. They are used only for times where both are equal.

Times without a zone are in the writer's time zone, so both limits are a day wide.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from paimon_ksy.errors import PaimonKsyError
from paimon_ksy.messages.findings import NOTE, Finding
from paimon_ksy.predicates.statistics import Bounds
from paimon_ksy.predicates.tree import Comparison, In, Leaf, Predicate, Unsure, replaced
from paimon_ksy.types.data_type import DataType

_SECOND = 10**9
_DAY = 86_400 * _SECOND
_GREGORIAN = -141_427  # 1582-10-15, in days since 1970
_FROM = (_GREGORIAN + 11) * _DAY
"""From here on, only times around 1970 are shifted; the day before 1582-10-15 is stored as a day
ten days later."""
_BEFORE_ALL = -(10**21)


class ShiftedError(PaimonKsyError):
    """A sound index has timestamps as written, and the ORC file has those that Java made of them.

    `column` is the indexed column.
    """

    code = "shifted"
    remedy = "nothing needs repair: queries for such times test the rows of the file, like a scan"

    def __init__(self, column: str) -> None:
        super().__init__(
            "Java's ORC writer shifted some timestamps before 1970: the index contains the "
            "original values, readers of the file get the shifted ones",
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


def have_shifted(bounds: Bounds) -> bool:
    """Return whether values within these, or unknown, bounds may be stored as different ones."""
    if bounds.min is None or bounds.max is None:
        return bounds.null_count is None or bounds.null_count != bounds.num_rows
    return bool(bounds.min < _FROM or (bounds.min <= _DAY and bounds.max >= -_DAY))


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


def without_shifted(predicate: Predicate, bounds: Callable[[str], Bounds | None]) -> Predicate:
    """Replace tests that a shifted timestamp can change by `Unsure`.

    Such a test may be true for a timestamp, but not for the timestamp stored for it. `bounds`
    returns the bounds of a column, if known, which may exclude shifted timestamps.
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
        limits = bounds(leaf.column)
        if limits is not None and not have_shifted(limits):
            return leaf
        return Unsure(leaf.column, leaf.type)

    return replaced(predicate, sure)


def may_be_stored_as_others(seconds: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Return which timestamps of a file may have been different when they were written."""
    may_be: NDArray[np.bool_] = (seconds < _FROM // _SECOND) | (np.abs(seconds) <= 86_400)
    return may_be
