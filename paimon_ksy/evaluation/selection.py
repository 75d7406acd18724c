"""Selections: the rows of a file that a reader has to read for a predicate."""

from __future__ import annotations

from array import array
from dataclasses import dataclass
from typing import Any, Literal

from pyroaring import BitMap, BitMap64


def bitmap(num_rows: int, rows: Any = None) -> BitMap:
    """Return a bitmap that can hold `num_rows` rows.

    Args:
        num_rows: The number of rows of the file or range; more than 2^32 need a BitMap64.
        rows: The rows that it contains, as an array of numpy; None for an empty bitmap.
    """
    kind: Any = BitMap if num_rows <= 1 << 32 else BitMap64
    values = array("I" if kind is BitMap else "Q")
    if rows is not None:  # of which array.array is ten times faster to read
        values.frombytes(rows.astype(f"u{values.itemsize}").tobytes())
    made: BitMap = kind(values)
    return made


@dataclass(frozen=True)
class Selection:
    """The rows that may match: none ("skip"), "all", or those in `rows`.

    If `exact`, each of these rows matches. Otherwise they are a superset, and a reader has to test
    the predicate on them. `num_rows` is the number of rows in the file, or None. `limited` is true
    if a limit or a TopN left out matching rows. `rows` is a BitMap64 in files of over 2^32 rows.
    """

    kind: Literal["skip", "all", "rows"]
    exact: bool
    rows: BitMap | None = None
    num_rows: int | None = None
    limited: bool = False

    @classmethod
    def of(cls, rows: BitMap, num_rows: int, exact: bool) -> Selection:
        """Return the selection of `rows`, in its simplest form."""
        count = len(rows)
        if count == 0:
            return cls("skip", True, None, num_rows)
        if count == num_rows:
            return cls("all", exact, None, num_rows)
        return cls("rows", exact, rows, num_rows)

    @property
    def count(self) -> int | None:
        """The number of selected rows; None for "all" if the number of rows is unknown."""
        if self.kind == "skip":
            return 0
        return self.num_rows if self.rows is None else len(self.rows)

    def __and__(self, other: Selection) -> Selection:
        num_rows = self.num_rows if self.num_rows is not None else other.num_rows
        if self.kind == "skip" or other.kind == "skip":
            return Selection("skip", True, None, num_rows)
        exact = self.exact and other.exact
        if self.rows is None:
            return Selection(other.kind, exact, other.rows, num_rows)
        if other.rows is None:
            return Selection(self.kind, exact, self.rows, num_rows)
        assert num_rows is not None
        return Selection.of(self.rows & other.rows, num_rows, exact)

    def __or__(self, other: Selection) -> Selection:
        num_rows = self.num_rows if self.num_rows is not None else other.num_rows
        if self.kind == "skip":
            return Selection(other.kind, other.exact, other.rows, num_rows)
        if other.kind == "skip":
            return Selection(self.kind, self.exact, self.rows, num_rows)
        if self.rows is None or other.rows is None:
            exact = (self.kind == "all" and self.exact) or (other.kind == "all" and other.exact)
            return Selection("all", exact, None, num_rows)
        assert num_rows is not None
        return Selection.of(self.rows | other.rows, num_rows, self.exact and other.exact)


def narrow(first: Selection, second: Selection) -> Selection:
    """Combine two selections for the same predicate into the narrowest one.

    An exact selection is a subset of any other, so it wins.
    """
    for answer in (first, second):
        if answer.exact:
            return answer
    return first & second
