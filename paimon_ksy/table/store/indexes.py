"""New indexes of data files, committed in manifests that are written while old ones are read."""

from __future__ import annotations

import uuid
from collections.abc import Container, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from paimon_ksy.errors import ConflictError, PaimonKsyError
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
    """Give data files, by `DataFile.digest`, other indexes in one snapshot; returns its id.

    Its kind is COMPACT, as of Java's rewrite_file_index. None if nothing changes. Raises
    ConflictError, with nothing committed, if a file is gone or has another index by now, and
    UncertainError if it cannot be told whether it was committed.
    """
    if not planned:
        return None
    rewritten = Rewritten(table, planned)
    try:
        return commit(table, "COMPACT", rewritten, join=rewritten.join)
    except PaimonKsyError as error:
        rewritten.discard()
        if rewritten.nothing and isinstance(error, ConflictError):
            return None
        raise


class Rewritten:
    """Data files that get other indexes, in manifests written while those of a snapshot are read:
    no more than a part of the entries is held.

    To `FileStoreCommit` it is the plan of a commit, called in each attempt with the latest
    snapshot, and its entries, of which it takes sums by partition. Rows, files and bytes stay as
    they were, so one data file of each partition, the last one made, is enough for that.
    """

    def __init__(self, table: Table, planned: Mapping[bytes, NewIndex]) -> None:
        self.nothing = False
        self._table, self._planned = table, planned
        manager = pypaimon_module("manifest.manifest_file_manager").ManifestFileManager
        self._manager = manager(table.pypaimon)
        self._manifests: list[Any] = []
        self._samples: dict[tuple[Any, ...], tuple[Any, Any]] = {}
        self._seen: Any = None
        self._may_be_named = False

    def __len__(self) -> int:
        return 2 * len(self._samples)

    def __iter__(self) -> Iterator[Any]:
        for pair in self._samples.values():
            yield from pair

    def join(self, store_commit: Any) -> None:
        """Have a FileStoreCommit take the manifests, and tell of each attempt how it ended."""
        store_commit._write_manifest_files = lambda *_: self._manifests
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

    def __call__(self, snapshot: Any) -> Rewritten:
        """Look for conflicts, and write the manifests if those there are do not do.

        Raises ConflictError if a data file is gone or has another index by now.
        """
        if not self._untouched_until(snapshot):
            self.discard()
            try:
                self._write(snapshot)
            except BaseException:
                self.discard()
                raise
        self._seen = snapshot
        return self

    def discard(self) -> None:
        """Delete the manifests, unless a snapshot may name them."""
        if not self._may_be_named:
            for meta in self._manifests:
                self._table.storage.delete(f"{self._manager.manifest_path}/{meta.file_name}")
        self._manifests, self._samples = [], {}
        self._seen, self._may_be_named = None, False

    def _untouched_until(self, snapshot: Any) -> bool:
        """Whether the manifests are those of an attempt that certainly failed, and the snapshots
        since then took out none of the data files: then little has to be read again."""
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
            for manifest in table.manifest_list(later.delta_manifest_list):
                for entry in table.entries(manifest) if manifest.num_deleted_files else ():
                    if entry.kind and table.digest_of(entry) in self._planned:
                        return False
        return True

    def _write(self, snapshot: Any) -> None:
        table = self._table
        manifests = [] if snapshot is None else table.manifests(snapshot)
        deleted = deleted_of(manifests, table.kept_entries)
        found = 0
        part: list[tuple[Any, Any]] = []
        for entry in table.live_entries(manifests, table.kept_entries, deleted=deleted):
            index = self._planned.get(table.digest_of(entry))
            if index is None:
                continue
            found += 1
            changed = replace(entry, kind=0, file=_with_index(entry.file, index))
            if identity_of(changed) != identity_of(entry):
                part.append((replace(entry, kind=1), _unlike(changed, deleted)))
            if len(part) == _PART:
                self._write_part(part)
                part = []
        if part:
            self._write_part(part)
        if found < len(self._planned):
            raise ConflictError(
                f"{len(self._planned) - found} of {len(self._planned)} data files were "
                "replaced or reindexed meanwhile",
                path=table.location,
            )
        self.nothing = not self._manifests

    def _write_part(self, part: list[tuple[Any, Any]]) -> None:
        entries = [old for old, _ in part] + [new for _, new in part]
        size = self._table.pypaimon.options.manifest_target_size()
        self._manifests += self._manager.rolling_write(entries, size, f"manifest-{uuid.uuid4()}")
        for pair in part:
            partition = self._table.partition_of(pair[0])
            if (other := self._samples.get(partition)) is None or _made(other) < _made(pair):
                self._samples[partition] = pair


def _made(pair: tuple[Any, Any]) -> float:
    """When a data file was made; pypaimon takes one that does not tell for new."""
    created = pair[0].file.creation_time
    return float("inf") if created is None else float(created.get_millisecond())


def _unlike(entry: Any, deleted: Container[bytes]) -> Any:
    """The entry as one that no manifest deletes, since pypaimon would then leave out its rows.

    A file's name is new anyway. An embedded index, or none, comes back if an index is put in, and
    out again: such a one has redundant bytes in its head, which readers pass over.
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
