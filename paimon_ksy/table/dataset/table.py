"""The public class Table, which passes rows to other tools."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from typing import TYPE_CHECKING, Any, Unpack, cast

import pyarrow.compute as pc

from paimon_ksy.predicates.tree import Predicate
from paimon_ksy.table import store
from paimon_ksy.table.engine import Engine, job_engine
from paimon_ksy.table.query.plan import plan_query
from paimon_ksy.table.query.query import Query, QueryArguments, VersionArguments
from paimon_ksy.table.query.read import QueryStats, batches, query
from paimon_ksy.types import typed_arrow as pa

if TYPE_CHECKING:
    import pandas as pd

    from paimon_ksy.table.dataset.dataset import TableDataset


class ReadOptions(QueryArguments, total=False):
    """Keyword arguments of `query` that methods of a table accept."""

    engine: Engine | None
    stats: QueryStats | None


class Table(store.Table):
    """A Paimon table: open it with `Table.at(path)` or `Table.of_catalog(options, identifier)`.

    The methods of this class return rows. Their arguments are those of `query`, which returns an
    Arrow table. `paimon_ksy.table.store.Table` describes the attributes.
    """

    def to_dataset(
        self,
        where: str | Predicate | pc.Expression | None = None,
        columns: Sequence[str] | None = None,
        *,
        engine: Engine | None = None,
        stats: QueryStats | None = None,
        **version: Unpack[VersionArguments],
    ) -> TableDataset:
        """Return a `pyarrow.dataset.Dataset` of the rows that match in one snapshot.

        Raises:
            PredicateError, SchemaError, PaimonKsyError: An argument does not fit, or metadata
                cannot be read.
        """
        from paimon_ksy.table.dataset.dataset import TableDataset
        from paimon_ksy.table.dataset.rows import TableRows

        rows = TableRows.of(self, Query(where, columns, **version), engine, stats)
        return TableDataset(rows)

    def to_batches(
        self,
        where: str | Predicate | pc.Expression | None = None,
        columns: Sequence[str] | None = None,
        **options: Unpack[ReadOptions],
    ) -> Generator[pa.RecordBatch]:
        """Yield the rows that match as record batches, without keeping any in memory.

        Raises:
            PredicateError, SchemaError, PaimonKsyError: An argument does not fit, or a file cannot
                be read.
        """
        return self._rows(where, columns, options)[1]

    def to_record_batch_reader(
        self,
        where: str | Predicate | pc.Expression | None = None,
        columns: Sequence[str] | None = None,
        **options: Unpack[ReadOptions],
    ) -> pa.RecordBatchReader:
        """Return the rows that match as a RecordBatchReader, without keeping them in memory.

        Raises:
            PredicateError, SchemaError, PaimonKsyError: An argument does not fit, or metadata
                cannot be read.
        """
        return pa.RecordBatchReader.from_batches(*self._rows(where, columns, options))

    def to_pandas(
        self,
        where: str | Predicate | pc.Expression | None = None,
        columns: Sequence[str] | None = None,
        **options: Unpack[ReadOptions],
    ) -> pd.DataFrame:
        """Return the rows that match as a pandas DataFrame.

        Raises:
            PredicateError, SchemaError, PaimonKsyError: An argument does not fit, or a file cannot
                be read.
        """
        return query(self, where, columns, **options).to_pandas()

    # Metadata --

    def files(self, snapshot_id: int | None = None, tag: str | None = None) -> pa.Table:
        """Return the live data files of a snapshot, by default the latest, from its manifests.

        Raises:
            PaimonKsyError: The snapshot does not exist, or a manifest cannot be read.
        """
        from paimon_ksy.table.inspect.metadata_tables import files_table

        return files_table(self, self.snapshot(snapshot_id, tag))

    def indexes(
        self,
        snapshot_id: int | None = None,
        tag: str | None = None,
        *,
        engine: Engine | None = None,
        spark: Any = None,
    ) -> pa.Table:
        """Return the file indexes of the live data files, with a row for each column and type.

        It reads the head of each index. One that cannot be read is a row with its error.

        Raises:
            PaimonKsyError: The snapshot does not exist, or a manifest cannot be read.
        """
        engine = job_engine(engine, spark, "indexes", self.location)
        from paimon_ksy.table.inspect.metadata_tables import indexes_table

        return indexes_table(self, self.snapshot(snapshot_id, tag), engine)

    def partitions(self, snapshot_id: int | None = None, tag: str | None = None) -> pa.Table:
        """Return the partitions of a snapshot, with the columns of Java's `$partitions`.

        Raises:
            PaimonKsyError: The snapshot does not exist, or a manifest cannot be read.
        """
        from paimon_ksy.table.inspect.metadata_tables import partitions_table

        return partitions_table(self, self.snapshot(snapshot_id, tag))

    def tags(self) -> pa.Table:
        """Return the tags and their snapshots, named as in Java's `$tags`.

        Raises:
            PaimonKsyError: A tag cannot be read.
        """
        return self.snapshots.table_of_tags()

    def vectors(self, snapshot_id: int | None = None, tag: str | None = None) -> pa.Table:
        """Return the deletion vectors of a snapshot: the files that they are in, and their places.

        Raises:
            PaimonKsyError: The snapshot does not exist, or its index manifest cannot be read.
        """
        from paimon_ksy.table.inspect.metadata_tables import vectors_table

        return vectors_table(self, self.snapshot(snapshot_id, tag))

    def _rows(
        self, where: Any, columns: Sequence[str] | None, options: ReadOptions
    ) -> tuple[pa.Schema, Generator[pa.RecordBatch]]:
        asked = {name: value for name, value in options.items() if name not in _OF_ENGINE}
        engine = options.get("engine")
        planned = plan_query(self, Query(where, columns, **cast("Any", asked)), engine=engine)
        return planned.query.arrow_schema, batches(planned, engine, stats=options.get("stats"))


_OF_ENGINE = ("engine", "stats")
