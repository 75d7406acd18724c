"""Global indexes narrow queries where they are certainly right; rows are the same without them."""

import operator as op
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from paimon_ksy.errors import CorruptFileError
from paimon_ksy.global_index.source_metadata import SourceMetadata, write_source_metadata
from paimon_ksy.table.engine import local_engine
from paimon_ksy.table.manifests.global_indexes import GlobalIndexFiles
from paimon_ksy.table.query.explain import explain
from paimon_ksy.table.query.plan import plan_query
from paimon_ksy.table.query.query import Query
from paimon_ksy.table.query.read import count, query
from paimon_ksy.table.store import Table
from paimon_ksy.table.store.manifests import IndexManifests
from tests.support.newer_tables import EVOLUTION, by_pypaimon, by_rust, newer_table, rows
from tests.table.query.test_row_files import update
from tools.tables import make_table

LOCAL = local_engine(1)
OFF = {"global-index.enabled": "false"}
WHERE = (
    "name = 'n007'",
    "name = 'new' OR id = 77",
    "name IS NULL AND id > 1000",
    "name > 'n03' AND name < 'n031' AND _ROW_ID >= 500",
    "name <> 'n007'",
    "name LIKE 'n00%'",
    "id IN (4, 1999, 2400)",
)


@pytest.mark.parametrize(
    ("name", "is_exact", "note"),
    [
        ("btree", True, "btree on name is used for 2,000 rows"),
        ("btree_partitioned", True, "btree on name is used for 2,000 rows"),
        ("btree_partial", False, "btree on name is not used for 500 rows: it does not cover them"),
        ("btree_stale", False, "not used for 2,000 rows: the column may have been updated after"),
        ("btree_2", False, "btree on id is not used: no condition tests it"),
        ("full_text", False, "full-text on note is not used: no condition tests it"),
    ],
)
def test_rows_are_the_same_without_indexes(
    name: str, is_exact: bool, note: str, tmp_path: Path
) -> None:
    table = Table.at(newer_table(tmp_path, name))
    without = table.with_options(OFF)
    for where in WHERE:
        rows = query(table, where, engine=LOCAL)
        assert rows.equals(query(without, where, engine=LOCAL)), where
        assert count(table, where, engine=LOCAL).count == rows.num_rows, where
    counted = count(table, "name = 'n007'", engine=LOCAL)
    assert (counted.count > 50, counted.files_read == 0) == (True, is_exact)
    [step] = [s for s in explain(table, "name = 'n007'", engine=LOCAL) if s.step == "row ids"]
    assert any(note in each for each in step.notes), step.notes
    assert (step.bytes_read > 0) == (is_exact or name == "btree_partial")


def test_a_condition_on_two_columns_skips_files(tmp_path: Path) -> None:
    table = Table.at(newer_table(tmp_path, "btree_files"))
    assert not plan_query(table, Query("id = 5000 AND name = 'n001'")).tasks
    [task] = plan_query(table, Query("id = 1500")).tasks
    assert task.num_rows == 1000
    assert query(table, "id = 1500", ["_ROW_ID"], engine=LOCAL).to_pylist() == [{"_ROW_ID": 1500}]
    for manifest in Path(table.location, "manifest").glob("index-manifest-*"):
        manifest.unlink()  # what it lists is cached
    assert query(table.location, "id = 1500", engine=LOCAL).num_rows == 1
    [step] = [s for s in explain(table.with_options(OFF), "id = 5") if s.step == "row ids"]
    assert step.notes == ("option global-index.enabled = false turns global indexes off",)


def test_a_corrupt_index_is_an_error(tmp_path: Path) -> None:
    path = newer_table(tmp_path, "btree")
    [file] = Path(path, "index").iterdir()
    data = bytearray(file.read_bytes())
    data[20] ^= 1
    file.write_bytes(data)
    with pytest.raises(CorruptFileError) as raised:
        query(path, "name = 'n000'", engine=LOCAL)
    assert raised.value.path == str(file)
    assert query(path, "id = 7", engine=LOCAL).num_rows == 1


@pytest.mark.parametrize(("built", "is_used"), [(1, False), (2, True)])
def test_an_index_that_names_its_snapshot_has_the_updates_before(
    built: int, is_used: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The column has two generations, of snapshots 1 and 2."""
    path = make_table(tmp_path, "t", [rows(0, 50)], EVOLUTION)
    update(path, [3, 4], name=["new", None])
    by_pypaimon("name", "btree")(path)
    source = write_source_metadata(SourceMetadata(snapshot_id=built))
    original = IndexManifests.global_indexes

    def listed(*arguments: Any) -> list[GlobalIndexFiles]:
        [index] = original(*arguments)
        [file] = index.files
        assert file.global_index is not None
        entry = replace(file.global_index, source_meta=source)
        return [replace(index, files=(replace(file, global_index=entry),))]

    monkeypatch.setattr(IndexManifests, "global_indexes", listed)
    assert query(path, "name = 'new'", ["id"], engine=LOCAL).to_pylist() == [{"id": 3}]
    assert (count(path, "name = 'new'", engine=LOCAL).files_read == 0) == is_used


@pytest.mark.parametrize("build", [by_pypaimon, by_rust])
@pytest.mark.parametrize("index_type", ["btree", "bitmap"])
@pytest.mark.parametrize("zone", [None, "UTC"])
def test_keys_that_a_builder_may_have_cut(
    build: Callable[[str, str], Any], index_type: str, zone: str | None, tmp_path: Path
) -> None:
    """pypaimon cuts the keys of nanoseconds to microseconds: their rows are tested."""
    nanos = [10**9 + i * 1000 + rest for i in range(10) for rest in (0, 1, 999)]
    column = pa.array([*nanos, None], pa.int64()).view(pa.timestamp("ns", zone))
    path = make_table(tmp_path, "t", [pa.table({"c": column})], EVOLUTION)
    build("c", index_type)(path)
    cases = {"=": op.eq, "<>": op.ne, "<": op.lt, "<=": op.le, ">": op.gt, ">=": op.ge}
    for text, compare in cases.items():
        for rest in (0, 1, 999, 1000, 5001, 5002):
            where = f"c {text} TIMESTAMP '1970-01-01 00:00:01.{rest:09}'"
            right = sum(compare(value, 10**9 + rest) for value in nanos)
            assert count(path, where, engine=LOCAL).count == right, where
            assert query(path, where, engine=LOCAL).num_rows == right, where
