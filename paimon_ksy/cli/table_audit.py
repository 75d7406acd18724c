"""`paimon-ksy table audit` and `paimon-ksy table clean-orphans`."""

from __future__ import annotations

import re
import shlex
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Annotated

import typer

from paimon_ksy.cli.commands import cli_command
from paimon_ksy.cli.failures import UsageError, note
from paimon_ksy.cli.findings import finding_nodes, how_many, print_findings
from paimon_ksy.cli.options import FormatOfRows, Partitions, RowsForm, Yes
from paimon_ksy.cli.output import (
    PLAN,
    PLANNED,
    SCHEMA_VERSION,
    print_json,
    print_json_line,
    print_lines,
    print_tree,
)
from paimon_ksy.cli.progress import Step, Steps, steps
from paimon_ksy.cli.row_forms import print_rows
from paimon_ksy.cli.sections import summary_node
from paimon_ksy.cli.table_source import ChangedTable
from paimon_ksy.errors import ExitCode, PaimonKsyError, counted
from paimon_ksy.messages.answers import Answer
from paimon_ksy.messages.findings import ERROR, Finding
from paimon_ksy.pages.text import Node, Span

if TYPE_CHECKING:
    from paimon_ksy.table.audit.audit import AuditProgress
    from paimon_ksy.table.audit.orphans import Orphan, OrphansLeftError
    from paimon_ksy.table.index.global_indexes import DroppedIndexes
    from paimon_ksy.table.index.summary import RewriteSummary

_DOING = {
    "data files": "auditing",
    "other files": "checking",
    "indexes": "rebuilding",
    "folders": "listing",
    "manifests": "reading",
}
_UNITS = {"s": "seconds", "m": "minutes", "min": "minutes", "h": "hours", "d": "days"}


@dataclass(frozen=True)
class AuditHead(Answer):
    """The first line of an audit."""

    table: str
    schema_version: int = SCHEMA_VERSION

    KEYS = ("schema_version", "table")


@dataclass(frozen=True)
class AuditEnd(Answer):
    """The last line of an audit with --repair: what it did, and the number of findings left."""

    repair: RewriteSummary | None
    dropped: DroppedIndexes | None
    left: int


@dataclass(frozen=True)
class FailedOrphan(Answer):
    """An orphan that could not be deleted."""

    KEYS = ("**orphan", "error")
    orphan: Orphan
    error: str


@dataclass(frozen=True)
class Orphans(Answer):
    """The orphans of a table; with `dry_run`, none was deleted."""

    table: str
    dry_run: bool
    files: list[Orphan]
    bytes: int
    failed: list[FailedOrphan]


@cli_command(
    "table audit /data/default.db/orders",
    "table audit /data/default.db/orders --deep",
    "table audit /data/default.db/orders --deep --repair --yes",
    answer=Iterator[AuditHead | Finding | AuditEnd],
)
def run_audit(
    *,
    deep: Annotated[
        bool,
        typer.Option(
            "--deep", help="Also compare indexes with the data, and keys with their buckets."
        ),
    ] = False,
    partitions: Partitions = None,
    repair: Annotated[
        bool,
        typer.Option(
            "--repair",
            help="Rebuild file indexes that are corrupt or missing, and drop global indexes that "
            "are corrupt, stale or dead.",
        ),
    ] = False,
    yes: Yes = False,
    source: ChangedTable,
    form: FormatOfRows = RowsForm.TABLE,
) -> None:
    """Check a table: its files, indexes and deletion vectors.

    With --format json, it prints one object per line. The exit code is 3 if errors are found, or
    are left after --repair. Repairs never guess what deletion vectors or data files contained.
    Without --yes, --repair only shows what it would do. It shows how to build dropped indexes.
    """
    from paimon_ksy.table.audit.audit import audit
    from paimon_ksy.table.audit.audit import repair as audit_and_repair

    if yes and not repair:
        raise UsageError("--yes needs --repair: an audit alone writes nothing")
    table = source.open_to_change()
    chosen = source.made_engine(processes=True)
    if form is RowsForm.JSON:
        print_json_line(AuditHead(table.location))
    findings: Iterable[Finding]
    left: Sequence[Finding]
    summary: RewriteSummary | None = None
    dropped: DroppedIndexes | None = None
    with steps() as shown:
        total = None
        with suppress(PaimonKsyError):  # a corrupt table may not show how many files it has
            if shown.are_shown and partitions is None:
                total = table.manifests.num_files(table.snapshot())
        seen: Counter[str] = Counter()
        progress = _progress(shown, seen, total)
        if repair:
            repaired = audit_and_repair(
                table, partitions, deep=deep, dry_run=not yes, engine=chosen, progress=progress
            )
            findings, summary, dropped = repaired.findings, repaired.summary, repaired.dropped
            left = repaired.left if yes else repaired.findings
        else:
            findings = audit(table, partitions, deep=deep, engine=chosen, progress=progress)
            is_tree = form is RowsForm.TABLE
            left = findings = list(findings if is_tree else print_findings(form, findings))
    if form is not RowsForm.TABLE:
        if repair:
            findings = list(print_findings(form, findings))
        if repair and form is RowsForm.JSON:
            print_json_line(AuditEnd(summary, dropped, len(left)))
    else:
        counts = {} if repair else seen
        print_tree(_tree(table.location, list(findings), summary, dropped, len(left), counts))
        print_lines([PLANNED] if repair and not yes and (summary or dropped) else [])
    if any(finding.severity == ERROR for finding in left):
        raise typer.Exit(ExitCode.FINDINGS)


