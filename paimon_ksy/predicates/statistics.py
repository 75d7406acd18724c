"""Decide from statistics which files may contain rows that match a predicate, many at once."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from paimon_ksy.predicates.row_filter import not_bound, type_of, value_matches
from paimon_ksy.predicates.tree import (
    ArraysOverlap,
    Comparison,
    Computed,
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
from paimon_ksy.types.arrays import to_arrow_array
from paimon_ksy.types.data_type import DataType, from_utf8, to_utf8

Mask = NDArray[np.bool_]

_NANOS_PER_MICRO = 1000
_UNKNOWN_NULLS, _UNKNOWN_ROWS = -1, -2  # which are not equal


class Bounds(NamedTuple):
    """The statistics of a column in a file: all values are between `min` and `max`.

    Both are internal values, but need not occur in the column: Paimon truncates long strings. None
    means unknown.
    """

    min: Any
    max: Any
    null_count: int | None
    num_rows: int | None


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

    @classmethod
    def of(cls, known: Sequence[Bounds], data_type: DataType) -> ManyBounds:
        """Return the bounds of a column of this type in each file."""
        nulls = [_UNKNOWN_NULLS if file.null_count is None else file.null_count for file in known]
        rows = [_UNKNOWN_ROWS if file.num_rows is None else file.num_rows for file in known]
        return cls(
            _values([file.min for file in known], data_type, 0),
            _values([file.max for file in known], data_type, 1),
            np.array([None not in (file.min, file.max) for file in known], np.bool_),
            np.array(nulls, np.int64),
            np.array(rows, np.int64),
        )


def _values(values: Sequence[Any], kind: DataType, end: int) -> Any:
    """Return lower (`end` 0) or upper (1) bounds in the form of `FieldValues.values`."""
    if kind.is_string or kind.is_binary:
        encode = to_utf8 if kind.is_string else bytes
        return to_arrow_array([b"" if v is None else encode(v) for v in values], pa.large_binary())
    if kind.root in ("FLOAT", "DOUBLE"):
        return np.array([math.nan if v is None else v for v in values], np.float64)
    end = 0 if _is_cut(kind) else end
    return _keys([0 if v is None else _span(v, kind)[end] for v in values])


def _is_cut(kind: DataType) -> bool:
    """Return whether statistics may be up to 999 nanoseconds below the greatest value."""
    return kind.is_timestamp and (kind.precision or 0) > 6


def may_match(
    predicate: Predicate, bounds: Callable[[str, DataType], ManyBounds | None], count: int = 1
) -> Mask:
    """Return, for each file, whether a row of it can match a bound predicate; no is certain.

    `bounds` returns the bounds of a column of a type, and None if they are unknown.
    """
    return visit(predicate, _Tester(bounds, count))


def of_one_file(
    bounds: Callable[[str], Bounds | None],
) -> Callable[[str, DataType], ManyBounds | None]:
    """Return the bounds of a file's columns in the form that `may_match` accepts."""

    def many(column: str, data_type: DataType) -> ManyBounds | None:
        known = bounds(column)
        return None if known is None else ManyBounds.of([known], data_type)

    return many


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
        if isinstance(leaf, Unsure) or isinstance(leaf.column, Computed):
            return self.always(True)
        if (bounds := self._bounds(leaf.column, type_of(leaf))) is None:
            return self.always(True)
        if isinstance(leaf, IsNull):
            return np.not_equal(bounds.null_counts, 0)
        possible: Mask = bounds.null_counts != bounds.num_rows
        if not isinstance(leaf, IsNotNull | ArraysOverlap) and bounds.known.any():
            possible &= ~bounds.known | _between(leaf, type_of(leaf), bounds.low, bounds.high)
        return possible


def _between(leaf: Comparison | In | Match, kind: DataType, low: Any, high: Any) -> Mask:
    """Return whether the leaf can be true for a value from `low` to `high`."""
    if kind.is_string or kind.is_binary:
        low, high = (_keys(each.to_pylist()) for each in (low, high))
    if isinstance(leaf, Match):
        return _match_between(leaf, kind, low, high)
    literals = [leaf.value] if isinstance(leaf, Comparison) else leaf.values
    op = leaf.op if isinstance(leaf, Comparison) else "<>" if leaf.negated else "="
    if kind.root in ("FLOAT", "DOUBLE"):
        return _floats_between(op, low, literals)
    if kind.root == "CHAR":
        low, high, spans = _char_keys(low, high, literals)
        if op == "<>":
            return np.ones(len(low), np.bool_)
    else:
        spans = sorted(_span(literal, kind) for literal in literals)
        high = high + 1 if _is_cut(kind) else high
    # A literal may lie between two numbers: it is the range from the one below to the one above.
    floors, ceilings = (_keys([span[end] for span in spans]) for end in (0, 1))
    possible: Mask = _POSSIBLE[op](low, high, floors, ceilings)
    return possible


