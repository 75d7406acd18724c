"""Asking a table: which files a query needs and why, its rows, how many they are.

Files are left out in steps: by partition, by the bucket of a key, by the statistics in the
manifests, by their indexes; of those that are left, rows are read. `plan` does what takes no
reading of files but manifests; what is left then are tasks (see `tasks`), which an engine does, or
a Spark data source.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from time import perf_counter
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import urlparse

import numpy as np

from paimon_ksy.errors import PaimonKsyError, PredicateError, SchemaError
from paimon_ksy.file_index import bound_predicate
from paimon_ksy.filter import Bounds, holds, may_match
from paimon_ksy.live import Order, TopN, check_limit, parse_order
from paimon_ksy.predicate import Always, And, Comparison, Leaf, Predicate, bind, visit
from paimon_ksy.table.buckets import FixedBuckets
from paimon_ksy.table.engine import Engine, local_engine, spark_engine
from paimon_ksy.table.evolve import devolve
from paimon_ksy.table.formats.opened import Effort
from paimon_ksy.table.sections import Reading, Section
from paimon_ksy.table.store import DataFile, Table, TableOrPath, TableSchema, merged_files
from paimon_ksy.table.tasks import (
    ROW,
    Counted,
    FileTask,
    MergeTask,
    Selected,
    Task,
    TaskRows,
    TasksRows,
    arrow_schema,
    columns_of,
    same_column,
)

if TYPE_CHECKING:
    import pyarrow as pa

Progress = Callable[[Task], None]
T = TypeVar("T")


@dataclass(frozen=True)
class Size:
    """So many data files, their rows (with deleted ones) and bytes."""

    files: int = 0
    rows: int = 0
    bytes: int = 0

    @classmethod
    def of(cls, files: Iterable[DataFile]) -> Size:
        files = list(files)
        return cls(len(files), sum(f.num_rows for f in files), sum(f.size for f in files))

    def __add__(self, other: Size) -> Size:
        return Size(self.files + other.files, self.rows + other.rows, self.bytes + other.bytes)

    def __sub__(self, other: Size) -> Size:
        return Size(self.files - other.files, self.rows - other.rows, self.bytes - other.bytes)


@dataclass(frozen=True)
class Plan:
    """What is left of a table for a question, by partitions, buckets and statistics. Iterates its
    tasks.

    `total` are all data files that readers see, `in_partitions` those of partitions that can match,
    `in_buckets` those of these in buckets that can; `buckets` is None if there are no fixed ones.
    `orders` are those of all rows, where no limit is given.
    """

    table: Table
    snapshot: Any
    schema: TableSchema
    predicate: Predicate | None
    columns: tuple[str, ...]
    limit: int | None
    top: TopN | None
    orders: tuple[Order, ...]
    total: Size
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
        return arrow_schema(self.schema.columns, self.columns)

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
    """Which files of a table have to be asked, with what.

    `table` is a table or its folder, as a local path or URL. `where` is SQL text, a predicate tree
    or a pyarrow.compute expression; `columns` are those to return, all if None; `order_by` is an
    order such as `amount DESC NULLS LAST`, or a TopN, which has a limit.
    A snapshot or a tag is read in the schema that it had. Nothing but manifests is read.

    Raises PredicateError, SchemaError for an unknown column, PaimonKsyError.
    """
    if not isinstance(table, Table):
        table = Table.at(table)
    travel = _travel(snapshot_id, tag)
    snapshot = table.snapshot(snapshot_id, tag)
    schema = table.schema
    if travel is not None and snapshot is not None:
        schema = table.schema_at(snapshot.schema_id)
    names = _names(schema, columns)
    predicate = None if where is None else bound_predicate(where, schema.columns)
    if limit is not None:
        check_limit(limit)
    orders = () if order_by is None else _orders(order_by, schema)
    most = [k for k in (limit, getattr(order_by, "k", None)) if k is not None]
    top = TopN.by(orders, min(most)) if orders and most else None
    read = tuple(dict.fromkeys((*names, *(order.column for order in orders if top is None))))
    planner = _Planner(table, schema, read, predicate, None if top is not None else limit, top)
    tasks = planner.tasks(snapshot, travel)
    return Plan(
        table,
        snapshot,
        schema,
        predicate,
        names,
        limit,
        top,
        orders if top is None else (),
        planner.total,
        planner.in_partitions,
        planner.in_buckets,
        planner.buckets,
        tuple(tasks),
    )


class _Planner:
    def __init__(
        self,
        table: Table,
        schema: TableSchema,
        columns: tuple[str, ...],
        predicate: Predicate | None,
        limit: int | None,
        top: TopN | None,
    ) -> None:
        self.table = table
        self.schema = schema
        self.columns = columns
        self.predicate = predicate
        self.limit = limit
        self.top = top
        self.reading = Reading.of(table.schema)
        self.total = Size()
        self.in_partitions = Size()
        self.in_buckets = Size()
        self.buckets = FixedBuckets.of(table, schema)
        self._folded: dict[tuple[Any, ...], Predicate | None] = {}
        self._devolved: dict[tuple[int, int], tuple[Predicate, Predicate]] = {}
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
                        tuple(found),
                        tuple(single for single in singles if single is not None),
                    )
                )
        return tasks

    def _in_buckets(self, snapshot: Any) -> Iterator[DataFile]:
        """The files of partitions and buckets that can have rows that match."""
        for file in self.table.known_files(snapshot):
            if not self.reading.sees(file):
                continue
            size = Size(1, file.num_rows, file.size)
            self.total += size
            predicate = self.fold(file.partition)
            if _is_never(predicate):
                continue
            self.in_partitions += size
            if self.buckets is None or self.buckets.may_hold(file, predicate):
                self.in_buckets += size
                yield file

    def fold(self, partition: tuple[Any, ...]) -> Predicate | None:
        """The predicate where the partition's values are known; None if it is always true."""
        if partition not in self._folded:
            found = self.predicate
            if found is not None:
                found = folded(found, self.schema, partition)
            self._folded[partition] = None if found == Always(True) else found
        return self._folded[partition]

    def devolve(self, predicate: Predicate | None, file: DataFile) -> Predicate | None:
        """The predicate, bound to the file's schema."""
        if predicate is None or file.schema_id == self.schema.id:
            return predicate
        key = id(predicate), file.schema_id
        if key not in self._devolved:
            found = devolve(predicate, self.schema, self.table.schema_at(file.schema_id))
            self._devolved[key] = predicate, found  # holds it, so that no other gets its id
        return self._devolved[key][1]

    def _file_task(self, file: DataFile, predicate: Predicate | None) -> FileTask | None:
        """What to ask of a file; None if its statistics tell that no row matches."""
        of_file = self.devolve(predicate, file)
        file_schema = self.table.schema_at(file.schema_id)
        if of_file is not None and not may_match(of_file, bounds_of(file, file_schema)):
            return None
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
        """Whether the file can have keys for which the predicate is true."""
        of_keys = self.devolve(self._of_keys, file)
        file_schema = self.table.schema_at(file.schema_id)
        return of_keys is None or may_match(of_keys, bounds_of(file, file_schema))

    def _merged(self, section: Section, predicate: Predicate | None) -> Section | None:
        """The section without files that statistics rule out; None if none is left."""
        kept = [file for file in section.files if self._has_keys(file)]
        # All versions of a key have that key, so what is true of keys rules out file by file. What
        # is true of values may be true of a version of a key in one file, and replaced in another.
        if not kept or (
            section.keeps_rows and not any(self._file_task(file, predicate) for file in kept)
        ):
            return None
        return replace(section, files=tuple(kept))


