"""Files that have to be merged: pypaimon reads the same rows."""

from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pytest

from paimon_ksy.data_files.data_file import ReadStats
from paimon_ksy.predicates.tree import col
from paimon_ksy.table.index.rewrite import rewrite_index
from paimon_ksy.table.query.explain import explain
from paimon_ksy.table.query.file_task import FileTask
from paimon_ksy.table.query.merge_task import MergeTask
from paimon_ksy.table.query.plan import plan_query
from paimon_ksy.table.query.query import Query
from paimon_ksy.table.query.read import count, query
from paimon_ksy.table.store import Table
from tests.support.golden_tables import golden_table, ordered, rows_of
from tests.support.query_tables import KEYED, LOCAL, brute, found_rows, versions
from tools.tables import by_pypaimon, make_table

ENGINES = {
    "deduplicate": {},
    "partial-update": {"merge-engine": "partial-update"},
    "aggregation": {
        "merge-engine": "aggregation",
        "fields.a.aggregate-function": "sum",
        "fields.b.aggregate-function": "max",
    },
}


@pytest.mark.parametrize("merge", ENGINES)
def test_merge_engines(merge: str, tmp_path: Path) -> None:
    """Files that have to be merged are tasks of their own; rows are as pypaimon reads them."""
    keys = ["k", "p"]
    schema = pa.schema([field.with_nullable(field.name not in keys) for field in KEYED])
    commits = [versions(seed, 60, 25).cast(schema) for seed in range(3)]
    late = versions(9, 10, 5)
    commits.append(
        pa.table([pc.add(late["k"], 1000), *late.columns[1:]], names=KEYED.names).cast(schema)
    )
    path = make_table(
        tmp_path,
        "keyed",
        commits,
        {"bucket": "2", **ENGINES[merge]},
        partition_keys=["p"],
        primary_keys=keys,
    )
    indexes = {"file-index.bitmap.columns": "a,b", "file-index.bloom-filter.columns": "k"}
    rewrite_index(path, set=indexes, engine=LOCAL)
    table = Table.at(path)
    rows = rows_of(by_pypaimon(path))
    assert found_rows(table) == ordered(rows)
    kinds = {type(task) for task in plan_query(table, Query())}
    assert kinds == {FileTask, MergeTask}
    columns = table.schema.columns
    for where in (
        col("k") == 7,
        col("k") >= 1000,
        col("a") == 1,
        col("a").is_null() | (col("b") == "b"),
        (col("b") == "b1") & (col("p") == "x"),
        col("b") == "nowhere",
    ):
        wanted = brute(columns, rows, where)
        assert found_rows(table, where) == ordered(wanted), where
        assert count(table, where, engine=LOCAL).count == len(wanted), where
        for order in ("k DESC", "a NULLS LAST", "b DESC NULLS FIRST"):
            at = columns.names.index(order.split()[0])
            top = query(table, where, order_by=order, limit=4, engine=LOCAL)
            assert set(ordered(rows_of(top))) <= set(ordered(wanted))
            assert top.num_rows == min(4, len(wanted))
            nulls = sum(row[at] is None for row in wanted)
            last = order.endswith("LAST") or (order == "k DESC")
            shown = max(0, top.num_rows - len(wanted) + nulls) if last else min(4, nulls)
            assert top.column(at).null_count == shown
    # Where merging cannot make a row out of several, what no file holds is nowhere.
    left = [task.pruned(ReadStats()) for task in plan_query(table, Query(col("b") == "nowhere"))]
    assert any(left) == (merge != "deduplicate")
    assert not plan_query(table, Query(col("k") == 5000)).tasks
    notes = [note for step in explain(table, engine=LOCAL) for note in step.notes]
    assert any("merge pending" in note for note in notes)


def test_deletions_of_keys(tmp_path: Path) -> None:
    """A file with deletions is not read by itself, though nothing overlaps it."""
    path = golden_table("pk_plain_no_dv", tmp_path)
    table = Table.at(path)
    snapshot = table.snapshot(2)
    files = [file for file in table.data_files.of(snapshot) if file.delete_row_count]
    assert files
    for task in plan_query(table, Query(snapshot_id=2)):
        assert isinstance(task, MergeTask)
