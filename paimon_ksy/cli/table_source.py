"""The table that a command names, and where its work on files is done."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from paimon_ksy.cli.common import open_table

if TYPE_CHECKING:
    from paimon_ksy.table.store import Table


@dataclass(frozen=True)
class TableSource:
    """A table, as the options TABLE, --catalog, --engine and --master name it."""

    name: str
    catalog: Sequence[str] | None
    engine: str
    master: str | None

    def open(self) -> Table:
        """Open the table.

        Raises:
            PaimonKsyError: It cannot be opened.
        """
        return open_table(self.name, self.catalog, self.master)

    def open_to_change(self) -> Table:
        """Open the table for a command that commits, and prints itself what came of it.

        Raises:
            PaimonKsyError: It cannot be opened.
        """
        # pypaimon logs each attempt to commit, with tracebacks.
        logging.getLogger("pypaimon").setLevel(logging.CRITICAL)
        return self.open()
