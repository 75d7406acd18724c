"""Decide from statistics whether rows of a file may match a predicate."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from typing import Any, NamedTuple

from paimon_ksy.predicates.row_filter import (
    comparable_keys,
    not_bound,
    type_of,
    value_matches,
)
from paimon_ksy.predicates.tree import (
    Comparison,
    In,
    IsNotNull,
    IsNull,
    Leaf,
    Like,
    Match,
    Predicate,
    StartsWith,
    Unsure,
    visit,
)
from paimon_ksy.types.data_type import to_utf8

# Statistics -------------------------------------------------------------------------------------


class Bounds(NamedTuple):
    """The statistics of a column in a file: all values are between `min` and `max`.

    Both are internal values, but need not occur in the column: Paimon truncates long strings. None
    means unknown.
    """

    min: Any
    max: Any
    null_count: int | None
    num_rows: int | None


def may_match(
    predicate: Predicate,
    bounds: Callable[[str], tuple[Any, Any, int | None, int | None] | None],
) -> bool:
    """Return whether a row of a file can match a bound predicate, by statistics of its columns.

    Args:
        predicate: The predicate, bound to a schema.
        bounds: A function that returns the `Bounds` of a column; None if they are unknown.

    Returns:
        False only if no row can match.
    """
    return visit(predicate, _BoundsTester(bounds))


class _BoundsTester:
    """Tests, for each node, whether it can be true for a row within the bounds."""

    def __init__(
        self, bounds: Callable[[str], tuple[Any, Any, int | None, int | None] | None]
    ) -> None:
        self.bounds = bounds

    def always(self, value: bool | None) -> bool:
        return value is True

    def conjunction(self, children: list[bool]) -> bool:
        return all(children)

    def disjunction(self, children: list[bool]) -> bool:
        return any(children)

    def negation(self, child: bool) -> bool:
        raise not_bound()

    def leaf(self, leaf: Leaf) -> bool:
        known = None if isinstance(leaf, Unsure) else self.bounds(leaf.column)
        if known is None or isinstance(leaf, Unsure):
            return True
        bounds = Bounds(*known)
        if isinstance(leaf, IsNull):
            return bounds.null_count != 0
        if bounds.null_count is not None and bounds.null_count == bounds.num_rows:
            return False
        if isinstance(leaf, IsNotNull) or bounds.min is None or bounds.max is None:
            return True
        return _between(leaf, bounds)


def _between(leaf: Comparison | In | Match, bounds: Bounds) -> bool:
    """Return whether the leaf can be true for a value between `bounds.min` and `bounds.max`."""
    kind = type_of(leaf)
    if kind.root in ("FLOAT", "DOUBLE"):
        # Writers of Parquet exclude NaN from statistics, so any file may contain one.
        if math.isnan(bounds.min):
            return True
        bounds = bounds._replace(max=math.nan)
    elif kind.is_timestamp and (kind.precision or 0) > 6:
        # Statistics may be truncated to microseconds.
        bounds = bounds._replace(max=bounds.max + 999)
    elif kind.root != "CHAR" and bounds.min == bounds.max:
        return value_matches(leaf, bounds.min)
    if isinstance(leaf, Match):
        return _match_between(leaf, bounds)
    wanted = [leaf.value] if isinstance(leaf, Comparison) else leaf.values
    if kind.root == "CHAR":
        # In the file's order "a" comes before "a\n", as CHAR after it: see what is certain in both.
        highest = _CONTROL.split(bounds.max, maxsplit=1)[0]
        high, *keys = comparable_keys(kind, highest, *wanted, bounds.min)
        low = keys.pop().rstrip(b" ")
    else:
        low, high, *keys = comparable_keys(kind, bounds.min, bounds.max, *wanted)
    if isinstance(leaf, In):
        return leaf.negated or any(low <= key <= high for key in keys)
    key = keys[0]
    found: dict[str, bool] = {
        "=": low <= key <= high,
        "<>": True,
        "<": low < key,
        "<=": low <= key,
        ">": key < high,
        ">=": key <= high,
    }
    return found[leaf.op]


_CONTROL = re.compile("[\0-\x1f]")


def _match_between(leaf: Match, bounds: Bounds) -> bool:
    if leaf.negated or type_of(leaf).root == "CHAR":
        return True
    prefix = b""
    if isinstance(leaf, StartsWith):
        prefix = to_utf8(leaf.pattern)
    elif isinstance(leaf, Like):
        part, text = leaf.parts()[0]
        prefix = to_utf8(text) if part == "t" else b""
    return to_utf8(bounds.min)[: len(prefix)] <= prefix <= to_utf8(bounds.max)