def _progress(shown: Steps, seen: Counter[str], data_files: int | None = None) -> AuditProgress:
    """Show progress, with a step for each kind of work, and count the work in `seen`."""
    begun: dict[str, Step] = {}

    def progress(what: str, count: int) -> None:
        seen[what] += count
        if what not in begun:
            total = data_files if what == "data files" else None
            begun[what] = shown.step(_DOING[what], total, what)
        begun[what].advance(count)

    return progress


def _tree(
    location: str,
    findings: Sequence[Finding],
    summary: RewriteSummary | None,
    dropped: DroppedIndexes | None,
    left: int,
    seen: Mapping[str, int],
) -> Node:
    children = finding_nodes(findings, location)
    if summary is not None:
        title = f"repair, {counted(left, 'finding')} left"
        children.append(summary_node(title, summary, "nothing changed"))
    if dropped is not None:
        children.append(summary_node("global indexes", dropped, "nothing dropped"))
    # In a fixed order, because processes begin in any order.
    looked_at = " and ".join(counted(seen[w], w.removesuffix("s")) for w in _DOING if w in seen)
    text = f": {how_many(findings)}{looked_at and f' in {looked_at}'}"
    return Node([(location, "bold"), (text, "")], children)


@cli_command(
    "table clean-orphans /data/default.db/orders",
    "table clean-orphans /data/default.db/orders --older-than 7d",
    "table clean-orphans /data/default.db/orders --yes",
    answer=Orphans,
)
def run_clean_orphans(
    *,
    older_than: Annotated[
        str,
        typer.Option(
            "--older-than",
            help="Keep files younger than this, e.g. 12h: a running commit may need them.",
            metavar="AGE",
        ),
    ] = "1d",
    yes: Yes = False,
    source: ChangedTable,
    form: FormatOfRows = RowsForm.TABLE,
) -> None:
    """List, or with --yes delete, index, vector and manifest files that nothing refers to.

    Files that a snapshot, tag, branch or changelog refers to are kept. If one of these is visibly
    missing, nothing is deleted. External paths are searched only if you name them.
    """
    from paimon_ksy.table.audit.orphans import OrphansLeftError, clean_orphans

    table = source.open()
    chosen = source.query_engine()
    left: OrphansLeftError | None = None
    with steps() as shown:
        least, progress = age(older_than), _progress(shown, Counter())
        try:
            orphans = clean_orphans(table, least, dry_run=not yes, engine=chosen, progress=progress)
        except OrphansLeftError as error:
            orphans, left = error.deleted, error
    for folder in table.storage.roots.unchanged:
        note(
            f"{folder} was not searched, because other tables may share this external path; if "
            f"none does, add --external-path {shlex.quote(folder)}"
        )
    failed = [] if left is None else [FailedOrphan(*each) for each in left.failed]
    size = sum(orphan.size for orphan in orphans)
    _print_orphans(Orphans(table.location, not yes, orphans, size, failed), form)
    if left is not None:
        raise left


def _print_orphans(answer: Orphans, form: RowsForm) -> None:
    if form is RowsForm.JSON:
        print_json(answer)
        return
    if form is not RowsForm.TABLE:
        rows = [{**orphan.to_json(), "error": None} for orphan in answer.files]
        rows += [one.to_json() for one in answer.failed]
        print_rows(form, ["file", "bytes", "modified", "error"], rows)
        return
    text = f"{counted(len(answer.files), 'orphan')}, {counted(answer.bytes, 'byte')}"
    head = f": {PLAN}: would delete {text}" if answer.dry_run else f": {text} deleted"
    head = head if answer.files or answer.failed else ": no orphans"
    head += f", {counted(len(answer.failed), 'orphan')} not deleted" if answer.failed else ""
    nodes = [Node([_orphan_span(answer.table, orphan)]) for orphan in answer.files]
    for one in answer.failed:
        reason = one.error.removeprefix(f"{one.orphan.path}: ")
        line = [_orphan_span(answer.table, one.orphan), (f"  not deleted: {reason}", "red")]
        nodes.append(Node(line))
    print_tree(Node([(answer.table, "bold"), (head, "")], nodes))
    print_lines([PLANNED] if answer.dry_run and answer.files else [])


def _orphan_span(location: str, orphan: Orphan) -> Span:
    when = datetime.fromtimestamp(orphan.modified).strftime("%Y-%m-%d %H:%M")
    path = orphan.path.removeprefix(f"{location}/")
    return f"{path}  {counted(orphan.size, 'byte')}, {when}", ""


def age(text: str) -> timedelta:
    """Parse a duration such as `1d`, `12 h` or `30min`. Raises UsageError."""
    match = re.fullmatch(r"(\d{1,9})\s*(\w+)", text.strip())  # no more fit into a timedelta
    if match is None or match[2] not in _UNITS:
        raise UsageError(f"--older-than {text:.40}: write it like 1d, 12h, 30min or 0s")
    return timedelta(**{_UNITS[match[2]]: int(match[1])})
