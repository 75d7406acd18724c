"""What a predicate means, row by row: the reference that everything else is tested against.

It works on the tree as it was made, not on what `bind` makes of it, though it takes bound trees
too. Rows hold internal values (see `paimon_ksy.types.data_type`).
"""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from typing import Any
from zoneinfo import ZoneInfo

import numpy as np

from paimon_ksy.predicates.tree import (
    Always,
    And,
    ArrayContains,
    ArraysOverlap,
    Comparison,
    Contains,
    EndsWith,
    In,
    IsNotNull,
    IsNull,
    Like,
    Not,
    Or,
    Predicate,
    StartsWith,
)
from paimon_ksy.types.data_type import DataType
from paimon_ksy.types.literals import TypedLiteral
from paimon_ksy.types.schema import Schema

DAY = 86_400 * 10**9
Test = Callable[[Any], bool | None]


def matches(
    predicate: Predicate,
    rows: Sequence[Mapping[str, Any]],
    schema: Schema,
    time_zone: str = "UTC",
) -> list[bool]:
    """Whether each row (column -> internal value) is selected."""
    names = {name for row in rows for name in row} | set(_columns_of(predicate))
    columns = {name: [row.get(name) for row in rows] for name in names}
    selected = set(matching_rows(predicate, columns, schema, time_zone, len(rows)))
    return [row in selected for row in range(len(rows))]


def matching_rows(
    predicate: Predicate,
    columns: Mapping[str, Sequence[Any]],
    schema: Schema,
    time_zone: str = "UTC",
    num_rows: int | None = None,
) -> list[int]:
    """The positions of the rows that are selected, of columns of internal values."""
    if num_rows is None:
        num_rows = len(next(iter(columns.values()), ()))
    results = truth(predicate, columns, schema, time_zone, num_rows)
    return [row for row, result in enumerate(results) if result is True]


def truth(
    predicate: Predicate,
    columns: Mapping[str, Sequence[Any]],
    schema: Schema,
    time_zone: str,
    num_rows: int,
) -> list[bool | None]:
    """True, false or unknown (None) for each row."""

    def of(child: Predicate) -> list[bool | None]:
        return truth(child, columns, schema, time_zone, num_rows)

    if isinstance(predicate, Always):
        return [predicate.value] * num_rows
    if isinstance(predicate, Not):
        return [None if result is None else not result for result in of(predicate.child)]
    if isinstance(predicate, And):
        return _reduce([of(child) for child in predicate.children], num_rows, True)
    if isinstance(predicate, Or):
        return _reduce([of(child) for child in predicate.children], num_rows, False)
    field = schema.column(predicate.column, ignore_case=True)  # type: ignore[attr-defined]
    test = _test(predicate, field.type, time_zone)
    return [test(value) for value in columns[field.name]]


def _reduce(parts: list[list[bool | None]], num_rows: int, identity: bool) -> list[bool | None]:
    """SQL's AND (identity true) or OR (identity false) of each row's results."""
    rows = zip(*parts, strict=True) if parts else ((),) * num_rows
    return [
        (not identity) if (not identity) in row else None if None in row else identity
        for row in rows
    ]


def _test(leaf: Predicate, kind: DataType, time_zone: str) -> Test:
    if isinstance(leaf, IsNull):
        return lambda value: value is None
    if isinstance(leaf, IsNotNull):
        return lambda value: value is not None
    if isinstance(leaf, Comparison):
        return _comparison(leaf, kind, time_zone)
    if isinstance(leaf, In):
        return _negate(_in(leaf, kind, time_zone), leaf.negated)
    if isinstance(leaf, ArraysOverlap):
        return _negate(_overlap(leaf, kind.fields[0].type, time_zone), leaf.negated)
    assert isinstance(leaf, StartsWith | EndsWith | Contains | Like)
    return _negate(_match(leaf, kind), leaf.negated)


def _negate(test: Test, negated: bool) -> Test:
    if not negated:
        return test

    def negation(value: Any) -> bool | None:
        result = test(value)
        return None if result is None else not result

    return negation


def _comparison(leaf: Comparison, kind: DataType, time_zone: str) -> Test:
    if leaf.value is None:
        return lambda value: None
    right = _literal_key(leaf, leaf.value, kind, time_zone)
    compare: dict[str, Callable[[Any], bool]] = {
        "=": lambda left: left == right,
        "<>": lambda left: left != right,
        "<": lambda left: left < right,
        "<=": lambda left: left <= right,
        ">": lambda left: left > right,
        ">=": lambda left: left >= right,
    }
    holds = compare[leaf.op]
    return lambda value: None if value is None else holds(key_of(value, kind))


def _in(leaf: In, kind: DataType, time_zone: str) -> Test:
    if not leaf.values:
        return lambda value: False
    keys = {_literal_key(leaf, v, kind, time_zone) for v in leaf.values if v is not None}
    otherwise = None if None in leaf.values else False

    def test(value: Any) -> bool | None:
        if value is None:
            return None
        return True if key_of(value, kind) in keys else otherwise

    return test


def _overlap(leaf: ArraysOverlap, kind: DataType, time_zone: str) -> Test:
    keys = {_literal_key(leaf, v, kind, time_zone) for v in leaf.values if v is not None}
    has_null = None in leaf.values

    def test(elements: Any) -> bool | None:
        if elements is None or (has_null and isinstance(leaf, ArrayContains)):
            return None
        if any(each is not None and key_of(each, kind) in keys for each in elements):
            return True
        are_both = bool(elements) and bool(leaf.values)
        return None if are_both and (has_null or None in elements) else False

    return test


