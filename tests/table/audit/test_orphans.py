"""Orphans are what nothing needs: no snapshot, tag, branch or changelog."""

from __future__ import annotations

import json
import shutil
from collections import Counter
from collections.abc import Callable, Sequence
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from typer.testing import CliRunner

from paimon_ksy import delete, query
from paimon_ksy.cli.app import app
from paimon_ksy.errors import MissingFileError, PaimonKsyError
from paimon_ksy.table.audit.audit import audit
from paimon_ksy.table.audit.orphans import OrphansLeftError, clean_orphans, orphans
from paimon_ksy.table.engine import local_engine, spark_engine
from paimon_ksy.table.index.rewrite import rewrite_index
from paimon_ksy.table.inspect.inspect import inspect_table
from paimon_ksy.table.io.paths import Roots
from paimon_ksy.table.io.storage import Storage
from paimon_ksy.table.model.files import ManifestFile, Snapshot
from paimon_ksy.table.store import Table
from paimon_ksy.table.store.commits import Changes, commit
from paimon_ksy.table.store.manifest_writer import ManifestWriter, Record, records_of
from paimon_ksy.table.store.manifests import Manifests
from tests.support.audits import found, index_path, indexed, old
from tests.support.commands import run_command
from tests.support.memory import peak_of
from tests.support.tables import (
    STATUS,
    TO_FILES,
    external,
    files,
    make,
    rows,
    tree,
)
from tools.tables import append, expire, make_table, merge_manifests

ENGINE = local_engine(1)
ANY_AGE = timedelta(seconds=-60)
OPTIONS = {**STATUS, **TO_FILES, "deletion-vectors.enabled": "true"}


def changed(path: str) -> set[str]:
    """Give the table other indexes and vectors, so that the latest snapshot names no earlier one;
    return the names of the earlier ones."""
    before = names(Table.at(path))
    rewrite_index(path, rebuild=True, engine=ENGINE)
    delete(path, "id = 7", engine=ENGINE)
    table = Table.at(path)
    expire(table)
    merge_manifests(table)
    assert not before & names(table)
    return before


def names(table: Table) -> set[str]:
    """The names of all indexes and vectors that the manifests of the latest snapshot contain."""
    snapshot: Any = table.snapshot()
    found = {
        name
        for entries, _ in table.manifests(table.manifests.of(snapshot))
        for name in entries.column("_EXTRA_FILES").flatten().to_pylist()
    }
    return found | {file.file_name for file in table.index_manifests.of(snapshot)}


def cleaned(path: str) -> set[str]:
    """Clean orphans of any age, and return the names of those that are no manifests."""
    gone = {Path(one.path) for one in clean_orphans(path, ANY_AGE, dry_run=False)}
    assert clean_orphans(path, ANY_AGE) == []
    return {file.name for file in gone if file.parent.name != "manifest"}


def there(path: str) -> set[str]:
    """The names of the indexes and vectors in the folders of a table."""
    table = Path(path)
    return {file.name for place in ("bucket-0/*.index", "index/*") for file in table.glob(place)}


@pytest.fixture
def path(tmp_path: Path) -> str:
    """A table with an index and a file of vectors, tagged."""
    made = make(tmp_path, [rows(0, 12)], OPTIONS)
    rewrite_index(made, engine=ENGINE)
    delete(made, "id = 3", engine=ENGINE)
    Table.at(made).pypaimon.create_tag("kept")
    return made


BEFORE = [number for number in range(12) if number != 3]


def ids(table: Table, **named: Any) -> list[int]:
    """The ids in a table, and those that have a status: by index, vectors and data."""
    found = query(table, "status = 'PENDING' OR id >= 0", engine=ENGINE, **named)
    pending = query(table, "status = 'PENDING'", engine=ENGINE, **named)["id"].to_pylist()
    every = sorted(found["id"].to_pylist())
    assert sorted(pending) == [number for number in every if number % 4 == 3]
    return every


def test_what_a_tag_needs(path: str) -> None:
    needed = changed(path)
    assert len(needed) == 2
    assert cleaned(path) == set()
    assert ids(Table.at(path), tag="kept") == BEFORE
    assert [one for one in audit(path, engine=ENGINE) if one.severity == "error"] == []
    Table.at(path).pypaimon.delete_tag("kept")
    assert cleaned(path) == needed
    assert there(path) == names(Table.at(path))
    assert ids(Table.at(path)) == [number for number in BEFORE if number != 7]


