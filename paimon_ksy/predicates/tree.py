"""Predicates: immutable trees, built in Python or from SQL text, and bound to a schema.

    (col("status") == "PENDING") & col("amount").between(1, 9) | col("note").is_null()

A predicate has SQL's three results: true, false, and unknown if a null is compared. A row is
selected if the result is true. `bind` binds a tree to a schema. The bound tree is true for the same
rows, and consists of `And`, `Or`, `Always` and leaves with a `type` and internal values (see
`types.data_type`). It has no `Not`, so unknown and false are equivalent in it.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any, ClassVar, Protocol, TypeVar

from paimon_ksy.errors import PredicateError
from paimon_ksy.predicates.like import like_parts, like_regex
from paimon_ksy.types.data_type import DataType, Field, quote
from paimon_ksy.types.literals import plain, to_sql

T = TypeVar("T")


class Predicate:
    """A condition on rows. Combine predicates with `&`, `|` and `~`; `repr()` returns Spark SQL."""

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
    """A constant result for all rows; None is SQL's unknown."""

    value: bool | None


@dataclass(frozen=True, repr=False, slots=True)
class And(Predicate):
    """True if all children are true, or if there are none."""

    children: tuple[Predicate, ...]


@dataclass(frozen=True, repr=False, slots=True)
class Or(Predicate):
    """True if a child is true."""

    children: tuple[Predicate, ...]


@dataclass(frozen=True, repr=False, slots=True)
class Not(Predicate):
    """True if the child is false."""

    child: Predicate


@dataclass(frozen=True, repr=False)
class Computed(ABC):
    """A value that rows compute, which a leaf tests instead of a column, or takes as a literal.

    Indexes and statistics know no such value, so any row may match a leaf on it.

    Attributes:
        sql: Its SQL. Values with the same SQL are equal.
        node: The expression, as sqlglot parsed it.
        columns: The names of the columns that it needs.
        is_condition: Whether it needs parentheses to be compared with something.
        fields: These columns in the schema, once it is bound.
        type: The type of the value, once it is bound.
        time_zone: The session's time zone, once it is bound.
    """

    sql: str
    node: Any = field(default=None, compare=False)
    columns: tuple[str, ...] = field(default=(), compare=False)
    is_condition: bool = field(default=False, compare=False)
    fields: tuple[Field, ...] = field(default=(), compare=False)
    type: DataType | None = field(default=None, compare=False)
    time_zone: str = field(default="UTC", compare=False)

    @abstractmethod
    def bound(self, schema: Any, time_zone: str | None) -> Computed:
        """Return the value with its type, and with the columns of the schema.

        Raises:
            PredicateError: Spark's types do not allow the operation, or a time zone is missing.
            SchemaError: A column does not exist.
        """

    @abstractmethod
    def constant(self, kind: DataType) -> object:
        """Return the bound value, which needs no columns, as a literal for a type of columns."""

    @abstractmethod
    def evaluate(self, data: Any) -> Any:
        """Return the bound value for each row of a record batch, as an array.

        Raises:
            PredicateError: Spark would raise an error, such as for a division by zero.
        """

    def __str__(self) -> str:
        return self.sql

    def __repr__(self) -> str:
        return repr(self.sql)


Subject = str | Computed
"""What a leaf tests: a column by name, or a value that rows compute."""


@dataclass(frozen=True, repr=False, slots=True)
class Comparison(Predicate):
    """`column op value`; `op` is one of `=`, `<>`, `<`, `<=`, `>`, `>=`."""

    op: str
    column: Subject
    value: Any
    type: DataType | None = None


@dataclass(frozen=True, repr=False, slots=True)
class In(Predicate):
    """`column [NOT] IN (values)`. If bound, it has two or more distinct values, not null."""

    column: Subject
    values: tuple[Any, ...]
    negated: bool = False
    type: DataType | None = None


