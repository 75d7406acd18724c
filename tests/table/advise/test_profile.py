"""Profiles of columns."""

from __future__ import annotations

import pyarrow as pa
import pytest

from paimon_ksy.table.advise.profile import ColumnProfile
from paimon_ksy.table.advise.report import Advice
from paimon_ksy.types.parse import parse_type
from tests.support.advice import FILES, ROWS, column

INT, STRING = parse_type("INT"), parse_type("STRING")


def test_columns_of_a_table(typical: Advice) -> None:
    figures = {name: column(typical, name) for name in ("id", "status", "closed", "tags")}
    assert [one.distinct_in_file for one in figures.values()] == [ROWS, 4, ROWS, None]
    assert [one.nulls for one in figures.values()] == [0, 0, pytest.approx(1 / FILES), None]


def test_numbers_of_several_files() -> None:
    """The rarest and the most common value are known over all files."""
    rare = [None, 7, *[1] * 30, *range(100, 180), *range(100, 180)]
    first = ColumnProfile.of(pa.array(rare, pa.int32()), INT)
    assert (first.rows, first.nulls, first.distinct) == (192, 1, 82)
    assert (first.values[7], first.values[1]) == (1, 30)
    assert len(first.values) == 16
    second = ColumnProfile.of(pa.array([1, 2, 2, None], pa.int32()), INT)
    both = ColumnProfile.sum([first, second])
    assert (both.rows, both.nulls, both.distinct) == (196, 2, 82)
    assert (both.values[1], both.values[2]) == (31, 2)
    assert sum(rows for _, rows in both.quantiles) == pytest.approx(194)
    assert [value for value, _ in both.quantiles] == sorted(value for value, _ in both.quantiles)


@pytest.mark.parametrize(
    ("texts", "is_text"),
    [
        ([f"{n} {'x' * 50}" for n in range(20)], True),
        ([f"{n % 3} {'x' * 50}" for n in range(20)], False),
        ([str(n) for n in range(20)], False),
    ],
)
def test_long_texts(texts: list[str], is_text: bool) -> None:
    assert ColumnProfile.of(pa.array(texts), STRING).is_text is is_text
    assert not ColumnProfile.of(pa.array(["x" * 300]), STRING).values
