"""The algebra of selections: what AND and OR of two answers leave is never too little."""

from collections.abc import Iterator
from itertools import combinations, product

import pytest
from pyroaring import BitMap

from paimon_ksy.errors import PaimonKsyError
from paimon_ksy.evaluation.selection import Selection, narrow

NUM_ROWS = 3
EVERYTHING = frozenset(range(NUM_ROWS))
Rows = frozenset[int]


def subsets(rows: Rows) -> Iterator[Rows]:
    for size in range(len(rows) + 1):
        yield from map(frozenset, combinations(sorted(rows), size))


def upper(selection: Selection) -> Rows:
    """The rows that are selected."""
    if selection.kind == "skip":
        assert selection.matching is None
        return frozenset()
    if selection.kind == "all":
        assert selection.matching is None
        return EVERYTHING
    assert selection.rows is not None
    return frozenset(selection.rows)


def meanings(selection: Selection) -> frozenset[Rows]:
    """The sets of rows of which each may be those that match."""
    return frozenset([upper(selection)] if selection.exact else subsets(upper(selection)))


SELECTIONS = [
    Selection("skip", True, None, NUM_ROWS),
    Selection("all", True, None, NUM_ROWS),
    Selection("all", False, None, NUM_ROWS),
    *(
        Selection("rows", exact, BitMap(rows), NUM_ROWS)
        for exact in (True, False)
        for rows in subsets(EVERYTHING)
        if 0 < len(rows) < NUM_ROWS
    ),
]


def of_kind(selection: Selection) -> str:
    return f"{selection.kind}({'exact' if selection.exact else 'inexact'})"


KINDS = ["skip(exact)", "all(exact)", "all(inexact)", "rows(exact)", "rows(inexact)"]


# What two kinds give where no special case applies: rows of both that overlap, neither all of them.
AND = """
              skip(exact)  all(exact)    all(inexact)  rows(exact)   rows(inexact)
skip(exact)   skip(exact)  skip(exact)   skip(exact)   skip(exact)   skip(exact)
all(exact)    skip(exact)  all(exact)    all(inexact)  rows(exact)   rows(inexact)
all(inexact)  skip(exact)  all(inexact)  all(inexact)  rows(inexact) rows(inexact)
rows(exact)   skip(exact)  rows(exact)   rows(inexact) rows(exact)   rows(inexact)
rows(inexact) skip(exact)  rows(inexact) rows(inexact) rows(inexact) rows(inexact)
"""

OR = """
              skip(exact)   all(exact)  all(inexact)  rows(exact)   rows(inexact)
skip(exact)   skip(exact)   all(exact)  all(inexact)  rows(exact)   rows(inexact)
all(exact)    all(exact)    all(exact)  all(exact)    all(exact)    all(exact)
all(inexact)  all(inexact)  all(exact)  all(inexact)  all(inexact)  all(inexact)
rows(exact)   rows(exact)   all(exact)  all(inexact)  rows(exact)   rows(inexact)
rows(inexact) rows(inexact) all(exact)  all(inexact)  rows(inexact) rows(inexact)
"""


def table(text: str) -> list[tuple[str, str, str]]:
    head, *lines = (line.split() for line in text.strip().splitlines())
    assert head == KINDS and [line[0] for line in lines] == KINDS
    return [
        (first, other, cell)
        for first, *cells in lines
        for other, cell in zip(head, cells, strict=True)
    ]


def example(kind: str, rows: Rows) -> Selection:
    [found] = (
        s for s in SELECTIONS if of_kind(s) == kind and (s.matching is None or upper(s) == rows)
    )
    return found


@pytest.mark.parametrize(
    ("operator", "one", "other", "wanted"),
    [("and", *row) for row in table(AND)] + [("or", *row) for row in table(OR)],
)
def test_truth_tables(operator: str, one: str, other: str, wanted: str) -> None:
    first, second = example(one, frozenset((0,))), example(other, frozenset((0,)))
    found = first & second if operator == "and" else first | second
    assert of_kind(found) == wanted


def test_no_row_is_lost_and_exact_answers_are_exact() -> None:
    """Whatever rows match both questions: they are selected, and where it is exact no others."""
    for first, second in product(SELECTIONS, SELECTIONS):
        both, either = first & second, first | second
        assert upper(both) == upper(first) & upper(second)
        assert upper(either) == upper(first) | upper(second)
        for left, right in product(meanings(first), meanings(second)):
            assert left & right in meanings(both)
            assert left | right in meanings(either)
        assert (both.num_rows, either.num_rows) == (NUM_ROWS, NUM_ROWS)


def test_two_answers_to_one_question() -> None:
    for first, second in product(SELECTIONS, SELECTIONS):
        possible = meanings(first) & meanings(second)
        if possible:  # else they contradict each other
            assert possible <= meanings(narrow(first, second))


def test_the_number_of_rows_is_that_of_either_side() -> None:
    unknown = Selection("all", False)
    for known in SELECTIONS:
        for found in (unknown & known, known & unknown, unknown | known, known | unknown):
            assert found.num_rows == NUM_ROWS
        assert upper(unknown & known) == upper(known) == upper(known & unknown)
        assert not (unknown & known).exact or known.kind == "skip"


pytestmark = pytest.mark.filterwarnings("ignore::paimon_ksy.IndexIgnoredWarning")

ROWS = {
    "skip": Selection("skip", True, None, 4),
    "rows": Selection("rows", True, BitMap([1, 2]), 4),
    "loose": Selection("rows", False, BitMap([2, 3]), 4),
    "all": Selection("all", True, None, 4),
    "unknown": Selection("all", False),
}


@pytest.mark.parametrize(
    ("first", "second", "kind", "exact"),
    [
        ("unknown", "rows", "rows", True),
        ("rows", "loose", "rows", True),
        ("loose", "rows", "rows", True),
        ("loose", "unknown", "rows", False),
        ("skip", "unknown", "skip", True),
    ],
)
def test_two_indexes_of_a_column(first: str, second: str, kind: str, exact: bool) -> None:
    selection = narrow(ROWS[first], ROWS[second])
    assert (selection.kind, selection.exact) == (kind, exact)


def test_rows_of_each_kind_can_be_listed() -> None:
    assert [*Selection("skip", True).rows] == []
    assert [*Selection("all", False, None, 3).rows] == [0, 1, 2]
    assert [*Selection("rows", True, BitMap([2, 5]), 9).rows] == [2, 5]
    with pytest.raises(PaimonKsyError, match="the number of rows is unknown"):
        _ = Selection("all", False).rows


def test_repr_has_the_count_and_the_first_rows() -> None:
    assert repr(Selection("rows", False, BitMap(range(12)), 90)) == (
        "<Selection rows: 12 of 90 rows, a superset of those that match: "
        "0, 1, 2, 3, 4, 5, 6, 7, 8, 9, ..>"
    )
    assert repr(Selection("skip", True, None, 90)) == "<Selection skip: 0 of 90 rows>"
    assert repr(Selection("all", True)) == "<Selection all: all rows>"