def folded(predicate: Predicate, schema: TableSchema, partition: tuple[Any, ...]) -> Predicate:
    """A bound predicate with what the values of a partition decide put in their place."""
    if not schema.partition_keys:
        return predicate
    values = dict(zip(schema.partition_keys, partition, strict=True))
    return bind(visit(predicate, _Folder(values)), schema.columns)


class _Folder:
    """The predicate with what a partition decides put in place of its columns."""

    def __init__(self, values: Mapping[str, Any]) -> None:
        self.values = values

    def always(self, value: bool | None) -> Predicate:
        return Always(value)

    def leaf(self, leaf: Leaf) -> Predicate:
        known = holds(leaf, self.values)
        return leaf if known is None else Always(known)

    def conjunction(self, children: list[Predicate]) -> Predicate:
        return And(tuple(children))

    def disjunction(self, children: list[Predicate]) -> Predicate:
        from paimon_ksy.predicate import Or

        return Or(tuple(children))

    def negation(self, child: Predicate) -> Predicate:
        raise PredicateError("the predicate is not bound to a schema")


def bounds_of(file: DataFile, schema: TableSchema) -> Callable[[str], Bounds | None]:
    """What is known of a column of a data file, in its schema: by its statistics, or as a primary
    key."""
    statistics = file.statistics
    at = {name: number for number, name in enumerate(statistics.columns)}
    keys = [name for name in schema.primary_keys if name not in schema.partition_keys]

    def bounds(column: str) -> Bounds | None:
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
    """The part of a predicate, of those that have to be true, that needs these columns only."""
    if predicate is None:
        return None
    parts = predicate.children if isinstance(predicate, And) else (predicate,)
    kept = [part for part in parts if set(columns_of(part, schema.columns)) <= names]
    return bind(And(tuple(kept)), schema.columns) if kept else None


