"""The snapshots, tags, changelogs and consumers of a table or branch."""

from __future__ import annotations

import re
from collections.abc import Mapping

from paimon_ksy.errors import CorruptFileError, OptionError, PaimonKsyError
from paimon_ksy.messages.commands import table_command
from paimon_ksy.table.io.paths import file_name
from paimon_ksy.table.io.storage import Storage
from paimon_ksy.table.model.documents import consumer_document, snapshot_document
from paimon_ksy.table.model.files import Snapshot
from paimon_ksy.table.store.errors import REMEDY, REMEDY_LATEST, TranslatedErrors, pypaimon_module
from paimon_ksy.table.store.from_pypaimon import snapshot_of
from paimon_ksy.table.store.metadata_paths import MetadataPaths
from paimon_ksy.table.store.opened import Opened

_SNAPSHOT = re.compile(r"^snapshot-(\d+)$")

_SELECTORS = (
    *("scan.snapshot-id", "scan.tag-name", "scan.version", "scan.timestamp-millis"),
    "scan.watermark",
)
"""Options that select a state of a table."""

_WATERMARK = "watermark-"


def travel_options(snapshot_id: int | None, tag: str | None) -> dict[str, str | None]:
    """Return pypaimon's options to read a snapshot or a tag, instead of what options select."""
    selector = {"scan.snapshot-id": str(snapshot_id)} if tag is None else {"scan.tag-name": tag}
    return {**dict.fromkeys((*_SELECTORS, "scan.mode")), **selector}


def _whole(options: Mapping[str, str], name: str) -> int:
    text = options.get(name, "1").strip()
    if re.fullmatch("0*[1-9][0-9]{0,17}", text) is None:
        raise OptionError(f"option {name!r}: {text!r} is not a whole number from 1")
    return int(text)


BATCH_COMMIT = 0x7FFFFFFFFFFFFFFF
"""The commit identifier of batch jobs (`BatchWriteBuilder.COMMIT_IDENTIFIER`)."""


