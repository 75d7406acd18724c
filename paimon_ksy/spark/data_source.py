"""Tables as a Spark data source.

    register(spark)
    spark.read.format("paimon_ksy").option("where", "status = 'PENDING'").load("/data/orders")

Its options are in docs/reference/spark.md, and in `options.py`.

The data source does not accept Spark's own filters (`pushFilters` is not defined), because Spark
passes the files that one filter kept to the next query without that filter. Spark filters the
returned rows itself.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, NoReturn

from paimon_ksy.errors import OptionError, UnsupportedError
from paimon_ksy.messages.install import how_to_install
from paimon_ksy.spark.options import OF_CATALOG, OF_STREAMS, Options, of_catalog_table
from paimon_ksy.spark.workers import by_value, in_one_line

try:
    from pyspark.sql.datasource import DataSource
    from pyspark.sql.types import StructType
except ImportError as error:
    raise ImportError(
        f"paimon_ksy.spark.data_source needs pyspark 4 ({error}): {how_to_install('spark')}"
    ) from None

if TYPE_CHECKING:
    from paimon_ksy.spark.reader import PaimonReader
    from paimon_ksy.spark.stream import PaimonStreamReader

FORMAT = "paimon_ksy"


def register(spark: Any) -> None:
    """Register the format `paimon_ksy` and the table functions of SQL in a session.

    `paimon_explain` takes literals without a time zone in that which the session has now.

    Raises:
        UnsupportedError: The session is of Spark 3.
    """
    from paimon_ksy.spark.functions import register_functions

    register_format(spark)
    register_functions(spark)


def register_format(spark: Any) -> None:
    """Register the format, unless Spark has discovered it: see `register`."""
    from paimon_ksy.table.engine.session import checked_session

    load = by_value(PaimonDataSource)

    class Sent(DataSource):
        @classmethod
        def name(cls) -> str:
            return FORMAT

        def __new__(cls, options: dict[str, str]) -> Any:
            return load(options)

    try:
        checked_session(spark).dataSource.register(Sent)
    except Exception as error:  # Spark Connect has its own error classes
        if "DATA_SOURCE_ALREADY_EXISTS" not in str(error):
            raise


_METADATA = "paimon_ksy.file_index.options"


class PaimonDataSource(DataSource):
    """The format `paimon_ksy`, which `register` adds to a session."""

    @classmethod
    def name(cls) -> str:
        """Return the name of the format for `spark.read.format` and `USING`."""
        return FORMAT

    @in_one_line()
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

    @in_one_line()
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

    @in_one_line()
    def streamReader(self, schema: StructType) -> PaimonStreamReader:
        """Return a reader of the rows that snapshots add.

        Raises:
            UnsupportedError: The table has a primary key, or data evolution.
            OptionError: An option is of batch reads only.
        """
        from paimon_ksy.spark.reader import PaimonReader
        from paimon_ksy.spark.stream import PaimonStreamReader

        return PaimonStreamReader(PaimonReader(Options.of(self.options), schema))

    @in_one_line()
    def writer(self, schema: StructType, overwrite: bool) -> NoReturn:
        """Raise UnsupportedError, since the data source only reads."""
        raise UnsupportedError(
            f"{FORMAT} only reads: write with Paimon's own connector or pypaimon"
        )
