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
from paimon_ksy.errors import OptionError
from paimon_ksy.messages.log import LOG
from paimon_ksy.spark.options import Options, size_of
from paimon_ksy.spark.types import arrow_schema, columns_asked, spark_batch
from paimon_ksy.table.engine.protocol import packed
from paimon_ksy.table.query.file_task import FileTask
from paimon_ksy.table.query.tasks import Task, read_tasks

if TYPE_CHECKING:
    from paimon_ksy.table.query.plan import State
    from paimon_ksy.table.query.query import Query
    from paimon_ksy.table.store import Table

_TARGET_SIZE = "source.split.target-size", "128 mb"
_OPEN_COST = "source.split.open-file-cost", "4 mb"

_LARGE = 1 << 30
"""Bytes of data files from which on a scan without a condition logs a warning."""


@dataclass
class Files(InputPartition):
    """The files that one Spark task reads.

    Attributes:
        pickled: The tasks, pickled together: there may be a million, and so the schemas and
            predicates that they share are pickled only once.
        size: The bytes of the data files.
    """

    pickled: bytes
    size: int

    @classmethod
    def of(cls, tasks: Iterable[Task]) -> Files:
        """Return a partition of these tasks."""
        sent = tuple(map(_without_statistics, tasks))
        return cls(pickle.dumps(sent), sum(task.size for task in sent))

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
class PaimonReader(DataSourceReader):
    """A reader that plans on the driver, and reads in the tasks."""

    options: Options
    asked: StructType

    def partitions(self) -> Sequence[InputPartition]:
        """Return the files that the plan keeps, in groups.

        Raises:
            OptionError: The option `columns` does not list the columns that Spark requests.
            PaimonKsyError: The table cannot be read.
        """
        state = self.options.state
        groups = self.groups(state.table, self.tasks(state))
        size = sum(group.size for group in groups)
        if self.options.where is None and self.options.limit is None and size > _LARGE:
            LOG.warning(
                "%s: this scan reads all %.1f GB of the table, because Spark passes no filter to "
                "Python data sources: pass the condition to PaimonTable.toDF(where=..), or as the "
                "option 'where'",
                self.options.table,
                size / 1e9,
            )
        return groups

    def tasks(self, state: State) -> Iterable[Task]:
        """Return the tasks that read the rows of a state (see `partitions`)."""
        # Tasks need no plan: they start sooner without.
        from paimon_ksy.file_index.container import bound_predicate
        from paimon_ksy.table.query.query import Query, selectable

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
        if where is not None:  # Spark's session has a zone, which only `read` passes
            where = bound_predicate(where, schema, state.table.time_zone)
        return planned(state, Query(where, columns, limit=options.limit))

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
        for batch in read_tasks(partition.tasks, self.options.limit, ReadStats()):
            yield spark_batch(batch, schema)


def planned(state: State, query: Query) -> Iterator[Task]:
    """Yield the tasks of a query: of few files, those that indexes keep. Raises PaimonKsyError."""
    from paimon_ksy.table.query.plan import plan_query
    from paimon_ksy.table.query.run import FEW, Runner

    run = replace(Runner.of(state.table, None, ReadStats(), None), asks=FEW)
    return run.left_by_indexes(plan_query(state, query))


def enough(tasks: Iterable[Task], limit: int) -> Iterator[Task]:
    """Yield enough tasks to certainly have `limit` rows, or all."""
    rows = 0
    for task in tasks:
        if rows >= limit:
            return
        yield task
        rows += task.known_count or 0
