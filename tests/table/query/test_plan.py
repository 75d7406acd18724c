"""Plans: which files a query needs, known from manifests alone."""

import json
import weakref
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from paimon_ksy import scan_polars, set_options
from paimon_ksy.errors import CorruptFileError, PaimonKsyError
from paimon_ksy.table.audit.audit import repair
from paimon_ksy.table.delete.delete import delete
from paimon_ksy.table.engine import local_engine
from paimon_ksy.table.index.rewrite import rewrite_index
from paimon_ksy.table.model.files import ManifestFile
from paimon_ksy.table.query.explain import explain
from paimon_ksy.table.query.merge_task import MergeTask
from paimon_ksy.table.query.plan import State, plan, plan_query
from paimon_ksy.table.query.query import Query
from paimon_ksy.table.query.read import batches, count, counted, query
from paimon_ksy.table.query.scan import Scan
from paimon_ksy.table.query.steps import Size
from paimon_ksy.table.store import Table
from paimon_ksy.table.store.manifests import Manifests
from tests.support.audits import indexed
from tests.support.engines import Elsewhere
from tests.support.golden_tables import expected, golden_table, golden_table_names, rows_of
from tests.support.query_tables import LOCAL
from tests.support.tables import STATUS, TO_FILES, files, make, rows
from tools.made_manifests import ROWS, table_of_manifests
from tools.tables import make_table


def test_a_key_that_has_the_old_name_of_another_column(tmp_path: Path) -> None:
    """The bounds of a file's keys are of the column that was the key when it was written."""
    from pypaimon import CatalogFactory
    from pypaimon.schema.schema_change import SchemaChange

    fields = [pa.field("id", pa.int32(), nullable=False), pa.field("k", pa.int32())]
    data = pa.table([[1, 2], [100, 200]], schema=pa.schema(fields))
    path = make_table(tmp_path, "t", [data], {"bucket": "1"}, primary_keys=["id"])
    catalog = CatalogFactory.create({"warehouse": str(tmp_path)})
    for old, new in (("k", "v"), ("id", "k")):
        catalog.alter_table("default.t", [SchemaChange.rename_column(old, new)], False)
    for where, found in (("v = 200", [(2, 200)]), ("k = 1", [(1, 100)]), ("k = 200", [])):
        assert rows_of(query(path, where, engine=LOCAL)) == found


def test_what_no_value_of_a_file_s_older_type_can_be(tmp_path: Path) -> None:
    """Nothing but the type says so: manifests have no statistics, and files no index."""
    data = pa.table({"id": pa.array([1, 2], pa.int32())})
    path = make_table(tmp_path, "t", [data], {"deletion-vectors.enabled": "true"})
    document = json.loads(Path(path, "schema", "schema-0").read_text())
    document["id"] = 1
    document["fields"][0]["type"] = "BIGINT"
    Path(path, "schema", "schema-1").write_text(json.dumps(document))
    assert count(path, "id = 3000000000").count == 0
    assert count(path, "id <> 3000000000").count == 2
    assert query(path, "id > 3000000000", engine=local_engine(1)).num_rows == 0
    assert delete(path, "id = 3000000000", engine=local_engine(1)).rows == 0


def test_a_file_of_one_key_has_no_null_key(tmp_path: Path) -> None:
    """Its key is known without statistics. A file of nothing but nulls would be left out."""
    data = pa.table([[1]], schema=pa.schema([pa.field("k", pa.int32(), nullable=False)]))
    options = {"bucket": "1", "metadata.stats-mode": "none"}
    path = make_table(tmp_path, "t", [data], options, primary_keys=["k"])
    assert count(path, "k = 1", engine=LOCAL).count == 1
    assert count(path, "k > 1", engine=LOCAL).count == 0


