"""`paimon-ksy table audit` and `paimon-ksy table clean-orphans`."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Annotated, TypeVar

import typer

from paimon_ksy.cli.commands import cli_command
from paimon_ksy.cli.failures import UsageError, note
from paimon_ksy.cli.findings import finding_nodes, how_many
from paimon_ksy.cli.options import Form, Format, Partitions, Yes
from paimon_ksy.cli.output import (
    PLAN,
    PLANNED,
    SCHEMA_VERSION,
    print_answer,
    print_json_line,
    print_lines,
)
from paimon_ksy.cli.progress import Step, Steps, steps
from paimon_ksy.cli.sections import summary_node
from paimon_ksy.cli.table_source import ChangedTable, TableOnEngine, num_files
from paimon_ksy.errors import ExitCode, counted
from paimon_ksy.messages.answers import Answer, keyed
from paimon_ksy.messages.findings import ERROR, Finding
from paimon_ksy.pages.text import Line, Node, Span

if TYPE_CHECKING:
    from paimon_ksy.table.audit.audit import AuditProgress, Repaired
    from paimon_ksy.table.audit.orphans import Orphan, OrphansLeftError
    from paimon_ksy.table.index.global_indexes import DroppedIndexes
    from paimon_ksy.table.index.summary import RewriteSummary

_T = TypeVar("_T", bound=Answer)
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

    schema_version: int
    table: str


@dataclass(frozen=True)
class AuditEnd(Answer):
    """The last line of an audit with --repair: what it did, and the number of findings left."""

    repair: RewriteSummary | None
    dropped: DroppedIndexes | None
    left: int


@dataclass(frozen=True)
class FailedOrphan(Answer):
    """An orphan that could not be deleted."""

    orphan: Orphan = field(metadata=keyed(beside=True))
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
    form: Format = Form.TEXT,
) -> None:
    """Check a table: its files, indexes and deletion vectors.

    With --format json, it prints one object per line. The exit code is 3 if errors are found, or
    are left after --repair. Repairs never guess what deletion vectors or data files contained.
    Without --yes, --repair only shows what it would do. It shows how to build dropped indexes.
    """
    from paimon_ksy.table.audit.audit import Repaired, audit
    from paimon_ksy.table.audit.audit import repair as audit_and_repair

    if yes and not repair:
        raise UsageError("--yes needs --repair: an audit alone writes nothing")
    table = source.open_to_change()
    chosen = source.made_engine(processes=True)
    stream = _streamed if form.is_json else _unchanged
    stream(AuditHead(SCHEMA_VERSION, table.location))
    with steps() as shown:
        total = num_files(table) if shown.are_shown and partitions is None else None
        seen: Counter[str] = Counter()
        progress = _progress(shown, seen, total)
        if repair:
            repaired = audit_and_repair(
                table, partitions, deep=deep, dry_run=not yes, engine=chosen, progress=progress
            )
            seen.clear()
        else:
            audited = audit(table, partitions, deep=deep, engine=chosen, progress=progress)
            found = tuple(map(stream, audited))
            repaired = Repaired(found, found, None, None)
    left = repaired.left if yes else repaired.findings
    if repair:
        list(map(stream, repaired.findings))
        stream(AuditEnd(repaired.summary, repaired.dropped, len(left)))
    if not form.is_json:
        print_lines(_tree(table.location, repaired, len(left), seen).lines())
        print_lines([PLANNED] if not yes and (repaired.summary or repaired.dropped) else [])
    if any(finding.severity == ERROR for finding in left):
        raise typer.Exit(ExitCode.FINDINGS)


def _streamed(answer: _T) -> _T:
    """Print an answer as a line of JSON, and return it."""
    print_json_line(answer)
    return answer


def _unchanged(answer: _T) -> _T:
    """Return an answer, and print nothing: the text of an audit comes at its end."""
    return answer


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


def _tree(location: str, repaired: Repaired, left: int, seen: Mapping[str, int]) -> Node:
    findings = repaired.findings
    children = finding_nodes(findings, location)
    if repaired.summary is not None:
        title = f"repair, {counted(left, 'finding')} left"
        children.append(summary_node(title, repaired.summary, "nothing changed"))
    if repaired.dropped is not None:
        children.append(summary_node("global indexes", repaired.dropped, "nothing dropped"))
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
    source: TableOnEngine,
    form: Format = Form.TEXT,
) -> None:
    """List, or with --yes delete, index, vector and manifest files that nothing refers to.

    Files that a snapshot, tag, branch or changelog refers to are kept. If one of these is visibly
    missing, nothing is deleted. External paths are not searched.
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
        note(f"{folder} was not searched, because other tables may share this external path")
    failed = [] if left is None else [FailedOrphan(*each) for each in left.failed]
    size = sum(orphan.size for orphan in orphans)
    answer = Orphans(table.location, not yes, orphans, size, failed)
    print_answer(answer, form, _orphan_lines(answer))
    if left is not None:
        raise left


def _orphan_lines(answer: Orphans) -> Iterator[Line]:
    text = f"{counted(len(answer.files), 'orphan')}, {counted(answer.bytes, 'byte')}"
    head = f": {PLAN}: would delete {text}" if answer.dry_run else f": {text} deleted"
    head = head if answer.files or answer.failed else ": no orphans"
    head += f", {counted(len(answer.failed), 'orphan')} not deleted" if answer.failed else ""
    nodes = [Node([_orphan_span(answer.table, orphan)]) for orphan in answer.files]
    for failure in answer.failed:
        reason = failure.error.removeprefix(f"{failure.orphan.path}: ")
        span = _orphan_span(answer.table, failure.orphan)
        nodes.append(Node([span, (f"  not deleted: {reason}", "red")]))
    yield from Node([(answer.table, "bold"), (head, "")], nodes).lines()
    if answer.dry_run and answer.files:
        yield PLANNED


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
