"""A table as a Polars LazyFrame."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import closing
from typing import TYPE_CHECKING, Unpack

import pyarrow.compute as pc

from paimon_ksy.predicates.superset import superset
from paimon_ksy.predicates.tree import Predicate
from paimon_ksy.table.dataset.rows import TableRows
from paimon_ksy.table.engine import Engine
from paimon_ksy.table.query.query import Query, VersionArguments
from paimon_ksy.table.query.read import QueryStats
from paimon_ksy.table.store import TableOrPath

if TYPE_CHECKING:
    import polars as pl


def scan_polars(
    table: TableOrPath,
    where: str | Predicate | pc.Expression | None = None,
    columns: Sequence[str] | None = None,
    *,
    engine: Engine | None = None,
    stats: QueryStats | None = None,
    **version: Unpack[VersionArguments],
) -> pl.LazyFrame:
    """Return a Polars LazyFrame of a table's rows in one snapshot, by default the latest.

    Polars pushes down the columns and the filter of a query. The supported parts of the filter skip
    partitions, files and rows. Afterwards, the whole filter is applied to the rows. The arguments
    are those of `query`; `stats` counts the cost of all reads.

    Raises:
        PredicateError, PaimonKsyError: The predicate does not fit the table, or its metadata cannot
            be read.
    """
    import polars as pl
    from polars.io.plugins import register_io_source

    from paimon_ksy.predicates.from_polars import predicate_from_polars

    rows = TableRows.of(table, Query(where, columns, **version), engine, stats)
    empty = pl.from_arrow(rows.query.arrow_schema.empty_table())
    assert isinstance(empty, pl.DataFrame)
    dtypes = empty.schema

    def frames(
        with_columns: list[str] | None,
        predicate: pl.Expr | None,
        n_rows: int | None,
        batch_size: int | None,
    ) -> Generator[pl.DataFrame]:
        columns = list(rows.query.columns) if with_columns is None else with_columns
        needed = list(columns)
        narrowed = None
        if predicate is not None:
            needed += predicate.meta.root_names()
            if n_rows is None:  # otherwise, the limit would apply before the predicate
                translated = predicate_from_polars(predicate, rows.schema, dtypes)
                narrowed, _ = superset(translated, rows.schema)
        names = tuple(dict.fromkeys(needed)) or rows.query.columns[:1]
        with closing(rows.batches(narrowed, names, n_rows)) as batches:
            for batch in batches:
                frame = pl.from_arrow(batch)
                assert isinstance(frame, pl.DataFrame)
                if predicate is not None:
                    frame = frame.filter(predicate)
                yield frame.select(columns)

    return register_io_source(frames, schema=dtypes, is_pure=True)
