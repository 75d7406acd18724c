"""The manifest lists and manifests of a table, and their entries."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator
from typing import TYPE_CHECKING

from paimon_ksy.errors import CorruptFileError
from paimon_ksy.table.io.cache import BoundedCache
from paimon_ksy.table.io.storage import Storage
from paimon_ksy.table.manifests.entries import read_entries
from paimon_ksy.table.manifests.lists import read_list
from paimon_ksy.table.model.files import ManifestFile, Snapshot
from paimon_ksy.table.store.errors import REMEDY, remedied
from paimon_ksy.table.store.metadata_paths import MetadataPaths

if TYPE_CHECKING:
    import pyarrow as pa

_KEPT = BoundedCache(32 << 20)
"""Decoded manifests and lists of manifests, of all tables: after a commit, only what is new is
read. Needed by the queries of `make bench-tables`, most of which are faster than reading these."""

_KEPT_FILE = 1 << 20
"""Bytes of the largest manifest that is kept decoded: of larger ones there is one batch at a time
in memory."""

_META_BYTES = 1000
"""Memory that a manifest in a list takes."""


class Manifests:
    """The manifest lists and manifests of a table. Files that they name are in its folders."""

    def __init__(self, storage: Storage, paths: MetadataPaths) -> None:
        self._storage = storage
        self._paths = paths

    def of(self, snapshot: Snapshot | None) -> list[ManifestFile]:
        """Return the manifests of a snapshot: of its base, then of its delta; none without one.

        Raises:
            PaimonKsyError: A list cannot be read, or names a file elsewhere.
        """
        if snapshot is None:
            return []
        lists = snapshot.base_manifest_list, snapshot.delta_manifest_list
        return [manifest for name in lists for manifest in self.of_list(name)]

    def of_list(self, name: str) -> list[ManifestFile]:
        """Return the manifests in the manifest list of this name.

        Raises:
            PaimonKsyError: It cannot be read.
        """
        path = self._paths.manifest(name)

        def read() -> list[ManifestFile]:
            with remedied():
                return read_list(self._storage.read(path), path)

        found = _KEPT.get(self._key(path), read, lambda found: _META_BYTES * len(found))
        for manifest in found:  # another table may have read it
            for each in (manifest.file_name, *manifest.extra_files):
                self._paths.manifest(each, path)
        return found

    def columns(self, manifest: ManifestFile) -> Iterable[pa.RecordBatch]:
        """Return the entries of a manifest as columns, in the file's order (see `read_entries`).

        Raises:
            PaimonKsyError: It cannot be read, or names a file elsewhere.
        """
        path = self._paths.manifest(manifest.file_name)
        if manifest.file_size > _KEPT_FILE:
            return self._columns(path)
        return _KEPT.get(
            self._key(path),
            lambda: list(self._columns(path)),
            lambda found: sum(batch.nbytes for batch in found),
        )

    def stored(self, manifest: ManifestFile) -> Iterator[pa.RecordBatch]:
        """Yield the same from the file itself: nothing that was read before is trusted.

        Raises:
            PaimonKsyError: It cannot be read, or names a file elsewhere.
        """
        return self._columns(self._paths.manifest(manifest.file_name))

    def _columns(self, path: str) -> Iterator[pa.RecordBatch]:
        with remedied():
            yield from read_entries(self._storage.read(path), path)

    def _key(self, path: str) -> Hashable:
        return self._storage.identity, path

    def num_files(self, snapshot: Snapshot | None) -> int:
        """Return how many data files a snapshot has, from its manifest lists alone."""
        return sum(m.num_added_files - m.num_deleted_files for m in self.of(snapshot))

    def contradiction(self, manifest: str, message: str) -> None:
        """Raise CorruptFileError over a manifest that contradicts others."""
        path = f"{self._paths.location}/manifest/{manifest}"
        raise CorruptFileError(message, path=path, remedy=REMEDY)
