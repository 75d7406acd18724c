"""The latest snapshot as an audit checks it: its files of deletion vectors."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from paimon_ksy.table.store import Table
from tests.support.audits import commit, found, places, vector_of
from tests.support.golden_tables import golden_table
from tests.support.manifests import change_index_manifest
from tests.support.pypaimon_entries import index_entries


def test_a_missing_file_of_vectors(tmp_path: Path) -> None:
    path = golden_table("append_dv32", tmp_path)
    place = vector_of(path).deletion_vector
    assert place is not None
    Path(place.path).unlink()
    assert {one.check for one in found(path) if one.file == place.path} == {
        "index-file",
        "deletion-vector",
    }


@pytest.mark.parametrize(
    ("name", "twice", "is_normal"),
    [
        ("append_dv32", False, False),
        ("append_dv32", True, False),
        ("pk_dv32", False, True),  # Java's full compactions leave them
        ("pk_dv32", True, False),
    ],
)
def test_vectors_of_no_live_file_and_two_of_one(
    name: str, twice: bool, is_normal: bool, tmp_path: Path
) -> None:
    path = golden_table(name, tmp_path)
    table = Table.at(path)
    [file, *_] = table.index_manifests.of(table.snapshot())
    [entry, *_] = index_entries(table)
    name, meta = next(iter(entry.index_file.dv_ranges.items()))
    other = name if twice else "data-gone.parquet"
    copy = Path(path) / "index" / "index-9d77160c-3670-4c18-a1a5-bce1491141ab-7"
    copy.write_bytes(Path(table.paths.index_file(file)).read_bytes())
    index_file = replace(
        entry.index_file,
        file_name=copy.name,
        dv_ranges={other: replace(meta, data_file_name=other)},
    )
    commit(table, [], [replace(entry, index_file=index_file)])
    findings = found(path)
    if is_normal:
        assert findings == []
        return
    [finding] = findings
    assert (finding.severity, finding.check) == ("error", "deletion-vector")
    assert finding.byte == meta.offset
    assert ("a second vector of" if twice else "belongs to data-gone") in finding.message


@pytest.mark.parametrize(
    "change", [{"_INDEX_TYPE": "DELETION_VECTORR"}, {"_DELETIONS_VECTORS_RANGES": []}]
)
def test_an_index_manifest_that_hides_vectors(change: dict[str, Any], tmp_path: Path) -> None:
    """By a bit of it rows that are deleted would be there again."""
    path = golden_table("append_dv32", tmp_path)
    table = Table.at(path)
    change_index_manifest(table, lambda records: [{**record, **change} for record in records])
    snapshot: Any = table.snapshot()
    assert ("error", "manifest", snapshot.index_manifest) in places(found(path))


@pytest.mark.parametrize("name", ["append_dv32", "pk_dv32"])
def test_vectors_of_a_table_whose_option_is_off(name: str, tmp_path: Path) -> None:
    path = golden_table(name, tmp_path)
    for file in Path(path, "schema").iterdir():
        document = json.loads(file.read_text())
        document["options"]["deletion-vectors.enabled"] = "false"
        file.write_text(json.dumps(document))
    [finding] = found(path)
    assert (finding.severity, finding.check) == ("warning", "deletion-vector")
    assert "Java ignores them, and may return the rows that they delete" in finding.message


@pytest.mark.parametrize("in_data_folders", ["false", "true"])
def test_global_indexes_are_in_one_folder(in_data_folders: str, tmp_path: Path) -> None:
    """The option `index-file-in-data-file-dir` moves only vectors and the indexes of buckets."""
    path = golden_table("append_dv32", tmp_path)
    names = ("_ROW_RANGE_START", "_ROW_RANGE_END", "_INDEX_FIELD_ID")
    change_index_manifest(
        Table.at(path),
        lambda records: [
            {
                **record,
                "_INDEX_TYPE": "btree",
                "_DELETIONS_VECTORS_RANGES": None,
                "_GLOBAL_INDEX": dict.fromkeys(names, 1) | {"_INDEX_META": b"meta"},
            }
            for record in records
        ],
    )
    schema = max(Path(path, "schema").iterdir())
    document = json.loads(schema.read_text())
    document["options"]["index-file-in-data-file-dir"] = in_data_folders
    schema.write_text(json.dumps(document))
    [file, *_] = Table.at(path).index_manifests.of(Table.at(path).snapshot())
    index = Path(path, "index", file.file_name)
    assert str(index) not in {one.file for one in found(path) if one.check == "index-file"}
    index.unlink()
    assert ("error", "index-file", str(index)) in {
        (one.severity, one.check, one.file) for one in found(path)
    }
