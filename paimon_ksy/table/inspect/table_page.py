"""Write a page about a table: findings, files, indexes, vectors, partitions and snapshots."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import islice
from typing import Any

from paimon_ksy.errors import Call, PaimonKsyError, PredicateError, SchemaError, with_remedy
from paimon_ksy.inspection.file_page import FINDINGS, MOST
from paimon_ksy.messages.findings import Finding
from paimon_ksy.messages.masking import masked
from paimon_ksy.messages.sections import list_section, section_of, text
from paimon_ksy.pages.render import Report, page
from paimon_ksy.pages.section import Cell, Section, Where
from paimon_ksy.table.inspect.files import FileReporter
from paimon_ksy.table.inspect.inspect import inspect_table
from paimon_ksy.table.inspect.report import DataFileReport, TableReport
from paimon_ksy.table.query.explain import STEPS, FileOutcome, explained, file_outcomes
from paimon_ksy.table.query.plan import plan_query
from paimon_ksy.table.query.query import Query
from paimon_ksy.table.store import Table

FILES = 2000
"""Maximum data files to draw, with their indexes."""
LISTED = 100
"""Maximum files, partitions or snapshots to list."""
_READ = 40  # maximum files whose rows are drawn


def table_page(
    table: Table,
    findings: Sequence[Finding] | None,
    *,
    where: Any = None,
    snapshot_id: int | None = None,
) -> str:
    """Return the page about a table.

    Args:
        table: The table.
        findings: The findings of `audit`; None if the table was not audited.
        where: The predicate of a query to explain.
        snapshot_id: The snapshot; the default is the latest.

    Raises:
        PredicateError: The predicate does not fit the table.
        PaimonKsyError: The snapshot does not exist.
    """
    report = inspect_table(table, snapshot_id, limit=LISTED)
    files = list(_files(table, snapshot_id))
    sections = [_indexes(report, files), _deleted(files), _partitions(report), _snapshots(report)]
    if where is not None:
        sections.insert(0, _query(table, where, snapshot_id))
    listed = sorted(findings or (), key=Finding.rank)
    verdict = (
        "The audit read the metadata, file indexes, deletion vectors and bucket indexes. "
        f"{Call('table audit', '--deep').on(table.words, None)} also compares them with the data."
    )
    not_audited = (
        f"The table has too many files for an audit here: run "
        f"{Call('table audit').on(table.words, None)}. Above is what the report itself could not "
        "read, if anything."
    )
    return page(
        Report(
            name=masked(table.location).rstrip("/").rpartition("/")[2],
            kind=f"Paimon {'primary-key' if report.primary_keys else 'append'} table",
            place=masked(table.location),
            facts=tuple(_facts(report)),
            findings=listed[:FINDINGS],
            findings_left=max(0, len(listed) - FINDINGS),
            errors=[masked(error) for error in report.errors if findings is None],
            verdict=verdict if findings is not None and not findings else "",
            notes=[not_audited] if findings is None else [],
            sections=[each.bounded(MOST) for each in sections if each.title],
        )
    )


def _files(table: Table, snapshot_id: int | None) -> Iterator[DataFileReport]:
    reporter = FileReporter(table)
    with suppress(PaimonKsyError):  # the report contains read errors
        for file in islice(table.files(table.snapshot(snapshot_id)), FILES):
            yield reporter.live(file)


def _facts(report: TableReport) -> Iterator[tuple[str, Any]]:
    yield "schema", str(report.schema_id)
    for name, keys in (
        ("partitioned by", report.partition_keys),
        ("primary key", report.primary_keys),
    ):
        if keys:
            yield name, ", ".join(keys)
    yield "buckets", f"{report.bucket_mode}, bucket = {report.bucket}"
    if report.content is not None:
        yield "snapshot", str(report.content.snapshot.id)
        totals = section_of(report.content.totals, "")
        yield from (("data files" if name == "files" else name, n) for name, n in totals.facts)


def _indexes(report: TableReport, files: Sequence[DataFileReport]) -> Section:
    """Return which files have each index, and the first data files."""
    having: dict[tuple[str, str], dict[int, int]] = defaultdict(dict)
    for number, file in enumerate(files):
        for part in file.index.parts if file.index is not None else ():
            having[part.column, part.index_type][number] = part.bytes
    rows: list[tuple[Cell, ...]] = [
        (
            f"{column} {kind}",
            f"{len(sizes):,} of {len(files):,}",
            _along(sizes, len(files)),
            sum(sizes.values()),
        )
        for (column, kind), sizes in sorted(having.items())
    ]
    total = 0 if report.content is None else report.content.totals.files
    notes = []
    if len(files) < total:
        notes.append(f"A sample: the first {len(files):,} of {total:,} data files.")
    if not rows:
        notes.append("No data file has a file index." if files else "No data files.")
    return Section(
        "Files and their indexes",
        columns=("index", "files", "which files, first to last", "bytes"),
        rows=tuple(rows),
        notes=tuple(notes),
        sections=(list_section("Data files", files[:LISTED]),) if files else (),
    )


def _along(numbers: Iterable[int], count: int) -> Where:
    """Return a strip of some of the numbers from 0 to `count`."""
    from pyroaring import BitMap

    marked = BitMap(numbers)
    return Where(marked.range_cardinality, count, f"{len(marked):,} of {count:,} files")


def _deleted(files: Sequence[DataFileReport]) -> Section:
    """Return the files with the most deleted rows."""
    rows: list[tuple[Cell, ...]] = [
        (file.name, text(file.partition), file.deletion_vector.rows, file.rows)
        for file in files
        if file.deletion_vector is not None
    ]
    rows.sort(key=lambda row: -int(str(row[2] or 0)) / max(1, int(str(row[3]))))
    columns = ("file", "partition", "deleted", "of rows")
    return Section(
        "Deleted rows by file" if rows else "", columns=columns, rows=tuple(rows[:LISTED])
    )


def _partitions(report: TableReport) -> Section:
    if report.content is None or not report.partition_keys:
        return Section()
    shown = report.content.partitions
    unlisted = report.content.num_partitions - len(shown)
    return Section(
        "Partitions",
        columns=("partition", "files", "rows", "bytes", "deleted rows"),
        rows=tuple(
            (text(each.values), of.files, of.rows, of.bytes, of.deleted_rows)
            for each in shown
            for of in (each.totals,)
        ),
        notes=(f"{unlisted:,} more are not listed.",) if unlisted else (),
    )


def _snapshots(report: TableReport) -> Section:
    listed = report.snapshots.listed[::-1]
    if not listed:
        return Section("Snapshots", notes=("No snapshot: nothing was written yet.",))
    section = list_section("Snapshots", listed)
    unlisted = report.snapshots.count - len(listed)
    return replace(section, notes=(f"{unlisted:,} older ones are not listed.",) if unlisted else ())


# A query ----------------------------------------------------------------------------------------


def _query(table: Table, where: Any, snapshot_id: int | None) -> Section:
    """Return the steps of a query with what they skip, and the outcome of each file."""
    asked = Query(where, None, None, None, snapshot_id, None)
    section = Section("What a query reads", facts=(("where", str(where)),))
    outcomes: list[FileOutcome] = []
    try:
        planned = plan_query(table, asked, all_manifests=True)
        steps = list_section("Steps", explained(planned))
        section = replace(section, sections=(steps,))
        outcomes += file_outcomes(planned, FILES)
    except (PredicateError, SchemaError):
        raise
    except PaimonKsyError as reason:  # the page shows that a file is broken or missing
        section = replace(section, error=with_remedy(reason, table.words))
    rows = []
    for step in (*STEPS, None):
        numbers = [number for number, each in enumerate(outcomes) if each.skipped_by == step]
        name = "read" if step is None else f"left out by {step}"
        if numbers:
            rows.append((name, len(numbers), _along(numbers, len(outcomes))))
    read = [each for each in outcomes if each.skipped_by is None]
    below = Section(
        "Which rows are read",
        columns=("file", "rows", "row groups", "where they lie"),
        rows=tuple(map(_read, read[:_READ])),
        notes=(f"{len(read) - _READ:,} more are not listed.",) if len(read) > _READ else (),
    )
    return replace(
        section,
        columns=("what becomes of each file", "files", "which files, first to last"),
        rows=tuple(rows),
        sections=(*section.sections, *([below] if read else [])),
    )


def _read(outcome: FileOutcome) -> tuple[Cell, ...]:
    rows, groups = "merged", outcome.groups
    if outcome.rows is not None:
        rows = f"{outcome.rows:,} of {outcome.file.num_rows:,}"
    of_groups = None if groups is None else f"{groups.kept} of {groups.total}"
    return outcome.file.name, rows, of_groups, outcome.where
