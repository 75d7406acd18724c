"""Reading the manifests of a table where the work is."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from operator import attrgetter
from typing import TYPE_CHECKING, Any

from paimon_ksy.table.manifests.entries import ManifestEntries
from paimon_ksy.table.manifests.partitions import Partitions
from paimon_ksy.table.model.files import ManifestFile

if TYPE_CHECKING:
    from paimon_ksy.table.store.table import Table


class ManifestReader:
    """Reads manifests of a table. It can be pickled: elsewhere it begins without what it knows.

    Attributes:
        table: The table.
        partitions: The partitions of entries, by numbers of this process.
    """

    def __init__(self, table: Table) -> None:
        """Read manifests of this table."""
        self.table = table
        self.partitions = Partitions(table.schema.partition_schema)

    def __call__(self, manifests: Sequence[ManifestFile]) -> Iterable[ManifestEntries]:
        """Return the entries of manifests as columns (see `Manifests.columns`).

        Raises:
            PaimonKsyError: One cannot be read, or names a file elsewhere.
        """
        return self.table.manifests.columns(manifests)

    def __reduce__(self) -> tuple[Any, ...]:
        return attrgetter("reader"), (self.table,)