def test_what_only_the_delta_of_a_tag_names(tmp_path: Path) -> None:
    path = make(tmp_path, [rows(0, 12)], OPTIONS)
    rewrite_index(path, engine=ENGINE)
    Table.at(path).pypaimon.create_tag("kept")
    [index] = changed(path)
    assert cleaned(path) == set()
    assert index in there(path)
    assert ids(Table.at(path), tag="kept") == list(range(12))


@pytest.mark.parametrize("tagged", [True, False])
def test_what_a_branch_needs(tagged: bool, path: str) -> None:
    """By its own snapshot or, once that is expired, by its own tag."""
    table = Table.at(path)
    table.pypaimon.branch_manager().create_branch("b", "kept")
    table.pypaimon.delete_tag("kept")
    branch = table.branch("b")
    if tagged:
        append(branch.pypaimon, rows(12, 4))
        rewrite_index(branch, rebuild=True, engine=ENGINE)
        delete(branch, "id = 11", engine=ENGINE)
        branch = Table.at(path).branch("b")
        expire(branch)
        merge_manifests(branch)
    else:
        branch.pypaimon.tag_manager().delete_tag("kept")
    needed = changed(path) | names(branch)
    assert cleaned(path) == set()
    assert needed < there(path)
    branch = Table.at(path).branch("b")
    if tagged:
        assert ids(branch, tag="kept") == BEFORE
        assert ids(branch) == [*BEFORE[:-1], 12, 13, 14, 15]
    else:
        assert ids(branch) == BEFORE
    assert [one for one in audit(branch, engine=ENGINE) if one.severity == "error"] == []
    shutil.rmtree(Path(path, "branch", "branch-b"))
    assert cleaned(path) == needed
    assert there(path) == names(Table.at(path))


def test_what_a_snapshot_needs(path: str) -> None:
    table = Table.at(path)
    table.pypaimon.delete_tag("kept")
    snapshot: Any = table.snapshot()
    rewrite_index(path, rebuild=True, engine=ENGINE)
    delete(path, "id = 7", engine=ENGINE)
    merge_manifests(Table.at(path))
    for number in range(1, snapshot.id):
        Path(path, "snapshot", f"snapshot-{number}").unlink()
    assert cleaned(path) == set()
    assert ids(Table.at(path), snapshot_id=snapshot.id) == BEFORE


@pytest.mark.parametrize("role", ["base", "delta"])
def test_what_a_changelog_without_files_of_its_own_needs(role: str, path: str) -> None:
    """Java keeps both lists of its snapshot, and what they name; vectors it does not."""
    table = Table.at(path)
    table.pypaimon.delete_tag("kept")
    snapshot: Any = table.snapshot()
    document = json.loads(Path(path, "snapshot", f"snapshot-{snapshot.id}").read_text())
    indexes = {name for name in names(table) if name.endswith(".index")}
    vectors = names(table) - indexes
    named = {
        name
        for entries, _ in table.manifests(table.manifests.of_list(document["baseManifestList"]))
        for name in entries.column("_FILE_NAME").to_pylist()
    }
    assert named
    if role == "delta":
        document["baseManifestList"], document["deltaManifestList"] = (
            document["deltaManifestList"],
            document["baseManifestList"],
        )
    Path(path, "changelog").mkdir()
    Path(path, "changelog", f"changelog-{snapshot.id}").write_text(json.dumps(document))
    assert changed(path) == indexes | vectors
    assert cleaned(path) == vectors
    assert indexes < there(path)


# Branches with a changelog ----------------------------------------------------------------------


def with_changelog(folder: Path) -> str:
    options = {"bucket": "1", "changelog-producer": "input"}
    path = make_table(folder, "t", [rows(0, 4), rows(2, 4)], options, primary_keys=["id"])
    table = Table.at(path)
    table.pypaimon.create_tag("kept")
    table.pypaimon.branch_manager().create_branch("b", "kept")
    return path


def expired(path: str) -> None:
    """Expire all but a new snapshot of main, with their changelogs, as Java does."""
    append(Table.at(path).pypaimon, rows(8, 4))
    for file in Path(path, "snapshot").glob("snapshot-[12]"):
        name = json.loads(file.read_text())["changelogManifestList"]
        assert name
        Path(path, "manifest", name).unlink()
        file.unlink()
    Path(path, "snapshot", "EARLIEST").write_text("3")
    for file in Path(path, "bucket-0").glob("changelog-*"):
        file.unlink()


