"""The table that a command names, and the engine that runs it."""

from __future__ import annotations

import logging
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from paimon_ksy.cli.catalog import CatalogSource, open_table
from paimon_ksy.cli.failures import UsageError
from paimon_ksy.cli.options import (
    EngineName,
    ExternalPaths,
    Limit,
    Master,
    OrderBy,
    Select,
    Snapshot,
    TableName,
    Tag,
    Where,
)
from paimon_ksy.table.engine import Engine, engine_named, is_local

if TYPE_CHECKING:
    from paimon_ksy.table.query.query import Query
    from paimon_ksy.table.store import Table


@dataclass(frozen=True)
class TableSource:
    """Options that name a table."""

    name: TableName
    catalog: CatalogSource

    def open(self) -> Table:
        """Open the table.

        Raises:
            PaimonKsyError: The table cannot be opened.
        """
        return open_table(self.name, self.catalog)


@dataclass(frozen=True)
class TableOnEngine(TableSource):
    """Options that name a table, and the engine that runs the command."""

    engine: EngineName = None
    master: Master = None

    @property
    def on_spark(self) -> bool:
        """Whether Spark runs the command: --master implies it."""
        return self.engine == "spark" or (self.engine is None and self.master is not None)

    def made_engine(self, *, processes: bool = False) -> Engine:
        """Return the engine that --engine and --master name; the default is this machine.

        Args:
            processes: Whether to use processes on this machine, for long work in Python.

        Raises:
            OptionError: The engine is unknown, or --master is used with the local engine.
            PaimonKsyError: Spark cannot be reached.
        """
        name = "spark" if self.on_spark else self.engine or "local"
        return engine_named(name, self.master, processes=processes)

    def query_engine(self) -> Engine | None:
        """Return the engine of a query; None for this machine, because a query chooses its own.

        Raises:
            OptionError, PaimonKsyError: Like `made_engine`.
        """
        engine = self.made_engine()
        return None if is_local(engine) else engine


@dataclass(frozen=True)
class ChangedTable(TableOnEngine):
    """Options of a command that changes a table."""

    external_paths: ExternalPaths = None

    def open(self) -> Table:
        """Open the table, with the external paths that may be changed. Raises PaimonKsyError."""
        table = super().open()
        return table.with_external_paths(self.external_paths) if self.external_paths else table

    def open_to_change(self) -> Table:
        """Open the table for a command that commits, without pypaimon's log of commits.

        Raises:
            PaimonKsyError: The table cannot be opened.
        """
        # pypaimon logs each attempt to commit, with tracebacks, but commands report the result.
        logging.getLogger("pypaimon").setLevel(logging.CRITICAL)
        return self.open()


def column_names(select: str | None) -> list[str] | None:
    """Parse a list of columns such as ``a, `b c` ``; None means all columns.

    Raises:
        UsageError: The text is not a list of columns.
    """
    if select is None or select.strip() == "*":
        return None
    names = [match["quoted"] or match["plain"] for match in _NAME.finditer(select)]
    if not names or _NAME.sub("", select).replace(",", "").strip():
        raise UsageError(f"--select {select}: write columns like 'order_id, `unit price`'")
    return [name.replace("``", "`") for name in names]


_NAME = re.compile(r"`(?P<quoted>(?:[^`]|``)+)`|(?P<plain>[^`,\s]+)")


@dataclass(frozen=True)
class CountOptions:
    """Options of a count of rows."""

    where: Where = None
    snapshot: Snapshot = None
    tag: Tag = None

    def query(self) -> Query:
        """Return the query."""
        from paimon_ksy.table.query.query import Query

        return Query(self.where, (), snapshot_id=self.snapshot, tag=self.tag)


@dataclass(frozen=True)
class QueryOptions(CountOptions):
    """Options of a query."""

    select: Select = None
    order_by: OrderBy = None
    limit: Limit = None

    def query(self) -> Query:
        """Return the query. Raises UsageError."""
        from paimon_ksy.table.query.query import Query

        columns = column_names(self.select)
        order = self.order_by
        return Query(self.where, columns, order, self.limit, self.snapshot, self.tag)
