"""Plan a query: find the files of a table that it needs.

A plan skips files by partition, by the bucket of a key, and by the statistics in manifests; it
reads only manifests. Other files become tasks (see `tasks`), which an engine or a Spark data
source runs.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import compress
from time import perf_counter
from typing import Any, Unpack

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from paimon_ksy.data_files.orc.shifted import without_shifted
from paimon_ksy.errors import (
    Call,
    CorruptFileError,
    MissingFileError,
    PredicateError,
    Remedy,
    UnsupportedError,
)
from paimon_ksy.evaluation.top_n import TopN
from paimon_ksy.messages.answers import Answer
from paimon_ksy.predicates.tree import Predicate
from paimon_ksy.table.engine import Engine, titled
from paimon_ksy.table.model.files import (
    ROW_ID,
    SEQUENCE_NUMBER,
    DataFile,
    ManifestFile,
    Snapshot,
    TableSchema,
    shared_rows,
)
from paimon_ksy.table.query.file_task import FileTask
from paimon_ksy.table.query.global_indexes import GlobalIndexes
from paimon_ksy.table.query.prune import (
    EntryFilter,
    Pruned,
    bounds_of,
    groups_may_match,
    in_partitions,
)
from paimon_ksy.table.query.query import BoundQuery, Query, QueryArguments
from paimon_ksy.table.query.row_files import Part, RowFiles
from paimon_ksy.table.query.run import engine_of, time_zone_of
from paimon_ksy.table.query.splits import Reading, Section
from paimon_ksy.table.query.steps import KEPT, Size, Sizes, Step, some_of, step_of
from paimon_ksy.table.query.tasks import Task
from paimon_ksy.table.store import Table, TableOrPath
from paimon_ksy.types.arrays import Numbers, distinct, to_numpy
from paimon_ksy.types.literals import to_text
from paimon_ksy.types.schema import Schema


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


@dataclass(frozen=True)
class TaskGroup:
    """Tasks that were planned together, and the files that each step kept of all that it got.

    `known_count` is the number of their rows that match, if it is known without the tasks. So
    400,000 files are counted in 2.2 s of the processor's time; their tasks take more than 10 s.
    """

    sizes: Sizes
    made: Callable[[], Iterable[Task]] = field(repr=False)
    known_count: int | None = None

    @cached_property
    def tasks(self) -> tuple[Task, ...]:
        """The tasks, planned on first use."""
        return tuple(self.made())


@dataclass(frozen=True)
class Plan:
    """The plan of a query: an iterable of the tasks that read the data files it needs.

    If files need no merge, and there are many, `groups` reads manifests while it is iterated, and
    keeps no task. Iterating again reads the manifests again. What reads a manifest raises a
    PaimonKsyError if it cannot be read.

    Attributes:
        state: The state of the table to read.
        query: The query, bound to the schema to read in.
        groups: The tasks, in the order in which they are read.
        files_total: The number of data files that readers see.
        seconds: The time that planning took, before tasks are iterated.
    """

    state: State
    query: BoundQuery
    groups: Iterable[TaskGroup]
    files_total: int
    seconds: float

    def __iter__(self) -> Iterator[Task]:
        return (task for group in self.groups for task in group.tasks)

    @property
    def tasks(self) -> tuple[Task, ...]:
        """All tasks."""
        return tuple(self)

    @property
    def sizes(self) -> Sizes:
        """The files that each step keeps."""
        return sum((group.sizes for group in self.groups), Sizes())

    @property
    def files_left(self) -> int | None:
        """The number of files that the tasks read; None if manifests are read with the tasks."""
        return self.sizes.left.files if isinstance(self.groups, tuple) else None


def plan(
    table: TableOrPath,
    where: str | Predicate | pc.Expression | None = None,
    columns: Sequence[str] | None = None,
    *,
    engine: Engine | None = None,
    spark: Any = None,
    **asked: Unpack[QueryArguments],
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
    planned = plan_query(table, Query(where, columns, **asked), engine=engine or engine_of(spark))
    snapshot, sizes, files = planned.state.snapshot, Sizes(), list[PlannedFile]()
    for group in planned.groups:
        sizes += group.sizes
        files += _planned_files(group.tasks, planned.query.schema.partition_schema)
    steps = query_steps(planned.query, sizes)
    return QueryPlan(None if snapshot is None else snapshot.id, steps, tuple(files))


def _planned_files(tasks: Iterable[Task], partition_schema: Schema) -> Iterator[PlannedFile]:
    """Yield the data files of tasks."""
    for task in tasks:
        for file in task.files:
            yield PlannedFile(
                path=file.path,
                partition={
                    column.name: None if value is None else to_text(value, column.type)
                    for column, value in zip(partition_schema, file.partition, strict=True)
                },
                bucket=file.bucket,
                rows=file.num_rows,
                size=file.size,
                has_index=file.has_index,
                has_vector=file.deletion_vector is not None,
                is_merged=not isinstance(task, FileTask),
            )


def query_steps(query: BoundQuery, sizes: Sizes) -> tuple[Step, ...]:
    """Return the steps `partitions`, `buckets` (if their number is fixed), `statistics`, `row ids`.

    The last one is for tables with row ids, if a predicate tests these, or for global indexes.
    """
    keys, predicate = query.schema.partition_keys, query.predicate
    notes: Sequence[str] = ()
    if not keys:
        notes = ["the table has no partitions"]
    elif predicate is None or not set(keys).intersection(query.columns_of(predicate)):
        notes = [f"no predicate tests the partition columns {', '.join(keys)}"]
    before: Size | int = sizes.files_total if sizes.total is None else sizes.total
    steps = [step_of("partitions", before, sizes.in_partitions, notes)]
    if sizes.bucket_notes is not None:
        after = sizes.in_buckets
        steps.append(step_of("buckets", sizes.in_partitions, after, sizes.bucket_notes))
    notes = [
        f"{name}: no statistics in the manifest of {some_of(without, sizes.alone)} "
        "(option metadata.stats-mode of the writer)"
        for name, without in sizes.without_statistics.items()
        if without
    ]
    if not query.conditions:
        notes.append("no predicate tests values")
    steps.append(step_of("statistics", sizes.in_buckets, sizes.by_statistics, notes))
    if sizes.indexes is not None:
        notes, read = sizes.indexes
        steps.append(step_of("row ids", sizes.by_statistics, sizes.left, notes, bytes_read=read))
    return tuple(steps)


def plan_query(
    table: TableOrPath | State,
    query: Query,
    *,
    all_manifests: bool = False,
    engine: Engine | None = None,
) -> Plan:
    """Return the plan of a query; this reads only manifests.

    Args:
        table: A table or its folder, as a local path or URL; or a state of a table, to be read
            whichever state the query names.
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
    state = table if isinstance(table, State) else State.of(table, query, engine)
    bound = query.bind(state.schema, time_zone_of(state.table, engine))
    engine = engine and titled(engine, "plan", state.table.location)
    with state.reading():
        groups = TaskGroups.of(state, bound, engine, all_manifests=all_manifests)
        if groups.are_read_late:
            total = sum(manifest.num_files for manifest in groups.manifests)
            return Plan(state, bound, groups, total, perf_counter() - started)
        [group] = kept = tuple(groups)
    return Plan(state, bound, kept, group.sizes.files_total, perf_counter() - started)


