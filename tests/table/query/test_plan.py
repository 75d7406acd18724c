"""Plans: which files a query needs, known from manifests alone."""

import json
import weakref
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from paimon_ksy.errors import CorruptFileError, PaimonKsyError
from paimon_ksy.table.delete.delete import delete
from paimon_ksy.table.engine import local_engine
from paimon_ksy.table.model.files import ManifestFile
from paimon_ksy.table.query.plan import plan
from paimon_ksy.table.query.pruning import Size
from paimon_ksy.table.query.read import count, query
from paimon_ksy.table.store import Table
from tests.support.golden_tables import rows_of
from tests.support.query_tables import LOCAL
from tools.made_manifests import table_of_manifests
from tools.tables import make_table


def test_statistics_leave_out_files_before_their_indexes_are_read(many: Table) -> None:
    planned = plan(many, "id BETWEEN 30000 AND 30009 AND status <> 'LOST'")
    assert len(planned.tasks) == 1
    sizes = planned.sizes
    assert sizes.total is not None
    assert (sizes.total.files, sizes.total.rows, sizes.left.files) == (5, 100_000, 1)
    assert query(many, "id BETWEEN 30000 AND 30009", ["id"], engine=LOCAL)["id"].to_pylist() == [
        *range(30_000, 30_010)
    ]


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
    for where, rows in (("v = 200", [(2, 200)]), ("k = 1", [(1, 100)]), ("k = 200", [])):
        assert rows_of(query(path, where, engine=LOCAL)) == rows


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
    assert plan(path).sizes.files_total == 0  # all wait for a compaction
    sizes = plan(path, "p = 1").sizes
    assert (sizes.total, sizes.files_total) == (None, 2)


# Plans that are made as they are iterated -----------------------------------------------------


class Watched:
    """A table of many files, which remembers what manifests were read of it."""

    def __init__(self, path: str, patch: pytest.MonkeyPatch) -> None:
        patch.setattr("paimon_ksy.table.store.data_files.FEW_FILES", 0)
        patch.setattr("os.cpu_count", lambda: 1)
        patch.setattr("paimon_ksy.table.manifests.scan._GROUP_BYTES", 1)
        self.table = Table.at(path)
        self.read: list[str] = []
        columns = self.table.manifests.columns

        def watched(manifests: Sequence[ManifestFile]) -> Any:
            self.read += [manifest.file_name for manifest in manifests]
            return columns(manifests)

        patch.setattr(self.table.manifests, "columns", watched)


@pytest.fixture
def synthetic(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Watched:
    path = table_of_manifests(tmp_path, "t", partitions=20, files=5, manifests=20)
    return Watched(path, monkeypatch)


def test_tasks_are_made_as_manifests_are_read(synthetic: Watched) -> None:
    planned = plan(synthetic.table)
    assert synthetic.read == []
    assert planned.files_total == 100
    tasks = iter(planned)
    first = next(tasks)
    assert len(synthetic.read) <= 3
    assert planned.known_sizes is None
    assert [first, *tasks] == list(planned) == list(planned.tasks) == list(planned)
    assert len(synthetic.read) == 60  # the last time the tasks were kept
    assert planned.sizes.left == planned.sizes.total == Size.of(f for t in planned for f in t.files)
    assert planned.files_total == 100


def test_sizes_alone_keep_no_task(synthetic: Watched) -> None:
    planned = plan(synthetic.table, "id < 2000")
    assert planned.sizes.left.files == 40
    assert planned._kept is None
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
    for task in plan(synthetic.table):
        alive.add(task.files[0])
        most = max(most, len(alive))
    assert most < 10


def test_an_error_of_a_manifest_comes_as_it_is_read(synthetic: Watched) -> None:
    table = synthetic.table
    last = table.manifests.of(table.snapshot())[-1]
    Path(table.location, "manifest", last.file_name).write_bytes(b"nothing")
    tasks = iter(plan(table))
    assert next(tasks).num_rows == 1000
    with pytest.raises(CorruptFileError, match=last.file_name):
        list(tasks)
