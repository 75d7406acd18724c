"""Tables with the newer kinds of files, written by pypaimon and by the Rust crate (pypaimon-rust).

Neither writes all kinds of index files, so `list_index_file` adds some to the index manifest.
"""

from __future__ import annotations

import datetime
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa

from paimon_ksy.file_index.registry import INDEX_TYPES
from paimon_ksy.table.store import Table
from paimon_ksy.types.parse import parse_type
from tools.tables import append, build_index, make_table, rust_context

Step = Callable[[str], Any]
"""A step that changes the table in a folder, such as building an index."""

EVOLUTION = {"row-tracking.enabled": "true", "data-evolution.enabled": "true"}
UUID = f"{'1' * 8}-0000-0000-0000-{'1' * 12}"


def rows(start: int, count: int) -> pa.Table:
    """Return `count` rows of five columns, with ids from `start`."""
    ids = range(start, start + count)
    return pa.table(
        {
            "id": pa.array(ids, pa.int64()),
            "name": [None if i % 50 == 0 else f"n{i % 37:03}" for i in ids],
            "amount": [i % 100 / 4 for i in ids],
            "day": [datetime.date(2024, 1, 1 + i % 4) for i in ids],
            "note": [f"note {i} of the table" for i in ids],
        }
    )


_NUMBERS = [[float(i * k % 11) for k in range(16)] for i in range(200)]
DATA: Mapping[str, pa.Array] = {
    "lists": pa.array(_NUMBERS, pa.list_(pa.float32())),
    "vectors": pa.array(_NUMBERS, pa.list_(pa.float32(), 16)),
    "tags": pa.array([[f"a{i % 7}", "b"] for i in range(200)], pa.list_(pa.string())),
    "blobs": pa.array([bytes([i]) * i or None for i in range(200)], pa.large_binary()),
}
"""The values of the column `x`; other tables have `rows`."""


def by_pypaimon(column: str, index_type: str, **options: str) -> Step:
    """Return a step in which pypaimon builds a global index."""

    def build(path: str) -> None:
        table = Table.at(path).pypaimon
        assert table.create_global_index(column, index_type=index_type, options=options)

    return build


def by_rust(column: str, index_type: str, options: str = "") -> Step:
    """Return a step in which the Rust crate builds a global index."""
    return lambda path: build_index(path, column, index_type, options)


def _more(path: str) -> None:
    append(Table.at(path).pypaimon, rows(2000, 500))


def commit_messages(path: str, messages: Any) -> None:
    commit = Table.at(path).pypaimon.new_batch_write_builder().new_commit()
    commit.commit(messages)
    commit.close()


def _update(path: str) -> None:
    changed = pa.table(
        {"_ROW_ID": pa.array([1, 2, 1500], pa.int64()), "name": ["new", "new", None]}
    )
    update = Table.at(path).pypaimon.new_batch_write_builder().new_update()
    commit_messages(path, update.with_update_type(["name"]).update_by_arrow_with_row_id(changed))


def _delete(path: str) -> None:
    table = Table.at(path).pypaimon
    where = table.new_read_builder().new_predicate_builder().less_than("id", 10)
    commit_messages(path, table.new_batch_write_builder().new_update().delete_by_predicate(where))


def list_index_file(
    path: str,
    index_type: str,
    data: bytes,
    name: str,
    *,
    folder: Path | None = None,
    metadata: bytes | None = b"{}",
    count: int | None = None,
) -> Path:
    """Add a file to a table's index manifest, of a kind that nothing installed writes.

    Args:
        path: The table.
        index_type: `HASH` for a bucket index, or the type of a global index.
        data: The bytes of the file.
        name: The name of the file.
        folder: The folder of the file, if it is elsewhere.
        metadata: The metadata of a global index; those of Paimon 1.4 have none.
        count: The number of rows of a global index; by default, those of the table.
    """
    from pypaimon.globalindex.global_index_meta import GlobalIndexMeta
    from pypaimon.index.index_file_meta import IndexFileMeta
    from pypaimon.manifest.index_manifest_entry import IndexManifestEntry
    from pypaimon.table.row.generic_row import GenericRow
    from pypaimon.write.commit_message import CommitMessage

    file = (folder or Path(path, "index")) / name
    file.parent.mkdir(exist_ok=True)
    file.write_bytes(data)
    snapshot = Table.at(path).snapshot()
    count = count or (snapshot.next_row_id if snapshot else None) or 4
    meta = IndexFileMeta(index_type, name, len(data), count)
    if index_type != "HASH":
        meta.global_index_meta = GlobalIndexMeta(0, count - 1, 0, None, metadata)
        meta.external_path = None if folder is None else f"file:{file}"
    entry = IndexManifestEntry(0, GenericRow([], []), 0, meta)
    commit_messages(path, [CommitMessage((), 0, [], index_adds=[entry])])
    return file


def _listed(index_type: str) -> Step:
    name = f"{index_type}-global-index-{UUID}.index"
    return lambda path: list_index_file(path, index_type, b"\1 some bytes", name)


def _of_1_4(path: str) -> None:
    """List a bitmap index of the ids as Paimon 1.4 wrote them, which nothing installed does."""
    kind, ids = parse_type("BIGINT"), rows(0, 2000)["id"]
    body = INDEX_TYPES["bitmap"].new_builder(kind, {}).build(ids)
    name = f"bitmap-global-index-{UUID}.index"
    list_index_file(path, "bitmap", b"".join(body), name, metadata=None)


def _of_primary_key(path: str) -> None:
    """List a BTree index that the Rust crate built for another table."""
    other = Table.at(newer_table(Path(path).parents[1], "rust_btree"))
    [file] = other.index_manifests.of(other.snapshot())
    assert file.global_index is not None
    data = Path(other.paths.index_file(file)).read_bytes()
    metadata = file.global_index.index_meta
    list_index_file(path, "btree", data, f"index-{UUID}-0", metadata=metadata, count=2000)


