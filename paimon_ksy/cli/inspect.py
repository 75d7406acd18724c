"""`paimon-ksy inspect`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Annotated

import typer

from paimon_ksy.cli.commands import cli_command
from paimon_ksy.cli.common import open_input
from paimon_ksy.cli.failures import UsageError, complain
from paimon_ksy.cli.hexdump import hex_lines
from paimon_ksy.cli.of_file import OfFile
from paimon_ksy.cli.options import File, Form, Format, MaxItems
from paimon_ksy.cli.output import is_terminal, most_shown, print_answer
from paimon_ksy.cli.sections import section_node
from paimon_ksy.errors import PaimonKsyError, counted
from paimon_ksy.inspection.inspect import FileReport, inspect_file
from paimon_ksy.io.file_format import FieldBytes, Subject
from paimon_ksy.io.file_kind import UNKNOWN, unrecognised
from paimon_ksy.messages.commands import table_of
from paimon_ksy.messages.masking import masked
from paimon_ksy.messages.sections import section_of
from paimon_ksy.pages.section import Section
from paimon_ksy.pages.text import Line

HEX_LENGTH = 4096
"""The number of bytes that --hex prints on a terminal."""
VALUES = 10
"""The number of values of an index that a terminal shows."""
_HEX_AT_ONCE = 1 << 20


@cli_command(
    "inspect orders.parquet.index",
    "inspect orders.parquet.index -s 'status STRING' --max-items 20",
    "inspect orders.parquet.index -s 'status STRING' --hex",
    answer=FileReport,
)
def run(
    file: File,
    of_file: OfFile,
    max_items: MaxItems = None,
    show_all: Annotated[bool, typer.Option("--all", help="Show all values.")] = False,
    show_hex: Annotated[
        bool, typer.Option("--hex", help="Show the bytes, field by field.")
    ] = False,
    start: Annotated[
        str | None,
        typer.Option("--from", help="First byte for --hex, e.g. 4096 or 0x1000.", metavar="BYTE"),
    ] = None,
    length: Annotated[
        str | None,
        typer.Option(
            "--length",
            help="Bytes for --hex.  [default: 4096 on a terminal, else all]",
            metavar="BYTES",
        ),
    ] = None,
    form: Format = Form.TEXT,
) -> None:
    """Show what kind a file is and what it contains.

    The first bytes of the file determine its kind. An index does not store
    the types of its columns: they come from the table around the file, or the
    data file beside it. For a lone file, pass --schema to see values, the
    most frequent ones first.
    """
    first = _integer("--from", start) or 0
    most = most_shown(_integer("--length", length), HEX_LENGTH, as_json=form.is_json)
    top = None if show_all else most_shown(max_items, VALUES, as_json=form.is_json)
    if (start is not None or length is not None) and not show_hex:
        raise UsageError("--from and --length need --hex: add it")
    with open_input(file) as source:
        kind, subject = of_file.subject(source)
        report = inspect_file(subject, top=top, kind=kind)
        end = source.size if most is None else min(first + most, source.size)
        hexes = _hex(subject, report, first, end) if show_hex else None
        print_answer(replace(report, hex=hexes), form, _lines(report, subject, hexes, first, end))
        _complain(report, subject)


def _hex(subject: Subject, report: FileReport, start: int, end: int) -> Iterator[FieldBytes]:
    """Yield the fields of these bytes, reading one part of the file at a time."""
    from paimon_ksy.inspection.byte_map import hex_fields

    for at in range(start, end, _HEX_AT_ONCE):
        size = min(end - at, _HEX_AT_ONCE)
        yield from hex_fields(subject.source, subject.schema, at, size, report.kind)


def _integer(option: str, value: str | None) -> int | None:
    if value is None:
        return None
    try:
        number = int(value, 0)
    except ValueError:
        number = -1
    if number < 0:
        raise UsageError(f"{option}: {value!r} is not a number of bytes: write 4096 or 0x1000")
    return number


def _complain(report: FileReport, subject: Subject) -> None:
    """Print each error in the file or the schema on stderr, and exit if there are any."""
    errors: list[PaimonKsyError] = [*report.errors]
    if errors and subject.schema is not None:
        from paimon_ksy.file_index.verify import schema_mismatch  # imports numpy

        source, schema = subject.source, subject.schema
        errors = [schema_mismatch(source, schema, error) or error for error in report.errors]
    if report.kind is UNKNOWN:
        errors.append(unrecognised(report.path))
    for wrong in errors:
        complain(wrong)
    if errors:
        raise typer.Exit(min(wrong.exit_code for wrong in errors))


def _lines(
    report: FileReport,
    subject: Subject,
    hexes: Iterator[FieldBytes] | None,
    start: int,
    end: int,
) -> Iterator[Line]:
    """Yield the report as a tree, and then the bytes."""
    yield from section_node(_section(report, subject)).lines()
    if hexes is None:
        return
    yield []
    yield from hex_lines(hexes)
    size = subject.source.size
    if start >= size:
        yield [(f"... no bytes from {start} on: the file has {size:,} bytes", "dim")]
    elif end < size:
        left = f"... {counted(size - end, 'more byte')}; --from {end} --length {end - start} "
        yield [(f"{left}continues", "dim")]


def _section(report: FileReport, subject: Subject) -> Section:
    """Return the section to print, with hints."""
    content = report.content
    if content is not None and is_terminal():
        report = replace(report, content=content.drawn(subject))
    section = section_of(report, masked(report.path), more="--all shows all")
    notes = [] if content is None else [*content.notes(subject.schema)]
    if subject.types_from is not None:
        notes.append(f"column types from {masked(subject.types_from)}")
    if report.note:
        notes.append(report.kind.note.on(table_of(report.path)))
    if report.kind is UNKNOWN:
        notes.append(f"starts with {report.first_bytes.hex(' ')}")
    others = (each for each in section.facts if each[0] not in ("kind", "note"))
    facts = (("kind", report.kind.name), *others)
    return replace(section, facts=facts, notes=tuple(notes))
