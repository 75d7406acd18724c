"""The public plan of a query: which files it needs, known without opening any."""

import json
from pathlib import Path

import pyarrow as pa
import pytest

import paimon_ksy as pk
from paimon_ksy.table.index.rewrite import rewrite_index
from paimon_ksy.table.query.explain import explain
from paimon_ksy.table.query.merge_task import MergeTask
from paimon_ksy.table.query.plan import plan_query
from paimon_ksy.table.query.query import Query
from paimon_ksy.table.store import Table
from tests.support.engines import Elsewhere
from tests.support.golden_tables import expected, golden_table, golden_table_names
from tests.support.query_tables import LOCAL
from tools.made_manifests import ROWS, table_of_manifests
from tools.tables import make_table


def test_files_and_steps_of_a_table_whose_files_do_not_exist(tmp_path: Path) -> None:
    path = table_of_manifests(tmp_path, "t", partitions=3, files=4)
    found = pk.plan(path, "day <> 'd001' AND id >= 3000", ["id"])
    assert found.snapshot == 1
    assert [(step.step, step.files_kept, step.rows_kept) for step in found.steps] == [
        ("partitions", 8, 8 * ROWS),
        ("statistics", 2, 2 * ROWS),
    ]
    assert [file.partition for file in found.files] == [{"day": "d000"}, {"day": "d002"}]
    assert sum(file.size for file in found.files) == found.steps[-1].bytes_kept
    assert all(file.rows == ROWS and file.bucket == 0 for file in found.files)
    assert json.loads(json.dumps(found.to_json()))["files"][0]["path"] == found.files[0].path
    assert not Path(found.files[0].path).exists()


def test_manifests_that_partitions_rule_out_are_not_read(tmp_path: Path) -> None:
    path = table_of_manifests(tmp_path, "t", partitions=3, files=500, manifests=3)
    kept = pk.plan(path, "day = 'd000' AND id = 3")
    partitions, statistics = kept.steps
    assert (partitions.files_kept, partitions.files_skipped) == (500, 1000)
    assert (partitions.rows_kept, partitions.rows_skipped) == (500 * ROWS, None)
    assert (partitions.bytes_skipped, statistics.rows_skipped) == (None, 499 * ROWS)
    whole = pk.plan(path, "id = 3").steps[0]
    assert (whole.files_kept, whole.rows_skipped) == (1500, 0)


@pytest.mark.parametrize("name", golden_table_names())
def test_the_steps_are_those_of_explain(name: str, tmp_path: Path) -> None:
    table = Table.at(golden_table(name, tmp_path))
    for case in expected(name).cases[:5]:
        found = pk.plan(table, case.predicate)
        steps = explain(table, case.predicate, engine=LOCAL)
        assert list(found.steps) == [step for step in steps if step.step not in ("index", "rows")]
        assert len(found.files) == found.steps[-1].files_kept
        tasks = plan_query(table, Query(case.predicate)).tasks
        assert [(file.path, file.is_merged) for file in found.files] == [
            (file.path, isinstance(task, MergeTask)) for task in tasks for file in task.files
        ]


def test_indexes_vectors_and_nulls(tmp_path: Path) -> None:
    data = pa.table({"id": range(10), "p": ["a", None] * 5, "d": pa.array([1] * 10, pa.date32())})
    options = {"deletion-vectors.enabled": "true"}
    path = make_table(tmp_path, "t", [data], options, partition_keys=["p", "d"])

    def flags() -> dict[str | None, tuple[bool, bool]]:
        files = pk.plan(path).files
        assert {file.partition["d"] for file in files} == {"1970-01-02"}
        return {file.partition["p"]: (file.has_index, file.has_vector) for file in files}

    assert flags() == {"a": (False, False), None: (False, False)}
    pk.delete(path, "id = 0", engine=LOCAL)
    rewrite_index(path, "p IS NULL", set={"file-index.bitmap.columns": "id"}, engine=LOCAL)
    assert flags() == {"a": (False, True), None: (True, False)}
    assert pk.plan(path, snapshot_id=1).files[0].has_vector is False


def test_an_empty_table(tmp_path: Path) -> None:
    from pypaimon import CatalogFactory, Schema

    catalog = CatalogFactory.create({"warehouse": str(tmp_path)})
    catalog.create_database("default", True)
    schema = Schema.from_pyarrow_schema(pa.schema([("id", pa.int64())]))
    catalog.create_table("default.t", schema, False)
    path = tmp_path / "default.db" / "t"
    found = pk.plan(path, "id = 1")
    assert (found.snapshot, found.files) == (None, ())
    assert [step.files_kept for step in found.steps] == [0, 0]


def test_an_engine_reads_manifests(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = table_of_manifests(tmp_path, "t", partitions=3, files=4, manifests=6)
    monkeypatch.setattr("paimon_ksy.table.store.data_files.FEW_FILES", 0)
    here = pk.plan(path, "id >= 3000")
    monkeypatch.setattr("paimon_ksy.table.engine.manifests.ENTRIES_HERE", 11)
    monkeypatch.setattr("paimon_ksy.table.manifests.scan._GROUP_BYTES", 1)
    engine = Elsewhere()
    assert pk.plan(path, "id >= 3000", engine=engine) == here
    assert engine.ran == 6
    assert pk.plan(path, engine=engine).steps[-1].files_kept == 12
    assert engine.ran == 6  # without a predicate nothing is left out
