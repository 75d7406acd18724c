"""Predicates: an immutable tree, made in Python or from SQL text, and bound to a schema.

    (col("status") == "PENDING") & col("amount").between(1, 9) | col("note").is_null()

A predicate has SQL's three results: true, false, and unknown where a null is compared. A row is
selected if the result is true. `bind` fits a tree to a schema; what comes out is a tree of `And`,
`Or`, `Always` and leaves with a `type` and internal values (see `paimon_ksy.types`) which is true
for the same rows. It holds no `Not`, so unknown and false need not be told apart in it.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, ClassVar, Protocol, TypeVar

from paimon_ksy.errors import PredicateError, SchemaError
from paimon_ksy.literal import Place, place, plain, to_sql, values_at
from paimon_ksy.schema import Schema
from paimon_ksy.types import DataType, quote

T = TypeVar("T")


class Predicate:
    """A condition on rows. Combine with `&`, `|` and `~`; `repr()` is SQL in Spark's dialect."""

    __slots__ = ()

    def __and__(self, other: Predicate) -> Predicate:
        return And((*parts_of(And, self), *parts_of(And, other)))

    def __or__(self, other: Predicate) -> Predicate:
        return Or((*parts_of(Or, self), *parts_of(Or, other)))

    def __invert__(self) -> Predicate:
        return Not(self)

    def __bool__(self) -> bool:
        raise TypeError("a predicate has no truth value: use &, | and ~ for and, or and not")

    def __repr__(self) -> str:
        return visit(self, _Printer())[0]


@dataclass(frozen=True, repr=False, slots=True)
class Always(Predicate):
    """The same result for each row; None is SQL's unknown."""

    value: bool | None


@dataclass(frozen=True, repr=False, slots=True)
class And(Predicate):
    """True if all children are; with no children, true."""

    children: tuple[Predicate, ...]


@dataclass(frozen=True, repr=False, slots=True)
class Or(Predicate):
    """True if a child is; with no children, false."""

    children: tuple[Predicate, ...]


@dataclass(frozen=True, repr=False, slots=True)
class Not(Predicate):
    """True if the child is false."""

    child: Predicate


@dataclass(frozen=True, repr=False, slots=True)
class Comparison(Predicate):
    """`column op value`; `op` is one of `=`, `<>`, `<`, `<=`, `>`, `>=`."""

    op: str
    column: str
    value: Any
    type: DataType | None = None


@dataclass(frozen=True, repr=False, slots=True)
class In(Predicate):
    """`column [NOT] IN (values)`. Bound: no null, no value twice, at least two."""

    column: str
    values: tuple[Any, ...]
    negated: bool = False
    type: DataType | None = None


@dataclass(frozen=True, repr=False, slots=True)
class IsNull(Predicate):
    """`column IS NULL`: never unknown."""

    column: str
    type: DataType | None = None


@dataclass(frozen=True, repr=False, slots=True)
class IsNotNull(Predicate):
    """`column IS NOT NULL`: never unknown."""

    column: str
    type: DataType | None = None


@dataclass(frozen=True, repr=False, slots=True)
class Match(Predicate):
    """A test of a text against a pattern: the base of the four below, which say how."""

    column: str
    pattern: Any
    negated: bool = False
    type: DataType | None = None


@dataclass(frozen=True, repr=False, slots=True)
class StartsWith(Match):
    """The text starts with the pattern."""


@dataclass(frozen=True, repr=False, slots=True)
class EndsWith(Match):
    """The text ends with the pattern."""


@dataclass(frozen=True, repr=False, slots=True)
class Contains(Match):
    """The text contains the pattern."""


@dataclass(frozen=True, repr=False, slots=True)
class Like(Match):
    """`column [NOT] LIKE pattern`: `%` is any text, `_` any character, after `escape` itself."""

    escape: str = "\\"

    def parts(self) -> list[tuple[str, str]]:
        """The pattern as `("t", text)`, `("%", "")` and `("_", "")`; no two texts or % in a row."""
        return _like_parts(self.pattern, self.escape)

    def regex(self) -> re.Pattern[str]:
        """The same as a regular expression; use `fullmatch`."""
        return _like_regex(self.pattern, self.escape)


@dataclass(frozen=True, repr=False, slots=True)
class Unsure(Predicate):
    """A test of a column that may be true of any row: it cannot be told from what is there.

    It stands for another test where that one cannot be asked, and matches a superset of its rows.
    """

    column: str
    type: DataType | None = None


Leaf = Comparison | In | IsNull | IsNotNull | Match | Unsure


