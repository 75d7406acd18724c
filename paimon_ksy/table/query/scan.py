"""The tasks of a scan by Spark, and a line about what they read and skip."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from paimon_ksy.data_files.data_file import ReadStats
from paimon_ksy.errors import counted
from paimon_ksy.messages.log import LOG
from paimon_ksy.messages.masking import masked
from paimon_ksy.table.engine import Engine
from paimon_ksy.table.query.plan import State, plan_query
from paimon_ksy.table.query.query import Query
from paimon_ksy.table.query.run import FEW, Runner
from paimon_ksy.table.query.steps import Size, Sizes
from paimon_ksy.table.query.tasks import Task


@dataclass
class Scan:
    """The tasks of a query, to iterate once: of few files, those that indexes keep.

    Attributes:
        state: The state of the table to read.
        query: The rows and columns to return.
        read: The size of the tasks so far.
        text: After the last task, a line about the table, the condition, and what is skipped.
        engine: The engine that reads manifests if there are many; None for this machine.
    """

    state: State
    query: Query
    read: Size = field(default_factory=Size)
    text: str = ""
    engine: Engine | None = None

    def __iter__(self) -> Iterator[Task]:
        """Yield the tasks, and log the line. Raises PaimonKsyError."""
        table, plan = self.state.table, plan_query(self.state, self.query, engine=self.engine)
        sizes, total = Sizes(), None

        def tasks() -> Iterator[Task]:
            nonlocal sizes
            for group in plan.groups:
                sizes += group.sizes
                yield from group.tasks

        run = replace(Runner.of(table, None, ReadStats(), None), asks=FEW)
        try:
            for task in run.left_by_indexes(tasks()):
                yield task
                self.read += Size(len(task.files), task.num_rows, task.size)
            total = sizes.total
        finally:  # a limit needs no more tasks
            files = counted(plan.files_total - self.read.files, "file")
            skipped = files if total is None else total - self.read
            self.text = f"{self._name}: reads {self.read}, skips {skipped}"
            LOG.info("%s", self.text)

    @property
    def _name(self) -> str:
        """The table, its snapshot and the condition."""
        snapshot, where = self.state.snapshot, self.query.where
        number = "" if snapshot is None else f" snapshot {snapshot.id}"
        condition = "" if where is None else f" where {where!r:.200}"
        return f"{masked(self.state.table.location)}{number}{condition}"
