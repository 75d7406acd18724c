"""What `table inspect` tells of a table is what Java said of it when it made it."""

import json
import re
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from paimon_ksy.cli.app import run
from paimon_ksy.table.inspect.inspect import inspect_table
from paimon_ksy.table.inspect.report import TableReport
from paimon_ksy.table.model.files import VectorPlace
from paimon_ksy.table.query.explain import explain
from paimon_ksy.table.query.read import count
from paimon_ksy.table.store import Table
from tests.support.golden_tables import expected, golden_table, golden_table_names


def files_of(report: TableReport) -> list[Any]:
    assert report.content is not None
    return [
        file
        for partition in report.content.partitions
        for bucket in partition.buckets
        for file in bucket.listed
    ]


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
            [(v.data_file, v.offset, v.length, v.rows) for v in file.vectors],
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
        assert {(part.column, part.type) for part in file.index.parts} == wanted
        embedded = file.embedded_index_bytes
        assert (file.index.place == "embedded") == (embedded is not None)
        assert all(part.bytes <= file.index.bytes for part in file.index.parts)


def test_statistics_are_those_of_the_rows(tmp_path: Path) -> None:
    table = expected("append_dv32_partitioned")
    report = inspect_table(Table.at(golden_table("append_dv32_partitioned", tmp_path)))
    first = next(f for f in files_of(report) if f.partition["p"].plain == "p0")
    bounds = {found.column: found for found in first.statistics}
    assert (bounds["id"].min.plain, bounds["id"].max.plain, bounds["id"].nulls) == (0, 58, 0)
    assert bounds["t"].min.text == "TIMESTAMP_NTZ '2024-01-01 00:00:00'"
    assert bounds["d"].max.text == "12.50"
    assert bounds["p"].max.text == "'p0'"
    assert set(bounds) == set(table.schema.names)


def test_statistics_of_keys(tmp_path: Path) -> None:
    report = inspect_table(Table.at(golden_table("pk_dynamic_partitioned_dv", tmp_path)))
    assert report.bucket_mode == "HASH_DYNAMIC"
    assert {file.min_key[0].plain for file in files_of(report)} <= set(range(70))


def test_changes_of_a_schema_are_told_by_column_id(tmp_path: Path) -> None:
    report = inspect_table(Table.at(golden_table("evolution", tmp_path)))
    assert [schema.changes for schema in report.schemas.listed] == [
        (),
        ("column s renamed to s2", "option file-index.bitmap.columns from s to s2"),
        (
            "column a from INT to BIGINT",
            "column n STRING added",
            "column x INT dropped",
            "option file-index.bitmap.columns from s2 to s2,n",
        ),
    ]


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


def test_an_earlier_snapshot(tmp_path: Path) -> None:
    path = golden_table("evolution", tmp_path)
    report = inspect_table(Table.at(path), 1)
    assert report.content is not None
    assert report.content.snapshot.id == 1
    assert report.content.totals.rows == 20
    assert report.snapshots.count == 3
    assert run(["table", "inspect", path, "--snapshot", "9"]) == 1


