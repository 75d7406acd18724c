"""Nothing outside a table is read, written, listed or deleted because a file says so."""

from __future__ import annotations

import contextlib
import json
import os
import pickle
import shutil
import sys
import time
from collections.abc import Callable, Iterator
from datetime import timedelta
from itertools import product
from pathlib import Path
from typing import Any

import fastavro
import pyarrow as pa
import pytest
from pypaimon.table.row.blob import BlobDescriptor
from typer.testing import CliRunner

import paimon_ksy as pk
from paimon_ksy import count, delete, explain, query
from paimon_ksy.cli.app import app
from paimon_ksy.errors import CorruptFileError, OutsideError, UnsupportedError
from paimon_ksy.table.audit.audit import audit, repair
from paimon_ksy.table.audit.orphans import OrphansLeftError, clean_orphans, orphans
from paimon_ksy.table.engine import local_engine
from paimon_ksy.table.index.rewrite import rewrite_index
from paimon_ksy.table.inspect.inspect import inspect_table
from paimon_ksy.table.io.paths import Roots, file_name
from paimon_ksy.table.store import Table
from paimon_ksy.table.store.schemas import Schemas
from tests.support.tables import (
    STATUS,
    TO_FILES,
    append,
    external,
    files,
    forget_manifests,
    make,
    rows,
    tree,
)
from tools.tables import make_table

ENGINE = local_engine(1)
ANY_AGE = timedelta(seconds=-60)
VECTORS = {"deletion-vectors.enabled": "true"}
UUID = "9d77160c-3670-4c18-a1a5-bce1491141ab"


@pytest.fixture
def victim(tmp_path: Path) -> Path:
    """Another table, with indexes, a file of vectors, and files that nobody names."""
    folder = tmp_path / "v"
    made = Path(make(folder, [rows(0, 12)], {**STATUS, **TO_FILES, **VECTORS}))
    rewrite_index(str(made), engine=ENGINE)
    delete(str(made), "id = 3", engine=ENGINE)
    place = tmp_path / "victim"
    made.rename(place)
    (place / "bucket-0" / "mine.index").write_bytes(b"mine")
    (place / "index" / f"index-{UUID}-0").write_bytes(b"mine")
    for file in place.rglob("*"):
        os.utime(file, (time.time() - 900_000,) * 2)
    return place


@pytest.fixture
def table(tmp_path: Path) -> Path:
    """A table with indexes in files and a file of vectors."""
    path = make(tmp_path / "w", [rows(0, 12), rows(12, 12)], {**STATUS, **TO_FILES, **VECTORS})
    rewrite_index(path, engine=ENGINE)
    delete(path, "id = 5", engine=ENGINE)
    return Path(path)


class Used:
    """What Python opens, lists or deletes in a folder."""

    folder: Path | None = None

    def __init__(self) -> None:
        self.found: list[str] = []

    def __call__(self, event: str, arguments: tuple[Any, ...]) -> None:
        if self.folder is not None and event in _EVENTS:
            for path in arguments[:2]:
                if isinstance(path, (str, bytes, os.PathLike)):
                    place = os.path.realpath(os.fsdecode(path))
                    if Path(place).is_relative_to(self.folder):
                        self.found.append(f"{event} {place}")


_EVENTS = {"open", "os.listdir", "os.scandir", "os.remove", "os.rename", "os.link", "os.mkdir"}
_USED = Used()
sys.addaudithook(_USED)  # which stays


@pytest.fixture
def used() -> Iterator[Used]:
    _USED.found.clear()
    yield _USED
    _USED.folder = None


def snapshot_file(table: Path) -> Path:
    return table / "snapshot" / f"snapshot-{(table / 'snapshot' / 'LATEST').read_text()}"


def changed_json(file: Path, change: Callable[[dict[str, Any]], None]) -> None:
    document = json.loads(file.read_text())
    change(document)
    file.write_text(json.dumps(document))


def changed_avro(file: Path, change: Callable[[dict[str, Any]], None]) -> None:
    """Change each record of a manifest."""
    with file.open("rb") as stream:
        reader = fastavro.reader(stream)
        schema = reader.writer_schema
        records: list[Any] = list(reader)
    for record in records:
        change(record)
    with file.open("wb") as stream:
        fastavro.writer(stream, schema, records)


