"""Entries of manifests: what is the same file, and which files are live."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from paimon_ksy.table.store.values import DataFile, digest_of

FILE_BYTES = 5000
"""Memory that a data file takes with its statistics, or a manifest in a list."""


@dataclass(frozen=True, slots=True)
class Listed:
    """An entry of a manifest: of a deleted file no more than its identity."""

    kind: int
    identity: bytes
    partition: Any
    file: DataFile | None

    @property
    def size(self) -> int:
        """Bytes of memory, about."""
        index = None if self.file is None else self.file.embedded_index
        return FILE_BYTES + len(index or b"")


def identity_of(entry: Any) -> bytes:
    """What must be the same for a DELETE to take an ADD back (Java's `FileEntry.Identifier`), as a
    digest: there may be very many."""
    if isinstance(entry, Listed):
        return entry.identity
    return digest_of_entry(entry, tuple(entry.partition.values))


def key_of_entry(entry: Any, partition: tuple[Any, ...]) -> tuple[Any, ...]:
    """`DataFile.key` of the file of an entry."""
    meta = entry.file
    return partition, entry.bucket, meta.level, meta.file_name, meta.external_path


def digest_of_entry(entry: Any, partition: tuple[Any, ...]) -> bytes:
    """`DataFile.digest` of the file of an entry."""
    meta = entry.file
    return digest_of(
        key_of_entry(entry, partition), (tuple(meta.extra_files or ()), meta.embedded_index)
    )


def live_entries(
    manifests: Sequence[Any], entries: Callable[[Any], Iterable[Any]]
) -> Iterator[Any]:
    """Entries that were added and not deleted later; as Java's FileEntry merges them.

    `entries` reads a manifest. pypaimon's own merge forgets the order: there a file that was
    deleted and came back is gone.
    """
    return live_of(manifests, deleted_of(manifests, entries), entries)


def deleted_of(
    manifests: Sequence[Any], entries: Callable[[Any], Iterable[Any]]
) -> dict[bytes, tuple[int, int]]:
    """By identity: manifest and place of the last entry that deletes it."""
    deleted: dict[bytes, tuple[int, int]] = {}
    for number, manifest in enumerate(manifests):
        if manifest.num_deleted_files:
            for at, entry in enumerate(entries(manifest)):
                if entry.kind:
                    deleted[identity_of(entry)] = number, at
    return deleted


def live_of(
    manifests: Sequence[Any],
    deleted: Mapping[bytes, tuple[int, int]],
    entries: Callable[[Any], Iterable[Any]],
) -> Iterator[Any]:
    """Entries that were added and not deleted later, where it is known which were `deleted`."""
    for number, manifest in enumerate(manifests):
        if not manifest.num_added_files:
            continue
        for at, entry in enumerate(entries(manifest)):
            gone = deleted.get(identity_of(entry)) if deleted else None
            if not entry.kind and (gone is None or gone < (number, at)):
                yield entry
