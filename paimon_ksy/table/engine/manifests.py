"""Where manifests are read: on an engine if there are many, else in threads of this process."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from paimon_ksy.table.engine.local import is_local
from paimon_ksy.table.engine.protocol import Engine
from paimon_ksy.table.manifests.scan import Run, run_by
from paimon_ksy.table.model.files import ManifestFile

ENTRIES_HERE = 100_000
"""Entries of manifests that this machine reads itself: it takes them about as long as it takes
Spark to start the two jobs."""


def are_many(manifests: Iterable[ManifestFile]) -> bool:
    """Return whether manifests have more entries than this machine reads itself."""
    return sum(m.num_added_files + m.num_deleted_files for m in manifests) > ENTRIES_HERE


def run_over(engine: Engine | None, manifests: Sequence[ManifestFile]) -> Run | None:
    """Return what runs over manifests: an engine if that is quicker, None for threads."""
    if engine is None or is_local(engine):
        return None
    return run_by(engine.map) if are_many(manifests) else None
