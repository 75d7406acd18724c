"""Check that the files that a table's metadata names exist, with the size in the metadata."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from paimon_ksy.errors import OutsideError, PaimonKsyError, counted
from paimon_ksy.messages.findings import ERROR, REMEDY_ACCESS, Finding
from paimon_ksy.table.io.storage import Storage
from paimon_ksy.table.store import REMEDY

REMEDY_DATA = "restore the file from a backup: nothing else holds its rows"

_KINDS = ("snapshot", "tag", "changelog")  # kinds that name files, in the order of messages
_FEW = 3  # names to list in a message; a fourth is listed if it is the last

Size = int | PaimonKsyError | None
"""A file's size in bytes, None if it does not exist, or the error that hides its size."""


@dataclass(frozen=True)
class FileReference:
    """A file that a table's metadata names.

    Attributes:
        path: The path of the file.
        size: Its size in bytes; None if the metadata does not contain it.
        check: The check that a finding belongs to.
        of: The kind of metadata that names the file, and after a space its name or number.
        remedy: The remedy if the file does not exist.
        snapshot: The snapshot that needs the file; None if none does.
        severity: The severity if the file does not exist.
    """

    path: str
    size: int | None
    check: str
    of: str
    remedy: str = REMEDY
    snapshot: int | None = None
    severity: str = ERROR


@dataclass(frozen=True)
class BrokenReference:
    """A file that does not exist, or that differs from the metadata that names it.

    Attributes:
        reference: The reference to the file.
        size: The actual size in bytes; None if the file does not exist.
        reason: The reason why the size is unknown, if it is.
    """

    reference: FileReference
    size: int | None
    reason: str | None = None

    @property
    def problem(self) -> tuple[Any, ...]:
        """A key that is equal for all references to a file that are broken in the same way."""
        named = self.reference
        same = named.path, named.size, named.check, named.remedy, named.severity
        return *same, self.size, self.reason


def check_reference(
    reference: FileReference, size_of: Callable[[str], Size]
) -> Iterator[BrokenReference]:
    """Yield the reference if it is broken.

    Args:
        reference: The reference to the file.
        size_of: Returns the size of the file at a path.
    """
    size = size_of(reference.path)
    if isinstance(size, OutsideError):
        reference = replace(reference, check="path", remedy=size.remedy or reference.remedy)
    if isinstance(size, PaimonKsyError):
        yield BrokenReference(reference, None, str(size).removeprefix(f"{reference.path}: "))
    elif size is None or reference.size not in (None, size):
        yield BrokenReference(reference, size)


def size_of(storage: Storage, path: str) -> Size:
    """Return the size of a file in bytes, None if it does not exist, or an error."""
    try:
        return storage.status(path).size
    except PaimonKsyError as error:
        return None if isinstance(error.__cause__, FileNotFoundError) else error


def finding_of(broken: Sequence[BrokenReference]) -> Finding:
    """Return one finding for references to a file that have the same problem."""
    reference, size, reason = broken[0].reference, broken[0].size, broken[0].reason
    names_by_kind: dict[str, list[str]] = {kind: [] for kind in _KINDS}
    for kind, _, name in (one.reference.of.rpartition(" ") for one in broken):
        names = names_by_kind.setdefault(kind, [])
        if name not in names:
            names.append(name)
    who = " and ".join(_listed(kind, names) for kind, names in names_by_kind.items() if names)
    s = "s" if sum(map(len, names_by_kind.values())) == 1 else ""
    severity, remedy = ERROR, reference.remedy
    if reason is not None:
        message = f"{reason}; {who} name{s} it"
        remedy = remedy if reference.check == "path" else REMEDY_ACCESS
    elif size is None:
        message = f"it does not exist, but {who} name{s} it"
        severity = reference.severity
    else:
        message = (
            f"it has {counted(size, 'byte')}, but should have {reference.size:,} according to {who}"
        )
    return Finding(severity, reference.check, reference.path, None, None, message, remedy)


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
