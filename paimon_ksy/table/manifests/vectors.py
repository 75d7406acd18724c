"""Where the deletion vectors of very many data files are, in some 40 bytes each.

The key of a vector is 128 bits that stand for the partition, the bucket and the name of its data
file. In one of 10^26 tables of a million files, two files have the same key. So no names are kept
to compare, which would take more memory than all the rest.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from paimon_ksy.table.manifests.index_files import UNKNOWN, IndexFiles
from paimon_ksy.table.manifests.live import Hashes, in_buckets
from paimon_ksy.table.model.digests import Digests, DigestSet, digests
from paimon_ksy.table.model.files import DELETION_VECTORS, IndexFile, VectorPlace

if TYPE_CHECKING:
    import pyarrow as pa

Mask = NDArray[np.bool_]
Numbers = NDArray[np.int64]

_PLACE = np.dtype(
    [("file", np.int32), ("offset", np.int32), ("length", np.int32), ("cardinality", np.int64)]
)
"""The number of the index file, and the fields of a `VectorRange`: 20 bytes."""


def file_keys(entries: pa.RecordBatch, partitions: Hashes) -> Digests:
    """Return the keys of the vectors of data files, the same in each process.

    Args:
        entries: A batch with the columns `_BUCKET` and `_FILE_NAME`, as that of `read_entries`.
        partitions: What stands for the partition of each (`Partitions.hashes`).
    """
    if not len(entries):
        return digests([])
    found: Digests = np.ascontiguousarray(in_buckets(entries, partitions)).view("S16")[:, 0]
    return found


def vector_keys(files: IndexFiles) -> Digests:
    """Return the key of each vector: that of the data file it belongs to."""
    import pyarrow as pa

    vectors = files.vectors
    columns = [files.columns.column("_BUCKET").take(pa.array(vectors.files)), vectors.names]
    entries = pa.RecordBatch.from_arrays(columns, ["_BUCKET", "_FILE_NAME"])
    return file_keys(entries, files.partitions.hashes(files.numbers[vectors.files]))


Wanted = Callable[[IndexFiles], Mask]
"""Selects vectors of index files."""


def of_keys(keys: Digests) -> Wanted:
    """Return what selects the vectors of the data files that have these keys."""
    among = DigestSet(keys)
    return lambda files: among.contains(vector_keys(files))


def of_names(names: Iterable[str]) -> Wanted:
    """Return what selects the vectors of the data files that have these names, in any bucket."""
    import pyarrow as pa
    import pyarrow.compute as pc

    among = pa.array(names, pa.large_string())
    return lambda files: pc.is_in(files.vectors.names, among).to_numpy(zero_copy_only=False)


class VectorPlaces:
    """The places of the deletion vectors of a snapshot.

    Attributes:
        keys: The keys of the data files that have one, ascending, each once.
        doubles: The keys of data files with several vectors, of which the last one counts.
    """

    def __init__(self, files: Iterable[IndexFiles], path_of: Callable[[IndexFile], str]) -> None:
        """Take the vectors of a snapshot.

        Args:
            files: Its index files.
            path_of: Returns the path of an index file.
        """
        self._files: list[IndexFiles] = []
        self._first: list[int] = []  # by number in the list, of all index files
        self._path_of = path_of
        self._paths: dict[int, str] = {}
        keys, places = [digests([])], [np.empty(0, _PLACE)]
        count = 0
        for some in files:
            own = _has_vectors(some)
            if own.any():
                keys.append(vector_keys(some)[own])
                places.append(_places(some, count)[own])
                self._files.append(some.without_vectors())
                self._first.append(count)
            count += len(some)
        found = np.concatenate(keys)
        order = np.argsort(found, kind="stable")
        found = found[order]
        is_last = np.append(found[1:] != found[:-1], True)[: len(found)]
        self.keys: Digests = found[is_last]
        self.doubles: Digests = np.unique(found[~is_last])
        self._places = np.concatenate(places)[order[is_last]]

    def __len__(self) -> int:
        return len(self.keys)

    def find(self, keys: Digests) -> Numbers:
        """Return the number of the vector of each data file, -1 where it has none."""
        if not len(self.keys):
            return np.full(len(keys), -1)
        at = np.searchsorted(self.keys, keys).clip(max=len(self.keys) - 1)
        found: Numbers = np.where(self.keys[at] == keys, at, -1)
        return found

    def cardinalities(self, numbers: Numbers) -> Numbers:
        """Return how many rows vectors delete; `UNKNOWN` where that is not listed."""
        found: Numbers = self._places["cardinality"][numbers]
        return found

    def place(self, number: int) -> VectorPlace:
        """Return where the vector of a number is.

        Raises:
            PaimonKsyError: The table may not use the file that it is in.
        """
        file, offset, length, cardinality = self._places[number].tolist()
        if file not in self._paths:
            at = int(np.searchsorted(self._first, file, side="right")) - 1
            self._paths[file] = self._path_of(self._files[at].file(file - self._first[at]))
        known = None if cardinality == UNKNOWN else cardinality
        return VectorPlace(self._paths[file], offset, length, known)


def _has_vectors(files: IndexFiles) -> Mask:
    """Return which vectors are listed in files of deletion vectors."""
    import pyarrow.compute as pc

    wanted = pc.equal(files.columns.column("_INDEX_TYPE"), DELETION_VECTORS)
    found: Mask = wanted.to_numpy(zero_copy_only=False)[files.vectors.files]
    return found


def _places(files: IndexFiles, first: int) -> NDArray[np.void]:
    """Return `_PLACE` of each vector; `first` is the number of the first index file."""
    vectors = files.vectors
    found = np.empty(len(vectors), _PLACE)
    found["file"] = vectors.files + first
    found["offset"] = vectors.offsets
    found["length"] = vectors.lengths
    found["cardinality"] = vectors.cardinalities
    return found
