"""What a predicate's leaf asks of an index that keeps values in order: intervals of stored keys.

A key is a number as the index stores it (a float as the integer that orders like it), or the bytes
of a string.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from operator import lt
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from pyroaring import BitMap

from paimon_ksy.evaluation.evaluate import Question, Range
from paimon_ksy.evaluation.selection import Selection
from paimon_ksy.predicates.tree import Comparison, Contains, EndsWith, In, Like, Match, StartsWith
from paimon_ksy.types.data_type import INTEGER_BITS, DataType
from paimon_ksy.types.parse import parse_type


def sortable(keys: NDArray[Any]) -> NDArray[Any]:
    """Integers in the order of the keys: for floats that of Java's `Float.compare`.

    -0.0 comes before 0.0, and all NaNs are one value above Infinity.
    """
    if keys.dtype.kind != "f":
        return keys
    signed = np.dtype(f"i{keys.dtype.itemsize}")
    bits = np.where(np.isnan(keys), keys.dtype.type(np.nan), keys).view(signed)
    return np.where(bits < 0, bits ^ np.iinfo(signed).max, bits)


StoredKeys = NDArray[Any] | list[bytes]
"""Keys of an index: numbers as an array in the form of `sortable`, strings as a list."""


def stored_keys(column: Any) -> StoredKeys:
    """A column of keys, as the generated code reads it."""
    keys: StoredKeys = sortable(column) if isinstance(column, np.ndarray) else column.tolist()
    return keys


def ascending(keys: StoredKeys) -> bool:
    """Whether each key is greater than the one before it."""
    if isinstance(keys, list):
        return all(map(lt, keys, keys[1:]))
    return int(np.count_nonzero(keys[1:] > keys[:-1])) >= len(keys) - 1


# Closed intervals ---------------------------------------------------------------------------------


class KeyQuestion(NamedTuple):
    """Keys in closed intervals, ascending and apart, and of these the ones that pass `test`.

    Numbers are in the form of `sortable`. `exact`: each row found holds a value asked for.
    """

    lows: Sequence[Any]
    highs: Sequence[Any]
    test: Callable[[bytes], bool] | None = None
    exact: bool = True

    @property
    def is_point(self) -> bool:
        """Whether it asks for one key."""
        return len(self.lows) == 1 and self.lows[0] == self.highs[0]


_LEAST, _GREATEST = -(2**63), 2**63 - 1


def values_question(values: Sequence[Any], data_type: DataType) -> KeyQuestion:
    """Which keys stand for one of the values."""
    if data_type.is_string:
        texts = [utf8(*values)] if len(values) == 1 else sorted(set(map(utf8, values)))
        return _padded(texts) if data_type.root == "CHAR" else KeyQuestion(texts, texts)
    if data_type.root in ("FLOAT", "DOUBLE"):
        keys = sorted(set(_float_keys(values, data_type)))
        # 0.0 and -0.0, which are next to each other, are one value in SQL and two in the index.
        lows = sorted({_NEGATIVE_ZERO if key == 0 else key for key in keys})
        highs = sorted({0 if key == _NEGATIVE_ZERO else key for key in keys})
        return KeyQuestion(lows, highs)
    if data_type.is_timestamp:
        unit, cut = _unit(data_type)
        whole = sorted({value // unit for value in values if cut or value % unit == 0})
        return KeyQuestion(whole, whole, exact=not cut)
    numbers = sorted({int(value) for value in values})
    return KeyQuestion(numbers, numbers)


_ASKED_LIMIT = 256
_asked: dict[int, tuple[Comparison | In, DataType, KeyQuestion]] = {}


def leaf_question(leaf: Comparison | In, data_type: DataType) -> KeyQuestion:
    """Which keys stand for one of the leaf's values; remembered, since one is asked of many files.

    `data_type` is the leaf's column's.
    """
    known = _asked.get(id(leaf))
    if known is not None and known[1] is data_type:
        return known[2]
    values = leaf.values if isinstance(leaf, In) else (leaf.value,)
    question = values_question(values, data_type)
    if len(_asked) >= _ASKED_LIMIT:
        _asked.clear()
    _asked[id(leaf)] = (
        leaf,
        data_type,
        question,
    )  # holds the leaf, so that no other object gets its id
    return question


def _padded(texts: list[bytes]) -> KeyQuestion:
    """Texts with any number of spaces after them: these come before the text with a `!`."""
    stripped = {text.rstrip(b" ") for text in texts}
    lows: list[bytes] = []
    highs: list[bytes] = []
    for low in sorted(stripped):
        high = low + b"!"
        if highs and low <= highs[-1]:
            highs[-1] = max(high, highs[-1])
        else:
            lows.append(low)
            highs.append(high)
    return KeyQuestion(lows, highs, test=lambda key: key.rstrip(b" ") in stripped)


def range_question(leaf: Question, data_type: DataType) -> KeyQuestion | None:
    """Which keys are in a range or match a pattern; None if that cannot be told from keys.

    How padding counts in the order of CHARs, and in patterns, is not the same everywhere.
    """
    if data_type.root == "CHAR":
        return None
    if isinstance(leaf, Range):
        lower = range_question(leaf.lower, data_type)
        upper = range_question(leaf.upper, data_type)
        return None if lower is None or upper is None else _both(lower, upper)
    if isinstance(leaf, Match):
        return _match_question(leaf)
    if not isinstance(leaf, Comparison):
        return None
    value, below, also = leaf.value, leaf.op.startswith("<"), leaf.op.endswith("=")
    if data_type.is_string:
        return _text_range(utf8(value), below, also)
    low: int | None = None
    high: int | None = None
    exact = True
    if data_type.root in ("FLOAT", "DOUBLE"):
        [key] = _float_keys([value], data_type)
        least, greatest = (_NEGATIVE_ZERO, 0) if key in (_NEGATIVE_ZERO, 0) else (key, key)
        if below:
            high = greatest if also else least - 1
        else:
            low = least if also else greatest + 1
    elif below:
        high = int(value) - (not also)
    else:
        low = int(value) + (not also)
    if data_type.is_timestamp:
        unit, cut = _unit(data_type)
        if low is not None:
            exact = not cut or low % unit == 0
            low = low // unit if cut else -(-low // unit)
        if high is not None:
            exact = not cut or high % unit == unit - 1
            high = high // unit
    low = _LEAST if low is None else max(low, _LEAST)
    high = _GREATEST if high is None else min(high, _GREATEST)
    return KeyQuestion([low], [high], exact=exact) if low <= high else KeyQuestion([], [])


def _both(lower: KeyQuestion, upper: KeyQuestion) -> KeyQuestion:
    """What is above the one bound and below the other."""
    if not (lower.lows and upper.lows and lower.lows[0] <= upper.highs[0]):
        return KeyQuestion([], [])
    above, below = lower.test, upper.test
    test = None if above is None or below is None else lambda key: above(key) and below(key)
    return KeyQuestion(lower.lows, upper.highs, test, exact=lower.exact and upper.exact)


def _text_range(value: bytes, below: bool, also: bool) -> KeyQuestion:
    if below:
        return KeyQuestion([b""], [value], value.__ge__ if also else value.__gt__)
    return KeyQuestion([value], [None], value.__le__ if also else value.__lt__)


def _match_question(leaf: Match) -> KeyQuestion | None:
    pattern = utf8(leaf.pattern)
    if isinstance(leaf, StartsWith):
        # All of them come before the prefix with its last byte one higher.
        head = pattern.rstrip(b"\xff")
        after = head[:-1] + bytes([head[-1] + 1]) if head else None
        return KeyQuestion([pattern], [after], lambda key: key.startswith(pattern))
    if isinstance(leaf, EndsWith):
        return KeyQuestion([b""], [None], lambda key: key.endswith(pattern))
    if isinstance(leaf, Contains):
        return KeyQuestion([b""], [None], lambda key: pattern in key)
    if isinstance(leaf, Like):
        matches = leaf.regex().fullmatch
        return KeyQuestion([b""], [None], lambda key: matches(_text(key)) is not None)
    return None


_NEGATIVE_ZERO = -1


def _float_keys(values: Sequence[float], data_type: DataType) -> list[int]:
    kind = np.float32 if data_type.root == "FLOAT" else np.float64
    keys: list[int] = sortable(np.array(values, kind)).tolist()
    return keys


def _unit(data_type: DataType) -> tuple[int, bool]:
    """Nanoseconds in what the index stores of a timestamp, and whether it cuts values."""
    precision = data_type.precision or 0
    return 1_000_000 if precision <= 3 else 1_000, precision > 6


def utf8(text: str) -> bytes:
    """The bytes that a column stores of a string; see `paimon_ksy.types.data_type`."""
    return text.encode("utf-8", "surrogateescape")


def _text(key: bytes) -> str:
    return key.decode("utf-8", "surrogateescape")


def holds_values(data_type: DataType) -> bool:
    """Whether the keys of the type are its values, with nothing cut, padded or made alike."""
    if data_type.is_timestamp:
        return not _unit(data_type)[1]
    return data_type.root in (*INTEGER_BITS, "DATE", "TIME", "DECIMAL", "VARCHAR")


def value_of(key: Any, data_type: DataType) -> Any:
    """The internal value that a key stands for, of a type of `holds_values`."""
    if data_type.is_string:
        return _text(key)
    if data_type.root == "DECIMAL":
        return Decimal(int(key)).scaleb(-(data_type.scale or 0))
    return int(key) * (_unit(data_type)[0] if data_type.is_timestamp else 1)


# Half-open intervals ------------------------------------------------------------------------------


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
