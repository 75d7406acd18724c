"""The indexes that a repair can rebuild."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import Any

from paimon_ksy.errors import CorruptFileError
from paimon_ksy.messages.findings import Finding, corrupt
from paimon_ksy.table.audit.data_files import LACKS
from paimon_ksy.table.audit.references import REMEDY_DATA
from paimon_ksy.table.model.files import DataFile

_FileKey = tuple[Any, ...]


class Repairs:
    """The data files whose indexes can be rebuilt, and the findings that this resolves.

    Attributes:
        paths: The paths of the files, by their keys.
        noted: The columns of files with findings that their indexes cannot be built.
    """

    def __init__(self) -> None:
        self.paths: dict[_FileKey, str] = {}
        self.noted: set[tuple[_FileKey, str | None]] = set()
        self._findings: defaultdict[_FileKey, set[Finding]] = defaultdict(set)
        self._refusing: set[_FileKey] = set()

    def add(self, file: DataFile, *resolved: Finding) -> None:
        """Add a data file, and the findings that its new index resolves."""
        self.paths[file.key] = file.path
        self._findings[file.key].update(resolved)

    def refuse(self, file: DataFile, columns: Iterable[str]) -> None:
        """Note that a file still lacks the indexes of columns, as they could not be built."""
        if any((file.key, column) not in self.noted for column in columns):
            self._refusing.add(file.key)

    def clear(self) -> None:
        """Repair nothing."""
        self.paths.clear()

    def give_up(self, error: CorruptFileError) -> Finding:
        """Exclude a data file that turned out to be corrupt itself, and return the finding.

        Raises:
            CorruptFileError: The error is not about one of the data files.
        """
        keys = [key for key, path in self.paths.items() if path == error.path]
        if not keys:
            raise error
        for key in keys:
            del self.paths[key]
        return corrupt("data-file", error.path or "", error, remedy=REMEDY_DATA)

    @property
    def resolved(self) -> set[Finding]:
        """Return the findings that rebuilding the indexes resolves."""
        return {
            found
            for key in self.paths
            for found in self._findings[key]
            if not (key in self._refusing and found.message in LACKS)
        }
