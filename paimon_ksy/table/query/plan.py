"""Which files of a table a query needs.

Files are left out by partition, by the bucket of a key, and by the statistics in the manifests:
nothing but these is read. What is left are tasks (see `tasks`), which an engine runs, or a Spark
data source.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from paimon_ksy.data_files.orc.shifted import is_shifted, widened, without_shifted
from paimon_ksy.errors import PredicateError, UnsupportedError
from paimon_ksy.evaluation.top_n import TopN
from paimon_ksy.predicates.bind import bind
from paimon_ksy.predicates.per_predicate import PerPredicate
from paimon_ksy.predicates.row_filter import holds
from paimon_ksy.predicates.statistics import Bounds, may_match
from paimon_ksy.predicates.tree import Always, And, Leaf, Predicate, replaced
from paimon_ksy.table.model.columns import columns_of, tested_names
from paimon_ksy.table.model.evolve import to_file_schema
from paimon_ksy.table.model.files import DataFile, ManifestFile, TableSchema
from paimon_ksy.table.query.buckets import FixedBuckets
from paimon_ksy.table.query.merge_task import MergeTask
from paimon_ksy.table.query.pruning import Mask, Numbers, Pruned, Pruning, Size, in_partitions
from paimon_ksy.table.query.query import BoundQuery, Query
from paimon_ksy.table.query.splits import Reading, Section
from paimon_ksy.table.query.tasks import FileTask, Task
from paimon_ksy.table.store import Table, TableOrPath, merged_files

if TYPE_CHECKING:
    import pyarrow as pa

    from paimon_ksy.table.manifests.partitions import Partitions


@dataclass(frozen=True)
class Plan:
    """What partitions, buckets and statistics leave of a table for a query. Iterates its tasks.

    Attributes:
        table: The table.
        snapshot: What is read of it; None of an empty table.
        query: The query, bound to the schema to read in.
        files_total: How many data files readers see. Manifests that partitions rule out have as
            many as their list counts.
        total: All data files that readers see; None if manifests were left out.
        in_partitions: Those of partitions that can match.
        in_buckets: Those of these in buckets that can match.
        buckets: The fixed buckets; None if the table has none.
        tasks: What is left.
    """

    table: Table
    snapshot: Any
    query: BoundQuery
    files_total: int
    total: Size | None
    in_partitions: Size
    in_buckets: Size
    buckets: FixedBuckets | None = field(repr=False)
    tasks: tuple[Task, ...] = field(repr=False)

    def __iter__(self) -> Iterator[Task]:
        return iter(self.tasks)

    def __len__(self) -> int:
        return len(self.tasks)

    @property
    def arrow_schema(self) -> pa.Schema:
        """The Arrow schema of the columns to return."""
        return self.query.arrow_schema

    @property
    def left(self) -> Size:
        """The files that statistics left."""
        return Size.of(file for task in self.tasks for file in task.files)


def plan(
    table: TableOrPath,
    where: Any = None,
    columns: Sequence[str] | None = None,
    *,
    snapshot_id: int | None = None,
    tag: str | None = None,
    limit: int | None = None,
    order_by: str | TopN | None = None,
) -> Plan:
    """Plan a query of a table, or of the folder or URL of one: see `Query` and `plan_query`."""
    return plan_query(table, Query(where, columns, order_by, limit, snapshot_id, tag))


def plan_query(table: TableOrPath, query: Query, *, all_manifests: bool = False) -> Plan:
    """Return which files of a table have to be read. Nothing but manifests is read.

    Args:
        table: A table or its folder, as a local path or URL.
        query: Which rows and columns.
        all_manifests: Whether to read manifests that partitions rule out, too, which `Plan.total`
            needs.

    Raises:
        PredicateError, SchemaError, PaimonKsyError: The query does not fit the table, or its
            metadata cannot be read.
    """
    state = State.of(table, query.snapshot_id, query.tag)
    return state.plan(query, all_manifests=all_manifests)


@dataclass(frozen=True)
class State:
    """A state of a table, which stays the same whatever others commit.

    Attributes:
        table: The table.
        snapshot: What is read of it; None of an empty table.
        schema: The schema to read in.
        travel: pypaimon's options that lead to the state; None if it was the latest one.
    """

    table: Table
    snapshot: Any
    schema: TableSchema
    travel: Mapping[str, str] | None

    @classmethod
    def of(cls, table: TableOrPath, snapshot_id: int | None, tag: str | None) -> State:
        """Return the state of a snapshot or tag in the schema that it had, else the latest one.

        Raises:
            PaimonKsyError: There is none, or it cannot be read.
        """
        if not isinstance(table, Table):
            table = Table.at(table)
        travel = _travel(snapshot_id, tag)
        if travel is None:
            _check_present(table)
        snapshot = table.snapshot(snapshot_id, tag)
        schema = table.schema
        if travel is not None and snapshot is not None:
            schema = table.schema_at(snapshot.schema_id)
        return cls(table, snapshot, schema, travel)

    def plan(self, query: Query, *, all_manifests: bool = False) -> Plan:
        """Plan a query of this state, whatever state the query names: see `plan_query`."""
        bound = query.bind(self.schema)
        planner = _Planner(self.table, bound, all_manifests=all_manifests)
        tasks = tuple(planner.tasks(self.snapshot, self.travel))
        return Plan(
            self.table,
            self.snapshot,
            bound,
            planner.files_total,
            planner.total,
            planner.in_partitions,
            planner.in_buckets,
            planner.buckets,
            tasks,
        )


class _Planner:
    def __init__(self, table: Table, query: BoundQuery, *, all_manifests: bool) -> None:
        self.table = table
        self.all_manifests = all_manifests
        self.schema = schema = query.schema
        self.columns = query.read_columns
        self.predicate = predicate = query.predicate
        self.limit = None if query.top is not None else query.limit
        self.top = query.top
        self.reading = Reading.of(table.schema)
        self.files_total = 0
        self.total: Size | None = Size()
        self.in_partitions = Size()
        self.in_buckets = Size()
        self.buckets = FixedBuckets.of(table, schema)
        self._folded: dict[tuple[Any, ...], Predicate | None] = {}
        self._in_schema = PerPredicate[Predicate]()
        self._of_orc = PerPredicate[Predicate]()
        keys = set(schema.primary_keys) | set(schema.partition_keys)
        self._of_keys = _only(predicate, keys, schema) if schema.primary_keys else None

    def tasks(self, snapshot: Any, travel: Mapping[str, str] | None) -> list[Task]:
        tasks: list[Task] = []
        merging: list[tuple[Section, Predicate | None]] = []
        for section in self.reading.sections(self._in_buckets(snapshot)):
            predicate = self.fold(section.files[0].partition)
            if section.merge is None:
                task = self._file_task(section.files[0], predicate)
                if task is not None:
                    tasks.append(task)
            elif (kept := self._merged(section, predicate)) is not None:
                merging.append((kept, predicate))
        if merging:
            groups = [section.files for section, _ in merging]
            parts = merged_files(self.table, snapshot, groups, travel)
            for (section, predicate), found in zip(merging, parts, strict=True):
                singles = [self._file_task(file, predicate) for file in section.files]
                tasks.append(
                    MergeTask(
                        self.schema,
                        self.columns,
                        predicate,
                        self.limit,
                        self.top,
                        section,
                        self._schemas(section),
                        tuple(found),
                        tuple(single for single in singles if single is not None),
                    )
                )
        return tasks

    def _schemas(self, section: Section) -> tuple[TableSchema, ...]:
        ids = sorted({file.schema_id for file in section.files})
        return tuple(map(self.table.schema_at, ids))

    def _in_buckets(self, snapshot: Any) -> Iterator[DataFile]:
        """Yield the files of partitions and buckets that can have rows that match.

        Where each file stands for itself, those that statistics rule out are mostly left out.
        """
        if snapshot is None:
            return
        data_files = self.table.data_files
        if (few := data_files.remembered(snapshot)) is not None:
            yield from self._one_by_one(few)
            return
        manifests = self.table.manifests.of(snapshot)
        wanted = manifests if self.all_manifests else self._in_partitions(manifests)
        values = data_files.partitions.values
        pruning = Pruning(
            lambda number: self.fold(values[number]),
            self._surely,
            self._to_schema,
            None if self.buckets is None else self.buckets.allowed,
            self.schema.id,
            self.reading.sees_each,
            by_statistics=self.reading.streams,
            leaves_out=len(wanted) < len(manifests),
        )

        def counts(
            entries: pa.RecordBatch, numbers: Numbers, partitions: Partitions
        ) -> Mask | None:
            found, at = np.unique(numbers, return_inverse=True)
            folds = [pruning.fold(number) for number in found.tolist()]
            return np.array([each != Always(False) for each in folds], np.bool_)[at]

        def look(entries: pa.RecordBatch, numbers: Numbers, partitions: Partitions) -> _Kept:
            return _Kept.of(pruning(entries, numbers)[1])

        make = data_files.maker(snapshot)
        total, hidden = Size(), 0
        scanned = data_files.scan(wanted, look, counts=counts if pruning.leaves_out else None)
        for _, kept in scanned:
            total += kept.total
            hidden += kept.hidden
            self.in_partitions += kept.in_partitions
            self.in_buckets += kept.in_buckets
            yield from make(kept.entries)
        if pruning.leaves_out:
            self.total = None
            listed = sum(m.num_added_files - m.num_deleted_files for m in manifests)
            self.files_total = listed - hidden
        else:
            self.total, self.files_total = total, total.files

    def _one_by_one(self, files: Iterable[DataFile]) -> Iterator[DataFile]:
        """Yield those of a snapshot's files that are in partitions and buckets that can match."""
        total = Size()
        for file in files:
            if not self.reading.sees(file):
                continue
            size = Size(1, file.num_rows, file.size)
            total += size
            predicate = self.fold(file.partition)
            if predicate == Always(False):
                continue
            self.in_partitions += size
            if predicate is not None and file.format == "orc":
                predicate = self._surely(predicate)
            if self.buckets is None or self.buckets.may_hold(file, predicate):
                self.in_buckets += size
                yield file
        self.total, self.files_total = total, total.files

    def _in_partitions(self, manifests: list[ManifestFile]) -> list[ManifestFile]:
        """Return the manifests that can have partitions in which the predicate is true."""
        predicate = _only(self.predicate, set(self.schema.partition_keys), self.schema)
        if predicate is None or not manifests:
            return manifests
        return in_partitions(manifests, predicate, self.schema)

    def fold(self, partition: tuple[Any, ...]) -> Predicate | None:
        """Return the predicate within a partition; None if it is always true."""
        if partition not in self._folded:
            found = self.predicate
            if found is not None:
                found = folded(found, self.schema, partition)
            self._folded[partition] = None if found == Always(True) else found
        return self._folded[partition]

    def to_file_schema(self, predicate: Predicate | None, file: DataFile) -> Predicate | None:
        """Return the predicate, bound to the file's schema."""
        if predicate is None or file.schema_id == self.schema.id:
            return predicate
        return self._to_schema(predicate, file.schema_id)[0]

    def _to_schema(self, predicate: Predicate, number: int) -> tuple[Predicate, TableSchema]:
        """Return the predicate, bound to the schema of this id, and the schema."""
        schema = self.table.schema_at(number)
        if number == self.schema.id:
            return predicate, schema
        found = self._in_schema.get(
            predicate, number, lambda: to_file_schema(predicate, self.schema, schema)
        )
        return found, schema

    def _surely(self, predicate: Predicate) -> Predicate:
        """Return the predicate without conditions on values that ORC may have shifted."""
        return self._of_orc.get(predicate, None, lambda: without_shifted(predicate, lambda _: None))

    def _file_task(self, file: DataFile, predicate: Predicate | None) -> FileTask | None:
        """Return the task of a file; None if its statistics rule out that a row matches."""
        of_file = self.to_file_schema(predicate, file)
        file_schema = self.table.schema_at(file.schema_id)
        bounds = bounds_of(file, file_schema)
        if of_file is not None and not may_match(of_file, bounds):
            return None
        if of_file is not None and file.format == "orc":
            of_file = without_shifted(of_file, bounds)
        return FileTask(
            self.schema,
            self.columns,
            predicate,
            self.limit,
            self.top,
            self.table.storage,
            file,
            file_schema,
            of_file,
        )

    def _has_keys(self, file: DataFile) -> bool:
        """Return whether the file can have keys for which the predicate is true."""
        of_keys = self.to_file_schema(self._of_keys, file)
        file_schema = self.table.schema_at(file.schema_id)
        return of_keys is None or may_match(of_keys, bounds_of(file, file_schema))

    def _merged(self, section: Section, predicate: Predicate | None) -> Section | None:
        """Return the section without files that statistics rule out; None if none is left."""
        kept = [file for file in section.files if self._has_keys(file)]
        # All versions of a key have that key, so what is true of keys rules out file by file. What
        # is true of values may be true of a version of a key in one file, and replaced in another.
        if not kept or (
            section.keeps_rows and not any(self._file_task(file, predicate) for file in kept)
        ):
            return None
        return replace(section, files=tuple(kept))


