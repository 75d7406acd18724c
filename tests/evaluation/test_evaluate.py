"""Leaves of a predicate, combined: no more is asked than needed, and no row is lost."""

from collections.abc import Callable, Mapping

import pytest
from pyroaring import BitMap

from paimon_ksy.errors import CorruptFileError
from paimon_ksy.evaluation.evaluate import LeafOrRange, evaluate
from paimon_ksy.evaluation.selection import Selection
from paimon_ksy.predicates.bind import bind
from paimon_ksy.predicates.sql import parse_predicate
from paimon_ksy.predicates.tree import Always, And, Or, Predicate, col
from paimon_ksy.types.schema import Schema
from tests.support.selections import selected_rows

pytestmark = pytest.mark.filterwarnings("ignore::paimon_ksy.IndexIgnoredWarning")
SCHEMA = Schema.parse("a INT, b INT, c INT, d INT")

ROWS = {
    "skip": Selection("skip", True, None, 4),
    "rows": Selection("rows", True, BitMap([1, 2]), 4),
    "loose": Selection("rows", False, BitMap([2, 3]), 4),
    "all": Selection("all", True, None, 4),
    "unknown": Selection("all", False),
}


def ask_of(answers: Mapping[str, str], asked: list[str]) -> Callable[[LeafOrRange], Selection]:
    def ask(leaf: LeafOrRange) -> Selection:
        asked.append(str(leaf.column))
        return ROWS[answers[str(leaf.column)]]

    return ask


@pytest.mark.parametrize(
    ("sql", "answers", "asked", "kind", "exact", "rows"),
    [
        ("a = 1 AND b = 1", {"a": "skip", "b": "rows"}, "a", "skip", True, []),
        ("a = 1 AND b = 1", {"a": "rows", "b": "loose"}, "ab", "rows", False, [2]),
        ("a = 1 AND b = 1", {"a": "all", "b": "rows"}, "ab", "rows", True, [1, 2]),
        ("a = 1 AND b = 1", {"a": "unknown", "b": "rows"}, "ab", "rows", False, [1, 2]),
        ("a = 1 AND b = 1", {"a": "all", "b": "all"}, "ab", "all", True, [0, 1, 2, 3]),
        ("a = 1 OR b = 1", {"a": "all", "b": "rows"}, "a", "all", True, [0, 1, 2, 3]),
        ("a = 1 OR b = 1", {"a": "unknown", "b": "rows"}, "a", "all", False, [0, 1, 2, 3]),
        ("a = 1 OR b = 1", {"a": "rows", "b": "skip"}, "ab", "rows", True, [1, 2]),
        ("a = 1 OR b = 1", {"a": "rows", "b": "loose"}, "ab", "rows", False, [1, 2, 3]),
        ("a = 1 OR b = 1", {"a": "skip", "b": "skip"}, "ab", "skip", True, []),
        # Cheap ones first: IS NULL, then =, then IN, then a range, then what is nested.
        (
            "(a = 1 OR c < 5) AND b IN (1, 2) AND d = 3",
            {"a": "rows", "b": "rows", "c": "skip", "d": "rows"},
            "dbac",
            "rows",
            True,
            [1, 2],
        ),
        (
            "b > 1 AND a IN (1, 2) AND c IS NULL",
            dict.fromkeys("abc", "skip"),
            "c",
            "skip",
            True,
            [],
        ),
    ],
)
def test_combining(
    sql: str, answers: dict[str, str], asked: str, kind: str, exact: bool, rows: list[int]
) -> None:
    seen: list[str] = []
    predicate = bind(parse_predicate(sql, SCHEMA), SCHEMA)
    selection = evaluate(predicate, ask_of(answers, seen), lambda leaf: False)
    assert "".join(seen) == asked
    assert (selection.kind, selection.exact) == (kind, exact)
    assert selected_rows(selection, 4) == rows


@pytest.mark.parametrize("value", [True, False, None])
def test_a_constant_is_exact(value: bool | None) -> None:
    selection = evaluate(Always(value), ask_of({}, []), lambda leaf: False)
    assert (selection.kind, selection.exact) == ("all" if value else "skip", True)


def test_what_needs_no_reading_comes_first() -> None:
    seen: list[str] = []
    predicate = bind(parse_predicate("c IS NULL AND a > 1", SCHEMA), SCHEMA)
    answers = dict.fromkeys("ac", "rows")
    evaluate(predicate, ask_of(answers, seen), lambda leaf: leaf.column == "a")
    assert seen == ["a", "c"]


@pytest.mark.parametrize(
    ("sql", "first"),
    [
        ("b = 1 AND a IS NULL", "a"),
        ("b IN (1, 2) AND a <> 1", "a"),
        ("b > 1 AND a IN (1, 2)", "a"),
        ("(b = 1 OR c = 1) AND a > 1", "a"),
        ("b = 1 AND a = 1", "b"),
    ],
)
def test_a_leaf_that_reads_less_comes_first(sql: str, first: str) -> None:
    """Those that read as much stay in the order in which they are written."""
    seen: list[str] = []
    predicate = bind(parse_predicate(sql, SCHEMA), SCHEMA)
    evaluate(predicate, ask_of(dict.fromkeys("abc", "skip"), seen), lambda leaf: False)
    assert seen == [first]


def test_two_bounds_of_a_column_are_asked_together() -> None:
    asked: list[object] = []

    def ask(question: object) -> Selection:
        asked.append(question)
        return ROWS["rows"]

    predicate = bind(parse_predicate("a BETWEEN 1 AND 5 AND b > 3 AND a <> 2", SCHEMA), SCHEMA)
    evaluate(predicate, ask, lambda leaf: False)
    names = [type(question).__name__ for question in asked]
    assert names == ["Comparison", "Comparison", "Range"]


def test_a_deep_tree() -> None:
    predicate: Predicate = col("a") == 1
    for i in range(5000):
        predicate = And((predicate, col("b") == i)) if i % 2 else Or((predicate, col("b") == i))
    ask = ask_of({"a": "rows", "b": "rows"}, [])
    assert evaluate(bind(predicate, SCHEMA), ask, lambda leaf: False).count == 2


def test_indexes_that_count_different_rows_are_an_error() -> None:
    answers = {"a": Selection("rows", True, BitMap([1]), 4), "b": Selection("all", True, None, 5)}
    predicate = bind((col("a") == 1) & (col("b") == 1), SCHEMA)
    with pytest.raises(CorruptFileError, match="count different numbers of rows: 4 and 5"):
        evaluate(predicate, lambda leaf: answers[str(leaf.column)], lambda leaf: False)
