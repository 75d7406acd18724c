"""Query a table: return its matching rows, or count them.

A plan (see `plan`) produces tasks, which an engine runs (see `run`): indexes select rows of their
files, and the engine reads these.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from itertools import chain
from threading import Lock
from time import perf_counter
from typing import Any, Unpack

import pyarrow.compute as pc

from paimon_ksy.data_files.data_file import ReadStats
from paimon_ksy.errors import PaimonKsyError
from paimon_ksy.messages.answers import HIDDEN, Answer, in_answer, keyed
from paimon_ksy.predicates.tree import Predicate
from paimon_ksy.table.engine import Engine
from paimon_ksy.table.query.candidates import best_rows
from paimon_ksy.table.query.hidden import hidden_from
from paimon_ksy.table.query.plan import Plan, plan_query
from paimon_ksy.table.query.query import BoundQuery, Query, QueryArguments, VersionArguments
from paimon_ksy.table.query.run import Progress, Runner, engine_of, growing
from paimon_ksy.table.query.sort import in_order
from paimon_ksy.table.query.tasks import Task, limited
from paimon_ksy.table.store import TableOrPath
from paimon_ksy.types import typed_arrow as pa


def query(
    table: TableOrPath,
    where: str | Predicate | pc.Expression | None = None,
    columns: Sequence[str] | None = None,
    *,
    engine: Engine | None = None,
    spark: Any = None,
    progress: Progress | None = None,
    stats: QueryStats | None = None,
    **asked: Unpack[QueryArguments],
) -> pa.Table:
    """Return an Arrow table of the rows that match a predicate, exactly like in SQL.

    Args:
        table: A table, or its folder.
        where: SQL text, a predicate tree or a pyarrow.compute expression; None for all rows.
        columns: The columns to return, in which `*` stands for all; None for all.
        engine: The engine that reads files; the default is this machine.
        spark: A SparkSession to read files, instead of `engine`.
        progress: Called after each task.
        stats: Counts the cost of the query.
        asked: The order `order_by`, such as `amount DESC NULLS LAST`, and the `limit` of rows. At
            most one of `snapshot_id`, `tag`, `as_of` and `between` chooses the state to read.

    Raises:
        PredicateError, SchemaError, PaimonKsyError: An argument does not fit, or a file cannot be
            read.
    """
    engine = engine or engine_of(spark)
    planned = plan_query(table, Query(where, columns, **asked), engine=engine)
    rows = batches(planned, engine, progress, stats)
    return pa.Table.from_batches(rows, planned.query.arrow_schema)


_COUNTING = Lock()
"""A lock for all `QueryStats`: callers compare and copy these, so they contain no lock."""


@dataclass
class QueryStats(Answer):
    """The cost of a query, counted as rows are read.

    `rows` is the number of rows returned. `effort` counts reads of indexes, deletion vectors and
    data files, but not of manifests. `seconds` is the time for planning, and from the request of
    the first row to the last. `notes` contains what the options of the table hide from queries.
    Several queries may count into one object, each in its thread.
    """

    files_total: int = 0
    rows: int = field(default=0, metadata=keyed(title=True))
    seconds: float = 0.0
    notes: tuple[str, ...] = ()
    effort: ReadStats = field(default_factory=ReadStats, repr=False, metadata=HIDDEN)

    def count(self, batch: pa.RecordBatch) -> None:
        """Count the rows of a batch that is returned."""
        with _COUNTING:
            self.rows += batch.num_rows

    @property
    @in_answer()
    def files_read(self) -> int:
        """The number of data files from which rows were read."""
        return len(self.effort.files)

    @property
    @in_answer()
    def bytes_read(self) -> int:
        """The bytes read from indexes, deletion vectors and data files."""
        return self.effort.bytes_read


def batches(
    plan: Plan,
    engine: Engine | None = None,
    progress: Progress | None = None,
    stats: QueryStats | None = None,
) -> Generator[pa.RecordBatch]:
    """Yield the rows of a plan as record batches, without keeping any in memory.

    Args:
        plan: The plan.
        engine: The engine that reads files; None for this process.
        progress: Called after each task.
        stats: Counts the cost, including tasks that run when it is closed.
    """
    stats = QueryStats() if stats is None else stats
    run = Runner.of(plan.state.table, engine, stats.effort, progress)
    started = perf_counter() - plan.seconds
    try:
        with plan.state.reading(), closing(_batches(plan, run)) as rows:
            for batch in rows:
                stats.count(batch)
                yield batch
    finally:
        with _COUNTING:
            stats.files_total, stats.notes = plan.files_total, hidden_from(plan)
            stats.seconds += perf_counter() - started


def _batches(plan: Plan, run: Runner) -> Generator[pa.RecordBatch]:
    query = plan.query
    if query.limit == 0:
        return
    if query.top is not None:
        yield from best_rows(plan, run).select(query.columns).to_batches()
    elif query.orders:
        schema = query.read_schema
        yield from _in_order(run.rows(plan, schema), query, schema)
    elif query.limit is None:
        yield from run.rows(plan, query.arrow_schema)
    else:
        groups = (run.rows(tasks, query.arrow_schema) for tasks in growing(plan))
        yield from limited(chain.from_iterable(groups), query.limit)


MOST_SORTED = 1 << 30
"""Maximum bytes of rows to sort without a limit; at the end, memory holds them twice."""

_SORTED_BATCH = 1 << 16


def _in_order(
    batches: Iterable[pa.RecordBatch], query: BoundQuery, schema: pa.Schema
) -> Iterator[pa.RecordBatch]:
    """Return all rows in the order of the query; raise PaimonKsyError if there are too many."""
    kept, size = [], 0
    for batch in batches:
        kept.append(batch)
        size += batch.nbytes
        if size > MOST_SORTED:
            raise PaimonKsyError(
                f"sorting these rows takes more than {MOST_SORTED:,} bytes: add a limit, a "
                "narrower predicate or fewer columns, or sort in Spark"
            )
    rows = pa.Table.from_batches(kept, schema)
    order = in_order(rows, query.orders, query.schema.columns)
    rows = rows.select(query.columns)
    for first in range(0, len(order), _SORTED_BATCH):
        part = rows.take(order[first : first + _SORTED_BATCH]).combine_chunks()
        yield from part.to_batches()


def count(
    table: TableOrPath,
    where: str | Predicate | pc.Expression | None = None,
    *,
    engine: Engine | None = None,
    spark: Any = None,
    progress: Progress | None = None,
    **version: Unpack[VersionArguments],
) -> Count:
    """Return the number of rows that match, from indexes where they are exact, else from the data.

    Raises:
        PredicateError, PaimonKsyError: The predicate does not fit, or a file cannot be read.
    """
    engine = engine or engine_of(spark)
    planned = plan_query(table, Query(where, (), **version), engine=engine)
    return counted(planned, engine, progress)


@dataclass(frozen=True)
class Count(Answer):
    """The number of rows that match, and the cost in indexes, vectors and data files.

    `notes` contains what the options of the table hide from queries.
    """

    count: int = field(metadata=keyed("rows"))
    files_total: int
    files_read: int
    bytes_read: int
    notes: tuple[str, ...] = ()

    @property
    @in_answer("from")
    def origin(self) -> str:
        """`index` if no data file was read, else `data`."""
        return "data" if self.files_read else "index"


def counted(plan: Plan, engine: Engine | None = None, progress: Progress | None = None) -> Count:
    """Return the number of rows in a plan that match."""
    run = Runner.of(plan.state.table, engine, ReadStats(), progress)
    rows = 0

    def tasks() -> Iterator[Task]:
        """Yield the tasks of groups whose count is unknown, and add up the others."""
        nonlocal rows
        for group in plan.groups:
            if group.known_count is None:
                yield from group.tasks
            else:
                rows += group.known_count

    def unknown(tasks: Iterable[Task]) -> Iterator[Task]:
        """Yield the tasks whose count is unknown, and add up the others."""
        nonlocal rows
        for task in tasks:
            if (known := task.known_count) is None:
                yield task
            else:
                rows += known
                run.done(task)

    left = unknown(run.left_by_indexes(unknown(tasks())))
    with plan.state.reading():
        for task, count in run.map("count", left, run.engine):
            rows += count
            run.done(task)
    cost = len(run.stats.files), run.stats.bytes_read
    return Count(rows, plan.files_total, *cost, hidden_from(plan))
