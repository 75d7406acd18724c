"""Convert the parts of a condition of Spark that have the same result here for every row.

That is independent of the session's settings. Other parts stay with Spark alone: functions,
arithmetic, and comparisons that need a cast which can change a value.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from contextlib import suppress
from datetime import datetime, timedelta
from decimal import Decimal
from functools import partial
from typing import Any, TypeAlias

import numpy as np
from sqlglot import exp

from paimon_ksy.errors import PredicateError
from paimon_ksy.predicates.bind import bind
from paimon_ksy.predicates.sql import parse_conditions
from paimon_ksy.predicates.tree import (
    Always,
    And,
    Computed,
    In,
    IsNotNull,
    IsNull,
    Leaf,
    Like,
    Match,
    Predicate,
    Unsure,
    leaves,
    literals_in,
)
from paimon_ksy.types.data_type import DataType
from paimon_ksy.types.literals import DATE, NANOS_PER_DAY, TIMESTAMP_LTZ, TypedLiteral, zone_named
from paimon_ksy.types.schema import Schema


class OnlySpark(str):
    """SQL that only Spark tests: its meaning hangs on other rows, or on settings of the session."""


def conditions_from_spark(
    texts: Iterable[str], schema: Schema, time_zone: str
) -> tuple[Predicate | None, tuple[str, ...]]:
    """Return the predicate of those parts that mean the same in Spark, and the other parts as SQL.

    Args:
        texts: Conditions of a top-level AND, in Spark's SQL.
        schema: The columns.
        time_zone: The zone of the session.
    """
    exact, same, rest = _Exact(schema, time_zone), list[Predicate](), list[str]()
    for text in texts:
        if isinstance(text, OnlySpark):
            rest.append(text)
            continue
        for part, predicate in parse_conditions(text, schema, partial(_widened, schema)):
            if predicate is not None and exact.predicate(predicate):
                same.append(predicate)
            else:
                rest.append(part)
    return And(tuple(same)) if same else None, tuple(rest)


# Casts of columns ---------------------------------------------------------------------------------

_DIGITS = {"TINYINT": (3, 0), "SMALLINT": (5, 0), "INT": (10, 0), "BIGINT": (20, 0)}
"""The digits of integers, and those after the point, as Spark counts them."""
_STAMP_CASTS = ("TIMESTAMPTZ", "TIMESTAMPLTZ", "TIMESTAMPNTZ")


_Digits: TypeAlias = tuple[int, int]


def _widened(schema: Schema, node: Any) -> Any:
    """Return the column of a cast that keeps all values and their order, as Spark adds them."""
    targets, inner = [], node
    while isinstance(inner, exp.Cast):
        targets.append(inner.to)
        inner = inner.this.unnest()
    names = {name.casefold(): name for name in schema.names}
    if not targets or not isinstance(inner, exp.Column) or len(inner.parts) > 1:
        return node
    if (name := names.get(inner.name.casefold())) is None:
        return node
    own = schema[name]
    kind: tuple[str, _Digits | None] | None = (own.root, _digits(own))
    for target in reversed(targets):
        kind = kind and _cast(*kind, target)
    return node if kind is None else inner


def _cast(root: str, digits: _Digits | None, target: Any) -> tuple[str, _Digits | None] | None:
    """Return the type and digits after a cast; None if it may change values or their order."""
    wider, sizes = target.this.name, [int(part.name) for part in target.expressions]
    if root == "FLOAT" and wider == "DOUBLE":
        return wider, digits
    if root == wider != "DECIMAL" or (root == "TIMESTAMP" and wider in _STAMP_CASTS):
        return root, digits
    new = (sizes[0], (*sizes, 0)[1]) if sizes else _DIGITS.get(wider)
    if digits is None or new is None or not (wider == "DECIMAL" or root in _DIGITS):
        return None
    keeps_all = new[1] >= digits[1] and new[0] - new[1] >= digits[0] - digits[1]
    return (wider, new) if keeps_all else None


def _digits(data_type: DataType) -> tuple[int, int] | None:
    if data_type.root == "DECIMAL":
        return data_type.precision or 10, data_type.scale or 0
    return _DIGITS.get(data_type.root)


# Comparisons that are the same in Spark -----------------------------------------------------------


_DAY_TEXT = r"\d{4}-\d\d-\d\d"
_STAMP_TEXT = rf"{_DAY_TEXT}( \d\d:\d\d:\d\d(\.\d{{1,6}})?)?"


class _Exact:
    """Determines whether tests have Spark's result for every value of their columns."""

    def __init__(self, schema: Schema, time_zone: str) -> None:
        self.schema, self.time_zone, self.zone = schema, time_zone, zone_named(time_zone)

    def predicate(self, predicate: Predicate) -> bool:
        """Return whether a predicate fits the schema, and has Spark's results."""
        if predicate == Always(None) or not all(map(self.leaf, leaves(predicate))):
            return False
        with suppress(PredicateError):
            bind(predicate, self.schema, time_zone=self.time_zone)
            return True
        return False

    def leaf(self, leaf: Leaf) -> bool:
        literals = [value for value in literals_in(leaf) if value is not None]
        if leaf.column not in self.schema.names or isinstance(leaf, Unsure):
            return False
        if any(isinstance(value, Computed) for value in literals):
            return False
        kind = self.schema[leaf.column]
        if isinstance(leaf, IsNull | IsNotNull):
            return kind.root not in _NESTED
        if isinstance(leaf, Match):
            return kind.root == "VARCHAR" and _is_plain(leaf)
        if (digits := _digits(kind)) is not None:
            return _fits(digits, literals)
        if isinstance(leaf, In) and kind.root != "VARCHAR":
            # Spark may compare texts, or tell -0.0 from 0.0.
            return kind.root == "DATE" and all(map(_is_date, literals))
        compares = _COMPARES.get(kind.root)
        return compares is not None and all(compares(self, value, kind) for value in literals)

    def is_stamp(self, value: Any, kind: DataType) -> bool:
        """Return whether a text or a literal of time is the same instant in Spark."""
        if isinstance(value, str):
            return re.fullmatch(_STAMP_TEXT, value, re.ASCII) is not None
        if not isinstance(value, TypedLiteral) or (kind.precision or 6) > 6:
            return False
        nanos = value.value * (NANOS_PER_DAY if value.type == DATE else 1)
        if nanos % 1000:
            return False  # Spark cuts it
        if value.type == TIMESTAMP_LTZ:
            return kind.root == "TIMESTAMP_LTZ"
        return self._is_clear(nanos, kind.root)

    def _is_clear(self, nanos: int, root: str) -> bool:
        """Return whether a time without a zone is one instant, and clocks do not change near it.

        Spark may compare TIMESTAMP columns as instants of the session's zone.
        """
        days = range(-2, 3) if root == "TIMESTAMP" else [0]
        try:
            stamp = datetime(1970, 1, 1) + timedelta(microseconds=nanos // 1000)
            near = [stamp + timedelta(day) for day in days]
        except OverflowError:
            return False
        zoned = (time.replace(tzinfo=self.zone, fold=fold) for time in near for fold in (0, 1))
        return len({time.utcoffset() for time in zoned}) == 1


def _is_plain(leaf: Match) -> bool:
    """Return whether a pattern is a text that means the same in Spark."""
    escape = leaf.escape if isinstance(leaf, Like) else "\\"
    return isinstance(leaf.pattern, str) and len(escape) == 1


def _is_float(exact: _Exact, value: Any, kind: DataType) -> bool:
    if type(value) not in (int, float, Decimal):
        return False
    with np.errstate(all="ignore"):
        return kind.root == "DOUBLE" or value != value or float(np.float32(value)) == value


def _is_day(exact: _Exact, value: Any, kind: DataType) -> bool:
    if isinstance(value, str):
        return re.fullmatch(_DAY_TEXT, value, re.ASCII) is not None
    return _is_date(value)


_COMPARES: dict[str, Callable[[_Exact, Any, DataType], bool]] = {
    "VARCHAR": lambda exact, value, kind: isinstance(value, str),
    "BOOLEAN": lambda exact, value, kind: isinstance(value, bool),
    "VARBINARY": lambda exact, value, kind: isinstance(value, bytes),
    **dict.fromkeys(("FLOAT", "DOUBLE"), _is_float),
    "DATE": _is_day,
    **dict.fromkeys(("TIMESTAMP", "TIMESTAMP_LTZ"), _Exact.is_stamp),
}
"""By type, whether Spark compares its values with a literal as we do."""

_NESTED = ("ARRAY", "VECTOR", "MAP", "MULTISET", "ROW", "VARIANT")


def _is_date(value: Any) -> bool:
    return isinstance(value, TypedLiteral) and value.type == DATE


def _fits(digits: _Digits, literals: Iterable[Any]) -> bool:
    """Return whether Spark compares literals with a column of these digits without rounding."""
    whole, after = digits[0] - digits[1], digits[1]
    for literal in literals:
        if type(literal) not in (int, Decimal) or not Decimal(literal).is_finite():
            return False
        _, parts, exponent = Decimal(literal).as_tuple()
        assert isinstance(exponent, int)
        whole, after = max(whole, len(parts) + exponent), max(after, -exponent)
    return whole + after <= 38
