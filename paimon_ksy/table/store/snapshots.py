"""The snapshots, tags, changelogs and consumers of a table or branch."""

from __future__ import annotations

from typing import Any

from paimon_ksy.errors import CorruptFileError, PaimonKsyError
from paimon_ksy.messages.commands import table_command
from paimon_ksy.table.io.paths import file_name
from paimon_ksy.table.io.storage import Storage
from paimon_ksy.table.model.documents import consumer_document, snapshot_document
from paimon_ksy.table.model.files import Snapshot
from paimon_ksy.table.store.errors import REMEDY, REMEDY_LATEST, TranslatedErrors, pypaimon_module
from paimon_ksy.table.store.from_pypaimon import snapshot_of
from paimon_ksy.table.store.metadata_paths import MetadataPaths


class Snapshots:
    """The snapshots, tags, changelogs and consumers of a table or branch.

    None of those that are returned names a file outside the table.
    """

    def __init__(
        self, pypaimon_table: Any, storage: Storage, paths: MetadataPaths, words: str
    ) -> None:
        """Read those of a table of pypaimon, which messages call by these words."""
        self._pypaimon = pypaimon_table
        self._storage = storage
        self._paths = paths
        self._words = words

    def latest(self) -> Snapshot | None:
        """Return the latest snapshot; None if there is none yet.

        Raises:
            PaimonKsyError: It cannot be read.
        """
        manager = self._pypaimon.snapshot_manager()
        self._paths.file("snapshot", "LATEST")
        with TranslatedErrors(f"{self._paths.location}/snapshot/LATEST", REMEDY_LATEST):
            found = manager.get_latest_snapshot()
            if found is not None and manager.snapshot_loader is not None:  # which a server sent
                snapshot_document(pypaimon_module("common.json_util").JSON.to_json(found))
        return None if found is None else self.checked(found)

    def of_id(self, snapshot_id: int) -> Snapshot:
        """Return a snapshot.

        Raises:
            PaimonKsyError: It expired, or never existed.
        """
        path = self._paths.file("snapshot", f"snapshot-{snapshot_id}")
        with TranslatedErrors(path):
            found = self._pypaimon.snapshot_manager().get_snapshot_by_id(snapshot_id)
        if found is None:
            raise PaimonKsyError(
                f"has no snapshot {snapshot_id}; it may have expired",
                path=self._paths.location,
                remedy=f"`{table_command('inspect', table=self._words)}` lists those that exist",
            )
        if found.id != snapshot_id:
            raise CorruptFileError(
                f"id is {found.id}, but the file is named snapshot-{snapshot_id}",
                path=path,
                remedy=REMEDY,
            )
        return self.checked(found)

    def of_tag(self, tag: str) -> Snapshot:
        """Return the snapshot of a tag.

        Raises:
            PaimonKsyError: There is no such tag.
        """
        path = self._paths.file("tag", f"tag-{tag}")
        with TranslatedErrors(path):
            found = self._pypaimon.tag_manager().get(tag) if tag.strip() else None
        if found is None:
            raise PaimonKsyError(
                f"has no tag {tag!r}",
                path=self._paths.location,
                remedy=f"`{table_command('inspect', table=self._words)}` lists them",
            )
        return self.checked(found.trim_to_snapshot(), path)

    def changelog(self, snapshot_id: int) -> Snapshot:
        """Return the changelog that outlives the snapshot of this id.

        Raises:
            PaimonKsyError: It does not exist.
        """
        path = self._paths.file("changelog", f"changelog-{snapshot_id}")
        text = self._storage.read(path)
        with TranslatedErrors(path):
            found = pypaimon_module("changelog.changelog").Changelog.from_json(text)
        return self.checked(found, path)

    def consumer_position(self, name: str) -> int:
        """Return the id of the snapshot that a consumer reads next.

        Raises:
            PaimonKsyError: The consumer does not exist, or its file is broken.
        """
        path = self._paths.file("consumer", f"consumer-{name}")
        text = self._storage.read(path)
        with TranslatedErrors(path):
            return int(consumer_document(text)["nextSnapshot"])

    def checked(self, snapshot: Any, path: str | None = None) -> Snapshot:
        """Return a snapshot of pypaimon, if it names nothing outside the table.

        Args:
            snapshot: pypaimon's `Snapshot`.
            path: The file that contains it; None for that of its id.

        Raises:
            OutsideError, CorruptFileError: It does, or its own file is elsewhere.
        """
        path = path or self._paths.file("snapshot", f"snapshot-{snapshot.id}")
        found = snapshot_of(snapshot)
        for name in (*found.manifest_lists.values(), found.index_manifest):
            if name:
                self._paths.manifest(name, path)
        if found.statistics:
            file_name(found.statistics, "file of statistics", path)
        return found
