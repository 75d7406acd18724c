"""`paimon-ksy table inspect`."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import typer

from paimon_ksy.cli.commands import cli_command
from paimon_ksy.cli.failures import complain
from paimon_ksy.cli.options import AsOf, Form, Format, MaxItems, Snapshot
from paimon_ksy.cli.output import most_shown, print_answer
from paimon_ksy.cli.sections import section_node
from paimon_ksy.cli.table_source import TableSource, snapshot_number
from paimon_ksy.errors import ExitCode
from paimon_ksy.messages.answers import Answer, in_answer, keyed
from paimon_ksy.messages.masking import masked
from paimon_ksy.messages.sections import section_of
from paimon_ksy.pages.text import Line, Node

if TYPE_CHECKING:
    from paimon_ksy.table.inspect.report import TableReport

LISTED = 20
"""The number of items of each list that a terminal shows."""


@dataclass(frozen=True)
class Inspected(Answer):
    """A table, and the errors of everything that is corrupt."""

    report: TableReport = field(metadata=keyed(beside=True))

    @property
    @in_answer()
    def errors(self) -> list[str]:
        """All errors."""
        return self.report.errors


@cli_command(
    "table inspect /data/default.db/orders",
    "table inspect /data/default.db/orders --snapshot 3 -f json",
    "table inspect default.orders --catalog warehouse=/data",
    answer=Inspected,
)
def run(
    source: TableSource,
    snapshot: Snapshot = None,
    as_of: AsOf = None,
    max_items: MaxItems = None,
    form: Format = Form.TEXT,
) -> None:
    """Show a whole table: schemas, snapshots, manifests, data files, indexes, deletion vectors.

    Corrupt files are reported where they occur, and the exit code is 1.
    """
    from paimon_ksy.table.inspect.inspect import inspect_table

    most = most_shown(max_items, LISTED, as_json=form.is_json)
    table = source.open()
    number = snapshot_number(table, snapshot, as_of)
    report = inspect_table(table, number, limit=sys.maxsize if most is None else most)
    print_answer(Inspected(report), form, _lines(report))
    for error in report.errors:
        complain(error)
    if report.errors:
        raise typer.Exit(ExitCode.ERROR)


def _lines(report: TableReport) -> Iterator[Line]:
    """Yield a summary, and then the whole report as a tree."""
    lines = [Node([(line, "")]) for line in report.summary]
    yield from Node([(masked(report.table), "bold")], lines).lines()
    details = section_of(report, "details", more="--max-items N lists more")
    yield from section_node(details).lines()
