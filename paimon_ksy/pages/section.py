"""A section of a report: facts, a table, strips and subsections, for terminals and for pages."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

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
    """Return the strip of a set of rows in a file, with at most so many parts of rows.

    `count` counts them in a range, such as `BitMap.range_cardinality`.
    """
    parts = max(1, min(parts, num_rows))
    starts = tuple(num_rows * part // parts for part in range(parts + 1))
    if not num_rows:
        return Strip(0, (0,), ())
    counts = (count(a, b) for a, b in pairwise(starts))
    return Strip(num_rows, starts, tuple(counts))


@dataclass(frozen=True)
class Where:
    """The places of rows in a file, to draw as a strip.

    Attributes:
        count: A function that counts them in a range, such as `BitMap.range_cardinality`.
        num_rows: The rows of the file.
        label: What the strip shows, for those who cannot see it.
    """

    count: Callable[[int, int], int]
    num_rows: int
    label: str

    def strip(self, parts: int = PARTS) -> Strip:
        """Return the strip, with so many parts at most."""
        return strip_of(self.count, self.num_rows, parts)


@dataclass(frozen=True)
class Bar:
    """A text, and the part of a whole to draw below it: `share` is from 0 to 1.

    `marked` is a part beside it, such as that of deleted rows.
    """

    text: str
    share: float
    marked: float = 0.0


@dataclass(frozen=True)
class Moment:
    """A point on a line of time: its place from 0 to 1, and its height from -1 to 1."""

    label: str
    time: str
    place: float
    height: float


Cell = str | int | None | Where | Bar
"""A cell of a table; numbers are aligned right."""


@dataclass(frozen=True)
class Section:
    """A section of a report.

    Attributes:
        title: What it is about.
        facts: Names and values, in the order to show them.
        columns: The heads of the columns of a table.
        rows: The rows of the table.
        where: A strip of all of it.
        moments: Points on a line of time.
        notes: Sentences about the section, such as what is left out.
        error: What is wrong with it.
        sections: Sections of its parts.
    """

    title: str = ""
    facts: tuple[tuple[str, Any], ...] = ()
    columns: tuple[str, ...] = ()
    rows: tuple[tuple[Cell, ...], ...] = ()
    where: Where | None = None
    moments: tuple[Moment, ...] = ()
    notes: tuple[str, ...] = ()
    error: str | None = None
    sections: tuple[Section, ...] = ()

    def bounded(self, most: int) -> Section:
        """Return the section with at most so many rows and subsections, and notes on the others."""
        return _bounded(self, [most])


def _bounded(section: Section, room: list[int]) -> Section:
    """Return the section with what is left to show, which it reduces."""
    rows = section.rows[: room[0]]
    room[0] -= len(rows)
    sections: list[Section] = []
    for below in section.sections:
        if room[0] <= 0:
            break
        room[0] -= 1
        sections.append(_bounded(below, room))
    cut = len(section.rows) - len(rows) + len(section.sections) - len(sections)
    notes = (f"{cut:,} more are left out, so that the page stays small.",) if cut else ()
    bounded = replace(section, rows=rows, sections=tuple(sections))
    return replace(bounded, notes=(*section.notes, *notes))
