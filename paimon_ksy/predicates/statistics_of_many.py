"""Decide from arrays of statistics which of many files may contain rows that match a predicate.

`may_match_each` keeps each file that `may_match` keeps, and may keep more. It does not decide
comparisons that arrays of numbers and bytes cannot, such as CHAR, or timestamps within one
millisecond.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal
from typing import Any, Protocol

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from paimon_ksy.predicates.row_filter import not_bound, type_of
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
from paimon_ksy.types.data_type import DataType, to_utf8

Mask = NDArray[np.bool_]

_MOST_TEXTS = 32
"""The most texts of IN to compare one by one; of more, only the least and greatest are compared."""

_NANOS_PER_MILLI = 10**6
_LEAST, _GREATEST = -(2**63), 2**63 - 1


@dataclass(frozen=True)
class ManyBounds:
    """The statistics of a column in each of many files: its values are between `low` and `high`.

    Attributes:
        low: Lower bounds, like `FieldValues.values`; valid only where `known` is true.
        high: Upper bounds, likewise.
        known: Whether both bounds are known.
        null_counts: Numbers of nulls as int64; -1 means unknown.
        num_rows: The rows of each file as int64.
    """

    low: Any
    high: Any
    known: Mask
    null_counts: NDArray[np.int64]
    num_rows: NDArray[np.int64]


def may_match_each(
    predicate: Predicate, bounds: Callable[[str, DataType], ManyBounds | None], count: int
) -> Mask:
    """Return, for each file, whether a row of it may match a bound predicate.

    Args:
        predicate: The predicate, bound to the schema of the files.
        bounds: A function that returns the bounds of a column of this type; None if unknown.
        count: The number of files.

    Returns:
        False only for files for which `may_match` also returns False.
    """
    return visit(predicate, _Tester(bounds, count))


class _Tester:
    """Tests, for each node, in which files it can be true."""

    def __init__(self, bounds: Callable[[str, DataType], ManyBounds | None], count: int) -> None:
        self._bounds, self._count = bounds, count

    def always(self, value: bool | None) -> Mask:
        return np.full(self._count, value is True)

    def conjunction(self, children: list[Mask]) -> Mask:
        return np.logical_and.reduce(children) if children else self.always(True)

    def disjunction(self, children: list[Mask]) -> Mask:
        return np.logical_or.reduce(children) if children else self.always(False)

    def negation(self, child: Mask) -> Mask:
        raise not_bound()

    def leaf(self, leaf: Leaf) -> Mask:
        known = None if isinstance(leaf, Unsure) else self._bounds(leaf.column, type_of(leaf))
        if known is None or isinstance(leaf, Unsure):
            return self.always(True)
        if isinstance(leaf, IsNull):
            return np.not_equal(known.null_counts, 0)
        found: Mask = known.null_counts != known.num_rows
        if not isinstance(leaf, IsNotNull):
            found &= ~known.known | _between(leaf, known)
        return found


def _between(leaf: Comparison | In | Match, bounds: ManyBounds) -> Mask:
    kind = type_of(leaf)
    if kind.root == "CHAR":
        return np.ones(len(bounds.known), np.bool_)
    if isinstance(leaf, Match):
        return _match_between(leaf, bounds)
    values: Sequence[Any] = [leaf.value] if isinstance(leaf, Comparison) else leaf.values
    negated = leaf.negated if isinstance(leaf, In) else leaf.op == "<>"
    if kind.is_string or kind.is_binary:
        keys = [to_utf8(value) if kind.is_string else value for value in values]
        order: _Order = _Texts(bounds, keys)
    elif kind.root in ("FLOAT", "DOUBLE"):
        order = _Floats(bounds, list(values))
    else:
        order = _Integers(bounds, list(values), kind)
    if negated:
        return order.differ()
    if isinstance(leaf, In) or leaf.op == "=":
        return order.between()
    return order.low(leaf.op) if leaf.op[0] == "<" else order.high(leaf.op)


class _Order(Protocol):
    """Comparisons of bounds with the values of a leaf; each may be true for too many files."""

    def between(self) -> Mask:
        """Return where a value is from `low` to `high`."""

    def differ(self) -> Mask:
        """Return where some value within the bounds is not one of the leaf's."""

    def low(self, op: str) -> Mask:
        """Return where `low` is less than (or equal to) the only value."""

    def high(self, op: str) -> Mask:
        """Return where `high` is greater than (or equal to) the only value."""


