"""The pass over manifests: which files an audit checks, and what manifests contradict.

Each manifest is read once, however many snapshots and tags have it. Manifests with DELETE entries
are read before, too. Memory holds 8 bytes for each live file of the latest snapshot, and 36 for
each DELETE of a snapshot.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from paimon_ksy.errors import MissingFileError, PaimonKsyError
from paimon_ksy.table.audit.references import ALL, DELETED, LIVE, NONE, Referrer
from paimon_ksy.table.manifests.live import DeleteCounts, Keys, again
from paimon_ksy.table.manifests.scan import (
    Group,
    NumberedEntries,
    grouped,
    in_order,
    numbered_entries,
    report_left,
    report_twice,
)
from paimon_ksy.table.model.files import ManifestFile, Snapshot
from paimon_ksy.table.store import Table
from paimon_ksy.table.store.manifests import BareManifests
from paimon_ksy.types.arrays import Hashes, Mask, Numbers


@dataclass(frozen=True)
class View:
    """A snapshot, or the snapshot of a tag, whose live files are checked.

    `manifests` has those of the base, then those of the delta.
    """

    referrer: Referrer
    manifests: tuple[ManifestFile, ...]

    @property
    def with_deletes(self) -> list[ManifestFile]:
        """The manifests that have DELETE entries, each once."""
        return [*{m.file_name: m for m in self.manifests if m.num_deleted_files}.values()]


@dataclass
class ToRead:
    """The manifests of a table that an audit reads.

    Attributes:
        manifests: The manifests by name, each with the referrers of its files.
        views: The snapshots whose live files are checked: the latest one, and tags.
        changes: The names of the manifests that are new in a snapshot, by its id.
        index_manifests: By name, each with the last snapshot or tag that has it.
        named: The other files that are only checked for existence, by name and size in bytes, each
            with the last that names it.
    """

    manifests: dict[str, tuple[ManifestFile, list[Referrer]]] = field(default_factory=dict)
    views: list[View] = field(default_factory=list)
    changes: dict[int, list[str]] = field(default_factory=dict)
    index_manifests: dict[str, tuple[Snapshot, Referrer]] = field(default_factory=dict)
    named: dict[tuple[str, int | None], Referrer] = field(default_factory=dict)

    def add(self, manifests: Iterable[ManifestFile], referrer: Referrer) -> None:
        """Add manifests, and a referrer of their files."""
        for manifest in manifests:
            _, referrers = self.manifests.setdefault(manifest.file_name, (manifest, []))
            if referrer not in referrers:
                referrers.append(referrer)

    def add_view(self, referrer: Referrer, manifests: Iterable[ManifestFile]) -> None:
        """Add the latest snapshot, or a tag without a number, whose live files are checked."""
        view = View(referrer, tuple(manifests))
        self.views.append(view)
        self.add(view.manifests, referrer)

    @property
    def num_entries(self) -> int:
        """The number of entries, according to the manifest lists."""
        return sum(m.num_added_files + m.num_deleted_files for m, _ in self.manifests.values())


class EntryBatch(NamedTuple):
    """Entries that were read together.

    Attributes:
        manifests: The manifests.
        numbered: The entries, with the number of each one's manifest.
        keys: The keys that match entries to each other.
        named_by: The number of what needs each entry's file for the longest; 0 if nothing does.
    """

    manifests: Group
    numbered: NumberedEntries
    keys: Keys
    named_by: Numbers

    def parts(self) -> Iterator[tuple[ManifestFile, slice]]:
        """Yield each manifest with the place of its entries."""
        bounds = np.searchsorted(self.numbered.of, np.arange(len(self.manifests) + 1)).tolist()
        for manifest, (start, stop) in zip(self.manifests, pairwise(bounds), strict=True):
            if start < stop:
                yield manifest, slice(start, stop)


class ManifestPass:
    """One pass over the manifests of a table.

    Attributes:
        referrers: What needs files, by number; 0 is nothing, and the latest snapshot comes last.
        errors: By the name of an unreadable manifest, its error, and the snapshots that need it.
    """

    def __init__(self, table: Table, read: ToRead) -> None:
        """Start without reading."""
        self._read = read
        self.errors: dict[str, tuple[PaimonKsyError, set[int | None]]] = {}
        self._stored = BareManifests(table.manifests)
        self._deletes: defaultdict[str, list[Hashes]] = defaultdict(list)
        self._deleted: dict[Referrer, DeleteCounts] = {}
        every = {one for _, referrers in read.manifests.values() for one in referrers}
        self.referrers = [Referrer("nothing", None, NONE), *sorted(every, key=lambda one: one.rank)]
        self._numbers = {one: number for number, one in enumerate(self.referrers)}
        self._places: defaultdict[str, list[Hashes]] = defaultdict(list)  # of live files

    def batches(self) -> Iterator[EntryBatch]:
        """Yield the entries of all manifests."""
        with_deletes = {m.file_name: m for view in self._read.views for m in view.with_deletes}
        for batch in self._in_order(with_deletes.values()):
            deletes = ~batch.numbered.adds
            for manifest, part in batch.parts():
                identities = batch.keys.identities[part][deletes[part]]
                self._deletes[manifest.file_name].append(identities)
        for view in self._read.views:
            self._deleted[view.referrer] = DeleteCounts(self._deletes_of(view))
        manifests = (manifest for manifest, _ in self._read.manifests.values())
        for batch in self._in_order(manifests):
            batch = batch._replace(named_by=self._named_by(batch))
            is_live = self.are_live(batch)
            for manifest, part in batch.parts():
                places = batch.keys.places[part][is_live[part]]
                self._places[manifest.file_name].append(places)
            yield batch

    def are_live(self, batch: EntryBatch) -> Mask:
        """Return which entries are of live files of the latest snapshot."""
        latest = len(self.referrers) - 1 if self.referrers[-1].is_latest else -1
        is_live: Mask = batch.named_by == latest
        return is_live

    def report(self, wrong: Callable[[str, str], None]) -> None:
        """Report contradictions in the latest snapshot's manifests, once all entries are read.

        A manifest that cannot be read may contain entries that another one lacks: then, nothing is
        known. `wrong` is called with the name of a manifest and its contradiction.
        """
        for view in self._read.views[:1]:
            is_whole = self.errors.keys().isdisjoint(m.file_name for m in view.manifests)
            if not (view.referrer.is_latest and is_whole):
                continue
            with suppress(MissingFileError):  # it expired in the meantime
                if (deleted := self._deleted[view.referrer]).left:
                    report_left(self._stored, view.with_deletes, deleted, wrong)
                places = [np.empty(0, np.uint64)]
                for manifest in view.manifests:  # one that is listed twice adds its files twice
                    places += self._places.get(manifest.file_name, ())
                if twice := again(np.concatenate(places)):
                    deletes = DeleteCounts(self._deletes_of(view))
                    report_twice(self._stored, view.manifests, deletes, twice, wrong)

    def _in_order(self, manifests: Iterable[ManifestFile]) -> Iterator[EntryBatch]:
        """Yield the entries of manifests, while threads read the next ones."""
        for _, batches in in_order(self._batches, grouped(manifests)):
            for batch in batches:
                if isinstance(batch, EntryBatch):
                    yield batch
                    continue
                manifest, error = batch
                _, referrers = self._read.manifests[manifest.file_name]
                self.errors[manifest.file_name] = error, {one.snapshot for one in referrers}

    def _batches(self, group: Group) -> list[EntryBatch | tuple[ManifestFile, PaimonKsyError]]:
        """Return the entries of manifests, and the errors of those that cannot be read."""
        try:
            return [
                EntryBatch(group, numbered, numbered.keys, np.zeros(len(numbered.of), np.int64))
                for numbered in numbered_entries(self._stored, group)
            ]
        except PaimonKsyError as error:
            if len(group) == 1:
                return [(group[0], error)]
            return [each for manifest in group for each in self._batches((manifest,))]

    def _named_by(self, batch: EntryBatch) -> Numbers:
        """Return the number of what needs each entry's file for the longest."""
        numbers = np.zeros_like(batch.named_by)
        adds = batch.numbered.adds
        for manifest, part in batch.parts():
            _, referrers = self._read.manifests[manifest.file_name]
            for referrer in referrers:
                needs = self._needs(referrer, adds[part], batch.keys.identities[part])
                numbers[part] = np.maximum(numbers[part], needs * self._numbers[referrer])
        return numbers

    def _needs(self, referrer: Referrer, adds: Mask, identities: Hashes) -> Mask:
        """Return the entries whose files a referrer needs."""
        if referrer.files != LIVE:
            return {ALL: np.ones_like(adds), DELETED: ~adds, NONE: np.zeros_like(adds)}[
                referrer.files
            ]
        live = adds.copy()
        live[adds] = ~self._deleted[referrer].take_back(identities[adds])
        return live

    def _deletes_of(self, view: View) -> Hashes:
        """Return the identities of a snapshot's DELETE entries."""
        each = [part for m in view.with_deletes for part in self._deletes.get(m.file_name, ())]
        return np.concatenate([np.empty((0, 2), np.uint64), *each])
