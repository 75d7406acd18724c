"""The places of the deletion vectors of millions of data files, in about 40 bytes each.

The key of a vector is a hash of 128 bits of the partition, the bucket and the name of its data
file. In one of 10^26 tables with a million files, two files have the same key. So names are not
kept for comparison, which would take more memory than everything else.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from copy import copy

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from paimon_ksy.table.manifests.index_files import UNKNOWN, IndexFiles
from paimon_ksy.table.manifests.live import in_buckets
from paimon_ksy.table.model.digests import Digests, DigestSet, digests
from paimon_ksy.table.model.files import DELETION_VECTORS, IndexFile, VectorPlace
from paimon_ksy.types.arrays import (
    Hashes,
    Mask,
    Numbers,
    distinct,
    filled,
    to_arrow_array,
    to_arrow_scalar,
    to_numpy,
)

_PLACE = np.dtype(
    [("file", np.int32), ("offset", np.int32), ("length", np.int32), ("cardinality", np.int64)]
)
"""The number of the index file, and the fields of a `VectorRange`: 20 bytes."""


def file_keys(entries: pa.RecordBatch, partitions: Hashes) -> Digests:
    """Return the vector keys of data files, the same in each process.

    `partitions` has a hash of each entry's partition (`Partitions.hashes`).
    """
    if not len(entries):
        return digests([])
    keys: Digests = np.ascontiguousarray(in_buckets(entries, partitions)).view("S16")[:, 0]
    return keys


def vector_keys(files: IndexFiles) -> Digests:
    """Return the key of each vector, which is that of its data file."""
    vectors = files.vectors
    columns = [
        files.columns.column("_BUCKET").take(to_arrow_array(vectors.files)),
        vectors.names,
    ]
    entries = pa.RecordBatch.from_arrays(columns, ["_BUCKET", "_FILE_NAME"])
    return file_keys(entries, files.partitions.hashes(files.numbers[vectors.files]))


Wanted = Callable[[IndexFiles], Mask]
"""A function that selects vectors of index files."""


def of_keys(keys: Digests) -> Wanted:
    """Return a function that selects vectors by the keys of data files."""
    among = DigestSet(keys)
    return lambda files: among.contains(vector_keys(files))


class VectorPlaces:
    """The places of the deletion vectors of a snapshot.

    Attributes:
        keys: The keys of the data files that have a vector, ascending and distinct.
        doubles: The keys of data files with several vectors, of which the last one counts.
    """

    def __init__(self, files: Iterable[IndexFiles], path_of: Callable[[IndexFile], str]) -> None:
        """Read the vectors of a snapshot. `path_of` returns the path of an index file."""
        self._files: list[IndexFiles] = []
        self._first: list[int] = []  # the number of the first file of each
        self._path_of = path_of
        self._paths: dict[int, str] = {}
        keys, places = [digests([])], [np.empty(0, _PLACE)]
        count = 0
        for group in files:
            kinds = group.columns.column("_INDEX_TYPE")
            of_vectors = pc.equal(kinds, to_arrow_scalar(DELETION_VECTORS, kinds.type))
            mask = to_numpy(of_vectors)[group.vectors.files]
            if mask.any():
                keys.append(vector_keys(group)[mask])
                places.append(_places(group, count)[mask])
                self._files.append(group.without_vectors())
                self._first.append(count)
            count += len(group)
        joined = np.concatenate(keys)
        order = np.argsort(joined, kind="stable")
        joined = joined[order]
        is_last = np.append(joined[1:] != joined[:-1], True)[: len(joined)]
        self.keys: Digests = joined[is_last]
        self.doubles: Digests = distinct(joined[~is_last])
        self._places = np.concatenate(places)[order[is_last]]

    def __len__(self) -> int:
        return len(self.keys)

    @property
    def nbytes(self) -> int:
        """Their size in memory."""
        files = sum(group.columns.nbytes for group in self._files)
        return int(self.keys.nbytes + self._places.nbytes + files)

    @property
    def num_deleted(self) -> int:
        """The most rows that all vectors delete."""
        counts = self._places["cardinality"]
        return 2**62 if (counts == UNKNOWN).any() else int(counts.sum())

    def with_paths(self, path_of: Callable[[IndexFile], str]) -> VectorPlaces:
        """Return the same places with another function that returns the paths of index files."""
        copied = copy(self)
        copied._path_of, copied._paths = path_of, {}
        return copied

    def find(self, keys: Digests) -> Numbers:
        """Return the number of each data file's vector, -1 if it has none."""
        if not len(self.keys):
            return np.full(len(keys), -1)
        at = np.searchsorted(self.keys, keys).clip(max=len(self.keys) - 1)
        places: Numbers = np.where(self.keys[at] == keys, at, -1)
        return places

    def deleted_rows(self, numbers: Numbers) -> pa.Array:
        """Return how many rows vectors delete: 0 for the number -1, null if not listed."""
        counts = np.zeros(len(numbers), np.int64)
        counts[numbers >= 0] = self._places["cardinality"][numbers[numbers >= 0]]
        return to_arrow_array(counts, nulls=counts == UNKNOWN)

    def place(self, number: int) -> VectorPlace:
        """Return the place of the vector with a number.

        Raises:
            PaimonKsyError: The table may not use the file that contains the vector.
        """
        file, offset, length, cardinality = self._places[number].tolist()
        if file not in self._paths:
            at = int(np.searchsorted(self._first, file, side="right")) - 1
            self._paths[file] = self._path_of(self._files[at].file(file - self._first[at]))
        known = None if cardinality == UNKNOWN else cardinality
        return VectorPlace(self._paths[file], offset, length, known)


def _places(files: IndexFiles, first: int) -> NDArray[np.void]:
    """Return the `_PLACE` of each vector; `first` is the number of the first index file."""
    of_files, ranges = files.vectors
    _, offsets, lengths, cardinalities = ranges.columns
    places = np.empty(len(of_files), _PLACE)
    places["file"] = of_files + first
    places["offset"] = to_numpy(offsets)
    places["length"] = to_numpy(lengths)
    places["cardinality"] = to_numpy(filled(cardinalities, UNKNOWN))
    return places
