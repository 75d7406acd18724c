"""How the report on advice writes its numbers."""

from __future__ import annotations

import pytest

from paimon_ksy.table.advise.report import amount, percent


@pytest.mark.parametrize(
    ("share", "text"),
    [(0, "0 %"), (0.00001, "<0.1 %"), (0.004, "0.4 %"), (0.5, "50 %"), (1, "100 %")],
)
def test_shares_are_written(share: float, text: str) -> None:
    assert percent(share) == text


@pytest.mark.parametrize(
    ("size", "text"),
    [
        (0, "0 bytes"),
        (950, "950 bytes"),
        (12_300, "12 kB"),
        (3_400_000, "3.4 MB"),
        (2e12, "2,000 GB"),
    ],
)
def test_sizes_are_written(size: float, text: str) -> None:
    assert amount(size) == text
