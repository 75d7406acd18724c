"""Which entries of manifests are live: each DELETE takes one ADD back.

The rule is that of Java's `FileEntry.mergeEntries`. A file that was deleted and came back is live;
pypaimon's own merge leaves it out.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from paimon_ksy.table.manifests.entries import ADD

if TYPE_CHECKING:
    import pyarrow as pa

PLACE = ("_BUCKET", "_FILE_NAME", "_EXTERNAL_PATH")
"""With the partition: what is the same of entries for one file."""

_IDENTITY = (*PLACE, "_LEVEL", "_EXTRA_FILES", "_EMBEDDED_FILE_INDEX")
"""With the partition: what is the same of a DELETE and its ADD (`FileEntry.Identifier`)."""

_SEEDS = ((1, 2, 3, 4), (5, 6, 7, 8))

Hashes = NDArray[np.uint64]
Mask = NDArray[np.bool_]


class Keys(NamedTuple):
    """What the entries of a batch are matched by.

    Attributes:
        adds: Whether each entry adds a file.
        identities: 128 bits for each entry that are equal for equal identities: shape (n, 2).
        places: 64 bits for each entry that are equal for one file.
    """

    adds: Mask
    identities: Hashes
    places: Hashes


def keys_of(entries: pa.RecordBatch, partitions: NDArray[np.int64]) -> Keys:
    """Return what entries are matched by.

    Args:
        entries: A batch of `read_entries`.
        partitions: The number of the partition of each.
    """
    import polars as pl
    import pyarrow as pa

    columns = {name: entries.column(name) for name in _IDENTITY}
    extra = columns["_EXTRA_FILES"]
    if extra.null_count:  # what another writer has as an empty list
        columns["_EXTRA_FILES"] = pa.array([names or [] for names in extra.to_pylist()], extra.type)
    table = pa.table({"partition": partitions, **columns})
    frame = pl.from_arrow(table)
    assert isinstance(frame, pl.DataFrame)
    places = frame.select("partition", *PLACE).hash_rows(*_SEEDS[0]).to_numpy()
    identities = [frame.hash_rows(*seeds).to_numpy() for seeds in _SEEDS]
    adds = entries.column("_KIND").to_numpy() == ADD
    return Keys(adds, np.stack(identities, axis=1), places)


class Deleted:
    """The DELETE entries of all manifests of a snapshot, counted by identity.

    Attributes:
        left: How many of each identity took no ADD back so far.
    """

    def __init__(self, left: dict[tuple[int, int], int] | None = None) -> None:
        """Begin with these, or without any."""
        self.left = dict(left or {})
        self._first: Hashes | None = None

    def add(self, keys: Keys) -> None:
        """Count the entries that delete a file."""
        for first, second in keys.identities[~keys.adds].tolist():
            self.left[first, second] = self.left.get((first, second), 0) + 1

    def live(self, keys: Keys) -> Mask:
        """Return which entries of the next batch add a file that no DELETE takes back."""
        found = keys.adds.copy()
        for at in self._known(keys, found):
            found[at] = not self._take(keys, at)
        return found

    def take(self, keys: Keys) -> Mask:
        """Return which DELETE entries are left, the first of each identity, and forget these."""
        found = np.zeros(len(keys.adds), np.bool_)
        for at in self._known(keys, ~keys.adds):
            found[at] = self.left.pop(_identity(keys, at), 0) > 0
        return found

    def _known(self, keys: Keys, wanted: Mask) -> list[int]:
        """Return the numbers of the entries that may be of a DELETE's identity."""
        if not self.left:
            return []
        if self._first is None:
            self._first = np.array([first for first, _ in self.left], np.uint64)
        known: list[int] = np.flatnonzero(
            wanted & np.isin(keys.identities[:, 0], self._first)
        ).tolist()
        return known

    def _take(self, keys: Keys, at: int) -> bool:
        identity = _identity(keys, at)
        count = self.left.get(identity, 0)
        if count > 1:
            self.left[identity] = count - 1
        elif count:
            del self.left[identity]
        return count > 0


def _identity(keys: Keys, at: int) -> tuple[int, int]:
    first, second = keys.identities[at].tolist()
    return first, second


def again(places: Hashes) -> frozenset[int]:
    """Return the places that occur more than once."""
    ordered = np.sort(places)
    return frozenset(ordered[1:][ordered[1:] == ordered[:-1]].tolist())