@dataclass(frozen=True)
class _Kept:
    """What a batch of live files comes to.

    Attributes:
        total: Those that readers see.
        hidden: How many others there are.
        in_partitions: Those of partitions that can match.
        in_buckets: Those of these in buckets that can match.
        entries: Those that statistics leave; few more are ruled out file by file.
    """

    total: Size
    hidden: int
    in_partitions: Size
    in_buckets: Size
    entries: pa.RecordBatch

    @classmethod
    def of(cls, found: Pruned) -> _Kept:
        """Return the sums of what was found in a batch."""
        return cls(
            found.size(found.sees),
            int((~found.sees).sum()),
            found.size(found.in_partitions),
            found.size(found.in_buckets),
            found.entries,
        )


def folded(predicate: Predicate, schema: TableSchema, partition: tuple[Any, ...]) -> Predicate:
    """Return a bound predicate with what the values of a partition decide put in their place."""
    if not set(schema.partition_keys).intersection(tested_names(predicate)):
        return predicate
    values = dict(zip(schema.partition_keys, partition, strict=True))

    def decided(leaf: Leaf) -> Predicate:
        known = holds(leaf, values)
        return leaf if known is None else Always(known)

    return bind(replaced(predicate, decided), schema.columns)


def bounds_of(file: DataFile, schema: TableSchema) -> Callable[[str], Bounds | None]:
    """Return what is known of the columns of a data file, by its statistics or as a primary key."""
    statistics = file.statistics
    at = {name: number for number, name in enumerate(statistics.columns)}
    keys = [name for name in schema.primary_keys if name not in schema.partition_keys]

    def bounds(column: str) -> Bounds | None:
        known = written(column)
        if known is None or not is_shifted(schema.columns[column], file.format):
            return known
        return widened(known)

    def written(column: str) -> Bounds | None:
        number = at.get(column)
        if number is not None:
            return Bounds(
                statistics.min_values[number],
                statistics.max_values[number],
                statistics.null_counts[number],
                file.num_rows,
            )
        smallest, largest = file.key_range
        if smallest and keys and column == keys[0]:  # the others' bounds are not those of a column
            return Bounds(smallest[0], largest[0], 0, file.num_rows)
        return None

    return bounds


