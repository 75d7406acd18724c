"""Read the manifests of a snapshot: several at once, in order, in this process or others.

Each large manifest is a task of its own, and so is each group of small ones. A task's function can
be pickled, and so may run in another process. It returns the caller's result for the entries that
are certainly live, and the few entries whose fate depends on another manifest.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from itertools import chain, islice
from typing import Any, Generic, NamedTuple, Protocol, TypeAlias, TypeVar

import numpy as np
import pyarrow as pa

from paimon_ksy.table.engine import Engine, is_local
from paimon_ksy.table.io.machine import keep_memory, processors
from paimon_ksy.table.manifests.entries import ADD, ManifestEntries
from paimon_ksy.table.manifests.live import (
    PLACE,
    DeleteCounts,
    Keys,
    again,
    among,
    keys_of,
    places_of,
)
from paimon_ksy.table.manifests.partitions import Partitions
from paimon_ksy.table.model.files import ManifestFile
from paimon_ksy.types.arrays import Hashes, Mask, Numbers, distinct, taken, to_numpy

T = TypeVar("T")

OnContradiction = Callable[[str, str], None]
"""A function called with the name of a manifest and what it contradicts."""


Group = tuple[ManifestFile, ...]
"""Manifests that are read together, in order."""

_GROUP_BYTES = 1 << 20
"""The size of the small manifests in a group, for tables of 50,000 manifests: opening a manifest
takes as long as reading some hundred entries."""

_GROUP_ENTRIES = 2500
"""The number of entries in a group of small manifests: entries that are alike take much more
memory than bytes in the file. Needed by `memory of the driver` of `make bench-tables`."""


class ManifestReader(Protocol):
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

    `of` has, for each entry, the number of its manifest in the group.
    """

    group: Group
    of: Numbers
    result: T


