"""The first rows of an order, of all files: those are read that have some."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from paimon_ksy.evaluation.top_n import TopN
from paimon_ksy.predicates.statistics import Bounds, may_match
from paimon_ksy.predicates.tree import Comparison
from paimon_ksy.table.engine import Engine
from paimon_ksy.table.formats.open_file import Effort
from paimon_ksy.table.model.columns import arrow_schema, same_column
from paimon_ksy.table.model.files import TableSchema
from paimon_ksy.table.query.groups import Progress, growing, of_groups, together
from paimon_ksy.table.query.index import ROW
from paimon_ksy.table.query.plan import Plan, bounds_of
from paimon_ksy.table.query.tasks import FileTask, TaskRows, TasksRows

if TYPE_CHECKING:
    import pyarrow as pa


def best_rows(
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
    from paimon_ksy.table.query.sort import Best

    names = tuple(dict.fromkeys((*plan.columns, *top.columns)))
    schema = arrow_schema(plan.schema.columns, names)
    best = Best(top, schema, plan.schema.columns)
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
        groups, of_each = together(files, 0), of_groups(progress)
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

    from paimon_ksy.table.query.sort import Best

    first = tasks[0]
    columns = arrow_schema(first.schema.columns, top.columns)
    schema = columns.append(pa.field(ROW, pa.int64())).append(pa.field(_TASK, pa.int64()))
    best = Best(top, schema, first.schema.columns)
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
    groups = [*growing(known, 1 if one_by_one else 64), unknown]
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
    from paimon_ksy.table.query.sort import plain_value

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
