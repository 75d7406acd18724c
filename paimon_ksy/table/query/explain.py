"""Explain a query: what each step skips, and by which index."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

from paimon_ksy.data_files.open import unreadable
from paimon_ksy.data_files.parquet_footer import parquet_metadata
from paimon_ksy.evaluation.selection import Selection
from paimon_ksy.evaluation.top_n import TopN, live_rows
from paimon_ksy.messages.answers import Answer
from paimon_ksy.predicates.tree import And, Predicate
from paimon_ksy.table.engine import Engine, titled
from paimon_ksy.table.model.columns import columns_of, tested_names
from paimon_ksy.table.model.evolve import file_columns, to_file_schema
from paimon_ksy.table.query.file_rows import needed_columns
from paimon_ksy.table.query.index import Indexes
from paimon_ksy.table.query.merge_task import MergeTask
from paimon_ksy.table.query.plan import Plan, plan_query
from paimon_ksy.table.query.pruning import Size
from paimon_ksy.table.query.query import Query
from paimon_ksy.table.query.run import Progress, default_engine, engine_of
from paimon_ksy.table.query.tasks import FileTask, Task
from paimon_ksy.table.store import TableOrPath
from paimon_ksy.table.store.options import is_on


@dataclass(frozen=True)
class Cause(Answer):
    """The effect of a single condition with its index, in the files that statistics keep.

    `index` contains the index types, such as `bitmap`, separated by commas; None without an index.
    `condition` is None for the rows that a `deletion vector` deletes, and, without an index, for
    all causes together.
    """

    condition: str | None
    index: str | None
    files: int
    files_skipped: int
    rows_skipped: int

    @property
    def name(self) -> str:
        """The condition and its index, `deletion vectors`, or `together`."""
        if self.condition is None:
            return "together" if self.index is None else f"{self.index}s"
        return f"{self.condition} ({'no index' if self.index is None else f'index {self.index}'})"


@dataclass(frozen=True)
class Step(Answer):
    """A step of a query: what it keeps and skips of the data that the previous step kept.

    Row groups are None except in the step `rows`, for Parquet files. Rows and bytes are None in
    `plan` if partitions rule out whole manifests. `bytes` are those of data files; in the step
    `rows`, those of the pages to read. `bytes_read` is the cost of the step itself: bytes of
    indexes, deletion vectors and file footers.
    """

    step: str
    files_kept: int
    files_skipped: int
    row_groups_kept: int | None
    row_groups_skipped: int | None
    rows_kept: int
    rows_skipped: int | None
    bytes_kept: int
    bytes_skipped: int | None
    bytes_read: int = 0
    by: tuple[Cause, ...] = ()
    notes: tuple[str, ...] = ()


class Explanation(list[Step]):
    """The steps of a query, in order. Notebooks show what they keep and skip."""

    def _repr_html_(self) -> str:
        from paimon_ksy.pages.render import fragment

        return fragment("steps", self)


def explain(
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
    asked = Query(where, columns, order_by, limit, snapshot_id, tag)
    engine = engine or engine_of(spark)
    planned = plan_query(table, asked, all_manifests=True, engine=engine)
    return explained(planned, engine, progress)


def explained(
    plan: Plan, engine: Engine | None = None, progress: Progress | None = None
) -> Explanation:
    """Return the steps of a query that was planned with `all_manifests`.

    Raises:
        PaimonKsyError: A file cannot be read.
    """
    parts = _parts(plan)
    statistics = StatisticsNotes(plan)
    todo = (_Asked(task, tuple(_conditions(plan, parts, task))) for task in statistics.of(plan))
    engine = titled(engine or default_engine(plan.table), "explain", plan.table.location)
    looks = []
    for asked, look in engine.map(_look, todo):
        looks.append(look)
        if progress is not None:
            progress(asked.task)
    return Explanation(
        [*steps_of_manifests(plan, statistics), _index(plan, looks), _rows(plan, looks)]
    )


# Reading files ----------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Asked:
    """A task, and the conditions of its predicate, bound to the schemas of its files."""

    task: Task
    conditions: tuple[tuple[FileTask, tuple[tuple[str, Predicate], ...]], ...]


@dataclass(frozen=True)
class RowGroups:
    """Row groups of a Parquet file: which to read, their bytes, and the bytes of the footer."""

    kept: int
    total: int
    bytes_kept: int
    bytes_read: int


_Effect: TypeAlias = tuple[str | None, str | None, int, int]


@dataclass(frozen=True)
class _Look:
    """The result of a task, in few bytes.

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


def _look(asked: _Asked) -> _Look:
    task = asked.task
    _, found = task.pruned()
    files, num_rows, size = len(task.files), task.num_rows, task.size
    by: list[_Effect] = []
    for single, conditions in asked.conditions:
        with Indexes(single) as indexes:
            by += (_alone(indexes, text, condition) for text, condition in conditions)
            by += _together(indexes, single, task, found.selection)
    skipped = found.selection.kind == "skip"
    look = _Look(
        files,
        num_rows,
        size,
        None if skipped else found.selection.count or 0,
        found.selection.exact,
        found.selection.limited,
        found.bytes_read,
        tuple(by),
    )
    if isinstance(task, MergeTask):
        return replace(look, merge=task.reason)
    assert isinstance(task, FileTask)
    if skipped:
        return look
    return replace(look, groups=row_groups(task, found.selection))