class _Integers:
    """Integers, and types that are scaled integers.

    A literal may lie between two of them: it is the range from the one below to the one above. So
    is a timestamp within a millisecond, and bounds that were cut to microseconds.
    """

    def __init__(self, bounds: ManyBounds, values: list[Any], kind: DataType) -> None:
        self._low, self._high = bounds.low, bounds.high
        self._is_cut = kind.is_timestamp
        if kind.is_timestamp:
            spans = [(value // _NANOS_PER_MILLI,) * 2 for value in values]
            if (kind.precision or 0) > 6:
                # The greatest value may be up to 999 nanoseconds after `high`.
                self._high = np.where(self._high < _GREATEST, self._high + 1, self._high)
        elif kind.root == "DECIMAL":
            spans = [_unscaled(value, kind.scale or 0) for value in values]
        else:
            spans = [(int(value), int(value)) for value in values]
        ordered = sorted((_within(floor), _within(ceiling)) for floor, ceiling in spans)
        self._floors = np.array([floor for floor, _ in ordered], np.int64)
        self._ceilings = np.array([ceiling for _, ceiling in ordered], np.int64)
        # Values beyond 64 bits are clamped to the ends, so bounds at an end do not decide.
        at_ends: Mask = (self._low == _LEAST) | (self._high == _GREATEST)
        outside = any(not _LEAST <= s <= e <= _GREATEST for s, e in spans)
        self._unsure: Mask = at_ends & outside

    def between(self) -> Mask:
        # The first value not below `low` is not above `high`.
        first = np.searchsorted(self._floors, self._low)
        least = np.append(self._ceilings, _GREATEST)[first]
        found: Mask = (first < len(self._floors)) & (least <= self._high)
        return found | self._unsure

    def differ(self) -> Mask:
        if self._is_cut:
            return np.ones(len(self._low), np.bool_)
        whole = self._floors[self._floors == self._ceilings]
        found: Mask = (self._low != self._high) | ~np.isin(self._low, whole)
        return found | self._unsure

    def low(self, op: str) -> Mask:
        found: Mask = self._low <= self._floors[0]
        if op == "<" and not self._is_cut:
            found = self._low < self._ceilings[0]
        return found | self._unsure

    def high(self, op: str) -> Mask:
        found: Mask = self._high >= self._ceilings[0]
        if op == ">" and not self._is_cut:
            found = self._high > self._floors[0]
        return found | self._unsure


def _within(value: int) -> int:
    return max(_LEAST, min(value, _GREATEST))


def _unscaled(value: Any, scale: int) -> tuple[int, int]:
    """Return the unscaled values of a scale that are next to a decimal, below and above."""
    exact = Decimal(value)
    if not exact.is_finite() or abs(exact.adjusted()) > 40:
        return _LEAST, _GREATEST
    digits = exact.as_tuple()
    shifted = Decimal((digits.sign, digits.digits, int(digits.exponent) + scale))
    return (
        int(shifted.to_integral_value(ROUND_FLOOR)),
        int(shifted.to_integral_value(ROUND_CEILING)),
    )


class _Floats:
    """Floats; statistics lack NaN, which is above all numbers and may be in any file."""

    def __init__(self, bounds: ManyBounds, values: list[float]) -> None:
        self._low = bounds.low
        self._greatest = max((math.inf if math.isnan(v) else v for v in values), default=math.nan)
        self._has_nan = any(map(math.isnan, values))

    def between(self) -> Mask:
        return self.low("<=")

    def differ(self) -> Mask:
        return np.ones(len(self._low), np.bool_)

    def low(self, op: str) -> Mask:
        if self._has_nan:
            return np.ones(len(self._low), np.bool_)
        less: Mask = self._low < self._greatest if op == "<" else self._low <= self._greatest
        less |= np.isnan(self._low)
        return less

    def high(self, op: str) -> Mask:
        if self._has_nan and op == ">":
            found: Mask = np.isnan(self._low)
            return found
        return np.ones(len(self._low), np.bool_)


class _Texts:
    """Texts and bytes, in the order of their bytes."""

    def __init__(self, bounds: ManyBounds, values: list[bytes]) -> None:
        self._low, self._high = bounds.low, bounds.high
        self._values = sorted(values)

    def between(self) -> Mask:
        if len(self._values) > _MOST_TEXTS:
            ends = self._values[0], self._values[-1]
            return _is(pc.less_equal, self._low, ends[1]) & _is(
                pc.greater_equal, self._high, ends[0]
            )
        found = np.zeros(len(self._low), np.bool_)
        for value in self._values:
            found |= _is(pc.less_equal, self._low, value) & _is(pc.greater_equal, self._high, value)
        return found

    def differ(self) -> Mask:
        listed = pa.array(self._values, pa.large_binary())
        same = _array(pc.equal(self._low, self._high))
        return ~(same & _array(pc.is_in(self._low, value_set=listed)))

    def low(self, op: str) -> Mask:
        return _is(pc.less if op == "<" else pc.less_equal, self._low, self._values[0])

    def high(self, op: str) -> Mask:
        return _is(pc.greater if op == ">" else pc.greater_equal, self._high, self._values[0])


def _match_between(leaf: Match, bounds: ManyBounds) -> Mask:
    prefix = b""
    if isinstance(leaf, StartsWith):
        prefix = to_utf8(leaf.pattern)
    elif isinstance(leaf, Like):
        part, text = next(iter(leaf.parts()), ("", ""))
        prefix = to_utf8(text) if part == "t" else b""
    if leaf.negated or not prefix:
        return np.ones(len(bounds.known), np.bool_)
    starts = pc.binary_slice(bounds.low, 0, len(prefix))
    return _is(pc.less_equal, starts, prefix) & _is(pc.greater_equal, bounds.high, prefix)


def _is(compare: Callable[[pa.Array, pa.Scalar], pa.Array], texts: pa.Array, value: bytes) -> Mask:
    return _array(compare(texts, pa.scalar(value, texts.type)))


def _array(found: pa.Array) -> Mask:
    made: Mask = found.to_numpy(zero_copy_only=False)
    return made
