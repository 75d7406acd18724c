"""Commit new indexes of data files, in manifests that are written while old ones are read."""

from __future__ import annotations

import uuid
from collections.abc import Container, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from paimon_ksy.errors import ConflictError, PaimonKsyError
from paimon_ksy.table.model.files import Snapshot
from paimon_ksy.table.store.commits import commit, same_files
from paimon_ksy.table.store.entries import deleted_of, identity_of
from paimon_ksy.table.store.errors import pypaimon_module
from paimon_ksy.table.store.table import Table

_PART = 2000
"""Data files whose entries are written to a manifest at once."""


@dataclass(frozen=True, slots=True)
class NewIndex:
    """The index that a data file gets: `embedded` bytes, a file's name beside it, or none."""

    embedded: bytes | None = None
    file_name: str | None = None


def commit_indexes(table: Table, planned: Mapping[bytes, NewIndex]) -> int | None:
    """Give data files other indexes, in one snapshot of the kind COMPACT, as Java does.

    Args:
        table: The table.
        planned: The new index of each data file, by `DataFile.digest`.

    Returns:
        The snapshot's id; None if nothing changes.

    Raises:
        ConflictError: A file was removed, or has another index now; nothing is committed.
        UncertainError: It is not known whether it was committed.
    """
    if not planned:
        return None
    rewritten = Rewritten(table, planned)
    try:
        return commit(table, "COMPACT", rewritten.plan, join=rewritten.join)
    except PaimonKsyError as error:
        rewritten.discard()
        if rewritten.nothing and isinstance(error, ConflictError):
            return None
        raise


Pair = tuple[Any, Any]
"""pypaimon's entry that deletes a data file, and the one that adds it with another index."""


class Sample:
    """The entries that pypaimon takes sums of by partition.

    Rows, files and bytes stay as they were, so one data file of each partition, the last one made,
    is enough.
    """

    def __init__(self) -> None:
        self._pairs: dict[tuple[Any, ...], Pair] = {}

    def add(self, partition: tuple[Any, ...], pair: Pair) -> None:
        """Keep a pair if it is the last one made of its partition so far."""
        if (other := self._pairs.get(partition)) is None or _made(other) < _made(pair):
            self._pairs[partition] = pair

    def __len__(self) -> int:
        return 2 * len(self._pairs)

    def __iter__(self) -> Iterator[Any]:
        for pair in self._pairs.values():
            yield from pair


class NewManifests:
    """Manifests of pairs, written a part at a time: no more than a part of them is held."""

    def __init__(self, table: Table) -> None:
        manager = pypaimon_module("manifest.manifest_file_manager").ManifestFileManager
        self._manager = manager(table.pypaimon)
        self._table = table
        self._part: list[Pair] = []
        self.written: list[Any] = []
        """pypaimon's ManifestFileMeta of each."""
        self.sample = Sample()

    def add(self, pair: Pair) -> None:
        """Add a pair to the manifests."""
        self._part.append(pair)
        if len(self._part) == _PART:
            self.flush()

    def flush(self) -> None:
        """Write the pairs that are held."""
        if not self._part:
            return
        entries = [old for old, _ in self._part] + [new for _, new in self._part]
        size = self._table.pypaimon.options.manifest_target_size()
        self.written += self._manager.rolling_write(entries, size, f"manifest-{uuid.uuid4()}")
        for pair in self._part:
            self.sample.add(self._table.data_files.partition_of(pair[0]), pair)
        self._part = []

    def delete(self) -> None:
        """Delete the manifests that were written."""
        for meta in self.written:
            self._table.storage.delete(f"{self._manager.manifest_path}/{meta.file_name}")


