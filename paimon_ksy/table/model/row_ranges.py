"""Sets of row ids, as disjoint ranges."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Ids = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class RowRanges:
    """A set of row ids: disjoint ranges in ascending order, with gaps between them.

    Each of `ends` is the id after the last one of a range.
    """

    starts: Ids
    ends: Ids

    @classmethod
    def of(cls, starts: Any, ends: Any) -> RowRanges:
        """Return the union of ranges, which may overlap or be empty, in any order."""
        starts, ends = np.asarray(starts, np.int64), np.asarray(ends, np.int64)
        order = np.argsort(starts, kind="stable")
        order = order[starts[order] < ends[order]]
        starts, ends = starts[order], np.maximum.accumulate(ends[order])
        begins = np.ones(len(starts), np.bool_)
        begins[1:] = starts[1:] > ends[:-1]
        last = np.append(np.flatnonzero(begins)[1:], len(starts))[: begins.sum()] - 1
        return cls(starts[begins], ends[last])

    def __len__(self) -> int:
        return int((self.ends - self.starts).sum())

    def count_in(self, starts: Any, ends: Any) -> Ids:
        """Return how many of these row ids each of some ranges contains."""
        return self._before(ends) - self._before(starts)

    def _before(self, ids: Any) -> Ids:
        """Return how many of these row ids are less than each of some ids."""
        ids = np.asarray(ids, np.int64)
        if not len(self.starts):
            return np.zeros_like(ids)
        total = np.concatenate([[0], np.cumsum(self.ends - self.starts)])
        at = np.searchsorted(self.starts, ids, side="right")
        last = np.maximum(at - 1, 0)
        beyond = np.where(at > 0, np.maximum(self.ends[last] - ids, 0), 0)
        return np.asarray(total[at] - beyond, np.int64)

    def minus(self, other: RowRanges) -> RowRanges:
        """Return the row ids that are not in the other set."""
        if not len(self.starts) or not len(other.starts):
            return self
        gaps = RowRanges(
            np.append(np.iinfo(np.int64).min, other.ends),
            np.append(other.starts, np.iinfo(np.int64).max),
        )
        return self.common(gaps)

    def common(self, other: RowRanges) -> RowRanges:
        """Return the row ids that are in both sets."""
        first = np.searchsorted(other.ends, self.starts, side="right")
        counts = np.maximum(np.searchsorted(other.starts, self.ends, side="left") - first, 0)
        of = np.repeat(np.arange(len(first)), counts)
        at = np.arange(len(of)) - np.repeat(np.cumsum(counts) - counts, counts) + first[of]
        return RowRanges(
            np.maximum(self.starts[of], other.starts[at]), np.minimum(self.ends[of], other.ends[at])
        )
