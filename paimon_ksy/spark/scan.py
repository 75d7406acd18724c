"""A scan by Spark's own Parquet reader of all files that it reads like Java.

So Spark chooses columns, row groups and pages, and no row passes through a Python worker. The rows
of other files come from `PaimonReader`, by `mapInArrow`.
"""

from __future__ import annotations

import os
import pickle
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import reduce, wraps
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
from pyspark.sql import functions as F

from paimon_ksy.io.urls import local_path
from paimon_ksy.spark.conditions import condition_of
from paimon_ksy.spark.options import Options
from paimon_ksy.spark.reader import PaimonReader, enough
from paimon_ksy.spark.types import spark_schema, spark_type
from paimon_ksy.table.engine import spark_engine
from paimon_ksy.table.engine.session import context_of
from paimon_ksy.table.query.plain_files import FLOATS, PlainFiles, Source, split
from paimon_ksy.table.query.query import Query
from paimon_ksy.table.query.scan import Scan
from paimon_ksy.types.arrays import to_arrow_array
from paimon_ksy.types.data_type import DataType, quote

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame
    from pyspark.sql.types import StructType

    from paimon_ksy.predicates.tree import Predicate
    from paimon_ksy.table.query.plan import State

_ALWAYS = ""
"""The name of a file in rows that are not of Spark's own reader."""

_ZONE = "spark.sql.session.timeZone"

_THRESHOLD = "spark.sql.sources.parallelPartitionDiscovery.threshold"
"""The setting for how many files Spark lists before it starts a job, with a task for each file."""


def has_time(kind: DataType) -> bool:
    """Return whether a type is TIME or has one in it, which `mapInArrow` refuses."""
    return kind.root == "TIME" or any(has_time(part.type) for part in kind.fields)


def scan(
    spark: Any,
    state: State,
    *,
    where: Predicate | None,
    columns: Sequence[str] | None,
    limit: int | None = None,
) -> tuple[DataFrame, FileFilter | None]:
    """Return the rows of the files that a plan keeps, which may include some that do not match.

    Without a limit, it also returns what makes filters of these rows skip files.

    Raises:
        PaimonKsyError: The table cannot be read.
        Exception: One of Spark, if a file does not exist.
    """
    names = state.schema.columns.names if columns is None else tuple(columns)
    schema = spark_schema([state.schema.columns.column(name) for name in names])
    tasks = Scan(state, Query(where, names, limit=limit), engine=spark_engine(spark))
    plain, others = split(state, tasks if limit is None else enough(tasks, limit), names)
    threshold = spark.conf.get(_THRESHOLD)
    try:
        most = sum(len(files.paths) for files in plain)
        spark.conf.set(_THRESHOLD, str(max(most, int(threshold))))
        base = _url(state.table.location)
        hidden = "_file" + "_" * max(map(len, names), default=0)
        frames = [_by_spark(spark, files, base, tasks.text, (*names, hidden)) for files in plain]
    finally:
        spark.conf.set(_THRESHOLD, threshold)
    if not frames and not others:
        return spark.createDataFrame([], schema), None
    if others:
        context = context_of(spark)
        parallelism = 1 if context is None else context.defaultParallelism
        reader = PaimonReader(Options(state.table.location, parallelism=parallelism), schema)
        rows = by_workers(spark, reader.groups(state.table, others), reader, reader.asked)
        frames.append(rows.withColumn(hidden, F.lit(_ALWAYS)))
    frame = reduce(lambda one, other: one.union(other), frames).select(*map(quote, names))
    if limit is not None:
        return frame.limit(limit), None
    files = frozenset(path.rpartition("/")[2] for each in plain for path in each.paths)
    return frame, FileFilter(spark, state, files, hidden)


