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
    frame = pl.from_arrow(pa.table({"partition": partitions, **columns}))
    assert isinstance(frame, pl.DataFrame)
    return np.stack([frame.hash_rows(*each).to_numpy() for each in seeds], axis=1)


class Deleted:
    """The DELETE entries of all manifests of a snapshot, counted by identity.

    Attributes:
        left: The number of entries of each identity that have not yet cancelled an ADD.
    """

    def __init__(self, identities: Hashes) -> None:
        """Count the identities of DELETE entries."""
        self.left: dict[tuple[int, int], int] = {}
        for first, second in identities.tolist():
            self.left[first, second] = self.left.get((first, second), 0) + 1

    def take_back(self, adds: Hashes) -> Mask:
        """Return which of the next ADD entries, given by their identities, a DELETE cancels."""
        taken = np.zeros(len(adds), np.bool_)
        for at, (first, second) in enumerate(adds.tolist() if self.left else ()):
            count = self.left.get((first, second), 0)
            if count > 1:
                self.left[first, second] = count - 1
            elif count:
                del self.left[first, second]
            taken[at] = count > 0
        return taken

    def forget(self, deletes: Hashes) -> Mask:
        """Return which DELETE entries are left, the first of each identity, and remove these."""
        left = [self.left.pop((first, second), 0) > 0 for first, second in deletes.tolist()]
        return np.array(left, np.bool_)


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
