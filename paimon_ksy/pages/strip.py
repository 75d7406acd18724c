"""Strips: the distribution of rows in a file, counted in a few equal parts of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise

PARTS = 160
"""The number of parts in a strip, unless the file has fewer rows."""


@dataclass(frozen=True)
class Strip:
    """The distribution of rows: `counts[i]` of them are between `starts[i]` and `starts[i + 1]`."""

    num_rows: int
    starts: tuple[int, ...]
    counts: tuple[int, ...]

    @property
    def sizes(self) -> tuple[int, ...]:
        """The number of rows of the file in each part; they differ by at most one."""
        return tuple(b - a for a, b in pairwise(self.starts))

    @property
    def shares(self) -> tuple[float, ...]:
        """The share of each part that the rows fill, from 0 to 1."""
        return tuple(count / size for count, size in zip(self.counts, self.sizes, strict=True))

    @property
    def relative(self) -> tuple[float, ...]:
        """The number of rows in each part, as a share of the fullest part."""
        most = max(self.counts, default=0)
        return tuple(count / most if most else 0.0 for count in self.counts)


def strip_of(count: Callable[[int, int], int], num_rows: int, parts: int = PARTS) -> Strip:
    """Return the strip of a set of rows in a file.

    Args:
        count: A function that counts them in a range, such as `BitMap.range_cardinality`.
        num_rows: The rows of the file.
        parts: The maximum number of parts; each contains at least one row.
    """
    parts = max(1, min(parts, num_rows))
    starts = tuple(num_rows * part // parts for part in range(parts + 1))
    if not num_rows:
        return Strip(0, (0,), ())
    counts = (count(a, b) for a, b in pairwise(starts))
    return Strip(num_rows, starts, tuple(counts))
