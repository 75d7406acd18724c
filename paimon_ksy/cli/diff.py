"""`paimon-ksy diff` of two files, or of two snapshots of a table."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import redirect_stdout
from dataclasses import replace
from itertools import chain
from typing import TYPE_CHECKING, Annotated

import typer

from paimon_ksy.cli.commands import cli_command
from paimon_ksy.cli.common import check_output, new_file, open_input
from paimon_ksy.cli.failures import UsageError, complain
from paimon_ksy.cli.hexdump import field_lines
from paimon_ksy.cli.of_file import OfFile
from paimon_ksy.cli.options import Form, Format, MaxItems, OptionalOutput, Overwrite
from paimon_ksy.cli.output import is_watched, print_answer
from paimon_ksy.cli.sections import section_node
from paimon_ksy.cli.table_source import NO_CATALOG, open_table
from paimon_ksy.errors import CorruptFileError, ExitCode, PaimonKsyError, counted
from paimon_ksy.io.file_format import Subject
from paimon_ksy.messages.masking import masked
from paimon_ksy.messages.sections import left_out, line_of, section_of
from paimon_ksy.pages.text import Line

if TYPE_CHECKING:
    from paimon_ksy.inspection.diff import FileDiff
    from paimon_ksy.messages.changes import Change
    from paimon_ksy.table.inspect.diff import SnapshotDiff

LISTED = 20
"""The number of differences of each kind that a terminal shows."""
MOST = 1000
"""The number elsewhere, because files may differ in millions of fields."""
MORE = "--max-items N lists more"


@cli_command(
    "diff old.index new.index -s 'status STRING'",
    "diff index/index-1f2e-0 index/index-7a3b-0",
    "diff /data/default.db/orders --snapshots 4 5",
    answer="paimon_ksy.inspection.diff:FileDiff",
    others={"snapshots": "paimon_ksy.table.inspect.diff:SnapshotDiff"},
    failing=ExitCode.USAGE,
)
def run(
    *,
    old: Annotated[
        str,
        typer.Argument(
            help="Path or URL of a file index, of deletion vectors, or of a bucket index; or a "
            "table, with --snapshots.",
            metavar="OLD",
        ),
    ],
    new: Annotated[
        str | None,
        typer.Argument(help="Path or URL of another file of the same kind.", metavar="NEW"),
    ] = None,
    of_file: OfFile,
    snapshots: Annotated[
        tuple[int, int] | None,
        typer.Option(
            "--snapshots", help="Compare these two snapshots of the table OLD.", metavar="N M"
        ),
    ] = None,
    max_items: MaxItems = None,
    output: OptionalOutput = None,
    overwrite: Overwrite = False,
    form: Format = Form.TEXT,
) -> None:
    """Compare two files, or two snapshots of a table.

    For files, it shows what differs in the reports of inspect, and the bytes
    of each field that differs. For snapshots, it shows the data files,
    indexes and deletion vectors that were added, dropped or changed.
    The exit codes are those of diff(1): 0 if both are equal, 1 if they
    differ, and 2 if something cannot be read.
    """
    check_output(output or "-", overwrite)
    most = max_items
    if most is None:
        most = LISTED if output is None and is_watched() and not form.is_json else MOST
    if snapshots is not None:
        if new is not None or replace(of_file, catalog=NO_CATALOG) != OfFile():
            raise UsageError("--snapshots compares two snapshots of one table: pass nothing else")
        from paimon_ksy.table.inspect.diff import diff_snapshots

        of_table = diff_snapshots(open_table(old, of_file.catalog), *snapshots, most=most)
        more = left_out(of_table.left_out, 0, MORE)
        lines = _lines(of_table, masked(of_table.table), of_table.changes, more)
        _end(of_table, of_table.errors, form, lines, output)
        return
    if new is None:
        raise UsageError("pass two files, or a table with --snapshots N M")
    if old == new == "-":
        raise UsageError("standard input can be only one of the two files")
    from paimon_ksy.inspection.diff import diff_files

    with open_input(old) as before, open_input(new) as after:
        kinds, subjects = zip(*map(of_file.subject, (before, after)), strict=True)
        compared = diff_files(*subjects, kinds=kinds, most=most)
        errors = tuple(_explained(error, subjects) for error in compared.errors)
        compared = replace(compared, errors=errors)
    title = f"{masked(compared.old)} and {masked(compared.new)}"
    more = left_out(compared.num_changes, len(compared.changes), MORE)
    lines = chain(_lines(compared, title, compared.changes, more), _field_lines(compared))
    _end(compared, errors, form, lines, output)


def _explained(error: PaimonKsyError, subjects: Sequence[Subject]) -> PaimonKsyError:
    """Return an error of a file; if a wrong schema explains it, return that instead."""
    from paimon_ksy.file_index.verify import schema_mismatch

    if not isinstance(error, CorruptFileError):
        return error
    subject = next((each for each in subjects if each.path == error.path), subjects[0])
    return schema_mismatch(subject.source, subject.schema, error) or error


def _end(
    answer: FileDiff | SnapshotDiff,
    errors: tuple[PaimonKsyError | str, ...],
    form: Form,
    lines: Iterable[Line],
    output: str | None,
) -> None:
    """Print or write an answer, complain about what could not be read, and exit."""
    with new_file(output or "-", "w") as file, redirect_stdout(file):
        print_answer(answer, form, lines)
    for error in errors:
        complain(error)
    if errors:
        raise typer.Exit(ExitCode.USAGE)
    if not answer.equal:
        raise typer.Exit(ExitCode.ERROR)


def _lines(
    answer: FileDiff | SnapshotDiff, title: str, changes: Iterable[Change], more: Iterable[str]
) -> Iterator[Line]:
    """Yield the facts about both, and two lines for each change."""
    section = section_of(answer, title)
    notes = ("identical",) if answer.equal else section.notes
    yield from section_node(replace(section, notes=notes)).lines()
    for change in changes:
        for side, mark, color in ((change.old, "- ", "red"), (change.new, "+ ", "green")):
            if side is not None and side != []:
                yield [(f"{mark}{change.path}: {line_of(side)}", color)]
    yield from ([(note, "dim")] for note in more)


def _field_lines(compared: FileDiff) -> Iterator[Line]:
    """Yield the fields that differ as lines of a hex dump."""
    if compared.equal:
        return
    yield []
    if (count := compared.num_fields) is None:
        yield [("the files are too large to compare by field", "dim")]
        return
    yield [(f"{counted(count, 'field')} {'differs' if count == 1 else 'differ'}", "bold")]
    for change in compared.fields:
        for side, mark, color, other in (
            (change.old, "- ", "red", change.new),
            (change.new, "+ ", "green", change.old),
        ):
            if side is not None:
                yield from field_lines(side, color, mark=mark, other=other)
    for note in left_out(count, len(compared.fields), MORE):
        yield [(note, "dim")]
