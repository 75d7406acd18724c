"""The index manifests of a table: files of deletion vectors, and bucket indexes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

import numpy as np

from paimon_ksy.errors import PaimonKsyError
from paimon_ksy.table.io.storage import Storage
from paimon_ksy.table.manifests.index_files import IndexFiles, read_index_files
from paimon_ksy.table.manifests.partitions import Partitions
from paimon_ksy.table.manifests.vectors import VectorPlaces, Wanted, of_keys
from paimon_ksy.table.model.files import (
    DELETION_VECTORS,
    FileInBucket,
    IndexFile,
    Snapshot,
    VectorPlace,
)
from paimon_ksy.table.store.errors import TranslatedErrors
from paimon_ksy.table.store.metadata_paths import MetadataPaths
from paimon_ksy.table.store.paths import Paths

Wrong = Callable[[str, PaimonKsyError], None]
"""A function called with the name of a file and the problem in it."""


class IndexManifests:
    """The index manifests of a table."""

    def __init__(
        self, storage: Storage, partitions: Partitions, metadata: MetadataPaths, paths: Paths
    ) -> None:
        """Read the index manifests of a table, with numbered partitions."""
        self._storage = storage
        self._partitions = partitions
        self._metadata = metadata
        self._paths = paths

    def columns(self, snapshot: Snapshot | None) -> Iterator[IndexFiles]:
        """Yield the index files of a snapshot, in parts of some MB of the index manifest.

        Raises:
            PaimonKsyError: The index manifest cannot be read, or names a file elsewhere.
        """
        if snapshot is None or not snapshot.index_manifest:
            return
        path = self._metadata.manifest(snapshot.index_manifest)
        with TranslatedErrors(path):
            data = self._storage.read(path)
            yield from read_index_files(data, path, self._partitions)

    def of(self, snapshot: Snapshot | None) -> Iterator[IndexFile]:
        """Yield the index files of a snapshot one by one.

        Raises:
            PaimonKsyError: The index manifest cannot be read, or names a file elsewhere.
        """
        for files in self.columns(snapshot):
            yield from files

    def with_vectors(self, snapshot: Snapshot | None) -> Iterator[IndexFile]:
        """Yield the index files of a snapshot that contain deletion vectors.

        Raises:
            PaimonKsyError: The index manifest cannot be read.
        """
        return (file for file in self.of(snapshot) if file.index_type == DELETION_VECTORS)

    def places_in(self, file: IndexFile) -> tuple[str, dict[str, VectorPlace]]:
        """Return the path of an index file, and the places of its vectors by name of data file.

        Raises:
            OutsideError: The table may not use the index file.
        """
        path = self._paths.index_file(file)
        return path, {name: VectorPlace(path, *range) for name, range in file.vectors.items()}

    def vectors(self, snapshot: Snapshot | None) -> VectorPlaces:
        """Return the places of the deletion vectors of a snapshot.

        Raises:
            PaimonKsyError: A file has two vectors, or the index manifest cannot be read.
        """
        found = VectorPlaces(self.columns(snapshot), self._paths.index_file)
        if len(found.doubles):
            first = set()
            for key, place in self.some_vectors(self.columns(snapshot), of_keys(found.doubles)):
                if key in first:
                    message = f"it lists a second deletion vector for {key[2]}"
                    raise PaimonKsyError(message, path=place.path)
                first.add(key)
        return found

    def some_vectors(
        self, files: Iterable[IndexFiles], wanted: Wanted, wrong: Wrong | None = None
    ) -> Iterator[tuple[FileInBucket, VectorPlace]]:
        """Yield some of the deletion vectors in index files, in the order of the manifest.

        Args:
            files: The index files.
            wanted: Selects the vectors.
            wrong: Called with the name of an index file whose path cannot be derived, and the
                reason. Without it, an error is raised.

        Raises:
            PaimonKsyError: The path of an index file cannot be derived, and there is no `wrong`.
        """
        for some in files:
            for at in np.flatnonzero(wanted(some)).tolist():
                file = some.file(int(some.vectors.files[at]))
                if file.index_type != DELETION_VECTORS:
                    continue
                try:
                    path = self._paths.index_file(file)
                except PaimonKsyError as error:
                    if wrong is None:
                        raise
                    wrong(file.file_name, error)
                    continue
                name, found = some.vectors.one(at)
                yield (file.partition, file.bucket, name), VectorPlace(path, *found)
