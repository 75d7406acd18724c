"""The fates of single files add up to what `explain` counts."""

from collections import Counter
from pathlib import Path
from typing import Any

import pytest

import paimon_ksy as pk
from paimon_ksy.table.query.fates import STEPS, Fate, fates
from paimon_ksy.table.query.plan import plan_query
from paimon_ksy.table.query.query import Query
from paimon_ksy.table.store import Table
from tests.support.golden_tables import expected, golden_table, golden_table_names
from tests.support.tables import STATUS, make, rows, run_rewrite

WHERE = [
    None,
    "day = 'a'",
    "status = 'PAID'",
    "status = 'nothing'",
    "day <> 'a' AND status = 'PAID'",
    "id >= 150",
    "id >= 150 AND status IS NULL",
]


def found(path: str, where: Any, most: int = 100) -> list[Fate]:
    planned = plan_query(Table.at(path), Query(where, None, None, None, None, None))
    return list(fates(planned, most))


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("fates")
    commits = [rows(100 * n, 40 + n, day="ab"[n % 2]) for n in range(4)]
    options = {**STATUS, "metadata.stats-mode": "full"}
    path = make(folder, commits, options, partitions=["day"])
    run_rewrite(path)
    return path


@pytest.mark.parametrize("where", WHERE)
def test_they_add_up_to_explain(table: str, where: str | None) -> None:
    steps = {step.step: step for step in pk.explain(table, where)}
    each = found(table, where)
    left_out = Counter(fate.left_out for fate in each)
    assert len(each) == 4
    for name in STEPS:
        assert left_out[name] == (steps[name].files_skipped if name in steps else 0)
    assert left_out[None] == steps["rows"].files_kept
    read = [fate for fate in each if fate.left_out is None]
    assert sum(fate.rows or 0 for fate in read) == steps["rows"].rows_kept
    assert sum(fate.groups[0] for fate in read if fate.groups) == steps["rows"].row_groups_kept
    for fate in read:
        assert fate.strip is not None
        assert (sum(fate.strip.counts), fate.strip.num_rows) == (fate.rows, fate.file.num_rows)


def test_no_more_than_asked_for(table: str) -> None:
    assert len(found(table, None, most=3)) == 3
    assert found(table, None, most=0) == []


@pytest.mark.parametrize("name", golden_table_names())
def test_every_golden_table(name: str, tmp_path: Path) -> None:
    """Files that are merged, fixed buckets, other formats, deletion vectors."""
    path = golden_table(name, tmp_path)
    for predicate in [None, *(case.predicate for case in expected(name).cases[:3])]:
        steps = {step.step: step for step in pk.explain(path, predicate)}
        each = found(path, predicate)
        left_out = Counter(fate.left_out for fate in each)
        assert left_out["index"] == steps["index"].files_skipped
        assert left_out[None] == steps["rows"].files_kept
        if all(fate.rows is not None for fate in each):
            assert sum(fate.rows or 0 for fate in each) == steps["rows"].rows_kept
