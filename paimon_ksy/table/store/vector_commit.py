"""Commit new files of deletion vectors, and data files that are taken out as a whole."""

from __future__ import annotations

from collections.abc import Container, Sequence, Set
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from paimon_ksy.errors import ConflictError, UnsupportedError
from paimon_ksy.table.model.files import Snapshot
from paimon_ksy.table.store.commits import commit, same_files
from paimon_ksy.table.store.entries import key_of_entry
from paimon_ksy.table.store.errors import pypaimon_module
from paimon_ksy.table.store.table import Table

if TYPE_CHECKING:
    from paimon_ksy.table_index.deletion_vector_file import VectorFile


@dataclass(frozen=True)
class NewVectors:
    """A new file of deletion vectors of data files in one bucket.

    It is `external` if its path is not where a table keeps such files.
    """

    partition: tuple[Any, ...]
    bucket: int
    file: VectorFile
    path: str
    external: bool


def new_vectors_path(
    table: Table, partition: tuple[Any, ...], bucket: int, name: str
) -> tuple[str, bool]:
    """Return where a new file of deletion vectors goes, and whether its entry has to contain that.

    Raises:
        UnsupportedError: pypaimon would put it into a folder that Java does not know.
    """
    values = tuple(table.data_files.partition_row(partition).values)
    factory = table.pypaimon.path_factory()
    if factory.index_file_in_data_file_dir and table.paths.by_binary is not None:
        raise UnsupportedError(
            "deletes no rows with option index-file-in-data-file-dir where "
            f"{table.paths.by_binary} is a partition column: delete them with Java",
            path=table.location,
        )
    path, external = factory.new_bucket_index_path(values, bucket, name)
    return str(path), bool(external)


def commit_vectors(
    table: Table,
    planned: Snapshot,
    added: Sequence[NewVectors],
    replaced: Container[str],
    dropped: Set[tuple[Any, ...]] = frozenset(),
) -> int:
    """Replace files of deletion vectors in one snapshot, and return its id.

    The kind is OVERWRITE, as of Java's delete; the numbers of records are those of data files, as
    there.

    Args:
        table: The table, by which all was planned.
        planned: The snapshot on which it was planned.
        added: The new files of deletion vectors.
        replaced: The paths of the files that they replace.
        dropped: `DataFile.key` of each data file to take out.

    Raises:
        ConflictError: A data file or a replaced file was removed. Or a data file has another vector
            now, or its bucket, where a bucket has one file of vectors. Nothing is committed.
        UncertainError: It is not known whether it was committed.
    """
    names = {
        (one.partition, one.bucket, meta.data_file) for one in added for meta in one.file.vectors
    } | {(partition, bucket, name) for partition, bucket, _, name, _ in dropped}
    # Java keeps one file of vectors of a bucket, whatever its name.
    one_each = table.bucket_mode != "BUCKET_UNAWARE"
    buckets = {(one.partition, one.bucket) for one in added} if one_each else set()
    old = {
        entry.index_file.file_name: entry
        for entry in table.index_manifests.vector_entries(planned)
        if table.paths.index_file(entry) in replaced
    }

    deletes: list[Any] = []

    def entries(latest: Snapshot | None) -> list[Any]:
        """Return the entries of data files to take out. Raises ConflictError."""
        gone_files = [*old.values(), *_without_vectors(table, latest, old.keys())]
        deletes[:] = [replace(entry, kind=1) for entry in gone_files]
        found = _same_vectors(table, latest, old.keys(), names, buckets)
        if found is not None:
            raise ConflictError(f"conflict: {found}", path=table.location)
        if not dropped and latest is not None and same_files(planned, latest):
            return []
        missing, gone = set(names), []
        for entry in table.manifests.live_entries(table.manifests.of(latest)):
            partition = table.data_files.partition_of(entry)
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


def _without_vectors(table: Table, snapshot: Snapshot | None, replaced: Set[str]) -> list[Any]:
    """Return the entries of files in which Java's compaction left no vector.

    pypaimon would write null for them instead of no vectors, and Java then fails to write to their
    bucket.
    """
    return [
        entry
        for entry in table.index_manifests.vector_entries(snapshot)
        if not (entry.index_file.dv_ranges or entry.index_file.row_count)
        and entry.index_file.file_name not in replaced
    ]


def _same_vectors(
    table: Table, snapshot: Snapshot | None, replaced: Set[str], names: Set[Any], buckets: Set[Any]
) -> str | None:
    """Return why new vectors cannot replace those files of vectors; None if they can."""
    missing = set(replaced)
    for entry in table.index_manifests.vector_entries(snapshot):
        meta, bucket = entry.index_file, (table.data_files.partition_of(entry), entry.bucket)
        if meta.file_name in replaced:
            missing.discard(meta.file_name)
        elif bucket in buckets or any((*bucket, n) in names for n in meta.dv_ranges or ()):
            return f"{meta.file_name} now deletes rows of the same data files"
    return f"{min(missing)} was replaced meanwhile" if missing else None


def _vectors_entry(table: Table, new: NewVectors) -> Any:
    """Return the entry of the index manifest, with ranges in the order of the file.

    Java reads them one after the other.
    """
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
    return entry(0, table.data_files.partition_row(new.partition), new.bucket, meta)
