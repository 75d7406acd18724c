"""Ranges of the keys that an index looks up for a leaf of a predicate.

A key is a number as the index stores it, in the form of `sortable`, or the bytes of a string; see
`paimon_ksy.columns.stored_values`.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from math import inf
from typing import Any, TypeGuard

import numpy as np
from pyroaring import BitMap

from paimon_ksy.columns.stored_values import NEGATIVE_ZERO, sortable
from paimon_ksy.evaluation.evaluate import LeafOrRange, Range
from paimon_ksy.evaluation.selection import Selection
from paimon_ksy.predicates.tree import Comparison, Contains, EndsWith, In, Like, Match, StartsWith
from paimon_ksy.types.data_type import DataType, from_utf8, to_utf8, unscaled_value
from paimon_ksy.types.parse import parse_type

_LEAST, _STOP = -(2**63), 2**63
_BIGINT = parse_type("BIGINT")


@dataclass(frozen=True, slots=True)
class KeyRanges:
    """Half-open ranges of keys, ascending and disjoint.

    Attributes:
        lows: The first key of each range.
        stops: The first key after each range; None means no upper bound, for strings. For numbers
            it is at most 2^63, or infinity if they are whole.
        exact: Whether each row with such a key matches the leaf.
        negated: Whether the leaf selects the complement: other rows that are not null.
        test: An optional filter of keys within the ranges. It rejects keys outside all ranges.
        are_single: Whether each range contains one key: its low key.
    """

    lows: Sequence[Any]
    stops: Sequence[Any]
    exact: bool = True
    negated: bool = False
    test: Callable[[bytes], bool] | None = None
    are_single: bool = False

    @classmethod
    def of_keys(cls, keys: Iterable[Any], *, exact: bool = True) -> KeyRanges:
        """Return a range for each key; the keys may be in any order."""
        ordered = sorted(set(keys))
        return cls(ordered, list(map(_after, ordered)), exact, are_single=True)

    @classmethod
    def of_range(cls, low: Any, stop: Any, *, exact: bool = True) -> KeyRanges:
        """Return the range from `low` up to `stop`, or no range if it is empty."""
        if stop is not None and low >= stop:
            return cls([], [], exact)
        return cls([low], [stop], exact)

    def __len__(self) -> int:
        return len(self.lows)

    @property
    def pairs(self) -> Sequence[tuple[Any, Any]]:
        """The low key and the stop of each range."""
        return list(zip(self.lows, self.stops, strict=True))

    def holds(self, key: Any) -> bool:
        """Return whether the ranges contain a key."""
        if self.test is not None:
            return self.test(key)
        at = bisect_right(self.lows, key) - 1
        return at >= 0 and (self.stops[at] is None or key < self.stops[at])

    def select(self, rows: BitMap, not_null: BitMap, num_rows: int) -> Selection:
        """Return the selection, given the rows with such keys and all rows that are not null."""
        if not self.negated:
            return Selection.of(rows, num_rows, self.exact)
        if self.exact or not rows:
            return Selection.of(not_null - rows, num_rows, True)
        # These rows may contain the value, or another one that is stored alike: keep them.
        return Selection.of(not_null, num_rows, False)


@lru_cache(maxsize=256)  # many files evaluate the same leaf, which may list thousands of values
def key_ranges(
    leaf: LeafOrRange, data_type: DataType, *, are_whole: bool = False
) -> KeyRanges | None:
    """Return the ranges of keys for a leaf that is bound to a column of this type.

    If keys `are_whole`, as in global indexes, those of DECIMALs may have more than 64 bits, and
    those of TIMESTAMPs above precision 3 are nanoseconds.

    Some engines order CHARs with padding, others without. Ranges of CHARs include the keys of both
    orders, and are not exact.

    Returns:
        None if a leaf has no such ranges, for example a pattern that is not a prefix.
    """
    if data_type.root == "DECIMAL":
        return key_ranges(_unscaled(leaf, data_type.scale or 0), _BIGINT, are_whole=are_whole)
    if is_of_values(leaf):
        values = leaf.values if isinstance(leaf, In) else (leaf.value,)
        negated = leaf.negated if isinstance(leaf, In) else leaf.op == "<>"
        of_values = _ranges_of_values(values, data_type, are_whole)
        return replace(of_values, negated=True) if negated else of_values
    if data_type.is_string:
        is_padded = data_type.root == "CHAR"
        bounds = _text_bounds(leaf, is_padded)
        return None if bounds is None else KeyRanges.of_range(*bounds, exact=not is_padded)
    return _number_range(leaf, data_type, are_whole)


def is_of_values(leaf: LeafOrRange) -> TypeGuard[Comparison | In]:
    """Return whether a leaf is `=`, `<>`, IN or NOT IN."""
    return isinstance(leaf, In) or (isinstance(leaf, Comparison) and leaf.op in ("=", "<>"))


def match_ranges(leaf: Match) -> KeyRanges:
    """Return the ranges for a LIKE pattern on a VARCHAR, for an index that can test each key."""
    pattern = to_utf8(leaf.pattern)
    if isinstance(leaf, StartsWith):
        return replace(KeyRanges.of_range(*_prefix_bounds(pattern)), negated=leaf.negated)
    if isinstance(leaf, EndsWith):
        return _tested(leaf, lambda key: key.endswith(pattern))
    if isinstance(leaf, Contains):
        return _tested(leaf, lambda key: pattern in key)
    assert isinstance(leaf, Like)
    matches = leaf.regex().fullmatch
    return _tested(leaf, lambda key: matches(from_utf8(key)) is not None)


def _tested(leaf: Match, test: Callable[[bytes], bool]) -> KeyRanges:
    return KeyRanges([b""], [None], negated=leaf.negated, test=test)


def _after(key: Any) -> Any:
    """Return the successor of a key."""
    return key + b"\0" if isinstance(key, bytes) else key + 1


def _unit(data_type: DataType, are_whole: bool) -> tuple[int, bool]:
    """Return the nanoseconds of a key's unit, and whether keys are cut to it."""
    if not are_whole:
        return data_type.stored_nanos, data_type.is_cut
    return (1 if (data_type.precision or 0) > 3 else data_type.stored_nanos), False


