"""Split a condition of Spark into the parts that the data source tests, too, and the others.

Spark filters rows by the whole condition. The source gets each part of its top-level AND that
selects the same rows there as in Spark, whatever the session's settings are. Other parts stay with
Spark alone: functions, arithmetic, and comparisons that need a cast which can change a value.

A classic session resolves the condition first, so that all of its casts are explicit. Spark Connect
shows no resolved conditions: there, SQL text is parsed as it is, and a Column from its protocol.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import Any, TypeAlias

import numpy as np
from pyspark.sql import Column, types
from sqlglot import exp

from paimon_ksy.errors import PredicateError, UnsupportedError
from paimon_ksy.file_index.container import bound_predicate
from paimon_ksy.predicates.sql import parse_conditions
from paimon_ksy.predicates.tree import (
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
from paimon_ksy.spark.types import spark_schema
from paimon_ksy.table.engine.session import context_of
from paimon_ksy.types.data_type import DataType
from paimon_ksy.types.literals import DATE, NANOS_PER_DAY, TIMESTAMP_LTZ, TypedLiteral, zone_named
from paimon_ksy.types.schema import Schema


@dataclass(frozen=True)
class Condition:
    """A condition of Spark on the rows of a table.

    Attributes:
        spark: What Spark's `filter` gets: SQL text or a Column.
        pushed: What the data source tests, too; None for nothing.
        rest: The other parts of the top-level AND, as SQL.
        columns: The columns that it needs.
    """

    spark: Any
    pushed: Predicate | None
    rest: tuple[str, ...]
    columns: tuple[str, ...]


def condition_of(spark: Any, where: Any, schema: Schema, time_zone: str) -> Condition:
    """Return a condition in parts: SQL text, a Column, a predicate, or an Arrow expression.

    Raises:
        Exception: One of Spark, if it cannot resolve the condition.
        PredicateError: A predicate does not fit the schema.
    """
    if not isinstance(where, str | Column):
        where = repr(bound_predicate(where, schema, time_zone))
    shown = where if isinstance(where, str) else str(where)
    remote = context_of(spark) is None
    texts = _sent(spark, where) if remote else _resolved(spark, where, schema)
    pushed, rest = _parts(texts, schema, time_zone)
    named = " ".join((shown, *texts)).casefold().replace("``", "`")
    names = schema.names if _ALL.search(named) else filter(_Named(named), schema.names)
    return Condition(where, pushed, rest, tuple(names))


def _parts(
    texts: Iterable[str], schema: Schema, time_zone: str
) -> tuple[Predicate | None, tuple[str, ...]]:
    """Return what the source tests of a condition's parts, and the other parts."""
    pushed, rest = list[Predicate](), list[str]()
    exact = _Exact(schema, time_zone)
    for text in texts:
        for part, predicate in parse_conditions(text, schema, _Widened(schema)):
            if predicate is not None and _is_exact(predicate, exact):
                pushed.append(predicate)
            else:
                rest.append(part)
    return And(tuple(pushed)) if pushed else None, tuple(rest)


_ALL = re.compile(r"\(\s*\*|,\s*\*|\.\*|subquery|listquery|\bexists\b|\bselect\b")
"""What may name columns without their names."""


@dataclass(frozen=True)
class _Named:
    text: str

    def __call__(self, name: str) -> bool:
        return re.search(rf"(?<!\w){re.escape(name.casefold())}(?!\w)", self.text) is not None


# The text of conditions ---------------------------------------------------------------------------


def _resolved(spark: Any, where: Any, schema: Schema) -> list[str]:
    """Return the parts of a condition that a classic session resolves. Spark raises its errors."""
    fields = []
    for column in schema:
        with suppress(UnsupportedError):  # a type that this Spark lacks
            fields += spark_schema([column]).fields
    plan = spark.createDataFrame([], types.StructType(fields)).filter(where)
    root = plan._jdf.queryExecution().analyzed().condition()
    if not root.deterministic():  # fewer rows would change its results for others
        return [_whole(root.sql())]
    texts, todo = [], [root]
    while todo:
        node = todo.pop()
        if node.getClass().getSimpleName() == "And":
            todo += [node.right(), node.left()]
            continue
        try:
            texts.append(_sql(node))
        except RecursionError:  # only Spark tests it
            texts.append(node.sql())
    return texts


