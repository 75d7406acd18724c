"""The table that a command names, and where its work on files is done."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from typing import TYPE_CHECKING

from paimon_ksy.cli.catalog import CatalogSource, open_table
from paimon_ksy.table.engine import Engine, engine_named, is_local

if TYPE_CHECKING:
    from paimon_ksy.table.store import Table


@dataclass(frozen=True)
class TableSource:
    """A table, as TABLE, --catalog and --config name it, and where --engine and --master run."""

    name: str
    catalog: CatalogSource
    engine: str | None
    master: str | None

    def open(self) -> Table:
        """Open the table.

        Raises:
            PaimonKsyError: It cannot be opened.
        """
        return open_table(self.name, self.catalog, self.master)

    @property
    def on_spark(self) -> bool:
        """Whether Spark runs the command: --master implies it."""
        return self.engine == "spark" or (self.engine is None and self.master is not None)

    def made_engine(self, *, processes: bool = False) -> Engine:
        """Return the engine that --engine and --master name, by default this machine.

        Args:
            processes: Whether this machine runs long work in Python, in processes.

        Raises:
            OptionError: There is no such engine, or --master is given for this machine.
            PaimonKsyError: Spark cannot be reached.
        """
        name = "spark" if self.on_spark else self.engine or "local"
        return engine_named(name, self.master, processes=processes)

    def query_engine(self) -> Engine | None:
        """Return the engine of a query; None for this machine, where a query chooses its own.

        Raises:
            OptionError, PaimonKsyError: As `made_engine`.
        """
        engine = self.made_engine()
        return None if is_local(engine) else engine

    def open_to_change(self) -> Table:
        """Open the table for a command that commits, and prints itself what came of it.

        Raises:
            PaimonKsyError: It cannot be opened.
        """
        # pypaimon logs each attempt to commit, with tracebacks.
        logging.getLogger("pypaimon").setLevel(logging.CRITICAL)
        return self.open()