def errors(table: Table) -> list[str]:
    return [one.message for one in audit(table, engine=ENGINE) if one.severity == "error"]


@pytest.mark.parametrize("without_tag", [None, "main", "b"])
def test_a_branch_whose_changelog_expired_with_main(
    without_tag: str | None, tmp_path: Path
) -> None:
    path = with_changelog(tmp_path)
    assert errors(Table.at(path).branch("b")) == []
    expired(path)
    if without_tag is not None:
        Table.at(path).branch(without_tag).pypaimon.tag_manager().delete_tag("kept")
    branch = Table.at(path).branch("b")
    assert errors(branch) == []
    stray = Path(path, "bucket-0", "data-x.parquet.index")
    stray.write_bytes(b"")
    assert cleaned(path) == {stray.name}
    content = inspect_table(branch).content
    assert content is not None
    assert [found.error for found in content.lists] == [None, None]


def lost_in_main(path: str) -> str:
    """While main has the snapshot."""
    expired(path)
    document = Path(path, "branch", "branch-b", "snapshot", "snapshot-2").read_text()
    Path(path, "snapshot", "snapshot-2").write_text(document)
    return str(json.loads(document)["changelogManifestList"])


def lost_in_the_branch(path: str) -> str:
    """Of what was written to the branch."""
    expired(path)
    append(Table.at(path).branch("b").pypaimon, rows(8, 4))
    file = Path(path, "branch", "branch-b", "snapshot", "snapshot-3")
    name = str(json.loads(file.read_text())["changelogManifestList"])
    main = Path(path, "snapshot", "snapshot-3")
    renamed = json.loads(main.read_text()) | {"id": 4}
    Path(path, "snapshot", "snapshot-4").write_text(json.dumps(renamed))
    main.unlink()
    Path(path, "snapshot", "EARLIEST").write_text("4")
    Path(path, "manifest", name).unlink()
    return name


@pytest.mark.parametrize("damage", [lost_in_main, lost_in_the_branch])
def test_a_changelog_of_a_branch_that_is_lost(damage: Callable[[str], str], tmp_path: Path) -> None:
    path = with_changelog(tmp_path)
    name = damage(path)
    found = list(audit(Table.at(path).branch("b"), engine=ENGINE))
    assert any(name in one.file and one.severity == "error" for one in found)
    Path(path, "bucket-0", "data-x.parquet.index").touch()
    with pytest.raises(PaimonKsyError, match=name):
        orphans(path, ANY_AGE)


def test_orphans_are_what_nothing_needs(tmp_path: Path) -> None:
    path = indexed(tmp_path)
    table = Table.at(path)
    needed = [index_path(file) for file in files(path)]
    table.pypaimon.create_tag("kept")
    rewrite_index(path, engine=local_engine(1), rebuild=True)
    table.pypaimon.branch_manager().create_branch("b", "kept")
    append(table.pypaimon, rows(24, 2))
    expire(table)
    merge_manifests(table)
    clean_orphans(path, ANY_AGE, dry_run=False)
    uuid = "9d77160c-3670-4c18-a1a5-bce1491141ab"
    bucket, manifests = needed[0].parent, Path(path, "manifest")
    (Path(path) / "index").mkdir()
    strays = [
        Path(path) / "index" / f"index-{uuid}-0",
        bucket / f"index-{uuid}-1",
        bucket / "data-x.orc.index",
        *(manifests / f"{kind}-{uuid}-0" for kind in ("manifest", "manifest-list")),
        manifests / f"index-manifest-{uuid}-12",
        manifests / f"manifest-list-{uuid}-changelog",
    ]
    others = [
        *(Path(path) / "index" / name for name in ("mine", f"manifest-{uuid}-0")),
        bucket / "data-y.parquet",
        *(manifests / name for name in ("mine", f"manifest-{uuid}-0.avro.sidecar")),
    ]
    for file in [*strays, *others]:
        file.write_bytes(b"123")
    assert clean_orphans(path, dry_run=False) == []  # younger than a day
    for file in Path(path).rglob("*"):
        if file.is_file():
            old(file)
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


