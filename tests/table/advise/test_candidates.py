"""Which indexes are tried."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest

from paimon_ksy.table.advise.advise import advise
from paimon_ksy.table.index.rewrite import rewrite_index
from tests.support.advice import LOCAL, column, follow, index_sizes, part, verdicts
from tools.tables import make_table


def test_indexes_that_no_option_asks_for(tmp_path: Path) -> None:
    """Built with options for that time: those of columns that are not looked at stay."""
    path = make_table(tmp_path, "t", map(part, range(2)))
    there = {
        "file-index.bitmap.columns": "region,m[k]",
        "file-index.bsi.columns": "amount",
        "file-index.bloom-filter.columns": "note",
        "file-index.bloom-filter.note.items": "22000",
        "file-index.bloom-filter.note.fpp": "0.01",
    }
    rewrite_index(path, set=there, engine=LOCAL)
    before = index_sizes(path)
    advice = advise(path, columns=["tags"], engine=LOCAL)
    assert advice.options.keys() == there.keys()
    follow(advice, saves=False)
    assert index_sizes(path) == before
    rewrite_index(
        path, set={k: v or "" for k, v in advice.options.items()}, rebuild=True, engine=LOCAL
    )
    assert index_sizes(path) == pytest.approx(before, rel=0.01)
    of_a_column = advise(path, predicates=["region = 'x'"], engine=LOCAL)
    assert of_a_column.options == {"file-index.bitmap.columns": "m[k]"}


def test_another_type_is_better(orders: str, tmp_path: Path) -> None:
    options = {"file-index.bloom-filter.columns": "amount2"}
    options["file-index.bloom-filter.amount2.items"] = "500"
    parts = (part(at) for at in range(4))
    made = (p.append_column("amount2", p["amount"].cast(pa.int32())) for p in parts)
    path = make_table(tmp_path, "t", made, options)
    rewrite_index(path, engine=LOCAL)
    advice = advise(path, predicates=["amount2 BETWEEN 2500 AND 2510"], engine=LOCAL)
    assert verdicts(advice)["amount2"] in ("replace range-bitmap", "replace bitmap")
    assert advice.options["file-index.bloom-filter.amount2.items"] is None
    assert advice.options["file-index.bloom-filter.columns"] is None
    follow(advice)
    kind = column(advice, "amount2").advised[0]
    assert {key for key in index_sizes(path) if key[0] == "amount2"} == {
        ("amount2", "bloom-filter"),
        ("amount2", kind),
    }
    rewrite_index(path, drop_unlisted=True, engine=LOCAL)
    assert {key for key in index_sizes(path) if key[0] == "amount2"} == {("amount2", kind)}
