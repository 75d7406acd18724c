"""Read the manifests of a snapshot: several at once, in order, in this process or others.

Each large manifest is a task of its own, and so is each group of small ones. A task's function can
be pickled, and so may run in another process. It returns the caller's result for the entries that
are certainly live, and the few entries whose fate depends on another manifest.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, Protocol, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from paimon_ksy.table.engine import Engine, is_local
from paimon_ksy.table.io.machine import keep_memory, processors
from paimon_ksy.table.manifests.entries import ADD, ManifestEntries
from paimon_ksy.table.manifests.live import (
    PLACE,
    Deleted,
    Hashes,
    Keys,
    again,
    among,
    keys_of,
    places_of,
)
from paimon_ksy.table.manifests.partitions import Partitions
from paimon_ksy.table.model.files import ManifestFile

if TYPE_CHECKING:
    import pyarrow as pa

T = TypeVar("T")

Mask = NDArray[np.bool_]
Numbers = NDArray[np.int64]

OnContradiction = Callable[[str, str], None]
"""A function called with the name of a manifest and what it contradicts."""


Group = tuple[ManifestFile, ...]
"""Manifests that are read together, in order."""

_GROUP_BYTES = 1 << 20
"""The size of the small manifests in a group. Needed by the plans of 50,000 manifests of
`make bench-scale`: opening a manifest takes as long as reading some hundred entries."""

_GROUP_ENTRIES = 2500
"""The number of entries in a group of small manifests: entries that are alike take much more
memory than bytes in the file. Needed by `memory of the driver` of `make bench-tables`."""


class Reader(Protocol):
    """A reader of manifests, for any thread. To run in another process, it must be picklable."""

    @property
    def partitions(self) -> Partitions:
        """The partitions, which it numbers in this process."""
        ...

    def __call__(self, manifests: Sequence[ManifestFile]) -> Iterable[ManifestEntries]:
        """Return the entries of manifests (`read_entries`), the same at each call."""
        ...


EntryMask: TypeAlias = "Callable[[pa.RecordBatch, Numbers, Partitions], Mask | None]"
"""A function that returns which entries count, None for all; others are ignored. An ADD and a
DELETE of the same identity must either both count or both not.

Its arguments, like those of `Visitor`, are a batch, the number of each entry's partition, which is
valid in this process only, and the partitions by number. Both functions may be called in any
thread. To run in another process, they must be picklable."""

Visitor: TypeAlias = "Callable[[pa.RecordBatch, Numbers, Partitions], T]"
"""A function that returns the caller's result for the entries of live files, or some of them."""

Executor: TypeAlias = Callable[
    [Callable[[Group], Any], Iterable[Group]], Iterator[tuple[Group, Any]]
]
"""A function that yields each group of manifests with a function's result, in order."""


class Visited(NamedTuple, Generic[T]):
    """The result of `Visitor` for entries of manifests.

    Attributes:
        group: The manifests.
        of: For each entry, the number of its manifest in the group.
        result: The result for the entries.
    """

    group: Group
    of: Numbers
    result: T


def scan(
    manifests: Sequence[ManifestFile],
    read: Reader,
    visit: Visitor[T],
    on_contradiction: OnContradiction,
    *,
    counts: EntryMask | None = None,
    engine: Engine | None = None,
) -> Iterator[Visited[T]]:
    """Yield the results of `visit` for live files, batch by batch, in the order of the manifests.

    Reads the manifests with DELETE entries first, then all of them. An added file is live if no
    DELETE has its place. Otherwise this process decides, because it has to count the ADD entries of
    the manifests in order. Such files come after the others of their batch.

    No DELETE may be left over, and no file may be live twice, since its rows would be read twice.
    Both are reported after the last batch.

    Args:
        manifests: Those of the base and then of the delta. If some are left out, `counts` must
            exclude every entry that may match one of theirs.
        read: Reads a manifest.
        visit: Returns the result for live files.
        on_contradiction: Called with the name of a manifest and what it contradicts.
        counts: Selects the entries that count; None for all.
        engine: The engine that reads manifests if there are many; None for threads.

    Raises:
        PaimonKsyError: A manifest cannot be read.
    """
    run = executor(engine, manifests)
    entries_of = Entries(read, counts)
    with_deletes = [manifest for manifest in manifests if manifest.num_deleted_files]
    deletes = _joined(keys for _, keys in run(Deletes(entries_of), grouped(with_deletes)))
    deleted = Deleted(deletes.identities)
    places: list[Hashes] = []
    for group, parts in run(
        _Live(entries_of, np.unique(deletes.places), visit), grouped(manifests)
    ):
        for part in parts:
            for number in part.with_deletes:
                if not group[number].num_deleted_files:
                    on_contradiction(
                        group[number].file_name,
                        "it deletes data files, but its manifest list counts none",
                    )
            if part.result is not None:
                places.append(part.places)
                yield Visited(group, part.of, part.result)
            if part.unsure is not None:
                live = np.flatnonzero(~deleted.take_back(part.unsure.identities))
                if len(live):
                    places.append(part.unsure.places[live])
                    entries = part.unsure.entries.take(live)
                    result = visit(*entries_of.numbered(entries))
                    yield Visited(group, part.unsure.of[live], result)
    if deleted.left:
        report_left(entries_of, with_deletes, deleted, on_contradiction)
    if twice := again(np.concatenate([np.empty(0, np.uint64), *places])):
        report_twice(entries_of, manifests, Deleted(deletes.identities), twice, on_contradiction)


