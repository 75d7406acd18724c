"""Bind predicates to a schema: check columns, convert literals, and apply SQL's null logic."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any

from paimon_ksy.errors import PredicateError, SchemaError
from paimon_ksy.predicates.like import like_parts
from paimon_ksy.predicates.tree import (
    Always,
    And,
    ArrayContains,
    ArraysOverlap,
    Comparison,
    Computed,
    Contains,
    EndsWith,
    In,
    IsNotNull,
    IsNull,
    Leaf,
    Like,
    Match,
    Or,
    Predicate,
    StartsWith,
    Subject,
    SureLeaf,
    Unsure,
    columns_in,
    visit,
)
from paimon_ksy.types.data_type import DataType
from paimon_ksy.types.literals import Position, plain, position_of
from paimon_ksy.types.schema import Schema

# Binding ----------------------------------------------------------------------------------------


def bind(predicate: Predicate, schema: Schema, *, time_zone: str | None = "UTC") -> Predicate:
    """Bind a predicate to a schema: the result is true for the same rows, and easy to evaluate.

    - Columns exist and have their exact names, and each leaf has the column's `type`.
    - Literals are internal values. Constant leaves are folded: `x = NULL` and `int_column = 1.5`
      are never true, `tinyint_column < 1000` becomes `IS NOT NULL`.
    - There is no Not: it is pushed down to the leaves, which are `negated` where SQL has NOT.
    - And and Or are flat and have at least two different children. `=` and IN on one column under
      an Or become one In, and so do `<>` and NOT IN under an And. Always occurs only at the top,
      and its value is never None.
    - LIKE whose only wildcard is a `%` at an end becomes StartsWith, EndsWith or Contains.

    Args:
        predicate: A tree, which may already be bound.
        schema: The columns.
        time_zone: The zone of literals that have none, for TIMESTAMP WITH LOCAL TIME ZONE. If it
            is None, such literals are an error.

    Raises:
        PredicateError: A column does not exist, or a literal does not fit its type.
    """
    return visit(predicate, _Binder(schema, time_zone)).if_true


@dataclass(frozen=True, slots=True)
class _Truth:
    """The rows for which a predicate is true, and those for which it is false."""

    if_true: Predicate
    if_false: Predicate


_NEVER = Always(False)
_EVER = Always(True)
_OPPOSITE = {"=": "<>", "<>": "=", "<": ">=", "<=": ">", ">": "<=", ">=": "<"}


class _Binder:
    """Computes the truth of each node of a tree, with its leaves bound to the schema."""

    def __init__(self, schema: Schema, time_zone: str | None) -> None:
        self.schema = schema
        self.time_zone = time_zone

    def always(self, value: bool | None) -> _Truth:
        return _Truth(Always(value is True), Always(value is False))

    def conjunction(self, children: list[_Truth]) -> _Truth:
        return _Truth(
            _combine(And, [child.if_true for child in children]),
            _combine(Or, [child.if_false for child in children]),
        )

    def disjunction(self, children: list[_Truth]) -> _Truth:
        return _Truth(
            _combine(Or, [child.if_true for child in children]),
            _combine(And, [child.if_false for child in children]),
        )

    def negation(self, child: _Truth) -> _Truth:
        return _Truth(child.if_false, child.if_true)

    def leaf(self, leaf: Leaf) -> _Truth:
        if isinstance(leaf, Unsure):
            return _Truth(leaf, leaf)
        truth = self._sure_leaf(leaf)
        if columns_in(leaf):
            return truth
        from paimon_ksy.predicates.row_filter import holds

        return _Truth(Always(holds(truth.if_true, {})), Always(holds(truth.if_false, {})))

    def _sure_leaf(self, leaf: SureLeaf) -> _Truth:
        name, data_type = self._column(leaf.column)
        null, not_null = IsNull(name, data_type), IsNotNull(name, data_type)
        if isinstance(leaf, IsNull):
            return _Truth(null, not_null)
        if isinstance(leaf, IsNotNull):
            return _Truth(not_null, null)
        if leaf.type is not None and leaf.type.with_nullable(data_type.nullable) != data_type:
            raise PredicateError(
                f"column {name!r} is {data_type}, but the predicate was bound to {leaf.type}: "
                "bind the original one"
            )
        if isinstance(leaf, Comparison):
            return self._comparison(leaf, name, data_type)
        if isinstance(leaf, In):
            truth = self._in(leaf, name, data_type)
        elif isinstance(leaf, ArraysOverlap):
            truth = self._overlap(leaf, name, data_type)
        else:
            truth = self._match(leaf, name, data_type)
        return _Truth(truth.if_false, truth.if_true) if leaf.negated else truth

    def _column(self, name: Subject) -> tuple[Subject, DataType]:
        """Return the exact name and the type of a column, or of a computed value."""
        try:
            if not isinstance(name, Computed):
                field = self.schema.column(name, ignore_case=True)
                return field.name, field.type
            computed = name.bound(self.schema, self.time_zone)
        except SchemaError as error:
            raise PredicateError(str(error)) from None
        assert computed.type is not None
        return computed, computed.type

    def _value(self, value: object, data_type: DataType) -> object:
        """Return a literal; constant expressions are computed."""
        if not isinstance(value, Computed):
            return plain(value)
        return value.bound(self.schema, self.time_zone).constant(data_type)

    def _comparison(self, leaf: Comparison, name: Subject, data_type: DataType) -> _Truth:
        if leaf.op not in _OPPOSITE:
            raise PredicateError(f"unknown operator {leaf.op!r}: use one of {', '.join(_OPPOSITE)}")
        value = self._value(leaf.value, data_type)
        if value is None:
            return _Truth(_NEVER, _NEVER)
        where = self._place(leaf, value, name, data_type)
        if where.kind == "at":
            return _Truth(
                Comparison(leaf.op, name, where.value, data_type),
                Comparison(_OPPOSITE[leaf.op], name, where.value, data_type),
            )
        # No value equals the literal: each is either below or above it.
        everything, nothing = IsNotNull(name, data_type), _NEVER
        below: Predicate = everything
        above: Predicate = nothing
        if where.kind == "after":
            below = Comparison("<=", name, where.value, data_type)
            above = Comparison(">", name, where.value, data_type)
        elif where.kind == "below":
            below, above = nothing, everything
        if leaf.op in ("=", "<>"):
            truth = _Truth(nothing, everything)
            return truth if leaf.op == "=" else self.negation(truth)
        return _Truth(below, above) if leaf.op in ("<", "<=") else _Truth(above, below)

    def _in(self, leaf: In, name: Subject, data_type: DataType) -> _Truth:
        if not leaf.values:
            return _Truth(_NEVER, _EVER)  # even for null, because no value is compared with it
        values = [self._value(value, data_type) for value in leaf.values]
        literals = [value for value in values if value is not None]
        places = (self._place(leaf, value, name, data_type) for value in literals)
        distinct = _distinct(where.value for where in places if where.kind == "at")
        # Whether a value is equal to null is unknown, so NOT IN (.., NULL) is never true.
        has_null = len(literals) < len(leaf.values)
        return _Truth(
            _in(name, distinct, data_type, negated=False),
            _NEVER if has_null else _in(name, distinct, data_type, negated=True),
        )

    def _overlap(self, leaf: ArraysOverlap, name: Subject, data_type: DataType) -> _Truth:
        kind = _element_type(name, data_type)
        if not leaf.values and leaf.type is None:
            return _Truth(_NEVER, IsNotNull(name, data_type))
        values = [self._value(value, kind) for value in leaf.values]
        places = (self._place(leaf, v, name, kind) for v in values if v is not None)
        found = tuple(_distinct(where.value for where in places if where.kind == "at"))
        nulls = (None,) if None in values else ()
        if nulls and isinstance(leaf, ArrayContains):
            return _Truth(_NEVER, _NEVER)
        return _Truth(
            ArraysOverlap(name, found, False, data_type) if found else _NEVER,
            ArraysOverlap(name, (*found, *nulls), True, data_type),
        )

    def _place(self, leaf: Leaf, value: object, name: Subject, data_type: DataType) -> Position:
        if leaf.type is not None:
            if isinstance(value, float):  # all NaNs are equal, and so are both zeros
                value = math.nan if math.isnan(value) else value + 0.0
            return Position("at", value)
        return position_of(value, data_type, str(name), self.time_zone)

    def _match(self, leaf: Match, name: Subject, data_type: DataType) -> _Truth:
        if not data_type.is_string:
            raise PredicateError(
                f"column {name!r} is {data_type}: LIKE, startswith, endswith and contains need a "
                "CHAR, VARCHAR or STRING"
            )
        literal = self._value(leaf.pattern, data_type)
        if literal is None:
            return _Truth(_NEVER, _NEVER)
        # As a VARCHAR, because trailing spaces of a pattern are not padding.
        where = position_of(literal, replace(data_type, root="VARCHAR"), str(name))
        pattern: str = where.value
        if isinstance(leaf, Like):
            return _like(name, pattern, leaf.escape, data_type)
        return _match(type(leaf), name, pattern, data_type)


def _element_type(name: Subject, data_type: DataType) -> DataType:
    """Return the type of an ARRAY's elements that tests of elements support."""
    kind = data_type.fields[0].type if data_type.root == "ARRAY" else None
    if kind is None or kind.fields or kind.root == "CHAR":
        # Whether padding of a CHAR counts in an array depends on the engine.
        what = "needs an ARRAY" if kind is None else f"does not support elements of {kind}"
        raise PredicateError(
            f"column {name!r} is {data_type}: array_contains or arrays_overlap {what}"
        )
    return kind


