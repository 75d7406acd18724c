"""LIKE as a regular expression."""

from hypothesis import given
from hypothesis import strategies as st

from paimon_ksy.predicates.tree import Like
from paimon_ksy.types.schema import Schema
from tests.support.brute_force import matching_rows

SCHEMA = Schema.parse(
    "flag BOOLEAN, tiny TINYINT, a INT, big BIGINT, f FLOAT, d DOUBLE, dec DECIMAL(5, 2), "
    "c CHAR(3), s STRING, x BYTES, day DATE, t TIME(3), ts0 TIMESTAMP(0), ts3 TIMESTAMP(3), "
    "ts6 TIMESTAMP(6), ts9 TIMESTAMP(9), ltz TIMESTAMP_LTZ(6), m MAP<STRING, INT>, l ARRAY<INT>"
)


@given(
    st.lists(st.sampled_from(["%", "_", "a", "b", "\\%"]), max_size=8).map("".join),
    st.text("ab%\n", max_size=12),
)
def test_the_regular_expression_of_like(pattern: str, text: str) -> None:
    leaf = Like("s", pattern)
    expected = matching_rows(leaf, {"s": [text]}, SCHEMA) == [0]
    assert (leaf.regex().fullmatch(text) is not None) == expected


def test_like_with_many_wildcards_never_backtracks() -> None:
    """A pattern that did would take years."""
    assert Like("s", "%a" * 30 + "%b").regex().fullmatch("a" * 20_000) is None
