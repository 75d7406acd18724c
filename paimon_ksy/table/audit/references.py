"""Check that the files that a table's metadata names exist, with the size in the metadata."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from paimon_ksy.errors import OutsideError, PaimonKsyError, counted
from paimon_ksy.io.file_kind import COPY, ROW
from paimon_ksy.messages.findings import ERROR, REMEDY_ACCESS, Finding
from paimon_ksy.table.io.storage import Storage
from paimon_ksy.table.store import REMEDY

REMEDY_DATA = "restore the file from a backup: nothing else holds its rows"

LIVE, DELETED, ALL, NONE = "live", "deleted", "all", "none"
"""The files needed: those of ADD entries without a later DELETE, of DELETE entries, or of all."""


def remedy_of(path: str) -> str:
    """Return the remedy for a missing file with the values of rows."""
    return COPY if path.endswith(f".{ROW.id}") else REMEDY_DATA


@dataclass(frozen=True)
class Referrer:
    """A snapshot, tag, changelog or manifest list that names files.

    Attributes:
        of: Its kind, and after a space its name or number.
        snapshot: The snapshot that needs the files; None if it is not a snapshot.
        files: The files of a manifest that it needs: LIVE, DELETED, ALL or NONE.
    """

    of: str
    snapshot: int | None
    files: str = ALL

    @property
    def is_latest(self) -> bool:
        """Whether this is the latest snapshot, whose live files are checked."""
        return self.files == LIVE and self.snapshot is not None

    @property
    def rank(self) -> tuple[bool, float]:
        """A key that orders what names a file: what needs the file for the longest is greatest."""
        return self.is_latest, math.inf if self.snapshot is None else self.snapshot


@dataclass(frozen=True)
class FileReference:
    """A file that a table's metadata names.

    Attributes:
        path: The path of the file.
        size: Its size in bytes; None if the metadata does not contain it.
        check: The check that a finding belongs to.
        named_by: What names the file, and needs it for the longest.
        remedy: The remedy if the file does not exist.
        severity: The severity if the file does not exist, or has another size.
    """

    path: str
    size: int | None
    check: str
    named_by: Referrer
    remedy: str = REMEDY
    severity: str = ERROR

    def finding(self, storage: Storage) -> Finding | None:
        """Return the problem with the file, if any, the same whatever names it (see `named`)."""
        severity, check, remedy = ERROR, self.check, self.remedy
        size: int | None = None
        try:
            size = storage.status(self.path).size
        except PaimonKsyError as error:
            if isinstance(error.__cause__, FileNotFoundError):
                message = "it does not exist"
                severity = self.severity
            else:
                message = str(error).removeprefix(f"{self.path}: ")
                is_outside = isinstance(error, OutsideError)
                remedy = (error.remedy or remedy) if is_outside else REMEDY_ACCESS
                check = "path" if is_outside else check
        else:
            if self.size in (None, size):
                return None
            severity = self.severity
            message = f"it has {counted(size, 'byte')} instead of {self.size:,}"
        return Finding(severity, check, self.path, None, None, message, remedy)


def named(finding: Finding, by: Referrer) -> Finding:
    """Return the finding of a reference, with what names the file in its message."""
    return replace(finding, message=f"{finding.message}; {by.of} names it")
