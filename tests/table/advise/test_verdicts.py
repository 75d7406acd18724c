"""Verdicts, and the reasons for them."""

from __future__ import annotations

from pathlib import Path

import pytest

from paimon_ksy.table.advise.advise import advise
from paimon_ksy.table.advise.report import Advice
from paimon_ksy.table.store import Table
from paimon_ksy.table.store.alter import set_options
from tests.support.advice import LOCAL, column, part, verdicts
from tests.support.tables import decimals
from tools.tables import make_table


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("id", "minimum and maximum exclude"),
        ("status", "saves "),
        ("region", "matching rows are in most files and pages"),
        ("note", "its values have no typical predicates"),
        ("m", "a MAP: indexes are built on its keys, if a predicate names them"),
        ("tags", "no index supports ARRAY"),
    ],
)
def test_each_column_has_a_reason(name: str, why: str, typical: Advice) -> None:
    assert column(typical, name).why.startswith(why)


def test_reasons_for_existing_indexes(indexed: str) -> None:
    advice = advise(indexed, engine=LOCAL, columns=["status", "region"])
    assert column(advice, "region").why.endswith("pass --predicates to find out")
    assert column(advice, "status").why.startswith("saves")


def test_an_index_that_cannot_be_built_is_dropped(tmp_path: Path) -> None:
    """Though it can be built of another file: Java cannot write such values beside the option."""
    path = decimals(tmp_path)
    set_options(Table.at(path), {"file-index.bsi.columns": "id,big"})
    advice = advise(path, engine=LOCAL)
    assert verdicts(advice) == {"id": "keep bsi", "big": "drop"}
    assert "64 bits" in advice.columns[1].why
    assert advice.options["file-index.bsi.columns"] == "id"


def test_tiny_tables_need_no_index(tmp_path: Path) -> None:
    path = make_table(tmp_path, "t", [part(1).slice(6000, 2000).select(["status", "id"])])
    advice = advise(path, predicates=["status = 'PENDING'"], engine=LOCAL)
    assert verdicts(advice) == {"status": "none", "id": "none"}
    assert "an index saves nothing" in column(advice, "status").why
    assert advice.options == {}
