"""Pictures of a table and of a query, drawn from the answers that `inspect` and `explain` print."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace

from paimon_ksy.errors import amount, counted
from paimon_ksy.messages.sections import left_out, list_section, text, time_text
from paimon_ksy.pages.section import Bar, Cell, Moment, Section
from paimon_ksy.table.inspect.report import (
    ContentReport,
    DataFileReport,
    SnapshotReport,
    TableReport,
)
from paimon_ksy.table.query.steps import Step

LARGEST = 20
"""The number of data files with a bar of their own."""


def pictures_of(report: TableReport) -> Iterator[Section]:
    """Yield a picture of the data files, the indexes and the snapshots of a table."""
    content = report.content
    if content is not None and content.totals.files:
        listed = [each for part in content.partitions for b in part.buckets for each in b.listed]
        if listed:
            yield _data_files(content, listed)
            yield _indexes(report, content, listed)
    if snapshots := report.snapshots.listed:
        count = report.snapshots.count
        section = list_section(f"Snapshots ({count:,})", snapshots)
        notes = (*section.notes, *left_out(count, len(snapshots), ""))
        yield replace(section, moments=_moments(snapshots), notes=notes)


def funnel(steps: Sequence[Step]) -> Section:
    """Return what each step of a query leaves of the files, rows and bytes, and why."""
    first = steps[0]
    wholes = (
        first.files_kept + first.files_skipped,
        first.rows_kept + (first.rows_skipped or 0),
        first.bytes_kept + (first.bytes_skipped or 0),
    )
    lines = [("all", *wholes, 0)]
    lines += [(s.step, s.files_kept, s.rows_kept, s.bytes_kept, s.bytes_read) for s in steps]
    rows: list[tuple[Cell, ...]] = [
        (
            name,
            _bar(f"{files:,}", files, wholes[0]),
            _bar(f"{kept:,}", kept, wholes[1]),
            _bar(amount(size), size, wholes[2]),
            amount(read) if read else None,
        )
        for name, files, kept, size, read in lines
    ]
    causes = tuple(
        (cause.name, cause.files, cause.files_skipped, cause.rows_skipped)
        for step in steps
        for cause in step.by
    )
    heads = ("condition", "files tested", "files skipped", "rows skipped")
    return Section(
        "What each step leaves",
        columns=("step", "files", "rows", "bytes of data", "also read"),
        rows=tuple(rows),
        notes=tuple(f"{step.step}: {note}" for step in steps for note in step.notes),
        sections=(Section("By condition", columns=heads, rows=causes),) if causes else (),
    )


def _bar(label: str, value: float, whole: float, marked: float = 0) -> Bar:
    return Bar(label, value / whole if whole else 0.0, marked / whole if whole else 0.0)


def _data_files(content: ContentReport, listed: Sequence[DataFileReport]) -> Section:
    """Return the largest listed files as bars of their size, with the part of deleted rows."""
    drawn = sorted(listed, key=lambda each: -each.bytes)[:LARGEST]
    most = max((each.bytes for each in drawn), default=0)
    rows = []
    for each in drawn:
        deleted = (each.deletion_vector.rows if each.deletion_vector else None) or 0
        gone = each.bytes * min(1.0, deleted / each.rows) if each.rows else 0
        bar = _bar(amount(each.bytes), each.bytes - gone, most, gone)
        place = f"{text(each.partition)} " if each.partition else ""
        rows.append((f"{place}{each.name}", bar, each.rows, deleted or None))
    totals, notes = content.totals, tuple[str, ...]()
    if left := totals.files - len(drawn):
        rest = totals.bytes - sum(each.bytes for each in drawn)
        which = f"the largest of the {len(listed):,} files that are listed"
        notes = (f"Bars show {which}; {counted(left, 'more file')} have {amount(rest)}.",)
    if any(bar.marked for _, bar, *_ in rows):
        notes = (*notes, "The end of a bar in another colour is the part of deleted rows.")
    columns = ("file", "size", "rows", "deleted rows")
    return Section("Data files", columns=columns, rows=tuple(rows), notes=notes)


def _indexes(
    report: TableReport, content: ContentReport, listed: Sequence[DataFileReport]
) -> Section:
    """Return a matrix of columns by kinds of index, with the part that each covers."""
    files = Counter(
        (part.column, part.index_type)
        for each in listed
        if each.index is not None
        for part in each.index.parts
    )
    cells = {
        key: _bar(f"{count:,} of {counted(len(listed), 'file')}", count, len(listed))
        for key, count in files.items()
    }
    manifest = content.index_manifest
    for index in () if manifest is None else manifest.global_indexes:
        share = index.coverage
        label = f"{index.rows or 0:,} rows" if share is None else f"{share:.0%} of rows"
        for column in index.columns:
            cells[column, f"global {index.type}"] = Bar(label, share or 0.0)
    schemas = {each.id: each for each in report.schemas.listed}
    schema = schemas.get(report.schema_id)
    names = [] if schema is None else [each.column for each in schema.columns]
    names = list(dict.fromkeys((*names, *(column for column, _ in cells))))
    kinds = sorted({kind for _, kind in cells})
    if not kinds:
        return Section("Indexes by column", notes=("No column has an index.",))
    rows = tuple((name, *(cells.get((name, kind)) for kind in kinds)) for name in names)
    cut = content.totals.files - len(listed)
    notes = (
        (f"The counts cover the {len(listed):,} files that are listed; {cut:,} are not.",)
        if cut
        else ()
    )
    return Section("Indexes by column", columns=("column", *kinds), rows=rows, notes=notes)


def _added(snapshot: SnapshotReport) -> str | None:
    return None if snapshot.added_rows is None else f"{snapshot.added_rows:+,} rows"


def _moments(snapshots: Sequence[SnapshotReport]) -> tuple[Moment, ...]:
    """Return the places of snapshots on a line of time, and the rows that each adds."""
    timed = [(each, each.time_millis) for each in snapshots if each.time_millis is not None]
    if not timed:
        return ()
    first, last = min(time for _, time in timed), max(time for _, time in timed)
    most = max(abs(each.added_rows or 0) for each, _ in timed)
    return tuple(
        Moment(
            " ".join(filter(None, (f"snapshot {each.id}", each.kind, _added(each)))),
            time_text(time),
            (time - first) / (last - first) if last > first else 0.5,
            (each.added_rows or 0) / most if most else 0.0,
        )
        for each, time in timed
    )