def _match(leaf: StartsWith | EndsWith | Contains | Like, kind: DataType) -> Test:
    pattern = leaf.pattern
    if pattern is None:
        return lambda value: None
    if isinstance(leaf, StartsWith):
        holds: Callable[[str], bool] = lambda text: text.startswith(pattern)  # noqa: E731
    elif isinstance(leaf, EndsWith):
        holds = lambda text: text.endswith(pattern)  # noqa: E731
    elif isinstance(leaf, Contains):
        holds = lambda text: pattern in text  # noqa: E731
    else:
        escape = leaf.escape
        holds = lambda text: _like(text, pattern, escape)  # noqa: E731
    # Spark pads a CHAR to its length before it looks at the pattern.
    width = kind.length or 0 if kind.root == "CHAR" else 0
    if width:
        return lambda value: None if value is None else holds(value.rstrip(" ").ljust(width))
    return lambda value: None if value is None else holds(value)


def _like(text: str, pattern: str, escape: str) -> bool:
    """LIKE, one character of the pattern at a time: the ends of the text that it can reach."""
    reached = {0}
    characters = iter(pattern)
    for character in characters:
        if character == escape:
            character = next(characters)
        elif character == "%":
            reached = set(range(min(reached), len(text) + 1)) if reached else set()
            continue
        elif character == "_":
            reached = {at + 1 for at in reached if at < len(text)}
            continue
        reached = {at + 1 for at in reached if text[at : at + 1] == character}
    return len(text) in reached


# Keys: values that compare as SQL's do ------------------------------------------------------


def key_of(value: Any, kind: DataType) -> Any:
    """A key of an internal value."""
    if kind.root == "CHAR":
        padded: str = value.rstrip(" ").ljust((kind.length or 1) + 100)
        return _utf8(padded)
    if kind.root == "VARCHAR":
        return _utf8(value)
    if kind.root == "DATE":
        return value * DAY
    if kind.root == "TIME":
        return value * 10**6
    if kind.is_timestamp:
        return value
    if isinstance(value, int | float | Decimal) and not isinstance(value, bool):
        return _number_key(value)
    return value


def _number_key(value: int | float | Decimal) -> tuple[int, int | float | Decimal]:
    if isinstance(value, float) and not math.isfinite(value):
        return (2, 0) if math.isnan(value) else (1, 0) if value > 0 else (-1, 0)
    return (0, value)


def _utf8(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")


def _literal_key(
    leaf: Comparison | In | ArraysOverlap, value: Any, kind: DataType, time_zone: str
) -> Any:
    if leaf.type is not None:
        return key_of(value, kind)
    if kind.root in ("FLOAT", "DOUBLE"):
        return _number_key(_rounded(value, kind))
    if kind.root == "DECIMAL" and isinstance(value, float) and math.isfinite(value):
        return _number_key(Decimal(repr(value)))
    if kind.root in ("DATE", "TIMESTAMP", "TIMESTAMP_LTZ"):
        return _nanoseconds(value, kind, time_zone)
    if kind.root == "TIME":
        value = time.fromisoformat(value) if isinstance(value, str) else value
        seconds = (value.hour * 60 + value.minute) * 60 + value.second
        return seconds * 10**9 + value.microsecond * 1000
    if kind.is_string and isinstance(value, bytes):
        value = value.decode("utf-8", "surrogateescape")
    return key_of(value, kind)


def _rounded(value: Any, kind: DataType) -> int | float | Decimal:
    """The literal as FLOAT or DOUBLE; one that overflows stays what it is."""
    if isinstance(value, str):
        return float(value)
    with np.errstate(over="ignore"):
        try:
            rounded = float(value)
        except OverflowError:
            return int(value)
        if kind.root == "FLOAT":
            rounded = float(np.float32(rounded))
    if math.isinf(rounded) and not (isinstance(value, float) and math.isinf(value)):
        number: int | float | Decimal = value
        return number
    return rounded


def _nanoseconds(value: Any, kind: DataType, time_zone: str) -> int:
    if isinstance(value, TypedLiteral):
        nanos: int = value.value * (DAY if value.type.root == "DATE" else 1)
        zoned = value.type.root == "TIMESTAMP_LTZ"
        return nanos if zoned else nanos + _shift(nanos, kind, time_zone)
    if isinstance(value, str):
        nanos = int(np.datetime64(value, "ns").astype(np.int64))
        return nanos + _shift(nanos, kind, time_zone)
    if isinstance(value, date) and not isinstance(value, datetime):
        value = datetime(value.year, value.month, value.day)
    if value.tzinfo is None:
        value = value.replace(tzinfo=ZoneInfo(time_zone) if kind.root == "TIMESTAMP_LTZ" else UTC)
    since: timedelta = value - datetime(1970, 1, 1, tzinfo=UTC)
    return (since.days * 86_400 + since.seconds) * 10**9 + since.microseconds * 1000


def _shift(nanos: int, kind: DataType, time_zone: str) -> int:
    """What to add to the clock time of a zone to have UTC's."""
    if kind.root != "TIMESTAMP_LTZ" or time_zone == "UTC":
        return 0
    local = datetime.fromordinal(719_163 + nanos // DAY).replace(
        hour=nanos % DAY // (3600 * 10**9), minute=nanos // (60 * 10**9) % 60
    )
    offset = local.replace(tzinfo=ZoneInfo(time_zone)).utcoffset()
    assert offset is not None
    return -(offset.days * 86_400 + offset.seconds) * 10**9


def _columns_of(predicate: Predicate) -> Iterable[str]:
    todo = [predicate]
    while todo:
        node = todo.pop()
        if isinstance(node, And | Or):
            todo += node.children
        elif isinstance(node, Not):
            todo.append(node.child)
        elif not isinstance(node, Always):
            yield node.column  # type: ignore[attr-defined]
