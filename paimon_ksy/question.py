"""What a predicate's leaf asks of an index that keeps values in order: intervals of stored keys.

A key is a number as the index stores it (a float as the integer that orders like it), or the bytes
of a string.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any

from pyroaring import BitMap

from paimon_ksy.bitmap import (
    _bytes as utf8,
)
from paimon_ksy.bitmap import (
    _range_question as range_question,
)
from paimon_ksy.bitmap import (
    _values_question as values_question,
)
from paimon_ksy.evaluate import Question, Range
from paimon_ksy.predicate import Comparison, In, StartsWith
from paimon_ksy.selection import Selection
from paimon_ksy.types import DataType, parse_type


@dataclass(frozen=True)
class Keys:
    """Keys from the first of a pair up to, not including, the second: ascending and apart.

    None stands after all keys. Of the keys in them just those that pass `test` are meant. `exact`:
    each row with such a key holds a value asked for. `negated`: the other rows are wanted.
    """

    intervals: tuple[tuple[Any, Any], ...]
    exact: bool = True
    negated: bool = False
    test: Callable[[bytes], bool] | None = None

    def answer(self, found: BitMap, not_null: BitMap, num_rows: int) -> Selection:
        """The answer, of the rows with such keys and all that are not null."""
        if not self.negated:
            return Selection.of(found, num_rows, self.exact)
        if self.exact or not found:
            return Selection.of(not_null - found, num_rows, True)
        # The rows found may hold the value or one that is stored alike, so they stay.
        return Selection.of(not_null, num_rows, False)


def keys_asked(leaf: Question, data_type: DataType) -> Keys | None:
    """Which keys `leaf` asks for; None if keys in order cannot tell.

    The order of CHARs counts with and without padding, not the same everywhere: what is returned
    holds for both, and is not exact.
    """
    if data_type.root == "DECIMAL":
        return keys_asked(_unscaled(leaf, data_type.scale or 0), _BIGINT)
    if isinstance(leaf, In) or (isinstance(leaf, Comparison) and leaf.op in ("=", "<>")):
        values = leaf.values if isinstance(leaf, In) else (leaf.value,)
        negated = leaf.negated if isinstance(leaf, In) else leaf.op == "<>"
        found = values_question(values, data_type)
        pairs = zip(found.lows, map(_after, found.highs), strict=True)
        return Keys(tuple(pairs), found.exact, negated, found.test)
    if data_type.is_string:
        interval = _text_interval(leaf, data_type.root == "CHAR")
        return None if interval is None else _keys(interval, data_type.root != "CHAR")
    question = range_question(leaf, data_type)
    if question is None:
        return None
    return Keys(tuple(zip(question.lows, map(_after, question.highs), strict=True)), question.exact)


_BIGINT = parse_type("BIGINT")


def _unscaled(leaf: Question, scale: int) -> Question:
    """The leaf with unscaled values, which are what an index holds of a DECIMAL."""

    def unscaled(value: Any) -> int:
        sign, digits, exponent = Decimal(value).as_tuple()
        assert isinstance(exponent, int)
        number = int("".join(map(str, digits))) * 10 ** max(exponent + scale, 0)
        number //= 10 ** max(-exponent - scale, 0)
        return int(-number if sign else number)

    if isinstance(leaf, Range):
        lower, upper = _unscaled(leaf.lower, scale), _unscaled(leaf.upper, scale)
        assert isinstance(lower, Comparison) and isinstance(upper, Comparison)
        return Range(leaf.column, lower, upper)
    if isinstance(leaf, Comparison):
        return replace(leaf, value=unscaled(leaf.value))
    if isinstance(leaf, In):
        return replace(leaf, values=tuple(map(unscaled, leaf.values)))
    return leaf


def _after(key: Any) -> Any:
    """The first key after this one."""
    return key + b"\0" if isinstance(key, bytes) else int(key) + 1


def _keys(interval: tuple[bytes, bytes | None], exact: bool) -> Keys:
    low, stop = interval
    return Keys((interval,) if stop is None or low < stop else (), exact)


def _text_interval(leaf: Question, padded: bool) -> tuple[bytes, bytes | None] | None:
    if isinstance(leaf, Range):
        lower, upper = _text_interval(leaf.lower, padded), _text_interval(leaf.upper, padded)
        return None if lower is None or upper is None else (lower[0], upper[1])
    if isinstance(leaf, StartsWith) and not leaf.negated and not padded:
        prefix = utf8(leaf.pattern)
        # What starts with it comes before the prefix with its last byte one higher.
        head = prefix.rstrip(b"\xff")
        return prefix, head[:-1] + bytes([head[-1] + 1]) if head else None
    if not isinstance(leaf, Comparison):
        return None
    text = utf8(leaf.value)
    below, also = leaf.op.startswith("<"), leaf.op.endswith("=")
    if padded:
        # With or without padding, keys before the stripped text are below it, and those from the
        # text with a `!` on are above; so long as it holds nothing that sorts before a space.
        text = text.rstrip(b" ")
        if text and min(text) < ord(" "):
            return None
        return (b"", text + b"!") if below else (text, None)
    if below:
        return b"", _after(text) if also else text
    return (text if also else _after(text)), None
