"""Files that metadata names: missing ones, those of another size, those that nobody may read."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from paimon_ksy.errors import AccessError, PaimonKsyError
from paimon_ksy.messages.findings import REMEDY_ACCESS
from paimon_ksy.table.engine import local_engine
from paimon_ksy.table.index.rewrite import rewrite_index
from paimon_ksy.table.io.storage import FolderItem, Storage
from paimon_ksy.table.query.read import count
from paimon_ksy.table.store import Table
from tests.support.audits import change_entry, deny, found, indexed, places
from tests.support.tables import STATUS, files, make, rows


def test_missing_and_short_files(tmp_path: Path) -> None:
    path = make(tmp_path, [rows(0, 3), rows(3, 3)])
    first, second = files(path)
    Path(first.path).unlink()
    with Path(second.path).open("ab") as stream:
        stream.write(b"x")
    assert places(sorted(found(path, deep=True), key=lambda one: one.message)) == [
        ("error", "data-file", first.name),
        ("error", "data-file", second.name),
    ]


def test_a_file_that_cannot_be_looked_at_is_not_told_as_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = make(tmp_path, [rows(0, 3)])
    [file] = files(path)
    status = Storage.status

    def denied(storage: Storage, name: str) -> FolderItem:
        if name == file.path:
            raise PaimonKsyError(
                f"{name}: cannot determine its size: denied"
            ) from PermissionError()
        return status(storage, name)

    monkeypatch.setattr(Storage, "status", denied)
    [finding] = found(path)
    assert places([finding]) == [("error", "data-file", file.name)]
    assert finding.message == "cannot determine its size: denied; snapshot 1 names it"
    assert "backup" not in finding.remedy


def test_a_missing_data_file_is_told_once_whoever_names_it(tmp_path: Path) -> None:
    path = indexed(tmp_path)
    first, _ = files(path)
    for _ in range(4):  # each one deletes the entries of the one before
        rewrite_index(path, engine=local_engine(1), rebuild=True)
    Table.at(path).pypaimon.create_tag("kept", 3)
    Path(first.path).unlink()
    [missing] = found(path)
    assert places([missing]) == [("error", "data-file", first.name)]
    assert missing.message == "it does not exist; snapshot 7 names it"
    for number in range(1, 5):
        (Path(path) / "snapshot" / f"snapshot-{number}").unlink()
    table = Table.at(path)
    old, _ = table.data_files.of(table.snapshots.of_tag("kept"))
    Path(old.index_files[0]).unlink()
    assert [one.message for one in found(path) if one.check == "index"] == [
        "it does not exist; tag kept names it"
    ]


@pytest.mark.parametrize("end", ["snapshot-1", "-1"])
def test_nobody_is_told_to_restore_what_may_not_be_read(
    end: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = make(tmp_path, [rows(0, 3), rows(3, 3)], STATUS)
    deny(end, monkeypatch)
    told = [one for one in found(path) if one.message == "no permission to read it"]
    assert {one.remedy for one in told} == {REMEDY_ACCESS}
    with pytest.raises(AccessError, match=f"{end}: no permission to read it"):
        count(Table.at(path), snapshot_id=1)
    deny("schema-0", monkeypatch)
    with pytest.raises(AccessError, match="schema-0: no permission to read it"):
        Table.at(path)


def test_a_wrong_file_size_in_a_manifest(tmp_path: Path) -> None:
    path = indexed(tmp_path)
    [file, _] = files(path)
    change_entry(path, lambda e: replace(e, file=replace(e.file, file_size=e.file.file_size + 1)))
    [finding] = found(path)
    assert places([finding])[0][:2] == ("error", "data-file")
    assert finding.message == (
        f"it has {file.size:,} bytes instead of {file.size + 1:,}; snapshot 4 names it"
    )
