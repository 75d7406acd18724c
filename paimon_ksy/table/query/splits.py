"""Split data files into those that can be read one by one, and those that need a merge.

With data evolution, files that hold columns of the same rows are read as one. In a primary-key
table, a file may replace or delete the rows of another file. The rules are those
of Java's `AbstractBatchTableScan`, `MergeTreeSplitGenerator`, `KeyValueFileStoreScan` and
`PrimaryKeyTableRawFileSplitReadProvider`.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from paimon_ksy.errors import UnsupportedError
from paimon_ksy.table.model.files import DataFile, TableSchema
from paimon_ksy.table.query.row_files import row_groups
from paimon_ksy.table.store.options import is_on
from paimon_ksy.types.arrays import Mask

POSTPONE_BUCKET = -2
"""Files in `bucket = -2` wait for a compaction that assigns their rows to buckets."""


@dataclass(frozen=True)
class Section:
    """Data files of one bucket, and why they need a merge; None if they can be read as one.

    If `keeps_rows`, each merged row is a row of one of the files (deduplicate, first-row). So a
    condition that no row of the files matches, matches no merged row. If `would_double_count`, rows
    of one file may already include those of another file, and have to replace them.
    """

    files: tuple[DataFile, ...]
    merge: str | None = None
    keeps_rows: bool = True
    would_double_count: bool = False


@dataclass(frozen=True)
class Reading:
    """The rules for reading a table, by its keys and options."""

    has_keys: bool
    deletion_vectors: bool
    merge_engine: str
    data_evolution: bool
    postponed: bool
    hides_new: bool
    """Whether files of level 0 are invisible until a compaction."""
    is_clustered: bool
    """Whether compacted files are not sorted by key."""
    would_double_count: bool
    """Whether rows of a level above 0 include those of higher levels, so that aggregating both
    would count them twice."""

    @classmethod
    def of(cls, schema: TableSchema) -> Reading:
        """Return the rules for a table with this schema."""
        options = schema.options
        vectors = is_on(options, "deletion-vectors.enabled")
        engine = options.get("merge-engine", "deduplicate").strip().lower()
        skips_new = engine == "first-row"
        if vectors:
            skips_new = not is_on(options, "deletion-vectors.merge-on-read")
        return cls(
            has_keys=bool(schema.primary_keys),
            deletion_vectors=vectors,
            merge_engine=engine,
            data_evolution=is_on(options, "data-evolution.enabled"),
            postponed=options.get("bucket", "").strip() == str(POSTPONE_BUCKET),
            hides_new=bool(schema.primary_keys) and skips_new,
            is_clustered=is_on(options, "pk-clustering-override"),
            # With vectors, only one of the levels above 0 has a live row of a key.
            would_double_count=not vectors
            and _counts(schema)
            and (
                options.get("changelog-producer", "").strip().lower() == "lookup"
                or is_on(options, "force-lookup")
            ),
        )

    @property
    def streams(self) -> bool:
        """Whether each file can be read without the others."""
        return not (self.has_keys or self.data_evolution or self.postponed)

    def sees(self, file: DataFile) -> bool:
        """Return whether readers see the file; other files wait for a compaction."""
        return not self._hides(file.bucket, file.level)

    def sees_each(self, buckets: NDArray[np.int64], levels: NDArray[np.int64]) -> Mask:
        """Return which files readers see, by their buckets and levels."""
        return ~np.asarray(self._hides(buckets, levels) | np.zeros(len(buckets), np.bool_))

    def _hides(self, bucket: Any, level: Any) -> Any:
        """Return whether a file of this bucket and level is hidden; for arrays, by element."""
        return (self.postponed & (bucket < 0)) | (self.hides_new & (level == 0))

    def sections(self, files: Iterable[DataFile]) -> Iterator[Section]:
        """Yield the visible files in sections; file by file only for a table that `streams`."""
        if self.streams:
            yield from (Section((file,)) for file in files if self.sees(file))
            return
        buckets: dict[Any, list[DataFile]] = defaultdict(list)
        for file in files:
            if self.sees(file):
                # Partitions that are equal in SQL may differ in Paimon, such as 0.0 and -0.0.
                buckets[file.partition, file.partition_row, file.bucket].append(file)
        for bucket in buckets.values():
            if self.has_keys:
                yield from self._keyed(bucket)
            else:
                yield from map(Section, row_groups(bucket))

    def _keyed(self, files: Sequence[DataFile]) -> Iterator[Section]:
        settled = all(file.level > 0 and file.delete_row_count == 0 for file in files)
        one_level = len({file.level for file in files}) == 1
        if settled and (self.deletion_vectors or self.merge_engine == "first-row" or one_level):
            yield from (Section((file,)) for file in files)
            return
        if self.is_clustered:
            raise UnsupportedError(
                "has option pk-clustering-override = true and files that have to be merged, which "
                "is unsupported: have Java compact the table fully",
                path=files[0].path,
            )
        keeps = self.merge_engine in ("deduplicate", "first-row")
        for section in overlapping(files):
            # Of all levels above 0, Java's LookupMergeFunction uses the lowest that has the key.
            levels = {file.level for file in section} - {0}
            twice = self.would_double_count and len(levels) > 1
            yield Section(tuple(section), _why_merged(section), keeps, twice)


def _why_merged(section: Sequence[DataFile]) -> str | None:
    """Return why files have to be merged; None if it is one file that can be read as it is."""
    deletions = section[0].delete_row_count
    if len(section) > 1:
        return f"merge pending: {len(section)} files contain versions of the same keys"
    if deletions is None:
        return "merge pending: it may contain deletions of keys"
    return f"merge pending: it contains {deletions:,} deletions of keys" if deletions else None


_AGAIN = frozenset(
    (
        *("max", "min", "bool_or", "bool_and", "last_value", "last_non_null_value", "first_value"),
        *("first_non_null_value", "first_not_null_value", "merge_map", "primary-key"),
    )
)
"""Aggregate functions whose result stays the same if a value is aggregated twice."""


def _counts(schema: TableSchema) -> bool:
    """Return whether the result of some aggregated column changes if a value is counted twice."""
    options = schema.options
    if options.get("merge-engine", "").strip().lower() != "aggregation":
        return False
    default = options.get("fields.default-aggregate-function", "last_non_null_value")
    return any(
        options.get(f"fields.{name}.aggregate-function", default) not in _AGAIN
        for name in schema.columns.names
        if name not in schema.primary_keys
    )


def overlapping(files: Iterable[DataFile]) -> list[list[DataFile]]:
    """Return the files in groups whose key ranges do not overlap."""
    if any(not _is_ordered(file) for file in files):
        return [list(files)]
    groups: list[list[DataFile]] = []
    greatest: Any = None
    for file in sorted(files, key=lambda file: _to_zero(file.key_range[0])):
        smallest, largest = map(_to_zero, file.key_range)
        if groups and smallest <= greatest:
            groups[-1].append(file)
            greatest = max(greatest, largest)
        else:
            groups.append([file])
            greatest = largest
    return groups


def _to_zero(key: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return the part of a key whose order is certain: up to 0.0, which may have been -0.0."""
    zero = next((at for at, v in enumerate(key) if v == 0 and isinstance(v, float)), len(key))
    return key[: zero + 1]


def _is_ordered(file: DataFile) -> bool:
    """Return whether the file's key range is known, and Python orders its values like Paimon."""
    smallest, largest = file.key_range
    return bool(smallest) and all(
        value is not None and not (isinstance(value, float) and math.isnan(value))
        for value in (*smallest, *largest)
    )
