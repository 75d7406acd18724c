"""Split the data files of a rewrite into batches, each with its own commit.

A batch consists of whole buckets where that is possible, and neighbouring partitions share one. So
the manifests that a commit writes contain few partitions each, and readers can skip them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any
from zlib import crc32

from paimon_ksy.table.model.files import DataFile

Group = tuple[tuple[Any, ...], int]
"""A partition and a bucket."""


@dataclass(frozen=True)
class Batch:
    """Some buckets of a table, or one of `parts` equal parts of a large one.

    A file stays in its batch, whatever other writers commit meanwhile.
    """

    groups: frozenset[Group]
    part: int = 0
    parts: int = 1

    def keeps(self, partition: tuple[Any, ...], bucket: int) -> bool:
        """Return whether the batch can have files of a bucket."""
        return (partition, bucket) in self.groups

    def contains(self, file: DataFile) -> bool:
        """Return whether a file of these buckets is in the batch."""
        return self.parts == 1 or crc32(file.name.encode()) % self.parts == self.part


def batches_of(files: Iterable[DataFile], most: int) -> Iterator[Batch]:
    """Yield batches that contain all files, about `most` of them each, in order of partitions."""
    counts = Counter((file.partition, file.bucket) for file in files)
    groups: list[Group] = []
    size = 0
    for group in sorted(counts, key=_order):
        if groups and size + counts[group] > most:
            yield Batch(frozenset(groups))
            groups, size = [], 0
        if counts[group] > most:
            parts = -(-counts[group] // most)
            for part in range(parts):
                yield Batch(frozenset([group]), part, parts)
        else:
            groups.append(group)
            size += counts[group]
    if groups:
        yield Batch(frozenset(groups))


def _order(group: Group) -> tuple[Any, ...]:
    partition, bucket = group
    return tuple((value is not None, value) for value in partition), bucket
