"""Select the manifest entries that a query needs, column by column, in whole batches.

Partitions, buckets and statistics select a superset, so few files become objects. `plan` then
checks each file.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from threading import Lock
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from paimon_ksy.predicates.statistics_of_many import ManyBounds, may_match_each
from paimon_ksy.predicates.tree import Always, Predicate
from paimon_ksy.rows.many_rows import ManyRows
from paimon_ksy.table.manifests.bounds import STATISTICS, FileBounds, alike, is_orc
from paimon_ksy.table.model.files import ManifestFile, TableSchema
from paimon_ksy.table.query.steps import Size
from paimon_ksy.types.data_type import DataType

if TYPE_CHECKING:
    import pyarrow as pa

Mask = NDArray[np.bool_]
Numbers = NDArray[np.int64]


class Within:
    """The predicates within partitions, by partition number. Thread-safe.

    Attributes:
        distinct: The distinct predicates; None is always true.
    """

    def __init__(self, predicate: Callable[[int], Predicate | None]) -> None:
        """Initialise with a function of partitions, which is called once for each partition."""
        self._predicate = predicate
        self._known: dict[Predicate | None, int] = {}
        self._groups = np.full(1, -1, np.int64)  # by partition number, with room for more
        self._lock = Lock()
        self.distinct: list[Predicate | None] = []

    def groups(self, numbers: Numbers) -> Numbers:
        """Return the position in `distinct` of each partition's predicate."""
        if len(numbers) and numbers.max() >= len(self._groups):
            with self._lock:
                more = np.full(2 * int(numbers.max()), -1, np.int64)
                self._groups = np.concatenate([self._groups, more])
        found = self._groups[numbers]
        if (found < 0).any():
            with self._lock:
                for number in np.unique(numbers[found < 0]).tolist():
                    self._groups[number] = self._group(self._predicate(number))
                found = self._groups[numbers]
        return found

    def _group(self, predicate: Predicate | None) -> int:
        group = self._known.setdefault(predicate, len(self.distinct))
        if group == len(self.distinct):
            self.distinct.append(predicate)
        return group

    def can_match(self, groups: Numbers) -> Mask:
        """Return which of `groups` have a predicate that is not always false."""
        alive = [predicate != Always(False) for predicate in self.distinct]
        return np.array(alive, np.bool_)[groups]


@dataclass(frozen=True)
class Pruned:
    """The entries that a query needs. Masks have one element for each input entry.

    Attributes:
        sees: Which files readers see.
        in_partitions: Which of them are in partitions that can match.
        in_buckets: Which of these are in buckets that can match.
        rows: The rows of each file.
        bytes: The size of each file.
        entries: The entries that may match.
    """

    sees: Mask
    in_partitions: Mask
    in_buckets: Mask
    rows: Numbers
    bytes: Numbers
    entries: pa.RecordBatch

    def size(self, files: Mask) -> Size:
        """Return the total size of these files."""
        return Size(int(files.sum()), int(self.rows[files].sum()), int(self.bytes[files].sum()))


