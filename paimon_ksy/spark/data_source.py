"""Tables as a Spark data source, and the helper `read`.

    register(spark)
    spark.read.format("paimon_ksy").option("where", "status = 'PENDING'").load("/data/orders")

Its options are in docs/reference/spark.md, and in `_PARSERS`.

The data source does not accept Spark's own filters (`pushFilters` is not defined), because Spark
passes the files that one filter kept to the next query without that filter. Spark filters the
returned rows itself.
"""

from __future__ import annotations

import json
import os
import pickle
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import TYPE_CHECKING, Any, NoReturn, Unpack, cast

import pyarrow as pa

from paimon_ksy.errors import OptionError, SchemaError, UnsupportedError, none_of
from paimon_ksy.messages.install import how_to_install
from paimon_ksy.messages.log import LOG

try:
    from pyspark.sql.datasource import DataSource, DataSourceReader, InputPartition
    from pyspark.sql.types import StructType
except ImportError as error:
    raise ImportError(
        f"paimon_ksy.spark.data_source needs pyspark 4 ({error}): {how_to_install('spark')}"
    ) from None

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from paimon_ksy.spark.stream import PaimonStreamReader
    from paimon_ksy.table.model.files import TableSchema
    from paimon_ksy.table.query.plan import State
    from paimon_ksy.table.query.query import VersionArguments
    from paimon_ksy.table.query.tasks import Task
    from paimon_ksy.table.store import Table, TableOrPath
    from paimon_ksy.types.schema import Field

__all__ = ["PaimonDataSource", "read", "read_stream", "register"]

FORMAT = "paimon_ksy"

_TARGET_SIZE = "source.split.target-size", "128 mb"
_OPEN_COST = "source.split.open-file-cost", "4 mb"

_LARGE = 1 << 30
"""Bytes of data files from which on a scan without a condition logs a warning."""


def register(spark: Any) -> None:
    """Register the format `paimon_ksy` in a session, unless it is already registered.

    `spark.dataSource.register(PaimonDataSource)` does the same, but Spark 4.0 refuses it if this
    package is installed, since Spark has then discovered the data source itself.

    Raises:
        UnsupportedError: The session is of Spark 3.
    """
    from paimon_ksy.table.engine.session import checked_session

    checked_session(spark)
    try:
        spark.dataSource.register(PaimonDataSource)
    except Exception as error:  # Spark Connect has its own error classes
        if "DATA_SOURCE_ALREADY_EXISTS" not in str(error):
            raise


def read(
    spark: Any,
    table: TableOrPath,
    where: Any = None,
    columns: Sequence[str] | None = None,
    limit: int | None = None,
    *,
    catalog: Mapping[str, str] | None = None,
    **version: Unpack[VersionArguments],
) -> DataFrame:
    """Return a DataFrame of the rows of a table, and register the data source if necessary.

    Spark opens the table only when it needs the schema, so errors are raised then. Literals without
    a time zone are in that of the table, or else of the session.

    Args:
        spark: A session, possibly of Spark Connect.
        table: A table, or its path or URL; with `catalog`, its name.
        where: SQL, a predicate, or a pyarrow.compute expression.
        columns: The columns to read; the default is all.
        limit: The maximum number of rows to read.
        catalog: Options of a pypaimon catalog.
        version: One of `snapshot_id`, `tag`, `as_of` and `between` (see `paimon_ksy.query`).
    """
    given: dict[str, Any] = {"limit": limit}
    given |= {name.replace("_", "-"): value for name, value in version.items()}
    if (between := version.get("between")) is not None:
        given["between"] = ",".join(map(str, between))
    options = _options_of(spark, table, where, columns, catalog, given)
    return cast("DataFrame", spark.read.format(FORMAT).options(**options).load())


