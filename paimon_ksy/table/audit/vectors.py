"""Where the deletion vectors of very many data files are, in some 50 bytes each."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from paimon_ksy.table.model.digests import Digests, digests
from paimon_ksy.table.model.files import VectorPlace

FileInBucket = tuple[tuple[Any, ...], int, str]
"""A partition, a bucket of it, and the name of a data file in it."""

_UNKNOWN = -1  # a cardinality


class VectorPlaces:
    """The places of deletion vectors, by digests of what they belong to.

    Attributes:
        keys: The digests, ascending, each once.
        doubles: Digests of files with several vectors, of which the last one counts.
    """

    def __init__(self, vectors: Iterable[tuple[FileInBucket, VectorPlace]]) -> None:
        """Take the vectors of a snapshot."""
        self._paths: list[str] = []
        keys: list[Digests] = [digests([])]
        places: list[npt.NDArray[np.int64]] = [np.empty((0, 4), np.int64)]
        for some in _in_parts(vectors):
            keys.append(digests_of(key for key, _ in some))
            places.append(np.array([self._row(place) for _, place in some], np.int64))
        found = np.concatenate(keys)
        order = np.argsort(found, kind="stable")
        found = found[order]
        is_last = np.append(found[1:] != found[:-1], True)[: len(found)]
        self.keys: Digests = found[is_last]
        self.doubles: Digests = np.unique(found[~is_last])
        self._places = np.concatenate(places)[order[is_last]]

    def _row(self, place: VectorPlace) -> tuple[int, int, int, int]:
        if not self._paths or self._paths[-1] != place.path:
            self._paths.append(place.path)
        cardinality = _UNKNOWN if place.cardinality is None else place.cardinality
        return len(self._paths) - 1, place.offset, place.length, cardinality

    def __len__(self) -> int:
        return len(self.keys)

    def find(self, keys: Digests) -> npt.NDArray[np.int64]:
        """Return the number of the vector of each file, -1 where it has none."""
        if not len(self.keys):
            return np.full(len(keys), -1)
        at = np.searchsorted(self.keys, keys).clip(max=len(self.keys) - 1)
        found: npt.NDArray[np.int64] = np.where(self.keys[at] == keys, at, -1)
        return found

    def place(self, number: int) -> VectorPlace:
        """Return where the vector of a number is."""
        path, offset, length, cardinality = self._places[number].tolist()
        known = None if cardinality == _UNKNOWN else cardinality
        return VectorPlace(self._paths[path], offset, length, known)


def digests_of(files: Iterable[FileInBucket]) -> Digests:
    """Return the digests of data files, in their order."""
    return digests(map(repr, files))


_PART = 10_000  # vectors that become arrays at once


def _in_parts(
    vectors: Iterable[tuple[FileInBucket, VectorPlace]],
) -> Iterator[list[tuple[FileInBucket, VectorPlace]]]:
    part = []
    for vector in vectors:
        part.append(vector)
        if len(part) == _PART:
            yield part
            part = []
    if part:
        yield part
