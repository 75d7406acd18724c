"""The difference between snapshots is that of their files and vectors, one by one."""

import re
import shutil
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from paimon_ksy.errors import PaimonKsyError
from paimon_ksy.table.inspect.diff import SnapshotDiff, diff_snapshots
from paimon_ksy.table.model.files import DataFile
from paimon_ksy.table.store import Table
from paimon_ksy.table_index.deletion_vector_file import read_vector
from tests.support.golden_tables import golden_table, golden_table_names
from tests.support.query_tables import made_table


def files_at(table: Table, number: int) -> dict[Any, DataFile]:
    """The live data files of a snapshot, one by one, by what is the same if their index changes."""
    files = table.data_files.of(table.snapshot(number))
    return {(file.partition, file.bucket, file.name): file for file in files}


def deleted_at(table: Table, number: int) -> dict[Any, set[int]]:
    """The rows that each vector of a snapshot deletes."""
    snapshot = table.snapshot(number)
    assert snapshot is not None
    return {
        key: set(read_vector(table.storage.open(place.path), place.offset, place.length))
        for file in table.index_manifests.with_vectors(snapshot)
        for name, place in table.index_manifests.places_in(file)[1].items()
        for key in [(file.partition, file.bucket, name)]
    }


def summary(found: SnapshotDiff) -> tuple[Any, ...]:
    """What is counted and what is listed of data files."""
    listed: dict[str, set[str]] = {"added": set(), "dropped": set(), "changed": set()}
    for change in found.changes:
        if match := re.match(r"files\[(.*?)\](.*)", change.path):
            whole = "added" if change.old is None else "dropped"
            listed["changed" if match[2] else whole].add(match[1])
    counts = (found.added.files, found.dropped.files, found.changed)
    return counts, (found.added.rows, found.dropped.rows), listed


def wanted(old: dict[Any, DataFile], new: dict[Any, DataFile]) -> tuple[Any, ...]:
    """What `summary` has to return, by comparing the files one by one."""
    added = {key: file for key, file in new.items() if key not in old}
    dropped = {key: file for key, file in old.items() if key not in new}
    changed = {
        key
        for key in old.keys() & new.keys()
        if (old[key].level, old[key].state) != (new[key].level, new[key].state)
    }
    rows = tuple(sum(file.num_rows for file in each.values()) for each in (added, dropped))
    listed = {
        "added": {file.name for file in added.values()},
        "dropped": {file.name for file in dropped.values()},
        "changed": {new[key].name for key in changed},
    }
    return (len(added), len(dropped), len(changed)), rows, listed


@pytest.mark.parametrize("name", golden_table_names())
def test_snapshots_differ_by_their_files_and_vectors(name: str, tmp_path: Path) -> None:
    table = Table.at(golden_table(name, tmp_path))
    ids = [
        number
        for number in range(1, 100)
        if Path(table.location, f"snapshot/snapshot-{number}").exists()
    ]
    pairs = [*pairwise(ids), (ids[0], ids[-1]), (ids[-1], ids[0])]
    for old, new in pairs:
        found = diff_snapshots(table, old, new)
        assert not found.errors
        files = files_at(table, old), files_at(table, new)
        assert summary(found) == wanted(*files)
        vectors = deleted_at(table, old), deleted_at(table, new)
        apart = {
            key
            for key in {**vectors[0], **vectors[1]}
            if vectors[0].get(key) != vectors[1].get(key)
        }
        listed = {change.path.partition("]")[0] for change in found.changes}
        named = {f"vectors[{name}" for _, _, name in apart}
        assert {path for path in listed if path.startswith("vectors")} == named
        assert found.deleted_rows == sum(map(len, vectors[1].values())) - sum(
            map(len, vectors[0].values())
        )
        assert found.equal == (old == new)


def test_indexes_and_vectors_that_were_added(tmp_path: Path) -> None:
    table = made_table(tmp_path, "vectors")[0]
    latest = table.snapshot()
    assert latest is not None
    found = diff_snapshots(table, 4, latest.id)
    assert found.changed == 4
    paths = [change.path for change in found.changes if change.old is None]
    assert sum(path.startswith("vectors[") for path in paths) == 4
    assert sum(path.endswith("].index") for path in paths) == 4
    back = diff_snapshots(table, latest.id, 4)
    assert back.deleted_rows == -found.deleted_rows < 0
    mirrored = [(change.path, change.new, change.old) for change in back.changes]
    assert sorted(mirrored, key=repr) == sorted(
        ((change.path, change.old, change.new) for change in found.changes), key=repr
    )


def test_bucket_indexes_that_changed(tmp_path: Path) -> None:
    table = Table.at(golden_table("pk_dynamic_partitioned_dv", tmp_path))
    found = diff_snapshots(table, 1, 6)
    assert any(change.path.startswith("index_files[HASH ") for change in found.changes)


def test_schemas_that_changed(tmp_path: Path) -> None:
    table = Table.at(golden_table("evolution", tmp_path))
    found = diff_snapshots(table, 1, 3)
    assert found.schema_changes[0].startswith("schema 0 to ")
    assert len(found.schema_changes) > 1


def test_broken_metadata(tmp_path: Path) -> None:
    table = made_table(tmp_path, "vectors")[0]
    latest = table.snapshot()
    assert latest is not None
    with pytest.raises(PaimonKsyError, match="snapshot"):
        diff_snapshots(table, 1, 99)
    for index in Path(table.location, "index").iterdir():
        index.write_bytes(index.read_bytes()[:20])
    found = diff_snapshots(table, 4, latest.id)
    assert len(found.errors) == 4 and not found.equal
    shutil.rmtree(Path(table.location, "manifest"))
    with pytest.raises(PaimonKsyError, match="manifest"):
        diff_snapshots(Table.at(table.location), 1, 2)