@dataclass(frozen=True)
class FileFilter:
    """Makes `filter` of a DataFrame skip files by statistics and indexes, as `where` does.

    Spark reads no file whose name a filter on `_metadata` excludes, and finds the column below the
    DataFrame, whose own columns remain those that users may refer to.

    Attributes:
        spark: The session.
        state: The state of the table.
        files: The names of the files that Spark reads.
        file_name: The name of a column that the DataFrame hides, with the names of files.
    """

    spark: Any
    state: State
    files: frozenset[str]
    file_name: str

    def on(
        self, frame: DataFrame, *before: DataFrame, count: Callable[[], int] | None = None
    ) -> DataFrame:
        """Return a DataFrame with such a `filter` and `where`, and a `select` that keeps them.

        `before` are the DataFrames that it is made of, and `count` counts its rows without Spark.
        """
        own, frames = type(frame), (*before, frame)

        @wraps(own.count)
        def counted() -> int:
            # To count rows is how one fills Spark's cache.
            known = None if count is None or any(map(_is_cached, frames)) else count
            return own.count(frame) if known is None else known()

        @wraps(own.filter)
        def filtered(condition: Any) -> DataFrame:
            made = own.filter(frame, condition)
            kept = self._kept(condition, made)
            # Spark does not find rows in its cache if the plan below has a hidden column more.
            if len(kept) < len(self.files) and not any(map(_is_cached, frames)):
                made = own.filter(made, F.col(self.file_name).isin(_ALWAYS, *kept))
            return self.on(made, *frames)

        @wraps(own.select)
        def selected(*columns: Any) -> DataFrame:
            made = own.select(frame, *columns)
            names = {quote(name) for name in self.state.schema.columns.names}
            are_own = {"*", *names, *self.state.schema.columns.names}.issuperset
            asked = columns[0] if len(columns) == 1 and isinstance(columns[0], list) else columns
            is_plain = all(isinstance(each, str) for each in asked) and are_own(asked)
            return self.on(made, *frames, count=count) if is_plain else made

        for name, method in (
            ("count", counted),
            ("filter", filtered),
            ("where", filtered),
            ("select", selected),
        ):
            setattr(frame, name, method)
        return frame

    def _kept(self, condition: Any, filtered: DataFrame) -> frozenset[str]:
        """Return the names of the files that may have rows that a condition selects."""
        schema, zone = self.state.schema.columns, str(self.spark.conf.get(_ZONE))
        where = condition_of(self.spark, condition, schema, zone, filtered).pushed
        if where is None or zone != self.state.table.time_zone:  # set since the rows were planned
            return self.files
        tasks = Scan(self.state, Query(where, ()), engine=spark_engine(self.spark))
        return self.files.intersection(file.name for task in tasks for file in task.files)


def _is_cached(frame: DataFrame) -> bool:
    level = frame.storageLevel
    return level.useMemory or level.useDisk


def _by_spark(
    spark: Any, files: PlainFiles, base: str, alias: str, names: Sequence[str]
) -> DataFrame:
    """Return the rows of files that are not deleted; the last name is of the names of files."""
    sources = files.columns + files.partition
    stored = dict.fromkeys(each.stored for each in sources if each.stored is not None)
    reader = spark.read.schema(spark_schema(tuple(stored)))
    if files.partition:
        reader = reader.option("basePath", base)
    frame: DataFrame = reader.options(
        ignoreCorruptFiles=False,
        ignoreMissingFiles=False,
        mergeSchema=False,
        datetimeRebaseMode="CORRECTED",
        int96RebaseMode="CORRECTED",
    ).parquet(*map(_url, files.paths))
    frame = frame.alias(alias)
    at, values = frame.metadataColumn("_metadata"), _values(files, names[:-1])
    if not files.deleted:
        return frame.select(*values, at["file_name"]).toDF(*names)
    row = f"{names[-1]}_"
    frame = frame.select(*values, at["file_name"], at["row_index"]).toDF(*names, row)
    deleted = {
        names[-1]: pa.concat_arrays(
            [pa.repeat(name, len(rows)) for name, rows in files.deleted.items()]
        ),
        row: to_arrow_array(np.concatenate([*files.deleted.values()])),
    }
    # By names: Spark 4.0 resolves no condition on `_metadata` in a join.
    others = F.broadcast(spark.createDataFrame(pa.table(deleted)))
    return frame.join(others, [*deleted], "left_anti").select(*map(quote, names))


def _values(files: PlainFiles, names: Iterable[str]) -> list[Column | str]:
    """Return these columns of a table, from those of files, without their names."""
    values = {each.column.name: _value(each) for each in files.columns + files.partition}
    return [values[name] for name in names]


def _value(source: Source) -> Column | str:
    column, stored = source.column, source.stored
    if stored is None:
        value = F.lit(None)
    elif stored.type.root in FLOATS:
        value = F.nanvl(quote(stored.name), quote(stored.name))  # no filter is pushed to statistics
    elif column.type.root == "DATE" and stored.type.root == "INT":
        value = F.date_from_unix_date(quote(stored.name))
    elif stored.type == column.type.with_nullable(True):
        return quote(stored.name)  # a third of the time of a cast to the same type
    else:
        value = F.col(quote(stored.name))
    return value.cast(spark_type(column.type))


def by_workers(spark: Any, parts: Sequence[Any], reader: Any, schema: StructType) -> DataFrame:
    """Return the rows that `reader.read` returns of parts, in a partition for each."""
    sent = [*map(pickle.dumps, parts)]

    def rows(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            for number in batch.column(0).to_pylist():
                yield from reader.read(pickle.loads(sent[number]))

    numbers = spark.range(0, len(sent), 1, len(sent))
    frame: DataFrame = numbers.mapInArrow(rows, schema)
    return frame


def _url(path: str) -> str:
    """Return a local path in the form of Hadoop, which decodes nothing in it."""
    return f"file:{os.path.abspath(local_path(path) or path)}"  # noqa: PTH100 - keeps links
