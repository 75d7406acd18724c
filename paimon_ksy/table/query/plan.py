"""Plan a query: find the files of a table that it needs.

A plan skips files by partition, by the bucket of a key, and by the statistics in manifests; it
reads only manifests. Other files become tasks (see `tasks`), which an engine or a Spark data
source runs.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import cached_property
from operator import add
from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

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
from paimon_ksy.table.model.columns import columns_of
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
    required,
)
from paimon_ksy.table.query.query import BoundQuery, Query
from paimon_ksy.table.query.row_files import Part, RowFiles
from paimon_ksy.table.query.run import engine_of, time_zone_of
from paimon_ksy.table.query.splits import Reading, Section
from paimon_ksy.table.query.steps import KEPT, Size, Sizes, Step, some_of, step_of
from paimon_ksy.table.query.tasks import Task
from paimon_ksy.table.store import Table, TableOrPath
from paimon_ksy.types.arrays import distinct
from paimon_ksy.types.literals import to_text

if TYPE_CHECKING:
    from paimon_ksy.table.query.merge_task import MergeTask
    from paimon_ksy.table.store.merge import MergedFiles


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
    no task is kept. Iterating again reads the manifests again. What reads a manifest raises a
    PaimonKsyError if it cannot be read.

    Attributes:
        state: The state of the table to read.
        table: The table.
        query: The query, bound to the schema to read in.
        filter: The filter of manifest entries.
        buckets: The fixed buckets; None if the table has none.
        known_sizes: The files that each step keeps; None while unknown.
        seconds: The time that planning took, before tasks are iterated.
    """

    seconds = 0.0

    def __init__(
        self,
        state: State,
        query: BoundQuery,
        engine: Engine | None = None,
        *,
        all_manifests: bool = False,
    ) -> None:
        """Plan a query (see `plan_query`). Tasks are made here unless they are many."""
        self.state, self.table, self.query = state, state.table, query
        self.filter = EntryFilter(state.table, query)
        self.buckets = self.filter.buckets
        self._engine, self._all_manifests = engine, all_manifests
        self.known_sizes: Sizes | None = None
        self._kept: tuple[Task, ...] | None = None
        of_snapshot = self.table.manifests.of
        self._manifests = of_snapshot(state.snapshot) if state.delta is None else state.delta
        self._cached: pa.RecordBatch | None = None
        if state.snapshot is not None and state.delta is None:
            self._cached = self.table.data_files.cached(state.snapshot, self._manifests)
        is_small = state.snapshot is None or self._cached is not None
        if is_small or not self.filter.reading.streams:
            _ = self.tasks

    def __iter__(self) -> Iterator[Task]:
        return iter(self._kept) if self._kept is not None else self._streamed()

    def _streamed(self) -> Iterator[Task]:
        """Yield the tasks, and keep their sizes at the end."""
        sizes = Sizes()
        without = sizes.without_statistics
        without.update((name, 0) for each in self.conditions for name in self.columns_of(each))
        kept, left = [0, 0, 0], [0, 0, 0]
        indexes = GlobalIndexes(self.table, self.state.indexed, self.query.schema)
        try:
            for task in self._tasks(sizes):
                size = len(task.files), task.num_rows, task.size
                kept[:] = map(add, kept, size)
                if isinstance(task, FileTask):
                    sizes.alone += 1
                    for name in without:
                        if (stored := task.stored_as(name)) is not None:
                            part, own = stored
                            listed = part.file.statistics.columns
                            without[name] += own not in (ROW_ID, SEQUENCE_NUMBER, *listed)
                    selection = indexes.select(task.data, task.predicate)
                    if selection is not None and selection.kind == "skip":
                        continue
                    task = replace(task, candidates=selection)
                left[:] = map(add, left, size)
                yield task
        finally:
            indexes.close()
        sizes.by_statistics, sizes.left = Size(*kept), Size(*left)
        predicate = self.query.predicate
        if predicate is not None and (indexes.tested(predicate) or indexes.notes):
            sizes.indexes = indexes.notes, indexes.bytes_read
        self.known_sizes = sizes

    @property
    def tasks(self) -> tuple[Task, ...]:
        """All tasks; the plan keeps them."""
        if self._kept is None:
            self._kept = tuple(self)
        return self._kept

    def files(self) -> Iterator[PlannedFile]:
        """Yield the data files that the query needs, in the order in which they are read."""
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
                    has_index=file.has_index,
                    has_vector=file.deletion_vector is not None,
                    is_merged=not isinstance(task, FileTask),
                )

    @property
    def sizes(self) -> Sizes:
        """The files that each step keeps. Reads all manifests unless the tasks were iterated."""
        if self.known_sizes is None:
            for _ in self:
                pass
        assert self.known_sizes is not None
        return self.known_sizes

    @property
    def files_total(self) -> int:
        """The number of data files that readers see; until planning ends, from manifest lists."""
        if self.known_sizes is not None:
            return self.known_sizes.files_total
        return self.table.manifests.num_files(self.state.snapshot)

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
        """The steps `partitions`, `buckets` (if their number is fixed), `statistics`, `row ids`.

        The last one is for tables with row ids, if a predicate tests these, or for global indexes.
        Reads all manifests unless the tasks were iterated.
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
        steps.append(step_of("statistics", sizes.in_buckets, sizes.by_statistics, notes))
        if sizes.indexes is not None:
            notes, read = sizes.indexes
            step = step_of("row ids", sizes.by_statistics, sizes.left, notes, bytes_read=read)
            steps.append(step)
        return tuple(steps)

    # Tasks --------------------------------------------------------------------------------------

    def _tasks(self, sizes: Sizes) -> Iterator[Task]:
        merging: list[tuple[Section, Predicate | None]] = []
        unmatched: set[str] = set()  # the paths of files without matching rows
        without_keys: set[str] = set()  # those without keys that match
        all_files = self._files(sizes, unmatched, without_keys)
        sections = self.filter.reading.sections(all_files)
        if self.filter.reading.data_evolution:
            yield from self._row_tasks(list(sections))
            return
        for section in sections:
            predicate = self.filter.within(section.files[0].partition)
            if section.merge is None:
                if section.files[0].path not in unmatched:
                    yield self._file_task(self._row_files(section.files), predicate)
                continue
            # All versions of a row have its key, so conditions on keys rule out single files. A
            # value in one file may be replaced by another file, so conditions on values do not.
            kept = [file for file in section.files if file.path not in without_keys]
            matches = any(file.path not in unmatched for file in kept)
            if kept and (matches or not section.keeps_rows):
                merging.append((replace(section, files=tuple(kept)), predicate))
        yield from (self._merge_task(*each, unmatched) for each in merging)

    def _row_tasks(self, sections: Sequence[Section]) -> Iterator[FileTask]:
        """Yield the tasks of files that hold columns of the same rows."""
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
        for number in np.flatnonzero(matches).tolist():
            yield self._file_task(groups[number], predicates[number])

    def _files(
        self, sizes: Sizes, unmatched: set[str], without_keys: set[str]
    ) -> Iterator[DataFile]:
        """Yield the files that the query needs, and count all of them."""
        if self.state.snapshot is None:
            return
        data_files, indexed = self.table.data_files, self.state.indexed
        make = data_files.made if indexed is None else data_files.maker(indexed)
        row_ids: list[NDArray[np.int64]] = []
        for pruned in self._pruned(sizes):
            if pruned.row_ids is not None:
                row_ids.append(pruned.row_ids)
            sizes.skipped = tuple(map(add, sizes.skipped, pruned.skipped))
            if self.buckets is not None:
                self.buckets.note = pruned.note  # which may come from another process
            files = make(pruned.entries)
            for file, matches, has_keys in zip(
                files, pruned.matches.tolist(), pruned.has_keys.tolist(), strict=True
            ):
                if not matches:
                    unmatched.add(file.path)
                if not has_keys:
                    without_keys.add(file.path)
                yield file
        if row_ids:
            skipped_by, first, counts = np.hstack(row_ids)
            shared = np.zeros_like(counts)
            for step in distinct(skipped_by).tolist():
                at = skipped_by == step
                shared[at] = shared_rows(first[at], counts[at])
            sizes.shared = tuple(int(shared[skipped_by == s].sum()) for s in range(KEPT + 1))

    def _pruned(self, sizes: Sizes) -> Iterator[Pruned]:
        data_files, manifests = self.table.data_files, self._manifests
        if self._cached is not None:
            numbers = data_files.partitions.numbers(self._cached.column("_PARTITION"))
            yield self.filter(self._cached, numbers, data_files.partitions)
            return
        of_partitions = self.filter.only(
            self.query.predicate, set(self.query.schema.partition_keys)
        )
        needed = manifests
        if of_partitions is not None and not self._all_manifests:
            needed = in_partitions(manifests, of_partitions, self.query.schema)
        skips = len(needed) < len(manifests)
        if skips:
            sizes.listed = sum(manifest.num_files for manifest in manifests)
        scanned = data_files.scan(
            needed,
            self.filter,
            counts=self.filter.counts if skips else None,
            # Without a predicate, workers skip no file, so they would only send all entries back.
            engine=None if self.query.predicate is None else self._engine,
        )
        yield from (pruned for *_, pruned in scanned)

    def _row_files(self, files: Sequence[DataFile]) -> RowFiles:
        return RowFiles(tuple(Part(f, self.filter.schema_at(f.schema_id)) for f in files))

    def _file_task(self, data: RowFiles, predicate: Predicate | None) -> FileTask:
        """Return the task for files of the same rows, with the predicate in terms of each."""
        parts = []
        for part in data.parts:
            of_file = None if predicate is None else self.filter.of_part(predicate, data, part)
            if of_file is not None and part.file.format == "orc":
                of_file = without_shifted(of_file, bounds_of(part.file, part.schema))
            parts.append(replace(part, predicate=of_file))
        return FileTask(*self._of_query(predicate), self.table.storage, RowFiles(tuple(parts)))

    def _of_query(
        self, predicate: Predicate | None
    ) -> tuple[TableSchema, tuple[str, ...], Predicate | None, int | None, TopN | None]:
        """Return what every `Task` begins with."""
        query = self.query
        limit = None if query.top is not None else query.limit
        return query.schema, query.read_columns, predicate, limit, query.top

    def _merge_task(
        self, section: Section, predicate: Predicate | None, unmatched: Container[str]
    ) -> MergeTask:
        from paimon_ksy.table.query.merge_task import MergeTask

        return MergeTask(
            *self._of_query(predicate),
            section,
            tuple(map(self.table.schema_at, sorted({file.schema_id for file in section.files}))),
            self._merge(section.files),
            tuple(
                self._file_task(self._row_files((file,)), predicate)
                for file in section.files
                if file.path not in unmatched
            ),
        )

    @cached_property
    def _merge(self) -> Callable[[Sequence[DataFile]], MergedFiles]:
        from paimon_ksy.table.store.merge import merged_files

        return merged_files(self.table, self.state.schema)


def plan(
    table: TableOrPath,
    where: str | Predicate | pc.Expression | None = None,
    columns: Sequence[str] | None = None,
    *,
    order_by: str | TopN | None = None,
    limit: int | None = None,
    snapshot_id: int | None = None,
    tag: str | None = None,
    as_of: str | datetime | None = None,
    between: tuple[int, int] | None = None,
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
    asked = Query(where, columns, order_by, limit, snapshot_id, tag, as_of, between)
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
    state = State.of(table, query, engine)
    plan = state.plan(query, all_manifests=all_manifests, engine=engine)
    plan.seconds = perf_counter() - started
    return plan


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

    def plan(
        self, query: Query, *, all_manifests: bool = False, engine: Engine | None = None
    ) -> Plan:
        """Plan a query of this state, whichever state the query names: see `plan_query`."""
        started = perf_counter()
        bound = query.bind(self.schema, time_zone_of(self.table, engine))
        engine = engine and titled(engine, "plan", self.table.location)
        with self.reading():
            plan = Plan(self, bound, engine, all_manifests=all_manifests)
        plan.seconds = perf_counter() - started
        return plan
