"""The live entries of manifests: each DELETE cancels one ADD.

The rule is that of Java's `FileEntry.mergeEntries`. A file that was deleted and added again is
live, although pypaimon's own merge omits it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    import pyarrow as pa

PLACE = ("_BUCKET", "_FILE_NAME", "_EXTERNAL_PATH")
"""The fields that, with the partition, are equal for all entries of one file."""

_IDENTITY = (*PLACE, "_LEVEL", "_EXTRA_FILES", "_EMBEDDED_FILE_INDEX")
"""The fields that, with the partition, match a DELETE to its ADD (`FileEntry.Identifier`)."""

_Seeds = tuple[int, int, int, int]
_SEEDS: tuple[_Seeds, ...] = ((1, 2, 3, 4), (5, 6, 7, 8))

Hashes = NDArray[np.uint64]
Mask = NDArray[np.bool_]


class Keys(NamedTuple):
    """Keys that match entries to each other, the same in each process.

    Attributes:
        identities: 128 bits for each entry, equal for equal identities: shape (n, 2).
        places: 64 bits for each entry, equal for entries of one file.
    """

    identities: Hashes
    places: Hashes


def places_of(entries: pa.RecordBatch, partitions: Hashes) -> Hashes:
    """Return 64 bits for each entry, equal for entries of one file.

    Args:
        entries: A batch that `read_entries` yields.
        partitions: A hash of each entry's partition (`Partitions.hashes`).
    """
    return _hashed(entries, partitions, PLACE, _SEEDS[:1])[:, 0]


def in_buckets(entries: pa.RecordBatch, partitions: Hashes) -> Hashes:
    """Return 128 bits for each entry, equal for equal names in one bucket: shape (n, 2)."""
    return _hashed(entries, partitions, ("_BUCKET", "_FILE_NAME"), _SEEDS)


def keys_of(entries: pa.RecordBatch, partitions: Hashes) -> Keys:
    """Return the keys that match entries to each other (see `places_of`)."""
    identities = _hashed(entries, partitions, _IDENTITY, _SEEDS)
    return Keys(identities, places_of(entries, partitions))


def _hashed(
    entries: pa.RecordBatch, partitions: Hashes, names: Sequence[str], seeds: Sequence[_Seeds]
) -> Hashes:
    """Return, for each entry, the hashes of a row of these columns: shape (n, seeds)."""
    import polars as pl
    import pyarrow as pa

    columns = {name: entries.column(name) for name in names}
    extra = columns.get("_EXTRA_FILES")
    if extra is not None and extra.null_count:  # which another writer stores as an empty list
        columns["_EXTRA_FILES"] = pa.array([files or [] for files in extra.to_pylist()], extra.type)
    frame = pl.DataFrame({"partition": partitions, **columns})
    return np.stack([frame.hash_rows(*each).to_numpy() for each in seeds], axis=1)


class DeleteCounts:
    """The DELETE entries of all manifests of a snapshot, counted by identity."""

    def __init__(self, identities: Hashes) -> None:
        """Count the identities of DELETE entries."""
        self._identities, counts = np.unique(_whole(identities), return_counts=True)
        self._counts = counts.astype(np.int32)

    @property
    def left(self) -> int:
        """The number of identities that have not yet cancelled as many ADD entries."""
        return int(np.count_nonzero(self._counts))

    def take_back(self, adds: Hashes) -> Mask:
        """Return which of the next ADD entries, given by their identities, a DELETE cancels."""
        taken = np.zeros(len(adds), np.bool_)
        at, numbers = self._left_among(adds)
        order = np.argsort(numbers, kind="stable")
        at, numbers = at[order], numbers[order]
        earlier = np.arange(len(numbers)) - np.searchsorted(numbers, numbers)
        cancelled = earlier < self._counts[numbers]
        taken[at[cancelled]] = True
        np.subtract.at(self._counts, numbers[cancelled], 1)
        return taken

    def forget(self, deletes: Hashes) -> Mask:
        """Return which DELETE entries are left, the first of each identity, and remove these."""
        left = np.zeros(len(deletes), np.bool_)
        at, numbers = self._left_among(deletes)
        distinct, first = np.unique(numbers, return_index=True)
        left[at[first]] = True
        self._counts[distinct] = 0
        return left

    def _left_among(self, identities: Hashes) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """Return the places of identities that are left, and their numbers here."""
        if not len(self._identities):
            return np.empty(0, np.intp), np.empty(0, np.intp)
        whole = _whole(identities)
        numbers = np.searchsorted(self._identities, whole).clip(max=len(self._identities) - 1)
        at = np.flatnonzero((self._identities[numbers] == whole) & (self._counts[numbers] > 0))
        return at, numbers[at]


def _whole(identities: Hashes) -> NDArray[np.bytes_]:
    """Return each identity as one value that sorts: shape (n,)."""
    return np.ascontiguousarray(identities).view("S16")[:, 0]


def among(places: Hashes, known: Hashes) -> Mask:
    """Return which places are among the known ones, which are ascending."""
    if not len(known):
        return np.zeros(len(places), np.bool_)
    is_known: Mask = known[np.searchsorted(known, places).clip(max=len(known) - 1)] == places
    return is_known


def again(places: Hashes) -> frozenset[int]:
    """Return the places that occur more than once."""
    ordered = np.sort(places)
    return frozenset(ordered[1:][ordered[1:] == ordered[:-1]].tolist())
