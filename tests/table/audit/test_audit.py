"""Audits: no false alarms; each kind of damage is found at its place, and mended if it can be."""

from __future__ import annotations

import json
import os
import random
import re
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pypaimon.filesystem.local_file_io import LocalFileIO
from typer.testing import CliRunner

from paimon_ksy.cli import findings, table_audit
from paimon_ksy.cli.app import app
from paimon_ksy.errors import AccessError, CorruptFileError, PaimonKsyError, PredicateError
from paimon_ksy.evaluation.selection import Selection
from paimon_ksy.file_index.builder import build_file_index
from paimon_ksy.file_index.check import check_index
from paimon_ksy.file_index.container import FileIndex
from paimon_ksy.file_index.options import parse_options
from paimon_ksy.file_index.range_bitmap.reader import RangeBitmapReader
from paimon_ksy.io import source
from paimon_ksy.messages.findings import REMEDY_ACCESS
from paimon_ksy.table.audit import data_files as audit_files
from paimon_ksy.table.audit.audit import Finding, _Audit, audit, repair, to_dataframe
from paimon_ksy.table.audit.data_files import check
from paimon_ksy.table.audit.metadata import History
from paimon_ksy.table.audit.orphans import OrphansLeftError, clean_orphans, orphans
from paimon_ksy.table.delete.delete import delete
from paimon_ksy.table.engine import local_engine, spark_engine
from paimon_ksy.table.index.rewrite import rewrite_index
from paimon_ksy.table.inspect.inspect import inspect_table
from paimon_ksy.table.io.storage import Storage
from paimon_ksy.table.model.files import DataFile
from paimon_ksy.table.query.read import count
from paimon_ksy.table.store import NewIndex, Table, commit_indexes
from paimon_ksy.table_index.bucket_index import read_bucket_index, write_bucket_index
from paimon_ksy.table_index.deletion_vector import DeletionVector, read_vectors
from paimon_ksy.types.schema import Schema
from tests.support.golden_tables import expected, golden_table, golden_table_names, same_rows
from tests.table.index.test_rewrite import (
    EMBEDDED,
    STATUS,
    TO_FILES,
    append,
    files,
    ids,
    make,
    read,
    rows,
)
from tools.tables import expire, make_table, merge_manifests

ALL_KINDS = {
    "file-index.bitmap.columns": "status,m[k]",
    "file-index.bsi.columns": "amount",
    "file-index.range-bitmap.columns": "id",
    "file-index.bloom-filter.columns": "id",
    "file-index.bloom-filter.id.items": "100",
}


def found(path: str, where: str | None = None, *, deep: bool = False) -> list[Finding]:
    return list(audit(path, where, deep=deep, engine=local_engine(1)))


def places(findings: Sequence[Finding]) -> list[tuple[str, str, str]]:
    """Severity, check and the file's name of each."""
    return [(one.severity, one.check, one.file.rpartition("/")[2]) for one in findings]


def indexed(folder: Path, options: dict[str, str] = STATUS, parts: int = 2) -> str:
    """A table with indexes in files, of data files with the same number of rows."""
    path = make(folder, [rows(i * 7, 12) for i in range(parts)], {**options, **TO_FILES})
    rewrite_index(path, engine=local_engine(1))
    return path


def index_path(file: DataFile) -> Path:
    assert isinstance(file.index, str)
    return Path(file.index.removeprefix("file:"))


def flip(path: str | Path, byte: int, bit: int = 0) -> None:
    """Change a bit of a file."""
    data = bytearray(Path(path).read_bytes())
    data[byte] ^= 1 << bit
    Path(path).write_bytes(data)


def change_entry(path: str, change: Callable[[Any], Any]) -> None:
    """Commit the entry of the first data file in another state."""
    table = Table.at(path)
    entry = next(iter(table.live_entries(table.manifests(table.snapshot()), table.entries)))
    commit(table, [replace(entry, kind=1), change(entry)])


def commit(table: Table, entries: Sequence[Any], index_adds: Sequence[Any] = ()) -> None:
    """Commit anything at all: nobody looks for conflicts."""
    made = table.pypaimon.new_batch_write_builder().new_commit().file_store_commit
    made._try_commit(
        commit_kind="COMPACT",
        commit_identifier=1,
        commit_entries_plan=lambda _: list(entries),
        detect_conflicts=False,
        index_adds=list(index_adds),
        index_deletes=[],
    )
    made.close()


# Sound tables -----------------------------------------------------------------------------------


@pytest.mark.parametrize("name", golden_table_names())
def test_golden_tables_are_sound(name: str, tmp_path: Path) -> None:
    path = golden_table(name, tmp_path)
    assert found(path) == []
    assert found(path, deep=True) == []
    assert orphans(path, timedelta(seconds=-60)) == []


@pytest.mark.parametrize("file_format", ["parquet", "orc"])
def test_tables_of_pypaimon_are_sound(file_format: str, tmp_path: Path) -> None:
    options = {**ALL_KINDS, "file.format": file_format}
    days = [rows(0, 9, "a"), rows(9, 8, "b")]
    path = make(tmp_path, days, {**options, **EMBEDDED}, ["day"])
    rewrite_index(path, engine=local_engine(1))
    append(path, rows(17, 3, "b"))
    [finding] = found(path, deep=True)
    assert places([finding]) == [("warning", "index-options", Path(finding.file).name)]
    assert "no index" in finding.message
    assert found(path, "day = 'a'", deep=True) == []
    rewrite_index(path, engine=local_engine(1), set=TO_FILES)
    assert {one.severity for one in found(path, deep=True)} == {"note"}  # not in the manifest
    with pytest.raises(PredicateError, match="only partition columns"):
        found(path, "id = 1")


def test_a_table_without_snapshot_and_one_without_indexes(tmp_path: Path) -> None:
    assert found(make(tmp_path / "none", []), deep=True) == []
    assert found(make(tmp_path / "plain", [rows(0, 3)]), deep=True) == []


def test_expired_snapshots_tags_and_dropped_indexes_give_no_alarm(tmp_path: Path) -> None:
    path = indexed(tmp_path)
    Table.at(path).pypaimon.create_tag("kept", snapshot_id=1)
    rewrite_index(path, engine=local_engine(1), set={"file-index.bitmap.columns": "amount"})
    rewrite_index(path, engine=local_engine(1), drop_unlisted=True)
    (Path(path) / "snapshot" / "snapshot-1").unlink()
    assert found(path, deep=True) == []