# Making -----------------------------------------------------------------------------------------


def col(name: str) -> Column:
    """A column, to make predicates from: `col("status") == "PENDING"`, `col("m")["key"] > 1`."""
    return Column(name)


class Column:
    """A column's name. Comparing it makes predicates; comparing with None is never true, as in SQL.

    Values may be what Python, NumPy and Arrow have for the column's type.
    """

    __slots__ = ("name",)
    __hash__: ClassVar[None]  # type: ignore[assignment]

    def __init__(self, name: str) -> None:
        self.name = name

    def __repr__(self) -> str:
        return f"col({self.name!r})"

    def __getitem__(self, key: str) -> Column:
        """The value of a key of a MAP column."""
        return Column(f"{self.name}[{key}]")

    def __eq__(self, value: object) -> Predicate:  # type: ignore[override]
        return Comparison("=", self.name, plain(value))

    def __ne__(self, value: object) -> Predicate:  # type: ignore[override]
        return Comparison("<>", self.name, plain(value))

    def __lt__(self, value: object) -> Predicate:
        return Comparison("<", self.name, plain(value))

    def __le__(self, value: object) -> Predicate:
        return Comparison("<=", self.name, plain(value))

    def __gt__(self, value: object) -> Predicate:
        return Comparison(">", self.name, plain(value))

    def __ge__(self, value: object) -> Predicate:
        return Comparison(">=", self.name, plain(value))

    def is_in(self, values: Iterable[object]) -> Predicate:
        """`column IN (values)`."""
        return In(self.name, _values(values))

    def is_not_in(self, values: Iterable[object]) -> Predicate:
        """`column NOT IN (values)`: never true if a value is None, as in SQL."""
        return In(self.name, _values(values), negated=True)

    def is_null(self) -> Predicate:
        """`column IS NULL`."""
        return IsNull(self.name)

    def is_not_null(self) -> Predicate:
        """`column IS NOT NULL`."""
        return IsNotNull(self.name)

    def between(self, low: object, high: object) -> Predicate:
        """`column BETWEEN low AND high`: both ends belong to it."""
        return And((self >= low, self <= high))

    def equals_null_safe(self, value: object) -> Predicate:
        """`column <=> value`: never unknown, and true for null if the value is None."""
        if plain(value) is None:
            return self.is_null()
        return And((self.is_not_null(), self == value))

    def startswith(self, prefix: str) -> Predicate:
        """The text starts with `prefix`."""
        return StartsWith(self.name, prefix)

    def endswith(self, suffix: str) -> Predicate:
        """The text ends with `suffix`."""
        return EndsWith(self.name, suffix)

    def contains(self, part: str) -> Predicate:
        """The text contains `part`."""
        return Contains(self.name, part)

    def like(self, pattern: str, escape: str = "\\") -> Predicate:
        """`column LIKE pattern`, where `%` is any text and `_` any character."""
        return Like(self.name, pattern, escape=escape)


def _values(values: Iterable[object]) -> tuple[object, ...]:
    if isinstance(values, str | bytes):
        raise PredicateError(f"IN needs a list of values, not {values!r}: put it in [ ]")
    return tuple(map(plain, values))


def parts_of(kind: type[And] | type[Or], predicate: object) -> tuple[Predicate, ...]:
    """Its children if it is of the kind, else itself. Raises TypeError if it is no predicate."""
    if not isinstance(predicate, Predicate):
        raise TypeError(f"cannot combine a predicate with {predicate!r}: put comparisons in ( )")
    return predicate.children if isinstance(predicate, kind) else (predicate,)


# Visiting ---------------------------------------------------------------------------------------


class Visitor(Protocol[T]):
    """What to make of each node of a tree; the children's results come first."""

    def always(self, value: bool | None) -> T: ...

    def leaf(self, leaf: Leaf) -> T: ...

    def conjunction(self, children: list[T]) -> T: ...

    def disjunction(self, children: list[T]) -> T: ...

    def negation(self, child: T) -> T: ...


