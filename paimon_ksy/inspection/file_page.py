"""Write a page about one file: its findings, its content, and the field of each byte.

Of a large file, the page has only the bytes at the beginning and the end, at the starts of indexes,
and around findings.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

from paimon_ksy.errors import CorruptFileError
from paimon_ksy.inspection.byte_map import hex_fields
from paimon_ksy.inspection.inspect import FileReport, inspect_file
from paimon_ksy.inspection.value_rows import with_rows
from paimon_ksy.io.file_kind import FILE_INDEX, VECTORS, FileKind
from paimon_ksy.io.source import Source
from paimon_ksy.messages.findings import Finding
from paimon_ksy.messages.masking import masked
from paimon_ksy.messages.sections import section_of
from paimon_ksy.pages.render import Report, page
from paimon_ksy.pages.section import Cell, Section
from paimon_ksy.table_index.deletion_vector_file import VectorMeta
from paimon_ksy.types.schema import Schema

VALUES = 20
"""The most values of an index that a page lists."""
LISTED_VECTORS = 200
"""The most deletion vectors that a page lists."""
MOST = 3000
"""The most rows of tables and sections, so that a page stays small."""
FINDINGS = 200
"""The most findings that a page lists."""
MOST_BYTES = 16 << 10
"""The most bytes to show, so that a page stays small."""
MOST_LINES = 8000
"""The most lines of bytes to show."""
_AROUND = 128  # bytes before and after the byte of a finding
_MOST_PLACES = 32  # places of findings and of indexes
_WIDTH = 16  # bytes of a line


def file_page(
    source: Source,
    kind: FileKind,
    findings: Sequence[Finding],
    schema: Schema | None = None,
    *,
    compared: bool = False,
    vectors: Sequence[VectorMeta] | None = None,
) -> str:
    """Return the page about a file.

    Args:
        source: The file.
        kind: The kind of the file.
        findings: The findings of `verify`.
        schema: The types of an index's columns. Without them, values are not shown.
        compared: Whether `verify` compared it with its data file.
        vectors: The places of deletion vectors and their data files, from the index manifest.
    """
    report = None
    with suppress(CorruptFileError):  # the findings include it
        report = inspect_file(source, schema, top=VALUES, kind=kind)
    return page(
        Report(
            name=masked(source.name).replace("\\", "/").rpartition("/")[2],
            kind=f"Paimon {kind.name}",
            place=masked(source.name),
            findings=sorted(findings, key=Finding.rank)[:FINDINGS],
            findings_left=max(0, len(findings) - FINDINGS),
            verdict="" if findings else _verdict(kind, compared),
            sections=[
                _content(source, report, schema, vectors or ()),
                _bytes(source, kind, schema, report, findings[:FINDINGS]),
            ],
        )
    )


def _verdict(kind: FileKind, compared: bool) -> str:
    if compared:
        return "The file agrees with its data file."
    if kind is VECTORS:
        return "Sizes, CRCs and bitmaps are sound."
    return (
        "Nothing contradicts itself. The format has no checksum: only a comparison with the data "
        "file, by --data, detects changed values."
    )


def _content(
    source: Source,
    report: FileReport | None,
    schema: Schema | None,
    places: Sequence[VectorMeta],
) -> Section:
    title = "What it contains"
    if report is None:
        return Section(title, notes=("It cannot be read, so only its bytes are shown.",))
    report = with_rows(source, report)
    facts: tuple[tuple[str, Any], ...] = ()
    notes: tuple[str, ...] = ()
    if report.vectors is not None or report.file_index is not None:
        notes = (
            "Strips go from the first row to the last; the stronger the colour, the more rows.",
        )
    if report.vectors is not None:
        names = {place.offset: place.data_file or "" for place in places}
        listed = report.vectors[:LISTED_VECTORS]
        named = (replace(each, data_file=names.get(each.offset, "")) for each in listed)
        facts = (("deleted rows", sum(each.vector.cardinality for each in report.vectors)),)
        report = replace(report, vectors=tuple(named), num_vectors=len(report.vectors))
    elif report.kind is FILE_INDEX and schema is None:
        notes = (
            "An index does not store the types of its columns: give --schema, --schema-file or "
            "--table to see its values.",
        )
    section = section_of(report, title).bounded(MOST)
    return replace(section, facts=(*section.facts, *facts), notes=(*section.notes, *notes))


def _bytes(
    source: Source,
    kind: FileKind,
    schema: Schema | None,
    report: FileReport | None,
    findings: Sequence[Finding],
) -> Section:
    """Return the fields of a file, with their bytes and findings."""
    size = source.size
    wrong = {at: each.severity for each in findings if (at := each.byte) is not None and at < size}
    indexes = None if report is None else report.file_index
    starts = [
        index.offset
        for column in (() if indexes is None else indexes.columns)
        for index in column.indexes
        if index.offset is not None
    ]
    rows: list[tuple[Cell, ...]] = []
    windows = _windows(size, starts, sorted(wrong))
    for start, end in windows:
        for field in hex_fields(source, schema, start, end - start, kind):
            name, value = field.path or "no field", field.text
            for at in range(0, field.size, _WIDTH):
                line = range(field.start + at, min(field.start + at + _WIDTH, field.end))
                here = next((wrong[each] for each in line if each in wrong), None)
                data = field.data[at : at + _WIDTH].hex(" ")
                rows.append((str(line.start), data, name, value, here))
                name = value = ""
    shown = sum(end - start for start, end in windows)
    notes: tuple[str, ...] = ()
    if shown < size:
        notes = (
            f"A sample: {shown:,} of {size:,} bytes, at the starts of the file and its indexes, at "
            "the end, and around what is wrong. `paimon-ksy inspect FILE --hex` shows all.",
        )
    columns = "byte", "bytes", "field", "value", "finding"
    used = len(columns) if wrong else len(columns) - 1
    table = tuple(row[:used] for row in rows)
    section = Section("Every byte", columns=columns[:used], rows=table, notes=notes)
    return section.bounded(MOST_LINES)


def _windows(size: int, starts: Sequence[int], wrong: Sequence[int]) -> list[tuple[int, int]]:
    """Return the bytes to show, as half-open ranges in order."""
    if size <= MOST_BYTES:
        return [(0, size)] if size else []
    places = sorted(set(starts))[:_MOST_PLACES]
    ranges = [(at - _AROUND, at + _AROUND) for at in wrong[:_MOST_PLACES]]
    ranges += [(0, MOST_BYTES // 4), (size - 2 * _AROUND, size)]
    share = MOST_BYTES // 2 // max(1, len(places))
    ranges += [(at, at + share) for at in places]
    joined: list[tuple[int, int]] = []
    for start, end in sorted(ranges):
        start = max(0, start) // _WIDTH * _WIDTH
        end = min(size, -(-end // _WIDTH) * _WIDTH)
        if joined and start <= joined[-1][1]:
            start, end = joined[-1][0], max(end, joined.pop()[1])
        if start < end:
            joined.append((start, end))
    return joined
