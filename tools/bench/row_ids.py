"""Tables with row ids and global indexes: look-ups and audits, beside those of other readers."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from copy import copy
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.dataset as ds

from paimon_ksy.table.io.cache import clear_caches
from paimon_ksy.table.query.read import query
from paimon_ksy.table.store import Table
from tools.bench.harness import Figure, bytes_read, medians, ratio
from tools.bench.jobs import audited
from tools.tables import append, build_index, by_rust, make_table

EVOLVES = {"row-tracking.enabled": "true", "data-evolution.enabled": "true"}
INDEXES, KEY = 100, 5000
"""Global indexes of the table to audit, and the bytes of a key in them: 100 MB for 20,000 rows."""


def measured_row_ids(folder: Path, rows: int, rounds: int) -> Iterator[Figure]:
    """Look-ups of one row in a table of 5 files, with and without a BTree; then audits of both
    their files and the rows in them. An audit that reads no rows is also measured on 100 indexes.
    """
    size = rows // 5
    commits = (pa.table({"id": range(at, at + size)}) for at in range(0, size * 5, size))
    path = make_table(folder, "row_ids", commits, EVOLVES)
    paths = [file.path for file in Table.at(path).data_files.of(Table.at(path).snapshot())]
    yield from _looked_up(path, "no index", rows, rounds, "<= pypaimon", 1.0)
    build_index(path, "id", "btree")
    yield from _looked_up(path, "BTree", rows, rounds, "<= 0.5 pypaimon", 0.5)
    dataset: Any = ds.dataset(paths, format="parquet")
    calls: list[Callable[[], object]] = [partial(audited, path, deep=True), dataset.to_table]
    deep, reading = medians(calls, rounds)
    yield ratio("audit --deep of a BTree, time to only reading its column", deep, reading, 1.5)
    large = _with_indexes(folder, min(20_000, rows // 50))
    megabytes = sum(file.stat().st_size for file in Path(large, "index").iterdir()) / 1e6
    [shallow] = medians([partial(audited, large, deep=False)], rounds)
    read = (bytes_read(partial(audited, large, deep=False)) or 0) / 1e6
    yield Figure(
        f"audit of {INDEXES} global indexes, {megabytes:,.0f} MB",
        f"{shallow:.0f} ms, {read:.1f} MB read",
        "<= 2,000 ms",
        shallow <= 2000,
    )


def _looked_up(
    path: str, what: str, rows: int, rounds: int, target: str, most: float
) -> Iterator[Figure]:
    """Look up one row: ours, pypaimon's and the Rust crate's.

    Ours is judged with its caches cleared, and also measured with what the look-up before it read.
    The Rust crate's target is only with an index: 1.5 of its time.
    """
    wanted = rows // 3

    def ours() -> None:
        _found(query(Table.at(path), f"id = {wanted}")["id"], wanted)

    def ours_at_first() -> None:
        clear_caches()
        ours()

    calls: list[Callable[[], object]] = [
        ours_at_first,
        ours,
        lambda: _found(_by_pypaimon(path, wanted), wanted),
        lambda: _found(by_rust(path, f"id = {wanted}")["id"], wanted),
    ]
    first, repeated, pypaimon, rust = medians(calls, rounds)
    yield Figure(
        f"look-up of a row by row ids, {what}: ours (repeated), pypaimon, pypaimon-rust",
        f"{first:.1f} ms ({repeated:.1f}), {pypaimon:.1f} ms, {rust:.1f} ms",
        target if most == 1 else f"{target}, <= 1.5 pypaimon-rust",
        first <= most * pypaimon and (most == 1 or first <= 1.5 * rust),
    )


def _by_pypaimon(path: str, wanted: int) -> pa.ChunkedArray:
    builder = Table.at(path).pypaimon.new_read_builder()
    builder = builder.with_filter(builder.new_predicate_builder().equal("id", wanted))
    return builder.new_read().to_arrow(builder.new_scan().plan().splits())["id"]


def _found(ids: pa.ChunkedArray, wanted: int) -> None:
    if ids.to_pylist() != [wanted]:
        sys.exit(f"a look-up of {wanted} returned {ids.to_pylist()[:10]}")


def _with_indexes(folder: Path, rows: int) -> str:
    """A table of equal commits, each with an index of its own: all are links to one file."""
    from pypaimon.write.commit_message import CommitMessage

    texts = [f"{number:0{KEY}}" for number in range(rows)]
    data = pa.table({"key": texts})
    path = make_table(folder, "indexes", [data], EVOLVES)
    build_index(path, "key", "btree")
    table = Table.at(path).pypaimon
    for _ in range(INDEXES - 1):
        append(table, data)
    snapshot = table.snapshot_manager().get_latest_snapshot()
    from pypaimon.manifest.index_manifest_file import IndexManifestFile

    [first] = IndexManifestFile(table).read(snapshot.index_manifest)
    entries = []
    for number in range(1, INDEXES):
        entry = copy(first)
        entry.index_file = file = copy(first.index_file)
        file.global_index_meta = covered = copy(file.global_index_meta)
        file.file_name = file.file_name.replace("index-", f"index-{number:02}", 1)
        covered.row_range_start += number * rows
        covered.row_range_end += number * rows
        place = Path(path, "index")
        os.link(place / first.index_file.file_name, place / file.file_name)
        entries.append(entry)
    commit = table.new_batch_write_builder().new_commit()
    commit.commit([CommitMessage((), 0, [], index_adds=entries)])
    commit.close()
    return path
