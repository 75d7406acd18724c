"""The pass over manifests: how often each is read, and which files are live, or needed by tags."""

from __future__ import annotations

import itertools
import json
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kit_support.examples import examples
from paimon_ksy.table.audit import audit as audits
from paimon_ksy.table.audit import tasks
from paimon_ksy.table.audit.audit import audit
from paimon_ksy.table.engine import local_engine
from paimon_ksy.table.index.rewrite import rewrite_index
from paimon_ksy.table.model.files import DataFile, ManifestFile
from paimon_ksy.table.store import Table
from paimon_ksy.table.store.manifests import Manifests
from tests.support.audits import flip, found, indexed
from tests.support.live_files import CHANGES, Change, check_live, given_changes
from tests.support.manifests import ENTRIES, LISTS, avro, entry, listed
from tests.support.tables import make, rows
from tools.tables import merge_manifests


def test_each_manifest_is_read_a_few_times(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """However many tags have it."""
    path = indexed(tmp_path, parts=4)
    for number in range(6):
        rewrite_index(path, engine=local_engine(1), rebuild=True)
        Table.at(path).pypaimon.create_tag(f"t{number}")
        if number == 3:
            merge_manifests(Table.at(path))
    read: Counter[str] = Counter()
    stored = Manifests.stored

    def counted(self: Manifests, manifests: Sequence[ManifestFile]) -> Any:
        read.update(manifest.file_name for manifest in manifests)
        return stored(self, manifests)

    monkeypatch.setattr(Manifests, "stored", counted)
    for snapshots in Path(path, "snapshot").glob("snapshot-[2-9]"):
        snapshots.unlink()  # so that tags alone have them
    findings = found(path)
    assert {one.check for one in findings} <= {"snapshot"}
    # For DELETE entries, for all entries; the orphan scan reads nothing.
    assert len(read) > 8 and set(read.values()) <= {1, 2}


@pytest.mark.parametrize("broken", [False, True])
def test_manifests_that_are_read_together(
    broken: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is wrong with one of them, and with files of the others, is found as of each alone."""
    path = make(tmp_path, [rows(number, 3) for number in range(8)])
    table = Table.at(path)
    manifests = table.manifests.of(table.snapshot())
    data_files = list(table.data_files.of(table.snapshot()))
    for file in data_files[::3]:
        Path(file.path).unlink()
    if broken:
        flip(Path(path, "manifest", manifests[4].file_name), -20)
    many = found(path)
    monkeypatch.setattr(audits, "_NEAR", (1, 1))
    assert many == found(path)
    missing = {one.file.rpartition("/")[2] for one in many if one.check == "data-file"}
    assert missing == {file.name for file in data_files[::3]} and len(missing) == 3
    unread = [one.file.rpartition("/")[2] for one in many if one.check == "manifest"]
    assert unread == [manifests[4].file_name] * broken


NUMBERS = itertools.count()


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A table without snapshots."""
    return make(tmp_path_factory.mktemp("manifests"), [])


def write(path: str, changes: Sequence[Sequence[Change]], tag: int | None = None) -> None:
    """Give the table a snapshot with these manifests, and a tag with the first few."""
    folder = Path(path, "manifest")
    folder.mkdir(exist_ok=True)
    for file in folder.iterdir():
        file.unlink()
    records = []
    for number, part in enumerate(changes):
        entries = [
            entry(kind, bucket=bucket, _FILE_NAME=name, _LEVEL=level)
            for kind, name, level, bucket in part
        ]
        (folder / f"m{number}").write_bytes(avro(ENTRIES, entries))
        deleted = sum(kind for kind, *_ in part)
        counts = {"_NUM_ADDED_FILES": len(part) - deleted, "_NUM_DELETED_FILES": deleted}
        records.append(listed(f"m{number}", **counts))
    number = next(NUMBERS)  # readers remember lists by their names, which Paimon never uses again
    for name, some in (("all", records), ("few", records[:tag]), ("none", [])):
        (folder / f"{name}-{number}").write_bytes(avro(LISTS, some))
    for file in (*Path(path).glob("tag/*"), *Path(path).glob("snapshot/*")):
        file.unlink()
    snapshot("all", number, Path(path, "snapshot", "snapshot-1"))
    if tag is not None:
        snapshot("few", number, Path(path, "tag", "tag-kept"))


def snapshot(base: str, number: int, file: Path) -> None:
    document = {
        **{"version": 3, "id": 1, "schemaId": 0, "baseManifestList": f"{base}-{number}"},
        **{"deltaManifestList": f"none-{number}", "changelogManifestList": None},
        **{"commitUser": "u", "commitIdentifier": 1, "commitKind": "APPEND"},
        **{"timeMillis": 1, "totalRecordCount": 0, "deltaRecordCount": 0},
    }
    file.parent.mkdir(exist_ok=True)
    file.write_text(json.dumps(document))


def live_in(path: str) -> tuple[list[Any], list[Any], list[tuple[str, str]]]:
    """The files that are checked, others that a tag needs, and what manifests contradict."""
    checked: list[DataFile] = []
    needed: list[DataFile] = []

    def check_file(job: Any, file: DataFile, latest: Any, result: Any) -> None:
        checked.append(file)

    def references(file: DataFile, named_by: Any) -> Iterator[Any]:
        needed.append(file)
        return iter(())

    with (
        patch.object(tasks, "check_file", check_file),
        patch.object(tasks, "_references", references),
    ):
        findings = list(audit(path, engine=local_engine(1)))
    wrong = [(one.file, one.message) for one in findings if one.check == "manifest"]
    first, second = (
        [(file.name, file.level, file.bucket) for file in files] for files in (checked, needed)
    )
    return first, second, wrong


def test_live_files_and_contradictions(path: str) -> None:
    @examples(30)
    @given_changes
    def check(changes: list[list[Change]]) -> None:
        write(path, changes)
        live, _, wrong = live_in(path)
        check_live(changes, live, wrong)

    check()


def net(changes: list[list[Change]]) -> Counter[Any]:
    """How often each file is live."""
    counts: Counter[Any] = Counter()
    for kind, *identity in (change for part in changes for change in part):
        counts[tuple(identity)] += -1 if kind else 1
    return +counts


def test_live_files_of_a_tag(path: str) -> None:
    """Whose manifests the latest snapshot has, too, with other DELETE entries."""

    @examples(30)
    @given(st.lists(st.lists(CHANGES, max_size=4), max_size=4), st.integers(0, 3))
    def check(changes: list[list[Change]], tag: int) -> None:
        write(path, changes, tag)
        live, needed, _ = live_in(path)
        assert Counter(live) == net(changes)
        of_tag = {*net(changes[:tag])}
        assert of_tag - {*live} <= {*needed} <= of_tag

    check()
