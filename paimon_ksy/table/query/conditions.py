"""The conditions of a query on the partitions, buckets and statistics of data files.

They are the same in each process, and can be pickled, since other processes may read manifests.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from paimon_ksy.data_files.orc.shifted import without_shifted
from paimon_ksy.predicates.bind import bind
from paimon_ksy.predicates.per_predicate import PerPredicate
from paimon_ksy.predicates.row_filter import holds
from paimon_ksy.predicates.tree import Always, And, Leaf, Predicate, replaced
from paimon_ksy.table.model.columns import columns_of, tested_names
from paimon_ksy.table.model.evolve import to_file_schema
from paimon_ksy.table.model.files import TableSchema
from paimon_ksy.table.query.buckets import FixedBuckets
from paimon_ksy.table.query.pruning import Mask, Numbers, Pruning, Within
from paimon_ksy.table.query.query import BoundQuery
from paimon_ksy.table.query.splits import Reading
from paimon_ksy.table.query.steps import Size
from paimon_ksy.table.store import Table

if TYPE_CHECKING:
    import pyarrow as pa

    from paimon_ksy.table.manifests.partitions import Partitions


class Conditions:
    """The predicate of a query, in terms of partitions and of the schemas of files.

    It is thread-safe.

    Attributes:
        table: The table.
        query: The query.
        reading: How the table is read.
        buckets: The fixed buckets; None if the table has none.
    """

    def __init__(self, table: Table, query: BoundQuery) -> None:
        """Initialise with a query of a table."""
        self.table, self.query = table, query
        self.reading = Reading.of(table.schema)
        self.buckets = FixedBuckets.of(table, query.schema)
        self._schema, self._predicate = query.schema, query.predicate
        tested = set() if query.predicate is None else tested_names(query.predicate)
        self._tests_partitions = bool(set(query.schema.partition_keys).intersection(tested))
        self._folded: dict[tuple[Any, ...], Predicate | None] = {}
        self._within: tuple[Partitions | None, Within] = None, Within(lambda _: None)
        self._in_schema = PerPredicate[Predicate]()
        self._of_orc = PerPredicate[Predicate]()

    def __reduce__(self) -> tuple[Any, ...]:
        return Conditions, (self.table, self.query)

    def of_partition(self, partition: tuple[Any, ...]) -> Predicate | None:
        """Return the predicate within a partition; None if it is always true."""
        if not self._tests_partitions:
            return None if self._predicate == Always(True) else self._predicate
        if partition not in self._folded:
            assert self._predicate is not None
            found = folded(self._predicate, self._schema, partition)
            self._folded[partition] = None if found == Always(True) else found
        return self._folded[partition]

    def within(self, partitions: Partitions) -> Within:
        """Return the predicates within these partitions, by partition number."""
        known, found = self._within
        if known is not partitions:
            found = Within(lambda number: self.of_partition(partitions.values[number]))
            self._within = partitions, found
        return found

    def of_schema(self, predicate: Predicate, number: int) -> tuple[Predicate, TableSchema]:
        """Return the predicate, bound to the schema with this id, and the schema."""
        schema = self.table.schema_at(number)
        if number == self._schema.id:
            return predicate, schema
        found = self._in_schema.get(
            predicate, number, lambda: to_file_schema(predicate, self._schema, schema)
        )
        return found, schema

    def of_orc(self, predicate: Predicate) -> Predicate:
        """Return the predicate without conditions on values that ORC may have shifted."""
        return self._of_orc.get(predicate, None, lambda: without_shifted(predicate, lambda _: None))

    def only(self, names: set[str]) -> Predicate | None:
        """Return the required parts of the predicate that test only these columns."""
        if self._predicate is None:
            return None
        columns = self._schema.columns
        kept = [
            part
            for part in required(self._predicate)
            if names.issuperset(columns_of(part, columns))
        ]
        return bind(And(tuple(kept)), columns) if kept else None


@dataclass(frozen=True)
class Kept:
    """The files of a batch that a query keeps, and their counts.

    Attributes:
        total: The files that readers see.
        hidden: The number of files that readers do not see.
        in_partitions: The visible files in partitions that can match.
        in_buckets: Those in buckets that can match, too.
        note: The value of `FixedBuckets.note` after this batch.
        entries: The entries that statistics keep; a check of each file rules out few more.
    """

    total: Size
    hidden: int
    in_partitions: Size
    in_buckets: Size
    note: str | None
    entries: pa.RecordBatch


@dataclass(frozen=True)
class Keep:
    """Filter of manifest entries, which keeps those that a query needs.

    Attributes:
        conditions: The conditions of the query.
        leaves_out: Whether to skip manifests whose partitions cannot match.
    """

    conditions: Conditions
    leaves_out: bool

    def counting(self, entries: pa.RecordBatch, numbers: Numbers, partitions: Partitions) -> Mask:
        """Return which entries are in partitions that can match: see `Counts`.

        Skipped manifests have no such entries.
        """
        within = self.conditions.within(partitions)
        return within.can_match(within.groups(numbers))

    def __call__(self, entries: pa.RecordBatch, numbers: Numbers, partitions: Partitions) -> Kept:
        """Return the live files that the query keeps: see `Look`."""
        asked, buckets = self.conditions, self.conditions.buckets
        pruning = Pruning(
            asked.within(partitions),
            asked.of_orc,
            asked.of_schema,
            None if buckets is None else buckets.allowed,
            asked.query.schema.id,
            asked.reading.sees_each,
            by_statistics=asked.reading.streams,
        )
        found = pruning(entries, numbers)
        return Kept(
            found.size(found.sees),
            int((~found.sees).sum()),
            found.size(found.in_partitions),
            found.size(found.in_buckets),
            None if buckets is None else buckets.note,
            found.entries,
        )


def required(predicate: Predicate) -> tuple[Predicate, ...]:
    """Return the conditions that have to be true where the predicate is."""
    return predicate.children if isinstance(predicate, And) else (predicate,)


def folded(predicate: Predicate, schema: TableSchema, partition: tuple[Any, ...]) -> Predicate:
    """Return a bound predicate with the conditions that the partition's values decide replaced."""
    if not set(schema.partition_keys).intersection(tested_names(predicate)):
        return predicate
    values = dict(zip(schema.partition_keys, partition, strict=True))

    def decided(leaf: Leaf) -> Predicate:
        known = holds(leaf, values)
        return leaf if known is None else Always(known)

    return bind(replaced(predicate, decided), schema.columns)
