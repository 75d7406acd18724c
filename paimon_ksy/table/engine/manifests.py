"""Where manifests are read: on an engine if there are many, else in threads of this process."""

from __future__ import annotations

from collections.abc import Sequence

from paimon_ksy.table.engine.local import is_local
from paimon_ksy.table.engine.protocol import Engine
from paimon_ksy.table.manifests.scan import Run, run_by
from paimon_ksy.table.model.files import ManifestFile

ENTRIES_HERE = 100_000
"""Entries of manifests that this machine reads itself: it takes them about as long as it takes
Spark to start the two jobs."""


def run_over(engine: Engine | None, manifests: Sequence[ManifestFile]) -> Run | None:
    """Return what runs over manifests: an engine if that is quicker, None for threads."""
    if engine is None or is_local(engine):
        return None
    entries = sum(m.num_added_files + m.num_deleted_files for m in manifests)
    return run_by(engine.map) if entries > ENTRIES_HERE else None
