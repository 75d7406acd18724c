"""A Paimon table for PySpark: its rows and metadata are DataFrames, and its jobs run on Spark.

    t = PaimonTable.forPath(spark, "/lake/db.db/orders")
    t.toDF(where="code = 'c77' AND upper(region) = 'EU'", columns=["id", "amount"])

Names are in PySpark's style, as those of `DeltaTable`. All work is done by the functions of
`paimon_ksy`, such as `audit` and `rewrite_index`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import partial
from typing import TYPE_CHECKING, Any, Self

from pyspark.sql.pandas.types import from_arrow_schema

from paimon_ksy.errors import PredicateError, SchemaError
from paimon_ksy.messages.answers import Answer
from paimon_ksy.messages.findings import Finding
from paimon_ksy.messages.tables import to_table
from paimon_ksy.spark.conditions import Condition, condition_of
from paimon_ksy.spark.data_source import FORMAT, register_format
from paimon_ksy.spark.scan import by_workers, has_time, scan
from paimon_ksy.spark.types import arrow_schema, spark_batch
from paimon_ksy.spark.workers import Sent
from paimon_ksy.table.advise.advise import advise
from paimon_ksy.table.advise.report import ColumnAdvice
from paimon_ksy.table.audit.audit import audit, repair
from paimon_ksy.table.audit.orphans import OLDER_THAN, Orphan, clean_orphans
from paimon_ksy.table.dataset.table import Table
from paimon_ksy.table.delete.delete import DeleteResult, delete
from paimon_ksy.table.engine import spark_engine
from paimon_ksy.table.engine.session import checked_session, context_of
from paimon_ksy.table.index.build import IndexResult
from paimon_ksy.table.index.rewrite import RewriteArguments, rewrite_index
from paimon_ksy.table.index.since import Since
from paimon_ksy.table.inspect.metadata_tables import FILES, files_parts
from paimon_ksy.table.model.files import DataFile, TableSchema
from paimon_ksy.table.query.explain import explain
from paimon_ksy.table.query.plan import State, plan_query
from paimon_ksy.table.query.query import Query, selectable
from paimon_ksy.table.query.read import counted
from paimon_ksy.table.query.steps import Step
from paimon_ksy.table.store import absolute
from paimon_ksy.types.data_type import quote

if TYPE_CHECKING:
    import os

    import pyarrow as pa
    from pyspark.sql import DataFrame
    from pyspark.sql.types import StructType

    from paimon_ksy.predicates.tree import Predicate
    from paimon_ksy.table.manifests.scan import LiveGroup

__all__ = ["IndexRewrite", "PaimonTable", "Result"]


class PaimonTable:
    """A Paimon table in a Spark session: open it with `forPath` or `forName`.

    Conditions are SQL text, a Column, or a predicate of `paimon_ksy`. Literals without a time zone
    are in that of the session. Each method sees the table as it is when it is called.
    """

    def __init__(self, spark: Any, name: str, options: Mapping[str, str]) -> None:
        """Use `forPath` or `forName` instead."""
        self._spark = checked_session(spark)
        self._name, self._options = absolute(name, options)
        _ = self.table

    @classmethod
    def forPath(
        cls, spark: Any, path: str | os.PathLike[str], options: Mapping[str, str] | None = None
    ) -> Self:
        """Return the table in a folder, a path or URL; `options` are those of the file system.

        Raises:
            UnsupportedError: The session is of Spark 3.
            PaimonKsyError: The folder contains no table, or it cannot be read.
        """
        checked_session(spark)
        name, origin = Table.at(path, options).opened.origin
        return cls(spark, name, {**origin, **(options or {})})

    @classmethod
    def forName(cls, spark: Any, name: str, catalog: Mapping[str, str]) -> Self:
        """Return the table `database.name` of a catalog; `catalog` are pypaimon's options of it.

        Raises:
            UnsupportedError: The session is of Spark 3.
            PaimonKsyError: The table does not exist, or the catalog cannot be read.
        """
        return cls(spark, name, catalog)

    def __repr__(self) -> str:
        return f"PaimonTable({self._name})"

    @property
    def table(self) -> Table:
        """The table as it is now, in the session's time zone, for functions of `paimon_ksy`."""
        return Table.named(self._name, self._options).with_time_zone(self._zone)

    @property
    def _zone(self) -> str:
        return str(self._spark.conf.get("spark.sql.session.timeZone"))

    # Rows --

    def toDF(
        self,
        where: Any = None,
        columns: Sequence[str] | None = None,
        limit: int | None = None,
        version: int | None = None,
        tag: str | None = None,
        asOf: str | datetime | None = None,
        between: tuple[int, int] | None = None,
    ) -> DataFrame:
        """Return the rows that a condition selects.

        Spark filters by the whole condition. The parts of its top-level AND that mean the same in
        paimon-ksy also skip files, row groups and pages (see `explain`).

        Args:
            where: The condition.
            columns: The columns to return; the default is all.
            limit: The maximum number of rows.
            version: Read this snapshot instead of the latest.
            tag: Read this tag.
            asOf: Read the newest snapshot that is not after this time.
            between: Read the rows that snapshots after the first of these, up to the second,
            appended; those of INSERT OVERWRITE are left out.

        Raises:
            Exception: One of Spark, if it cannot resolve the condition.
            PaimonKsyError: A column or snapshot does not exist.
        """
        chosen, state = self._version(self.table, version, tag, asOf, between)
        pushed, skipping = limit if where is None else None, None

        def rows(where: Any, columns: Sequence[str] | None) -> DataFrame:
            nonlocal skipping
            kinds = state.schema.columns
            if any(has_time(kinds[name]) for name in columns or kinds.names):
                return self._load(self._spark.read, where, columns, {"limit": pushed, **chosen})
            frame, skipping = scan(self._spark, state, where=where, columns=columns, limit=pushed)
            return frame

        frame = self._selected(rows, where, columns, state.schema)
        if limit is not None:
            return frame if where is None else frame.limit(limit)
        if skipping is None:
            return frame
        return skipping.on(frame, count=partial(self._counted, state) if where is None else None)

    def readStream(
        self,
        where: Any = None,
        columns: Sequence[str] | None = None,
        fromSnapshot: int | str | None = None,
        snapshotsPerTrigger: int | None = None,
        skipChanges: bool = False,
    ) -> DataFrame:
        """Return a streaming DataFrame of the rows of an append table, and of those added later.

        Args:
            where: The condition.
            columns: The columns to return; the default is all.
            fromSnapshot: Begin with the rows that this snapshot adds, or with those that are added
                later if it is `latest`.
            snapshotsPerTrigger: The maximum number of snapshots in a batch.
            skipChanges: Whether to leave out snapshots that delete or replace rows. By default,
                they are an error.

        Raises:
            Exception: One of Spark, if it cannot resolve the condition.
            PaimonKsyError: A column does not exist, or the rows of the table cannot be streamed.
        """
        given = {
            "from-snapshot": fromSnapshot,
            "snapshots-per-trigger": snapshotsPerTrigger,
            "skip-changes": skipChanges or None,
        }
        reading = partial(self._load, self._spark.readStream, given=given)
        return self._selected(reading, where, columns, self.table.schema)

    def _load(
        self,
        reader: Any,
        where: Predicate | None,
        columns: Sequence[str] | None,
        given: Mapping[str, Any],
    ) -> DataFrame:
        """Return what the data source reads by these options, except those that are None."""
        register_format(self._spark)
        context = context_of(self._spark)
        options = {
            "table": self._name,
            "where": None if where is None else repr(where),
            "time-zone": self._zone,
            "columns": None if columns is None else json.dumps(columns),
            "parallelism": None if context is None else context.defaultParallelism,
            **{f"catalog.{key}": value for key, value in self._options.items()},
            **given,
        }
        texts = {name: str(value) for name, value in options.items() if value is not None}
        frame: DataFrame = reader.format(FORMAT).options(**texts).load()
        return frame

    def _selected(
        self,
        reading: Callable[..., DataFrame],
        where: Any,
        columns: Sequence[str] | None,
        schema: TableSchema,
    ) -> DataFrame:
        """Return what `reading` returns for a condition and columns, filtered by Spark, too."""
        if isinstance(columns, str):
            raise SchemaError(f"columns must be a list of names such as [{columns!r}]")
        names = None
        if columns is not None:
            names = [schema.columns.column(name, ignore_case=True).name for name in columns]
        if where is None:
            return reading(where=None, columns=names)
        condition = self._condition(where, schema)
        needed = names
        if names is not None:
            needed = [*names, *(name for name in condition.columns if name not in names)]
            needed = needed or [*schema.columns.names[:1]]  # Spark counts rows of some column
        frame = reading(where=condition.pushed, columns=needed).filter(condition.spark)
        if names is not None:
            frame = frame.select(*map(quote, names))
        if context_of(self._spark) is None:
            _ = frame.schema  # Spark Connect would report a wrong condition only later
        return frame

    def count(
        self,
        where: Any = None,
        version: int | None = None,
        tag: str | None = None,
        asOf: str | datetime | None = None,
        between: tuple[int, int] | None = None,
    ) -> int:
        """Return the number of rows, from statistics and indexes where these are exact.

        The arguments are those of `toDF`.
        """
        _, state = self._version(self.table, version, tag, asOf, between)
        pushed = None
        if where is not None:
            condition = self._condition(where, selectable(state.schema))
            if condition.rest:
                return self.toDF(where, [], None, version, tag, asOf, between).count()
            pushed = condition.pushed
        return self._counted(state, pushed)

    def _counted(self, state: State, where: Predicate | None = None) -> int:
        engine = spark_engine(self._spark)
        return counted(plan_query(state, Query(where, ()), engine=engine), engine).count

    def _condition(self, where: Any, schema: TableSchema) -> Condition:
        return condition_of(self._spark, where, schema.columns, self._zone)

    def _exact(self, where: Any, job: str) -> Any:
        """Return a condition that has to mean the same in Spark and here."""
        schema = self.table.schema
        condition = self._condition(where, selectable(schema) if job == "delete" else schema)
        if condition.rest:
            raise PredicateError(
                f"{job} cannot test {condition.rest[0]:.200}: it compares columns with literals of "
                "their types, without functions, arithmetic or lossy casts, and over Spark Connect "
                "without comments and backslashes"
            )
        return condition.pushed

    @staticmethod
    def _version(
        table: Table,
        version: int | None,
        tag: str | None,
        moment: str | datetime | None,
        between: tuple[int, int] | None,
    ) -> tuple[dict[str, Any], State]:
        """Return the options of the data source that choose the rows to read, and their state."""
        query = Query(snapshot_id=version, tag=tag, as_of=moment, between=between)
        state = State.of(table, query)
        if moment is not None and state.snapshot is not None:
            version = state.snapshot.id  # later commits do not change what the time selects
        both = between and ",".join(map(str, between))
        return {"snapshot-id": version, "tag": tag, "between": both}, state

    # Metadata --

    def files(self) -> DataFrame:
        """Return the live data files, from manifests; Spark's workers read many."""
        table = self.table
        many = files_parts(table, table.snapshot(), spark_engine(self._spark))
        if many is None:
            return dataframe(self._spark, table.files())
        parts, rows = many
        schema = from_arrow_schema(FILES)
        return by_workers(self._spark, parts, _FilesReader(rows, schema), schema)

    def indexes(self) -> DataFrame:
        """Return the file indexes of the live data files, whose heads Spark's workers read."""
        return dataframe(self._spark, self.table.indexes(spark=self._spark))

    def snapshots(self) -> DataFrame:
        """Return the snapshots."""
        return dataframe(self._spark, self.table.snapshots())

    def partitions(self) -> DataFrame:
        """Return the partitions, with sums over their data files."""
        return dataframe(self._spark, self.table.partitions())

    def tags(self) -> DataFrame:
        """Return the tags, and their snapshots."""
        return dataframe(self._spark, self.table.tags())

    def vectors(self) -> DataFrame:
        """Return the deletion vectors of the latest snapshot."""
        return dataframe(self._spark, self.table.vectors())

    def explain(self, where: Any = None) -> DataFrame:
        """Return what each step of a query keeps and skips; notes name what only Spark tests."""
        table = self.table
        condition = None if where is None else self._condition(where, table.schema)
        pushed = None if condition is None else condition.pushed
        *steps, last = explain(table, pushed, spark=self._spark)
        rest = () if condition is None else condition.rest
        notes = (f"only Spark tests {part}" for part in rest)
        return self._frame(Step, (*steps, replace(last, notes=(*last.notes, *notes))))

    def advise(
        self, predicates: Iterable[Any] | None = None, columns: Sequence[str] | None = None
    ) -> DataFrame:
        """Return whether each column should have an index, measured for these conditions.

        Conditions have to be such that indexes can test them.
        """
        given = predicates and [self._exact(where, "advise") for where in predicates]
        advice = advise(self.table, predicates=given, columns=columns, spark=self._spark)
        return self._frame(ColumnAdvice, advice.columns)

    def audit(self, deep: bool = False, where: Any = None) -> DataFrame:
        """Return the problems of the table; `deep` also compares indexes with the data.

        Args:
            deep: Whether to read the data.
            where: A condition on partition columns.
        """
        partitions = None if where is None else self._exact(where, "audit")
        findings = audit(self.table, partitions, deep=deep, spark=self._spark)
        return self._frame(Finding, findings)

    def _frame(self, kind: type[Answer], rows: Iterable[Answer]) -> DataFrame:
        return dataframe(self._spark, to_table(kind, rows))

    # Jobs --

    def rewriteIndex(self) -> IndexRewrite:
        """Return a rewrite of file indexes; its methods add to it, and `execute` runs it."""
        return IndexRewrite(self)

    def indexNewFiles(self, since: Since = "last", dryRun: bool = False) -> Result:
        """Index the files that commits added, by the table's options; see `index_new_files`.

        It returns at once if there are none, so a scheduler may call it often.

        Args:
            since: The id of a snapshot: only files of later ones count. `last` is the snapshot
                where the last such run, or the last rewrite of the whole table, began.
            dryRun: Whether to write nothing, and return what would be done.
        """
        rewrite = self.rewriteIndex()
        rewrite._asked["since"] = since
        return rewrite.execute(dryRun)

    def delete(self, where: Any, dryRun: bool = False) -> Result:
        """Delete the rows that a condition selects, with deletion vectors.

        The condition has to mean the same in Spark; otherwise it is refused before any work.
        """
        done: list[Answer] = []

        def progress(file: DataFile, result: DeleteResult) -> None:
            if result.rows:
                done.append(_Deleted(file.path, result.rows, result.bytes_read))

        exact = self._exact(where, "delete")
        summary = delete(self.table, exact, dry_run=dryRun, spark=self._spark, progress=progress)
        return Result(self._spark, summary, _Deleted, done)

    def repair(self, deep: bool = False, dryRun: bool = False) -> Result:
        """Audit the table, rebuild wrong file indexes, and drop wrong global indexes."""
        repaired = repair(self.table, deep=deep, dry_run=dryRun, spark=self._spark)
        return Result(self._spark, repaired, Finding, repaired.findings)

    def cleanOrphans(self, olderThan: timedelta = OLDER_THAN, dryRun: bool = False) -> Result:
        """Delete index, vector and manifest files that nothing refers to."""
        orphans = clean_orphans(self.table, olderThan, dry_run=dryRun, spark=self._spark)
        return Result(
            self._spark, _Cleaned(len(orphans), sum(o.size for o in orphans)), Orphan, orphans
        )