# Tasks --------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class TaskGroups:
    """The tasks of a query in groups, made from manifest entries whenever it is iterated.

    Attributes:
        state: The state of the table to read.
        query: The query, bound to the schema to read in.
        filter: The filter of manifest entries.
        manifests: The manifests of the state.
        cached: The entries of the state, if this process knows them.
        engine: The engine that reads manifests if there are many; None for this machine.
        all_manifests: Whether to read manifests that partitions rule out, too.
    """

    state: State
    query: BoundQuery
    filter: EntryFilter
    manifests: Sequence[ManifestFile]
    cached: pa.RecordBatch | None
    engine: Engine | None
    all_manifests: bool

    @classmethod
    def of(
        cls, state: State, query: BoundQuery, engine: Engine | None, *, all_manifests: bool
    ) -> TaskGroups:
        """Return the groups of a query, without reading manifests."""
        table, entries = state.table, EntryFilter(state.table, query)
        if state.delta is not None:
            return cls(state, query, entries, state.delta, None, engine, all_manifests)
        manifests, cached = table.manifests.of(state.snapshot), None
        if state.snapshot is not None:
            cached = table.data_files.cached(state.snapshot, manifests)
        return cls(state, query, entries, manifests, cached, engine, all_manifests)

    @property
    def are_read_late(self) -> bool:
        """Whether there may be many files, each of which is read without knowing of others."""
        is_small = self.state.snapshot is None or self.cached is not None
        return self.filter.reading.streams and not is_small and not self._can_test_row_ids

    @property
    def _can_test_row_ids(self) -> bool:
        return self.query.predicate is not None and ROW_ID in self.query.schema.ids

    def __iter__(self) -> Iterator[TaskGroup]:
        if not self.are_read_late:
            yield self._group(tuple(self._pruned()))
            return
        yield self._group(())  # which counts files of manifests that are not read
        for pruned in self._pruned():
            for part in pruned.slices(_FILES_AT_ONCE):
                yield self._group((part,))

    def _pruned(self) -> Iterator[Pruned]:
        data_files = self.state.table.data_files
        if self.cached is not None:
            numbers = data_files.partitions.numbers(self.cached.column("_PARTITION"))
            yield self.filter(self.cached, numbers, data_files.partitions)
            return
        needed = self._needed_manifests
        scanned = data_files.scan(
            needed,
            self.filter,
            counts=self.filter.counts if len(needed) < len(self.manifests) else None,
            # Without a predicate, workers skip no file, so they would only send all entries back.
            engine=None if self.query.predicate is None else self.engine,
        )
        yield from (pruned for *_, pruned in scanned)

    @cached_property
    def _needed_manifests(self) -> Sequence[ManifestFile]:
        """The manifests that partitions do not rule out."""
        keys = set(self.query.schema.partition_keys)
        of_partitions = self.filter.only(self.query.predicate, keys)
        if of_partitions is None or self.all_manifests or self.cached is not None:
            return self.manifests
        return in_partitions(self.manifests, of_partitions, self.query.schema)

    def _group(self, entries: Sequence[Pruned]) -> TaskGroup:
        """Return the tasks for manifest entries that the query needs, and count all entries."""
        counted = Sizes(listed=self._listed, bucket_notes=self.filter.bucket_notes)
        counted = sum((each.sizes for each in entries), counted)
        if self.filter.reading.streams and not self.query.conditions and not self._can_test_row_ids:
            kept = counted.skipped[KEPT]
            sizes = replace(counted, by_statistics=kept, left=kept, alone=kept.files)
            return TaskGroup(sizes, lambda: self._tasks(entries), self._known_count(entries))
        planned = self._tasks(entries)
        alone = [task for task in planned if isinstance(task, FileTask)]
        names = {n: 0 for each in self.query.conditions for n in self.query.columns_of(each)}
        tasks, indexes, size = planned, None, _size_of(planned)
        if self._can_test_row_ids:
            tasks, indexes = self._selected(planned)
        sizes = replace(
            counted,
            by_statistics=size,
            left=size if tasks is planned else _size_of(tasks),
            indexes=indexes,
            alone=len(alone),
            without_statistics={n: sum(_lacks_statistics(t, n) for t in alone) for n in names},
            shared=_shared([each.row_ids for each in entries if each.row_ids is not None]),
        )
        return TaskGroup(sizes, lambda: tasks)

    @cached_property
    def _listed(self) -> int | None:
        """The number of files in all manifests, if partitions rule out some; else None."""
        if len(self._needed_manifests) == len(self.manifests):
            return None
        return sum(manifest.num_files for manifest in self.manifests)

    def _known_count(self, entries: Iterable[Pruned]) -> int | None:
        """Return how many rows match; None if conditions or deletion vectors decide."""
        data_files, rows = self.state.table.data_files, 0
        vectors = data_files.index_manifests.vectors(self.state.indexed)
        for files in (each.entries for each in entries):
            numbers = data_files.partitions.numbers(files.column("_PARTITION"))
            if not self.filter.selects_all(numbers, data_files.partitions):
                return None
            if len(vectors) and (data_files.numbers_of(vectors, files) >= 0).any():
                return None
            rows += int(to_numpy(files.column("_ROW_COUNT")).sum())
        return rows

    def _selected(
        self, planned: Iterable[Task]
    ) -> tuple[list[Task], tuple[tuple[str, ...], int] | None]:
        """Return the tasks with the rows that global indexes and row ids select, and notes."""
        tasks: list[Task] = []
        state, predicate = self.state, self.query.predicate
        with GlobalIndexes(state.table, state.indexed, self.query.schema) as indexes:
            for task in planned:
                if isinstance(task, FileTask):
                    selection = indexes.select(task.data, task.predicate)
                    if selection is not None and selection.kind == "skip":
                        continue
                    task = replace(task, candidates=selection)
                tasks.append(task)
            is_used = bool(indexes.tested(predicate) or indexes.notes)
            return tasks, (tuple(indexes.notes), indexes.bytes_read) if is_used else None

    def _tasks(self, entries: Sequence[Pruned]) -> list[Task]:
        files: list[DataFile] = []
        unmatched: set[str] = set()  # the paths of files without matching rows
        without_keys: set[str] = set()  # those without keys that match
        for each in entries:
            made = tuple(self._made(each.entries))
            files += made
            unmatched.update(file.path for file in compress(made, ~each.matches))
            without_keys.update(file.path for file in compress(made, ~each.has_keys))
        sections = self.filter.reading.sections(files)
        if self.filter.reading.data_evolution:
            return self._row_tasks(list(sections))
        alone: list[Task] = []
        merging: list[Task] = []
        for section in sections:
            predicate = self.filter.within(section.files[0].partition)
            if section.merge is None:
                if section.files[0].path not in unmatched:
                    alone.append(self._file_task(self._row_files(section.files), predicate))
                continue
            # All versions of a row have its key, so conditions on keys rule out single files. A
            # value in one file may be replaced by another file, so conditions on values do not.
            kept = [file for file in section.files if file.path not in without_keys]
            matches = any(file.path not in unmatched for file in kept)
            if kept and (matches or not section.keeps_rows):
                section = replace(section, files=tuple(kept))
                merging.append(self._merge_task(section, predicate, unmatched))
        return [*alone, *merging]

    def _row_tasks(self, sections: Sequence[Section]) -> list[Task]:
        """Return the tasks of files that hold columns of the same rows."""
        groups = [self._row_files(section.files) for section in sections]
        predicates = [self.filter.within(section.files[0].partition) for section in sections]
        by_predicate: dict[int, list[int]] = defaultdict(list)
        for number, predicate in enumerate(predicates):
            by_predicate[id(predicate)].append(number)
        matches = np.ones(len(groups), np.bool_)
        for numbers in by_predicate.values():
            if (predicate := predicates[numbers[0]]) is not None:
                some = [groups[number] for number in numbers]
                matches[numbers] = groups_may_match(predicate, some, self.query.schema)
        return [self._file_task(groups[n], predicates[n]) for n in np.flatnonzero(matches).tolist()]

    def _row_files(self, files: Sequence[DataFile]) -> RowFiles:
        return RowFiles(tuple(Part(f, self.filter.schema_at(f.schema_id)) for f in files))

    def _file_task(self, data: RowFiles, predicate: Predicate | None) -> FileTask:
        """Return the task for files of the same rows, with the predicate in terms of each."""
        storage = self.state.table.storage
        if predicate is None:
            return FileTask(*self._of_query(None), storage, data)
        parts = []
        for part in data.parts:
            of_file = self.filter.of_part(predicate, data, part)
            if part.file.format == "orc":
                of_file = without_shifted(of_file, bounds_of(part.file, part.schema))
            parts.append(Part(part.file, part.schema, of_file))
        return FileTask(*self._of_query(predicate), storage, RowFiles(tuple(parts)))

    def _of_query(
        self, predicate: Predicate | None
    ) -> tuple[TableSchema, tuple[str, ...], Predicate | None, int | None, TopN | None]:
        """Return what every `Task` begins with."""
        query = self.query
        limit = None if query.top is not None else query.limit
        return query.schema, query.read_columns, predicate, limit, query.top

    def _merge_task(
        self, section: Section, predicate: Predicate | None, unmatched: Container[str]
    ) -> Task:
        from paimon_ksy.table.query.merge_task import MergeTask

        table, schemas = self.state.table, sorted({file.schema_id for file in section.files})
        return MergeTask(
            *self._of_query(predicate),
            *(table.storage, section, tuple(map(table.schema_at, schemas))),
            tuple(
                self._file_task(self._row_files((file,)), predicate)
                for file in section.files
                if file.path not in unmatched
            ),
        )

    @cached_property
    def _made(self) -> Callable[[pa.RecordBatch], Iterator[DataFile]]:
        """The function that makes data files of entries."""
        data_files, indexed = self.state.table.data_files, self.state.indexed
        return data_files.made if indexed is None else data_files.maker(indexed)


