"""Index manifests: where the vectors of data files are, and manifests that are not there."""

from pathlib import Path

import pytest

from paimon_ksy.errors import MissingFileError, PaimonKsyError
from paimon_ksy.table.model.files import Snapshot
from paimon_ksy.table.store import Table
from tests.support.golden_tables import expected, golden_table


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


def test_a_table_without_a_snapshot_has_no_entry(table: Table) -> None:
    assert table.index_manifests.entries(None) == []


def test_a_manifest_that_is_not_there_is_an_error_and_not_empty(table: Table) -> None:
    snapshot = latest(table)
    Path(table.location, "manifest", str(snapshot.index_manifest)).unlink()
    with pytest.raises(MissingFileError, match=str(snapshot.index_manifest)):
        table.index_manifests.entries(snapshot)


def test_two_vectors_of_one_file_are_an_error(
    table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    twice = 2 * table.index_manifests.vector_entries(latest(table))
    monkeypatch.setattr(table.index_manifests, "vector_entries", lambda _: twice)
    with pytest.raises(PaimonKsyError, match="it lists a second deletion vector for "):
        table.index_manifests.deletion_vectors(latest(table))