class IndexRewrite:
    """A rewrite of the file indexes of a table; `execute` runs it.

    Without types, it builds the indexes that the table's options list.
    """

    def __init__(self, table: PaimonTable) -> None:
        """Use `PaimonTable.rewriteIndex` instead."""
        self._table = table
        self._set: dict[str, str] = {}
        self._where: Any = None
        self._asked: RewriteArguments = {}

    def bitmap(self, *columns: str) -> Self:
        """Index columns with few different values."""
        return self._index("bitmap", columns)

    def bloom(self, *columns: str, items: int | None = None, fpp: float | None = None) -> Self:
        """Index columns with many different values, for `=` and IN.

        Args:
            columns: The columns.
            items: The expected number of different values in a file.
            fpp: The share of files that are read in vain.
        """
        return self._index("bloom-filter", columns, items=items, fpp=fpp)

    def bsi(self, *columns: str) -> Self:
        """Index numbers with few digits, for ranges."""
        return self._index("bsi", columns)

    def rangeBitmap(self, *columns: str) -> Self:
        """Index columns for ranges, and for ORDER BY with LIMIT."""
        return self._index("range-bitmap", columns)

    def option(self, key: str, value: str) -> Self:
        """Set a table option for this rewrite; an empty value removes it."""
        self._set[key] = value
        return self

    def where(self, condition: Any) -> Self:
        """Index only the partitions that a condition on partition columns selects."""
        self._where = condition
        return self

    def saveOptions(self) -> Self:
        """Store the options in the table's schema, so that later writers build these indexes."""
        self._asked["save_options"] = True
        return self

    def rebuild(self) -> Self:
        """Rebuild all indexes, even those that match the options."""
        self._asked["rebuild"] = True
        return self

    def dropUnlisted(self) -> Self:
        """Drop the indexes that the options do not list."""
        self._asked["drop_unlisted"] = True
        return self

    def execute(self, dryRun: bool = False) -> Result:
        """Run the rewrite as a Spark job, and commit."""
        done: list[Answer] = []

        def progress(file: DataFile, result: IndexResult) -> None:
            if result.reason is not None:
                sizes = result.bytes_read, result.bytes_written
                done.append(_Indexed(file.path, result.reason, result.rows, *sizes, result.seconds))

        front = self._table
        where = None if self._where is None else front._exact(self._where, "rewriteIndex")
        asked: RewriteArguments = {**self._asked, "set": self._set, "dry_run": dryRun}
        summary = rewrite_index(front.table, where, spark=front._spark, progress=progress, **asked)
        return Result(front._spark, summary, _Indexed, done)

    def _index(self, kind: str, columns: Sequence[str], **options: object) -> Self:
        key = f"file-index.{kind}.columns"
        listed = [name for name in (self._set.get(key), *columns) if name]
        self._set[key] = ",".join(listed)
        for column in columns:
            for name, value in options.items():
                if value is not None:
                    self._set[f"file-index.{kind}.{column}.{name}"] = str(value)
        return self


