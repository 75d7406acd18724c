"""Check a table's metadata: snapshots, schemas, tags and changelogs, and the files they name.

An error in a file is a finding, and the other files are still read.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import TypeVar

import numpy as np
import pyarrow as pa

from paimon_ksy.errors import MissingFileError, PaimonKsyError, counted
from paimon_ksy.messages.findings import WARNING
from paimon_ksy.table.audit.findings import FindingCollector
from paimon_ksy.table.audit.manifests import EntryBatch, ToRead
from paimon_ksy.table.audit.references import DELETED, LIVE, NONE, Referrer
from paimon_ksy.table.io.storage import is_id
from paimon_ksy.table.manifests.index_files import IndexFiles
from paimon_ksy.table.model.documents import has_record_counts
from paimon_ksy.table.model.files import ManifestFile, Snapshot, TableSchema
from paimon_ksy.table.store import HINTS, REMEDY, REMEDY_HINT, Table
from paimon_ksy.table.store.errors import REMEDY_SCHEMA
from paimon_ksy.types.arrays import Mask, to_numpy

_NUMBERED = "snapshot", "schema", "changelog"
T = TypeVar("T")
Name = TypeVar("Name", int, str)


class History:
    """The metadata of a table.

    Attributes:
        folder: The folder of the metadata.
        snapshots: The snapshots that can be read, by id; known after `read`.
        schemas: The schemas that can be read, by id; known after `read`.
        missing: The paths of snapshots, tags and changelogs that are visibly missing.
        without_schema: By the id of a schema that cannot be read, the first name of a data file
            that uses it.
    """

    def __init__(self, table: Table, findings: FindingCollector) -> None:
        """Initialise without reading; `findings` receives problems."""
        self._table, self._storage, self._findings = table, table.storage, findings
        self.folder = table.metadata_path
        self.snapshots: dict[int, Snapshot] = {}
        self.schemas: dict[int, TableSchema] = {}
        self.without_schema: dict[int, str] = {}
        self._unreadable: set[str] = set()  # names of manifests
        self.missing: set[str] = set()
        # By the name of a manifest: its files, the rows in them, and files with some columns.
        self._sums = defaultdict[str, Counter[str]](Counter)

    @property
    def was_made_before_0_8(self) -> bool:
        """Whether Paimon up to 0.7 made the table.

        Its snapshots also add the records of deleted files, and later snapshots keep these sums.
        """
        return any(schema.version == 1 for schema in self.schemas.values())

    @property
    def newest(self) -> Snapshot | None:
        """The latest snapshot that can be read."""
        return self.snapshots.get(max(self.snapshots, default=0))

    def read(self) -> None:
        """Read schemas, snapshots and hints."""
        schema_ids = self._listed_names("schema", self._table.schemas.ids)
        self.schemas = dict(self._loaded("schema", schema_ids, self._schema, REMEDY_SCHEMA))
        snapshots = self._table.snapshots
        for error in snapshots.missing():
            path = error.path or self.folder
            self.missing.add(path)
            self._findings.add_problem(
                path.removeprefix(f"{self.folder}/").partition("/")[0], path, error
            )
        ids = self._listed_names("snapshot", snapshots.ids)
        for number, snapshot in self._loaded("snapshot", ids, snapshots.of_id):
            self._check_snapshot(number, snapshot, schema_ids)
        for name in HINTS:
            self._check_hint(name, ids)
        for kind in _NUMBERED:
            self._check_names(kind)
        consumers = self._listed_names("consumer", snapshots.consumers)
        for name in consumers:
            self._check_consumer(name)

    def _check_names(self, kind: str) -> None:
        """Check that the names of snapshots, schemas or changelogs end with an id.

        Java's `FileUtils.listVersionedFiles` parses each of them, and accepts other digits.
        """
        folder = f"{self.folder}/{kind}"
        names = self._listed_names(kind, lambda: self._storage.names(folder, f"{kind}-"))
        for name in names:
            path = f"{folder}/{kind}-{name}"
            # pypaimon's temporary files exist only for a moment.
            if is_id(name) or path in self.missing or not self._storage.exists(path):
                continue
            message = f"{name!r:.60} is not an id: Java fails when it lists the folder"
            remedy = "move the file out of the folder; nothing needs it"
            self._findings.add_problem(kind, path, message, remedy, WARNING)

    def _check_consumer(self, name: str) -> None:
        """Check that Java can read a consumer."""
        path = f"{self.folder}/consumer/consumer-{name}"
        try:
            self._table.snapshots.consumer_position(name)
        except MissingFileError:
            pass  # it was deleted in the meantime
        except PaimonKsyError as error:
            self._findings.add_problem("consumer", path, error, severity=WARNING)

    def _schema(self, number: int) -> TableSchema:
        self._table.schemas.read(number)
        return self._table.schema_at(number)

    def _loaded(
        self, kind: str, names: list[Name], load: Callable[[Name], T], remedy: str = REMEDY
    ) -> Iterator[tuple[Name, T]]:
        """Yield the files of metadata of a kind that can be read, with their names or numbers."""
        for name in names:
            path = f"{self.folder}/{kind}/{kind}-{name}"
            if path in self.missing:
                continue
            try:
                loaded = load(name)
            except PaimonKsyError as error:
                self._findings.add_problem(kind, path, error, remedy)
                continue
            yield name, loaded

    def _check_snapshot(self, number: int, snapshot: Snapshot, schema_ids: list[int]) -> None:
        """Compare a snapshot with its schema and the previous snapshot."""
        path = f"{self.folder}/snapshot/snapshot-{number}"
        self.snapshots[number] = snapshot
        if snapshot.schema_id not in schema_ids:
            message = f"its schema {snapshot.schema_id} does not exist"
            self._findings.add_problem("schema", path, message)
        before = self.snapshots.get(number - 1)
        if before is not None and has_record_counts(before) and has_record_counts(snapshot):
            due = before.total_record_count + snapshot.delta_record_count
            if snapshot.total_record_count != due:
                self._findings.add_problem(
                    "record-count",
                    path,
                    f"it counts {counted(snapshot.total_record_count, 'record')} instead of {due}: "
                    f"{before.total_record_count} before, and a change of "
                    f"{snapshot.delta_record_count}",
                )

    def _check_hint(self, name: str, ids: list[int]) -> None:
        """Check that a hint names a snapshot; `ids` were listed before."""
        path = f"{self.folder}/snapshot/{name}"
        try:
            number = self._table.snapshots.hint(name)
        except PaimonKsyError as error:
            if path not in self.missing:
                self._findings.add_problem("hint", path, error, REMEDY_HINT, WARNING)
            return
        named = f"{self.folder}/snapshot/snapshot-{number}"
        if number is None or number in ids or named in self.missing:
            return
        if name == "EARLIEST" and self.was_made_before_0_8 and number <= 0:
            return  # up to Paimon 0.7, it is the latest id - 9 while no snapshot expires
        if self._storage.exists(named):  # it was committed after `ids` were listed
            return
        there = f"{ids[0]} to {ids[-1]}" if ids else "none"
        message = f"it contains {number}, but snapshots are {there}"
        self._findings.add_problem("hint", path, message, REMEDY_HINT, WARNING)

    def _listed_names(self, kind: str, names: Callable[[], list[T]]) -> list[T]:
        """Return the names in a metadata folder; empty if it cannot be listed."""
        try:
            return names()
        except PaimonKsyError as error:
            path = f"{self.folder}/{kind}"
            if path not in self.missing:
                self._findings.add_problem(kind, path, error)
            return []

    def add_unnamed(self, name: str, error: PaimonKsyError) -> None:
        """Add a file that a manifest names, but that has no valid path."""
        self._findings.add_problem("manifest", name, error)

    # Names of files --

    def to_read(self, latest: Snapshot | None, *, whole: bool) -> ToRead:
        """Return the manifests to read, from the manifest lists.

        `latest` is the snapshot whose data files are checked. With `whole`, the files of older
        snapshots, tags and changelogs are checked, too.
        """
        read = ToRead()
        if latest is not None:
            lists = latest.base_manifest_list, latest.delta_manifest_list
            manifests = [m for name in lists for m in self._listed(name, latest.id)]
            read.add_view(Referrer(f"snapshot {latest.id}", latest.id, LIVE), manifests)
        for referrer, snapshot, roles in self._roots() if whole else ():
            self._add_root(read, referrer, snapshot, roles)
        numbers = self._listed_names("changelog", self._table.snapshots.changelogs) if whole else []
        load = self._table.snapshots.changelog
        for number, changelog in self._loaded("changelog", numbers, load):
            if name := changelog.changelog_manifest_list:  # else it has that of the snapshot
                read.add(self._listed(name, None), Referrer(f"changelog {number}", None))
        return read

    def _add_root(
        self, read: ToRead, referrer: Referrer, snapshot: Snapshot, roles: Sequence[str]
    ) -> None:
        """Add the manifests of a snapshot, and what refers to them and to their files.

        Files that a snapshot's delta deletes were live in the previous snapshot. Tags have no next
        snapshot.
        """
        number = referrer.snapshot
        lists: dict[str, list[ManifestFile]] = {}
        for role in roles:
            if name := snapshot.manifest_lists[role]:
                size = getattr(snapshot, f"{role}_manifest_list_size")
                read.named[name, size] = referrer
                lists[role] = self._listed(name, number)
                by_list = Referrer(f"manifest list {name}", number)
                for manifest in lists[role]:
                    read.named[manifest.file_name, manifest.file_size] = by_list
        delta = lists.get("delta", [])
        read.add(lists.get("changelog", ()), referrer)
        if number is None:
            read.add_view(replace(referrer, files=LIVE), [*lists.get("base", ()), *delta])
        else:
            read.changes[number] = [manifest.file_name for manifest in delta]
            read.add(delta, replace(referrer, files=NONE))
            if (before := number - 1) in self.snapshots:
                read.add(delta, Referrer(f"snapshot {before}", before, DELETED))
        if name := snapshot.index_manifest:
            read.named[name, None] = referrer
            read.index_manifests[name] = snapshot, referrer

    def _roots(self) -> Iterator[tuple[Referrer, Snapshot, Sequence[str]]]:
        """Yield the snapshots, and the tags that differ from them, with their kinds of lists."""
        for number in sorted(self.snapshots):
            snapshot = self.snapshots[number]
            gone = self._table.lost_changelog(snapshot)
            roles = ("base", "delta") if gone else ("base", "delta", "changelog")
            yield Referrer(f"snapshot {number}", number), snapshot, roles
        tags = self._listed_names("tag", self._table.snapshots.tags)
        for tag, snapshot in self._loaded("tag", tags, self._table.snapshots.of_tag):
            same = self.snapshots.get(snapshot.id)
            if same is None or same.files != snapshot.files:
                # Java keeps no changelog for a tag.
                yield Referrer(f"tag {tag}", None), snapshot, ("base", "delta")

    def index_files(self, snapshot: Snapshot, number: int | None) -> Iterator[IndexFiles]:
        """Yield the files of a snapshot's index manifest, up to an error (see `has_read`)."""
        try:
            yield from self._table.index_manifests.columns(snapshot)
        except PaimonKsyError as error:
            self.add_unreadable(snapshot.index_manifest or "", error, [number])

    def has_read(self, name: str | None) -> bool:
        """Return whether no read of a manifest has failed."""
        return name not in self._unreadable

    def _listed(self, name: str, number: int | None) -> list[ManifestFile]:
        """Return the manifests of a list, which the snapshot with this number names."""
        try:
            return self._table.manifests.of_list(name)
        except PaimonKsyError as error:
            self.add_unreadable(name, error, [number])
            return []

    # Results of manifests --

    def add_unreadable(
        self, name: str, error: PaimonKsyError, snapshots: Iterable[int | None]
    ) -> None:
        """Add an unreadable manifest, or manifest list, if a snapshot still needs it."""
        self._unreadable.add(name)
        if any(map(self.is_needed, snapshots)):
            self._findings.add_problem("manifest", f"{self._table.location}/manifest/{name}", error)

    def are_readable(self, manifests: Iterable[ManifestFile]) -> bool:
        """Return whether all manifests that were read so far are readable."""
        return all(manifest.file_name not in self._unreadable for manifest in manifests)

    def add_contradiction(self, manifest: str, message: str) -> None:
        """Add a finding about a manifest that contradicts another one, or its manifest list."""
        path = f"{self._table.location}/manifest/{manifest}"
        self._findings.add_problem("manifest", path, message)

    def add_entries(self, batch: EntryBatch) -> Mask:
        """Add entries of manifests, and return those whose schema can be read."""
        entries, adds = batch.numbered.entries, batch.numbered.adds
        rows = to_numpy(entries.column("_ROW_COUNT"))
        written = to_numpy(entries.column("_WRITE_COLS").is_valid())
        for manifest, part in batch.parts():
            added, of_part = adds[part], rows[part]
            self._sums[manifest.file_name].update(
                added=int(added.sum()),
                deleted=int((~added).sum()),
                added_rows=int(of_part[added].sum()),
                deleted_rows=int(of_part[~added].sum()),
                partial=int(written[part].sum()),
            )
        is_known: Mask = np.isin(to_numpy(entries.column("_SCHEMA_ID")), [*self.schemas])
        if (unknown := (batch.named_by > 0) & ~is_known).any():
            self._add_without_schema(entries.select(["_SCHEMA_ID", "_FILE_NAME"]).filter(unknown))
        return is_known

    def _add_without_schema(self, entries: pa.RecordBatch) -> None:
        for number, name in zip(*(column.to_pylist() for column in entries), strict=True):
            self.without_schema[number] = min(name, self.without_schema.get(number, name))

    def check_counts(self, read: ToRead) -> None:
        """Compare the sums of manifests with those of lists and snapshots, once all are read."""
        for manifest, _ in read.manifests.values():
            sums = self._sums[manifest.file_name]
            listed = manifest.num_added_files, manifest.num_deleted_files
            if self.are_readable([manifest]) and (sums["added"], sums["deleted"]) != listed:
                self.add_contradiction(
                    manifest.file_name,
                    f"it adds {sums['added']} and deletes {counted(sums['deleted'], 'file')}, but "
                    f"its manifest list counts {listed[0]} and {listed[1]}",
                )
        for number, names in read.changes.items():
            self._check_change(self.snapshots[number], number, names)

    def _check_change(self, snapshot: Snapshot, number: int, delta: Sequence[str]) -> None:
        """Compare a snapshot's record counts with the files in its delta."""
        sums = sum((self._sums[name] for name in delta), Counter[str]())
        change, both = (sums["added_rows"] + by * sums["deleted_rows"] for by in (-1, 1))
        right = (change, both) if self.was_made_before_0_8 else (change,)
        is_counted = has_record_counts(snapshot) and self._unreadable.isdisjoint(delta)
        if is_counted and not sums["partial"] and snapshot.delta_record_count not in right:
            self._findings.add_problem(
                "record-count",
                f"{self.folder}/snapshot/snapshot-{number}",
                f"it counts a change of {counted(snapshot.delta_record_count, 'record')}, but its "
                f"manifests {change}",
            )

    def is_needed(self, snapshot: int | None) -> bool:
        """Return whether the snapshot that names a file has not expired meanwhile."""
        if snapshot is None:
            return True
        return self._storage.exists(f"{self.folder}/snapshot/snapshot-{snapshot}")
