"""Write a page about one file: its findings, its content, and the field of each byte.

Of a large file, the page has only the bytes at the beginning and the end, at the starts of indexes,
and around findings.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace

from paimon_ksy.errors import CorruptFileError
from paimon_ksy.inspection.byte_map import hex_fields
from paimon_ksy.inspection.inspect import FileReport, inspect_file
from paimon_ksy.inspection.json import file_parts
from paimon_ksy.inspection.registry import FORMATS
from paimon_ksy.io.file_format import FieldBytes, Subject
from paimon_ksy.io.file_kind import FileKind
from paimon_ksy.messages.findings import Finding
from paimon_ksy.messages.masking import masked
from paimon_ksy.messages.sections import section_of
from paimon_ksy.pages.render import Report, page
from paimon_ksy.pages.section import Cell, Section

VALUES = 20
"""The most values of an index that a page lists."""
LISTED = 200
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
    kind: FileKind, subject: Subject, findings: Sequence[Finding], *, compared: bool = False
) -> str:
    """Return the page about a file; without the types of its columns, values are not shown.

    `compared` states whether `verify` compared it with its data file.
    """
    source, report = subject.source, None
    with suppress(CorruptFileError):  # the findings include it
        report = inspect_file(subject, top=VALUES, kind=kind)
    return page(
        Report(
            name=masked(source.name).replace("\\", "/").rpartition("/")[2],
            kind=f"Paimon {kind.name}",
            place=masked(source.name),
            findings=sorted(findings, key=Finding.rank)[:FINDINGS],
            findings_left=max(0, len(findings) - FINDINGS),
            verdict="" if findings else _verdict(kind, compared),
            sections=[
                _content(subject, report),
                _bytes(subject, kind, report, findings[:FINDINGS]),
            ],
        )
    )


def _verdict(kind: FileKind, compared: bool) -> str:
    if compared:
        return "The file agrees with its data file."
    limits = FORMATS[kind].limits if kind in FORMATS else ""
    return f"Nothing contradicts itself; {limits}." if limits else "Nothing in it is wrong."


def _content(subject: Subject, report: FileReport | None) -> Section:
    title = "What it contains"
    if report is None:
        return Section(title, notes=("It cannot be read, so only its bytes are shown.",))
    notes: list[str] = []
    if report.content is not None:
        report = replace(report, content=report.content.drawn(subject, LISTED))
        notes += report.content.notes(subject.schema)
        if report.content.HAS_STRIPS:
            notes.append(
                "Strips go from the first row to the last; the higher a part, the more rows."
            )
    section = section_of(report, title).bounded(MOST)
    return replace(section, notes=(*section.notes, *notes))


def _bytes(
    subject: Subject, kind: FileKind, report: FileReport | None, findings: Sequence[Finding]
) -> Section:
    """Return the fields of a file, with their bytes and findings."""
    source, schema = subject.source, subject.schema
    size = source.size
    wrong = {at: each.severity for each in findings if (at := each.byte) is not None and at < size}
    starts = [
        part.start for part in (file_parts(source, schema, kind) if report is not None else ())
    ]
    windows = _windows(size, starts, sorted(wrong))
    rows = [
        row
        for start, end in windows
        for field in hex_fields(source, schema, start, end - start, kind)
        for row in _rows(field, wrong)
    ]
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


def _rows(field: FieldBytes, wrong: Mapping[int, str]) -> Iterator[tuple[Cell, ...]]:
    """Yield the rows about a field; the first one names it, and each what is `wrong` in it."""
    label = field.path or "no field", field.text
    for at in range(0, field.size, _WIDTH):
        line = range(field.start + at, min(field.start + at + _WIDTH, field.end))
        here = next((wrong[byte] for byte in line if byte in wrong), None)
        yield (str(line.start), field.data[at : at + _WIDTH].hex(" "), *label, here)
        label = "", ""


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
