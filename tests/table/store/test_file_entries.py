"""Entries of some files are found by digests."""

from pathlib import Path
from typing import Any

import pyarrow.compute as pc

from paimon_ksy.table.manifests.entries import ADD
from paimon_ksy.table.store import NewIndex, Table, commit_indexes
from paimon_ksy.table.store.file_entries import deleted_digests, digests, take_entries
from tests.support.golden_tables import golden_table


def test_entries_come_in_the_order_of_the_manifest(tmp_path: Path) -> None:
    table = Table.at(golden_table("append_dv32", tmp_path))
    [first, *_] = table.manifests.of(table.snapshot())
    every = [file.digest for file in table.files(table.snapshot())]
    commit_indexes(table, {digest: NewIndex(embedded=b"index") for digest in every})
    snapshot: Any = table.snapshot()
    [manifest] = table.manifests.of_list(snapshot.delta_manifest_list)
    [(entries, _)] = table.manifests([manifest])
    added = entries.filter(pc.equal(entries.column("_KIND"), ADD))
    partitions = table.data_files.partitions
    every_new = digests(added, partitions.numbers(added.column("_PARTITION")), partitions)
    assert len(every_new) == len(every) > 2
    taken: list[Any] = []
    take_entries(table, manifest, reversed(every_new[1:]), lambda *pair: taken.append(pair))
    names = added.column("_FILE_NAME").to_pylist()[1:]
    assert [key[3] for key, _ in taken] == names
    assert [(entry["_KIND"], entry["_FILE"]["_FILE_NAME"]) for _, entry in taken] == [
        (ADD, name) for name in names
    ]
    [gone] = deleted_digests(table, [manifest])
    assert sorted(gone) == sorted(every)
    assert list(deleted_digests(table, [first])) == []
