"""Global indexes that hide rows from readers are found, dropped, and can be built again."""

import json
import shlex
from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from paimon_ksy.errors import PaimonKsyError
from paimon_ksy.global_index.source_metadata import (
    SourceFile,
    SourceMetadata,
    write_source_metadata,
)
from paimon_ksy.messages.findings import Finding
from paimon_ksy.table.audit.audit import audit, repair
from paimon_ksy.table.index.global_indexes import drop_global_indexes
from paimon_ksy.table.inspect.inspect import inspect_table
from paimon_ksy.table.query.read import query
from paimon_ksy.table.store import ConflictError, Table
from tests.support.commands import Cli
from tests.support.manifests import change_index_manifest
from tests.support.newer_tables import EVOLUTION, by_pypaimon, by_rust, newer_table, rows
from tools.tables import append, make_table
from tools.tables import by_rust as read_by_rust

SMALL_BLOCKS = {"bitmap-index.dictionary-block-size": "1kb"}


def found(path: str, *, deep: bool = False) -> dict[str, Finding]:
    """Return the findings of an audit by check."""
    left_out = ("index-type", "options")  # of Paimon 2, which Java 1.4 does not know
    every = [one for one in audit(path, deep=deep) if one.check not in left_out]
    assert len({one.check for one in every}) == len(every)
    return {one.check: one for one in every}


def names(path: str, value: str) -> int:
    """Return how many rows pypaimon finds with an index on `name`."""
    builder = Table.at(path).pypaimon.new_read_builder()
    builder.with_filter(builder.new_predicate_builder().equal("name", value))
    count: int = builder.new_read().to_arrow(builder.new_scan().plan().splits()).num_rows
    return count


def test_rows_that_an_index_does_not_cover(tmp_path: Path) -> None:
    options = {**EVOLUTION, "global-index.search-mode": "fast"}
    path = make_table(tmp_path, "t", [rows(0, 1000)], options)
    by_pypaimon("name", "btree")(path)
    append(Table.at(path).pypaimon, rows(1000, 300))
    [finding] = found(path).values()
    assert (finding.severity, finding.check) == ("warning", "global-index-coverage")
    assert finding.column == "name"
    assert "covers 1,000 of 1,300 rows" in finding.message
    assert "misses the other 300" in finding.message
    assert "create_global_index('name', index_type='btree')" in finding.remedy
    assert repair(path).dropped is None
    count = query(path, "name = 'n013'").num_rows
    assert read_by_rust(path, "name = 'n013'").num_rows < count
    by_pypaimon("name", "btree")(path)  # as the remedy says: it adds the other rows
    assert found(path) == {}
    assert read_by_rust(path, "name = 'n013'").num_rows == count


@pytest.mark.parametrize(
    ("build", "readers"),
    [
        (by_pypaimon("id", "bitmap", **SMALL_BLOCKS), "Java 1.4, Java 2.0 and pypaimon-rust 0.4"),
        (by_pypaimon("amount", "bitmap"), "Java 1.4, Java 2.0 and pypaimon-rust 0.4"),
        (by_rust("amount", "bitmap"), "Java 1.4 and pypaimon 2.1"),
        (
            by_rust("id", "bitmap", "bitmap-index.dictionary-block-size=1kb"),
            "Java 1.4 and pypaimon 2.1",
        ),
    ],
)
def test_an_index_that_others_misread(
    build: Callable[[str], None], readers: str, tmp_path: Path, cli: Cli
) -> None:
    path = make_table(tmp_path, "t", [rows(0, 1000)], EVOLUTION)
    build(path)
    [finding] = found(path).values()
    misread = f"{readers} return wrong rows"
    assert finding.message == f"a bitmap index of version 1: {misread}"
    [file] = Path(path, "index").iterdir()
    columns = "id BIGINT" if finding.column == "id" else "amount DOUBLE"
    of_file = json.loads(cli("inspect", file, "-s", columns, "--format", "json")[1])
    assert of_file["misread_by"] == misread
    content = inspect_table(path).content
    assert content is not None
    assert content.index_manifest is not None
    assert [one.misread for one in content.index_manifest.global_indexes] == [misread]
    command = finding.remedy.rpartition("run `paimon-ksy ")[2].removesuffix("`")
    assert cli(*shlex.split(command), "--yes")[0] == 0
    assert found(path) == {}


