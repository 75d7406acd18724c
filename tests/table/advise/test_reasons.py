"""Verdicts, and the reasons for them."""

from __future__ import annotations

from pathlib import Path

from paimon_ksy.table.advise.advise import advise
from paimon_ksy.table.advise.report import Advice
from paimon_ksy.table.store import Table, save_options_of
from tests.support.advice import LOCAL, verdicts
from tests.support.tables import decimals


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


def test_an_index_that_cannot_be_built_is_dropped(tmp_path: Path) -> None:
    """Though it can be built of another file: Java cannot write such values beside the option."""
    path = decimals(tmp_path)
    save_options_of(Table.at(path), {"file-index.bsi.columns": "id,big"})
    advice = advise(path, engine=LOCAL)
    assert verdicts(advice) == {"id": "keep bsi", "big": "drop"}
    assert "64 bits" in advice.columns[1].why
    assert advice.options["file-index.bsi.columns"] == "id"
