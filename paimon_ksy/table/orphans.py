"""Index and vector files that nothing refers to any more, or never did.

A file is one only if no snapshot, tag or changelog of the table or of one of its branches names it,
in any manifest that can be reached, as Java's OrphanFilesClean decides too. What is younger than a
limit is left: it may be of a commit that is under way.

External paths of data files may be those of other tables, too. There only indexes are told that
have the name of a data file which is, or was, in this table.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

from paimon_ksy.errors import PaimonKsyError
from paimon_ksy.table.store import Table, TableOrPath

OLDER_THAN = timedelta(days=1)

_ATTEMPTS = 3
_UUID = "[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}"
_NAME_ENDS = re.compile(r"[-.]")  # of a data file's name, in that of its index
_INDEX_FILE = re.compile(rf"index-{_UUID}-\d+")  # vectors and bucket indexes


@dataclass(frozen=True)
class Orphan:
    """A file that nothing refers to: its bytes, and when it was written, in seconds since 1970."""

    path: str
    size: int
    modified: float

    def to_json(self) -> dict[str, Any]:
        """All of it as a JSON object."""
        return dict(self.__dict__)


def orphans(
    table: TableOrPath,
    older_than: timedelta = OLDER_THAN,
    *,
    progress: Callable[[str, int], None] | None = None,
) -> list[Orphan]:
    """The index and vector files of a table that nothing refers to, by path.

    `progress` is told of so many more `folders` and `manifests` that are read.
    Raises PaimonKsyError if anything that may refer to one cannot be read.
    """
    if not isinstance(table, Table):
        table = Table.at(table)
    before = time.time() - older_than.total_seconds()
    # What is committed later than this is listed by no folder, or is young.
    told = progress or (lambda what, count: None)
    there = [found for found in _candidates(table, told) if found.modified < before]
    if not there:
        return []
    referred = _referred(table, told)
    outside = tuple(_external_paths(table))

    def is_orphan(one: Orphan) -> bool:
        name = one.path.rpartition("/")[2]
        if name in referred.indexes:
            return False
        return not one.path.startswith(outside) or any(
            name[: at.start()] in referred.data_files for at in _NAME_ENDS.finditer(name)
        )

    return sorted(filter(is_orphan, there), key=lambda one: one.path)


def clean_orphans(
    table: TableOrPath,
    older_than: timedelta = OLDER_THAN,
    *,
    dry_run: bool = True,
    progress: Callable[[str, int], None] | None = None,
) -> list[Orphan]:
    """Delete what `orphans` gives, unless it is a dry run; returns it. Raises as that does."""
    if not isinstance(table, Table):
        table = Table.at(table)
    found = orphans(table, older_than, progress=progress)
    if not dry_run:
        for orphan in found:
            table.storage.delete(orphan.path)
    return found


# Files that are there ---------------------------------------------------------------------------


def _candidates(table: Table, told: Callable[[str, int], None]) -> Iterator[Orphan]:
    yield from _files(table, f"{table.location}/index", in_bucket=False)
    roots = [table.location]
    folder = table.options.get("data-file.path-directory")
    if folder:
        roots.append(f"{table.location}/{folder.strip('/')}")
    for root in (*roots, *(path.rstrip("/") for path in _external_paths(table))):
        for bucket in _bucket_folders(table, root, len(table.schema.partition_keys)):
            yield from _files(table, bucket, in_bucket=True)
            told("folders", 1)


def _external_paths(table: Table) -> list[str]:
    """Where data files go beside the table's folder, each with a slash at its end."""
    paths = table.options.get("data-file.external-paths", "").split(",")
    return [f"{path.strip().rstrip('/')}/" for path in paths if path.strip()]


def _bucket_folders(table: Table, folder: str, depth: int) -> Iterator[str]:
    for item in table.storage.listing(folder):
        if item.is_folder and depth and "=" in item.name:
            yield from _bucket_folders(table, f"{folder}/{item.name}", depth - 1)
        elif item.is_folder and not depth and item.name.startswith("bucket-"):
            yield f"{folder}/{item.name}"


