"""Commit new indexes of data files, in manifests that are written while old ones are read."""

from __future__ import annotations

import uuid
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

from paimon_ksy.errors import ConflictError, PaimonKsyError
from paimon_ksy.table.manifests.entries import ADD, DELETE
from paimon_ksy.table.manifests.partitions import Partitions
from paimon_ksy.table.model.digests import DigestSet, of_bytes
from paimon_ksy.table.model.files import ManifestFile, Snapshot, digest_of
from paimon_ksy.table.store.commits import Attempts, commit, same_files
from paimon_ksy.table.store.errors import not_written, pypaimon_module
from paimon_ksy.table.store.file_entries import (
    Numbers,
    RunOver,
    deleted_digests,
    digests,
    here,
    of_live,
    take_entries,
)
from paimon_ksy.table.store.table import Table

if TYPE_CHECKING:
    import pyarrow as pa

_PART = 2000
"""The number of data files whose entries are written to a manifest at once."""


@dataclass(frozen=True, slots=True)
class NewIndex:
    """A data file's new index: `embedded` bytes, the name of a file beside it, or none."""

    embedded: bytes | None = None
    file_name: str | None = None


def commit_indexes(
    table: Table,
    planned: Mapping[bytes, NewIndex],
    over: RunOver = here,
    attempts: Attempts | None = None,
) -> int | None:
    """Replace the indexes of data files in one snapshot of the kind COMPACT, as Java does.

    Args:
        table: The table.
        planned: The new index of each data file, by `DataFile.digest`.
        over: Returns a `Run` for manifests, to find these files.
        attempts: Receives the outcome.

    Returns:
        The snapshot's id; None if nothing changes.

    Raises:
        ConflictError: A file was removed or reindexed in the meantime; nothing is committed.
        UncertainError: It is unknown whether the snapshot was made.
    """
    if not planned:
        return None
    rewritten = Rewritten(table, planned, over)
    try:
        return commit(table, "COMPACT", rewritten.plan, join=rewritten.join, attempts=attempts)
    except ConflictError:
        if rewritten.nothing:
            return None
        raise


Pair = tuple[Any, Any]
"""pypaimon's entry that deletes a data file, and the entry that adds it with another index."""


class NewManifests:
    """Manifests of pairs, written in parts, so that at most one part is held in memory."""

    def __init__(self, table: Any) -> None:
        """Write manifests of pypaimon's table."""
        manager = pypaimon_module("manifest.manifest_file_manager").ManifestFileManager
        self._manager = manager(table)
        self._target = table.options.manifest_target_size()
        self._part: list[Pair] = []
        self.written: list[Any] = []
        """pypaimon's ManifestFileMeta of each manifest."""
        self.first: list[Any] = []
        """The first pair, which pypaimon counts: rows, files and bytes do not change."""

    def add(self, pair: Pair) -> None:
        """Add a pair to the manifests."""
        self.first = self.first or list(pair)
        self._part.append(pair)
        if len(self._part) == _PART:
            self.flush()

    def flush(self) -> None:
        """Write the pairs that are in memory."""
        if not self._part:
            return
        entries = [old for old, _ in self._part] + [new for _, new in self._part]
        base = f"manifest-{uuid.uuid4()}"
        try:
            self.written += self._manager.rolling_write(entries, self._target, base)
        except Exception as error:  # file systems raise all kinds
            raise not_written(error, str(self._manager.manifest_path)) from error
        self._part = []


@dataclass(frozen=True)
class _Among:
    """A function that returns which live files have one of these digests (see `of_live`)."""

    digests: Collection[bytes]

    def __reduce__(self) -> tuple[Any, ...]:
        return _Among, (frozenset(self.digests),)  # if it is a mapping, only the keys

    def __call__(
        self, entries: pa.RecordBatch, numbers: Numbers, partitions: Partitions
    ) -> list[tuple[int, bytes]]:
        found = digests(entries, numbers, partitions)
        return [(at, digest) for at, digest in enumerate(found) if digest in self.digests]


