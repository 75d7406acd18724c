"""Convert Polars expressions to predicates.

Polars can only remove the last operation of an expression, which leaves its inputs, and compare
expressions. So each known operation is applied to the inputs again, and the result is compared with
the original. Unrecognised parts become `Unsure`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping
from typing import Any

import polars as pl

from paimon_ksy.errors import PredicateError
from paimon_ksy.predicates.tree import (
    Always,
    And,
    Column,
    Comparison,
    In,
    Not,
    Or,
    Predicate,
    Unsure,
)
from paimon_ksy.types.data_type import INTEGER_BITS
from paimon_ksy.types.literals import plain
from paimon_ksy.types.schema import Schema

_DEEPEST = 100
"""The most levels of an expression: each one is compared with everything below it."""

_ROOTS = frozenset({"BOOLEAN", "FLOAT", "DOUBLE", "DECIMAL", "VARCHAR", "BINARY", "VARBINARY"})
_ROOTS |= frozenset({"DATE", "TIME", "TIMESTAMP", "TIMESTAMP_LTZ", *INTEGER_BITS})
"""Types that Polars compares like SQL: not CHAR, whose trailing spaces count in Polars."""


def predicate_from_polars(
    expression: pl.Expr, schema: Schema, dtypes: Mapping[str, pl.DataType]
) -> Predicate:
    """Convert an expression to a predicate; parts without a counterpart become `Unsure`.

    All other parts are true and false for the same rows as in Polars.

    Args:
        expression: The expression that Polars passes to a source, with explicit casts.
        schema: The columns.
        dtypes: The columns' types in Polars.
    """
    return _Converter(schema, dtypes).condition(expression, _DEEPEST)


_COMPARISONS: dict[str, Callable[[Any, Any], Any]] = {
    "=": lambda left, right: left == right,
    "<>": lambda left, right: left != right,
    "<": lambda left, right: left < right,
    "<=": lambda left, right: left <= right,
    ">": lambda left, right: left > right,
    ">=": lambda left, right: left >= right,
}
_MIRRORED = {"=": "=", "<>": "<>", "<": ">", "<=": ">=", ">": "<", ">=": "<="}
_CLOSED = {"both": (">=", "<="), "left": (">=", "<"), "right": (">", "<="), "none": (">", "<")}
_TEXT_TESTS: tuple[tuple[Callable[[pl.Expr, pl.Expr], pl.Expr], Callable[..., Predicate]], ...] = (
    (lambda text, part: text.str.starts_with(part), Column.startswith),
    (lambda text, part: text.str.ends_with(part), Column.endswith),
    (lambda text, part: text.str.contains(part, literal=True), Column.contains),
)
_NAN = float("nan")
_OF_FLOATS = ("FLOAT", "DOUBLE")
_OF_ONE: tuple[
    tuple[Callable[[pl.Expr], pl.Expr], Callable[[Column], Predicate], tuple[str, ...]], ...
] = (
    (pl.Expr.is_null, Column.is_null, ()),
    (pl.Expr.is_not_null, Column.is_not_null, ()),
    (pl.Expr.is_nan, lambda column: column == _NAN, _OF_FLOATS),
    (pl.Expr.is_not_nan, lambda column: column != _NAN, _OF_FLOATS),
)


class _Converter:
    def __init__(self, schema: Schema, dtypes: Mapping[str, pl.DataType]) -> None:
        self.schema = schema
        self.dtypes = dtypes

    def condition(self, expression: pl.Expr, depth: int) -> Predicate:
        """Return the predicate of an expression of booleans."""
        try:
            if expression.meta.is_column():
                return self._column(expression, ("BOOLEAN",)) == True  # noqa: E712
            if expression.meta.is_literal():
                return Always(_literal(expression, pl.Boolean()))
            if depth:
                inputs = expression.meta.pop()[::-1]
                match = (self._of_one, self._of_two, self._between)[len(inputs) - 1]
                return match(expression, *inputs, depth=depth - 1)
        except (_UnknownError, PredicateError, IndexError, ValueError, pl.exceptions.PolarsError):
            pass
        return Unsure("")

    def _of_one(self, expression: pl.Expr, part: pl.Expr, *, depth: int) -> Predicate:
        if expression.meta.eq(part.not_()):
            return Not(self.condition(part, depth))
        for apply, test, roots in _OF_ONE:
            if expression.meta.eq(apply(part)):
                return test(self._column(part, roots))
        raise _UnknownError

    def _of_two(
        self, expression: pl.Expr, left: pl.Expr, right: pl.Expr, *, depth: int
    ) -> Predicate:
        if expression.meta.eq(left & right):
            return And((self.condition(left, depth), self.condition(right, depth)))
        if expression.meta.eq(left | right):
            return Or((self.condition(left, depth), self.condition(right, depth)))
        for op, apply in _COMPARISONS.items():
            if expression.meta.eq(apply(left, right)):
                if left.meta.is_literal():
                    return self._comparison(_MIRRORED[op], right, left)
                return self._comparison(op, left, right)
        if expression.meta.eq(left.is_in(right)):
            return self._is_in(left, right)
        for combine, test in _TEXT_TESTS:
            if expression.meta.eq(combine(left, right)):
                column = self._column(left, ("VARCHAR",))
                return test(column, _literal(right, pl.String()))
        raise _UnknownError

    def _between(
        self, expression: pl.Expr, part: pl.Expr, low: pl.Expr, high: pl.Expr, *, depth: int
    ) -> Predicate:
        for closed, (above, below) in _CLOSED.items():
            if expression.meta.eq(part.is_between(low, high, closed)):  # type: ignore[arg-type]
                return And(
                    (self._comparison(above, part, low), self._comparison(below, part, high))
                )
        raise _UnknownError

    def _comparison(self, op: str, part: pl.Expr, literal: pl.Expr) -> Predicate:
        column, dtype = self._compared(part, literal)
        return Comparison(op, column.name, _literal(literal, dtype))

    def _compared(self, part: pl.Expr, literal: pl.Expr) -> tuple[Column, pl.DataType]:
        """Return the column that is compared with a literal, and the type as which it is."""
        if not part.meta.is_column():
            # Polars compares DECIMALs with 38 digits, and the greater of the two scales.
            wide = _value(literal).dtype
            own = part.meta.pop()[0]
            column = self._column(own, ("DECIMAL",))
            kind = self.schema[own.meta.output_name()]
            scale, precision = kind.scale or 0, kind.precision or 10
            if not isinstance(wide, pl.Decimal) or not part.meta.eq(own.cast(wide, strict=False)):
                raise _UnknownError
            if wide.scale < scale or wide.precision - wide.scale < precision - scale:
                raise _UnknownError
            return column, wide
        return self._column(part), self.dtypes[part.meta.output_name()]

    def _is_in(self, part: pl.Expr, listed: pl.Expr) -> Predicate:
        column = self._column(part)
        kind = self.dtypes[part.meta.output_name()]
        values: pl.Series | None = _value(listed, pl.List(kind)).item()
        if values is None:
            raise _UnknownError
        plain_values: list[Any] = [plain(value) for value in values.drop_nulls().to_arrow()]
        if kind.is_float() and any(v == 0 or math.isnan(v) for v in plain_values):
            raise _UnknownError  # equality has other rules here than in `==`
        # A null in the list equals nothing, and makes no result unknown; a null row is unknown.
        if not plain_values:
            return column.is_null() & Always(None)
        return In(column.name, tuple(plain_values))

    def _column(self, part: pl.Expr, roots: Collection[str] = _ROOTS) -> Column:
        """Return the column if the expression is just a column, of one of these types."""
        if not part.meta.is_column():
            raise _UnknownError
        name = part.meta.output_name()
        if name not in self.schema.names or (roots and self.schema[name].root not in roots):
            raise _UnknownError
        return Column(name)


class _UnknownError(Exception):
    """An expression has no known counterpart."""


def _value(expression: pl.Expr, dtype: pl.DataType | None = None) -> pl.Series:
    """Return the value of a literal, converted to the type if one is given."""
    if not expression.meta.is_literal():
        raise _UnknownError
    values = pl.select(expression).to_series()
    if len(values) != 1 or dtype not in (None, values.dtype):
        raise _UnknownError
    return values


def _literal(expression: pl.Expr, dtype: pl.DataType) -> Any:
    return plain(_value(expression, dtype).to_arrow()[0])
