"""The content of a snapshot is what Java said of it when it made it; broken parts are marked."""

import json
import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import pytest

from paimon_ksy.cli.app import run
from paimon_ksy.messages.changes import Change
from paimon_ksy.table.inspect.content import snapshot_report
from paimon_ksy.table.inspect.diff import diff_snapshots
from paimon_ksy.table.inspect.inspect import inspect_table
from paimon_ksy.table.inspect.report import DataFileReport, NamedSnapshot, Totals
from paimon_ksy.table.io.cache import clear_caches
from paimon_ksy.table.model.files import Snapshot
from paimon_ksy.table.query.explain import explain
from paimon_ksy.table.query.read import count
from paimon_ksy.table.store import Table
from tests.support.golden_tables import expected, golden_table, golden_table_names
from tests.support.manifests import change_index_manifest
from tests.support.newer_tables import newer_table
from tests.support.table_reports import broken, files_of


@pytest.mark.parametrize("name", golden_table_names())
def test_golden_tables_have_the_files_that_java_lists(name: str, tmp_path: Path) -> None:
    made = expected(name).made
    report = inspect_table(Table.at(golden_table(name, tmp_path)), limit=1000)
    assert report.errors == []
    assert report.content is not None
    assert report.content.complete
    assert report.content.snapshot.id == report.latest.named == made["snapshot"]
    assert report.schema_id == made["schemaId"]
    found = [
        {
            "partition": [value.plain for value in file.partition.values()],
            "bucket": file.bucket,
            "fileName": file.name,
            "rowCount": file.rows,
            "level": file.level,
            "schemaId": file.schema_id,
            "minSequenceNumber": file.min_sequence_number,
            "maxSequenceNumber": file.max_sequence_number,
            "fileSize": file.bytes,
            "extraFiles": list(file.extra_files),
        }
        for file in files_of(report)
    ]
    wanted = [
        {key: value for key, value in file.items() if key in found[0]} for file in made["dataFiles"]
    ]
    by_name = "fileName"
    assert sorted(found, key=lambda file: file[by_name]) == sorted(
        wanted, key=lambda file: file[by_name]
    )
    totals = report.content.totals
    assert totals.files == len(wanted)
    assert totals.rows == sum(file["rowCount"] for file in wanted)


