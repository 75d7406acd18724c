"""Asking a table: its rows, how many they are.

What is left of a plan (see `plan`) are tasks, which an engine does: their indexes are asked, and of
files that these leave, rows are read.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from time import perf_counter
from typing import TYPE_CHECKING, Any

from paimon_ksy.errors import PaimonKsyError
from paimon_ksy.evaluation.top_n import TopN
from paimon_ksy.table.engine import Engine, local_engine, spark_engine
from paimon_ksy.table.formats.open_file import Effort
from paimon_ksy.table.model.columns import arrow_schema
from paimon_ksy.table.query.candidates import best_rows
from paimon_ksy.table.query.groups import Progress, growing, of_groups, together
from paimon_ksy.table.query.plan import Plan, plan
from paimon_ksy.table.query.tasks import Counted, Selected, Task, TaskRows, TasksRows
from paimon_ksy.table.store import Table, TableOrPath

if TYPE_CHECKING:
    import pyarrow as pa


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
    """Return the rows that match, exactly those that SQL defines, in the table's columns.

    The arguments are those of `plan`. `engine`, the SparkSession `spark`, or by default this
    machine reads the files. `stats` receives what the query took.

    Raises:
        PredicateError, SchemaError, PaimonKsyError: An argument does not fit, or a file cannot be
            read.
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
    asks_first = engine is None and plan.table.storage.is_local
    engine = engine or default_engine(plan.table)
    if plan.limit == 0:
        return
    if plan.top is not None:
        asking = local_engine(1) if asks_first else engine
        found = best_rows(plan, plan.top, engine, asking, progress, effort)
        yield from found.select(plan.columns).to_batches()
        return
    schema, told = plan.arrow_schema, effort.add
    if plan.limit is None:
        if plan.orders:
            names = dict.fromkeys((*plan.columns, *(order.column for order in plan.orders)))
            schema = arrow_schema(plan.schema.columns, tuple(names))
        if asks_first:
            groups, of_each = _left_by_indexes(plan.tasks, progress, effort), of_groups(progress)
            every = engine.batches(TasksRows, groups, schema, progress=of_each, told=told)
        else:
            every = engine.batches(TaskRows, plan.tasks, schema, progress=progress, told=told)
        yield from _in_order(every, plan, schema) if plan.orders else every
        return
    left = plan.limit
    for tasks in growing(plan.tasks):
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

    from paimon_ksy.table.query.sort import in_order

    kept, size = [], 0
    for batch in found:
        kept.append(batch)
        size += batch.nbytes
        if size > MOST_SORTED:
            raise PaimonKsyError(
                f"sorting these rows takes more than {MOST_SORTED:,} bytes: give a limit, a "
                "narrower predicate or fewer columns, or sort in Spark"
            )
    rows = pa.Table.from_batches(kept, schema)
    order = in_order(rows, plan.orders, plan.schema.columns)
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
    """Return the number of matching rows, from indexes where they are exact, else from the data.

    Raises:
        PredicateError, PaimonKsyError: The predicate does not fit, or a file cannot be read.
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
    if engine is None and plan.table.storage.is_local:
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
    return local_engine() if table.storage.is_local else local_engine(_REMOTE_WORKERS)


def _asked(tasks: Iterable[Task]) -> Iterator[tuple[Task, tuple[Task | None, Selected]]]:
    """Tasks, what indexes leave of them, and what these tell, one by one.

    To ask an index of a local file is little work, all in Python: threads that take turns at it
    wait for each other for longer than that.
    """
    return local_engine(1).map(_pruned, tasks)


def _left_by_indexes(
    tasks: Sequence[Task], progress: Progress | None, effort: Effort
) -> Iterator[tuple[Task, ...]]:
    """The tasks of which indexes leave something, as `together`."""
    left = len(tasks)
    for some in growing(tasks, 32):  # several at once, while nobody else runs
        found: list[Task] = []
        for task, (rest, told) in list(_asked(some)):
            effort.bytes_read += told.bytes_read
            if rest is not None:
                found.append(rest)
            elif progress is not None:
                progress(task)
        left -= len(some)
        yield from together(found, left)


def engine_of(spark: Any) -> Engine | None:
    """The engine of a SparkSession, None without one."""
    return None if spark is None else spark_engine(spark)


def _pruned(task: Task) -> tuple[Task | None, Selected]:
    return task.pruned()


def _count(task: Task) -> Counted:
    return task.count()
