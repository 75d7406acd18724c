"""Indexes that a table's options do not list: what a rewrite keeps, and what it reports as lost."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pytest

from paimon_ksy.file_index.builder import assemble
from paimon_ksy.file_index.container import FileIndex
from paimon_ksy.table.audit.audit import audit, repair
from paimon_ksy.table.audit.data_files import REMEDY_LEAVE
from paimon_ksy.table.engine import local_engine
from paimon_ksy.table.manifests.entries import DELETE
from paimon_ksy.table.store import Table
from paimon_ksy.table.store.alter import set_options
from paimon_ksy.table.store.commits import Changes, commit
from paimon_ksy.table.store.manifest_writer import records_of
from tests.support.commands import run_command
from tests.support.tables import (
    EMBEDDED,
    STATUS,
    TO_FILES,
    bodies,
    decimals,
    files,
    give,
    ids,
    indexes,
    make,
    rows,
    run_rewrite,
)

LOCAL = local_engine(1)

ALL = {
    "file-index.bitmap.columns": "status,m[k]",
    "file-index.bitmap.status.version": "1",
    "file-index.bsi.columns": "amount",
    "file-index.range-bitmap.columns": "id",
    "file-index.bloom-filter.columns": "day",
    "file-index.bloom-filter.day.items": "100",
    "file-index.bloom-filter.day.fpp": "0.02",
}

ALL_THERE = {
    "status": {"bitmap"},
    "m[k]": {"bitmap"},
    "amount": {"bsi"},
    "id": {"range-bitmap"},
    "day": {"bloom-filter"},
}

MORE = {"file-index.bloom-filter.columns": "id"}


@pytest.mark.parametrize("place", [TO_FILES, EMBEDDED], ids=["files", "embedded"])
def test_no_plain_rewrite_drops_an_index(place: dict[str, str], tmp_path: Path) -> None:
    path = make(tmp_path, [rows(0, 40), rows(40, 9)], place)
    run_rewrite(path, set=ALL)
    before = [bodies(file) for file in files(path)]
    for rebuild in (False, True):
        summary = run_rewrite(path, rebuild=rebuild)  # the options list none
        assert (summary.rewritten, summary.dropped, summary.lost) == (2 * rebuild, 0, ())
        assert [bodies(file) for file in files(path)] == before
    summary = run_rewrite(path, set={"file-index.bitmap.columns": ""})
    assert (summary.rewritten, summary.snapshot) == (0, None)
    assert repair(path, engine=LOCAL).summary is None
    assert ids(path) == list(range(49))


@pytest.mark.parametrize("before", [TO_FILES, EMBEDDED], ids=["file", "embedded"])
@pytest.mark.parametrize("after", [TO_FILES, EMBEDDED], ids=["to-file", "to-embedded"])
def test_a_rewrite_carries_over_what_it_does_not_build(
    before: dict[str, str], after: dict[str, str], tmp_path: Path
) -> None:
    """Byte for byte, wherever it was and goes."""
    path = make(tmp_path, [rows(0, 40), rows(40, 9)])
    run_rewrite(path, set={**ALL, **before})
    old = [bodies(file) for file in files(path)]
    summary = run_rewrite(path, set={"file-index.bsi.columns": "id", **after})
    assert summary.reasons == {"incomplete": 2}
    assert (summary.kept, summary.values, summary.lost) == (2 * 5, 49, ())
    assert indexes(path) == 2 * [{**ALL_THERE, "id": {"range-bitmap", "bsi"}}]
    for file, was in zip(files(path), old, strict=True):
        assert (file.embedded_index is not None) == (after is EMBEDDED)
        found = bodies(file)
        assert {key: found[key] for key in was} == was
    assert list(audit(path, deep=True, engine=LOCAL)) != []
    assert {one.check for one in audit(path, deep=True, engine=LOCAL)} <= {
        *("index-unlisted", "index-options")
    }


def test_indexes_are_dropped_by_the_option_that_says_so(tmp_path: Path) -> None:
    path = make(tmp_path, [rows(0, 40)], STATUS)
    run_rewrite(path, set=ALL)
    summary = run_rewrite(path, drop_unlisted=True)
    assert (summary.reasons, summary.kept, summary.lost) == ({"stale": 1}, 0, ())
    assert indexes(path) == [{"status": {"bitmap"}}]
    assert run_rewrite(path, drop_unlisted=True).snapshot is None
    run_rewrite(path, set={"file-index.bitmap.columns": ""}, drop_unlisted=True)
    assert indexes(path) == [{}]


def test_types_that_are_unknown_and_empty_indexes_are_kept(tmp_path: Path) -> None:
    path = make(tmp_path, [rows(0, 8), rows(8, 0)])
    run_rewrite(path, set={"file-index.bitmap.columns": "status"})
    first, *_ = files(path)
    own = bodies(first)
    others = {("status", "zone-map"): b"\x07later", ("gone", "bitmap-of-tomorrow"): b""}
    give(path, first, {**own, **others})
    for rebuild in (False, True):
        run_rewrite(path, set={"file-index.bsi.columns": "id"}, rebuild=rebuild)
        found = bodies(files(path)[0])
        assert {key: found[key] for key in others} == others
        assert found[("status", "bitmap")] == own[("status", "bitmap")]
        assert ("id", "bsi") in found


def test_an_empty_index_of_a_file_without_rows_stays_empty(tmp_path: Path) -> None:
    path = make(tmp_path, [rows(0, 8)])
    (file,) = files(path)
    none = replace(file, num_rows=0)
    from paimon_ksy.table.index.existing import unlisted_indexes

    table = Table.at(path)
    index = assemble([("m[k]", [("bitmap", None)])])
    found = unlisted_indexes(
        table.storage, replace(none, embedded_index=index), table.schema.columns, set()
    )
    assert [(spec.name, body) for spec, body in found.carried] == [("m[k]", None)]
    # With rows it would hide them all: it is built.
    found = unlisted_indexes(
        table.storage, replace(file, embedded_index=index), table.schema.columns, set()
    )
    assert [spec.name for spec in found.built] == ["m[k]"]
    assert not found.carried


def test_columns_that_were_renamed_or_dropped_keep_their_indexes(tmp_path: Path) -> None:
    from pypaimon import CatalogFactory
    from pypaimon.schema.data_types import AtomicType
    from pypaimon.schema.schema_change import SchemaChange

    path = make(tmp_path, [rows(0, 40)])
    run_rewrite(path, set=ALL)
    (old,) = files(path)
    before = bodies(old)
    catalog = CatalogFactory.create({"warehouse": str(tmp_path)})
    for change in (
        SchemaChange.rename_column("status", "state"),
        SchemaChange.add_column("status", AtomicType("INT")),
        SchemaChange.drop_column("amount"),
        SchemaChange.add_column("amount", AtomicType("STRING")),
    ):
        catalog.alter_table("default.t", [change], False)
    # The new columns are not in the file, and its old ones go by the names that they had there.
    run_rewrite(path, set={"file-index.bitmap.columns": "status,amount,id"})
    (file,) = files(path)
    found = bodies(file)
    assert {key: found[key] for key in before} == before
    assert found.keys() - before.keys() == {("id", "bitmap")}
    run_rewrite(path, rebuild=True)
    assert bodies(files(path)[0]).keys() == found.keys()
    remedies = {one.remedy for one in audit(path, engine=LOCAL) if one.check == "index-unlisted"}
    assert remedies == {REMEDY_LEAVE}
    table = Table.at(path)
    with FileIndex.open(file.index, table.schema_at(file.schema_id).columns) as opened:
        assert (
            opened.evaluate("status = 'PENDING'").rows
            == opened.evaluate("status IN ('PENDING')").rows
        )


@pytest.mark.parametrize("key", [("status", "bitmap"), ("amount", "bsi"), ("id", "range-bitmap")])
def test_a_damaged_index_is_built_again_beside_sound_ones(
    key: tuple[str, str], tmp_path: Path
) -> None:
    path = make(tmp_path, [rows(0, 40)])
    run_rewrite(path, set=ALL)
    (file,) = files(path)
    own = bodies(file)
    body = own[key]
    assert body is not None
    # Cut short: no reader can make sense of it.
    give(path, file, {**own, key: body[: len(body) // 2]})
    summary = run_rewrite(path, set=MORE)
    assert (summary.kept, summary.lost) == (5, ())
    found = bodies(files(path)[0])
    assert {other: found[other] for other in own} == own
    assert ids(path) == list(range(40))


def test_a_damaged_index_that_cannot_be_built_is_reported(tmp_path: Path) -> None:
    """Its column is not in the data file, or its type refuses the column."""
    path = make(tmp_path, [rows(0, 40)])
    run_rewrite(path, set=STATUS)
    (file,) = files(path)
    own = bodies(file)
    give(path, file, {**own, ("status", "bsi"): b"\x01broken"})
    summary = run_rewrite(path, set=MORE)
    assert [(one.file, one.column, one.index_type) for one in summary.lost] == [
        (file.path, "status", "bsi")
    ]
    assert summary.lost[0].reason
    assert summary.kept == 1
    assert indexes(path) == [{"status": {"bitmap"}, "id": {"bloom-filter"}}]


def test_an_index_that_cannot_be_opened_is_reported(tmp_path: Path) -> None:
    path = make(tmp_path, [rows(0, 8), rows(8, 8)], TO_FILES)
    run_rewrite(path, set=STATUS)
    garbage, missing = files(path)
    Path(garbage.index_files[0]).write_bytes(b"garbage")
    Path(missing.index_files[0]).unlink()
    ran = run_command(
        "table", "rewrite-index", path, "--engine", "local", "--set", "file-index.bsi.columns=id"
    )
    assert ran.exit_code == 0
    assert "kept" not in ran.stdout and "lost (2)" in ran.stdout
    assert indexes(path) == 2 * [{"id": {"bsi"}}]


def test_force_builds_unlisted_indexes_again(tmp_path: Path) -> None:
    """What `audit --deep` finds in them is mended so: they are sound in themselves."""
    path = make(tmp_path, [rows(0, 40), rows(1, 40)], TO_FILES)
    run_rewrite(path, set=ALL)
    right = [bodies(file) for file in files(path)]
    first, second = files(path)
    one, other = (Path(file.index_files[0]) for file in (first, second))
    one.write_bytes(other.read_bytes())  # the index of another file with as many rows
    assert any(f.check == "index" for f in audit(path, deep=True, engine=LOCAL))
    repaired = repair(path, deep=True, engine=LOCAL)
    assert repaired.summary is not None
    assert (repaired.summary.rewritten, repaired.summary.lost) == (1, ())
    assert [bodies(file) for file in files(path)] == right
    one = Path(files(path)[0].index_files[0])
    one.write_bytes(Path(files(path)[1].index_files[0]).read_bytes())
    run_rewrite(path, rebuild=True)
    assert [bodies(file) for file in files(path)] == right


def test_a_repair_that_is_refused_leaves_its_finding(tmp_path: Path) -> None:
    path = decimals(tmp_path)
    table = Table.at(path)
    set_options(table, {"file-index.bsi.columns": "id,big"})
    lacking, fine = files(path)
    found = {(one.check, one.file) for one in audit(path, engine=LOCAL)}
    assert found == {("index-options", file.path) for file in (lacking, fine)}
    for _ in range(2):  # the second one has nothing to do
        repaired = repair(path, engine=LOCAL)
        [left] = repaired.left
        assert (left.severity, left.check, left.file) == ("warning", "index-options", lacking.path)
        assert [one.file for one in audit(path, engine=LOCAL)] == [lacking.path]
        assert repaired.summary is not None
        [refused] = repaired.summary.refused
        assert refused.column == "big" and "64 bits" in refused.reason
    set_options(table, {"file-index.bsi.columns": "id"})
    assert [one.check for one in audit(path, engine=LOCAL)] == ["index-unlisted"]


def test_extra_files_that_are_no_index_stay(tmp_path: Path) -> None:
    """Such as those of a changelog, or of blobs, which the data file names too."""
    path = make(tmp_path, [rows(0, 8)], TO_FILES)
    table = Table.at(path)
    (manifest,) = table.manifests.of(table.snapshot())
    (entry,) = records_of(table, manifest.file_name)
    others = ["data-1.blob", "changelog-1.parquet"]
    changed = {**entry, "_FILE": {**entry["_FILE"], "_EXTRA_FILES": others}}
    pair = [{**entry, "_KIND": DELETE}, changed]
    made = pa.RecordBatch.from_pylist(pair)
    commit(table, "COMPACT", lambda _, writer: Changes([writer.manifest([made])]))
    run_rewrite(path, set=STATUS)
    (file,) = files(path)
    assert [name for name in file.extra_files if not name.endswith(".index")] == others
    assert len(file.extra_files) == 3
    run_rewrite(path, drop_unlisted=True)
    assert list(files(path)[0].extra_files) == others
