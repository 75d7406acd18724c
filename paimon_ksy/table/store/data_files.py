"""The data files of a table's snapshots, with their deletion vectors."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any, TypeVar

from paimon_ksy.table.io.cache import BoundedCache
from paimon_ksy.table.model.files import DataFile, ManifestFile, Snapshot, VectorPlace, format_of
from paimon_ksy.table.store.entries import FILE_BYTES, FileEntry, digest_of_entry, identity_of
from paimon_ksy.table.store.from_pypaimon import key_of, partition_of, statistics_of
from paimon_ksy.table.store.index_manifests import IndexManifests
from paimon_ksy.table.store.manifests import Manifests
from paimon_ksy.table.store.paths import Paths
from paimon_ksy.table.store.schemas import Schemas
from paimon_ksy.types.data_type import DataType

T = TypeVar("T")

_MANIFESTS = BoundedCache(32 << 20)
"""Decoded manifests and lists of manifests, of all tables."""


class DataFiles:
    """The data files of a table's snapshots."""

    def __init__(
        self,
        schemas: Schemas,
        paths: Paths,
        manifests: Manifests,
        index_manifests: IndexManifests,
        *,
        key_types: tuple[DataType, ...],
        identity: Hashable,
    ) -> None:
        """Read those that manifests contain.

        Args:
            schemas: The versions of the table's schema.
            paths: Where the files are.
            manifests: Where data files are listed.
            index_manifests: Where deletion vectors are listed.
            key_types: The types of the columns in `DataFile.key_range`.
            identity: The same of two tables whose manifests mean the same.
        """
        self._schemas = schemas
        self._paths = paths
        self._manifests = manifests
        self._index_manifests = index_manifests
        self._key_types = key_types
        self._identity = identity
        # By internal values, which do not tell all of a row: CHAR has no padding there.
        self._partition_rows: dict[tuple[Any, ...], Any] = {}

    def of(
        self,
        snapshot: Snapshot | None,
        keep: Callable[[tuple[Any, ...], int], bool] | None = None,
    ) -> Iterator[DataFile]:
        """Yield the live data files of a snapshot, with their deletion vectors.

        It reads one manifest at a time, and keeps entries up to a bound.

        Args:
            snapshot: None for a table without snapshots, which has no files.
            keep: Selects the files to read further, by partition and bucket.

        Raises:
            PaimonKsyError: A manifest cannot be read.
        """
        if snapshot is None:
            return
        vectors = self._index_manifests.deletion_vectors(snapshot)
        manifests = self._manifests.of(snapshot)
        for entry in self._manifests.live_entries(manifests, self._manifests.kept_entries):
            partition = self.partition_of(entry)
            if keep is None or keep(partition, entry.bucket):
                yield _with_vector(self._of_entry(entry, partition), vectors)

    def remembered(self, snapshot: Snapshot | None) -> Iterator[DataFile]:
        """Yield the same as `of`, and keep decoded manifests for the next call, up to a bound."""
        if snapshot is None:
            return
        vectors = self._remember(
            ("vectors", snapshot.index_manifest),
            lambda: self._index_manifests.deletion_vectors(snapshot),
            lambda found: FILE_BYTES * len(found),
        )
        manifests = self._remember(
            (snapshot.base_manifest_list, snapshot.delta_manifest_list),
            lambda: self._manifests.of(snapshot),
            lambda found: FILE_BYTES * len(found),
        )
        for entry in self._manifests.live_entries(manifests, self._listed):
            file = entry.file
            self._schemas.at(file.schema_id)
            self._paths.inside(file.path)  # another Table may have read it
            self._partition_rows.setdefault(file.partition, entry.partition)
            file = _with_vector(file, vectors)
            if file.deletion_vector is not None:
                self._paths.inside(file.deletion_vector.path)
            yield file

    def of_entry(self, entry: Any) -> DataFile:
        """Return the file of pypaimon's ManifestEntry, without its deletion vector.

        Raises:
            PaimonKsyError: Its schema does not exist, or its path is outside the table.
        """
        return self._of_entry(entry, self.partition_of(entry))

    def partition_of(self, entry: Any) -> tuple[Any, ...]:
        """Return the partition of pypaimon's entry of a manifest, or of an index manifest."""
        return partition_of(entry, self._schemas.current)

    def digest_of(self, entry: Any) -> bytes:
        """Return `DataFile.digest` of the file of pypaimon's ManifestEntry."""
        return digest_of_entry(entry, self.partition_of(entry))

    def partition_row(self, partition: tuple[Any, ...]) -> Any:
        """Return pypaimon's row of the partition of a data file that was returned."""
        return self._partition_rows[partition]

    def _listed(self, manifest: ManifestFile) -> Iterable[FileEntry]:
        """Return the entries of a manifest; those of one that is not too long are remembered."""
        if manifest.num_added_files + manifest.num_deleted_files > _MANIFESTS.bound // FILE_BYTES:
            return map(self._list, self._manifests.entries(manifest))
        return self._remember(
            manifest.file_name,
            lambda: tuple(map(self._list, self._manifests.entries(manifest))),
            lambda found: sum(entry.size for entry in found),
        )

    def _list(self, entry: Any) -> FileEntry:
        file = None if entry.kind else self.of_entry(entry)
        name = entry.file.file_name
        return FileEntry(entry.kind, identity_of(entry), name, entry.partition, file)

    def _remember(self, name: Hashable, make: Callable[[], T], size: Callable[[T], int]) -> T:
        """Return what was made of a file of this name, which never changes."""
        return _MANIFESTS.get((self._identity, name), make, size)

    def _of_entry(self, entry: Any, partition: tuple[Any, ...]) -> DataFile:
        self._partition_rows.setdefault(partition, entry.partition)
        meta = entry.file
        schema = self._schemas.at(meta.schema_id)
        if meta.external_path:
            path = self._paths.inside(meta.physical_path())
        else:
            values = tuple(entry.partition.values)
            path = self._paths.data_file(values, entry.bucket, meta.file_name)
        indexes = [name for name in meta.extra_files or () if name.endswith(".index")]
        if indexes:
            meta = replace(meta, file_path=path)
        created = meta.creation_time
        return DataFile(
            path=path,
            name=meta.file_name,
            format=format_of(meta.file_name),
            partition=partition,
            bucket=entry.bucket,
            total_buckets=entry.total_buckets,
            level=meta.level,
            size=meta.file_size,
            num_rows=meta.row_count,
            schema_id=meta.schema_id,
            min_sequence_number=meta.min_sequence_number,
            max_sequence_number=meta.max_sequence_number,
            delete_row_count=meta.delete_row_count,
            first_row_id=meta.first_row_id,
            source=meta.file_source,
            creation_millis=None if created is None else created.get_millisecond(),
            extra_files=tuple(meta.extra_files or ()),
            embedded_index=meta.embedded_index,
            index_files=tuple(self._paths.inside(meta.aligned_file_path(n)) for n in indexes),
            statistics=statistics_of(meta.value_stats, schema),
            key_range=(
                key_of(meta.min_key, meta.key_stats.min_values, self._key_types),
                key_of(meta.max_key, meta.key_stats.max_values, self._key_types),
            ),
            write_columns=None if meta.write_cols is None else tuple(meta.write_cols),
            external_path=meta.external_path,
        )


def _with_vector(file: DataFile, vectors: Mapping[tuple[Any, ...], VectorPlace]) -> DataFile:
    place = vectors.get((file.partition, file.bucket, file.name)) if vectors else None
    return replace(file, deletion_vector=place) if place else file