_FILES_AT_ONCE = 1000
"""The most files to plan at once if each is read without knowing of others, to bound memory."""


def _size_of(tasks: Iterable[Task]) -> Size:
    sizes = [(len(task.files), task.num_rows, task.size) for task in tasks]
    return Size(*map(sum, zip(*sizes, strict=True)))


def _lacks_statistics(task: FileTask, name: str) -> bool:
    """Return whether a column is in a file whose manifest entry has no statistics of it."""
    if (stored := task.stored_as(name)) is None:
        return False
    part, own = stored
    return own not in (ROW_ID, SEQUENCE_NUMBER, *part.file.statistics.columns)


def _shared(row_ids: Sequence[Numbers]) -> tuple[int, ...]:
    """Return by what skips files, the rows that are in other files, too (see `Pruned.row_ids`)."""
    if not row_ids:
        return Sizes().shared
    skipped_by, first, counts = np.hstack(row_ids)
    shared = np.zeros_like(counts)
    for step in distinct(skipped_by).tolist():
        at = skipped_by == step
        shared[at] = shared_rows(first[at], counts[at])
    return tuple(int(shared[skipped_by == step].sum()) for step in range(KEPT + 1))


_AGAIN = (
    "run the query again; if queries take longer than snapshots are kept, raise the option "
    "snapshot.time-retained, or query a tag"
)
_WITHOUT_INDEXES = Remedy(
    "no job rebuilds an index of an older snapshot; to query it without indexes, run ",
    Call("table set", "file-index.read.enabled=false"),
    ", and afterwards the same with =true",
)


