"""Parse predicates in Spark SQL.

Tests of a column against literals are predicates that indexes answer: comparisons, IS [NOT] NULL,
IS [NOT] TRUE / FALSE, [NOT] IN, BETWEEN, LIKE, startswith, endswith, contains, isnan, and a BOOLEAN
column by itself. Other tests are of values that rows compute. Both are combined by AND, OR and NOT.
A column is a name, in backticks if needed, or a key of a MAP, m['key']. The parser is sqlglot,
except for tests such as `column = 'literal'`, alone or combined with AND.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from paimon_ksy.errors import PredicateError, SchemaError
from paimon_ksy.messages.log import LOG
from paimon_ksy.predicates.bind import bind
from paimon_ksy.predicates.exact_literals import RowsOnly, exact_literal
from paimon_ksy.predicates.tree import And, Comparison, Predicate
from paimon_ksy.types.schema import Schema, checked_schema

if TYPE_CHECKING:
    from paimon_ksy.predicates.sql_conditions import Converter

Node = Any
"""A sqlglot expression."""


def parse_predicate(
    sql: str, schema: Schema | None = None, *, time_zone: str | None = None
) -> Predicate:
    """Parse a SQL condition to a predicate.

    The predicate can be combined with others; it is only bound if a time zone is given.

    Args:
        sql: A condition such as `status IN ('A', 'B') AND user_id IS NOT NULL`.
        schema: If given, columns and literals are checked, and names get the schema's case.
        time_zone: The session's time zone, for literals without a zone that are compared with
            TIMESTAMP WITH LOCAL TIME ZONE. It has an effect only with a schema.

    Raises:
        PredicateError: The text is not a predicate, or does not fit the schema.
    """
    return parse_lasting(sql, schema, time_zone)[0]


def parse_lasting(
    sql: str, schema: Schema | None = None, time_zone: str | None = None
) -> tuple[Predicate, bool]:
    """Parse a condition like `parse_predicate`, and return whether it means the same later.

    Conditions with functions such as `now()` do not.
    """
    if schema is not None:
        schema = checked_schema(schema)
    predicate, is_lasting = _parse_plain(sql, schema, time_zone), True
    if predicate is None:
        predicate, is_lasting = _parse_by_sqlglot(sql, schema, time_zone)
    if schema is not None:
        bound = bind(predicate, schema, time_zone=time_zone or "UTC")
        predicate = predicate if time_zone is None else bound
    return predicate, is_lasting


def _parse_by_sqlglot(
    sql: str, schema: Schema | None, time_zone: str | None
) -> tuple[Predicate, bool]:
    """Return the predicate, and whether it means the same later."""
    from paimon_ksy.predicates.sql_conditions import Converter
    from paimon_ksy.predicates.sql_syntax import parse

    converter = Converter(schema, time_zone)
    predicate = _parse_with_lists_apart(sql, converter)
    if predicate is None:
        if schema is not None:
            _note_texts(sql, schema)
        try:
            predicate = converter.convert(parse(sql))
        except RecursionError:  # sqlglot nests some twenty calls for each parenthesis
            raise PredicateError(
                "SQL nested too deeply: fewer parentheses, NOT and minus signs are needed"
            ) from None
        except ArithmeticError:  # of Decimal, here or in sqlglot
            raise PredicateError(
                "a number has too large an exponent: correct the literal"
            ) from None
    return predicate, not converter.is_of_now


_QUOTED = re.compile(r"""'(?:[^'\\]|\\.)*'|`[^`]*`|"([^"\\]*)\"""", re.DOTALL)


def _note_texts(sql: str, schema: Schema) -> None:
    """Log each text in double quotes that is a column's name: other dialects mean the column."""
    texts = {match[1] for match in _QUOTED.finditer(sql) if match[1] is not None}
    for name in sorted(texts & set(schema.names)):
        LOG.warning('"%s" is a text here; a column is written `%s`', name, name)


