"""What columns are like in all files of a sample."""

from __future__ import annotations

from paimon_ksy.table.advise.report import Advice
from tests.support.advice import FILES, ROWS, column


def test_what_columns_are_like(typical: Advice) -> None:
    figures = column(typical, "status")
    assert (figures.distinct, figures.distinct_in_file, figures.nulls) == (4, 4, 0)
    assert figures.in_files == (3 + 1 / 8) / 4
    assert figures.in_bounds == 1
    ids = column(typical, "id")
    assert ids.is_estimate and ids.distinct is not None
    assert 0.85 < ids.distinct / (FILES * ROWS) <= 1
    assert ids.in_files == ids.in_bounds == 1 / 8
    assert column(typical, "closed").nulls == 1 / 8
    assert column(typical, "tags").distinct is None