def test_files_that_readers_do_not_see_are_not_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of manifests that are not read, lists count all files."""
    monkeypatch.setattr("paimon_ksy.table.store.data_files.FEW_FILES", 0)
    fields = [pa.field(name, pa.int32(), nullable=False) for name in ("p", "id")]
    commits = [pa.table([[p], [1]], schema=pa.schema(fields)) for p in (1, 2, 3)]
    options = {"bucket": "1", "merge-engine": "first-row"}
    path = make_table(
        tmp_path, "t", commits, options, partition_keys=["p"], primary_keys=["p", "id"]
    )
    assert plan_query(path, Query()).sizes.files_total == 0  # all wait for a compaction
    sizes = plan_query(path, Query("p = 1")).sizes
    assert (sizes.total, sizes.files_total) == (None, 2)


# Files and steps ---------------------------------------------------------------------------------


def test_files_and_steps_of_a_table_whose_files_do_not_exist(tmp_path: Path) -> None:
    path = table_of_manifests(tmp_path, "t", partitions=3, files=4)
    found = plan(path, "day <> 'd001' AND id >= 3000", ["id"])
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


def test_manifests_that_partitions_rule_out_are_not_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    synthetic = Watched(
        table_of_manifests(tmp_path, "t", partitions=3, files=5, manifests=3), monkeypatch
    )
    kept = plan(synthetic.table, "day = 'd000' AND id = 3")
    assert len(synthetic.read) == 1
    partitions, statistics = kept.steps
    assert (partitions.files_kept, partitions.files_skipped) == (5, 10)
    assert (partitions.rows_kept, partitions.rows_skipped) == (5 * ROWS, None)
    assert (partitions.bytes_skipped, statistics.rows_skipped) == (None, 4 * ROWS)
    whole = plan(synthetic.table, "id = 3").steps[0]
    assert (whole.files_kept, whole.rows_skipped) == (15, 0)


@pytest.mark.parametrize("name", golden_table_names())
def test_the_steps_are_those_of_explain(name: str, tmp_path: Path) -> None:
    table = Table.at(golden_table(name, tmp_path))
    for case in expected(name).cases[:5]:
        found = plan(table, case.predicate)
        steps = explain(table, case.predicate, engine=LOCAL)
        assert list(found.steps) == [step for step in steps if step.step not in ("index", "rows")]
        assert len(found.files) == found.steps[-1].files_kept
        planned = plan_query(table, Query(case.predicate))
        tasks = planned.tasks
        assert planned.sizes.left == Size.of(file for task in tasks for file in task.files)
        assert [(file.path, file.is_merged) for file in found.files] == [
            (file.path, isinstance(task, MergeTask)) for task in tasks for file in task.files
        ]


def test_a_count_that_is_known_without_tasks(tmp_path: Path) -> None:
    data = pa.table({"id": range(3000), "p": ["a", None, "c"] * 1000, "v": [1.5, 2.5, None] * 1000})
    options = {"deletion-vectors.enabled": "true"}
    path = make_table(tmp_path, "t", [data, data], options, partition_keys=["p"])

    def known(where: str | None = None) -> list[int | None]:
        planned = plan_query(path, Query(where, ()))
        assert planned.sizes.left.rows == sum(task.num_rows for task in planned)
        return [group.known_count for group in planned.groups]

    assert known() == [6000]
    assert known("p = 'a'") == known("p IS NULL") == [2000]
    assert known("p <> 'a'") == [2000]
    assert known("p <> 'a' OR p IS NULL") == [4000]
    assert known("p = 'x'") == [0]
    assert known("p = 'a' AND id > 5") == known("p = 'a' OR v > 2") == [None]
    delete(path, "p = 'a' AND id = 0", engine=LOCAL)
    assert known() == known("p = 'a'") == [None]  # the vector of a local file is read and checked
    assert known("p = 'c'") == [2000]
    for where in (None, "p = 'a'", "p = 'c'", "p <> 'a' OR p IS NULL", "p IS NULL AND id >= 0"):
        assert count(path, where, engine=LOCAL).count == query(path, where, engine=LOCAL).num_rows


def test_indexes_vectors_and_nulls(tmp_path: Path) -> None:
    data = pa.table({"id": range(10), "p": ["a", None] * 5, "d": pa.array([1] * 10, pa.date32())})
    options = {"deletion-vectors.enabled": "true"}
    path = make_table(tmp_path, "t", [data], options, partition_keys=["p", "d"])

    def flags() -> dict[str | None, tuple[bool, bool]]:
        files = plan(path).files
        assert {file.partition["d"] for file in files} == {"1970-01-02"}
        return {file.partition["p"]: (file.has_index, file.has_vector) for file in files}

    assert flags() == {"a": (False, False), None: (False, False)}
    delete(path, "id = 0", engine=LOCAL)
    rewrite_index(path, "p IS NULL", set={"file-index.bitmap.columns": "id"}, engine=LOCAL)
    assert flags() == {"a": (False, True), None: (True, False)}
    assert plan(path, snapshot_id=1).files[0].has_vector is False


def test_an_engine_reads_manifests(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = table_of_manifests(tmp_path, "t", partitions=3, files=4, manifests=6)
    monkeypatch.setattr("paimon_ksy.table.store.data_files.FEW_FILES", 0)
    here = plan(path, "id >= 3000").to_json()
    monkeypatch.setattr("paimon_ksy.table.manifests.scan.ENTRIES_HERE", 11)
    monkeypatch.setattr("paimon_ksy.table.manifests.scan._GROUP_BYTES", 1)
    engine = Elsewhere()
    assert plan(path, "id >= 3000", engine=engine).to_json() == here
    assert engine.ran == 6
    assert plan(path, engine=engine).steps[-1].files_kept == 12
    assert engine.ran == 6  # without a predicate nothing is left out


@pytest.mark.parametrize(("manifests", "deleted", "least"), [(1, 0, 3), (4, 5, 2), (6, 12, 0)])
def test_tasks_of_a_scan_are_those_of_this_process(
    manifests: int, deleted: int, least: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also if other manifests delete files."""
    path = table_of_manifests(
        tmp_path, "t", partitions=3, files=4, manifests=manifests, mixed=True, deleted=deleted
    )
    table, asked = Table.at(path), Query(f"id >= {least * ROWS}")
    monkeypatch.setattr("paimon_ksy.table.store.data_files.FEW_FILES", 0)
    here = [task.files for task in Scan(State.of(table, asked), asked)]
    monkeypatch.setattr("paimon_ksy.table.manifests.scan.ENTRIES_HERE", -1)
    monkeypatch.setattr("paimon_ksy.table.manifests.scan._GROUP_BYTES", 1)
    engine = Elsewhere()
    scan = Scan(State.of(table, asked), asked, engine=engine)
    assert [task.files for task in scan] == here
    assert engine.ran >= manifests
    assert bool(here) == (deleted < 12)