def visit(predicate: Predicate, visitor: Visitor[T]) -> T:
    """The visitor's result for the tree, children before parents. Any depth will do."""
    results: list[T] = []
    todo: list[tuple[Predicate, bool]] = [(predicate, False)]
    while todo:
        node, children_done = todo.pop()
        if isinstance(node, And | Or):
            if not children_done:
                todo.append((node, True))
                todo.extend((child, False) for child in reversed(node.children))
                continue
            start = len(results) - len(node.children)
            children = results[start:]
            del results[start:]
            combine = visitor.conjunction if isinstance(node, And) else visitor.disjunction
            results.append(combine(children))
        elif isinstance(node, Not):
            if not children_done:
                todo += [(node, True), (node.child, False)]
                continue
            results.append(visitor.negation(results.pop()))
        elif isinstance(node, Always):
            results.append(visitor.always(node.value))
        elif isinstance(node, Leaf):
            results.append(visitor.leaf(node))
        else:
            raise PredicateError(f"not a predicate: {node!r}; make one with col(..) or from SQL")
    return results.pop()


def leaves(predicate: Predicate) -> list[Leaf]:
    """The leaves of a tree, from left to right."""
    return visit(predicate, _Leaves())


class _Leaves:
    def always(self, value: bool | None) -> list[Leaf]:
        return []

    def leaf(self, leaf: Leaf) -> list[Leaf]:
        return [leaf]

    def conjunction(self, children: list[list[Leaf]]) -> list[Leaf]:
        return [leaf for child in children for leaf in child]

    def disjunction(self, children: list[list[Leaf]]) -> list[Leaf]:
        return self.conjunction(children)

    def negation(self, child: list[Leaf]) -> list[Leaf]:
        return child


def replaced(predicate: Predicate, by: Callable[[Leaf], Predicate]) -> Predicate:
    """The tree with what `by` gives in place of each leaf."""
    return visit(predicate, _Replacer(by))


class _Replacer:
    def __init__(self, by: Callable[[Leaf], Predicate]) -> None:
        self.leaf = by

    def always(self, value: bool | None) -> Predicate:
        return Always(value)

    def conjunction(self, children: list[Predicate]) -> Predicate:
        return And(tuple(children))

    def disjunction(self, children: list[Predicate]) -> Predicate:
        return Or(tuple(children))

    def negation(self, child: Predicate) -> Predicate:
        return Not(child)


class _Printer:
    """SQL text and how tightly it binds: 0 OR, 1 AND, 2 anything else."""

    def always(self, value: bool | None) -> tuple[str, int]:
        return to_sql(value), 2

    def leaf(self, leaf: Leaf) -> tuple[str, int]:
        name = leaf.column if _PLAIN_NAME.fullmatch(leaf.column) else quote(leaf.column)
        if isinstance(leaf, IsNull):
            return f"{name} IS NULL", 2
        if isinstance(leaf, IsNotNull):
            return f"{name} IS NOT NULL", 2
        if isinstance(leaf, Unsure):
            return f"unsure({name})", 2
        if isinstance(leaf, Comparison):
            return f"{name} {leaf.op} {to_sql(leaf.value, leaf.type)}", 2
        negation = "NOT " if leaf.negated else ""
        if isinstance(leaf, In):
            listed = ", ".join(to_sql(value, leaf.type) for value in leaf.values)
            return f"{name} {negation}IN ({listed})", 2
        if isinstance(leaf, Like):
            escape = "" if leaf.escape == "\\" else f" ESCAPE {to_sql(leaf.escape)}"
            return f"{name} {negation}LIKE {to_sql(leaf.pattern)}{escape}", 2
        function = type(leaf).__name__.lower()
        return f"{negation}{function}({name}, {to_sql(leaf.pattern)})", 2

    def conjunction(self, children: list[tuple[str, int]]) -> tuple[str, int]:
        return self._join(children, " AND ", 1) if children else self.always(True)

    def disjunction(self, children: list[tuple[str, int]]) -> tuple[str, int]:
        return self._join(children, " OR ", 0) if children else self.always(False)

    def negation(self, child: tuple[str, int]) -> tuple[str, int]:
        return f"NOT ({child[0]})", 2

    def _join(self, children: list[tuple[str, int]], word: str, level: int) -> tuple[str, int]:
        if len(children) == 1:
            return children[0]
        return word.join(text if own > level else f"({text})" for text, own in children), level


_KEYWORDS = (
    "all|alter|and|any|as|between|call|case|cast|create|cross|current_date|current_timestamp|"
    "current_user|date|describe|distinct|drop|else|except|execute|exists|explain|false|fetch|for|"
    "from|glob|grant|having|if|ilike|in|inner|insert|intersect|interval|into|is|join|lateral|"
    "like|minus|not|notnull|null|on|optimize|or|outer|partitioned_by|prepare|qualify|regexp|"
    "rename|returning|revoke|rlike|rollback|select|serdeproperties|session_user|set|show|"
    "tablesample|then|time|true|uncache|union|using|vacuum|values|when|where|with|xor"
)
_PLAIN_NAME = re.compile(rf"(?!(?:timestamp\w*|{_KEYWORDS})$)[a-z_]\w*", re.ASCII | re.IGNORECASE)
"""Names that need no backticks to be read as columns."""


