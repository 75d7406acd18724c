"""What a table's metadata names: its snapshots, schemas, tags, changelogs, and their manifests.

They are read as audits do it: what is wrong with one is a finding, and the others are read on.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import Any

from paimon_ksy.errors import AccessError, PaimonKsyError
from paimon_ksy.table.audit_files import (
    ERROR,
    REMEDY_ACCESS,
    REMEDY_DATA,
    REMEDY_MANIFEST,
    WARNING,
    Finding,
    Named,
)
from paimon_ksy.table.store import DataFile, Table, TableSchema

OLD_INDEX = "queries of that snapshot may fail; the latest one does not need it"
REMEDY_SCHEMA = "restore the file from a backup: data files of that schema cannot be read"
_KEPT_ENTRIES = 10_000
_ID_DIGITS = 20  # more than a snapshot's number has


class History:
    """The metadata of a table, of which schemas and snapshots are known after `read`.

    What is found wrong on the way is in `found`, until it is drained.
    """

    def __init__(self, table: Table) -> None:
        self._table, self._storage = table, table.storage
        self.folder = table.metadata_path
        self.snapshots: dict[int, Any] = {}
        self.schemas: dict[int, TableSchema] = {}
        self.without_schema: defaultdict[int, set[str]] = defaultdict(set)
        """By the schema that is not there: names of data files."""
        self.unread = 0
        """Manifests: what they hold cannot be counted."""
        self.found: list[Finding] = []
        self._read: dict[str, list[Any]] = {}  # manifests that others may have, too
        self._num_read = 0  # entries in them

    def read(self) -> None:
        """Schemas, snapshots and hints."""
        schemas = self._ids("schema", "schema-")
        for number in schemas:
            path = f"{self.folder}/schema/schema-{number}"
            try:
                found = TableSchema.parse(self._storage.read(path))
                for name in (*found.partition_keys, *found.primary_keys):
                    found.columns.column(name)
                self.schemas[number] = self._table.schema_at(number)
            except PaimonKsyError as error:
                self.add("schema", path, error, REMEDY_SCHEMA)
            else:
                if found.id != number:
                    self.add("schema", path, f"it is schema {found.id}, its name says {number}")
        ids = self._ids("snapshot", "snapshot-")
        for number in range(ids[0], ids[-1] + 1) if ids else ():
            path = f"{self.folder}/snapshot/snapshot-{number}"
            try:
                snapshot: Any = self._table.snapshot(number)
            except PaimonKsyError as error:
                missing = number not in ids
                gap = "it is not there, and later and earlier ones are"
                self.add("snapshot", path, gap if missing else error)
                continue
            self.snapshots[number] = snapshot
            if snapshot.id != number:
                self.add("snapshot", path, f"it is snapshot {snapshot.id}")
            if snapshot.schema_id not in schemas:
                self.add("schema", path, f"its schema {snapshot.schema_id} is not there")
            before = self.snapshots.get(number - 1)
            if before is not None:
                due = before.total_record_count + snapshot.delta_record_count
                if snapshot.total_record_count != due:
                    self.add(
                        "record-count",
                        path,
                        f"it has {snapshot.total_record_count} records, and {due} are due: "
                        f"{before.total_record_count} before and a change of "
                        f"{snapshot.delta_record_count}",
                    )
        self._hints(ids)

    def _hints(self, ids: list[int]) -> None:
        for name in ("EARLIEST", "LATEST"):
            path = f"{self.folder}/snapshot/{name}"
            if not self._storage.exists(path):
                continue
            try:
                text = self._storage.read(path).decode("ascii", "replace").strip()
            except PaimonKsyError as error:
                self.add("hint", path, error, "delete it: it is only a hint", WARNING)
                continue
            number = int(text) if text.isdecimal() and len(text) < _ID_DIGITS else None
            # One that was committed after `ids` were listed is there by now.
            if number not in ids and (
                number is None
                or not self._storage.exists(f"{self.folder}/snapshot/snapshot-{number}")
            ):
                there = f"{ids[0]} to {ids[-1]}" if ids else "none"
                if name == "LATEST" and number is not None and number > max(ids, default=0):
                    # Who takes snapshots back writes the hint first.
                    self.add(
                        "snapshot",
                        f"{self.folder}/snapshot/snapshot-{number}",
                        f"it is not there, and the hint LATEST names it; snapshots are {there}: "
                        "what was committed later is lost",
                        "restore the file from a backup; or delete the hint, if nothing is missed",
                    )
                    continue
                message = f"it says {text[:20]!r}, and snapshots are {there}"
                self.add("hint", path, message, "delete it: it is only a hint", WARNING)

    def _ids(self, folder: str, prefix: str) -> list[int]:
        names = self._storage.names(f"{self.folder}/{folder}")
        numbers = [name.removeprefix(prefix) for name in names if name.startswith(prefix)]
        return sorted(int(number) for number in numbers if number.isdecimal())

    def named(self) -> Iterator[Named]:
        """All files that are named, but for the data files of the latest snapshot."""
        for number in sorted(self.snapshots):
            yield from self._history_files(self.snapshots[number], number, f"snapshot {number}")
        yield from self._tags()
        yield from self._changelogs()

    def _history_files(
        self, snapshot: Any, number: int | None, of: str, *, whole: bool = False
    ) -> Iterator[Named]:
        """The manifests of a snapshot, and the data files that the next one does not have.

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
            if not name or (whole and role == "changelog"):  # which Java keeps for no tag
                continue
            yield Named(f"{path}/{name}", size, "manifest", of, snapshot=number)
            manifests[role] = self.manifest_list(name, number)
            for manifest in manifests[role]:
                yield Named(
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
            live = self._table.live_entries([*manifests.get("base", ()), *delta], self.entries)
            for entry in live:
                yield from self._named_by(entry, of, number)
        elif number is not None:
            change, unread = 0, self.unread
            counted = True
            for entry in self._entries_of(delta):
                change += -entry.file.row_count if entry.kind else entry.file.row_count
                counted = counted and entry.file.write_cols is None
                if entry.kind and number - 1 in self.snapshots:
                    yield from self._named_by(entry, f"snapshot {number - 1}", number - 1)
            counted = counted and self.unread == unread
            if counted and change != snapshot.delta_record_count:
                self.add(
                    "record-count",
                    f"{self.folder}/snapshot/snapshot-{number}",
                    f"it changes the records by {snapshot.delta_record_count}, and its manifests "
                    f"by {change}",
                )
        if snapshot.index_manifest:
            yield Named(f"{path}/{snapshot.index_manifest}", None, "manifest", of, snapshot=number)
            for entry in self.index_entries(snapshot, number):
                yield Named(
                    self._table.index_file_path(entry),
                    entry.index_file.file_size,
                    "index-file",
                    of,
                    snapshot=number,
                )

    def _named_by(self, entry: Any, of: str, number: int | None) -> Iterator[Named]:
        file = self.data_file(entry)
        if file is None:
            return
        yield Named(file.path, file.size, "data-file", of, REMEDY_DATA, number)
        for name in file.extra_files:
            path = f"{file.path.rpartition('/')[0]}/{name}"
            if name.endswith(".index"):
                yield Named(path, None, "index", of, OLD_INDEX, number, WARNING)
            else:
                yield Named(path, None, "data-file", of, REMEDY_DATA, number)

    def _tags(self) -> Iterator[Named]:
        for name in self._storage.file_names(f"{self.folder}/tag"):
            if not name.startswith("tag-"):
                continue
            path = f"{self.folder}/tag/{name}"
            try:
                snapshot: Any = self._table.snapshot(tag=name.removeprefix("tag-"))
            except Exception as error:  # pypaimon's own, of each kind
                self.add("tag", path, _line(error))
                continue
            same = self.snapshots.get(snapshot.id)
            if same is None or _manifests_of(same) != _manifests_of(snapshot):
                tag = name.removeprefix("tag-")
                yield from self._history_files(snapshot, None, f"tag {tag}", whole=True)

    def _changelogs(self) -> Iterator[Named]:
        manager = self._table.pypaimon.changelog_manager()
        for number in self._ids("changelog", "changelog-"):
            path = f"{self.folder}/changelog/changelog-{number}"
            try:
                found = manager.long_lived_changelog(number)
            except Exception as error:  # as above
                self.add("changelog", path, _line(error))
                continue
            name = found.changelog_manifest_list
            if name:
                entries = self._entries_of(self.manifest_list(name, None))
                for entry in entries:
                    yield from self._named_by(entry, f"changelog {number}", None)

    def index_entries(self, snapshot: Any, number: int | None) -> list[Any]:
        """Of its index manifest; none if it cannot be read."""
        try:
            return self._table.index_entries(snapshot)
        except PaimonKsyError as error:
            path = f"{self._table.location}/manifest/{snapshot.index_manifest}"
            if self.is_needed(number):
                self.add("manifest", path, error)
            return []

    def manifest_list(self, name: str, number: int | None) -> list[Any]:
        """The manifests of a list, which the snapshot of this number names."""
        try:
            return self._table.manifest_list(name)
        except PaimonKsyError as error:
            path = f"{self._table.location}/manifest/{name}"
            if self.is_needed(number):
                self.add("manifest", path, error)
            self.unread += 1
            return []

    def _entries_of(self, manifests: Iterable[Any]) -> Iterator[Any]:
        for manifest in manifests:
            yield from self.entries(manifest)

    def entries(self, manifest: Any) -> list[Any]:
        """The entries of a manifest; none if it cannot be read, which is counted as `unread`."""
        found = self._read.get(manifest.file_name)
        if found is None:
            found = self._entries_read(manifest)
            if found is None:
                self.unread += 1
                return []
            self._read[manifest.file_name] = found
            self._num_read += len(found)
            while self._num_read > _KEPT_ENTRIES:
                self._num_read -= len(self._read.pop(next(iter(self._read))))
        return found

    def _entries_read(self, manifest: Any) -> list[Any] | None:
        path = f"{self._table.location}/manifest/{manifest.file_name}"
        try:
            entries = self._table.entries(manifest)
        except PaimonKsyError as error:
            if not str(error).startswith(f"{self.folder}/schema/"):  # which is told already
                self.add("manifest", path, error)
            return None
        deleted = sum(1 for entry in entries if entry.kind)
        added = len(entries) - deleted
        if (added, deleted) != (manifest.num_added_files, manifest.num_deleted_files):
            self.add(
                "manifest",
                path,
                f"it adds {added} and deletes {deleted} files, and its list says "
                f"{manifest.num_added_files} and {manifest.num_deleted_files}",
            )
        return entries

    def data_file(self, entry: Any) -> DataFile | None:
        """The file of an entry, if its schema is there."""
        if entry.file.schema_id not in self.schemas:
            self.without_schema[entry.file.schema_id].add(entry.file.file_name)
            return None
        try:
            return self._table.data_file(entry)
        except PaimonKsyError as error:
            self.add("manifest", entry.file.file_name, error)
            return None

    def is_needed(self, snapshot: int | None) -> bool:
        """Whether the snapshot that names a file has not expired since."""
        if snapshot is None:
            return True
        return self._storage.exists(f"{self.folder}/snapshot/snapshot-{snapshot}")

    def add(
        self,
        check: str,
        path: str,
        what: str | PaimonKsyError,
        remedy: str = REMEDY_MANIFEST,
        severity: str = ERROR,
    ) -> None:
        """A finding about a file of the metadata."""
        if isinstance(what, AccessError):
            remedy = REMEDY_ACCESS
        text = str(what).removeprefix(f"{path}: ")
        self.found.append(Finding(severity, check, path, None, None, text, remedy))

    def drain(self) -> list[Finding]:
        """What was found since the last time."""
        found, self.found = self.found, []
        return found


def _manifests_of(snapshot: Any) -> tuple[str | None, ...]:
    """The names of all that a snapshot, or a tag, names itself."""
    lists = snapshot.base_manifest_list, snapshot.delta_manifest_list
    return *lists, snapshot.changelog_manifest_list, snapshot.index_manifest


def _line(error: BaseException) -> str:
    text = str(error)
    return text.splitlines()[0] if text else type(error).__name__
