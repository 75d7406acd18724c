"""pypaimon's entries of some files are those that it reads itself, found by digests."""

from pathlib import Path
from typing import Any

import pyarrow.compute as pc
import pytest
from pypaimon.manifest import manifest_file_manager
from pypaimon.manifest.manifest_file_manager import ManifestFileManager
from pypaimon.manifest.schema.data_file_meta import DataFileMeta

from paimon_ksy.table.manifests.entries import ADD
from paimon_ksy.table.store import NewIndex, Table, commit_indexes
from paimon_ksy.table.store.file_entries import (
    deleted_digests,
    digests,
    here,
    of_live,
    take_entries,
)
from tests.support.golden_tables import golden_table, golden_table_names
from tools.tables import numbered


@pytest.mark.parametrize("name", golden_table_names())
def test_each_file_is_found_by_its_digest(name: str, tmp_path: Path) -> None:
    table = Table.at(golden_table(name, tmp_path))
    files = {file.digest: file for file in table.files(table.snapshot())}
    found: dict[bytes, Any] = {}
    for manifest, live in of_live(table, table.manifests.of(table.snapshot()), numbered, here):
        read = ManifestFileManager(table.pypaimon).read(manifest.file_name, drop_stats=False)
        for digest in live:
            taken: list[Any] = []
            take_entries(table, manifest, [digest], lambda *pair, taken=taken: taken.append(pair))
            [(key, found[digest])] = taken
            assert key == files[digest].key
            assert found[digest].kind == ADD
            assert plain(found[digest]) in map(plain, read)
    assert found.keys() == files.keys() != set()
    for digest, file in files.items():
        meta = found[digest].file
        assert (meta.file_name, meta.row_count) == (file.name, file.num_rows)
        assert tuple(meta.extra_files or ()) == file.extra_files


def plain(entry: Any) -> str:
    """Return all of an entry, with the bytes of its statistics."""
    file = entry.file
    bounds = [
        row.data
        for stats in (file.key_stats, file.value_stats)
        for row in (stats.min_values, stats.max_values)
    ]
    values = {k: v for k, v in vars(file).items() if k not in ("key_stats", "value_stats")}
    keys = [values.pop(name).values for name in ("min_key", "max_key")]
    place = entry.kind, entry.partition.values, entry.bucket, entry.total_buckets
    return repr((place, values, keys, bounds, file.value_stats.null_counts))


def test_entries_come_in_the_order_of_the_manifest_and_no_other_is_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = Table.at(golden_table("append_dv32", tmp_path))
    [first, *_] = table.manifests.of(table.snapshot())
    every = [file.digest for file in table.files(table.snapshot())]
    commit_indexes(table, {digest: NewIndex(embedded=b"index") for digest in every})
    snapshot: Any = table.snapshot()
    [manifest] = table.manifests.of_list(snapshot.delta_manifest_list)
    [(entries, _)] = table.manifests.columns([manifest])
    added = entries.filter(pc.equal(entries.column("_KIND"), ADD))
    partitions = table.data_files.partitions
    wanted = digests(added, partitions.numbers(added.column("_PARTITION")), partitions)
    assert len(wanted) == len(every) > 2
    made: list[Any] = []

    def counted(**fields: Any) -> DataFileMeta:
        made.append(DataFileMeta(**fields))
        return made[-1]

    monkeypatch.setattr(manifest_file_manager, "DataFileMeta", counted)
    taken: list[Any] = []
    take_entries(table, manifest, reversed(wanted[1:]), lambda key, entry: taken.append(key[3]))
    assert len(made) == len(wanted) - 1
    assert taken == added.column("_FILE_NAME").to_pylist()[1:]
    [gone] = deleted_digests(table, [manifest], here)
    assert sorted(gone) == sorted(every)
    assert list(deleted_digests(table, [first], here)) == []
