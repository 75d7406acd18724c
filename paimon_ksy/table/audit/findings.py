"""The findings of an audit, which all of its parts add to."""

from __future__ import annotations

from paimon_ksy.errors import AccessError, OutsideError, PaimonKsyError
from paimon_ksy.messages.findings import ERROR, REMEDY_ACCESS, Finding
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
        """Add a finding about a whole file, such as a metadata file."""
        text = str(problem)
        if isinstance(problem, PaimonKsyError):
            text = PaimonKsyError.__str__(problem)  # without its remedy, which the finding has
            remedy = REMEDY_ACCESS if isinstance(problem, AccessError) else problem.remedy or remedy
            check = "path" if isinstance(problem, OutsideError) else check
        text = text.removeprefix(f"{path}: ")
        self.add(Finding(severity, check, path, None, None, text, remedy))

    def add_error(
        self,
        check: str,
        path: str,
        error: PaimonKsyError,
        remedy: str = REMEDY,
        severity: str = ERROR,
    ) -> None:
        """Add an error as a finding with its own remedy, or as a path outside the table."""
        if isinstance(error, OutsideError):
            self.add_outside(error)
        else:
            self.add_problem(check, path, error, error.remedy or remedy, severity)

    def add_outside(self, error: OutsideError) -> None:
        """Add a path outside the table, but only the first one of each folder."""
        if error.folder not in self.outside_folders:
            self.outside_folders.add(error.folder)
            self.add_problem("path", error.path or error.folder, error)

    def take(self) -> list[Finding]:
        """Return the findings added since the last call."""
        found, self._new = self._new, []
        return found