def _files(table: Table, folder: str, *, in_bucket: bool) -> Iterator[Orphan]:
    for item in table.storage.listing(folder):
        ours = _INDEX_FILE.fullmatch(item.name) or (in_bucket and item.name.endswith(".index"))
        if ours and not item.is_folder and item.modified is not None:
            yield Orphan(f"{folder}/{item.name}", item.size, item.modified)


# What refers to files ---------------------------------------------------------------------------


@dataclass(frozen=True)
class _Referred:
    """Names of index files that are needed, and of data files that a manifest names."""

    indexes: set[str] = field(default_factory=set)
    data_files: set[str] = field(default_factory=set)


def _referred(table: Table, told: Callable[[str, int], None]) -> _Referred:
    """What any branch needs. Raises PaimonKsyError."""
    found = _Referred()
    read: set[str] = set()
    for branch in _branches(table):
        _add_referred(branch, found, read, told)
    return found


def _branches(table: Table) -> Iterator[Table]:
    names = table.storage.names(f"{table.location}/branch")
    yield table.branch("main")
    for name in names:
        if name.startswith("branch-"):
            yield table.branch(name.removeprefix("branch-"))


def _add_referred(
    table: Table, found: _Referred, read: set[str], told: Callable[[str, int], None]
) -> None:
    """Add to `found` what the snapshots, tags and changelogs of a branch refer to.

    Those that expire meanwhile need nothing.
    """
    done: set[str] = set()
    for attempt in range(_ATTEMPTS):
        try:
            for path, snapshot, roles in _roots(table, done):
                _add_files(table, snapshot, roles, found, read, told)
                done.add(path)
        except PaimonKsyError:
            if attempt == _ATTEMPTS - 1:
                raise
        else:
            return


def _roots(table: Table, done: set[str]) -> Iterator[tuple[str, Any, tuple[str, ...]]]:
    storage, folder = table.storage, table.metadata_path
    changelogs = table.pypaimon.changelog_manager()
    kinds: list[tuple[str, Any]] = [
        ("tag", lambda name: table.snapshot(tag=name)),
        ("changelog", lambda name: changelogs.long_lived_changelog(int(name))),
        ("snapshot", lambda name: table.snapshot(int(name))),
    ]
    for kind, load in kinds:
        for file in storage.file_names(f"{folder}/{kind}"):
            path = f"{folder}/{kind}/{file}"
            name = file.removeprefix(f"{kind}-")
            if name == file or path in done or not (kind == "tag" or name.isdecimal()):
                continue
            try:
                found = load(name)
            except PaimonKsyError:
                raise
            except Exception as error:  # pypaimon's own, of each kind
                raise PaimonKsyError(f"{path}: cannot be read: {error}") from error
            yield path, found, _needed(table, kind, found)


def _needed(table: Table, kind: str, snapshot: Any) -> tuple[str, ...]:
    """Of which manifests Java keeps what they name: a changelog stays when its snapshot is gone,
    with its own list or else with the snapshot's; and with a tag no changelog stays."""
    if kind == "tag":
        return ("delta", "base", "index")
    if kind == "snapshot":
        return _ALL
    if snapshot.changelog_manifest_list:
        return ("changelog",)
    if table.options.get("changelog-producer", "none").strip().lower() == "none":
        return ("delta", "base")
    # Where changelogs have files of their own the snapshot's lists go with it.
    return tuple(
        role
        for role in ("delta", "base")
        if table.storage.exists(
            f"{table.location}/manifest/{getattr(snapshot, f'{role}_manifest_list')}"
        )
    )


_ALL = ("changelog", "delta", "base", "index")


def _add_files(
    table: Table,
    snapshot: Any,
    roles: tuple[str, ...],
    found: _Referred,
    read: set[str],
    told: Callable[[str, int], None],
) -> None:
    for role in roles:
        name = getattr(snapshot, f"{role}_manifest_list", None)
        if not name or name in read:
            continue
        for manifest in table.manifest_list(name):
            if manifest.file_name in read:
                continue
            for entry in table.entries(manifest):
                found.indexes.update(entry.file.extra_files or ())
                found.data_files.add(entry.file.file_name)
            read.add(manifest.file_name)
            told("manifests", 1)
        read.add(name)
    name = snapshot.index_manifest if "index" in roles else None
    if name and name not in read:
        found.indexes.update(entry.index_file.file_name for entry in table.index_entries(snapshot))
        read.add(name)
