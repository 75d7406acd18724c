"""Ranges of keys at the ends of types, where indexes of few values do not show what they are."""

import math
from dataclasses import replace
from decimal import Decimal

import pytest
from pyroaring import BitMap

from paimon_ksy.evaluation.evaluate import Range
from paimon_ksy.evaluation.key_ranges import KeyRanges, key_ranges, match_ranges
from paimon_ksy.evaluation.selection import Selection
from paimon_ksy.predicates.tree import (
    Comparison,
    Contains,
    EndsWith,
    In,
    Like,
    Match,
    StartsWith,
)
from paimon_ksy.types.parse import parse_type

LEAST, GREATEST = -(2**63), 2**63 - 1


def pairs(
    leaf: Comparison | In | StartsWith | Range, type_text: str
) -> list[tuple[object, object]]:
    found = key_ranges(leaf, parse_type(type_text))
    assert found is not None
    return list(found.pairs)


def compared(op: str, value: object) -> Comparison:
    return Comparison(op, "a", value)


def test_the_greatest_number_is_in_a_range() -> None:
    assert pairs(compared("=", GREATEST), "BIGINT") == [(GREATEST, 2**63)]
    assert pairs(compared(">=", GREATEST), "BIGINT") == [(GREATEST, 2**63)]
    assert pairs(compared("<=", LEAST), "BIGINT") == [(LEAST, LEAST + 1)]


def test_a_range_of_no_number_is_none() -> None:
    assert pairs(compared(">", GREATEST), "BIGINT") == []
    assert pairs(compared("<", LEAST), "BIGINT") == []
    assert pairs(Range("a", compared(">", 5), compared("<", 6)), "INT") == []
    assert pairs(Range("a", compared(">", GREATEST), compared("<", 6)), "BIGINT") == []
    assert pairs(Range("a", compared(">", 5), compared("<", LEAST)), "BIGINT") == []


def test_decimals_are_stored_without_their_scale() -> None:
    one, two = Decimal("1.50"), Decimal(2)
    assert pairs(In("a", (two, one)), "DECIMAL(5, 2)") == [(150, 151), (200, 201)]
    assert pairs(compared("=", one), "DECIMAL(5, 2)") == [(150, 151)]
    between = Range("a", compared(">=", one), compared("<=", two))
    assert pairs(between, "DECIMAL(5, 2)") == [(150, 201)]
    assert pairs(compared("=", two), "DECIMAL(5, 0)") == [(2, 3)]


def test_both_zeros_are_one_value() -> None:
    one = 0x3FF0 << 48
    assert pairs(In("a", (1.0, 0.0)), "DOUBLE") == [(-1, 1), (one, one + 1)]
    assert pairs(compared("=", 0.0), "DOUBLE") == pairs(compared("=", -0.0), "FLOAT") == [(-1, 1)]
    other, zero = (key_ranges(compared("=", value), parse_type("DOUBLE")) for value in (1.5, -0.0))
    assert other is not None and other.are_single and len(other) == 1
    assert zero is not None and not (zero.are_single and len(zero) == 1)
    assert pairs(compared("<", 0.0), "DOUBLE") == [(LEAST, -1)]
    assert pairs(compared(">", -0.0), "DOUBLE") == [(1, 2**63)]
    [(nan, after)] = pairs(compared("=", math.nan), "DOUBLE")
    assert nan == 0x7FF8 << 48 and after == nan + 1


@pytest.mark.parametrize(
    ("op", "value", "wanted", "exact"),
    [
        (">", 999, (1, 2**63), True),
        (">=", 999, (0, 2**63), False),
        ("<", 1001, (LEAST, 2), False),
        ("<", 1000, (LEAST, 1), True),
    ],
)
def test_timestamps_of_nanoseconds_are_cut(
    op: str, value: int, wanted: tuple[int, int], exact: bool
) -> None:
    found = key_ranges(compared(op, value), parse_type("TIMESTAMP(9)"))
    assert found is not None
    assert (*found.pairs, found.exact) == (wanted, exact)


@pytest.mark.parametrize(
    ("above", "below", "exact"),
    [(999, 2000, True), (998, 2000, False), (999, 2001, False), (998, 2001, False)],
)
def test_a_range_is_exact_if_both_ends_are(above: int, below: int, exact: bool) -> None:
    between = Range("a", compared(">", above), compared("<", below))
    found = key_ranges(between, parse_type("TIMESTAMP(9)"))
    assert found is not None and found.exact == exact


