"""Files of deletion vectors: how many, how large, of which kind."""

import io
import json
from pathlib import Path
from typing import Any

import fastavro
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import paimon_ksy as pk
from paimon_ksy.table.delete import vector_files
from paimon_ksy.table.delete.vector_files import Places
from paimon_ksy.table.manifests.entries import DELETE
from paimon_ksy.table.model.files import VectorPlace
from paimon_ksy.table.store import Table
from paimon_ksy.table.store.commits import Changes, commit
from paimon_ksy.table.store.manifest_writer import records_of
from tests.support.deletions import (
    BITS_64,
    BUCKETS,
    LOCAL,
    bits,
    but,
    ids,
    make,
    referred,
    rows,
    run_delete,
    vectors,
)
from tests.support.tables import files


def test_files_roll_at_the_target_size(tmp_path: Path) -> None:
    commits = [rows(10 * n, 10) for n in range(6)]
    path = make(tmp_path, commits, {"deletion-vector.index-file.target-size": "60 b"})
    summary = run_delete(path, " OR ".join(f"id = {10 * n + 3}" for n in range(6)))
    assert (summary.files_changed, summary.vector_files) == (6, 3)
    sizes = [Path(file).stat().st_size for file in referred(path)]
    assert len(set(sizes)) == 1
    assert 60 < sizes[0] < 2 * 60
    again = run_delete(path, "id = 0")  # the other vector of one file is copied
    assert (again.vector_files, again.vector_files_replaced) == (1, 1)
    assert sorted(map(len, vectors(path).values())) == [1, 1, 1, 1, 1, 2]
    assert ids(path) == but(60, 0, *range(3, 60, 10))


def test_a_file_in_which_a_compaction_left_no_vector_is_not_null(tmp_path: Path) -> None:
    """With null for its vectors, Java fails to write to its bucket."""
    path = make(tmp_path, [rows(0, 10)], BUCKETS)
    by_bucket = {file.bucket: pq.read_table(file.path)["id"].to_pylist() for file in files(path)}
    ids = [by_bucket[bucket][0] for bucket in (0, 1)]
    run_delete(path, f"id IN ({ids[0]}, {ids[1]})")
    snapshot = json.loads(Path(path, "snapshot", "snapshot-2").read_text())
    manifest = Path(path, "manifest", snapshot["indexManifest"])
    reader = fastavro.reader(io.BytesIO(manifest.read_bytes()))
    records: list[Any] = list(reader)
    [empty] = [record for record in records if record["_BUCKET"] == 0]
    empty |= {"_DELETIONS_VECTORS_RANGES": [], "_ROW_COUNT": 0, "_FILE_SIZE": 1}
    changed = io.BytesIO()
    fastavro.writer(changed, reader.writer_schema, records)
    manifest.write_bytes(changed.getvalue())
    Path(path, "index", empty["_FILE_NAME"]).write_bytes(b"\x01")
    assert run_delete(path, f"id = {by_bucket[1][1]}").rows == 1
    snapshot = json.loads(Path(path, "snapshot", "snapshot-3").read_text())
    with Path(path, "manifest", snapshot["indexManifest"]).open("rb") as file:
        left: list[Any] = list(fastavro.reader(file))
    counts = [(one["_BUCKET"], len(one["_DELETIONS_VECTORS_RANGES"])) for one in left]
    assert counts == [(0, 0), (1, 1)]
    assert run_delete(path, f"id = {ids[0]}").rows == 1


def test_a_bucket_has_one_file_of_vectors(tmp_path: Path) -> None:
    commits = [rows(20 * n, 20) for n in range(4)]
    path = make(tmp_path, commits, {**BUCKETS, "deletion-vector.index-file.target-size": "1 b"})
    assert run_delete(path, "id < 60").vector_files == 2
    summary = run_delete(path, "id = 70")
    assert (summary.vector_files, summary.vector_files_replaced) == (1, 1)
    assert len(referred(path)) == 2
    assert ids(path) == [number for number in range(60, 80) if number != 70]


@pytest.mark.parametrize("first", [32, 64])
def test_kind_of_vector_that_the_table_has_by_now(first: int, tmp_path: Path) -> None:
    """What changes is of the kind that the option says; other vectors stay as they are."""
    path = make(tmp_path, [rows(0, 10), rows(10, 10)], BITS_64 if first == 64 else {})
    run_delete(path, "id IN (1, 11)")
    second = 96 - first
    table = Table.at(path).with_options(
        {"deletion-vectors.bitmap64": "true" if second == 64 else "false"}
    )
    run_delete(table, "id = 2")
    changed, other = (file.path for file in files(path))
    assert bits(path) == {changed: second, other: first}
    assert list(vectors(path)[changed]) == [1, 2]
    assert ids(path) == but(20, 1, 2, 11)


def test_vector_of_a_file_that_is_gone_is_left_out(tmp_path: Path) -> None:
    path = make(tmp_path, [rows(0, 10), rows(10, 10)])
    run_delete(path, "id IN (1, 11)")
    table = Table.at(path)
    first, second = files(path)
    entries = [
        {**entry, "_KIND": DELETE}
        for manifest in table.manifests.of(table.snapshot())
        for entry in records_of(table, manifest.file_name)
        if entry["_FILE"]["_FILE_NAME"] == first.name
    ]
    made = pa.RecordBatch.from_pylist(entries)
    commit(table, "OVERWRITE", lambda _, writer: Changes([writer.manifest([made])], entries))
    assert [one.check for one in pk.audit(path, engine=LOCAL)] == ["deletion-vector"]
    run_delete(path, "id = 12")
    assert vectors(path).keys() == {second.path}
    assert ids(path) == [10, *range(13, 20)]


SOURCES: Places = {
    "x": {"b": VectorPlace("x", 11, 10, 1), "a": VectorPlace("x", 1, 10, 1)},
    "y": {"c": VectorPlace("y", 1, 10, 1), "d": VectorPlace("y", 11, 10, 1)},
}
"""Four vectors of ten bytes in two files."""


@pytest.mark.parametrize(
    ("target", "packs"),
    [(None, ["abcd"]), (100, ["abcd"]), (21, ["abc", "d"]), (20, ["ab", "cd"]), (1, [*"abcd"])],
)
def test_vectors_are_joined_until_a_file_has_the_target_size(
    target: int | None, packs: list[str]
) -> None:
    found = list(vector_files._packed(SOURCES, target))
    assert ["".join(map("".join, pack.values())) for pack in found] == packs
    for pack in found:
        for path, names in pack.items():
            assert names.items() <= SOURCES[path].items()


@pytest.mark.parametrize(("target", "packs"), [(100, [["x"], ["y"]]), (None, [["x", "y"]])])
def test_a_worker_joins_so_many_files_at_most(
    target: int | None, packs: list[list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """In a bucket, which has one file of vectors, all of them."""
    monkeypatch.setattr(vector_files, "_MOST_SOURCES", 1)
    assert list(map(list, vector_files._packed(SOURCES, target))) == packs
