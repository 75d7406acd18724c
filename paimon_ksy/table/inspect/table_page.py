"""Render a page about a table: findings, files, indexes, vectors, partitions and snapshots."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import islice
from typing import Any

from paimon_ksy.errors import PaimonKsyError, PredicateError, SchemaError, with_remedy
from paimon_ksy.messages.answers import Value
from paimon_ksy.messages.findings import Finding
from paimon_ksy.messages.masking import masked
from paimon_ksy.pages.render import page
from paimon_ksy.roaring.strip import strip_of
from paimon_ksy.table.inspect.files import FileReporter
from paimon_ksy.table.inspect.inspect import inspect_table
from paimon_ksy.table.inspect.report import DataFileReport, SnapshotReport, TableReport
from paimon_ksy.table.query.explain import STEPS, FileOutcome, explained, file_outcomes
from paimon_ksy.table.query.plan import plan_query
from paimon_ksy.table.query.query import Query
from paimon_ksy.table.query.steps import Step
from paimon_ksy.table.store import Table

FILES = 2000
"""Maximum data files to draw, with their indexes."""
LISTED = 100
"""Maximum files, partitions or snapshots to list."""
_FINDINGS = 200
_READ = 40  # maximum files whose rows are drawn
_WIDTH, _HEIGHT = 1000, 160  # size of the chart of snapshots
_ACROSS = 100  # files in a row of the picture


@dataclass(frozen=True)
class Coverage:
    """An index of a column: the number of files with it, its bytes, and shares along the files."""

    column: str
    type: str
    files: int
    bytes: int
    shares: tuple[float, ...]


@dataclass(frozen=True)
class Chart:
    """A chart of rows by snapshot: a path, and a mark for each snapshot."""

    path: str
    area: str
    marks: tuple[tuple[float, float, str, str], ...]
    most: int
    first: str
    last: str


@dataclass(frozen=True)
class Cell:
    """A file in the picture of a query: its place, and its outcome."""

    x: int
    y: int
    kind: str
    title: str


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
    total = 0 if report.content is None else report.content.totals.files
    listed = sorted(findings or (), key=Finding.rank)
    return page(
        "table.html",
        name=masked(table.location).rstrip("/").rpartition("/")[2],
        location=masked(table.location),
        report=report,
        facts=_facts(report),
        totals=[] if report.content is None else _totals(report),
        audited=findings is not None,
        findings=listed[:_FINDINGS],
        findings_left=max(0, len(listed) - _FINDINGS),
        errors=[error for error in map(masked, report.errors) if findings is None],
        query=None if where is None else _query(table, where, snapshot_id),
        files=files[:LISTED],
        files_seen=len(files),
        files_total=total,
        coverage=_coverage(files),
        vectors=_vectors(files),
        partitions=[] if report.content is None else _partitions(report),
        partitions_total=0 if report.content is None else report.content.count,
        chart=_chart(report.snapshots.listed),
        snapshots=[_snapshot(each) for each in report.snapshots.listed[::-1]],
    )


def _files(table: Table, snapshot_id: int | None) -> Iterator[DataFileReport]:
    reporter = FileReporter(table)
    with suppress(PaimonKsyError):  # the report contains read errors
        for file in islice(table.files(table.snapshot(snapshot_id)), FILES):
            yield reporter.live(file)


# Facts ------------------------------------------------------------------------------------------


def _facts(report: TableReport) -> list[tuple[str, Any]]:
    facts: list[tuple[str, Any]] = [("schema", str(report.schema_id))]
    if report.partition_keys:
        facts.append(("partitioned by", ", ".join(report.partition_keys)))
    if report.primary_keys:
        facts.append(("primary key", ", ".join(report.primary_keys)))
    facts.append(("buckets", f"{report.bucket_mode}, bucket = {report.bucket}"))
    for name, listing in (("tags", report.tags), ("branches", report.branches)):
        if listing.count:
            facts.append((name, listing.count))
    return facts


def _totals(report: TableReport) -> list[tuple[str, Any]]:
    assert report.content is not None
    totals = report.content.totals
    facts: list[tuple[str, Any]] = [
        ("snapshot", str(report.content.snapshot.id)),
        ("data files", totals.files),
        ("rows", totals.rows),
        ("bytes", totals.bytes),
        ("files with an index", totals.index_files + totals.embedded_indexes),
        ("deletion vectors", totals.deletion_vectors),
    ]
    if totals.deleted_rows:
        facts.append(("deleted rows", totals.deleted_rows))
    return facts


def _time(millis: int | None) -> str:
    if millis is None:
        return "?"
    try:
        moment = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(milliseconds=millis)
    except OverflowError:
        return f"{millis} ms"
    return moment.isoformat(" ", "seconds").replace("+00:00", "Z")


def _partition(values: dict[str, Value]) -> str:
    return ", ".join(f"{name} = {value.text}" for name, value in values.items())


def _partitions(report: TableReport) -> list[dict[str, Any]]:
    assert report.content is not None
    found = [
        {"label": _partition(each.values) or "all rows", "totals": each.totals}
        for each in report.content.partitions
    ]
    return found if report.partition_keys else []


def _snapshot(found: SnapshotReport) -> dict[str, Any]:
    return {"report": found, "time": _time(found.time_millis)}


# Pictures ---------------------------------------------------------------------------------------


def _coverage(files: Sequence[DataFileReport]) -> list[Coverage]:
    """Return the coverage of each index that some file has."""
    having: dict[tuple[str, str], list[int]] = {}
    sizes: dict[tuple[str, str], int] = {}
    for number, file in enumerate(files):
        for part in file.index.parts if file.index is not None else ():
            key = part.column, part.index_type
            having.setdefault(key, []).append(number)
            sizes[key] = sizes.get(key, 0) + part.bytes
    found = []
    for (column, kind), numbers in sorted(having.items()):
        there = set(numbers)

        def count(start: int, stop: int, there: set[int] = there) -> int:
            return sum(number in there for number in range(start, stop))

        shares = strip_of(count, len(files)).shares
        found.append(Coverage(column, kind, len(there), sizes[column, kind], shares))
    return found


def _vectors(files: Sequence[DataFileReport]) -> list[dict[str, Any]]:
    """Return the files with the most deleted rows."""
    found: list[dict[str, Any]] = [
        {
            "name": file.name,
            "partition": _partition(file.partition),
            "deleted": file.deletion_vector.rows,
            "rows": file.rows,
            "share": min(1.0, (file.deletion_vector.rows or 0) / file.rows) if file.rows else 0.0,
        }
        for file in files
        if file.deletion_vector is not None
    ]
    return sorted(found, key=lambda each: -each["share"])[:LISTED]


def _chart(listed: Sequence[SnapshotReport]) -> Chart | None:
    """Return a chart of rows by snapshot number; None if it would show nothing."""
    shown = [each for each in listed if each.total_rows is not None]
    if len(shown) < 2:
        return None
    most = max(1, *(each.total_rows or 0 for each in shown))
    wide = _WIDTH - 20
    points = [
        (
            10 + wide * number / (len(shown) - 1),
            _HEIGHT - 10 - (_HEIGHT - 20) * (each.total_rows or 0) / most,
        )
        for number, each in enumerate(shown)
    ]
    path = f"M{points[0][0]:.1f} {points[0][1]:.1f}"
    path += "".join(f"H{x:.1f}V{y:.1f}" for x, y in points[1:])
    area = f"{path}V{_HEIGHT - 10}H10z"
    marks = tuple(
        (x, y, (each.kind or "").lower(), _mark(each))
        for (x, y), each in zip(points, shown, strict=True)
    )
    first, last = (f"{each.id}, {_time(each.time_millis)}" for each in (shown[0], shown[-1]))
    return Chart(path, area, marks, most, first, last)


def _mark(found: SnapshotReport) -> str:
    tags = f", tag {', '.join(found.tags)}" if found.tags else ""
    rows = f"{found.total_rows:,} rows ({found.added_rows or 0:+,})"
    return f"{found.id} {found.kind}: {rows}, {_time(found.time_millis)}{tags}"


# A query ----------------------------------------------------------------------------------------


def _query(table: Table, where: Any, snapshot_id: int | None) -> dict[str, Any]:
    """Return the steps of a query with what they skip, and the outcome of each file."""
    asked = Query(where, None, None, None, snapshot_id, None)
    error, total = None, 0
    steps: list[Step] = []
    found: list[FileOutcome] = []
    try:
        planned = plan_query(table, asked, all_manifests=True)
        steps += explained(planned)
        total = planned.files_total
        found += file_outcomes(planned, FILES)
    except (PredicateError, SchemaError):
        raise
    except PaimonKsyError as reason:  # the page shows that a file is broken or missing
        error = with_remedy(reason, table.words)
    read = [outcome for outcome in found if outcome.skipped_by is None]
    cells = [
        Cell(number % _ACROSS, number // _ACROSS, outcome.skipped_by or "read", _title(outcome))
        for number, outcome in enumerate(found)
    ]
    return {
        "where": str(where),
        "steps": steps,
        "cells": cells,
        "rows_of_cells": -(-len(cells) // _ACROSS),
        "kinds": [*(s for s in STEPS if any(c.kind == s for c in cells)), "read"],
        "read": read[:_READ],
        "read_more": max(0, len(read) - _READ),
        "seen": len(found),
        "total": total,
        "error": error,
    }


def _title(outcome: FileOutcome) -> str:
    if outcome.skipped_by is not None:
        return f"{outcome.file.name}: left out by {outcome.skipped_by}"
    rows = (
        "merged" if outcome.rows is None else f"{outcome.rows:,} of {outcome.file.num_rows:,} rows"
    )
    return f"{outcome.file.name}: {rows}"
