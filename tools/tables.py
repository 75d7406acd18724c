"""Make tables with pypaimon, and read them with other readers: for tests, benchmarks and the demo.

path = make_table("warehouse", "orders", [data, more], {"file.format": "orc"})  # two commits
delete_rows(path, {name_of_data_file: positions})
by_pypaimon(path)                          # all rows as Arrow
by_rust(path, "status = 'PENDING'")        # by pypaimon-rust, which uses file indexes
"""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from paimon_ksy.table.model.files import ManifestFile
from paimon_ksy.table.store import Table
from paimon_ksy.table.store.file_entries import of_live
from paimon_ksy.table_index.deletion_vector import DeletionVector
from paimon_ksy.table_index.deletion_vector_file import write_vectors


def make_table(
    warehouse: Path | str,
    name: str,
    commits: Iterable[pa.Table],
    options: Mapping[str, str] | None = None,
    *,
    partition_keys: Sequence[str] = (),
    primary_keys: Sequence[str] = (),
    catalog: Mapping[str, str] | None = None,
) -> str:
    """A table of the database `default` in this warehouse, each item one commit; its path."""
    from pypaimon import CatalogFactory, Schema

    made = CatalogFactory.create({"warehouse": str(warehouse), **(catalog or {})})
    made.create_database("default", ignore_if_exists=True)
    table = None
    for data in commits:
        if table is None:
            schema = Schema.from_pyarrow_schema(
                data.schema,
                partition_keys=list(partition_keys) or None,
                primary_keys=list(primary_keys) or None,
                options={"file.format": "parquet", **(options or {})},
            )
            made.create_table(f"default.{name}", schema, False)
            table = made.get_table(f"default.{name}")
        append(table, data)
    return f"{str(warehouse).rstrip('/')}/default.db/{name}"


def append(table: Any, data: pa.Table) -> None:
    """Write the rows to pypaimon's table, in one commit."""
    builder = table.new_batch_write_builder()
    write, commit = builder.new_write(), builder.new_commit()
    try:
        write.write_arrow(data)
        commit.commit(write.prepare_commit())
    finally:
        write.close()
        commit.close()


def build_index(path: str, column: str, index_type: str, options: str = "") -> None:
    """Have the Rust crate build a global index of a table in the database `default`."""
    context = rust_context(path)
    context.set_current_catalog("p")
    context.sql(
        f"CALL sys.create_global_index(table => 'default.{Path(path).name}', "
        f"index_column => '{column}', index_type => '{index_type}', options => '{options}')"
    )


def delete_rows(path: str, rows: Mapping[str, Sequence[int] | np.ndarray]) -> None:
    """Commit a deletion vector for each data file that is named, with these positions.

    For a local append table with the option `deletion-vectors.enabled` and no vectors yet.
    """
    from pypaimon.index.deletion_vector_meta import DeletionVectorMeta
    from pypaimon.index.index_file_meta import IndexFileMeta
    from pypaimon.manifest.index_manifest_entry import IndexManifestEntry
    from pypaimon.write.commit_message import CommitMessage

    table = Table.at(path)
    files = {entry.file.file_name: entry for entry in live_entries(table)}
    places: dict[tuple[Any, ...], list[str]] = {}
    for name in rows:
        entry = files[name]
        places.setdefault((tuple(entry.partition.values), entry.bucket), []).append(name)
    messages = []
    (Path(path) / "index").mkdir(exist_ok=True)
    for (values, bucket), names in places.items():
        file = Path(path) / "index" / f"index-{uuid.uuid4()}-0"
        written = write_vectors(file, {name: DeletionVector.of(rows[name]) for name in names})
        ranges = {
            meta.data_file: DeletionVectorMeta(
                meta.data_file, meta.offset, meta.length, meta.cardinality
            )
            for meta in written.vectors
        }
        meta = IndexFileMeta("DELETION_VECTORS", written.name, written.size, len(ranges), ranges)
        added = IndexManifestEntry(0, files[names[0]].partition, bucket, meta)
        messages.append(CommitMessage(values, bucket, [], index_adds=[added]))
    commit = table.pypaimon.new_batch_write_builder().new_commit()
    commit.commit(messages)
    commit.close()


