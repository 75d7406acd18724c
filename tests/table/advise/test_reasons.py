"""Verdicts, and the reasons for them."""

from __future__ import annotations

from paimon_ksy.table.advise.report import Advice
from tests.support.advice import verdicts


def test_right_answers(typical: Advice) -> None:
    assert verdicts(typical) == {
        "id": "none",
        "status": "add bitmap",
        "amount": "add range-bitmap",
        "user_id": "none",
        "region": "none",
        "note": "none",
        "closed": "none",
        "m": "none",
        "tags": "none",
    }
    why = {column.column: column.why for column in typical.columns}
    assert why["id"].startswith("minimum and maximum exclude")
    assert "matching rows are in most files and pages" in why["region"]
    assert "predicates seldom compare long, distinct texts" in why["note"]
    assert why["m"] == "a MAP: indexes are built on its keys, if a predicate names them"
    assert why["tags"] == "no index supports ARRAY"
    assert "saves" in why["status"] and "% of the data" in why["status"]
