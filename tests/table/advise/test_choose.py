"""Which indexes are tried, and which of them are worth their bytes."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from paimon_ksy.table.advise import choose
from paimon_ksy.table.advise.advise import advise
from paimon_ksy.table.index.rewrite import rewrite_index
from tests.support.advice import FILES, LOCAL, column, follow, index_sizes, part, verdicts
from tools.tables import make_table

RARE, OFTEN = "status = 'PENDING'", "status <> 'PENDING'"


def test_frequent_predicates_count_more(orders: str) -> None:
    few = advise(orders, predicates=[RARE, OFTEN], columns=["status"], engine=LOCAL)
    many = advise(orders, predicates=[RARE, *[OFTEN] * 12], columns=["status"], engine=LOCAL)
    assert verdicts(few) == {"status": "add bitmap"}
    assert verdicts(many) == {"status": "none"}
    assert [asked.weight for asked in many.predicates] == [1, 12]


def test_one_index_suffices_for_columns_tested_together(orders: str) -> None:
    given = ["status = 'PENDING' AND amount BETWEEN 1000 AND 1500"]
    advice = advise(orders, predicates=given, engine=LOCAL)
    assert sum(column.verdict == "add" for column in advice.columns) == 1
    [asked] = advice.predicates
    assert asked.columns == ("status", "amount")
    assert asked.indexes.keys() == {
        *("bitmap:status", "range-bitmap:status", "bloom-filter:status"),
        *("range-bitmap:amount", "bsi:amount"),
    }
    assert asked.advised.files == pytest.approx(2 / 3)


def test_existing_indexes_stay_without_given_predicates(indexed: str) -> None:
    advice = advise(indexed, engine=LOCAL, columns=["id", "status", "region", "user_id"])
    assert verdicts(advice) == {
        "id": "keep bsi",
        "status": "keep bitmap",
        "region": "keep bitmap",
        "user_id": "drop",  # it takes much
    }
    there = {index.index_type for index in column(advice, "id").indexes if index.exists}
    assert there == {"bsi"}
    assert advice.options == {"file-index.bitmap.columns": "region,status"}


def test_columns_that_are_not_considered_keep_their_indexes(indexed: str) -> None:
    given = [RARE, "note = 'a note of some length 5'"]
    advice = advise(indexed, predicates=given, columns=["note"], engine=LOCAL)
    assert verdicts(advice) == {"note": "add bloom-filter"}
    assert set(advice.options) == {
        f"file-index.bloom-filter.{option}" for option in ("columns", "note.items", "note.fpp")
    }


def test_unlisted_indexes_stay(tmp_path: Path) -> None:
    """Indexes that no option lists, on columns that are not considered: no command drops them."""
    path = make_table(tmp_path, "t", map(part, range(2)))
    there = {"file-index.bitmap.columns": "region,m[k]", "file-index.bsi.columns": "amount"}
    rewrite_index(path, set=there, engine=LOCAL)
    before = index_sizes(path)
    advice = advise(path, predicates=[RARE], columns=["status"], engine=LOCAL)
    assert advice.options == {"file-index.bitmap.columns": "status"}
    assert "drop-unlisted" not in str(advice.notes)
    follow(advice)
    assert before.items() <= index_sizes(path).items()


def test_another_type_is_better(tmp_path: Path) -> None:
    options = {"file-index.bloom-filter.columns": "cents"}
    options["file-index.bloom-filter.cents.items"] = "500"
    parts = (part(at) for at in range(FILES))
    made = (p.append_column("cents", p["amount"].cast(pa.int32())) for p in parts)
    path = make_table(tmp_path, "t", made, options)
    rewrite_index(path, engine=LOCAL)
    advice = advise(path, predicates=["cents BETWEEN 1500 AND 1510"], engine=LOCAL)
    [kind] = column(advice, "cents").advised
    assert column(advice, "cents").verdict == "replace" and kind in ("range-bitmap", "bitmap")
    assert advice.options["file-index.bloom-filter.cents.items"] is None
    assert advice.options["file-index.bloom-filter.columns"] is None
    follow(advice)
    assert index_sizes(path).keys() == {("cents", "bloom-filter"), ("cents", kind)}
    rewrite_index(path, drop_unlisted=True, engine=LOCAL)
    assert index_sizes(path).keys() == {("cents", kind)}


def test_many_columns_share_the_room(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without predicates, the indexes that save most come first, until there are enough."""

    def made(at: int) -> pa.Table:
        rng = np.random.default_rng(at)
        return pa.table({f"c{n}": rng.integers(0, 40_000, 16_000) for n in range(10)})

    monkeypatch.setattr(choose, "MOST", 0.1)
    path = make_table(tmp_path, "t", map(made, range(FILES)))
    advice = advise(path, engine=LOCAL)
    added = [one for one in advice.columns if one.verdict == "add"]
    assert 0 < len(added) < 10
    assert advice.index_bytes <= 0.1 * advice.sample_bytes
    crowded = [one.why for one in advice.columns if "indexes on all such columns" in one.why]
    assert len(added) + len(crowded) == 10
    # Given predicates are known to be needed.
    advice = advise(path, predicates=[f"c{n} = 17" for n in range(10)], engine=LOCAL)
    assert sum(one.verdict == "add" for one in advice.columns) > len(added)