def _is_never(predicate: Predicate | None) -> bool:
    return predicate == Always(False)


# Asking -----------------------------------------------------------------------------------------


def query(
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
    progress: Progress | None = None,
    stats: QueryStats | None = None,
) -> pa.Table:
    """The rows that match, in the table's columns: exactly those that SQL gives.

    Arguments as those of `plan`. Files are read by `engine`, or on the SparkSession `spark`, or on
    this machine. `stats` is told what it took. Raises PredicateError, SchemaError, PaimonKsyError.
    """
    import pyarrow as pa

    started = perf_counter()
    asked = plan(
        table, where, columns, snapshot_id=snapshot_id, tag=tag, limit=limit, order_by=order_by
    )
    found = batches(asked, engine or engine_of(spark), progress, stats)
    rows = pa.Table.from_batches(found, asked.arrow_schema)
    if stats is not None:
        stats.seconds = perf_counter() - started
    return rows


@dataclass
class QueryStats:
    """What a query took; it is told as rows are read.

    `rows` are those that were returned; `effort` has what was read of indexes, deletion vectors and
    data files, not of manifests. `seconds` are those from the start of planning to the last row.
    """

    files_total: int = 0
    rows: int = 0
    seconds: float = 0.0
    effort: Effort = field(default_factory=Effort, repr=False)

    @property
    def files_read(self) -> int:
        """Data files of which rows were read."""
        return len(self.effort.files)

    @property
    def bytes_read(self) -> int:
        """Bytes of indexes, deletion vectors and data files."""
        return self.effort.bytes_read

    def to_json(self) -> dict[str, Any]:
        """As the command `query --json --stats` prints it."""
        return {
            "rows": self.rows,
            "files_total": self.files_total,
            "files_read": self.files_read,
            "bytes_read": self.bytes_read,
            "seconds": round(self.seconds, 4),
        }


def batches(
    plan: Plan,
    engine: Engine | None = None,
    progress: Progress | None = None,
    stats: QueryStats | None = None,
) -> Generator[pa.RecordBatch]:
    """The rows that are planned, part after part; none is kept. Raises PaimonKsyError.

    `stats` is told what it took but for the seconds; of all that runs when it is closed.
    """
    stats = QueryStats() if stats is None else stats
    stats.files_total = plan.total.files
    with closing(_batches(plan, engine, progress, stats.effort)) as found:
        for batch in found:
            stats.rows += batch.num_rows
            yield batch


def _batches(
    plan: Plan, engine: Engine | None, progress: Progress | None, effort: Effort
) -> Generator[pa.RecordBatch]:
    asks_first = engine is None and _is_local(plan.table)
    engine = engine or default_engine(plan.table)
    if plan.limit == 0:
        return
    if plan.top is not None:
        asking = local_engine(1) if asks_first else engine
        found = _first_rows(plan, plan.top, engine, asking, progress, effort)
        yield from found.select(plan.columns).to_batches()
        return
    schema, told = plan.arrow_schema, effort.add
    if plan.limit is None:
        if plan.orders:
            names = dict.fromkeys((*plan.columns, *(order.column for order in plan.orders)))
            schema = arrow_schema(plan.schema.columns, tuple(names))
        if asks_first:
            groups, of_each = _left_by_indexes(plan.tasks, progress, effort), _of_each(progress)
            every = engine.batches(TasksRows, groups, schema, progress=of_each, told=told)
        else:
            every = engine.batches(TaskRows, plan.tasks, schema, progress=progress, told=told)
        yield from _in_order(every, plan, schema) if plan.orders else every
        return
    left = plan.limit
    for tasks in _growing(plan.tasks):
        for batch in engine.batches(TaskRows, tasks, schema, progress=progress, told=told):
            yield batch.slice(0, left)
            left -= batch.num_rows
            if left <= 0:
                return


MOST_SORTED = 1 << 30
"""Bytes of rows that are put in an order without a limit: they are in memory, twice at last."""
_SORTED_BATCH = 1 << 16


