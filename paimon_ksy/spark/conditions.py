"""The text of Spark's conditions, of which `predicates.from_spark` decides what the source tests.

Spark filters rows by the whole condition, and the data source tests parts of it, too.
A classic session resolves the condition first, so that all of its casts are explicit. Spark Connect
shows no resolved conditions: there, SQL text is parsed as it is, and a Column from its protocol.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from itertools import pairwise
from typing import Any

from pyspark.sql import Column, DataFrame, types

from paimon_ksy.errors import UnsupportedError
from paimon_ksy.file_index.container import bound_predicate
from paimon_ksy.predicates.from_spark import OnlySpark, conditions_from_spark
from paimon_ksy.predicates.tree import Predicate
from paimon_ksy.spark.types import spark_schema
from paimon_ksy.table.engine.session import context_of
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


def condition_of(
    spark: Any, where: Any, schema: Schema, time_zone: str, filtered: DataFrame | None = None
) -> Condition:
    """Return a condition in parts: SQL text, a Column, a predicate, or an Arrow expression.

    Args:
        spark: The session.
        where: The condition.
        schema: The columns of the table.
        time_zone: The session's time zone.
        filtered: The rows of the table that the condition selects, if such a DataFrame exists.

    Raises:
        Exception: One of Spark, if it cannot resolve the condition.
        PredicateError: A predicate does not fit the schema.
    """
    if not isinstance(where, str | Column):
        where = repr(bound_predicate(where, schema, time_zone))
    shown = where if isinstance(where, str) else str(where)
    remote = context_of(spark) is None
    if remote:
        texts = _sent(spark, where)
    else:
        texts = _resolved(_filtered(spark, where, schema) if filtered is None else filtered)
    pushed, rest = conditions_from_spark(texts, schema, time_zone)
    named = " ".join((shown, *texts)).casefold().replace("``", "`")
    needs_all = _ALL.search(named) is not None
    names = tuple(name for name in schema.names if needs_all or _is_named(name, named))
    return Condition(where, pushed, rest, names)


_ALL = re.compile(r"\(\s*\*|,\s*\*|\.\*|subquery|listquery|\bexists\b|\bselect\b")
"""What may name columns without their names."""


def _is_named(name: str, text: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(name.casefold())}(?!\w)", text) is not None


# The text of conditions ---------------------------------------------------------------------------


def _filtered(spark: Any, where: Any, schema: Schema) -> DataFrame:
    """Return the rows of an empty table that a condition selects."""
    fields = []
    for column in schema:
        with suppress(UnsupportedError):  # a type that this Spark lacks
            fields += spark_schema([column]).fields
    frame: DataFrame = spark.createDataFrame([], types.StructType(fields)).filter(where)
    return frame


def _resolved(filtered: DataFrame) -> list[str]:
    """Return the parts of a condition that a classic session resolved."""
    plan: Any = filtered._jdf.queryExecution().analyzed()
    if plan.getClass().getSimpleName() == "Project":  # the condition tests a column below
        plan = plan.child()
    root = plan.condition()
    if not root.deterministic():  # fewer rows would change its results for others
        return [OnlySpark(root.sql())]
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


def _string(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"


CHANGING = {
    *("input_file_block_length", "input_file_block_start", "input_file_name", "java_method"),
    *("monotonically_increasing_id", "rand", "randn", "random", "randstr", "reflect", "shuffle"),
    *("spark_partition_id", "try_reflect", "uniform", "uuid"),
}
"""Functions that return other values if rows are left out before."""

_TOKEN = re.compile(r"""'[^']*'|"[^"]*"|(`[^`]*`|[^\W\d]\w*)(?=\s*\()|`[^`]*`|--|/\*""")
"""Strings, names before a parenthesis (the group), quoted names, and comments."""

_DOUBLED = "spark.sql.legacy.consecutiveStringLiterals.enabled"
_QUOTED = "spark.sql.ansi.doubleQuotedIdentifiers"


def _is_for_spark(spark: Any, text: str) -> bool:
    """Return whether only Spark can test SQL text, by its tokens and the session's settings.

    A backslash is an escape or none, `${` is replaced even in strings, and comments may be nested.
    """
    if "\\" in text or "${" in text:
        return True
    tokens = list(_TOKEN.finditer(text))
    if any(token[0] in ("--", "/*") for token in tokens):
        return True
    settings = {_QUOTED for token in tokens if token[0][0] == '"'}
    settings |= {_DOUBLED for one, other in pairwise(tokens) if one.end() == other.start()}
    return any(spark.conf.get(name, "false") != "false" for name in settings)


def _is_changing(text: str) -> bool:
    """Return whether SQL text calls a function that returns other values for fewer rows."""
    names = ((token[1] or "").strip("`").lower() for token in _TOKEN.finditer(text))
    return not CHANGING.isdisjoint(names)


def _texts(message: Any) -> Iterator[str]:
    """Yield all SQL text in an expression of the protocol, and each function as a call."""
    for field, value in message.ListFields():
        if field.name == "function_name":
            yield f"{value}("
        elif field.name == "expression" and isinstance(value, str):
            yield value
        elif field.message_type is not None:
            for part in value if isinstance(value, Sequence) else (value,):
                yield from _texts(part)


def _sent(spark: Any, where: Any) -> list[str]:
    """Return the parts of a condition for Spark Connect."""
    if isinstance(where, str):
        is_whole = _is_changing(where) or _is_for_spark(spark, where)
        return [OnlySpark(where) if is_whole else where]
    plan = where.to_plan(spark.client)
    if any(map(_is_changing, _texts(plan))):
        return [OnlySpark(where)]
    texts, todo = [], [plan]
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
    with suppress(KeyError, OverflowError):
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
    return f"{datetime(1970, 1, 1) + timedelta(microseconds=micros):%Y-%m-%d %H:%M:%S.%f}"