def grouped(manifests: Iterable[ManifestFile]) -> Iterator[Group]:
    """Yield manifests in groups that are read together."""
    group: list[ManifestFile] = []
    size = entries = 0
    for manifest in manifests:
        size += manifest.file_size
        entries += manifest.num_added_files + manifest.num_deleted_files
        if group and (size > _GROUP_BYTES or entries > _GROUP_ENTRIES):
            yield tuple(group)
            group, size = [], manifest.file_size
            entries = manifest.num_added_files + manifest.num_deleted_files
        group.append(manifest)
    if group:
        yield tuple(group)


class NumberedEntries(NamedTuple):
    """Entries that count.

    Attributes:
        entries: The columns of `schema`.
        numbers: The number of each entry's partition.
        of: The number of each entry's manifest.
    """

    entries: pa.RecordBatch
    numbers: Numbers
    of: Numbers

    def some(self, wanted: Mask) -> NumberedEntries:
        """Return a selection of the entries."""
        if wanted.all():
            return self
        at = np.flatnonzero(wanted)
        return NumberedEntries(self.entries.take(at), self.numbers[at], self.of[at])

    @property
    def adds(self) -> Mask:
        """Marks the entries that add a file."""
        mask: Mask = self.entries.column("_KIND").to_numpy() == ADD
        return mask


@dataclass(frozen=True)
class Entries:
    """A reader of the entries that count, with the numbers of their partitions."""

    read: Reader
    counts: EntryMask | None = None

    def __call__(self, manifests: Sequence[ManifestFile]) -> Iterator[NumberedEntries]:
        """Yield the entries that count."""
        for entries, of in self.read(manifests):
            _, numbers, partitions = self.numbered(entries)
            numbered = NumberedEntries(entries, numbers, of)
            if self.counts is not None:
                counting = self.counts(entries, numbers, partitions)
                if counting is not None:
                    numbered = numbered.some(counting)
            yield numbered

    def numbered(self, entries: pa.RecordBatch) -> tuple[pa.RecordBatch, Numbers, Partitions]:
        """Return entries with the number of each entry's partition, and the partitions."""
        partitions = self.read.partitions
        return entries, partitions.numbers(entries.column("_PARTITION")), partitions

    def keys(self, numbered: NumberedEntries) -> Keys:
        """Return the keys that match entries to each other."""
        return keys_of(numbered.entries, self.read.partitions.hashes(numbered.numbers))

    def places(self, numbered: NumberedEntries) -> Hashes:
        """Return a hash of the place of each file."""
        return places_of(numbered.entries, self.read.partitions.hashes(numbered.numbers))


@dataclass(frozen=True)
class Deletes:
    """A function that returns the keys of the DELETE entries of manifests."""

    entries_of: Entries

    def __call__(self, manifests: Sequence[ManifestFile]) -> Keys:
        """Return the keys in the order of the entries."""
        return _joined(
            self.entries_of.keys(numbered.some(~numbered.adds))
            for numbered in self.entries_of(manifests)
        )


def _joined(keys: Iterable[Keys]) -> Keys:
    none = Keys(np.empty((0, 2), np.uint64), np.empty(0, np.uint64))
    return Keys(*map(np.concatenate, zip(none, *keys, strict=True)))


class _Unsure(NamedTuple):
    """Entries that add a file in a place for which a DELETE exists."""

    entries: pa.RecordBatch
    of: Numbers
    identities: Hashes
    places: Hashes


class _Part(NamedTuple, Generic[T]):
    """The result for a batch.

    Attributes:
        with_deletes: The numbers of manifests with DELETE entries.
        of: For each file that is certainly live, the number of its manifest.
        result: The caller's result for these files; None if there are none.
        places: A hash of the place of each of these files.
        unsure: The other entries that add files; None if there are none.
    """

    with_deletes: list[int]
    of: Numbers
    result: T | None
    places: Hashes
    unsure: _Unsure | None