def _in_order(
    found: Iterable[pa.RecordBatch], plan: Plan, schema: pa.Schema
) -> Iterator[pa.RecordBatch]:
    """All rows in the order of the plan. Raises PaimonKsyError if they are too many."""
    import pyarrow as pa

    from paimon_ksy.table.top import in_order

    kept, size = [], 0
    for batch in found:
        kept.append(batch)
        size += batch.nbytes
        if size > MOST_SORTED:
            raise PaimonKsyError(
                f"the rows to put in order take more than {MOST_SORTED:,} bytes: give a limit, a "
                "narrower condition or fewer columns, or have Spark sort what its data source reads"
            )
    rows = pa.Table.from_batches(kept, schema)
    order = in_order(rows, plan.orders)
    rows = rows.select(plan.columns)
    for first in range(0, len(order), _SORTED_BATCH):
        part = rows.take(order[first : first + _SORTED_BATCH]).combine_chunks()
        yield from part.to_batches()


def count(
    table: TableOrPath,
    where: Any = None,
    *,
    snapshot_id: int | None = None,
    tag: str | None = None,
    engine: Engine | None = None,
    spark: Any = None,
    progress: Progress | None = None,
) -> Count:
    """How many rows match: from indexes where they tell exactly, else from the columns needed.

    Raises PredicateError, PaimonKsyError.
    """
    asked = plan(table, where, (), snapshot_id=snapshot_id, tag=tag)
    return counted(asked, engine or engine_of(spark), progress)


@dataclass(frozen=True)
class Count:
    """How many rows match, and what was read of indexes, deletion vectors and data files."""

    count: int
    files_total: int
    files_read: int
    bytes_read: int

    @property
    def origin(self) -> str:
        """`index` if no data file was read, else `data`."""
        return "data" if self.files_read else "index"

    def to_json(self) -> dict[str, Any]:
        """As the command `count --json` prints it."""
        return {
            "count": self.count,
            "from": self.origin,
            "files_total": self.files_total,
            "files_read": self.files_read,
            "bytes_read": self.bytes_read,
        }


def counted(plan: Plan, engine: Engine | None = None, progress: Progress | None = None) -> Count:
    """How many rows that are planned match. Raises PaimonKsyError."""
    rows = files_read = bytes_read = 0
    todo: list[Task] = []
    for task in plan.tasks:
        known = task.known_count
        if known is None:
            todo.append(task)
        else:
            rows += known
    if engine is None and _is_local(plan.table):
        asked, todo = todo, []
        for task, (left, told) in _asked(asked):
            count = told.selection.count if told.selection.exact else None
            if left is not None and count is None:
                todo.append(left)
                continue
            rows += count or 0
            bytes_read += told.bytes_read
            if progress is not None:
                progress(task)
    for _, found in (engine or default_engine(plan.table)).map(_count, todo, progress=progress):
        rows += found.count
        files_read += found.files_read
        bytes_read += found.bytes_read
    return Count(rows, plan.total.files, files_read, bytes_read)


_REMOTE_WORKERS = 16


def default_engine(table: Table) -> Engine:
    """This machine; of a table that is far away more threads, for they wait most of the time."""
    return local_engine() if _is_local(table) else local_engine(_REMOTE_WORKERS)


def _is_local(table: Table) -> bool:
    return urlparse(table.location).scheme in ("", "file")


def _asked(tasks: Iterable[Task]) -> Iterator[tuple[Task, tuple[Task | None, Selected]]]:
    """Tasks, what indexes leave of them, and what these tell, one by one.

    To ask an index of a local file is little work, all in Python: threads that take turns at it
    wait for each other for longer than that.
    """
    return local_engine(1).map(_pruned, tasks)


def _left_by_indexes(
    tasks: Sequence[Task], progress: Progress | None, effort: Effort
) -> Iterator[tuple[Task, ...]]:
    """The tasks of which indexes leave something, as `_together`."""
    left = len(tasks)
    for some in _growing(tasks, 32):  # several at once, while nobody else runs
        found: list[Task] = []
        for task, (rest, told) in list(_asked(some)):
            effort.bytes_read += told.bytes_read
            if rest is not None:
                found.append(rest)
            elif progress is not None:
                progress(task)
        left -= len(some)
        yield from _together(found, left)