def _match(kind: Callable[..., Match], name: Subject, pattern: str, data_type: DataType) -> _Truth:
    if not pattern:
        return _Truth(IsNotNull(name, data_type), _NEVER)
    return _Truth(
        kind(name, pattern, False, data_type),
        kind(name, pattern, True, data_type),
    )


_MATCH_OF_SHAPE = {"t%": StartsWith, "%t": EndsWith, "%t%": Contains}


def _like(name: Subject, pattern: str, escape: str, data_type: DataType) -> _Truth:
    parts = like_parts(pattern, escape)
    shape = "".join(kind for kind, _ in parts)
    text = "".join(text for _, text in parts)
    if shape == "%":
        return _match(StartsWith, name, "", data_type)
    if shape in _MATCH_OF_SHAPE:
        return _match(_MATCH_OF_SHAPE[shape], name, text, data_type)
    # The padding of a CHAR counts for LIKE, but not for =.
    if shape in ("", "t") and data_type.root != "CHAR":
        return _Truth(
            Comparison("=", name, text, data_type), Comparison("<>", name, text, data_type)
        )
    return _Truth(
        Like(name, pattern, False, data_type, escape), Like(name, pattern, True, data_type, escape)
    )


def _in(name: Subject, values: Sequence[Any], data_type: DataType, *, negated: bool) -> Predicate:
    """Return the leaf for [NOT] IN with distinct values that are not null."""
    if not values:
        return IsNotNull(name, data_type) if negated else _NEVER
    if len(values) == 1:
        return Comparison("<>" if negated else "=", name, values[0], data_type)
    return In(name, tuple(values), negated, data_type)