# Binding ----------------------------------------------------------------------------------------


def bind(predicate: Predicate, schema: Schema, *, time_zone: str = "UTC") -> Predicate:
    """The predicate fitted to a schema: true for the same rows, and plain to evaluate.

    - columns exist and have their right names, each leaf has the column's `type`;
    - literals are internal values; what they decide is folded (`x = NULL` and `int_column = 1.5`
      are never true, `tinyint_column < 1000` is `IS NOT NULL`);
    - there is no Not: it is pushed into the leaves, which have `negated` where SQL has NOT;
    - And and Or are flat and have at least two different children; `=` and IN of one column under
      an Or are one In, `<>` and NOT IN under an And likewise. Always is found at the top only, and
      its value is never None;
    - LIKE with nothing but a `%` at an end is StartsWith, EndsWith or Contains.

    `time_zone` is that of TIMESTAMP WITH LOCAL TIME ZONE literals without a zone. A bound tree may
    be bound again. Raises PredicateError.
    """
    return visit(predicate, _Binder(schema, time_zone)).if_true


@dataclass(frozen=True, slots=True)
class _Truth:
    """When a predicate is true and when it is false; for other rows it is unknown."""

    if_true: Predicate
    if_false: Predicate


_NEVER = Always(False)
_EVER = Always(True)
_OPPOSITE = {"=": "<>", "<>": "=", "<": ">=", "<=": ">", ">": "<=", ">=": "<"}


class _Binder:
    def __init__(self, schema: Schema, time_zone: str) -> None:
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
        try:
            field = self.schema.column(leaf.column, ignore_case=True)
        except SchemaError as error:
            raise PredicateError(str(error)) from None
        name, data_type = field.name, field.type
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
        else:
            truth = self._match(leaf, name, data_type)
        return _Truth(truth.if_false, truth.if_true) if leaf.negated else truth

    def _comparison(self, leaf: Comparison, name: str, data_type: DataType) -> _Truth:
        if leaf.op not in _OPPOSITE:
            raise PredicateError(f"unknown operator {leaf.op!r}: use one of {', '.join(_OPPOSITE)}")
        if leaf.value is None:
            return _Truth(_NEVER, _NEVER)
        where = self._place(leaf, leaf.value, name, data_type)
        if where.kind == "at":
            return _Truth(
                Comparison(leaf.op, name, where.value, data_type),
                Comparison(_OPPOSITE[leaf.op], name, where.value, data_type),
            )
        # No value is equal to the literal: each is either below it or above it.
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

    def _in(self, leaf: In, name: str, data_type: DataType) -> _Truth:
        if not leaf.values:
            return _Truth(_NEVER, _EVER)  # also for null: there is nothing to compare it with
        literals = [value for value in leaf.values if value is not None]
        found = values_at(literals, data_type)
        if found is None:
            places = (self._place(leaf, value, name, data_type) for value in literals)
            found = [where.value for where in places if where.kind == "at"]
        values = _distinct(found)
        # Whether a value is equal to null is unknown, so NOT IN (.., NULL) is never true.
        has_null = len(literals) < len(leaf.values)
        return _Truth(
            _in(name, values, data_type, negated=False),
            _NEVER if has_null else _in(name, values, data_type, negated=True),
        )

    def _place(self, leaf: Leaf, value: object, name: str, data_type: DataType) -> Place:
        if leaf.type is not None:
            if isinstance(value, float):  # one NaN, one zero
                value = math.nan if math.isnan(value) else value + 0.0
            return Place("at", value)
        return place(plain(value), data_type, name, self.time_zone)

    def _match(self, leaf: Match, name: str, data_type: DataType) -> _Truth:
        if not data_type.is_string:
            raise PredicateError(
                f"column {name!r} is {data_type}: LIKE, startswith, endswith and contains need a "
                "CHAR, VARCHAR or STRING"
            )
        if leaf.pattern is None:
            return _Truth(_NEVER, _NEVER)
        # As a VARCHAR, for at the end of a pattern spaces are no padding.
        where = place(plain(leaf.pattern), replace(data_type, root="VARCHAR"), name)
        pattern: str = where.value
        if isinstance(leaf, Like):
            return _like(name, pattern, leaf.escape, data_type)
        return _match(type(leaf), name, pattern, data_type)


