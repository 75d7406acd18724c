"""Reduce a selection: remove deleted rows, and apply LIMIT or TopN.

Java's `FileIndexEvaluator` does the same, but without 64-bit vectors and files of more than 2^32
rows. Here, LIMIT and TopN are also pushed down with a predicate, if the indexes answer it exactly.
A TopN keeps all rows that tie for the last place.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from paimon_ksy.errors import PaimonKsyError, PredicateError, with_article
from paimon_ksy.evaluation.selection import Selection, bitmap
from paimon_ksy.roaring.bitmap_32 import all_but

if TYPE_CHECKING:
    from paimon_ksy.table_index.deletion_vector import DeletionVector

_LOW = 2**32  # rows that a BitMap can have


@dataclass(frozen=True)
class Order:
    """`column ASC`, or `DESC`.

    By default, nulls come where Spark puts them: first in ascending order, last in descending.
    """

    column: str
    descending: bool = False
    nulls_first: bool | None = None

    @property
    def has_nulls_first(self) -> bool:
        """Whether nulls come before all values."""
        return not self.descending if self.nulls_first is None else self.nulls_first


@dataclass(frozen=True)
class TopN:
    """`ORDER BY column LIMIT k`; `then` contains the further columns of the ORDER BY."""

    column: str
    k: int
    descending: bool = False
    nulls_first: bool | None = None
    then: tuple[Order, ...] = ()

    def __post_init__(self) -> None:
        checked_limit(self.k)

    @classmethod
    def by(cls, orders: Sequence[Order], k: int) -> TopN:
        """Return the TopN of at least one order."""
        first, *then = orders
        return cls(first.column, k, first.descending, first.nulls_first, tuple(then))

    @property
    def orders(self) -> tuple[Order, ...]:
        """All orders, beginning with that of `column`."""
        return Order(self.column, self.descending, self.nulls_first), *self.then

    @property
    def columns(self) -> tuple[str, ...]:
        """The distinct columns of the ORDER BY."""
        return tuple(dict.fromkeys(order.column for order in self.orders))

    @property
    def has_nulls_first(self) -> bool:
        """Whether nulls of the column come before all values."""
        return self.orders[0].has_nulls_first

    @classmethod
    def parse(cls, order: str, k: int) -> TopN:
        """Parse an ORDER BY list such as `amount DESC NULLS LAST, id`.

        Raises:
            PredicateError: The text is not a list of orders, or `k` is negative.
        """
        return cls.by(parse_order(order), k)


def parse_order(order: str) -> tuple[Order, ...]:
    """Parse the orders in a text such as `amount DESC NULLS LAST, id`. Raises PredicateError."""
    orders, at = [], -1
    while at < len(order):
        match = _ORDER.match(order, at + 1)
        if match is None:
            raise PredicateError(
                f"{order!r} is not an ORDER BY list: write it like 'amount DESC NULLS LAST, id'"
            )
        orders.append(_order(match))
        at = match.end()
    return tuple(orders)


def _order(match: re.Match[str]) -> Order:
    name = match["plain"] if match["quoted"] is None else match["quoted"].replace("``", "`")
    if match["key"] is not None:
        name = f"{name}[{match['key']}]"
    direction, nulls = (match["direction"] or "").upper(), (match["nulls"] or "").upper()
    return Order(name, direction == "DESC", nulls == "FIRST" if nulls else None)


_ORDER = re.compile(
    r"\s*(?:`(?P<quoted>(?:[^`]|``)+)`|(?P<plain>[^`'\"\s,]+))"
    r"(?:\[(?P<mark>['\"])(?P<key>(?:(?!(?P=mark)).)*)(?P=mark)\])?"
    r"(?:\s+(?P<direction>ASC|DESC))?(?:\s+NULLS\s+(?P<nulls>FIRST|LAST))?\s*(?=,|\Z)",
    re.IGNORECASE,
)


def checked_limit(limit: int) -> int:
    """Return a limit as one of Arrow's numbers. Raises PredicateError if it is not a number."""
    if isinstance(limit, bool) or not isinstance(limit, int) or limit < 0:
        raise PredicateError(f"the limit must be 0 or more rows, not {limit!r}")
    return min(limit, 2**63 - 1)


def live_rows(selection: Selection, deleted: DeletionVector | tuple[Any, ...] | None) -> Selection:
    """Return the selection without deleted rows.

    If the number of rows in the file is unknown, "all" stays "all" and is not exact.

    Args:
        selection: The selected rows of a file.
        deleted: The vector, or its place (source, offset, length) for `read_vector`.

    Raises:
        PaimonKsyError: The vector deletes a row that the file does not have: it belongs to another
            file. Java ignores such rows.
    """
    if isinstance(deleted, tuple):
        from paimon_ksy.table_index.deletion_vector_file import read_vector

        deleted = read_vector(*deleted)
    if deleted is not None and not hasattr(deleted, "check_rows"):
        kind = with_article(type(deleted))
        raise PaimonKsyError(
            f"a deletion vector is a DeletionVector or (source, offset, length), not {kind}: "
            "DeletionVector.of(positions) makes one"
        )
    if not deleted:
        return selection
    num_rows = selection.num_rows
    if num_rows is not None:
        deleted.check_rows(num_rows)
    if selection.kind == "skip":
        return selection
    if num_rows is None:
        return replace(selection, exact=False)
    if selection.matching is not None:
        return Selection.of(selection.matching - deleted.rows(num_rows), num_rows, selection.exact)
    if num_rows <= _LOW:
        rows = all_but(deleted.rows(), num_rows)
    else:
        rows = _rows_before(num_rows)
        rows -= deleted.rows_64()
    return Selection.of(rows, num_rows, selection.exact)


def first_rows(selection: Selection, limit: int) -> Selection:
    """Return the first `limit` rows if the selection is exact, else all: more may be needed."""
    checked_limit(limit)
    if not selection.exact or selection.count is None or selection.count <= limit:
        return selection
    if not limit:
        return Selection("skip", True, None, selection.num_rows, limited=True)
    rows = _rows_before(limit) if selection.matching is None else selection.matching[:limit]
    return Selection("rows", True, rows, selection.num_rows, limited=True)


def _rows_before(stop: int) -> Any:
    rows = bitmap(stop)
    rows.add_range(0, stop)
    return rows
