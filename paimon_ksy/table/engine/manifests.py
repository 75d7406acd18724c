"""The choice of where to read manifests: on an engine if there are many, else in local threads."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from paimon_ksy.table.engine.local import is_local
from paimon_ksy.table.engine.protocol import Engine
from paimon_ksy.table.manifests.scan import Run, run_by
from paimon_ksy.table.model.files import ManifestFile

ENTRIES_HERE = 100_000
"""The most manifest entries that this machine reads itself, in about the time that Spark needs to
start the two jobs."""


def are_many(manifests: Iterable[ManifestFile]) -> bool:
    """Return whether manifests have too many entries for this machine alone."""
    return sum(m.num_added_files + m.num_deleted_files for m in manifests) > ENTRIES_HERE


def run_over(engine: Engine | None, manifests: Sequence[ManifestFile]) -> Run | None:
    """Return a `Run` that uses the engine if that is faster; None for threads."""
    if engine is None or is_local(engine):
        return None
    return run_by(engine.map) if are_many(manifests) else None
