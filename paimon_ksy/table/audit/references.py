"""Check that the files that a table's metadata names exist, with the size in the metadata."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from paimon_ksy.errors import OutsideError, PaimonKsyError, counted
from paimon_ksy.messages.findings import ERROR, REMEDY_ACCESS, Finding
from paimon_ksy.table.io.storage import Storage
from paimon_ksy.table.store import REMEDY

REMEDY_DATA = "restore the file from a backup: nothing else holds its rows"

LIVE, DELETED, ALL, NONE = "live", "deleted", "all", "none"
"""The files needed: those of ADD entries without a later DELETE, of DELETE entries, or of all."""

_KINDS = ("snapshot", "tag", "changelog")  # kinds that name files, in the order of messages
_FEW = 3  # names to list in a message; a fourth is listed if it is the last
_WHO, _NAMES = "{who}", "{name}"  # in a message, until all are known that name the file


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


@dataclass(frozen=True)
class FileReference:
    """A file that a table's metadata names.

    Attributes:
        path: The path of the file.
        size: Its size in bytes; None if the metadata does not contain it.
        check: The check that a finding belongs to.
        named_by: What names the file.
        remedy: The remedy if the file does not exist.
        severity: The severity if the file does not exist.
    """

    path: str
    size: int | None
    check: str
    named_by: tuple[Referrer, ...]
    remedy: str = REMEDY
    severity: str = ERROR

    def finding(self, storage: Storage) -> Finding | None:
        """Return the problem with the file, if any; `naming` completes its message.

        It is the same for all references to the file that are broken in the same way.
        """
        severity, check, remedy = ERROR, self.check, self.remedy
        size: int | None = None
        try:
            size = storage.status(self.path).size
        except PaimonKsyError as error:
            if isinstance(error.__cause__, FileNotFoundError):
                message = f"it does not exist, but {_WHO} {_NAMES} it"
                severity = self.severity
            else:
                message = f"{str(error).removeprefix(f'{self.path}: ')}; {_WHO} {_NAMES} it"
                is_outside = isinstance(error, OutsideError)
                remedy = (error.remedy or remedy) if is_outside else REMEDY_ACCESS
                check = "path" if is_outside else check
        else:
            if self.size in (None, size):
                return None
            message = (
                f"it has {counted(size, 'byte')}, but should have {self.size:,} according to {_WHO}"
            )
        return Finding(severity, check, self.path, None, None, message, remedy)


def with_referrers(finding: Finding, named_by: Iterable[Referrer]) -> Finding:
    """Return the finding of a reference, with what names the file in its message."""
    names_by_kind: dict[str, dict[str, None]] = {kind: {} for kind in _KINDS}
    for kind, _, name in (referrer.of.rpartition(" ") for referrer in named_by):
        names_by_kind.setdefault(kind, {})[name] = None
    who = " and ".join(_listed(kind, [*names]) for kind, names in names_by_kind.items() if names)
    verb = "names" if sum(map(len, names_by_kind.values())) == 1 else "name"
    message = f"{verb} it".join(finding.message.rsplit(f"{_NAMES} it", 1))
    return replace(finding, message=who.join(message.rsplit(_WHO, 1)))


def _listed(kind: str, names: list[str]) -> str:
    """Return `snapshots 1, 2 and 3`, or `snapshots 1, 2, 3 and 4 more`."""
    if len(names) == 1:
        return f"{kind} {names[0]}"
    names = sorted(names, key=lambda name: (name.isdecimal(), int(name) if name.isdecimal() else 0))
    first, last = names[:_FEW], names[_FEW:]
    if not last:
        *first, end = first
    else:
        end = f"{len(last)} more" if len(last) > 1 else last[0]
    return f"{kind}s {', '.join(first)} and {end}"