@dataclass(frozen=True, repr=False, slots=True)
class IsNull(Predicate):
    """`column IS NULL`: never unknown."""

    column: Subject
    type: DataType | None = None


@dataclass(frozen=True, repr=False, slots=True)
class IsNotNull(Predicate):
    """`column IS NOT NULL`: never unknown."""

    column: Subject
    type: DataType | None = None


@dataclass(frozen=True, repr=False, slots=True)
class Match(Predicate):
    """A test of a text against a pattern: the base class of the four below."""

    column: Subject
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
        """Split the pattern into `("t", text)`, `("%", "")` and `("_", "")`; see `like_parts`."""
        return like_parts(self.pattern, self.escape)

    def regex(self) -> re.Pattern[str]:
        """Return the equivalent regular expression; use `fullmatch`."""
        return like_regex(self.pattern, self.escape)


@dataclass(frozen=True, repr=False, slots=True)
class ArraysOverlap(Predicate):
    """`[NOT] arrays_overlap(column, array(values))`: whether an ARRAY has one of the values.

    It is unknown if the array is null. If it has none of them, and neither array is empty, it is
    unknown if one has a null, too.

    If bound, the values are distinct. None is among them only if the leaf is `negated`, which then
    is true for empty arrays alone.
    """

    column: Subject
    values: tuple[Any, ...]
    negated: bool = False
    type: DataType | None = None


@dataclass(frozen=True, repr=False, slots=True)
class ArrayContains(ArraysOverlap):
    """`[NOT] array_contains(column, value)`: the same of one value, but unknown if that is null."""


@dataclass(frozen=True, repr=False, slots=True)
class Unsure(Predicate):
    """A test of a column that may be true for any row.

    It replaces a test that cannot be evaluated, and matches a superset of its rows.
    """

    column: Subject
    type: DataType | None = None


SureLeaf = Comparison | In | IsNull | IsNotNull | Match | ArraysOverlap
Leaf = SureLeaf | Unsure


def columns_in(leaf: Leaf) -> tuple[str, ...]:
    """Return the columns that a leaf tests, by name."""
    return leaf.column.columns if isinstance(leaf.column, Computed) else (leaf.column,)


def literals_in(leaf: Leaf) -> tuple[Any, ...]:
    """Return the literals that a leaf compares with."""
    if isinstance(leaf, Comparison | Match):
        return (leaf.value if isinstance(leaf, Comparison) else leaf.pattern,)
    return leaf.values if isinstance(leaf, In | ArraysOverlap) else ()


def is_unsure(leaf: Leaf) -> bool:
    """Return whether only rows decide a leaf, and neither indexes nor statistics."""
    return isinstance(leaf, Unsure) or isinstance(leaf.column, Computed)


# Columns ---------------------------------------------------------------------------------------


def col(name: str) -> Column:
    """Name a column for predicates: `col("status") == "PENDING"` or `col("m")["key"] > 1`."""
    return Column(name)