def read_stream(
    spark: Any,
    table: TableOrPath,
    where: Any = None,
    columns: Sequence[str] | None = None,
    *,
    from_snapshot: int | str | None = None,
    snapshots_per_trigger: int | None = None,
    skip_changes: bool = False,
    catalog: Mapping[str, str] | None = None,
) -> DataFrame:
    """Return a streaming DataFrame of the rows of an append table (see `read`).

    By default, the first batch has all rows, and the following ones have the rows that are added.

    Args:
        spark: A session, possibly of Spark Connect.
        table: A table, or its path or URL; with `catalog`, its name.
        where: SQL, a predicate, or a pyarrow.compute expression.
        columns: The columns to read; the default is all.
        from_snapshot: Begin with the rows that this snapshot adds, or with those that are added
            later if it is `latest`.
        snapshots_per_trigger: The maximum number of snapshots in a batch.
        skip_changes: Whether to leave out snapshots that delete or replace rows. By default, they
            are an error.
        catalog: Options of a pypaimon catalog.
    """
    given = {"from-snapshot": from_snapshot, "snapshots-per-trigger": snapshots_per_trigger}
    changes = {"skip-changes": "true"} if skip_changes else {}
    options = _options_of(spark, table, where, columns, catalog, {**given, **changes})
    return cast("DataFrame", spark.readStream.format(FORMAT).options(**options).load())


def _options_of(
    spark: Any,
    table: TableOrPath,
    where: Any,
    columns: Sequence[str] | None,
    catalog: Mapping[str, str] | None,
    given: Mapping[str, Any],
) -> dict[str, str]:
    """Return the options of the data source, and register it."""
    if isinstance(columns, str):
        raise SchemaError(f"columns must be a list of names such as [{columns!r}]")
    from paimon_ksy.table.engine.session import context_of
    from paimon_ksy.table.store import Table

    register(spark)
    zone = None
    if isinstance(table, Table):
        zone = table.time_zone
        table, catalog = table.opened.origin
    options: dict[str, str] = {"table": os.fspath(table)}
    if (context := context_of(spark)) is not None:
        options["parallelism"] = str(context.defaultParallelism)
    if where is not None or given.get("as-of") is not None:
        options["time-zone"] = zone or spark.conf.get("spark.sql.session.timeZone")
    if where is not None:
        options["where"] = _sql(where)
    if columns is not None:
        options["columns"] = json.dumps(list(columns))
    options |= {name: str(value) for name, value in given.items() if value is not None}
    return options | {f"catalog.{key}": value for key, value in (catalog or {}).items()}


def _sql(where: Any) -> str:
    """Return the predicate as SQL, since options contain text."""
    from paimon_ksy.predicates.tree import Predicate

    if isinstance(where, str):
        return where
    if isinstance(where, Predicate):
        return repr(where)
    from paimon_ksy.predicates.from_arrow import predicate_from_arrow

    return repr(predicate_from_arrow(where))


@dataclass(frozen=True)
class _Options:
    table: str
    where: str | None = None
    time_zone: str | None = None
    columns: tuple[str, ...] | None = None
    snapshot_id: int | None = None
    tag: str | None = None
    as_of: str | None = None
    between: tuple[int, int] | None = None
    limit: int | None = None
    split_size: int | None = None
    parallelism: int = 1
    from_snapshot: str | None = None
    snapshots_per_trigger: int | None = None
    skip_changes: bool = False
    catalog: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, options: Mapping[str, str]) -> _Options:
        """Parse the options that Spark passes, with lower-case keys. Raises OptionError."""
        given = {key.lower(): value for key, value in options.items()}
        if _OF_CATALOG in given:
            given = _of_catalog_table(given)
        catalog = {
            key.removeprefix("catalog."): given.pop(key)
            for key in list(given)
            if key.startswith("catalog.")
        }
        path = given.pop("path", None)
        name = given.pop("table", path)
        if "paths" in given:  # Spark's key for a list of paths
            raise OptionError("several paths are given: load one table, and join them by union")
        if name is None:
            raise OptionError(
                "no table is named: pass its path to load(), or the option 'table'; write "
                "CREATE TABLE without columns, because the table has them"
            )
        if unknown := sorted(given.keys() - _PARSERS.keys()):
            names = ("table", *_PARSERS, "catalog.KEY")
            raise OptionError(f"no option {unknown[0]!r}{none_of(unknown[0], 'there are', names)}")
        parsed = {key.replace("-", "_"): _PARSERS[key](value, key) for key, value in given.items()}
        return cls(table=name, catalog=catalog, **parsed)

    def open(self) -> Table:
        """Return the table. Raises PaimonKsyError."""
        from paimon_ksy.table.store import Table, pypaimon_options

        table = Table.named(self.table, pypaimon_options(self.catalog))
        return table.with_time_zone(self.time_zone)

    @property
    def state(self) -> State:
        """The state of the table to read. Raises PaimonKsyError."""
        from paimon_ksy.table.query.plan import State
        from paimon_ksy.table.query.query import Query

        query = Query(
            snapshot_id=self.snapshot_id, tag=self.tag, as_of=self.as_of, between=self.between
        )
        return State.of(self.open(), query)

    def fields(self, schema: TableSchema) -> list[Field]:
        """Return the columns of the rows to read. Raises SchemaError."""
        from paimon_ksy.table.query.query import Query

        bound = Query(columns=self.columns).bind(schema, "UTC")
        return [bound.schema.columns.column(name) for name in bound.columns]