def _distinct(values: Iterable[Any]) -> list[Any]:
    return list(dict.fromkeys(values))


def _combine(kind: type[And] | type[Or], children: list[Predicate]) -> Predicate:
    """Return the And or Or of bound predicates, in the form that `bind` describes."""
    neutral, deciding = (_EVER, _NEVER) if kind is And else (_NEVER, _EVER)
    equal, negated = ("<>", True) if kind is And else ("=", False)
    kept: dict[object, Predicate] = {}
    listed: dict[Subject, list[Any]] = {}
    grouped = (child.children if isinstance(child, kind) else (child,) for child in children)
    for part in chain.from_iterable(grouped):
        if part == deciding:
            return deciding
        if isinstance(part, Comparison | In) and (values := _listed(part, equal, negated)):
            kept.setdefault(part.column, part)
            listed.setdefault(part.column, []).extend(values)
        elif isinstance(part, And | Or):
            kept[id(part)] = part  # comparing trees costs more than it saves
        elif part != neutral:
            kept[part] = part
    for column, values in listed.items():
        leaf = kept[column]
        assert isinstance(leaf, Comparison | In) and leaf.type is not None
        kept[column] = _in(column, _distinct(values), leaf.type, negated=negated)
    if len(kept) <= 1:
        return next(iter(kept.values()), neutral)
    return kind(tuple(kept.values()))


def _listed(leaf: Comparison | In, op: str, negated: bool) -> Sequence[Any]:
    """Return the values of a comparison by `op`, or of [NOT] IN; none of other leaves."""
    if isinstance(leaf, In):
        return leaf.values if leaf.negated == negated else ()
    return (leaf.value,) if leaf.op == op else ()
