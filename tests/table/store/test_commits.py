"""Commits of snapshots and of options: what they leave, and others at work."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from paimon_ksy.errors import PaimonKsyError, UnsupportedError
from paimon_ksy.table.delete.delete import delete
from paimon_ksy.table.engine import local_engine
from paimon_ksy.table.index.rewrite import rewrite_index
from paimon_ksy.table.store import Table
from paimon_ksy.table.store.alter import set_options
from paimon_ksy.table.store.commits import LocalLinks
from tests.support.tables import STATUS, TO_FILES, append, ids, indexes, make, rows, run_rewrite
from tools.tables import make_table

LOCAL = local_engine(1)
INDEX = {"file-index.bitmap.columns": "s"}


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
    names = {"paimon-ksy.index.options", "paimon-ksy.index.until"} if job in INDEX_JOBS else set()
    assert after["properties"].keys() == {SEQUENCE, *names}
    assert after["properties"][SEQUENCE] == "12"
    assert not after.keys() & DROPPED and after.keys() <= {*KEPT, *OWN}
    if job in INDEX_JOBS:
        assert after["indexManifest"] == before["indexManifest"]
        assert after["totalRecordCount"] == before["totalRecordCount"]


def test_snapshot_of_another_process_is_not_replaced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """pypaimon looks whether it is there, then renames over it; here it comes in between."""
    from pypaimon.snapshot.renaming_snapshot_commit import RenamingSnapshotCommit

    path = make(tmp_path, [rows(0, 8)], {**STATUS, **TO_FILES})
    commit = RenamingSnapshotCommit.commit

    def other_first(self: Any, *given: Any) -> Any:
        monkeypatch.setattr(RenamingSnapshotCommit, "commit", commit)
        file_io = self.file_io

        class Late:
            def __getattr__(self, name: str) -> Any:
                return getattr(file_io, name)

            def exists(self, name: str) -> bool:
                append(path, rows(8, 4))
                return False

        self.file_io = Late()
        try:
            return commit(self, *given)
        finally:
            self.file_io = file_io

    monkeypatch.setattr(RenamingSnapshotCommit, "commit", other_first)
    assert run_rewrite(path).snapshot == 3
    assert ids(path) == list(range(12))
    assert indexes(path) == [{"status": {"bitmap"}}, {}]


def test_options_can_be_saved_for_later_writers(tmp_path: Path) -> None:
    path = make(tmp_path, [rows(0, 8)], {**STATUS, "file-index.bitmap.status.version": "1"})
    asked = {"file-index.bitmap.columns": "amount", "file-index.bsi.columns": "id"}
    run_rewrite(path, set=asked, save_options=True, dry_run=True)
    assert Table.at(path).schema.id == 0
    run_rewrite(path, set=asked, save_options=True)
    table = Table.at(path)
    assert table.schema.id == 1
    kept = {key: value for key, value in table.options.items() if key.startswith("file-index.")}
    assert kept == {"file-index.bitmap.columns": "amount", "file-index.bsi.columns": "id"}
    append(path, rows(8, 4))
    assert run_rewrite(path).reasons == {"new": 1}
    assert indexes(path)[1] == {"amount": {"bitmap"}, "id": {"bsi"}}
    run_rewrite(path, set=asked, save_options=True)
    assert Table.at(path).schema.id == 1  # nothing changed
    assert ids(path) == list(range(12))


def test_options_that_writers_could_not_follow_are_not_saved(tmp_path: Path) -> None:
    """Java could not write to the table any more."""
    path = make(tmp_path, [rows(0, 8)])
    with pytest.raises(UnsupportedError, match="not saved"):
        run_rewrite(path, set={"file-index.bsi.columns": "status,amount"}, save_options=True)
    assert Table.at(path).schema.id == 0
    assert indexes(path) == [{}]


def test_a_rewrite_that_fails_saves_nothing(tmp_path: Path) -> None:
    path = make(tmp_path, [rows(0, 8)])
    [data] = Path(path).rglob("*.parquet")
    whole = data.read_bytes()
    data.write_bytes(whole[:-100])
    with pytest.raises(PaimonKsyError, match=data.name):
        run_rewrite(path, set=STATUS, save_options=True)
    assert Table.at(path).schema.id == 0
    data.write_bytes(whole)
    run_rewrite(path, set=STATUS, save_options=True)
    assert Table.at(path).schema.id == 1


def test_options_that_cannot_be_saved_after_the_commit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*_: Any) -> None:
        raise OSError("no space left")

    path = make(tmp_path, [rows(0, 8)])
    with monkeypatch.context() as patch:
        patch.setattr("paimon_ksy.table.store.alter.local_links", fails)
        with pytest.raises(PaimonKsyError, match="no space left") as error:
            run_rewrite(path, set=STATUS, save_options=True)
    assert (
        error.value.remedy == "the indexes are complete; run the command again to save the options"
    )
    assert (Table.at(path).schema.id, indexes(path)) == (0, [{"status": {"bitmap"}}])
    assert run_rewrite(path, set=STATUS, save_options=True).rewritten == 0
    assert Table.at(path).schema.id == 1


def test_options_of_a_branch_are_saved_in_the_branch(tmp_path: Path) -> None:
    path = make(tmp_path, [rows(0, 8)])
    Table.at(path).pypaimon.branch_manager().create_branch("b")
    branch = f"{path}/branch/branch-b"
    rewrite_index(branch, set=STATUS, save_options=True, engine=LOCAL)
    assert Table.at(branch).options["file-index.bitmap.columns"] == "status"
    assert "file-index.bitmap.columns" not in Table.at(path).options


def test_a_schema_of_somebody_else_is_never_replaced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another process saves an option between the look and the write."""
    path = make(tmp_path, [rows(0, 8)])
    write, others = LocalLinks.try_to_write_atomic, iter([True])

    def after_another(self: Any, name: str, content: str) -> bool:
        if "/schema/" in name and next(others, False):
            set_options(Table.at(path), {"mine": "1"})
        return write(self, name, content)

    monkeypatch.setattr(LocalLinks, "try_to_write_atomic", after_another)
    run_rewrite(path, set=STATUS, save_options=True)
    options = Table.at(path).options
    assert (options["mine"], options["file-index.bitmap.columns"]) == ("1", "status")
    assert Table.at(path).schema.id == 2


def test_what_we_do_not_know_of_a_schema_is_kept(tmp_path: Path) -> None:
    path = make(tmp_path, [rows(0, 8)])
    schema = Path(path, "schema", "schema-0")
    document = json.loads(schema.read_text())
    document["fields"].append({"id": 90, "name": "where", "type": "GEOMETRY('a b')", "new": 1})
    schema.write_text(json.dumps({**document, "newer": {"a": 1}}))
    set_options(Table.at(path), {"mine": "1"})
    after = json.loads(Path(path, "schema", "schema-1").read_text())
    assert (after["newer"], after["fields"][-1]) == ({"a": 1}, document["fields"][-1])
    assert after["options"] == {**document["options"], "mine": "1"}
