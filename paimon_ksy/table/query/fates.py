"""The fate of each data file in a query: the step that skips it, or the rows that are read."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import islice

from paimon_ksy.predicates.tree import Always
from paimon_ksy.roaring.strip import Strip, strip_of
from paimon_ksy.table.model.files import DataFile
from paimon_ksy.table.query.conditions import Conditions
from paimon_ksy.table.query.explain import row_groups
from paimon_ksy.table.query.plan import Plan
from paimon_ksy.table.query.tasks import FileTask, Task

STEPS = "partitions", "buckets", "statistics", "index"
"""The steps that skip whole files, in order."""
_BUCKETS = 120


@dataclass(frozen=True)
class Fate:
    """A data file in a query.

    Attributes:
        file: The file.
        left_out: The step that skips it, one of STEPS; None if some of its rows are read.
        rows: The number of rows read; None if that depends on a merge with other files.
        strip: The positions of these rows.
        groups: The numbers of row groups read and in total; None for formats other than Parquet.
    """

    file: DataFile
    left_out: str | None
    rows: int | None = 0
    strip: Strip | None = None
    groups: tuple[int, int] | None = None


def fates(plan: Plan, most: int) -> Iterator[Fate]:
    """Yield the fates of the first `most` files that readers see.

    Args:
        plan: The query.
        most: The number of files. Of those that a query reads, this reads indexes and footers.

    Raises:
        PaimonKsyError: A manifest, an index or a file cannot be read.
    """
    if plan.snapshot is None:
        return
    asked = Conditions(plan.table, plan.query)
    seen = (file for file in plan.table.files(plan.snapshot) if asked.reading.sees(file))
    files = {file.path: file for file in islice(seen, most)}
    tasks = {file.path: task for task in plan for file in task.files if file.path in files}
    known: dict[int, Fate] = {}  # by task, since a task may have several files
    for file in files.values():
        task = tasks.get(file.path)
        if task is None:
            yield Fate(file, _left_out(asked, file))
            continue
        if id(task) not in known:
            known[id(task)] = _looked_into(file, task)
        yield replace(known[id(task)], file=file)


def _left_out(asked: Conditions, file: DataFile) -> str:
    """Return the step of the plan that skips a file without a task."""
    predicate = asked.of_partition(file.partition)
    if predicate == Always(False):
        return "partitions"
    if predicate is not None and file.format == "orc":
        predicate = asked.of_orc(predicate)
    if asked.buckets is not None and not asked.buckets.may_hold(file, predicate):
        return "buckets"
    return "statistics"


def _looked_into(file: DataFile, task: Task) -> Fate:
    _, found = task.pruned()
    selection = found.selection
    if selection.kind == "skip":
        return Fate(file, "index")
    if not isinstance(task, FileTask):
        return Fate(file, None, None)
    groups = row_groups(task, selection)
    count = (lambda a, b: b - a) if selection.rows is None else selection.rows.range_cardinality
    return Fate(
        file,
        None,
        selection.count,
        strip_of(count, file.num_rows, _BUCKETS),
        None if groups is None else (groups.kept, groups.total),
    )
