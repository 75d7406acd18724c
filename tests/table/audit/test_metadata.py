"""Audits of snapshots, manifests, schemas, tags and changelogs."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from paimon_ksy.errors import PaimonKsyError
from paimon_ksy.table.audit.audit import repair
from paimon_ksy.table.audit.metadata import History
from paimon_ksy.table.audit.orphans import orphans
from paimon_ksy.table.engine import local_engine
from paimon_ksy.table.index.rewrite import rewrite_index
from paimon_ksy.table.store import Table
from tests.support.audits import flip, found, index_path, indexed, places
from tests.support.golden_tables import golden_table
from tests.support.tables import files, make, rows
from tools.conformance import matrix
from tools.tables import make_table


def test_a_missing_snapshot_and_hints(tmp_path: Path) -> None:
    path = make(tmp_path, [rows(0, 3), rows(3, 3), rows(6, 3)])
    (Path(path) / "snapshot" / "snapshot-2").unlink()
    (Path(path) / "snapshot" / "LATEST").write_text("9")
    (Path(path) / "snapshot" / "EARLIEST").write_text("one")
    assert places(found(path)) == [
        ("error", "snapshot", "snapshot-9"),
        ("error", "snapshot", "snapshot-2"),
        ("warning", "hint", "EARLIEST"),
    ]
    for text in ("0", "9" * 5000):
        (Path(path) / "snapshot" / "EARLIEST").write_text(text)
        assert ("warning", "hint", "EARLIEST") in places(found(path))
    (Path(path) / "snapshot" / "EARLIEST").write_text("1")
    assert ("warning", "hint", "EARLIEST") not in places(found(path))


ODD = ["٩", "²", "-1_0", "1_0", "2.tmp", "", "x", "+", "9" * 19]
"""Ends of names that are no ids: Java parses some of them, and then finds no such file."""


@pytest.mark.library
@pytest.mark.java
def test_names_that_are_no_ids(tmp_path: Path) -> None:
    path = make(tmp_path, [rows(0, 3)])
    Path(path, "snapshot", "LATEST").unlink(missing_ok=True)
    java = matrix.runner("java")
    columns = [{"name": "id", "type": "INT"}]
    request = {"op": "query_table", "path": path, "columns": columns, "predicate": None}
    assert len(java.ask(request)["rows"]) == 3
    for kind in ("snapshot", "schema", "changelog"):
        Path(path, kind).mkdir(exist_ok=True)
        for end in ODD:
            odd = Path(path, kind, f"{kind}-{end}")
            odd.write_text("{}")
            assert places(found(path)) == [("warning", kind, odd.name)]
            assert kind == "changelog" or "error" in java.ask(request), odd
            odd.unlink()
    java.close()
    assert found(path) == []


@pytest.mark.parametrize("text", ["", "{", "[]", "{}", '{"nextSnapshot": "1"}', '"x"', "\0"])
def test_consumers(text: str, tmp_path: Path) -> None:
    path = make(tmp_path, [rows(0, 3)])
    Path(path, "consumer").mkdir()
    Path(path, "consumer", "consumer-sound").write_text('{"nextSnapshot": 2}')
    assert found(path) == []
    Path(path, "consumer", "consumer-odd").write_text(text)
    [finding] = found(path)
    assert places([finding]) == [("warning", "consumer", "consumer-odd")]
    assert "reset_consumer" in finding.remedy


@pytest.mark.parametrize("key", ["totalRecordCount", "deltaRecordCount", "schemaId"])
def test_what_a_snapshot_says(key: str, tmp_path: Path) -> None:
    path = make(tmp_path, [rows(0, 3), rows(3, 3)])
    file = Path(path) / "snapshot" / "snapshot-2"
    document = json.loads(file.read_text())
    document[key] += 1
    file.write_text(json.dumps(document))
    findings = found(path)
    check = "schema" if key == "schemaId" else "record-count"
    assert set(places(findings)) == {("error", check, "snapshot-2")}


@pytest.mark.parametrize(
    ("file", "text", "check"),
    [
        ("snapshot/snapshot-1", lambda old: old.replace('"id": 1,', '"id": 2,'), "snapshot"),
        ("schema/schema-0", lambda old: old.replace('"id": 0,', '"id": 7,', 1), "schema"),
        ("tag/tag-kept", lambda old: old[:-9], "tag"),
        ("tag/tag-other", lambda old: "{}", "tag"),
        ("changelog/changelog-1", lambda old: "{", "changelog"),
    ],
)
def test_what_is_not_what_its_name_says(
    file: str, text: Callable[[str], str], check: str, tmp_path: Path
) -> None:
    path = make(tmp_path, [rows(0, 3), rows(3, 3)])
    Table.at(path).pypaimon.create_tag("kept", snapshot_id=1)
    place = Path(path, file)
    place.parent.mkdir(exist_ok=True)
    before = place.read_text() if place.exists() else ""
    assert text(before) != before
    place.write_text(text(before))
    assert ("error", check, place.name) in places(found(path))


@pytest.mark.parametrize("kind", ["manifest-list", "manifest", "index-manifest"])
def test_missing_and_broken_manifests(kind: str, tmp_path: Path) -> None:
    path = golden_table("append_dv32", tmp_path)
    table = Table.at(path)
    snapshot: Any = table.snapshot()
    name = {
        "manifest-list": snapshot.delta_manifest_list,
        "manifest": table.manifests.of(snapshot)[0].file_name,
        "index-manifest": snapshot.index_manifest,
    }[kind]
    file = Path(path) / "manifest" / name
    data = file.read_bytes()
    file.unlink()
    assert ("error", "manifest", name) in places(found(path))
    file.write_bytes(data[:-30])
    assert ("error", "manifest", name) in places(found(path))


def test_a_snapshot_that_is_lost_is_an_error(tmp_path: Path) -> None:
    """The latest one: nothing but the hint tells."""
    path = make(tmp_path, [rows(0, 3), rows(3, 3)])
    for number, there in ((2, "snapshots are 1 to 1"), (1, "snapshots are none")):
        (Path(path) / "snapshot" / f"snapshot-{number}").unlink()
        (Path(path) / "snapshot" / "LATEST").write_text(str(number))
        [finding] = [one for one in found(path) if one.check != "hint"]
        assert places([finding]) == [("error", "snapshot", f"snapshot-{number}")]
        assert there in finding.message


@pytest.mark.parametrize("damage", ["missing", "cut", "without ids"])
def test_a_missing_or_broken_schema(damage: str, tmp_path: Path) -> None:
    path = golden_table("evolution", tmp_path)
    index = next(file for file in files(path) if isinstance(file.index, str) and file.schema_id)
    flip(index_path(index), 0)
    place = Path(path) / "schema" / "schema-0"
    text = place.read_text()
    place.write_text(text[:-9] if damage == "cut" else text.replace("highestFieldId", "none"))
    if damage == "missing":
        place.unlink()
    repaired = repair(path, deep=True, engine=local_engine(1))
    assert repaired.summary is None  # what reads all data files would fail
    of_schema = [one for one in repaired.findings if one.check == "schema"]
    assert {Path(one.file).name for one in of_schema} <= {"schema-0", "snapshot-1"}
    assert {one.check for one in repaired.findings} <= {"schema", "index"}
    assert "data files that use it, such as data-" in of_schema[-1].message


def test_files_that_only_older_snapshots_and_tags_need(tmp_path: Path) -> None:
    path = indexed(tmp_path)
    old = [index_path(file) for file in files(path)]
    Table.at(path).pypaimon.create_tag("kept")
    rewrite_index(path, engine=local_engine(1), rebuild=True)
    rewrite_index(path, engine=local_engine(1), set={"file-index.bitmap.columns": "amount"})
    rewrite_index(path, engine=local_engine(1), drop_unlisted=True)
    old[0].unlink()
    assert places(found(path)) == [("warning", "index", old[0].name)]
    for number in range(1, 6):
        (Path(path) / "snapshot" / f"snapshot-{number}").unlink()
    assert places(found(path)) == [("warning", "index", old[0].name)]  # of the tag
    Table.at(path).pypaimon.delete_tag("kept")
    assert found(path) == []


def test_what_an_expired_snapshot_named_is_not_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It expires after it was looked at, before the files are that only it needs."""
    path = indexed(tmp_path)
    old = [index_path(file) for file in files(path)]
    rewrite_index(path, engine=local_engine(1), rebuild=True)
    to_read = History.to_read

    def then_expires(history: History, *arguments: Any, **options: Any) -> Any:
        found = to_read(history, *arguments, **options)
        for file in [*old, *(Path(path, "snapshot", f"snapshot-{n}") for n in (1, 2, 3))]:
            file.unlink()
        return found

    monkeypatch.setattr(History, "to_read", then_expires)
    assert found(path) == []