def row_groups(task: FileTask, selection: Selection) -> RowGroups | None:
    """Return the row groups to read in a file; None for formats other than Parquet."""
    import numpy as np

    if task.file.format != "parquet":
        return None
    names = needed_columns(task, task.read_columns, selection)
    wanted = {field.name for field in file_columns(task.schema, task.file_schema, names)}
    with task.storage.open(task.file.path) as source:
        try:
            metadata = parquet_metadata(source.stream._io, source.size, source.read)
        except Exception as error:  # Arrow raises many types of errors
            raise unreadable("parquet", task.file.path, error) from error
        bytes_read = source.bytes_read
    groups = [metadata.row_group(at) for at in range(metadata.num_row_groups)]
    counts = [group.num_rows for group in groups]
    rows = selection.rows
    hits = [True] * len(groups)
    if rows is not None:
        starts = np.cumsum([0, *counts])
        found = np.searchsorted(np.asarray(rows.to_array()), starts)
        hits = (np.diff(found) > 0).tolist()
    size = 0
    for group, hit in zip(groups, hits, strict=True):
        for at in range(group.num_columns if hit else 0):
            chunk = group.column(at)
            if chunk.path_in_schema.partition(".")[0] in wanted or chunk.path_in_schema in wanted:
                size += chunk.total_compressed_size
    return RowGroups(sum(hits), len(groups), size, bytes_read)


def _alone(indexes: Indexes, text: str, condition: Predicate) -> _Effect:
    """Return a condition, the index types of its columns, and the rows before and after it."""
    num_rows = indexes.file.num_rows
    types: set[str] = set()
    if indexes.index is not None:
        for name in tested_names(condition):
            types.update(indexes.index.places.get(name, ()))
    if not types:
        return text, None, num_rows, num_rows
    left = indexes.matching(condition)
    return text, ", ".join(sorted(types)), num_rows, left.count or 0


def _together(
    indexes: Indexes, single: FileTask, task: Task, selection: Selection
) -> Iterator[_Effect]:
    """Yield the effect of the file's deletion vector, if any, and that of all causes."""
    num_rows, vector = single.num_rows, indexes.vector()
    if vector is not None:
        yield None, "deletion vector", num_rows, num_rows - vector.cardinality
    if single is task:  # else files are merged, and skipped only together
        selection = live_rows(indexes.matching(single.file_predicate), vector)
    left = num_rows if selection.kind == "all" else selection.count or 0
    yield None, None, num_rows, left


# Conditions -------------------------------------------------------------------------------------


def _parts(plan: Plan) -> list[Predicate]:
    """Return the conditions of the top-level AND, without those that partitions decide."""
    if plan.query.predicate is None:
        return []
    found = plan.query.predicate
    parts = found.children if isinstance(found, And) else (found,)
    keys = set(plan.query.schema.partition_keys)
    return [part for part in parts if not set(_columns(plan, part)) <= keys]


def _columns(plan: Plan, condition: Predicate) -> tuple[str, ...]:
    return columns_of(condition, plan.query.schema.columns)


def _conditions(
    plan: Plan, parts: Sequence[Predicate], task: Task
) -> Iterator[tuple[FileTask, tuple[tuple[str, Predicate], ...]]]:
    files = task.singles if isinstance(task, MergeTask) else (task,)
    for file in files:
        assert isinstance(file, FileTask)
        bound = (to_file_schema(part, plan.query.schema, file.file_schema) for part in parts)
        yield file, tuple(zip(map(repr, parts), bound, strict=True))


# Steps ------------------------------------------------------------------------------------------


def _step(name: str, before: Size | int, after: Size, **more: Any) -> Step:
    """Return a step; `before` is only the number of files if no more is known."""
    if isinstance(before, int):
        files, rows, size = before - after.files, None, None
    else:
        gone = before - after
        files, rows, size = gone.files, gone.rows, gone.bytes
    return Step(name, after.files, files, None, None, after.rows, rows, after.bytes, size, **more)


def _partitions(plan: Plan) -> Step:
    keys = plan.query.schema.partition_keys
    tested = set() if plan.query.predicate is None else set(_columns(plan, plan.query.predicate))
    notes = []
    if not keys:
        notes.append("the table has no partitions")
    elif not tested & set(keys):
        notes.append(f"no predicate tests the partition columns {', '.join(keys)}")
    sizes = plan.sizes
    before = sizes.files_total if sizes.total is None else sizes.total
    return _step("partitions", before, sizes.in_partitions, notes=tuple(notes))


def _buckets(plan: Plan) -> Iterator[Step]:
    if plan.buckets is not None:
        note = plan.buckets.note
        notes = () if note is None else (note,)
        yield _step("buckets", plan.sizes.in_partitions, plan.sizes.in_buckets, notes=notes)