@dataclass(frozen=True)
class Pruning:
    """Filter of manifest entries by the conditions of a query. Thread-safe.

    Attributes:
        within: The predicates within partitions.
        of_orc: Returns a predicate without conditions on values that ORC may have shifted.
        of_schema: Returns a predicate in terms of the schema with an id, and the schema.
        buckets: Returns which of a number of buckets can match a predicate; None for all.
        newest: The id of the query's schema: for files of later schemas, buckets are unknown.
        sees: Returns which files readers see, by their buckets and levels.
        by_statistics: Whether no file needs a merge, so that statistics may rule it out.
    """

    within: Within
    of_orc: Callable[[Predicate], Predicate]
    of_schema: Callable[[Predicate, int], tuple[Predicate, TableSchema]]
    buckets: Callable[[Predicate, int], frozenset[int] | None] | None
    newest: int
    sees: Callable[[Numbers, Numbers], Mask]
    by_statistics: bool

    def __call__(self, entries: pa.RecordBatch, numbers: Numbers) -> Pruned:
        """Return the entries of live files that the query needs.

        Args:
            entries: A batch of `read_entries`.
            numbers: The partition number of each entry.
        """
        groups = self.within.groups(numbers)
        buckets, levels = (_integers(entries, name) for name in ("_BUCKET", "_LEVEL"))
        sees = self.sees(buckets, levels)
        in_partitions = self.within.can_match(groups) & sees
        in_buckets = in_partitions.copy()
        if self.buckets is not None:
            for predicate, at in self._asked(groups, in_partitions):
                in_buckets[at] = self._in_buckets(entries, at, predicate, buckets)
        left = in_buckets.copy()
        if self.by_statistics:
            for predicate, at in self._asked(groups, in_buckets):
                left[at] = self._may_match(_taken(entries.select(STATISTICS), at), predicate)
        return Pruned(
            sees,
            in_partitions,
            in_buckets,
            _integers(entries, "_ROW_COUNT"),
            _integers(entries, "_FILE_SIZE"),
            _taken(entries, np.flatnonzero(left)),
        )

    def _asked(self, groups: Numbers, wanted: Mask) -> Iterator[tuple[Predicate, Numbers]]:
        """Yield each predicate with the positions of its entries among the wanted ones."""
        for group in np.unique(groups[wanted]).tolist():
            predicate = self.within.distinct[group]
            if predicate is not None:
                yield predicate, np.flatnonzero(wanted & (groups == group))

    def _in_buckets(
        self, entries: pa.RecordBatch, at: Numbers, predicate: Predicate, buckets: Numbers
    ) -> Mask:
        """Return which of the entries `at` are in buckets that can match."""
        assert self.buckets is not None
        found = np.ones(len(at), np.bool_)
        totals = _integers(entries, "_TOTAL_BUCKETS")[at]
        of_orc = is_orc(entries.select(["_FILE_NAME"]).take(at))
        surely = (buckets[at] < 0) | (_integers(entries, "_SCHEMA_ID")[at] > self.newest)
        for total in np.unique(totals[totals >= 1]).tolist():
            for shifted in (False, True):
                wanted = (totals == total) & (of_orc == shifted) & ~surely
                if wanted.any():
                    asked = self.of_orc(predicate) if shifted else predicate
                    allowed = self.buckets(asked, total)
                    if allowed is not None:
                        found[wanted] = np.isin(buckets[at][wanted], list(allowed))
        return found

    def _may_match(self, entries: pa.RecordBatch, predicate: Predicate) -> Mask:
        """Return which entries may match, by their statistics."""
        found = np.ones(len(entries), np.bool_)
        for part in alike(entries):
            of_file, schema = self.of_schema(predicate, part.schema_id)
            bounds = FileBounds(_taken(entries, part.at), part.columns(schema.columns.names))
            found[part.at] = may_match_each(of_file, bounds, len(part.at))
        return found


def _taken(entries: pa.RecordBatch, at: Numbers) -> pa.RecordBatch:
    """Return the entries at ascending positions, without a copy if these are all entries."""
    return entries if len(at) == len(entries) else entries.take(at)


def _integers(entries: pa.RecordBatch, name: str) -> Numbers:
    found: Numbers = entries.column(name).to_numpy()
    return found


def in_partitions(
    manifests: Sequence[ManifestFile], predicate: Predicate, schema: TableSchema
) -> list[ManifestFile]:
    """Return the manifests that can have entries in partitions that match a predicate.

    Args:
        manifests: The manifests of a snapshot.
        predicate: A predicate on partition columns alone, bound to the schema.
        schema: The table's schema.
    """
    import pyarrow as pa

    types = [field.type for field in schema.partition_schema]
    least, greatest = (
        ManyRows(pa.array(rows, pa.large_binary()), len(types))
        for rows in (
            [manifest.least_partition for manifest in manifests],
            [manifest.greatest_partition for manifest in manifests],
        )
    )

    def bounds(column: str, data_type: DataType) -> ManyBounds | None:
        if column not in schema.partition_keys:
            return None
        number = schema.partition_keys.index(column)
        low, high = (rows.field(number, data_type) for rows in (least, greatest))
        if low is None or high is None:
            return None
        counts = [_count(manifest.null_counts, number) for manifest in manifests]
        sizes = [m.num_added_files + m.num_deleted_files for m in manifests]
        return ManyBounds(
            low.values,
            high.values,
            low.known & high.known,
            np.array(counts, np.int64),
            np.array(sizes, np.int64),
        )

    kept = may_match_each(predicate, bounds, len(manifests))
    return [
        manifest
        for manifest, keep in zip(manifests, kept.tolist(), strict=True)
        if keep or not manifest.has_bounds
    ]


def _count(counts: Sequence[int | None], number: int) -> int:
    found = counts[number] if number < len(counts) else None
    return -1 if found is None else found
