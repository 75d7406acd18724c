"""Explain a query: what each step skips and by which index."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Any, TypeAlias

import numpy as np
import pyarrow.compute as pc

from paimon_ksy.data_files.data_file import ReadStats
from paimon_ksy.data_files.open import unreadable
from paimon_ksy.data_files.parquet import parquet_metadata
from paimon_ksy.errors import counted
from paimon_ksy.evaluation.selection import Selection, narrow
from paimon_ksy.evaluation.top_n import TopN
from paimon_ksy.pages.text import text_of_lines
from paimon_ksy.predicates.tree import Predicate, Unsure, is_unsure, leaves
from paimon_ksy.table.engine import Engine, titled
from paimon_ksy.table.manifests.global_indexes import OF_PRIMARY_KEYS
from paimon_ksy.table.model.evolve import file_columns
from paimon_ksy.table.query.file_task import FileTask, Indexes
from paimon_ksy.table.query.merge_task import MergeTask
from paimon_ksy.table.query.plan import Plan, plan_query
from paimon_ksy.table.query.query import Query
from paimon_ksy.table.query.run import Progress, default_engine, engine_of
from paimon_ksy.table.query.steps import Cause, Size, Step, some_of, step_lines, step_of
from paimon_ksy.table.query.tasks import Task
from paimon_ksy.table.store import TableOrPath
from paimon_ksy.table.store.options import is_on


class Explanation(list[Step]):
    """The steps of a query, in order. `print` and notebooks show what they keep and skip."""

    def __repr__(self) -> str:
        first, last = self[0], self[-1]
        files = first.files_kept + first.files_skipped
        rows = first.rows_kept + (first.rows_skipped or 0)
        kept = f"{last.files_kept:,} of {counted(files, 'file')}"
        return f"<Explanation: {kept} and {last.rows_kept:,} of {counted(rows, 'row')} are read>"

    def __str__(self) -> str:
        """Return the table that `paimon-ksy table explain` prints."""
        return text_of_lines(step_lines(self))

    def _repr_html_(self) -> str:
        from paimon_ksy.messages.sections import list_section
        from paimon_ksy.pages.render import fragment

        return fragment(list_section("", self))


def explain(
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
    progress: Progress | None = None,
) -> Explanation:
    """Return what each step of a query skips: `partitions`, `statistics`, `index` and `rows`.

    A table with a fixed number of buckets has the step `buckets` before `statistics`. `explain`
    reads indexes, deletion vectors and the footers of data files, but no rows. The arguments are
    those of `query`.

    Raises:
        PredicateError: The predicate does not fit the schema.
        SchemaError: A column does not exist.
        PaimonKsyError: A file cannot be read.
    """
    asked = Query(where, columns, order_by, limit, snapshot_id, tag, as_of, between)
    engine = engine or engine_of(spark)
    planned = plan_query(table, asked, all_manifests=True, engine=engine)
    return explained(planned, engine, progress)


def explained(
    plan: Plan, engine: Engine | None = None, progress: Progress | None = None
) -> Explanation:
    """Return the steps of a query that was planned with `all_manifests`."""
    answer = partial(_outcome, tuple(plan.conditions))
    engine = titled(engine or default_engine(plan.table), "explain", plan.table.location)
    outcomes = []
    for task, outcome in engine.map(answer, plan):
        outcomes.append(outcome)
        if progress is not None:
            progress(task)
    return Explanation([*plan.steps, _index(plan, outcomes), _rows(plan, outcomes)])


# Reading files ----------------------------------------------------------------------------------


@dataclass(frozen=True)
class RowGroups:
    """Row groups of a Parquet file: which to read, their bytes, and the bytes of the footer."""

    kept: int
    total: int
    bytes_kept: int
    bytes_read: int


_Effect: TypeAlias = tuple[str | None, str | None, int, int]


@dataclass(frozen=True)
class _Outcome:
    """The outcome of a task, in few bytes.

    `kept` contains the number of rows, whether they match exactly, and whether they are the first
    of an order; None if the task is skipped. `by` contains the condition and the index of each
    `Cause`, with the rows of the file, and those that it keeps.
    """

    files: int
    num_rows: int
    size: int
    kept: int | None
    exact: bool
    limited: bool
    bytes_read: int
    by: tuple[_Effect, ...] = ()
    merge: str | None = None
    groups: RowGroups | None = None


def _outcome(conditions: Sequence[Predicate], task: Task) -> _Outcome:
    """Return the outcome of a task, and the effect of each condition of its predicate."""
    stats = ReadStats()
    left = task.pruned(stats)
    single = left if isinstance(left, FileTask) else None
    selection = None if single is None else single.selection
    singles = task.singles if isinstance(task, MergeTask) else (task,)
    by: list[_Effect] = []
    for each in singles:
        assert isinstance(each, FileTask)
        with Indexes(each) as indexes:
            by += (_alone(indexes, condition) for condition in conditions)
            if (vector := indexes.vector()) is not None:
                left_over = each.num_rows - vector.cardinality
                by.append((None, "deletion vector", each.num_rows, left_over))
    kept = None if left is None else left.num_rows if selection is None else selection.count
    return _Outcome(
        len(task.files),
        task.num_rows,
        task.size,
        kept,
        selection is not None and selection.exact,
        selection is not None and selection.limited,
        stats.bytes_read,
        tuple(by),
        task.reason if isinstance(task, MergeTask) else None,
        None if single is None or selection is None else _row_groups(single, selection),
    )


def _row_groups(task: FileTask, selection: Selection) -> RowGroups | None:
    """Return the row groups to read in a file; None for formats other than Parquet."""
    if any(part.file.format != "parquet" for part in task.data.parts):
        return None
    kept = total = size = bytes_read = 0
    names = task.needed_columns(task.read_columns, selection)
    rows = None if selection.matching is None else np.asarray(selection.matching.to_array())
    for part, some, offset in task.data.reads(task.schema, names):
        needed = {field.name for field in file_columns(task.schema, part.schema, some)}
        with task.storage.open(part.file.path) as source:
            try:
                metadata = parquet_metadata(source.file, source.size, source.read)
            except Exception as error:  # Arrow raises many types of errors
                raise unreadable("parquet", part.file.path, error) from error
            bytes_read += source.bytes_read
        groups = [metadata.row_group(at) for at in range(metadata.num_row_groups)]
        starts = offset + np.cumsum([0, *(group.num_rows for group in groups)])
        hits = np.ones(len(groups), np.bool_)
        if rows is not None:
            hits = np.diff(np.searchsorted(rows, starts)) > 0
        kept, total = kept + int(hits.sum()), total + len(groups)
        for group in (group for group, hit in zip(groups, hits, strict=True) if hit):
            for chunk in map(group.column, range(group.num_columns)):
                path = chunk.path_in_schema
                if path.partition(".")[0] in needed or path in needed:
                    size += chunk.total_compressed_size
    return RowGroups(kept, total, size, bytes_read)


def _alone(indexes: Indexes, asked: Predicate) -> _Effect:
    """Return a condition, the index types of its columns, and the rows before and after it."""
    task, text, num_rows = indexes.task, repr(asked), indexes.task.num_rows
    types: set[str] = set()
    selection = Selection("all", False, None, num_rows)
    for part in task.data.parts:
        condition = task.data.of_part(asked, task.schema, part)
        index = indexes.of_file(part)
        places = {} if index is None else index.places
        tested = (leaf.column for leaf in leaves(condition) if not isinstance(leaf, Unsure))
        names = (name for name in tested if isinstance(name, str))
        if kinds := {kind for name in names for kind in places.get(name, ())}:
            types |= kinds
            selection = narrow(selection, indexes.of_predicate(part, condition))
    left = num_rows if selection.count is None else selection.count
    return text, ", ".join(sorted(types)) or None, num_rows, left


def _index(plan: Plan, outcomes: Sequence[_Outcome]) -> Step:
    kept = [outcome for outcome in outcomes if outcome.kept is not None]
    sizes = (Size(outcome.files, outcome.num_rows, outcome.size) for outcome in kept)
    after = sum(sizes, Size())
    causes: dict[tuple[str | None, str | None], list[int]] = {}
    for outcome in outcomes:
        for text, index, rows, left in outcome.by:
            sums = causes.setdefault((text, index), [0, 0, 0])
            sums[0] += 1
            sums[1] += not left
            sums[2] += rows - left
    by = [Cause(*key, *sums) for key, sums in causes.items()]
    by.sort(key=lambda cause: cause.condition is None)
    if is_on(plan.query.schema.options, "file-index.read.enabled", default=True):
        no_index = "no index for it in"
    else:
        no_index = "option file-index.read.enabled = false turns indexes off in"
    computed = {repr(each) for each in plan.conditions if all(map(is_unsure, leaves(each)))}
    notes = [
        f"{cause.condition}: evaluated on the rows"
        if cause.condition in computed
        else f"{cause.condition}: {no_index} {some_of(cause.files, plan.sizes.left.files)}"
        for cause in by
        if cause.index is None
    ]
    notes += [
        f"{cause.condition}: the index {cause.index} skips no row of "
        f"{some_of(cause.files, plan.sizes.left.files)}"
        for cause in by
        if cause.condition and cause.index and not cause.rows_skipped
    ]
    merges = Counter[str]()
    for outcome in kept:
        if outcome.merge is not None:
            merges[outcome.merge] += outcome.files
    notes += [
        f"pypaimon merges {some_of(files, plan.sizes.left.files)} whole: {reason}"
        for reason, files in merges.items()
    ]
    notes += _unused(plan)
    read = sum(outcome.bytes_read for outcome in outcomes)
    return step_of("index", plan.sizes.left, after, notes, bytes_read=read, by=tuple(by))


def _unused(plan: Plan) -> Iterator[str]:
    """Yield a note about each global index of a table with primary keys."""
    schema, snapshot = plan.state.schema, plan.state.snapshot
    if schema.primary_keys and snapshot is not None:
        for each in plan.table.index_manifests.global_indexes(snapshot):
            names = ", ".join(schema.named(each.field_ids))
            yield f"{names}: the {each.index_type} index is not used: {OF_PRIMARY_KEYS}"


def _rows(plan: Plan, outcomes: Sequence[_Outcome]) -> Step:
    kept = [outcome for outcome in outcomes if outcome.kept is not None]
    read = [outcome for outcome in kept if outcome.merge is None]
    whole = [outcome for outcome in kept if outcome.groups is None]
    counts = [outcome.groups for outcome in read if outcome.groups is not None]
    rows = sum(outcome.kept or 0 for outcome in kept)
    size = sum(groups.bytes_kept for groups in counts) + sum(outcome.size for outcome in whole)
    notes = []
    full = sum(groups.kept == groups.total for groups in counts)
    if full and rows < sum(outcome.num_rows for outcome in kept):
        notes.append(f"every row group of {some_of(full, len(counts))} contains a row to read")
    unsure = sum(not outcome.exact for outcome in read)
    if unsure:
        notes.append(
            f"the indexes select a superset of the matching rows in {some_of(unsure, len(read))}: "
            "the predicate is tested on the rows read"
        )
    limited = sum(outcome.limited for outcome in read)
    if (top := plan.query.top) is not None:
        notes.append(
            f"the index of {top.column} determines the first rows of {some_of(limited, len(read))}"
            if limited
            else f"no index determines the first rows by {top.column}: the column is read"
        )
    elif plan.query.limit is not None:
        notes.append(f"reading stops after {plan.query.limit:,} rows, so these are upper bounds")
    return Step(
        "rows",
        sum(outcome.files for outcome in kept),
        0,
        None if whole else sum(groups.kept for groups in counts),
        None if whole else sum(groups.total - groups.kept for groups in counts),
        rows,
        sum(outcome.num_rows for outcome in kept) - rows,
        size,
        sum(outcome.size for outcome in kept) - size,
        sum(groups.bytes_read for groups in counts),
        (),
        tuple(notes),
    )
