"""New files of deletion vectors, and data files that are taken out as a whole, committed."""

from __future__ import annotations

from collections.abc import Container, Sequence, Set
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from paimon_ksy.errors import ConflictError, UnsupportedError
from paimon_ksy.table.store.commits import commit, same_files
from paimon_ksy.table.store.entries import key_of_entry
from paimon_ksy.table.store.errors import pypaimon_module
from paimon_ksy.table.store.table import Table

if TYPE_CHECKING:
    from paimon_ksy.table_index.deletion_vector import VectorFile


@dataclass(frozen=True)
class NewVectors:
    """A new file of deletion vectors of data files in one bucket; `external` if its path is not
    where a table keeps such files."""

    partition: tuple[Any, ...]
    bucket: int
    file: VectorFile
    path: str
    external: bool


def new_vectors_path(
    table: Table, partition: tuple[Any, ...], bucket: int, name: str
) -> tuple[str, bool]:
    """Where a new file of deletion vectors goes, and whether its entry has to tell so.

    Raises UnsupportedError if pypaimon would put it into a folder that Java does not know.
    """
    values = tuple(table.partition_row(partition).values)
    factory = table.pypaimon.path_factory()
    if factory.index_file_in_data_file_dir and table.by_binary is not None:
        raise UnsupportedError(
            "deletes no rows with option index-file-in-data-file-dir where "
            f"{table.by_binary} is a partition column: delete them with Java",
            path=table.location,
        )
    path, external = factory.new_bucket_index_path(values, bucket, name)
    return str(path), bool(external)


def commit_vectors(
    table: Table,
    planned: Any,
    added: Sequence[NewVectors],
    replaced: Container[str],
    dropped: Set[tuple[Any, ...]] = frozenset(),
) -> int:
    """New files of deletion vectors for those at the paths `replaced`, in one snapshot.

    Data files with a `key` in `dropped` are taken out. All of it was planned on the snapshot
    `planned`, by this `table`. The kind is OVERWRITE, as of Java's delete; the numbers of
    records are those of data files, as there. Returns the snapshot's id. Raises ConflictError,
    with nothing committed, if a data file or a replaced file is gone, or a data file has
    another vector by now (or its bucket, where a bucket has one file of vectors), and
    UncertainError.
    """
    names = {
        (one.partition, one.bucket, meta.data_file) for one in added for meta in one.file.vectors
    } | {(partition, bucket, name) for partition, bucket, _, name, _ in dropped}
    # Java keeps one file of vectors of a bucket, whatever its name.
    one_each = table.bucket_mode != "BUCKET_UNAWARE"
    buckets = {(one.partition, one.bucket) for one in added} if one_each else set()
    old = {
        entry.index_file.file_name: entry
        for entry in table.vector_entries(planned)
        if table.index_file_path(entry) in replaced
    }

    deletes: list[Any] = []

    def entries(latest: Any) -> list[Any]:
        """What is changed of the data files, after a look at what others changed."""
        gone_files = [*old.values(), *_without_vectors(table, latest, old.keys())]
        deletes[:] = [replace(entry, kind=1) for entry in gone_files]
        found = _same_vectors(table, latest, old.keys(), names, buckets)
        if found is not None:
            raise ConflictError(f"conflict: {found}", path=table.location)
        if not dropped and same_files(planned, latest):
            return []
        missing, gone = set(names), []
        for entry in table.live_entries(table.manifests(latest), table.entries):
            partition = table.partition_of(entry)
            missing.discard((partition, entry.bucket, entry.file.file_name))
            if key_of_entry(entry, partition) in dropped:
                gone.append(replace(entry, kind=1))
        if missing:
            file = min(str(key[2]) for key in missing)
            raise ConflictError(
                f"conflict: data file {file} was replaced meanwhile", path=table.location
            )
        return gone

    return commit(
        table,
        "OVERWRITE",
        entries,
        [_vectors_entry(table, one) for one in added],
        deletes,
    )


def _without_vectors(table: Table, snapshot: Any, replaced: Set[str]) -> list[Any]:
    """The entries of files in which Java's compaction left no vector.

    pypaimon would write that they have null in place of no vectors, and Java then fails to write to
    their bucket.
    """
    return [
        entry
        for entry in table.vector_entries(snapshot)
        if not (entry.index_file.dv_ranges or entry.index_file.row_count)
        and entry.index_file.file_name not in replaced
    ]


def _same_vectors(
    table: Table, snapshot: Any, replaced: Set[str], names: Set[Any], buckets: Set[Any]
) -> str | None:
    """What speaks against it that new vectors of data files replace those files of vectors."""
    missing = set(replaced)
    for entry in table.vector_entries(snapshot):
        meta, bucket = entry.index_file, (table.partition_of(entry), entry.bucket)
        if meta.file_name in replaced:
            missing.discard(meta.file_name)
        elif bucket in buckets or any((*bucket, n) in names for n in meta.dv_ranges or ()):
            return f"{meta.file_name} now deletes rows of the same data files"
    return f"{min(missing)} was replaced meanwhile" if missing else None


def _vectors_entry(table: Table, new: NewVectors) -> Any:
    """The entry of the index manifest; its ranges are in the order of the file, as Java reads
    them one after the other."""
    range_of = pypaimon_module("index.deletion_vector_meta").DeletionVectorMeta
    ranges = {
        meta.data_file: range_of(meta.data_file, meta.offset, meta.length, meta.cardinality)
        for meta in new.file.vectors
    }
    meta = pypaimon_module("index.index_file_meta").IndexFileMeta(
        "DELETION_VECTORS",
        new.file.name,
        new.file.size,
        len(ranges),
        ranges,
        new.path if new.external else None,
    )
    entry = pypaimon_module("manifest.index_manifest_entry").IndexManifestEntry
    return entry(0, table.partition_row(new.partition), new.bucket, meta)
