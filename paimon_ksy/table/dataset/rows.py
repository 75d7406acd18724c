"""The rows of one state of a table for other tools, read again for each scan."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import dataclass
from functools import cached_property

import pyarrow as pa

from paimon_ksy.predicates.tree import And, Predicate
from paimon_ksy.table.engine import Engine
from paimon_ksy.table.query.plan import Plan, State, plan_query
from paimon_ksy.table.query.query import BoundQuery, Query
from paimon_ksy.table.query.read import QueryStats, batches, counted
from paimon_ksy.table.query.run import time_zone_of
from paimon_ksy.table.store import TableOrPath
from paimon_ksy.types.schema import Schema


@dataclass(frozen=True)
class TableRows:
    """The rows of a fixed state of a table.

    The query selects rows and their columns. Without an engine, this machine reads data files.
    """

    state: State
    query: BoundQuery
    engine: Engine | None
    stats: QueryStats | None

    @classmethod
    def of(
        cls,
        table: TableOrPath,
        asked: Query,
        engine: Engine | None = None,
        stats: QueryStats | None = None,
    ) -> TableRows:
        """Return the rows of a query without order and limit.

        Raises:
            PredicateError, SchemaError, PaimonKsyError: An argument does not fit the table, or its
                metadata cannot be read.
        """
        state = State.of(table, asked, engine)
        query = asked.bind(state.schema, time_zone_of(state.table, engine))
        return cls(state, query, engine, stats)

    @cached_property
    def schema(self) -> Schema:
        """The columns that a scan can name: those of the rows, and those of row tracking."""
        every = self.query.schema.columns
        hidden = every.names[len(self.state.schema.columns) :]
        return Schema(tuple(map(every.column, dict.fromkeys((*self.query.columns, *hidden)))))

    def batches(
        self, narrowed: Predicate | None, columns: Sequence[str], limit: int | None = None
    ) -> Generator[pa.RecordBatch]:
        """Yield the rows for which another predicate is also true."""
        return batches(self._plan(narrowed, columns, limit), self.engine, stats=self.stats)

    def count(self, narrowed: Predicate | None) -> int:
        """Return the number of rows that `batches` would yield, from indexes where they are exact.

        Raises:
            PaimonKsyError: A file cannot be read.
        """
        return counted(self._plan(narrowed, ()), self.engine).count

    def _plan(
        self, narrowed: Predicate | None, columns: Sequence[str], limit: int | None = None
    ) -> Plan:
        parts = tuple(part for part in (self.query.predicate, narrowed) if part is not None)
        asked = Query(And(parts) if parts else None, columns, limit=limit)
        return plan_query(self.state, asked, engine=self.engine)