def _sql(node: Any) -> str:
    """Return the SQL of an expression, without the function between() of Spark's own."""
    text, kind = str(node.sql()), node.getClass().getSimpleName()
    if "between(" not in text:
        return text
    if kind in ("And", "Or"):
        return f"({_sql(node.left())} {kind.upper()} {_sql(node.right())})"
    if kind == "Not":
        return f"(NOT {_sql(node.child())})"
    if kind == "Between":
        value, low, high = (node.parameters().apply(at).sql() for at in range(3))
        return f"({value} BETWEEN {low} AND {high})"
    return text


def _whole(text: str) -> str:
    """Return SQL of which no part is for the source."""
    return f"spark({_string(text)})"


def _string(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"


_CHANGING = re.compile(
    r"\b(rand|randn|random|randstr|uniform|uuid|shuffle|monotonically_increasing_id|"
    r"spark_partition_id|input_file_\w+|reflect|java_method|try_reflect)\b",
    re.IGNORECASE,
)
"""Functions that return other values if rows are left out before."""

_UNCLEAR = re.compile(r"""\\|"|''|\$\{|\{\{|--|/\*""")
"""What Spark's settings give another meaning in SQL text."""


def _sent(spark: Any, where: Any) -> list[str]:
    """Return the parts of a condition for Spark Connect."""
    if _CHANGING.search(str(where)):
        return [_whole(str(where))]
    if isinstance(where, str):
        return [_whole(where) if _UNCLEAR.search(where) else where]
    texts, todo = [], [where.to_plan(spark.client)]
    while todo:
        node = todo.pop()
        called = node.unresolved_function
        if called.function_name == "and":
            todo += reversed(called.arguments)
        elif node.WhichOneof("expr_type") == "expression_string":
            texts += _sent(spark, node.expression_string.expression)
        else:
            texts.append(_text_of(node))
    return texts


_OPERATORS = {"=": "=", "==": "=", "!=": "<>", "<>": "<>", "or": "OR", "and": "AND", "like": "LIKE"}
_OPERATORS |= {name: name for name in ("<", "<=", ">", ">=", "<=>")}
_NEGATIONS = {"not", "!"}
_FUNCTIONS = {"isnull", "isnotnull", "isnan", "startswith", "endswith", "contains"}


def _text_of(node: Any) -> str:
    """Return an expression of the protocol as SQL; one that is not supported as a call."""
    kind = node.WhichOneof("expr_type")
    if kind == "unresolved_attribute":
        return str(node.unresolved_attribute.unparsed_identifier)
    if kind == "literal":
        return _literal(node.literal)
    if kind == "unresolved_function" and not node.unresolved_function.is_distinct:
        name = node.unresolved_function.function_name.lower()
        arguments = list(map(_text_of, node.unresolved_function.arguments))
        if name in _OPERATORS and len(arguments) == 2:
            return f"({arguments[0]} {_OPERATORS[name]} {arguments[1]})"
        if name in _NEGATIONS and len(arguments) == 1:
            return f"(NOT {arguments[0]})"
        if name == "in":
            return f"({arguments[0]} IN ({', '.join(arguments[1:])}))"
        if name in _FUNCTIONS:
            return f"{name}({', '.join(arguments)})"
        return f"unsupported({', '.join((_string(name), *arguments))})"
    return "unsupported()"


def _literal(literal: Any) -> str:
    """Return a literal of the protocol as SQL."""
    kind = literal.WhichOneof("literal_type")
    if kind not in _LITERALS:
        return "unsupported()"
    with suppress(OverflowError):
        return _LITERALS[kind](getattr(literal, kind))
    return "unsupported()"


_LITERALS: dict[str, Callable[[Any], str]] = {
    "null": lambda _: "NULL",
    "boolean": lambda value: str(value).upper(),
    "string": lambda value: _string(value),
    **dict.fromkeys(("byte", "short", "integer", "long"), str),
    "double": lambda value: f"CAST('{value!r}' AS DOUBLE)",
    "decimal": lambda value: str(value.value),
    "binary": lambda value: f"X'{value.hex()}'",
    "date": lambda value: f"DATE '{date(1970, 1, 1) + timedelta(value)}'",
    "timestamp": lambda value: f"TIMESTAMP '{_stamp(value)}Z'",
    "timestamp_ntz": lambda value: f"TIMESTAMP_NTZ '{_stamp(value)}'",
}


def _stamp(micros: int) -> str:
    return f"{_EPOCH + timedelta(microseconds=micros):%Y-%m-%d %H:%M:%S.%f}"


_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)

