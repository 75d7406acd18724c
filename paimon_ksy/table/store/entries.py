"""Entries of manifests: what is the same file, and which files are live."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from paimon_ksy.table.model.files import ManifestFile, digest_of


def identity_of(entry: Any) -> bytes:
    """Return what must be the same for a DELETE to take an ADD back (`FileEntry.Identifier`).

    It is a digest, because there may be very many.
    """
    return digest_of_entry(entry, tuple(entry.partition.values))


def key_of_entry(entry: Any, partition: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return `DataFile.key` of the file of an entry."""
    meta = entry.file
    return partition, entry.bucket, meta.level, meta.file_name, meta.external_path


def digest_of_entry(entry: Any, partition: tuple[Any, ...]) -> bytes:
    """Return `DataFile.digest` of the file of an entry."""
    meta = entry.file
    return digest_of(
        key_of_entry(entry, partition), (tuple(meta.extra_files or ()), meta.embedded_index)
    )


Entries = Callable[[ManifestFile], Iterable[Any]]
"""Reads a manifest."""

Wrong = Callable[[str, str], None]
"""Is called with the name of a manifest and what it contradicts."""


def deleted_of(manifests: Sequence[ManifestFile], entries: Entries) -> dict[bytes, int]:
    """Return how many entries delete a file, by its identity."""
    deleted: dict[bytes, int] = {}
    for manifest in manifests:
        if manifest.num_deleted_files:
            for entry in entries(manifest):
                if entry.kind:
                    identity = identity_of(entry)
                    deleted[identity] = deleted.get(identity, 0) + 1
    return deleted


def live_of(
    manifests: Sequence[ManifestFile], deleted: Mapping[bytes, int], entries: Entries, wrong: Wrong
) -> Iterator[Any]:
    """Yield the entries that were added and not deleted, of all manifests of a snapshot.

    Each DELETE takes one ADD of the same identity back, as Java's `FileEntry.mergeEntries` has it.
    A file that was deleted and came back is live; pypaimon's own merge leaves it out. With all
    manifests at hand no DELETE may be left over, and no file may be live twice: its rows would be
    read twice. Both are reported to `wrong`, after the last entry.

    Args:
        manifests: Those of the base and then of the delta: all of them.
        deleted: What `deleted_of` returned for them.
        entries: Reads a manifest, with the same result if called again.
        wrong: Is called with the name of a manifest and a message.
    """
    left = dict(deleted)
    codes = array("q")  # of names: there may be very many
    for _, entry in _merged(manifests, left, entries):
        codes.append(hash(_name_of(entry)))
        yield entry
    if left:
        _report_left(manifests, left, entries, wrong)
    if again := _doubles(codes):
        _report_twice(manifests, deleted, entries, again, wrong)


def _doubles(codes: array[int]) -> set[int]:
    """Return the numbers that occur more than once."""
    ordered = np.sort(np.frombuffer(codes, np.int64)) if codes else np.empty(0, np.int64)
    return set(ordered[1:][ordered[1:] == ordered[:-1]].tolist())


def _merged(
    manifests: Sequence[ManifestFile], left: dict[bytes, int], entries: Entries
) -> Iterator[tuple[ManifestFile, Any]]:
    """Yield manifests and their entries that add a live file; in `left` stay unmatched DELETEs."""
    for manifest in manifests:
        for entry in entries(manifest) if manifest.num_added_files else ():
            if entry.kind:
                continue
            if left and (count := left.get(identity := identity_of(entry))):
                left[identity] = count - 1
                if count == 1:
                    del left[identity]
                continue
            yield manifest, entry


def _report_left(
    manifests: Sequence[ManifestFile], left: dict[bytes, int], entries: Entries, wrong: Wrong
) -> None:
    for manifest in manifests:
        for entry in entries(manifest) if manifest.num_deleted_files else ():
            if entry.kind and left.pop(identity_of(entry), 0):
                wrong(
                    manifest.file_name,
                    f"it deletes data file {_name_of(entry)}, but no manifest of the snapshot "
                    "adds it with the same partition, bucket, level and index",
                )


def _report_twice(
    manifests: Sequence[ManifestFile],
    deleted: Mapping[bytes, int],
    entries: Entries,
    again: Container[int],
    wrong: Wrong,
) -> None:
    # Names differ mostly; where they do not, partition, bucket and path may.
    first: dict[str, str] = {}
    for manifest, entry in _merged(manifests, dict(deleted), entries):
        if hash(name := _name_of(entry)) not in again:
            continue
        if (other := first.get(place := _place_of(entry))) is None:
            first[place] = manifest.file_name
            continue
        where = "this manifest" if other == manifest.file_name else other
        wrong(
            manifest.file_name,
            f"it adds data file {name}, which {where} also adds: its rows would be read twice",
        )


def _place_of(entry: Any) -> str:
    """Return where the file of an entry is, as a text in which NaN is equal to itself."""
    file = entry.file
    partition = tuple(entry.partition.values)
    return repr((partition, entry.bucket, file.file_name, file.external_path))


def _name_of(entry: Any) -> str:
    name: str = entry.file.file_name
    return name
