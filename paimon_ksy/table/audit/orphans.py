"""Find and delete orphans: indexes, vector files and manifests that nothing refers to.

An orphan is in no manifest of any snapshot, tag or changelog of the table or its branches, or is a
manifest that none of them names. This is the rule of Java's OrphanFilesClean. Young files are kept,
because they may belong to a running commit. If a snapshot, tag or branch is visibly missing,
nothing is an orphan.

External paths are not searched, because other tables may share them. Links that lead out of the
table are never followed.

Folders are listed, and manifests read, as tasks of an engine. The caller's process keeps a digest
of each name, and the orphans.
"""

from __future__ import annotations

import re
import time
import uuid
from collections.abc import Callable, Iterator, Sequence, Set
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import timedelta
from functools import partial
from itertools import chain, compress
from typing import Any

import numpy as np

from paimon_ksy.errors import MissingFileError, OutsideError, PaimonKsyError
from paimon_ksy.messages.answers import Answer, keyed
from paimon_ksy.table.engine import Engine, in_threads, titled
from paimon_ksy.table.io.storage import FolderItem, Storage
from paimon_ksy.table.manifests.scan import Group, grouped
from paimon_ksy.table.model.digests import Digests, DigestSet, digests
from paimon_ksy.table.model.files import ManifestFile
from paimon_ksy.table.query.run import default_engine, engine_of
from paimon_ksy.table.store import Table, TableOrPath

OLDER_THAN = timedelta(days=1)

_ATTEMPTS = 3
_UUID = "[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}"
_INDEX_FILE = rf"index-{_UUID}-\d+|[a-z0-9-]+-global-index-{_UUID}\.index"
_NAMES = {
    "index": re.compile(_INDEX_FILE),
    "bucket": re.compile(rf"{_INDEX_FILE}|.*\.index", re.DOTALL),
    "manifest": re.compile(rf"(manifest|manifest-list|index-manifest)-{_UUID}(-\w+)*"),
}
"""The names of possible orphans, by the kind of their folder."""


@dataclass(frozen=True)
class Orphan(Answer):
    """A file that nothing refers to.

    Attributes:
        path: Its path.
        size: Its bytes.
        modified: When it was written, in seconds since 1970.
    """

    path: str = field(metadata=keyed("file"))
    size: int = field(metadata=keyed("bytes"))
    modified: float