class StatisticsNotes:
    """Counter of files without statistics on columns that a query tests."""

    def __init__(self, plan: Plan) -> None:
        """Initialise without any files."""
        parts = _parts(plan)
        self._tests = bool(parts)
        self._files = 0
        self._without = {name: 0 for part in parts for name in _columns(plan, part)}

    def of(self, tasks: Iterable[Task]) -> Iterator[Task]:
        """Yield the tasks, and count their files."""
        for task in tasks:
            if isinstance(task, FileTask):
                self._files += 1
                for name in self._without:
                    self._without[name] += name not in task.file.statistics.columns
            yield task

    @property
    def notes(self) -> tuple[str, ...]:
        """The notes of the step `statistics`."""
        notes = [
            f"{name}: no statistics in the manifest of {_of(without, self._files)} "
            "(option metadata.stats-mode of the writer)"
            for name, without in self._without.items()
            if without
        ]
        return tuple(notes) if self._tests else (*notes, "no predicate tests values")


def steps_of_manifests(plan: Plan, statistics: StatisticsNotes) -> Iterator[Step]:
    """Yield the steps that need only manifests, for a plan whose tasks were counted."""
    yield _partitions(plan)
    yield from _buckets(plan)
    sizes = plan.sizes
    yield _step("statistics", sizes.in_buckets, sizes.left, notes=statistics.notes)


def _index(plan: Plan, looks: Sequence[_Look]) -> Step:
    kept = [look for look in looks if look.kept is not None]
    after = Size(
        sum(look.files for look in kept),
        sum(look.num_rows for look in kept),
        sum(look.size for look in kept),
    )
    causes: dict[tuple[str | None, str | None], list[int]] = {}
    for look in looks:
        for text, index, rows, left in look.by:
            sums = causes.setdefault((text, index), [0, 0, 0])
            sums[0] += 1
            sums[1] += not left
            sums[2] += rows - left
    together = causes.pop((None, None), [0, 0, 0])
    by = [Cause(*key, *sums) for key, sums in causes.items()]
    by.sort(key=lambda cause: cause.condition is None)
    if is_on(plan.query.schema.options, "file-index.read.enabled", default=True):
        no_index = "no index for it in"
    else:
        no_index = "option file-index.read.enabled = false turns indexes off in"
    notes = [
        f"{cause.condition}: {no_index} {_of(cause.files, plan.sizes.left.files)}"
        for cause in by
        if cause.index is None
    ]
    notes += [
        f"{cause.condition}: the index {cause.index} skips no row of "
        f"{_of(cause.files, plan.sizes.left.files)}"
        for cause in by
        if cause.condition and cause.index and not cause.rows_skipped
    ]
    if sum(cause.index is not None for cause in by) > 1:
        by.append(Cause(None, None, *together))
    merges = Counter[str]()
    for look in kept:
        if look.merge is not None:
            merges[look.merge] += look.files
    notes += [
        f"pypaimon merges {_of(files, plan.sizes.left.files)} whole: {reason}"
        for reason, files in merges.items()
    ]
    if not plan.sizes.left.files and plan.files_total:
        notes.append("no file is left to check")
    read = sum(look.bytes_read for look in looks)
    return _step("index", plan.sizes.left, after, bytes_read=read, by=tuple(by), notes=tuple(notes))


def _of(count: int, total: int) -> str:
    if count == total:
        return "the one file" if total == 1 else f"all {total:,} files"
    return f"{count:,} of {total:,} files"


def _rows(plan: Plan, looks: Sequence[_Look]) -> Step:
    kept = [look for look in looks if look.kept is not None]
    read = [look for look in kept if look.merge is None]
    whole = [look for look in kept if look.groups is None]
    counts = [look.groups for look in read if look.groups is not None]
    rows = sum(look.kept or 0 for look in kept)
    size = sum(groups.bytes_kept for groups in counts) + sum(look.size for look in whole)
    notes = []
    full = sum(groups.kept == groups.total for groups in counts)
    if full and rows < sum(look.num_rows for look in kept):
        notes.append(f"every row group of {_of(full, len(counts))} contains a row to read")
    unsure = sum(not look.exact for look in read)
    if unsure:
        notes.append(
            f"the indexes select a superset of the matching rows in {_of(unsure, len(read))}: "
            "the predicate is tested on the rows read"
        )
    limited = sum(look.limited for look in read)
    if (top := plan.query.top) is not None:
        notes.append(
            f"the index of {top.column} determines the first rows of {_of(limited, len(read))}"
            if limited
            else f"no index determines the first rows by {top.column}: the column is read"
        )
    elif plan.query.limit is not None:
        notes.append(f"reading stops after {plan.query.limit:,} rows, so these are upper bounds")
    return Step(
        "rows",
        sum(look.files for look in kept),
        0,
        None if whole else sum(groups.kept for groups in counts),
        None if whole else sum(groups.total - groups.kept for groups in counts),
        rows,
        sum(look.num_rows for look in kept) - rows,
        size,
        sum(look.size for look in kept) - size,
        sum(groups.bytes_read for groups in counts),
        (),
        tuple(notes),
    )
