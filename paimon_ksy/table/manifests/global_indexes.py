"""The global indexes of a snapshot: the files of each, and the rows that they cover."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from paimon_ksy.table.manifests.scan import ManifestReader, OnContradiction, scan
from paimon_ksy.table.model.files import IndexFile, ManifestFile
from paimon_ksy.table.model.row_ranges import RowRanges
from paimon_ksy.types.arrays import Numbers, filled, to_numpy

OF_PRIMARY_KEYS = "it lists positions in primary-key files instead of row ids"
"""Why queries use no global index of a table with a primary key."""

_FILE_BYTES = 1000
"""The memory that a file in an index manifest takes, without its metadata, in bytes."""


@dataclass(frozen=True, eq=False)
class GlobalIndexFiles:
    """The files of a global index: those of one type that index the same columns.

    `field_ids` are in the order of the keys. Each of `ends` is the row id after the last one that a
    file covers.
    """

    index_type: str
    field_ids: tuple[int, ...]
    files: tuple[IndexFile, ...]
    starts: Numbers
    ends: Numbers

    @property
    def bounds(self) -> list[tuple[int, int]]:
        """The start and the end of each one."""
        return [*zip(self.starts.tolist(), self.ends.tolist(), strict=True)]

    @property
    def rows(self) -> RowRanges:
        """The row ids that they cover."""
        return RowRanges.of(self.starts, self.ends)

    @property
    def most_bytes(self) -> int:
        """The greatest size of the files that cover the same rows."""
        sizes = Counter[tuple[int, int]]()
        for at, file in zip(self.bounds, self.files, strict=True):
            sizes[at] += file.file_size
        return max(sizes.values())

    @property
    def nbytes(self) -> int:
        """About their size in memory."""
        indexes = (file.global_index for file in self.files)
        return sum(_FILE_BYTES + len(each.index_meta or b"") for each in indexes if each)

    @property
    def overlapping(self) -> Iterator[IndexFile]:
        """The files whose range overlaps an earlier one, but is not the same.

        A range may have several files, each with some of its keys.
        """
        order = np.lexsort((self.ends, self.starts))
        starts, ends = self.starts[order], self.ends[order]
        is_new = np.append(True, (np.diff(starts) != 0) | (np.diff(ends) != 0))[: len(order)]
        reached = np.append(np.iinfo(np.int64).min, np.maximum.accumulate(ends)[:-1])
        return (self.files[at] for at in order[is_new & (starts < reached[: len(order)])].tolist())


def global_indexes(files: Iterable[IndexFile]) -> list[GlobalIndexFiles]:
    """Return the global indexes that some files are of, in the order of their first files."""
    groups = defaultdict[tuple[str, tuple[int, ...]], list[IndexFile]](list)
    bounds = defaultdict[tuple[str, tuple[int, ...]], list[tuple[int, int]]](list)
    for file in files:
        if (index := file.global_index) is not None:
            groups[key := (file.index_type, index.field_ids)].append(file)
            most = np.iinfo(np.int64).max - 1
            bounds[key].append((index.row_range_start, min(index.row_range_end, most) + 1))
    return [
        GlobalIndexFiles(*key, tuple(of_key), *np.array(bounds[key], np.int64).T)
        for key, of_key in groups.items()
    ]


def row_ids(entries: pa.RecordBatch, *_: Any) -> tuple[Numbers, Numbers]:
    """Return the first row id of each data file whose rows have ids, and the one after its last."""
    first, counts = entries.column("_FIRST_ROW_ID"), to_numpy(entries.column("_ROW_COUNT"))
    has_ids = to_numpy(first.is_valid())
    starts = to_numpy(filled(first, 0))[has_ids]
    return starts, starts + counts[has_ids]


def live_row_ids(
    manifests: Sequence[ManifestFile], read: ManifestReader, wrong: OnContradiction
) -> RowRanges:
    """Return the row ids of live data files (see `scan`)."""
    return union([each.result for each in scan(manifests, read, row_ids, wrong)])


def union(ranges: Sequence[tuple[Numbers, Numbers]]) -> RowRanges:
    """Return the union of ranges in arrays of starts and ends."""
    none = np.empty(0, np.int64)
    starts, ends = zip(*ranges, (none, none), strict=True)
    return RowRanges.of(np.concatenate(starts), np.concatenate(ends))
