"""The predicates that `advise` measures: given or typical ones."""

from __future__ import annotations

import itertools
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any

import numpy as np
import pyarrow as pa

from paimon_ksy.errors import PredicateError
from paimon_ksy.file_index.container import bound_predicate
from paimon_ksy.predicates.tree import And, Comparison, In, IsNull, Predicate
from paimon_ksy.table.advise.profile import hash_codes
from paimon_ksy.table.advise.sample import plain, value_at
from paimon_ksy.table.advise.summary import ColumnSummary, is_nan
from paimon_ksy.table.model.columns import arrow_values, tested_names
from paimon_ksy.table.model.files import TableSchema
from paimon_ksy.types.arrow import to_arrow
from paimon_ksy.types.data_type import INTEGER_BITS
from paimon_ksy.types.literals import resolution

# The values that typical predicates test.
ONE, COMMON, RARE, ABSENT = "a value", "a common value", "a rare value", "an absent value"
SEVERAL, RANGE, NULL = "several values", "a range of about 1 %", "nulls"

_PREDICATES = 200  # maximum distinct predicates
_LISTED = 5
_RANGE_VALUES = 100
_TRIED = 4000


@dataclass(frozen=True)
class Question:
    """A predicate on the table.

    Attributes:
        predicate: The predicate, bound to the table.
        sql: The text of the predicate.
        what: The value that a typical predicate tests; None for a given one.
        weight: The number of times it was given.
        names: The columns and keys of maps that it tests.
        counts: Whether it decides which index is recommended.
    """

    predicate: Predicate
    sql: str
    what: str | None
    weight: int
    names: tuple[str, ...]
    counts: bool = True


def parse_predicates(text: str, schema: TableSchema, name: str, time_zone: str) -> list[Predicate]:
    """Return the predicates in a text, one per line; `#` or `--` at a line's start is a comment.

    Args:
        text: The text.
        schema: The table's schema.
        name: The name of the text's file, for messages.
        time_zone: The zone of literals that have none.

    Raises:
        PredicateError: A predicate is invalid; the error names its line.
    """
    found = []
    for number, line in enumerate(text.splitlines(), 1):
        line = line.strip().removesuffix(";")
        if not line or line.startswith(("#", "--")):
            continue
        try:
            found.append(bound_predicate(line, schema.columns, time_zone))
        except PredicateError as error:
            raise PredicateError(f"{name}, line {number}: {error}") from None
    if not found:
        raise PredicateError(f"{name}: contains no predicate: write one per line")
    return found


def given_questions(
    predicates: Iterable[Predicate | str], schema: TableSchema, time_zone: str
) -> tuple[list[Question], list[str]]:
    """Return the distinct given predicates, and notes on them.

    If there are very many, this returns an even selection, whose weights count how often each
    predicate was selected.

    Raises:
        PredicateError: A predicate does not fit the table, or no predicate is given.
    """
    found: dict[str, Question] = {}
    for given in predicates:
        bound = bound_predicate(given, schema.columns, time_zone)
        names = tested_names(bound)
        sql = repr(bound)
        if not names:
            raise PredicateError(f"{given}: is {sql} for every row, so it tests no column")
        before = found.get(sql)
        weight = 1 if before is None else before.weight + 1
        found[sql] = Question(bound, sql, None, weight, names)
    if not found:
        raise PredicateError("no predicates are given: pass at least one")
    questions = list(found.values())
    if len(questions) <= _PREDICATES:
        return questions, []
    tried = list(_some(questions))
    return tried, [f"measured {len(tried):,} of {len(questions):,} different predicates"]


def _some(questions: Sequence[Question]) -> Iterator[Question]:
    ends = list(itertools.accumulate(question.weight for question in questions))
    steps = ((step + 0.5) / _PREDICATES * ends[-1] for step in range(_PREDICATES))
    for at, hits in Counter(bisect_right(ends, step) for step in steps).items():
        yield replace(questions[at], weight=hits)


def typical_questions(
    summaries: Iterable[ColumnSummary], schema: TableSchema
) -> Iterator[Question]:
    """Yield typical predicates on each column."""
    for summary in summaries:
        for what, predicate in _typical(summary):
            sql = repr(predicate)
            # Bind the printed text, so that users can run what they see.
            bound = bound_predicate(sql, schema.columns)
            yield Question(bound, sql, what, 1, (summary.name,), counts=what != ABSENT)


