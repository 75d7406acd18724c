"""The public class Table, which passes rows to other tools."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any, TypedDict, Unpack

import pyarrow as pa
import pyarrow.compute as pc

from paimon_ksy.evaluation.top_n import TopN
from paimon_ksy.predicates.tree import Predicate
from paimon_ksy.table import store
from paimon_ksy.table.engine import Engine, job_engine
from paimon_ksy.table.query.plan import Plan, plan_query
from paimon_ksy.table.query.query import Query
from paimon_ksy.table.query.read import QueryStats, batches, query

if TYPE_CHECKING:
    import pandas as pd

    from paimon_ksy.table.dataset.dataset import TableDataset


class ReadOptions(TypedDict, total=False):
    """Keyword arguments of `query` that methods of a table accept."""

    order_by: str | TopN | None
    limit: int | None
    snapshot_id: int | None
    tag: str | None
    as_of: str | datetime | None
    between: tuple[int, int] | None
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
        snapshot_id: int | None = None,
        tag: str | None = None,
        as_of: str | datetime | None = None,
        between: tuple[int, int] | None = None,
        engine: Engine | None = None,
        stats: QueryStats | None = None,
    ) -> TableDataset:
        """Return a `pyarrow.dataset.Dataset` of the rows that match in one snapshot.

        Raises:
            PredicateError, SchemaError, PaimonKsyError: An argument does not fit, or metadata
                cannot be read.
        """
        from paimon_ksy.table.dataset.dataset import TableDataset
        from paimon_ksy.table.dataset.rows import TableRows

        asked = Query(where, columns, None, None, snapshot_id, tag, as_of, between)
        return TableDataset(TableRows.of(self, asked, engine, stats))

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
        planned = self._plan(where, columns, options)
        return batches(planned, options.get("engine"), stats=options.get("stats"))

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
        planned = self._plan(where, columns, options)
        rows = batches(planned, options.get("engine"), stats=options.get("stats"))
        return pa.RecordBatchReader.from_batches(planned.query.arrow_schema, rows)

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

    def _plan(self, where: Any, columns: Sequence[str] | None, options: ReadOptions) -> Plan:
        names = "order_by", "limit", "snapshot_id", "tag", "as_of", "between"
        asked = Query(where, columns, *map(options.get, names))  # type: ignore[arg-type]
        return plan_query(self, asked, engine=options.get("engine"))
