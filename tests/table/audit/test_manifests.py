"""Manifests as tasks of an audit: how often each is read, and what a slice has."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from paimon_ksy.table.audit.manifests import Slice, Use
from paimon_ksy.table.engine import local_engine
from paimon_ksy.table.index.rewrite import rewrite_index
from paimon_ksy.table.model.files import ManifestFile
from paimon_ksy.table.store import Table
from paimon_ksy.table.store.manifests import Manifests
from tests.support.audits import found, indexed
from tools.tables import merge_manifests


def test_each_manifest_is_read_a_few_times(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """However many tags have it."""
    path = indexed(tmp_path, parts=4)
    for number in range(6):
        rewrite_index(path, engine=local_engine(1), force=True)
        Table.at(path).pypaimon.create_tag(f"t{number}")
        if number == 3:
            merge_manifests(Table.at(path))
    read: Counter[str] = Counter()
    stored = Manifests.stored

    def counted(self: Manifests, manifest: ManifestFile) -> Any:
        read[manifest.file_name] += 1
        return stored(self, manifest)

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
