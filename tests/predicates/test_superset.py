"""Parts that are not sure leave a predicate that is true for at least the same rows."""

import pytest

from paimon_ksy.predicates.superset import superset
from paimon_ksy.predicates.tree import Always, Not, Predicate, Unsure, col
from paimon_ksy.types.schema import Schema

SCHEMA = Schema.parse("a INT, b STRING")
A, UNSURE = col("a") == 1, Unsure("")


@pytest.mark.parametrize(
    ("predicate", "text", "exact"),
    [
        (A, "a = 1", True),
        (Not(A), "a <> 1", True),
        (UNSURE, "TRUE", False),
        (Not(UNSURE), "TRUE", False),
        (A & UNSURE, "a = 1", False),
        (A | UNSURE, "TRUE", False),
        (Not(A | UNSURE), "a <> 1", False),
        (Not(A & UNSURE), "TRUE", False),
        (Always(False) & UNSURE, "FALSE", True),
        (A & (col("b") > 5), "a = 1", False),  # a literal that does not fit
        (A & (col("nope") == 5), "a = 1", False),
    ],
)
def test_superset(predicate: Predicate, text: str, exact: bool) -> None:
    found, is_exact = superset(predicate, SCHEMA)
    assert (repr(found), is_exact) == (text, exact)