def test_a_tag_that_names_others_than_its_snapshot(tmp_path: Path) -> None:
    path = golden_table("append_dv32", tmp_path)
    Table.at(path).pypaimon.create_tag("kept", snapshot_id=2)
    assert found(path) == []
    file = Path(path) / "tag" / "tag-kept"
    file.write_text(json.dumps({**json.loads(file.read_text()), "indexManifest": "none"}))
    findings = found(path)
    assert set(places(findings)) == {("error", "manifest", "none")}
    assert any("tag kept" in finding.message for finding in findings)


def test_java_deletes_what_tags_and_changelogs_do_not_need(tmp_path: Path) -> None:
    """With a snapshot its changelog, though a tag names it; and with a changelog all else."""
    path = golden_table("append_dv32", tmp_path)
    table = Table.at(path)
    table.pypaimon.create_tag("kept", snapshot_id=2)
    file = Path(path) / "tag" / "tag-kept"
    document = json.loads(file.read_text())
    file.write_text(json.dumps({**document, "changelogManifestList": "manifest-list-gone"}))
    kept = {
        **document,
        "changelogManifestList": document["deltaManifestList"],
        "baseManifestList": "manifest-list-gone",
        "deltaManifestList": "manifest-list-gone",
        "indexManifest": "index-manifest-gone",
    }
    (Path(path) / "changelog").mkdir()
    (Path(path) / "changelog" / "changelog-2").write_text(json.dumps(kept))
    assert found(path, deep=True) == []
    assert orphans(path, timedelta(0)) == []


def test_a_changelog_that_outlived_its_snapshot_without_a_changelog_of_its_own(
    tmp_path: Path,
) -> None:
    """With a changelog producer Java deletes the manifest lists of such a snapshot."""
    for producer in ("lookup", "none"):
        options = {"bucket": "1", "changelog-producer": producer}
        path = make_table(tmp_path, producer, [rows(0, 4)], options, primary_keys=["id"])
        document = json.loads(Path(path, "snapshot", "snapshot-1").read_text())
        gone = {"baseManifestList": "manifest-list-gone", "deltaManifestList": "manifest-list-lost"}
        Path(path, "changelog").mkdir()
        Path(path, "changelog", "changelog-0").write_text(json.dumps({**document, "id": 0, **gone}))
        index = Path(path, "bucket-0", "data-old.parquet.index")
        index.touch()
        os.utime(index, (0, 0))
        if producer == "lookup":
            assert [orphan.path for orphan in orphans(path)] == [str(index)]
        else:
            with pytest.raises(PaimonKsyError, match="manifest-list-gone"):
                orphans(path)
