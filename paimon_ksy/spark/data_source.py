"""Tables as a Spark data source, and the helper `read`.

    register(spark)
    spark.read.format("paimon_ksy").option("where", "status = 'PENDING'").load("/data/orders")

Its options are in docs/reference/spark.md, and in `options.py`.

The data source does not accept Spark's own filters (`pushFilters` is not defined), because Spark
passes the files that one filter kept to the next query without that filter. Spark filters the
returned rows itself.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NoReturn, TypedDict, Unpack, cast

from paimon_ksy.errors import OptionError, SchemaError, UnsupportedError
from paimon_ksy.messages.install import how_to_install
from paimon_ksy.spark.options import OF_CATALOG, OF_STREAMS, Options, of_catalog_table

try:
    from pyspark.sql.datasource import DataSource
    from pyspark.sql.types import StructType
except ImportError as error:
    raise ImportError(
        f"paimon_ksy.spark.data_source needs pyspark 4 ({error}): {how_to_install('spark')}"
    ) from None

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from paimon_ksy.spark.reader import PaimonReader
    from paimon_ksy.spark.stream import PaimonStreamReader
    from paimon_ksy.table.query.query import VersionArguments
    from paimon_ksy.table.store import TableOrPath

__all__ = ["PaimonDataSource", "read", "read_stream", "register"]

FORMAT = "paimon_ksy"


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


class StreamArguments(TypedDict, total=False):
    """Keyword arguments of a stream.

    Attributes:
        from_snapshot: Begin with the rows that this snapshot adds, or with those that are added
            later if it is `latest`.
        snapshots_per_trigger: The maximum number of snapshots in a batch.
        skip_changes: Whether to leave out snapshots that delete or replace rows. By default, they
            are an error.
    """

    from_snapshot: int | str | None
    snapshots_per_trigger: int | None
    skip_changes: bool


def read_stream(
    spark: Any,
    table: TableOrPath,
    where: Any = None,
    columns: Sequence[str] | None = None,
    *,
    catalog: Mapping[str, str] | None = None,
    **start: Unpack[StreamArguments],
) -> DataFrame:
    """Return a streaming DataFrame of the rows of an append table (see `read`).

    By default, the first batch has all rows, and the following ones have the rows that are added.

    Args:
        spark: A session, possibly of Spark Connect.
        table: A table, or its path or URL; with `catalog`, its name.
        where: SQL, a predicate, or a pyarrow.compute expression.
        columns: The columns to read; the default is all.
        catalog: Options of a pypaimon catalog.
        start: Where the stream begins, and how it goes on (see `StreamArguments`).
    """
    given = {name.replace("_", "-"): value for name, value in start.items()}
    given["skip-changes"] = "true" if start.get("skip_changes") else None
    options = _options_of(spark, table, where, columns, catalog, given)
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


_METADATA = "paimon_ksy.file_index.options"


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

        options = Options.of(self.options)
        declared = spark_schema(options.fields(options.state.schema))
        if OF_CATALOG in self.options and declared.fields:
            # Spark then requests a reader without the options, but with the schema that it got.
            declared.fields[0].metadata[_METADATA] = json.dumps(dict(self.options))
        return declared

    def reader(self, schema: StructType) -> PaimonReader:
        """Return a reader of the columns that Spark requests. Raises OptionError."""
        from paimon_ksy.spark.reader import PaimonReader

        options = dict(self.options)
        kept = [field.metadata[_METADATA] for field in schema.fields if _METADATA in field.metadata]
        if kept:
            options = {**of_catalog_table(json.loads(kept[0])), **options}
        if streaming := [name for name in OF_STREAMS if name in self.options]:
            raise OptionError(f"option {streaming[0]} is of streams: use spark.readStream")
        return PaimonReader(Options.of(options), schema)

    def streamReader(self, schema: StructType) -> PaimonStreamReader:
        """Return a reader of the rows that snapshots add.

        Raises:
            UnsupportedError: The table has a primary key, or data evolution.
            OptionError: An option is of batch reads only.
        """
        from paimon_ksy.spark.reader import PaimonReader
        from paimon_ksy.spark.stream import PaimonStreamReader

        return PaimonStreamReader(PaimonReader(Options.of(self.options), schema))

    def writer(self, schema: StructType, overwrite: bool) -> NoReturn:
        """Raise UnsupportedError, since the data source only reads."""
        raise UnsupportedError(
            f"{FORMAT} only reads: write with Paimon's own connector or pypaimon"
        )