@dataclass(frozen=True)
class _Live(Generic[T]):
    """A function that returns the result for each batch of manifests.

    `deleted` contains the places of all DELETE entries, ascending.
    """

    entries_of: Entries
    deleted: Hashes
    visit: Visitor[T]

    def __call__(self, manifests: Group) -> list[_Part[T]]:
        return [self._part(numbered) for numbered in self.entries_of(manifests)]

    def _part(self, numbered: NumberedEntries) -> _Part[T]:
        adds = numbered.adds
        with_deletes = np.unique(numbered.of[~adds]).tolist()
        numbered = numbered.some(adds)
        places = self.entries_of.places(numbered)
        unsure = None
        may_be_deleted = among(places, self.deleted)
        if may_be_deleted.any():
            some = numbered.some(may_be_deleted)
            unsure = _Unsure(some.entries, some.of, *self.entries_of.keys(some))
            numbered = numbered.some(~may_be_deleted)
            places = places[~may_be_deleted]
        result = None
        if len(numbered.entries):
            result = self.visit(numbered.entries, numbered.numbers, self.entries_of.read.partitions)
        return _Part(with_deletes, numbered.of, result, places, unsure)


def report_left(
    entries_of: Entries,
    with_deletes: Sequence[ManifestFile],
    deleted: Deleted,
    on_contradiction: OnContradiction,
) -> None:
    """Report the DELETE entries that cancel no ADD."""
    for manifest in with_deletes:
        for numbered in entries_of([manifest]):
            deletes = numbered.some(~numbered.adds)
            left = deleted.forget(entries_of.keys(deletes).identities)
            names = deletes.entries.column("_FILE_NAME")
            for name in names.take(np.flatnonzero(left)).to_pylist():
                on_contradiction(
                    manifest.file_name,
                    f"it deletes data file {name}, but no manifest of the snapshot adds it with "
                    "the same partition, bucket, level and index",
                )


def report_twice(
    entries_of: Entries,
    manifests: Sequence[ManifestFile],
    deleted: Deleted,
    twice: frozenset[int],
    on_contradiction: OnContradiction,
) -> None:
    """Report the files that are live twice; their places are among these."""
    first: dict[Any, str] = {}
    for manifest in manifests:
        for numbered in entries_of([manifest]):
            adds = numbered.some(numbered.adds)
            identities, all_places = entries_of.keys(adds)
            live = ~deleted.take_back(identities)
            # Sorted, because the other kind fails in numpy 2.0 for numbers above 2**63.
            among = np.isin(all_places, np.array([*twice], np.uint64), kind="sort")
            at = np.flatnonzero(live & among)
            places = adds.entries.select(PLACE).take(at).to_pylist()
            for number, place in zip(adds.numbers[at].tolist(), places, strict=True):
                key = number, *place.values()
                if (other := first.get(key)) is None:
                    first[key] = manifest.file_name
                    continue
                where = "this manifest" if other == manifest.file_name else other
                on_contradiction(
                    manifest.file_name,
                    f"it adds data file {place['_FILE_NAME']}, which {where} also adds: its "
                    "rows would be read twice",
                )


ENTRIES_HERE = 100_000
"""The most manifest entries that this machine reads itself, in about the time that Spark needs to
start the two jobs."""


def are_many(manifests: Iterable[ManifestFile]) -> bool:
    """Return whether manifests have too many entries for this machine alone."""
    return sum(m.num_added_files + m.num_deleted_files for m in manifests) > ENTRIES_HERE


def executor(engine: Engine | None, manifests: Sequence[ManifestFile]) -> Executor:
    """Return what reads manifests fastest: the engine, or threads of this process."""
    if engine is None or is_local(engine) or not are_many(manifests):
        return in_order
    return engine.map


def in_order(work: Callable[[Group], T], groups: Iterable[Group]) -> Iterator[tuple[Group, T]]:
    """Yield the result for each group in order, while threads work on the next groups."""
    keep_memory()
    threads = processors()
    waiting: deque[tuple[Group, Future[T]]] = deque()
    pool = ThreadPoolExecutor(threads)
    try:
        for group in groups:
            waiting.append((group, pool.submit(work, group)))
            if len(waiting) > threads:
                ready, future = waiting.popleft()
                yield ready, future.result()
        while waiting:
            ready, future = waiting.popleft()
            yield ready, future.result()
    finally:
        # Do not wait: an abandoned plan is closed by garbage collection, maybe in one of these
        # threads.
        pool.shutdown(wait=False, cancel_futures=True)