class Rewritten:
    """The plan of a commit in which data files get other indexes.

    Attributes:
        nothing: Whether all of them have these indexes already.
    """

    def __init__(self, table: Table, planned: Mapping[bytes, NewIndex]) -> None:
        """Plan an index for each data file, by `DataFile.digest`."""
        self.nothing = False
        self._table, self._planned = table, planned
        self._manifests = NewManifests(table)
        self._seen: Snapshot | None = None
        self._may_be_named = False

    def join(self, store_commit: Any) -> None:
        """Have a FileStoreCommit take the manifests, and note how each attempt ended."""
        store_commit._write_manifest_files = lambda *_: self._manifests.written
        # Rows that are there have their ids and sequence numbers.
        store_commit._assign_snapshot_id = lambda _, entries: entries
        store_commit._group_commit_entries_by_partition = lambda entries: entries
        store_commit._assign_row_tracking_meta = lambda start, entries: (entries, start)
        publisher = store_commit.snapshot_commit

        def publish(*arguments: Any) -> Any:
            self._may_be_named = True
            done = type(publisher).commit(publisher, *arguments)
            self._may_be_named = bool(done)
            return done

        publisher.commit = publish

    def plan(self, snapshot: Snapshot | None) -> Sample:
        """Write the manifests of an attempt, unless those of the last attempt will do.

        Args:
            snapshot: The latest snapshot.

        Raises:
            ConflictError: A data file was removed, or has another index now.
        """
        if not self._untouched_until(snapshot):
            self.discard()
            try:
                self._write(snapshot)
            except BaseException:
                self.discard()
                raise
        self._seen = snapshot
        return self._manifests.sample

    def discard(self) -> None:
        """Delete the manifests, unless a snapshot may name them."""
        if not self._may_be_named:
            self._manifests.delete()
        self._manifests = NewManifests(self._table)
        self._seen, self._may_be_named = None, False

    def _untouched_until(self, snapshot: Snapshot | None) -> bool:
        """Return whether the manifests of the last attempt can be used again.

        They can if it certainly failed, and the snapshots since then took out none of the data
        files: then little has to be read again.
        """
        if self._seen is None or snapshot is None or self._may_be_named:
            return False
        table, seen = self._table, self._seen
        get = table.pypaimon.snapshot_manager().get_snapshot_by_id
        there = get(seen.id)
        if there is None or snapshot.id < seen.id or not same_files(seen, there):
            return False
        for number in range(seen.id + 1, snapshot.id + 1):
            if (later := get(number)) is None:
                return False
            for manifest in table.manifests.of_list(later.delta_manifest_list):
                if not manifest.num_deleted_files:
                    continue
                for entry in table.manifests.entries(manifest):
                    if entry.kind and table.data_files.digest_of(entry) in self._planned:
                        return False
        return True

    def _write(self, snapshot: Snapshot | None) -> None:
        read, digest_of = self._table.manifests, self._table.data_files.digest_of
        manifests = read.of(snapshot)
        deleted = deleted_of(manifests, read.kept_entries)
        found = 0
        for entry in read.live_entries(manifests, read.kept_entries, deleted=deleted):
            index = self._planned.get(digest_of(entry))
            if index is None:
                continue
            found += 1
            changed = replace(entry, kind=0, file=_with_index(entry.file, index))
            if identity_of(changed) != identity_of(entry):
                self._manifests.add((replace(entry, kind=1), _unlike(changed, deleted)))
        self._manifests.flush()
        if found < len(self._planned):
            raise ConflictError(
                f"{len(self._planned) - found} of {len(self._planned)} data files were "
                "replaced or reindexed meanwhile",
                path=self._table.location,
            )
        self.nothing = not self._manifests.written


def _made(pair: Pair) -> float:
    """Return when a data file was made; pypaimon takes one without a time for new."""
    created = pair[0].file.creation_time
    return float("inf") if created is None else float(created.get_millisecond())


def _unlike(entry: Any, deleted: Container[bytes]) -> Any:
    """Return the entry as one that no manifest deletes, since pypaimon would leave out its rows.

    The name of an index file is new anyway. An embedded index, or none, comes back if an index is
    put in, and out again: it gets redundant bytes in its head, which readers pass over.
    """
    from paimon_ksy.file_index.builder import marked

    while identity_of(entry) in deleted:
        made = marked(entry.file.embedded_index, uuid.uuid4().bytes[:8])
        entry = replace(entry, file=replace(entry.file, embedded_index=made))
    return entry


def _with_index(meta: Any, index: NewIndex) -> Any:
    others = [name for name in meta.extra_files or () if not name.endswith(".index")]
    own = [] if index.file_name is None else [index.file_name]
    return replace(meta, extra_files=[*others, *own], embedded_index=index.embedded)
