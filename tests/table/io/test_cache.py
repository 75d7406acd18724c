"""What is remembered of manifests stays within its bound, and never hides what others commit."""

from concurrent.futures import ThreadPoolExecutor
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


def test_values_that_were_used_last_are_kept() -> None:
    recent = BoundedCache(10)
    made: list[str] = []

    def make(key: str) -> str:
        made.append(key)
        return key

    def get(key: str, size: int) -> str:
        return recent.get(key, lambda: make(key), lambda _: size)

    assert [get(key, 5) for key in "abaaca"] == list("abaaca")
    assert made == ["a", "b", "c"]
    get("b", 1)
    assert made == ["a", "b", "c", "b"]
    assert recent.size <= 10
    get("large", 11)
    assert recent.size <= 10
    get("a", 5)
    assert made == ["a", "b", "c", "b", "large"]
    with pytest.raises(ZeroDivisionError):
        recent.get("broken", lambda: 1 // 0, lambda _: 1)
    assert get("broken", 1) == "broken"


def test_threads_share_what_is_remembered() -> None:
    recent = BoundedCache(1000)
    with ThreadPoolExecutor(8) as pool:
        found = pool.map(
            lambda n: recent.get(n % 300, lambda: n % 300, lambda _: 7), range(20_000), chunksize=50
        )
        assert list(found) == [n % 300 for n in range(20_000)]
    assert recent.size <= 1000
    assert recent.size % 7 == 0


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
