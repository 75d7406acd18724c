"""What a commit leaves in the folder of snapshots."""

import json
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pytest

from paimon_ksy.table.delete.delete import delete
from paimon_ksy.table.engine import local_engine
from paimon_ksy.table.index.rewrite import rewrite_index
from tools.tables import make_table

LOCAL = local_engine(1)
INDEX = {"file-index.bitmap.columns": "s"}


def test_a_commit_leaves_no_other_file_beside_its_snapshot(tmp_path: Path) -> None:
    data = pa.table({"id": [1, 2]})
    path = make_table(tmp_path, "t", [data], {"deletion-vectors.enabled": "true"})
    assert delete(path, "id = 1", engine=LOCAL).snapshot == 2
    there = {file.name for file in Path(path, "snapshot").iterdir()}
    assert there - {"EARLIEST", "LATEST"} == {"snapshot-1", "snapshot-2"}


# What a snapshot takes from the one before it --------------------------------------------------

SEQUENCE = "sequence.generation.max-sequence-number"
KEPT = ("version", "schemaId", "watermark", "statistics", "nextRowId")
"""The fields that Java's commits carry over, of 1.4.2 and of 2.0."""
INDEX_JOBS: dict[str, Callable[[str], object]] = {
    "rewrite": lambda path: rewrite_index(path, set=INDEX, engine=LOCAL),
    "drop": lambda path: rewrite_index(path, drop_unlisted=True, engine=LOCAL),
    "save": lambda path: rewrite_index(path, set=INDEX, save_options=True, engine=LOCAL),
}
JOBS = INDEX_JOBS | {
    "delete": lambda path: delete(path, "id = 1", engine=LOCAL),
    "delete all": lambda path: delete(path, "true", engine=LOCAL),
}
OWN = {
    *("id", "uuid", "writerVersion", "commitUser", "commitIdentifier", "commitKind", "timeMillis"),
    *("baseManifestList", "baseManifestListSize", "deltaManifestList", "deltaManifestListSize"),
    *("totalRecordCount", "deltaRecordCount", "indexManifest", "properties"),
}
"""Fields that each commit sets itself."""
DROPPED = {
    "operation",
    "changelogManifestList",
    "changelogManifestListSize",
    "changelogRecordCount",
}


@pytest.mark.parametrize("schema_of_statistics", [None, 0, 7])
@pytest.mark.parametrize("job", JOBS)
def test_fields_of_snapshots_are_carried_over(
    job: str, schema_of_statistics: int | None, tmp_path: Path
) -> None:
    """As `FileStoreCommitImpl` does; all fields that a snapshot can have are looked at."""
    data = pa.table({"id": [1, 2], "s": ["a", "b"]})
    options = {"deletion-vectors.enabled": "true", "bucket": "-1"}
    path = make_table(tmp_path, "t", [data, data], options)
    delete(path, "id = 2", engine=LOCAL)
    rewrite_index(path, set={"file-index.bsi.columns": "id"}, engine=LOCAL)
    file = max(Path(path, "snapshot").glob("snapshot-*"))
    before = json.loads(file.read_text())
    before |= {
        "watermark": 77,
        "statistics": "stats-1",
        "nextRowId": 9,
        "properties": {SEQUENCE: "12", "mine": "1"},
        "operation": "MERGE",
        "changelogManifestList": before["deltaManifestList"],
        "changelogManifestListSize": 1,
        "changelogRecordCount": 3,
    }
    assert before.keys() == {*KEPT, *OWN, *DROPPED}
    file.write_text(json.dumps(before))
    if schema_of_statistics is not None:
        Path(path, "statistics").mkdir()
        Path(path, "statistics", "stats-1").write_text(f'{{"schemaId": {schema_of_statistics}}}')
    JOBS[job](path)
    after = json.loads(max(Path(path, "snapshot").glob("snapshot-*")).read_text())
    assert after["id"] == before["id"] + 1
    wanted = {name: before[name] for name in KEPT}
    if schema_of_statistics not in (None, wanted["schemaId"]):
        wanted["statistics"] = None
    assert {name: after.get(name) for name in KEPT} == wanted
    assert after["properties"] == {SEQUENCE: "12"}
    assert not after.keys() & DROPPED and after.keys() <= {*KEPT, *OWN}
    if job in INDEX_JOBS:
        assert after["indexManifest"] == before["indexManifest"]
        assert after["totalRecordCount"] == before["totalRecordCount"]
