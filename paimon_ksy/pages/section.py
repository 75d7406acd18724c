"""A section of a report: facts, a table, strips and subsections, for terminals and for pages."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from paimon_ksy.pages.strip import PARTS, Strip, strip_of


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


Cell = str | int | None | Where
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
        notes: Sentences about the section, such as what is left out.
        error: What is wrong with it.
        sections: Sections of its parts.
    """

    title: str = ""
    facts: tuple[tuple[str, Any], ...] = ()
    columns: tuple[str, ...] = ()
    rows: tuple[tuple[Cell, ...], ...] = ()
    where: Where | None = None
    notes: tuple[str, ...] = ()
    error: str | None = None
    sections: tuple[Section, ...] = ()

    def bounded(self, most: int) -> Section:
        """Return the section with at most so many rows and subsections, and notes on the others."""
        return _bounded(self, [most])


def _bounded(section: Section, left: list[int]) -> Section:
    """Return the section with what is left to show, which it reduces."""
    rows = section.rows[: left[0]]
    left[0] -= len(rows)
    sections: list[Section] = []
    for below in section.sections:
        if left[0] <= 0:
            break
        left[0] -= 1
        sections.append(_bounded(below, left))
    cut = len(section.rows) - len(rows) + len(section.sections) - len(sections)
    notes = (f"{cut:,} more are left out, so that the page stays small.",) if cut else ()
    made = replace(section, rows=rows, sections=tuple(sections))
    return replace(made, notes=(*section.notes, *notes))
