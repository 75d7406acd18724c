"""The index manifests of a table: files of deletion vectors, and bucket indexes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from paimon_ksy.errors import PaimonKsyError
from paimon_ksy.table.io.storage import Storage
from paimon_ksy.table.manifests.index_files import read_index_files
from paimon_ksy.table.model.files import (
    DELETION_VECTORS,
    IndexFile,
    Snapshot,
    TableSchema,
    VectorPlace,
)
from paimon_ksy.table.store.errors import remedied
from paimon_ksy.table.store.metadata_paths import MetadataPaths
from paimon_ksy.table.store.paths import Paths


class IndexManifests:
    """The index manifests of a table."""

    def __init__(
        self, storage: Storage, schema: TableSchema, metadata: MetadataPaths, paths: Paths
    ) -> None:
        """Read those of a table, whose partition columns are those of the schema."""
        self._storage = storage
        self._schema = schema
        self._metadata = metadata
        self._paths = paths

    def of(self, snapshot: Snapshot | None) -> list[IndexFile]:
        """Return the index files of a snapshot.

        Raises:
            PaimonKsyError: The index manifest cannot be read, or names a file elsewhere.
        """
        return list(self.each(snapshot))

    def each(self, snapshot: Snapshot | None) -> Iterator[IndexFile]:
        """Yield the same: together, their vectors may take much memory.

        Raises:
            PaimonKsyError: The index manifest cannot be read, or names a file elsewhere.
        """
        if snapshot is None or not snapshot.index_manifest:
            return
        path = self._metadata.manifest(snapshot.index_manifest)
        with remedied():
            data = self._storage.read(path)
            yield from read_index_files(data, path, self._schema.partition_schema)

    def with_vectors(self, snapshot: Snapshot | None) -> list[IndexFile]:
        """Return the index files of a snapshot that are for deletion vectors.

        Raises:
            PaimonKsyError: The index manifest cannot be read.
        """
        return [file for file in self.of(snapshot) if file.index_type == DELETION_VECTORS]

    def vector_files(
        self, snapshot: Snapshot | None
    ) -> Iterator[tuple[tuple[tuple[Any, ...], int], str, dict[str, VectorPlace]]]:
        """Yield the files of deletion vectors.

        Yields: Partition and bucket, the path, and the places of vectors by name of data file.
        """
        for file in self.with_vectors(snapshot):
            path = self._paths.index_file(file)
            vectors = {name: VectorPlace(path, *range) for name, range in file.vectors.items()}
            yield (file.partition, file.bucket), path, vectors

    def deletion_vectors(self, snapshot: Snapshot) -> dict[tuple[Any, ...], VectorPlace]:
        """Return the places of vectors, by partition, bucket and name of the data file.

        Raises:
            PaimonKsyError: A file has two, or the index manifest cannot be read.
        """
        places: dict[tuple[Any, ...], VectorPlace] = {}
        for bucket, path, vectors in self.vector_files(snapshot):
            for name, found in vectors.items():
                key = *bucket, name
                if key in places:
                    raise PaimonKsyError(f"it lists a second deletion vector for {name}", path=path)
                places[key] = found
        return places
