"""A table's metadata: its snapshots, schemas, tags and changelogs, and what their manifests name.

An error in one of them is a finding, and the others are still read.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from typing import Any

from paimon_ksy.errors import OutsideError, PaimonKsyError
from paimon_ksy.messages.findings import WARNING
from paimon_ksy.table.audit.findings import FindingCollector
from paimon_ksy.table.audit.references import REMEDY_DATA, FileReference
from paimon_ksy.table.model.documents import has_record_counts
from paimon_ksy.table.model.files import DataFile, IndexFile, TableSchema
from paimon_ksy.table.store import Table

OLD_INDEX = "queries of that snapshot may fail; the latest one does not need it"
REMEDY_SCHEMA = "restore the file from a backup: data files of that schema cannot be read"
REMEDY_HINT = "delete the file: readers find the snapshots without it"
_KEPT_ENTRIES = 10_000  # of manifests, in memory at a time: a bound
_ID_DIGITS = 20  # more than a snapshot's number has
_BEFORE_ALL = re.compile(r"0|-[0-9]")
"""What Paimon up to 0.7 writes in EARLIEST while no snapshot expires: the latest one's id - 9."""


class History:
    """The metadata of a table.

    Attributes:
        folder: The folder of the metadata.
        snapshots: The snapshots that can be read, by id; known after `read`.
        schemas: The schemas that can be read, by id; known after `read`.
        without_schema: The names of data files whose schema cannot be read, by its id.
    """

    def __init__(self, table: Table, findings: FindingCollector) -> None:
        """Read nothing yet; `findings` receives what is wrong."""
        self._table, self._storage, self._findings = table, table.storage, findings
        self.folder = table.metadata_path
        self.snapshots: dict[int, Any] = {}
        self.schemas: dict[int, TableSchema] = {}
        self.without_schema: defaultdict[int, set[str]] = defaultdict(set)
        self._unreadable: set[str] = set()  # names of manifests
        self._read: dict[str, list[Any]] = {}  # entries of manifests that others may have, too
        self._num_read = 0  # entries in them

    @property
    def was_made_before_0_8(self) -> bool:
        """Whether Paimon up to 0.7 made the table.

        Its snapshots add the records of deleted files, too, and their sums stay in later ones.
        """
        return any(schema.version == 1 for schema in self.schemas.values())

    def read(self) -> None:
        """Read schemas, snapshots and hints."""
        schema_ids = self._ids("schema", "schema-")
        for number in schema_ids:
            self._read_schema(number)
        ids = self._ids("snapshot", "snapshot-")
        for number in range(ids[0], ids[-1] + 1) if ids else ():
            self._read_snapshot(number, ids, schema_ids)
        for name in ("EARLIEST", "LATEST"):
            self._check_hint(name, ids)

    def _read_schema(self, number: int) -> None:
        path = f"{self.folder}/schema/schema-{number}"
        try:
            found = TableSchema.parse(self._storage.read(path))
            for name in (*found.partition_keys, *found.primary_keys):
                found.columns.column(name)
            self.schemas[number] = self._table.schema_at(number)
        except PaimonKsyError as error:
            self._findings.add_problem("schema", path, error, REMEDY_SCHEMA)
            return
        if found.id != number:
            message = f"it contains schema {found.id}, but is named schema-{number}"
            self._findings.add_problem("schema", path, message)

    def _read_snapshot(self, number: int, ids: list[int], schema_ids: list[int]) -> None:
        """Read a snapshot, and compare it with its name, its schema and the one before it."""
        path = f"{self.folder}/snapshot/snapshot-{number}"
        try:
            snapshot: Any = self._table.snapshot(number)
        except PaimonKsyError as error:
            missing = number not in ids
            gap = "it does not exist, but earlier and later snapshots do"
            self._findings.add_problem("snapshot", path, gap if missing else error)
            return
        self.snapshots[number] = snapshot
        if snapshot.id != number:
            message = f"it contains snapshot {snapshot.id}, but is named snapshot-{number}"
            self._findings.add_problem("snapshot", path, message)
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
                    f"it counts {snapshot.total_record_count} records instead of {due}: "
                    f"{before.total_record_count} before, and a change of "
                    f"{snapshot.delta_record_count}",
                )

    def _check_hint(self, name: str, ids: list[int]) -> None:
        """Check that a hint names a snapshot; `ids` were listed before."""
        path = f"{self.folder}/snapshot/{name}"
        try:
            if not self._storage.exists(path):
                return
            text = self._storage.read(path).decode("ascii", "replace").strip()
        except OutsideError as error:
            self._findings.add_outside(error)
            return
        except PaimonKsyError as error:
            self._findings.add_problem("hint", path, error, REMEDY_HINT, WARNING)
            return
        number = int(text) if text.isdecimal() and len(text) < _ID_DIGITS else None
        if number in ids:
            return
        if name == "EARLIEST" and self.was_made_before_0_8 and _BEFORE_ALL.fullmatch(text):
            return
        # One that was committed after `ids` were listed is there by now.
        named = f"{self.folder}/snapshot/snapshot-{number}"
        if number is not None and self._storage.exists(named):
            return
        there = f"{ids[0]} to {ids[-1]}" if ids else "none"
        if name == "LATEST" and number is not None and number > max(ids, default=0):
            # Who takes snapshots back writes the hint first.
            self._findings.add_problem(
                "snapshot",
                named,
                "it does not exist, but the hint LATEST names it. Snapshots are "
                f"{there}; later commits are lost",
                "restore the file from a backup; `paimon-ksy table inspect TABLE` "
                "shows the snapshots that exist",
            )
            return
        message = f"it contains {text[:20]!r}, but snapshots are {there}"
        self._findings.add_problem("hint", path, message, REMEDY_HINT, WARNING)

    def _ids(self, folder: str, prefix: str) -> list[int]:
        names = self._names(folder)
        numbers = [name.removeprefix(prefix) for name in names if name.startswith(prefix)]
        return sorted(int(number) for number in numbers if number.isdecimal())

    def _names(self, folder: str, listed: Callable[[str], list[str]] | None = None) -> list[str]:
        """Return the names in a folder of the metadata; none if it is outside the table."""
        try:
            return (listed or self._storage.names)(f"{self.folder}/{folder}")
        except OutsideError as error:
            self._findings.add_outside(error)
            return []

    def index_path(self, file: IndexFile) -> str | None:
        """Return the path of an index file; None if it is outside the table."""
        try:
            return self._table.paths.index_file(file)
        except OutsideError as error:
            self._findings.add_outside(error)
        except PaimonKsyError as error:
            self._findings.add_problem("manifest", file.file_name, error)
        return None

    def named(self) -> Iterator[FileReference]:
        """Yield all files that are named, except the data files of the latest snapshot."""
        for number in sorted(self.snapshots):
            yield from self._history_files(self.snapshots[number], number, f"snapshot {number}")
        yield from self._tags()
        yield from self._changelogs()

    def _history_files(
        self, snapshot: Any, number: int | None, of: str, *, whole: bool = False
    ) -> Iterator[FileReference]:
        """Yield the manifests of a snapshot, and the data files that the next one does not have.

        What the delta of a snapshot deletes was live in the one before. Tags have none after them:
        `whole`.
        """
        path = f"{self._table.location}/manifest"
        sizes = {
            "base": snapshot.base_manifest_list_size,
            "delta": snapshot.delta_manifest_list_size,
            "changelog": snapshot.changelog_manifest_list_size,
        }
        manifests: dict[str, list[Any]] = {}
        for role, size in sizes.items():
            name = getattr(snapshot, f"{role}_manifest_list")
            if not name or (role == "changelog" and whole):  # which Java keeps for no tag
                continue
            if role == "changelog" and ended_with_main(self._table, snapshot):
                continue
            yield FileReference(f"{path}/{name}", size, "manifest", of, snapshot=number)
            manifests[role] = self.manifest_list(name, number)
            for manifest in manifests[role]:
                yield FileReference(
                    f"{path}/{manifest.file_name}",
                    manifest.file_size,
                    "manifest",
                    f"manifest list {name}",
                    snapshot=number,
                )
        for entry in self._entries_of(manifests.get("changelog", ())):
            yield from self._named_by(entry, of, number)
        delta = manifests.get("delta", [])
        if whole:
            for entry in self.live_entries([*manifests.get("base", ()), *delta]):
                yield from self._named_by(entry, of, number)
        elif number is not None:
            change = both = 0
            is_counted = has_record_counts(snapshot)
            for entry in self._entries_of(delta):
                both += entry.file.row_count
                change += -entry.file.row_count if entry.kind else entry.file.row_count
                is_counted = is_counted and entry.file.write_cols is None
                if entry.kind and number - 1 in self.snapshots:
                    yield from self._named_by(entry, f"snapshot {number - 1}", number - 1)
            is_counted = is_counted and self.are_readable(delta)
            right = (change, both) if self.was_made_before_0_8 else (change,)
            if is_counted and snapshot.delta_record_count not in right:
                self._findings.add_problem(
                    "record-count",
                    f"{self.folder}/snapshot/snapshot-{number}",
                    f"it counts a change of {snapshot.delta_record_count} records, but its "
                    f"manifests {change}",
                )
        if snapshot.index_manifest:
            yield FileReference(
                f"{path}/{snapshot.index_manifest}", None, "manifest", of, snapshot=number
            )
            for file in self.index_files(snapshot, number):
                if (found := self.index_path(file)) is not None:
                    yield FileReference(found, file.file_size, "index-file", of, snapshot=number)

    def _named_by(self, entry: Any, of: str, number: int | None) -> Iterator[FileReference]:
        file = self.data_file(entry)
        if file is None:
            return
        yield FileReference(file.path, file.size, "data-file", of, REMEDY_DATA, number)
        for name in file.extra_files:
            path = f"{file.path.rpartition('/')[0]}/{name}"
            if name.endswith(".index"):
                yield FileReference(path, None, "index", of, OLD_INDEX, number, WARNING)
            else:
                yield FileReference(path, None, "data-file", of, REMEDY_DATA, number)

    def _tags(self) -> Iterator[FileReference]:
        for name in self._names("tag", self._storage.file_names):
            if not name.startswith("tag-"):
                continue
            path = f"{self.folder}/tag/{name}"
            try:
                snapshot: Any = self._table.snapshot(tag=name.removeprefix("tag-"))
            except PaimonKsyError as error:
                self._findings.add_problem("tag", path, error)
                continue
            same = self.snapshots.get(snapshot.id)
            if same is None or _manifests_of(same) != _manifests_of(snapshot):
                tag = name.removeprefix("tag-")
                yield from self._history_files(snapshot, None, f"tag {tag}", whole=True)

    def _changelogs(self) -> Iterator[FileReference]:
        for number in self._ids("changelog", "changelog-"):
            path = f"{self.folder}/changelog/changelog-{number}"
            try:
                found = self._table.snapshots.changelog(number)
            except PaimonKsyError as error:
                self._findings.add_problem("changelog", path, error)
                continue
            name = found.changelog_manifest_list
            if name:
                entries = self._entries_of(self.manifest_list(name, None))
                for entry in entries:
                    yield from self._named_by(entry, f"changelog {number}", None)

    def index_files(self, snapshot: Any, number: int | None) -> list[IndexFile]:
        """Return the index files of a snapshot; none if its index manifest cannot be read."""
        try:
            return self._table.index_manifests.of(snapshot)
        except PaimonKsyError as error:
            path = f"{self._table.location}/manifest/{snapshot.index_manifest}"
            if self.is_needed(number):
                self._findings.add_problem("manifest", path, error)
            return []

    def manifest_list(self, name: str, number: int | None) -> list[Any]:
        """Return the manifests of a list, which the snapshot of this number names."""
        try:
            return self._table.manifests.of_list(name)
        except PaimonKsyError as error:
            path = f"{self._table.location}/manifest/{name}"
            if self.is_needed(number):
                self._findings.add_problem("manifest", path, error)
            return []

    def are_readable(self, manifests: Iterable[Any]) -> bool:
        """Return whether all manifests could be read, of those that were read so far."""
        return all(manifest.file_name not in self._unreadable for manifest in manifests)

    def live_entries(self, manifests: Sequence[Any]) -> Iterator[Any]:
        """Yield the live entries of all manifests of a snapshot.

        A contradiction between manifests is a finding.
        """

        def wrong(manifest: str, message: str) -> None:
            if self.are_readable(manifests):  # else another, damaged one may have what one lacks
                self._findings.add_problem(
                    "manifest", f"{self._table.location}/manifest/{manifest}", message
                )

        yield from self._table.manifests.live_entries(manifests, self.entries, wrong=wrong)

    def _entries_of(self, manifests: Iterable[Any]) -> Iterator[Any]:
        for manifest in manifests:
            yield from self.entries(manifest)

    def entries(self, manifest: Any) -> list[Any]:
        """Return the entries of a manifest; none if it cannot be read (see `are_readable`)."""
        found = self._read.get(manifest.file_name)
        if found is None:
            found = self._entries_read(manifest)
            if found is None:
                self._unreadable.add(manifest.file_name)
                return []
            self._read[manifest.file_name] = found
            self._num_read += len(found)
            while self._num_read > _KEPT_ENTRIES:
                self._num_read -= len(self._read.pop(next(iter(self._read))))
        return found

    def _entries_read(self, manifest: Any) -> list[Any] | None:
        path = f"{self._table.location}/manifest/{manifest.file_name}"
        try:
            entries = self._table.manifests.entries(manifest)
        except PaimonKsyError as error:
            if not str(error).startswith(f"{self.folder}/schema/"):  # of which there is a finding
                self._findings.add_problem("manifest", path, error)
            return None
        deleted = sum(1 for entry in entries if entry.kind)
        added = len(entries) - deleted
        if (added, deleted) != (manifest.num_added_files, manifest.num_deleted_files):
            self._findings.add_problem(
                "manifest",
                path,
                f"it adds {added} and deletes {deleted} files, but its manifest list counts "
                f"{manifest.num_added_files} and {manifest.num_deleted_files}",
            )
        return entries

    def data_file(self, entry: Any) -> DataFile | None:
        """Return the data file of an entry, if its schema can be read."""
        if entry.file.schema_id not in self.schemas:
            self.without_schema[entry.file.schema_id].add(entry.file.file_name)
            return None
        try:
            return self._table.data_files.of_entry(entry)
        except OutsideError as error:
            self._findings.add_outside(error)
            return None
        except PaimonKsyError as error:
            self._findings.add_problem("manifest", entry.file.file_name, error)
            return None

    def is_needed(self, snapshot: int | None) -> bool:
        """Return whether the snapshot that names a file has not expired since."""
        if snapshot is None:
            return True
        return self._storage.exists(f"{self.folder}/snapshot/snapshot-{snapshot}")


