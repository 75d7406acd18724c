"""Select the manifest entries that a query needs, column by column, in whole batches.

Partitions, buckets and statistics decide. The conditions are the same in each process, and can be
pickled, since other processes may read manifests.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from threading import Lock
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from paimon_ksy.data_files.orc.shifted import (
    is_shifted,
    latest,
    widened,
    without_gaps,
    without_shifted,
)
from paimon_ksy.errors import PredicateError
from paimon_ksy.file_index.container import bound_predicate
from paimon_ksy.io.file_kind import BLOB
from paimon_ksy.predicates.bind import bind
from paimon_ksy.predicates.per_predicate import PerPredicate
from paimon_ksy.predicates.row_filter import holds
from paimon_ksy.predicates.statistics import Bounds, ManyBounds, may_match
from paimon_ksy.predicates.tree import Always, And, Leaf, Predicate, replaced
from paimon_ksy.rows.many_rows import ManyRows
from paimon_ksy.table.manifests.bounds import STATISTICS_COLUMNS, FileBounds, alike, is_orc
from paimon_ksy.table.manifests.entries import SCHEMA, WITHOUT_STATISTICS
from paimon_ksy.table.manifests.partitions import Partitions
from paimon_ksy.table.model.columns import columns_of, tested_names
from paimon_ksy.table.model.evolve import same_column, to_file_schema
from paimon_ksy.table.model.files import (
    ROW_ID,
    SEQUENCE_NUMBER,
    DataFile,
    ManifestFile,
    TableSchema,
)
from paimon_ksy.table.query.buckets import FixedBuckets
from paimon_ksy.table.query.query import BoundQuery, required
from paimon_ksy.table.query.row_files import Part, RowFiles
from paimon_ksy.table.query.splits import Reading
from paimon_ksy.table.query.steps import BUCKETS, HIDDEN, KEPT, PARTITIONS, STATISTICS, Size, Sizes
from paimon_ksy.table.store import Table
from paimon_ksy.types.arrays import Mask, Numbers, distinct, filled, taken, to_arrow_array, to_numpy
from paimon_ksy.types.data_type import DataType


@dataclass(frozen=True)
class Pruned:
    """The entries of a batch that a query needs.

    Attributes:
        sizes: The files of the whole batch, by what skips them.
        entries: The entries that the query needs.
        matches: Which of these can have rows that match. Others have versions of the same keys.
        has_keys: Which of these can have keys that match.
        row_ids: With data evolution, what skips each file of the whole batch, its first row id (-1
            if unknown) and the number of its rows; else None.
    """

    sizes: Sizes
    entries: pa.RecordBatch
    matches: Mask
    has_keys: Mask
    row_ids: Numbers | None = None

    def slices(self, length: int) -> Iterator[Pruned]:
        """Yield the entries in batches of at most this length; the sizes are in the first one."""
        sizes = self.sizes
        for start in range(0, len(self.entries) or 1, length):
            at = slice(start, start + length)
            yield Pruned(sizes, self.entries[at], self.matches[at], self.has_keys[at])
            sizes = Sizes()


class EntryFilter:
    """A filter of manifest entries by the conditions of a query. It is thread-safe."""

    def __init__(self, table: Table, query: BoundQuery) -> None:
        """Initialise with a query of a table."""
        self.table, self.query = table, query
        self.reading = Reading.of(table.schema)
        self.buckets = FixedBuckets.of(table, query.schema)
        schema, predicate = query.schema, query.predicate
        tested = () if predicate is None else tested_names(predicate)
        self._tests_partitions = bool(set(schema.partition_keys).intersection(tested))
        self._keys = {*schema.primary_keys, *schema.partition_keys} if schema.primary_keys else None
        # Statistics are most of an entry, and only conditions and orders ask for those of a file.
        asks = predicate is not None or query.top is not None
        self._kept = SCHEMA.names if asks else WITHOUT_STATISTICS
        self._lock = Lock()
        self._groups: dict[tuple[Any, ...], int] = {}  # by partition
        self._numbers: dict[Predicate | None, int] = {}
        self._predicates: list[Predicate | None] = []  # by group
        self._schemas: dict[int, TableSchema] = {}
        self._in_schema = PerPredicate[Predicate]()
        self._of_orc = PerPredicate[Predicate]()
        self._of_keys = PerPredicate[Predicate | None]()

    def __reduce__(self) -> tuple[Any, ...]:
        return EntryFilter, (self.table, self.query)

    def __call__(self, entries: pa.RecordBatch, numbers: Numbers, partitions: Partitions) -> Pruned:
        """Return the entries of live files that the query needs (see `scan.Visitor`).

        `numbers` are those of each entry's partition.
        """
        skipped_by, has_keys = self._skipped_by(entries, numbers, partitions)
        sizes = [_integers(entries, name) for name in ("_ROW_COUNT", "_FILE_SIZE")]
        masks = [skipped_by == number for number in range(KEPT + 1)]
        skipped = (Size(*map(int, (m.sum(), *(s[m].sum() for s in sizes)))) for m in masks)
        counted = Sizes(tuple(skipped), bucket_notes=self.bucket_notes)
        matches = masks[KEPT]
        needed = matches if self.reading.streams else matches | masks[STATISTICS]
        kept = taken(entries.select(self._kept), np.flatnonzero(needed))
        row_ids = None
        if self.reading.data_evolution:
            first = to_numpy(filled(entries.column("_FIRST_ROW_ID"), -1))
            row_ids = np.array([skipped_by, first, sizes[0]], np.int64)
        return Pruned(counted, kept, matches[needed], has_keys[needed], row_ids)

    @property
    def bucket_notes(self) -> tuple[str, ...] | None:
        """Why the predicates so far rule out no bucket; None if their number is not fixed."""
        if self.buckets is None:
            return None
        return () if self.buckets.note is None else (self.buckets.note,)

    def counts(self, entries: pa.RecordBatch, numbers: Numbers, partitions: Partitions) -> Mask:
        """Return which entries are in partitions that can match: see `scan.EntryMask`."""
        return self._can_match(self._groups_of(numbers, partitions))

    def _skipped_by(
        self, entries: pa.RecordBatch, numbers: Numbers, partitions: Partitions
    ) -> tuple[NDArray[np.int8], Mask]:
        """Return what skips each entry, and which entries can have keys that match."""
        groups = self._groups_of(numbers, partitions)
        skipped_by = np.full(len(entries), KEPT, np.int8)
        has_keys = np.ones(len(entries), np.bool_)
        skipped_by[~self._can_match(groups)] = PARTITIONS
        sees = self.reading.sees_each(*(_integers(entries, n) for n in ("_BUCKET", "_LEVEL")))
        skipped_by[~sees] = HIDDEN
        for group, predicate in enumerate(self._predicates):
            at = np.flatnonzero((skipped_by == KEPT) & (groups == group))
            if predicate is None or not len(at):
                continue
            if self.buckets is not None:
                in_buckets = self._in_buckets(taken(entries, at), predicate, self.buckets)
                skipped_by[at[~in_buckets]] = BUCKETS
                at = at[in_buckets]
            if self.reading.data_evolution:
                continue  # the statistics of other files of the same rows may be newer
            some = taken(entries.select(STATISTICS_COLUMNS), at)
            skipped_by[at[~self._may_match(some, predicate)]] = STATISTICS
            if (of_keys := self._only_keys(predicate)) is not None:
                has_keys[at] = self._may_match(some, of_keys)
        return skipped_by, has_keys

    def selects_all(self, numbers: Numbers, partitions: Partitions) -> bool:
        """Return whether the predicate is true in all of these partitions, given by number."""
        groups = distinct(self._groups_of(numbers, partitions)).tolist()
        return all(self._predicates[group] is None for group in groups)

    def within(self, partition: tuple[Any, ...]) -> Predicate | None:
        """Return the predicate within a partition; None if it is always true."""
        return self._predicates[self._group(partition)]

    def _group(self, partition: tuple[Any, ...]) -> int:
        """Return the number of the predicate within a partition."""
        partition = partition if self._tests_partitions else ()
        group = self._groups.get(partition)
        if group is None:
            predicate = self.query.predicate
            if predicate is not None and self._tests_partitions:
                predicate = folded(predicate, self.query.schema, partition)
            predicate = None if predicate == Always(True) else predicate
            with self._lock:
                if predicate not in self._numbers:
                    self._predicates.append(predicate)
                group = self._numbers.setdefault(predicate, len(self._predicates) - 1)
                self._groups[partition] = group
        return group

    def _groups_of(self, numbers: Numbers, partitions: Partitions) -> Numbers:
        if not self._tests_partitions:
            return np.full(len(numbers), self._group(()))
        distinct, at = np.unique(numbers, return_inverse=True)
        groups = [self._group(partitions.values[number]) for number in distinct.tolist()]
        return np.array(groups, np.int64)[at]

    def _can_match(self, groups: Numbers) -> Mask:
        return np.not_equal(groups, self._numbers.get(Always(False), -1))

    def schema_at(self, number: int) -> TableSchema:
        """Return the schema with this id, with the columns of row ids if that of the query has."""
        if (schema := self._schemas.get(number)) is None:
            schema = self.table.schema_at(number)
            schema = schema.with_row_ids if ROW_ID in self.query.schema.ids else schema
            self._schemas[number] = schema
        return schema

    def of_schema(self, predicate: Predicate, number: int) -> tuple[Predicate, TableSchema]:
        """Return the predicate, bound to the schema with this id, and the schema."""
        schema, query_schema = self.schema_at(number), self.query.schema
        if number == query_schema.id:
            return predicate, schema
        bound = self._in_schema.get(
            predicate, number, lambda: to_file_schema(predicate, query_schema, schema)
        )
        return bound, schema

    def of_part(self, predicate: Predicate, data: RowFiles, part: Part) -> Predicate:
        """Return a predicate in terms of one of the files of the same rows, bound to its schema."""
        if data.is_plain:
            return self.of_schema(predicate, part.file.schema_id)[0]
        return data.of_part(predicate, self.query.schema, part)

    def only(self, predicate: Predicate | None, names: set[str]) -> Predicate | None:
        """Return the required parts of a predicate that test only these columns."""
        columns = self.query.schema.columns
        parts = () if predicate is None else required(predicate)
        kept = [part for part in parts if names.issuperset(columns_of(part, columns))]
        return bind(And(tuple(kept)), columns) if kept else None

    def _only_keys(self, predicate: Predicate) -> Predicate | None:
        if (keys := self._keys) is None:
            return None
        return self._of_keys.get(predicate, None, lambda: self.only(predicate, keys))

    def _in_buckets(
        self, entries: pa.RecordBatch, predicate: Predicate, fixed: FixedBuckets
    ) -> Mask:
        """Return which entries are in buckets that can match."""
        totals, buckets, schemas = (
            _integers(entries, name) for name in ("_TOTAL_BUCKETS", "_BUCKET", "_SCHEMA_ID")
        )
        # The buckets of files of later schemas are unknown.
        tests = (totals >= 1) & (buckets >= 0) & (schemas <= self.query.schema.id)
        possible = np.ones(len(entries), np.bool_)
        of_orc = is_orc(entries)
        for shifted in (False, True):
            asked = predicate
            if shifted:
                asked = self._of_orc.get(
                    predicate, None, lambda: without_shifted(predicate, lambda _: None)
                )
            for total in distinct(totals[tests & (of_orc == shifted)]).tolist():
                allowed = fixed.allowed(asked, total)
                if allowed is not None:
                    at = tests & (of_orc == shifted) & (totals == total)
                    possible[at] = np.isin(buckets[at], list(allowed))
        return possible

    def _may_match(self, entries: pa.RecordBatch, predicate: Predicate) -> Mask:
        """Return which entries may match, by their statistics."""
        possible = np.ones(len(entries), np.bool_)
        for part in alike(entries):
            of_file, schema = self.of_schema(predicate, part.schema_id)
            key = _key_of(schema) if self.table.key_types else None
            columns = part.columns(self.table.schema_at(part.schema_id).columns.names)
            bounds = FileBounds(taken(entries, part.at), columns, key, len(self.table.key_types))
            possible[part.at] = may_match(of_file, bounds, len(part.at))
            if key is not None and (of_orc := without_gaps(of_file)) != of_file:
                # Key ranges have keys as written; statistics are those of the file.
                may = may_match(of_orc, bounds, len(part.at))
                possible[part.at] |= is_orc(entries)[part.at] & may
        return possible


def _integers(entries: pa.RecordBatch, name: str) -> Numbers:
    column: Numbers = to_numpy(entries.column(name))
    return column


def _key_of(schema: TableSchema) -> str | None:
    """Return the first column of a file's keys."""
    return next((name for name in schema.primary_keys if name not in schema.partition_keys), None)