def test_external_paths_are_not_searched(tmp_path: Path) -> None:
    """Another table may have its files there, too, such as a copy."""
    outside = tmp_path / "outside"
    path = make(tmp_path, [rows(0, 12)], {**OPTIONS, **external(outside)})
    table = Table.at(path).with_external_paths([str(outside)])
    rewrite_index(table, engine=ENGINE)
    stray = index_path(files(path)[0]).with_suffix(".x.index")
    assert stray.is_relative_to(outside)
    stray.write_bytes(b"")
    result = run_command("table", "clean-orphans", path, "--older-than", "0s", "--yes")
    assert result.exit_code == 0
    assert f"file://{outside} was not searched" in result.stderr
    assert clean_orphans(table, ANY_AGE, dry_run=False) == []
    assert stray.exists() and found(path, deep=True) == []


@pytest.mark.parametrize("job", ["rewrite-index", "audit"])
def test_jobs_change_external_paths_only_if_they_are_named(job: str, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    options = {**OPTIONS, **external(outside), "index-file-in-data-file-dir": "true"}
    path = make(tmp_path, [rows(0, 12)], options)
    given = ["--repair", "--yes"] if job == "audit" else []
    before = tree(tmp_path)
    result = run_command("table", job, path, *given)
    assert result.exit_code == 1
    assert f"is in the external path file://{outside}, which other tables may" in result.stderr
    assert tree(tmp_path) == before
    result = run_command("table", job, path, *given, "--external-path", str(tmp_path))
    assert result.exit_code == 2
    assert f"{tmp_path} is not an external path of the table: it has file://" in result.stderr
    assert tree(tmp_path) == before
    result = run_command("table", job, path, *given, "--external-path", f"{outside}/")
    assert (result.exit_code, result.stderr) == (0, "")
    assert {file for file in tree(outside) if file.suffix != ".parquet"}


def test_nothing_is_an_orphan_where_a_manifest_cannot_be_read(tmp_path: Path) -> None:
    path = indexed(tmp_path)
    stray = index_path(files(path)[0]).with_name("data-x.parquet.index")
    stray.write_bytes(b"")
    old(stray)
    table = Table.at(path)
    name = table.manifests.of(table.snapshot())[0].file_name
    (Path(path) / "manifest" / name).unlink()
    result = CliRunner().invoke(app, ["table", "clean-orphans", path, "--yes"])
    assert result.exit_code == 1
    assert name in result.output
    assert stray.exists()


def test_orphans_that_cannot_be_deleted_are_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = indexed(tmp_path)
    folder = index_path(files(path)[0]).parent
    strays = [folder / f"data-{name}.parquet.index" for name in "abcd"]
    for stray in strays:
        stray.write_bytes(b"123")
    unlink = Roots.unlink

    def denied(roots: Roots, place: str) -> None:
        if place == str(strays[1]):
            raise PermissionError(13, "Permission denied", place)
        if place == str(strays[2]):  # somebody else is first
            unlink(roots, place)
        unlink(roots, place)

    monkeypatch.setattr(Roots, "unlink", denied)
    with pytest.raises(OrphansLeftError, match="1 of 3 orphans could not be deleted") as error:
        clean_orphans(path, timedelta(seconds=-60), dry_run=False)
    assert [one.path for one in error.value.deleted] == [str(strays[0]), str(strays[3])]
    assert [file for file in strays if file.exists()] == [strays[1]]
    arguments = "clean-orphans", path, "--older-than", "0s", "--yes"
    result = run_command("table", *arguments)
    assert result.exit_code == 1
    assert "0 orphans, 0 bytes deleted, 1 orphan not deleted" in result.output
    assert "not deleted: cannot be deleted: Permission denied" in result.output
    result = run_command("table", *arguments, "--format", "json")
    assert result.exit_code == 1
    document = json.loads(result.stdout)
    assert document["files"] == []
    [failed] = document["failed"]
    assert failed["file"] == str(strays[1])
    assert failed["error"] == f"{strays[1]}: cannot be deleted: Permission denied"
    monkeypatch.undo()
    result = run_command("table", *arguments, "--format", "json")
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
    storage = Storage.of(Store(deletes, there), "s3://b")
    if isinstance(told, bool):
        assert storage.remove("s3://b/x") is told
    else:
        with pytest.raises(PaimonKsyError) as error:
            storage.remove("s3://b/x")
        assert str(error.value) == told


# On an engine ------------------------------------------------------------------------------------


@pytest.mark.parametrize("engine", ["threads", pytest.param("spark", marks=pytest.mark.java)])
def test_orphans_on_each_engine(
    engine: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    """In partitions, of a branch and a tag, with links that lead out of the table."""
    data = [rows(0, 4, "a"), rows(4, 4, "b"), rows(8, 4, "c")]
    path = make(tmp_path, data, OPTIONS, ["day"])
    rewrite_index(path, engine=ENGINE)
    table = Table.at(path)
    table.pypaimon.create_tag("kept")
    table.pypaimon.branch_manager().create_branch("b", "kept")
    changed(path)
    clean_orphans(path, ANY_AGE, dry_run=False)  # merged manifests
    buckets = [index_path(file).parent for file in files(path)]
    strays = [bucket / f"data-x{at}.parquet.index" for at, bucket in enumerate(buckets[:2])]
    for stray in strays:
        stray.write_bytes(b"123")
    outside = tmp_path / "outside"
    outside.mkdir()
    (buckets[2].parent / "bucket-9").symlink_to(outside)
    (buckets[2] / "data-y.parquet.index").symlink_to(outside / "data-y")
    (outside / "data-y").touch()
    chosen = (
        local_engine(2) if engine == "threads" else spark_engine(request.getfixturevalue("spark"))
    )
    done: Counter[str] = Counter()
    orphaned = orphans(
        path,
        ANY_AGE,
        engine=chosen,
        progress=lambda what, count: done.update({what: count}),
    )
    assert [Path(one.path) for one in orphaned] == sorted(strays)
    assert {(one.size, one.modified > 0) for one in orphaned} == {(3, True)}
    assert done["folders"] == 5
    assert done["manifests"] > 3
    assert list(outside.iterdir()) == [outside / "data-y"]
    cleaned = clean_orphans(path, ANY_AGE, dry_run=False, engine=chosen)
    assert cleaned == orphaned
    assert not any(stray.exists() for stray in strays)


@pytest.mark.parametrize("failures", [1, 2, 3])
def test_manifest_that_expires_meanwhile(
    failures: int, path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its snapshot did, too: what is left is read again, and all that was read is kept."""
    changed(path)
    table = Table.at(path)
    table.pypaimon.delete_tag("kept")
    read: list[str] = []
    stored = Manifests.stored

    def expiring(self: Manifests, manifests: Sequence[ManifestFile]) -> Any:
        read.extend(manifest.file_name for manifest in manifests)
        if 2 <= len(read) < 2 + failures:
            raise MissingFileError("gone")
        return stored(self, manifests)

    append(table.pypaimon, rows(20, 2))
    monkeypatch.setattr(Manifests, "stored", expiring)
    monkeypatch.setattr("paimon_ksy.table.manifests.scan._GROUP_BYTES", 1)
    if failures == 3:
        with pytest.raises(MissingFileError, match="gone"):
            orphans(path, ANY_AGE, engine=ENGINE)
    else:
        orphans(path, ANY_AGE, engine=ENGINE)
    again = {name: count for name, count in Counter(read).items() if count > 1}
    assert again == {read[1]: min(failures + 1, 3)}


def appended(entries: Sequence[Record], _: Snapshot | None, writer: ManifestWriter) -> Changes:
    """Return the changes of a commit that adds these entries."""
    return Changes([writer.manifest([pa.RecordBatch.from_pylist(entries)])])


def test_driver_holds_a_digest_of_each_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not its path, nor its entry in a manifest."""
    monkeypatch.setattr("paimon_ksy.table.manifests.scan._GROUP_BYTES", 1)

    def peak(number: int) -> int:
        folder = tmp_path / str(number)
        folder.mkdir()
        path = make(folder, [rows(0, 4)], OPTIONS)
        bucket = Path(files(path)[0].path).parent
        table = Table.at(path)
        [manifest] = table.manifests.of(table.snapshot())
        [record] = records_of(table, manifest.file_name)
        for start in range(0, number, 500):
            names = [f"data-{at:036}-0.parquet" for at in range(start, start + 500)]
            entries = [
                {
                    **record,
                    "_FILE": {
                        **record["_FILE"],
                        "_FILE_NAME": name,
                        "_EXTRA_FILES": [f"{name}.index"],
                    },
                }
                for name in names
            ]
            commit(table, "APPEND", partial(appended, entries))
            for name in names:
                (bucket / f"{name}.index").touch()

        def run() -> None:
            assert orphans(path, ANY_AGE, engine=ENGINE) == []

        return peak_of(run)

    few, many = peak(1000), peak(5000)
    assert (many - few) / 4000 < 200  # a path alone takes that