_OF_CATALOG = "provider"
"""An option that Spark adds to those of a table in its catalog."""

_METADATA = "paimon_ksy.file_index.options"


def _of_catalog_table(given: Mapping[str, str]) -> dict[str, str]:
    """Return the options of CREATE TABLE, which Spark stores as `option.KEY` with its own."""
    options = {
        key.removeprefix("option."): value
        for key, value in given.items()
        if key.startswith("option.")
    }
    if "table" not in options and "location" in given:
        options["path"] = given["location"]
    return options


def _text(value: str, option: str) -> str:
    return value


def _count(value: str, option: str) -> int:
    if not value.strip().isdecimal():
        raise OptionError(f"option {option}: {value!r} is not a whole number")
    return int(value)


def _positive(value: str, option: str) -> int:
    if not (number := _count(value, option)):
        raise OptionError(f"option {option}: {value!r} is not a number from 1")
    return number


def _flag(value: str, option: str) -> bool:
    if value.lower() not in ("true", "false"):
        raise OptionError(f"option {option}: {value!r} is neither true nor false")
    return value.lower() == "true"


def _rows(value: str, option: str) -> int:
    return min(_count(value, option), sys.maxsize)  # the largest number in Arrow


def _size(value: str, option: str) -> int:
    from paimon_ksy.file_index.options import parse_memory_size

    return parse_memory_size(value, option)


def _pair(value: str, option: str) -> tuple[int, int]:
    numbers = value.split(",")
    if len(numbers) != 2:
        raise OptionError(f"option {option}: write two snapshots, such as '3,5', not {value!r}")
    return _count(numbers[0], option), _count(numbers[1], option)


def _list(value: str, option: str) -> tuple[str, ...]:
    if value.lstrip().startswith("["):
        try:
            names = json.loads(value)
        except ValueError as error:
            raise OptionError(f"option {option}: not a JSON array: {error}") from None
    else:
        names = [name.strip() for name in value.split(",") if name.strip()]
    if not names or not all(isinstance(name, str) for name in names):
        # Without columns, Spark would see no rows.
        raise OptionError(f"option {option}: write the names of columns")
    return tuple(names)


_PARSERS: dict[str, Callable[[str, str], Any]] = {
    "where": _text,
    "time-zone": _text,
    "columns": _list,
    "snapshot-id": _count,
    "tag": _text,
    "as-of": _text,
    "between": _pair,
    "limit": _rows,
    "split-size": _size,
    "parallelism": _positive,
    "from-snapshot": lambda value, key: value if value == "latest" else str(_count(value, key)),
    "snapshots-per-trigger": _positive,
    "skip-changes": _flag,
}
_OF_STREAMS = ("from-snapshot", "snapshots-per-trigger", "skip-changes")