def live_entries(table: Table, manifests: Sequence[ManifestFile] | None = None) -> list[Any]:
    """Return pypaimon's entries of the live data files of manifests: of the latest snapshot's."""
    from pypaimon.manifest.manifest_file_manager import ManifestFileManager

    if manifests is None:
        manifests = table.manifests.of(table.snapshot())
    read = ManifestFileManager(table.pypaimon).read
    entries = {}
    for manifest, states in of_live(table, manifests, _states, None):
        for entry in read(manifest.file_name, drop_stats=False):
            file = entry.file
            state = file.file_name, tuple(file.extra_files or ()), file.embedded_index
            if entry.kind == 0 and state in states:
                entries[state] = entry
    return [*entries.values()]


def _states(entries: Any, *_: Any) -> list[tuple[int, Any]]:
    """Return the name and the indexes of each entry's file, with its number: see `of_live`."""
    columns = (
        entries.column(name).to_pylist()
        for name in ("_FILE_NAME", "_EXTRA_FILES", "_EMBEDDED_FILE_INDEX")
    )
    return [
        (at, (name, tuple(extra or ()), embedded))
        for at, (name, extra, embedded) in enumerate(zip(*columns, strict=True))
    ]


def merge_manifests(table: Table) -> None:
    """Merge the base manifests of the latest snapshot, as Java does with many: deleted files are
    named by its delta alone."""
    from pypaimon.manifest.manifest_file_manager import ManifestFileManager
    from pypaimon.manifest.manifest_list_manager import ManifestListManager

    snapshot: Any = table.snapshot()
    base = table.manifests.of_list(snapshot.base_manifest_list)
    live = live_entries(table, base)
    files, lists = ManifestFileManager(table.pypaimon), ManifestListManager(table.pypaimon)
    path = Path(table.metadata_path, "snapshot", f"snapshot-{snapshot.id}")
    document = json.loads(path.read_text())
    name = f"manifest-list-{uuid.uuid4()}-0"
    merged = files.rolling_write(live, 8 << 20, f"manifest-{uuid.uuid4()}")
    document["baseManifestListSize"] = lists.write(name, merged)
    document["baseManifestList"] = name
    path.write_text(json.dumps(document))


def expire(table: Table) -> None:
    """Take away all snapshots but the latest, of which nothing else goes."""
    latest: Any = table.snapshot()
    for number in range(1, latest.id):
        Path(table.metadata_path, "snapshot", f"snapshot-{number}").unlink(missing_ok=True)
    Path(table.metadata_path, "snapshot", "EARLIEST").write_text(str(latest.id))


def by_pypaimon(path: str, options: Mapping[str, str] | None = None) -> pa.Table:
    """All rows, by pypaimon's own reader, which ignores file indexes."""
    builder = Table.at(path, options).pypaimon.new_read_builder()
    return builder.new_read().to_arrow(builder.new_scan().plan().splits())


def by_rust(path: str, where: str | None = None, columns: str = "*") -> pa.Table:
    """What SQL of DataFusion selects, by pypaimon-rust, which uses file indexes.

    The table is in a database of its warehouse. Without rows there are no columns either.
    """
    database, name = Path(path).parts[-2:]
    sql = f"SELECT {columns} FROM p.{database.removesuffix('.db')}.{name}"
    batches = rust_context(path).sql(sql if where is None else f"{sql} WHERE {where}")
    return pa.Table.from_batches(batches) if batches else pa.table({})


def rust_context(path: str) -> Any:
    """DataFusion of pypaimon-rust with the warehouse of a table as catalog `p`."""
    from pypaimon_rust.datafusion import SQLContext

    context = SQLContext()
    warehouse = str(Path(path).parents[1])
    context.register_catalog("p", {"warehouse": warehouse, "metastore": "filesystem"})
    return context
