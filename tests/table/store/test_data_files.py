"""Data files of snapshots: manifests are read once, and what others commit is never hidden."""

from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from paimon_ksy.table.engine import local_engine
from paimon_ksy.table.index.rewrite import rewrite_index
from paimon_ksy.table.io.cache import BoundedCache
from paimon_ksy.table.manifests.entries import ManifestEntries, read_entries
from paimon_ksy.table.query.read import count
from paimon_ksy.table.store import Table, file_entries, manifest_writer
from tools.tables import append, make_table


def rows(first: int, number: int) -> pa.Table:
    return pa.table({"id": range(first, first + number)})


def test_manifests_are_read_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = make_table(tmp_path, "orders", [rows(0, 5), rows(5, 5)])
    table = Table.at(path)
    assert count(table).count == 10
    read: list[str] = []

    def watched(files: Iterable[tuple[bytes, str]]) -> Iterator[ManifestEntries]:
        every = list(files)
        read.extend(path for _, path in every)
        return read_entries(every)

    monkeypatch.setattr("paimon_ksy.table.store.manifests.read_entries", watched)
    assert count(Table.at(path)).count == 10
    assert read == []
    append(table.pypaimon, rows(10, 5))
    assert count(table).count == count(Table.at(path)).count == 15
    assert len(read) == len(set(read)) == 3  # those of a group


def test_a_rewrite_reads_manifests_at_most_twice(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = make_table(tmp_path, "orders", [rows(0, 5), rows(5, 5)])
    decoded: list[str] = []
    changed: list[str] = []
    read = manifest_writer.batches_of

    def watched(files: Iterable[tuple[bytes, str]]) -> Iterator[ManifestEntries]:
        every = list(files)
        decoded.extend(path for _, path in every)
        return read_entries(every)

    def watched_batches(table: Table, name: str) -> Iterator[Any]:
        changed.append(name)
        return read(table, name)

    monkeypatch.setattr("paimon_ksy.table.store.manifests._KEPT", BoundedCache(1 << 20))
    monkeypatch.setattr("paimon_ksy.table.store.manifests.read_entries", watched)
    monkeypatch.setattr(file_entries, "batches_of", watched_batches)
    # Entries are made of the manifests alone that have live files: of two, and then of one.
    for index, live in (("bitmap", 2), ("bsi", 1)):
        rewrite_index(path, set={f"file-index.{index}.columns": "id"}, engine=local_engine(1))
        # One with deletions is also read before the others.
        assert max(Counter(decoded).values()) <= 2
        assert len(changed) == len(set(changed)) == live
        decoded.clear()
        changed.clear()


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
    few = BoundedCache(30_000)
    monkeypatch.setattr("paimon_ksy.table.store.manifests._KEPT", few)
    path = make_table(tmp_path, "orders", [rows(at, 1) for at in range(12)])
    table = Table.at(path)
    for _ in range(2):
        files = list(table.data_files.of(table.snapshot()))
        assert len(files) == 12 and {file.num_rows for file in files} == {1}
        assert 0 < few.size <= few.bound


def test_large_manifests_are_not_remembered(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = BoundedCache(1 << 20)
    monkeypatch.setattr("paimon_ksy.table.store.manifests._KEPT", kept)
    monkeypatch.setattr("paimon_ksy.table.store.manifests._KEPT_FILE", 10)
    table = Table.at(make_table(tmp_path, "orders", [rows(0, 5), rows(5, 5)]))
    assert len(list(table.data_files.of(table.snapshot()))) == 2
    assert 0 < kept.size < 10_000  # two lists


def test_files_of_some_buckets(tmp_path: Path) -> None:
    data = pa.table({"id": range(20), "day": ["a", "b"] * 10})
    path = make_table(
        *(tmp_path, "orders", [data]),
        {"bucket": "3", "bucket-key": "id"},
        partition_keys=["day"],
    )
    table = Table.at(path)
    files = list(table.data_files.of(table.snapshot()))
    asked: list[Any] = []

    def keep(partition: tuple[Any, ...], bucket: int) -> bool:
        asked.append((partition, bucket))
        return partition == ("a",) and bucket > 0

    found = list(table.data_files.of(table.snapshot(), keep))
    assert found == [file for file in files if file.partition == ("a",) and file.bucket > 0]
    assert 0 < len(found) < len(files)
    assert sorted(asked) == sorted((file.partition, file.bucket) for file in files)
    assert list(table.data_files.of(table.snapshot(), lambda *_: False)) == []
    assert list(table.data_files.of(None)) == []


def test_entries_of_small_snapshots_are_cached(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = BoundedCache(25_000)
    monkeypatch.setattr("paimon_ksy.table.store.manifests._KEPT", kept)
    path = make_table(tmp_path, "orders", [rows(at, 1) for at in range(4)])
    table = Table.at(path)

    def cached(table: Table, number: int | None = None) -> pa.RecordBatch | None:
        snapshot: Any = table.snapshot(number)
        return table.data_files.cached(snapshot, table.manifests.of(snapshot))

    latest = cached(table)
    assert latest is not None
    assert list(table.data_files.made(latest)) == list(table.data_files.of(table.snapshot()))
    assert cached(table) is cached(Table.at(path)) is latest
    earlier = cached(table, 3)
    assert earlier is not None and earlier.num_rows == 3
    assert 0 < kept.size <= kept.bound
    monkeypatch.setattr("paimon_ksy.table.store.data_files.FEW_FILES", 3)
    append(table.pypaimon, rows(9, 1))
    assert cached(table) is None
    assert count(table).count == 5
