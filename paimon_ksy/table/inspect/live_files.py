"""Sum up the live data files of a snapshot: in total, and by listed partition and bucket."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from paimon_ksy.table.inspect.report import BucketReport, PartitionReport, Totals
from paimon_ksy.table.manifests.index_files import UNKNOWN
from paimon_ksy.table.model.files import shared_rows

if TYPE_CHECKING:
    import pyarrow as pa

Numbers = NDArray[np.int64]


@dataclass(frozen=True)
class Entries:
    """Entries of a manifest, with the partition number of each."""

    batch: pa.RecordBatch
    partitions: Numbers

    def __len__(self) -> int:
        return len(self.batch)

    def name(self, at: int) -> str:
        """Return the name of a file."""
        return str(self.batch.column("_FILE_NAME")[at])


class LiveFiles:
    """Counter of files, batch by batch, which keeps only the files that are listed.

    Attributes:
        totals: The sums over all files.
        partitions: The first partitions, by number.
    """

    def __init__(
        self,
        limit: int,
        partition_of: Callable[[int], PartitionReport],
        *,
        shares_rows: bool = False,
    ) -> None:
        """Initialise without files.

        Args:
            limit: The number of partitions to keep, and of buckets in each.
            partition_of: Returns an empty report on the partition with a number.
            shares_rows: Whether the columns of a row are in several files (data evolution).
        """
        self._limit, self._partition_of = limit, partition_of
        self._shares_rows, self._rows = shares_rows, list[Numbers]()
        self.totals = Totals()
        self.partitions: dict[int, PartitionReport] = {}
        self._other_partitions: set[int] = set()
        self._schemas: set[int] = set()
        self._num_listed = 0
        self._buckets: dict[int, dict[int, BucketReport | None]] = {}

    @property
    def num_partitions(self) -> int:
        """The number of partitions with files."""
        return len(self.partitions) + len(self._other_partitions)

    def bucket_of(self, files: Entries, at: int) -> BucketReport | None:
        """Return the report on a file's bucket; None if it is not kept."""
        bucket = files.batch.column("_BUCKET")[at].as_py()
        return self._buckets.get(int(files.partitions[at]), {}).get(bucket)

    def next_listed(self, files: Entries) -> range:
        """Return the positions of the files to list, up to `limit` files in total."""
        listed = range(min(self._limit - self._num_listed, len(files.partitions)))
        self._num_listed += len(listed)
        return listed

    def of_new_schemas(self, files: Entries) -> list[int]:
        """Return the positions of the first file of each schema that no earlier file had."""
        ids, first = np.unique(files.batch.column("_SCHEMA_ID").to_numpy(), return_index=True)
        new = dict(zip(ids.tolist(), first.tolist(), strict=True))
        places = sorted(at for number, at in new.items() if number not in self._schemas)
        self._schemas.update(new)
        return places

    def add(self, files: Entries, vectors: NDArray[np.bool_], deleted: Numbers) -> None:
        """Add files.

        Args:
            files: Live entries.
            vectors: Whether each file has a deletion vector.
            deleted: The rows that each vector deletes, or `UNKNOWN`; 0 without a vector.
        """
        if not len(files):
            return
        counts = _counts(files.batch)
        counts[:, 5] = vectors
        counts[:, 6] = np.where(deleted == UNKNOWN, 0, deleted)
        counts[:, 7] = deleted == UNKNOWN
        self.totals.add(counts.sum(axis=0))
        buckets = files.batch.column("_BUCKET").to_numpy()
        total_buckets = files.batch.column("_TOTAL_BUCKETS").to_numpy()
        if self._shares_rows:
            starts = files.batch.column("_FIRST_ROW_ID").fill_null(-1).to_numpy()
            self._rows.append(np.stack((starts, counts[:, 1], files.partitions, buckets), axis=1))
        for at, sums in _by_bucket(files.partitions, buckets, counts):
            number = int(files.partitions[at])
            partition = self.partitions.get(number)
            if partition is None:
                if len(self.partitions) >= self._limit:
                    self._other_partitions.add(number)
                    continue
                partition = self.partitions[number] = self._partition_of(number)
                self._buckets[number] = {}
            partition.totals.add(sums)
            bucket = self._bucket(partition, number, int(buckets[at]), int(total_buckets[at]))
            if bucket is not None:
                bucket.totals.add(sums)

    def count_rows_once(self) -> None:
        """Subtract the rows of files that other files contain, too."""
        rows = np.concatenate([np.empty((0, 4), np.int64), *self._rows])
        shared = shared_rows(rows[:, 0], rows[:, 1])
        self.totals.rows -= int(shared.sum())
        for number, partition in self.partitions.items():
            here = rows[:, 2] == number
            partition.totals.rows -= int(shared[here].sum())
            for bucket in partition.buckets:
                bucket.totals.rows -= int(shared[here & (rows[:, 3] == bucket.bucket)].sum())

    def _bucket(
        self, partition: PartitionReport, number: int, bucket: int, total_buckets: int
    ) -> BucketReport | None:
        known = self._buckets[number]
        if bucket not in known:
            partition.num_buckets += 1
            known[bucket] = None
            if partition.num_buckets <= self._limit:
                known[bucket] = report = BucketReport(bucket, total_buckets)
                partition.buckets.append(report)
        return known[bucket]


def _counts(files: pa.RecordBatch) -> Numbers:
    """Return the counts of each file for `Totals.add`, without those of vectors: shape (n, 8)."""
    counts = np.zeros((len(files), 8), np.int64)
    embedded = files.column("_EMBEDDED_FILE_INDEX").is_valid().to_numpy(zero_copy_only=False)
    counts[:, 0] = 1
    counts[:, 1] = files.column("_ROW_COUNT").to_numpy()
    counts[:, 2] = files.column("_FILE_SIZE").to_numpy()
    counts[:, 3] = embedded
    counts[:, 4] = have_index_files(files) & ~embedded
    return counts


def have_index_files(files: pa.RecordBatch) -> NDArray[np.bool_]:
    """Return which entries have a file index in a file of its own."""
    import pyarrow.compute as pc

    indexed = np.zeros(len(files), np.bool_)
    names = files.column("_EXTRA_FILES")
    is_index = pc.ends_with(names.flatten(), ".index")
    indexed[pc.list_parent_indices(names).filter(is_index).to_numpy()] = True
    return indexed


def _by_bucket(
    partitions: Numbers, buckets: NDArray[np.int32], counts: Numbers
) -> Iterator[tuple[int, Numbers]]:
    """Yield the position of each bucket's first file, in file order, and the bucket's sums."""
    order = np.lexsort((buckets, partitions))  # a stable sort
    keys = np.stack((partitions[order], buckets[order]))
    starts = np.flatnonzero(np.append(True, (keys[:, 1:] != keys[:, :-1]).any(axis=0)))
    sums = np.add.reduceat(counts[order], starts, axis=0)
    first = order[starts]
    for at in np.argsort(first):
        yield int(first[at]), sums[at]