@dataclass(frozen=True)
class State:
    """A state of a table, which later commits do not change.

    Attributes:
        table: The table.
        snapshot: The snapshot to read; None for an empty table.
        schema: The schema to read in.
        delta: The manifests to read instead of all those of the snapshot. They only add files,
            whose deletion vectors and global indexes do not count.
        is_of_tag: Whether a tag keeps the files of the snapshot.
    """

    table: Table
    snapshot: Snapshot | None
    schema: TableSchema
    delta: tuple[ManifestFile, ...] | None = None
    is_of_tag: bool = False

    @contextmanager
    def reading(self) -> Iterator[None]:
        """Make errors over files name the cause if the snapshot expired, or is an older one.

        Raises:
            MissingFileError: The snapshot has expired since the state was made.
        """
        try:
            yield
        except (MissingFileError, CorruptFileError) as error:
            if self.snapshot is None or self.is_of_tag:
                raise
            snapshots, number = self.table.snapshots, self.snapshot.id
            if isinstance(error, MissingFileError) and not snapshots.exists(number):
                message = f"no such file: snapshot {number} expired while it was read"
                raise MissingFileError(message, path=error.path, remedy=_AGAIN) from error
            if "--repair" in (error.remedy or "") and snapshots.exists(number + 1):
                error.remedy = _WITHOUT_INDEXES
            raise

    @property
    def indexed(self) -> Snapshot | None:
        """The snapshot whose index manifest counts."""
        return None if self.delta is not None else self.snapshot

    @classmethod
    def of(cls, table: TableOrPath, asked: Query, engine: Engine | None = None) -> State:
        """Return the state that a query names, in the schema that it had, or the latest state.

        Raises:
            PaimonKsyError: The snapshot or tag does not exist, or cannot be read.
        """
        table = Table.of(table)
        table.check_options("query")
        chosen = snapshot_id, tag, as_of, between = (
            *(asked.snapshot_id, asked.tag, asked.as_of, asked.between),
        )
        if sum(each is not None for each in chosen) > 1:
            raise PredicateError(
                "a snapshot, a tag, a time and two snapshots exclude each other: pass one"
            )
        if between is not None:
            return cls._between(table, between)
        if as_of is not None:
            snapshot_id = table.snapshots.as_of(as_of, time_zone_of(table, engine)).id
        if snapshot_id is None and tag is None:
            table.check_options("latest")
            snapshot_id, tag = table.snapshots.selected(table.options)
        snapshot, schema = table.snapshot(snapshot_id, tag), table.schema
        is_selected = snapshot_id is not None or tag is not None
        if is_selected and snapshot is not None and snapshot.schema_id != schema.id:
            # As in Java, options are always the current ones.
            schema = replace(table.schema_at(snapshot.schema_id), options=table.options)
        return cls(table, snapshot, schema, is_of_tag=tag is not None)

    @classmethod
    def _between(cls, table: Table, between: Sequence[int]) -> State:
        """Return the rows that snapshots after `first`, up to `last`, added to an append table.

        It has the rows of Java's `incremental-between`: compactions and overwrites add none, and
        rows that were deleted later count.
        """
        reading = Reading.of(table.schema)
        if reading.has_keys or reading.data_evolution:
            raise UnsupportedError(
                "only tables without primary keys and data evolution have rows between snapshots: "
                "read its changes with Java (option incremental-between)",
                path=table.location,
            )
        if len(between) != 2 or not all(isinstance(number, int) for number in between):
            raise PredicateError(f"'between' needs the ids of two snapshots, not {between!r}")
        first, last = between
        if not 0 <= first <= last:
            raise PredicateError(f"snapshot {first} is not before snapshot {last}")
        every = [table.snapshots.of_id(number) for number in range(first + 1, last + 1)]
        added = [
            manifest
            for snapshot in every
            if snapshot.commit_kind == "APPEND"
            for manifest in table.manifests.of_list(snapshot.delta_manifest_list)
        ]
        if any(manifest.num_deleted_files for manifest in added):
            raise UnsupportedError(
                f"a snapshot from {first + 1} to {last} replaces files", path=table.location
            )
        return cls(table, table.snapshots.of_id(last), table.schema, tuple(added))