# Predicates ---------------------------------------------------------------------------------------


def folded(predicate: Predicate, schema: TableSchema, partition: tuple[Any, ...]) -> Predicate:
    """Return a bound predicate with the conditions that the partition's values decide replaced."""
    if not set(schema.partition_keys).intersection(tested_names(predicate)):
        return predicate
    values = dict(zip(schema.partition_keys, partition, strict=True))

    def decided(leaf: Leaf) -> Predicate:
        known = holds(leaf, values)
        return leaf if known is None else Always(known)

    return bind(replaced(predicate, decided), schema.columns)


PartitionFilter = Callable[[tuple[Any, ...], int], bool]
"""A function that returns whether a partition, and a bucket in it, is selected."""


@dataclass(frozen=True)
class MatchingPartitions:
    """A `PartitionFilter` that can be pickled: a predicate on partition columns."""

    predicate: Predicate
    keys: tuple[str, ...]

    def __call__(self, partition: tuple[Any, ...], bucket: int) -> bool:
        """Return whether the predicate is true for a partition."""
        return holds(self.predicate, dict(zip(self.keys, partition, strict=True))) is True


def partition_filter(
    schema: TableSchema, where: Predicate | str | None, time_zone: str
) -> MatchingPartitions | None:
    """Return a function that tests whether a partition matches; None if all do.

    `time_zone` is that of literals that have none.

    Raises:
        PredicateError: The predicate does not fit, or tests other columns.
    """
    if where is None:
        return None
    try:
        bound = bound_predicate(where, schema.columns, time_zone)
        return MatchingPartitions(bind(bound, schema.partition_schema), schema.partition_keys)
    except PredicateError as error:
        message = "the predicate selects partitions, but the table is not partitioned"
        if keys := ", ".join(schema.partition_keys):
            message = f"the predicate can test only partition columns ({keys}): {error}"
        raise PredicateError(message) from None