class Rewritten:
    """The plan of a commit that replaces indexes of data files.

    Attributes:
        nothing: Whether all files have these indexes already.
    """

    def __init__(self, table: Table, planned: Mapping[bytes, NewIndex], over: RunOver) -> None:
        """Plan an index for each data file, by `DataFile.digest` (see `commit_indexes`)."""
        self.nothing = False
        self._table, self._planned, self._over = table, planned, over
        self._seen: Snapshot | None = None

    def join(self, store_commit: Any) -> None:
        """Make a FileStoreCommit use the manifests."""
        self._new_manifests = partial(NewManifests, store_commit.table)
        store_commit._write_manifest_files = lambda *_: self._manifests.written
        # Existing rows already have their ids and sequence numbers.
        store_commit._assign_snapshot_id = lambda _, entries: entries
        store_commit._group_commit_entries_by_partition = lambda entries: entries
        store_commit._assign_row_tracking_meta = lambda start, entries: (entries, start)

    def plan(self, snapshot: Snapshot | None) -> list[Any]:
        """Write the manifests of an attempt, or reuse those of the last attempt if possible.

        Args:
            snapshot: The latest snapshot.

        Raises:
            ConflictError: A data file was removed or reindexed in the meantime.
        """
        if not self._untouched_until(snapshot):
            self._manifests = self._new_manifests()
            self._write(snapshot)
        self._seen = snapshot
        return self._manifests.first

    def _untouched_until(self, snapshot: Snapshot | None) -> bool:
        """Return whether the manifests of the last attempt can be reused.

        They can if no later snapshot removed any of the data files. Reuse saves reading most
        manifests again.
        """
        if self._seen is None or snapshot is None:
            return False
        table, seen = self._table, self._seen
        get = table.snapshots.of_id
        try:
            if snapshot.id < seen.id or not same_files(seen, get(seen.id)):
                return False
            later = [get(number) for number in range(seen.id + 1, snapshot.id + 1)]
        except PaimonKsyError:  # one has expired
            return False
        for each in later:
            manifests = table.manifests.of_list(each.delta_manifest_list)
            for found in deleted_digests(table, manifests, here):
                if not self._planned.keys().isdisjoint(found):
                    return False
        return True

    def _write(self, snapshot: Snapshot | None) -> None:
        manifests = self._table.manifests.of(snapshot)
        deleted = self._deleted(manifests)

        def take(key: tuple[Any, ...], entry: Any) -> None:
            index = self._planned[digest_of(key, _state(entry))]
            changed = replace(entry, kind=ADD, file=_with_index(entry.file, index))
            if _state(changed) != _state(entry):
                pair = replace(entry, kind=DELETE), _unlike(changed, key, deleted)
                self._manifests.add(pair)

        found = 0
        look = _Among(self._planned)
        for manifest, wanted in of_live(self._table, manifests, look, self._over):
            found += len(wanted)
            take_entries(self._table, manifest, wanted, take)
        self._manifests.flush()
        if found < len(self._planned):
            raise ConflictError(
                f"{len(self._planned) - found} of {len(self._planned)} data files were "
                "replaced or reindexed meanwhile",
                path=self._table.location,
            )
        self.nothing = not self._manifests.written

    def _deleted(self, manifests: Sequence[ManifestFile]) -> DigestSet:
        """Return the digests of files that entries delete; none if all new indexes are files."""
        found = DigestSet()
        if any(index.file_name is None for index in self._planned.values()):
            for each in deleted_digests(self._table, manifests, self._over):
                found.add(of_bytes(b"".join(each)))
        return found


def _state(entry: Any) -> tuple[Any, ...]:
    """Return `DataFile.state` of the file in pypaimon's entry."""
    return tuple(entry.file.extra_files or ()), entry.file.embedded_index


def _unlike(entry: Any, key: tuple[Any, ...], deleted: DigestSet) -> Any:
    """Return a variant of the entry that no manifest deletes; else pypaimon would omit its rows.

    An index file has a new name anyway. An embedded index, or none, recurs if an index is added and
    removed again. So this entry gets redundant bytes in the head of its index, which readers skip.
    """
    from paimon_ksy.file_index.builder import marked

    while digest_of(key, _state(entry)) in deleted:
        made = marked(entry.file.embedded_index, uuid.uuid4().bytes[:8])
        entry = replace(entry, file=replace(entry.file, embedded_index=made))
    return entry


def _with_index(meta: Any, index: NewIndex) -> Any:
    others = [name for name in meta.extra_files or () if not name.endswith(".index")]
    own = [] if index.file_name is None else [index.file_name]
    return replace(meta, extra_files=[*others, *own], embedded_index=index.embedded)
