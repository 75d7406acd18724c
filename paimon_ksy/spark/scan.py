"""A scan by Spark's own Parquet reader of all files that it reads like Java.

So Spark chooses columns, row groups and pages, and no row passes through a Python worker. The rows
of other files come from `PaimonReader`, by `mapInArrow`.
"""

from __future__ import annotations

import os
import pickle
from collections.abc import Iterable, Iterator, Sequence
from functools import reduce
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
from pyspark.sql import functions as F

from paimon_ksy.io.urls import local_path
from paimon_ksy.spark.options import Options
from paimon_ksy.spark.reader import PaimonReader, enough, planned
from paimon_ksy.spark.types import spark_schema, spark_type
from paimon_ksy.table.engine.session import context_of
from paimon_ksy.table.query.plain_files import FLOATS, PlainFiles, Source, split
from paimon_ksy.table.query.query import Query
from paimon_ksy.types.arrays import to_arrow_array
from paimon_ksy.types.data_type import DataType, quote

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

    from paimon_ksy.predicates.tree import Predicate
    from paimon_ksy.spark.reader import Files
    from paimon_ksy.table.query.plan import State

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
) -> DataFrame:
    """Return the rows of the files that a plan keeps, which may include some that do not match.

    Raises:
        PaimonKsyError: The table cannot be read.
        Exception: One of Spark, if a file does not exist.
    """
    names = state.schema.columns.names if columns is None else tuple(columns)
    schema = spark_schema([state.schema.columns.column(name) for name in names])
    tasks = planned(state, Query(where, names, limit=limit))
    plain, others = split(state, tasks if limit is None else enough(tasks, limit), names)
    threshold = spark.conf.get(_THRESHOLD)
    try:
        count = sum(len(files.paths) for files in plain)
        spark.conf.set(_THRESHOLD, str(max(count, int(threshold))))
        base = _url(state.table.location)
        frames = [_by_spark(spark, files, base).select(*_values(files, names)) for files in plain]
    finally:
        spark.conf.set(_THRESHOLD, threshold)
    if others:
        context = context_of(spark)
        parallelism = 1 if context is None else context.defaultParallelism
        reader = PaimonReader(Options(state.table.location, parallelism=parallelism), schema)
        frames.append(_by_reader(spark, reader, reader.groups(state.table, others)))
    frame: DataFrame = reduce(
        lambda one, other: one.union(other), frames or [spark.createDataFrame([], schema)]
    )
    return frame if limit is None else frame.limit(limit)


def _by_spark(spark: Any, files: PlainFiles, base: str) -> DataFrame:
    """Return the rows of files that are not deleted, in the columns of the files."""
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
    if not files.deleted:
        return frame
    names = pa.concat_arrays([pa.repeat(name, len(rows)) for name, rows in files.deleted.items()])
    rows = to_arrow_array(np.concatenate([*files.deleted.values()]))
    deleted = spark.createDataFrame(pa.table({"file": names, "row": rows}))
    at = frame.metadataColumn("_metadata")
    is_deleted = (at["file_name"] == deleted["file"]) & (at["row_index"] == deleted["row"])
    return frame.join(F.broadcast(deleted), is_deleted, "left_anti")


def _values(files: PlainFiles, names: Iterable[str]) -> list[Column]:
    """Return these columns of a table, from those of files."""
    values = {each.column.name: _value(each) for each in files.columns + files.partition}
    return [values[name] for name in names]


def _value(source: Source) -> Column:
    column, kind = source.column, spark_type(source.column.type)
    if source.stored is None:
        return F.lit(None).cast(kind).alias(column.name)
    value = F.col(quote(source.stored.name))
    if source.stored.type.root in FLOATS:
        value = F.nanvl(value, value)  # so that filters are not pushed to statistics
    elif column.type.root == "DATE" and source.stored.type.root == "INT":
        value = F.date_from_unix_date(value)
    return value.cast(kind).alias(column.name)


def _by_reader(spark: Any, reader: PaimonReader, groups: Sequence[Files]) -> DataFrame:
    """Return the rows of our reader, in a partition for each group."""
    pickled, sent = pickle.dumps(reader), [*map(pickle.dumps, groups)]

    def rows(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        import pickle  # the function is sent by value, and refers to no module of ours

        try:
            reading = pickle.loads(pickled)
        except ModuleNotFoundError as error:
            raise ImportError(
                f"Spark's Python workers lack a package ({error}): set PYSPARK_PYTHON to the "
                "driver's Python, or send the package with --py-files"
            ) from None
        for batch in batches:
            for number in batch.column(0).to_pylist():
                yield from reading.read(pickle.loads(sent[number]))

    numbers = spark.range(0, len(sent), 1, len(sent))
    frame: DataFrame = numbers.mapInArrow(rows, reader.asked)
    return frame


def _url(path: str) -> str:
    """Return a local path in the form of Hadoop, which decodes nothing in it."""
    return f"file:{os.path.abspath(local_path(path) or path)}"  # noqa: PTH100 - keeps links