def parse_conditions(
    sql: str, schema: Schema, column_of: Callable[[Node], Node] = lambda node: node
) -> Iterator[tuple[str, Predicate | None]]:
    """Yield each condition of the top-level AND, with its predicate; None if it is unsupported.

    Args:
        sql: The condition, in Spark's SQL.
        schema: The columns.
        column_of: Returns the column that stands for a node, such as that of a cast; other nodes
            unchanged.
    """
    from sqlglot import exp

    from paimon_ksy.predicates.sql_conditions import Converter
    from paimon_ksy.predicates.sql_syntax import operands, parse

    try:
        parts = operands(parse(sql), exp.And)
    except (PredicateError, RecursionError, ArithmeticError):
        yield sql, None
        return
    for part in parts:
        predicate = None
        with suppress(PredicateError, RecursionError, ArithmeticError):
            predicate = Converter(schema).convert(part.transform(column_of))
        yield part.sql("spark"), predicate


_LONG = 100  # characters of a list from which on it is read apart
_NUMBER = "-?[0-9]{1,18}"
_TEXT = "'[^']*(?:''[^']*)*'"
_GAP = "[ \\t\\r\\n]*"
_LIST = "|".join(f"{item}(?:{_GAP},{_GAP}{item})*" for item in (_NUMBER, _TEXT))
_QUOTED_OR_LIST = re.compile(
    rf"""{_TEXT}|"[^"]*"|`[^`]*`|\b[iI][nN]{_GAP}\({_GAP}({_LIST}){_GAP}\)"""
)
_ITEM = re.compile(f"{_NUMBER}|{_TEXT}")
_LITERAL = rf"({_NUMBER}(?:\.[0-9]{{1,18}})?)|('[^'\\]*')"
_PLAIN = rf"([a-zA-Z_]\w*){_GAP}(=|<>|!=|<=?|>=?){_GAP}(?:{_LITERAL})"
_PLAIN_ONES = re.compile(rf"{_GAP}{_PLAIN}(?:[ \t\r\n]+[aA][nN][dD][ \t\r\n]+{_PLAIN})*{_GAP}")
_OTHER_QUOTES = ("\\", "--", "/*", "{#")  # escapes and comments: not for these patterns


def _parse_plain(sql: str, schema: Schema | None, time_zone: str | None = None) -> Predicate | None:
    """Return the predicate of plain comparisons with columns of the schema; None for other SQL.

    Importing sqlglot for them takes 75 of the 290 ms of `paimon-ksy eval`.
    """
    if schema is None or not _PLAIN_ONES.fullmatch(sql):
        return None
    comparisons: list[Predicate] = []
    for name, op, number, text in re.findall(_PLAIN, sql):
        try:
            column = schema.column(name, ignore_case=True)
        except SchemaError:
            return None
        if name.lower() in ("null", "true", "false"):
            return None
        value = text[1:-1] if text else Decimal(number) if "." in number else int(number)
        try:
            value = exact_literal(value, column.type, time_zone)
        except RowsOnly:
            return None
        comparisons.append(Comparison(op.replace("!=", "<>"), column.name, value))
    return And(tuple(comparisons)) if len(comparisons) > 1 else comparisons[0]


def _parse_with_lists_apart(sql: str, converter: Converter) -> Predicate | None:
    """Return the predicate of SQL with long IN lists of plain literals.

    sqlglot makes several objects of each literal, and a predicate of another query's result has
    thousands (`IN of .. user_ids` of `make bench-tables`): 1,000 take it 110 ms, and 0.4 ms here.
    So each list is one literal for sqlglot, and put back into the tree.

    Returns:
        None if there is no such list, or if anything is not as expected: then sqlglot has to read
        it all, or to find what is wrong.
    """
    if len(sql) < _LONG or any(mark in sql for mark in _OTHER_QUOTES):
        return None
    name = "list"
    while name in sql:
        name += "_"
    lists = converter.lists

    def apart(match: re.Match[str]) -> str:
        whole, listed = match.group(0), match.group(1)
        if listed is None or len(listed) < _LONG:
            return whole
        key = f"{name}{len(lists)}"
        if listed[0] == "'":
            lists[key] = [text[1:-1].replace("''", "'") for text in _ITEM.findall(listed)]
        else:
            lists[key] = list(map(int, listed.split(",")))
        return f"IN ('{key}')"

    from paimon_ksy.predicates.sql_syntax import parse

    short = _QUOTED_OR_LIST.sub(apart, sql)
    if not lists:
        return None
    try:
        predicate = converter.convert(parse(short))
    except (PredicateError, RecursionError, ArithmeticError):
        predicate = None
    if lists:  # not all of them were put back
        lists.clear()
        return None
    return predicate
