"""Find and delete orphans: index and vector files that nothing refers to.

No snapshot, tag or changelog of the table, or of one of its branches, names an orphan in any
manifest. Java's OrphanFilesClean decides so, too. Young files are left, since they may belong to a
commit that is under way.

Other tables may share an external path of data files. There, an index is an orphan only if it has
the name of a data file which is, or was, in this table. Links that lead out of the table are never
followed.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

from paimon_ksy.errors import OutsideError, PaimonKsyError
from paimon_ksy.table.audit.metadata import ended_with_main
from paimon_ksy.table.io.paths import external_paths
from paimon_ksy.table.io.storage import FolderItem
from paimon_ksy.table.store import Table, TableOrPath

OLDER_THAN = timedelta(days=1)

_ATTEMPTS = 3
_UUID = "[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}"
_NAME_ENDS = re.compile(r"[-.]")  # of a data file's name, in that of its index
_INDEX_FILE = re.compile(rf"index-{_UUID}-\d+")  # vectors and bucket indexes


@dataclass(frozen=True)
class Orphan:
    """A file that nothing refers to.

    Attributes:
        path: Its path.
        size: Its bytes.
        modified: When it was written, in seconds since 1970.
    """

    path: str
    size: int
    modified: float

    def to_json(self) -> dict[str, Any]:
        """Return the orphan as a JSON object."""
        return dict(self.__dict__)


class OrphansLeftError(PaimonKsyError):
    """Some orphans could not be deleted.

    Attributes:
        deleted: The orphans that were deleted.
        failed: The other orphans, each with the reason.
    """

    remedy = "make sure that you may delete them, then run the command again"

    def __init__(self, deleted: list[Orphan], failed: list[tuple[Orphan, str]]) -> None:
        some = f"{len(failed)} of {len(deleted) + len(failed)} orphans"
        super().__init__(f"{some} could not be deleted: {failed[0][1]}")
        self.deleted = deleted
        self.failed = failed


def orphans(
    table: TableOrPath,
    older_than: timedelta = OLDER_THAN,
    *,
    progress: Callable[[str, int], None] | None = None,
    outside: Callable[[OutsideError], None] | None = None,
) -> list[Orphan]:
    """Return the index and vector files of a table that nothing refers to, by path.

    Args:
        table: The table, or its folder.
        older_than: The least age of an orphan.
        progress: Receives `folders` or `manifests`, and how many more were read.
        outside: Receives an error for each link that leads out of the table.

    Raises:
        PaimonKsyError: Anything that may refer to such a file cannot be read.
    """
    if not isinstance(table, Table):
        table = Table.at(table)
    before = time.time() - older_than.total_seconds()
    # What is committed later than this is listed by no folder, or is young.
    progress = progress or (lambda what, count: None)
    walk = _Walk(table, progress, outside or (lambda error: None))
    there = [found for found in walk.files() if found[0].modified < before]
    if not there:
        return []
    referred = _referred(table, progress)

    def is_orphan(one: Orphan, is_own: bool) -> bool:
        name = one.path.rpartition("/")[2]
        if name in referred.indexes:
            return False
        return is_own or any(
            name[: at.start()] in referred.data_files for at in _NAME_ENDS.finditer(name)
        )

    return sorted((one for one, own in there if is_orphan(one, own)), key=lambda one: one.path)


def clean_orphans(
    table: TableOrPath,
    older_than: timedelta = OLDER_THAN,
    *,
    dry_run: bool = True,
    progress: Callable[[str, int], None] | None = None,
) -> list[Orphan]:
    """Delete what `orphans` returns, and return what was deleted; in a dry run, what would be.

    Args:
        table: The table, or its folder.
        older_than: The least age of an orphan.
        dry_run: Delete nothing.
        progress: Receives `folders` or `manifests`, and how many more were read.

    Raises:
        PaimonKsyError: As `orphans` does; nothing is deleted then.
        OrphansLeftError: Some could not be deleted; all others were.
    """
    if not isinstance(table, Table):
        table = Table.at(table)
    found = orphans(table, older_than, progress=progress)
    if dry_run:
        return found
    deleted: list[Orphan] = []
    failed: list[tuple[Orphan, str]] = []
    for orphan in found:
        try:
            if table.storage.remove(orphan.path):  # else somebody else was first
                deleted.append(orphan)
        except PaimonKsyError as error:
            failed.append((orphan, str(error)))
    if failed:
        raise OrphansLeftError(deleted, failed)
    return deleted


# Files that are there ---------------------------------------------------------------------------


@dataclass(frozen=True)
class _Walk:
    """The folders in which a table has indexes and vectors."""

    table: Table
    progress: Callable[[str, int], None]
    outside: Callable[[OutsideError], None]

    def files(self) -> Iterator[tuple[Orphan, bool]]:
        """Yield what may be an orphan by its name, and whether it is in the table's own folder.

        Raises:
            OutsideError: An option names a folder elsewhere for all data files.
        """
        table = self.table
        yield from self._files(f"{table.location}/index", in_bucket=False)
        for root in dict.fromkeys(
            (table.location, table.paths.data_folder, *external_paths(table.options))
        ):
            for bucket in self._buckets(root, len(table.schema.partition_keys)):
                yield from self._files(bucket, in_bucket=True)
                self.progress("folders", 1)

    def _buckets(self, folder: str, depth: int) -> Iterator[str]:
        for item in self._listing(folder):
            if item.is_folder and depth and "=" in item.name:
                yield from self._buckets(f"{folder}/{item.name}", depth - 1)
            elif item.is_folder and not depth and item.name.startswith("bucket-"):
                yield f"{folder}/{item.name}"

    def _files(self, folder: str, *, in_bucket: bool) -> Iterator[tuple[Orphan, bool]]:
        own = None
        for item in self._listing(folder):
            ours = _INDEX_FILE.fullmatch(item.name) or (in_bucket and item.name.endswith(".index"))
            if not ours or item.is_folder or item.modified is None:
                continue
            path = f"{folder}/{item.name}"
            try:
                self.table.storage.check(path)
            except OutsideError as error:
                self.outside(error)
                continue
            if own is None:
                roots = self.table.storage.roots
                own = roots is None or roots.is_own(folder)
            yield Orphan(path, item.size, item.modified), own

    def _listing(self, folder: str) -> list[FolderItem]:
        try:
            return self.table.storage.listing(folder)
        except OutsideError as error:
            self.outside(error)
            return []


# What refers to files ---------------------------------------------------------------------------


@dataclass(frozen=True)
class _Referred:
    """Names of index files that are needed, and of data files that a manifest names."""

    indexes: set[str] = field(default_factory=set)
    data_files: set[str] = field(default_factory=set)


def _referred(table: Table, progress: Callable[[str, int], None]) -> _Referred:
    """Return what any branch needs."""
    found = _Referred()
    read: set[str] = set()
    for branch in _branches(table):
        _add_referred(branch, found, read, progress)
    return found


def _branches(table: Table) -> Iterator[Table]:
    names = table.storage.names(f"{table.location}/branch")
    yield table.branch("main")
    for name in names:
        if name.startswith("branch-"):
            yield table.branch(name.removeprefix("branch-"))


def _add_referred(
    table: Table, found: _Referred, read: set[str], progress: Callable[[str, int], None]
) -> None:
    """Add to `found` what the snapshots, tags and changelogs of a branch refer to.

    Those that expire meanwhile need nothing.
    """
    done: set[str] = set()
    for attempt in range(_ATTEMPTS):
        try:
            for path, snapshot, roles in _roots(table, done):
                _add_files(table, snapshot, roles, found, read, progress)
                done.add(path)
        except PaimonKsyError:
            if attempt == _ATTEMPTS - 1:
                raise
        else:
            return


def _roots(table: Table, done: set[str]) -> Iterator[tuple[str, Any, tuple[str, ...]]]:
    storage, folder = table.storage, table.metadata_path
    kinds: list[tuple[str, Any]] = [
        ("tag", lambda name: table.snapshot(tag=name)),
        ("changelog", lambda name: table.snapshots.changelog(int(name))),
        ("snapshot", lambda name: table.snapshot(int(name))),
    ]
    for kind, load in kinds:
        for file in storage.file_names(f"{folder}/{kind}"):
            path = f"{folder}/{kind}/{file}"
            name = file.removeprefix(f"{kind}-")
            if name == file or path in done or not (kind == "tag" or name.isdecimal()):
                continue
            found = load(name)
            yield path, found, _needed(table, kind, found)


def _needed(table: Table, kind: str, snapshot: Any) -> tuple[str, ...]:
    """Return the kinds of manifests of which Java keeps what they name.

    A changelog stays when its snapshot expires, with its own list or else with the snapshot's. No
    changelog stays with a tag.
    """
    if kind == "tag":
        return ("delta", "base", "index")
    if kind == "snapshot":
        gone = ended_with_main(table, snapshot)
        return tuple(role for role in _ALL if role != "changelog" or not gone)
    if snapshot.changelog_manifest_list:
        return ("changelog",)
    if table.options.get("changelog-producer", "none").strip().lower() == "none":
        return ("delta", "base")
    # Where changelogs have files of their own the snapshot's lists go with it.
    return tuple(
        role
        for role in ("delta", "base")
        if table.storage.exists(table.metadata.manifest(getattr(snapshot, f"{role}_manifest_list")))
    )


_ALL = ("changelog", "delta", "base", "index")


def _add_files(
    table: Table,
    snapshot: Any,
    roles: tuple[str, ...],
    found: _Referred,
    read: set[str],
    progress: Callable[[str, int], None],
) -> None:
    for role in roles:
        name = getattr(snapshot, f"{role}_manifest_list", None)
        if not name or name in read:
            continue
        for manifest in table.manifests.of_list(name):
            if manifest.file_name in read:
                continue
            for entry in table.manifests.entries(manifest):
                found.indexes.update(entry.file.extra_files or ())
                found.data_files.add(entry.file.file_name)
            read.add(manifest.file_name)
            progress("manifests", 1)
        read.add(name)
    name = snapshot.index_manifest if "index" in roles else None
    if name and name not in read:
        found.indexes.update(
            entry.index_file.file_name for entry in table.index_manifests.entries(snapshot)
        )
        read.add(name)
