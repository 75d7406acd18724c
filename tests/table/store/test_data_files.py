"""Data files of snapshots: manifests are read once, and what others commit is never hidden."""

from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from paimon_ksy.table.engine import local_engine
from paimon_ksy.table.index.rewrite import rewrite_index
from paimon_ksy.table.io.cache import BoundedCache
from paimon_ksy.table.model.files import ManifestFile
from paimon_ksy.table.query.read import count
from paimon_ksy.table.store import Table
from paimon_ksy.table.store.entries import FILE_BYTES
from paimon_ksy.table.store.manifests import Manifests
from tools.tables import append, make_table


def rows(first: int, number: int) -> pa.Table:
    return pa.table({"id": range(first, first + number)})


def test_manifests_are_read_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = make_table(tmp_path, "orders", [rows(0, 5), rows(5, 5)])
    table = Table.at(path)
    assert count(table).count == 10
    read: list[str] = []
    entries = Manifests.entries

    def watched(self: Manifests, manifest: ManifestFile) -> list[Any]:
        read.append(manifest.file_name)
        return entries(self, manifest)

    monkeypatch.setattr(Manifests, "entries", watched)
    assert count(Table.at(path)).count == 10
    assert read == []
    append(table.pypaimon, rows(10, 5))
    assert count(table).count == count(Table.at(path)).count == 15
    assert len(read) == 1


def test_a_rewrite_reads_manifests_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = make_table(tmp_path, "orders", [rows(0, 5), rows(5, 5)])
    read: list[str] = []
    entries = Manifests.entries

    def watched(self: Manifests, manifest: ManifestFile) -> list[Any]:
        read.append(manifest.file_name)
        return entries(self, manifest)

    monkeypatch.setattr(Manifests, "entries", watched)
    for index, manifests in (("bitmap", 2), ("bsi", 3)):  # then one that deletes entries, too
        rewrite_index(path, set={f"file-index.{index}.columns": "id"}, engine=local_engine(1))
        assert len(read) == len(set(read)) == manifests
        read.clear()


def test_a_snapshot_whose_number_comes_back_is_read_anew(tmp_path: Path) -> None:
    path = make_table(tmp_path, "orders", [rows(0, 5), rows(5, 5)])
    table = Table.at(path)
    assert count(table).count == 10
    table.pypaimon.rollback_to(1)
    assert count(table).count == 5
    append(table.pypaimon, rows(100, 20))
    latest = table.snapshot()
    assert latest is not None
    assert latest.id == 2
    assert count(table, "id >= 100").count == 20
    assert count(table).count == 25


def test_what_is_remembered_of_manifests_is_bounded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    few = BoundedCache(3 * FILE_BYTES)
    monkeypatch.setattr("paimon_ksy.table.store.data_files._MANIFESTS", few)
    path = make_table(tmp_path, "orders", [rows(at, 1) for at in range(12)])
    table = Table.at(path)
    for _ in range(2):
        assert {file.num_rows for file in table.data_files.remembered(table.snapshot())} == {1}
        assert len(list(table.data_files.remembered(table.snapshot()))) == 12
        assert 0 < few.size <= few.bound
