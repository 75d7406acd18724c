"""Reading the manifests of a table in the process that needs them."""

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
    """A reader of a table's manifests. It can be pickled; the copy starts with empty caches.

    Attributes:
        table: The table.
        partitions: The partitions of entries, with numbers valid in this process.
    """

    def __init__(self, table: Table) -> None:
        """Read the manifests of this table."""
        self.table = table
        self.partitions = Partitions(table.schema.partition_schema)

    def __call__(self, manifests: Sequence[ManifestFile]) -> Iterable[ManifestEntries]:
        """Return the entries of manifests as columns (see `Manifests.columns`).

        Raises:
            PaimonKsyError: A manifest cannot be read, or names a file elsewhere.
        """
        return self.table.manifests.columns(manifests)

    def __reduce__(self) -> tuple[Any, ...]:
        return attrgetter("reader"), (self.table,)
