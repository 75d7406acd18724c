"""Reading the manifests of a snapshot: in parallel, in order, some at a time."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from paimon_ksy.table.manifests.live import PLACE, Deleted, Keys, again, keys_of
from paimon_ksy.table.manifests.partitions import Partitions
from paimon_ksy.table.model.files import ManifestFile

if TYPE_CHECKING:
    import pyarrow as pa

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)

Mask = NDArray[np.bool_]
Numbers = NDArray[np.int64]

Read = Callable[[ManifestFile], Iterable["pa.RecordBatch"]]
"""Returns the entries of a manifest (`read_entries`), the same if called again."""

Wrong = Callable[[str, str], None]
"""Is called with the name of a manifest and what it contradicts."""


class Look(Protocol[T_co]):
    """What a caller takes of entries, before it is known which of them are live."""

    def __call__(self, entries: pa.RecordBatch, partitions: Numbers) -> tuple[Mask | None, T_co]:
        """Look at a batch of entries, in any thread.

        Args:
            entries: The batch.
            partitions: The number of each entry's partition.

        Returns:
            Which entries count, None for all: an ADD and a DELETE of one identity both do, or
            neither. And what the caller wants back with the result.
        """


class Scanned(NamedTuple, Generic[T]):
    """A batch of a manifest: which of the entries that count are live, and what `Look` returned."""

    manifest: ManifestFile
    live: Mask
    looked: T


def scan(
    manifests: Sequence[ManifestFile],
    read: Read,
    partitions: Partitions,
    look: Look[T],
    wrong: Wrong,
) -> Iterator[Scanned[T]]:
    """Yield batch by batch which entries are live, in the order of the manifests.

    No DELETE may be left over, and no file may be live twice: its rows would be read twice. Both
    are reported after the last batch.

    Args:
        manifests: Those of the base and then of the delta. If some are left out, no entry counts
            that may match one of theirs.
        read: Reads a manifest, in any thread.
        partitions: Numbers the partitions.
        look: Looks at each batch; at those of manifests with DELETE entries more than once.
        wrong: Is called with the name of a manifest and what it contradicts.

    Raises:
        PaimonKsyError: A manifest cannot be read.
    """
    scanner = _Scanner(manifests, read, partitions, look)
    places: list[NDArray[np.uint64]] = []
    deleted = Deleted(scanner.deleted)
    for manifest, batches in in_order(scanner.keys, manifests):
        for keys, looked in batches:
            if not manifest.num_deleted_files and not keys.adds.all():
                wrong(
                    manifest.file_name, "it deletes data files, but its manifest list counts none"
                )
            live = deleted.live(keys)
            places.append(keys.places[live])
            yield Scanned(manifest, live, looked)
    if deleted.left:
        scanner.report_left(deleted, wrong)
    if twice := again(np.concatenate([np.empty(0, np.uint64), *places])):
        scanner.report_twice(twice, wrong)


class _Scanner(Generic[T]):
    def __init__(
        self, manifests: Sequence[ManifestFile], read: Read, partitions: Partitions, look: Look[T]
    ) -> None:
        self._manifests, self._read = manifests, read
        self._partitions, self._look = partitions, look
        deleted = Deleted()
        for _, batches in in_order(self.keys, self._with_deletes):
            for keys, _ in batches:
                deleted.add(keys)
        self.deleted = deleted.left

    @property
    def _with_deletes(self) -> list[ManifestFile]:
        return [manifest for manifest in self._manifests if manifest.num_deleted_files]

    def keys(self, manifest: ManifestFile) -> list[tuple[Keys, T]]:
        """Return for each batch what the entries that count are matched by."""
        return [(keys, looked) for _, _, keys, looked in self._batches(manifest)]

    def _batches(self, manifest: ManifestFile) -> Iterator[tuple[pa.RecordBatch, Numbers, Keys, T]]:
        for entries in self._read(manifest):
            numbers = self._partitions.numbers(entries.column("_PARTITION"))
            counting, looked = self._look(entries, numbers)
            if counting is not None and not counting.all():
                at = np.flatnonzero(counting)
                entries, numbers = entries.take(at), numbers[at]
            yield entries, numbers, keys_of(entries, numbers), looked

    def report_left(self, deleted: Deleted, wrong: Wrong) -> None:
        """Report the DELETE entries that are left."""
        for manifest in self._with_deletes:
            for entries, _, keys, _ in self._batches(manifest):
                names = entries.column("_FILE_NAME").take(np.flatnonzero(deleted.take(keys)))
                for name in names.to_pylist():
                    wrong(
                        manifest.file_name,
                        f"it deletes data file {name}, but no manifest of the snapshot adds it "
                        "with the same partition, bucket, level and index",
                    )

    def report_twice(self, twice: frozenset[int], wrong: Wrong) -> None:
        """Report files that are live twice, which are among those at these places."""
        deleted = Deleted(self.deleted)
        first: dict[Any, str] = {}
        for manifest in self._manifests:
            for entries, numbers, keys, _ in self._batches(manifest):
                live = deleted.live(keys) & np.isin(keys.places, np.array([*twice], np.uint64))
                at = np.flatnonzero(live)
                places = entries.select(PLACE).take(at).to_pylist()
                for number, place in zip(numbers[at].tolist(), places, strict=True):
                    key = number, *place.values()
                    if (other := first.get(key)) is None:
                        first[key] = manifest.file_name
                        continue
                    where = "this manifest" if other == manifest.file_name else other
                    wrong(
                        manifest.file_name,
                        f"it adds data file {place['_FILE_NAME']}, which {where} also adds: its "
                        "rows would be read twice",
                    )


def in_order(
    work: Callable[[ManifestFile], T], manifests: Iterable[ManifestFile]
) -> Iterator[tuple[ManifestFile, T]]:
    """Yield the result for each manifest in their order; threads work on the next ones."""
    threads = os.cpu_count() or 1
    waiting: deque[tuple[ManifestFile, Future[T]]] = deque()
    with ThreadPoolExecutor(threads) as pool:
        try:
            for manifest in manifests:
                waiting.append((manifest, pool.submit(work, manifest)))
                if len(waiting) > threads:
                    ready, future = waiting.popleft()
                    yield ready, future.result()
            while waiting:
                ready, future = waiting.popleft()
                yield ready, future.result()
        finally:
            for _, future in waiting:
                future.cancel()