@dataclass(frozen=True)
class NewerTable:
    """How to make a table: the kind of its newer files, its options, rows and steps.

    If `rust`, the Rust crate writes the rows. `kind` is "" if it has only known kinds of files.
    """

    kind: str = ""
    options: Mapping[str, str] | None = None
    data: str = ""
    steps: tuple[Step, ...] = ()
    keys: tuple[str, ...] = ()
    partitions: tuple[str, ...] = ()
    rust: bool = False


def _indexed(kind: str, *steps: Step, **rest: Any) -> NewerTable:
    return NewerTable(kind, steps=steps, **rest)


VECTOR_INDEXES = ("ivf-flat", "ivf-pq", "ivf-sq", "ivf-rq", "diskann")
_IGNORE = {**EVOLUTION, "global-index.column-update-action": "IGNORE"}
_DELETING = {**EVOLUTION, "deletion-vectors.enabled": "true"}
_DESCRIPTORS = {**EVOLUTION, "blob-as-descriptor": "true"}
_VECTOR_FILES = {**EVOLUTION, "vector-field": "x", "vector.file.format": "parquet"}
_ROW_SIDECAR = {**EVOLUTION, "data-evolution.row-sidecar.enabled": "true"}
_BTREE = by_pypaimon("name", "btree")
_BLOOM = by_pypaimon("name", "btree", **{"btree-index.bloom-filter.enabled": "true"})
_SMALL = by_pypaimon("name", "btree", **{"btree-index.block-size": "1kb"})
_FILES = by_pypaimon("id", "btree", **{"sorted-index.records-per-file": "300"})

TABLES: Mapping[str, NewerTable] = {
    "row_tracking": NewerTable(options={"row-tracking.enabled": "true"}),
    "evolution": NewerTable(steps=(_update,)),
    "evolution_orc": NewerTable(options={**EVOLUTION, "file.format": "orc"}, steps=(_update,)),
    "evolution_vectors": NewerTable("vectors", _DELETING, steps=(_delete,)),
    "btree": _indexed("btree", _BTREE),
    "btree_small_blocks": _indexed("btree", _SMALL),
    "btree_bloom": _indexed("btree", _BLOOM),
    "btree_files": _indexed("btree", _FILES),
    "btree_partial": _indexed("btree", _BTREE, _more),
    "btree_stale": _indexed("btree", _BTREE, _update, options=_IGNORE),
    "btree_partitioned": _indexed("btree", _BTREE, partitions=("day",)),
    "rust_btree": _indexed("btree", by_rust("id", "btree")),
    "btree_2": _indexed("btree", by_rust("id", "btree", "btree-index.file-version=2")),
    "btree_zstd": _indexed("btree", by_rust("name", "btree", "btree-index.compression=zstd")),
    "composite": _indexed("btree", by_rust("id,name", "btree")),
    "bitmap": _indexed("bitmap", by_pypaimon("name", "bitmap")),
    "bitmap_lz4": _indexed("bitmap", by_rust("name", "bitmap", "bitmap-index.compression=lz4")),
    "bitmap_1_4": _indexed("old-bitmap", _of_1_4),
    "multivalue": _indexed("bitmap", by_rust("x", "multivalue"), data="tags"),
    "fm": _indexed("fm", by_rust("note", "fm")),
    "full_text": _indexed("full-text", by_rust("note", "full-text")),
    **{
        kind: _indexed(kind, by_rust("x", kind, f"{kind}.dimension=16"), data="lists")
        for kind in VECTOR_INDEXES
    },
    "lumina": _indexed("lumina", _listed("lumina")),
    "lucene": _indexed("es-index", _listed("es-index")),
    "of_later": _indexed("unknown", _listed("of-later")),
    "primary_key": NewerTable(options={"bucket": "2"}, keys=("id",)),
    "primary_key_btree": _indexed("btree", _of_primary_key, options={"bucket": "1"}, keys=("id",)),
    "postpone": NewerTable(options={"bucket": "-2"}, keys=("id",)),
    "blobs": NewerTable("blob", data="blobs"),
    "blob_descriptors": NewerTable("blob", _DESCRIPTORS, "blobs"),
    "vector_column": NewerTable(data="vectors"),
    "vector_files": NewerTable(options=_VECTOR_FILES, data="vectors"),
    "row_sidecar": NewerTable("row", _ROW_SIDECAR),
    "row": NewerTable("row", {"file.format": "row"}),
    "manifest_sidecar": NewerTable("sidecar", {"manifest.sidecar.enabled": "true"}, rust=True),
    "mosaic": NewerTable("mosaic", {"file.format": "mosaic"}, rust=True),
}


def newer_table(folder: Path, name: str) -> str:
    """Make a table of `TABLES` in a warehouse, with two commits of its rows; return its path."""
    kind, path = TABLES[name], f"{folder}/default.db/{name}"
    data = pa.table({"id": range(200), "x": DATA[kind.data]}) if kind.data else rows(0, 2000)
    halves = data[: len(data) // 2], data[len(data) // 2 :]
    commits = [data[:0]] if kind.rust else halves
    options = EVOLUTION if kind.options is None else kind.options
    keys: Any = {"primary_keys": kind.keys, "partition_keys": kind.partitions}
    make_table(folder, name, commits, options, **keys)
    for number, half in enumerate(halves if kind.rust else ()):
        context = rust_context(path)
        context.register_batch(f"rows_{number}", half.combine_chunks().to_batches()[0])
        context.sql(f"INSERT INTO p.default.{name} SELECT * FROM rows_{number}")
    for step in kind.steps:
        step(path)
    return path
