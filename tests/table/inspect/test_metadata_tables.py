"""Arrow tables of metadata have what the objects of data files have."""

import pickle
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from paimon_ksy import CorruptFileError, Table
from paimon_ksy.table.inspect.files import FileReporter, source_name
from paimon_ksy.table.inspect.metadata_tables import FILES, files_parts
from paimon_ksy.table.store.manifests import Manifests
from tests.support.engines import Elsewhere
from tests.support.golden_tables import golden_table, golden_table_names
from tools.made_manifests import table_of_manifests


@pytest.mark.parametrize("name", golden_table_names())
def test_golden_tables(name: str, tmp_path: Path) -> None:
    table = Table.at(golden_table(name, tmp_path))
    reporter = FileReporter(table)
    for snapshot_id in table.snapshots.ids():
        snapshot = table.snapshot(snapshot_id)
        files = [*table.data_files.of(snapshot)]
        assert table.files(snapshot_id).drop_columns("creation").to_pylist() == [
            {
                "path": file.path,
                "partition": [
                    (column, None if value.plain is None else str(value.plain))
                    for column, value in reporter.partition(file.partition).items()
                ],
                "bucket": file.bucket,
                "level": file.level,
                "rows": file.num_rows,
                "bytes": file.size,
                "schema_id": file.schema_id,
                "source": source_name(file.source),
                "first_row_id": file.first_row_id,
                "has_index": file.has_index,
                "deleted_rows": file.deletion_vector.cardinality if file.deletion_vector else 0,
            }
            for file in files
        ]
        indexes = [(file.path, reporter.index(file)) for file in files]
        assert table.indexes(snapshot_id).to_pylist() == [
            {
                "file": path,
                "column": part.column,
                "index_type": part.index_type,
                "bytes": part.bytes,
                "place": index.place,
                "error": None,
            }
            for path, index in indexes
            if index is not None
            for part in index.parts
        ]
        vectors = table.vectors(snapshot_id)
        assert vectors.num_rows == sum(file.deletion_vector is not None for file in files)
        places = {tuple(row.values()) for row in vectors.drop_columns("data_file").to_pylist()}
        found = (file.deletion_vector for file in files if file.deletion_vector is not None)
        assert places == {(one.path, one.offset, one.length, one.cardinality) for one in found}


@pytest.mark.parametrize("name", golden_table_names())
def test_partitions_snapshots_and_tags(name: str, tmp_path: Path) -> None:
    table = Table.at(golden_table(name, tmp_path))
    listed = table.snapshots().to_pylist()
    assert [row["snapshot_id"] for row in listed] == table.snapshots.ids()
    for row in listed:
        snapshot = table.snapshots.of_id(row["snapshot_id"])
        assert row["commit_time"].timestamp() == snapshot.time_millis / 1000
        assert row["delta_manifest_list"] == snapshot.delta_manifest_list
        assert row["total_record_count"] == snapshot.total_record_count
        files = table.files(snapshot.id).to_pylist()
        sums: dict[str, list[int]] = {}
        for file in files:
            some = sums.setdefault(repr(file["partition"]), [0, 0, 0])
            some[:] = some[0] + file["rows"], some[1] + file["bytes"], some[2] + 1
        found = table.partitions(snapshot.id)
        columns = found.select(["record_count", "file_size_in_bytes", "file_count"])
        counted = [list(each.values()) for each in columns.to_pylist()]
        names = map(repr, found["partition"].to_pylist())
        assert dict(zip(names, counted, strict=True)) == sums
    tags = table.tags()
    assert tags["tag_name"].to_pylist() == sorted(table.snapshots.tags())
    assert tags.column_names[1:] == ["snapshot_id", "schema_id", "commit_time", "record_count"]


def test_an_index_that_cannot_be_read(tmp_path: Path) -> None:
    path = golden_table("append_files_parquet", tmp_path)
    before = Table.at(path).indexes()
    index = next(Path(path).rglob("*.index"))
    index.write_bytes(b"garbage")
    after = Table.at(path).indexes()
    [row] = [row for row in after.to_pylist() if row["error"]]
    assert str(index) in row["error"] and row["place"] == index.name
    others = [row for row in before.to_pylist() if row["place"] != index.name]
    assert [row for row in after.to_pylist() if not row["error"]] == others


@pytest.mark.parametrize("deleted", [0, 5, 12])
def test_files_that_workers_list(
    deleted: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each part is read alone, though one manifest deletes files of the others."""
    path = table_of_manifests(
        tmp_path, "t", partitions=3, files=4, manifests=4, mixed=True, deleted=deleted
    )
    table, engine = Table.at(path), Elsewhere()
    assert files_parts(table, table.snapshot(), engine) is None  # few files
    monkeypatch.setattr("paimon_ksy.table.manifests.scan.ENTRIES_HERE", -1)
    monkeypatch.setattr("paimon_ksy.table.manifests.scan._GROUP_BYTES", 1)
    many = files_parts(table, table.snapshot(), engine)
    assert many is not None
    parts, rows = pickle.loads(pickle.dumps(many))
    found = pa.Table.from_batches((batch for part in parts for batch in rows(part)), FILES)
    assert len(parts) == 4 + bool(deleted) and engine.ran == (6 if deleted else 0)
    assert found.sort_by("path").equals(table.files().sort_by("path"))
    assert found.num_rows == 12 - deleted


def test_a_manifest_that_deletes_what_none_adds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = table_of_manifests(tmp_path, "t", partitions=1, files=4, manifests=2, deleted=1)
    monkeypatch.setattr("paimon_ksy.table.manifests.scan.ENTRIES_HERE", -1)
    table, manifests = Table.at(path), Manifests.of

    def without_first(self: Manifests, snapshot: Any) -> Any:
        return manifests(self, snapshot)[1:]

    monkeypatch.setattr(Manifests, "of", without_first)
    with pytest.raises(CorruptFileError, match="but no manifest of the snapshot adds it"):
        files_parts(table, table.snapshot(), Elsewhere())