# Plans that are made as they are iterated -----------------------------------------------------


class Watched:
    """A table of many files, which remembers what manifests were read of it."""

    def __init__(self, path: str, patch: pytest.MonkeyPatch) -> None:
        patch.setattr("paimon_ksy.table.store.data_files.FEW_FILES", 0)
        patch.setattr("os.cpu_count", lambda: 1)
        patch.setattr("paimon_ksy.table.manifests.scan._GROUP_BYTES", 1)
        self.table = Table.at(path)
        self.read: list[str] = []
        entries_of = Manifests.__call__

        def watched(reader: Manifests, manifests: Sequence[ManifestFile]) -> Any:
            self.read += [manifest.file_name for manifest in manifests]
            return entries_of(reader, manifests)

        patch.setattr(Manifests, "__call__", watched)


@pytest.fixture
def synthetic(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Watched:
    path = table_of_manifests(tmp_path, "t", partitions=20, files=5, manifests=20)
    return Watched(path, monkeypatch)


def test_tasks_are_made_as_manifests_are_read(synthetic: Watched) -> None:
    planned = plan_query(synthetic.table, Query())
    assert synthetic.read == []
    assert planned.files_total == 100
    assert planned.files_left is None
    tasks = iter(planned)
    first = next(tasks)
    assert len(synthetic.read) <= 3
    assert [first, *tasks] == list(planned) == list(planned.tasks)
    assert len(synthetic.read) == 60
    sizes = planned.sizes
    assert sizes.left == sizes.total == Size.of(f for t in planned for f in t.files)
    assert sizes.files_total == 100


def test_sizes_are_those_of_manifests(synthetic: Watched) -> None:
    planned = plan_query(synthetic.table, Query("id < 2000"))
    assert planned.sizes.left.files == 40
    assert len(synthetic.read) == 20


def test_no_more_is_planned_than_is_read(synthetic: Watched) -> None:
    """The data files do not exist, so that the first one to be read is an error."""
    with pytest.raises(PaimonKsyError, match="no such file"):
        query(synthetic.table, limit=1, engine=LOCAL)
    assert len(synthetic.read) <= 3
    assert count(synthetic.table).count == 100 * 1000
    assert len(synthetic.read) <= 23


def test_a_plan_keeps_few_tasks_in_memory(synthetic: Watched) -> None:
    """However many there are."""
    most = 0
    alive = weakref.WeakSet[Any]()
    for task in plan_query(synthetic.table, Query()):
        alive.add(task.files[0])
        most = max(most, len(alive))
    assert most < 10


def test_an_error_of_a_manifest_comes_as_it_is_read(synthetic: Watched) -> None:
    table = synthetic.table
    last = table.manifests.of(table.snapshot())[-1]
    Path(table.location, "manifest", last.file_name).write_bytes(b"nothing")
    tasks = iter(plan_query(table, Query()))
    assert next(tasks).num_rows == 1000
    with pytest.raises(CorruptFileError, match=last.file_name):
        list(tasks)


# Older snapshots ----------------------------------------------------------------------------------


@pytest.mark.parametrize("damage", [lambda file: file.write_bytes(b"x" * 99), Path.unlink])
def test_no_repair_is_advised_for_an_index_of_an_older_snapshot(
    damage: Callable[[Path], object], tmp_path: Path
) -> None:
    path = indexed(tmp_path, STATUS | TO_FILES)
    before = Table.at(path).snapshot()
    assert before is not None
    [first, *_] = files(path)
    damage(Path(first.index_files[0]))
    where = "status = 'NEW'"
    with pytest.raises(PaimonKsyError) as found:
        query(path, where)
    assert "--repair" in str(found.value.remedy)
    assert repair(path, engine=local_engine(1)).left == ()
    expected = query(path, where)
    assert query(path, where, snapshot_id=before.id + 1) == expected
    with pytest.raises(PaimonKsyError) as found:
        query(path, where, snapshot_id=before.id)
    assert "--repair" not in str(found.value.remedy)
    set_options(path, {"file-index.read.enabled": "false"})  # as the remedy advises
    assert "file-index.read.enabled=false" in str(found.value.remedy)
    assert query(path, where, snapshot_id=before.id).sort_by("id") == expected.sort_by("id")


def expire(path: str) -> None:
    """Take away the snapshots, and the data files, as an expiry or a drop of partitions does."""
    for file in [*Path(path).rglob("data-*"), *Path(path, "snapshot").iterdir()]:
        file.unlink()


EXPIRED = "snapshot 2 expired while it was read"


def test_a_snapshot_that_expires_before_it_is_read(tmp_path: Path) -> None:
    path = make(tmp_path, [rows(0, 3), rows(3, 3)])
    lazy = scan_polars(path)
    plans = [plan_query(path, Query("id = 1", ("id",))) for _ in range(2)]
    expire(path)
    with pytest.raises(PaimonKsyError, match=EXPIRED) as found:
        list(batches(plans[0]))
    assert "snapshot.time-retained" in str(found.value.remedy)
    with pytest.raises(PaimonKsyError, match=EXPIRED):
        counted(plans[1])
    with pytest.raises(Exception, match=EXPIRED):
        lazy.collect()


def test_a_file_that_is_lost_while_its_snapshot_exists(tmp_path: Path) -> None:
    path = make(tmp_path, [rows(0, 3)])
    for file in Path(path).rglob("data-*"):
        file.unlink()
    with pytest.raises(PaimonKsyError) as found:
        query(path)
    assert "expired" not in str(found.value)