class PaimonDataSource(DataSource):
    """The format `paimon_ksy`, which `register` adds to a session."""

    @classmethod
    def name(cls) -> str:
        """Return the name of the format for `spark.read.format` and `USING`."""
        return FORMAT

    def schema(self) -> StructType:
        """Return all columns of the table, or those of the option `columns`.

        Raises:
            PaimonKsyError: The table cannot be opened, or an option has a bad value.
        """
        from paimon_ksy.spark.types import spark_schema

        options = _Options.of(self.options)
        declared = spark_schema(options.fields(options.state.schema))
        if _OF_CATALOG in self.options and declared.fields:
            # Spark then requests a reader without the options, but with the schema that it got.
            declared.fields[0].metadata[_METADATA] = json.dumps(dict(self.options))
        return declared

    def reader(self, schema: StructType) -> PaimonReader:
        """Return a reader of the columns that Spark requests. Raises OptionError."""
        options = dict(self.options)
        kept = [field.metadata[_METADATA] for field in schema.fields if _METADATA in field.metadata]
        if kept:
            options = {**_of_catalog_table(json.loads(kept[0])), **options}
        if streaming := [name for name in _OF_STREAMS if name in self.options]:
            raise OptionError(f"option {streaming[0]} is of streams: use spark.readStream")
        return PaimonReader(_Options.of(options), schema)

    def streamReader(self, schema: StructType) -> PaimonStreamReader:
        """Return a reader of the rows that snapshots add.

        Raises:
            UnsupportedError: The table has a primary key, or data evolution.
            OptionError: An option is of batch reads only.
        """
        from paimon_ksy.spark.stream import PaimonStreamReader

        return PaimonStreamReader(PaimonReader(_Options.of(self.options), schema))

    def writer(self, schema: StructType, overwrite: bool) -> NoReturn:
        """Raise UnsupportedError, since the data source only reads."""
        raise UnsupportedError(
            f"{FORMAT} only reads: write with Paimon's own connector or pypaimon"
        )


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
    from paimon_ksy.table.query.file_task import FileTask

    if not isinstance(task, FileTask):
        return task
    return replace(task, data=task.data.without_statistics())


@dataclass
class PaimonReader(DataSourceReader):
    """A reader that plans on the driver, and reads in the tasks."""

    options: _Options
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
        from paimon_ksy.data_files.data_file import ReadStats
        from paimon_ksy.file_index.container import bound_predicate
        from paimon_ksy.spark.types import columns_asked
        from paimon_ksy.table.query.plan import plan_query
        from paimon_ksy.table.query.query import Query, selectable
        from paimon_ksy.table.query.run import FEW, Runner

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
        planned = plan_query(state, Query(where, columns, limit=options.limit))
        run = replace(Runner.of(state.table, None, ReadStats(), None), asks=FEW)
        return run.left_by_indexes(planned)

    def groups(self, table: Table, tasks: Iterable[Task]) -> Sequence[Files]:
        """Return partitions of the tasks."""
        from paimon_ksy.table.engine.protocol import packed

        options = self.options
        if options.limit is not None:
            return [Files.of(_enough(tasks, options.limit))]
        target = options.split_size
        if target is None:
            target = _size(table.options.get(*_TARGET_SIZE), _TARGET_SIZE[0])
        cost = _size(table.options.get(*_OPEN_COST), _OPEN_COST[0])
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
        from paimon_ksy.data_files.data_file import ReadStats
        from paimon_ksy.spark.types import arrow_schema, spark_batch
        from paimon_ksy.table.query.tasks import read_tasks

        if not isinstance(partition, Files):  # Spark's own partition, if no file is left
            return
        pa.set_cpu_count(1)  # since Spark runs a task per core
        schema = arrow_schema(self.asked)
        for batch in read_tasks(partition.tasks, self.options.limit, ReadStats()):
            yield spark_batch(batch, schema)


def _enough(tasks: Iterable[Task], limit: int) -> Iterator[Task]:
    """Yield enough tasks to certainly have `limit` rows, or all."""
    rows = 0
    for task in tasks:
        if rows >= limit:
            return
        yield task
        rows += task.known_count or 0
