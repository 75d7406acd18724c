"""Why a query reads what it reads."""

from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from paimon_ksy.table.delete.delete import delete
from paimon_ksy.table.inspect.inspect import inspect_table
from paimon_ksy.table.query.explain import explain
from paimon_ksy.table.store import Table
from tests.support.newer_tables import newer_table
from tests.support.query_tables import LOCAL
from tests.support.tables import make, run_rewrite


def test_explain(many: Table) -> None:
    steps = {step.step: step for step in explain(many, "status = 'PENDING'", engine=LOCAL)}
    assert list(steps) == ["partitions", "statistics", "index", "rows"]
    assert steps["partitions"].files_kept == 5
    assert steps["partitions"].notes == ("the table has no partitions",)
    # 'CANCELLED' to 'SHIPPED': PENDING is within the bounds of each file.
    assert (steps["statistics"].files_kept, steps["statistics"].files_skipped) == (5, 0)
    index = steps["index"]
    assert (index.files_kept, index.files_skipped) == (1, 4)
    assert (index.rows_kept, index.rows_skipped) == (20_000, 80_000)
    assert index.bytes_read > 0
    [cause] = index.by
    assert (cause.condition, cause.index) == ("status = 'PENDING'", "bitmap")
    assert (cause.files, cause.files_skipped, cause.rows_skipped) == (5, 4, 99_600)
    rows = steps["rows"]
    assert (rows.rows_kept, rows.rows_skipped) == (400, 19_600)
    assert (rows.row_groups_kept, rows.row_groups_skipped) == (1, 0)
    assert rows.bytes_skipped == index.bytes_kept - rows.bytes_kept
    assert rows.notes == ("every row group of the one file contains a row to read",)


@pytest.mark.parametrize(
    ("where", "causes"),
    [
        ("status = 'A'", 2),
        ("status = 'A' AND region = 'EU'", 3),
        ("status = 'A' AND region = 'EU' AND id > 1500", 4),
        ("status <> 'A'", 2),
        (None, 1),
        ("id >= 0", 2),
    ],
)
def test_causes_add_up(deleted: str, where: str | None, causes: int) -> None:
    """Rows that a vector deletes and those that indexes skip."""
    *_, index, rows = explain(deleted, where, engine=LOCAL)
    [vectors] = [cause for cause in index.by if cause.name == "deletion vectors"]
    assert (vectors.files, vectors.files_skipped, vectors.rows_skipped) == (2, 0, 600)
    skipped = (index.rows_skipped or 0) + (rows.rows_skipped or 0)
    assert max(cause.rows_skipped for cause in index.by) <= skipped
    assert skipped <= sum(cause.rows_skipped for cause in index.by)
    assert len(index.by) == causes


@pytest.fixture(scope="module")
def deleted(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A table of four files with indexes; no row with A is left in two of them."""
    options = {"deletion-vectors.enabled": "true", "file-index.bitmap.columns": "status,region"}
    path = make(
        tmp_path_factory.mktemp("deleted"),
        [
            pa.table(
                {
                    "id": pa.array(range(start, start + 900), pa.int64()),
                    "status": [f"{'ABC'[row % 3]}" for row in range(900)],
                    "region": [("EU", "US")[row % 7 > 0] if start else "US" for row in range(900)],
                }
            )
            for start in range(0, 3600, 900)
        ],
        options,
    )
    run_rewrite(path)
    delete(path, "status = 'A' AND id < 1800", engine=LOCAL)
    return path


@pytest.mark.java
def test_explain_on_spark(many: Table, spark: Any) -> None:
    where = "status = 'PENDING' AND id > 100"
    assert explain(many, where, spark=spark) == explain(many, where, engine=LOCAL)


def test_explain_is_honest(many: Table) -> None:
    """About conditions without an index, and indexes that do not help."""
    steps = explain(many, "id <> 7 AND status <> 'LOST'", engine=LOCAL)
    notes = [note for step in steps for note in step.notes]
    assert "id <> 7: no index for it in all 5 files" in notes
    assert "status <> 'LOST': the index bitmap skips no row of all 5 files" in notes
    assert any("tested on the rows read" in note for note in notes)
    top = explain(many, order_by="amount", limit=2, engine=LOCAL)
    assert "the index of amount determines the first rows of all 5 files" in top[-1].notes
    top = explain(many, order_by="id", limit=2, engine=LOCAL)
    assert "no index determines the first rows by id: the column is read" in top[-1].notes


def test_an_index_of_a_primary_key_table_is_not_used(tmp_path: Path) -> None:
    """The answer says so, since its entries are positions in files, and not row ids."""
    path = newer_table(tmp_path, "primary_key_btree")
    [step] = [one for one in explain(path) if one.step == "index"]
    reason = "it lists positions in primary-key files instead of row ids"
    assert f"id: the btree index is not used: {reason}" in step.notes
    content = inspect_table(path).content
    assert content is not None and content.index_manifest is not None
    assert [one.unused for one in content.index_manifest.global_indexes] == [reason]