def _may_equal(low: Any, high: Any, floors: Any, ceilings: Any) -> Mask:
    if not len(floors):
        return np.zeros(len(low), np.bool_)
    first = np.searchsorted(floors, low)  # the first value that is not below `low`
    possible: Mask = first < len(floors)
    possible &= np.less_equal(ceilings[first.clip(max=len(floors) - 1)], high)
    return possible


def _may_differ(low: Any, high: Any, floors: Any, ceilings: Any) -> Mask:
    listed = set(floors[np.equal(floors, ceilings)].tolist())
    return _unless_one(low, high, lambda value: value not in listed)


_POSSIBLE: dict[str, Callable[[Any, Any, Any, Any], Any]] = {
    "=": _may_equal,
    "<>": _may_differ,
    "<": lambda low, _, __, ceilings: np.less(low, ceilings[:1]),
    "<=": lambda low, _, floors, __: np.less_equal(low, floors[:1]),
    ">": lambda _, high, floors, __: np.greater(high, floors[:1]),
    ">=": lambda _, high, __, ceilings: np.greater_equal(high, ceilings[:1]),
}
"""Whether an operator can be true: from the bounds of files, and the literals between numbers."""


def _unless_one(low: Any, high: Any, test: Callable[[Any], bool]) -> Mask:
    """Return true, but the result of the test where only one value is possible."""
    possible: Mask = np.not_equal(low, high)
    values = low[~possible].tolist()
    results = {value: test(value) for value in set(values)}
    possible[~possible] = [results[value] for value in values]
    return possible


def _floats_between(op: str, low: NDArray[np.float64], literals: Sequence[float]) -> Mask:
    """Return whether a float is possible: NaN is above all numbers, and statistics lack it."""
    if op in ("<>", ">="):
        return np.ones(len(low), np.bool_)
    greatest = max((math.inf if math.isnan(v) else v for v in literals), default=-math.inf)
    possible: Mask = np.less(low, greatest) if op == "<" else np.less_equal(low, greatest)
    if op == ">" or any(map(math.isnan, literals)):
        possible = np.full(len(low), op != ">" or not math.isnan(literals[0]))
    return possible | np.isnan(low)


_CONTROL = re.compile(rb"[\0-\x1f]")


def _char_keys(
    low: Any, high: Any, literals: Sequence[str]
) -> tuple[Any, Any, list[tuple[bytes, bytes]]]:
    """Return bounds and sorted literals as keys that sort like CHARs.

    In the file's order "a" comes before "a" and a line feed, as CHAR after it: keep what is certain
    in both.
    """
    lows = [text.rstrip(b" ") for text in low]
    highs = [_CONTROL.split(text, maxsplit=1)[0].rstrip(b" ") for text in high]
    keys = [to_utf8(text).rstrip(b" ") for text in literals]
    width = max(map(len, (*lows, *highs, *keys)), default=0) + 1
    keys = sorted(key.ljust(width) for key in keys)
    highs = [text.ljust(width) for text in highs]
    return _keys(lows), _keys(highs), list(zip(keys, keys, strict=True))


def _match_between(leaf: Match, kind: DataType, low: Any, high: Any) -> Mask:
    possible = np.ones(len(low), np.bool_)
    if kind.root == "CHAR":
        return possible
    prefix = b""
    if isinstance(leaf, StartsWith):
        prefix = to_utf8(leaf.pattern)
    elif isinstance(leaf, Like):
        part, text = next(iter(leaf.parts()), ("", ""))
        prefix = to_utf8(text) if part == "t" else b""
    if prefix and not leaf.negated:
        starts = _keys([text[: len(prefix)] for text in low])
        possible = np.less_equal(starts, _keys([prefix])) & np.greater_equal(high, _keys([prefix]))
    return possible & _unless_one(low, high, lambda text: value_matches(leaf, from_utf8(text)))


def _span(value: Any, kind: DataType) -> tuple[Any, Any]:
    """Return the keys of a type's values that are next to a value, below and above.

    Keys are bytes or whole numbers: of the scale of a DECIMAL, and microseconds of a TIMESTAMP.
    """
    if kind.is_string or kind.is_binary:
        key = to_utf8(value) if kind.is_string else value
        return key, key
    if kind.is_timestamp:
        return value // _NANOS_PER_MICRO, -(-value // _NANOS_PER_MICRO)
    if kind.root != "DECIMAL":
        return int(value), int(value)
    exact = Decimal(value)
    if not exact.is_finite() or abs(exact.adjusted()) > 80:
        return -(10**80), 10**80
    digits = exact.as_tuple()
    shifted = Decimal((digits.sign, digits.digits, int(digits.exponent) + (kind.scale or 0)))
    return (
        int(shifted.to_integral_value(ROUND_FLOOR)),
        int(shifted.to_integral_value(ROUND_CEILING)),
    )


def _keys(keys: Sequence[Any]) -> Any:
    """Return keys as an array: of int64 if that suffices, else of objects."""
    if all(isinstance(key, int) and _LEAST <= key <= _GREATEST for key in keys):
        return np.array(keys, np.int64)
    return np.array([*keys, None], object)[:-1]  # not of bytes, whose last zeros numpy omits


_LEAST, _GREATEST = -(2**63), 2**63 - 2