@pytest.mark.parametrize(
    ("type_text", "wanted", "exact"),
    [("TIMESTAMP(3)", [(1, 2)], True), ("TIMESTAMP(9)", [(1000, 1001), (2500, 2501)], False)],
)
def test_times_between_two_that_an_index_can_store(
    type_text: str, wanted: list[tuple[int, int]], exact: bool
) -> None:
    """No row has one, unless the index stores them without their nanoseconds."""
    leaf = In("a", (1_000_000, 2_500_001, 2_500_000))
    found = key_ranges(leaf, parse_type(type_text))
    assert found is not None
    assert (list(found.pairs), found.exact) == (wanted, exact)


@pytest.mark.parametrize(
    ("op", "text", "wanted"),
    [
        ("<", "a b", [(b"", b"a b!")]),
        (">=", "a b ", [(b"a b", None)]),
        (">", "", [(b"", None)]),
        ("<", "a\tb", None),
    ],
)
def test_ranges_of_padded_texts(op: str, text: str, wanted: list[object] | None) -> None:
    """What sorts before a space comes before the padding in one order and after it in the other."""
    found = key_ranges(compared(op, text), parse_type("CHAR(3)"))
    assert (None if found is None else list(found.pairs)) == wanted
    assert found is None or not found.exact


def test_texts_between_two() -> None:
    between = Range("a", compared(">=", "b"), compared("<", "d"))
    assert pairs(between, "STRING") == [(b"b", b"d")]
    assert pairs(between, "CHAR(3)") == [(b"b", b"d!")]


@pytest.mark.parametrize(("low", "high"), [("a\tb", "d"), ("a", "d\tb"), ("a\tb", "d\tb")])
def test_a_range_needs_both_ends(low: str, high: str) -> None:
    between = Range("a", compared(">=", low), compared("<", high))
    assert key_ranges(between, parse_type("CHAR(3)")) is None


def test_prefixes() -> None:
    assert pairs(StartsWith("a", "ab"), "STRING") == [(b"ab", b"ac")]
    assert pairs(StartsWith("a", ""), "STRING") == [(b"", None)]
    assert key_ranges(StartsWith("a", "ab", negated=True), parse_type("STRING")) is None


@pytest.mark.parametrize(
    ("leaf", "matching"),
    [
        (StartsWith("a", "ab"), ["ab", "abc"]),
        (EndsWith("a", "ab"), ["ab", "cab"]),
        (Contains("a", "ab"), ["ab", "abc", "cab", "cabc"]),
        (Like("a", "_a%"), ["cab", "cabc"]),
    ],
)
@pytest.mark.parametrize("negated", [False, True])
def test_keys_that_match_a_pattern(negated: bool, leaf: Match, matching: list[str]) -> None:
    found = match_ranges(replace(leaf, negated=negated))
    keys = ["ab", "abc", "b", "cab", "cabc"]
    assert [key for key in keys if found.holds(key.encode())] == matching
    assert (found.exact, found.negated) == (True, negated)


def test_a_key_is_in_a_range_up_to_its_stop() -> None:
    ranges = KeyRanges([1, 10], [3, None])
    assert [key for key in (0, 1, 2, 3, 9, 10, 99) if ranges.holds(key)] == [1, 2, 10, 99]


def test_texts_with_any_padding_are_ranges_that_are_apart() -> None:
    assert pairs(In("a", ("b ", "a", "a b")), "CHAR(3)") == [(b"a", b"a!"), (b"b", b"b!")]
    assert pairs(In("a", ("a", "a!", "c")), "CHAR(3)") == [(b"a", b"a!!"), (b"c", b"c!")]
    found = key_ranges(In("a", ("a", "b")), parse_type("CHAR(3)"))
    assert found is not None
    keys = b"a", b"a  ", b"b ", b"a b", b" a", b"c"
    assert [key for key in keys if found.holds(key)] == [b"a", b"a  ", b"b "]


@pytest.mark.parametrize(
    ("exact", "found", "wanted", "wanted_exact"),
    [(True, [0], [1], True), (False, [0], [0, 1], False), (False, [], [0, 1], True)],
)
def test_rows_without_keys_that_stand_for_several_values(
    exact: bool, found: list[int], wanted: list[int], wanted_exact: bool
) -> None:
    """Of rows with such a key, some may have a value that is wanted."""
    ranges = KeyRanges([1], [2], exact, negated=True)
    selection = ranges.select(BitMap(found), BitMap([0, 1]), 3)
    assert selection == Selection("rows", wanted_exact, BitMap(wanted), 3)