def test_an_index_of_old_values(tmp_path: Path) -> None:
    path = newer_table(tmp_path, "btree_stale")
    assert names(path, "new") == 0  # what users see
    [finding] = found(path).values()
    assert (finding.severity, finding.check) == ("error", "global-index-stale")
    assert "from snapshot 3 or before" in finding.message
    assert "--repair`; to build it again, with pypaimon" in finding.remedy
    planned = repair(path, dry_run=True)
    assert {one.severity for one in planned.left} <= {"note"}
    assert "the repair drops it" in {one.remedy for one in planned.findings}
    assert found(path) == {"global-index-stale": finding}
    assert not read_by_rust(path, "name = 'new'").num_rows
    done = repair(path)
    assert read_by_rust(path, "name = 'new'").num_rows == 2
    assert done.dropped is not None
    assert done.dropped.snapshot == 5
    assert (found(path), names(path, "new")) == ({}, 2)
    by_pypaimon("name", "btree")(path)
    assert (found(path), names(path, "new")) == ({}, 2)


def test_an_index_of_unknown_age(tmp_path: Path) -> None:
    path = newer_table(tmp_path, "btree_stale")
    for number in (1, 2, 3):
        Path(path, "snapshot", f"snapshot-{number}").unlink()
    Path(path, "snapshot", "EARLIEST").unlink(missing_ok=True)
    [finding] = found(path).values()
    assert (finding.severity, finding.check) == ("note", "global-index-stale")
    assert "table audit" in finding.remedy
    assert repair(path).dropped is None


def _drop_partition(path: str) -> None:
    table = Table.at(path).pypaimon
    where = table.new_batch_write_builder().new_commit()
    where.truncate_partitions([{"day": date(2024, 1, 2)}])
    where.close()


def _drop_column(path: str) -> None:
    file = Path(path, "schema", "schema-0")
    schema = json.loads(file.read_text())
    schema["fields"] = [one for one in schema["fields"] if one["name"] != "name"]
    file.with_name("schema-1").write_text(json.dumps({**schema, "id": 1}))


@pytest.mark.parametrize(
    ("change", "message", "count"),
    [
        (_drop_partition, "its row range has no live rows", 2),
        (_drop_column, "the table no longer has its columns: field 1", 8),
    ],
)
def test_an_index_that_no_query_can_use(
    change: Callable[[str], Any], message: str, count: int, tmp_path: Path
) -> None:
    path = newer_table(tmp_path, "btree_partitioned")
    change(path)
    every = [one for one in audit(path) if one.check != "index-type"]
    assert {(one.severity, one.check, one.message) for one in every} == {
        ("warning", "global-index-dead", message)
    }
    assert len(every) == count
    done = repair(path)
    assert done.dropped is not None
    assert len(done.dropped.files) == count
    assert found(path) == {}


def test_files_of_one_range_are_dropped_together(tmp_path: Path) -> None:
    path = newer_table(tmp_path, "btree_files")
    table = Table.at(path)
    [index] = table.index_manifests.global_indexes(table.snapshot())
    one = drop_global_indexes(path, files=[index.files[0].file_name], dry_run=True)
    assert [file.file for file in one.files] == [file.file_name for file in index.files]
    with pytest.raises(PaimonKsyError, match="the table has btree of id"):
        drop_global_indexes(path, column="name")
    by_pypaimon("name", "bitmap")(path)
    assert drop_global_indexes(path, column=["id"], index_type="btree").snapshot == 5
    [left] = table.index_manifests.global_indexes(table.snapshot())
    assert left.index_type == "bitmap"