def _ranges_of_values(values: Sequence[Any], data_type: DataType, are_whole: bool) -> KeyRanges:
    if data_type.root == "CHAR":
        return _padded(map(to_utf8, values))
    if data_type.is_string:
        return KeyRanges.of_keys(map(to_utf8, values))
    if data_type.root in ("FLOAT", "DOUBLE"):
        keys = _float_keys(values, data_type)
        if 0 not in keys and NEGATIVE_ZERO not in keys:
            return KeyRanges.of_keys(keys)
        # 0.0 and -0.0 are one value in SQL, but two adjacent keys in the index.
        lows = sorted({NEGATIVE_ZERO if key == 0 else key for key in keys})
        return KeyRanges(lows, [1 if low == NEGATIVE_ZERO else low + 1 for low in lows])
    if data_type.is_timestamp:
        unit, cut = _unit(data_type, are_whole)
        whole = (value // unit for value in values if cut or value % unit == 0)
        return KeyRanges.of_keys(whole, exact=not cut)
    return KeyRanges.of_keys(map(int, values))


def _padded(texts: Iterable[bytes]) -> KeyRanges:
    """Return the ranges of these texts, each followed by any number of spaces."""
    stripped = {text.rstrip(b" ") for text in texts}
    lows: list[bytes] = []
    stops: list[bytes] = []
    for low in sorted(stripped):
        stop = low + b"!"  # `!` is the byte after the space
        if stops and low <= stops[-1]:
            stops[-1] = max(stop, stops[-1])
        else:
            lows.append(low)
            stops.append(stop)
    return KeyRanges(lows, stops, test=lambda key: key.rstrip(b" ") in stripped)


def _number_range(leaf: LeafOrRange, data_type: DataType, are_whole: bool) -> KeyRanges | None:
    if isinstance(leaf, Range):
        above, below = (_number_range(x, data_type, are_whole) for x in (leaf.lower, leaf.upper))
        assert above is not None and below is not None  # both are comparisons
        if not (above and below):
            return KeyRanges([], [])
        exact = above.exact and below.exact
        return KeyRanges.of_range(above.lows[0], below.stops[0], exact=exact)
    if not isinstance(leaf, Comparison):
        return None
    is_below, with_value = leaf.op.startswith("<"), leaf.op.endswith("=")
    bound = _bound(leaf.value, data_type, is_below == with_value)
    exact = True
    if data_type.is_timestamp:
        unit, cut = _unit(data_type, are_whole)
        exact = not cut or bound % unit == 0
        bound = bound // unit if cut and not is_below else -(-bound // unit)
    least, after = (-inf, inf) if are_whole else (_LEAST, _STOP)
    low, stop = (least, min(bound, after)) if is_below else (max(bound, least), after)
    return KeyRanges.of_range(low, stop, exact=exact)


def _bound(value: Any, data_type: DataType, after: bool) -> int:
    """Return the key of a number, or the key after it."""
    if data_type.root not in ("FLOAT", "DOUBLE"):
        return int(value) + after
    [key] = _float_keys([value], data_type)
    if key in (NEGATIVE_ZERO, 0):
        return 1 if after else NEGATIVE_ZERO
    return key + after


def _float_keys(values: Sequence[float], data_type: DataType) -> list[int]:
    kind = np.float32 if data_type.root == "FLOAT" else np.float64
    keys: list[int] = sortable(np.array(values, kind)).tolist()
    return keys


def _text_bounds(leaf: LeafOrRange, is_padded: bool) -> tuple[bytes, bytes | None] | None:
    """Return the low key and the stop for a range or prefix of texts; None for other leaves."""
    if isinstance(leaf, Range):
        lower, upper = _text_bounds(leaf.lower, is_padded), _text_bounds(leaf.upper, is_padded)
        return None if lower is None or upper is None else (lower[0], upper[1])
    if isinstance(leaf, StartsWith) and not leaf.negated and not is_padded:
        return _prefix_bounds(to_utf8(leaf.pattern))
    if not isinstance(leaf, Comparison):
        return None
    text = to_utf8(leaf.value)
    is_below, with_value = leaf.op.startswith("<"), leaf.op.endswith("=")
    if is_padded:
        # With or without padding, keys before the stripped text are below it. Keys from the text
        # plus `!` on are above, unless the text contains bytes that sort before a space.
        text = text.rstrip(b" ")
        if text and min(text) < ord(" "):
            return None
        return (b"", text + b"!") if is_below else (text, None)
    bound = _after(text) if is_below == with_value else text
    return (b"", bound) if is_below else (bound, None)


def _prefix_bounds(prefix: bytes) -> tuple[bytes, bytes | None]:
    """Return the low key and the stop of the texts that start with a prefix."""
    # They sort before the prefix with its last byte incremented.
    head = prefix.rstrip(b"\xff")
    return prefix, head[:-1] + bytes([head[-1] + 1]) if head else None


def _unscaled(leaf: LeafOrRange, scale: int) -> LeafOrRange:
    """Return the leaf with unscaled values, which an index stores for a DECIMAL."""
    if isinstance(leaf, Range):
        return Range(
            leaf.column, _unscaled_bound(leaf.lower, scale), _unscaled_bound(leaf.upper, scale)
        )
    if isinstance(leaf, Comparison):
        return _unscaled_bound(leaf, scale)
    if isinstance(leaf, In):
        return replace(leaf, values=tuple(unscaled_value(v, scale)[0] for v in leaf.values))
    return leaf


def _unscaled_bound(leaf: Comparison, scale: int) -> Comparison:
    return replace(leaf, value=unscaled_value(leaf.value, scale)[0])
