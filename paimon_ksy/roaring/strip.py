"""Where rows lie in a file: how many of them are in each of a few equal parts of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise

PARTS = 160
"""Parts of a file that a strip has, unless the file has fewer rows."""


@dataclass(frozen=True)
class Strip:
    """Rows by position: `counts[i]` of the rows from `starts[i]` to `starts[i + 1]`."""

    num_rows: int
    starts: tuple[int, ...]
    counts: tuple[int, ...]

    @property
    def sizes(self) -> tuple[int, ...]:
        """How many rows of the file each part has: all the same, or two that differ by one."""
        return tuple(b - a for a, b in pairwise(self.starts))

    @property
    def shares(self) -> tuple[float, ...]:
        """How much of each part the rows fill, from 0 to 1."""
        return tuple(count / size for count, size in zip(self.counts, self.sizes, strict=True))

    @property
    def relative(self) -> tuple[float, ...]:
        """How many there are in each part, as a share of the most that one part has."""
        most = max(self.counts, default=0)
        return tuple(count / most if most else 0.0 for count in self.counts)


def strip_of(count: Callable[[int, int], int], num_rows: int, parts: int = PARTS) -> Strip:
    """Return the strip of some rows of a file.

    Args:
        count: Returns how many there are in a half-open range, such as `BitMap.range_cardinality`.
        num_rows: The rows of the file.
        parts: The most parts; each has a row at least.
    """
    parts = max(1, min(parts, num_rows))
    starts = tuple(num_rows * part // parts for part in range(parts + 1))
    if not num_rows:
        return Strip(0, (0,), ())
    counts = (count(a, b) for a, b in pairwise(starts))
    return Strip(num_rows, starts, tuple(counts))
