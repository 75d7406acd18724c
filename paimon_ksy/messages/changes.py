"""What differs between two answers: plain facts, and rows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from paimon_ksy.messages.answers import Answer

Presence = Literal["added", "removed", "changed"]


def presence(old: Any, new: Any) -> Presence:
    """Return whether a part is in both files."""
    if old is None:
        return "added"
    return "removed" if new is None else "changed"


@dataclass(frozen=True)
class Fact(Answer):
    """A property that differs between the files; a missing value is None."""

    name: str
    old: Any
    new: Any


@dataclass(frozen=True)
class Rows(Answer):
    """A set of rows, with its first ranges.

    Attributes:
        count: The number of rows.
        ranges: The first and the last row of each of the first ranges.
        num_ranges: The number of ranges.
    """

    KEYS = ("rows=count", "ranges", "num_ranges")
    count: int
    ranges: tuple[tuple[int, int], ...]
    num_ranges: int


@dataclass(frozen=True)
class FactChanges(Answer):
    """The facts about two files that differ."""

    facts: tuple[Fact, ...]


def fact_changes(old: Any, new: Any, name: str = "") -> Iterator[Fact]:
    """Yield the plain values that differ between two JSON trees; lists are not compared."""
    if isinstance(old, Mapping) or isinstance(new, Mapping):
        old, new = (each if isinstance(each, Mapping) else {} for each in (old, new))
        for key in {**old, **new}:
            yield from fact_changes(old.get(key), new.get(key), f"{name}.{key}" if name else key)
    elif old != new and all(isinstance(each, _PLAIN) for each in (old, new)):
        yield Fact(name, old, new)


_PLAIN = (int, float, str, type(None))


def rows_of(positions: NDArray[Any], most: int) -> Rows:
    """Return ascending rows as `Rows` with at most `most` ranges."""
    if not len(positions):
        return Rows(0, (), 0)
    breaks = np.flatnonzero(np.diff(positions) != 1)
    first = positions[np.concatenate([[0], breaks + 1])]
    last = positions[np.concatenate([breaks, [len(positions) - 1]])]
    runs = tuple(zip(first[:most].tolist(), last[:most].tolist(), strict=True))
    return Rows(len(positions), runs, len(first))
