"""The index manifests of a table: files of deletion vectors, and bucket indexes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from paimon_ksy.errors import MissingFileError, PaimonKsyError
from paimon_ksy.table.io.paths import file_name
from paimon_ksy.table.io.storage import Storage
from paimon_ksy.table.model.files import Snapshot, TableSchema, VectorPlace
from paimon_ksy.table.store.errors import pypaimon_module
from paimon_ksy.table.store.from_pypaimon import partition_of
from paimon_ksy.table.store.metadata_paths import MetadataPaths
from paimon_ksy.table.store.paths import Paths


class IndexManifests:
    """The index manifests of a table."""

    def __init__(
        self,
        pypaimon_table: Any,
        storage: Storage,
        schema: TableSchema,
        metadata: MetadataPaths,
        paths: Paths,
    ) -> None:
        """Read those of a table of pypaimon, whose partition columns are those of the schema."""
        self._pypaimon = pypaimon_table
        self._storage = storage
        self._schema = schema
        self._metadata = metadata
        self._paths = paths

    def entries(self, snapshot: Snapshot | None) -> list[Any]:
        """Return pypaimon's entries of a snapshot's index manifest that add a file.

        Raises:
            PaimonKsyError: It cannot be read, or names a file elsewhere.
        """
        if snapshot is None or not snapshot.index_manifest:
            return []
        path = self._metadata.manifest(snapshot.index_manifest)
        with self._metadata.reading(f"manifest/{snapshot.index_manifest}"):
            module = pypaimon_module("manifest.index_manifest_file")
            found: list[Any] = module.IndexManifestFile(self._pypaimon).read(
                snapshot.index_manifest
            )
        if not found and not self._storage.exists(path):
            # pypaimon takes a manifest that is not there for an empty one
            raise MissingFileError.of(path)
        for entry in found:
            file_name(entry.index_file.file_name, "index file", path)
        return [entry for entry in found if entry.kind == 0]

    def vector_entries(self, snapshot: Snapshot | None) -> list[Any]:
        """Return the entries that are files of deletion vectors.

        Raises:
            PaimonKsyError: The index manifest cannot be read.
        """
        entries = self.entries(snapshot)
        return [entry for entry in entries if entry.index_file.index_type == "DELETION_VECTORS"]

    def vector_files(
        self, snapshot: Snapshot | None
    ) -> Iterator[tuple[tuple[tuple[Any, ...], int], str, dict[str, VectorPlace]]]:
        """Yield the files of deletion vectors.

        Yields: Partition and bucket, the path, and the places of vectors by name of data file.
        """
        for entry in self.vector_entries(snapshot):
            path = self._paths.index_file(entry)
            vectors = {
                name: VectorPlace(path, meta.offset, meta.length, meta.cardinality)
                for name, meta in (entry.index_file.dv_ranges or {}).items()
            }
            yield (partition_of(entry, self._schema), entry.bucket), path, vectors

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
