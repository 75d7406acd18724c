"""Which entries of manifests are live: each DELETE takes one ADD back.

The rule is that of Java's `FileEntry.mergeEntries`. A file that was deleted and came back is live;
pypaimon's own merge leaves it out.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

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
    """What entries are matched by, the same in each process.

    Attributes:
        identities: 128 bits for each entry that are equal for equal identities: shape (n, 2).
        places: 64 bits for each entry that are equal for one file.
    """

    identities: Hashes
    places: Hashes


def keys_of(entries: pa.RecordBatch, partitions: Hashes) -> Keys:
    """Return what entries are matched by.

    Args:
        entries: A batch of `read_entries`.
        partitions: What stands for the partition of each (`Partitions.hashes`).
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
    return Keys(np.stack(identities, axis=1), places)


class Deleted:
    """The DELETE entries of all manifests of a snapshot, counted by identity.

    Attributes:
        left: How many of each identity took no ADD back so far.
    """

    def __init__(self, identities: Hashes) -> None:
        """Count the identities of DELETE entries."""
        self.left: dict[tuple[int, int], int] = {}
        for first, second in identities.tolist():
            self.left[first, second] = self.left.get((first, second), 0) + 1

    def take_back(self, adds: Hashes) -> Mask:
        """Return which of the next ADD entries, by their identities, a DELETE takes back."""
        found = np.zeros(len(adds), np.bool_)
        for at, (first, second) in enumerate(adds.tolist() if self.left else ()):
            count = self.left.get((first, second), 0)
            if count > 1:
                self.left[first, second] = count - 1
            elif count:
                del self.left[first, second]
            found[at] = count > 0
        return found

    def forget(self, deletes: Hashes) -> Mask:
        """Return which DELETE entries are left, the first of each identity, and forget these."""
        left = [self.left.pop((first, second), 0) > 0 for first, second in deletes.tolist()]
        return np.array(left, np.bool_)


def halves(identities: Hashes) -> Hashes:
    """Return the first 64 bits of each of these identities once, for `may_be_among`."""
    return np.unique(identities[:, 0])


def may_be_among(identities: Hashes, known: Hashes) -> Mask:
    """Return which identities may be one of those of which `known` has the halves."""
    if not len(known):
        return np.zeros(len(identities), np.bool_)
    wanted = identities[:, 0]
    found: Mask = known[np.searchsorted(known, wanted).clip(max=len(known) - 1)] == wanted
    return found


def again(places: Hashes) -> frozenset[int]:
    """Return the places that occur more than once."""
    ordered = np.sort(places)
    return frozenset(ordered[1:][ordered[1:] == ordered[:-1]].tolist())
