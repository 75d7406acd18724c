"""Selections: the rows of a file that a reader has to read for a predicate."""

from __future__ import annotations

from array import array
from dataclasses import dataclass
from typing import Any, Literal

from pyroaring import BitMap, BitMap64

from paimon_ksy.errors import PaimonKsyError

_SHOWN = 10  # rows in a repr


def bitmap(num_rows: int, rows: Any = None) -> BitMap:
    """Return a bitmap of these rows of a file or range; more than 2^32 need a BitMap64."""
    kind: Any = BitMap if num_rows <= 1 << 32 else BitMap64
    values = array("I" if kind is BitMap else "Q")
    if rows is not None:  # of which array.array is ten times faster to read
        values.frombytes(rows.astype(f"u{values.itemsize}").tobytes())
    made: BitMap = kind(values)
    return made


@dataclass(frozen=True)
class Selection:
    """The rows that may match: none ("skip"), "all", or those in `matching`.

    Attributes:
        kind: `skip`, `all` or `rows`.
        exact: Whether each of these rows matches. Otherwise they are a superset, and a reader has
            to test the predicate on them.
        matching: The rows of the kind `rows`: a BitMap64 in files of over 2^32 rows.
        num_rows: The number of rows in the file, or None.
        limited: Whether a limit or a TopN left out matching rows.
    """

    kind: Literal["skip", "all", "rows"]
    exact: bool
    matching: BitMap | None = None
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
    def rows(self) -> BitMap | range:
        """The selected rows, in order.

        Raises:
            PaimonKsyError: All rows are selected, and their number is unknown.
        """
        if self.matching is not None:
            return self.matching
        if self.kind == "skip":
            return range(0)
        if self.num_rows is None:
            message = "the number of rows is unknown, so all rows cannot be listed"
            raise PaimonKsyError(message, remedy="pass num_rows")
        return range(self.num_rows)

    def __repr__(self) -> str:
        of = "" if self.num_rows is None else f" of {self.num_rows:,}"
        count = "all" if self.count is None else f"{self.count:,}"
        superset = "" if self.exact else ", a superset of those that match"
        first = "" if self.matching is None else ", ".join(map(str, self.matching[:_SHOWN]))
        more = f": {first}{', ..' if len(self.matching or ()) > _SHOWN else ''}" if first else ""
        return f"<Selection {self.kind}: {count}{of} rows{superset}{more}>"

    @property
    def count(self) -> int | None:
        """The number of selected rows; None for "all" if the number of rows is unknown."""
        if self.kind == "skip":
            return 0
        return self.num_rows if self.matching is None else len(self.matching)

    def __and__(self, other: Selection) -> Selection:
        num_rows = self.num_rows if self.num_rows is not None else other.num_rows
        if self.kind == "skip" or other.kind == "skip":
            return Selection("skip", True, None, num_rows)
        exact = self.exact and other.exact
        if self.matching is None:
            return Selection(other.kind, exact, other.matching, num_rows)
        if other.matching is None:
            return Selection(self.kind, exact, self.matching, num_rows)
        assert num_rows is not None
        return Selection.of(self.matching & other.matching, num_rows, exact)

    def __or__(self, other: Selection) -> Selection:
        num_rows = self.num_rows if self.num_rows is not None else other.num_rows
        if self.kind == "skip":
            return Selection(other.kind, other.exact, other.matching, num_rows)
        if other.kind == "skip":
            return Selection(self.kind, self.exact, self.matching, num_rows)
        if self.matching is None or other.matching is None:
            exact = (self.kind == "all" and self.exact) or (other.kind == "all" and other.exact)
            return Selection("all", exact, None, num_rows)
        assert num_rows is not None
        return Selection.of(self.matching | other.matching, num_rows, self.exact and other.exact)


def narrow(first: Selection, second: Selection) -> Selection:
    """Combine two selections for the same predicate into the narrowest one.

    An exact selection is a subset of any other, so it wins.
    """
    for answer in (first, second):
        if answer.exact:
            return answer
    return first & second
