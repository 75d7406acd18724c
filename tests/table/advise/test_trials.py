"""What is tried on which file: predicates, with which indexes together."""

from __future__ import annotations

from paimon_ksy.table.advise.advise import advise
from tests.support.advice import FILES, LOCAL


def test_columns_that_are_asked_together(orders: str) -> None:
    """One index decides already, the other would add nothing."""
    given = ["status = 'PENDING' AND amount BETWEEN 3000 AND 4000"]
    advice = advise(orders, sample=FILES, predicates=given, engine=LOCAL)
    assert sum(column.verdict == "add" for column in advice.columns) == 1
    [asked] = advice.predicates
    assert asked.columns == ("status", "amount")
    assert asked.indexes.keys() == {
        "bitmap:status",
        "range-bitmap:status",
        "bloom-filter:status",
        "range-bitmap:amount",
        "bsi:amount",
    }
    assert asked.advised.files == 7 / 8