class Result:
    """The result of a job: the attributes of its summary, and a DataFrame of its details.

    Attributes:
        summary: What the function returned, such as a `RewriteSummary`.
    """

    def __init__(
        self, spark: Any, summary: Any, kind: type[Answer], rows: Sequence[Answer]
    ) -> None:
        """Keep a summary, and the rows of `toDF`."""
        self.summary = summary
        self._spark, self._kind, self._rows = spark, kind, rows

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(self.summary, name)

    def __repr__(self) -> str:
        counts = vars(self.summary).items()
        values = {name: len(value) if isinstance(value, tuple) else value for name, value in counts}
        told = [
            f"{name}={round(value, 3) if isinstance(value, float) else value}"
            for name, value in values.items()
            if isinstance(value, int | float | str) and value is not False
        ]
        return f"{type(self.summary).__name__.lstrip('_')}({', '.join(told)})"

    def toDF(self) -> DataFrame:
        """Return the details: a row for each file, or for each finding of a repair."""
        return dataframe(self._spark, to_table(self._kind, self._rows))


# Rows of DataFrames -------------------------------------------------------------------------------


def dataframe(spark: Any, table: pa.Table) -> DataFrame:
    """Return an Arrow table as a DataFrame."""
    if table.num_rows:
        frame: DataFrame = spark.createDataFrame(table)
        return frame
    # Spark Connect infers no schema from a table without rows.
    frame = spark.createDataFrame([], from_arrow_schema(table.schema))
    return frame


@dataclass
class _FilesReader(Sent):
    """Makes the rows of `PaimonTable.files` in workers."""

    rows: Callable[[LiveGroup], Iterable[pa.RecordBatch]]
    schema: StructType

    def read(self, part: LiveGroup) -> Iterable[pa.RecordBatch]:
        """Return the rows of the manifests of a part."""
        return (spark_batch(batch, arrow_schema(self.schema)) for batch in self.rows(part))


@dataclass(frozen=True)
class _Indexed(Answer):
    """A data file with a new index."""

    file: str
    reason: str
    rows: int
    bytes_read: int
    bytes: int
    seconds: float


@dataclass(frozen=True)
class _Deleted(Answer):
    """A data file of which rows are deleted."""

    file: str
    rows: int
    bytes_read: int


@dataclass(frozen=True)
class _Cleaned(Answer):
    """The orphans that were deleted, and their bytes."""

    files: int
    bytes: int