def _match(kind: Callable[..., Match], name: str, pattern: str, data_type: DataType) -> _Truth:
    if not pattern:
        return _Truth(IsNotNull(name, data_type), _NEVER)
    return _Truth(
        kind(name, pattern, False, data_type),
        kind(name, pattern, True, data_type),
    )


_MATCH_OF_SHAPE = {"t%": StartsWith, "%t": EndsWith, "%t%": Contains}


def _like(name: str, pattern: str, escape: str, data_type: DataType) -> _Truth:
    parts = _like_parts(pattern, escape)
    shape = "".join(kind for kind, _ in parts)
    text = "".join(text for _, text in parts)
    if shape == "%":
        return _match(StartsWith, name, "", data_type)
    if shape in _MATCH_OF_SHAPE:
        return _match(_MATCH_OF_SHAPE[shape], name, text, data_type)
    # The padding of a CHAR counts for LIKE and not for =.
    if shape in ("", "t") and data_type.root != "CHAR":
        return _Truth(
            Comparison("=", name, text, data_type), Comparison("<>", name, text, data_type)
        )
    return _Truth(
        Like(name, pattern, False, data_type, escape), Like(name, pattern, True, data_type, escape)
    )


def _like_parts(pattern: str, escape: str) -> list[tuple[str, str]]:
    if not isinstance(escape, str) or len(escape) != 1:
        raise PredicateError(f"LIKE needs one character after ESCAPE, not {escape!r}")
    parts: list[tuple[str, str]] = []
    characters = iter(pattern)
    for character in characters:
        kind = character if character in "%_" and character != escape else "t"
        if character == escape:
            character = next(characters, "")
            if character not in ("%", "_", escape):
                raise PredicateError(
                    f"LIKE pattern {to_sql(pattern)}: the escape character {escape!r} must come "
                    f"before %, _ or itself; write it twice to mean itself"
                )
        if kind == "%" and parts[-1:] == [("%", "")]:
            continue
        if kind == "t" and parts and parts[-1][0] == "t":
            parts[-1] = ("t", parts[-1][1] + character)
        else:
            parts.append((kind, character if kind == "t" else ""))
    return parts


@lru_cache(maxsize=64)
def _like_regex(pattern: str, escape: str) -> re.Pattern[str]:
    # Between two % the first place that fits will do: as atomic groups, no place is tried twice.
    pieces = [""]
    for kind, text in _like_parts(pattern, escape):
        if kind == "%":
            pieces.append("")
        else:
            pieces[-1] += "." if kind == "_" else re.escape(text)
    first, *middle = pieces
    last = f".*{middle.pop()}" if middle else ""
    return re.compile(first + "".join(f"(?>.*?{piece})" for piece in middle) + last, re.DOTALL)


def _in(name: str, values: Sequence[Any], data_type: DataType, *, negated: bool) -> Predicate:
    """[NOT] IN of different values that are not null."""
    if not values:
        return IsNotNull(name, data_type) if negated else _NEVER
    if len(values) == 1:
        return Comparison("<>" if negated else "=", name, values[0], data_type)
    return In(name, tuple(values), negated, data_type)


def _distinct(values: Iterable[Any]) -> list[Any]:
    return list(dict.fromkeys(values))


def _combine(kind: type[And] | type[Or], children: list[Predicate]) -> Predicate:
    """The And or Or of bound predicates, as `bind` describes it."""
    neutral, deciding = (_EVER, _NEVER) if kind is And else (_NEVER, _EVER)
    equal, negated = ("<>", True) if kind is And else ("=", False)
    kept: dict[object, Predicate] = {}
    listed: dict[str, list[Any]] = {}
    for child in children:
        for part in child.children if isinstance(child, kind) else (child,):
            if part == deciding:
                return deciding
            if isinstance(part, Comparison) and part.op == equal:
                kept.setdefault(part.column, part)
                listed.setdefault(part.column, []).append(part.value)
            elif isinstance(part, In) and part.negated == negated:
                kept.setdefault(part.column, part)
                listed.setdefault(part.column, []).extend(part.values)
            elif isinstance(part, And | Or):
                kept[id(part)] = part  # comparing trees is not worth its cost
            elif part != neutral:
                kept[part] = part
    for column, values in listed.items():
        leaf = kept[column]
        assert isinstance(leaf, Comparison | In) and leaf.type is not None
        kept[column] = _in(column, _distinct(values), leaf.type, negated=negated)
    if len(kept) <= 1:
        return next(iter(kept.values()), neutral)
    return kind(tuple(kept.values()))