def test_limit_lists_fewer_and_counts_all(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = golden_table("pk_dynamic_partitioned_dv", tmp_path)
    report = inspect_table(Table.at(path), limit=1)
    content = report.content
    assert content is not None
    assert report.snapshots.count == 6
    assert [snapshot.id for snapshot in report.snapshots.listed] == [6]
    assert (content.count, len(content.partitions)) == (2, 1)
    assert (content.partitions[0].count, len(content.partitions[0].buckets)) == (2, 1)
    assert content.totals.files == 10
    assert len(files_of(report)) == 1
    assert [(found.count, len(found.manifests)) for found in content.lists] == [(5, 1), (1, 1)]
    assert run(["table", "inspect", path, "--limit", "1"]) == 0
    shown = capsys.readouterr().out
    assert "... 5 snapshots more; --limit N lists more" in shown
    assert "live data: 10 files, 84 rows" in shown


# Tables of pypaimon ------------------------------------------------------------------------------


def catalog_at(folder: Path) -> Any:
    from pypaimon import CatalogFactory

    catalog = CatalogFactory.create({"warehouse": str(folder)})
    catalog.create_database("default", True)
    return catalog


def write(table: Any, rows: list[dict[str, Any]], schema: pa.Schema) -> None:
    builder = table.new_batch_write_builder()
    writer, commit = builder.new_write(), builder.new_commit()
    writer.write_arrow(pa.Table.from_pylist(rows, schema=schema))
    commit.commit(writer.prepare_commit())
    writer.close()
    commit.close()


KEYED = pa.schema([pa.field("k", pa.int32(), nullable=False), ("v", pa.string())])


@pytest.fixture
def keyed(tmp_path: Path) -> tuple[Any, str]:
    """A primary-key table with two snapshots that keeps a changelog."""
    from pypaimon import Schema

    options = {"bucket": "2", "changelog-producer": "input"}
    catalog = catalog_at(tmp_path)
    schema = Schema.from_pyarrow_schema(KEYED, primary_keys=["k"], options=options)
    catalog.create_table("default.keyed", schema, False)
    table = catalog.get_table("default.keyed")
    write(table, [{"k": k, "v": f"v{k}"} for k in range(10)], KEYED)
    write(table, [{"k": 3, "v": None}], KEYED)
    return table, str(tmp_path / "default.db" / "keyed")


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
    assert "changelog manifest list" in text
    assert "1 changelog row" in text


def test_tags_branches_consumers_and_changelogs(
    keyed: tuple[Any, str], capsys: pytest.CaptureFixture[str]
) -> None:
    from pypaimon.consumer.consumer import Consumer

    table, path = keyed
    table.create_tag("first", snapshot_id=1)
    table.create_tag("kept", snapshot_id=2, time_retained="1d")
    table.branch_manager().create_branch("trial", "first")
    table.consumer_manager().reset_consumer("reader", Consumer(next_snapshot=2))
    changelog = Path(path, "changelog", "changelog-1")
    changelog.parent.mkdir()
    changelog.write_bytes(Path(path, "snapshot", "snapshot-1").read_bytes())
    report = inspect_table(Table.at(path))
    assert report.errors == []
    assert [(tag.name, tag.snapshot) for tag in report.tags.listed] == [("first", 1), ("kept", 2)]
    assert [branch.name for branch in report.branches.listed] == ["trial"]
    assert [(c.name, c.snapshot) for c in report.consumers.listed] == [("reader", 2)]
    assert [found.id for found in report.changelogs.listed] == [1]
    assert [s.tags for s in report.snapshots.listed] == [("first",), ("kept",)]
    assert run(["table", "inspect", path]) == 0
    text = capsys.readouterr().out
    for line in ("first snapshot 1", "1 branch", "reader snapshot 2", "1 changelog"):
        assert line in text


# What is broken ----------------------------------------------------------------------------------


def broken(path: str, capsys: pytest.CaptureFixture[str]) -> tuple[str, list[str]]:
    """What is printed of a table that has something broken in it, and the complaints."""
    assert run(["table", "inspect", path]) == 1
    captured = capsys.readouterr()
    assert "Traceback" not in captured.err
    return captured.out, captured.err.splitlines()


def test_a_manifest_that_is_not_there(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = golden_table("evolution", tmp_path)
    report = inspect_table(Table.at(path))
    assert report.content is not None
    name = report.content.lists[0].manifests[0].name
    Path(path, "manifest", name).unlink()
    text, complaints = broken(path, capsys)
    assert re.search(rf"{name}: 1 ADD.*: broken", text)
    assert "live data: 2 files, 40 rows" in text
    assert "not all: a manifest is broken" in text
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
    assert re.search(rf"{name}: 1 ADD.*: broken", text)
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
    assert f"{snapshot[role]}: broken" in text
    assert any(snapshot[role] in complaint for complaint in complaints)


def test_snapshots_that_are_missing_or_corrupt(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = golden_table("pk_dynamic_partitioned_dv", tmp_path)
    Path(path, "snapshot", "snapshot-3").unlink()
    Path(path, "snapshot", "snapshot-2").write_text("{")
    text, complaints = broken(path, capsys)
    assert "6 snapshots" in text
    assert "\n    2: broken" in text
    assert "\n    3: broken" in text
    assert "live data: 10 files, 84 rows" in text
    assert len(complaints) == 2


def test_the_latest_snapshot_is_corrupt(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = golden_table("evolution", tmp_path)
    Path(path, "snapshot", "snapshot-3").write_text("{")
    text, complaints = broken(path, capsys)
    assert "content: broken" in text
    assert "2 APPEND" in text
    assert any("snapshot-3" in complaint for complaint in complaints)


def test_schemas_and_hints(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = golden_table("evolution", tmp_path)
    Path(path, "schema", "schema-0").write_text("[]")
    Path(path, "snapshot", "LATEST").write_text("soon")
    Path(path, "snapshot", "EARLIEST").write_text("2")
    text, complaints = broken(path, capsys)
    assert "schema 0: broken" in text
    assert "EARLIEST 2 (should be 1), LATEST broken" in text
    assert any("schema-0" in complaint for complaint in complaints)
    assert any("LATEST" in complaint for complaint in complaints)


def test_a_schema_that_files_need(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = golden_table("evolution", tmp_path)
    Path(path, "schema", "schema-1").unlink()
    text, complaints = broken(path, capsys)
    assert "2 schemas" in text
    assert "live data: 3 files, 60 rows, 3,079 bytes, 3 with an index file\n" in text
    assert re.search(r"\n        data-[^:]*: broken\n", text)
    assert any("schema" in complaint for complaint in complaints)


def test_files_that_are_missing_or_changed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = golden_table("append_dv32", tmp_path)
    first, second, third = sorted(Path(path, "bucket-0").glob("*.parquet"))
    first.unlink()
    second.write_bytes(b"short")
    third.with_name(third.name + ".index").write_bytes(b"no index")
    vectors = sorted(Path(path, "index").iterdir())[-1]
    vectors.unlink()
    text, complaints = broken(path, capsys)
    assert text.count("broken") >= 3
    for name in (first.name, second.name, third.name + ".index"):
        assert any(name in complaint for complaint in complaints), name
    assert "has 5 bytes, but should have" in "\n".join(complaints)


def test_vectors_that_are_listed_without_a_cardinality(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """As Paimon 0.9 and earlier list them: no number of deleted rows is made up."""
    path = golden_table("append_dv32", tmp_path)
    live = count(path)
    before = [step.notes for step in explain(path, "id > 0") if "vectors delete" in str(step.notes)]
    monkeypatch.setattr(
        "paimon_ksy.table.store.index_manifests.VectorPlace",
        lambda path, offset, length, _: VectorPlace(path, offset, length, None),
    )
    assert count(path) == live
    after = [step.notes for step in explain(path, "id > 0") if "vectors delete" in str(step.notes)]
    assert after == before != []
    report = inspect_table(path).content
    assert report is not None
    totals = report.totals
    assert (totals.deletion_vectors > 0, totals.deleted_rows) == (True, None)
    assert run(["table", "inspect", path]) == 0
    shown = capsys.readouterr().out
    assert f"{totals.deletion_vectors} deletion vector" in shown
    assert " of 0 rows" not in shown


def test_an_empty_table(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from pypaimon import Schema

    catalog = catalog_at(tmp_path)
    catalog.create_table("default.empty", Schema.from_pyarrow_schema(KEYED), False)
    path = str(tmp_path / "default.db" / "empty")
    assert run(["table", "inspect", path]) == 0
    assert "no snapshot" in capsys.readouterr().out
    warehouse = f"warehouse={tmp_path}"
    assert run(["table", "inspect", "default.empty", "--catalog", warehouse, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["content"] is None