def manifests(table: Path) -> Iterator[Path]:
    """The files of the manifests in the latest snapshot."""
    opened = Table.at(table)
    for manifest in opened.manifests.of(opened.snapshot()):
        yield table / "manifest" / manifest.file_name


def entries(table: Path, change: Callable[[dict[str, Any]], None]) -> None:
    """Change the `_FILE` of each entry in the manifests."""
    for file in list(manifests(table)):
        changed_avro(file, lambda record: change(record["_FILE"]))


def of_snapshot(table: Path, key: str) -> Path:
    return table / "manifest" / str(json.loads(snapshot_file(table).read_text())[key])


def linked(place: Path, target: Path) -> None:
    """Move a file or folder to a target, and have a link in its place."""
    place.rename(target)
    place.symlink_to(target)


# What leads elsewhere ---------------------------------------------------------------------------


def option(value: str) -> Callable[[Path, Path], None]:
    """The table's data files are elsewhere, as its option says."""

    def change(table: Path, victim: Path) -> None:
        text = value.format(victim=victim)
        key = "data-file.path-directory"
        changed_json(table / "schema" / "schema-0", lambda it: it["options"].update({key: text}))

    return change


def file_named(name: str) -> Callable[[Path, Path], None]:
    def change(table: Path, victim: Path) -> None:
        text = name.format(victim=victim)
        entries(table, lambda file: file.update(_FILE_NAME=text))

    return change


def external_path(text: str) -> Callable[[Path, Path], None]:
    def change(table: Path, victim: Path) -> None:
        own = next(victim.glob("bucket-0/*.parquet"))
        path = text.format(victim=victim, own=own, table=table)
        entries(table, lambda file: file.update(_EXTERNAL_PATH=path))

    return change


def extra_file(name: str) -> Callable[[Path, Path], None]:
    def change(table: Path, victim: Path) -> None:
        text = name.format(victim=victim)
        entries(table, lambda file: file.update(_EXTRA_FILES=[text]))

    return change


def in_snapshot(key: str) -> Callable[[Path, Path], None]:
    """The latest snapshot names a file of the victim."""

    def change(table: Path, victim: Path) -> None:
        name = f"../../../../victim/manifest/{of_snapshot(victim, 'baseManifestList').name}"
        changed_json(snapshot_file(table), lambda it: it.update({key: name}))

    return change


def in_list(table: Path, victim: Path) -> None:
    name = f"../../../../victim/manifest/{next(manifests(victim)).name}"
    for key in ("baseManifestList", "deltaManifestList"):
        changed_avro(of_snapshot(table, key), lambda record: record.update(_FILE_NAME=name))


def index_entry(key: str, text: str) -> Callable[[Path, Path], None]:
    def change(table: Path, victim: Path) -> None:
        own = next(victim.glob("index/*"))
        value = text.format(victim=victim, own=own)
        changed_avro(
            of_snapshot(table, "indexManifest"), lambda record: record.update({key: value})
        )

    return change


def link(place: str) -> Callable[[Path, Path], None]:
    """What matches the pattern in the table is a link to where it is, in the victim's folder."""

    def change(table: Path, victim: Path) -> None:
        for number, found in enumerate(sorted(table.glob(place))):
            linked(found, victim / f"linked-{number}")

    return change


OUTSIDE = {
    "directory": option("../../../victim"),
    "directory with a slash": option("/{victim}"),
    "directory as a URL": option("file://{victim}"),
    "file name": file_named("../../../../victim/x.parquet"),
    "absolute file name": file_named("{victim}/x.parquet"),
    "no file name": file_named(".."),
    "external path": external_path("{own}"),
    "external URL": external_path("file://{own}"),
    "external path with dots": external_path("{table}/../../../victim/bucket-0/x.parquet"),
    "external path in a store": external_path("s3://victim/x.parquet"),
    "extra file": extra_file("../../../../victim/bucket-0/mine.index"),
    "base": in_snapshot("baseManifestList"),
    "delta": in_snapshot("deltaManifestList"),
    "changelog": in_snapshot("changelogManifestList"),
    "index manifest": in_snapshot("indexManifest"),
    "statistics": in_snapshot("statistics"),
    "manifest": in_list,
    "vectors": index_entry("_FILE_NAME", "../../../../victim/index/x"),
    "external vectors": index_entry("_EXTERNAL_PATH", "file://{own}"),
    "link of a bucket": link("bucket-0"),
    "link of vectors": link("index"),
    "link of manifests": link("manifest"),
    "link of snapshots": link("snapshot"),
    "link of schemas": link("schema"),
    "link of a schema": link("schema/schema-0"),
    "link of a data file": link("bucket-0/*.parquet"),
    "link of an index": link("bucket-0/*.index"),
    "link of a manifest": link("manifest/manifest-[!l]*"),
    "link of a snapshot": link("snapshot/snapshot-*"),
}