class Column:
    """A column by name. Comparisons return predicates; one with None is never true, as in SQL.

    Values may be Python, NumPy or Arrow values of the column's type.
    """

    __slots__ = ("name",)
    __hash__: ClassVar[None]  # type: ignore[assignment]
    __iter__: ClassVar[None] = None  # else Python iterates over col[0], col[1] .. without end

    def __init__(self, name: Subject) -> None:
        self.name = name

    def __repr__(self) -> str:
        return f"col({self.name!r})"

    def __getitem__(self, key: str) -> Column:
        """Return the column of the values at a key of a MAP column."""
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
        """Return `column IN (values)`."""
        return In(self.name, _values(values))

    def is_not_in(self, values: Iterable[object]) -> Predicate:
        """Return `column NOT IN (values)`: never true if a value is None, as in SQL."""
        return In(self.name, _values(values), negated=True)

    def is_null(self) -> Predicate:
        """Return `column IS NULL`."""
        return IsNull(self.name)

    def is_not_null(self) -> Predicate:
        """Return `column IS NOT NULL`."""
        return IsNotNull(self.name)

    def between(self, low: object, high: object) -> Predicate:
        """Return `column BETWEEN low AND high`, which includes both ends."""
        return And((self >= low, self <= high))

    def equals_null_safe(self, value: object) -> Predicate:
        """Return `column <=> value`: never unknown, and true for null if the value is None."""
        if plain(value) is None:
            return self.is_null()
        return And((self.is_not_null(), self == value))

    def array_contains(self, value: object) -> Predicate:
        """Return a predicate that is true if the array has the value as an element."""
        return ArrayContains(self.name, (plain(value),))

    def arrays_overlap(self, values: Iterable[object]) -> Predicate:
        """Return a predicate that is true if the array has one of the values as an element."""
        return ArraysOverlap(self.name, _values(values, "arrays_overlap"))

    def startswith(self, prefix: str) -> Predicate:
        """Return a predicate that is true if the text starts with `prefix`."""
        return StartsWith(self.name, prefix)

    def endswith(self, suffix: str) -> Predicate:
        """Return a predicate that is true if the text ends with `suffix`."""
        return EndsWith(self.name, suffix)

    def contains(self, part: str) -> Predicate:
        """Return a predicate that is true if the text contains `part`."""
        return Contains(self.name, part)

    def like(self, pattern: str, escape: str = "\\") -> Predicate:
        """Return `column LIKE pattern`, where `%` matches any text and `_` any character."""
        return Like(self.name, pattern, escape=escape)


def _values(values: Iterable[object], operator: str = "IN") -> tuple[object, ...]:
    if isinstance(values, str | bytes) or not isinstance(values, Iterable):
        raise PredicateError(f"{operator} needs a list of values, not {values!r}: put it in [ ]")
    return tuple(map(plain, values))


def parts_of(kind: type[And] | type[Or], predicate: object) -> tuple[Predicate, ...]:
    """Return the children of a predicate of this kind, else the predicate itself.

    Raises:
        TypeError: The argument is not a predicate.
    """
    if not isinstance(predicate, Predicate):
        raise TypeError(f"cannot combine a predicate with {predicate!r}: put comparisons in ( )")
    return predicate.children if isinstance(predicate, kind) else (predicate,)


# Visiting ---------------------------------------------------------------------------------------


class Visitor(Protocol[T]):
    """Computes a result for each node of a tree from the results of its children."""

    def always(self, value: bool | None) -> T:
        """Return the result for an Always."""

    def leaf(self, leaf: Leaf) -> T:
        """Return the result for a leaf."""

    def conjunction(self, children: list[T]) -> T:
        """Return the result for an And, from the results of its children."""

    def disjunction(self, children: list[T]) -> T:
        """Return the result for an Or, from the results of its children."""

    def negation(self, child: T) -> T:
        """Return the result for a Not, from the result of its child."""


def visit(predicate: Predicate, visitor: Visitor[T]) -> T:
    """Return the visitor's result for a tree of any depth; it visits children before parents.

    Raises:
        PredicateError: A node is not a predicate.
    """
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
    """Return the leaves of a tree, from left to right."""
    listed, todo = list[Leaf](), [predicate]
    while todo:
        node = todo.pop()
        if isinstance(node, And | Or):
            todo += reversed(node.children)
        elif isinstance(node, Not):
            todo.append(node.child)
        elif isinstance(node, Leaf):
            listed.append(node)
    return listed


def is_computed(predicate: Predicate) -> bool:
    """Return whether a predicate tests a value that rows compute."""
    return any(isinstance(leaf.column, Computed) for leaf in leaves(predicate))


