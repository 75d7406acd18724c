"""Audits of data files, their indexes and their deletion vectors."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from paimon_ksy.errors import AccessError
from paimon_ksy.evaluation.selection import Selection
from paimon_ksy.file_index.container import FileIndex
from paimon_ksy.generated.views.row_file import RowFooter
from paimon_ksy.messages.findings import Finding
from paimon_ksy.table.audit.audit import _Audit, audit, repair
from paimon_ksy.table.audit.data_files import check_file
from paimon_ksy.table.audit.job import AuditJob, TaskResult
from paimon_ksy.table.audit.orphans import clean_orphans
from paimon_ksy.table.audit.references import LIVE, Referrer
from paimon_ksy.table.engine import local_engine
from paimon_ksy.table.index.rewrite import rewrite_index
from paimon_ksy.table.inspect.inspect import inspect_table
from paimon_ksy.table.model.files import DataFile
from paimon_ksy.table.query.read import count
from paimon_ksy.table.store import Table
from paimon_ksy.table.store.index_commit import NewIndex, commit_indexes
from paimon_ksy.table_index.deletion_vector import DeletionVector
from paimon_ksy.table_index.deletion_vector_file import read_vectors
from tests.support.audits import (
    ALL_KINDS,
    change_entry,
    deny,
    flip,
    found,
    index_path,
    indexed,
    places,
    vector_of,
)
from tests.support.golden_tables import golden_table
from tests.support.manifests import change_index_manifest
from tests.support.newer_tables import newer_table
from tests.support.tables import STATUS, TO_FILES, files, make, rows


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
        entry = opened.places[column][kind]
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

    def problems(job: AuditJob) -> list[Finding]:
        result = TaskResult()
        check_file(job, file, Referrer("snapshot 1", 1, LIVE), result)
        return [finding for _, findings, _ in result.files for finding in findings]

    for byte in range(start, start + size):
        place.write_bytes(whole)
        flip(place, byte, byte % 8)
        if findings := problems(deep_job):
            [finding] = findings
            assert (finding.check, finding.column, finding.file) == ("index", column, str(place))
            if kind != "bloom-filter":
                assert finding.byte == byte
            assert finding.byte is not None
            assert start <= finding.byte < start + size
            for shallow in problems(shallow_job):
                assert (shallow.message, shallow.byte) == (finding.message, finding.byte)
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
        assert (shallow.message, shallow.byte) == (finding.message, finding.byte)
        place.write_bytes(whole)


def test_damage_of_heads_and_embedded_indexes(tmp_path: Path) -> None:
    path = indexed(tmp_path)
    [first, second] = files(path)
    flip(index_path(first), 3)  # the magic number
    data = bytearray(index_path(second).read_bytes())
    with FileIndex.open(index_path(second)) as opened:
        start = opened.places["status"]["bitmap"].ofs_body
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


def test_a_data_file_that_cannot_be_read_is_found_by_a_deep_audit(tmp_path: Path) -> None:
    path = indexed(tmp_path)
    first = files(path)[0]
    Path(first.path).write_bytes(bytes(first.size))
    assert found(path) == []
    assert places(found(path, deep=True)) == [("error", "data-file", first.name)]
    assert repair(path, deep=True, engine=local_engine(1)).summary is None


def test_what_java_leaves_of_vectors_and_tags_gives_no_alarm(tmp_path: Path) -> None:
    """A file of vectors without any, after a compaction, and a folder among the tags."""
    path = golden_table("append_dv32", tmp_path)
    (Path(path) / "index" / "index-empty-0").write_bytes(b"\x01")

    def more(records: list[Any]) -> list[Any]:
        empty = {"_FILE_NAME": "index-empty-0", "_FILE_SIZE": 1, "_ROW_COUNT": 0}
        return [*records, {**records[-1], **empty, "_DELETIONS_VECTORS_RANGES": []}]

    change_index_manifest(Table.at(path), more)
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


def test_each_column_of_an_index_is_looked_at(tmp_path: Path) -> None:
    options = {"file-index.bitmap.columns": "status,id", "file-index.bsi.columns": "amount,id"}
    path = make(tmp_path, [rows(0, 200)], options | TO_FILES)
    rewrite_index(path, engine=local_engine(1))
    [file] = files(path)
    with FileIndex.open(index_path(file)) as opened:
        ends = [e.ofs_body + e.len_body for of in opened.places.values() for e in of.values()]
    flip(index_path(file), min(ends) - 1)
    flip(index_path(file), max(ends) - 1)
    assert len({finding.column for finding in found(path, deep=True)}) == 2
    Path(file.path).write_bytes(bytes(file.size))
    findings = found(path, deep=True)
    assert [one.check for one in findings].count("data-file") == 1
    assert [one.file for one in findings if one.check == "index"]


VECTORS = [
    "append_dv32",
    "append_dv64",
    "append_dv32_partitioned",
    "append_dv_bucketed",
    "pk_dv32",
    "pk_dv64",
]


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


def test_columns_of_nulls_alone(tmp_path: Path) -> None:
    nulls = rows(0, 5)
    for at, name in enumerate(nulls.schema.names):
        if name != "day":
            nulls = nulls.set_column(at, name, pa.nulls(5, nulls.schema.field(name).type))
    path = make(tmp_path, [nulls], ALL_KINDS)
    rewrite_index(path, engine=local_engine(1))
    assert found(path, deep=True) == []


def test_a_changed_byte_in_a_blob_is_an_error_of_a_deep_audit(tmp_path: Path) -> None:
    path = newer_table(tmp_path, "blobs")
    blob = sorted(Path(path).rglob("*.blob"))[0]
    data = bytearray(blob.read_bytes())
    long_value = re.search(rb"(.)\1{30}", data, re.DOTALL)
    assert long_value is not None
    data[long_value.start() + 10] ^= 1
    blob.write_bytes(data)
    assert not [one for one in audit(path) if one.check == "blob"]
    [finding] = [one for one in audit(path, deep=True) if one.check == "blob"]
    assert (finding.severity, Path(finding.file).name) == ("error", blob.name)
    assert "the value is damaged: its checksum is" in finding.message


def _fewer_rows(data: bytearray) -> None:
    footer = len(data) - RowFooter.len_footer
    data[footer : footer + 8] = (999).to_bytes(8, "little")


def _no_block(data: bytearray) -> None:
    data[10] ^= 1


@pytest.mark.parametrize("name", ["row_sidecar", "row"])
@pytest.mark.parametrize(
    ("damage", "message"),
    [(_fewer_rows, "it has 999 rows, but 1000 are expected"), (_no_block, "block 0: ")],
)
def test_row_files_have_the_rows_of_the_manifest(
    name: str, damage: Callable[[bytearray], None], message: str, tmp_path: Path
) -> None:
    """Those with the rows of a data file, and copies of one."""
    path = newer_table(tmp_path, name)
    file = min(Path(path).rglob("*.row"))
    data = bytearray(file.read_bytes())
    damage(data)
    file.write_bytes(data)
    assert not [one for one in audit(path) if one.check == "row"]
    every = [one for one in audit(path, deep=True) if one.check == "row"]
    assert {(one.severity, Path(one.file).name) for one in every} == {("error", file.name)}
    assert message in every[-1].message
    assert "its rows are also in" in every[-1].remedy
    file.unlink()
    [finding] = [one for one in audit(path, deep=True) if one.severity == "error"]
    assert (finding.check, finding.file) == ("data-file", str(file))
    assert ("its rows are also in" in finding.remedy) == (name == "row_sidecar")
