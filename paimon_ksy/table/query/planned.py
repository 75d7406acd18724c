"""List the data files that a query needs, from manifests alone."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from paimon_ksy.evaluation.top_n import TopN
from paimon_ksy.messages.answers import Answer
from paimon_ksy.table.engine import Engine
from paimon_ksy.table.model.files import TableSchema
from paimon_ksy.table.query.explain import StatisticsNotes, Step, steps_of_manifests
from paimon_ksy.table.query.plan import Plan, plan_query
from paimon_ksy.table.query.query import Query
from paimon_ksy.table.query.run import engine_of
from paimon_ksy.table.query.tasks import FileTask
from paimon_ksy.table.store import TableOrPath
from paimon_ksy.types.literals import to_text


@dataclass(frozen=True)
class PlannedFile(Answer):
    """A data file that a query opens, or whose index it reads.

    Attributes:
        path: The path or URL of the file.
        partition: The value of each partition column as text; None for null.
        bucket: The number of its bucket.
        rows: The number of rows, including deleted ones.
        size: The size in bytes.
        has_index: Whether it has a file index.
        has_vector: Whether it has a deletion vector.
        is_merged: Whether its rows are merged with those of other files.
    """

    path: str
    partition: Mapping[str, str | None]
    bucket: int
    rows: int
    size: int
    has_index: bool
    has_vector: bool
    is_merged: bool


@dataclass(frozen=True)
class QueryPlan(Answer):
    """The data files that a query needs, according to manifests.

    Attributes:
        snapshot: The snapshot to read; None for an empty table.
        steps: The steps `partitions`, `buckets` (if their number is fixed) and `statistics`.
        files: The files that these steps keep, in the order in which they are read.
    """

    snapshot: int | None
    steps: tuple[Step, ...]
    files: tuple[PlannedFile, ...] = field(repr=False)


def plan(
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
) -> QueryPlan:
    """Return the data files that a query needs, and the steps that skip others.

    It reads manifests, unless partitions rule them out, but no data files, indexes or deletion
    vectors. The arguments are those of `query`. With `limit`, a query may stop before the last
    file.

    Raises:
        PredicateError: The predicate does not fit the schema.
        SchemaError: A column does not exist.
        PaimonKsyError: A manifest cannot be read.
    """
    asked = Query(where, columns, order_by, limit, snapshot_id, tag)
    engine = engine or engine_of(spark)
    planned = plan_query(table, asked, engine=engine)
    statistics = StatisticsNotes(planned)
    files = tuple(_files(planned, statistics))
    steps = tuple(steps_of_manifests(planned, statistics))
    return QueryPlan(None if planned.snapshot is None else planned.snapshot.id, steps, files)


def _files(planned: Plan, statistics: StatisticsNotes) -> Iterator[PlannedFile]:
    partitions: dict[tuple[Any, ...], Mapping[str, str | None]] = {}
    for task in statistics.of(planned):
        for file in task.files:
            if (partition := partitions.get(file.partition)) is None:
                partition = _partition(planned.query.schema, file.partition)
                partitions[file.partition] = partition
            yield PlannedFile(
                path=file.path,
                partition=partition,
                bucket=file.bucket,
                rows=file.num_rows,
                size=file.size,
                has_index=file.embedded_index is not None or bool(file.index_files),
                has_vector=file.deletion_vector is not None,
                is_merged=not isinstance(task, FileTask),
            )


def _partition(schema: TableSchema, values: Sequence[Any]) -> dict[str, str | None]:
    return {
        column.name: None if value is None else to_text(value, column.type)
        for column, value in zip(schema.partition_schema, values, strict=True)
    }