def _typical(column: ColumnSummary) -> Iterator[tuple[str, Predicate]]:
    """Yield typical predicates on a column, with what they test; they depend only on the sample.

    Predicates on measures test no single values, and those on long, distinct texts only null.
    """
    name, data_type = column.name, column.type

    def equal(value: Any) -> Predicate:
        return Comparison("=", name, value, data_type)

    by_rows = sorted(
        (rows, code, value)
        for rows, code, value in column.values
        if value is not None and not is_nan(value)
    )
    if by_rows and not column.is_text and not column.is_measure:
        rare, common = by_rows[0], by_rows[-1]
        yield COMMON if rare[0] < common[0] else ONE, equal(common[2])
        if rare[0] < common[0]:
            yield RARE, equal(rare[2])
        absent = _absent(column)
        if absent is not None:
            yield ABSENT, equal(absent)
        count = min(_LISTED, column.distinct // 2)
        if count > 1:
            known = [value for _, _, value in column.values if value is not None]
            yield SEVERAL, In(name, tuple(known[:count]), False, data_type)
    if column.distinct >= _RANGE_VALUES and column.quantiles:
        low, high = (_quantile(column, share) for share in (0.5, 0.51))
        lower = Comparison(">=", name, low, data_type)
        yield RANGE, And((lower, Comparison("<=", name, high, data_type)))
    if column.nulls:
        yield NULL, IsNull(name, data_type)


def _quantile(column: ColumnSummary, share: float) -> Any:
    ends = np.cumsum([weight for _, weight in column.quantiles])
    at = bisect_left(ends, share * ends[-1])
    return column.quantiles[min(at, len(column.quantiles) - 1)][0]


def _absent(column: ColumnSummary) -> Any:
    """Return a value that is absent from the sample; None if no such value is found."""
    data_type = column.type
    if data_type.root == "BOOLEAN" or column.least is None:
        return None
    if data_type.is_string or data_type.is_binary:
        return _absent_text(column)
    tried = _between(column)
    if not len(tried):
        return None
    found = _absent_among(tried, column)
    return _absent_after(column) if found is None else found


def _absent_among(tried: pa.Array, column: ColumnSummary) -> Any:
    """Return the certainly absent value nearest to the middle; None without such a value."""
    known = {code for _, code, _ in column.values}
    hashes = hash_codes(tried, column.type).tolist()
    for at in sorted(range(len(tried)), key=lambda at: abs(2 * at - len(tried))):
        # Up to the threshold, the hash codes of all values are known.
        if hashes[at] <= column.threshold and hashes[at] not in known:
            return value_at(tried, at)
    return None


def _absent_after(column: ColumnSummary) -> Any:
    """Return the number after the largest one, for numbers without gaps; None if impossible."""
    data_type = column.type
    after = column.greatest + (resolution(data_type) if data_type.is_timestamp else 1)
    bits = INTEGER_BITS.get(data_type.root, 64)
    return after if after < 2 ** (bits - 1) and data_type.root != "TIME" else None


def _absent_text(column: ColumnSummary) -> Any:
    """Return a certainly absent text that follows one in the middle; None without such a text."""
    known = sorted(value for _, _, value in column.values if value is not None)
    more = "~" if column.type.is_string else b"~"
    for value in known[len(known) // 2 :: -1]:
        made = value.rstrip() + more if column.type.is_string else value + more
        if made < column.greatest and made not in known:
            return made
    return None


def _between(column: ColumnSummary) -> pa.Array:
    """Return values at even distances between the smallest and the largest."""
    low, high = column.least, column.greatest
    unit = resolution(column.type) if column.type.is_timestamp else 1
    if isinstance(low, Decimal | float) or high - low <= unit:
        return pa.array([], to_arrow(column.type))
    count = min(_TRIED, (high - low) // unit)
    steps = [(low + (high - low) * (2 * at + 1) // (2 * count)) // unit for at in range(count)]
    values = arrow_values([step * unit for step in steps], to_arrow(column.type))
    return plain(pa.chunked_array([values]), column.type)
