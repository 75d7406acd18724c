"""Readers of the data source, which plan on the driver and read in Spark's tasks."""

from __future__ import annotations

import pickle
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import TYPE_CHECKING, Any, cast

import pyarrow as pa
from pyspark.sql.datasource import DataSourceReader, InputPartition
from pyspark.sql.types import StructType

from paimon_ksy.data_files.data_file import ReadStats
from paimon_ksy.errors import OptionError, counted
from paimon_ksy.messages.log import LOG
from paimon_ksy.messages.masking import masked
from paimon_ksy.spark.options import Options, size_of
from paimon_ksy.spark.types import arrow_schema, columns_asked, spark_batch
from paimon_ksy.spark.workers import Sent, in_one_line
from paimon_ksy.table.engine.protocol import packed
from paimon_ksy.table.query.file_task import FileTask
from paimon_ksy.table.query.tasks import Task, read_tasks

if TYPE_CHECKING:
    from paimon_ksy.table.query.plan import State
    from paimon_ksy.table.query.scan import Scan
    from paimon_ksy.table.store import Table

_TARGET_SIZE = "source.split.target-size", "128 mb"
_OPEN_COST = "source.split.open-file-cost", "4 mb"


@dataclass
class Files(InputPartition):
    """The files that one Spark task reads.

    Attributes:
        pickled: The tasks, pickled together: there may be a million, and so the schemas and
            predicates that they share are pickled only once.
    """

    pickled: bytes

    @classmethod
    def of(cls, tasks: Iterable[Task]) -> Files:
        """Return a partition of these tasks."""
        return cls(pickle.dumps(tuple(map(_without_statistics, tasks))))

    @property
    def tasks(self) -> tuple[Task, ...]:
        """The tasks."""
        return cast("tuple[Task, ...]", pickle.loads(self.pickled))


def _without_statistics(task: Task) -> Task:
    """Return a task without statistics, which only planning needs: more than half of its bytes."""
    if not isinstance(task, FileTask):
        return task
    return replace(task, data=task.data.without_statistics())


@dataclass
class PaimonReader(Sent, DataSourceReader):
    """A reader that plans on the driver, and reads in the tasks."""

    options: Options
    asked: StructType

    @in_one_line()
    def partitions(self) -> Sequence[InputPartition]:
        """Return the files that the plan keeps, in groups.

        Raises:
            OptionError: The option `columns` does not list the columns that Spark requests.
            PaimonKsyError: The table cannot be read.
        """
        state = self.options.state
        tasks = self.tasks(state)
        groups = self.groups(state.table, tasks)
        # Fewer tasks would hardly end sooner, since all of them run at once.
        if self.options.where is None and len(groups) > self.options.parallelism:
            LOG.warning(
                "%s: this scan reads all %s with %s, because Spark passes no filter to Python data "
                "sources: pass the condition to PaimonTable.toDF(where=..), or as option 'where'",
                masked(state.table.location),
                tasks.read,
                counted(len(self.asked), "column"),
            )
        return groups

    def tasks(self, state: State) -> Scan:
        """Return the tasks that read the rows of a state (see `partitions`)."""
        # Tasks need no plan: they start sooner without.
        from paimon_ksy.file_index.container import bound_predicate
        from paimon_ksy.table.query.query import Query, selectable
        from paimon_ksy.table.query.scan import Scan

        options = self.options
        schema = selectable(state.schema).columns
        columns = columns_asked(self.asked, schema)
        named = options.columns and [field.name for field in options.fields(state.schema)]
        if named is not None and columns != named:
            raise OptionError(
                "the option 'columns' does not list the columns of the schema that Spark has, or "
                "of its table: leave it out, and select columns"
            )
        where = cast("Any", options.where)
        if where is not None:  # Spark's session has a zone, which only `PaimonTable` passes
            where = bound_predicate(where, schema, state.table.time_zone)
        return Scan(state, Query(where, columns, limit=options.limit))

    def groups(self, table: Table, tasks: Iterable[Task]) -> Sequence[Files]:
        """Return partitions of the tasks."""
        options = self.options
        if options.limit is not None:
            return [Files.of(enough(tasks, options.limit))]
        target = options.split_size
        if target is None:
            target = size_of(table.options.get(*_TARGET_SIZE), _TARGET_SIZE[0])
        cost = size_of(table.options.get(*_OPEN_COST), _OPEN_COST[0])
        tasks = iter(tasks)
        first: list[Task] = []
        size = 0
        while size < target * options.parallelism and (task := next(tasks, None)) is not None:
            first.append(task)
            size += max(task.size, cost)
        target = min(target, max(cost, -(-size // options.parallelism)))
        return [Files.of(group) for group in packed(chain(first, tasks), target, cost)]

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        """Yield the rows of a group of files. Raises PaimonKsyError."""
        if not isinstance(partition, Files):  # Spark's own partition, if no file is left
            return
        pa.set_cpu_count(1)  # since Spark runs a task per core
        schema = arrow_schema(self.asked)
        with in_one_line():
            for batch in read_tasks(partition.tasks, self.options.limit, ReadStats()):
                yield spark_batch(batch, schema)


def enough(tasks: Iterable[Task], limit: int) -> Iterator[Task]:
    """Yield enough tasks to certainly have `limit` rows, or all."""
    rows = 0
    for task in tasks:
        if rows >= limit:
            return
        yield task
        rows += task.known_count or 0