# Casts of columns ---------------------------------------------------------------------------------

_DIGITS = {"TINYINT": (3, 0), "SMALLINT": (5, 0), "INT": (10, 0), "BIGINT": (20, 0)}
"""The digits of integers, and those after the point, as Spark counts them."""
_STAMP_CASTS = ("TIMESTAMPTZ", "TIMESTAMPLTZ", "TIMESTAMPNTZ")


@dataclass(frozen=True)
class _Widened:
    """Returns the column of a cast that keeps all values and their order, as Spark adds them."""

    schema: Schema

    def __call__(self, node: Any) -> Any:
        if not isinstance(node, exp.Cast):
            return node
        targets, inner = [], node
        while isinstance(inner, exp.Cast):
            targets.append(inner.to)
            inner = inner.this.unnest()
        names = {name.casefold(): name for name in self.schema.names}
        if not isinstance(inner, exp.Column) or len(inner.parts) > 1:
            return node
        if (name := names.get(inner.name.casefold())) is None:
            return node
        own = self.schema[name]
        kind: tuple[str, _Digits | None] | None = (own.root, _digits(own))
        for target in reversed(targets):
            kind = kind and _cast(*kind, target)
        return node if kind is None else inner


_Digits: TypeAlias = tuple[int, int]


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


def _is_exact(predicate: Predicate, exact: _Exact) -> bool:
    if not all(map(exact.leaf, leaves(predicate))):
        return False
    try:
        bound_predicate(predicate, exact.schema, exact.time_zone)
    except PredicateError:
        return False
    return True


_DAY_TEXT = r"\d{4}-\d\d-\d\d"
_STAMP_TEXT = rf"{_DAY_TEXT}( \d\d:\d\d:\d\d(\.\d{{1,6}})?)?"


class _Exact:
    """Determines whether tests have Spark's result for every value of their columns."""

    def __init__(self, schema: Schema, time_zone: str) -> None:
        self.schema, self.time_zone, self.zone = schema, time_zone, zone_named(time_zone)

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
        compares = _COMPARES.get(kind.root, _never)
        return all(compares(self, value, kind) for value in literals)

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
        try:
            stamp = datetime(1970, 1, 1) + timedelta(microseconds=nanos // 1000)
            near = [
                stamp + timedelta(days) for days in (range(-2, 3) if root == "TIMESTAMP" else [0])
            ]
        except OverflowError:
            return False
        offsets = {
            each.replace(tzinfo=self.zone, fold=fold).utcoffset()
            for each in near
            for fold in (0, 1)
        }
        return len(offsets) == 1


def _is_plain(leaf: Match) -> bool:
    """Return whether a pattern is a text that means the same in Spark."""
    escape = leaf.escape if isinstance(leaf, Like) else "\\"
    return isinstance(leaf.pattern, str) and len(escape) == 1


def _never(exact: _Exact, value: Any, kind: DataType) -> bool:
    return False


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
