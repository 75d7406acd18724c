"""The findings of an audit, and the indexes that a repair can rebuild or drop."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

from paimon_ksy.errors import AccessError, CorruptFileError, OutsideError, PaimonKsyError
from paimon_ksy.messages.findings import ERROR, REMEDY_ACCESS, Finding, corrupt
from paimon_ksy.table.audit.data_files import LACKS
from paimon_ksy.table.audit.references import REMEDY_DATA
from paimon_ksy.table.model.files import DataFile
from paimon_ksy.table.store import REMEDY


class FindingCollector:
    """Collector of findings, each once, with commands that name the table.

    Attributes:
        outside_folders: Folders outside the table that its metadata refers to.
    """

    def __init__(self, table: str) -> None:
        """Initialise without findings; `table` is the table's name in commands."""
        self._table = table
        self._seen: set[Finding] = set()
        self._new: list[Finding] = []
        self.outside_folders: set[str] = set()

    def add(self, finding: Finding) -> Finding:
        """Add a finding, and return it with the table's name."""
        finding = finding.on(self._table)
        if finding not in self._seen:
            self._seen.add(finding)
            self._new.append(finding)
        return finding

    def add_problem(
        self,
        check: str,
        path: str,
        problem: str | PaimonKsyError,
        remedy: str = REMEDY,
        severity: str = ERROR,
    ) -> None:
        """Add a finding about a whole file, such as a metadata file.

        Of the paths in a folder outside the table, only the first one is added.
        """
        if isinstance(problem, OutsideError):
            if problem.folder in self.outside_folders:
                return
            self.outside_folders.add(problem.folder)
            check, path = "path", problem.path or problem.folder
        text = str(problem)
        if isinstance(problem, PaimonKsyError):
            text = PaimonKsyError.__str__(problem)  # without its remedy, which the finding has
            remedy = REMEDY_ACCESS if isinstance(problem, AccessError) else problem.remedy or remedy
        text = text.removeprefix(f"{path}: ")
        self.add(Finding(severity, check, path, None, None, text, remedy))

    def take(self) -> list[Finding]:
        """Return the findings added since the last call."""
        taken, self._new = self._new, []
        return taken


_FileKey = tuple[Any, ...]


class Repairs:
    """The indexes that can be rebuilt or dropped, and the findings that this resolves.

    Attributes:
        paths: The paths of the data files whose indexes can be rebuilt, by their keys.
        dropped: The names of the files of global indexes to drop, with these findings.
        refusing: The keys of files that still lack indexes, as they could not be built.
    """

    def __init__(self) -> None:
        self.paths: dict[_FileKey, str] = {}
        self._findings: defaultdict[_FileKey, set[Finding]] = defaultdict(set)
        self.refusing: set[_FileKey] = set()
        self.dropped: defaultdict[str, set[Finding]] = defaultdict(set)

    def add(self, file: DataFile, *resolved: Finding) -> None:
        """Add a data file, and the findings that its new index resolves."""
        self.paths[file.key] = file.path
        self._findings[file.key].update(resolved)

    def clear(self) -> None:
        """Repair nothing."""
        self.paths.clear()
        self.dropped.clear()

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
            finding
            for key in self.paths
            for finding in self._findings[key]
            if not (key in self.refusing and finding.message in LACKS)
        }
