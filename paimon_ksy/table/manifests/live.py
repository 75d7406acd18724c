"""The live entries of manifests: each DELETE cancels one ADD.

The rule is that of Java's `FileEntry.mergeEntries`. A file that was deleted and added again is
live, although pypaimon's own merge omits it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from paimon_ksy.types.arrays import Hashes, Mask, bytes_of, ends_of, to_numpy, validity

PLACE = ("_BUCKET", "_FILE_NAME", "_EXTERNAL_PATH")
"""The fields that, with the partition, are equal for all entries of one file."""

_IDENTITY = (*PLACE, "_LEVEL", "_EXTRA_FILES", "_EMBEDDED_FILE_INDEX")
"""The fields that, with the partition, match a DELETE to its ADD (`FileEntry.Identifier`)."""

_SEEDS = (0x243F6A8885A308D3, 0x13198A2E03707344)
_ODD = np.uint64(0x9E3779B97F4A7C15)
_MASKS = np.array([(1 << 8 * size) - 1 for size in range(8)], np.uint64)


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

    `partitions` has a hash of each entry's partition (`Partitions.hashes`).
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
    entries: pa.RecordBatch, partitions: Hashes, names: Sequence[str], seeds: Sequence[int]
) -> Hashes:
    """Return, for each entry, the hashes of a row of these columns: shape (n, seeds)."""
    columns = [entries.column(name) for name in names]
    hashes = np.empty((len(partitions), len(seeds)), np.uint64)
    for number, seed in enumerate(seeds):
        row = _mixed(partitions + np.uint64(seed))
        for column in columns:
            row = _mixed(row * _ODD + _column_hashes(column, np.uint64(seed)))
        hashes[:, number] = row
    return hashes


def _column_hashes(column: pa.Array, seed: np.uint64) -> Hashes:
    """Return 64 bits for each value; null is like an empty list, with which others write it."""
    if column.null_count == len(column):
        return np.zeros(len(column), np.uint64)
    if column.type.num_fields:
        hashes = _list_hashes(column, seed)
    elif len(column.buffers()) == 3:
        data, ends = bytes_of(column)
        hashes = _text_hashes(ends, data, seed)
    else:
        hashes = _mixed(to_numpy(column).astype(np.int64).view(np.uint64) + seed)
    return np.where(validity(column), hashes, np.uint64(0)) if column.null_count else hashes


def _list_hashes(column: pa.Array, seed: np.uint64) -> Hashes:
    hashes, ends = np.zeros(len(column), np.uint64), ends_of(column)
    counts = np.diff(ends)
    items = _column_hashes(column.values.slice(ends[0], ends[-1] - ends[0]), seed)
    items = _mixed(items + _ODD * _numbered(counts).view(np.uint64))
    if len(items):
        hashes[counts > 0] = np.add.reduceat(items, (ends[:-1] - ends[0])[counts > 0])
    return hashes


def _text_hashes(ends: NDArray[np.int64], data: NDArray[np.uint8], seed: np.uint64) -> Hashes:
    """Return the sums of hashes of the words of 8 bytes of each text, at their positions."""
    sizes = np.diff(ends)
    words = (sizes >> 3) + 1  # so that each text has one
    first = np.cumsum(words) - words
    numbers = _numbered(words)
    padded = np.append(data[ends[0] : ends[-1]], np.zeros(8, np.uint8))
    loads: Hashes = np.ndarray(len(padded) - 7, "<u8", padded, strides=(1,))
    values = loads[numbers * 8 + np.repeat(ends[:-1] - ends[0], words)]
    values[first + words - 1] &= _MASKS[sizes & 7]
    values += _ODD * numbers.view(np.uint64) + seed
    sums: Hashes = np.add.reduceat(_mixed(values), first)
    return sums + sizes.view(np.uint64)


def _numbered(counts: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return 0 .. n - 1 for each count n, one after the other."""
    return np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)


def _mixed(values: Hashes) -> Hashes:
    """Return values of which each bit depends on all bits: the finalizer of SplitMix64."""
    values = (values ^ (values >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    values = (values ^ (values >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return values ^ (values >> np.uint64(31))


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
