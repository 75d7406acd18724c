"""Index manifests: where the vectors of data files are, and manifests that are not there."""

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from paimon_ksy.errors import MissingFileError, PaimonKsyError
from paimon_ksy.table.model.files import Snapshot
from paimon_ksy.table.store import Table
from tests.support.golden_tables import expected, golden_table, golden_table_names
from tests.support.manifests import change_index_manifest
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
    manifests = table.index_manifests
    places = {
        (file.partition, file.bucket, name): place
        for file in manifests.with_vectors(snapshot)
        for name, place in manifests.places_in(file)[1].items()
    }
    live = {(file.partition, file.bucket, file.name): file for file in table.files(snapshot)}
    assert places
    assert places.keys() == {key for key, file in live.items() if file.deletion_vector is not None}
    for key, place in places.items():
        assert live[key].deletion_vector == place
        assert Path(place.path).stat().st_size >= place.offset + place.length
    deleted = sum(place.cardinality or 0 for place in places.values())
    rows = sum(file.num_rows for file in live.values())
    assert rows - deleted == len(expected("append_dv64").rows)
    assert len(manifests.vectors(snapshot)) == len(places)


def test_a_table_without_a_snapshot_has_no_index_file(table: Table) -> None:
    assert list(table.index_manifests.of(None)) == []
    assert len(table.index_manifests.vectors(None)) == 0


def test_a_manifest_that_is_not_there_is_an_error_and_not_empty(table: Table) -> None:
    snapshot = latest(table)
    Path(table.location, "manifest", str(snapshot.index_manifest)).unlink()
    with pytest.raises(MissingFileError, match=str(snapshot.index_manifest)):
        list(table.index_manifests.of(snapshot))


@pytest.mark.parametrize(
    "name", [name for name in golden_table_names() if "dv" in name.replace("no_dv", "")]
)
def test_what_pypaimon_reads_of_tables_of_java(name: str, tmp_path: Path) -> None:
    table = Table.at(golden_table(name, tmp_path))
    found = list(table.index_manifests.of(latest(table)))
    entries = index_entries(table)
    assert len(found) == len(entries) > 0
    for file, entry in zip(found, entries, strict=True):
        assert (len(file.partition), file.bucket) == (len(entry.partition.values), entry.bucket)
        meta = entry.index_file
        for field in ("index_type", "file_name", "file_size", "row_count", "external_path"):
            assert getattr(file, field) == getattr(meta, field)
        assert list(file.vectors.items()) == [
            (name, (place.offset, place.length, place.cardinality))
            for name, place in (meta.dv_ranges or {}).items()
        ]


def doubled(records: list[Any]) -> list[Any]:
    """Two index files that list the same."""
    return 2 * records


def doubled_inside(records: list[Any]) -> list[Any]:
    """One index file that lists each vector twice."""
    ranges = "_DELETIONS_VECTORS_RANGES"
    return [{**record, ranges: 2 * record[ranges]} for record in records]


@pytest.mark.parametrize("change", [doubled, doubled_inside])
def test_two_vectors_of_one_file_are_an_error(table: Table, change: Any) -> None:
    change_index_manifest(table, change)
    [path] = {table.paths.index_file(file) for file in table.index_manifests.of(latest(table))}
    message = re.escape(path) + ": it lists a second deletion vector for "
    with pytest.raises(PaimonKsyError, match=message):
        table.index_manifests.vectors(latest(table))
    with pytest.raises(PaimonKsyError, match=message):
        list(Table.at(table.location).files(latest(table)))


@pytest.mark.parametrize("change", [{"_BUCKET": 1}, {"_INDEX_TYPE": "HASH"}])
def test_vectors_of_another_bucket_or_type_belong_to_no_file(
    table: Table, change: dict[str, Any]
) -> None:
    change_index_manifest(table, lambda records: [{**record, **change} for record in records])
    assert {file.deletion_vector for file in table.files(latest(table))} == {None}


def test_where_vectors_are_elsewhere(table: Table) -> None:
    """An external path of an index file, which Java writes with other data folders."""
    [file, *_] = table.index_manifests.of(latest(table))
    path = table.paths.index_file(file)
    moved = Path(path).with_name("moved")
    moved.write_bytes(Path(path).read_bytes())
    places = {file.name: file.deletion_vector for file in table.files(latest(table))}
    external = {"_EXTERNAL_PATH": str(moved)}
    change_index_manifest(table, lambda records: [{**record, **external} for record in records])
    for found in Table.at(table.location).files(latest(table)):
        before = places[found.name]
        wanted = None if before is None else replace(before, path=str(moved))
        assert found.deletion_vector == wanted