def test_two_that_drop_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What another process dropped meanwhile is no longer there, and what it built stays."""
    path = newer_table(tmp_path, "btree")
    table = Table.at(path)
    listed = table.index_manifests.global_indexes

    def then_others(snapshot: Any) -> Any:
        every = listed(snapshot)
        Table.at(path).pypaimon.drop_global_index("name", "btree")
        by_pypaimon("id", "btree")(path)
        return every

    monkeypatch.setattr(table.index_manifests, "global_indexes", then_others)
    with pytest.raises(ConflictError, match="others dropped"):
        drop_global_indexes(table, column="name")
    [left] = listed(table.snapshot())
    assert table.schema.named(left.field_ids) == ("id",)


def _without_magic(file: Path) -> None:
    file.write_bytes(b"x" + file.read_bytes()[1:])


def _shorter(file: Path) -> None:
    file.write_bytes(file.read_bytes()[:-1])


@pytest.mark.parametrize(
    ("damage", "check"),
    [
        (_without_magic, "global-index-corrupt"),
        (_shorter, "index-file"),
        (Path.unlink, "index-file"),
    ],
)
def test_a_broken_file_is_dropped(
    damage: Callable[[Path], Any], check: str, tmp_path: Path
) -> None:
    path = newer_table(tmp_path, "ivf-flat")
    [file] = Path(path, "index").iterdir()
    damage(file)
    [finding] = found(path).values()
    assert (finding.severity, finding.check, finding.file) == ("error", check, str(file))
    assert "backup" not in finding.remedy
    done = repair(path)
    assert done.dropped is not None
    assert "'ivf-flat.nlist': '256'" in done.dropped.build[0]
    assert {one.severity for one in audit(path)} <= {"note", "warning"}  # of older snapshots
    assert repair(path).dropped is None


def _changed(path: str, at: int) -> Path:
    """Change a byte of the only index file of a table."""
    [file] = Path(path, "index").iterdir()
    data = bytearray(file.read_bytes())
    data[at] ^= 1
    file.write_bytes(data)
    return file


def test_a_changed_byte_in_a_posting(tmp_path: Path) -> None:
    path = newer_table(tmp_path, "btree")
    file = _changed(path, 50)
    assert found(path) == {}  # it is not read
    [finding] = found(path, deep=True).values()
    assert (finding.severity, finding.check) == ("error", "global-index-corrupt")
    assert finding.file == str(file)
    assert repair(path, deep=True).dropped is not None
    count = rows(0, 2000)["name"].to_pylist().count("n013")
    assert read_by_rust(path, "name = 'n013'").num_rows == count
    by_pypaimon("name", "btree")(path)
    assert found(path, deep=True) == {}
    assert names(path, "n013") == count


def test_an_index_of_data_that_cannot_be_read(tmp_path: Path) -> None:
    """Nothing says that the index is wrong, so it stays."""
    path = newer_table(tmp_path, "btree")
    table = Table.at(path)
    data = Path(next(iter(table.data_files.of(table.snapshot()))).path)
    data.write_bytes(b"PAR1".rjust(data.stat().st_size))
    [finding] = found(path, deep=True).values()
    assert (finding.check, finding.file) == ("data-file", str(data))
    data.unlink()
    [finding] = found(path, deep=True).values()
    assert (finding.check, finding.file) == ("data-file", str(data))
    assert repair(path, deep=True).dropped is None


def test_a_changed_byte_in_an_fm_index(tmp_path: Path) -> None:
    """Its blocks have checksums, and its container repeats facts of the index manifest."""
    path = newer_table(tmp_path, "fm")
    [note] = [one for one in audit(path) if one.check == "index-type"]
    assert note.message == "its files of the type 'fm' are not compared with the data"
    assert "table audit" in note.remedy and "--deep" in note.remedy
    file = _changed(path, 50)
    assert found(path) == {}
    [finding] = found(path, deep=True).values()
    assert (finding.severity, finding.check) == ("error", "global-index-corrupt")
    assert finding.file == str(file)
    _changed(path, 50)
    change_index_manifest(
        Table.at(path),
        lambda records: [
            {**each, "_GLOBAL_INDEX": {**each["_GLOBAL_INDEX"], "_ROW_RANGE_END": 1998}}
            for each in records
        ],
    )
    finding = found(path, deep=True)["global-index-corrupt"]
    assert "2,000 rows, but 1,999 in the row range" in finding.message
    assert repair(path, deep=True).dropped is not None


def test_values_that_differ_from_the_data(tmp_path: Path) -> None:
    """A bitmap index has no checksum of its bitmaps."""
    path = newer_table(tmp_path, "bitmap")
    table = Table.at(path)
    [index] = table.index_manifests.global_indexes(table.snapshot())
    at = Path(table.paths.index_file(index.files[0])).read_bytes().index(b"\x3a\x30") + 30
    _changed(path, at)
    every = found(path, deep=True)
    finding = every["global-index-corrupt"]
    assert finding.column == "name"
    assert "table audit" in finding.remedy
    assert repair(path, deep=True).dropped is not None
    assert found(path, deep=True) == {}


def test_an_update_that_no_metadata_shows(tmp_path: Path) -> None:
    path = newer_table(tmp_path, "btree_stale")
    for number in (1, 2, 3):
        Path(path, "snapshot", f"snapshot-{number}").unlink()
    Path(path, "snapshot", "EARLIEST").unlink(missing_ok=True)
    stale = [one for one in audit(path, deep=True) if one.check == "global-index-stale"]
    [finding] = [one for one in stale if one.severity == "error"]
    assert finding.message == (
        "2 of 2,000 rows differ from the data; the first is row id 1, "
        "with the value 'new' in the data"
    )
    assert repair(path, deep=True).dropped is not None


def test_an_index_that_lacks_rows_of_its_range(tmp_path: Path) -> None:
    path = newer_table(tmp_path, "rust_btree")
    change_index_manifest(
        Table.at(path), lambda records: [{**each, "_ROW_COUNT": 1999} for each in records]
    )
    message = found(path)["global-index-corrupt"].message
    assert "row ids 0 to 1999 have 1,999 rows, not 2,000" in message


def test_ranges_that_overlap(tmp_path: Path, cli: Cli) -> None:
    """Each reader returns each row once: those that one or the other file lists."""
    path = make_table(tmp_path, "t", [rows(0, 1000)], EVOLUTION)
    build = by_pypaimon("name", "btree")
    build(path)
    table, first = Table.at(path), list[Any]()

    def remember(records: list[Any]) -> list[Any]:
        first.extend(records)
        return records

    change_index_manifest(table, remember)
    append(table.pypaimon, rows(1000, 1000))
    table.pypaimon.drop_global_index("name", "btree")
    build(path)
    change_index_manifest(table, lambda records: [*records, *first])
    [finding] = found(path, deep=True).values()
    assert (finding.severity, finding.check) == ("warning", "global-index-overlap")
    assert "its row ids 0 to 1999 overlap those of another file" in finding.message
    where = "name = 'n013'"
    count = names(path, "n013")
    assert count == rows(0, 2000)["name"].to_pylist().count("n013")
    assert read_by_rust(path, where).num_rows == query(path, where).num_rows == count
    assert repair(path).dropped is None
    drop = finding.remedy.partition("run `paimon-ksy ")[2].partition("`")[0]
    assert cli(*shlex.split(drop), "--yes")[0] == 0
    build(path)
    assert found(path, deep=True) == {}


def test_keys_of_another_type(tmp_path: Path) -> None:
    path = newer_table(tmp_path, "rust_btree")
    file = Path(path, "schema", "schema-0")
    schema = json.loads(file.read_text())
    schema["fields"][0]["type"] = "SMALLINT"
    file.write_text(json.dumps(schema))
    [finding] = [one for one in audit(path) if one.check.startswith("global-index")]
    assert (finding.severity, finding.check) == ("error", "global-index-stale")
    assert "not of the type SMALLINT" in finding.message


def _with_source(path: str, source: SourceMetadata) -> None:
    def change(records: list[Any]) -> list[Any]:
        data = write_source_metadata(source)
        return [
            {**each, "_GLOBAL_INDEX": {**each["_GLOBAL_INDEX"], "_SOURCE_META": data}}
            for each in records
        ]

    change_index_manifest(Table.at(path), change)


def test_the_snapshot_that_an_index_was_built_from(tmp_path: Path) -> None:
    path = newer_table(tmp_path, "btree_stale")
    _with_source(path, SourceMetadata(snapshot_id=2))
    assert "from snapshot 2" in found(path)["global-index-stale"].message
    _with_source(path, SourceMetadata(snapshot_id=4))
    assert found(path) == {}


def test_an_index_of_replaced_data_files(tmp_path: Path) -> None:
    path = newer_table(tmp_path, "primary_key_btree")
    _with_source(path, SourceMetadata(level=5, files=(SourceFile("gone.parquet", 2000),)))
    [finding] = found(path).values()
    assert (finding.severity, finding.check) == ("warning", "global-index-dead")
    assert "data file gone.parquet is not live any more" in finding.message
    assert repair(path).dropped is not None
    assert found(path) == {}


@pytest.mark.parametrize("nanos", [[1000, 1001, 5999], [1000, 2000]])
@pytest.mark.parametrize("index_type", ["btree", "bitmap"])
def test_keys_that_a_builder_may_have_cut(
    index_type: str, nanos: list[int], tmp_path: Path
) -> None:
    """Without `--deep`, the ends of the keys show whether they may be cut; with it, the data."""
    column = pa.array(nanos, pa.int64()).view(pa.timestamp("ns"))
    path = make_table(tmp_path, "t", [pa.table({"c": column})], EVOLUTION)
    by_pypaimon("c", index_type)(path)
    finding = found(path)["global-index-cut"]
    assert (finding.severity, finding.column) == ("warning", "c")
    assert "pypaimon 2.1 and Spark cut keys" in finding.message
    right = "with pypaimon-rust, run `CALL sys.create_global_index(table => 'default.t', "
    assert right in finding.remedy and "table.create_global_index" not in finding.remedy
    is_cut = any(value % 1000 for value in nanos)
    deep = found(path, deep=True)
    assert ("global-index-corrupt" in deep) == is_cut and "global-index-cut" not in deep
    drop_global_indexes(path)
    by_rust("c", index_type)(path)
    assert ("global-index-cut" in found(path)) != is_cut
    assert "global-index-corrupt" not in found(path, deep=True)
