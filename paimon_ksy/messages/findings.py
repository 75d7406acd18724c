"""Findings: the problems that an audit of a table, or a check of one file, reports."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace

from paimon_ksy.errors import (
    AccessError,
    CorruptFileError,
    MissingFileError,
    OutsideError,
    PaimonKsyError,
    Remedy,
)
from paimon_ksy.messages.answers import Answer
from paimon_ksy.messages.masking import masked

ERROR, WARNING, NOTE = "error", "warning", "note"
SEVERITIES = ERROR, WARNING, NOTE

_SHOWN = 100  # findings that a notebook lists
REMEDY_ACCESS = "make the file accessible to this user, and run the check again"


@dataclass(frozen=True)
class Finding(Answer):
    """A problem in a table or file.

    `severity` is `error` (rows are lost, wrong or unreadable), `warning` (answers are right, but
    the table does not match its options) or `note`. `file` is the file to look at. `column` and
    `byte` (in the file, or in the embedded index) are None if they are unknown.
    """

    severity: str
    check: str
    file: str
    column: str | None
    byte: int | None
    message: str
    remedy: str

    def rank(self) -> int:
        """Return the sort key of the severity: errors come first, notes last."""
        return SEVERITIES.index(self.severity)

    def on(self, table: str | None, file: str | None = None) -> Finding:
        """Return the finding with commands that name its table, or the file if it has no table."""
        remedy = self.remedy
        return replace(self, remedy=remedy.on(table, file)) if isinstance(remedy, Remedy) else self

    def _repr_html_(self) -> str:
        return Findings([self])._repr_html_()


def folded(findings: Iterable[Finding], more: str = "") -> list[Finding]:
    """Return findings, errors first, of which those alike are one that counts the others.

    Warnings and notes are alike if they differ only in their files, and in numbers and names with
    digits. `more` is how to list them.
    """
    alike: dict[Finding, list[Finding]] = {}
    for finding in sorted(findings, key=Finding.rank):
        texts = (_NUMBERED.sub("#", text) for text in (finding.message, finding.remedy))
        key = Finding(finding.severity, finding.check, "", finding.column, None, *texts)
        alike.setdefault(finding if finding.severity == ERROR else key, []).append(finding)
    return [
        replace(one, file=f"{one.file} and {len(others):,} more{more}") if others else one
        for one, *others in alike.values()
    ]


_NUMBERED = re.compile(r"[\w.-]*\d[\w.,-]*")


class Findings(list[Finding]):
    """A list of findings; a notebook shows errors first."""

    def _repr_html_(self) -> str:
        from paimon_ksy.pages.render import fragment
        from paimon_ksy.pages.section import Section

        texts = ("file", "message", "remedy")
        every = folded(self)
        listed = [
            Finding(**vars(each) | {name: masked(getattr(each, name)) for name in texts})
            for each in every[:_SHOWN]
        ]
        nothing = Section(notes=() if listed else ("No problems",))
        return fragment(nothing, listed, len(every) - len(listed))


def corrupt(
    kind: str, path: str, error: PaimonKsyError, which: str = "", remedy: str = ""
) -> Finding:
    """Return an error about the file at `path` as a finding; `which` names the corrupt part."""
    if isinstance(error, AccessError):  # an index that may be sound is not rebuilt
        kind, remedy = ("index-file" if kind == "index" else kind), REMEDY_ACCESS
    elif not isinstance(error, CorruptFileError | MissingFileError):
        kind = "path" if isinstance(error, OutsideError) else kind
        remedy = error.remedy or remedy
    if isinstance(error, CorruptFileError):
        own = path if error.path in (None, "", "<bytes>") or which else error.path
        message = which + error.message
        return Finding(ERROR, kind, own or path, error.column, error.offset, message, remedy)
    text = str(error).removeprefix(f"{path}: ")
    return Finding(ERROR, kind, path, None, None, which + text, remedy)