def _only(predicate: Predicate | None, names: set[str], schema: TableSchema) -> Predicate | None:
    """Return the parts of a predicate that have to be true, and need only these columns."""
    if predicate is None:
        return None
    parts = predicate.children if isinstance(predicate, And) else (predicate,)
    kept = [part for part in parts if set(columns_of(part, schema.columns)) <= names]
    return bind(And(tuple(kept)), schema.columns) if kept else None


def _travel(snapshot_id: int | None, tag: str | None) -> dict[str, str] | None:
    """Return pypaimon's options that lead to a snapshot or tag; None for the present."""
    if snapshot_id is not None and tag is not None:
        raise PredicateError("a snapshot and a tag exclude each other: give one")
    if snapshot_id is not None:
        return {"scan.snapshot-id": str(snapshot_id)}
    return None if tag is None else {"scan.tag-name": tag}


_STATES = (
    *("scan.snapshot-id", "scan.tag-name", "scan.version", "scan.timestamp"),
    *("scan.timestamp-millis", "scan.watermark", "scan.file-creation-time-millis"),
    *("scan.creation-time-millis", "incremental-between", "incremental-between-timestamp"),
    "incremental-to-auto-tag",
)
"""Options by which Java reads another state than the latest one, or what changed since."""


def _check_present(table: Table) -> None:
    """Raise UnsupportedError if options of the table hide its latest state."""
    for name in _STATES:
        if value := table.options.get(name):
            raise UnsupportedError(
                f"has option {name} = {value}, so Java reads another state of it: name the "
                "state with --snapshot or --tag (snapshot_id, tag), or reset the option",
                path=table.location,
            )
