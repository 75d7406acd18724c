"""Manifests as tasks of an audit: how often each is read, and what a slice has."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paimon_ksy.table.audit import audit as audits
from paimon_ksy.table.audit.manifests import Slice, Use
from paimon_ksy.table.audit.views import together
from paimon_ksy.table.engine import local_engine
from paimon_ksy.table.index.rewrite import rewrite_index
from paimon_ksy.table.model.files import ManifestFile
from paimon_ksy.table.store import Table
from paimon_ksy.table.store.manifests import Manifests
from tests.support.audits import flip, found, indexed
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


def test_slices_of_a_manifest_have_all_of_its_entries(tmp_path: Path) -> None:
    table = Table.at(indexed(tmp_path, parts=4))
    manifest = max(table.manifests.of(table.snapshot()), key=lambda one: one.num_added_files)
    whole = Slice(manifest, (Use("snapshot", 1, "all"),))
    count = manifest.num_added_files + manifest.num_deleted_files
    assert whole.num_entries == count > 1
    parts = [Slice(manifest, whole.uses, start, start + 1) for start in range(count)]
    assert sum(part.num_entries for part in parts) == count


@pytest.mark.parametrize("broken", [False, True])
def test_manifests_that_are_read_together(
    broken: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is wrong with one of them, and with files of the others, is found as of each alone."""
    path = make(tmp_path, [rows(number, 3) for number in range(8)])
    table = Table.at(path)
    manifests = table.manifests.of(table.snapshot())
    data_files = list(table.files(table.snapshot()))
    for file in data_files[::3]:
        Path(file.path).unlink()
    if broken:
        flip(Path(path, "manifest", manifests[4].file_name), -20)
    many = found(path)
    monkeypatch.setattr(audits, "_LEAST_SECONDS", 0)
    assert many == found(path)
    missing = {one.file.rpartition("/")[2] for one in many if one.check == "data-file"}
    assert missing == {file.name for file in data_files[::3]} and len(missing) == 3
    unread = [one.file.rpartition("/")[2] for one in many if one.check == "manifest"]
    assert unread == [manifests[4].file_name] * broken


@given(st.lists(st.integers(0, 9), max_size=12), st.integers(1, 8))
def test_tasks_have_each_entry_once(counts: list[int], most: int) -> None:
    manifests = [
        ManifestFile(f"m{number}", 1, count, 0, 0, (), b"", b"", ())
        for number, count in enumerate(counts)
    ]
    every = list(together([(manifest, ()) for manifest in manifests], most))
    assert all(sum(part.num_entries for part in parts) <= most for parts in every)
    assert all(part.is_whole for parts in every if len(parts) > 1 for part in parts)
    seen = [
        (part.manifest.file_name, at)
        for parts in every
        for part in parts
        for at in range(part.start, part.start + part.num_entries)
    ]
    assert seen == [
        (f"m{number}", at) for number, count in enumerate(counts) for at in range(count)
    ]
    assert {part.manifest.file_name for parts in every for part in parts} == {
        manifest.file_name for manifest in manifests
    }