# Manifests and files ------------------------------------------------------------------------------


def in_partitions(
    manifests: Sequence[ManifestFile], predicate: Predicate, schema: TableSchema
) -> list[ManifestFile]:
    """Return the manifests that can have entries in partitions that match a predicate.

    The predicate tests partition columns alone.
    """
    least, greatest = (
        ManyRows(to_arrow_array(rows, pa.large_binary()), len(schema.partition_keys))
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
        counts = [
            -1 if count is None else count
            for manifest in manifests
            for count in [*manifest.null_counts, *[None] * (number + 1)][number : number + 1]
        ]
        sizes = [m.num_added_files + m.num_deleted_files for m in manifests]
        known = low.known & high.known
        return ManyBounds(low.values, high.values, known, *map(np.array, (counts, sizes)))

    kept = may_match(predicate, bounds, len(manifests)).tolist()
    return [m for m, keep in zip(manifests, kept, strict=True) if keep or not m.has_bounds]


def groups_may_match(predicate: Predicate, groups: Sequence[RowFiles], schema: TableSchema) -> Mask:
    """Return which groups of files of the same rows may match, by their newest statistics."""

    def bounds(column: str, data_type: DataType) -> ManyBounds | None:
        if column not in schema.ids:  # a key of a map
            return None
        return ManyBounds.of([_group_bounds(g, schema, column) for g in groups], data_type)

    return may_match(predicate, bounds, len(groups))


def _group_bounds(group: RowFiles, schema: TableSchema, column: str) -> Bounds:
    count, unknown = group.num_rows, Bounds(None, None, None, group.num_rows)
    spans = group.spans(schema, column)
    if all(span.part is None for span in spans):
        return Bounds(None, None, count, count)
    if len(spans) > 1 or (part := spans[0].part) is None:
        return unknown
    file = part.file
    if column == ROW_ID:
        first = file.first_row_id
        return unknown if first is None else Bounds(first, first + count - 1, 0, count)
    if column == SEQUENCE_NUMBER:
        return Bounds(file.min_sequence_number, file.max_sequence_number, 0, count)
    name = same_column(schema, part.schema, column)
    known = None if name is None else bounds_of(file, part.schema)(name)
    return unknown if known is None else known


def bounds_of(file: DataFile, schema: TableSchema) -> Callable[[str], Bounds | None]:
    """Return the bounds of a data file's columns, from its statistics or its key range."""
    statistics = file.statistics

    def bounds(column: str) -> Bounds | None:
        known = written(column)
        if known is None or None in (known.min, known.max):
            return known
        if not is_shifted(schema.columns[column], file.format):
            return known
        low, high = widened(np.array([known.min // 1000]), np.array([-(-known.max // 1000)]))
        return known._replace(min=int(low[0]) * 1000, max=int(high[0]) * 1000)

    def written(column: str) -> Bounds | None:
        if file.format == BLOB.id:  # of which pypaimon counts no nulls
            return None
        if (listed := statistics.of(column)) is not None:
            return Bounds(*listed, file.num_rows)
        smallest, largest = file.key_range
        if smallest and column == _key_of(schema):  # a key range bounds only its first column
            nulls = 0 if smallest[0] is not None else None  # nulls are the least
            known = Bounds(smallest[0], largest[0], nulls, file.num_rows)
            data_type = schema.columns[column]
            return latest(known, data_type) if is_shifted(data_type, file.format) else known
        return None

    return bounds
