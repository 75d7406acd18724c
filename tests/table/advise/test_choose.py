"""Which indexes are worth it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from paimon_ksy.table.advise import choose as verdict
from paimon_ksy.table.advise.advise import advise
from tests.support.advice import FILES, LOCAL, column, part, verdicts
from tools.tables import make_table


def test_what_is_asked_often_counts_more(orders: str) -> None:
    """One lookup that an index would answer, among many questions that it cannot."""
    rare, often = "status = 'PENDING'", "status <> 'PENDING'"
    few = advise(orders, predicates=[rare, often], columns=["status"], engine=LOCAL, sample=FILES)
    many = [rare, *[often] * 12]
    advice = advise(orders, predicates=many, columns=["status"], engine=LOCAL, sample=FILES)
    assert verdicts(few) == {"status": "add bitmap"}
    assert verdicts(advice) == {"status": "none"}
    assert [asked.weight for asked in advice.predicates] == [1, 12]


def test_indexes_that_are_there_stay_if_nothing_is_known(indexed: str) -> None:
    advice = advise(indexed, engine=LOCAL, columns=["id", "status", "region", "user_id"])
    assert verdicts(advice) == {
        "id": "keep bsi",
        "status": "keep bitmap",
        "region": "keep bitmap",
        "user_id": "drop",  # it takes much
    }
    assert column(advice, "region").why.endswith("pass --predicates to find out")
    assert column(advice, "status").why.startswith("saves")
    there = {index.index_type for index in column(advice, "id").indexes if index.exists}
    assert there == {"bsi"}
    assert advice.options == {"file-index.bitmap.columns": "region,status"}


def test_columns_that_are_not_looked_at_keep_their_indexes(indexed: str) -> None:
    given = ["status = 'PENDING'", "note = 'a note of some length 5'"]
    advice = advise(indexed, predicates=given, columns=["note"], engine=LOCAL)
    assert verdicts(advice) == {"note": "add bloom-filter"}
    assert set(advice.options) == {
        f"file-index.bloom-filter.{option}" for option in ("columns", "note.items", "note.fpp")
    }


def test_many_columns_share_the_room(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without predicates the indexes that save most come first, until there are enough."""

    def made(at: int) -> pa.Table:
        rng = np.random.default_rng(at)
        return pa.table({f"c{n}": rng.integers(0, 6_000, 4_000) for n in range(40)})

    monkeypatch.setattr(verdict, "MOST", 0.1)
    path = make_table(tmp_path, "t", map(made, range(6)))
    advice = advise(path, engine=LOCAL)
    added = [found for found in advice.columns if found.verdict == "add"]
    assert 1 < len(added) < 40
    assert advice.index_bytes <= 0.1 * advice.sample_bytes
    left = [found.why for found in advice.columns if "indexes on all such columns" in found.why]
    assert len(added) + len(left) > 35
    # Given predicates are known to be needed.
    given = [f"c{n} = 17" for n in range(40)]
    advice = advise(path, predicates=given, engine=LOCAL)
    assert sum(found.verdict == "add" for found in advice.columns) > len(added)


def test_tiny_tables_need_no_index(tmp_path: Path) -> None:
    path = make_table(tmp_path, "t", [part(3).slice(6000, 2000).select(["status", "id"])])
    advice = advise(path, predicates=["status = 'PENDING'"], engine=LOCAL)
    assert verdicts(advice) == {"status": "none", "id": "none"}
    assert "an index saves nothing" in column(advice, "status").why
    assert advice.sql is None
