"""Profiles of columns."""

from __future__ import annotations

import pytest

from paimon_ksy.table.advise.report import Advice
from tests.support.advice import FILES, ROWS, column


def test_columns_of_a_table(typical: Advice) -> None:
    figures = {name: column(typical, name) for name in ("id", "status", "closed", "tags")}
    assert [one.distinct_in_file for one in figures.values()] == [ROWS, 4, ROWS, None]
    assert [one.nulls for one in figures.values()] == [0, 0, pytest.approx(1 / FILES), None]