@pytest.mark.parametrize("name", golden_table_names()[::4])
def test_each_table_is_printed_and_is_json(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path, files = golden_table(name, tmp_path), expected(name).made["dataFiles"]
    assert run(["table", "inspect", path]) == 0
    text = capsys.readouterr().out
    assert all(file["fileName"] in text for file in files)
    assert run(["table", "inspect", path, "--format", "json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert (document["errors"], document["content"]["totals"]["files"]) == ([], len(files))


@pytest.mark.parametrize("name", golden_table_names())
def test_golden_tables_have_the_index_files_that_java_lists(name: str, tmp_path: Path) -> None:
    made = expected(name).made
    content = inspect_table(Table.at(golden_table(name, tmp_path)), limit=1000).content
    assert content is not None
    files = () if content.index_manifest is None else content.index_manifest.files
    found = {
        file.name: (
            file.type,
            file.bucket,
            file.bytes,
            [(v.data_file, v.byte, v.length, v.rows) for v in file.vectors],
        )
        for file in files
    }
    assert found == {
        file["fileName"]: (
            file["indexType"],
            file["bucket"],
            file["fileSize"],
            [
                (v["name"], v["offset"], v["length"], v["cardinality"])
                for v in file.get("dvRanges") or ()
            ],
        )
        for file in made.get("indexFiles") or ()
    }
    for file in files:
        if file.type == "HASH":
            assert file.rows * 4 == file.bytes


@pytest.mark.parametrize("name", [n for n in golden_table_names() if n != "evolution"])
def test_indexes_are_those_of_the_options(name: str, tmp_path: Path) -> None:
    path = golden_table(name, tmp_path)
    options = expected(name).spec["options"]
    wanted = {
        (column.strip(), key.split(".")[1])
        for key, columns in options.items()
        if re.fullmatch(r"file-index\.[^.]+\.columns", key)
        for column in columns.split(",")
    }
    for file in files_of(inspect_table(Table.at(path), limit=1000)):
        assert file.index is not None
        assert {(part.column, part.index_type) for part in file.index.parts} == wanted
        embedded = file.embedded_index_bytes
        assert (file.index.place == "embedded") == (embedded is not None)
        assert all(part.bytes <= file.index.bytes for part in file.index.parts)


@pytest.mark.parametrize("name", ["pk_dv32", "append_partitioned"])
def test_snapshots_have_all_that_their_files_say(name: str, tmp_path: Path) -> None:
    path = golden_table(name, tmp_path)
    of_field = {
        "version": "version",
        "schemaId": "schema_id",
        "commitUser": "commit_user",
        "commitIdentifier": "commit_identifier",
        "commitKind": "kind",
        "timeMillis": "time_millis",
        "totalRecordCount": "total_rows",
        "deltaRecordCount": "added_rows",
    }
    for found in inspect_table(path).snapshots.listed:
        stored = json.loads(Path(path, "snapshot", f"snapshot-{found.id}").read_text())
        one = inspect_table(path, found.id).content
        assert one is not None
        assert one.snapshot == found
        for key, name in of_field.items():
            assert getattr(found, name) == stored[key], key
        lists = {f"{part.role}ManifestList": part.name for part in one.lists}
        assert lists == {key: stored[key] for key in lists}
        assert set(lists) == {key for key in stored if key.endswith("ManifestList")}
        manifest = one.index_manifest
        assert (None if manifest is None else manifest.name) == stored.get("indexManifest")
        buckets = {e.total_buckets for part in one.lists for m in part.manifests for e in m.entries}
        assert buckets <= {int(Table.at(path).options.get("bucket", "-1"))}


def test_changelog_files(keyed: tuple[Any, str], capsys: pytest.CaptureFixture[str]) -> None:
    _, path = keyed
    report = inspect_table(Table.at(path))
    assert report.content is not None
    assert [found.role for found in report.content.lists] == ["base", "delta", "changelog"]
    [manifest] = report.content.lists[2].manifests
    [file] = [entry.file for entry in manifest.entries if entry.file]
    assert file.name.startswith("changelog-")
    assert (file.rows, file.min_key[0].plain, file.max_key[0].plain) == (1, 3, 3)
    assert report.content.totals.rows == 11
    assert report.bucket_mode == "HASH_FIXED"
    assert run(["table", "inspect", path]) == 0
    text = capsys.readouterr().out
    assert "changelog manifest-list" in text
    assert "changelog rows 1" in text


def unknown(records: list[Any]) -> list[Any]:
    ranges = "_DELETIONS_VECTORS_RANGES"
    return [
        {**record, ranges: [{**each, "_CARDINALITY": None} for each in record[ranges]]}
        for record in records
    ]


def test_vectors_that_are_listed_without_a_cardinality(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """As Paimon 0.9 and earlier list them: no number of deleted rows is made up."""
    path = golden_table("append_dv32", tmp_path)
    live = count(path).count
    before = explain(path, "id > 0")[-2].by
    change_index_manifest(Table.at(path), unknown)
    clear_caches()
    assert count(path).count == live
    assert explain(path, "id > 0")[-2].by == before
    assert "deletion vectors" in [cause.name for cause in before]
    report = inspect_table(path).content
    assert report is not None
    totals = report.totals
    assert (totals.deletion_vectors > 0, totals.deleted_rows) == (True, None)
    assert run(["table", "inspect", path]) == 0
    shown = capsys.readouterr().out
    assert f"deletion vectors {totals.deletion_vectors}\n" in shown
    assert "deleted rows 0\n" not in shown


@pytest.mark.parametrize("name", golden_table_names())
def test_totals_are_of_all_files_whatever_the_limit(name: str, tmp_path: Path) -> None:
    table = Table.at(golden_table(name, tmp_path))
    whole_report = inspect_table(table, limit=1000)
    whole = whole_report.content
    assert whole is not None
    for limit in (0, 1, 3):
        report = inspect_table(table, limit=limit)
        assert report.content is not None
        assert report.content.totals == whole.totals
        assert report.content.num_partitions == whole.num_partitions
        assert len(files_of(report)) <= limit
        assert all(len(part.manifests) <= limit for part in report.content.lists)
        assert report.errors == []
    files = files_of(whole_report)
    assert whole.totals == summed(files)
    assert whole.num_partitions == len(whole.partitions) == len({str(f.partition) for f in files})
    for partition in whole.partitions:
        here = [file for file in files if file.partition == partition.values]
        assert partition.totals == summed(here)
        assert partition.num_buckets == len(partition.buckets) == len({f.bucket for f in here})
        for bucket in partition.buckets:
            assert bucket.totals == summed(file for file in here if file.bucket == bucket.bucket)


def summed(files: Iterable[DataFileReport]) -> Totals:
    """Sum up files one by one."""
    sums = Counter[str](dict.fromkeys((each.name for each in fields(Totals)), 0))
    for file in files:
        embedded = file.embedded_index_bytes is not None
        vector = file.deletion_vector
        sums += Counter(
            files=1,
            rows=file.rows,
            bytes=file.bytes,
            embedded_indexes=embedded,
            index_files=not embedded and any(n.endswith(".index") for n in file.extra_files),
            deletion_vectors=vector is not None,
            deleted_rows=0 if vector is None else vector.rows or 0,
        )
    return Totals(**sums)


def test_what_a_snapshot_lacks_is_not_made_up(tmp_path: Path) -> None:
    table = Table.at(golden_table("append_dv32", tmp_path))
    stored = table.snapshot()
    assert isinstance(stored, Snapshot)
    tags = [NamedSnapshot("mine", stored.id), NamedSnapshot("other", 1), NamedSnapshot("broken")]
    assert snapshot_report(table, stored, tags).tags == ("mine",)
    for watermark, shown in ((None, None), (-(2**63), None), (-(2**63) + 1, 1 - 2**63), (0, 0)):
        assert snapshot_report(table, replace(stored, watermark=watermark)).watermark == shown
    first = replace(stored, version=1)  # Paimon 0.3 did not count rows
    counted, uncounted = snapshot_report(table, stored), snapshot_report(table, first)
    assert (counted.total_rows, counted.added_rows) == (
        stored.total_record_count,
        stored.delta_record_count,
    )
    assert (uncounted.total_rows, uncounted.added_rows) == (None, None)


# What is broken -----------------------------------------------------------------------------------


def test_a_manifest_that_is_not_there(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = golden_table("evolution", tmp_path)
    report = inspect_table(Table.at(path))
    assert report.content is not None
    name = report.content.lists[0].manifests[0].name
    Path(path, "manifest", name).unlink()
    text, complaints = broken(path, capsys)
    assert re.search(rf"{name}: .*, broken", text)
    assert "totals: files 2, rows 40" in text
    assert "incomplete a manifest is corrupt" in text
    assert len(complaints) == 1
    assert name in complaints[0]


@pytest.mark.parametrize("content", [b"", b"Obj", b"no avro at all"])
def test_a_corrupt_manifest(
    content: bytes, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = golden_table("evolution", tmp_path)
    report = inspect_table(Table.at(path))
    assert report.content is not None
    name = report.content.lists[1].manifests[0].name
    Path(path, "manifest", name).write_bytes(content)
    text, [complaint] = broken(path, capsys)
    assert re.search(rf"{name}: .*, broken", text)
    assert name in complaint


def test_a_manifest_that_is_broken_is_told_even_if_it_is_not_listed(tmp_path: Path) -> None:
    path = golden_table("evolution", tmp_path)
    report = inspect_table(Table.at(path))
    assert report.content is not None
    name = report.content.lists[0].manifests[1].name
    Path(path, "manifest", name).unlink()
    report = inspect_table(Table.at(path), limit=0)
    assert [name in error for error in report.errors] == [True]


@pytest.mark.parametrize("role", ["baseManifestList", "deltaManifestList", "indexManifest"])
def test_lists_that_are_not_there(
    role: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = golden_table("append_dv32", tmp_path)
    snapshot = json.loads(Path(path, "snapshot", "snapshot-5").read_text())
    Path(path, "manifest", snapshot[role]).unlink()
    text, complaints = broken(path, capsys)
    assert re.search(rf"{snapshot[role]}[:,] broken", text)
    assert any(snapshot[role] in complaint for complaint in complaints)


def test_a_schema_that_files_need(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = golden_table("evolution", tmp_path)
    Path(path, "schema", "schema-1").unlink()
    text, complaints = broken(path, capsys)
    assert "schemas (2)" in text
    assert "totals: files 3, rows 60, bytes 3,079, embedded indexes 0, index files 3," in text
    assert re.search(r"\n +data-[^:]*: .*schema 1 does not exist", text)
    assert any("schema" in complaint for complaint in complaints)


def test_global_indexes_and_what_they_cover(tmp_path: Path) -> None:
    report = inspect_table(Table.at(newer_table(tmp_path, "btree_partial")))
    assert report.content is not None
    assert report.content.index_manifest is not None
    [index], [file] = (
        report.content.index_manifest.global_indexes,
        report.content.index_manifest.files,
    )
    assert (index.columns, index.files, index.rows, index.coverage) == (("name",), 1, 2000, 0.8)
    assert index.unused is None
    assert file.to_json()["last_row_id"] == index.last_row_id == 1999
    diff = diff_snapshots(Table.at(report.table), 3, 4)
    [change] = [each for each in diff.changes if each.path.startswith("global_indexes")]
    assert change == Change("global_indexes[btree name].coverage", 1.0, 0.8)
    found = diff_snapshots(Table.at(report.table), 2, 3).changes
    [change] = [each for each in found if each.path.startswith("global_indexes")]
    assert (change.old, change.new) == (None, replace(index, coverage=1.0))
