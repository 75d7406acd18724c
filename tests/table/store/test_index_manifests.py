"""Index manifests: where the vectors of data files are, and manifests that are not there."""

from pathlib import Path

import pytest

from paimon_ksy.errors import MissingFileError, PaimonKsyError
from paimon_ksy.table.model.files import Snapshot
from paimon_ksy.table.store import Table
from paimon_ksy.table.store.from_pypaimon import pypaimon_row
from tests.support.golden_tables import expected, golden_table, golden_table_names
from tests.support.pypaimon_entries import index_entries


@pytest.fixture
def table(tmp_path: Path) -> Table:
    """A table with deletion vectors."""
    return Table.at(golden_table("append_dv64", tmp_path))


def latest(table: Table) -> Snapshot:
    found = table.snapshot()
    assert found is not None and found.index_manifest is not None
    return found


def test_vectors_are_those_of_java_by_partition_bucket_and_file(table: Table) -> None:
    snapshot = latest(table)
    places = table.index_manifests.deletion_vectors(snapshot)
    live = {(file.partition, file.bucket, file.name): file for file in table.files(snapshot)}
    assert places
    assert places.keys() <= live.keys()
    for key, place in places.items():
        assert live[key].deletion_vector == place
        assert Path(place.path).stat().st_size >= place.offset + place.length
    deleted = sum(place.cardinality or 0 for place in places.values())
    rows = sum(file.num_rows for file in live.values())
    assert rows - deleted == len(expected("append_dv64").rows)
    listed = [vectors for _, _, vectors in table.index_manifests.vector_files(snapshot)]
    assert sum(map(len, listed)) == len(places)


def test_a_table_without_a_snapshot_has_no_index_file(table: Table) -> None:
    assert table.index_manifests.of(None) == []


def test_a_manifest_that_is_not_there_is_an_error_and_not_empty(table: Table) -> None:
    snapshot = latest(table)
    Path(table.location, "manifest", str(snapshot.index_manifest)).unlink()
    with pytest.raises(MissingFileError, match=str(snapshot.index_manifest)):
        table.index_manifests.of(snapshot)


@pytest.mark.parametrize(
    "name", [name for name in golden_table_names() if "dv" in name.replace("no_dv", "")]
)
def test_what_pypaimon_reads_of_tables_of_java(name: str, tmp_path: Path) -> None:
    table = Table.at(golden_table(name, tmp_path))
    found = table.index_manifests.of(latest(table))
    entries = index_entries(table)
    assert len(found) == len(entries) > 0
    for file, entry in zip(found, entries, strict=True):
        row = pypaimon_row(file.partition_row, table.pypaimon.partition_keys_fields)
        assert (row.values, file.bucket) == (entry.partition.values, entry.bucket)
        meta = entry.index_file
        for field in ("index_type", "file_name", "file_size", "row_count", "external_path"):
            assert getattr(file, field) == getattr(meta, field)
        assert list(file.vectors.items()) == [
            (name, (place.offset, place.length, place.cardinality))
            for name, place in (meta.dv_ranges or {}).items()
        ]


def test_two_vectors_of_one_file_are_an_error(
    table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    twice = 2 * table.index_manifests.of(latest(table))
    monkeypatch.setattr(table.index_manifests, "of", lambda _: twice)
    with pytest.raises(PaimonKsyError, match="it lists a second deletion vector for "):
        table.index_manifests.deletion_vectors(latest(table))
