"""The predicates that `advise` measures: given or typical ones."""

from __future__ import annotations

import itertools
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from paimon_ksy.errors import PredicateError
from paimon_ksy.file_index.container import bound_predicate
from paimon_ksy.predicates.tree import And, Comparison, In, IsNull, Predicate
from paimon_ksy.table.advise.profile import ColumnProfile
from paimon_ksy.table.model.columns import tested_names
from paimon_ksy.table.model.files import TableSchema
from paimon_ksy.types.data_type import DataType

_PREDICATES = 200  # maximum distinct predicates
_LISTED = 5
_RANGE_VALUES = 100
_MEASURES = ("FLOAT", "DOUBLE", "DECIMAL")  # amounts, which predicates compare with ranges


@dataclass(frozen=True)
class Question:
    """A predicate on the table.

    Attributes:
        predicate: The predicate, bound to the table.
        sql: The text of the predicate.
        what: The value that a typical predicate tests; None for a given one.
        weight: The number of times it was given.
        names: The columns and keys of maps that it tests.
    """

    predicate: Predicate
    sql: str
    what: str | None
    weight: int
    names: tuple[str, ...]


def parse_predicates(text: str, schema: TableSchema, name: str, time_zone: str) -> list[Predicate]:
    """Return the predicates in a text, one per line; `#` or `--` at a line's start is a comment.

    `name` is that of the text's file, for messages.

    Raises:
        PredicateError: A predicate is invalid; the error names its line.
    """
    predicates = []
    for number, line in enumerate(text.splitlines(), 1):
        line = line.strip().removesuffix(";")
        if not line or line.startswith(("#", "--")):
            continue
        try:
            predicates.append(bound_predicate(line, schema.columns, time_zone))
        except PredicateError as error:
            raise PredicateError(f"{name}, line {number}: {error}") from None
    if not predicates:
        raise PredicateError(f"{name}: contains no predicate: write one per line")
    return predicates


def given_questions(
    predicates: Iterable[Predicate | str], schema: TableSchema, time_zone: str
) -> tuple[list[Question], list[str]]:
    """Return the distinct given predicates, and notes on them.

    If there are very many, this returns the most frequent ones.

    Raises:
        PredicateError: A predicate does not fit the table, or no predicate is given.
    """
    distinct: dict[str, Question] = {}
    for given in predicates:
        bound = bound_predicate(given, schema.columns, time_zone)
        names = tested_names(bound)
        sql = repr(bound)
        if not names:
            raise PredicateError(f"{given}: is {sql} for every row, so it tests no column")
        weight = distinct[sql].weight + 1 if sql in distinct else 1
        distinct[sql] = Question(bound, sql, None, weight, names)
    if not distinct:
        raise PredicateError("no predicates are given: pass at least one")
    questions = list(distinct.values())
    if len(questions) <= _PREDICATES:
        return questions, []
    tried = sorted(questions, key=lambda question: -question.weight)[:_PREDICATES]
    return tried, [f"measured {len(tried):,} of {len(questions):,} different predicates"]


def typical_questions(
    columns: Mapping[str, ColumnProfile], schema: TableSchema
) -> Iterator[Question]:
    """Yield typical predicates on each column."""
    for name, column in columns.items():
        for what, predicate in _typical(name, schema.columns[name], column):
            sql = repr(predicate)
            # Bind the printed text, so that users can run what they see.
            yield Question(bound_predicate(sql, schema.columns), sql, what, 1, (name,))


def _typical(
    name: str, data_type: DataType, column: ColumnProfile
) -> Iterator[tuple[str, Predicate]]:
    """Yield typical predicates on a column, with what they test; they depend only on the sample.

    Predicates on measures test no single values, and those on long, distinct texts only null.
    """
    values = sorted(column.values, key=column.values.__getitem__)
    if values and not column.is_text and data_type.root not in _MEASURES:
        rare, common = values[0], values[-1]
        if column.values[rare] == column.values[common]:
            yield "a value", Comparison("=", name, values[len(values) // 2], data_type)
        else:
            yield "a common value", Comparison("=", name, common, data_type)
            yield "a rare value", Comparison("=", name, rare, data_type)
        count = min(_LISTED, column.distinct // 2)
        if count > 1:
            some = values[:: max(1, len(values) // count)]
            yield "several values", In(name, tuple(some[:count]), False, data_type)
    if column.distinct >= _RANGE_VALUES and column.quantiles:
        ends = [*itertools.accumulate(rows for _, rows in column.quantiles)]
        places = (bisect_left(ends, share * ends[-1]) for share in (0.5, 0.51))
        low, high = (column.quantiles[min(at, len(ends) - 1)][0] for at in places)
        lower = Comparison(">=", name, low, data_type)
        yield "a range of about 1 %", And((lower, Comparison("<=", name, high, data_type)))
    if column.nulls:
        yield "nulls", IsNull(name, data_type)