def replaced(predicate: Predicate, by: Callable[[Leaf], Predicate]) -> Predicate:
    """Return the tree with each leaf replaced by the result of `by`."""
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
    """Prints SQL, with its precedence: 0 for OR, 1 for AND, 2 for anything else."""

    def always(self, value: bool | None) -> tuple[str, int]:
        return to_sql(value), 2

    def leaf(self, leaf: Leaf) -> tuple[str, int]:
        is_flag = isinstance(leaf, Comparison) and leaf.value is True and leaf.op in ("=", "<>")
        if isinstance(leaf, Comparison) and is_flag and isinstance(leaf.column, Computed):
            if leaf.op == "=":
                return leaf.column.sql, 0 if leaf.column.is_condition else 2
            return f"NOT {_literal(leaf.column)}", 2
        return _TEXTS[type(leaf)](leaf, _subject(leaf.column)), 2

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


def _subject(column: Subject) -> str:
    if isinstance(column, Computed):
        return _literal(column)
    return column if _PLAIN_NAME.fullmatch(column) else quote(column)


def _in_text(leaf: In, name: str) -> str:
    listed = ", ".join(_literal(value, leaf.type) for value in leaf.values)
    return f"{name} {_not(leaf)}IN ({listed})"


def _like_text(leaf: Like, name: str) -> str:
    escape = "" if leaf.escape == "\\" else f" ESCAPE {to_sql(leaf.escape)}"
    return f"{name} {_not(leaf)}LIKE {_literal(leaf.pattern)}{escape}"


def _match_text(leaf: Match, name: str) -> str:
    return f"{_not(leaf)}{type(leaf).__name__.lower()}({name}, {_literal(leaf.pattern)})"


def _not(leaf: In | Match | ArraysOverlap) -> str:
    return "NOT " if leaf.negated else ""


def _literal(value: object, data_type: DataType | None = None) -> str:
    if isinstance(value, Computed):
        return f"({value.sql})" if value.is_condition else value.sql
    return to_sql(value, data_type)


def _overlap_text(leaf: ArraysOverlap, name: str) -> str:
    kind = None if leaf.type is None else leaf.type.fields[0].type
    values = ", ".join(_literal(value, kind) for value in leaf.values)
    if kind is not None and not leaf.values:  # bound: all others cannot be elements
        test = f"exists({name}, x -> x IS NULL)"
    elif isinstance(leaf, ArrayContains) or (len(leaf.values) == 1 and leaf.values != (None,)):
        test = f"array_contains({name}, {values})"
    else:
        test = f"arrays_overlap({name}, array({values}))"
    return f"{_not(leaf)}{test}"


_TEXTS: dict[type, Callable[[Any, str], str]] = {
    IsNull: lambda _, name: f"{name} IS NULL",
    IsNotNull: lambda _, name: f"{name} IS NOT NULL",
    Unsure: lambda _, name: f"unsure({name})",
    Comparison: lambda leaf, name: f"{name} {leaf.op} {_literal(leaf.value, leaf.type)}",
    In: _in_text,
    Like: _like_text,
    **dict.fromkeys((StartsWith, EndsWith, Contains), _match_text),
    **dict.fromkeys((ArraysOverlap, ArrayContains), _overlap_text),
}
"""The SQL of each kind of leaf, from the leaf and the SQL of what it tests."""

_KEYWORDS = (
    "all|alter|and|any|as|between|call|case|cast|create|cross|current_date|current_timestamp|"
    "current_user|date|describe|distinct|drop|else|except|execute|exists|explain|false|fetch|for|"
    "from|glob|grant|having|if|ilike|in|inner|insert|intersect|interval|into|is|join|lateral|"
    "like|minus|not|notnull|null|on|optimize|or|outer|partitioned_by|prepare|qualify|regexp|"
    "rename|returning|revoke|rlike|rollback|select|serdeproperties|session_user|set|show|"
    "tablesample|then|time|true|uncache|union|using|vacuum|values|when|where|with|xor"
)
_PLAIN_NAME = re.compile(rf"(?!(?:timestamp\w*|{_KEYWORDS})$)[a-z_]\w*", re.ASCII | re.IGNORECASE)
"""Names of columns that need no backticks."""