def _together(tasks: Sequence[Task], others: int) -> Iterator[tuple[Task, ...]]:
    """The tasks in their order: small files several at once, and open. The fewer others there are
    that follow, the fewer are taken together: no thread has much left to do when others are done.
    """
    opened = [task.opened_ahead() if isinstance(task, FileTask) else task for task in tasks]
    while opened:
        left = len(opened) + others
        most = max(1, min(-(-len(opened) // 2), left // _AT_ONCE, _AT_ONCE))
        small = [isinstance(task, FileTask) and task.is_small for task in opened[:most]]
        count = most if all(small) else max(1, small.index(False))
        yield tuple(opened[:count])
        del opened[:count]


_AT_ONCE = 4


def _of_each(progress: Progress | None) -> Callable[[Sequence[Task]], None] | None:
    """The progress of groups of tasks."""
    if progress is None:
        return None

    def told(tasks: Sequence[Task]) -> None:
        for task in tasks:
            progress(task)

    return told


def engine_of(spark: Any) -> Engine | None:
    """The engine of a SparkSession, None without one."""
    return None if spark is None else spark_engine(spark)


def _pruned(task: Task) -> tuple[Task | None, Selected]:
    return task.pruned()


def _count(task: Task) -> Counted:
    return task.count()


def _growing(tasks: Sequence[T], most: int = 64) -> Iterator[Sequence[T]]:
    """The tasks in groups of 1, 2, 4 and so on: what comes later is often not needed."""
    at, size = 0, 1
    while at < len(tasks):
        yield tasks[at : at + size]
        at, size = at + size, min(2 * size, most)


# Order ------------------------------------------------------------------------------------------


def _first_rows(
    plan: Plan,
    top: TopN,
    engine: Engine,
    asking: Engine,
    progress: Progress | None,
    effort: Effort,
) -> pa.Table:
    """The first rows in the order, of all tasks; indexes are asked by the engine `asking`.

    Which they are is found with the columns that order alone, so that the others are read of no
    more files than have such rows.
    """
    from paimon_ksy.table.top import Best

    names = tuple(dict.fromkeys((*plan.columns, *top.columns)))
    schema = arrow_schema(plan.schema.columns, names)
    best = Best(top, schema)
    files = [task for task in plan.tasks if isinstance(task, FileTask)]
    others = [task for task in plan.tasks if not isinstance(task, FileTask)]
    for batch in engine.batches(TaskRows, others, schema, progress=progress, told=effort.add):
        best.add(batch)
    if len(files) > 1:
        files = _winners(files, top, engine, asking, progress, effort)
        progress = None
    told = effort.add
    if asking is engine:
        found = engine.batches(TaskRows, files, schema, progress=progress, told=told)
    else:
        groups, of_each = _together(files, 0), _of_each(progress)
        found = engine.batches(TasksRows, groups, schema, progress=of_each, told=told)
    for batch in found:
        best.add(batch)
    return best.rows()


def _winners(
    tasks: list[FileTask],
    top: TopN,
    engine: Engine,
    asking: Engine,
    progress: Progress | None,
    effort: Effort,
) -> list[FileTask]:
    """The files that have the first rows of all, to read these; those whose bounds promise most are
    asked first, and those that cannot have any are not asked."""
    import pyarrow as pa

    from paimon_ksy.table.top import Best

    first = tasks[0]
    columns = arrow_schema(first.schema.columns, top.columns)
    schema = columns.append(pa.field(ROW, pa.int64())).append(pa.field(_TASK, pa.int64()))
    best = Best(top, schema)
    numbers = {id(task): number for number, task in enumerate(tasks)}
    bounds = {id(task): _bounds_of_order(task, top) for task in tasks}
    untold = [task for task in tasks if _promise(bounds[id(task)], top)[0]]
    told_by: dict[int, Bounds] = {}
    if top.k <= _FEW:  # for more it is not worth while to open each index twice
        for task, (told, taken) in asking.map(_bounds_told, untold):
            effort.add(taken)
            if told is not None:
                told_by[id(task)] = told
        bounds |= told_by
    promises = {id(task): _promise(bounds[id(task)], top) for task in tasks}
    known = [task for task in tasks if not promises[id(task)][0]]
    unknown = [task for task in tasks if promises[id(task)][0]]
    known.sort(key=lambda task: promises[id(task)])
    # One by one none is asked in vain, where that takes no longer than several at once.
    one_by_one = asking is not engine and all(id(task) in told_by for task in known)
    groups = [*_growing(known, 1 if one_by_one else 64), unknown]
    for group in groups:
        last = best.last
        todo = [
            task
            for task in group
            if last is None or _can_beat(bounds[id(task)], task.schema, top, last)
        ]
        by_index = all(id(task) in told_by for task in todo)
        by = asking if by_index else engine
        for task, (found, taken) in by.map(_ranked, todo, progress=progress):
            effort.add(taken)
            number = pa.array(np.full(found.num_rows, numbers[id(task)]), pa.int64())
            for batch in found.append_column(_TASK, number).cast(schema).to_batches():
                best.add(batch)
    rows = best.rows()
    at, of = rows[ROW].to_numpy(), rows[_TASK].to_numpy()
    return [tasks[number].at_rows(at[of == number]) for number in np.unique(of).tolist()]


_TASK = "_paimon_ksy_task"
_FEW = 1000


def _bounds_told(task: FileTask) -> tuple[Bounds | None, Effort]:
    effort = Effort()
    return task.bounds(effort), effort


def _ranked(task: FileTask) -> tuple[pa.Table, Effort]:
    effort = Effort()
    return task.ranked(effort), effort


def _bounds_of_order(task: FileTask, top: TopN) -> Bounds | None:
    """The bounds of the column that orders first; None if they are not known."""
    name = same_column(task.schema, task.file_schema, top.column)
    return None if name is None else bounds_of(task.file, task.file_schema)(name)


class _Descending:
    """A value that sorts the other way round."""

    def __init__(self, value: Any) -> None:
        self.value = value

    def __lt__(self, other: _Descending) -> bool:
        return bool(other.value < self.value)


def _promise(bounds: Bounds | None, top: TopN) -> tuple[Any, ...]:
    """Sorts files by the best row that they can have, those of which nothing is known last."""
    if bounds is None or bounds.min is None or bounds.max is None:
        return (1,)
    nulls = 0 if top.has_nulls_first and bounds.null_count else 1
    return 0, nulls, _Descending(bounds.max) if top.descending else bounds.min


def _can_beat(bounds: Bounds | None, schema: TableSchema, top: TopN, last: pa.Scalar) -> bool:
    """Whether a row of a file with these bounds can come before one with the value, of rows with
    the same value by what orders these."""
    from paimon_ksy.table.top import plain_value

    value = plain_value(last)
    if value is None and top.has_nulls_first:
        return bool(top.then) and (bounds is None or bounds.null_count != 0)
    if bounds is None:
        return True
    if value is None:
        return bool(top.then) or bounds.null_count is None or bounds.null_count != bounds.num_rows
    if top.has_nulls_first and bounds.null_count != 0:
        return True
    data_type = schema.columns[top.column]
    if data_type.root == "CHAR":
        value = value.rstrip(" ")
    op = (">" if top.descending else "<") + ("=" if top.then else "")
    better = Comparison(op, top.column, value, data_type)
    return may_match(better, lambda _: bounds)


# Arguments --------------------------------------------------------------------------------------


def _travel(snapshot_id: int | None, tag: str | None) -> dict[str, str] | None:
    """pypaimon's options that lead to a snapshot or tag; None for the present."""
    if snapshot_id is not None and tag is not None:
        raise PredicateError("a snapshot and a tag are two answers to one question: give one")
    if snapshot_id is not None:
        return {"scan.snapshot-id": str(snapshot_id)}
    return None if tag is None else {"scan.tag-name": tag}


def _names(schema: TableSchema, columns: Sequence[str] | None) -> tuple[str, ...]:
    """The columns' right names. Raises SchemaError."""
    if columns is None:
        return schema.columns.names
    if isinstance(columns, str):
        raise SchemaError(f"columns are a list of names, as [{columns!r}]")
    names = tuple(schema.columns.column(name, ignore_case=True).name for name in columns)
    for name in names:
        if name not in schema.columns.names:
            raise SchemaError(f"{name!r} is a key of a column: return the column")
    if len(set(names)) < len(names):
        raise SchemaError(f"a column is named twice: {', '.join(names)}")
    return names


def _orders(order_by: str | TopN, schema: TableSchema) -> tuple[Order, ...]:
    """Raises PredicateError."""
    from paimon_ksy.table.top import check_order

    orders = []
    for order in parse_order(order_by) if isinstance(order_by, str) else order_by.orders:
        try:
            field = schema.columns.column(order.column, ignore_case=True)
        except SchemaError as error:
            raise PredicateError(str(error)) from None
        if field.name not in schema.columns.names:
            raise PredicateError(f"{field.name!r} is a key of a column: order by a column")
        check_order(field.name, field.type)
        orders.append(replace(order, column=field.name))
    return tuple(orders)
