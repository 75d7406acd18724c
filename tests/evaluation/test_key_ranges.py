"""Ranges of keys at the ends of types, where indexes of few values do not show what they are."""

import math

import pytest

from paimon_ksy.evaluation.evaluate import Range
from paimon_ksy.evaluation.key_ranges import KeyRanges, key_ranges
from paimon_ksy.predicates.tree import Comparison, In, StartsWith
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


def test_both_zeros_are_one_value() -> None:
    assert pairs(In("a", (0.0, 1.0)), "DOUBLE")[0] == (-1, 1)
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


def test_prefixes() -> None:
    assert pairs(StartsWith("a", "ab"), "STRING") == [(b"ab", b"ac")]
    assert pairs(StartsWith("a", ""), "STRING") == [(b"", None)]
    assert key_ranges(StartsWith("a", "ab", negated=True), parse_type("STRING")) is None


def test_a_key_is_in_a_range_up_to_its_stop() -> None:
    ranges = KeyRanges([1, 10], [3, None])
    assert [key for key in (0, 1, 2, 3, 9, 10, 99) if ranges.holds(key)] == [1, 2, 10, 99]