class Snapshots:
    """The snapshots, tags, changelogs and consumers of a table or branch.

    No snapshot that it returns names a file outside the table.
    """

    def __init__(self, opened: Opened, storage: Storage, paths: MetadataPaths, words: str) -> None:
        """Read the snapshots of a table, which messages call by `words`."""
        self._opened = opened
        self._storage = storage
        self._paths = paths
        self._words = words
        self._folder = f"{paths.folder}/snapshot"

    def latest(self) -> Snapshot | None:
        """Return the latest snapshot; None if there is none yet.

        Raises:
            PaimonKsyError: The snapshot cannot be read.
        """
        self._paths.file("snapshot", "LATEST")
        with TranslatedErrors(f"{self._paths.location}/snapshot/LATEST", REMEDY_LATEST):
            if self._opened.is_of_catalog:
                found = self._latest_of_catalog()
                return None if found is None else self.checked(found)
            number = self._latest_id()
        if number is None:
            return None
        path = f"{self._folder}/snapshot-{number}"
        with TranslatedErrors(path, REMEDY_LATEST):
            found = self._read(path)
        return self.checked(found)

    def of_id(self, snapshot_id: int) -> Snapshot:
        """Return a snapshot.

        Raises:
            PaimonKsyError: The snapshot expired, or never existed.
        """
        path = self._paths.file("snapshot", f"snapshot-{snapshot_id}")
        with TranslatedErrors(path):
            found = self._at(path)
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
            found = self._at(path) if tag.strip() else None
        if found is None:
            raise PaimonKsyError(
                f"has no tag {tag!r}",
                path=self._paths.location,
                remedy=f"`{table_command('inspect', table=self._words)}` lists them",
            )
        return self.checked(found, path)

    def selected(self, options: Mapping[str, str]) -> tuple[int | None, str | None]:
        """Return the id or the tag that options select, as in Java; neither for the latest state.

        Raises:
            OptionError: Several options select a state, or one is malformed.
            PaimonKsyError: They select no snapshot.
        """
        given = [(name, text) for name in _SELECTORS if (text := options.get(name, "").strip())]
        if len(given) > 1:
            raise OptionError(f"{given[0][0]} and {given[1][0]} exclude each other: reset one")
        if not given:
            if options.get("scan.mode", "").strip().lower() != "compacted-full":
                return None, None
            return self._compacted(_whole(options, "full-compaction.delta-commits")), None
        [(name, text)] = given
        if name == "scan.version":
            if self._storage.exists(self._paths.file("tag", f"tag-{text}")):
                name = "scan.tag-name"
            elif text.startswith(_WATERMARK):
                name, text = "scan.watermark", text.removeprefix(_WATERMARK)
            else:
                name = "scan.snapshot-id"
        if name == "scan.tag-name":
            return None, text
        number = _whole({name: text}, name)
        if name == "scan.snapshot-id":
            return number, None
        manager = self._opened.pypaimon.snapshot_manager()
        find = manager.later_or_equal_watermark
        if name == "scan.timestamp-millis":
            find = manager.earlier_or_equal_time_mills
        with TranslatedErrors(self._folder):
            found = find(number)
        if found is None:
            raise PaimonKsyError(
                f"has no snapshot for {name} = {text}: reset the option", path=self._paths.location
            )
        return int(found.id), None

    def _compacted(self, commits: int) -> int | None:
        """Return the id of the latest compaction by Java's `FullCompactedStartingScanner`.

        None if there is none.
        """
        number = 0 if (latest := self.latest()) is None else latest.id
        while self._storage.exists(f"{self._folder}/snapshot-{number}"):
            snapshot = self.of_id(number)
            identifier = snapshot.commit_identifier
            is_full = identifier % commits == 0 or identifier == BATCH_COMMIT
            if snapshot.commit_kind == "COMPACT" and is_full:
                return number
            number -= 1
        return None

    def changelog(self, snapshot_id: int) -> Snapshot:
        """Return the changelog that outlives the snapshot of this id.

        Raises:
            PaimonKsyError: The changelog does not exist.
        """
        path = self._paths.file("changelog", f"changelog-{snapshot_id}")
        text = self._storage.read(path)
        with TranslatedErrors(path):
            found = Snapshot.parse(text)
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

    def checked(self, snapshot: Snapshot, path: str | None = None) -> Snapshot:
        """Return a snapshot after checking that it names nothing outside the table.

        Args:
            snapshot: The snapshot.
            path: The file that contains it; None for the snapshot file of its id.

        Raises:
            OutsideError, CorruptFileError: It names a file outside the table, or its own file is
                elsewhere.
        """
        path = path or self._paths.file("snapshot", f"snapshot-{snapshot.id}")
        for name in (*snapshot.manifest_lists.values(), snapshot.index_manifest):
            if name:
                self._paths.manifest(name, path)
        if snapshot.statistics:
            file_name(snapshot.statistics, "file of statistics", path)
        return snapshot

    def _at(self, path: str) -> Snapshot | None:
        """Return the snapshot in a file; None if there is no such file."""
        return self._read(path) if self._storage.file_io.exists(path) else None

    def _read(self, path: str) -> Snapshot:
        return Snapshot.parse(self._storage.file_io.read_file_utf8(path))

    def _latest_of_catalog(self) -> Snapshot | None:
        manager = self._opened.pypaimon.snapshot_manager()
        found = manager.get_latest_snapshot()
        if found is None:
            return None
        snapshot_document(pypaimon_module("common.json_util").JSON.to_json(found))
        return snapshot_of(found)

    def _latest_id(self) -> int | None:
        """Return the id of the latest snapshot, by the rule of pypaimon's `SnapshotManager`.

        The hint LATEST may be outdated or broken. If it shows that snapshots exist, finding none is
        an error.
        """
        files, hint = self._storage.file_io, f"{self._folder}/LATEST"
        if not files.exists(self._folder):
            return None
        text, number = "", None
        failure: OSError | None = None
        if files.exists(hint):
            try:
                text = files.read_file_utf8(hint).strip()
                number = int(text) if text else None
            except OSError as error:
                failure = error
            except ValueError:
                text = text or "?"
        if (
            number is not None
            and files.exists(f"{self._folder}/snapshot-{number}")
            and not files.exists(f"{self._folder}/snapshot-{number + 1}")
        ):
            return number
        names = (status.path.split("/")[-1] for status in files.list_status(self._folder))
        ids = [int(found[1]) for name in names if (found := _SNAPSHOT.match(name))]
        if not ids and (text or failure):
            raise RuntimeError(
                f"Snapshot hint under {self._folder} indicates existing snapshots but none could "
                f"be resolved{f': {failure}' if failure else ''}"
            )
        return max(ids, default=None)