def ended_with_main(table: Table, snapshot: Any) -> bool:
    """Return whether the changelog of a branch's snapshot expired with that of main.

    A branch that is made from a tag has a copy of the tag's snapshot. That names the changelog, of
    which neither a tag nor a branch keeps anything.
    """
    name = snapshot.changelog_manifest_list
    main = table.branch("main")
    if not name or table.metadata_path == main.metadata_path:
        return False
    own = f"{main.metadata_path}/snapshot/snapshot-{snapshot.id}"
    if table.storage.exists(table.metadata.manifest(name)) or table.storage.exists(own):
        return False
    wanted = _manifests_of(snapshot)
    return any(_manifests_of(tag) == wanted for of in (main, table) for tag in _tags_of(of))


def _tags_of(table: Table) -> Iterator[Any]:
    for file in table.storage.file_names(f"{table.metadata_path}/tag"):
        with suppress(PaimonKsyError):  # of which `_tags` adds a finding
            yield table.snapshot(tag=file.removeprefix("tag-"))


def _manifests_of(snapshot: Any) -> tuple[str | None, ...]:
    """Return the names of all that a snapshot, or a tag, names itself."""
    lists = snapshot.base_manifest_list, snapshot.delta_manifest_list
    return *lists, snapshot.changelog_manifest_list, snapshot.index_manifest