# References -------------------------------------------------------------------------------------


def test_a_missing_snapshot_and_hints(tmp_path: Path) -> None:
    path = make(tmp_path, [rows(0, 3), rows(3, 3), rows(6, 3)])
    (Path(path) / "snapshot" / "snapshot-2").unlink()
    (Path(path) / "snapshot" / "LATEST").write_text("9")
    (Path(path) / "snapshot" / "EARLIEST").write_text("one")
    assert places(found(path)) == [
        ("error", "snapshot", "snapshot-2"),
        ("warning", "hint", "EARLIEST"),
        ("error", "snapshot", "snapshot-9"),
    ]
    for text in ("0", "2", "9" * 5000):  # none of these is there
        (Path(path) / "snapshot" / "EARLIEST").write_text(text)
        assert ("warning", "hint", "EARLIEST") in places(found(path))
    (Path(path) / "snapshot" / "EARLIEST").write_text("1")
    assert ("warning", "hint", "EARLIEST") not in places(found(path))


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


def deny(end: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """No file whose path has this end may be read, here or by pypaimon."""

    def denied(read: Callable[..., Any], *arguments: Any) -> Any:
        if str(arguments[-1]).endswith(end):
            raise PermissionError(13, "Permission denied")
        return read(*arguments)

    monkeypatch.setattr(source, "_from_path", partial(denied, source._from_path))
    stream = LocalFileIO.new_input_stream
    monkeypatch.setattr(
        LocalFileIO, "new_input_stream", lambda self, path: denied(stream, self, path)
    )


def test_an_index_that_may_not_be_read_is_not_taken_for_broken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else a repair would drop sound indexes because of who runs it."""
    path = indexed(tmp_path, {**STATUS, **TO_FILES})
    deny(".index", monkeypatch)
    findings = found(path)
    assert {(one.severity, one.check) for one in findings} == {("error", "index-file")}
    assert {one.message for one in findings} == {"no permission to read it"}
    repaired = repair(path, engine=local_engine(1))
    assert repaired.summary is None
    assert len(repaired.left) == len(findings) == 2
    with pytest.raises(AccessError, match="no permission to read it"):
        rewrite_index(path, engine=local_engine(1))


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


def test_a_file_that_cannot_be_looked_at_is_not_told_as_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = make(tmp_path, [rows(0, 3)])
    [file] = files(path)
    size = Storage.size

    def denied(storage: Storage, name: str) -> int:
        if name == file.path:
            raise PaimonKsyError(
                f"{name}: cannot determine its size: denied"
            ) from PermissionError()
        return size(storage, name)

    monkeypatch.setattr(Storage, "size", denied)
    [finding] = found(path)
    assert places([finding]) == [("error", "data-file", file.name)]
    assert finding.message == "cannot determine its size: denied; snapshot 1 names it"
    assert "backup" not in finding.remedy


def test_a_wrong_file_size_in_a_manifest(tmp_path: Path) -> None:
    path = indexed(tmp_path)
    [file, _] = files(path)
    change_entry(path, lambda e: replace(e, file=replace(e.file, file_size=e.file.file_size + 1)))
    [finding] = found(path)
    assert places([finding])[0][:2] == ("error", "data-file")
    assert finding.message == (
        f"it has {file.size} bytes, but should have {file.size + 1} according to snapshot 4"
    )


@pytest.mark.parametrize("kind", ["manifest-list", "manifest", "index-manifest"])
def test_missing_and_broken_manifests(kind: str, tmp_path: Path) -> None:
    path = golden_table("append_dv32", tmp_path)
    table = Table.at(path)
    snapshot: Any = table.snapshot()
    name = {
        "manifest-list": snapshot.delta_manifest_list,
        "manifest": table.manifests(snapshot)[0].file_name,
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
    for number, there in ((2, "Snapshots are 1 to 1"), (1, "Snapshots are none")):
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
    assert ("1 data file uses it" in of_schema[-1].message) is (damage == "missing")


def test_files_that_only_older_snapshots_and_tags_need(tmp_path: Path) -> None:
    path = indexed(tmp_path)
    old = [index_path(file) for file in files(path)]
    Table.at(path).pypaimon.create_tag("kept")
    rewrite_index(path, engine=local_engine(1), force=True)
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
    rewrite_index(path, engine=local_engine(1), force=True)
    named = History.named

    def then_expires(history: History) -> Any:
        found = list(named(history))
        for file in [*old, *(Path(path, "snapshot", f"snapshot-{n}") for n in (1, 2, 3))]:
            file.unlink()
        return found

    monkeypatch.setattr(History, "named", then_expires)
    assert found(path) == []


def test_a_missing_data_file_is_told_once_whoever_names_it(tmp_path: Path) -> None:
    path = indexed(tmp_path)
    first, _ = files(path)
    for _ in range(4):  # each one deletes the entries of the one before
        rewrite_index(path, engine=local_engine(1), force=True)
    Table.at(path).pypaimon.create_tag("kept", 3)
    Path(first.path).unlink()
    [missing] = found(path)
    assert places([missing]) == [("error", "data-file", first.name)]
    assert missing.message == "it does not exist, but snapshots 2, 3, 4 and 3 more name it"
    for number in range(1, 5):
        (Path(path) / "snapshot" / f"snapshot-{number}").unlink()
    [missing] = found(path)
    assert missing.message == "it does not exist, but snapshots 5, 6 and 7 and tag kept name it"


# Indexes ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["bitmap", "bsi", "range-bitmap", "bloom-filter"])
def test_each_flipped_bit_of_an_index_is_found_or_harmless(kind: str, tmp_path: Path) -> None:
    """What is not found leaves every answer as it was."""
    column = {"bitmap": "status", "bsi": "amount", "range-bitmap": "amount"}.get(kind, "id")
    options = {f"file-index.{kind}.columns": column}
    if kind == "bloom-filter":
        options["file-index.bloom-filter.id.items"] = "20"
    path = indexed(tmp_path, options, 1)
    [file] = files(path)
    place = index_path(file)
    whole = place.read_bytes()
    with FileIndex.open(whole) as opened:
        entry = opened.indexes[column][kind]
        start, size = entry.ofs_body, entry.len_body
    columns = Table.at(path).schema.columns
    values = ["'PAID'", "'SHIPPED'", "'PENDING'"] if column == "status" else range(12)

    def answers() -> list[Selection]:
        with FileIndex.open(place, columns) as opened:
            told = [opened.evaluate(f"{column} = {value}") for value in values]
            return [*told, opened.evaluate(f"{column} IS NULL")]

    right = answers()
    # What an audit does with this file, without looking at all others again.
    audits = [_Audit(Table.at(path), None, deep) for deep in (False, True)]
    for one in audits:
        one._history.read()  # for the schemas
    shallow_job, deep_job = (one._job(1) for one in audits)
    for byte in range(start, start + size):
        place.write_bytes(whole)
        flip(place, byte, byte % 8)
        findings = check(deep_job, file)
        if findings:
            [finding] = findings
            assert isinstance(finding, Finding)
            assert (finding.check, finding.column, finding.file) == ("index", column, str(place))
            if kind != "bloom-filter":
                assert finding.byte == byte
            assert finding.byte is not None
            assert start <= finding.byte < start + size
            shallow = [getattr(one, "byte", None) for one in check(shallow_job, file)]
            assert all(at is not None and start <= at < start + size for at in shallow)
        else:
            assert kind != "bitmap"
            pairs = zip(answers(), right, strict=True)
            loose = kind == "bloom-filter"
            assert all(now == was or (loose and now.kind == "all") for now, was in pairs)


def test_a_data_file_without_rows(tmp_path: Path) -> None:
    path = make(tmp_path, [rows(0, 3)], {**STATUS, **ALL_KINDS})
    place = files(path)[0].path
    pq.write_table(pq.read_table(place).slice(0, 0), place)
    size = Path(place).stat().st_size
    change_entry(
        path,
        lambda entry: replace(entry, file=replace(entry.file, row_count=0, file_size=size)),
    )
    assert rewrite_index(path, engine=local_engine(1)).rows == 0
    assert {one.check for one in found(path, deep=True)} == {"data-file"}  # of snapshot 1
    assert count(path, "status = 'PAID'").count == 0


def test_bytes_after_the_last_index(tmp_path: Path) -> None:
    path = indexed(tmp_path, {"file-index.bitmap.columns": "status", **ALL_KINDS}, 1)
    [file] = files(path)
    place = index_path(file)
    end = place.stat().st_size
    with place.open("ab") as stream:
        stream.write(b"\0" * 5)
    for deep in (False, True):
        [finding] = found(path, deep=deep)
        assert (finding.check, finding.file, finding.byte) == ("index", str(place), end)
        assert finding.message == "5 bytes follow the last index"
    assert repair(path, engine=local_engine(1)).left == ()
    assert found(path, deep=True) == []


def test_damage_of_an_index_of_many_values(tmp_path: Path) -> None:
    """Its bitmaps are small, and read many at once."""
    numbers = random.Random(3)
    data = rows(0, 3000)
    values = pa.array([numbers.randrange(700) for _ in range(3000)], pa.int32())
    data = data.set_column(data.schema.get_field_index("amount"), "amount", values)
    path = make(tmp_path, [data], {"file-index.bitmap.columns": "amount", **TO_FILES})
    rewrite_index(path, engine=local_engine(1))
    place = index_path(files(path)[0])
    whole = place.read_bytes()
    assert found(path) == []
    for byte in numbers.sample(range(len(whole) - 14_000, len(whole)), 25):
        flip(place, byte, byte % 8)
        [finding] = found(path, deep=True)
        assert (finding.check, finding.column, finding.byte) == ("index", "amount", byte)
        [shallow] = found(path)  # each row has a bitmap: none can change its row unnoticed
        assert shallow.byte is not None
        place.write_bytes(whole)


def test_damage_of_heads_and_embedded_indexes(tmp_path: Path) -> None:
    path = indexed(tmp_path)
    [first, second] = files(path)
    flip(index_path(first), 3)  # the magic number
    data = bytearray(index_path(second).read_bytes())
    with FileIndex.open(index_path(second)) as opened:
        start = opened.indexes["status"]["bitmap"].ofs_body
    data[start] ^= 64  # the version of the bitmap
    embed(path, second, bytes(data))
    findings = found(path, deep=True)
    assert {(one.check, one.file, one.column, one.byte) for one in findings} == {
        ("index", str(index_path(first)), None, 0),
        ("index", second.path, "status", start),
    }
    assert any(one.message.startswith("embedded index: ") for one in findings)
    assert repair(path, engine=local_engine(1)).left == ()
    assert found(path, deep=True) == []


def embed(path: str, file: DataFile, index: bytes) -> None:
    """Have a data file keep this index in the manifest."""
    commit_indexes(Table.at(path), {file.digest: NewIndex(embedded=index)})


def test_an_index_of_another_file(tmp_path: Path) -> None:
    path = indexed(tmp_path, ALL_KINDS)
    [first, second] = map(index_path, files(path))
    data = first.read_bytes()
    first.write_bytes(second.read_bytes())
    second.write_bytes(data)
    assert found(path) == []  # as many rows
    findings = found(path, deep=True)
    assert {(one.file, one.check, one.column) for one in findings} == {
        (str(file), "index", column)
        for file in (first, second)
        for column in ("status", "amount", "m[k]", "id")
    }
    assert all(one.byte is not None for one in findings)
    assert any("12 of 12 rows differ from the data" in one.message for one in findings)
    assert any("excludes" in one.message for one in findings)
    repaired = repair(path, deep=True, engine=local_engine(1))
    assert repaired.left == ()
    assert found(path, deep=True) == []


def test_rows_of_the_index_and_of_the_file(tmp_path: Path) -> None:
    path = make(tmp_path, [rows(0, 8), rows(8, 9)], {**STATUS, **TO_FILES})
    rewrite_index(path, engine=local_engine(1))
    [first, second] = map(index_path, files(path))
    second.write_bytes(first.read_bytes())
    [finding] = found(path)
    assert "counts 8 rows, but the data file has 9" in finding.message
    assert finding.file == str(second)


def test_missing_doubled_stale_and_unreferenced_indexes_are_found_and_mended(
    tmp_path: Path,
) -> None:
    path = indexed(tmp_path, STATUS, 4)
    before = read(path)
    one, two, *_ = files(path)
    index_path(one).unlink()
    rewrite_index(  # stale: the table asks for a bitmap of status
        path,
        engine=local_engine(1),
        set={"file-index.bsi.columns": "id", "file-index.bitmap.columns": ""},
        drop_unlisted=True,
        only=lambda file: file.key == two.key,
    )
    three, four = files(path)[-2:]
    double(path, three, four)
    stray = Path(four.path).with_name("data-x.parquet.index")
    stray.write_bytes(b"")
    os.utime(stray, (time.time() - 90_000,) * 2)
    findings = found(path)
    named = {(f.severity, f.check, Path(f.file).name) for f in findings}
    assert named == {
        ("error", "index", index_path(one).name),
        ("warning", "index-options", two.name),  # and keeps what it has
        ("error", "index", index_path(three).name),
        ("note", "orphan", stray.name),
    }
    tried = repair(path, dry_run=True, engine=local_engine(1))
    assert tried.summary is not None
    assert (tried.summary.rewritten, tried.summary.snapshot) == (3, None)
    assert [finding.check for finding in tried.left] == ["orphan"]
    repaired = repair(path, engine=local_engine(1))
    assert repaired.summary is not None
    assert repaired.summary.rewritten == 3
    assert places(found(path, deep=True)) == [
        ("note", "index-unlisted", two.name),
        ("warning", "index", index_path(one).name),  # of older snapshots
        ("note", "orphan", stray.name),
    ]
    assert read(path).sort_by("id").equals(before.sort_by("id"))
    assert clean_orphans(path, dry_run=False)[0].path == str(stray)
    assert not stray.exists()


def test_indexes_that_no_option_asks_for_are_kept(tmp_path: Path) -> None:
    path = make(tmp_path, [rows(i * 9, 9) for i in range(4)], TO_FILES)
    asked = {"file-index.bitmap.columns": "status", "file-index.bitmap.status.version": "1"}
    asked |= {"file-index.bsi.columns": "id"}
    rewrite_index(path, engine=local_engine(1), set=asked)
    assert {(one.severity, one.check) for one in found(path, deep=True)} == {
        ("note", "index-unlisted")
    }
    assert repair(path, engine=local_engine(1)).summary is None
    broken, headless, missing, _ = files(path)
    before = index_path(broken).read_bytes()
    flip(index_path(broken), len(before) - 1)
    index_path(headless).write_bytes(b"garbage")
    index_path(missing).unlink()
    errors = {Path(f.file): f for f in found(path, deep=True) if f.severity == "error"}
    remedies = {name: errors[index_path(name)].remedy for name in (broken, headless, missing)}
    assert remedies[broken] == f"to rebuild it, run: paimon-ksy table audit {path} --repair"
    assert remedies[headless] == remedies[missing]
    assert remedies[missing].startswith("its indexes are unknown")
    told = command("audit", path, "--repair", "--deep", "--engine", "local")
    assert "the indexes of 1 file rebuilt, of 2 dropped" in told.stdout
    for file in (headless, missing):
        assert f"if it had any, in {file.path.removeprefix(path + '/')}: " in told.stdout
    again, *rest = files(path)
    assert index_path(again).read_bytes() == before
    assert [len(file.index_files) for file in rest] == [0, 0, 1]
    assert {f.severity for f in found(path, deep=True)} == {"note", "warning"}


def double(path: str, one: DataFile, other: DataFile) -> None:
    """Have a data file refer to another one's index file."""
    table = Table.at(path)
    for entry in table.live_entries(table.manifests(table.snapshot()), table.entries):
        if entry.file.file_name == other.name:
            names = [name for name in one.extra_files if name.endswith(".index")]
            changed = replace(entry, file=replace(entry.file, extra_files=names))
            commit(table, [replace(entry, kind=1), changed])
            return


def test_a_broken_data_file_is_not_indexed(tmp_path: Path) -> None:
    path = indexed(tmp_path)
    first, second = files(path)
    Path(first.path).unlink()
    for file in (first, second):
        index_path(file).write_bytes(b"garbage")
    repaired = repair(path, engine=local_engine(1))
    assert {one.check for one in repaired.left} == {"data-file", "index"}
    assert {one.file for one in repaired.left} == {first.path, str(index_path(first))}
    assert repaired.summary is not None
    assert repaired.summary.rewritten == 1


def test_a_data_file_that_cannot_be_read_keeps_no_other_from_being_mended(
    tmp_path: Path,
) -> None:
    path = indexed(tmp_path)
    first, second = files(path)
    for file in (first, second):
        index_path(file).write_bytes(b"garbage")
    Path(first.path).write_bytes(bytes(first.size))
    deep = found(path, deep=True)
    assert {one.check for one in deep if one.file == first.path} <= {"data-file"}
    repaired = repair(path, engine=local_engine(1))
    assert [(one.check, one.file) for one in repaired.left] == [
        ("index", str(index_path(first))),
        ("data-file", first.path),
    ]
    assert repaired.summary is not None
    assert repaired.summary.rewritten == 1
    assert ("data-file", second.path) not in {(one.check, one.file) for one in found(path)}


def test_a_data_file_that_cannot_be_read_is_found_by_a_deep_audit(tmp_path: Path) -> None:
    path = indexed(tmp_path)
    first = files(path)[0]
    Path(first.path).write_bytes(bytes(first.size))
    assert found(path) == []
    assert places(found(path, deep=True)) == [("error", "data-file", first.name)]
    assert repair(path, deep=True, engine=local_engine(1)).summary is None


@pytest.mark.parametrize("change", [{"index_type": "DELETION_VECTORR"}, {"dv_ranges": None}])
def test_an_index_manifest_that_hides_vectors(
    change: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By a bit of it rows that are deleted would be there again."""
    path = golden_table("append_dv32", tmp_path)
    right = Table.index_entries

    def changed(table: Table, snapshot: Any) -> list[Any]:
        return [
            replace(entry, index_file=replace(entry.index_file, **change))
            for entry in right(table, snapshot)
        ]

    monkeypatch.setattr(Table, "index_entries", changed)
    snapshot: Any = Table.at(path).snapshot()
    assert ("error", "manifest", snapshot.index_manifest) in places(found(path))


def test_what_java_leaves_of_vectors_and_tags_gives_no_alarm(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file of vectors without any, after a compaction, and a folder among the tags."""
    from pypaimon.index.index_file_meta import IndexFileMeta

    path = golden_table("append_dv32", tmp_path)
    right = Table.index_entries
    empty = IndexFileMeta("DELETION_VECTORS", "index-empty-0", 1, 0, None)
    (Path(path) / "index" / "index-empty-0").write_bytes(b"\x01")

    def more(table: Table, snapshot: Any) -> list[Any]:
        entries = right(table, snapshot)
        return [*entries, replace(entries[0], index_file=empty)]

    monkeypatch.setattr(Table, "index_entries", more)
    (Path(path) / "tag" / "tag-success-file").mkdir(parents=True)
    assert found(path, deep=True) == []
    assert inspect_table(Table.at(path)).errors == []
    assert clean_orphans(path, timedelta(0), dry_run=True) == []


def test_an_option_for_a_column_that_is_gone(tmp_path: Path) -> None:
    """Java lets it be dropped."""
    path = indexed(tmp_path)
    file = Path(path) / "schema" / "schema-0"
    document = json.loads(file.read_text())
    document["options"]["file-index.bsi.columns"] = "gone"
    file.write_text(json.dumps(document))
    [finding] = found(path, deep=True)
    assert (finding.severity, finding.check) == ("warning", "index-options")
    assert finding.message.startswith("no column 'gone' to index")


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
            with pytest.raises(PaimonKsyError, match="manifest-list-lost"):
                orphans(path)


def test_an_index_file_beside_an_embedded_index_is_a_warning(tmp_path: Path) -> None:
    """So Java's rewrite leaves a file whose index it moves, and reads the embedded one."""
    path = indexed(tmp_path, {**STATUS, **TO_FILES}, parts=1)
    [file] = files(path)
    data = Path(file.index_files[0]).read_bytes()
    both = NewIndex(embedded=data, file_name=file.name + "-both.index")
    commit_indexes(Table.at(path), {file.digest: both})
    Path(path, "bucket-0", file.name + "-both.index").write_bytes(data)
    [finding] = found(path, deep=True)
    assert (finding.severity, finding.check) == ("warning", "index-options")
    assert "both an embedded index and an index file" in finding.message
    repair(path, engine=local_engine(1))
    assert found(path, deep=True) == []


def test_a_data_file_that_ends_its_reader_is_found(tmp_path: Path) -> None:
    """Arrow's reader of ORC crashes on some damage, and takes its process along."""
    path = golden_table("pk_dv64", tmp_path)
    [file] = Path(path).rglob("data-3103a68a-*.orc")
    flip(file, 322, 0)  # lengths of texts
    findings = list(audit(path, deep=True, engine=local_engine(2, processes=True)))
    assert ("error", "data-file", file.name) in places(findings)
    assert {Path(one.file).name for one in findings} == {file.name}


def test_columns_of_a_long_file_are_looked_at_by_threads(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    options = {"file-index.bitmap.columns": "status,id", "file-index.bsi.columns": "amount,id"}
    path = make(tmp_path, [rows(0, 200)], options | TO_FILES)
    rewrite_index(path, engine=local_engine(1))
    [file] = files(path)
    with FileIndex.open(index_path(file)) as opened:
        ends = [e.ofs_body + e.len_body for of in opened.indexes.values() for e in of.values()]
    flip(index_path(file), min(ends) - 1)
    flip(index_path(file), max(ends) - 1)
    one_by_one = found(path, deep=True)
    assert len({finding.column for finding in one_by_one}) == 2
    monkeypatch.setattr(audit_files, "_FEWEST_ROWS", 1)
    monkeypatch.setattr(pa, "cpu_count", lambda: 2)
    assert found(path, deep=True) == one_by_one
    Path(file.path).write_bytes(bytes(file.size))
    findings = found(path, deep=True)
    assert [one.check for one in findings].count("data-file") == 1
    assert [one.file for one in findings if one.check == "index"]


# Deletion vectors -------------------------------------------------------------------------------

VECTORS = [
    "append_dv32",
    "append_dv64",
    "append_dv32_partitioned",
    "append_dv_bucketed",
    "pk_dv32",
    "pk_dv64",
]


def vector_of(path: str) -> DataFile:
    return next(file for file in files(path) if file.deletion_vector is not None)


@pytest.mark.parametrize("name", VECTORS)
def test_each_flipped_bit_of_a_vector_is_found(name: str, tmp_path: Path) -> None:
    path = golden_table(name, tmp_path)
    file = vector_of(path)
    place = file.deletion_vector
    assert place is not None
    [stored] = [v for v in read_vectors(place.path) if v.offset == place.offset]
    for byte in range(place.offset, stored.end, 5):
        flip(place.path, byte, byte % 8)
        findings = [one for one in found(path) if one.file == place.path]
        assert [one.check for one in findings] == ["deletion-vector"]
        assert findings[0].byte is not None
        assert place.offset <= findings[0].byte <= stored.end
        flip(place.path, byte, byte % 8)
    assert found(path) == []


@pytest.mark.parametrize("name", VECTORS)
def test_a_vector_beyond_the_rows_is_never_guessed(name: str, tmp_path: Path) -> None:
    path = golden_table(name, tmp_path)
    file = vector_of(path)
    place = file.deletion_vector
    assert place is not None
    [stored] = [v for v in read_vectors(place.path) if v.offset == place.offset]
    rows = sorted(stored.vector)
    moved = DeletionVector.of([*rows[:-1], file.num_rows], stored.vector.bits)
    made = moved.to_bytes()
    assert len(made) == stored.end - stored.offset
    with Path(place.path).open("r+b") as stream:
        stream.seek(place.offset)
        stream.write(made)
    [finding] = [one for one in found(path) if one.check == "deletion-vector"]
    assert (finding.file, finding.byte) == (place.path, place.offset)
    assert f"deletes row {file.num_rows}" in finding.message
    assert f"the deleted rows of {file.name} are unknown" in (finding.remedy)
    assert "snapshot" in finding.remedy
    before = Path(place.path).read_bytes()
    repaired = repair(path, engine=local_engine(1))
    assert finding in repaired.left
    assert repaired.summary is None
    assert Path(place.path).read_bytes() == before


@pytest.mark.parametrize("fits", [True, False])
def test_an_older_vector_is_sound_only_if_the_file_has_its_rows(fits: bool, tmp_path: Path) -> None:
    path = golden_table("append_dv32", tmp_path)
    older = vector_of(path).deletion_vector
    assert older is not None
    [stored] = [v for v in read_vectors(older.path) if v.offset == older.offset]
    delete(path, "id < 50", engine=local_engine(1))
    newer = next(
        file
        for file in files(path)
        if file.deletion_vector is not None and file.deletion_vector.path != older.path
    )
    assert newer.deletion_vector is not None
    rows = sorted(stored.vector)
    last = rows[-1] if fits else newer.num_rows
    made = DeletionVector.of([*rows[:-1], last]).to_bytes()
    assert len(made) == stored.end - stored.offset
    with Path(older.path).open("r+b") as stream:
        stream.seek(older.offset)
        stream.write(made)
    flip(newer.deletion_vector.path, newer.deletion_vector.offset + 13, 1)
    [finding] = [one for one in found(path) if one.file == newer.deletion_vector.path]
    told = f"has a sound one that deletes {len(rows)} rows"
    assert (told in finding.remedy) is fits


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
    snapshot: Any = table.snapshot()
    entry = table.index_entries(snapshot)[0]
    name, meta = next(iter(entry.index_file.dv_ranges.items()))
    other = name if twice else "data-gone.parquet"
    copy = Path(path) / "index" / "index-9d77160c-3670-4c18-a1a5-bce1491141ab-7"
    copy.write_bytes(Path(table.index_file_path(entry)).read_bytes())
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


# Buckets ----------------------------------------------------------------------------------------


def bucket_indexes(path: str) -> dict[int, Path]:
    """By bucket, of one partition."""
    table = Table.at(path)
    snapshot: Any = table.snapshot()
    found = [e for e in table.index_entries(snapshot) if e.index_file.index_type == "HASH"]
    partition = table.partition_of(found[0])
    return {
        entry.bucket: Path(table.index_file_path(entry))
        for entry in found
        if table.partition_of(entry) == partition
    }


@pytest.mark.parametrize("name", ["pk_dynamic", "pk_dynamic_partitioned_dv"])
def test_hash_codes_in_a_wrong_bucket(name: str, tmp_path: Path) -> None:
    path = golden_table(name, tmp_path)
    [first, second, *_] = bucket_indexes(path).values()
    one, two = read_bucket_index(first), read_bucket_index(second)
    hashes = one.hashes.copy()
    lost, hashes[3] = hashes[3], two.hashes[0]
    write_bucket_index(first, hashes)
    [finding] = found(path)
    assert finding.check == "bucket-index"
    assert str(two.hashes[0]) in finding.message
    deep = [found_ for found_ in found(path, deep=True) if found_.check == "bucket"]
    assert deep
    assert all(finding.file == str(first) for finding in deep)
    assert str(lost) in deep[0].message
    write_bucket_index(first, one.hashes[:-1])
    assert {finding.file for finding in found(path)} == {str(first)}
    first.write_bytes(one.to_bytes() + b"x")
    assert {finding.file for finding in found(path)} == {str(first)}


def test_rows_in_a_wrong_fixed_bucket(tmp_path: Path) -> None:
    path = make(tmp_path, [rows(0, 40)], {"bucket": "2", "bucket-key": "id"})
    assert found(path, deep=True) == []
    file = files(path)[0]
    place = Path(path) / f"bucket-{1 - file.bucket}" / file.name
    Path(file.path).rename(place)
    table = Table.at(path)
    [entry] = [
        e
        for e in table.live_entries(table.manifests(table.snapshot()), table.entries)
        if e.file.file_name == file.name
    ]
    moved = replace(entry, bucket=1 - entry.bucket)
    commit(table, [replace(entry, kind=1), moved])
    (Path(path) / "snapshot" / "snapshot-1").unlink()
    [finding] = found(path, deep=True)
    assert (finding.check, finding.file) == ("bucket", str(place))
    assert (
        f"{file.num_rows} rows in bucket {moved.bucket} belong to other buckets" in finding.message
    )


# Engines, orphans, the command line -------------------------------------------------------------


@pytest.mark.java
def test_on_spark(tmp_path: Path, spark: Any) -> None:
    path = indexed(tmp_path)
    place = index_path(files(path)[0])
    place.write_bytes(b"garbage")
    findings = list(audit(path, deep=True, engine=spark_engine(spark)))
    assert findings == found(path, deep=True)
    [row] = to_dataframe(findings, spark).collect()
    assert (row["severity"], row["check"], row["file"]) == ("error", "index", str(place))


def old(path: Path) -> Path:
    os.utime(path, (time.time() - 90_000,) * 2)
    return path


def test_orphans_are_what_nothing_needs(tmp_path: Path) -> None:
    path = indexed(tmp_path)
    table = Table.at(path)
    needed = [index_path(file) for file in files(path)]
    table.pypaimon.create_tag("kept")
    rewrite_index(path, engine=local_engine(1), force=True)
    table.pypaimon.branch_manager().create_branch("b", "kept")
    uuid = "9d77160c-3670-4c18-a1a5-bce1491141ab"
    bucket = needed[0].parent
    (Path(path) / "index").mkdir()
    strays = [
        Path(path) / "index" / f"index-{uuid}-0",
        bucket / f"index-{uuid}-1",
        bucket / "data-x.orc.index",
    ]
    others = [Path(path) / "index" / "mine", bucket / "data-y.parquet"]
    for file in [*strays, *others]:
        file.write_bytes(b"123")
    assert clean_orphans(path, dry_run=False) == []  # younger than a day
    for file in Path(path).rglob("*"):
        if file.is_file():
            old(file)
    append(path, rows(24, 2))
    expire(table)
    merge_manifests(table)
    every = {file for file in Path(path).rglob("*") if file.is_file()}
    assert [Path(one.path) for one in clean_orphans(path)] == sorted(strays)
    assert {file for file in Path(path).rglob("*") if file.is_file()} == every
    clean_orphans(path, dry_run=False)
    assert {file for file in Path(path).rglob("*") if file.is_file()} == every - {*strays}
    table.pypaimon.delete_tag("kept")
    assert orphans(path) == []  # the branch needs them
    assert all(file.exists() for file in needed)


def test_orphans_in_the_folder_of_data_files(tmp_path: Path) -> None:
    path = indexed(tmp_path, {**STATUS, "data-file.path-directory": "data"})
    needed = index_path(files(path)[0])
    assert needed.is_relative_to(Path(path, "data"))
    stray = needed.parent / "data-x.orc.index"
    stray.write_bytes(b"123")
    for file in (stray, needed):
        old(file)
    assert [Path(one.path) for one in clean_orphans(path, dry_run=False)] == [stray]
    assert needed.exists()


def test_orphans_in_external_paths(tmp_path: Path) -> None:
    """Another table may have its files there, too."""
    outside = tmp_path / "outside"
    options = {
        "data-file.external-paths": f"file://{outside}",
        "data-file.external-paths.strategy": "round-robin",
    }
    path = indexed(tmp_path, {**STATUS, **options})
    other = indexed(tmp_path / "other", {**STATUS, **options})
    needed = {index_path(file) for file in [*files(path), *files(other)]}
    assert all(file.is_relative_to(outside) for file in needed)
    rewrite_index(path, engine=local_engine(1), force=True)
    stray = index_path(files(path)[0]).with_suffix(".x.index")
    stray.write_bytes(b"")
    (stray.parent / "data-x.parquet.index").write_bytes(b"")  # of nobody knows which table
    [orphan] = clean_orphans(path, timedelta(seconds=-60), dry_run=False)
    assert Path(orphan.path.removeprefix("file://")) == stray
    assert not stray.exists()
    assert all(file.exists() for file in needed)
    assert found(path, deep=True) == []


def test_nothing_is_an_orphan_where_a_manifest_cannot_be_read(tmp_path: Path) -> None:
    path = indexed(tmp_path)
    stray = index_path(files(path)[0]).with_name("data-x.parquet.index")
    stray.write_bytes(b"")
    old(stray)
    table = Table.at(path)
    name = table.manifests(table.snapshot())[0].file_name
    (Path(path) / "manifest" / name).unlink()
    result = CliRunner().invoke(app, ["table", "clean-orphans", path, "--no-dry-run"])
    assert result.exit_code == 1
    assert name in result.output
    assert stray.exists()


def command(*arguments: str) -> Any:
    return CliRunner().invoke(app, ["table", *arguments])


def test_command_audit_shows_errors_first_and_the_same_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = make(tmp_path, [rows(i * 7, 12) for i in range(4)], TO_FILES)
    rewrite_index(path, set=STATUS, engine=local_engine(1))
    index_path(files(path)[2]).unlink()
    result = command("audit", path, "--engine", "local")
    assert result.exit_code == 3
    head, *told = [line for line in result.output.splitlines() if not line.startswith("    ")]
    assert head.startswith(f"{path}: 1 error, 3 notes in 4 data files and ")
    assert [line.split(":")[0] for line in told] == [
        "  error index",
        *3 * ["  note index-unlisted"],
    ]
    with monkeypatch.context() as patch:  # a terminal shows the same of several files once
        patch.setattr(findings, "is_watched", lambda: True)
        watched = command("audit", path, "--engine", "local").output
    assert watched.count("note index-unlisted") == 1
    assert "and 2 other files (--json lists each): it has indexes" in watched


def test_command_audit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = indexed(tmp_path)
    clean = command("audit", path, "--engine", "local", "--deep")
    assert clean.exit_code == 0
    assert re.fullmatch(
        rf"{path}: nothing found in \d+ data files? and \d+ other files\n", clean.output
    )
    # Starting processes takes a second each time.
    monkeypatch.setattr(table_audit, "engine_named", lambda *_, **__: local_engine(1))
    place = index_path(files(path)[0])
    place.write_bytes(b"garbage")
    broken = command("audit", path, "--engine", "local")
    assert broken.exit_code == 3
    assert "1 error" in broken.output
    # All seven bytes were wanted, and an eighth.
    assert f"error index: bucket-0/{place.name}: byte 7: the file ends too early" in broken.output
    lines = command("audit", path, "--engine", "local", "--json")
    assert lines.exit_code == 3
    [document] = map(json.loads, lines.output.splitlines())
    assert document.keys() == {
        *("severity", "check", "file", "column", "byte", "message", "remedy")
    }
    assert (document["severity"], document["file"], document["byte"]) == ("error", str(place), 7)
    tried = command("audit", path, "--engine", "local", "--repair", "--dry-run")
    assert tried.exit_code == 3
    assert "dry run: nothing is written; the indexes of 1 file to rebuild" in tried.output
    mended = command("audit", path, "--engine", "local", "--repair", "--json")
    assert mended.exit_code == 0
    assert json.loads(mended.output.splitlines()[-1])["repair"]["rewritten"] == 1
    assert command("audit", path, "--engine", "local", "--deep").exit_code == 0
    assert command("audit", path, "--engine", "local", "--dry-run").exit_code == 2
    assert ids(path) == sorted([*range(12), *range(7, 19)])


def test_command_clean_orphans(tmp_path: Path) -> None:
    path = indexed(tmp_path)
    assert command("clean-orphans", path).output == f"{path}: no orphans\n"
    stray = index_path(files(path)[0]).with_name("data-x.parquet.index")
    stray.write_bytes(b"123")
    assert (
        "1 orphan, 3 bytes would be" in command("clean-orphans", path, "--older-than", "0s").output
    )
    assert stray.exists()
    result = command("clean-orphans", path, "--older-than", "0s", "--no-dry-run", "--json")
    assert json.loads(result.output)["files"][0]["path"] == str(stray)
    assert not stray.exists()
    for text in ("soon", "9" * 20 + "d", "9" * 5000 + "s"):
        result = command("clean-orphans", path, "--older-than", text)
        assert result.exit_code == 2
        assert len(result.output) < 120


def test_orphans_that_cannot_be_deleted_are_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = indexed(tmp_path)
    folder = index_path(files(path)[0]).parent
    strays = [folder / f"data-{name}.parquet.index" for name in "abcd"]
    for stray in strays:
        stray.write_bytes(b"123")
    unlink = Path.unlink

    def denied(place: Path, missing_ok: bool = False) -> None:
        if place == strays[1]:
            raise PermissionError(13, "Permission denied", str(place))
        if place == strays[2]:  # somebody else is first
            unlink(place)
        unlink(place, missing_ok)

    monkeypatch.setattr(Path, "unlink", denied)
    with pytest.raises(OrphansLeftError, match="1 of 3 orphans could not be deleted") as error:
        clean_orphans(path, timedelta(seconds=-60), dry_run=False)
    assert [one.path for one in error.value.deleted] == [str(strays[0]), str(strays[3])]
    assert [file for file in strays if file.exists()] == [strays[1]]
    arguments = "clean-orphans", path, "--older-than", "0s", "--no-dry-run"
    result = command(*arguments)
    assert result.exit_code == 1
    assert "0 orphans, 0 bytes deleted, 1 orphan not deleted" in result.output
    assert "not deleted: cannot be deleted: Permission denied" in result.output
    result = command(*arguments, "--json")
    assert result.exit_code == 1
    document = json.loads(result.stdout)
    assert document["files"] == []
    [failed] = document["failed"]
    assert failed["path"] == str(strays[1])
    assert failed["error"] == f"{strays[1]}: cannot be deleted: Permission denied"
    monkeypatch.undo()
    result = command(*arguments, "--json")
    assert json.loads(result.stdout)["failed"] == []
    assert not strays[1].exists()


class Store:
    """A FileIO of which deletes go wrong in one way."""

    def __init__(self, deletes: Any, there: bool) -> None:
        self.deletes, self.there = deletes, there

    def delete(self, path: str) -> bool:
        if isinstance(self.deletes, Exception):
            raise self.deletes
        return bool(self.deletes)

    def exists(self, path: str) -> bool:
        return self.there


@pytest.mark.parametrize(
    ("deletes", "there", "told"),
    [
        (True, False, True),
        (False, False, False),
        (FileNotFoundError("gone"), False, False),
        (True, True, "s3://b/x: cannot be deleted: it still exists"),
        (False, True, "s3://b/x: cannot be deleted: it still exists"),
        (OSError("ACCESS_DENIED\nmore"), True, "s3://b/x: cannot be deleted: ACCESS_DENIED"),
    ],
)
def test_what_is_deleted_in_a_store(deletes: Any, there: bool, told: bool | str) -> None:
    storage = Storage(Store(deletes, there))
    if isinstance(told, bool):
        assert storage.remove("s3://b/x") is told
    else:
        with pytest.raises(PaimonKsyError) as error:
            storage.remove("s3://b/x")
        assert str(error.value) == told


@pytest.mark.parametrize("name", ["append_dv32", "pk_dv32"])
def test_repaired_golden_tables_read_right(name: str, tmp_path: Path) -> None:
    path = golden_table(name, tmp_path)
    for file in files(path):
        if isinstance(file.index, str):
            flip(file.index, 0)
    assert {one.check for one in found(path)} == {"index"}
    assert repair(path, engine=local_engine(1)).left == ()
    assert [one for one in found(path, deep=True) if one.severity == "error"] == []
    if "64" not in name:
        assert same_rows(read(path), expected(name).rows)


def test_columns_of_nulls_alone(tmp_path: Path) -> None:
    nulls = rows(0, 5)
    for at, name in enumerate(nulls.schema.names):
        if name != "day":
            nulls = nulls.set_column(at, name, pa.nulls(5, nulls.schema.field(name).type))
    path = make(tmp_path, [nulls], ALL_KINDS)
    rewrite_index(path, engine=local_engine(1))
    assert found(path, deep=True) == []


@pytest.mark.parametrize("version", ["1", "2"])
@pytest.mark.parametrize("values", [[1, 2, 2, None, 5], [1, 2, 2, None, None, 7], [None, 3], [4]])
def test_each_byte_of_a_bitmap_index_is_looked_at(version: str, values: list[int | None]) -> None:
    """Where rows stand alone, and nulls, some bytes say nothing that answers need."""
    schema = Schema.parse("a INT, s STRING")
    texts = [None if value is None else f"t{value}" for value in values]
    data = pa.table({"a": pa.array(values, pa.int32()), "s": texts})
    options = {"file-index.bitmap.columns": "a,s"}
    options |= {f"file-index.bitmap.{name}.version": version for name in "as"}
    whole = build_file_index(data, schema, options)
    with FileIndex.open(whole) as opened:
        entries = [entries["bitmap"] for entries in opened.indexes.values()]
    for entry in entries:
        for byte in range(entry.ofs_body, entry.ofs_body + entry.len_body):
            broken = bytearray(whole)
            broken[byte] ^= 1 << byte * 5 % 8
            with FileIndex.open(bytes(broken)) as opened:
                parsed = parse_options(options)
                [error] = check_index(opened, len(values), schema, parsed, lambda: data)
            assert isinstance(error, CorruptFileError)
            assert error.offset == byte


@pytest.mark.parametrize("chunk_size", ["16 kb", "20 b"])
@pytest.mark.parametrize("column", ["a", "s"])
def test_each_byte_of_the_heads_of_chunks_is_looked_at(column: str, chunk_size: str) -> None:
    """What is not needed to read all keys, Java goes by: where heads start, how long a key is."""
    schema = Schema.parse("a INT, s STRING")
    data = pa.table({"a": pa.array(range(20), pa.int32()), "s": [f"t{i:03}" for i in range(20)]})
    options = {"file-index.range-bitmap.columns": column}
    options[f"file-index.range-bitmap.{column}.chunk-size"] = chunk_size
    whole = build_file_index(data, schema, options)
    with FileIndex.open(whole, schema) as opened:
        start = opened.indexes[column]["range-bitmap"].ofs_body
        reader = RangeBitmapReader(opened.source, start, column, schema[column])
        heads = reader.dictionary._index
        assert heads.num_chunks > 1 or chunk_size == "16 kb"
        places = range(heads.offsets_start, heads.keys_start)
    for byte in places:
        broken = bytearray(whole)
        broken[byte] ^= 1 << byte * 5 % 8
        with FileIndex.open(bytes(broken)) as opened:
            parsed = parse_options(options)
            [error] = check_index(opened, 20, schema, parsed, lambda: data)
        assert isinstance(error, CorruptFileError)
        assert error.offset == byte