class OrphansLeftError(PaimonKsyError):
    """Some orphans could not be deleted.

    Those that `failed` have the reason.
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
    engine: Engine | None = None,
    spark: Any = None,
    progress: Callable[[str, int], None] | None = None,
) -> list[Orphan]:
    """Return the index, vector and manifest files of a table that nothing refers to, by path.

    Args:
        table: The table, or its folder.
        older_than: The minimum age of an orphan.
        engine: The engine to run on; the default is this machine.
        spark: A SparkSession to run on, instead of `engine`.
        progress: Called with `folders` or `manifests`, and the number of them just read.

    Raises:
        PaimonKsyError: Metadata that may refer to such a file is missing, or cannot be read.
    """
    table = Table.of(table)
    engine = in_threads(engine or engine_of(spark) or default_engine(table))
    engine = titled(engine, "clean_orphans", table.location, unit="tasks")
    progress = progress or (lambda what, count: None)
    before = time.time() - older_than.total_seconds()
    # Files of later commits are not listed below, or are young.
    lister = _Lister(table.storage, before)
    listed = list[_Folder]()
    for folder, listing in engine.map(lister, _folders(table)):
        progress("folders", 1)
        if len(listing.names):
            listed.append(replace(folder, names=listing.names))
    if not listed:
        return []
    references = _References(table, engine, progress)
    references.read()
    left = (replace(folder, names=references.missing(folder.names)) for folder in listed)
    # Folders are listed again, because few have orphans, and paths take more memory than digests.
    again = engine.map(lister, (folder for folder in left if len(folder.names)))
    orphaned = chain.from_iterable(listing.files for _, listing in again)
    return sorted(orphaned, key=lambda orphan: orphan.path)


def clean_orphans(
    table: TableOrPath,
    older_than: timedelta = OLDER_THAN,
    *,
    dry_run: bool = True,
    engine: Engine | None = None,
    spark: Any = None,
    progress: Callable[[str, int], None] | None = None,
) -> list[Orphan]:
    """Delete orphaned files, and return them; in a dry run, return those it would delete.

    Args:
        table: The table, or its folder.
        older_than: The minimum age of an orphan.
        dry_run: Delete nothing.
        engine: The engine to run on; the default is this machine.
        spark: A SparkSession to run on, instead of `engine`.
        progress: Called with `folders` or `manifests`, and the number of them just read.

    Raises:
        PaimonKsyError: Metadata that may refer to such a file is missing, or cannot be read.
            Nothing is deleted.
        OrphansLeftError: Some files could not be deleted; all others were deleted.
    """
    table = Table.of(table)
    orphaned = orphans(table, older_than, engine=engine, spark=spark, progress=progress)
    if dry_run:
        return orphaned
    deleted: list[Orphan] = []
    failed: list[tuple[Orphan, str]] = []
    if orphaned:
        # The clock of this machine may be ahead of the one that sets the times of files.
        before = _now(table.storage, orphaned[0]) - older_than.total_seconds()
        orphaned = [orphan for orphan in orphaned if orphan.modified < before]
    for orphan in orphaned:
        try:
            if table.storage.remove(orphan.path):  # otherwise, another process deleted it first
                deleted.append(orphan)
        except PaimonKsyError as error:
            failed.append((orphan, str(error)))
    if failed:
        raise OrphansLeftError(deleted, failed)
    return deleted


def _now(storage: Storage, orphan: Orphan) -> float:
    """Return the time of a new file beside an orphan, according to the store's clock.

    If this process is killed before it deletes the file, the file becomes an orphan itself.
    """
    folder, _, name = orphan.path.rpartition("/")
    kind = "manifest" if _NAMES["manifest"].fullmatch(name) else "index"
    path = f"{folder}/{kind}-{uuid.uuid4()}-0"
    storage.write(path, b"")
    try:
        modified = storage.status(path).modified
        storage.remove(path)
    except BaseException:
        storage.delete(path)
        raise
    return time.time() if modified is None else modified


# Files in folders -------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Folder:
    """A folder with possible orphans in it, or in the buckets in it.

    `kind` is `index`, `manifest`, `bucket` or `partition`. `names` are digests of the names of
    possible orphans; none before they are listed.
    """

    path: str
    kind: str
    names: Digests = field(default_factory=lambda: digests([]))


@dataclass(frozen=True)
class _Listing:
    """The possible orphans in a folder.

    Attributes:
        names: Digests of their names.
        files: Those whose names were given.
    """

    names: Digests
    files: list[Orphan]


def _folders(table: Table) -> Iterator[_Folder]:
    """Yield the folders in which a table has indexes, vectors and manifests.

    Raises:
        OutsideError: An option names a folder elsewhere for all data files.
    """
    yield _Folder(f"{table.location}/index", "index")
    yield _Folder(f"{table.location}/manifest", "manifest")
    depth = len(table.schema.partition_keys)
    for root in dict.fromkeys((table.location, table.paths.data_folder)):
        for path in _below(table.storage, root, depth):
            yield _Folder(path, "partition" if depth else "bucket")


def _below(storage: Storage, folder: str, depth: int = 0) -> Iterator[str]:
    """Yield the folders of partitions at a depth below a folder; at depth 0, those of buckets."""
    for item in _listing(storage, folder):
        is_one = "=" in item.name if depth else item.name.startswith("bucket-")
        path = f"{folder}/{item.name}"
        if item.is_folder and is_one and depth > 1:
            yield from _below(storage, path, depth - 1)
        elif item.is_folder and is_one:
            yield path


def _listing(storage: Storage, folder: str) -> Iterator[FolderItem]:
    """Yield the items in a folder; none if a link leads out of the table."""
    with suppress(OutsideError):
        yield from storage.items(folder)


@dataclass(frozen=True)
class _Lister:
    """A function that lists the possible orphans in a folder: index files of this age."""

    storage: Storage
    before: float

    def __call__(self, folder: _Folder) -> _Listing:
        candidates = self._candidates(folder.path, folder.kind)
        if not len(folder.names):
            return _Listing(digests(map(_name, candidates)), [])
        files = list(candidates)
        names = digests(map(_name, files))
        given = DigestSet(folder.names).contains(names)
        return _Listing(names, list(compress(files, given)))

    def _candidates(self, folder: str, kind: str) -> Iterator[Orphan]:
        """Yield possible orphans in a folder of the table."""
        if kind == "partition":
            for path in _below(self.storage, folder):
                yield from self._candidates(path, "bucket")
            return
        is_own = False
        for item in _listing(self.storage, folder):
            if not (_NAMES[kind].fullmatch(item.name) and self._is_old(item)):
                continue
            path = f"{folder}/{item.name}"
            with suppress(OutsideError):  # of a link
                self.storage.roots.check_file(path)
                is_own = is_own or self.storage.roots.check_change(path)
                if not is_own:  # the folder is an external path
                    return
                yield Orphan(path, item.size, item.modified or 0.0)

    def _is_old(self, item: FolderItem) -> bool:
        return item.is_file and item.modified is not None and item.modified < self.before


def _name(orphan: Orphan) -> str:
    return orphan.path.rpartition("/")[2]


# References to files ----------------------------------------------------------------------------


def _names_in(table: Table, manifests: Group) -> Digests:
    """Return the names of index files."""
    names = [digests([])]
    for entries, _ in table.manifests.stored(manifests):
        names.append(digests(entries.column("_EXTRA_FILES").flatten().to_pylist()))
    return np.concatenate(names)


class _References:
    """The names of index files and manifests that any branch of a table needs."""

    def __init__(self, table: Table, engine: Engine, progress: Callable[[str, int], None]) -> None:
        self._table, self._engine, self._progress = table, engine, progress
        self._names = DigestSet()
        self._read: set[str] = set()  # names of manifests and lists
        self._roots: set[str] = set()  # paths of snapshots, tags and changelogs

    def missing(self, names: Digests) -> Digests:
        """Return the names that nothing refers to."""
        return names[~self._names.contains(names)]

    def read(self) -> None:
        """Read the names.

        Roots are listed twice. In between, a tag may become a branch, or a snapshot a tag, and then
        expire. If the first lists lack both, the second ones have the new root.

        Raises:
            PaimonKsyError: A manifest cannot be read, or the table has no snapshot and no tag.
        """
        for _ in range(2):
            for branch in self._table.branches():
                self._add(branch)
        if not self._roots:
            raise PaimonKsyError(
                "has files, but neither a snapshot nor a tag that could need them",
                path=self._table.location,
                remedy="restore its metadata from a backup, or drop the table with Java",
            )

    def _add(self, branch: Table) -> None:
        """Add what a branch refers to. Roots that expire in the meantime need nothing."""
        for attempt in range(_ATTEMPTS):
            new: set[str] = set()
            try:
                branch.snapshots.check_complete()
                groups = grouped(self._manifests(branch, new))
                for group, names in self._engine.map(partial(_names_in, branch), groups):
                    self._names.add(names)
                    self._read.update(manifest.file_name for manifest in group)
                    self._progress("manifests", len(group))
            except PaimonKsyError:
                if attempt == _ATTEMPTS - 1:
                    raise
            else:
                self._roots |= new
                return

    def _manifests(self, branch: Table, new: set[str]) -> Iterator[ManifestFile]:
        """Yield each manifest not read yet, and add the names in lists and index manifests.

        The paths of new roots are added to `new`.
        """
        done: set[str] = set()
        for path, snapshot, roles in _roots(branch, self._roots):
            new.add(path)
            for role, name in snapshot.manifest_lists.items():
                if name and name not in done:
                    yield from self._of_list(branch, name, role in roles, done)
            name = snapshot.index_manifest
            self._names.add(digests([name or ""]))
            if name and "index" in roles and name not in self._read:
                for files in branch.index_manifests.columns(snapshot):
                    self._names.add(digests(files.columns.column("_FILE_NAME").to_pylist()))
                self._read.add(name)

    def _of_list(
        self, branch: Table, name: str, is_needed: bool, done: set[str]
    ) -> Iterator[ManifestFile]:
        """Add the names in a list, and yield its manifests that are neither read nor `done`."""
        try:
            manifests = branch.manifests.of_list(name)
        except MissingFileError:
            if is_needed:
                raise
            return
        named = [each for m in manifests for each in (m.file_name, *m.extra_files)]
        self._names.add(digests([name, *named]))
        for manifest in manifests if is_needed else ():
            if manifest.file_name not in done and manifest.file_name not in self._read:
                done.add(manifest.file_name)
                yield manifest
        if is_needed:
            done.add(name)


def _roots(table: Table, known: Set[str]) -> Iterator[tuple[str, Any, tuple[str, ...]]]:
    """Yield the path, the snapshot and the needed manifests of each root that is not known.

    Snapshots come first: if one expires during the listing, its tag or changelog already exists.
    """
    snapshots, folder = table.snapshots, table.metadata_path
    roots: list[tuple[str, Callable[[], Sequence[Any]], Callable[[Any], Any]]] = [
        ("snapshot", snapshots.ids, snapshots.of_id),
        ("changelog", snapshots.changelogs, snapshots.changelog),
        ("tag", snapshots.tags, snapshots.of_tag),
    ]
    for kind, names, load in roots:
        for name in names():
            if (path := f"{folder}/{kind}/{kind}-{name}") not in known:
                snapshot = load(name)
                yield path, snapshot, _needed(table, kind, snapshot)


def _needed(table: Table, kind: str, snapshot: Any) -> tuple[str, ...]:
    """Return the kinds of manifests whose files Java keeps.

    A changelog outlives its snapshot, with a manifest list of its own or that of the snapshot. A
    tag keeps no changelog.
    """
    if kind == "tag":
        return ("delta", "base", "index")
    if kind == "snapshot":
        gone = table.lost_changelog(snapshot)
        return tuple(role for role in _ALL if role != "changelog" or not gone)
    if snapshot.changelog_manifest_list:
        return ("changelog",)
    if table.options.get("changelog-producer", "none").strip().lower() == "none":
        return ("delta", "base")
    # If changelogs have files of their own, a snapshot's lists expire with it.
    return tuple(
        role
        for role in ("delta", "base")
        if table.storage.exists(table.manifests.path(getattr(snapshot, f"{role}_manifest_list")))
    )


_ALL = ("changelog", "delta", "base", "index")
