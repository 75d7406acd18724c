"""Write a page about a table: its findings, its content, and what a query reads."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from paimon_ksy.errors import Call, PaimonKsyError, PredicateError, SchemaError, with_remedy
from paimon_ksy.inspection.file_page import FINDINGS, MOST
from paimon_ksy.messages.findings import Finding, folded
from paimon_ksy.messages.masking import masked
from paimon_ksy.messages.sections import section_of
from paimon_ksy.pages.render import Report, page
from paimon_ksy.pages.section import Section
from paimon_ksy.table.inspect.inspect import inspect_table
from paimon_ksy.table.inspect.pictures import funnel, pictures_of
from paimon_ksy.table.query.explain import explained
from paimon_ksy.table.query.plan import plan_query
from paimon_ksy.table.query.query import Query
from paimon_ksy.table.store import Table

LISTED = 100
"""Maximum items to show of each list."""


def table_page(
    table: Table,
    findings: Sequence[Finding] | None,
    *,
    where: Any = None,
    snapshot_id: int | None = None,
) -> str:
    """Return the page about a table.

    `findings` are those of `audit`, None if the table was not audited. `where` is the predicate of
    a query to explain.

    Raises:
        PredicateError: The predicate does not fit the table.
        PaimonKsyError: The snapshot does not exist.
    """
    report = inspect_table(table, snapshot_id, limit=LISTED)
    every = Call("table inspect").on(table.words, None)
    content = section_of(report, "What it contains", more=f"{every} lists all")
    drawn = {
        name
        for name, hint in (("earliest", report.earliest), ("latest", report.latest))
        if hint.error is None and hint.named in (None, hint.actual)
    }
    if report.snapshots.error is None:
        drawn.add(f"snapshots ({report.snapshots.count:,})")
    below = tuple(each for each in content.sections if each.title not in drawn)
    sections = [*pictures_of(report), replace(content, sections=below)]
    if where is not None:
        sections.insert(0, _query(table, where, snapshot_id))
    listed = folded(findings or ())
    verdict = (
        "The audit read the metadata, file indexes, deletion vectors and bucket indexes. "
        f"{Call('table audit', '--deep').on(table.words, None)} also compares them with the data."
    )
    if findings is None:
        audit = Call("table audit").on(table.words, None)
        note = f"The table has too many files for an audit here: run {audit}."
        sections.insert(0, Section("What is wrong", notes=(note, *map(masked, report.errors))))
    return page(
        Report(
            name=masked(table.location).rstrip("/").rpartition("/")[2],
            kind=f"Paimon {'primary-key' if report.primary_keys else 'append'} table",
            place=masked(table.location),
            findings=listed[:FINDINGS],
            findings_left=max(0, len(listed) - FINDINGS),
            verdict=verdict if findings is not None and not findings else "",
            sections=[each.bounded(MOST) for each in sections],
        )
    )


def _query(table: Table, where: Any, snapshot_id: int | None) -> Section:
    """Return the steps of a query with what they skip."""
    query = Query(where, snapshot_id=snapshot_id)
    section = Section("What a query reads", facts=(("where", str(where)),))
    try:
        steps = explained(plan_query(table, query, all_manifests=True))
    except (PredicateError, SchemaError):
        raise
    except PaimonKsyError as reason:  # the page shows that a file is broken or missing
        return replace(section, error=with_remedy(reason, table.words))
    return replace(section, sections=(funnel(steps),))
