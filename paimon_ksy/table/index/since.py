"""The data files that commits added since an index commit, which its snapshot's properties name.

Java carries no properties of other software over to later snapshots. So a snapshot with these
properties is always one that an index commit made.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from itertools import chain
from typing import Literal

import numpy as np

from paimon_ksy.errors import OptionError
from paimon_ksy.file_index.options import FileIndexOptions
from paimon_ksy.table.model.files import DataFile, ManifestFile, Snapshot
from paimon_ksy.table.store import Table
from paimon_ksy.table.store.data_files import DataFiles

Since = int | Literal["last"] | None
"""The snapshot whose files, and those of earlier ones, are left out: its id, or the one up to which
the newest index commit with the same options worked. None leaves out nothing."""

_OPTIONS = "paimon-ksy.index.options"
"""The property with a digest of the options that an index commit worked by."""

_UNTIL = "paimon-ksy.index.until"
"""The property with the id of the snapshot whose files all have been indexed, or could not be."""


def properties_of(options: FileIndexOptions, until: int | None) -> dict[str, str]:
    """Return the properties of an index commit.

    `until` is the snapshot whose files all have been indexed; None if only some of them were.
    """
    return {_OPTIONS: _digest(options)} | ({} if until is None else {_UNTIL: str(until)})


def _digest(options: FileIndexOptions) -> str:
    specs = [(s.index_type, s.column, s.key, sorted(s.options.items())) for s in options.indexes]
    text = json.dumps([sorted(specs, key=repr), options.in_manifest_threshold])
    return blake2b(text.encode(), digest_size=16).hexdigest()


@dataclass(frozen=True)
class Added:
    """What the latest snapshots added.

    Attributes:
        since: The id of the snapshot before them; None for all files of the table.
        note: Why all files count, although the caller requested only new ones.
        delta: The manifests of changes, of all these snapshots.
        indexed: The names of those that index commits with the same options wrote.
    """

    since: int | None = None
    note: str | None = None
    delta: Sequence[ManifestFile] = ()
    indexed: frozenset[str] = frozenset()

    def files(self, files: DataFiles) -> Iterator[DataFile]:
        """Yield the files that were added, and not deleted later, without deletion vectors."""
        if not any(m.num_added_files and m.file_name not in self.indexed for m in self.delta):
            return
        # The files that they delete may be of earlier snapshots.
        scanned = files.scan(self.delta, lambda entries, *_: entries, lambda *_: None)
        for group, of, entries in scanned:
            is_new = np.array([manifest.file_name not in self.indexed for manifest in group])
            yield from files.made(entries.take(np.flatnonzero(is_new[of])))


def added_since(
    table: Table, latest: Snapshot | None, since: Since, options: FileIndexOptions
) -> Added:
    """Return what snapshots up to the latest added; this reads only their files and lists.

    `since` is what to leave out.

    Raises:
        OptionError: There is no such snapshot yet.
        PaimonKsyError: A snapshot cannot be read.
    """
    if latest is None or since is None:
        return Added()
    if since != "last" and not 0 <= since <= latest.id:
        raise OptionError(f"since is {since}, but the latest snapshot is {latest.id}")
    same, until = {_OPTIONS: _digest(options)}.items(), None if since == "last" else since
    delta: list[list[ManifestFile]] = []
    indexed: list[str] = []
    oldest = latest.id + 1
    for snapshot in table.snapshots.newest_first(latest):
        if snapshot.id == until:
            break
        oldest, properties = snapshot.id, snapshot.properties or {}
        delta.append(table.manifests.of_list(snapshot.delta_manifest_list))
        if same <= properties.items():
            indexed += (manifest.file_name for manifest in delta[-1])
            until = _until(properties, oldest) if until is None else until
    if until is None:
        return Added(note="no index commit with these options is left: all files were checked")
    if oldest > until + 1:
        return Added(note=f"snapshot {oldest - 1} has expired: all files were checked")
    return Added(until, None, [*chain.from_iterable(reversed(delta))], frozenset(indexed))


def _until(properties: Mapping[str, str], snapshot: int) -> int | None:
    """Return the earlier snapshot up to which an index commit worked, if its properties name it."""
    text = properties.get(_UNTIL, "")
    return int(text) if text.isdecimal() and int(text) < snapshot else None
