"""What pypaimon reads of a table's manifests, to be compared, or changed and committed."""

from __future__ import annotations

from typing import Any

from pypaimon.manifest.index_manifest_file import IndexManifestFile

from paimon_ksy.table.store import Table


def index_entries(table: Table) -> list[Any]:
    """Return pypaimon's entries of the latest snapshot's index manifest."""
    snapshot: Any = table.snapshot()
    found: list[Any] = IndexManifestFile(table.pypaimon).read(snapshot.index_manifest)
    return found