OF_SCHEMAS = OUTSIDE["link of schemas"], OUTSIDE["link of a schema"]


@pytest.mark.parametrize("change", OUTSIDE.values(), ids=OUTSIDE)
def test_nothing_outside_is_used(
    change: Callable[[Path, Path], None],
    table: Path,
    victim: Path,
    used: Used,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    change(table, victim)
    forget_manifests(monkeypatch)
    before, own = tree(victim), tree(table)
    path, where = str(table), "status = 'PENDING'"
    readers: list[Callable[[], Any]] = [
        lambda: query(path, where, engine=ENGINE),
        lambda: rewrite_index(
            path, rebuild=True, set={"file-index.bsi.columns": "id"}, engine=ENGINE
        ),
    ]
    if change is not OUTSIDE["link of a data file"]:  # which these do not read
        readers += [
            lambda: count(path, where, engine=ENGINE),
            lambda: delete(path, where, engine=ENGINE),
            lambda: explain(path, where, engine=ENGINE),
        ]
    if change.__qualname__.startswith(external_path.__name__):
        readers.append(lambda: pk.Table.at(path).files())
    used.folder = victim
    for reader in readers:
        with pytest.raises((OutsideError, CorruptFileError)) as error:
            reader()
        text = str(error.value)
        assert "outside the folders of the table" in text or "not a valid file name" in text
    try:
        found = [one for one in audit(path, engine=ENGINE) if one.severity == "error"]
    except OutsideError:
        assert change in OF_SCHEMAS  # then it cannot be opened
    else:
        assert any(
            "outside the folders of the table" in one.message
            or "not a valid file name" in one.message
            for one in found
        )
        repair(path, engine=ENGINE)
    try:
        cleaned = clean_orphans(path, ANY_AGE, dry_run=False)
    except (OutsideError, CorruptFileError):
        pass
    else:
        assert all(Path(one.path).resolve().is_relative_to(table) for one in cleaned)
    used.folder = None
    # pypaimon follows these before anybody knows of them.
    if change not in (*OF_SCHEMAS, OUTSIDE["link of a snapshot"]):
        assert used.found == []
    assert tree(victim) == before
    assert {file: data for file, data in tree(table).items() if file in own} == {
        file: data for file, data in own.items() if file.exists()
    }
    if change not in OF_SCHEMAS:
        inspect_table(path)  # which tells of what it cannot read


@pytest.mark.parametrize("place", ["bucket-7", "index"])
def test_links_that_nothing_needs_are_told_and_not_followed(
    place: str, tmp_path: Path, victim: Path, used: Used
) -> None:
    path = make(tmp_path, [rows(0, 12)], {**STATUS, **TO_FILES})
    rewrite_index(path, engine=ENGINE)
    target = victim / ("bucket-0" if place == "bucket-7" else place)
    Path(path, place).symlink_to(target)
    before = tree(victim)
    used.folder = victim
    assert ids_of(path) == list(range(12))
    [found] = audit(path, engine=ENGINE)
    assert (found.severity, found.check, found.file) == ("error", "path", f"{path}/{place}")
    assert found.message == f"leads to {target}, outside the folders of the table: {path}"
    assert clean_orphans(path, ANY_AGE, dry_run=False) == []
    assert used.found == []
    used.folder = None
    assert tree(victim) == before
    result = CliRunner().invoke(
        app, ["table", "clean-orphans", path, "--older-than", "0s", "--yes"]
    )
    assert result.output == f"{path}: no orphans\n"
    assert tree(victim) == before


def ids_of(path: str) -> list[int]:
    return sorted(query(path, engine=ENGINE)["id"].to_pylist())


def test_an_orphan_that_is_a_link_elsewhere_is_left(tmp_path: Path, victim: Path) -> None:
    path = make(tmp_path, [rows(0, 12)], STATUS)
    stray = Path(path, "bucket-0", "data-x.parquet.index")
    stray.symlink_to(victim / "bucket-0" / "mine.index")
    assert clean_orphans(path, ANY_AGE, dry_run=False) == []
    assert stray.is_symlink()


# What a table may use ---------------------------------------------------------------------------


def works(path: str, count: int, folder: Path | None = None) -> None:
    """The table can be asked, indexed, deleted from, audited and cleaned."""
    named = [] if folder is None else [str(folder)]
    number = rewrite_index(
        Table.at(path).with_external_paths(named), rebuild=True, engine=ENGINE
    ).rewritten
    assert number == len(files(path))
    assert ids_of(path) == list(range(count))
    index = Path(files(path)[0].index_files[0].removeprefix("file:"))
    assert folder is None or index.is_relative_to(folder)
    stray = Path(path, "index", "index-00000000-0000-0000-0000-000000000000-0")
    stray.parent.mkdir(exist_ok=True)
    stray.write_bytes(b"")
    delete(path, "id = 3", engine=ENGINE)
    assert ids_of(path) == [number for number in range(count) if number != 3]
    found = list(audit(path, deep=True, engine=ENGINE))
    assert [one for one in found if one.severity != "note"] == []
    opened = Table.at(path).with_external_paths(named)
    before = orphans(opened, ANY_AGE)
    assert stray.name in {Path(one.path).name for one in before}
    assert clean_orphans(opened, ANY_AGE, dry_run=False) == before
    assert not stray.exists()
    assert ids_of(path) == [number for number in range(count) if number != 3]
    assert list(audit(path, deep=True, engine=ENGINE)) == []


OPTIONS = {**STATUS, **TO_FILES, **VECTORS}


def test_a_table_that_is_reached_by_links(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = Path(make(tmp_path / "w", [rows(0, 12)], OPTIONS))
    linked(path, tmp_path / "elsewhere")
    works(str(path), 12)
    linked(tmp_path / "w", tmp_path / "w2")
    append(str(path), rows(12, 4))
    table = Table.at(f"file://{path}")
    assert count(table, "id >= 12", engine=ENGINE).count == 4
    monkeypatch.chdir(tmp_path)
    assert count("w/default.db/t", "id >= 12", engine=ENGINE).count == 4
    monkeypatch.chdir(path)
    assert count(".", "id >= 12", engine=ENGINE).count == 4


@pytest.mark.parametrize("folder", ["data", "some/where", "./data", "a/../data"])
def test_data_files_in_a_folder_of_the_table(folder: str, tmp_path: Path) -> None:
    options = {**OPTIONS, "data-file.path-directory": folder}
    works(make(tmp_path, [rows(0, 12)], options), 12)


def test_links_within_the_table(tmp_path: Path) -> None:
    path = Path(make(tmp_path, [rows(0, 12)], OPTIONS))
    linked(path / "bucket-0", path / "moved")
    works(str(path), 12)


@pytest.mark.parametrize("by_link", [False, True])
def test_external_paths_that_options_list(by_link: bool, tmp_path: Path) -> None:
    folder = tmp_path / "outside"
    folder.mkdir()
    path = make(tmp_path, [rows(0, 12)], {**OPTIONS, **external(folder)})
    if by_link:
        linked(folder, tmp_path / "moved")
    works(path, 12, folder)


def test_external_paths_that_options_listed_once(tmp_path: Path) -> None:
    """Data files stay there when the option is changed."""
    folder = tmp_path / "outside"
    path = make(tmp_path, [rows(0, 12)], {**OPTIONS, **external(folder)})
    delete(path, "id = 3", engine=ENGINE)
    document = json.loads(Path(path, "schema", "schema-0").read_text())
    document["id"] = 1
    for key in external(folder):
        del document["options"][key]
    Path(path, "schema", "schema-1").write_text(json.dumps(document))
    append(path, rows(12, 4))
    places = {file.path.startswith(path) for file in files(path)}
    assert places == {True, False}
    listed = pk.Table.at(path).files()["path"].to_pylist()
    assert sorted(listed) == sorted(file.path for file in files(path))
    wanted = [number for number in range(16) if number != 3]
    assert ids_of(path) == wanted
    assert ids_of(path) == wanted  # with what is remembered of the manifests
    opened = Table.at(path).with_external_paths([str(folder)])
    assert rewrite_index(opened, rebuild=True, engine=local_engine(2)).rewritten == 2
    assert [one for one in audit(path, engine=ENGINE) if one.severity == "error"] == []
    assert ids_of(path) == wanted


def test_an_external_path_that_other_tables_use_by_a_link_in_the_table(
    tmp_path: Path, victim: Path
) -> None:
    """Of whom its files are cannot be known, so that they are left."""
    path = make(tmp_path, [rows(0, 12)], {**STATUS, **external(victim)})
    Path(path, "bucket-7").symlink_to(victim / "bucket-0")
    before = tree(victim)
    for named in ([], [str(victim)]):
        opened = Table.at(path).with_external_paths(named)
        assert clean_orphans(opened, ANY_AGE, dry_run=False) == []
    assert [one for one in audit(path, engine=ENGINE) if one.severity == "error"] == []
    assert tree(victim) == before


@pytest.mark.parametrize("moment", ["after the list", "after the last check"])
@pytest.mark.parametrize("place", ["day=a", "day=a/bucket-0", "index", "manifest"])
def test_links_that_replace_folders_meanwhile(
    place: str, moment: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another table has files of the same names; none of them is deleted."""
    path = Path(make(tmp_path, [rows(0, 4, "a"), rows(4, 4, "b")], OPTIONS, ["day"]))
    for stray in (
        *(path / f"day={day}/bucket-0/data-x.parquet.index" for day in "ab"),
        *(path / folder / f"{folder}-{UUID}-0" for folder in ("index", "manifest")),
    ):
        stray.parent.mkdir(exist_ok=True)
        stray.write_bytes(b"")
    victim = Path(shutil.copytree(path, tmp_path / "victim"))
    before = tree(victim)

    def swap() -> None:
        if not (path / place).is_symlink():
            (path / place).rename(tmp_path / "away")
            (path / place).symlink_to(victim / place)

    def then(*_: Any) -> float:
        if moment == "after the list":
            swap()
        else:
            monkeypatch.setattr(Roots, "_place_to_change", then_swapped)
        return time.time()

    def then_swapped(roots: Roots, file: str) -> Any:
        found = place_to_change(roots, file)
        if f"/{place}/" in file:
            swap()
        return found

    place_to_change = Roots._place_to_change
    monkeypatch.setattr("paimon_ksy.table.audit.orphans._now", then)
    with pytest.raises(OrphansLeftError) as raised:
        clean_orphans(str(path), ANY_AGE, dry_run=False)
    assert tree(victim) == before
    assert [f"/{place}/" in orphan.path for orphan, _ in raised.value.failed] == [True]
    assert len(raised.value.deleted) == 3  # of other folders


def test_folders_are_resolved_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """There may be a million files."""
    path = make(tmp_path, [rows(0, 2) for _ in range(12)], STATUS)
    table = Table.at(path)
    asked: list[str] = []
    plain = os.path.islink

    def islink(path: Any) -> Any:
        asked.append(path)
        return plain(path)

    monkeypatch.setattr(os.path, "islink", islink)
    assert len(list(table.data_files.of(table.snapshot()))) == 12
    assert asked.count(f"{path}/bucket-0") == 1


def test_links_at_each_depth_are_followed(tmp_path: Path) -> None:
    """Some lead out of the table at a folder that others share, and some back into it."""
    own, other = tmp_path / "t", tmp_path / "other"
    for folder in (own / "a/b/c/d", other / "b/c/d"):
        folder.mkdir(parents=True)
    (own / "out").symlink_to(other)
    (own / "a/out").symlink_to(other / "b")
    (own / "a/b/out").symlink_to("../../out")
    (other / "back").symlink_to(own / "a")
    roots = Roots(str(own), str)
    names = ("a", "b", "c", "d", "out", "back", "..", ".")
    inside = 0
    for parts in product(names, repeat=4):
        place = f"{own}/{'/'.join(parts)}"
        is_inside = Path(os.path.realpath(place)).is_relative_to(own)
        inside += is_inside
        with contextlib.nullcontext() if is_inside else pytest.raises(OutsideError):
            roots.check(f"{place}/file")
    assert 0 < inside < len(names) ** 4


def test_a_path_of_very_many_folders(tmp_path: Path) -> None:
    with pytest.raises(OutsideError):
        Roots(str(tmp_path), str).check("/elsewhere/" + "a/" * 5000 + "file")


def test_schemas_are_read_once_for_what_is_outside(
    table: Path, victim: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """There may be a million files, all of them outside."""
    entries(table, lambda file: file.update(_EXTERNAL_PATH=f"file://{victim}/bucket-0/x.parquet"))
    asked: list[Schemas] = []
    plain = Schemas.ids

    def ids(of: Schemas) -> list[int]:
        asked.append(of)
        return plain(of)

    monkeypatch.setattr(Schemas, "ids", ids)
    found = [one for one in audit(str(table), engine=ENGINE) if one.check == "path"]
    assert len(found) == 1  # for all files of a folder
    assert len(asked) == 2  # also to check each of them


# The rule itself --------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["", ".", "..", "a/b", "/a", "../a", "a/", "a\0b"])
def test_names_that_no_file_has(name: str) -> None:
    with pytest.raises(CorruptFileError, match="manifest-1: it names the data file"):
        file_name(name, "data file", "manifest-1")


@pytest.mark.parametrize("name", ["a", "...", "..a", "a b", "a#b", "a%2Fb", "a:b", "ä"])
def test_names_of_files(name: str) -> None:
    assert file_name(name, "data file", "manifest-1") == name


STORE = Roots("s3://bucket/t", None)
STORE.allow({"data-file.external-paths": "oss://b/x, s3a://other/y/", "bucket": "1"})
STORE.allow({"global-index.external-path": "s3://indexes"})


@pytest.mark.parametrize(
    "path",
    [
        "s3://bucket/t/f",
        "s3://bucket//t/bucket-0/f",
        "s3a://bucket/t/bucket-0/f",
        "S3://bucket/t/..f",
        "oss://b/x/a/f",
        "s3://other/y/f",
        "s3://indexes/f",
    ],
)
def test_urls_of_a_table(path: str) -> None:
    for roots in (STORE, pickle.loads(pickle.dumps(STORE))):
        assert roots.check(path) == path
        roots.check_file(path)


@pytest.mark.parametrize(
    "path",
    [
        "s3://bucket/f",
        "s3://bucket/tt/f",
        "s3://bucket/t/../v/f",
        "s3://bucket/t?/../v/f",
        "s3://bucket2/t/f",
        "oss://bucket/t/f",
        "/bucket/t/f",
        "bucket/t/f",
        "file:///bucket/t/f",
        "oss://b/xx/f",
        "f",
    ],
)
def test_urls_outside_a_table(path: str) -> None:
    with pytest.raises(OutsideError, match="is outside the folders of the table: s3://bucket/t, "):
        STORE.check(path)


@pytest.mark.parametrize("path", ["s3://bucket/t/..", "s3://bucket/t/", "s3://bucket/t/a\0"])
def test_paths_that_no_file_has(path: str) -> None:
    with pytest.raises(CorruptFileError):
        STORE.check(path)


def test_links_behind_a_cache(table: Path, victim: Path, used: Used) -> None:
    linked(table / "bucket-0", victim / "linked")
    used.folder = victim
    catalog = {"warehouse": str(table.parents[1]), "local-cache.enabled": "true"}
    opened = Table.of_catalog(catalog, "default.t")
    assert not opened.storage.is_local
    with pytest.raises(OutsideError, match="leads to"):
        query(opened, "id = 1", engine=ENGINE)
    assert used.found == []


# Rows that are merged ----------------------------------------------------------------------------


@pytest.fixture
def keyed(tmp_path: Path) -> Path:
    """A table with a primary key, whose two files have to be merged."""
    options = {"bucket": "1"}
    data = [rows(0, 8), rows(4, 8)]
    return Path(make_table(tmp_path / "k", "t", data, options, primary_keys=["id"]))


@pytest.mark.parametrize(
    "change",
    [
        OUTSIDE["directory"],
        OUTSIDE["file name"],
        OUTSIDE["external path"],
        OUTSIDE["link of a bucket"],
        OUTSIDE["link of a data file"],
    ],
)
def test_nothing_from_outside_is_merged(
    change: Callable[[Path, Path], None], keyed: Path, victim: Path, used: Used
) -> None:
    change(keyed, victim)
    used.folder = victim
    for ask in (query, count):
        with pytest.raises((OutsideError, CorruptFileError)):
            ask(str(keyed), "id >= 0", engine=ENGINE)
    assert used.found == []


def test_what_is_inside_is_merged(keyed: Path) -> None:
    linked(keyed / "bucket-0", keyed / "moved")
    linked(keyed, keyed.with_name("elsewhere"))
    assert ids_of(str(keyed)) == list(range(12))
    assert [one for one in audit(str(keyed), engine=ENGINE) if one.severity == "error"] == []


@pytest.mark.parametrize("option", ["blob-descriptor-field", "blob.stored-descriptor-fields"])
def test_values_that_name_files_are_not_followed(
    option: str, tmp_path: Path, victim: Path, used: Used
) -> None:
    uri = f"file://{victim}/bucket-0/mine.index"
    value = BlobDescriptor(uri, 0, 4).serialize()
    data = pa.table({"id": [1, 2], "b": pa.array([value, None], pa.large_binary())})
    options = {"row-tracking.enabled": "true", "data-evolution.enabled": "true", option: "b"}
    path = make_table(tmp_path / "blobs", "t", [data], options)
    used.folder = victim
    with pytest.raises(UnsupportedError, match="column 'b' contains references to files outside"):
        query(path, engine=ENGINE)
    assert used.found == []
    assert query(path, columns=["id"], engine=ENGINE).to_pylist() == [{"id": 1}, {"id": 2}]


# Branches ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("place", ["branch", "branch/branch-b", "branch/branch-b/snapshot", "tag"])
def test_branches_and_tags_that_are_elsewhere(
    place: str, table: Path, victim: Path, used: Used
) -> None:
    opened = Table.at(table)
    opened.pypaimon.create_tag("kept")
    opened.pypaimon.branch_manager().create_branch("b", "kept")
    linked(table / place, victim / "linked")
    before = tree(victim)
    used.folder = victim
    with pytest.raises(OutsideError, match="leads to"):
        if place == "tag":
            query(str(table), tag="kept", engine=ENGINE)
        else:
            query(Table.at(table).branch("b"), engine=ENGINE)
    found = [one for one in audit(str(table), engine=ENGINE) if one.check == "path"]
    assert [one.severity for one in found] == ["error"]
    with pytest.raises(OutsideError, match="leads to"):
        clean_orphans(str(table), ANY_AGE, dry_run=False)
    assert used.found == []
    used.folder = None
    assert tree(victim) == before


def test_what_is_said_of_paths(table: Path, victim: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    entries(table, lambda file: file.update(_EXTERNAL_PATH=f"file://{victim}/bucket-0/x.parquet"))
    forget_manifests(monkeypatch)
    monkeypatch.chdir(table.parent)
    result = CliRunner().invoke(app, ["table", "count", "t", "--where", "id = 1"])
    assert result.exit_code == 1
    assert result.output == (
        f"paimon-ksy: file://{victim}/bucket-0/x.parquet: is outside the folders of the table: t; "
        "if the table should use that folder, add it to the table's option "
        "data-file.external-paths; if not, restore the metadata from a backup, or remove the link\n"
    )
    entries(table, lambda file: file.update(_FILE_NAME="../x"))
    [found] = {
        (one.message, one.remedy)
        for one in audit("t", engine=ENGINE)
        if one.severity == "error" and "../x" in one.message
    }
    assert found == (
        "it names the data file '../x', which is not a valid file name",
        "restore the file from a backup; to see which snapshots can be read, run "
        "`paimon-ksy table inspect t`",
    )
