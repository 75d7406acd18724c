"""Plan a query: find the files of a table that it needs.

A plan skips files by partition, by the bucket of a key, and by the statistics in manifests; it
reads only manifests. Other files become tasks (see `tasks`), which an engine or a Spark data
source runs.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from time import perf_counter
from typing import TYPE_CHECKING, Any

from paimon_ksy.data_files.orc.shifted import is_shifted, widened, without_shifted
from paimon_ksy.errors import PredicateError
from paimon_ksy.evaluation.top_n import TopN
from paimon_ksy.messages.answers import Answer
from paimon_ksy.predicates.statistics import Bounds, may_match
from paimon_ksy.predicates.tree import Always, Predicate
from paimon_ksy.table.engine import Engine, run_over, titled
from paimon_ksy.table.model.columns import columns_of
from paimon_ksy.table.model.files import DataFile, ManifestFile, Snapshot, TableSchema
from paimon_ksy.table.query.buckets import FixedBuckets
from paimon_ksy.table.query.conditions import Conditions, Keep, required
from paimon_ksy.table.query.file_task import FileTask
from paimon_ksy.table.query.merge_task import MergeTask
from paimon_ksy.table.query.pruning import in_partitions
from paimon_ksy.table.query.query import BoundQuery, Query
from paimon_ksy.table.query.run import engine_of, time_zone_of
from paimon_ksy.table.query.splits import Section
from paimon_ksy.table.query.steps import Size, Sizes, Step, some_of, step_of
from paimon_ksy.table.query.tasks import Task
from paimon_ksy.table.store import MergedFiles, Table, TableOrPath, merged_files
from paimon_ksy.types.literals import to_text

if TYPE_CHECKING:
    import pyarrow as pa


@dataclass(frozen=True)
class PlannedFile(Answer):
    """A data file that a query opens, or whose index it reads.

    Attributes:
        path: The path or URL of the file.
        partition: The value of each partition column as text; None for null.
        bucket: The number of its bucket.
        rows: The number of rows, including deleted ones.
        size: The size in bytes.
        has_index: Whether it has a file index.
        has_vector: Whether it has a deletion vector.
        is_merged: Whether its rows are merged with those of other files.
    """

    path: str
    partition: Mapping[str, str | None]
    bucket: int
    rows: int
    size: int
    has_index: bool
    has_vector: bool
    is_merged: bool


@dataclass(frozen=True)
class QueryPlan(Answer):
    """The data files that a query needs, according to manifests.

    Attributes:
        snapshot: The snapshot to read; None for an empty table.
        steps: The steps `partitions`, `buckets` (if their number is fixed) and `statistics`.
        files: The files that these steps keep, in the order in which they are read.
    """

    snapshot: int | None
    steps: tuple[Step, ...]
    files: tuple[PlannedFile, ...] = field(repr=False)


class Plan:
    """The plan of a query: an iterable of the tasks that read the data files it needs.

    If files need no merge, and there are many, manifests are read while the tasks are iterated, and
    no task is kept. Iterating again reads the manifests again.

    Attributes:
        state: The state of the table to read.
        query: The query, bound to the schema to read in.
        buckets: The fixed buckets; None if the table has none.
        seconds: The time that planning took, before tasks are iterated.
    """

    seconds = 0.0

    def __init__(
        self,
        state: State,
        query: BoundQuery,
        buckets: FixedBuckets | None,
        planned: Callable[[], Generator[Task, None, Sizes]],
    ) -> None:
        """Initialise without tasks, which are made on demand.

        Args:
            state: The state of the table.
            query: The query.
            buckets: The fixed buckets.
            planned: Yields the tasks, and returns the sizes.
        """
        self.state = state
        self.query = query
        self.buckets = buckets
        self._planned = planned
        self._sizes: Sizes | None = None
        self._kept: tuple[Task, ...] | None = None

    def __iter__(self) -> Iterator[Task]:
        return iter(self._kept) if self._kept is not None else self._streamed()

    def _streamed(self) -> Iterator[Task]:
        self._sizes = yield from self._planned()

    @property
    def table(self) -> Table:
        """The table."""
        return self.state.table

    @property
    def tasks(self) -> tuple[Task, ...]:
        """All tasks; the plan keeps them.

        Raises:
            PaimonKsyError: A manifest cannot be read.
        """
        if self._kept is None:
            self._kept = tuple(self)
        return self._kept

    def files(self) -> Iterator[PlannedFile]:
        """Yield the data files that the query needs, in the order in which they are read.

        Raises:
            PaimonKsyError: A manifest cannot be read.
        """
        schema = self.query.schema.partition_schema
        partitions: dict[tuple[Any, ...], Mapping[str, str | None]] = {}
        for task in self:
            for file in task.files:
                if (partition := partitions.get(file.partition)) is None:
                    partition = {
                        column.name: None if value is None else to_text(value, column.type)
                        for column, value in zip(schema, file.partition, strict=True)
                    }
                    partitions[file.partition] = partition
                yield PlannedFile(
                    path=file.path,
                    partition=partition,
                    bucket=file.bucket,
                    rows=file.num_rows,
                    size=file.size,
                    has_index=file.embedded_index is not None or bool(file.index_files),
                    has_vector=file.deletion_vector is not None,
                    is_merged=not isinstance(task, FileTask),
                )

    @property
    def sizes(self) -> Sizes:
        """The files that each step keeps. Reads all manifests unless the tasks were iterated.

        Raises:
            PaimonKsyError: A manifest cannot be read.
        """
        for _ in () if self._sizes is not None else self:
            pass
        assert self._sizes is not None
        return self._sizes

    @property
    def files_total(self) -> int:
        """The number of data files that readers see; until planning ends, from manifest lists."""
        if self._sizes is not None:
            return self._sizes.files_total
        return self.table.manifests.num_files(self.state.snapshot)

    @property
    def known_sizes(self) -> Sizes | None:
        """The files that each step keeps; None while unknown."""
        return self._sizes

    @property
    def arrow_schema(self) -> pa.Schema:
        """The Arrow schema of the columns to return."""
        return self.query.arrow_schema

    @property
    def conditions(self) -> list[Predicate]:
        """The conditions of the top-level AND, without those that partitions decide."""
        keys = set(self.query.schema.partition_keys)
        predicate = self.query.predicate
        parts = () if predicate is None else required(predicate)
        return [part for part in parts if not set(self.columns_of(part)) <= keys]

    def columns_of(self, condition: Predicate) -> tuple[str, ...]:
        """Return the columns that a condition tests."""
        return columns_of(condition, self.query.schema.columns)

    @property
    def steps(self) -> tuple[Step, ...]:
        """The steps `partitions`, `buckets` (if their number is fixed) and `statistics`.

        Reads all manifests unless the tasks were iterated.

        Raises:
            PaimonKsyError: A manifest cannot be read.
        """
        sizes, keys = self.sizes, self.query.schema.partition_keys
        before: Size | int = sizes.files_total if sizes.total is None else sizes.total
        predicate = self.query.predicate
        notes: list[str] = []
        if not keys:
            notes.append("the table has no partitions")
        elif predicate is None or not set(keys).intersection(self.columns_of(predicate)):
            notes.append(f"no predicate tests the partition columns {', '.join(keys)}")
        steps = [step_of("partitions", before, sizes.in_partitions, notes)]
        if self.buckets is not None:
            note = [] if self.buckets.note is None else [self.buckets.note]
            steps.append(step_of("buckets", sizes.in_partitions, sizes.in_buckets, note))
        notes = [
            f"{name}: no statistics in the manifest of {some_of(without, sizes.alone)} "
            "(option metadata.stats-mode of the writer)"
            for name, without in sizes.without_statistics.items()
            if without
        ]
        if not self.conditions:
            notes.append("no predicate tests values")
        return (*steps, step_of("statistics", sizes.in_buckets, sizes.left, notes))


def plan(
    table: TableOrPath,
    where: Any = None,
    columns: Sequence[str] | None = None,
    *,
    order_by: str | TopN | None = None,
    limit: int | None = None,
    snapshot_id: int | None = None,
    tag: str | None = None,
    engine: Engine | None = None,
    spark: Any = None,
) -> QueryPlan:
    """Return the data files that a query needs, and the steps that skip others.

    It reads manifests, unless partitions rule them out, but no data files, indexes or deletion
    vectors. The arguments are those of `query`. With `limit`, a query may stop before the last
    file.

    Raises:
        PredicateError: The predicate does not fit the schema.
        SchemaError: A column does not exist.
        PaimonKsyError: A manifest cannot be read.
    """
    asked = Query(where, columns, order_by, limit, snapshot_id, tag)
    planned = plan_query(table, asked, engine=engine or engine_of(spark))
    snapshot, files = planned.state.snapshot, tuple(planned.files())
    return QueryPlan(None if snapshot is None else snapshot.id, planned.steps, files)


def plan_query(
    table: TableOrPath,
    query: Query,
    *,
    all_manifests: bool = False,
    engine: Engine | None = None,
) -> Plan:
    """Return the plan of a query; this reads only manifests.

    Args:
        table: A table or its folder, as a local path or URL.
        query: The rows and columns to return.
        all_manifests: Whether to read manifests that partitions rule out, too, which `Sizes.total`
            needs.
        engine: The engine that reads manifests if there are many; None for this machine.

    Raises:
        PredicateError, SchemaError, PaimonKsyError: The query does not fit the table, or its
            metadata cannot be read. If the plan reads manifests while it is iterated, their
            errors are raised then.
    """
    started = perf_counter()
    state = State.of(table, query.snapshot_id, query.tag)
    found = state.plan(query, all_manifests=all_manifests, engine=engine)
    found.seconds = perf_counter() - started
    return found


@dataclass(frozen=True)
class State:
    """A state of a table, which later commits do not change.

    Attributes:
        table: The table.
        snapshot: The snapshot to read; None for an empty table.
        schema: The schema to read in.
    """

    table: Table
    snapshot: Snapshot | None
    schema: TableSchema

    @classmethod
    def of(cls, table: TableOrPath, snapshot_id: int | None, tag: str | None) -> State:
        """Return the state of a snapshot or tag, in the schema that it had, else the latest state.

        Raises:
            PaimonKsyError: The snapshot or tag does not exist, or cannot be read.
        """
        if not isinstance(table, Table):
            table = Table.at(table)
        table.check_options("query")
        if snapshot_id is not None and tag is not None:
            raise PredicateError("a snapshot and a tag exclude each other: pass one")
        if snapshot_id is None and tag is None:
            table.check_options("latest")
            snapshot_id, tag = table.snapshots.selected(table.options)
        snapshot, schema = table.snapshot(snapshot_id, tag), table.schema
        is_selected = snapshot_id is not None or tag is not None
        if is_selected and snapshot is not None and snapshot.schema_id != schema.id:
            # As in Java, options are always the current ones.
            schema = replace(table.schema_at(snapshot.schema_id), options=table.options)
        return cls(table, snapshot, schema)

    def plan(
        self, query: Query, *, all_manifests: bool = False, engine: Engine | None = None
    ) -> Plan:
        """Plan a query of this state, whichever state the query names: see `plan_query`."""
        started = perf_counter()
        asked = Conditions(self.table, query.bind(self.schema, time_zone_of(self.table, engine)))
        engine = engine and titled(engine, "plan", self.table.location)
        planner = _Planner(self, asked, engine, all_manifests=all_manifests)
        found = Plan(self, asked.query, asked.buckets, planner.planned)
        if not planner.streams:
            _ = found.tasks
        found.seconds = perf_counter() - started
        return found


class _Planner:
    def __init__(
        self, state: State, asked: Conditions, engine: Engine | None, *, all_manifests: bool
    ) -> None:
        self.state, self.asked, self.engine = state, asked, engine
        self.table, self.snapshot = state.table, state.snapshot
        self.all_manifests = all_manifests
        query = asked.query
        self.query, self.schema = query, query.schema
        self.limit = None if query.top is not None else query.limit
        self.few: Sequence[DataFile] | None = ()
        if self.snapshot is not None:
            self.few = self.table.data_files.remembered(self.snapshot, self._manifests)
        keys = set(self.schema.primary_keys) | set(self.schema.partition_keys)
        self._of_keys = asked.only(keys) if self.schema.primary_keys else None

    @cached_property
    def _manifests(self) -> list[ManifestFile]:
        return self.table.manifests.of(self.snapshot)

    @property
    def streams(self) -> bool:
        """Whether tasks are made as manifests are read."""
        return self.few is None and self.asked.reading.streams

    def planned(self) -> Generator[Task, None, Sizes]:
        """Yield the tasks, and return the sizes."""
        sums = _Sums()
        files = rows = size = alone = 0
        predicate = self.query.predicate
        without = {} if predicate is None else dict.fromkeys(self._tested(predicate), 0)
        for task in self._tasks(sums):
            files, rows, size = files + len(task.files), rows + task.num_rows, size + task.size
            if isinstance(task, FileTask):
                alone += 1
                for name in without:
                    without[name] += name not in task.file.statistics.columns
            yield task
        left, shared = Size(files, rows, size), Size(rows=sums.shared)
        total = sums.total
        if total is not None:
            # The rows of files in other partitions are unknown if files may share them.
            is_known = total == sums.in_partitions or not self.asked.reading.data_evolution
            total = total - shared if is_known else None
        before = sums.in_partitions - shared, sums.in_buckets - shared
        return Sizes(sums.files_total, total, *before, left, alone, without)

    def _tested(self, predicate: Predicate) -> Iterator[str]:
        """Yield the columns of the conditions that partitions do not decide."""
        keys = set(self.schema.partition_keys)
        for part in required(predicate):
            names = columns_of(part, self.schema.columns)
            yield from () if keys.issuperset(names) else names

    def _tasks(self, sums: _Sums) -> Iterator[Task]:
        merging: list[tuple[Section, Predicate | None]] = []
        found = self._in_buckets(sums) if self.few is None else self._one_by_one(self.few, sums)
        for section in self.asked.reading.sections(found):
            predicate = self.asked.of_partition(section.files[0].partition)
            if section.merge is None:
                task = self._file_task(section.files[0], predicate)
                if task is not None:
                    yield task
                continue
            sums.shared += sum(file.num_rows for file in section.files) - section.num_rows
            if (kept := self._merged(section, predicate)) is not None:
                merging.append((kept, predicate))
        yield from (self._merge_task(*each) for each in merging)

    def _merge_task(self, section: Section, predicate: Predicate | None) -> MergeTask:
        singles = [self._file_task(file, predicate) for file in section.files]
        return MergeTask(
            self.schema,
            self.query.read_columns,
            predicate,
            self.limit,
            self.query.top,
            section,
            self._schemas(section),
            self._merge(section.files),
            tuple(single for single in singles if single is not None),
        )

    @cached_property
    def _merge(self) -> Callable[[Sequence[DataFile]], MergedFiles]:
        return merged_files(self.table, self.state.schema)

    def _schemas(self, section: Section) -> tuple[TableSchema, ...]:
        ids = sorted({file.schema_id for file in section.files})
        return tuple(map(self.table.schema_at, ids))

    def _in_buckets(self, sums: _Sums) -> Iterator[DataFile]:
        """Yield the files in partitions and buckets that can have matching rows.

        If no file needs another one, most files that statistics rule out are skipped.
        """
        assert self.snapshot is not None
        data_files, buckets = self.table.data_files, self.asked.buckets
        manifests = self._manifests
        wanted = manifests if self.all_manifests else self._in_partitions(manifests)
        keep = Keep(self.asked, leaves_out=len(wanted) < len(manifests))
        make = data_files.maker(self.snapshot)
        note = None if buckets is None else buckets.note
        total, hidden = Size(), 0
        for *_, kept in data_files.scan(
            wanted,
            keep,
            counts=keep.counting if keep.leaves_out else None,
            # Without a predicate, workers skip no file, so they would only send all entries back.
            run=None if self.query.predicate is None else run_over(self.engine, wanted),
        ):
            total += kept.total
            hidden += kept.hidden
            sums.in_partitions += kept.in_partitions
            sums.in_buckets += kept.in_buckets
            if buckets is not None and kept.note != note:  # from another process
                buckets.note = kept.note
            yield from make(kept.entries)
        if keep.leaves_out:
            sums.total = None
            sums.files_total = sum(manifest.num_files for manifest in manifests) - hidden
        else:
            sums.total, sums.files_total = total, total.files

    def _one_by_one(self, files: Iterable[DataFile], sums: _Sums) -> Iterator[DataFile]:
        """Yield the files of a snapshot in partitions and buckets that can match."""
        total, buckets = Size(), self.asked.buckets
        for file in files:
            if not self.asked.reading.sees(file):
                continue
            size = Size(1, file.num_rows, file.size)
            total += size
            predicate = self.asked.of_partition(file.partition)
            if predicate == Always(False):
                continue
            sums.in_partitions += size
            if predicate is not None and file.format == "orc":
                predicate = self.asked.of_orc(predicate)
            if buckets is None or buckets.may_hold(file, predicate):
                sums.in_buckets += size
                yield file
        sums.total, sums.files_total = total, total.files

    def _in_partitions(self, manifests: list[ManifestFile]) -> list[ManifestFile]:
        """Return the manifests that can have partitions in which the predicate is true."""
        predicate = self.asked.only(set(self.schema.partition_keys))
        if predicate is None or not manifests:
            return manifests
        return in_partitions(manifests, predicate, self.schema)

    def to_file_schema(self, predicate: Predicate | None, file: DataFile) -> Predicate | None:
        """Return the predicate, bound to the file's schema."""
        if predicate is None or file.schema_id == self.schema.id:
            return predicate
        return self.asked.of_schema(predicate, file.schema_id)[0]

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
            self.query.read_columns,
            predicate,
            self.limit,
            self.query.top,
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
        # All versions of a row have its key, so conditions on keys rule out single files. A value
        # in one file may be replaced by another file, so conditions on values do not.
        if not kept or (
            section.keeps_rows and not any(self._file_task(file, predicate) for file in kept)
        ):
            return None
        return replace(section, files=tuple(kept))


@dataclass
class _Sums:
    """The sums of the files that the steps before statistics keep."""

    files_total: int = 0
    total: Size | None = field(default_factory=Size)
    in_partitions: Size = field(default_factory=Size)
    in_buckets: Size = field(default_factory=Size)
    shared: int = 0
    """The rows that were counted more than once, since files share them."""


def bounds_of(file: DataFile, schema: TableSchema) -> Callable[[str], Bounds | None]:
    """Return the bounds of a data file's columns, from its statistics or its key range."""
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
        if smallest and keys and column == keys[0]:  # a key range bounds only its first column
            nulls = 0 if smallest[0] is not None else None  # nulls are the least
            return Bounds(smallest[0], largest[0], nulls, file.num_rows)
        return None

    return bounds
