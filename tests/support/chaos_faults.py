"""Commits that do not look at what they have to look at, for processes of tools.chaos.

Each breaks something in the process that calls it.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from paimon_ksy.table.store import index_commit, vector_commit
from paimon_ksy.table.store.commits import LocalLinks
from paimon_ksy.table_index.deletion_vector import DeletionVector


def snapshots_are_replaced() -> None:
    """A snapshot is written though there is one with its number."""

    def write(self: Any, path: str, content: str) -> bool:
        snapshot = Path(self._file_io.to_filesystem_path(path))
        whole = snapshot.with_name(f".{snapshot.name}.{os.getpid()}")
        whole.write_text(content, encoding="utf-8")
        whole.replace(snapshot)  # two at once would leave a mixture, which is another fault
        return True

    LocalLinks.try_to_write_atomic = write  # type: ignore[method-assign]


def vectors_of_others_are_not_seen() -> None:
    """A delete does not look whether others deleted rows of the same data files."""
    vector_commit._same_vectors = lambda *_: None


def vectors_are_not_merged() -> None:
    """A new deletion vector takes the place of the one before."""
    DeletionVector.__or__ = lambda self, other: self  # type: ignore[method-assign]


def old_data_files_are_indexed() -> None:
    """A commit of indexes that comes too late is tried again as it was planned."""

    def untouched(self: Any, snapshot: Any) -> bool:
        return self._seen is not None

    index_commit.Rewritten._untouched_until = untouched  # type: ignore[method-assign]
