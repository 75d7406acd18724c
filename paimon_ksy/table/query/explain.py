"""Explain a query: what each step skips and by which index."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import astuple, dataclass, replace
from functools import partial
from itertools import compress
from operator import add
from typing import Any, TypeAlias, Unpack

import numpy as np
import pyarrow.compute as pc

from paimon_ksy.data_files.data_file import ReadStats
from paimon_ksy.data_files.open import unreadable
from paimon_ksy.data_files.parquet import parquet_metadata
from paimon_ksy.errors import counted
from paimon_ksy.evaluation.selection import Selection, narrow
from paimon_ksy.pages.text import text_of_lines
from paimon_ksy.predicates.tree import Predicate, Unsure, is_unsure, leaves
from paimon_ksy.table.engine import Engine, titled
from paimon_ksy.table.manifests.global_indexes import OF_PRIMARY_KEYS
from paimon_ksy.table.model.evolve import file_columns
from paimon_ksy.table.query.file_task import FileTask, Indexes
from paimon_ksy.table.query.hidden import hidden_from
from paimon_ksy.table.query.merge_task import MergeTask
from paimon_ksy.table.query.plan import Plan, plan_query, query_steps
from paimon_ksy.table.query.query import BoundQuery, Query, QueryArguments
from paimon_ksy.table.query.run import Progress, default_engine, engine_of
from paimon_ksy.table.query.steps import Cause, Size, Sizes, Step, some_of, step_lines, step_of
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
    engine: Engine | None = None,
    spark: Any = None,
    progress: Progress | None = None,
    **asked: Unpack[QueryArguments],
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
    engine, query = engine or engine_of(spark), Query(where, columns, **asked)
    planned = plan_query(table, query, all_manifests=True, engine=engine)
    return explained(planned, engine, progress)


def explained(
    plan: Plan, engine: Engine | None = None, progress: Progress | None = None
) -> Explanation:
    """Return the steps of a query that was planned with `all_manifests`."""
    answer = partial(_outcome, tuple(plan.query.conditions))
    table, outcomes, sizes = plan.state.table, [], list[Sizes]()
    engine = titled(engine or default_engine(table), "explain", table.location)

    def tasks() -> Iterator[Task]:
        for group in plan.groups:
            sizes.append(group.sizes)
            yield from group.tasks

    for task, outcome in engine.map(answer, tasks()):
        outcomes.append(outcome)
        if progress is not None:
            progress(task)
    total = sum(sizes, Sizes())
    first, *before = query_steps(plan.query, total)
    first = replace(first, notes=(*hidden_from(plan), *first.notes))
    return Explanation(
        [first, *before, _index(plan, total.left, outcomes), _rows(plan.query, outcomes)]
    )


# Reading files ----------------------------------------------------------------------------------


@dataclass(frozen=True)
class RowGroups:
    """Row groups of a Parquet file: which to read, their bytes, and the bytes of the footer."""

    kept: int = 0
    total: int = 0
    bytes_kept: int = 0
    bytes_read: int = 0

    def __add__(self, other: RowGroups) -> RowGroups:
        return RowGroups(*map(add, astuple(self), astuple(other)))


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
    exact: bool = False
    limited: bool = False
    bytes_read: int = 0
    by: tuple[_Effect, ...] = ()
    merge: str | None = None
    groups: RowGroups | None = None


def _outcome(conditions: Sequence[Predicate], task: Task) -> _Outcome:
    """Return the outcome of a task, and the effect of each condition of its predicate."""
    stats = ReadStats()
    left = task.pruned(stats)
    outcome = _Outcome(len(task.files), task.num_rows, task.size, None, bytes_read=stats.bytes_read)
    if isinstance(task, MergeTask):
        by = tuple(effect for single in task.singles for effect in _effects(single, conditions))
        kept = None if left is None else left.num_rows
        return replace(outcome, kept=kept, by=by, merge=task.reason)
    assert isinstance(task, FileTask)
    outcome = replace(outcome, by=tuple(_effects(task, conditions)))
    if not isinstance(left, FileTask) or (selection := left.selection) is None:
        return outcome
    return replace(
        outcome,
        kept=selection.count if selection.count is not None else left.num_rows,
        exact=selection.exact,
        limited=selection.limited,
        groups=_row_groups(left, selection),
    )


def _effects(task: FileTask, conditions: Sequence[Predicate]) -> Iterator[_Effect]:
    """Yield the effect of each condition on a file, and that of its deletion vector."""
    with Indexes(task) as indexes:
        yield from (_alone(indexes, condition) for condition in conditions)
        if (vector := indexes.vector()) is not None:
            left = task.num_rows - vector.cardinality
            yield None, "deletion vector", task.num_rows, left


def _row_groups(task: FileTask, selection: Selection) -> RowGroups | None:
    """Return the row groups to read in a file; None for formats other than Parquet."""
    if any(part.file.format != "parquet" for part in task.data.parts):
        return None
    names = task.needed_columns(task.read_columns, selection)
    rows = None if selection.matching is None else np.asarray(selection.matching.to_array())
    found = RowGroups()
    for part, some, offset in task.data.reads(task.schema, names):
        needed = {field.name for field in file_columns(task.schema, part.schema, some)}
        with task.storage.open(part.file.path) as source:
            try:
                metadata = parquet_metadata(source.file, source.size, source.read)
            except Exception as error:  # Arrow raises many types of errors
                raise unreadable("parquet", part.file.path, error) from error
            found += _groups_of(metadata, needed, rows, offset, source.bytes_read)
    return found


def _groups_of(
    metadata: Any, needed: Container[str], rows: Any, offset: int, bytes_read: int
) -> RowGroups:
    """Return the row groups of a file whose first row has the position `offset`."""
    groups = [metadata.row_group(at) for at in range(metadata.num_row_groups)]
    starts = offset + np.cumsum([0, *(group.num_rows for group in groups)])
    hits = np.ones(len(groups), np.bool_)
    if rows is not None:
        hits = np.diff(np.searchsorted(rows, starts)) > 0
    size = sum(
        chunk.total_compressed_size
        for group in compress(groups, hits)
        for chunk in map(group.column, range(group.num_columns))
        if chunk.path_in_schema.partition(".")[0] in needed or chunk.path_in_schema in needed
    )
    return RowGroups(int(hits.sum()), len(groups), size, bytes_read)


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


def _index(plan: Plan, before: Size, outcomes: Sequence[_Outcome]) -> Step:
    kept = [outcome for outcome in outcomes if outcome.kept is not None]
    causes = _causes(outcomes)
    whole = Counter[str]()
    for outcome in kept:
        whole[outcome.merge or ""] += outcome.files
    del whole[""]
    notes = [
        *filter(None, (_note(cause, plan, before.files) for cause in causes)),
        *(f"{some_of(n, before.files)} are read whole: {reason}" for reason, n in whole.items()),
        *_unused(plan),
    ]
    read = sum(outcome.bytes_read for outcome in outcomes)
    return step_of("index", before, _size(kept), notes, bytes_read=read, by=causes)


def _size(outcomes: Iterable[_Outcome]) -> Size:
    return sum((Size(each.files, each.num_rows, each.size) for each in outcomes), Size())


def _causes(outcomes: Iterable[_Outcome]) -> tuple[Cause, ...]:
    """Return the effects of conditions in all files, then that of deletion vectors."""
    causes: dict[tuple[str | None, str | None], tuple[int, int, int]] = {}
    for text, index, rows, left in (effect for outcome in outcomes for effect in outcome.by):
        files, skipped, gone = causes.get((text, index), (0, 0, 0))
        causes[text, index] = files + 1, skipped + (not left), gone + rows - left
    by = (Cause(*key, *sums) for key, sums in causes.items())
    return tuple(sorted(by, key=lambda cause: (cause.condition is None, cause.index is not None)))


def _note(cause: Cause, plan: Plan, total: int) -> str | None:
    """Return why a condition skips no row by an index; None if it does."""
    some = some_of(cause.files, total)
    if cause.index is not None:
        if cause.condition is None or cause.rows_skipped:
            return None
        return f"{cause.condition}: the index {cause.index} skips no row of {some}"
    computed = [each for each in plan.query.conditions if all(map(is_unsure, leaves(each)))]
    if cause.condition in [repr(each) for each in computed]:
        return f"{cause.condition}: evaluated on the rows"
    if is_on(plan.query.schema.options, "file-index.read.enabled", default=True):
        return f"{cause.condition}: no index for it in {some}"
    option = "option file-index.read.enabled = false turns indexes off"
    return f"{cause.condition}: {option} in {some}"


def _unused(plan: Plan) -> Iterator[str]:
    """Yield a note about each global index of a table with primary keys."""
    schema, snapshot = plan.state.schema, plan.state.snapshot
    if schema.primary_keys and snapshot is not None:
        for each in plan.state.table.index_manifests.global_indexes(snapshot):
            names = ", ".join(schema.named(each.field_ids))
            yield f"{names}: the {each.index_type} index is not used: {OF_PRIMARY_KEYS}"


def _rows(query: BoundQuery, outcomes: Sequence[_Outcome]) -> Step:
    kept = [outcome for outcome in outcomes if outcome.kept is not None]
    groups = sum((outcome.groups or RowGroups() for outcome in kept), RowGroups())
    before, rows = _size(kept), sum(outcome.kept or 0 for outcome in kept)
    whole = _size(outcome for outcome in kept if outcome.groups is None)
    size = whole.bytes + groups.bytes_kept
    return Step(
        "rows",
        files_kept=before.files,
        files_skipped=0,
        row_groups_kept=None if whole.files else groups.kept,
        row_groups_skipped=None if whole.files else groups.total - groups.kept,
        rows_kept=rows,
        rows_skipped=before.rows - rows,
        bytes_kept=size,
        bytes_skipped=before.bytes - size,
        bytes_read=groups.bytes_read,
        notes=tuple(_row_notes(query, kept, is_part=rows < before.rows)),
    )


def _row_notes(query: BoundQuery, kept: Sequence[_Outcome], *, is_part: bool) -> Iterator[str]:
    """Yield why more is read than the rows that match; `is_part` is whether rows are skipped."""
    is_full = [each.groups.kept == each.groups.total for each in kept if each.groups is not None]
    if any(is_full) and is_part:
        files = some_of(sum(is_full), len(is_full))
        yield f"every row group of {files} contains a row to read"
    read = [outcome for outcome in kept if outcome.merge is None]
    if unsure := sum(not outcome.exact for outcome in read):
        yield (
            f"the indexes select a superset of the matching rows in {some_of(unsure, len(read))}: "
            "the predicate is tested on the rows read"
        )
    if query.top is not None:
        yield _order_note(query.top.column, sum(outcome.limited for outcome in read), len(read))
    elif query.limit is not None:
        yield f"reading stops after {query.limit:,} rows, so these are upper bounds"


def _order_note(column: str, limited: int, read: int) -> str:
    if not limited:
        return f"no index determines the first rows by {column}: the column is read"
    return f"the index of {column} determines the first rows of {some_of(limited, read)}"
