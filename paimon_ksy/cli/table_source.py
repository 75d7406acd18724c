"""The table that a command names, and the engine that runs it."""

from __future__ import annotations

import logging
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from paimon_ksy.cli.catalog import CatalogSource, open_table
from paimon_ksy.cli.failures import UsageError
from paimon_ksy.table.engine import Engine, engine_named, is_local

if TYPE_CHECKING:
    from paimon_ksy.table.query.query import Query
    from paimon_ksy.table.store import Table


@dataclass(frozen=True)
class TableSource:
    """The table that TABLE and the options name, and the engine of --engine and --master."""

    name: str
    catalog: CatalogSource
    engine: str | None
    master: str | None
    external_paths: Sequence[str] | None = None

    def open(self) -> Table:
        """Open the table.

        Raises:
            PaimonKsyError: The table cannot be opened.
        """
        table = open_table(self.name, self.catalog)
        return table.with_external_paths(self.external_paths) if self.external_paths else table

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


def query_of(given: dict[str, Any]) -> Query:
    """Take the options of a query from those of a command; without --select, it is a count."""
    from paimon_ksy.table.query.query import Query

    columns = column_names(given.pop("select")) if "select" in given else ()
    where, order_by, limit = (given.pop(name, None) for name in ("where", "order_by", "limit"))
    return Query(where, columns, order_by, limit, given.pop("snapshot"), given.pop("tag"))
