"""Commit new indexes of data files, in manifests that are written while old ones are read."""

from __future__ import annotations

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from types import MappingProxyType
from typing import Any

import numpy as np
import pyarrow as pa

from paimon_ksy.errors import ConflictError, PaimonKsyError
from paimon_ksy.file_index.builder import marked
from paimon_ksy.table.engine import Engine
from paimon_ksy.table.manifests.entries import ADD, DELETE
from paimon_ksy.table.manifests.partitions import Partitions
from paimon_ksy.table.model.digests import DigestSet, of_bytes
from paimon_ksy.table.model.files import ManifestFile, Snapshot, digest_of
from paimon_ksy.table.store.commits import Attempts, Changes, commit, same_files
from paimon_ksy.table.store.file_entries import (
    Entries,
    changed,
    deleted_digests,
    digests,
    entries_of,
    of_live,
)
from paimon_ksy.table.store.manifest_writer import ManifestWriter, Record, field_of
from paimon_ksy.table.store.table import Table
from paimon_ksy.types.arrays import Numbers, to_arrow_array

_PART = 2000
"""The number of data files whose entries are written to a manifest at once."""

_PART_BYTES = 8 << 20
"""The most bytes of their embedded indexes."""


@dataclass(frozen=True, slots=True)
class NewIndex:
    """A data file's new index: `embedded` bytes, the name of a file beside it, or none."""

    embedded: bytes | None = None
    file_name: str | None = None


def commit_indexes(
    table: Table,
    planned: Mapping[bytes, NewIndex],
    engine: Engine | None = None,
    attempts: Attempts | None = None,
    properties: Mapping[str, str] = MappingProxyType({}),
) -> int | None:
    """Replace the indexes of data files in one snapshot of the kind COMPACT, as Java does.

    `planned` has the new index of each data file, by `DataFile.digest`. `attempts` receives the
    outcome.

    Returns:
        The snapshot's id; None if nothing changes.

    Raises:
        ConflictError: A file was removed or reindexed in the meantime; nothing is committed.
        UncertainError: It is unknown whether the snapshot was made.
    """
    if not planned:
        return None
    rewritten = Rewritten(table, planned, engine, properties)
    try:
        return commit(table, "COMPACT", rewritten.plan, attempts)
    except ConflictError:
        if rewritten.nothing:
            return None
        raise


class NewManifests:
    """Manifests of new entries, written in parts, so that at most one part is held in memory.

    `written` has the record of each manifest.
    """

    def __init__(self, writer: ManifestWriter) -> None:
        self._writer = writer
        self._old: list[pa.RecordBatch] = []
        self._new: list[pa.RecordBatch] = []
        self.written: list[Record] = []

    def add(self, old: pa.RecordBatch, new: pa.RecordBatch) -> None:
        """Add the entries that delete data files, and those that add them with other indexes."""
        self._old.append(old)
        self._new.append(new)
        size = sum(
            field_of(part, "_EMBEDDED_FILE_INDEX").nbytes for part in (*self._old, *self._new)
        )
        if sum(map(len, self._old)) >= _PART or size > _PART_BYTES:
            self.flush()

    def flush(self) -> None:
        """Write the entries that are in memory."""
        if self._old:
            self.written.append(self._writer.manifest([*self._old, *self._new]))
        self._old, self._new = [], []


def _among(
    planned: DigestSet, entries: pa.RecordBatch, numbers: Numbers, partitions: Partitions
) -> list[tuple[int, bytes]]:
    """Return which live files have one of these digests (see `of_live`)."""
    among = []
    for start in range(0, len(entries), 1000):
        some = slice(start, start + 1000)
        every = digests(entries[some], numbers[some], partitions)
        at = np.flatnonzero(planned.contains(of_bytes(b"".join(every)))).tolist()
        among += [(start + number, every[number]) for number in at]
    return among


class Rewritten:
    """The plan of a commit that replaces indexes of data files.

    `nothing` is whether all files have these indexes already.
    """

    def __init__(
        self,
        table: Table,
        planned: Mapping[bytes, NewIndex],
        engine: Engine | None,
        properties: Mapping[str, str],
    ) -> None:
        """Plan an index for each data file, by `DataFile.digest` (see `commit_indexes`)."""
        self.nothing = False
        self._table, self._planned, self._engine = table, planned, engine
        self._properties = properties
        self._seen: Snapshot | None = None

    def plan(self, snapshot: Snapshot | None, writer: ManifestWriter) -> Changes:
        """Write the manifests of an attempt, or reuse those of the last attempt if possible.

        Raises:
            ConflictError: A data file was removed or reindexed in the meantime.
        """
        if not self._untouched_until(snapshot):
            self._manifests = NewManifests(writer)
            self._write(snapshot)
        self._seen = snapshot
        return Changes(self._manifests.written, properties=self._properties)

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
            for gone in deleted_digests(table, manifests):
                if not self._planned.keys().isdisjoint(gone):
                    return False
        return True

    def _write(self, snapshot: Snapshot | None) -> None:
        manifests = self._table.manifests.of(snapshot)
        deleted = self._deleted(manifests)

        count = 0
        look = partial(_among, DigestSet(of_bytes(b"".join(self._planned))))
        for manifest, live in of_live(self._table, manifests, look, self._engine):
            count += len(live)
            for entries in entries_of(self._table, manifest, live):
                self._take(entries, deleted)
        self._manifests.flush()
        if count < len(self._planned):
            raise ConflictError(
                f"{len(self._planned) - count} of {len(self._planned)} data files were "
                "replaced or reindexed meanwhile",
                path=self._table.location,
            )
        self.nothing = not self._manifests.written

    def _take(self, entries: Entries, deleted: DigestSet) -> None:
        """Write entries of files with other indexes than now."""
        at: list[int] = []
        states: list[tuple[Any, ...]] = []
        each = zip(entries.keys, entries.states, entries.digests, strict=True)
        for number, (key, state, digest) in enumerate(each):
            index = self._planned[digest]
            names = [name for name in state[0] if not name.endswith(".index")]
            names += [] if index.file_name is None else [index.file_name]
            if (new := (tuple(names), index.embedded)) != state:
                at.append(number)
                states.append(_unlike(new, key, deleted))
        if at:
            old = entries.records.take(pa.array(at))
            extra, embedded = zip(*states, strict=True)
            fields = {
                "_EXTRA_FILES": to_arrow_array(extra, pa.large_list(pa.large_string())),
                "_EMBEDDED_FILE_INDEX": to_arrow_array(embedded, pa.large_binary()),
            }
            self._manifests.add(changed(old, DELETE), changed(old, ADD, **fields))

    def _deleted(self, manifests: Sequence[ManifestFile]) -> DigestSet:
        """Return the digests of files that entries delete; none if all new indexes are files."""
        deleted = DigestSet()
        if any(index.file_name is None for index in self._planned.values()):
            for each in deleted_digests(self._table, manifests, self._engine):
                deleted.add(of_bytes(b"".join(each)))
        return deleted


def _unlike(state: tuple[Any, ...], key: tuple[Any, ...], deleted: DigestSet) -> tuple[Any, ...]:
    """Return a variant of a state that no manifest deletes; else readers would omit its rows.

    An index file has a new name anyway. An embedded index, or none, recurs if an index is added and
    removed again. So this entry gets redundant bytes in the head of its index, which readers skip.
    """
    while len(deleted) and digest_of(key, state) in deleted:
        state = state[0], marked(state[1], uuid.uuid4().bytes[:8])
    return state
