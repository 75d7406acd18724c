"""Reading the manifests of a table where the work is."""

from __future__ import annotations

from collections.abc import Iterable
from operator import attrgetter
from typing import TYPE_CHECKING, Any

from paimon_ksy.table.manifests.partitions import Partitions
from paimon_ksy.table.model.files import ManifestFile

if TYPE_CHECKING:
    import pyarrow as pa

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

    def __call__(self, manifest: ManifestFile) -> Iterable[pa.RecordBatch]:
        """Return the entries of a manifest as columns (see `Manifests.columns`).

        Raises:
            PaimonKsyError: It cannot be read, or names a file elsewhere.
        """
        return self.table.manifests.columns(manifest)

    def __reduce__(self) -> tuple[Any, ...]:
        return attrgetter("reader"), (self.table,)