def scan(
    manifests: Sequence[ManifestFile],
    read: ManifestReader,
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
    """
    run = executor(engine, manifests)
    with_deletes = [manifest for manifest in manifests if manifest.num_deleted_files]
    deletes = _joined(
        keys for _, keys in run(partial(_deletes, read, counts), grouped(with_deletes))
    )
    deleted = DeleteCounts(deletes.identities)
    live_parts = partial(_live, read, counts, np.sort(deletes.places), visit)
    places: list[Hashes] = []
    for group, parts in run(live_parts, grouped(manifests)):
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
                entries, of, keys = part.unsure
                live = np.flatnonzero(~deleted.take_back(keys.identities))
                if len(live):
                    places.append(keys.places[live])
                    some = NumberedEntries.of_read(read, taken(entries, live), of[live])
                    yield Visited(group, some.of, visit(*some.visited))
    if deleted.left:
        report_left(read, with_deletes, deleted, on_contradiction, counts)
    if twice := again(np.concatenate([np.empty(0, np.uint64), *places])):
        deleted = DeleteCounts(deletes.identities)
        report_twice(read, manifests, deleted, twice, on_contradiction, counts)


class LiveGroup(NamedTuple):
    """Manifests that are read together, and without any other. It can be pickled.

    `places` are those of entries for which a DELETE exists, ascending; in the order of the entries,
    `live` marks those that are live all the same.
    """

    manifests: Group
    places: Hashes
    live: Mask

    def visited(self, read: ManifestReader, visit: Visitor[T]) -> Iterator[T]:
        """Yield the results of `visit` for live files, as `scan` does."""
        rest = self.live
        for part in _live(read, None, self.places, visit, self.manifests):
            if part.result is not None:
                yield part.result
            if part.unsure is not None:
                entries, of, _ = part.unsure
                live, rest = np.flatnonzero(rest[: len(of)]), rest[len(of) :]
                if len(live):
                    some = NumberedEntries.of_read(read, taken(entries, live), of[live])
                    yield visit(*some.visited)


def live_groups(
    manifests: Sequence[ManifestFile],
    read: ManifestReader,
    on_contradiction: OnContradiction,
    engine: Engine,
) -> Iterator[LiveGroup]:
    """Yield groups of manifests, each of which can be visited alone (see `scan`)."""
    run = executor(engine, manifests)
    with_deletes = [manifest for manifest in manifests if manifest.num_deleted_files]
    deletes = _joined(keys for _, keys in run(partial(_deletes, read, None), grouped(with_deletes)))
    deleted = DeleteCounts(deletes.identities)
    unsure = partial(_unsure, read, np.sort(deletes.places))
    nothing = ((group, _joined(())) for group in grouped(manifests))
    for group, keys in run(unsure, grouped(manifests)) if with_deletes else nothing:
        yield LiveGroup(group, np.sort(keys.places), ~deleted.take_back(keys.identities))
    if deleted.left:
        report_left(read, with_deletes, deleted, on_contradiction)


def _unsure(read: ManifestReader, deleted: Hashes, manifests: Group) -> Keys:
    """Return the keys of entries that add a file in a place for which a DELETE exists."""
    parts = _live(read, None, deleted, lambda *_: None, manifests)
    return _joined(part.unsure[2] for part in parts if part.unsure is not None)


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
    """Entries of manifests that were read together.

    `entries` has the columns of `SCHEMA`, `numbers` the number of each entry's partition in this
    process, and `of` that of its manifest.
    """

    entries: pa.RecordBatch
    numbers: Numbers
    of: Numbers
    partitions: Partitions

    @classmethod
    def of_read(cls, read: ManifestReader, entries: pa.RecordBatch, of: Numbers) -> NumberedEntries:
        """Return entries of this reader."""
        partitions = read.partitions
        return cls(entries, partitions.numbers(entries.column("_PARTITION")), of, partitions)

    @property
    def visited(self) -> tuple[pa.RecordBatch, Numbers, Partitions]:
        """The arguments of a `Visitor`."""
        return self.entries, self.numbers, self.partitions

    @property
    def adds(self) -> Mask:
        """Marks the entries that add a file."""
        mask: Mask = to_numpy(self.entries.column("_KIND")) == ADD
        return mask

    @property
    def keys(self) -> Keys:
        """The keys that match entries to each other."""
        return keys_of(self.entries, self.partitions.hashes(self.numbers))

    @property
    def places(self) -> Hashes:
        """A hash of the place of each file."""
        return places_of(self.entries, self.partitions.hashes(self.numbers))

    def some(self, mask: Mask) -> NumberedEntries:
        """Return a selection of the entries."""
        if mask.all():
            return self
        at = np.flatnonzero(mask)
        return self._replace(
            entries=taken(self.entries, at), numbers=self.numbers[at], of=self.of[at]
        )


def numbered_entries(
    read: ManifestReader, manifests: Sequence[ManifestFile], counts: EntryMask | None = None
) -> Iterator[NumberedEntries]:
    """Yield the entries of manifests that count."""
    for entries, of in read(manifests):
        batch = NumberedEntries.of_read(read, entries, of)
        mask = None if counts is None else counts(*batch.visited)
        yield batch if mask is None else batch.some(mask)


def _deletes(read: ManifestReader, counts: EntryMask | None, manifests: Group) -> Keys:
    """Return the keys of the DELETE entries of manifests, in their order."""
    return _joined(
        batch.some(~batch.adds).keys for batch in numbered_entries(read, manifests, counts)
    )


def _joined(keys: Iterable[Keys]) -> Keys:
    none = Keys(np.empty((0, 2), np.uint64), np.empty(0, np.uint64))
    return Keys(*map(np.concatenate, zip(none, *keys, strict=True)))


class _LiveBatch(NamedTuple, Generic[T]):
    """The result for a batch.

    Attributes:
        with_deletes: The numbers of manifests with DELETE entries.
        of: For each file that is certainly live, the number of its manifest.
        result: The caller's result for these files; None if there are none.
        places: A hash of the place of each of these files.
        unsure: The entries that add a file in a place for which a DELETE exists, the numbers of
            their manifests, and their keys; None if there are none.
    """

    with_deletes: list[int]
    of: Numbers
    result: T | None
    places: Hashes
    unsure: tuple[pa.RecordBatch, Numbers, Keys] | None


def _live(
    read: ManifestReader,
    counts: EntryMask | None,
    deleted: Hashes,
    visit: Visitor[T],
    manifests: Group,
) -> list[_LiveBatch[T]]:
    """Return the result for each batch of manifests.

    `deleted` contains the places of all DELETE entries, ascending.
    """
    parts: list[_LiveBatch[T]] = []
    for batch in numbered_entries(read, manifests, counts):
        adds = batch.some(batch.adds)
        with_deletes = distinct(batch.of[~batch.adds]).tolist()
        places, unsure = adds.places, None
        may_be_deleted = among(places, deleted)
        if may_be_deleted.any():
            some = adds.some(may_be_deleted)
            unsure = some.entries, some.of, some.keys
            adds, places = adds.some(~may_be_deleted), places[~may_be_deleted]
        result = visit(*adds.visited) if len(adds.entries) else None
        parts.append(_LiveBatch(with_deletes, adds.of, result, places, unsure))
    return parts


def report_left(
    read: ManifestReader,
    with_deletes: Sequence[ManifestFile],
    deleted: DeleteCounts,
    on_contradiction: OnContradiction,
    counts: EntryMask | None = None,
) -> None:
    """Report the DELETE entries that cancel no ADD."""
    for manifest in with_deletes:
        for batch in numbered_entries(read, [manifest], counts):
            deletes = batch.some(~batch.adds)
            left = deleted.forget(deletes.keys.identities)
            names = deletes.entries.column("_FILE_NAME")
            for name in names.take(np.flatnonzero(left)).to_pylist():
                on_contradiction(
                    manifest.file_name,
                    f"it deletes data file {name}, but no manifest of the snapshot adds it with "
                    "the same partition, bucket, level and index",
                )


def report_twice(
    read: ManifestReader,
    manifests: Sequence[ManifestFile],
    deleted: DeleteCounts,
    twice: frozenset[int],
    on_contradiction: OnContradiction,
    counts: EntryMask | None = None,
) -> None:
    """Report the files that are live twice; their places are among these."""
    first: dict[Any, str] = {}
    for manifest in manifests:
        for batch in numbered_entries(read, [manifest], counts):
            adds = batch.some(batch.adds)
            identities, all_places = adds.keys
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
    """Yield the result for each group in order, while threads work on the next groups, if any."""
    rest = iter(groups)
    first = [*islice(rest, 2)]
    if len(first) < 2:
        yield from ((group, work(group)) for group in first)
        return
    keep_memory()
    threads = processors()
    waiting: deque[tuple[Group, Future[T]]] = deque()
    pool = ThreadPoolExecutor(threads)
    try:
        for group in chain(first, rest):
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
