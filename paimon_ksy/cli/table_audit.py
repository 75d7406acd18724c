"""`paimon-ksy table audit` and `paimon-ksy table clean-orphans`."""

from __future__ import annotations

import re
import shlex
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from datetime import datetime, timedelta
from typing import Any

import typer

from paimon_ksy.cli.failures import UsageError, note
from paimon_ksy.cli.findings import finding_nodes, how_many, print_findings
from paimon_ksy.cli.options import RowsForm
from paimon_ksy.cli.output import (
    PLAN,
    PLANNED,
    SCHEMA_VERSION,
    Node,
    commit_line,
    number,
    print_json,
    print_json_line,
    print_lines,
    print_tree,
)
from paimon_ksy.cli.progress import Step, Steps, steps
from paimon_ksy.cli.row_forms import print_rows
from paimon_ksy.cli.table_rewrite import warnings_of
from paimon_ksy.cli.table_source import TableSource
from paimon_ksy.errors import ExitCode, PaimonKsyError, counted
from paimon_ksy.messages.findings import ERROR, Finding
from paimon_ksy.table.audit.audit import AuditProgress, audit, repair
from paimon_ksy.table.audit.orphans import Orphan, OrphansLeftError, clean_orphans
from paimon_ksy.table.index.summary import RewriteSummary

_DOING = {
    "data files": "auditing",
    "other files": "checking",
    "indexes": "rebuilding",
    "folders": "listing",
    "manifests": "reading",
}
_UNITS = {"s": "seconds", "m": "minutes", "min": "minutes", "h": "hours", "d": "days"}


def run_audit(
    source: TableSource,
    *,
    partitions: str | None,
    deep: bool,
    mend: bool,
    yes: bool,
    form: RowsForm,
) -> None:
    """Audit a table, and print the findings; exit with 3 if there are errors, or some are left."""
    if yes and not mend:
        raise UsageError("--yes needs --repair: an audit alone writes nothing")
    table = source.open_to_change()
    chosen = source.made_engine(processes=True)
    if form is RowsForm.JSON:
        print_json_line({"schema_version": SCHEMA_VERSION, "table": table.location})
    found: Iterable[Finding]
    left: Sequence[Finding]
    summary: RewriteSummary | None = None
    with steps() as shown:
        total = None
        with suppress(PaimonKsyError):  # a corrupt table may not show how many files it has
            if shown.are_shown and partitions is None:
                total = table.manifests.num_files(table.snapshot())
        seen: Counter[str] = Counter()
        progress = _progress(shown, seen, total)
        if mend:
            repaired = repair(
                table, partitions, deep=deep, dry_run=not yes, engine=chosen, progress=progress
            )
            found, summary = repaired.findings, repaired.summary
            left = repaired.left if yes else repaired.findings
        else:
            found = audit(table, partitions, deep=deep, engine=chosen, progress=progress)
            is_tree = form is RowsForm.TABLE
            left = found = list(found if is_tree else print_findings(form, found))
    if form is not RowsForm.TABLE:
        if mend:
            found = list(print_findings(form, found))
        if mend and form is RowsForm.JSON:
            print_json_line({"repair": summary and summary.to_json(), "left": len(left)})
    else:
        print_tree(_tree(table.location, list(found), summary, len(left), {} if mend else seen))
        print_lines([PLANNED] if summary is not None and summary.dry_run else [])
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
    left: int,
    seen: Mapping[str, int],
) -> Node:
    children = finding_nodes(findings, location)
    if summary is not None:
        did = commit_line(summary.snapshot, dry_run=summary.dry_run, nothing="nothing changed")
        line = f"repair: {did}; {_done(summary)}, {counted(left, 'finding')} left"
        children.append(Node([(line, "bold")], warnings_of(location, summary)))
    # In a fixed order, because processes begin in any order.
    looked_at = " and ".join(counted(seen[w], w.removesuffix("s")) for w in _DOING if w in seen)
    text = f": {how_many(findings)}{looked_at and f' in {looked_at}'}"
    return Node([(location, "bold"), (text, "")], children)


def _done(summary: RewriteSummary) -> str:
    built = counted(summary.rewritten - summary.dropped, "file")
    text = f"the indexes of {built} {'to rebuild' if summary.dry_run else 'rebuilt'}"
    if summary.dropped:
        text += f", of {number(summary.dropped)} {'to drop' if summary.dry_run else 'dropped'}"
    return text


def run_clean_orphans(source: TableSource, *, older_than: str, yes: bool, form: RowsForm) -> None:
    """List or delete the index, vector and manifest files that nothing refers to.

    Raises:
        OrphansLeftError: Some files could not be deleted. The deleted ones are printed first.
    """
    table = source.open()
    chosen = source.query_engine()
    left: OrphansLeftError | None = None
    with steps() as shown:
        least, progress = age(older_than), _progress(shown, Counter())
        try:
            found = clean_orphans(table, least, dry_run=not yes, engine=chosen, progress=progress)
        except OrphansLeftError as error:
            found, left = error.deleted, error
    for folder in table.storage.roots.unchanged:
        note(
            f"{folder} was not searched, because other tables may share this external path; if "
            f"none does, add --external-path {shlex.quote(folder)}"
        )
    _show_orphans(table.location, found, left, dry_run=not yes, form=form)
    if left is not None:
        raise left


def _show_orphans(
    location: str,
    found: Sequence[Orphan],
    left: OrphansLeftError | None,
    *,
    dry_run: bool,
    form: RowsForm,
) -> None:
    failed = [] if left is None else left.failed
    size = sum(orphan.size for orphan in found)
    not_deleted = [{**orphan.to_json(), "error": error} for orphan, error in failed]
    if form is RowsForm.JSON:
        document: dict[str, Any] = {
            "table": location,
            "dry_run": dry_run,
            "files": [orphan.to_json() for orphan in found],
            "bytes": size,
            "failed": not_deleted,
        }
        print_json(document)
        return
    if form is not RowsForm.TABLE:
        rows = [{**orphan.to_json(), "error": None} for orphan in found]
        print_rows(form, ["file", "bytes", "modified", "error"], [*rows, *not_deleted])
        return
    did = f"to delete: {PLAN}" if dry_run else "deleted"
    text = f"{counted(len(found), 'orphan')}, {counted(size, 'byte')}"
    head = f": {text} {did}" if found or failed else ": no orphans"
    head += f", {counted(len(failed), 'orphan')} not deleted" if failed else ""
    nodes = []
    for orphan, error in [*((one, "") for one in found), *failed]:
        when = datetime.fromtimestamp(orphan.modified).strftime("%Y-%m-%d %H:%M")
        path = orphan.path.removeprefix(f"{location}/")
        line = [(f"{path}  {counted(orphan.size, 'byte')}, {when}", "")]
        if error:
            reason = error.removeprefix(f"{orphan.path}: ")
            line.append((f"  not deleted: {reason}", "red"))
        nodes.append(Node(line))
    print_tree(Node([(location, "bold"), (head, "")], nodes))
    print_lines([PLANNED] if dry_run and found else [])


def age(text: str) -> timedelta:
    """Parse a duration such as `1d`, `12 h` or `30min`.

    Raises:
        UsageError: The text is not a duration.
    """
    found = re.fullmatch(r"(\d{1,9})\s*(\w+)", text.strip())  # no more fit into a timedelta
    if found is None or found[2] not in _UNITS:
        raise UsageError(f"--older-than {text:.40}: write it like 1d, 12h, 30min or 0s")
    return timedelta(**{_UNITS[found[2]]: int(found[1])})
