"""The manifest lists, manifests and index manifests of a table, and their entries."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np

from paimon_ksy.errors import CorruptFileError, PaimonKsyError
from paimon_ksy.table.io.cache import BoundedCache
from paimon_ksy.table.io.paths import REMEDY, file_name
from paimon_ksy.table.io.storage import Storage
from paimon_ksy.table.manifests.entries import STATISTICS, ManifestEntries, read_entries
from paimon_ksy.table.manifests.global_indexes import GlobalIndexFiles, global_indexes
from paimon_ksy.table.manifests.index_files import IndexFiles, read_index_files
from paimon_ksy.table.manifests.lists import read_list
from paimon_ksy.table.manifests.partitions import Partitions
from paimon_ksy.table.manifests.vectors import VectorPlaces, Wanted, of_keys
from paimon_ksy.table.model.files import (
    DELETION_VECTORS,
    FileInBucket,
    IndexFile,
    ManifestFile,
    Snapshot,
    VectorPlace,
)
from paimon_ksy.table.store.errors import translated_errors
from paimon_ksy.table.store.paths import Paths
from paimon_ksy.types.schema import Schema

T = TypeVar("T")

_KEPT = BoundedCache(64 << 20)
"""Decoded groups of manifests, manifest lists, live entries of small snapshots, and places of
deletion vectors, of all tables: after a commit, only groups with new manifests are read. Needed by
the queries of `make bench-tables`, most of which are faster than reading these."""

_KEPT_FILE = 1 << 20
"""Bytes of the largest manifest that is cached decoded. Larger ones are in memory one batch at a
time."""

_META_BYTES = 1000
"""The memory that a manifest in a list takes, in bytes."""


class Manifests:
    """The manifest lists and manifests of a table. Files that they name are in its folders.

    It can be pickled; the copy starts without partitions. Its methods raise a PaimonKsyError if a
    file cannot be read, or names a file elsewhere.

    Attributes:
        partitions: The partitions of entries, with numbers valid in this process.
        storage: The table's files.
    """

    def __init__(self, storage: Storage, location: str, partition_schema: Schema) -> None:
        self.storage = storage
        self._location = location
        self._partition_schema = partition_schema
        self.partitions = self.no_partitions()

    def no_partitions(self) -> Partitions:
        """Return an instance that knows no partitions yet."""
        return Partitions(self._partition_schema)

    def __reduce__(self) -> tuple[Any, ...]:
        return Manifests, (self.storage, self._location, self._partition_schema)

    def path(self, name: str) -> str:
        """Return the path of a manifest, a manifest list or an index manifest.

        Raises:
            CorruptFileError: The name is not the name of a file.
        """
        return f"{self._location}/manifest/{file_name(name, 'manifest', self._location)}"

    def of(self, snapshot: Snapshot | None) -> list[ManifestFile]:
        """Return the manifests of a snapshot, base before delta; an empty list without a snapshot.

        Raises:
            PaimonKsyError: A list cannot be read, or names a file elsewhere.
        """
        if snapshot is None:
            return []
        lists = snapshot.base_manifest_list, snapshot.delta_manifest_list
        return [manifest for name in lists for manifest in self.of_list(name)]

    def of_list(self, name: str) -> list[ManifestFile]:
        """Return the manifests in the manifest list of this name."""
        path = self.path(name)

        def read() -> list[ManifestFile]:
            with translated_errors(path):
                return read_list(self.storage.read(path), path)

        return self.cached(("list", name), read, lambda found: _META_BYTES * len(found))

    def cached(self, key: Hashable, make: Callable[[], T], size: Callable[[T], int]) -> T:
        """Return what was made of manifests of these names before (see `BoundedCache.get`)."""
        return _KEPT.get((self.storage.identity, self._location, key), make, size)

    def __call__(self, manifests: Sequence[ManifestFile]) -> Iterable[ManifestEntries]:
        """Return the entries of manifests in order (see `read_entries`), if small from a cache."""
        if any(manifest.file_size > _KEPT_FILE for manifest in manifests):
            return self.stored(manifests)
        return self.cached(
            tuple(manifest.file_name for manifest in manifests),
            lambda: [*self.stored(manifests)],
            lambda parts: sum(entries.get_total_buffer_size() for entries, _ in parts),
        )

    def stored(self, manifests: Iterable[ManifestFile]) -> Iterator[ManifestEntries]:
        """Yield the entries of manifests as columns, read from the files and never from the cache.

        Raises:
            PaimonKsyError: A manifest cannot be read, or names a file elsewhere.
        """
        paths = [self.path(manifest.file_name) for manifest in manifests]
        with translated_errors(f"{self._location}/manifest"):
            yield from read_entries(zip(self.storage.read_each(paths), paths, strict=True))

    def num_files(self, snapshot: Snapshot | None) -> int:
        """Return the number of data files of a snapshot, from its manifest lists alone."""
        return sum(manifest.num_files for manifest in self.of(snapshot))

    def contradiction(self, manifest: str, message: str) -> None:
        """Raise CorruptFileError over a manifest that contradicts others."""
        path = f"{self._location}/manifest/{manifest}"
        raise CorruptFileError(message, path=path, remedy=REMEDY)


@dataclass(frozen=True)
class BareManifests:
    """A reader of manifests without their statistics, and never from the cache, for jobs."""

    manifests: Manifests

    @property
    def partitions(self) -> Partitions:
        """Those of the manifests."""
        return self.manifests.partitions

    def __call__(self, manifests: Sequence[ManifestFile]) -> Iterator[ManifestEntries]:
        """Yield the entries of manifests in order."""
        for entries, of in self.manifests.stored(manifests):
            yield ManifestEntries(entries.drop_columns(STATISTICS), of)


class IndexManifests:
    """The index manifests of a table. An unreadable one is a PaimonKsyError."""

    def __init__(self, manifests: Manifests, paths: Paths) -> None:
        """Read the index manifests of a table that has these manifests and paths of index files."""
        self._manifests = manifests
        self._paths = paths

    def columns(
        self, snapshot: Snapshot | None, partitions: Partitions | None = None
    ) -> Iterator[IndexFiles]:
        """Yield the index files of a snapshot, in parts of some MB of the index manifest.

        `partitions` numbers the partitions; by default, it is that of the manifests.
        """
        if snapshot is None or not snapshot.index_manifest:
            return
        path = self._manifests.path(snapshot.index_manifest)
        with translated_errors(path):
            data = self._manifests.storage.read(path)
            partitions = self._manifests.partitions if partitions is None else partitions
            yield from read_index_files(data, path, partitions)

    def of(self, snapshot: Snapshot | None) -> Iterator[IndexFile]:
        """Yield the index files of a snapshot one by one."""
        for files in self.columns(snapshot):
            yield from files

    def global_indexes(self, snapshot: Snapshot | None) -> list[GlobalIndexFiles]:
        """Return the global indexes of a snapshot."""
        return self._listed(snapshot)[1]

    def with_vectors(self, snapshot: Snapshot | None) -> Iterator[IndexFile]:
        """Yield the index files of a snapshot that contain deletion vectors."""
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
        places = self._listed(snapshot)[0].with_paths(self._paths.index_file)
        if len(places.doubles):
            first: dict[FileInBucket, VectorPlace] = {}
            for key, place in self.some_vectors(self.columns(snapshot), of_keys(places.doubles)):
                if (
                    first.setdefault(key, place) != place
                ):  # Java reads an entry that is listed twice
                    message = f"it lists a second deletion vector for {key[2]}"
                    raise PaimonKsyError(message, path=place.path)
        return places

    def _listed(self, snapshot: Snapshot | None) -> tuple[VectorPlaces, list[GlobalIndexFiles]]:
        """Return the deletion vectors and global indexes of a snapshot, cached."""

        def read() -> tuple[VectorPlaces, list[GlobalIndexFiles]]:
            of_indexes: list[IndexFile] = []

            def parts() -> Iterator[IndexFiles]:
                # Partitions of their own, since the cache would keep all those of the table.
                for part in self.columns(snapshot, self._manifests.no_partitions()):
                    of_indexes.extend(part.of_global_indexes())
                    yield part

            return VectorPlaces(parts(), self._paths.index_file), global_indexes(of_indexes)

        return self._manifests.cached(
            ("indexes", None if snapshot is None else snapshot.index_manifest),
            read,
            lambda listed: listed[0].nbytes + sum(index.nbytes for index in listed[1]),
        )

    def some_vectors(
        self,
        files: Iterable[IndexFiles],
        wanted: Wanted,
        wrong: Callable[[str, PaimonKsyError], None] | None = None,
    ) -> Iterator[tuple[FileInBucket, VectorPlace]]:
        """Yield some of the deletion vectors in index files, in the order of the manifest.

        `wrong` is called with the name of an index file whose path cannot be derived, and the
        reason.

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
                [(name, place)] = some.vectors.between(at, at + 1)
                yield (file.partition, file.bucket, name), VectorPlace(path, *place)
